"""Replies as validated JSON: parsed against a schema and retried once if they do not fit."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

import pydantic

from fallax.core.types.messages import ChatModel, Message, Reply, Request, Usage
from fallax.errors import ReplyError, one_line

__all__ = ["Structured", "generate_structured", "parse_structured"]

T = TypeVar("T", bound=pydantic.BaseModel)

_FENCE = re.compile(r"```(?:json|JSON)?\s*\n(.*?)```", re.DOTALL)
MAX_ERRORS_QUOTED = 8
MAX_OPENINGS = 256


@dataclass(frozen=True, slots=True)
class Structured(Generic[T]):
    """A parsed reply.

    Parameters
    ----------
    value : what it says, validated.
    replies : what came, oldest first: one reply, or two where the first had to be repaired.
    """

    value: T
    replies: tuple[Reply, ...]

    @property
    def usage(self) -> Usage:
        """What all of the replies cost."""
        return sum((r.usage for r in self.replies), Usage())


def parse_structured(text: str, schema: type[T]) -> T:
    """Parse a reply as JSON of a schema: the whole text, a code fence, or the first object in prose.

    Raises
    ------
    ReplyError : there is no JSON, or it is not of the schema; the reason says which fields and why.

    Examples
    --------
    >>> class Verdict(pydantic.BaseModel):
    ...     faithful: bool
    >>> parse_structured('Here it is: {"faithful": true}', Verdict).faithful
    True
    """
    candidates = [text, *_FENCE.findall(text), *_objects(text)]
    reason = "no JSON value in it"
    for candidate in candidates:
        try:
            value = json.loads(candidate, strict=False)
        except (ValueError, RecursionError):
            continue
        try:
            return schema.model_validate(value)
        except pydantic.ValidationError as error:
            if reason == "no JSON value in it" or isinstance(value, dict):
                reason = _explain(error)
    raise ReplyError(reason, raw=text)


def _objects(text: str) -> list[str]:
    """The outermost JSON objects in a text, in order."""
    decoder = json.JSONDecoder(strict=False)
    found: list[str] = []
    position = text.find("{")
    for _ in range(MAX_OPENINGS):  # a bound: a text of many braces that never close would take forever
        if position < 0:
            break
        try:
            _, end = decoder.raw_decode(text, position)
        except (ValueError, RecursionError):
            end = position + 1
        else:
            found.append(text[position:end])
        position = text.find("{", end)
    return found


def _explain(error: pydantic.ValidationError) -> str:
    lines = [
        f"{'.'.join(str(p) for p in e['loc']) or 'the value'}: {e['msg']}" for e in error.errors(include_url=False)
    ]
    more = f"; and {len(lines) - MAX_ERRORS_QUOTED} more" if len(lines) > MAX_ERRORS_QUOTED else ""
    return "; ".join(lines[:MAX_ERRORS_QUOTED]) + more


async def generate_structured(
    model: ChatModel, request: Request, schema: type[T], *, repairs: int = 1
) -> Structured[T]:
    """Ask for JSON of a schema; retry once with the validation error.

    The schema goes with the request, so endpoints that can constrain their replies do; what comes is validated in
    either case.

    Parameters
    ----------
    model : who is asked.
    request : what is asked; its own ``json_schema`` stays where it has one.
    schema : a pydantic model.
    repairs : how often to ask again, 0 or more.

    Returns
    -------
    Structured : the value, and all replies with what they cost.

    Raises
    ------
    ReplyError : the last reply still does not fit: no score can come of it; ``raw`` holds it.
    ModelError : no reply.

    Examples
    --------
    >>> import asyncio
    >>> from fallax.models import ScriptedModel
    >>> class Verdict(pydantic.BaseModel):
    ...     faithful: bool
    >>> model = ScriptedModel([{"replies": ["It is faithful.", '{"faithful": true}']}])
    >>> asyncio.run(generate_structured(model, Request((Message("user", "Faithful?"),)), Verdict)).value.faithful
    True
    """
    if request.json_schema is None and request.grammar is None:
        request = replace(request, json_schema=schema.model_json_schema())
    replies: list[Reply] = []
    while True:
        reply = await model.generate(request)
        replies.append(reply)
        try:
            return Structured(parse_structured(reply.text, schema), tuple(replies))
        except ReplyError as error:
            if len(replies) > repairs:
                if reply.stop_reason == "length":
                    raise ReplyError(f"cut off at max_tokens; {error.reason}", raw=reply.text) from None
                raise
            correction = (
                f"This reply could not be read: {one_line(error.reason, 1000)}. "
                "Answer the same question again, with one JSON object of the required form and nothing else."
            )
            request = replace(
                request,
                messages=(*request.messages, Message("assistant", reply.text), Message("user", correction)),
            )

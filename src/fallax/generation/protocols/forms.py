"""Protocol: drafts "Since p1 and p2, therefore q" for a post, for people to review."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterable, Mapping

from fallax.core.ahead import in_order
from fallax.core.prompts import hash_of, read_prompt
from fallax.core.replies import extract_json
from fallax.core.texts import fence
from fallax.core.types import ArgumentForm, ChatModel, Message, Record, Reply, Request
from fallax.errors import AuthenticationError, BudgetError, ModelError

__all__ = ["FormProtocol", "draft_forms"]

_SCHEMA = {
    "type": "object",
    "properties": {
        "premises": {"type": "array", "items": {"type": "string"}},
        "conclusion": {"type": "string"},
        "note": {"type": "string"},
    },
    "required": ["premises", "conclusion"],
}
_LEAD = re.compile(r"^\s*(?:(?:since|because|if|and|therefore|then|so)\s+)+", re.IGNORECASE)
#: Posts in the air at a time; calls themselves are limited by the model.
_AHEAD = 8


class FormProtocol:
    """Asks for the premises and the conclusion of a post.

    The paper's authors did this by hand (Xu et al. 2025, sentence transformation); what a model drafts is for people
    to review, and every form it gives is "todo".

    Examples
    --------
    >>> record = Record("1", "Why do ducks only swim where there is water?")
    >>> reply = Reply('{"premises": ["Since ducks swim only on water"], "conclusion": "ducks bring water."}')
    >>> FormProtocol().read(record, reply).sentence
    'Since ducks swim only on water, therefore ducks bring water.'
    """

    def __init__(self, *, max_tokens: int = 1024) -> None:
        self.max_tokens = max_tokens
        self._prompt = (
            read_prompt("fallax.generation.protocols", "argument_form.v1").replace("{{", "{").replace("}}", "}")
        )

    @property
    def name(self) -> str:
        """``argument-form.v1``."""
        return "argument-form.v1"

    @property
    def prompt_hash(self) -> str:
        """Twelve hex digits of the prompt."""
        return hash_of(self._prompt)

    def request(self, record: Record) -> Request:
        """The question about one post."""
        before, after = self._prompt.split("{post}")
        message = Message("user", before + fence(record.text, "post") + after)
        return Request((message,), temperature=0.0, max_tokens=self.max_tokens, json_schema=_SCHEMA)

    def read(self, record: Record, reply: Reply) -> ArgumentForm:
        """Read the form in a reply; an empty one, with the reason as note, if there is none."""
        try:
            premises, conclusion, note = _parts(reply.text)
        except ValueError as error:
            return ArgumentForm(record.id, record.text, note=f"the reply could not be read: {error}{reply.cut_note}")
        return ArgumentForm(record.id, record.text, premises, conclusion, note=note)


def _parts(text: str) -> tuple[tuple[str, ...], str, str]:
    value = extract_json(text)
    if not isinstance(value, Mapping):
        raise ValueError(f"must be a JSON object, got {type(value).__name__}")
    premises, conclusion, note = value.get("premises"), value.get("conclusion", ""), value.get("note", "")
    if not isinstance(premises, list) or not all(isinstance(p, str) for p in premises):
        raise ValueError("'premises' must be a list of texts")
    if not isinstance(conclusion, str):
        raise ValueError("'conclusion' must be a text")
    # "" for a premise that was all lead-in; a form without a conclusion has none at all
    clauses = tuple(c for p in premises if (c := _LEAD.sub("", p).strip()))
    return clauses, _LEAD.sub("", conclusion).strip(), note.strip() if isinstance(note, str) else ""


def draft_forms(
    protocol: FormProtocol, records: Iterable[Record], model: ChatModel
) -> AsyncIterator[tuple[Record, ArgumentForm | ModelError]]:
    """Draft the forms of posts in order, a few at a time.

    Yields
    ------
    (Record, ArgumentForm or ModelError)
        The error where the call about this post failed; it can be tried again.

    Raises
    ------
    AuthenticationError, BudgetError
        As no further call can succeed then.
    """

    async def one(record: Record) -> tuple[Record, ArgumentForm | ModelError]:
        try:
            return record, protocol.read(record, await model.generate(protocol.request(record)))
        except (AuthenticationError, BudgetError):
            raise
        except ModelError as error:
            return record, error

    return in_order(records, one, ahead=_AHEAD)

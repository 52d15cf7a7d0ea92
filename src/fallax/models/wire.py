"""Converts requests and replies to and from the JSON of chat completions.

The body is the one of OpenAI's chat completions, which nearly every server speaks; where servers differ (how a grammar
is named, how many tokens are allowed) a :class:`Dialect` says how.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from fallax.core.types.messages import Reply, Request, TokenLogprob, Usage
from fallax.errors import ContentFilterError, EndpointError, ModelError, one_line
from fallax.models.tokens import estimate_prompt_tokens, estimate_tokens

__all__ = ["Dialect", "body_of", "reply_of", "split_reasoning"]

GrammarStyle = Literal["none", "grammar", "guided_grammar", "structured_outputs"]
JsonStyle = Literal["schema", "object", "guided_json", "none"]
TokensStyle = Literal["max_tokens", "max_completion_tokens"]
GRAMMAR_STYLES: tuple[str, ...] = get_args(GrammarStyle)
JSON_STYLES: tuple[str, ...] = get_args(JsonStyle)
TOKENS_STYLES: tuple[str, ...] = get_args(TokensStyle)

_OPEN, _CLOSE = "<think>", "</think>"


@dataclass(frozen=True, slots=True)
class Dialect:
    """The field names that a server uses.

    Parameters
    ----------
    grammar : the field that takes a GBNF grammar: ``grammar`` (llama.cpp), ``structured_outputs`` (vLLM),
        ``guided_grammar`` (vLLM until 0.11), or ``none``: such a request is refused before it is sent.
    json : how a JSON schema is asked for: ``schema`` (``response_format`` with the schema), ``object`` (any JSON
        object), ``guided_json`` (vLLM until 0.11), ``none`` (not asked for; who asked must check).
    tokens : the field that limits the answer.
    think_tags : take ``<think>...</think>`` at the beginning of an answer as its reasoning.
    """

    grammar: GrammarStyle = "none"
    json: JsonStyle = "schema"
    tokens: TokensStyle = "max_tokens"
    think_tags: bool = True


def body_of(request: Request, *, model: str, dialect: Dialect, provider: str) -> dict[str, Any]:
    """The request body; unset fields are left out, so that the model's defaults apply.

    Raises
    ------
    ModelError : the request needs a grammar and the server takes none.
    """
    body: dict[str, Any] = {
        "model": model,
        "messages": [{"role": m.role, "content": m.content} for m in request.messages],
    }
    for name in ("temperature", "top_p", "seed"):
        value = getattr(request, name)
        if value is not None:
            body[name] = value
    if request.max_tokens is not None:
        body[dialect.tokens] = request.max_tokens
    if request.stop:
        body["stop"] = list(request.stop)
    if request.logprobs is not None:
        body["logprobs"] = True
        if request.logprobs:
            body["top_logprobs"] = request.logprobs
    if request.json_schema is not None:
        _ask_json(body, request.json_schema, dialect)
    if request.grammar is not None:
        if dialect.grammar == "none":
            raise ModelError(
                "the request needs a reply that matches a grammar, and this endpoint is not known to take one",
                provider=provider,
                hint="use a llamacpp/, vllm/ or local/ model, or say how with -M grammar="
                + "|".join(GRAMMAR_STYLES[1:]),
                retryable=False,
            )
        if dialect.grammar == "structured_outputs":
            body["structured_outputs"] = {"grammar": request.grammar}
        else:
            body[dialect.grammar] = request.grammar
    return body


def _ask_json(body: dict[str, Any], schema: Mapping[str, Any], dialect: Dialect) -> None:
    if dialect.json == "schema":
        named = {"name": "reply", "schema": dict(schema), "strict": _can_be_strict(schema)}
        body["response_format"] = {"type": "json_schema", "json_schema": named}
    elif dialect.json == "object":
        body["response_format"] = {"type": "json_object"}
    elif dialect.json == "guided_json":
        body["guided_json"] = dict(schema)


def _can_be_strict(schema: object) -> bool:
    """True if a schema meets OpenAI's strict mode: every object is closed and requires all its fields."""
    if isinstance(schema, Mapping):
        properties = schema.get("properties")
        if isinstance(properties, Mapping) or schema.get("type") == "object":
            names = set(properties) if isinstance(properties, Mapping) else set()
            if schema.get("additionalProperties") is not False or names != set(schema.get("required", ())):
                return False
        return all(_can_be_strict(value) for value in schema.values())
    if isinstance(schema, Sequence) and not isinstance(schema, str):
        return all(_can_be_strict(value) for value in schema)
    return True


def split_reasoning(text: str) -> tuple[str, str]:
    r"""Split a text into reasoning (in ``<think>`` tags) and answer.

    Tags count only where they lead: at the beginning, or a closing one alone, since some chat templates write the
    opening one into the prompt. Reasoning that was cut off has no answer after it.

    Examples
    --------
    >>> split_reasoning("<think>2 and 2</think>\n\nfour")
    ('2 and 2', 'four')
    >>> split_reasoning("2 and 2</think>four"), split_reasoning("<think>2 and")
    (('2 and 2', 'four'), ('2 and', ''))
    >>> split_reasoning("He wrote <think>x</think>.")
    ('', 'He wrote <think>x</think>.')
    """
    lead = text.lstrip()
    if lead.startswith(_OPEN):
        reasoning, _, answer = lead[len(_OPEN) :].partition(_CLOSE)
        return reasoning.strip(), answer.lstrip()
    if text.count(_CLOSE) == 1 and _OPEN not in text:
        reasoning, _, answer = text.partition(_CLOSE)
        return reasoning.strip(), answer.lstrip()
    return "", text


def reply_of(value: object, request: Request, *, provider: str, dialect: Dialect) -> Reply:
    """Parse a chat completion.

    Raises
    ------
    ContentFilterError : the endpoint withheld the whole answer.
    EndpointError : this is no chat completion.
    """
    choices = value.get("choices") if isinstance(value, Mapping) else None
    choice = choices[0] if isinstance(choices, Sequence) and choices and not isinstance(choices, str) else None
    message = choice.get("message") if isinstance(choice, Mapping) else None
    if not isinstance(value, Mapping) or not isinstance(choice, Mapping) or not isinstance(message, Mapping):
        raise EndpointError(
            f"the endpoint answered something that is no chat completion: {one_line(value)!r}",
            provider=provider,
            hint="check that the base URL ends where the API begins (often /v1)",
        )
    raw = _content_text(message.get("content"))
    stop_reason = str(choice.get("finish_reason") or "stop")
    reasoning = _content_text(message.get("reasoning_content") or message.get("reasoning"))
    text = raw
    if dialect.think_tags and not reasoning:
        reasoning, text = split_reasoning(raw)
    refusal = message.get("refusal")
    if not text and isinstance(refusal, str) and refusal:
        text, stop_reason = refusal, "refusal"
    if not text and stop_reason == "content_filter":
        raise ContentFilterError(
            "the endpoint withheld its answer", provider=provider, hint="leave this record out, or ask another model"
        )
    return Reply(
        text,
        str(value.get("model") or ""),
        reasoning,
        stop_reason,
        _usage(value.get("usage"), request, raw, reasoning),
        _logprobs(choice.get("logprobs"), raw, text),
    )


def _content_text(content: object) -> str:
    """The text of a message's content: a string, or a list of parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, Sequence):
        parts = [p.get("text") for p in content if isinstance(p, Mapping)]
        return "".join(p for p in parts if isinstance(p, str))
    return ""


def _count(value: object, name: str) -> int:
    found = value.get(name) if isinstance(value, Mapping) else None
    return found if isinstance(found, int) and found > 0 else 0


def _usage(value: object, request: Request, raw: str, reasoning: str) -> Usage:
    if not isinstance(value, Mapping):  # some servers leave it out: estimated, so that budgets still hold
        n_reasoning = estimate_tokens(reasoning)
        n_text = estimate_tokens(raw) if raw else 0
        return Usage(estimate_prompt_tokens(request), max(n_text, n_reasoning), n_reasoning, calls=1)
    return Usage(
        prompt_tokens=_count(value, "prompt_tokens"),
        completion_tokens=_count(value, "completion_tokens"),
        reasoning_tokens=_count(value.get("completion_tokens_details"), "reasoning_tokens"),
        cached_tokens=_count(value.get("prompt_tokens_details"), "cached_tokens")
        or _count(value, "prompt_cache_hit_tokens"),
        calls=1,
    )


def _logprobs(value: object, raw: str, text: str) -> tuple[TokenLogprob, ...] | None:
    """Log-probabilities of the tokens of ``text``, without those of reasoning before it."""
    content = value.get("content") if isinstance(value, Mapping) else None
    if not isinstance(content, Sequence) or isinstance(content, str):
        return None
    tokens = [
        TokenLogprob(
            str(entry.get("token", "")),
            _finite(entry.get("logprob")),
            {str(t.get("token", "")): _finite(t.get("logprob")) for t in entry.get("top_logprobs") or ()},
        )
        for entry in content
        if isinstance(entry, Mapping)
    ]
    skip = len(raw) - len(text) if raw.endswith(text) else 0
    position = 0
    while skip and tokens and position + len(tokens[0].token) <= skip:
        position += len(tokens.pop(0).token)
    while tokens and not tokens[-1].token:  # llama.cpp reports the end of the answer as a token without text
        tokens.pop()
    return tuple(tokens)


def _finite(value: object) -> float:
    """A log-probability as a finite number; servers write impossible tokens as null or minus infinity."""
    number = float(value) if isinstance(value, (int, float)) else -math.inf
    return number if math.isfinite(number) else -9999.0

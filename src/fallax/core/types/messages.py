"""Requests, replies, and the port that every chat model implements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, runtime_checkable

from fallax.core.json_value import JsonValue

__all__ = ["ChatModel", "Message", "Reply", "Request", "TokenLogprob", "Usage"]


@dataclass(frozen=True, slots=True)
class Message(JsonValue):
    """One message of a chat."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Request(JsonValue):
    """One request to a model, with every setting that can change the answer.

    Parameters
    ----------
    messages : the turns, oldest first. Protocols put what many requests share first, so that prompt caches hit.
    temperature, top_p, max_tokens, seed, stop : sampling; None leaves the model's own default.
    logprobs : how many alternatives per token to report (None: no log-probabilities).
    json_schema : the reply must be JSON of this schema.
    grammar : the reply must match this GBNF grammar.
    epoch : tells repeated samples of the same question apart.
    """

    messages: tuple[Message, ...]
    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    seed: int | None = None
    stop: tuple[str, ...] = ()
    logprobs: int | None = None
    json_schema: Mapping[str, Any] | None = None
    grammar: str | None = None
    epoch: int = 0


@dataclass(frozen=True, slots=True)
class Usage(JsonValue):
    """Tokens, calls and cost (US dollars; None if the price is unknown).

    Examples
    --------
    >>> (Usage(prompt_tokens=10, calls=1) + Usage(prompt_tokens=5, calls=1)).prompt_tokens
    15
    """

    prompt_tokens: int = 0
    completion_tokens: int = 0
    reasoning_tokens: int = 0
    cached_tokens: int = 0
    calls: int = 0
    cost: float | None = None

    def __add__(self, other: Usage) -> Usage:
        costs = [u.cost for u in (self, other) if u.cost is not None]
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.reasoning_tokens + other.reasoning_tokens,
            self.cached_tokens + other.cached_tokens,
            self.calls + other.calls,
            sum(costs) if costs else None,
        )


@dataclass(frozen=True, slots=True)
class TokenLogprob(JsonValue):
    """A token of a reply with its natural-log probability and its likeliest alternatives."""

    token: str
    logprob: float
    top: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reply(JsonValue):
    """The reply of a model.

    Parameters
    ----------
    text : the answer, without reasoning.
    model : who really answered, as the endpoint says.
    reasoning : the reasoning text of a reasoning model, kept apart.
    stop_reason : "stop", "length", "content_filter" or what the endpoint says.
    usage : what it cost.
    logprobs : per token of ``text``, where they were asked for and given.
    """

    text: str
    model: str = ""
    reasoning: str = ""
    stop_reason: str = "stop"
    usage: Usage = field(default_factory=Usage)
    logprobs: tuple[TokenLogprob, ...] | None = None

    @property
    def cut_note(self) -> str:
        """Text to add to the reason of an unreadable reply if the reply was cut off; else ""."""
        return " (cut at its token limit)" if self.stop_reason == "length" else ""


@runtime_checkable
class ChatModel(Protocol):
    """The port of a chat model: anything that answers a chat request."""

    @property
    def name(self) -> str:
        """``provider/model``, as it appears in run records and signatures."""

    async def generate(self, request: Request) -> Reply:
        """Answer a request, or raise a :class:`fallax.errors.ModelError`."""

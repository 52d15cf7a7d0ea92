"""Asks a model about one sample and records every reply."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import Any

from fallax.core.types import ChatModel, Reply, Request, Usage
from fallax.models.keys import call_key
from fallax.models.layers import Layer, asked_in_the_end

__all__ = ["EPOCH_STRIDE", "Recorder", "ask_all", "heard_by", "recorders", "reply_row"]

#: Epochs of a run are this far apart in ``Request.epoch``, so that a protocol may number its own samples below it.
EPOCH_STRIDE = 1_000_000

_MADE: ContextVar[list[Recorder] | None] = ContextVar("recorders that were made", default=None)


def reply_row(reply: Reply, *, where: str = "", key: str = "") -> dict[str, Any]:
    """A raw reply as JSON values for a row; empty fields are left out.

    Parameters
    ----------
    reply : as it came.
    where : which question it answers (a sentence, an agent and a round), if there was more than one.
    key : the key of the call in the cache.

    Examples
    --------
    >>> reply_row(Reply("yes", "stub"), where="sentence 1")
    {'where': 'sentence 1', 'text': 'yes', 'model': 'stub'}
    """
    found: dict[str, Any] = {"where": where} if where else {}
    found["text"] = reply.text
    for name in ("model", "reasoning"):
        if getattr(reply, name):
            found[name] = getattr(reply, name)
    if reply.stop_reason != "stop":
        found["stop_reason"] = reply.stop_reason
    if reply.logprobs is not None:
        found["logprobs"] = [{"token": t.token, "logprob": t.logprob, "top": dict(t.top)} for t in reply.logprobs]
    if key:
        found["call"] = key
    return found


class Recorder(Layer):
    """A model wrapper that records requests and replies; one per sample and epoch.

    Parameters
    ----------
    inner : who is asked.
    epoch : of the run; every request gets an epoch of its own for it, so that a repeated sample is asked again.

    Examples
    --------
    >>> from fallax.models import ScriptedModel
    >>> from fallax.core.types import Message
    >>> model = Recorder(ScriptedModel([{"reply": "yes"}]))
    >>> _ = asyncio.run(model.generate(Request((Message("user", "?"),))))
    >>> model.usage.calls, [r["text"] for r in model.replies()]
    (1, ['yes'])
    """

    def __init__(self, inner: ChatModel, *, epoch: int = 0) -> None:
        super().__init__(inner)
        self.epoch = epoch
        self._identity = super().identity
        self._by_key: dict[str, tuple[Request, Reply]] = {}
        if (made := _MADE.get()) is not None:
            made.append(self)

    def asked(self, request: Request) -> Request:
        """The request with the epoch of the run."""
        return replace(request, epoch=request.epoch + EPOCH_STRIDE * self.epoch) if self.epoch else request

    def key_of(self, request: Request) -> str:
        """The cache key of a request."""
        return call_key(self._identity, asked_in_the_end(self, request))

    async def generate(self, request: Request) -> Reply:
        """Call the model and record the reply."""
        reply = await self.inner.generate(self.asked(request))
        self._by_key[self.key_of(request)] = (request, reply)
        return reply

    @property
    def usage(self) -> Usage:
        """The usage of all calls; identical calls count once."""
        return sum((self._by_key[key][1].usage for key in sorted(self._by_key)), Usage())

    def replies(self) -> tuple[dict[str, Any], ...]:
        """The rows of all replies in the order of their keys, independent of the order of arrival."""
        return tuple(reply_row(reply, key=key) for key, (_, reply) in sorted(self._by_key.items(), key=lambda x: x[0]))

    def replies_to(self, requests: Sequence[Request], *, where: Iterable[str] = ()) -> tuple[dict[str, Any], ...]:
        """The rows of the replies to given requests, in their order, each with the name of its question."""
        names = list(where) or [""] * len(requests)
        keys = [self.key_of(request) for request in requests]
        return tuple(
            reply_row(self._by_key[key][1], where=name, key=key) for key, name in zip(keys, names, strict=True)
        )


@contextmanager
def recorders() -> Iterator[list[Recorder]]:
    """Collect all recorders created in this context, so that their records survive an error.

    Examples
    --------
    >>> from fallax.models import ScriptedModel
    >>> with recorders() as made:
    ...     model = Recorder(ScriptedModel([{"reply": "yes"}]))
    >>> made == [model], heard_by(made)["usage"].calls
    (True, 0)
    """
    made: list[Recorder] = []
    token = _MADE.set(made)
    try:
        yield made
    finally:
        _MADE.reset(token)


def heard_by(made: Iterable[Recorder]) -> dict[str, Any]:
    """``replies`` and ``usage`` of an answer, from all recorders."""
    found = list(made)
    return {
        "replies": tuple(row for recorder in found for row in recorder.replies()),
        "usage": sum((recorder.usage for recorder in found), Usage()),
    }


async def ask_all(model: ChatModel, requests: Iterable[Request]) -> list[Reply]:
    """Ask independent questions concurrently; replies come in the order of the questions.

    If one fails, the others are still waited for, so that no answer that was paid for is thrown away; then the first
    error is raised.
    """
    found = await asyncio.gather(*(model.generate(r) for r in requests), return_exceptions=True)
    for reply in found:
        if isinstance(reply, BaseException):
            raise reply
    return [reply for reply in found if isinstance(reply, Reply)]

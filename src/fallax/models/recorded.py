"""A model that replays recorded replies and sends nothing."""

from __future__ import annotations

from pathlib import Path

from fallax.core.types.messages import Message, Reply, Request
from fallax.errors import FormatError, ModelError, one_line
from fallax.models.calls import Call, read_calls
from fallax.models.keys import request_differences, request_key

__all__ = ["RecordedModel"]


class RecordedModel:
    """Replays recorded replies; a request without a recording is an error.

    Replies are found by the whole request (messages, sampling, schema, epoch), whoever was asked at the time.

    Parameters
    ----------
    path : a JSONL file of calls (see :mod:`fallax.models.calls`) or a folder of such files.
    model : replay only what this model answered; needed where the file holds different answers to one request.
    name : the name in run records; ``recorded:PATH`` by default.

    Raises
    ------
    FormatError : the file is damaged, holds no call of ``model``, or holds two answers to one request.
    """

    def __init__(self, path: str | Path, *, model: str | None = None, name: str | None = None) -> None:
        self._name = name or f"recorded:{path}"
        self.path = Path(path)
        self._calls: dict[str, Call] = {}
        self._by_messages: dict[tuple[Message, ...], Call] = {}
        others: set[str] = set()
        for call in read_calls(path):
            if model is not None and call.model != model:
                others.add(call.model)
                continue
            key = request_key(call.request)
            known = self._calls.setdefault(key, call)
            if known is not call and known.reply != call.reply:
                raise FormatError(
                    "one request must have one recorded answer, found two different ones, by "
                    f"{known.model or 'unknown'!r} and {call.model or 'unknown'!r} (request {key[:12]}); "
                    "choose with -M model=NAME or record them to different files",
                    path=self.path,
                )
            self._by_messages.setdefault(call.request.messages, call)
        if not self._calls:
            found = f"found calls of {', '.join(sorted(others))}" if others else "found none"
            wanted = f"calls of {model!r}" if model is not None else "calls"
            raise FormatError(f"there must be recorded {wanted}, {found}", path=self.path)

    def __len__(self) -> int:
        """The number of recorded replies."""
        return len(self._calls)

    def __repr__(self) -> str:
        return f"RecordedModel({str(self.path)!r})"

    @property
    def name(self) -> str:
        """``recorded:PATH`` as given."""
        return self._name

    async def generate(self, request: Request) -> Reply:
        """The recorded reply.

        Raises
        ------
        ModelError : this request was never recorded; says what the nearest recorded one has different.
        """
        call = self._calls.get(request_key(request))
        if call is None:
            raise self._miss(request)
        return call.reply

    def _miss(self, request: Request) -> ModelError:
        last = request.messages[-1].content if request.messages else ""
        near = self._by_messages.get(request.messages)
        if near is not None:
            shown = one_line("; ".join(request_differences(request, near.request)), 300)
            reason = f"the same messages are recorded with other settings: {shown}"
        else:
            reason = f"no recorded request has these messages; the last begins {one_line(last, 60)!r}"
        return ModelError(
            f"nothing recorded for this request among {len(self)}: {reason}",
            provider=self.name,
            hint="ask as it was recorded, or record it: run with a live model and a cache, then export the calls",
            retryable=False,
        )

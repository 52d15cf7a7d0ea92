"""A limit far above what something takes, for what takes minutes where it is wrong; without alarms, no limit."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["TooSlow", "patience"]


class TooSlow(BaseException):
    """Not an Exception, so that nothing that is tested catches it."""


@contextmanager
def patience(seconds: int) -> Iterator[None]:
    """Raise :class:`TooSlow` in what takes longer than this many seconds."""

    def stop(_: int, __: FrameType | None) -> None:
        raise TooSlow

    if not hasattr(signal, "SIGALRM"):
        yield
        return
    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)

"""Ends a long computation between two of its steps, where nobody waits for its result any more."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["StoppedEarly", "stop_if_unwanted", "unwanted_if"]

_unwanted: ContextVar[Callable[[], bool] | None] = ContextVar("unwanted", default=None)


class StoppedEarly(BaseException):
    """A computation that ended without a result. No error, so that nobody reports it as a fault of a system."""


@contextmanager
def unwanted_if(unwanted: Callable[[], bool] | None) -> Iterator[None]:
    """Inside, :func:`stop_if_unwanted` ends the computation once ``unwanted()`` is true.

    Examples
    --------
    >>> with unwanted_if(lambda: False):
    ...     stop_if_unwanted()
    """
    token = _unwanted.set(unwanted)
    try:
        yield
    finally:
        _unwanted.reset(token)


def stop_if_unwanted() -> None:
    """A place between two steps where a computation may end.

    Raises
    ------
    StoppedEarly
        If the result is unwanted.

    Examples
    --------
    >>> with unwanted_if(lambda: True):
    ...     try:
    ...         stop_if_unwanted()
    ...     except StoppedEarly:
    ...         print("stopped")
    stopped
    """
    unwanted = _unwanted.get()
    if unwanted is not None and unwanted():
        raise StoppedEarly

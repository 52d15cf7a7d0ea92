"""Progress of long computations, reported to whoever shows it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

__all__ = ["counted", "progress_to"]

T = TypeVar("T")

_told: ContextVar[Callable[[int, int], None] | None] = ContextVar("progress", default=None)


@contextmanager
def progress_to(tell: Callable[[int, int], None] | None) -> Iterator[None]:
    """Call ``tell(done, total)`` while computations inside this context make progress."""
    token = _told.set(tell)
    try:
        yield
    finally:
        _told.reset(token)


def counted(parts: Sequence[T]) -> Iterator[T]:
    """Iterate over the parts, reporting progress after each.

    Examples
    --------
    >>> told = []
    >>> with progress_to(lambda done, total: told.append((done, total))):
    ...     parts = list(counted("ab"))
    >>> parts, told
    (['a', 'b'], [(1, 2), (2, 2)])
    """
    tell = _told.get()
    for number, part in enumerate(parts, start=1):
        yield part
        if tell is not None:
            tell(number, len(parts))

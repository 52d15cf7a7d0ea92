"""Reports a running debate to a watcher, for pages that show it live."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeAlias

__all__ = ["Watcher", "tell", "watching"]

#: Gets each event: a mapping of JSON values with the key "event".
Watcher: TypeAlias = Callable[[dict[str, Any]], None]

_WATCHER: ContextVar[Watcher | None] = ContextVar("fallax_debate_watcher", default=None)


@contextmanager
def watching(watcher: Watcher | None) -> Iterator[None]:
    """Report every debate started in this context, including its tasks, to a watcher.

    Examples
    --------
    >>> seen = []
    >>> with watching(seen.append):
    ...     tell("round", number=1)
    >>> seen
    [{'event': 'round', 'number': 1}]
    """
    token = _WATCHER.set(watcher)
    try:
        yield
    finally:
        _WATCHER.reset(token)


def tell(event: str, **values: Any) -> None:
    """Notify the watcher, if there is one."""
    watcher = _WATCHER.get()
    if watcher is not None:
        watcher({"event": event, **values})

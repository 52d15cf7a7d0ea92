"""Runs several tasks at a time and yields their results in order."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from typing import TypeVar

__all__ = ["in_order"]

T = TypeVar("T")
R = TypeVar("R")


async def in_order(items: Iterable[T], work: Callable[[T], Awaitable[R]], *, ahead: int) -> AsyncIterator[R]:
    """Yield the result of ``work`` for each item, in order, with up to ``ahead`` items in progress.

    The items are taken as they are needed. Where an error rises, or nobody wants more, what is in work is cancelled.

    Examples
    --------
    >>> import asyncio
    >>> async def doubled(n):
    ...     return 2 * n
    >>> async def results():
    ...     return [found async for found in in_order(range(4), doubled, ahead=2)]
    >>> asyncio.run(results())
    [0, 2, 4, 6]
    """
    waiting: list[asyncio.Future[R]] = []
    try:
        for item in items:
            waiting.append(asyncio.ensure_future(work(item)))
            if len(waiting) >= ahead:
                yield await waiting.pop(0)
        while waiting:
            yield await waiting.pop(0)
    finally:
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)

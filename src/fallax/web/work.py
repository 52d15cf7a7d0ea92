"""Where requests are worked on: threads for what computes, so that the event loop stays free."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Literal, TypeVar

from fallax.web.settings import ServerLimits

__all__ = ["BusyError", "LoopWatch", "Workers"]

T = TypeVar("T")


class BusyError(Exception):
    """More requests wait than may wait."""


class Workers:
    """Threads for quick work (a text examined) and for slow work (explained, generated, reported), apart.

    Parameters
    ----------
    limits : how many threads, how many may wait, and for how long.

    Examples
    --------
    >>> async def example():
    ...     workers = Workers(ServerLimits(workers=1))
    ...     try:
    ...         return await workers.run(sum, (1, 2))
    ...     finally:
    ...         workers.close()
    >>> asyncio.run(example())
    3
    """

    def __init__(self, limits: ServerLimits) -> None:
        self.limits = limits
        self._pools = {
            "quick": ThreadPoolExecutor(limits.workers, thread_name_prefix="fallax-quick"),
            "slow": ThreadPoolExecutor(max(1, limits.workers // 2), thread_name_prefix="fallax-slow"),
        }
        self.waiting = 0
        self.debates = 0

    async def run(self, function: Callable[..., T], *args: object, kind: Literal["quick", "slow"] = "quick") -> T:
        """Call the function in a thread.

        Raises
        ------
        BusyError
            If too many wait already.
        TimeoutError
            If it takes too long; a thread at work is not stopped, its result is dropped.
        """
        if self.waiting >= self.limits.waiting:
            raise BusyError
        self.waiting += 1
        try:
            work = asyncio.get_running_loop().run_in_executor(self._pools[kind], function, *args)
            return await asyncio.wait_for(work, self.limits.seconds)
        finally:
            self.waiting -= 1

    async def ask(self, work: Awaitable[T]) -> T:
        """Await what asks a model, for no longer than a request may take."""
        return await asyncio.wait_for(work, self.limits.seconds)

    @asynccontextmanager
    async def debate(self) -> AsyncIterator[None]:
        """A place among the debates that may run at the same time."""
        if self.debates >= self.limits.debates:
            raise BusyError
        self.debates += 1
        try:
            yield
        finally:
            self.debates -= 1

    def close(self) -> None:
        """Let the threads end; what waits is dropped."""
        for pool in self._pools.values():
            pool.shutdown(wait=False, cancel_futures=True)


class LoopWatch:
    """How long the event loop was ever kept from its work, in milliseconds."""

    def __init__(self, every: float = 0.02) -> None:
        self._every = every
        self.longest = 0.0

    async def watch(self) -> None:
        """Wake up again and again, and note how late."""
        while True:
            begun = time.perf_counter()
            await asyncio.sleep(self._every)
            self.longest = max(self.longest, 1000 * (time.perf_counter() - begun - self._every))

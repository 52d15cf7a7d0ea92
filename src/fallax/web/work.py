"""Threads for computation, so that the event loop stays free."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from typing import Literal, TypeVar, cast

from fallax.core.stopping import StoppedEarly, unwanted_if
from fallax.web.settings import ServerLimits

__all__ = ["BusyError", "LoopWatch", "Workers"]

T = TypeVar("T")


class BusyError(Exception):
    """Too many requests are waiting."""


class Workers:
    """Separate threads for fast work (examining a text) and slow work (explanations, generation, reports).

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

        If the request ends first (its client leaves, or it takes too long), a call that waits is dropped, and one at
        work ends at its next :func:`~fallax.core.stopping.stop_if_unwanted`.

        Raises
        ------
        BusyError
            If too many wait already.
        TimeoutError
            If it takes too long.
        """
        if self.waiting >= self.limits.waiting:
            raise BusyError
        self.waiting += 1
        ended = threading.Event()

        def call() -> T | None:
            with suppress(StoppedEarly), unwanted_if(ended.is_set):
                return function(*args)
            return None  # nobody reads it

        try:
            work = asyncio.get_running_loop().run_in_executor(self._pools[kind], call)
            return cast("T", await self.ask(work))
        finally:
            ended.set()
            self.waiting -= 1

    async def ask(self, work: Awaitable[T]) -> T:
        """Await what a request asked for, for as long as a request may take.

        Raises
        ------
        TimeoutError
            If it takes too long.
        """
        try:
            return await asyncio.wait_for(work, self.limits.seconds)
        except TimeoutError:
            raise TimeoutError(
                f"this took longer than {self.limits.seconds:g} seconds, the most that this server allows; send less at"
                " a time"
            ) from None

    @asynccontextmanager
    async def debate(self) -> AsyncIterator[None]:
        """Reserve one of the slots for concurrent debates."""
        if self.debates >= self.limits.debates:
            raise BusyError
        self.debates += 1
        try:
            yield
        finally:
            self.debates -= 1

    def close(self) -> None:
        """Stop the threads; waiting work is dropped."""
        for pool in self._pools.values():
            pool.shutdown(wait=False, cancel_futures=True)


class LoopWatch:
    """The longest time the event loop was blocked, in milliseconds."""

    def __init__(self, every: float = 0.02) -> None:
        self._every = every
        self.longest = 0.0

    async def watch(self) -> None:
        """Wake up repeatedly and record the delay."""
        while True:
            begun = time.perf_counter()
            await asyncio.sleep(self._every)
            self.longest = max(self.longest, 1000 * (time.perf_counter() - begun - self._every))

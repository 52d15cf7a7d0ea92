"""Synchronous versions of async functions, made from the same implementation."""

from __future__ import annotations

import asyncio
import functools
import signal
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, nullcontext, suppress
from types import FrameType
from typing import Any, ParamSpec, TypeVar

from fallax.errors import CallError

__all__ = ["run", "sync_twin"]

P = ParamSpec("P")
T = TypeVar("T")


def run(work: Coroutine[Any, Any, T], *, at_once: bool = True) -> T:
    """Run a coroutine to its end; if an event loop is running already (a notebook), in a thread.

    Parameters
    ----------
    work : what to run.
    at_once : let Ctrl-C raise KeyboardInterrupt wherever the work is. False: Ctrl-C cancels the work, which notices
        that when it next awaits something, and can finish what it began; a computation awaits nothing until its end.

    Notes
    -----
    Work in a thread cannot be stopped while it computes. After Ctrl-C it is cancelled, and so asks no further model.
    """
    if not _in_a_loop():
        with _interruptible() if at_once else nullcontext():
            return asyncio.run(work)
    outcome: list[T] = []
    failure: list[BaseException] = []
    loops: list[asyncio.AbstractEventLoop] = []

    def target() -> None:
        try:
            with asyncio.Runner() as runner:
                loops.append(runner.get_loop())
                outcome.append(runner.run(work))
        except BaseException as error:
            failure.append(error)

    thread = threading.Thread(target=target, name="fallax")
    try:
        thread.start()
        thread.join()
    except BaseException:
        for loop in loops:
            with suppress(RuntimeError):  # it has ended meanwhile
                loop.call_soon_threadsafe(_cancel_all, loop)
        raise
    if failure:
        raise failure[0]
    return outcome[0]


@contextmanager
def _interruptible() -> Iterator[None]:
    """Have Ctrl-C raise KeyboardInterrupt, also within ``asyncio.run``, which else takes Python's handler away."""
    taken = False
    in_main = threading.current_thread() is threading.main_thread()
    if in_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        with suppress(ValueError):  # of an interpreter within another one, which gets no signals
            signal.signal(signal.SIGINT, _interrupt)
            taken = True
    try:
        yield
    finally:
        if taken:
            signal.signal(signal.SIGINT, signal.default_int_handler)


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _cancel_all(loop: asyncio.AbstractEventLoop) -> None:
    for task in asyncio.all_tasks(loop):
        task.cancel()


def _in_a_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def sync_twin(function: Callable[P, Coroutine[Any, Any, T]], *, at_once: bool = True) -> Callable[P, T]:
    """The synchronous version of a function: same parameters and result, its name without the leading ``a``.

    Parameters
    ----------
    function : the async version.
    at_once : what Ctrl-C does, see :func:`run`.

    Examples
    --------
    >>> async def aadd(a: int, b: int) -> int:
    ...     return a + b
    >>> add = sync_twin(aadd)
    >>> add.__name__, add(1, b=2)
    ('add', 3)
    """

    @functools.wraps(function)
    def twin(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            work = function(*args, **kwargs)
        except CallError as error:
            raise CallError(twin.__name__, error.reason) from None
        return run(work, at_once=at_once)

    twin.__name__ = function.__name__.removeprefix("a")
    twin.__qualname__ = twin.__name__
    return twin

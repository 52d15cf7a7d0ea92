"""Synchronous versions of async functions, made from the same implementation."""

from __future__ import annotations

import asyncio
import functools
import threading
from collections.abc import Callable, Coroutine
from typing import Any, ParamSpec, TypeVar

from fallax.errors import CallError

__all__ = ["run", "sync_twin"]

P = ParamSpec("P")
T = TypeVar("T")


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end; if an event loop is running already (a notebook), in a thread."""
    if not _in_a_loop():
        return asyncio.run(work)
    outcome: list[T] = []
    failure: list[BaseException] = []

    def target() -> None:
        try:
            outcome.append(asyncio.run(work))
        except BaseException as error:
            failure.append(error)

    thread = threading.Thread(target=target, name="fallax")
    thread.start()
    thread.join()
    if failure:
        raise failure[0]
    return outcome[0]


def _in_a_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def sync_twin(function: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, T]:
    """The synchronous version of a function: same parameters and result, its name without the leading ``a``.

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
        return run(work)

    twin.__name__ = function.__name__.removeprefix("a")
    twin.__qualname__ = twin.__name__
    return twin

"""Runs encoders on several texts at the same time."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from functools import cache
from typing import TypeVar, cast

from fallax.core.stopping import stop_if_unwanted
from fallax.errors import InputError, one_line

__all__ = ["divided", "each_in_order", "meanwhile", "threads"]

T = TypeVar("T")
U = TypeVar("U")

#: Without FALLAX_THREADS no more threads than this: what Python does between two readings leaves more of them idle.
_MOST = 8
#: Has ``reads`` in the threads that work here: what they do is not divided again, or all could wait for each other.
_HERE = threading.local()


def threads() -> int:
    """How many texts are read at the same time: FALLAX_THREADS, or one for each core, at most 8.

    Raises
    ------
    InputError
        If FALLAX_THREADS is no whole number of at least 1.
    """
    said = os.environ.get("FALLAX_THREADS", "")
    if not said:
        own = getattr(os, "sched_getaffinity", None)  # macOS has none
        return min(_MOST, len(own(0)) if own else os.cpu_count() or 1)
    if not said.isdecimal() or int(said) == 0:
        raise InputError(f"FALLAX_THREADS must be a whole number of at least 1, got {one_line(said, 20)!r}")
    return int(said)


def each_in_order(work: Callable[[T], U], items: Sequence[T]) -> Iterator[U]:
    """The results of some work on each item, in the order of the items, whichever is done first.

    Parameters
    ----------
    work : is called in several threads at the same time. It must not change what the others read.

    Raises
    ------
    StoppedEarly
        Between two items, where the result is unwanted (see :mod:`fallax.core.stopping`); no further one is begun.

    Examples
    --------
    >>> list(each_in_order(len, ["a", "bcd", ""]))
    [1, 3, 0]
    """
    if len(items) > 1 and divided():
        begun = cast("Generator[U]", _pool("each", threads(), os.getpid()).map(work, items))
        with closing(begun):  # what has not begun is dropped
            yield from _while_wanted(begun)
    else:
        yield from _while_wanted(map(work, items))


def _while_wanted(results: Iterator[U]) -> Iterator[U]:
    for result in results:
        yield result
        stop_if_unwanted()


def meanwhile(work: Callable[[T], U], item: T) -> Future[U]:
    """Begin some work while other things go on; ``result()`` waits for it.

    Examples
    --------
    >>> meanwhile(len, "abc").result()
    3
    """
    return _pool("meanwhile", 1, os.getpid()).submit(work, item)


def divided() -> bool:
    """Whether several items that are worked on from here are worked on at the same time."""
    return threads() > 1 and not getattr(_HERE, "reads", False)


@cache
def _pool(name: str, n: int, process: int) -> ThreadPoolExecutor:
    """Threads that stay: starting some for each text takes longer than reading a short one.

    A process that was forked has none of them, and starts its own.
    """
    return ThreadPoolExecutor(n, thread_name_prefix=f"fallax-{name}", initializer=_begin)


def _begin() -> None:
    _HERE.reads = True

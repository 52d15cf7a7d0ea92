"""Shows the progress of long work on one text, and of training; Ctrl-C stops it at once."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from fallax.cli._terminal import live
from fallax.core.progress import progress_to
from fallax.core.sync import run

__all__ = ["compute", "parts_shown", "training_shown"]

T = TypeVar("T")
#: Seconds before the first count, and between two.
_AFTER, _EVERY = 0.5, 0.1


@contextmanager
def parts_shown(clock: Callable[[], float] = time.monotonic) -> Iterator[None]:
    """Show on a terminal how much of a text is done; removes the line at the end."""
    begun = shown = clock()
    drawn = False

    def show(done: int, total: int) -> None:
        nonlocal shown, drawn
        now = clock()
        if now - begun >= _AFTER and now - shown >= _EVERY:
            shown, drawn = now, True
            sys.stderr.write(f"\r\x1b[K{100 * done // total} % of a text examined; Ctrl-C stops")
            sys.stderr.flush()

    with progress_to(show if live() else None):
        try:
            yield
        finally:
            if drawn:
                sys.stderr.write("\r\x1b[K")
                sys.stderr.flush()


@contextmanager
def training_shown() -> Iterator[Callable[[int, int, str], None]]:
    """Shows the progress of training on a terminal: steps done, steps in total, and a message."""
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    from fallax.cli._console import Console

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not live(console)) as bar:
        task = bar.add_task("training", total=None)
        yield lambda done, total, said: bar.update(task, completed=done, total=total, description=said)


def compute(work: Coroutine[Any, Any, T]) -> T:
    """Run local computation and show its progress; Ctrl-C stops it at once."""
    if threading.current_thread() is not threading.main_thread():
        return run(work)
    with parts_shown():
        return run(work)

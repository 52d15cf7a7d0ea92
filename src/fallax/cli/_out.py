"""Output files of commands: checked before any work starts, then written whole."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from fallax.cli._terminal import tell
from fallax.core.sink import Write, check_target, make_folder, open_out
from fallax.errors import InputError

__all__ = ["check_out", "make_folder", "open_lines", "write_out"]


def check_out(path: Path | None, inputs: Iterable[str | Path | None] = ()) -> Path | None:
    """The path, if a file can be written there that is none of the inputs nor in one; None for ``-``."""
    if path is None or str(path) == "-":
        return None
    check_target(path, [one for one in inputs if one is not None])
    return path


def write_out(path: Path | None, text: str) -> None:
    """Write a whole text to a path or standard output; disk errors become one line."""
    if path is None:
        sys.stdout.write(text)
        return
    try:
        with open_out(path) as write:
            write(text)
    except OSError as error:
        raise InputError(f"{path}: must be a file that can be written, got {error.strerror or error}") from None


@contextmanager
def open_lines(path: Path | None) -> Iterator[Write]:
    """A function that writes lines as they come, to a path or standard output.

    A file has ``.part`` behind its name until all is written; what an interrupted command wrote stays there.
    """
    if path is None:

        def write(line: str) -> None:
            sys.stdout.write(line)
            sys.stdout.flush()

        yield write
        return
    target = path.resolve()
    if target.exists() and not target.is_file():  # a device
        with open_out(target) as out:
            yield out
        return
    part = target.with_name(f"{target.name}.part")
    try:
        with part.open("w", encoding="utf-8", errors="backslashreplace", newline="") as file:

            def keep(line: str) -> None:
                file.write(line)
                file.flush()

            yield keep
        part.replace(target)
    except BaseException:
        if part.is_file():
            tell(f"{part}: what was done so far")
        raise

"""Append-only files that survive a crash: each line is written whole or not at all, by one process."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, BinaryIO

__all__ = ["append_line", "cut_torn_line", "differences", "locked", "write_whole"]

_CHUNK = 1 << 16


def cut_torn_line(file: Path | int) -> None:
    r"""Remove an incomplete last line that a killed process left; a complete line stays.

    Parameters
    ----------
    file : a path, or a file descriptor that can be read and written.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryFile() as file:
    ...     _ = file.write(b'{"a": 1}\n{"a"')
    ...     file.flush()
    ...     cut_torn_line(file.fileno())
    ...     _ = file.seek(0)
    ...     file.read()
    b'{"a": 1}\n'
    """
    if isinstance(file, Path):
        if file.is_file():
            with file.open("r+b") as opened:
                cut_torn_line(opened.fileno())
        return
    size = end = os.fstat(file).st_size
    while end:
        start = max(0, end - _CHUNK)
        os.lseek(file, start, os.SEEK_SET)
        at = os.read(file, end - start).rfind(b"\n")
        if at >= 0:
            end = start + at + 1
            break
        end = start
    if end < size:
        os.ftruncate(file, end)


def append_line(fd: int, line: bytes) -> None:
    """Append a line to a file; if writing fails, no part of it remains.

    Raises
    ------
    OSError
        If the disk is full or gone.
    """
    n = 0
    try:
        while n < len(line):
            n += os.write(fd, line[n:])
    except OSError:
        os.ftruncate(fd, os.fstat(fd).st_size - n)
        raise


def write_whole(path: Path, lines: Iterable[bytes]) -> None:
    """Write a file atomically: it appears whole or not at all."""
    partial = path.with_name(path.name + ".partial")
    with partial.open("wb") as out:
        out.writelines(lines)
        out.flush()
        os.fsync(out.fileno())
    partial.replace(path)


def locked(file: BinaryIO) -> bool:
    """Lock a file for this process; False if another process holds the lock. It ends with the process."""
    try:
        if sys.platform == "win32":
            import msvcrt

            file.seek(1 << 30)  # beyond the content, so that others can read who holds it
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def differences(there: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[str]:
    """The sorted names under which two sets of settings differ.

    Examples
    --------
    >>> differences({"seed": 1, "n": 2}, {"seed": 2, "n": 2})
    ['seed']
    """
    return sorted(name for name in {*there, *wanted} if there.get(name) != wanted.get(name))

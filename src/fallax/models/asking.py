"""Locks on questions, so that processes that share a cache do not ask the same question twice."""

from __future__ import annotations

import hashlib
import os
import sys
import threading
from contextlib import suppress
from pathlib import Path

if sys.platform != "win32":
    import fcntl

__all__ = ["Asking"]

#: Lock file -> its descriptor. Closing one would let go of every lock that this process has in the file.
_OPEN: dict[str, int] = {}
_GUARD = threading.Lock()


class Asking:
    """Locks on questions, each one byte of a file; the system releases them when a process ends.

    Where a system or a disk knows no such locks every claim is given: then a question may be asked twice, as the first
    answer that is stored stays in any case.

    Parameters
    ----------
    path : the file of locks, beside the cache; it stays empty.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     asking = Asking(Path(folder) / "calls.sqlite.lock")
    ...     asking.claim("key")
    True
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def claim(self, key: str) -> bool:
        """True if this process may ask; False while another process asks the same question."""
        if sys.platform == "win32":
            return True
        try:
            fcntl.lockf(self._file(), fcntl.LOCK_EX | fcntl.LOCK_NB, 1, _place(key))
        except BlockingIOError:
            return False
        except OSError:
            return True
        return True

    def release(self, key: str) -> None:
        """Release the lock; does nothing if there was none."""
        if sys.platform != "win32":
            with suppress(OSError):
                fcntl.lockf(self._file(), fcntl.LOCK_UN, 1, _place(key))

    def _file(self) -> int:
        name = os.path.realpath(self.path)
        with _GUARD:
            if name not in _OPEN:
                _OPEN[name] = os.open(name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            return _OPEN[name]


def _place(key: str) -> int:
    return int.from_bytes(hashlib.sha256(key.encode()).digest()[:7], "big")

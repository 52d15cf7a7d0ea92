"""Which questions a process asks at the moment, so that another one on the same cache waits instead of asking too."""

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
    """Claims on questions, each a lock on one byte of a file; the system lets go of them when a process ends.

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
        """True if this process may ask; False while another one asks the same."""
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
        """Let others ask; nothing happens where there was no claim."""
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

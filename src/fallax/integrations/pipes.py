"""Reads messages of editors and agents from a pipe, within limits; log messages take one line each."""

from __future__ import annotations

import io
import logging
import re
import sys
from contextlib import suppress
from typing import BinaryIO

from fallax.errors import one_line

__all__ = ["MAX_MESSAGE", "Answers", "BoundedLines", "FramedMessages", "log_in_lines"]

#: Bytes of the longest message that is read (16 MiB), as of a text.
MAX_MESSAGE = 16 << 20
_MAX_HEADER, _BLOCK = 8192, 1 << 16
_LENGTH = re.compile(rb"content-length[ \t]*:(.*)", re.IGNORECASE | re.DOTALL)
#: Stands for a message that was left out; a peer that does not know a method beginning with "$/" ignores it.
_LEFT_OUT = b'{"jsonrpc":"2.0","method":"$/leftOut","params":null}'

_log = logging.getLogger(__name__)


class Answers:
    """The output for answers: once the reader is gone, writing does nothing, and ``fault`` says why.

    A library that closes it does not close the stream behind it.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.fault: OSError | None = None

    def write(self, data: bytes) -> None:
        """Write all bytes and flush."""
        if self.fault is None:
            try:
                self._stream.write(data)
                self._stream.flush()
            except OSError as error:
                self.fault = error

    def flush(self) -> None:
        """Does nothing: writes are not buffered."""

    def close(self) -> None:
        """Does nothing: whoever opened the stream closes it."""


class FramedMessages:
    r"""Messages behind headers with their length, as of the Language Server Protocol.

    A header has at most 8 KiB, and its length at most :data:`MAX_MESSAGE`; a longer message is read over and left out.
    They end where ``answers`` are taken no more.

    Examples
    --------
    >>> import io
    >>> sent = io.BytesIO(b"content-length:  2\n\n{}Content-Length: 1e9\r\n")
    >>> messages = FramedMessages(sent, Answers(io.BytesIO()))
    >>> messages.readline(), messages.readline(), messages.read(2), messages.readline()
    (b'Content-Length: 2\r\n', b'\r\n', b'{}', b'?\r\n')
    """

    def __init__(self, stream: BinaryIO, answers: Answers) -> None:
        self._stream = stream
        self._answers = answers

    def readline(self) -> bytes:
        """A header; b"" at the end."""
        line = b"" if self._answers.fault else self._stream.readline(_MAX_HEADER)
        if not line.strip():
            return b"\r\n" if line else b""
        length = _LENGTH.fullmatch(line)
        if length is None:
            return line
        said = length[1].strip()
        if said.isdigit() and len(said) < 20:
            return b"Content-Length: %d\r\n" % int(said)
        _log.warning("a header must say a length in bytes, got %s", one_line(said.decode("ascii", "replace"), 40))
        return b"?\r\n"

    def read(self, n: int) -> bytes:
        """A message; less than ``n`` bytes at the end."""
        if n <= MAX_MESSAGE:
            return self._stream.read(n)
        _log.warning("a message must have at most %s bytes, got %s: it is left out", f"{MAX_MESSAGE:,}", f"{n:,}")
        while n and (block := self._stream.read(min(n, _BLOCK))):
            n -= len(block)
        return _LEFT_OUT

    def close(self) -> None:
        """Does nothing: whoever opened the stream closes it."""


class BoundedLines(io.BufferedIOBase):
    r"""A message on each line, as of the Model Context Protocol over pipes; longer ones are skipped.

    Examples
    --------
    >>> import io
    >>> stream = BoundedLines(io.BytesIO(b"one\n" + b"x" * 50 + b"\ntwo\n"), most=20)
    >>> io.TextIOWrapper(stream).readlines()
    ['one\n', '\n', 'two\n']
    """

    name = "messages"

    def __init__(self, stream: BinaryIO, *, most: int = MAX_MESSAGE) -> None:
        self._stream = stream
        self._most = most

    def readable(self) -> bool:
        """Yes."""
        return True

    def read1(self, size: int = -1, /) -> bytes:
        """The next line, whatever size is requested, or b"" at the end."""
        line = self._stream.readline(self._most + 2)  # with its line end
        if len(line.removesuffix(b"\n").removesuffix(b"\r")) <= self._most:
            return line
        _log.warning("a message must have at most %s bytes, got more: it is left out", f"{self._most:,}")
        while line and not line.endswith(b"\n"):
            line = self._stream.readline(_BLOCK)
        return b"\n"


class _Lines(logging.Handler):
    """One printable line on standard error for each record, whatever it holds, and no traceback."""

    def emit(self, record: logging.LogRecord) -> None:
        with suppress(Exception):  # what cannot be said stops nobody: a wrong format, standard error that is closed
            said = one_line(record.getMessage().partition("\n")[0], 160)
            error = record.exc_info[1] if record.exc_info else None
            if error is not None:
                said += f" ({type(error).__name__}: {one_line(error, 160)})"
            sys.stderr.write(f"fallax: {said}\n")
            sys.stderr.flush()


def log_in_lines() -> None:
    """Log every message of any library, from warnings up, as one line on standard error."""
    logging.basicConfig(level=logging.WARNING, handlers=[_Lines()], force=True)

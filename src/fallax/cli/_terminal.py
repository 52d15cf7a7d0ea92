"""Terminal output: filters control characters from everything that is printed."""

from __future__ import annotations

import json
import logging
import os
import re
import shutil
import sys
import textwrap
import traceback
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from enum import IntEnum
from typing import Any, TextIO, cast

import typer

from fallax.core.secrets import redact
from fallax.errors import one_line

__all__ = [
    "Told",
    "detail",
    "detail_traceback",
    "guarded",
    "live",
    "note",
    "set_told",
    "tell",
    "tell_error",
    "tell_numbers",
]

#: What our own output sends to a terminal: colours, erasing a line, moving within a progress display; and, to be
#: replaced, every other control character (titles, links, the clipboard, 8-bit controls, turned text).
_SENT = re.compile(
    r"\x1b\[(?:[0-9;]{0,40}[mK]|[0-9]{0,4}[ABCDGJ]|\?25[hl])"
    r"|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)


class _Filtered:
    """A terminal stream that passes only what :data:`_SENT` allows."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        self._stream.write(_SENT.sub(lambda m: m[0] if m[0].startswith("\x1b[") else "\ufffd", text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)


def _filtered(stream: TextIO) -> TextIO:
    with suppress(AttributeError, ValueError, OSError):
        cast("Any", stream).reconfigure(errors="backslashreplace")  # half a surrogate pair, in a file's name say
    return cast("TextIO", _Filtered(stream)) if stream.isatty() else stream


class Told(IntEnum):
    """Verbosity on standard error: ``-q``, default, ``-v``."""

    ERRORS = 0
    NOTES = 1
    DETAILS = 2


_told = Told.NOTES


def set_told(told: Told) -> None:
    """Set the verbosity; with details, also show the library's log."""
    global _told
    _told = told
    log = logging.getLogger("fallax")
    for handler in [h for h in log.handlers if isinstance(h, _Details)]:
        log.removeHandler(handler)
    log.setLevel(logging.NOTSET)
    if told is Told.DETAILS:
        log.setLevel(logging.DEBUG)
        log.addHandler(_Details())


class _Details(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        detail(record.getMessage())


def _line(said: object) -> str:
    return one_line(redact(str(said)), 2000)


def tell(said: str) -> None:
    """Print a line about what was done to standard error; not with ``-q``."""
    if _told > Told.ERRORS:
        typer.echo(redact(said), err=True)


def tell_numbers(numbers: Mapping[str, Any]) -> None:
    """Print the numbers of a step to standard error: one per line on a terminal, else one line of JSON."""
    if sys.stdout.isatty():
        width = shutil.get_terminal_size().columns
        for key, value in numbers.items():
            for part in textwrap.wrap(f"{_name(key)}: {_in_words(value)}", width, subsequent_indent="    "):
                tell(_SENT.sub("\ufffd", part))
    else:
        tell(json.dumps(numbers, ensure_ascii=False))


def _in_words(value: object) -> str:
    if isinstance(value, Mapping):
        parts = ((_name(k), _in_words(v), isinstance(v, Mapping)) for k, v in value.items())
        return ", ".join(f"{k} ({v})" if nested else f"{k} {v}" for k, v, nested in parts) or "none"
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or "none"
    return "undefined" if value is None else str(value)


def _name(key: str) -> str:
    return key.removeprefix("n_").replace("_", " ")


def note(said: object) -> None:
    """Print a warning line to standard error; not with ``-q``."""
    tell(f"fallax: note: {_line(said)}")


def detail(said: object) -> None:
    """Print a line to standard error, only with ``-v``."""
    if _told is Told.DETAILS:
        typer.echo(f"fallax: info: {_line(said)}", err=True)


def detail_traceback(error: BaseException) -> None:
    """Print where an error came from to standard error, only with ``-v``."""
    for line in "".join(traceback.format_exception(error)).splitlines():
        detail(line)


def live(console: Any = None) -> bool:
    """Whether to show progress: only on a terminal, and not with ``-q``."""
    return _told > Told.ERRORS and (sys.stderr.isatty() if console is None else bool(console.is_terminal))


def tell_error(said: object) -> None:
    """Print one line to standard error, without keys and control characters."""
    typer.echo(f"fallax: error: {_line(said)}", err=True)


@contextmanager
def guarded() -> Iterator[None]:
    """Filter terminal output, and turn output errors into one line.

    A pipe that was closed ends the command with 141, as the shell expects; a full disk, or a device that takes nothing,
    with 1.
    """
    out, err = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = _filtered(out), _filtered(err)
    try:
        try:
            yield
        finally:
            sys.stdout.flush()
            out.flush()  # click puts a stream of its own before a broken one, and that one never fails
    except BrokenPipeError:
        _let_go(out)
        sys.exit(141)
    except SystemExit as stopped:
        if not isinstance(stopped.__context__, BrokenPipeError):
            raise
        _let_go(out)  # Rich and click make a closed pipe exit code 1
        sys.exit(141)
    except OSError as error:
        _let_go(out)
        where = error.filename if error.filename is not None else "the output"
        tell_error(f"{where}: cannot be read or written: {error.strerror or error}")
        sys.exit(1)
    except RecursionError:
        tell_error("something in the input is nested too deep")
        sys.exit(2)
    except MemoryError:
        tell_error("the memory of this machine is not enough for this input")
        sys.exit(1)
    finally:
        sys.stdout, sys.stderr = out, err


def _let_go(out: TextIO) -> None:
    """Discard buffered output, so that the process does not fail on it again at exit."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), out.fileno())

"""Reads files and standard input as numbered lines; every error names file and line."""

from __future__ import annotations

import codecs
import io
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from fallax.core.whole import shown_name
from fallax.data._extract import DOCUMENTS
from fallax.errors import FormatError, InputError, one_line

__all__ = [
    "HEAD_BYTES",
    "MAX_LINE_BYTES",
    "Source",
    "binary_error",
    "check_text",
    "check_utf8",
    "decode",
    "known_encoding",
    "not_utf8",
    "parse_json",
    "read_text_file",
    "recoded",
]

#: A line of a line-based format may not be longer than this (16 MiB).
MAX_LINE_BYTES = 16 * 1024 * 1024
#: What is looked at to tell a format.
HEAD_BYTES = 64 * 1024
#: Bytes that no text in windows-1252 has.
_NO_WESTERN = frozenset(b"\x81\x8d\x8f\x90\x9d")
#: Control characters that texts do not have; many are those of a binary file, if more than one in this many bytes.
_CONTROL = frozenset({*range(9), *range(14, 27), *range(28, 32), 127})
_CONTROLS_OF_BINARY = 20
#: Encodings that files are often in, as people call them.
_ENCODINGS = {"utf-32": "UTF-32", "utf-16": "UTF-16", "windows-1252": "Windows-1252 (Western European)"}
_MAGIC = {b"%PDF": "a PDF", b"PK\x03\x04": "a ZIP archive (docx, odt, epub, ...)", b"\x1f\x8b": "a gzip archive"}
_UTF_16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_UTF_32_MARKS = (b"\xff\xfe\0\0", b"\0\0\xfe\xff")
_MAGIC |= {b"\x89PNG": "an image", b"\xff\xd8\xff": "an image", b"\xd0\xcf\x11\xe0": "an old Office document"}
#: What is read by its suffix.
_NAMED = {b"%PDF": ".pdf", b"PK\x03\x04": ".docx"}


class _Rest(io.RawIOBase):
    """A stream that replays what was read ahead, for streams that cannot seek."""

    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        self._head = head
        self._rest = rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if self._head:
            n = min(len(buffer), len(self._head))
            buffer[:n], self._head = self._head[:n], self._head[n:]
            return n
        read = self._rest.read(len(buffer))
        buffer[: len(read)] = read
        return len(read)


class _Recoded(io.RawIOBase):
    """A stream in another encoding, read as UTF-8."""

    def __init__(self, stream: BinaryIO, encoding: str, name: str) -> None:
        self._stream, self._encoding, self._name = stream, encoding, name
        self._decoder = codecs.getincrementaldecoder(encoding)()
        self._ready = b""
        self._at, self._ended = 0, False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._ready and not self._ended:
            raw = self._stream.read(HEAD_BYTES)
            self._ended = not raw
            try:
                self._ready = self._decoder.decode(raw, final=self._ended).encode("utf-8", "replace")
            except UnicodeError as error:  # UTF-16 without a mark is one without a place
                at = self._at + getattr(error, "start", 0)
                raise FormatError(
                    f"must be {self._encoding}, got bytes at about byte {at} that are not; name another --encoding",
                    path=self._name,
                ) from None
            self._at += len(raw)
        n = min(len(buffer), len(self._ready))
        buffer[:n], self._ready = self._ready[:n], self._ready[n:]
        return n

    def close(self) -> None:
        """Close the file; standard input stays open."""
        if self._stream is not sys.stdin.buffer:
            self._stream.close()
        super().close()


def recoded(stream: BinaryIO, encoding: str, name: str) -> BinaryIO:
    """A stream of text in an encoding, as UTF-8; a FormatError while reading names the file and the byte."""
    return io.BufferedReader(_Recoded(stream, encoding, name))


class Source:
    """An input: a file, or standard input if the path is ``-``.

    Parameters
    ----------
    path : the file.
    max_line_bytes : lines longer than this are refused, so that memory stays flat.
    encoding : of the file, a name that Python knows; text in another one than UTF-8 is read as if it were UTF-8. None:
        UTF-8, and errors do not say that another may be named.

    Raises
    ------
    InputError
        The file is not there, or nobody knows the encoding.

    Attributes
    ----------
    name : the path as messages write it.
    may_name : whether an encoding was given, so that the shell has --encoding.
    """

    def __init__(self, path: str | Path, *, max_line_bytes: int = MAX_LINE_BYTES, encoding: str | None = None) -> None:
        self.is_stdin = str(path) == "-"
        self.path = Path(path)
        self.name = shown_name(path)
        self.max_line_bytes = max_line_bytes
        self.encoding = known_encoding(encoding or "utf-8")
        self.may_name = encoding is not None
        self._ahead: bytes | None = None
        self._stream: BinaryIO | None = None  # standard input or a named pipe: it can be read once
        if self.is_stdin:
            self._stream = self._recoded(sys.stdin.buffer)
        else:
            _check_exists(self.path)

    @property
    def is_dir(self) -> bool:
        """True for a folder."""
        return not self.is_stdin and self.path.is_dir()

    def head(self, size: int = HEAD_BYTES) -> bytes:
        """The first bytes (64 KiB by default), without consuming them."""
        if self._stream is None and not self.is_dir and not self.path.is_file():
            self._stream = self._opened()
        if self._stream is None:
            with self.open() as f:
                return f.read(size)
        ahead = self._ahead or b""
        if len(ahead) < size:
            ahead += self._stream.read(size - len(ahead))
        self._ahead = ahead
        return ahead[:size]

    def _opened(self) -> BinaryIO:
        if self.is_dir:
            raise InputError(f"{self.name}: must be a file, got a folder; name a file in it")
        try:
            return self._recoded(self.path.open("rb"))
        except OSError as error:
            raise InputError(f"{self.name}: must be a readable file, got {error.strerror or error}") from error

    def _recoded(self, stream: BinaryIO) -> BinaryIO:
        if self.encoding == "utf-8" or self.path.suffix.lower() in DOCUMENTS:
            return stream
        return recoded(stream, self.encoding, self.name)

    @contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """The bytes from the start; closes a file afterwards, but not standard input."""
        if self._stream is None:
            with self._opened() as f:
                yield f
            return
        ahead, self._ahead = self._ahead or b"", b""
        yield io.BufferedReader(_Rest(ahead, self._stream))
        if not self.is_stdin:
            self._stream.close()

    def lines(self) -> Iterator[tuple[int, str, bool]]:
        """Line number (from 1), text without its newline, and whether the newline was there.

        Only LF ends a line; a CR before it is dropped.
        """
        for number, text in self.whole_lines():
            yield number, text.removesuffix("\n").removesuffix("\r"), text.endswith("\n")

    def whole_lines(self) -> Iterator[tuple[int, str]]:
        """Line number (from 1) and text with its newline, without a byte order mark.

        Raises
        ------
        FormatError
            At bytes that are no UTF-8 and at a line over the limit.
        """
        at = 0
        limit = self.max_line_bytes
        with self.open() as f:
            number = 0
            while raw := f.readline(limit + 1):
                number += 1
                if len(raw) > limit:
                    raise FormatError(
                        f"a line must be at most {limit} bytes, got a longer one; put one record on each line, or"
                        " raise max_line_bytes",
                        path=self.name,
                        line=number,
                    )
                if number == 1:
                    check_utf8(raw, self.name, may_name=self.may_name)
                text = decode(raw, name=self.name, line=number, offset=at, may_name=self.may_name)
                at += len(raw)
                yield number, text.removeprefix("\ufeff") if number == 1 else text


def _check_exists(path: Path) -> None:
    try:
        missing = not path.exists()
    except (OSError, ValueError) as error:
        raise InputError(f"{one_line(path)}: must be a path of this system, got {error}") from error
    if missing:
        raise InputError(f"{path}: must be a file or folder, got nothing there; check the path")


def known_encoding(encoding: str) -> str:
    """The name by which Python calls an encoding of text; InputError if it knows none such that can be used.

    Examples
    --------
    >>> known_encoding("Latin-1")
    'iso8859-1'
    >>> known_encoding("hex")
    Traceback (most recent call last):
    fallax.errors.InputError: encoding: must be one of text that Python knows, such as windows-1252 or utf-16, got 'hex'
    """
    try:
        "a".encode(encoding).decode(encoding)
        return codecs.lookup(encoding).name
    except (LookupError, ValueError):  # codecs such as hex are no encodings of text, and "undefined" encodes nothing
        raise InputError(
            "encoding: must be one of text that Python knows, such as windows-1252 or utf-16,"
            f" got {one_line(encoding, 40)!r}"
        ) from None


def _looks_like(raw: bytes) -> str:
    """The encoding that bytes that are no UTF-8 look like; "" if they look like none.

    Examples
    --------
    >>> _looks_like("Grüße aus Köln".encode("latin-1")), _looks_like("Grüße".encode("utf-16"))
    ('windows-1252', 'utf-16')
    >>> _looks_like("Grüße".encode()[:-2]), _looks_like("Grüße".encode("utf-32"))
    ('', 'utf-32')
    """
    if raw[:4] in _UTF_32_MARKS:
        return "utf-32"
    if raw[:2] in _UTF_16_MARKS:
        return "utf-16"
    if _is_damaged(raw):
        return ""
    high = sum(byte >= 0x80 for byte in raw)
    printable = not any(byte < 9 or byte in _NO_WESTERN for byte in raw)
    return "windows-1252" if printable and 3 * high <= len(raw) else ""


def _is_damaged(raw: bytes) -> bool:
    """Whether other bytes are characters of UTF-8 beyond ASCII, so that a few were cut off or damaged."""
    return not raw.decode("utf-8", "ignore").isascii()


def decode(raw: bytes, *, name: str, line: int | None = None, offset: int = 0, may_name: bool = False) -> str:
    """Decode UTF-8, or raise the error of :func:`not_utf8`."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise not_utf8(error, name=name, line=line, offset=offset, may_name=may_name) from error


def not_utf8(
    error: UnicodeDecodeError, *, name: str, line: int | None = None, above: int = 0, offset: int = 0,
    may_name: bool = False,
) -> FormatError:  # fmt: skip
    """The error for bytes that are no UTF-8: it names the byte, and the encoding if one may be named.

    Parameters
    ----------
    name : of the file.
    line : if the bytes are one line, its number; only the first tells which encoding the file looks like.
    above, offset : else the lines, and the bytes, that stand before these bytes in the file.
    may_name : whether the shell has --encoding.
    """
    raw = error.object
    hint = "save the file as UTF-8"
    found = _looks_like(raw) if line in (None, 1) else ""
    if not found and (odd := _binary_at(raw)) is not None:
        at_line = above + raw.count(b"\n", 0, odd) + 1 if line is None else line
        return binary_error(raw, odd, name=name, line=at_line, offset=offset)
    if found:
        hint = _how_to_read(found, may_name)
    elif _is_damaged(raw):
        hint = "other bytes are UTF-8, so a character was cut off or damaged; fetch the file again, or mend it there"
    if line is None:
        line = above + raw.count(b"\n", 0, error.start) + 1
    at = offset + error.start
    return FormatError(
        f"must be UTF-8, got byte 0x{raw[error.start]:02x} at byte {at} of the file; {hint}", path=name, line=line
    )


def _how_to_read(encoding: str, may_name: bool) -> str:
    """What bytes look like that are no UTF-8, and what to do."""
    known = _ENCODINGS[encoding.removesuffix("-be").removesuffix("-le")]
    named = f", or name its encoding (--encoding {encoding})" if may_name else ""
    return f"it looks like {known}; save it as UTF-8{named}"


def _binary_at(raw: bytes) -> int | None:
    r"""The place of a byte that says that these are no text: the first NUL, or the first of many control characters.

    Examples
    --------
    >>> _binary_at(b"\x7fELF\0"), _binary_at(b"\x01\xfe\x02"), _binary_at("Grüße".encode()[:-2] + b"\x01" + 30 * b"s")
    (4, 0, None)
    """
    if b"\0" in raw:
        return raw.index(b"\0")
    found = [at for at, byte in enumerate(raw) if byte in _CONTROL]
    return found[0] if _CONTROLS_OF_BINARY * len(found) > len(raw) else None


def binary_error(raw: bytes, at: int, *, name: str, line: int | None = None, offset: int = 0) -> FormatError:
    """The error for bytes that are no text, as the one at ``at`` says; ``offset`` is that of the bytes in the file."""
    if not offset and raw.startswith(b"SQLite format 3"):
        return FormatError(
            "must be text, got a database; export a project with fallax annotate FILE --export FOLDER", path=name
        )
    what = f"a control character, 0x{raw[at]:02x}," if raw[at] else "a NUL byte"
    return FormatError(
        f"must be text, got {what} at byte {offset + at} of the file; is this a binary file?",
        path=name,
        line=raw.count(b"\n", 0, at) + 1 if line is None else line,
    )


def check_utf8(head: bytes, name: str, *, may_name: bool = False) -> None:
    """Refuse the beginning of a file in UTF-16 or UTF-32: with a mark, or zero bytes beside each ASCII character.

    Parameters
    ----------
    may_name : whether the shell has --encoding, which the error then names.
    """
    if head.startswith((*_UTF_16_MARKS, *_UTF_32_MARKS)):
        decode(head[:4], name=name, line=1, may_name=may_name)
    found = _zeros_of(head[:4])
    if found:
        beside = "three zero bytes" if found.startswith("utf-32") else "a zero byte"
        raise FormatError(
            f"must be UTF-8, got {beside} beside each character; {_how_to_read(found, may_name)}", path=name, line=1
        )


def _zeros_of(head: bytes) -> str:
    r"""The encoding in which the zeros of the first four bytes stand beside ASCII characters; "" for none.

    Examples
    --------
    >>> _zeros_of(b"\0{\0n"), _zeros_of(b"{\0n\0"), _zeros_of(b"{\0\0\0"), _zeros_of(b'{"id')
    ('utf-16-be', 'utf-16-le', 'utf-32-le', '')
    """
    places = tuple(at for at, byte in enumerate(head) if not byte)
    known = {(0, 1, 2): "utf-32-be", (1, 2, 3): "utf-32-le", (0, 2): "utf-16-be", (1, 3): "utf-16-le"}
    return known.get(places, "") if len(head) == 4 else ""


def check_text(raw: bytes, name: str) -> None:
    """Refuse an empty file and known binary formats."""
    if not raw:
        raise FormatError("must hold text, got an empty file (0 bytes); leave it out", path=name)
    for magic, what in _MAGIC.items():
        if raw.startswith(magic):
            named = f"; if it is a {_NAMED[magic]} file, give it that suffix" if magic in _NAMED else ""
            raise FormatError(f"must be text, got {what} (byte 0); convert it to plain text first{named}", path=name)


def read_text_file(path: Path) -> str:
    """The exact text of a file: newlines unchanged, a byte order mark kept as the first character."""
    with Source(path).open() as f:
        return decode(f.read(), name=str(path))


class _TwiceError(ValueError):
    pass


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise _TwiceError(f"each key must be given once, got {one_line(key, 60)!r} twice; remove one")
            seen.add(key)
    return found


def _no_constant(name: str) -> float:
    raise _TwiceError(f"numbers must be finite, got {name}; write null instead")


DECODER = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_no_constant)


def parse_json(text: str, *, name: str, line: int, ended: bool = True) -> Any:
    """Parse one line of JSON; ``ended`` is False for a last line without a newline, which may be cut off.

    Raises
    ------
    FormatError
        Naming file, line and column.
    """
    try:
        return DECODER.decode(text)
    except json.JSONDecodeError as error:
        if not ended:
            raise FormatError(
                f"the last line must be complete JSON, got one that stops after {len(text)} characters without a"
                f" newline ({error.msg.lower()}); the file was cut short: write or fetch it again",
                path=name,
                line=line,
            ) from error
        raise FormatError(
            f"each line must be one JSON object, got {one_line(text[error.pos :], 40)!r} ({error.msg.lower()});"
            " fix or remove the line",
            path=name,
            line=line,
            column=error.pos + 1,
        ) from error
    except _TwiceError as error:
        raise FormatError(str(error), path=name, line=line) from error
    except RecursionError as error:
        raise FormatError(
            "JSON must not be nested this deep, got too many levels; flatten the record", path=name, line=line
        ) from error
    except ValueError as error:
        raise FormatError(
            f"must be JSON that fits here, got {one_line(error)}; shorten the number", path=name, line=line
        ) from error

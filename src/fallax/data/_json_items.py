"""Reads the items of a long JSON list one at a time, so that memory holds one item."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from typing import Any, BinaryIO

from fallax.data._source import DECODER, Source, check_utf8, not_utf8, parse_json
from fallax.errors import FormatError, one_line

__all__ = ["json_items"]

_CHUNK = 256 * 1024
_BLANK = re.compile(r"[ \t\r\n]*")


class _Buffer:
    """A buffer of decoded text, with the position used so far and its line number."""

    def __init__(self, source: Source, file: BinaryIO) -> None:
        self.source = source
        self.file = file
        self.text = ""
        self.at = 0
        self.line = 1
        self.read = 0
        self.ended = False
        self.decoder = codecs.getincrementaldecoder("utf-8")()

    @property
    def rest(self) -> str:
        """The unused text."""
        return self.text[self.at :]

    def fail(self, message: str, line: int | None = None) -> FormatError:
        return FormatError(message, path=self.source.name, line=line or self.line)

    def fill(self, n: int = _CHUNK) -> None:
        """Read more text and drop what was used."""
        raw = self.file.read(n)
        self.ended = not raw
        pending = len(self.decoder.getstate()[0])
        self.text, self.at = self.rest, 0
        try:
            self.text += self.decoder.decode(raw, final=self.ended)
        except UnicodeDecodeError as error:
            raise not_utf8(
                error, name=self.source.name, above=self.line - 1 + self.text.count("\n"), offset=self.read - pending,
                may_name=self.source.may_name,
            ) from error  # fmt: skip
        self.read += len(raw)

    def use(self, end: int) -> None:
        self.line += self.text.count("\n", self.at, end)
        self.at = end

    def next(self) -> str:
        """The next character that is not white space, without consuming it; "" at the end."""
        while True:
            found = _BLANK.match(self.text, self.at)
            self.use(found.end() if found else self.at)
            if self.at < len(self.text) or self.ended:
                return self.text[self.at : self.at + 1]
            self.fill()

    def value(self) -> tuple[Any, int]:
        """The JSON value at this position, and its end."""
        while True:
            try:
                value, end = DECODER.raw_decode(self.text, self.at)
                if end < len(self.text) or self.ended:
                    return value, end
            except (json.JSONDecodeError, RecursionError, ValueError):
                if self.ended or len(self.text) - self.at > self.source.max_line_bytes:
                    _explain(self)
            self.fill(max(_CHUNK, len(self.text) - self.at))


def json_items(source: Source) -> Iterator[tuple[int, Any]]:
    """Line number and value of each item of a JSON list, or of consecutive values (JSONL).

    Raises
    ------
    FormatError
        With the line of the item that cannot be read, or where the list is cut short.
    """
    check_utf8(source.head(4), source.name, may_name=source.may_name)
    with source.open() as file:
        buffer = _Buffer(source, file)
        if buffer.next() == "\ufeff":
            buffer.use(buffer.at + 1)
        in_list = buffer.next() == "["
        if in_list:
            buffer.use(buffer.at + 1)
        n = 0
        while (char := buffer.next()) and not (in_list and char == "]"):
            if n and in_list:
                if char != ",":
                    raise buffer.fail(f"items must be divided by a comma, got {one_line(buffer.rest, 30)!r}")
                buffer.use(buffer.at + 1)
                buffer.next()
            value, end = buffer.value()
            yield buffer.line, value
            buffer.use(end)
            n += 1
        if in_list:
            if buffer.next() != "]":
                raise buffer.fail(
                    "the list must end with ']', got the end of the file; it was cut short: fetch it again"
                )
            buffer.use(buffer.at + 1)
            if buffer.next():
                raise buffer.fail(f"nothing may follow the list, got {one_line(buffer.rest, 30)!r}; remove it")


def _explain(buffer: _Buffer) -> None:
    """Raise an error about the item at the front of the buffer."""
    if not buffer.ended:
        raise buffer.fail(
            f"an item must be readable JSON of at most {buffer.source.max_line_bytes} bytes, got none that ends before"
        )
    if not buffer.rest.strip():
        raise buffer.fail("the list must end with ']', got the end of the file; it was cut short: fetch it again")
    try:
        parse_json(buffer.rest, name=buffer.source.name, line=buffer.line)
    except FormatError as error:
        at_end = error.column is not None and error.column > len(buffer.rest.rstrip())
        cut = at_end or "unterminated string" in str(error)
        hint = "; the file was cut short: fetch it again" if cut else ""
        raise buffer.fail(
            f"each item must be one JSON object, got {one_line(buffer.rest, 40)!r}{hint}"
            f" ({one_line(error, 200).removeprefix(f'{buffer.source.name}:{buffer.line}:')})"
        ) from error

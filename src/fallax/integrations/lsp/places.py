"""Converts offsets to and from lines and characters of the Language Server Protocol."""

from __future__ import annotations

import re
from bisect import bisect_right

__all__ = ["Places"]

_LINE_END = re.compile(r"\r\n|\n|\r")
#: Encoding of the protocol -> name of the codec, bytes of a unit.
_UNITS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}


class Places:
    r"""The line starts of a text. Lines end with LF, CR LF or CR only, as in the protocol.

    Parameters
    ----------
    text : any text.
    encoding : in which characters of a line are counted: "utf-8", "utf-16" or "utf-32".

    Examples
    --------
    >>> places = Places("a\n\U0001f600b", "utf-16")
    >>> places.place(3), places.offset(1, 2)
    ((1, 2), 3)
    """

    def __init__(self, text: str, encoding: str = "utf-16") -> None:
        self._text = text
        self._codec, self._unit = _UNITS[encoding]
        self._starts = [0, *(m.end() for m in _LINE_END.finditer(text))]
        self._ends = [*(m.start() for m in _LINE_END.finditer(text)), len(text)]

    def _n_units(self, text: str) -> int:
        return len(text.encode(self._codec, "surrogatepass")) // self._unit

    def place(self, offset: int) -> tuple[int, int]:
        """Line and character, from 0, of a code point offset."""
        line = bisect_right(self._starts, offset) - 1
        return line, self._n_units(self._text[self._starts[line] : min(offset, self._ends[line])])

    def offset(self, line: int, character: int) -> int:
        """The code point offset of a line and character, from 0; outside a line or the text, its end."""
        if not 0 <= line < len(self._starts):
            return len(self._text) if line > 0 else 0
        raw = self._text[self._starts[line] : self._ends[line]].encode(self._codec, "surrogatepass")
        before = raw[: max(character, 0) * self._unit].decode(self._codec, "ignore")
        return self._starts[line] + len(before)

"""The console of all commands, which filters control characters."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import rich.console
from rich.console import Group
from rich.measure import Measurement
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from fallax.render import safe

__all__ = ["Console", "listed"]


#: Blanks at the end of a line.
_FILLED_UP = re.compile(r" +$", re.MULTILINE)
#: Characters of a word that are never folded.
_FOLDED = 20


class Console(rich.console.Console):
    """A console that prints square brackets literally and replaces control characters by U+FFFD.

    A table whose words and numbers do not fit side by side is printed as a list, so that none is cut. In files and
    pipes no line ends in blanks, with which tables are filled up.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"markup": False, "emoji": False, **options})

    def print(self, *objects: Any, **options: Any) -> None:
        """Print; see the class."""
        fitting = [self._fitting(one) for one in objects]
        if self.is_terminal:
            super().print(*fitting, **options)
            return
        with self.capture() as captured:
            super().print(*fitting, **options)
        self.file.write(_FILLED_UP.sub("", captured.get()))
        self.file.flush()

    def _fitting(self, shown: Any) -> Any:
        if not isinstance(shown, Table) or not shown.show_header:
            return shown
        least = Measurement.get(self, self.options.update(max_width=10_000), shown).minimum
        for column in shown.columns:  # a long word of a text may be folded
            if column.overflow == "fold" and not column.no_wrap:
                words = (word for cell in (column.header, *column.cells) for word in _plain(cell).split())
                least -= max(0, max(map(len, words), default=0) - _FOLDED)
        if least <= self.width:
            return shown
        header = [_plain(column.header) for column in shown.columns]
        rows = zip(*(map(_plain, column.cells) for column in shown.columns), strict=True)
        title = [Text(_plain(shown.title))] if shown.title else []
        return Group(*title, listed(header, [(f"{header[0]} {first}", *others) for first, *others in rows]))

    def render(self, renderable: Any, options: Any = None) -> Iterable[Segment]:
        """Segments without control characters, except those of the console itself."""
        for segment in super().render(renderable, options):
            if segment.control or segment.text.isprintable():
                yield segment
            else:
                yield Segment(safe(segment.text), segment.style)


def _plain(cell: Any) -> str:
    return " ".join((cell.plain if isinstance(cell, Text) else str(cell)).split("\n"))


def listed(header: Sequence[str], rows: Iterable[Sequence[str]]) -> Group:
    """Rows as a list: the first cell of each, and below it the others that are not empty, with their headings."""
    parts: list[Any] = []
    for first, *others in rows:
        below = Table.grid(padding=(0, 2))
        below.add_column(no_wrap=True)
        below.add_column(overflow="fold")
        for name, value in zip(header[1:], others, strict=True):
            if value:
                below.add_row(Text(f"  {name}"), Text(value))
        parts += [Text(first, style="bold"), below]
    return Group(*parts)

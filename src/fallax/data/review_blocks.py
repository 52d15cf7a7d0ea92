"""The format of review files: blocks that begin with ``== ID``, with lines ``NAME: VALUE``."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fallax.data._source import read_text_file
from fallax.errors import FormatError, one_line

__all__ = ["ReviewBlock", "ReviewFile", "ReviewLine", "ReviewProblem", "escaped", "quoted", "raise_first", "unquoted"]

_LINE = re.compile(r"\s*(?P<name>\w+)\s*:(?P<value>.*)")


@dataclass(frozen=True, slots=True)
class ReviewProblem:
    """A problem in one line of a review file."""

    path: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}"


def escaped(text: str) -> str:
    """A text as one line of JSON; every character that an editor may take for a line end is escaped."""
    shown = json.dumps(text, ensure_ascii=False)
    return "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in shown)


def quoted(value: str) -> str:
    r"""A value on one line: plain if that is exact, else as JSON.

    Examples
    --------
    >>> quoted("ice is cold"), quoted(" two\nlines")
    ('ice is cold', '" two\\nlines"')
    """
    plain = value == value.strip() and not value.startswith(('"', "#")) and all(c.isprintable() for c in value)
    return value if plain and value else escaped(value)


def unquoted(text: str) -> str:
    """Parse a value that :func:`quoted` wrote.

    Raises
    ------
    ValueError
        If it begins with a quotation mark and is no JSON.
    """
    stripped = text.strip()
    return str(json.loads(stripped)) if stripped.startswith('"') else stripped


def raise_first(problems: Sequence[ReviewProblem], command: str = "") -> None:
    """Raise the first problem as a FormatError that gives their number.

    Parameters
    ----------
    command : lists all of them; "" where there is none.
    """
    if problems:
        first, *more = problems
        listing = f"; {command} lists them" if command else ""
        rest = f" (and {len(more)} more{listing})" if more else ""
        raise FormatError(first.message + rest, path=first.path, line=first.line)


@dataclass(frozen=True, slots=True)
class ReviewLine:
    """One line of a block.

    Parameters
    ----------
    number : counted from 1.
    name, value : the text before and after the colon.
    is_blank : nothing stands behind the colon, not even ``""``.
    """

    number: int
    name: str
    value: str
    is_blank: bool


@dataclass(slots=True)
class ReviewBlock:
    """The lines below one ``== ID``.

    Parameters
    ----------
    line, id : of the line that begins it.
    lines : in the order of the file, without remarks and empty lines.
    values : name -> line and value, for names that :meth:`ReviewFile.keep` was given.
    """

    line: int
    id: str
    lines: list[ReviewLine] = field(default_factory=list)
    values: dict[str, tuple[int, str]] = field(default_factory=dict)

    def text(self, name: str) -> str:
        """The value of a name, or ""."""
        return self.values.get(name, (0, ""))[1]


class ReviewFile:
    """Parses a file into blocks; collects problems with their lines.

    Parameters
    ----------
    header : the first line of such a file.
    of : what a block is about, such as "post".
    line : how lines of a block look, with the groups ``name`` and ``value``.
    form : how they look, for people.

    Notes
    -----
    Only a line feed ends a line, as some texts hold other separators. Lines that begin with # are remarks.
    """

    def __init__(
        self, path: str | Path, *, header: str, of: str, line: re.Pattern[str] = _LINE, form: str = "NAME: VALUE"
    ) -> None:
        self.path = str(path)
        self.problems: list[ReviewProblem] = []
        self.blocks: list[ReviewBlock] = []
        #: id -> the line of its first block.
        self.places: dict[str, int] = {}
        self._of, self._line, self._form = of, line, form
        lines = [x.removesuffix("\r") for x in read_text_file(Path(path)).removeprefix("\ufeff").split("\n")]
        self.is_review = lines[0].strip() == header
        if self.is_review:
            self._read(lines)
        else:
            self.fault(1, f"must begin with {header!r}, got {one_line(lines[0], 40)!r}; is this a review file?")

    def fault(self, line: int, message: str) -> None:
        """Add a problem."""
        self.problems.append(ReviewProblem(self.path, line, message))

    def sorted_problems(self) -> tuple[ReviewProblem, ...]:
        """All problems, by line."""
        return tuple(sorted(self.problems, key=lambda p: p.line))

    def keep(self, block: ReviewBlock, name: str, line: ReviewLine) -> None:
        """Set a value in a block; each name may be used once."""
        if name in block.values:
            self.fault(
                line.number, f"{name!r} must be given once in a block, it is in line {block.values[name][0]} too"
            )
        else:
            block.values[name] = line.number, line.value

    def need(self, block: ReviewBlock, names: Iterable[str]) -> None:
        """Check that a block has all required names."""
        for name in names:
            if name not in block.values:
                self.fault(block.line, f"the block of {one_line(block.id, 40)!r} must have {name!r}, it has none")

    def _read(self, lines: Sequence[str]) -> None:
        for number, line in enumerate(lines, start=1):
            if not line.strip() or line.startswith("#"):
                continue
            if line.startswith("=="):
                self._open(number, self._value(number, line[2:]))
            elif not self.blocks:
                self.fault(number, f"must be below the id of its {self._of} (== ID), got {one_line(line, 40)!r}")
            elif match := self._line.fullmatch(line):
                value = self._value(number, match["value"])
                self.blocks[-1].lines.append(ReviewLine(number, match["name"], value, not match["value"].strip()))
            else:
                how = "put # before a remark of your own"
                self.fault(number, f"must be {self._form}, got {one_line(line, 40)!r}; {how}")

    def _open(self, number: int, id_: str) -> None:
        if not id_:
            self.fault(number, f"must have the id of its {self._of} behind ==, got none")
        elif id_ in self.places:
            said = f"{one_line(id_, 40)!r} has one in line {self.places[id_]}"
            self.fault(number, f"each {self._of} must have one block, {said}")
        self.places.setdefault(id_, number)
        self.blocks.append(ReviewBlock(number, id_))

    def _value(self, number: int, text: str) -> str:
        try:
            return unquoted(text)
        except ValueError as error:
            self.fault(number, f"a text in quotation marks must be complete JSON: {one_line(error)}")
            return text.strip()

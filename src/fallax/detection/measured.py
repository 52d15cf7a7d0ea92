"""Measured figures of the shipped detectors: tables, each with its command; the docs print the same ones."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from fallax.core.json_value import JsonValue
from fallax.errors import FormatError, one_line

__all__ = [
    "MEASURED",
    "OF_LARGER",
    "Measured",
    "measured_of",
    "read_measured",
    "table_in_short",
    "table_of_larger",
    "tables_of_card",
    "with_tables",
    "write_measured",
]

#: Where the tables are kept, in the package.
MEASURED = "measured.json"
_BEGINS, _ENDS = "<!-- measured: {} -->", "<!-- end -->"


@dataclass(frozen=True, slots=True)
class Measured(JsonValue):
    """One table.

    Parameters
    ----------
    name : of the table.
    detector : name and version of what was measured.
    command : gives the table again; it also writes it with ``--write``.
    columns, rows : heads and cells, as they are printed.
    note : what a reader must know of it.

    Examples
    --------
    >>> table = Measured("speed", "encoder@4", "python benchmarks/speed.py", ("texts", "seconds"), (("10", "0.1"),))
    >>> Measured.from_dict(table.to_dict()) == table
    True
    >>> print(table.markdown())
    `python benchmarks/speed.py` (encoder@4):
    <BLANKLINE>
    | texts | seconds |
    |---|---|
    | 10 | 0.1 |
    """

    name: str
    detector: str
    command: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""

    def markdown(self) -> str:
        """The table in Markdown."""
        lines = [
            f"`{self.command}` ({self.detector}):",
            "",
            f"| {' | '.join(self.columns)} |",
            "|---" * len(self.columns) + "|",
            *(f"| {' | '.join(row)} |" for row in self.rows),
        ]
        return "\n".join([*lines, *(["", self.note] if self.note else [])])

    def lines(self) -> Iterator[str]:
        """The table for a terminal, with aligned columns."""
        widths = [max(map(len, column)) for column in zip(self.columns, *self.rows, strict=True)]
        yield f"{self.name.replace('_', ' ')} ({self.detector}; {self.command})"
        for row in (self.columns, *self.rows):
            yield "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        if self.note:
            yield f"  {self.note}"


def read_measured(path: Path | None = None) -> dict[str, Measured]:
    """The tables by name, in their order.

    Parameters
    ----------
    path : by default the file in the package.

    Raises
    ------
    FormatError
        If the file is not what ``--write`` wrote.
    """
    place: Any = resources.files("fallax.detection") / "weights" / MEASURED if path is None else path
    try:
        return {
            name: Measured.from_dict({"name": name, **x}) for name, x in json.loads(place.read_text("utf-8")).items()
        }
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise FormatError(f"must hold tables of figures, got an error ({one_line(error)})", path=str(place)) from error


def measured_of(name: str) -> dict[str, Any]:
    """The tables of a shipped detector, of all its versions, as JSON values; fast enough to read on every load."""
    place = resources.files("fallax.detection") / "weights" / MEASURED
    tables = json.loads(place.read_text("utf-8"))
    return {key: x for key, x in tables.items() if x["detector"].partition("@")[0] == name}


#: What a card calls what should not be flagged -> in words.
_ORDINARY = {
    "sentences_of_wikitext2": "sentences of WikiText-2's validation file",
    "benign_smartypat": "SmartyPat's benign sentences",
    "comments_of_cocolofa": "CoCoLoFa's development comments without a fallacy",
    "sentences_of_held_out_prose": "sentences of held-out news, minutes, meetings, reviews and textbooks",
}


def tables_of_card(card: Mapping[str, Any]) -> dict[str, Measured]:
    """The tables that training wrote into a card: ``card_alarms`` and ``card_confidences``."""
    name, command = f"{card['name']}@{card['version']}", f"fallax detectors show {card['name']}"
    alarms = tuple(
        (_ORDINARY.get(key, key.replace("_", " ")), f"{100 * share:.2f} %")
        for key, share in card["share_flagged"].items()
    )
    bins, errors = [], []
    for key, found in card["calibration"].items():
        bins += [(key.replace("_", " "), f"{x['said']:.2f}", f"{x['right']:.2f}", str(x["n"])) for x in found["bins"]]
        errors.append(f"of {key.replace('_', ' ')} {found['expected_calibration_error']:.3f}")
    note = f"Expected calibration error {', '.join(errors)}."
    columns = ("confidence", "said on average", "was so", "in all")
    return {
        "card_alarms": Measured("card_alarms", name, command, ("of", "flagged"), alarms),
        "card_confidences": Measured("card_confidences", name, command, columns, tuple(bins), note),
    }


_RECALL, _ALARMS, _LABEL = "recall", "false alarm rate", "right label"
_BY_SENTENCE = "false alarm rate by sentence"
_PRECISION = "precision, if one text in {} holds a fallacy"
_MAFALDA, _HONG = ("MAFALDA", "mafalda"), ("Hong et al. 2024", "fallacies_hong2024")
_ASIDE = "passages_short, writer aside o: looks like it"
#: The figures for a user: what is measured, on which texts, and the table, row and column that has it.
_IN_SHORT = (
    *((_RECALL, texts, "odds", row, "fallacious texts found") for texts, row in (_MAFALDA, _HONG)),
    *((_ALARMS, texts, "odds", row, "others flagged") for texts, row in (_MAFALDA, _HONG)),
    (_ALARMS, "council and parliament", "false_alarms", "council and parliament", "texts flagged"),
    (_ALARMS, "news", "false_alarms", "news", "texts flagged"),
    (_ALARMS, "online comments", "false_alarms", "comments, held out", "texts flagged"),
    (_ALARMS, "short sound arguments that look like a fallacy", "short_texts", _ASIDE, "flagged"),
    (_BY_SENTENCE, "council and parliament", "false_alarms", "council and parliament", "sentences flagged"),
    (_BY_SENTENCE, "news", "false_alarms", "news", "sentences flagged"),
    (_BY_SENTENCE, "online comments", "false_alarms", "comments, held out", "sentences flagged"),
    *((_PRECISION.format("two"), texts, "odds", row, "right at one in 2") for texts, row in (_MAFALDA, _HONG)),
    *((_PRECISION.format("twenty"), texts, "odds", row, "right at one in 20") for texts, row in (_MAFALDA, _HONG)),
    *((_LABEL, texts, "calibration", row, "label right") for texts, row in (_MAFALDA, _HONG)),
)
#: Table and column of a figure -> the column that says how many it is counted on, and of what; other tables do not say.
_COUNTED = {
    ("false_alarms", "texts flagged"): ("texts", "texts"),
    ("false_alarms", "sentences flagged"): ("sentences", "sentences"),
    ("short_texts", "flagged"): ("in all", "texts"),
    ("calibration", "label right"): ("with a label", "sentences"),
}


#: How the names of the tables of the larger detector begin.
OF_LARGER = "larger_"
_HELD_OUT = "held-out passages"
_JOINED = "joined: right label of {} in one paragraph"
#: What the larger detector is compared in: what is measured, on which texts, and the table, row and column that has it.
_COMPARED = (
    *(
        (f"soft F1, {unit} {n}", "MAFALDA", "mafalda", "", f"{unit} {n}")
        for unit in ("span", "text")
        for n in (0, 1, 2)
    ),
    *(x for x in _IN_SHORT if "precision" not in x[0]),
    ("recall", "short fallacies, another writer", "short_texts", _ASIDE.replace("looks like it", "fallacy"), "flagged"),
    *(
        (what, texts, "transfer", row, column)
        for texts, row in (("LOGIC, training part", "logic train"), ("CoCoLoFa", "cocolofa dev"))
        for what, column in ((_LABEL, "likeliest label right"), (_RECALL, "texts flagged"))
    ),
    ("right label of one alone", _HELD_OUT, "joined", "1 alone", "right label"),
    *((_JOINED.format(n), _HELD_OUT, "joined", f"{n} one paragraph", "right label") for n in (2, 3, 4)),
    ("an ordinary sentence between two flagged", _HELD_OUT, "joined", "2 one paragraph", "ordinary sentence flagged"),
    ("sentences a second", "whole texts", "speed", "sentences a second, whole texts", ""),
)


def _cell(table: Measured, row: str, column: str) -> str:
    """The figure of a column in the one row whose cells begin so; without a row, in the first."""
    (found,) = (cells for cells in table.rows[: None if row else 1] if " ".join(cells).startswith(row))
    return found[table.columns.index(column)]


def table_of_larger(tables: Mapping[str, Measured]) -> Measured:
    """The larger detector beside the one that ships: the same figures of both, each taken from one of the tables.

    Examples
    --------
    >>> tables = read_measured()
    >>> table_of_larger(tables).columns[2:4] == (tables["mafalda"].detector, tables["larger_mafalda"].detector)
    True
    """
    rows = tuple(
        (what, texts, *(_cell(tables[x], row, column) for x in (name, OF_LARGER + name)), f"`{tables[name].command}`")
        for what, texts, name, row, column in _COMPARED
    )
    small, large = tables["mafalda"].detector, tables[f"{OF_LARGER}mafalda"].detector
    columns = ("what", "counted on", small, large, "measured by")
    note = f"Figures of {large} are measured by the same commands with `--system {large.partition('@')[0]}`."
    return Measured(
        "compared", f"{small}, {large}", f"fallax detectors show {small.partition('@')[0]}", columns, rows, note
    )


def table_in_short(tables: Mapping[str, Measured]) -> Measured:
    """The figures that matter most to a user, each taken from one of the tables, with the command that measures it.

    Examples
    --------
    >>> table_in_short(read_measured()).columns
    ('what', 'counted on', 'figure', 'measured by')
    """

    def counted(texts: str, name: str, row: str, column: str) -> str:
        of, what = _COUNTED.get((name, column), ("", ""))
        return f"{texts} ({_cell(tables[name], row, of)} {what})" if of else texts

    rows = tuple(
        (
            what,
            counted(texts, name, row, column),
            _in_percent(_cell(tables[name], row, column)),
            f"`{tables[name].command}`",
        )
        for what, texts, name, row, column in _IN_SHORT
    )
    measured = ", ".join(sorted({tables[name].detector for _, _, name, _, _ in _IN_SHORT}))
    detector = measured.partition("@")[0]
    columns = ("what", "counted on", "figure", "measured by")
    return Measured("in_short", measured, f"fallax detectors show {detector}", columns, rows)


def _in_percent(figure: str) -> str:
    """A share such as ``0.49`` in per cent; what is in per cent stays as it is."""
    return figure if "%" in figure else f"{100 * float(figure):.0f} %"


def with_tables(page: str, tables: Mapping[str, Measured]) -> str:
    r"""A page with each table written between its marks, which are on separate lines.

    Raises
    ------
    FormatError
        If the page names a table that is not there, or a mark has no end.

    Examples
    --------
    >>> table = Measured("a", "d@1", "run", ("x",), (("1",),))
    >>> print(with_tables("Before\n<!-- measured: a -->\nold\n<!-- end -->\nafter", {"a": table}))
    Before
    <!-- measured: a -->
    `run` (d@1):
    <BLANKLINE>
    | x |
    |---|
    | 1 |
    <!-- end -->
    after
    """
    found: list[str] = []
    inside = ""
    for line in page.split("\n"):
        named = line.removeprefix("<!-- measured: ").removesuffix(" -->")
        if not inside and line == _BEGINS.format(named):
            if named not in tables:
                raise FormatError(f"a page must name tables that were measured, got {named!r}")
            inside = named
            found += [line, tables[named].markdown()]
        elif inside and line == _ENDS:
            inside = ""
            found.append(line)
        elif not inside:
            found.append(line)
    if inside:
        raise FormatError(f"the table {inside!r} must end with {_ENDS}, got the end of the page")
    return "\n".join(found)


def write_measured(tables: Sequence[Measured], path: Path) -> None:
    """Add tables to a file, replacing those with the same names."""
    known = read_measured(path) if path.exists() else {}
    known |= {table.name: table for table in tables}
    rows = {name: {k: v for k, v in table.to_dict().items() if k != "name"} for name, table in known.items()}
    path.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")

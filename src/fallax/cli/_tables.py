"""Fits tables of scores to the terminal: one table, else one per score, else fewer columns."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from rich.measure import Measurement
from rich.table import Table

from fallax.cli._console import Console, listed
from fallax.core.types import Score
from fallax.errors import printable

__all__ = ["ScoreRow", "fits", "limits_of", "print_matrix", "print_scores", "print_table", "wrong_row"]


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """A row of scores.

    Parameters
    ----------
    score, part : what was scored, and which part of it ("all" for the whole).
    measures : name -> shown value; those that the score does not have are not there.
    counts : name -> shown count.
    """

    score: str
    part: str
    measures: Mapping[str, str]
    counts: Mapping[str, str]


def wrong_row(score: str, part: str, found: Score) -> ScoreRow:
    """The second row of a score, with every unreadable reply counted as wrong."""
    values = {m: "undefined" if v is None else f"{v:.3f}" for m, v in found.values_with_unreadable.items()}
    n, left = found.n_scored + found.n_wrong, found.n_unscored - found.n_wrong
    return ScoreRow(score, part, values, {"n": str(n), "unscored": str(left), "unreadable": "as wrong"})


def print_scores(console: Console, rows: Sequence[ScoreRow], *, by: str | None = None) -> None:
    """Print rows of scores without cutting a number.

    One table, if it fits. Else one for the scores of the same measures, else one for each score. A score that is still
    too wide is written as a list, one measure a line; with parts, measures are left out from the right, and the last
    line names them. In doubt the numbers of the counts stay: a score without them cannot be read.
    """
    whole = _table(rows, by=by)
    if fits(console, whole):
        console.print(whole)
        return
    by_score = {name: [r for r in rows if r.score == name] for name in dict.fromkeys(r.score for r in rows)}
    alike: dict[tuple[str, ...], list[ScoreRow]] = {}
    for own in by_score.values():
        alike.setdefault(tuple(_measures(own)), []).extend(own)
    for together in alike.values():
        table = _table(together, by=by)
        if fits(console, table):
            console.print(table)
            continue
        for name in dict.fromkeys(r.score for r in together):
            own, table = by_score[name], _table(by_score[name], by=by)
            if fits(console, table):
                console.print(table)
            elif by:
                _print_fewer(console, own, by)
            else:
                _print_list(console, own)


def _measures(rows: Sequence[ScoreRow]) -> list[str]:
    return list(dict.fromkeys(m for r in rows for m in r.measures))


def _table(
    rows: Sequence[ScoreRow], *, by: str | None, measures: Sequence[str] | None = None, title: str = ""
) -> Table:
    """A table of rows; a table with a title is about one score and has no column for it."""
    table = Table(show_edge=False, header_style="bold", padding=(0, 1, 0, 0), title=title or None, title_justify="left")
    columns = _measures(rows) if measures is None else list(measures)
    counts = list(dict.fromkeys(c for r in rows for c in r.counts))
    heads = [*([] if title else ["score"]), *([by] if by else [])]
    for name in heads:
        table.add_column(name)
    for name in (*columns, *counts):
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        cells = [row.measures.get(m, "") for m in columns] + [row.counts.get(c, "") for c in counts]
        table.add_row(*([] if title else [row.score]), *([row.part] if by else []), *cells)
    return table


def limits_of(low: float | None, high: float | None) -> str:
    """The ends of an interval, to be put behind its value."""
    return " [undefined]" if low is None or high is None else f" [{low:.3f}, {high:.3f}]"


def fits(console: Console, table: Table) -> bool:
    """Whether a table fits without cutting or wrapping a cell."""
    return Measurement.get(console, console.options.update(max_width=10_000), table).maximum <= console.width


#: A column of text that is narrower cannot be read.
_LEAST = 12


def print_table(
    console: Console, title: str, header: Sequence[str], rows: Sequence[Sequence[str]], numbers: Collection[int] = ()
) -> None:
    """Print a table without cutting a word or number.

    Where it is too wide, texts are folded, headings and intervals are broken between words; where that is still too
    wide, each row becomes a list.

    Parameters
    ----------
    title : printed above; may be "".
    header, rows : of texts.
    numbers : the columns that hold numbers.
    """
    if title:
        console.print(title, style="bold", highlight=False)
    for broken in (False, True):
        table = Table(show_edge=False, header_style="bold", pad_edge=False)
        least = 3 * (len(header) - 1)
        for i, name in enumerate(header):
            cells = [_broken(t) if broken and i in numbers else t for t in (name, *(row[i] for row in rows))]
            longest = max((len(line) for cell in cells for line in cell.splitlines()), default=0)
            words = max((len(word) for cell in cells for word in cell.split()), default=0)
            least += longest if i in numbers or not broken else min(longest, max(_LEAST, min(words, 2 * _LEAST)))
            table.add_column(
                cells[0], justify="right" if i in numbers else "left", no_wrap=i in numbers, overflow="fold"
            )
        if least <= console.width:
            for row in rows:
                table.add_row(*(_broken(t) if broken and i in numbers else t for i, t in enumerate(row)))
            console.print(table)
            return
    console.print(listed(header, rows))


def _broken(text: str) -> str:
    """A heading word by word, a value above its interval."""
    return re.sub(r" (?=\[|p=)", "\n", text) if re.search(r"\[|p=", text) else text.replace(" ", "\n")


def print_matrix(console: Console, title: str, cells: Mapping[str, Mapping[str, str]], columns: Sequence[str]) -> None:
    """Rows of cells under column names; if those do not fit, under numbers with a legend."""
    for numbered in (False, True):
        table = Table(title=title, show_edge=False, header_style="bold", title_justify="left", padding=(0, 1, 0, 0))
        table.add_column("label", overflow="fold")
        for number, column in enumerate(columns, start=1):
            table.add_column(str(number) if numbered else column, justify="right", no_wrap=True)
        for name, row in cells.items():
            table.add_row(printable(name), *(row.get(c, "–") for c in columns))
        if numbered or fits(console, table):
            console.print(table)
            break
    if numbered:
        for number, column in enumerate(columns, start=1):
            console.print(f"{number} {column}", highlight=False, markup=False)


def _print_fewer(console: Console, rows: Sequence[ScoreRow], by: str) -> None:
    """The measures that most parts have, as many as fit."""
    measures = sorted(_measures(rows), key=lambda m: -sum(m in r.measures for r in rows))
    kept = list(measures)
    while len(kept) > 1 and not fits(console, _table(rows, by=by, measures=kept, title=rows[0].score)):
        kept.pop()
    console.print(_table(rows, by=by, measures=kept, title=rows[0].score))
    if len(kept) < len(measures):
        left = ", ".join(measures[len(kept) :])
        console.print(f"not shown for lack of space: {left}; --json has them", highlight=False, markup=False)


def _print_list(console: Console, rows: Sequence[ScoreRow]) -> None:
    for row in rows:
        values = {**row.measures, **row.counts}
        console.print(listed((row.score, *values), [(row.score, *values.values())]))

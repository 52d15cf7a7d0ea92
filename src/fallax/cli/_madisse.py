"""Prints the tables of MADISSE, writes them as JSON, and its figures as files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.table import Table

from fallax.data import load_faithfulness
from fallax.data.faithfulness import Level
from fallax.errors import FallaxError, UnknownNameError
from fallax.faithfulness.benchmarks.faithfulness import sample_of
from fallax.faithfulness.benchmarks.madisse_printed import published
from fallax.faithfulness.benchmarks.madisse_runs import RecordedRun, RecordedValue, read_runs
from fallax.faithfulness.benchmarks.madisse_tables import (
    COUNTED,
    FIGURES,
    TABLES,
    PaperCell,
    contradictions,
    counts,
    figures,
    means,
    tables,
)
from fallax.runs.base import Answer, Row
from fallax.runs.drawing import FEW

__all__ = ["everything", "print_tables", "write_figures"]

_SHORT = {"balanced_accuracy": "BAcc", "krippendorff_alpha": "alpha", "fpr": "FPR", "fnr": "FNR"}


def everything(folder: Path | None, *, wanted: Sequence[str] = ()) -> dict[str, Any]:
    """All tables and figures, the runs behind them, and the runs left out.

    Raises
    ------
    UnknownNameError
        If a table is wanted that is none of the paper's with values.
    """
    known = sorted((*TABLES, *COUNTED), key=int)
    for number in wanted:
        if number not in known:
            raise UnknownNameError("table", number, known)
    runs, left_out = ((), ()) if folder is None else read_runs(folder)
    cells = [c for c in (*tables(runs), *counts(runs, _shared())) if not wanted or c.table in wanted]
    cells.sort(key=lambda c: int(c.table))
    return {
        "source": published()["source"],
        "runs": runs,
        "left_out": left_out,
        "cells": cells,
        "means": [] if wanted else means(runs),
        "figures": {} if wanted else figures(runs),
        "contradictions": contradictions(),
    }


def _shared() -> dict[tuple[str, str], list[Row]]:
    """The local records of MeetingBank, as rows without an answer; none without the data."""
    found: dict[tuple[str, str], list[Row]] = {}
    levels: tuple[Level, ...] = ("sentence", "summary")
    for level in levels:
        try:
            records = load_faithfulness("meetingbank", level=level)
        except FallaxError:
            continue
        rows = [Row.of(sample_of(r), Answer(), position=i, epoch=0) for i, r in enumerate(records)]
        found["MeetingBank", level] = rows
    return found


def as_json(found: dict[str, Any]) -> dict[str, Any]:
    """What :func:`everything` gives, as JSON values."""
    return {
        **found,
        "runs": [r.to_dict() for r in found["runs"]],
        "left_out": list(found["left_out"]),
        "cells": [c.to_dict() for c in found["cells"]],
        "contradictions": list(found["contradictions"]),
    }


def print_tables(console: Any, found: dict[str, Any]) -> None:
    """Print every table, the numbered runs, and contradictions within the paper."""
    cells: list[PaperCell] = found["cells"]
    for number in dict.fromkeys(c.table for c in cells):
        own = [c for c in cells if c.table == number]
        console.print(_counted(number, own) if number in COUNTED else _scored(number, own))
    if found["means"]:
        console.print(_means(found["means"]))
    for number, lines in found["figures"].items():
        if lines:
            console.print(_figure(number, lines))
    runs: Sequence[RecordedRun] = found["runs"]
    if runs:
        console.print(_runs(runs))
    for line in found["left_out"]:
        console.print(f"left out: {line}", markup=False)
    console.print(_about_intervals(runs))
    console.print("Where the paper contradicts itself:")
    for line in found["contradictions"]:
        console.print(f"- {line}", markup=False)


def _about_intervals(runs: Sequence[RecordedRun]) -> str:
    """What the intervals draw, and that it is little."""
    text = "Intervals are 95 % and draw documents, not sentences."
    few = [run for run in runs if run.n_documents < FEW]
    if few:
        numbers = ", ".join(f"{run.n_documents} in run {run.number}" for run in few)
        text += f" There are few ({numbers}), so that intervals are rough and rather too narrow."
    return text


def _plain(title: str, heads: Sequence[str], *, left: int = 1, whys: Sequence[str] = ()) -> Table:
    """An empty table with a note that explains dashes."""
    caption = f"–: {'; '.join(dict.fromkeys(whys))}" if whys else None
    table = Table(
        title=title, caption=caption, show_edge=False, padding=(0, 1), header_style="bold", title_justify="left",
        caption_justify="left",
    )  # fmt: skip
    for place, head in enumerate(heads):
        table.add_column(head, justify="left" if place < left else "right", overflow="fold", no_wrap=not place)
    return table


def _scored(number: str, cells: Sequence[PaperCell]) -> Table:
    """One row per judge, set and level, with each measure as printed and from runs."""
    about = published()["tables"][number]
    measures = list(dict.fromkeys(m for _, _, m in about["columns"]))
    heads = [f"{_SHORT[m]}\n{side}" for m in measures for side in ("paper", "here")]
    title = f"Table {number}: {about['title']}, in the paper with {about['llm']}"
    table = _plain(title, ("judge", "records", *heads), left=2, whys=[c.why for c in cells if c.why])
    lines: dict[tuple[str, str, str], dict[str, PaperCell]] = {}
    for c in cells:
        lines.setdefault((c.set, c.level, c.row), {})[c.measure] = c
    for (set_, level, row), by in sorted(lines.items(), key=lambda item: _place(about["columns"], item[0][:2])):
        shown = [row, f"{set_} {_PLURAL[level]}"]
        for m in measures:
            cell = by.get(m)
            shown += [_number(cell.published if cell else None), "\n".join(map(_value, cell.recorded)) if cell else ""]
        table.add_row(*(s or "–" for s in shown))
    return table


_PLURAL = {"sentence": "sentences", "summary": "summaries"}


def _place(columns: Sequence[Sequence[str]], key: Sequence[str]) -> int:
    return next(i for i, column in enumerate(columns) if column[:2] == list(key))


def _counted(number: str, cells: Sequence[PaperCell]) -> Table:
    title = f"Table {number}: {published()['counts'][number]['title']}"
    table = _plain(title, ("", "paper", "here", "of"), whys=[c.why for c in cells if c.why])
    for c in cells:
        values = [(f"{v.value:.0f}", str(v.n)) for v in c.recorded if v.value is not None]
        here, of = values[0] if values else ("–", "–")
        table.add_row(c.row, f"{c.published:.0f}", here, of)
    return table


def _means(lines: Sequence[dict[str, Any]]) -> Table:
    title = "Means over data sets: BAcc, each set weighs the same"
    table = _plain(title, ("judge", "over", "paper", "here", "unreadable wrong"), left=2)
    for line in lines:
        over = f"{', '.join(line['sets'])} {_PLURAL[line['level']]}"
        here = f"{_number(line['value'])} ({line['run']})"
        table.add_row(line["method"], over, _number(line["published"]), here, _number(line["strict"]))
    return table


_FIGURES = {
    "3": "Figure 3: before and after the records go that people call ambiguous",
    "5": "Figure 5: before and after the records go that the judge's detector calls ambiguous",
    "6": "Figure 6: error rates, before and after the records go that people call ambiguous",
}


def _figure(number: str, lines: Sequence[dict[str, Any]]) -> Table:
    table = _plain(_FIGURES[number], ("judge", "level", "measure", "before", "after"), left=3)
    for line in lines:
        two = [_value(RecordedValue(**line[k])) for k in ("before", "after")]
        table.add_row(line["method"], line["level"], _SHORT[line["measure"]], *two)
    return table


_HEADS = ("run", "judge", "model", "options", "records", "documents", "folder")


def _runs(runs: Sequence[RecordedRun]) -> Table:
    table = _plain("Runs, by the number in brackets", _HEADS, left=len(_HEADS))
    for run in runs:
        options = ", ".join(f"{k}={v}" for k, v in run.options.items())
        records = ", ".join(f"{len(rows)} {s} {level}" for (s, level), rows in run.rows.items())
        if run.unfinished:
            records += f"\nunfinished: {run.unfinished}"
        told = (run.method, run.model or "–", options or "–", records, str(run.n_documents), str(run.path))
        table.add_row(str(run.number), *told)
    return table


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _value(value: RecordedValue) -> str:
    """A recorded value with its interval, and the value with unreadable replies as wrong."""
    text = _number(value.value) + (f" ({value.run})" if value.run else "")
    if value.low is not None and value.high is not None:
        text += f"\n[{value.low:.3f}, {value.high:.3f}]"
    if value.strict != value.value:
        text += f"\n{_number(value.strict)} unreadable wrong"
    return text


def write_figures(folder: Path, found: dict[str, Any]) -> list[Path]:
    """Write ``figure-3.svg`` and so on, for each figure with data from runs.

    Raises
    ------
    MissingExtraError
        Without matplotlib (extra ``plot``).
    """
    from fallax.plots import plot_before_after

    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for number in FIGURES:
        lines = found["figures"].get(number)
        if lines:
            figure = plot_before_after(lines, title=_FIGURES[number])
            written.append(folder / f"figure-{number}.svg")
            figure.savefig(written[-1], bbox_inches="tight", metadata={"Date": None})
    return written

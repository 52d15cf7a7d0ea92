"""``fallax reproduce``: recomputes the tables of the papers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer
from rich.table import Table

from fallax.cli._console import Console
from fallax.cli._given import typed
from fallax.cli._out import write_out
from fallax.cli._score_tables import LEAST_RESAMPLES
from fallax.detection.benchmarks import mafalda_tables
from fallax.detection.benchmarks.mafalda_tables import Cell
from fallax.errors import InputError, UnknownNameError
from fallax.generation.benchmarks import smartypat_tables

__all__ = ["app"]

_Tables: TypeAlias = Annotated[
    list[str] | None, typer.Option("--table", metavar="N", help="Print only this table; repeatable.")
]

app = typer.Typer(
    name="reproduce",
    help="Recompute the tables of a paper from recorded model outputs.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)


@app.callback()
def _root() -> None:
    """Recompute the tables of a paper from recorded model outputs."""


@app.command()
def mafalda(
    context: typer.Context,
    folder: Annotated[
        Path, typer.Option("--from", help="Folder with gold.jsonl and model_outputs/<model>_level_2_results.jsonl.")
    ],
    table: _Tables = None,
    ci: Annotated[bool, typer.Option("--ci", help="95 % bootstrap intervals, which draw texts.")] = False,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Random seed of intervals.")] = 0,
    resamples: Annotated[int, typer.Option("--resamples", min=LEAST_RESAMPLES, help="Bootstrap resamples.")] = 10_000,
    as_json: Annotated[bool, typer.Option("--json", help="Print every cell as JSON.")] = False,
) -> None:
    """Recompute tables 9-14 of MAFALDA, cell by cell: as defined, as published, and as printed in the paper.

    Tables 7 and 8 are the F1 columns of these.
    """
    if not ci and (unread := typed(context, ["seed", "resamples"])):
        raise InputError(f"{unread[0]}: needs --ci")
    cells = mafalda_tables.reproduce(folder, tables=table or (), n_resamples=resamples if ci else 0, seed=seed)
    if as_json:
        typer.echo(json.dumps({"cells": [c.to_dict() for c in cells]}))
        return
    console = Console()
    for number, place in mafalda_tables.TABLES.items():
        own = [c for c in cells if (c.unit, c.level) == place]
        # A value with its interval is wide: then each measure has a table of its own.
        for measures in ([m] for m in _SHORT) if ci else (list(_SHORT),):
            if own:
                console.print(_table(own, f"Table {number}: level {place[1]}, {place[0]}", measures))
    console.print(
        "* differs from the printed number by more than rounding: the paper's tables are over 200 texts.\n"
        "“def.” (definition) follows section 5.2.2; “publ.” (published) does what the tables were "
        "computed with: offsets without the separators between sentences, an answer without a label counted "
        "as a wrong label, matches added up, duplicates kept. Its span scores at levels 1 and 2 measure mostly that."
    )
    if ci:
        console.print(f"Intervals are 95 % and draw texts, {resamples} times, seed {seed}.", highlight=False)


_SHORT = {"precision": "P", "recall": "R", "f1": "F1"}


def _table(cells: Sequence[Cell], title: str, measures: Sequence[str]) -> Table:
    table = Table(title=title, show_edge=False, padding=(0, 0), header_style="bold")
    table.add_column("model", overflow="fold")
    for measure in measures:
        for column in ("def.", "publ.", "paper"):
            table.add_column(f"{_SHORT[measure]}\n{column}", justify="right")
    rows: dict[str, dict[tuple[str, str], Cell]] = {}
    for c in cells:
        rows.setdefault(c.model, {})[c.measure, c.variant] = c
    for model, row in rows.items():
        shown = [model]
        for measure in measures:
            printed = row[measure, "published"].published
            shown += [_value(row[measure, variant]) for variant in ("definition", "published")]
            shown.append("–" if printed is None else f"{printed:.3f}")
        table.add_row(*shown)
    return table


def _value(cell: Cell) -> str:
    """A recomputed value, marked where it differs from the printed one, and its interval."""
    odd = cell.published is not None and abs(cell.value - cell.published) > 0.0005 + 1e-9
    text = f"{cell.value:.3f}{'*' if odd else ' '}"
    drawn = cell.interval
    if drawn is not None and drawn.low is not None and drawn.high is not None:
        text += f" [{drawn.low:.3f}, {drawn.high:.3f}]"
    return text


@app.command()
def smartypat(
    folder: Annotated[
        Path, typer.Option("--from", help="Folder with the CSV files and model_outputs/<set>/<model>.json.")
    ],
    ratings: Annotated[
        Path | None, typer.Option("--ratings", help="For table 11 and figure 1: the output of `fallax build methods`.")
    ] = None,
    people: Annotated[
        Path | None, typer.Option("--people", help='JSON {"model": [ratings], "people": {name: [ratings]}}.')
    ] = None,
    embedder: Annotated[
        str | None, typer.Option("--embedder", help="For table 13: minilm or MODULE:FUNCTION [word and letter counts].")
    ] = None,
    table: _Tables = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print set -> model -> the numbers as JSON.")] = False,
    tables: Annotated[Path | None, typer.Option("--tables", help="Write all tables and figures here, as JSON.")] = None,
) -> None:
    """Recompute SmartyPat's paper: judges, tables 2, 11, 12, 13, figures 1 to 4 and 8, agreement with people.

    Unusable answers are counted, reported and skipped; an unreadable file does not affect the others.
    """
    from fallax.cli._smartypat import TABLES, everything, print_tables

    for number in table or ():
        if number not in TABLES:
            raise UnknownNameError("table", number, TABLES)
    unread = {
        "--json": as_json and tables is None,  # judges, none of the tables
        "--ratings": ratings is not None and "11" not in (table or ()),
        "--embedder": embedder is not None and "13" not in (table or ()),
        "--people": people is not None,
    }
    if table and (found_unread := [name for name, is_unread in unread.items() if is_unread]):
        raise InputError(f"{found_unread[0]}: has no use with --table {', '.join(table)}; leave one of them out")
    recordings = smartypat_tables.read_folder(folder)
    rows = smartypat_tables.reproduce(recordings)
    for line in recordings.problems:
        typer.echo(f"fallax: {line}", err=True)
    for row in rows:
        _tell_left_out(row)
    if as_json:
        found: dict[str, dict[str, object]] = {}
        for row in rows:
            found.setdefault(row.set, {})[row.model] = row.to_dict()
        typer.echo(json.dumps(found))
    if as_json and tables is None:
        return
    from fallax.core.texts import load_embedder

    chosen = None if embedder is None else load_embedder(embedder)
    whole = everything(folder, recordings, rows, ratings=ratings, people=people, embedder=chosen, wanted=table or ())
    if tables is not None:
        write_out(tables, json.dumps(whole, indent=2, ensure_ascii=False) + "\n")
    if as_json:
        return
    console = Console()
    printed = smartypat_tables.published_tables()
    for name in () if table else dict.fromkeys(row.set for row in rows):
        console.print(_judges(name, [row for row in rows if row.set == name], printed))
    print_tables(console, whole)
    if table:
        return
    typer.echo(
        "“def.” are the textbook rates over all sentences, and the ranked score of\n"
        "cleaned labels. “publ.” is what the paper plots: its FP and FN are the false\n"
        "discovery and the false omission rate, its F1 is made of these, and its score\n"
        "looks for raw labels in the gold line. “paper” is what its tables print, over\n"
        "502 posts and 220 generated sentences; its figures print no numbers. – stands\n"
        "where nothing was given to compute it from."
    )


@app.command()
def madisse(
    folder: Annotated[
        Path | None, typer.Option("--from", help="Folder with runs of `fallax bench run faithfulness`, at any depth.")
    ] = None,
    table: _Tables = None,
    plots: Annotated[
        Path | None, typer.Option("--plots", metavar="FOLDER", help="Draw figures 3, 5 and 6 here (extra plot).")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print every cell as JSON.")] = False,
) -> None:
    """Recompute tables 2 to 5, 24, 33 to 37 and figures 3, 5, 6 of MADISSE from recorded runs.

    A cell without a recorded run shows a dash and the reason. Runs may be on MeetingBank, or on files of TofuEval
    and LLM-AggreFact (-B file=PATH) with MediaSum, CNN and XSum.
    """
    from fallax.cli import _madisse

    if plots is not None and (folder is None or table):
        raise InputError("--plots: needs --from and all tables, since figures are drawn from runs")
    found = _madisse.everything(folder, wanted=table or ())
    if plots is not None:
        for path in _madisse.write_figures(plots, found):
            typer.echo(f"fallax: wrote {path}", err=True)
    if as_json:
        typer.echo(json.dumps(_madisse.as_json(found)))
        return
    _madisse.print_tables(Console(), found)


def _tell_left_out(row: smartypat_tables.RecordedRow) -> None:
    head = f"fallax: {row.set}, {row.model}:"
    for why, n in row.skipped.items():
        typer.echo(f"{head} {n} answers skipped: {why}", err=True)
    if row.n_absent:
        typer.echo(f"{head} {row.n_absent} sentences have no answer; left out", err=True)
    if row.detection.n_unscored:
        typer.echo(f"{head} {row.detection.n_unscored} answers cannot be read; left out", err=True)


def _judges(name: str, rows: list[smartypat_tables.RecordedRow], printed: dict[str, Any]) -> Table:
    n = sorted({row.to_dict()["n"] for row in rows})
    table = Table(
        title=f"{name}: {', '.join(map(str, n))} sentences", show_edge=False, padding=(0, 0), header_style="bold"
    )
    table.add_column("model", overflow="fold")
    for column in ("FPR", "FNR", "F1\ndef.", "F1\npubl.", "score\ndef.", "score\npubl.", "labels", "labels\npaper"):
        table.add_column(column, justify="right")
    names = {file: name for name, file in printed["models"].items()}
    for row in sorted(rows, key=lambda r: -(r.strict["score"] or 0)):
        d = row.to_dict()
        count = printed["label_counts"].get((row.set, row.model))
        rates = [_number(x) for x in (d["fpr"], d["fnr"], d["f1"], row.published["f1"])]
        scores = [_number(score["score"], 1) for score in (row.strict, row.script)]
        shown = "–" if count is None else str(count)
        table.add_row(names.get(row.model, row.model), *rates, *scores, str(d["label_count"]), shown)
    return table


def _number(value: float | None, digits: int = 3) -> str:
    return "undefined" if value is None else f"{value:.{digits}f}"

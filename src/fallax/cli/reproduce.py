"""``fallax reproduce``: the tables of the papers, recomputed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from fallax.detection.benchmarks import mafalda_tables
from fallax.detection.benchmarks.mafalda_tables import Cell
from fallax.generation.benchmarks import smartypat_tables

__all__ = ["app"]

app = typer.Typer(
    name="reproduce",
    help="Recompute the tables of a paper from recorded model outputs.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


@app.callback()
def _root() -> None:
    """Recompute the tables of a paper from recorded model outputs."""


@app.command()
def mafalda(
    folder: Annotated[
        Path, typer.Option("--from", help="Folder with gold.jsonl and model_outputs/<model>_level_2_results.jsonl.")
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print every cell as JSON.")] = False,
) -> None:
    """Tables 9-14 of MAFALDA, cell by cell: by the definition, as published, and as printed in the paper."""
    cells = mafalda_tables.reproduce(folder)
    if as_json:
        typer.echo(json.dumps({"cells": [c.to_dict() for c in cells]}))
        return
    console = Console()
    for unit, first in (("span", 9), ("text", 12)):
        for level in (0, 1, 2):
            console.print(_table(cells, unit, level, first + level))
    console.print(
        "* differs from the printed number by more than rounding: the paper's tables are over 200 texts.\n"
        "“def.” (definition) follows section 5.2.2; “publ.” (published) does what the tables were\n"
        "computed with: offsets without the separators between sentences, an answer without a label counted\n"
        "as a wrong label, matches added up, duplicates kept. Its span scores at levels 1 and 2 measure mostly that."
    )


_SHORT = {"precision": "P", "recall": "R", "f1": "F1"}


def _table(cells: tuple[Cell, ...], unit: str, level: int, number: int) -> Table:
    table = Table(title=f"Table {number}: level {level}, {unit}", show_edge=False, padding=(0, 0), header_style="bold")
    table.add_column("model", overflow="fold")
    for measure in ("precision", "recall", "f1"):
        for column in ("def.", "publ.", "paper"):
            table.add_column(f"{_SHORT[measure]}\n{column}", justify="right")
    rows: dict[str, dict[tuple[str, str], Cell]] = {}
    for c in cells:
        if (c.unit, c.level) == (unit, level):
            rows.setdefault(c.model, {})[c.measure, c.variant] = c
    for model, row in rows.items():
        shown = [model]
        for measure in ("precision", "recall", "f1"):
            printed = row[measure, "published"].published
            for variant in ("definition", "published"):
                value = row[measure, variant].value
                odd = printed is not None and abs(value - printed) > 0.0005 + 1e-9
                shown.append(f"{value:.3f}{'*' if odd else ' '}")
            shown.append("–" if printed is None else f"{printed:.3f}")
        table.add_row(*shown)
    return table


@app.command()
def smartypat(
    folder: Annotated[
        Path, typer.Option("--from", help="Folder with the CSV files and model_outputs/<set>/<model>.json.")
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print set -> model -> the numbers as JSON.")] = False,
) -> None:
    """SmartyPat's judges: detection, ranked labels and label counts, by the definition and as published."""
    rows = smartypat_tables.reproduce(folder)
    for row in rows:
        if row.n_absent:
            typer.echo(f"fallax: {row.set}, {row.model}: {row.n_absent} sentences have no answer; left out", err=True)
        if row.detection.n_unscored:
            typer.echo(
                f"fallax: {row.set}, {row.model}: {row.detection.n_unscored} answers cannot be read; left out", err=True
            )
    if as_json:
        found: dict[str, dict[str, object]] = {}
        for row in rows:
            found.setdefault(row.set, {})[row.model] = row.to_dict()
        typer.echo(json.dumps(found))
        return
    console = Console()
    printed = smartypat_tables.published_tables()
    for name in dict.fromkeys(row.set for row in rows):
        console.print(_judges(name, [row for row in rows if row.set == name], printed))
    if any(row.set == "SmartyPat" for row in rows):
        console.print(_gold_labels(smartypat_tables.gold_label_counts(folder), printed["gold_labels"]))
    typer.echo(
        "“def.” are the textbook rates over all sentences, and the ranked score of cleaned labels.\n"
        "“publ.” is what the paper plots: its FP and FN are the false discovery and the false\n"
        "omission rate, its F1 is made of these, and its score looks for raw labels in the gold line.\n"
        "“paper” is table 12 and table 2, over 502 posts and 220 generated sentences;\n"
        "the other columns are figures there."
    )


def _judges(name: str, rows: list[smartypat_tables.Row], printed: dict[str, Any]) -> Table:
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


def _gold_labels(counts: dict[str, int], printed: dict[str, int]) -> Table:
    table = Table(title="Table 2: labels of the posts", show_edge=False, header_style="bold")
    for i, column in enumerate(("fallacy", "here", "paper")):
        table.add_column(column, justify="right" if i else "left")
    for label in sorted(counts, key=lambda x: -counts[x]):
        table.add_row(label, str(counts[label]), str(printed[label]))
    return table


def _number(value: float | None, digits: int = 3) -> str:
    return "undefined" if value is None else f"{value:.{digits}f}"

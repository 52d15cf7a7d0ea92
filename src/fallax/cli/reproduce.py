"""``fallax reproduce``: the tables of the papers, recomputed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from fallax.bench.mafalda import Cell, reproduce

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
    cells = reproduce(folder)
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

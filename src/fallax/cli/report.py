"""``fallax report``: a report on runs as one self-contained page, as Markdown or as JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from fallax.cli._out import check_out, write_out
from fallax.errors import UnknownNameError
from fallax.render import report_markdown, report_page
from fallax.runs.report import build_report

__all__ = ["app"]

app = typer.Typer(name="report", pretty_exceptions_enable=False, add_completion=False)

_OUTPUTS = ("html", "markdown", "json")


@app.command()
def report(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Run folders of one benchmark.")],
    format: Annotated[str, typer.Option("--format", help="html, markdown or json (the tables).")] = "html",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write here [standard output].")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
    max_records: Annotated[
        int | None, typer.Option("--max-records", help="Show only N records [all]; scores are of all.", min=0)
    ] = None,
    resamples: Annotated[int, typer.Option("--resamples", help="Bootstrap resamples.")] = 10_000,
    seed: Annotated[int, typer.Option("--seed", help="Random seed of intervals and tests.")] = 0,
) -> None:
    """Write a page on one or more runs: scores with intervals, labels, confusion, calibration, cost, all records.

    The page needs no network and runs no script; texts, labels and replies are escaped.
    """
    form = "json" if as_json else format
    if form not in _OUTPUTS:
        raise UnknownNameError("value of --format", form, _OUTPUTS)
    out = check_out(output, [run / name for run in runs for name in ("run.json", "records.jsonl")])
    built = build_report(runs, n_resamples=resamples, seed=seed, max_records=max_records)
    if form == "html":
        shown = report_page(built)
    elif form == "markdown":
        shown = report_markdown(built)
    else:
        shown = json.dumps(built.to_dict(), ensure_ascii=False, indent=2) + "\n"
    write_out(out, shown)

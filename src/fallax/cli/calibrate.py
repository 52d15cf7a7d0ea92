"""``fallax calibrate``: compares judges with people, from recorded verdicts and ratings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from fallax.annotation.calibration import calibration_report
from fallax.annotation.calibration_view import calibration_page, calibration_sections
from fallax.annotation.reading import Columns
from fallax.annotation.verdicts import read_judged
from fallax.annotation.view import markdown
from fallax.cli._given import typed
from fallax.cli._out import check_out, write_out
from fallax.cli._terminal import note
from fallax.cli.agree import print_sections
from fallax.errors import InputError, UnknownNameError

__all__ = ["app"]

app = typer.Typer(name="calibrate", pretty_exceptions_enable=False, add_completion=False)

_OUTPUTS = ("table", "markdown", "html")


@app.command()
def calibrate(
    context: typer.Context,
    verdicts: Annotated[
        list[Path], typer.Argument(help="Run folders, logs of Inspect AI, tables or Label Studio exports.")
    ],
    people: Annotated[
        list[Path] | None,
        typer.Option("--people", help="Files with people's ratings [the gold of the runs, or the same tables]."),
    ] = None,
    judge: Annotated[
        list[str] | None, typer.Option("--judge", help="Names in the tables that are judges; the others are people.")
    ] = None,
    item: Annotated[str, typer.Option("--item", help="Column of the item [item, id, ...].")] = "",
    annotator: Annotated[
        str, typer.Option("--annotator", help="Column of the annotator or judge [annotator, rater, judge, ...].")
    ] = "",
    label: Annotated[
        str, typer.Option("--label", help="Column of the label or rating [label, rating, verdict, ...].")
    ] = "",
    group: Annotated[
        str | None, typer.Option("--group", help="Column of the document, for intervals [document, group, ...].")
    ] = None,
    rate: Annotated[list[str] | None, typer.Option("--rate", help="Labels whose rates are corrected [all].")] = None,
    epsilon: Annotated[
        float, typer.Option("--epsilon", min=0.0, max=1.0, help="Epsilon of the alternative annotator test.")
    ] = 0.2,
    half_width: Annotated[
        float,
        typer.Option("--half-width", help="Half the width of the desired interval of a rate, above 0 and below 0.5."),
    ] = 0.05,
    labelled: Annotated[
        int | None,
        typer.Option("--labelled", help="Correct rates with only N ratings, to see how well that works [all]."),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Random seed of intervals.")] = 0,
    resamples: Annotated[int, typer.Option("--resamples", min=0, help="Bootstrap resamples; 0: no intervals.")] = 1_000,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="File of the report [standard output].")] = None,
    format: Annotated[str, typer.Option("--format", help="table, markdown or html.")] = "table",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Compare judges with people: quality, bias, and corrected rates. Asks no model."""
    if format not in _OUTPUTS:
        raise UnknownNameError("value of --format", format, _OUTPUTS)
    if as_json and typed(context, ["format"]):
        raise InputError("--format: has no use with --json; leave one of them out")
    target = check_out(output, [*verdicts, *(people or ())])
    judged = read_judged(
        verdicts, people=people or (), names=judge or (), columns=Columns(item, annotator, label), group=group
    )
    for problem in judged.problems:
        note(problem)
    report = calibration_report(
        judged,
        labels=rate or (),
        epsilon=epsilon,
        half_width=half_width,
        labelled=labelled,
        n_resamples=resamples,
        seed=seed,
    )
    if as_json:
        text = json.dumps(report.to_dict(), ensure_ascii=False)
    elif format == "html":
        text = calibration_page(report)
    elif format == "markdown" or target is not None:
        text = markdown(calibration_sections(report), "Judges against people")
    else:
        print_sections(calibration_sections(report))
        return
    write_out(target, text + "\n")

"""``fallax gate``: pass, fail or undecided, for build servers."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from fallax.cli._given import typed
from fallax.cli._out import check_out, write_out
from fallax.errors import InputError
from fallax.gate import CheckResult, check_run, gate_junit, gate_markdown, gate_sarif, read_config, worst_of
from fallax.render import safe

__all__ = ["EXIT_CODES", "app"]

app = typer.Typer(name="gate", pretty_exceptions_enable=False, add_completion=False)

#: outcome -> exit code; 2 is bad input and 3 a model that did not answer, as everywhere.
EXIT_CODES = {"pass": 0, "fail": 1, "undecided": 4}


@app.command()
def gate(
    context: typer.Context,
    what: Annotated[Path, typer.Argument(metavar="CONFIG|RUN", help="A TOML file of checks, or a run folder.")],
    baseline: Annotated[
        Path | None, typer.Option("--baseline", help="Run to compare with, if a check names none.")
    ] = None,
    score: Annotated[str | None, typer.Option("--score", help="RUN: a score of the benchmark [the main one].")] = None,
    measure: Annotated[
        str | None,
        typer.Option("--measure", help="RUN: a measure of the score [the one that `bench compare` ranks by]."),
    ] = None,
    at_least: Annotated[
        float | None, typer.Option("--at-least", help="RUN: least value of the measure [compare with --baseline].")
    ] = None,
    at_most: Annotated[float | None, typer.Option("--at-most", help="RUN: largest value of the measure.")] = None,
    margin: Annotated[
        float, typer.Option("--margin", help="RUN: how much worse than --baseline is allowed, in units of the measure.")
    ] = 0.0,
    repeats: Annotated[int, typer.Option("--repeats", help="RUN: how often each sample must have been asked.")] = 1,
    junit: Annotated[Path | None, typer.Option("--junit", help="Write JUnit XML here.")] = None,
    sarif: Annotated[Path | None, typer.Option("--sarif", help="Write SARIF here.")] = None,
    markdown: Annotated[Path | None, typer.Option("--markdown", help="Write Markdown here.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Check runs, texts and summaries against thresholds: exit code 0 for pass, 1 for fail, 4 for undecided.

    A check fails only if its whole interval is on the wrong side of the threshold, and passes only if its whole
    interval is on the right side.
    """
    outs = [check_out(path, [what, baseline]) for path in (junit, sarif, markdown)]
    if not what.exists():
        raise InputError(f"{what}: must be a run folder or a file of checks, found nothing there")
    if what.is_dir():
        results = check_run(
            what, baseline=baseline, score=score, measure=measure, at_least=at_least, at_most=at_most, margin=margin,
            repeats=repeats,
        )  # fmt: skip
    else:
        for name in typed(context, ("score", "measure", "at_least", "at_most", "margin", "repeats")):
            raise InputError(f"{name}: is read for a run folder; write it into {what}")
        results = read_config(what).check(baseline=baseline, today=datetime.now(tz=UTC).date())
    for path, text in zip(outs, _texts(results), strict=True):
        if path is not None:
            write_out(path, text)
    outcome = worst_of(results)
    if as_json:
        checks = [r.to_dict() for r in results]
        typer.echo(json.dumps({"outcome": outcome, "checks": checks}, ensure_ascii=False, indent=2))
    else:
        _show(results)
        typer.echo(f"gate: {outcome}")
    if outcome != "pass":
        raise typer.Exit(EXIT_CODES[outcome])


def _texts(results: list[CheckResult]) -> tuple[str, str, str]:
    sarif = json.dumps(gate_sarif(results), ensure_ascii=False, indent=2) + "\n"
    return gate_junit(results), sarif, gate_markdown(results)


def _show(results: list[CheckResult]) -> None:
    for result in results:
        typer.echo(safe(str(result)))
        for f in result.findings:
            waived = f" (waived: {f.waived})" if f.waived else ""
            typer.echo(
                safe(f"  {f.path}:{f.line}:{f.column}: {f.label}: {' '.join(f.text.split())} [{f.hash}]{waived}")
            )
    for note in dict.fromkeys(note for r in results for note in r.notes):
        typer.echo(safe(f"note: {note}"))

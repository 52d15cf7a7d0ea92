"""``fallax scan``: examines many texts, pairs or claims, on one machine or many."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Annotated

import typer

from fallax.cli._texts import Encoding, note_others
from fallax.errors import InputError
from fallax.render import safe
from fallax.runs.scoring import parse_shard
from fallax.scan import (
    ENGINES,
    FIELDS,
    FORMATS,
    JOBS,
    PART_SIZE,
    ROWS,
    ScanJob,
    ScanProgress,
    files_left_out,
    scan,
    statistics_lines,
)

__all__ = ["app"]

app = typer.Typer(name="scan", pretty_exceptions_enable=False, add_completion=False)

#: Seconds between two lines of progress where there is no terminal.
_EVERY = 30.0


class _Meter:
    """Show rate and remaining time on standard error."""

    def __init__(self) -> None:
        self._began = self._shown = time.monotonic()
        self._from: float | None = None
        self._live = sys.stderr.isatty()
        self.n_done = 0

    def __call__(self, state: ScanProgress) -> None:
        self.n_done = state.n_done
        now = time.monotonic()
        if self._from is None:
            self._from = state.share
        if now - self._shown < (0.5 if self._live else _EVERY):
            return
        self._shown = now
        rate = state.n_examined / max(1e-9, now - self._began)
        gone = state.share - self._from
        left = f", {_duration((now - self._began) * (1 - state.share) / gone)} left" if gone > 0 else ""
        said = f"{state.n_done:,} records, {rate:,.1f} a second, {100 * state.share:.0f} % of the input{left}"
        sys.stderr.write(f"\r\x1b[K{said}" if self._live else f"{said}\n")
        sys.stderr.flush()

    def end(self) -> None:
        if self._live:
            sys.stderr.write("\r\x1b[K")


def _duration(seconds: float) -> str:
    minutes = round(seconds / 60)
    return (
        f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{minutes} min" if minutes else "under a minute"
    )


def _columns(given: list[str] | None, job: str) -> dict[str, str]:
    """Parse ``NAME`` (the first field of a job) or ``FIELD=NAME``."""
    found = {}
    for one in given or []:
        name, equals, column = one.partition("=")
        found[name if equals else FIELDS[job][0]] = column if equals else name
    return found


@app.command("scan")
def scan_command(
    inputs: Annotated[
        list[str],
        typer.Argument(metavar="INPUT...", help="JSONL (.gz, .zst), CSV, Parquet, WARC, texts, folders, globs."),
    ],
    out: Annotated[Path, typer.Option("--output", "-o", help="Folder for the results; an existing scan is resumed.")],
    job: Annotated[str, typer.Option("--job", help=f"One of {', '.join(JOBS)}.")] = "detection",
    system: Annotated[
        str | None,
        typer.Option(
            "--system", help="Name or folder of a detector, judge or verifier, by --job [the one that ships]."
        ),
    ] = None,
    fields: Annotated[
        list[str] | None,
        typer.Option(
            "--field", help="Column with the text [text], or FIELD=COLUMN, such as summary=highlights; repeatable."
        ),
    ] = None,
    by: Annotated[
        str | None, typer.Option("--by", help="Column to keep and to count by, such as subreddit [none].")
    ] = None,
    encoding: Encoding = "utf-8",
    form: Annotated[str, typer.Option("--format", help=f"Of the results: {' or '.join(FORMATS)}.")] = "jsonl",
    rows: Annotated[str, typer.Option("--rows", help=f"What a row is: {' or '.join(ROWS)}.")] = "texts",
    shard: Annotated[
        str, typer.Option("--shard", metavar="K/N", help="Only the K-th of N shares of the work.")
    ] = "1/1",
    workers: Annotated[int, typer.Option("--workers", help="Worker processes, each with its own encoder.")] = 1,
    engine: Annotated[
        str, typer.Option("--engine", help=f"What starts the workers: {' or '.join(ENGINES)}.")
    ] = "processes",
    address: Annotated[
        str | None, typer.Option("--address", help="--engine ray: a cluster's address [default: this machine].")
    ] = None,
    part_size: Annotated[int, typer.Option("--part-size", help="Records in a part.")] = PART_SIZE,
    taxonomy: Annotated[
        str | None, typer.Option("--taxonomy", help="Detection: the label set of the answer [the detector's].")
    ] = None,
    level: Annotated[
        int | None, typer.Option("--level", help="Detection: level of the labels, 0 the coarsest [the finest].")
    ] = None,
    min_confidence: Annotated[
        float | None,
        typer.Option("--min-confidence", help="Detection: minimum confidence, 0 to 1 [the detector's threshold]."),
    ] = None,
    abstain: Annotated[
        bool, typer.Option(help="Faithfulness, verification: let the system say that it cannot tell.")
    ] = True,
    as_json: Annotated[bool, typer.Option("--json", help="Print the statistics as JSON.")] = False,
) -> None:
    """Examine many texts, pairs or claims into a folder; the same command resumes it.

    Ends with exit code 1 if some records could not be examined; bad-*.jsonl in the folder say which, and why.
    """
    for name, value in (("--workers", workers), ("--part-size", part_size)):
        if value < 1:
            raise InputError(f"{name} must be at least 1, got {value}")
    what = ScanJob(job, system, taxonomy, level, min_confidence, abstain)
    for given in inputs:
        note_others(Path(given), files_left_out(given), "name text files to read them; save PDF and Word as plain text")
    meter = _Meter()
    try:
        found = scan(
            inputs,
            out=out,
            job=what,
            columns=_columns(fields, job),
            by=by,
            encoding=encoding,
            format=form,
            rows=rows,
            shard=parse_shard(shard),
            workers=workers,
            engine=engine,
            address=address,
            part_size=part_size,
            progress=meter,
        )
    except KeyboardInterrupt:
        meter.end()
        typer.echo(f"stopped; {meter.n_done:,} records are done and kept; the same command resumes", err=True)
        raise
    finally:
        meter.end()
    if as_json:
        typer.echo(json.dumps(found.to_dict(), ensure_ascii=False, indent=2))
    else:
        for line in statistics_lines(found):
            typer.echo(safe(line))
        if found.is_whole:
            typer.echo(f"{out / 'statistics.html'} has all of it as a page")
    if found.counts.n_bad:
        raise typer.Exit(1)

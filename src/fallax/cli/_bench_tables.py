"""What ``fallax bench`` prints of scores and comparisons."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import typer
from rich.table import Table

from fallax.cli._console import Console
from fallax.cli._tables import ScoreRow, fits, limits_of, print_matrix, print_scores, print_table, wrong_row
from fallax.cli._terminal import note
from fallax.core.types import Score
from fallax.core.types import Table as FurtherTable
from fallax.errors import InputError, UnknownNameError, one_line, printable
from fallax.metrics import Interval, PairedTest, bootstrap_interval
from fallax.runs.compare import Comparison
from fallax.runs.drawing import drawn_note, fewer_notes
from fallax.runs.scoring import RunScores, benchmark_of

__all__ = ["Bootstrap", "print_comparison", "show_scores"]


class Bootstrap(NamedTuple):
    """How intervals are drawn: how often, from which seed, and which records are drawn together (None: each alone)."""

    n_resamples: int
    seed: int
    groups: Mapping[str, str] | None


def _console() -> Console:
    """Standard output; in a pipe, wide enough that no cell is wrapped."""
    console = Console()
    return console if console.is_terminal or "COLUMNS" in os.environ else Console(width=200)


def _cell(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"


def show_scores(
    result: RunScores, path: Path, as_json: bool, *, by: str | None = None, ci: Bootstrap | None = None,
    tables: Sequence[FurtherTable] = (),
) -> None:  # fmt: skip
    """Print all scores of a run, as JSON or as tables, with what it took.

    Parameters
    ----------
    by : a kind of parts to show too, such as label.
    ci : how intervals are drawn; None: none.
    tables : further tables of the benchmark.
    """
    kinds = sorted({kind for one in result.scores.values() for kind in one.parts})
    if by is not None and by not in kinds:
        raise UnknownNameError("value of --by", by, kinds, where=f"run {path}")
    if result.bad_spans_note:
        note(result.bad_spans_note)
    if as_json:
        found = {"path": str(path), **result.to_dict()}
        if tables:
            found["tables"] = [table.to_dict() for table in tables]
        if ci is not None:
            for name, one in result.scores.items():
                found["scores"][name]["intervals"] = {m: _interval(one, m, ci).to_dict() for m in _defined(one)}
        typer.echo(json.dumps(found))
        return
    rows = []
    for name, one in result.scores.items():
        for part_name, part in (("all", one), *_parts(one, by)):
            measures = {m: _cell(value) for m, value in part.values.items()}
            if ci is not None and part is one:
                for m in _defined(one):
                    interval = _interval(one, m, ci)
                    measures[m] += limits_of(interval.low, interval.high)
            unscored = f"{part.n_unscored}" + f", {part.n_unscored_answers} answers" * bool(part.unscored_answers)
            counts = {"n": str(part.n_scored), "unscored": unscored, "unreadable": part.unreadable}
            rows.append(ScoreRow(name, part_name, measures, counts))
            if part.wrong_records or part.n_wrong:
                rows.append(wrong_row(name, part_name, part))
    console = _console()
    print_scores(console, rows, by=by)
    for table in tables:
        cells = [
            ["" if x is None else f"{x:.3f}" if isinstance(x, float) else str(x) for x in row] for row in table.rows
        ]
        print_table(console, table.title, table.columns, cells, numbers=range(1, len(table.columns)))
        typer.echo(table.note)
    if ci is not None and result.scores:
        drawn, scored = benchmark_of(result.run).drawn, {name: one.records for name, one in result.scores.items()}
        ids = frozenset().union(*scored.values())
        if line := drawn_note(drawn, ci.groups, ids, tested=False):
            typer.echo(line)
        for name, line in fewer_notes(drawn, ci.groups, ids, scored, tested=False).items():
            typer.echo(f"{name}: {line}")
    if result.cannot_name_note:
        typer.echo(f"{result.run['system']['name']}: {result.cannot_name_note}")
    first = next(iter(result.scores.values()), None)
    if first is not None and (n := list(first.unscored.values()).count("not annotated")):
        hint = "" if first.n_scored else "; give the data gold labels to score them"
        typer.echo(f"not annotated, so unscored: {n} of {first.n_scored + first.n_unscored} samples{hint}")
    for reason, n in _reasons(result):
        typer.echo(f"unreadable, {n}: {reason}")
    usage = result.counts.usage
    cost = "" if usage.cost is None else f", {usage.cost:.4f} US dollars"
    counted = result.counts
    without = f" {counted.not_asked} not asked," if counted.not_asked else ""
    typer.echo(
        f"{counted.n} of {result.n_expected} rows: {counted.ok} ok, {counted.unreadable} unreadable,{without}"
        f" {counted.error} failed; {usage.calls} calls,"
        f" {usage.prompt_tokens} + {usage.completion_tokens} tokens{cost}"
    )
    typer.echo(str(result.run["signature"]))
    typer.echo(str(path))


def _parts(score: Score, by: str | None) -> list[tuple[str, Score]]:
    return [(printable(name), part) for name, part in score.parts.get(by, {}).items()] if by else []


def _reasons(result: RunScores, most: int = 5) -> list[tuple[str, int]]:
    """Why the records of the first score are unscored, most frequent reason first."""
    first = next(iter(result.scores.values()), None)
    if first is None or not (first.wrong_records or first.n_wrong):
        return []
    said = (
        why for why in (first.unscored_answers or first.unscored).values() if why not in ("no answer", "not annotated")
    )
    return Counter(one_line(why, 120) for why in said).most_common(most)


def _defined(score: Score) -> list[str]:
    return [m for m, value in score.values.items() if value is not None]


def _interval(score: Score, measure: str, ci: Bootstrap) -> Any:
    return bootstrap_interval(score, measure, n_resamples=ci.n_resamples, seed=ci.seed, groups=ci.groups)


def print_comparison(found: Comparison, *, matrix: str | None, published: bool) -> None:
    """Print a table for each score with what was published, then notes and what the runs took.

    Parameters
    ----------
    matrix : print this measure alone, for each label and run.
    published : show published numbers too.
    """
    console = _console()
    if matrix is not None:
        _matrices(console, found, matrix)
        return
    for name in found.measures:
        _score(console, found, name, published)
        if published:
            for source in dict.fromkeys(f"{v.source}: {v.note}" for v in found.published if v.score == name):
                console.print(f"* {source}", style="dim", markup=False, highlight=False)
        console.print()
    for line in found.notes:
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    console.print(_cost(found))
    tokens = [run.tokens for run in found.runs]
    if all(tokens) and max(tokens) > 1.25 * min(tokens):
        console.print(
            f"Token use differs: the largest run used {max(tokens) / min(tokens):.1f} times as many as the smallest."
        )


def _matrices(console: Console, found: Comparison, measure: str) -> None:
    """Tables by label for every score that has the measure: labels as rows, runs as columns."""
    printed = False
    for name in found.measures:
        cells: dict[str, dict[str, str]] = {}
        for run in found.runs:
            score = run.result.scores.get(name)
            for label, part in (score.parts.get("label", {}) if score is not None else {}).items():
                if measure in part.values:
                    cells.setdefault(label, {})[run.name] = _cell(part[measure])
        if cells:
            printed = True
            print_matrix(console, f"{name}: {measure} by label", cells, [run.name for run in found.runs])
    if not printed:
        raise InputError(
            f"--matrix: no score here has {measure!r} by label; name a score with --score, or another measure"
        )


def _score(console: Console, found: Comparison, name: str, published: bool) -> None:
    """One table, or as many as needed so that no number is cut."""
    measures = list(found.measures[name])
    while measures:
        n = len(measures)
        while n > 1 and not fits(console, _comparison(found, name, published, measures[:n])):
            n -= 1
        console.print(_comparison(found, name, published, measures[:n]))
        measures = measures[n:]


def _comparison(found: Comparison, name: str, published: bool, measures: Sequence[str]) -> Table:
    n_scored = sorted({run.result.scores[name].n_scored for run in found.runs if name in run.result.scores})
    least, most = n_scored[0], n_scored[-1]
    n_samples = max(found.n_samples, least)  # what was spent is of all samples asked
    fewer = "" if least >= n_samples else f", {least if least == most else f'{least} to {most}'} scored"
    table = Table(
        title=f"{name} ({n_samples} samples{fewer})", show_edge=False, header_style="bold", title_justify="left"
    )
    table.add_column("system")
    ranked = len(found.runs) > 1
    if ranked:
        table.add_column("rank", justify="right")
    for m in measures:
        table.add_column(m, justify="right")
        if len(found.runs) > 1:
            table.add_column("p", justify="right")
    table.add_column("n", justify="right")
    table.add_column("unreadable", justify="right")
    strict = any(run.n_unreadable or run.n_unreadable_answers for run in found.runs)
    for run in found.runs:
        if name not in run.result.scores:
            continue
        rank = [str(run.ranks.get(name, ""))] if ranked else []
        n = str(run.result.scores[name].n_scored)
        cells = _with_limits(run.intervals, run.against_first, name, measures, tested=ranked)
        table.add_row(run.name, *rank, *cells, n, str(run.n_unreadable))
        if strict:
            wrong = _with_limits(run.intervals_as_wrong, run.against_first_as_wrong, name, measures, tested=ranked)
            n = str(run.n_as_wrong.get(name, ""))
            table.add_row("  unreadable as wrong", *([""] if ranked else []), *wrong, n, "as wrong")
    if published:
        _add_published(table, found, name, measures)
    return table


def _with_limits(
    intervals: Mapping[tuple[str, str], Interval],
    tests: Mapping[tuple[str, str], PairedTest],
    name: str,
    measures: Sequence[str],
    *,
    tested: bool,
) -> list[str]:
    """Cells with the values of a score and their intervals; ``tested``, each is followed by its p-value."""
    cells = []
    for m in measures:
        interval, test = intervals[name, m], tests.get((name, m))
        limits = "" if interval.value is None else limits_of(interval.low, interval.high)
        cells.append(_cell(interval.value) + limits)
        if tested:
            cells.append("" if test is None or test.p_value is None else f"{test.p_value:.4f}")
    return cells


def _add_published(table: Table, found: Comparison, name: str, measures: Sequence[str]) -> None:
    rows: dict[str, dict[str, float]] = {}
    for value in found.published:
        if value.score == name and value.measure in measures:
            rows.setdefault(value.system, {})[value.measure] = value.value
    if rows:
        table.add_section()
    for system, values in rows.items():
        cells = []
        for m in measures:
            cells += [_cell(values[m]) if m in values else "", *([""] if len(found.runs) > 1 else [])]
        table.add_row(f"{system} *", *([""] if len(found.runs) > 1 else []), *cells, style="dim")


def _cost(found: Comparison) -> Table:
    table = Table(show_edge=False, header_style="bold")
    table.add_column("what it took", overflow="fold")
    for name in ("rows", "calls", "tokens", "tokens a row", "x first", "US dollars", "unscored"):
        table.add_column(name, justify="right")
    for run in found.runs:
        usage, n = run.took.usage, run.took.n
        ratio = f"{run.tokens / found.runs[0].tokens:.2f}" if found.runs[0].tokens else ""
        cost = "" if usage.cost is None else f"{usage.cost:.4f}"
        mean = f"{run.tokens / n:.0f}" if n else ""
        table.add_row(run.name, str(n), str(usage.calls), str(run.tokens), mean, ratio, cost, str(run.n_unscored))
    return table

"""Builds reports of runs: scores with intervals, labels, confusion, calibration, cost, and all records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from fallax.core.types import NO_FALLACY, GoldSpan, Report, ReportAnswer, ReportRecord, Score, Span, Table, View
from fallax.data import stats
from fallax.metrics import Interval, PairedTest
from fallax.runs.base import Benchmark, Row
from fallax.runs.compare import Compared, Comparison, compare_runs
from fallax.runs.folder import read_rows, read_run
from fallax.runs.runner import options_of
from fallax.runs.scoring import benchmark_of

__all__ = ["build_report"]

_NOTHING = "(nothing)"
_BINS = 10


def build_report(
    paths: Sequence[str | Path], *, n_resamples: int = 10_000, seed: int = 0, max_records: int | None = None
) -> Report:
    """The report of one or more runs of one benchmark.

    Parameters
    ----------
    paths : run folders; the first is what the others are tested against.
    n_resamples, seed : of intervals and tests.
    max_records : show only the first N records; scores and tables are of all.

    Raises
    ------
    RunError
        As :func:`~fallax.runs.compare.compare_runs`.
    """
    benchmark = benchmark_of(read_run(paths[0]))
    found = compare_runs(
        paths, scores=["all"], n_resamples=n_resamples, seed=seed, benchmark=benchmark, must_share=False
    )
    tables = [*_scores(found), *_printed(found)]
    tables += _by_part(found, benchmark)
    tables += _own(found, benchmark)
    tables += [table for run in found.runs if (table := _confusion(run, benchmark)) is not None]
    tables += [table for run in found.runs if (table := _calibration(run, benchmark)) is not None]
    tables += _cooccurrence(found.runs[0].path, benchmark)
    tables.append(_cost(found))
    records, left_out = _records(found.runs, benchmark, max_records)
    options = ", ".join(f"{k} {v}" for k, v in options_of(found.runs[0].result.run).items())
    return Report(
        f"{found.benchmark}: {', '.join(run.name for run in found.runs)}",
        f"{benchmark.about}{f' ({options})' if options else ''}",
        tuple(run.result.run["signature"] for run in found.runs),
        tuple(tables),
        records,
        left_out,
    )


def _scores(found: Comparison) -> Iterable[Table]:
    """One table for all scores with the same measures."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for name, measures in found.measures.items():
        groups.setdefault(measures, []).append(name)
    if len(found.runs) > 1:
        note = f"Over the {found.n_samples} samples that all systems answered, with 95 % intervals."
        note += f" p: paired test against {found.runs[0].name}."
    else:
        note = f"Over {found.n_samples} samples, with 95 % intervals."
    note = " ".join([note, *(f"{line}." for line in found.notes)])
    for measures, names in groups.items():
        rows = [
            row
            for name in names
            for run in found.runs
            if name in run.result.scores
            for row in _score_rows(
                run, name, measures, with_wrong=any(r.n_unreadable or r.n_unreadable_answers for r in found.runs)
            )
        ]
        yield Table("Scores", ("score", "system", "rank", *measures, "n", "unscored", "unreadable"), tuple(rows), note)


def _score_rows(
    run: Compared, name: str, measures: Sequence[str], *, with_wrong: bool
) -> Iterable[tuple[str | int | None, ...]]:
    """The values of a run; ``with_wrong``, a second row, which ranks, with unreadable replies as wrong."""
    score = run.result.scores[name]
    cells = _with_limits(run.intervals, run.against_first, name, measures)
    yield (name, run.name, run.ranks.get(name), *cells, score.n_scored, score.n_unscored, run.n_unreadable)
    if with_wrong:
        wrong = _with_limits(run.intervals_as_wrong, run.against_first_as_wrong, name, measures)
        n = run.n_as_wrong.get(name)
        yield (name, f"{run.name}, unreadable as wrong", None, *wrong, n, None, "as wrong")


def _with_limits(
    intervals: Mapping[tuple[str, str], Interval],
    tests: Mapping[tuple[str, str], PairedTest],
    name: str,
    measures: Sequence[str],
) -> Iterable[str | None]:
    """The values of a score with their intervals and p-values; None where undefined."""
    for m in measures:
        interval, test = intervals[name, m], tests.get((name, m))
        if interval.value is None:
            yield None
            continue
        cell = f"{interval.value:.3f}"
        if interval.low is not None and interval.high is not None:
            cell += f" [{interval.low:.3f}, {interval.high:.3f}]"
        yield cell if test is None or test.p_value is None else f"{cell}, p {test.p_value:.3f}"


def _printed(found: Comparison) -> list[Table]:
    """A table as in papers: one row per system, one column for each score's last measure (F1 if it has one)."""
    columns = {name: "f1" if "f1" in measures else measures[0] for name, measures in found.measures.items()}
    rows: dict[tuple[str, str], dict[str, float]] = {}
    sources: dict[str, None] = {}
    for value in found.published:
        if value.measure == columns.get(value.score):
            rows.setdefault((value.system, value.note), {})[value.score] = value.value
            sources[value.source] = None
    shown = [name for name in columns if any(name in values for values in rows.values())]
    if not shown:
        return []
    table = Table(
        "Printed elsewhere",
        ("system", *(f"{name} {columns[name]}" for name in shown), "note"),
        tuple((system, *(values.get(name) for name in shown), note) for (system, note), values in rows.items()),
        f"{'; '.join(sources)}.",
    )
    return [table]


def _by_part(found: Comparison, benchmark: Benchmark) -> list[Table]:
    """F1 (or the first measure) by label, and the benchmark's own measure by source with their mean.

    Where replies were unreadable, a second column counts them as wrong.
    """
    name, measure = benchmark.primary
    runs = [run for run in found.runs if name in run.result.scores]
    scores: list[Score] = [run.result.scores[name] for run in runs]
    tables = []
    for kind in ("label", "source"):
        keys = sorted({key for score in scores for key in score.parts.get(kind, {})})
        if not keys:
            continue
        shown = "f1" if "f1" in scores[0].values and kind == "label" else measure
        columns: list[tuple[str, list[float | None]]] = []
        for run, score in zip(runs, scores, strict=True):
            parts = [score.parts.get(kind, {}).get(key) for key in keys]
            columns.append((run.name, [None if p is None else p.values.get(shown) for p in parts]))
            if any(p is not None and p.wrong_records for p in parts):
                wrong = [None if p is None else p.values_with_unreadable.get(shown) for p in parts]
                columns.append((f"{run.name}, unreadable as wrong", wrong))
        rows: list[tuple[str | float | None, ...]] = [
            (key, *(values[i] for _, values in columns)) for i, key in enumerate(keys)
        ]
        note = ""
        if kind == "source" and len(keys) > 1:
            rows.append(("mean of the sources", *(_mean(values) for _, values in columns)))
            note = "The mean weighs every source the same, as leaderboards do; it is undefined where one of them is."
        heads = (kind, *(run for run, _ in columns))
        tables.append(Table(f"{shown} by {kind} ({name})", heads, tuple(rows), note, heat=True))
    return tables


def _own(found: Comparison, benchmark: Benchmark) -> list[Table]:
    """The benchmark's own tables; a table that is the same for all runs is shown once."""
    by = [(run.name, benchmark.tables(read_rows(run.path, epoch=0), run.result.scores)) for run in found.runs]
    shared = set.intersection(*({(t.title, t.rows) for t in tables} for _, tables in by))
    own = [t for t in by[0][1] if (t.title, t.rows) in shared]
    return own + [
        replace(t, title=f"{t.title}: {name}") for name, tables in by for t in tables if (t.title, t.rows) not in shared
    ]


def _mean(values: Sequence[float | None]) -> float | None:
    known = [v for v in values if v is not None]
    return sum(known) / len(known) if known and len(known) == len(values) else None


def _overlap(a: Span | GoldSpan, b: Span | GoldSpan) -> int:
    return max(0, min(a.end, b.end) - max(a.start, b.start))


def _pairs(view: View) -> Iterable[tuple[str, str]]:
    """(gold label, predicted label) of each predicted passage, and of each gold passage without overlap."""
    gold, said = view.gold or (), view.predicted or ()
    for span in said:
        best = max(gold, key=lambda g: _overlap(g, span), default=None)
        if best is None or not _overlap(best, span):
            yield _NOTHING, span.label
        else:
            yield (span.label if span.label in best.labels else best.labels[0]), span.label
    for g in gold:
        if NO_FALLACY not in g.labels and not any(_overlap(g, span) for span in said):
            yield g.labels[0], _NOTHING


def _confusion(run: Compared, benchmark: Benchmark) -> Table | None:
    """The confusion of overlapping passages, or of classes for a classification."""
    counts: Counter[tuple[str, str]] = Counter()
    note = "Rows are gold, columns predicted."
    views = (benchmark.view(row) for row in _answered(run.path))
    first = next(iter(_answered(run.path)), None)
    if first is not None and benchmark.view(first).predicted is not None:
        counts.update(pair for view in views for pair in _pairs(view))
        note += " A predicted passage counts with the gold passage it overlaps most; of alternatives the one that fits."
    else:
        score = run.result.scores.get(benchmark.primary[0])
        for key, n in (score.sums if score is not None else {}).items():
            gold, separator, pred = key.partition("\t")
            if separator:
                counts[gold, pred] += int(n)
    if not counts:
        return None
    golds = sorted({g for g, _ in counts}, key=lambda x: (x == _NOTHING, x))
    preds = sorted({p for _, p in counts}, key=lambda x: (x == _NOTHING, x))
    rows = tuple((g, *(counts[g, p] or "" for p in preds)) for g in golds)
    return Table(f"Confusion: {run.name}", ("gold", *preds), rows, note)


def _calibration(run: Compared, benchmark: Benchmark) -> Table | None:
    """How often passages of each confidence overlap a gold passage, and one with the same label."""
    bins: list[list[tuple[float, bool, bool]]] = [[] for _ in range(_BINS)]
    for row in _answered(run.path):
        view = benchmark.view(row)
        for span in view.predicted or ():
            if span.confidence is not None:
                near = [g for g in view.gold or () if _overlap(g, span) and NO_FALLACY not in g.labels]
                hit = (span.confidence, bool(near), any(span.label in g.labels for g in near))
                bins[min(int(span.confidence * _BINS), _BINS - 1)].append(hit)
    rows = tuple(
        (
            f"{i / _BINS:.1f} – {(i + 1) / _BINS:.1f}",
            sum(c for c, _, _ in found) / len(found),
            sum(a for _, a, _ in found) / len(found),
            sum(b for _, _, b in found) / len(found),
            len(found),
        )
        for i, found in enumerate(bins)
        if found
    )
    columns = ("confidence", "mean confidence", "overlaps gold", "with its label", "passages")
    return Table(f"Calibration: {run.name}", columns, rows) if rows else None


def _cooccurrence(path: Path, benchmark: Benchmark) -> list[Table]:
    """Labels that occur together on one gold passage (figure 2 of MAFALDA)."""
    records = [record for row in read_rows(path, epoch=0) if (record := benchmark.gold_record(row)) is not None]
    if not records:
        return []
    found = stats(records)
    names = [n for n in found.cooccurrence if found.cooccurrence[n]]
    if not names:
        return []
    columns = sorted({other for name in names for other in found.cooccurrence[name]})
    rows = tuple((name, *(found.cooccurrence_rate(name, c) or None for c in columns)) for name in sorted(names))
    note = "Of the gold passages with the row's label, the share that also has the column's as an alternative."
    return [Table("Labels that go together in gold", ("label", *columns), rows, note, heat=True)]


def _cost(found: Comparison) -> Table:
    rows = []
    for run in found.runs:
        counts, usage = run.took, run.took.usage
        ratio = run.tokens / found.runs[0].tokens if found.runs[0].tokens else None
        rows.append(
            (run.name, counts.n, counts.unreadable, counts.error, run.n_unscored, usage.calls, usage.prompt_tokens,
             usage.completion_tokens, ratio, usage.cost)
        )  # fmt: skip
    columns = (
        "system", "rows asked", "unreadable", "failed", "unscored of all", "calls", "prompt tokens", "answer tokens",
        "tokens, times the first", "US dollars",
    )  # fmt: skip
    return Table("What it took", columns, tuple(rows))


def _answered(path: Path) -> Iterable[Row]:
    return (row for row in read_rows(path, epoch=0) if row.status == "ok")


def _records(runs: Sequence[Compared], benchmark: Benchmark, limit: int | None) -> tuple[tuple[ReportRecord, ...], int]:
    order: dict[str, list[ReportAnswer]] = {}
    left_out: set[str] = set()
    for run in runs:
        for row in read_rows(run.path, epoch=0):
            if row.id not in order and limit is not None and len(order) >= limit:
                left_out.add(row.id)
                continue
            answer = ReportAnswer(run.name, benchmark.view(row), row.status, row.reason, row.replies)
            order.setdefault(row.id, []).append(answer)
    return tuple(ReportRecord(id, tuple(answers)) for id, answers in order.items()), len(left_out)

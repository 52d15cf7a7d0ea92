"""Checks of recorded runs against a threshold or another run."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from fallax.errors import InputError, RunError, one_line
from fallax.gate.checks import CheckResult, against
from fallax.gate.intervals import depended_on, sure_interval
from fallax.metrics import Measure, PairedTest
from fallax.runs.base import Benchmark
from fallax.runs.compare import Compared, compare_runs
from fallax.runs.drawing import FEW
from fallax.runs.folder import read_rows, read_run
from fallax.runs.measures import main_measure, measure_of
from fallax.runs.scoring import benchmark_of, expected_rows, groups_of, score_run

__all__ = ["check_run"]

#: With fewer samples (or groups) no paired randomisation test has a p-value below .05, however large the difference is.
_LEAST = 6
#: With fewer, runs that are alike say little about further samples.
_LEAST_ALIKE = FEW


class _Of(NamedTuple):
    """What is checked: a measure of a score of a benchmark."""

    benchmark: Benchmark
    score: str
    measure: str
    about: Measure


def check_run(
    run: str | Path,
    *,
    baseline: str | Path | None = None,
    score: str | None = None,
    measure: str | None = None,
    at_least: float | None = None,
    at_most: float | None = None,
    margin: float = 0.0,
    repeats: int = 1,
    n_resamples: int = 10_000,
    seed: int = 0,
    benchmark: Any = None,
) -> list[CheckResult]:
    """Check a recorded run against a threshold, another run of the same benchmark, or both.

    Parameters
    ----------
    run, baseline : folders of finished runs.
    score : of the benchmark; by default its main one.
    measure : of the score; by default the one by which ``fallax bench compare`` ranks.
    at_least, at_most : thresholds of the measure, in its range.
    margin : how much worse than the baseline is allowed, >= 0: lower, or higher where lower is better.
    repeats : how often each sample must have been asked (``bench run --epochs``); a chat model does not say the
        same twice.
    n_resamples, seed : of the 95 % bootstrap intervals, which resample what the benchmark drew: records, or documents.
        See :func:`~fallax.gate.intervals.sure_interval` for an interval without width.
    benchmark : by default the one that the run names.

    Raises
    ------
    InputError
        If there is nothing to hold it against, a threshold is not in the range of the measure, or the run was asked
        fewer times.
    RunError
        If a run is not finished.

    Notes
    -----
    A run passes only if it does so too with every sample counted as wrong whose reply could not be read or whose model
    failed; else it is undecided. So is one that leaves more samples without an answer than its baseline, one against a
    baseline over fewer than 6 samples (or groups), and one over fewer than 20 that does not differ from its baseline.
    Samples are counted that the measure depends on, such as those without a fallacy for the false positive rate.
    """
    if at_least is None and at_most is None and baseline is None:
        raise InputError(f"at_least, at_most, baseline: {run} must be compared with something, got none of them")
    if not (math.isfinite(margin) and margin >= 0):
        raise InputError(f"margin must be a number of 0 or more, got {margin:g}")
    found = read_run(run)
    if found["epochs"] < repeats:
        raise InputError(
            f"{run}: each sample must have been asked {repeats} times, got {found['epochs']}; use bench run --epochs"
        )
    bench = benchmark or benchmark_of(found)
    new = _Run(Path(run))
    settings: dict[str, Any] = {
        "benchmark": bench, "scores": (score,) if score else (), "n_resamples": n_resamples, "seed": seed
    }  # fmt: skip
    alone = compare_runs([run], **settings)
    (name, known), *_ = alone.measures.items()
    chosen = measure or main_measure(bench, known)
    if chosen not in known:
        raise InputError(f"measure {one_line(chosen, 40)!r}: score {name!r} has {', '.join(known)}")
    of = _Of(bench, name, chosen, measure_of(bench, name, alone.runs[0].result.scores[name], chosen))
    results = []
    for option, threshold in (("at_least", at_least), ("at_most", at_most)):
        if threshold is not None:
            _check_threshold(option, threshold, of)
            results.append(_against_threshold(new, alone.runs[0], of, threshold, at_least=option == "at_least"))
    if baseline is not None:
        results.append(_against_baseline(new, _Run(Path(baseline)), of, margin, settings))
    return results


class _Run:
    """A finished run, and which of its answers are missing.

    Raises
    ------
    RunError
        If a sample was not asked.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.ids: set[str] = set()
        #: What a score calls the missing answers, by id or with the number of the epoch -> the sample.
        self.lost: dict[str, str] = {}
        n = 0
        for row in read_rows(path):
            n += 1
            self.ids.add(row.id)
            if row.status in ("error", "unreadable"):
                self.lost |= dict.fromkeys((row.id, f"{row.id} (epoch {row.epoch})"), row.id)
        whole = expected_rows(read_run(path))
        if n < whole:
            raise RunError(
                f"{path}: must be a finished run, got {n} of {whole} rows; continue it with: fallax bench resume {path}"
            )

    def with_lost(self, of: _Of, ids: Collection[str]) -> float | None:
        """The value over some samples with missing answers as wrong; None where the score does not count them."""
        result = score_run(self.path, ids=ids, benchmark=of.benchmark, failed_as_unreadable=True)
        score = result.scores.get(of.score)
        if score is None:
            return None
        unscored = {self.lost[i] for i in (*score.unscored, *score.unscored_answers) if i in self.lost}
        if not unscored <= score.wrong_records.keys():
            return None
        return score.values_with_unreadable[of.measure]


def _check_threshold(option: str, value: float, of: _Of) -> None:
    high = math.inf if of.about.high is None else of.about.high
    if not (math.isfinite(value) and of.about.low <= value <= high):
        ends = [f"{word} {end:g}" for word, end in (("from", of.about.low), ("to", high)) if math.isfinite(end)]
        raise InputError(f"{option} must be a value of {of.measure}{''.join(f' {e}' for e in ends)}, got {value:g}")


def _against_threshold(new: _Run, compared: Compared, of: _Of, threshold: float, *, at_least: bool) -> CheckResult:
    score, interval = compared.result.scores[of.score], compared.intervals[of.score, of.measure]
    low, high = sure_interval(interval, score, of.about, groups_of(of.benchmark, new.path))
    outcome = against(low, high, threshold, at_least=at_least)
    notes = [f"{compared.n_unscored} samples without a scored answer"] if compared.n_unscored else []
    if outcome == "pass" and new.lost:
        wrong = _moved(low, high, interval.value, new.with_lost(of, new.ids))
        if against(*wrong, threshold, at_least=at_least) != "pass":
            what = f"{notes[0]}; with them" if notes else "with unreadable and failed answers"
            outcome, notes = "undecided", [f"{what} counted as wrong the run would not pass"]
    said = f"{'at least' if at_least else 'at most'} {threshold:g}"
    title = f"{new.path}: {of.score} {of.measure}"
    return CheckResult(title, outcome, interval.value, low, high, said, tuple(notes))


def _against_baseline(new: _Run, old: _Run, of: _Of, margin: float, settings: Mapping[str, Any]) -> CheckResult:
    runs = compare_runs([old.path, new.path], **{**settings, "scores": (of.score,)}).runs
    test = runs[-1].against_first.get((of.score, of.measure))
    value, low, high = (None, None, None) if test is None else (test.difference, test.low, test.high)
    more_is_better = of.about.higher_is_better
    allowed = -margin if margin and more_is_better else margin
    outcome = against(low, high, allowed, at_least=more_is_better)
    groups = groups_of(of.benchmark, old.path, new.path)
    scores = [run.result.scores[of.score] for run in runs if of.score in run.result.scores]
    notes = []
    if reason := _not_compared(test, min(depended_on(score, of.measure, groups) for score in scores)):
        outcome, notes = "undecided", [reason]
    if outcome == "pass" and new.lost:
        ids = new.ids & old.ids
        strict = [run.with_lost(of, ids) for run in (new, old)]
        change = None if strict[0] is None or strict[1] is None else strict[0] - strict[1]
        if against(*_moved(low, high, value, change), allowed, at_least=more_is_better) != "pass":
            outcome = "undecided"
            notes.append("with unreadable and failed answers counted as wrong the run would not pass")
    more = runs[-1].n_unscored - runs[0].n_unscored
    if more > 0:
        notes.append(f"{more} samples more than the baseline have no scored answer")
        outcome = "undecided" if outcome == "pass" else outcome
    said = f"{'at least' if more_is_better else 'at most'} {allowed:g}"
    title = f"{new.path}: {of.score} {of.measure}, less {old.path}"
    return CheckResult(title, outcome, value, low, high, said, tuple(notes))


def _not_compared(test: PairedTest | None, n: int) -> str:
    """Why a comparison cannot decide, such as too few of the samples that its measure depends on; "" where it can."""
    if test is None:
        return "nothing to compare: the baseline is the run itself, or its score is over other samples"
    least = _LEAST_ALIKE if test.low == test.high == 0 else _LEAST
    which = f", those that {test.measure} depends on," * (n < test.n_records)
    return f"{n} samples or groups{which} are too few to compare, {least} are needed" * (n < least)


def _moved(
    low: float | None, high: float | None, value: float | None, other: float | None
) -> tuple[float | None, float | None]:
    """An interval moved from one value to another."""
    if low is None or high is None or value is None or other is None:
        return None, None
    return low + other - value, high + other - value

"""Runs of one benchmark side by side: values with intervals, paired tests, what each took, and what was published."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fallax.bench.base import Benchmark, PublishedValue
from fallax.bench.folder import read_rows, read_run
from fallax.bench.scoring import RunScores, benchmark_of, score_run
from fallax.errors import RunError, UnknownNameError
from fallax.metrics import Interval, PairedTest, bootstrap_interval, paired_test

__all__ = ["Compared", "Comparison", "compare_runs", "system_label"]


@dataclass(frozen=True, slots=True)
class Compared:
    """One run of a comparison.

    Parameters
    ----------
    path : its folder.
    name : its system, with what tells it apart from the others.
    result : its scores over the samples that all runs answered.
    intervals : (score, measure) -> interval of the value.
    against_first : (score, measure) -> paired test against the first run; empty for that one.
    n_unscored : samples of this run, of all it has, that it did not answer.
    """

    path: Path
    name: str
    result: RunScores
    intervals: Mapping[tuple[str, str], Interval]
    against_first: Mapping[tuple[str, str], PairedTest]
    n_unscored: int

    @property
    def tokens(self) -> int:
        """Tokens of prompts and answers."""
        usage = self.result.counts.usage
        return usage.prompt_tokens + usage.completion_tokens

    def to_dict(self, first: Compared) -> dict[str, Any]:
        """The run as JSON values."""
        counts = self.result.counts
        scores: dict[str, dict[str, Any]] = {}
        for (score, measure), interval in self.intervals.items():
            test = self.against_first.get((score, measure))
            scores.setdefault(score, {})[measure] = {
                "value": interval.value,
                "interval": interval.to_dict(),
                "against_first": None if test is None else test.to_dict(),
            }
        return {
            "path": str(self.path),
            "name": self.name,
            "signature": self.result.run["signature"],
            "scores": scores,
            "n_unscored": self.n_unscored,
            "usage": counts.usage.to_dict(),
            "tokens": self.tokens,
            "tokens_per_row": self.tokens / counts.n,
            "tokens_to_first": None if not first.tokens else self.tokens / first.tokens,
        }


@dataclass(frozen=True, slots=True)
class Comparison:
    """Runs side by side.

    Parameters
    ----------
    benchmark : its name.
    n_samples : how many samples all runs answered; only those are compared.
    measures : score -> the measures shown.
    runs : in the order given.
    published : what was printed for the scores shown.
    """

    benchmark: str
    n_samples: int
    measures: Mapping[str, tuple[str, ...]]
    runs: tuple[Compared, ...]
    published: tuple[PublishedValue, ...]

    def to_dict(self) -> dict[str, Any]:
        """The comparison as JSON values."""
        return {
            "benchmark": self.benchmark,
            "n_samples": self.n_samples,
            "runs": [run.to_dict(self.runs[0]) for run in self.runs],
            "published": [value.to_dict() for value in self.published],
        }


def compare_runs(
    paths: Sequence[str | Path],
    *,
    scores: Sequence[str] = (),
    n_resamples: int = 10_000,
    seed: int = 0,
    benchmark: Benchmark | None = None,
) -> Comparison:
    """Compare runs of one benchmark over the samples that all of them answered.

    Parameters
    ----------
    paths : run folders; each is tested against the first.
    scores : names of scores of the benchmark; by default its primary one, and ``("all",)`` for every one that all runs
        have.
    n_resamples, seed : of intervals and tests.
    benchmark : by default the one that the runs name.

    Raises
    ------
    RunError
        If the runs are not of one benchmark with the same options, or have no answered sample in common.
    UnknownNameError
        If a score is named that not every run has.
    """
    runs = {Path(path): read_run(path) for path in paths}
    if not runs:
        raise RunError("runs to compare must be named, got none")
    first, *others = runs
    for path in others:
        for what in ("benchmark", "options"):
            if runs[path][what] != runs[first][what]:
                raise RunError(
                    f"{path}: runs that are compared must have the same {what}, got {runs[path][what]!r} here and"
                    f" {runs[first][what]!r} in {first}"
                )
    bench = benchmark or benchmark_of(runs[first])
    answered = {path: _answered(path) for path in runs}
    common = frozenset.intersection(*(ids for ids, _ in answered.values()))
    if not common:
        raise RunError(f"runs that are compared must have answered samples in common, {first} and the others have none")
    results = {path: score_run(path, ids=common, benchmark=bench) for path in runs}
    shared = [n for n in results[first].scores if all(n in r.scores for r in results.values())]
    wanted = list(scores) or [bench.primary[0]]
    wanted = shared if wanted == ["all"] else wanted
    for name in wanted:
        if name not in shared:
            raise UnknownNameError("score", name, shared, where=f"benchmark {bench.name!r}")
    measures = {name: tuple(results[first].scores[name].values) for name in wanted}
    names = _names(runs)
    compared = tuple(
        Compared(
            path,
            names[path],
            result,
            {
                (name, m): bootstrap_interval(result.scores[name], m, n_resamples=n_resamples, seed=seed)
                for name in wanted
                for m in measures[name]
            },
            {
                (name, m): paired_test(
                    result.scores[name], results[first].scores[name], m, n_resamples=n_resamples, seed=seed
                )
                for name in wanted
                for m in measures[name]
            }
            if path != first
            else {},
            answered[path][1],
        )
        for path, result in results.items()
    )
    printed = tuple(v for v in bench.published() if v.score in wanted)
    return Comparison(bench.name, len(common), measures, compared, printed)


def system_label(run: Mapping[str, Any]) -> str:
    """The system of a run for people: of a recording the name of its model or file, not the whole path.

    Examples
    --------
    >>> system_label({"system": {"name": "recorded:/data/outputs", "model_options": {"model": "gpt-3.5"}}})
    'recorded:gpt-3.5'
    """
    name = str(run["system"]["name"])
    kind, separator, rest = name.partition(":")
    if separator and kind in ("recorded", "scripted"):
        return f"{kind}:{run['system']['model_options'].get('model') or Path(rest).name}"
    return name


def _answered(path: Path) -> tuple[frozenset[str], int]:
    """The samples that a run answered in all of its epochs, and how many it did not."""
    bad: set[str] = set()
    seen: set[str] = set()
    for row in read_rows(path):
        seen.add(row.id)
        if row.status != "ok":
            bad.add(row.id)
    return frozenset(seen - bad), len(bad)


def _names(runs: Mapping[Path, Mapping[str, Any]]) -> dict[Path, str]:
    """The system of each run; with its protocol, and then its folder, where that alone tells two apart."""
    found = {path: system_label(run) for path, run in runs.items()}
    protocols = {path: str(run["system"]["protocol"] or "") for path, run in runs.items()}
    for more in (protocols, {path: path.name for path in runs}):
        known = list(found.values())
        found = {p: f"{n} ({more[p]})" if known.count(n) > 1 and more[p] else n for p, n in found.items()}
    return found

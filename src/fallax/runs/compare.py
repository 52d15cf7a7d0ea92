"""Compares runs of one benchmark: intervals, paired tests, resources and published values."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from fallax.core.types import Score, Signature
from fallax.errors import InputError, RunError, UnknownNameError
from fallax.metrics import Interval, PairedTest, bootstrap_interval, paired_test
from fallax.runs.base import Benchmark, PublishedValue, Row
from fallax.runs.drawing import FEW, drawn_note, fewer_notes, n_groups
from fallax.runs.folder import RowCounts, read_rows, read_run
from fallax.runs.measures import main_measure, measure_of
from fallax.runs.scoring import RunScores, benchmark_of, expected_rows, groups_of, score_run

__all__ = ["Compared", "Comparison", "compare_runs", "system_label"]


#: The samples of a run that it answered, those that it did not, and which of these were unreadable.
_Answered: TypeAlias = tuple[frozenset[str], frozenset[str], frozenset[str]]


@dataclass(frozen=True, slots=True)
class Compared:
    """One run of a comparison.

    Parameters
    ----------
    path : its folder.
    name : its system, with what tells it apart from the others.
    result : its scores over the samples that are compared.
    intervals : (score, measure) -> interval of the value; undefined for a score that this run does not have.
    against_first : (score, measure) -> paired test against the first run, over the samples that both answered, whatever
        further runs did; empty for that one, and without a score that one of the two does not have or has over other
        records.
    n_unscored : samples of this run, of all it has, that it answered in no epoch.
    n_unreadable : those of them with a reply that could not be read.
    intervals_as_wrong : (score, measure) -> interval of the value that ranks: unreadable replies count as wrong, over
        all samples that every run answered, readably or not.
    against_first_as_wrong : (score, measure) -> paired test of that value, over the samples that both answered,
        readably or not.
    n_as_wrong : score -> how many records that value is over.
    n_tested, n_tested_as_wrong : how many samples the two kinds of tests are over; 0 for the first run.
    n_unscored_answers, n_unreadable_answers : the same of single answers, one for each epoch of a sample, to the
        samples that every run was asked.
    took : the rows of all samples that every run was asked, by status, with what they took, unreadable or not.
    ranks : score -> place among the runs, from 1, by the benchmark's main measure (the first, where a score lacks it)
        with unreadable replies as wrong; without scores that rank nobody.
    """

    path: Path
    name: str
    result: RunScores
    intervals: Mapping[tuple[str, str], Interval]
    against_first: Mapping[tuple[str, str], PairedTest]
    n_unscored: int
    n_unreadable: int = 0
    intervals_as_wrong: Mapping[tuple[str, str], Interval] = field(default_factory=dict)
    against_first_as_wrong: Mapping[tuple[str, str], PairedTest] = field(default_factory=dict)
    n_as_wrong: Mapping[str, int] = field(default_factory=dict)
    n_tested: int = 0
    n_tested_as_wrong: int = 0
    took: RowCounts = field(default_factory=RowCounts)
    ranks: Mapping[str, int] = field(default_factory=dict)

    @property
    def n_unscored_answers(self) -> int:
        """See the class."""
        return self.took.n - self.took.ok

    @property
    def n_unreadable_answers(self) -> int:
        """See the class."""
        return self.took.unreadable

    @property
    def tokens(self) -> int:
        """Prompt and completion tokens."""
        usage = self.took.usage
        return usage.prompt_tokens + usage.completion_tokens

    def to_dict(self, first: Compared) -> dict[str, Any]:
        """The run as JSON values."""
        scores: dict[str, dict[str, Any]] = {}
        for (score, measure), interval in self.intervals.items():
            if score not in self.result.scores:
                continue
            strict = self.intervals_as_wrong[score, measure]
            test, strict_test = (t.get((score, measure)) for t in (self.against_first, self.against_first_as_wrong))
            scores.setdefault(score, {})[measure] = {
                "value": interval.value,
                "with_unreadable_as_wrong": strict.value,
                "interval": interval.to_dict(),
                "interval_as_wrong": strict.to_dict(),
                "against_first": None if test is None else test.to_dict(),
                "against_first_as_wrong": None if strict_test is None else strict_test.to_dict(),
            }
        return {
            "path": str(self.path),
            "name": self.name,
            "signature": self.result.run["signature"],
            "scores": scores,
            "n_unscored": self.n_unscored,
            "n_unreadable": self.n_unreadable,
            "n_unscored_answers": self.n_unscored_answers,
            "n_unreadable_answers": self.n_unreadable_answers,
            "n_tested": self.n_tested,
            "n_tested_as_wrong": self.n_tested_as_wrong,
            "ranks": dict(self.ranks),
            **({} if self.result.cannot_name is None else {"cannot_name": self.result.cannot_name.to_dict()}),
            "n_rows": self.took.n,
            "usage": self.took.usage.to_dict(),
            "tokens": self.tokens,
            "tokens_per_row": self.tokens / self.took.n if self.took.n else None,
            "tokens_to_first": None if not first.tokens else self.tokens / first.tokens,
        }


@dataclass(frozen=True, slots=True)
class Comparison:
    """Runs side by side.

    Parameters
    ----------
    benchmark : its name.
    n_samples : how many samples all runs answered; only those are compared. Of one run alone, all it has.
    measures : score -> the measures shown.
    runs : in the order given.
    published : what was printed for the scores shown; nothing beside a run on data of the user's own.
    notes : lines that say which run is unfinished, what intervals draw, how many gold spans could not be used, which
        gold labels a system cannot name, which run lacks a score and why, and which scores are not tested.
    """

    benchmark: str
    n_samples: int
    measures: Mapping[str, tuple[str, ...]]
    runs: tuple[Compared, ...]
    published: tuple[PublishedValue, ...]
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The comparison as JSON values."""
        return {
            "benchmark": self.benchmark,
            "n_samples": self.n_samples,
            "runs": [run.to_dict(self.runs[0]) for run in self.runs],
            "published": [value.to_dict() for value in self.published],
            "notes": list(self.notes),
        }


def compare_runs(
    paths: Sequence[str | Path],
    *,
    scores: Sequence[str] = (),
    n_resamples: int = 10_000,
    seed: int = 0,
    benchmark: Benchmark | None = None,
    must_share: bool = True,
) -> Comparison:
    """Compare runs of one benchmark over the samples that all answered; a single run over all it has.

    Values and ranks are over samples that all runs have. A test is over those of its two runs, so that a further run
    does not change it.

    Parameters
    ----------
    paths : run folders; each is tested against the first.
    scores : names of scores of the benchmark; by default its primary one, and ``("all",)`` for every one that a run
        has.
    n_resamples, seed : of intervals and tests.
    benchmark : by default the one that the runs name.
    must_share : False: runs that have no answered sample in common are compared over none, and all is undefined.

    Raises
    ------
    InputError
        If samples have other texts or gold in two runs.
    RunError
        If the runs are not of one benchmark with the same options, have no answered sample in common, or all lack what
        a score is made of.
    UnknownNameError
        If a score is named that the benchmark does not have.
    """
    runs = _comparable(paths)
    first, *others = runs
    bench = benchmark or benchmark_of(runs[first])
    answered = {path: _answered(path) for path in runs}
    groups = groups_of(bench, *runs)
    common = frozenset.intersection(*(ids for ids, _, _ in answered.values())) if others else None
    if must_share and common is not None and not common:
        raise RunError(f"runs that are compared must have answered samples in common, {first} and the others have none")
    wider = frozenset.intersection(*(ok | lost for ok, _, lost in answered.values())) if others else None
    scored = _Scored(bench)
    asked = frozenset.intersection(*(ok | lost for ok, lost, _ in answered.values())) if others else None
    took = {path: scored(path, asked) for path in runs}
    results = {path: _with_cost(scored(path, common), took[path], bench) for path in runs}
    strict = {path: _with_cost(scored(path, wider), took[path], bench).scores for path in runs}
    measures = _wanted_measures(results.values(), scores, bench)
    wanted = list(measures)
    names = _names(runs)
    how = _Draws(n_resamples, seed, groups)
    keys = [(name, m) for name in wanted for m in measures[name]]
    pairs = {path: _Pair.of(answered[first], answered[path]) for path in others}
    compared = []
    for path, result in results.items():
        as_wrong = _as_wrong(strict[path])
        intervals = strict_intervals = {(name, m): how.interval(result.scores.get(name), m) for name, m in keys}
        if wider != common or _any_wrong(result):
            strict_intervals = {(name, m): how.interval(as_wrong.get(name), m) for name, m in keys}
        pair = pairs.get(path)
        if pair is not None:
            _check_gold(path, first, pair.all)
        tests, strict_tests = ({}, {}) if pair is None else _tests_of(pair, path, first, scored, how, keys, bench)
        one = Compared(
            path,
            names[path],
            result,
            intervals,
            tests,
            len(answered[path][1]),
            len(answered[path][2]),
            strict_intervals,
            strict_tests,
            {name: score.n_scored for name, score in as_wrong.items()},
            0 if pair is None else len(pair.answered),
            0 if pair is None else len(pair.asked),
            took[path].counts,
            {name: rank for name in wanted if (rank := _rank(result, path, name, strict, bench, measures[name]))},
        )
        compared.append(one)
    is_own = any(run["data"].get("own") for run in runs.values())
    printed = () if is_own else tuple(v for v in bench.published() if v.score in wanted)
    n_samples = sum(map(len, answered[first][:2])) if common is None else len(common)
    shown = frozenset().union(*answered[first][:2]) if common is None else common
    alike = {
        n_groups(groups, ids) or len(ids) for ids in (shown, *(ids for pair in pairs.values() for ids in pair[:2]))
    }
    tested = bool(others) and len(alike) == 1
    drawn = drawn_note(bench.drawn, groups, shown, tested=tested)
    fewer = _fewer(compared, wanted, bench.drawn, groups, shown, tested=tested)
    of_groups = groups is not None and not tested
    over = {names[p]: pair for p, pair in pairs.items() if of_groups or pair[:2] != (shown, wider)}
    of_tests = _test_notes(over, bench.drawn, groups)
    notes = (
        *_unfinished(compared, answered),
        *_unread(compared),
        *filter(None, [drawn, compared[0].result.bad_spans_note]),
        *(f"{one.name}: {note}" for one in compared if (note := one.result.cannot_name_note)),
        *of_tests,
        *fewer,
        *_notes(compared, wanted, bench.needs),
    )
    return Comparison(bench.name, n_samples, measures, tuple(compared), printed, notes)


def _comparable(paths: Sequence[str | Path]) -> dict[Path, dict[str, Any]]:
    """Run folder -> its ``run.json``; an error unless all are of one benchmark with the same options."""
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
    return runs


def _wanted_measures(
    results: Iterable[RunScores], scores: Sequence[str], bench: Benchmark
) -> dict[str, tuple[str, ...]]:
    """Score -> its measures, of the scores that are wanted; an error for one that no run has."""
    most = sorted(results, key=lambda r: -len(r.scores))
    known = {name: tuple(score.values) for result in most for name, score in result.scores.items()}
    wanted = list(scores) or [bench.primary[0]]
    wanted = list(known) if wanted == ["all"] else wanted
    for name in wanted:
        if name not in known and name in bench.needs:
            raise RunError(f"score {name!r}: must be one that a run has, all here are without {bench.needs[name]}")
        if name not in known:
            raise UnknownNameError("score", name, known, where=f"benchmark {bench.name!r}")
    return {name: known[name] for name in wanted}


class _Scored:
    """Scores runs over some of their samples; each once."""

    def __init__(self, benchmark: Benchmark) -> None:
        self._benchmark = benchmark
        self._known: dict[tuple[Path, frozenset[str] | None], RunScores] = {}

    def __call__(self, path: Path, ids: frozenset[str] | None) -> RunScores:
        if (path, ids) not in self._known:
            self._known[path, ids] = score_run(path, ids=ids, benchmark=self._benchmark)
        return self._known[path, ids]


class _Pair(NamedTuple):
    """The samples that two runs both answered, that both answered, readably or not, and that both have a row of."""

    answered: frozenset[str]
    asked: frozenset[str]
    all: frozenset[str]

    @classmethod
    def of(cls, one: _Answered, two: _Answered) -> _Pair:
        return cls(one[0] & two[0], (one[0] | one[2]) & (two[0] | two[2]), (one[0] | one[1]) & (two[0] | two[1]))


class _Draws(NamedTuple):
    """How intervals and tests are drawn."""

    n_resamples: int
    seed: int
    groups: Mapping[str, str] | None

    def interval(self, score: Score | None, measure: str) -> Interval:
        """The interval of a measure; undefined where there is no score, or no record in it."""
        if score is None or not score.records:
            return Interval(measure, None, None, None, 0.95, 0, self.n_resamples, 0, self.seed)
        return bootstrap_interval(score, measure, n_resamples=self.n_resamples, seed=self.seed, groups=self.groups)

    def tests(
        self, own: Mapping[str, Score], first: Mapping[str, Score], keys: Sequence[tuple[str, str]]
    ) -> dict[tuple[str, str], PairedTest]:
        """The tests of scores that can be compared record by record."""
        found = {}
        for name, m in keys:
            if _same_records(own.get(name), first.get(name)):
                a, b = _of_epochs(own[name], first[name])
                found[name, m] = paired_test(a, b, m, n_resamples=self.n_resamples, seed=self.seed, groups=self.groups)
        return found


_Tests: TypeAlias = dict[tuple[str, str], PairedTest]


def _tests_of(
    pair: _Pair,
    path: Path,
    first: Path,
    scored: _Scored,
    how: _Draws,
    keys: Sequence[tuple[str, str]],
    bench: Benchmark,
) -> tuple[_Tests, _Tests]:
    """The tests of a run against the first: over what both answered, and with unreadable replies as wrong."""
    own, base = (_with_cost(scored(p, pair.answered), scored(p, pair.all), bench) for p in (path, first))
    tests = how.tests(own.scores, base.scores, keys)
    if pair.asked == pair.answered and not _any_wrong(own) and not _any_wrong(base):
        return tests, tests
    wide = (_with_cost(scored(p, pair.asked), scored(p, pair.all), bench) for p in (path, first))
    strict_own, strict_base = (_as_wrong(one.scores) for one in wide)
    return tests, how.tests(strict_own, strict_base, keys)


def _with_cost(result: RunScores, took: RunScores, bench: Benchmark) -> RunScores:
    """Scores with those of what was spent over all samples asked: an unreadable reply is paid for, too."""
    return replace(result, scores={n: (took if n in bench.unranked else result).scores[n] for n in result.scores})


def _of_epochs(a: Score, b: Score) -> tuple[Score, Score]:
    """Two scores; where answers to scored samples are missing, without the hash of data, which is of one epoch."""
    if not a.unscored_answers and not b.unscored_answers:
        return a, b
    one, two = (replace(x, signature=Signature(x.signature.settings, x.n_scored)) for x in (a, b))
    return one, two


def _check_gold(path: Path, first: Path, ids: Collection[str]) -> None:
    """Raise InputError if samples of two runs have other texts or gold, also those that were not answered."""
    one, two = ({r.id: (r.gold, _texts(r)) for r in read_rows(p, epoch=0) if r.id in ids} for p in (path, first))
    shared = [(i, one[i], two[i]) for i in one.keys() & two.keys()]
    if odd := sorted(i for i, (g, a), (h, b) in shared if g != h or any(a[n] != b[n] for n in a.keys() & b.keys())):
        raise InputError(
            f"{path}: runs that are compared must have the same texts and gold, that of {odd[0]!r} differs from {first}"
        )


def _texts(row: Row) -> dict[str, int]:
    """The hashes of the texts that a system saw."""
    return {name: hash(value) for name, value in row.input.items() if isinstance(value, str)}


def _any_wrong(result: RunScores) -> bool:
    return any(score.wrong for score in result.scores.values())


def _as_wrong(scores: Mapping[str, Score]) -> dict[str, Score]:
    """The scores with unreadable replies as wrong; without those that do not know which records these are of."""
    return {n: score.with_unreadable() for n, score in scores.items() if score.wrong_records or not score.wrong}


def _same_records(a: Score | None, b: Score | None) -> bool:
    """Whether two scores can be compared record by record."""
    return a is not None and b is not None and bool(a.records) and a.records.keys() == b.records.keys()


def _unfinished(runs: Sequence[Compared], answered: Mapping[Path, _Answered]) -> Iterator[str]:
    """Which runs lack samples that they will have when they are finished."""
    for run in runs:
        there = sum(map(len, answered[run.path][:2]))
        whole = expected_rows(run.result.run) // int(run.result.run["epochs"])
        if there < whole:
            yield f"{run.name}: unfinished, {there} of {whole} samples"


def _unread(runs: Sequence[Compared]) -> Iterator[str]:
    """In which runs single replies could not be read about samples that are answered by other replies."""
    for run in runs:
        n, of = run.result.n_unread, run.result.n_replies
        if n:
            yield f"{run.name}: {n} of {of} replies to the samples that it answered could not be read"


def _fewer(
    runs: Sequence[Compared],
    names: Sequence[str],
    drawn: str,
    groups: Mapping[str, str] | None,
    ids: Collection[str],
    *,
    tested: bool,
) -> Iterator[str]:
    """Notes on scores over few groups; they name the runs where it is not the same in all that have the score."""
    found: dict[str, dict[str, list[str]]] = {}
    for run in runs:
        scored = {name: run.result.scores[name].records for name in names if name in run.result.scores}
        for name, note in fewer_notes(drawn, groups, ids, scored, tested=tested).items():
            found.setdefault(note, {}).setdefault(name, []).append(run.name)
    for note, where in found.items():
        listed = []
        for name, has in where.items():
            whole = len(has) == sum(name in run.result.scores for run in runs)
            listed.append(name if whole else f"{name} of {', '.join(has)}")
        yield f"{', '.join(listed)}: {note}"


def _test_notes(pairs: Mapping[str, _Pair], drawn: str, groups: Mapping[str, str] | None) -> Iterator[str]:
    """Over which samples each run is tested against the first, and which groups of them its tests draw."""
    for name, pair in pairs.items():
        note = f"{name}: tests are over the {len(pair.answered)} samples that it and the first run answered"
        if pair.asked != pair.answered:
            note += f", those with unreadable replies as wrong over {len(pair.asked)}"
        counts = [n_groups(groups, ids) for ids in pair[:2]]
        if 0 < max(counts) < max(map(len, pair[:2])):
            both = dict.fromkeys(f"{n} {drawn}" for n in counts)
            note += f"; they draw {' and '.join(both)}"
            if max(counts) < FEW:
                note += f", so that no p-value can be below {min(1.0, 2 / 2 ** max(counts)):.4f}"
        yield note


def _notes(runs: Sequence[Compared], names: Sequence[str], needs: Mapping[str, str]) -> Iterator[str]:
    """Notes: which runs lack a score and what they need for it, and which scores cover different records."""
    lacking: dict[tuple[str, str], list[str]] = {}
    for name in names:
        without = ", ".join(run.name for run in runs if name not in run.result.scores)
        if without:
            lacking.setdefault((without, needs.get(name, "anything to score")), []).append(name)
    for (without, need), scores in lacking.items():
        yield f"{', '.join(scores)}: not of {without}, without {need}"
    for name in names:
        of = [run.name for run in runs if name in run.result.scores and not run.result.scores[name].records]
        if of:
            yield f"{name} of {', '.join(of)}: undefined, since none of the samples at hand is scored"
        found = [run.result.scores[name].records.keys() for run in runs if name in run.result.scores]
        if any(ids != found[0] for ids in found):
            yield f"{name}: not over the same records in all runs, so they are not tested"


def system_label(run: Mapping[str, Any]) -> str:
    """The displayed name of a run's system; for a recording, the model or file name instead of the path.

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


def _answered(path: Path) -> _Answered:
    """The samples that a run answered, those it did not, and which of these were unreadable.

    A sample is answered if it was in one of its epochs, as in a score.
    """
    seen: dict[str, set[str]] = {}
    for row in read_rows(path):
        seen.setdefault(row.id, set()).add(row.status)
    bad = frozenset(id for id, found in seen.items() if "ok" not in found)
    return frozenset(seen) - bad, bad, frozenset(id for id in bad if "unreadable" in seen[id])


def _rank(
    result: RunScores,
    path: Path,
    name: str,
    strict: Mapping[Path, Mapping[str, Score]],
    bench: Benchmark,
    measures: Sequence[str],
) -> int | None:
    """The rank of a run, unreadable replies counted as wrong; None if its value is undefined."""
    if name in bench.unranked:
        return None
    measure = main_measure(bench, measures)
    values = {p: one[name].values_with_unreadable[measure] for p, one in strict.items() if name in one}
    own = values.get(path)
    if own is None:
        return None
    more = measure_of(bench, name, result.scores[name], measure).higher_is_better
    return 1 + sum(v is not None and (v > own if more else v < own) for v in values.values())


def _names(runs: Mapping[Path, Mapping[str, Any]]) -> dict[Path, str]:
    """The names of the systems, with protocol and then folder where needed to tell them apart."""
    found = {path: system_label(run) for path, run in runs.items()}
    protocols = {path: str(run["system"]["protocol"] or "") for path, run in runs.items()}
    for more in (protocols, {path: path.name for path in runs}):
        known = list(found.values())
        found = {p: f"{n} ({more[p]})" if known.count(n) > 1 and more[p] else n for p, n in found.items()}
    return found

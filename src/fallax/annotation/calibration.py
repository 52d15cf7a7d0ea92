"""Compares judges with people, from recorded verdicts and ratings."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from fallax.annotation.verdicts import AMBIGUOUS, Judged
from fallax.core.json_value import JsonValue
from fallax.errors import InputError, UnknownNameError
from fallax.metrics.agreement import Coefficient, RatingTable, agreement_of
from fallax.metrics.calibration import (
    AltTest,
    CalibrationEstimate,
    Resampler,
    alt_test,
    check_half_width,
    leave_one_out,
    prediction_powered,
    ratings_needed,
    rogan_gladen,
)

__all__ = ["CalibrationReport", "JudgeReport", "LabelRates", "calibration_report"]

_Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class LabelRates:
    """The rate of a label according to people and a judge, and the judge's rate after correction.

    Parameters
    ----------
    label : one label.
    people : mean share of people who give it, over the rated items.
    judge : share of all judged items to which the judge gives it.
    bias : judge minus people, on the items that both have.
    rogan_gladen, prediction_powered : corrected rates over all judged items.
    weight : of the judge in the latter.
    needed, needed_with_judge : items people must rate for the wanted interval, alone and with the judge.
    """

    label: str
    people: CalibrationEstimate
    judge: CalibrationEstimate
    bias: CalibrationEstimate
    rogan_gladen: CalibrationEstimate
    prediction_powered: CalibrationEstimate
    weight: float
    needed: int | None
    needed_with_judge: int | None


@dataclass(frozen=True, slots=True)
class JudgeReport(JsonValue):
    """The report on one judge.

    Parameters
    ----------
    name : of the judge.
    n_judged, n_rated, n_unread : items with a verdict, those that people rated too, and answers without a verdict.
    accuracy : agreement with the majority of the people; a tie gives its labels equal parts.
    alternatives : share of verdicts that somebody gave, or "ambiguous" where people differ.
    ceiling, leave_one_out, difference : a person against the majority of the others, the judge in that place, and the
        judge minus the person; None with one person.
    kappa, alpha : with the majority; and Krippendorff's alpha of people and judge together.
    by_agreement : how far people agreed -> accuracy.
    ambiguous : precision, recall of "ambiguous", against the items on which people differ; n is what it divides by.
    rates : by label.
    alt_test : None with fewer than two people.
    consistency : share of pairs of repeated verdicts that are equal.
    flips : (condition, condition) -> share of the items whose verdict changes.
    confusion : (people, judge) -> items.
    words : the verdict.
    """

    name: str
    n_judged: int
    n_rated: int
    n_unread: int
    accuracy: CalibrationEstimate
    alternatives: CalibrationEstimate
    ceiling: CalibrationEstimate | None
    leave_one_out: CalibrationEstimate | None
    difference: CalibrationEstimate | None
    kappa: Coefficient
    alpha: Coefficient
    by_agreement: Mapping[str, CalibrationEstimate]
    ambiguous: Mapping[str, CalibrationEstimate]
    rates: Sequence[LabelRates]
    alt_test: AltTest | None
    consistency: CalibrationEstimate | None
    flips: Mapping[tuple[str, str], CalibrationEstimate]
    confusion: Mapping[tuple[str, str], int]
    words: Sequence[str]

    json_names = (
        "name", "n_judged", "n_rated", "n_unread", "accuracy", "alternatives", "ceiling", "leave_one_out",
        "difference", "kappa", "alpha", "by_agreement", "ambiguous", "rates", "consistency", "words", "alt_test",
        "flips", "confusion",
    )  # fmt: skip
    json_pairs = (("flips", "conditions", "value"), ("confusion", "people judge", "n"))


@dataclass(frozen=True, slots=True)
class CalibrationReport(JsonValue):
    """The report on all judges, compared with people.

    Parameters
    ----------
    people : names.
    n_items, n_groups : rated items and the documents that intervals resample.
    labels : all of them.
    among_people : coefficients of agreement among people; None with one person.
    alternatives_ceiling : what somebody who picks one of the allowed labels at random would reach; below 1 where people
        allow several.
    judges : in the order given.
    half_width, seed, n_resamples : settings.
    labelled : number of rated items used for corrected rates; the others check them. None: all were used.
    """

    people: tuple[str, ...]
    n_items: int
    n_groups: int
    labels: tuple[str, ...]
    among_people: Mapping[str, Coefficient] | None
    alternatives_ceiling: CalibrationEstimate
    judges: Sequence[JudgeReport]
    half_width: float
    seed: int
    n_resamples: int
    labelled: int | None = None

    json_names = (
        "people", "labels", "n_items", "n_groups", "half_width", "seed", "n_resamples", "labelled",
        "among_people", "alternatives_ceiling", "judges",
    )  # fmt: skip


def calibration_report(
    judged: Judged,
    *,
    labels: Sequence[str] = (),
    epsilon: float = 0.2,
    half_width: float = 0.05,
    labelled: int | None = None,
    n_resamples: int = 1_000,
    seed: int = 0,
) -> CalibrationReport:
    """Compare judges with people.

    Parameters
    ----------
    judged : ratings and verdicts.
    labels : whose rates are corrected; by default all.
    epsilon : of the alternative annotator test, in [0, 1].
    half_width : of the wanted 95 % interval of a rate, for the number of ratings needed; above 0 and below 0.5.
    labelled : use the ratings of this many items, drawn with the seed, for the corrected rates, and treat the others as
        not rated; shows how far the correction can be trusted.
    n_resamples, seed : of the intervals, which resample documents.

    Raises
    ------
    InputError, UnknownNameError
        If a number is out of its range, or a label is not there.

    Examples
    --------
    >>> from fallax.annotation.verdicts import Verdict
    >>> people = {p: {"1": frozenset(["yes"]), "2": frozenset(["no"])} for p in ("ann", "bob")}
    >>> judge = [Verdict("1", "yes"), Verdict("2", "yes")]
    >>> report = calibration_report(Judged(people, {"model": judge}), n_resamples=0)
    >>> report.judges[0].accuracy.value, report.judges[0].ceiling.value
    (0.5, 1.0)
    """
    check_half_width(half_width)
    if not 0 <= epsilon <= 1:
        raise InputError(f"epsilon: must be in [0, 1], got {epsilon!r}")
    for label in labels:
        if label not in judged.labels:
            raise UnknownNameError("label", label, judged.labels)
    rated = [i for i in judged.items if any(i in own for own in judged.people.values())]
    if labelled is not None and not 2 <= labelled <= len(rated):
        raise InputError(f"labelled: must be 2 to {len(rated)}, the number of rated items, got {labelled}")
    resampler = Resampler([judged.groups.get(i, i) for i in rated], n_resamples=n_resamples, seed=seed)
    votes = judged.votes(rated)
    chosen = tuple(labels) or judged.labels
    reports = [
        _judge(judged, name, rated, votes, resampler, chosen, epsilon, half_width, labelled, n_resamples, seed)
        for name in judged.judges
    ]
    size = np.array([len(judged.allowed(i)) for i in rated], dtype=np.float64)
    return CalibrationReport(
        tuple(judged.people),
        len(rated),
        len(resampler.names),
        judged.labels,
        _among(judged, n_resamples, seed),
        resampler.ratio(1 / np.maximum(size, 1), np.ones(len(rated))),
        reports,
        half_width,
        seed,
        n_resamples,
        labelled,
    )


def _among(judged: Judged, n_resamples: int, seed: int) -> dict[str, Coefficient] | None:
    if len(judged.people) < 2:
        return None
    plain = all(len(x) == 1 for own in judged.people.values() for x in own.values())
    ratings = {p: {i: next(iter(x)) if plain else x for i, x in own.items()} for p, own in judged.people.items()}
    return agreement_of(
        RatingTable.of(ratings),
        level="nominal" if plain else "masi",
        n_resamples=n_resamples,
        seed=seed,
        groups=judged.groups,
    )


def _judge(
    judged: Judged,
    name: str,
    rated: Sequence[str],
    votes: _Floats,
    resampler: Resampler,
    labels: Sequence[str],
    epsilon: float,
    half_width: float,
    labelled: int | None,
    n_resamples: int,
    seed: int,
) -> JudgeReport:
    said = judged.answers(name)
    verdicts = judged.verdicts(name, rated)
    there = verdicts.sum(axis=1) > 0
    total = votes.sum(axis=0)
    majority = (total >= total.max(axis=1, keepdims=True) - 1e-9) & (total > 0)
    hit = (verdicts * majority).sum(axis=1) / np.maximum(1, majority.sum(axis=1)) * there
    n_there = there.astype(np.float64)
    accuracy = resampler.ratio(hit, n_there)
    disputed = np.array([judged.disputed(i) for i in rated])
    alternative = np.array(
        [
            float(disputed[k] if said[i] == AMBIGUOUS else said[i] in judged.allowed(i)) if i in said else 0.0
            for k, i in enumerate(rated)
        ]
    )
    several = len(judged.people) > 1
    loo = leave_one_out(votes, verdicts, resampler) if several else (None, None, None)
    if loo[0] is not None and loo[0].value is None:
        loo = (None, None, None)
    test = alt_test(votes, verdicts, list(judged.people), epsilon=epsilon) if several else None
    kappa, alpha = _chance_corrected(judged, said, rated, majority, n_resamples, seed)
    report = JudgeReport(
        name,
        len(said),
        int(there.sum()),
        judged.unread.get(name, 0),
        accuracy,
        resampler.ratio(alternative, n_there),
        loo[0],
        loo[1],
        loo[2],
        kappa,
        alpha,
        _by_agreement(judged, rated, hit, there, resampler),
        _ambiguous(said, rated, disputed, there, resampler),
        _rates(judged, name, rated, votes, labels, half_width, labelled, n_resamples, seed),
        test,
        _consistency(judged, name, n_resamples, seed),
        _flips(judged, name, n_resamples, seed),
        _confusion(judged, said, rated, majority),
        (),
    )
    return replace(report, words=_words(report, len(judged.people)))


def _chance_corrected(
    judged: Judged,
    said: Mapping[str, str],
    rated: Sequence[str],
    majority: NDArray[np.bool_],
    n_resamples: int,
    seed: int,
) -> tuple[Coefficient, Coefficient]:
    most = {i: judged.labels[int(row.argmax())] for i, row in zip(rated, majority, strict=True) if row.sum() == 1}
    table = RatingTable.of({"people": most, "judge": {i: v for i, v in said.items() if i in most}}) if most else None
    undefined = Coefficient("cohen_kappa", None)
    kappa = (
        agreement_of(table, names=["cohen_kappa"], n_resamples=n_resamples, seed=seed, groups=judged.groups)[
            "cohen_kappa"
        ]
        if table is not None
        else undefined
    )
    everybody = {f"person {p}": {i: _one(x) for i, x in own.items()} for p, own in judged.people.items()}
    both = RatingTable.of({**everybody, "judge": {i: v for i, v in said.items() if i in set(rated)}})
    alpha = agreement_of(both, names=["krippendorff_alpha"], n_resamples=n_resamples, seed=seed, groups=judged.groups)[
        "krippendorff_alpha"
    ]
    return kappa, alpha


def _one(labels: frozenset[str]) -> str:
    """A person's answer as one name; several alternatives become "ambiguous"."""
    plain = labels - {AMBIGUOUS}
    return next(iter(plain)) if len(plain) == 1 else AMBIGUOUS


def _by_agreement(
    judged: Judged, rated: Sequence[str], hit: _Floats, there: NDArray[np.bool_], resampler: Resampler
) -> dict[str, CalibrationEstimate]:
    kinds = []
    for item in rated:
        said = [_one(own[item]) for own in judged.people.values() if item in own]
        most = Counter(said).most_common(1)[0][1]
        marked = any(AMBIGUOUS in own[item] or len(own[item]) > 1 for own in judged.people.values() if item in own)
        if marked:
            kinds.append("people allow several labels")
        elif len(said) == 1:
            kinds.append("one person")
        elif most == len(said):
            kinds.append("all people agree")
        else:
            kinds.append("a majority" if most * 2 > len(said) else "no majority")
    order = ("all people agree", "a majority", "no majority", "one person", "people allow several labels")
    found = {}
    for kind in order:
        use = np.array([k == kind for k in kinds]) & there
        if use.any():
            found[kind] = resampler.ratio(hit * use, use.astype(np.float64))
    return found


def _ambiguous(
    said: Mapping[str, str],
    rated: Sequence[str],
    disputed: NDArray[np.bool_],
    there: NDArray[np.bool_],
    resampler: Resampler,
) -> dict[str, CalibrationEstimate]:
    if AMBIGUOUS not in said.values():
        return {}
    called = np.array([said.get(i) == AMBIGUOUS for i in rated], dtype=np.float64)
    both = called * disputed
    return {
        "precision": resampler.ratio(both, called),
        "recall": resampler.ratio(both, (disputed & there).astype(np.float64)),
    }


def _rates(
    judged: Judged,
    name: str,
    rated: Sequence[str],
    votes: _Floats,
    labels: Sequence[str],
    half_width: float,
    labelled: int | None,
    n_resamples: int,
    seed: int,
) -> list[LabelRates]:
    items = list(judged.answers(name))
    verdicts = judged.verdicts(name, items)
    place = {i: k for k, i in enumerate(rated)}
    known = np.array([i in place for i in items])
    if labelled is not None and known.sum() > labelled:
        kept = np.random.default_rng(seed).choice(np.nonzero(known)[0], labelled, replace=False)
        known = np.isin(np.arange(len(items)), kept)
    resampler = Resampler([judged.groups.get(i, i) for i in items], n_resamples=n_resamples, seed=seed)
    n_people = np.maximum(1, (votes.sum(axis=2) > 0).sum(axis=0))
    share = votes.sum(axis=0) / n_people[:, None]
    found = []
    for label in labels:
        k = judged.labels.index(label)
        judge = verdicts[:, k]
        people = np.array([share[place[i], k] if i in place else 0.0 for i in items])
        weights = known.astype(np.float64)
        if not known.any():
            continue
        powered, weight = prediction_powered(judge, people, known, resampler)
        alone, helped = ratings_needed(judge, people, known, half_width=half_width, weight=weight)
        found.append(
            LabelRates(
                label,
                resampler.ratio(people * weights, weights),
                resampler.ratio(judge, np.ones(len(items))),
                resampler.ratio((judge - people) * weights, weights),
                rogan_gladen(judge, people, known, resampler),
                powered,
                weight,
                alone,
                helped,
            )
        )
    return found


def _consistency(judged: Judged, name: str, n_resamples: int, seed: int) -> CalibrationEstimate | None:
    """Consistency: equal pairs among repeated verdicts of one item in one condition."""
    repeats: dict[tuple[str, str], list[str]] = {}
    for v in judged.judges[name]:
        repeats.setdefault((v.item, v.condition), []).append(v.label)
    equal: Counter[str] = Counter()
    pairs: Counter[str] = Counter()
    for (item, _), own in repeats.items():
        for a, b in itertools.combinations(own, 2):
            pairs[item] += 1
            equal[item] += a == b
    return _over_items(judged, equal, pairs, n_resamples, seed)


def _flips(judged: Judged, name: str, n_resamples: int, seed: int) -> dict[tuple[str, str], CalibrationEstimate]:
    by: dict[str, dict[str, Counter[str]]] = {}
    for v in judged.judges[name]:
        by.setdefault(v.condition, {}).setdefault(v.item, Counter())[v.label] += 1
    found = {}
    for a, b in itertools.combinations(sorted(by), 2):
        changed: Counter[str] = Counter()
        both: Counter[str] = Counter()
        for item in by[a].keys() & by[b].keys():
            both[item] = 1
            changed[item] = by[a][item].most_common(1)[0][0] != by[b][item].most_common(1)[0][0]
        one = _over_items(judged, changed, both, n_resamples, seed)
        if one is not None:
            found[a or "plain", b or "plain"] = one
    return found


def _over_items(
    judged: Judged, above: Mapping[str, int], below: Mapping[str, int], n_resamples: int, seed: int
) -> CalibrationEstimate | None:
    items = sorted(below)
    if not items:
        return None
    resampler = Resampler([judged.groups.get(i, i) for i in items], n_resamples=n_resamples, seed=seed)
    a, b = (np.array([float(x.get(i, 0)) for i in items]) for x in (above, below))
    return resampler.ratio(a, b)


def _confusion(
    judged: Judged, said: Mapping[str, str], rated: Sequence[str], majority: NDArray[np.bool_]
) -> dict[tuple[str, str], int]:
    found: Counter[tuple[str, str]] = Counter()
    for item, row in zip(rated, majority, strict=True):
        if item in said:
            people = judged.labels[int(row.argmax())] if row.sum() == 1 else "(tie)"
            found[people, said[item]] += 1
    return dict(sorted(found.items(), key=lambda x: (-x[1], x[0])))


def _words(r: JudgeReport, n_people: int) -> tuple[str, ...]:
    """The conclusions about a judge, in sentences."""
    found = []
    if r.ceiling is None or r.difference is None or r.difference.low is None or r.difference.high is None:
        if n_people < 2:
            found.append("Whether it is as good as a person cannot be said: one person rated, so there is no ceiling.")
    elif r.difference.low > 0:
        found.append("It agrees with the others better than a random person among them does.")
    elif r.difference.high < 0:
        found.append("It agrees with the others less than a random person among them does.")
    else:
        found.append("It cannot be distinguished from a random person.")
    if r.alt_test is not None:
        share = f"{100 * r.alt_test.winning_rate:.0f} % of the people (epsilon {r.alt_test.epsilon:g})"
        passed = "passes" if r.alt_test.passed else "does not pass"
        found.append(f"It {passed} the alternative annotator test: it may stand in for {share}.")
        if r.alt_test.warning:
            found.append(f"That test means little here: {r.alt_test.warning}.")
    biased = [
        x for x in r.rates if x.bias.low is not None and x.bias.high is not None and (x.bias.low > 0 or x.bias.high < 0)
    ]
    for x in biased[:3]:
        more = "more" if (x.bias.value or 0) > 0 else "less"
        found.append(f"It says {x.label!r} {more} often than people, by {100 * abs(x.bias.value or 0):.1f} points.")
    if not biased:
        found.append("No label is given clearly more or less often than by people.")
    if r.consistency is not None and r.consistency.value is not None and r.consistency.value < 1:
        found.append(f"Asked again, it says the same in {100 * r.consistency.value:.1f} % of the pairs.")
    for (a, b), flip in r.flips.items():
        if flip.value:
            found.append(f"From {a} to {b} it changes {100 * flip.value:.1f} % of its verdicts.")
    return tuple(found)

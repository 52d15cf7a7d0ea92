"""Judges compared with people: human ceiling, corrected rates, and the alternative annotator test.

Everything works on arrays: ``votes`` (people, items, labels) has the weight of each label in a person's answer (1 for a
plain label, 1/k each for k alternatives, 0 throughout where somebody did not rate), ``verdicts`` (items, labels) the
same for a judge. Intervals resample groups of items (documents).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from fallax.core.json_value import JsonValue
from fallax.errors import InputError
from fallax.metrics.intervals import check_draws, divided

__all__ = [
    "AltTest",
    "CalibrationEstimate",
    "Resampler",
    "alt_test",
    "calibration_error",
    "calibration_error_by_chance",
    "check_half_width",
    "leave_one_out",
    "prediction_powered",
    "ratings_needed",
    "rogan_gladen",
]

_Floats: TypeAlias = NDArray[np.float64]
_Ints: TypeAlias = NDArray[np.int64]
_Bools: TypeAlias = NDArray[np.bool_]


def calibration_error(
    said: _Floats, right: _Floats, weights: _Floats | None = None, *, bins: int = 10, equal_mass: bool = False
) -> float:
    """The expected calibration error: how far confidences are off, on average over bins, in [0, 1].

    Parameters
    ----------
    said, right, weights : shape (n,): confidences in [0, 1], 1.0 where right, and how much each counts (None: 1).
    bins : how many.
    equal_mass : bins with equally many confidences, instead of bins of equal width.

    Returns
    -------
    float
        The mean of |confidence - share right| over bins, weighted by what lies in each; 0 without any.

    References
    ----------
    Guo et al. (2017). On calibration of modern neural networks, equation 3.

    Examples
    --------
    >>> calibration_error(np.array([0.9, 0.9]), np.array([1.0, 0.0]))
    0.4
    """
    weights = np.ones(len(said)) if weights is None else weights
    at = np.clip((said * bins).astype(int), 0, bins - 1)
    if equal_mass:
        # equal confidences share a bin
        at = (
            np.searchsorted(np.quantile(said, np.linspace(0, 1, bins + 1)[1:-1]), said, side="right")
            if len(said)
            else at
        )
    total = float(weights.sum())
    # the weight of a bin times the gap of its means is the gap of its weighted sums
    gaps = np.abs(np.bincount(at, weights * (said - right), minlength=bins))
    return round(float(gaps.sum()) / total, 6) if total else 0.0


def calibration_error_by_chance(said: _Floats, *, n_draws: int = 500, seed: int = 0) -> float:
    """The calibration error that confidences have on average if they are exactly right: what few of them cost.

    The expected calibration error is never 0 on a sample, since in each bin chance moves the share that is right. An
    error that is not above this one is no sign of wrong confidences.

    Parameters
    ----------
    said : shape (n,): confidences in [0, 1].
    n_draws : how often it is drawn, for each confidence by itself, whether it is right.
    seed : of the draws.

    Returns
    -------
    float
        The mean of :func:`calibration_error` over the draws, with its default bins, in [0, 1]; 0 without any.

    Raises
    ------
    InputError
        If there is not at least one draw.

    References
    ----------
    Bröcker and Smith (2007). Increasing the reliability of reliability diagrams: consistency resampling.

    Examples
    --------
    >>> calibration_error_by_chance(np.full(25, 0.5)) > 0.05 > calibration_error_by_chance(np.full(2500, 0.5))
    True
    """
    if n_draws < 1:
        raise InputError(f"n_draws must be at least 1, got {n_draws}")
    rng = np.random.default_rng(seed)
    drawn = (calibration_error(said, (rng.random(len(said)) < said).astype(float)) for _ in range(n_draws))
    return round(sum(drawn) / n_draws, 6)


@dataclass(frozen=True, slots=True)
class CalibrationEstimate(JsonValue):
    """A value with its percentile interval; None where undefined."""

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0


class Resampler:
    """Resamples groups of items; the same seed gives the same resamples.

    Parameters
    ----------
    groups : (items,) the group of each item, as any hashable names.
    n_resamples : draws; 0 for no intervals.
    seed : of the draws.

    Examples
    --------
    >>> resampler = Resampler(["d1", "d1", "d2"], n_resamples=200, seed=1)
    >>> resampler.ratio(np.array([1.0, 0.0, 1.0]), np.ones(3))
    CalibrationEstimate(value=0.6666666666666666, low=0.5, high=1.0, n=3)
    """

    def __init__(self, groups: Sequence[str], *, n_resamples: int = 1_000, seed: int = 0) -> None:
        check_draws(n_resamples, seed)
        self.names, index = np.unique(np.asarray(groups), return_inverse=True)
        self.index: _Ints = index.astype(np.int64)
        n = len(self.names)
        rng = np.random.default_rng(seed)
        drawn = rng.integers(n, size=(n_resamples, n)) + np.arange(n_resamples)[:, None] * n
        counts = np.bincount(drawn.ravel(), minlength=n_resamples * n).reshape(n_resamples, n)
        self.weights: _Floats = counts.astype(np.float64)

    def sums(self, values: _Floats) -> _Floats:
        """The sum over all items, then over each resample, shape (draws + 1,)."""
        per_group = np.bincount(self.index, values, minlength=len(self.names))
        found: _Floats = np.concatenate([[per_group.sum()], self.weights @ per_group])
        return found

    def ratio(self, above: _Floats, below: _Floats) -> CalibrationEstimate:
        """Ratio of two sums over items."""
        return self.estimate(divided(self.sums(above), self.sums(below)), int((below != 0).sum()))

    @staticmethod
    def estimate(values: _Floats, n: int) -> CalibrationEstimate:
        """The first value, with the interval of the others."""
        if math.isnan(values[0]):
            return CalibrationEstimate(None, n=n)
        drawn = values[1:][~np.isnan(values[1:])]
        low, high = np.quantile(drawn, (0.025, 0.975)).tolist() if len(drawn) else (None, None)
        return CalibrationEstimate(float(values[0]), low, high, n)


def _credit(answer: _Floats, others: _Floats) -> _Floats:
    """Agreement of answers with the majority of the others: shared labels divided by the larger set."""
    most = others.max(axis=-1, keepdims=True)
    winners = (others >= most - 1e-9) & (most > 0)
    chosen = answer > 0
    shared = (winners & chosen).sum(axis=-1)
    found: _Floats = shared / np.maximum(1, np.maximum(winners.sum(axis=-1), chosen.sum(axis=-1)))
    return found


def leave_one_out(
    votes: _Floats, verdicts: _Floats, resampler: Resampler
) -> tuple[CalibrationEstimate, CalibrationEstimate, CalibrationEstimate]:
    """Each person, and the judge in that person's place, against the majority of the others.

    Parameters
    ----------
    votes : (people, items, labels).
    verdicts : (items, labels) of the judge.

    Returns
    -------
    ceiling, judge, difference : the mean over all pairs of a person and an item that others rated too, and the judge
        judged. A tie among the others gives the tied labels equal parts of one point.

    Examples
    --------
    >>> yes, no, none = [1.0, 0.0], [0.0, 1.0], [0.0, 0.0]
    >>> votes = np.array([[yes, no], [yes, no], [yes, yes]])
    >>> ceiling, judge, _ = leave_one_out(votes, np.array([yes, yes]), Resampler(["1", "2"], n_resamples=0))
    >>> ceiling.value, judge.value
    (0.6666666666666666, 0.6666666666666666)
    """
    rated = votes.sum(axis=2) > 0
    judged = verdicts.sum(axis=1) > 0
    total = votes.sum(axis=0)
    people, judge, cases = np.zeros(len(judged)), np.zeros(len(judged)), np.zeros(len(judged))
    for own, there in zip(votes, rated, strict=True):
        others = total - own
        use = there & judged & (others.sum(axis=1) > 1e-9)
        people += np.where(use, _credit(own, others), 0.0)
        judge += np.where(use, _credit(verdicts, others), 0.0)
        cases += use
    below = resampler.sums(cases)
    n = int((cases > 0).sum())
    values = [divided(resampler.sums(x), below) for x in (people, judge, judge - people)]
    ceiling, of_judge, difference = (resampler.estimate(v, n) for v in values)
    return ceiling, of_judge, difference


@dataclass(frozen=True, slots=True)
class AltTest(JsonValue):
    """The result of the alternative annotator test.

    Parameters
    ----------
    winning_rate : share of the people whom the judge may replace; the judge passes at 0.5 or more.
    advantage : mean probability that the judge is at least as close to the others as the person left out.
    p_values : person -> p of the one-sided test.
    rejected : person -> True where the judge may replace him or her (Benjamini-Yekutieli at ``q``).
    epsilon, q : cost advantage of the judge, and false discovery rate.
    n_items : person -> items.
    warning : why the result means little, or "".
    """

    winning_rate: float
    advantage: float
    p_values: dict[str, float]
    rejected: dict[str, bool]
    epsilon: float
    q: float
    n_items: dict[str, int]
    warning: str = ""

    json_names = ("winning_rate", "advantage", "p_values", "rejected", "epsilon", "q", "n_items", "warning", "passed")

    @property
    def passed(self) -> bool:
        """True if the judge may replace at least half of the people."""
        return self.winning_rate >= 0.5


def alt_test(
    votes: _Floats, verdicts: _Floats, names: Sequence[str], *, epsilon: float = 0.2, q: float = 0.05
) -> AltTest | None:
    """The alternative annotator test: may a judge replace people (Calderon et al. 2025)?

    Parameters
    ----------
    votes, verdicts : as in :func:`leave_one_out`.
    names : of the people.
    epsilon : how much worse a judge may be since it costs less: 0.2 for experts, 0.15 skilled people, 0.1 a crowd.
    q : false discovery rate over people.

    Returns
    -------
    AltTest or None
        None with fewer than two people who rated the same items.

    Notes
    -----
    For person j and item i, S(f, i, j) is the mean agreement of the judge with the other people, S(j, i) that of
    person j with them. W_f is 1 where S(f) >= S(j), W_h where S(j) >= S(f). H0: mean of W_h - W_f is at least epsilon;
    a one-sided t-test of the paired differences.

    References
    ----------
    Calderon, Reichart, Dror (2025). The alternative annotator test for LLM-as-a-judge, section 3.

    Examples
    --------
    >>> yes, no = [1.0, 0.0], [0.0, 1.0]
    >>> votes = np.array([[yes, no] * 20, [yes, no] * 20, [yes, yes] * 20])
    >>> found = alt_test(votes, np.array([yes, no] * 20), ["ann", "bob", "cid"])
    >>> found.passed, found.winning_rate, round(found.advantage, 2)
    (True, 1.0, 1.0)
    """
    from scipy.stats import ttest_1samp

    rated = votes.sum(axis=2) > 0
    judged = verdicts.sum(axis=1) > 0
    p_values: dict[str, float] = {}
    advantages, n_items = [], {}
    for j, name in enumerate(names):
        others = [k for k in range(len(names)) if k != j]
        n_others = rated[others].sum(axis=0)
        use = rated[j] & judged & (n_others > 0)
        if use.sum() < 2:
            continue
        total = votes[others].sum(axis=0)[use] / n_others[use, None]
        of_judge, of_person = (verdicts[use] * total).sum(axis=1), (votes[j][use] * total).sum(axis=1)
        wins = (of_judge >= of_person - 1e-12).astype(np.float64)
        losses = (of_person >= of_judge - 1e-12).astype(np.float64)
        d = losses - wins
        if np.ptp(d) == 0:
            p = 0.0 if d[0] < epsilon else 1.0
        else:
            p = float(ttest_1samp(d, epsilon, alternative="less").pvalue)
        p_values[name] = p
        advantages.append(float(wins.mean()))
        n_items[name] = int(use.sum())
    if not p_values:
        return None
    rejected = _benjamini_yekutieli(p_values, q)
    warnings = []
    if len(p_values) < 3:
        warnings.append(f"the test wants at least three people, there are {len(p_values)}")
    if min(n_items.values()) < 30:
        warnings.append(f"the t-test needs at least 30 items per person, one person has {min(n_items.values())}")
    return AltTest(
        sum(rejected.values()) / len(rejected),
        math.fsum(advantages) / len(advantages),
        p_values,
        rejected,
        epsilon,
        q,
        n_items,
        "; ".join(warnings),
    )


def _benjamini_yekutieli(p_values: dict[str, float], q: float) -> dict[str, bool]:
    ordered = sorted(p_values.items(), key=lambda x: x[1])
    m = len(ordered)
    harmonic = math.fsum(1 / i for i in range(1, m + 1))
    last = max((i for i, (_, p) in enumerate(ordered, start=1) if p <= i * q / (m * harmonic)), default=0)
    passed = {name for name, _ in ordered[:last]}
    return {name: name in passed for name in p_values}


def rogan_gladen(judge: _Floats, people: _Floats, known: _Bools, resampler: Resampler) -> CalibrationEstimate:
    """Estimate the rate of a label among all items from the judge's rate and its errors where people rated.

    Parameters
    ----------
    judge : (items,) 1 where the judge gives the label, else 0.
    people : (items,) share of the people who give it; used where ``known``. A share counts as that much of an item.
    known : (items,) True where people rated.

    Returns
    -------
    CalibrationEstimate
        Clipped to [0, 1]; None where the judge is no better than chance (sensitivity + specificity = 1), since nothing
        can be corrected then.

    Notes
    -----
    (rate of the judge + specificity - 1) / (sensitivity + specificity - 1), with all three from each draw.

    References
    ----------
    Rogan, Gladen (1978). Estimating prevalence from the results of a screening test.

    Examples
    --------
    >>> judge, people = np.array([1.0, 1, 1, 0, 0, 0, 1, 0]), np.array([1.0, 1, 0, 0, 0, 0, 0, 0])
    >>> known = np.array([True] * 6 + [False] * 2)
    >>> rogan_gladen(judge, people, known, Resampler(list("abcdefgh"), n_resamples=0)).value
    0.3333333333333333
    """
    k = known.astype(np.float64)
    true = np.where(known, people, 0.0)
    sensitivity = divided(resampler.sums(k * true * judge), resampler.sums(k * true))
    false = resampler.sums(k * (1 - true))
    specificity = divided(resampler.sums(k * (1 - true) * (1 - judge)), false)
    rate = divided(resampler.sums(judge), resampler.sums(np.ones(len(judge))))
    youden = sensitivity + specificity - 1
    values = np.where(youden > 1e-9, np.clip(divided(rate + specificity - 1, youden), 0, 1), np.nan)
    return resampler.estimate(values, len(judge))


def prediction_powered(
    judge: _Floats, people: _Floats, known: _Bools, resampler: Resampler
) -> tuple[CalibrationEstimate, float]:
    """Estimate a label's rate from the judge's answers on all items and its error where people rated.

    Parameters
    ----------
    judge, people, known : as in :func:`rogan_gladen`.

    Returns
    -------
    estimate, weight : the mean over the rated items of people - w * judge, plus w times the mean of the judge over the
        items that nobody rated; w is chosen for the least variance (PPI++) and kept over the draws. Where people rated
        everything, it is their own rate, and w is 0.

    References
    ----------
    Angelopoulos et al. (2023). Prediction-powered inference; (2023b) PPI++, proposition 2.

    Examples
    --------
    >>> judge, people = np.array([1.0, 0, 1, 0, 1, 1, 0, 0]), np.array([1.0, 0, 0, 0, 0, 0, 0, 0])
    >>> known = np.array([True] * 4 + [False] * 4)
    >>> found, weight = prediction_powered(judge, people, known, Resampler(list("abcdefgh"), n_resamples=0))
    >>> round(found.value, 3), round(weight, 3)
    (0.25, 0.25)
    """
    n, rest = int(known.sum()), int((~known).sum())
    if n == 0:
        raise InputError("prediction-powered inference: at least one item must be rated by people, got none")
    weight = 0.0
    if rest and n > 1:
        variance = float(judge.var())
        covariance = float(np.cov(people[known], judge[known])[0, 1]) * (n - 1) / n
        weight = float(np.clip(covariance / ((1 + n / rest) * variance), 0, 1)) if variance > 0 else 0.0
    k, u = known.astype(np.float64), (~known).astype(np.float64)
    values = divided(resampler.sums(k * (np.where(known, people, 0.0) - weight * judge)), resampler.sums(k))
    if weight:
        values = values + weight * divided(resampler.sums(u * judge), resampler.sums(u))
    return resampler.estimate(values, len(judge)), weight


def check_half_width(half_width: float) -> None:
    """Check half the width of an interval of a rate.

    Raises
    ------
    InputError
        If it is not above 0 and below 0.5.
    """
    if not 0 < half_width < 0.5:
        raise InputError(f"half_width: must be above 0 and below 0.5, got {half_width!r}")


def ratings_needed(
    judge: _Floats, people: _Floats, known: _Bools, *, half_width: float = 0.05, weight: float = 0.0
) -> tuple[int | None, int | None]:
    """Number of items people must rate for a 95 % interval of +- ``half_width``, with and without the judge.

    Parameters
    ----------
    judge, people, known : as in :func:`rogan_gladen`; the variances are those seen now, and items count as independent.
    half_width : of the interval of a rate, above 0 and below 0.5.
    weight : of the judge, as :func:`prediction_powered` gives it.

    Returns
    -------
    alone, helped : None where no number is enough (too few items are judged for that width).

    Raises
    ------
    InputError
        If ``half_width`` is not above 0 and below 0.5.

    Examples
    --------
    >>> people = np.array([1.0, 0.0] * 50)
    >>> ratings_needed(people, people, np.ones(100, dtype=bool), half_width=0.1)
    (97, 97)
    """
    check_half_width(half_width)
    z = 1.959963984540054
    target = (half_width / z) ** 2
    alone = math.ceil(float(people[known].var()) / target)
    left = target - weight**2 * float(judge.var()) / len(judge)
    rest = float((people[known] - weight * judge[known]).var())
    helped = math.ceil(rest / left) if left > 0 else None
    return alone, helped

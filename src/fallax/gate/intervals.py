"""Intervals that decide a gate, also where all that was measured is alike."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from fallax.core.types import FORMULAS, Score
from fallax.metrics import Interval, Measure
from fallax.metrics.base import Sums, add_up
from fallax.runs.drawing import FEW

__all__ = ["depended_on", "sure_interval", "wilson"]

_Z = 1.959964

#: Measures that are as sure as the classes they are a mean of.
_OVER_CLASSES = ("balanced_accuracy", "macro_precision", "macro_recall", "macro_f1", "krippendorff_alpha")


def wilson(n_hits: int, n: int) -> tuple[float, float]:
    """The 95 % Wilson interval of a proportion (Wilson 1927, 10.1080/01621459.1927.10502953); n > 0.

    Examples
    --------
    >>> tuple(round(x, 3) for x in wilson(5, 10)), wilson(0, 10)[0]
    ((0.237, 0.763), 0.0)
    """
    z = _Z
    share = n_hits / n
    middle = share + z * z / (2 * n)
    half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    return max(0.0, (middle - half) / scale), min(1.0, (middle + half) / scale)


def sure_interval(
    interval: Interval, score: Score, about: Measure, groups: Mapping[str, str] | None = None
) -> tuple[float | None, float | None]:
    """The ends of a bootstrap interval; of one without width, those that few records allow.

    A bootstrap draws only what was seen. Where that is all alike, a share u of all there is may still be unlike it: u
    is the upper end of the Wilson interval of 0 in n, where n counts the records (or groups) that the measure depends
    on. The interval then reaches from the value by u of the way to each end of the measure's range. Of a proportion
    that is its Wilson interval.

    Parameters
    ----------
    interval : of a measure of the score.
    score : with its records.
    about : the measure; one without an end keeps its interval, or has none with fewer than 20 records (or groups).
    groups : record -> what was drawn, as for the bootstrap.

    Examples
    --------
    >>> from fallax.metrics import Classification, bootstrap_interval
    >>> score = Classification().corpus_score(pred=["a", "b"], gold=["a", "b"])
    >>> found = bootstrap_interval(score, "accuracy")
    >>> tuple(round(x, 3) for x in sure_interval(found, score, Classification.measures["accuracy"]))
    (0.342, 1.0)
    """
    value, low, high = interval.value, interval.low, interval.high
    if interval.n_records == 1 and groups is None:
        low = high = value  # the bootstrap of one record is undefined, as it would have no width
    if value is None or low is None or high is None or low < high:
        return low, high
    if about.high is None or math.isinf(about.low):
        return (low, high) if interval.n_records >= FEW else (None, None)
    unlike = _unlike(score, interval.measure, _drawn(score, groups))
    return value - unlike * (value - about.low), value + unlike * max(0.0, about.high - value)


def depended_on(score: Score, measure: str, groups: Mapping[str, str] | None = None) -> int:
    """How many records (or groups) a measure depends on: those on which it is defined.

    A mean over two classes depends on those of the smaller one. One over more classes depends on as many as make a
    proportion as sure as the classes make the mean, so that one rare class does not decide.

    Parameters
    ----------
    score, groups : as for :func:`sure_interval`.
    measure : of the score.

    Examples
    --------
    >>> from fallax.metrics import TwoClass
    >>> score = TwoClass(positive="a", negative="b").corpus_score(pred=["a"] * 30, gold=["a"] * 28 + ["b"] * 2)
    >>> depended_on(score, "accuracy"), depended_on(score, "fnr"), depended_on(score, "fpr")
    (30, 28, 2)
    >>> depended_on(score, "balanced_accuracy")
    2
    """
    drawn = _drawn(score, groups)
    sizes = _sizes(score, measure, drawn)
    if len(sizes) == 2:
        return min(sizes)
    unlike = _unlike(score, measure, drawn)
    return round(_Z * _Z * (1 / unlike - 1))


def _drawn(score: Score, groups: Mapping[str, str] | None) -> list[Sums]:
    """The sums of each group that is drawn; of each record where records are."""
    members: dict[tuple[bool, str], list[Sums]] = {}
    for id, sums in score.records.items():
        key = (False, id) if groups is None or id not in groups else (True, groups[id])
        members.setdefault(key, []).append(sums)
    return [add_up(found) for found in members.values()]


def _unlike(score: Score, measure: str, drawn: Sequence[Sums]) -> float:
    """At most which share may be unlike what was drawn; over classes the mean of their shares."""
    if sizes := _sizes(score, measure, drawn):
        return math.fsum(wilson(0, n)[1] for n in sizes) / len(sizes)
    formula = FORMULAS[score.formula]
    n = sum(formula({**dict.fromkeys(score.sums, 0.0), **sums})[measure] is not None for sums in drawn)
    return wilson(0, n)[1] if n else 1.0


def _sizes(score: Score, measure: str, drawn: Sequence[Sums]) -> Collection[int]:
    """How often each class was drawn that a measure is a mean over; nothing for other measures."""
    if measure not in _OVER_CLASSES:
        return ()
    return Counter(name for sums in drawn for name in _classes(score.formula, sums)).values()


def _classes(formula: str, sums: Sums) -> set[str]:
    """The gold classes of what the sums count."""
    if formula == "multiclass":
        return {key.partition("\t")[0] for key, n in sums.items() if n}
    return {"positive" if key in ("tp", "fn") else "negative" for key in ("tp", "fn", "fp", "tn") if sums.get(key)}

"""Bootstrap intervals and paired significance tests over the sums of each record."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from fallax.core.json_value import JsonValue
from fallax.core.types import FORMULAS, Score
from fallax.errors import InputError, UnknownNameError
from fallax.metrics.base import check_choice, some_ids

__all__ = ["Interval", "PairedTest", "bootstrap_interval", "check_draws", "divided", "paired_test"]

_Floats: TypeAlias = npt.NDArray[np.float64]
#: Numbers held at once while resampling; bounds memory, and is part of what makes a seed repeat.
_BLOCK = 1 << 22


def divided(a: _Floats, b: _Floats) -> _Floats:
    """Quotients; NaN where the divisor is 0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        found: _Floats = np.where(np.abs(b) > 1e-12, a / b, np.nan)
    return found


@dataclass(frozen=True, slots=True)
class Interval(JsonValue):
    """A percentile bootstrap interval of one measure.

    Parameters
    ----------
    measure, value : the measure and its value over all records; None where it is undefined.
    low, high : the interval; None if no resample was defined, or if the measure, or the part, is about one record (or
        group) alone: draws are then alike, which says nothing about others.
    level : its coverage, 0.95 for 95 %.
    n_records : how many records (or groups of them) were resampled.
    n_resamples, n_undefined : resamples drawn, and those for which the measure was undefined (left out).
    seed : repeats the interval exactly.
    """

    measure: str
    value: float | None
    low: float | None
    high: float | None
    level: float
    n_records: int
    n_resamples: int
    n_undefined: int
    seed: int

    def __str__(self) -> str:
        if self.value is None or self.low is None or self.high is None:
            return f"{self.measure}=undefined"
        return f"{self.measure}={self.value:.3f} [{self.low:.3f}, {self.high:.3f}]"


@dataclass(frozen=True, slots=True)
class PairedTest(JsonValue):
    """The result of a paired test of two systems on the same records.

    Parameters
    ----------
    measure, a, b : the measure and its two values; None where undefined.
    difference : ``a - b``.
    low, high, level : percentile interval of the difference from a paired bootstrap.
    p_value : two-sided; how often chance alone gives a difference at least as large. None if it is undefined.
    method : "randomisation" or "bootstrap".
    n_records : how many records both scored, or how many groups of them.
    n_resamples : resamples drawn for the interval, and for a p-value that is not exact.
    n_undefined : swaps or resamples of the p-value with an undefined difference (counted as at least as large, so that
        they never make a difference look surer).
    n_undefined_interval : undefined resamples of the interval, left out.
    seed : repeats all of it exactly.
    is_exact : whether the p-value counts every possible swap once, and does not depend on the seed.
    """

    measure: str
    a: float | None
    b: float | None
    difference: float | None
    low: float | None
    high: float | None
    level: float
    p_value: float | None
    method: str
    n_records: int
    n_resamples: int
    n_undefined: int
    n_undefined_interval: int
    seed: int
    is_exact: bool = False

    def __str__(self) -> str:
        if self.difference is None or self.low is None or self.high is None or self.p_value is None:
            return f"{self.measure}: undefined"
        return f"{self.measure}: {self.difference:+.3f} [{self.low:+.3f}, {self.high:+.3f}], p={self.p_value:.4f}"


def bootstrap_interval(
    score: Score,
    measure: str,
    *,
    n_resamples: int = 10_000,
    level: float = 0.95,
    seed: int = 0,
    part: tuple[str, str] | None = None,
    groups: Mapping[str, str] | None = None,
) -> Interval:
    """A percentile bootstrap interval from the sums of each record.

    Records are drawn with replacement, their sums are added and the formula divides; no text is read again.
    With ``groups`` it is groups that are drawn, each with all of its records.

    Parameters
    ----------
    score : with its records (every metric keeps them).
    measure : a key of ``score.values``.
    n_resamples : how many corpora are drawn.
    level : coverage in (0, 1).
    seed : of the numpy generator; the same seed gives the same interval, whatever the order of the records.
    part : (kind, name) of a part, ("label", "Doubt") say: *all* records are drawn, and its measure is taken.
    groups : record -> its group, such as the document that several sentences come from; a record that is not named is
        a group of its own.

    Returns
    -------
    Interval
        With the number of resamples for which the measure was undefined; those are left out of the percentiles.
        ``n_records`` is the number of groups where there are groups.

    Raises
    ------
    InputError
        If the score keeps no records, or a number is out of its range.

    References
    ----------
    Efron, Tibshirani (1993). An introduction to the bootstrap, chapter 13.

    Examples
    --------
    >>> from fallax.metrics import Classification
    >>> score = Classification().corpus_score(pred=["a"] * 8 + ["b"] * 2, gold=["a"] * 10)
    >>> print(bootstrap_interval(score, "accuracy", seed=7))
    accuracy=0.800 [0.500, 1.000]

    The same ten records from two documents, one of them all wrong:

    >>> print(bootstrap_interval(score, "accuracy", seed=7, groups={str(i): str(i < 8) for i in range(10)}))
    accuracy=0.800 [0.000, 1.000]
    """
    _check(n_resamples, level, seed)
    about = _part(score, part)
    value = about[measure]
    ids, keys = sorted(_records(score)), sorted(about.sums)
    table = _table(about, ids, keys)
    if groups is not None:
        ids, table = _grouped(ids, table, groups)
    formula = _measure(about, measure)
    rng = np.random.default_rng(seed)
    drawn: list[float] = []
    n_undefined = 0
    for weights in _weights(rng, len(ids), n_resamples):
        for row in (weights @ table).tolist():
            found = formula(dict(zip(keys, row, strict=True)))
            if found is None:
                n_undefined += 1
            else:
                drawn.append(found)
    low, high = _percentiles(drawn, level) if _has_spread(about.records, groups) else (None, None)
    return Interval(measure, value, low, high, level, len(ids), n_resamples, n_undefined, seed)


def paired_test(
    a: Score,
    b: Score,
    measure: str,
    *,
    n_resamples: int = 10_000,
    level: float = 0.95,
    seed: int = 0,
    method: Literal["randomisation", "bootstrap"] = "randomisation",
    part: tuple[str, str] | None = None,
    groups: Mapping[str, str] | None = None,
) -> PairedTest:
    """Test whether two systems differ on the same records.

    Parameters
    ----------
    a, b : scores of one metric over the same records with the same gold.
    measure : a key of ``a.values``.
    n_resamples, level, seed, part, groups : as in :func:`bootstrap_interval`. With N records, or groups, no p-value
        of "randomisation" is below 2 / 2**N, however large the difference is.
    method : where the p-value comes from. "randomisation": the two systems swap each record, or group, with
        probability 1/2, and p is the share of such swaps with a difference at least as large. "bootstrap": p is the
        share of paired resamples whose difference lies at least as far from the one seen as that lies from 0.
        Of N records there are 2**(N - 1) pairs of a swap and its opposite, which differ in the sign alone. If these
        are at most ``n_resamples``, all are counted, and p is exact. Else p is (k + 1) / (n_resamples + 1) of what is
        drawn, never 0.

    Returns
    -------
    PairedTest
        ``a - b`` with the interval of a paired bootstrap and the two-sided p-value.

    Raises
    ------
    InputError
        If the scores come from different metrics, or from different records or gold.

    References
    ----------
    Noreen (1989). Computer-intensive methods for testing hypotheses. Koehn (2004). Statistical significance tests for
    machine translation evaluation.

    Examples
    --------
    >>> from fallax.metrics import Classification
    >>> gold = ["a"] * 10
    >>> a, b = (Classification().corpus_score(pred=p, gold=gold) for p in (gold, ["b"] * 8 + ["a"] * 2))
    >>> test = paired_test(a, b, "accuracy", seed=7)
    >>> test.difference, test.p_value < 0.02
    (0.8, True)
    """
    _check(n_resamples, level, seed)
    check_choice("paired_test", "method", method, ("randomisation", "bootstrap"))
    if (a.metric, a.formula) != (b.metric, b.formula):
        raise InputError(f"paired_test: both scores must come from one metric, got {a.metric} and {b.metric}")
    one, two = _part(a, part), _part(b, part)
    values = one[measure], two[measure]
    if odd := sorted(set(_records(a)) ^ set(_records(b))):
        raise InputError(f"paired_test: both scores must cover the same records, only one has: {some_ids(odd)}")
    if a.signature.data != b.signature.data:
        raise InputError("paired_test: both scores must have the same texts and gold, their data hashes differ")
    seen = None if values[0] is None or values[1] is None else values[0] - values[1]
    ids, keys = sorted(a.records), sorted({**one.sums, **two.sums})
    tables = _table(one, ids, keys), _table(two, ids, keys)
    if groups is not None:
        (names, left), (_, right) = (_grouped(ids, table, groups) for table in tables)
        ids, tables = names, (left, right)
    formula = _measure(one, measure)

    def differences(left: _Floats, right: _Floats) -> Iterator[float | None]:
        for x, y in zip(left.tolist(), right.tolist(), strict=True):
            p, q = formula(dict(zip(keys, x, strict=True))), formula(dict(zip(keys, y, strict=True)))
            yield None if p is None or q is None else p - q

    is_exact = method == "randomisation" and 2 ** (len(ids) - 1) <= n_resamples
    # Two independent streams, so that the interval does not depend on the method.
    for_interval, for_swaps = (np.random.default_rng(s) for s in np.random.SeedSequence(seed).spawn(2))
    drawn = [
        d for w in _weights(for_interval, len(ids), n_resamples) for d in differences(w @ tables[0], w @ tables[1])
    ]
    defined = [d for d in drawn if d is not None]
    has_spread = _has_spread({*one.records, *two.records}, groups)
    low, high = _percentiles(defined, level) if has_spread else (None, None)
    if method == "bootstrap":
        shifted = [None if d is None or seen is None else d - seen for d in drawn]
    else:
        shifted = []
        total, gap = tables[0].sum(axis=0), tables[1] - tables[0]
        other = tables[1].sum(axis=0)
        for swaps in _all_swaps(len(ids)) if is_exact else _swaps(for_swaps, len(ids), n_resamples):
            moved = swaps @ gap
            shifted += differences(total + moved, other - moved)
    p_value = None
    if seen is not None and has_spread:
        # A hair of room: equal differences may differ in the last bits when their sums are added in another order.
        least = abs(seen) - 1e-12 * max(1.0, *(abs(v) for v in values if v is not None))
        n_least = sum(d is None or abs(d) >= least for d in shifted)
        # What was seen is one of all swaps; to those that are drawn it is added.
        p_value = n_least / len(shifted) if is_exact else (n_least + 1) / (n_resamples + 1)
    return PairedTest(
        measure,
        *values,
        seen,
        low,
        high,
        level,
        p_value,
        method,
        len(ids),
        n_resamples,
        sum(d is None for d in shifted),
        len(drawn) - len(defined),
        seed,
        is_exact,
    )


def _check(n_resamples: int, level: float, seed: int) -> None:
    check_draws(n_resamples, seed, least=1)
    if not 0 < level < 1:
        raise InputError(f"level must lie between 0 and 1, got {level!r}; 0.95 means 95 %")


def check_draws(n_resamples: int, seed: int, *, least: int = 0) -> None:
    """Check how many resamples are drawn, and their seed.

    Raises
    ------
    InputError
        If one is no whole number, there are fewer than ``least`` resamples, or the seed is negative.

    Examples
    --------
    >>> check_draws(-3, 0)
    Traceback (most recent call last):
    fallax.errors.InputError: n_resamples must be a whole number of at least 0, got -3
    """
    for name, value, lowest in (("n_resamples", n_resamples, least), ("seed", seed, 0)):
        if type(value) is not int or value < lowest:
            raise InputError(f"{name} must be a whole number of at least {lowest}, got {value!r}")


def _part(score: Score, part: tuple[str, str] | None) -> Score:
    if part is None:
        return score
    kind, name = part
    if kind not in score.parts:
        raise UnknownNameError("kind of part", kind, score.parts)
    if name not in score.parts[kind]:
        raise UnknownNameError(kind, name, score.parts[kind])
    return score.parts[kind][name]


def _records(score: Score) -> Mapping[str, Mapping[str, float]]:
    if len(score.records) != score.n_scored or not score.records:
        raise InputError(
            f"{score.metric}: the sums of every record are needed, got {len(score.records)} for {score.n_scored} scored"
            " records; keep them with to_dict(records=True)"
        )
    return score.records


def _table(score: Score, ids: Sequence[str], keys: Sequence[str]) -> _Floats:
    """One row of sums per record; zeros where a part has no entry."""
    return np.array([[score.records.get(i, {}).get(k, 0.0) for k in keys] for i in ids], dtype=np.float64).reshape(
        len(ids), len(keys)
    )


def _grouped(ids: Sequence[str], table: _Floats, groups: Mapping[str, str]) -> tuple[list[str], _Floats]:
    """Rows of a table added up by group; a record without a group keeps its row."""
    keys = [("group", groups[i]) if i in groups else ("record", i) for i in ids]
    names = sorted(set(keys))
    place = {name: n for n, name in enumerate(names)}
    added = np.zeros((len(names), table.shape[1]))
    np.add.at(added, [place[k] for k in keys], table)
    return [name for _, name in names], added


def _has_spread(records: Collection[str], groups: Mapping[str, str] | None) -> bool:
    """False if what is measured is in one record, or one group: draws are alike then, and say nothing about others."""
    return len({(i in groups, groups.get(i, i)) if groups is not None else (False, i) for i in records}) > 1


def _measure(score: Score, name: str) -> Callable[[Mapping[str, float]], float | None]:
    formula = FORMULAS[score.formula]
    return lambda sums: formula(sums)[name]


def _weights(rng: np.random.Generator, n: int, n_resamples: int) -> Iterator[_Floats]:
    """How often each of n records is drawn, for a block of resamples (multinomial)."""
    for rows in _blocks(n, n_resamples):
        picked = rng.integers(n, size=(rows, n))
        picked += np.arange(rows)[:, None] * n
        yield np.bincount(picked.ravel(), minlength=rows * n).reshape(rows, n).astype(np.float64)


def _swaps(rng: np.random.Generator, n: int, n_resamples: int) -> Iterator[_Floats]:
    for rows in _blocks(n, n_resamples):
        yield rng.integers(2, size=(rows, n), dtype=np.int8).astype(np.float64)


def _all_swaps(n: int) -> Iterator[_Floats]:
    """Every swap of n records in which the last one keeps its place, once; the opposite ones differ by the sign."""
    first = 0
    for rows in _blocks(n, 2 ** (n - 1)):
        numbers = np.arange(first, first + rows, dtype=np.int64)[:, None]
        yield (numbers >> np.arange(n, dtype=np.int64) & 1).astype(np.float64)
        first += rows


def _blocks(n: int, n_resamples: int) -> Iterator[int]:
    most = max(1, _BLOCK // n)
    for first in range(0, n_resamples, most):
        yield min(most, n_resamples - first)


def _percentiles(values: Sequence[float], level: float) -> tuple[float | None, float | None]:
    if not values:
        return None, None
    tail = math.fsum((1, -level)) / 2
    low, high = np.quantile(np.asarray(values), (tail, 1 - tail)).tolist()
    return low, high

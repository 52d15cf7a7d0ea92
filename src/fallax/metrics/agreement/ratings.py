"""Agreement on labels, numbers or sets of labels: all coefficients from one table, with intervals.

A table has one row per annotator and one column per item. All coefficients are made from counts per item, so that an
interval, which draws items again, is a product of matrices and no second count.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fallax.core.json_value import JsonValue
from fallax.errors import InputError, UnknownNameError, one_line
from fallax.metrics.intervals import check_draws, divided

__all__ = [
    "COEFFICIENTS",
    "LEVELS",
    "Coefficient",
    "Level",
    "RatingTable",
    "agreement_of",
    "distance_matrix",
    "name_of",
]

_Floats: TypeAlias = NDArray[np.float64]

Level: TypeAlias = Literal["nominal", "ordinal", "interval", "masi", "jaccard"]
Value: TypeAlias = "str | float | frozenset[str]"

#: What is known about the values: names, ranks, numbers, or sets compared by MASI or Jaccard.
LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval", "masi", "jaccard")

#: Resamples in one block of arrays.
_BLOCK = 4_000_000


@dataclass(frozen=True, slots=True)
class Coefficient(JsonValue):
    """One agreement coefficient with its interval.

    Parameters
    ----------
    name : a key of :data:`COEFFICIENTS`.
    value : 1 is perfect; None where it is undefined.
    low, high : percentile interval that resamples items; None where no resample defines it.
    n_items : items that count (that at least two annotators rated).
    n_undefined : resamples for which it was undefined; they are left out of the interval.
    """

    name: str
    value: float | None
    low: float | None = None
    high: float | None = None
    n_items: int = 0
    n_undefined: int = 0


@dataclass(frozen=True)
class RatingTable:
    """The ratings of items by annotators.

    Parameters
    ----------
    items, annotators : names of the columns and rows, each once.
    values : the different values, sorted.
    codes : (annotators, items) index into ``values``, -1 where an annotator did not rate an item.

    Examples
    --------
    >>> table = RatingTable.of({"ann": {"1": "yes", "2": "no"}, "bob": {"1": "yes"}})
    >>> table.codes.tolist(), table.base_rates()
    ([[1, 0], [1, -1]], {'no': 0.3333333333333333, 'yes': 0.6666666666666666})
    """

    items: tuple[str, ...]
    annotators: tuple[str, ...]
    values: tuple[Any, ...]
    codes: NDArray[np.int64]

    @classmethod
    def of(cls, ratings: Mapping[str, Mapping[str, Any]]) -> RatingTable:
        """Build ratings from annotator -> item -> value; None or no entry means not rated.

        Raises
        ------
        InputError
            If there are fewer than two annotators, or no item.
        """
        if len(ratings) < 2:
            got = f"got {len(ratings)}" + (f" ({one_line(next(iter(ratings)), 40)!r})" if ratings else "")
            raise InputError(f"agreement needs at least two annotators, {got}; name a file of another one")
        items = tuple(dict.fromkeys(i for one in ratings.values() for i, v in one.items() if v is not None))
        if not items:
            raise InputError("agreement needs at least one rated item, got none")
        found = {v for one in ratings.values() for v in one.values() if v is not None}
        values = tuple(sorted(found, key=_sort_key))
        index = {v: i for i, v in enumerate(values)}
        column = {item: i for i, item in enumerate(items)}
        codes = np.full((len(ratings), len(items)), -1, dtype=np.int64)
        for row, one in enumerate(ratings.values()):
            for item, v in one.items():
                if v is not None:
                    codes[row, column[item]] = index[v]
        return cls(items, tuple(ratings), values, codes)

    def counts(self) -> _Floats:
        """The number of annotators who gave each value, shape (items, values)."""
        found = np.zeros((len(self.items), len(self.values)))
        for row in self.codes:
            rated = row >= 0
            np.add.at(found, (np.nonzero(rated)[0], row[rated]), 1)
        return found

    def base_rates(self) -> dict[str, float]:
        """Share of each value among all ratings; for sets, share of the ratings that have each label, or none."""
        return self._rates(self.counts().sum(axis=0))

    def _rates(self, counts: _Floats) -> dict[str, float]:
        total = max(1.0, float(counts.sum()))
        rates: dict[str, float] = {}
        for value, n in zip(self.values, counts.tolist(), strict=True):
            for name in (sorted(value) or [name_of(value)]) if isinstance(value, frozenset) else [name_of(value)]:
                rates[name] = rates.get(name, 0.0) + n
        return {name: n / total for name, n in rates.items()}

    def rates_by_annotator(self) -> dict[str, dict[str, float]]:
        """The same share for each annotator, over the items they rated."""
        found = {}
        for name, row in zip(self.annotators, self.codes, strict=True):
            counts = np.bincount(row[row >= 0], minlength=len(self.values))
            found[name] = self._rates(counts.astype(np.float64))
        return found

    def pair(self, a: str, b: str) -> RatingTable:
        """The rows of two annotators, with the values that they gave."""
        codes = self.codes[[self.annotators.index(a), self.annotators.index(b)]]
        used, index = np.unique(codes, return_inverse=True)
        if used[0] == -1:  # gaps stay gaps
            used, index = used[1:], index - 1
        return RatingTable(self.items, (a, b), tuple(self.values[k] for k in used), index.reshape(codes.shape))

    def only(self, label: str) -> RatingTable:
        """The ratings as binary values: True where a rating has the label."""
        has = np.array([label in v if isinstance(v, frozenset) else v == label for v in self.values], dtype=np.int64)
        return RatingTable(
            self.items, self.annotators, (False, True), np.where(self.codes < 0, -1, has[np.maximum(self.codes, 0)])
        )

    def disputed(self, distance: _Floats) -> list[tuple[str, float]]:
        """Items with the mean distance of two ratings, largest first; items rated once are left out."""
        counts = self.counts()
        n = counts.sum(axis=1)
        apart = ((counts @ distance) * counts).sum(axis=1)
        found = [(item, float(apart[i] / (n[i] * (n[i] - 1)))) for i, item in enumerate(self.items) if n[i] > 1]
        return sorted(found, key=lambda x: (-x[1], x[0]))

    def confusion(self) -> dict[tuple[str, str], int]:
        """(value, value) -> pairs of ratings of one item by two annotators; equal or sorted, so each pair once."""
        found: Counter[tuple[str, str]] = Counter()
        for a, b in itertools.combinations(self.codes, 2):
            both = (a >= 0) & (b >= 0)
            for x, y in zip(a[both], b[both], strict=True):
                first, second = sorted((name_of(self.values[x]), name_of(self.values[y])))
                found[first, second] += 1
        return dict(sorted(found.items(), key=lambda x: (-x[1], x[0])))


def name_of(value: Any) -> str:
    """A value as a word: a set as its labels, joined by commas; an empty set as "none".

    Examples
    --------
    >>> name_of(frozenset({"b", "a"})), name_of(2.0), name_of("x")
    ('a, b', '2', 'x')
    """
    if isinstance(value, frozenset):
        return ", ".join(sorted(value)) or "none"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _sort_key(value: Any) -> tuple[int, Any]:
    if isinstance(value, frozenset):
        return (2, sorted(value))
    return (1, value) if isinstance(value, str) else (0, value)


def distance_matrix(values: Sequence[Any], level: Level, marginals: _Floats | None = None) -> _Floats:
    """(values, values) distance: 0 for equal values.

    Parameters
    ----------
    values : sorted.
    level : nominal: 1 for different values. interval: squared difference of numbers. ordinal: squared count of the
        ratings between two ranks (Krippendorff 2011), for which ``marginals`` must be given. masi, jaccard: 1 - the
        similarity of sets; two empty sets are equal.
    marginals : (values,) how often each value was given.

    References
    ----------
    Passonneau (2006). Measuring agreement on set-valued items (MASI).

    Examples
    --------
    >>> sets = [frozenset("a"), frozenset("ab"), frozenset("b")]
    >>> distance_matrix(sets, "masi").round(2).tolist()
    [[0.0, 0.67, 1.0], [0.67, 0.0, 0.67], [1.0, 0.67, 0.0]]
    """
    n = len(values)
    if level == "nominal":
        return 1.0 - np.eye(n)
    if level in ("masi", "jaccard"):
        return _set_distances([v if isinstance(v, frozenset) else frozenset([str(v)]) for v in values], level)
    numbers = np.array([_number(v, level) for v in values])
    if level == "interval":
        found: _Floats = (numbers[:, None] - numbers) ** 2
        return found
    if level != "ordinal":
        raise UnknownNameError("level", level, LEVELS)
    given = np.ones(n) if marginals is None else marginals
    upto = np.cumsum(given) - given / 2
    ranks: _Floats = (upto[:, None] - upto) ** 2
    return ranks


def _number(value: Any, level: str) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise InputError(
            f"{level} agreement: every value must be a number, got {one_line(value, 40)!r}; use --level nominal"
        ) from None


def _set_distances(sets: Sequence[frozenset[str]], level: str) -> _Floats:
    known = {label: k for k, label in enumerate(sorted({x for some in sets for x in some}))}
    has = np.zeros((len(sets), len(known)))
    for i, some in enumerate(sets):
        has[i, [known[x] for x in some]] = 1
    size, shared = has.sum(axis=1), has @ has.T
    union = size[:, None] + size - shared
    similarity = np.where(union > 0, shared / np.maximum(union, 1), 1.0)
    if level == "masi":
        within = shared == np.minimum(size[:, None], size)
        same = within & (size[:, None] == size)
        similarity *= np.where(same, 1.0, np.where(within & (shared > 0), 2 / 3, np.where(shared > 0, 1 / 3, 0.0)))
    found: _Floats = 1 - similarity
    return found


_Measure: TypeAlias = Callable[["_Tables"], _Floats]


class _Tables:
    """Sums over items for every draw of items: (draws, ...) arrays from weights (draws, items)."""

    def __init__(self, table: RatingTable, level: Level, weights: _Floats) -> None:
        self.table, self.level, self.weights = table, level, weights
        self.counts = table.counts()
        self.n = self.counts.sum(axis=1)
        self.pairable = self.n > 1
        self.n_annotators = len(table.annotators)

    def distance(self, marginals: _Floats | None = None) -> _Floats:
        return distance_matrix(self.table.values, self.level, marginals)

    def agreement(self) -> _Floats:
        """(values, values) weights of agreement in [0, 1] for the kappas and AC."""
        if self.level == "ordinal":  # equal steps between ranks, quadratic
            ranks = np.arange(len(self.table.values), dtype=np.float64)
            d: _Floats = (ranks[:, None] - ranks) ** 2
        else:
            d = self.distance()
        found: _Floats = 1 - d / d.max() if d.max() > 0 else np.ones_like(d)
        return found

    def observed(self, agreement: _Floats) -> _Floats:
        """Mean over pairable items of the mean agreement of two of their annotators."""
        r, n = self.counts[self.pairable], self.n[self.pairable]
        per_item = (((r @ agreement) * r).sum(axis=1) - r @ np.diag(agreement)) / (n * (n - 1))
        w = self.weights[:, self.pairable]
        return divided(w @ per_item, w.sum(axis=1))


def _percent(t: _Tables) -> _Floats:
    r, n = t.counts[t.pairable], t.n[t.pairable]
    w = t.weights[:, t.pairable]
    return divided(w @ (r * (r - 1)).sum(axis=1), w @ (n * (n - 1)))


def _chance_corrected(t: _Tables, expected: _Floats, agreement: _Floats) -> _Floats:
    observed = t.observed(agreement)
    found: _Floats = divided(observed - expected, 1 - expected)
    return found


def _fleiss(t: _Tables) -> _Floats:
    w = t.agreement()
    share = divided(t.counts.T, t.n).T
    rates = divided((t.weights @ share).T, t.weights.sum(axis=1)).T
    return _chance_corrected(t, ((rates @ w) * rates).sum(axis=1), w)


def _gwet(t: _Tables) -> _Floats:
    w = t.agreement()
    q = len(t.table.values)
    if q < 2:
        return np.full(len(t.weights), np.nan)
    share = divided(t.counts.T, t.n).T
    rates = divided((t.weights @ share).T, t.weights.sum(axis=1)).T
    expected = w.sum() / (q * (q - 1)) * (rates * (1 - rates)).sum(axis=1)
    return _chance_corrected(t, expected, w)


def _alpha(t: _Tables) -> _Floats:
    r, n = t.counts[t.pairable], t.n[t.pairable]
    w = t.weights[:, t.pairable]
    marginals = w @ r
    total = marginals.sum(axis=1)
    if t.level == "ordinal":  # the distance depends on how often each rank was given, so on the draw
        upto = np.cumsum(marginals, axis=1) - marginals / 2
        d = (upto[:, :, None] - upto[:, None, :]) ** 2
        pairs = np.einsum("ik,il->ikl", r, r)
        pairs[:, np.arange(r.shape[1]), np.arange(r.shape[1])] -= r
        together = np.tensordot(w, pairs / (n - 1)[:, None, None], axes=1)
        seen = (together * d).sum(axis=(1, 2))
        chance = np.einsum("dk,dkl,dl->d", marginals, d, marginals)
    else:
        fixed = t.distance()
        seen = w @ (((r @ fixed) * r).sum(axis=1) / (n - 1))
        chance = ((marginals @ fixed) * marginals).sum(axis=1)
    found: _Floats = 1 - divided(seen * (total - 1), chance)
    return found


def _cohen(t: _Tables) -> _Floats:
    if t.n_annotators != 2:
        return np.full(len(t.weights), np.nan)
    both = (t.table.codes >= 0).all(axis=0)
    a, b = t.table.codes[:, both]
    w, agreement = t.weights[:, both], t.agreement()
    size = len(t.table.values)
    observed = divided(w @ agreement[a, b], w.sum(axis=1))
    one, two = np.zeros((len(a), size)), np.zeros((len(a), size))
    one[np.arange(len(a)), a] = 1
    two[np.arange(len(b)), b] = 1
    expected = divided(((w @ one @ agreement) * (w @ two)).sum(axis=1), w.sum(axis=1) ** 2)
    return divided(observed - expected, 1 - expected)


def _mean_cohen(t: _Tables) -> _Floats:
    """Mean over pairs of annotators who share items (Light 1971); undefined pairs are left out."""
    found = []
    for a, b in itertools.combinations(t.table.annotators, 2):
        found.append(_cohen(_Tables(t.table.pair(a, b), t.level, t.weights)))
    stacked = np.array(found)
    known = ~np.isnan(stacked)
    return divided(np.where(known, stacked, 0.0).sum(axis=0), known.sum(axis=0).astype(np.float64))


#: name -> (what it is, the measure)
COEFFICIENTS: dict[str, tuple[str, _Measure]] = {
    "percent": ("share of pairs of annotators that gave an item the same value", _percent),
    "cohen_kappa": ("Cohen's kappa, weighted by the level; mean over pairs of annotators (Light)", _mean_cohen),
    "fleiss_kappa": ("Fleiss' kappa, weighted by the level; gaps allowed (Gwet 2014)", _fleiss),
    "gwet_ac": ("Gwet's AC1 (AC2 where the level gives weights)", _gwet),
    "krippendorff_alpha": ("Krippendorff's alpha", _alpha),
}


def agreement_of(
    table: RatingTable,
    *,
    level: Level = "nominal",
    names: Iterable[str] = COEFFICIENTS,
    n_resamples: int = 1_000,
    confidence: float = 0.95,
    seed: int = 0,
    groups: Mapping[str, str] | None = None,
) -> dict[str, Coefficient]:
    """All coefficients of a table, each with a percentile interval over items (or groups of items).

    Parameters
    ----------
    table : of at least two annotators.
    level : one of :data:`LEVELS`. The kappas and AC get the weights 1 - distance / largest distance; ranks count as
        equally far apart there, quadratically.
    names : keys of :data:`COEFFICIENTS`.
    n_resamples : draws of items; 0 for no interval.
    confidence : of the interval.
    seed : of the draws.
    groups : item -> its document; documents are drawn then, with all their items. An item without one is its own.

    Returns
    -------
    dict
        name -> coefficient; its value is None where it is undefined: no item rated twice, or a single value for the
        coefficients that take chance out. Everybody giving one value is perfect in percent and undefined in the rest.

    Notes
    -----
    Cohen (1960, 1968); Fleiss (1971) in the form of Gwet (2014) that allows gaps; Gwet (2008) for AC1;
    Krippendorff (2011) for alpha, with items rated once left out. For percent, pairs are pooled over items; the others
    give each item the same weight.

    References
    ----------
    Gwet (2014). Handbook of inter-rater reliability, 4th edition.

    Examples
    --------
    >>> table = RatingTable.of({"ann": dict(zip("1234", "aabb")), "bob": dict(zip("1234", "aaba"))})
    >>> found = agreement_of(table, n_resamples=0)
    >>> found["percent"].value, found["cohen_kappa"].value, round(found["krippendorff_alpha"].value, 3)
    (0.75, 0.5, 0.533)
    """
    if level not in LEVELS:
        raise UnknownNameError("level", level, LEVELS)
    chosen = list(names)
    for name in chosen:
        if name not in COEFFICIENTS:
            raise UnknownNameError("coefficient", name, COEFFICIENTS)
    check_draws(n_resamples, seed)
    n_items = len(table.items)
    point = _values(table, level, chosen, np.ones((1, n_items)))
    draws: dict[str, list[_Floats]] = {name: [] for name in chosen}
    rng = np.random.default_rng(seed)
    size = len(table.values) ** 2 if level == "ordinal" else len(table.values)
    index = np.arange(n_items)
    if groups is not None:
        known = {g: k for k, g in enumerate(dict.fromkeys(groups.get(i, i) for i in table.items))}
        index = np.array([known[groups.get(i, i)] for i in table.items])
    n_drawn = int(index.max()) + 1
    step = max(1, _BLOCK // (n_items + size))
    for first in range(0, n_resamples, step):
        rows = min(step, n_resamples - first)
        picked = rng.integers(n_drawn, size=(rows, n_drawn)) + np.arange(rows)[:, None] * n_drawn
        counts = np.bincount(picked.ravel(), minlength=rows * n_drawn).reshape(rows, n_drawn).astype(np.float64)
        weights = counts[:, index]
        for name, found in _values(table, level, chosen, weights).items():
            draws[name].append(found)
    n_pairable = int((table.counts().sum(axis=1) > 1).sum())
    tail = math.fsum((1, -confidence)) / 2
    coefficients = {}
    for name in chosen:
        value = float(point[name][0])
        drawn = np.concatenate(draws[name]) if draws[name] else np.empty(0)
        good = drawn[~np.isnan(drawn)]
        low, high = np.quantile(good, (tail, 1 - tail)).tolist() if len(good) else (None, None)
        undefined = math.isnan(value)
        coefficients[name] = Coefficient(
            name,
            None if undefined else value,
            None if undefined else low,
            None if undefined else high,
            n_pairable,
            len(drawn) - len(good),
        )
    return coefficients


def _values(table: RatingTable, level: Level, names: Sequence[str], weights: _Floats) -> dict[str, _Floats]:
    tables = _Tables(table, level, weights)
    if not tables.pairable.any():
        return {name: np.full(len(weights), np.nan) for name in names}
    single = len({int(c) for c in table.codes.ravel() if c >= 0}) < 2
    undefined = np.full(len(weights), np.nan)
    return {name: undefined if single and name != "percent" else COEFFICIENTS[name][1](tables) for name in names}

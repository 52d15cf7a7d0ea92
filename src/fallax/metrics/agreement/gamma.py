"""Gamma (Mathet et al. 2015), gamma-cat and gamma-k (Mathet 2017): agreement on spans beyond chance.

Position and labels count together: the annotators' units are aligned as well as they can be, and what the best
alignment costs is compared with what it costs after every annotator's units were shifted to another place.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fallax.errors import InputError, one_line
from fallax.metrics.agreement.alignment import Alignment, Layout, best_alignments, positional

__all__ = ["AnnotatedUnit", "Continuum", "Gamma", "gamma", "layout_of"]

_Floats: TypeAlias = NDArray[np.float64]
_Ints: TypeAlias = NDArray[np.int64]

_Z = 1.959963984540054


@dataclass(frozen=True, slots=True, order=True)
class AnnotatedUnit:
    """A span as one annotator marked it, with its alternative labels.

    Examples
    --------
    >>> AnnotatedUnit(0, 4, ("straw man", "ad hominem")).labels
    ('ad hominem', 'straw man')
    """

    start: float
    end: float
    labels: tuple[str, ...] = ("",)

    def __post_init__(self) -> None:
        if not self.start < self.end:
            raise InputError(f"unit: end must be greater than start, got {self.start}..{self.end}")
        object.__setattr__(self, "labels", tuple(sorted(set(self.labels))))


@dataclass(frozen=True, slots=True)
class Continuum:
    """One document with the units of its annotators.

    Parameters
    ----------
    units : annotator -> units, in any order; an annotator without units saw none. At least two annotators.
    length : of the document, the range in which chance may put a unit; by default the end of the last unit.
    id : for messages and for results by document.

    Examples
    --------
    >>> Continuum({"ann": [AnnotatedUnit(0, 5, ("A",))], "bob": []}).n_units
    1
    """

    units: Mapping[str, Sequence[AnnotatedUnit]]
    length: float | None = None
    id: str = ""

    def __post_init__(self) -> None:
        if len(self.units) < 2:
            where = f"document {one_line(self.id, 60)!r}: " if self.id else ""
            raise InputError(f"{where}gamma needs at least two annotators, got {len(self.units)}")

    @property
    def n_units(self) -> int:
        """The units of all annotators."""
        return sum(map(len, self.units.values()))


@dataclass(frozen=True)
class _Measured:
    """One document: its units as arrays, its best alignment, and those of chance."""

    id: str
    layout: Layout
    labels: tuple[tuple[str, ...], ...]
    distance: _Floats
    observed: Alignment
    samples: Layout
    chance: tuple[Alignment, ...]

    @property
    def disorder(self) -> float:
        """Cost of the best alignment per unit of an average annotator."""
        return self.observed.cost / float(_mean_units(self.layout)[0])

    @property
    def expected(self) -> _Floats:
        """The same cost for each random sample."""
        found: _Floats = np.array([a.cost for a in self.chance]) / _mean_units(self.samples)
        return found


@dataclass(frozen=True)
class Gamma:
    """Agreement on the spans of one or more documents.

    Parameters
    ----------
    value : 1 - (sum of observed disorders) / (sum of expected disorders) over the documents that have units; 1 is
        perfect, 0 what chance gives, and there is no lower end. 1.0 if no document has a unit: all agree that there is
        none.
    mean : the mean of the documents' own values, a document without units counting 1.
    by_document : document -> its own value.
    observed, expected : disorder by document (0 for a document without units).
    standard_error : of ``value``, from the sampling of chance alone.
    least, most : between which ``value`` lies if some alignment could only be bounded; equal otherwise.
    n_samples : samples of chance per document.
    n_exact, n_alignments : alignments proved best, and all.
    seed : of the samples.
    """

    value: float
    mean: float
    by_document: Mapping[str, float]
    observed: Mapping[str, float]
    expected: Mapping[str, float]
    standard_error: float
    least: float
    most: float
    n_samples: int
    n_exact: int
    n_alignments: int
    seed: int
    documents: tuple[_Measured, ...] = field(repr=False, compare=False, default=())

    def to_dict(self) -> dict[str, Any]:
        """The fields as JSON values, without the alignments."""
        names = ("value", "mean", "standard_error", "least", "most", "n_samples", "n_exact", "n_alignments", "seed")
        found: dict[str, Any] = {name: getattr(self, name) for name in names}
        found["by_document"] = {
            i: {"gamma": v, "observed": self.observed[i], "expected": self.expected[i]}
            for i, v in self.by_document.items()
        }
        return found

    def groups(self) -> Iterator[tuple[str, tuple[tuple[str, AnnotatedUnit] | None, ...]]]:
        """The groups of the best alignments: document, and per annotator the name and unit, or None."""
        for one in self.documents:
            names = one.labels  # labels of the units by number
            layout = one.layout
            for row in one.observed.groups:
                units: list[tuple[str, AnnotatedUnit] | None] = []
                for a, place in enumerate(row):
                    if place < 0:
                        units.append(None)
                        continue
                    start, end = float(layout.start[0, a, place]), float(layout.end[0, a, place])
                    units.append((str(a), AnnotatedUnit(start, end, names[layout.unit[0, a, place]])))
                yield one.id, tuple(units)

    def cat(self, *, label: str | None = None, unaligned: bool = False) -> float | None:
        """Gamma-cat: agreement on labels where positions are aligned; with a label, gamma-k of that label.

        Parameters
        ----------
        label : only pairs in which one of the two has it.
        unaligned : count a unit that is aligned with nobody's as a disagreement, as pygamma-agreement does; the paper
            leaves them out.

        Returns
        -------
        float or None
            1 is perfect, 0 what chance gives. None where nothing is aligned, or chance would not disagree either.

        References
        ----------
        Mathet (2017). The agreement measure gamma-cat, section 4.2.
        """
        seen = [_cat_sums(d.layout, (d.observed,), d, label, unaligned)[0] for d in self.documents]
        observed = _ratio(np.sum(seen, axis=0)) if seen else None
        if observed is None:
            return None
        if observed == 0:
            return 1.0
        chance = [_cat_sums(d.samples, d.chance, d, label, unaligned) for d in self.documents]
        ratios = [r for row in np.sum(chance, axis=0) if (r := _ratio(row)) is not None]
        expected = math.fsum(ratios) / len(ratios) if ratios else 0.0
        return 1 - observed / expected if expected else None

    def resampled(self, weights: _Floats) -> _Floats:
        """The value for resampled documents: ``weights`` is (draws, documents), in the order of ``by_document``."""
        seen = weights @ np.array(list(self.observed.values()))
        chance = weights @ np.array(list(self.expected.values()))
        with np.errstate(invalid="ignore", divide="ignore"):
            found: _Floats = np.where(seen == 0, 1.0, 1 - seen / chance)
        return found


def gamma(
    documents: Sequence[Continuum],
    *,
    samples: int = 30,
    precision: float | None = 0.02,
    alpha: float = 1.0,
    beta: float = 1.0,
    seed: int = 0,
    max_samples: int = 1_000,
) -> Gamma:
    """Gamma of documents that the same kind of people annotated.

    Parameters
    ----------
    documents : each with at least two annotators, who may differ from document to document.
    samples : of chance per document, at first.
    precision : wanted relative error of the summed expected disorder at 95 %: more samples are drawn until it is
        reached (Mathet et al. 2015, section 5.3), but at most ``max_samples`` per document. None: no more are drawn.
    alpha, beta : weights of position and of labels; ``beta=0`` is agreement on position alone.
    seed : of the samples; the same seed gives the same value, whatever else is computed.

    Returns
    -------
    Gamma
        One document gives the paper's gamma. Units with several labels are at distance 0 from every unit that shares
        one of them.

    Raises
    ------
    InputError
        If there is no document, one has fewer than two annotators, or a number is out of its range.

    Notes
    -----
    Differs from the source: disorders of several documents are summed, which the paper leaves open; ``mean`` is the
    mean of the documents' values.

    References
    ----------
    Mathet, Widloecher, Metivier (2015). The unified and holistic method gamma for inter-annotator agreement measure
    and alignment. Computational Linguistics 41(3).

    Examples
    --------
    >>> ann = [AnnotatedUnit(0, 10, ("A",)), AnnotatedUnit(20, 30, ("B",))]
    >>> bob = [AnnotatedUnit(0, 10, ("A", "C")), AnnotatedUnit(20, 30, ("B",))]
    >>> gamma([Continuum({"ann": ann, "bob": bob})]).value
    1.0
    """
    _check(documents, samples, precision, alpha, beta, seed, max_samples)
    seeds = np.random.SeedSequence(seed).spawn(len(documents))
    todo = [(d, np.random.default_rng(s)) for d, s in zip(documents, seeds, strict=True) if d.n_units]
    found = {d.id or str(i): None for i, d in enumerate(documents)}
    if len(found) != len(documents):
        raise InputError("gamma: each document must have an id of its own, got one twice")
    measured = _measured(todo, samples, alpha, beta)
    if precision is not None and measured:
        need = _needed(measured, precision, samples, max_samples)
        if need > samples:
            measured = _more(measured, todo, need - samples, alpha, beta)
    names = [d.id or str(i) for i, d in enumerate(documents) if d.n_units]
    return _summed(list(found), dict(zip(names, measured, strict=True)), samples, seed)


def _check(
    documents: Sequence[Continuum],
    samples: int,
    precision: float | None,
    alpha: float,
    beta: float,
    seed: int,
    max_samples: int,
) -> None:
    if not documents:
        raise InputError("gamma: at least one document must be given, got none")
    for name, value, least in (("samples", samples, 2), ("seed", seed, 0), ("max_samples", max_samples, samples)):
        if type(value) is not int or value < least:
            raise InputError(f"gamma: {name} must be a whole number of at least {least}, got {value!r}")
    if precision is not None and not 0 < precision < 1:
        raise InputError(f"gamma: precision must lie between 0 and 1, got {precision!r}")
    if alpha < 0 or beta < 0 or alpha + beta == 0:
        raise InputError(f"gamma: alpha and beta must not be negative nor both 0, got {alpha} and {beta}")


def _measured(
    todo: Sequence[tuple[Continuum, np.random.Generator]], samples: int, alpha: float, beta: float
) -> list[_Measured]:
    layouts = [layout_of(d) for d, _ in todo]
    drawn = [_shuffled(x[0], d.length, samples, rng) for x, (d, rng) in zip(layouts, todo, strict=True)]
    observed = best_alignments([(x, distance) for x, _, distance in layouts], alpha=alpha, beta=beta)
    tasks = [(s, distance) for s, (_, _, distance) in zip(drawn, layouts, strict=True)]
    chance = best_alignments(tasks, alpha=alpha, beta=beta)
    return [
        _Measured(d.id, *x, o[0], s, tuple(c))
        for (d, _), x, o, s, c in zip(todo, layouts, observed, drawn, chance, strict=True)
    ]


def _more(
    measured: Sequence[_Measured],
    todo: Sequence[tuple[Continuum, np.random.Generator]],
    samples: int,
    alpha: float,
    beta: float,
) -> list[_Measured]:
    drawn = [_shuffled(one.layout, d.length, samples, rng) for one, (d, rng) in zip(measured, todo, strict=True)]
    tasks = [(s, one.distance) for s, one in zip(drawn, measured, strict=True)]
    chance = best_alignments(tasks, alpha=alpha, beta=beta)
    found = []
    for one, s, c in zip(measured, drawn, chance, strict=True):
        both = Layout(
            np.concatenate([one.samples.start, s.start]),
            np.concatenate([one.samples.end, s.end]),
            np.concatenate([one.samples.unit, s.unit]),
        )
        found.append(replace(one, samples=both, chance=(*one.chance, *c)))
    return found


def layout_of(document: Continuum) -> tuple[Layout, tuple[tuple[str, ...], ...], _Floats]:
    """The units as arrays of one problem, the labels of each, and their distances."""
    rows = [sorted(units) for units in document.units.values()]
    n, m = len(rows), max(map(len, rows))
    start, end = np.zeros((1, n, m)), np.ones((1, n, m))
    unit = np.full((1, n, m), -1, dtype=np.int64)
    labels: list[tuple[str, ...]] = []
    for a, row in enumerate(rows):
        for i, one in enumerate(row):
            start[0, a, i], end[0, a, i], unit[0, a, i] = one.start, one.end, len(labels)
            labels.append(one.labels)
    known = {label: i for i, label in enumerate(sorted({x for some in labels for x in some}))}
    has = np.zeros((len(labels), len(known)))
    for i, some in enumerate(labels):
        has[i, [known[x] for x in some]] = 1
    return Layout(start, end, unit), tuple(labels), (has @ has.T == 0).astype(np.float64)


def _mean_units(layout: Layout) -> _Floats:
    s, n, m = layout.shape
    found: _Floats = (layout.unit.reshape(s, n * m) >= 0).sum(axis=1) / n
    return found


def _shuffled(layout: Layout, length: float | None, samples: int, rng: np.random.Generator) -> Layout:
    """Samples of chance: each annotator gets the units of a random one, shifted in a circle.

    The shifts of two annotators lie at least half a mean unit apart (section 5.2 of the paper, as its authors'
    program does it).
    """
    _, n, _ = layout.shape
    start, end, unit = layout.start[0], layout.end[0], layout.unit[0]
    there = unit >= 0
    whole = float(end[there].max() if length is None else max(length, end[there].max()))
    apart = float((end - start)[there].mean()) / 2
    who = rng.integers(n, size=(samples, n))
    n_units = there.sum(axis=1)
    while (empty := n_units[who].sum(axis=1) == 0).any():
        who[empty] = rng.integers(n, size=(int(empty.sum()), n))
    shift = np.empty((samples, n))
    for a in range(n):
        shift[:, a] = rng.uniform(0, whole, samples)
        for _ in range(50):
            near = (np.abs(shift[:, :a] - shift[:, a : a + 1]) < apart).any(axis=1)
            if not near.any():
                break
            shift[near, a] = rng.uniform(0, whole, int(near.sum()))
    shift = np.floor(shift) if whole > 1 else shift
    moved = start[who] + shift[:, :, None]
    back = np.where(moved > whole, whole, 0.0)
    return Layout(moved - back, end[who] + shift[:, :, None] - back, unit[who])


def _needed(measured: Sequence[_Measured], precision: float, samples: int, most: int) -> int:
    """Samples per document for the wanted relative error of the summed expected disorder."""
    variance = math.fsum(float(one.expected.var(ddof=1)) for one in measured)
    total = math.fsum(float(one.expected.mean()) for one in measured)
    if total == 0:
        return samples
    return min(most, max(samples, math.ceil(variance * (_Z / (precision * total)) ** 2)))


def _summed(ids: Sequence[str], measured: Mapping[str, _Measured], samples: int, seed: int) -> Gamma:
    observed = {i: measured[i].disorder if i in measured else 0.0 for i in ids}
    expected = {i: float(measured[i].expected.mean()) if i in measured else 0.0 for i in ids}
    seen, chance = math.fsum(observed.values()), math.fsum(expected.values())
    least_seen = math.fsum(m.observed.bound / _mean_units(m.layout)[0] for m in measured.values())
    bounds = [np.array([a.bound for a in m.chance]) / _mean_units(m.samples) for m in measured.values()]
    least_chance = math.fsum(float(b.mean()) for b in bounds)
    n_samples = len(next(iter(measured.values())).chance) if measured else samples
    variance = math.fsum(float(m.expected.var(ddof=1)) / n_samples for m in measured.values())
    value = _value(seen, chance)
    by_document = {i: _value(observed[i], expected[i]) for i in ids}
    alignments = [a for m in measured.values() for a in (m.observed, *m.chance)]
    return Gamma(
        value,
        math.fsum(by_document.values()) / len(ids),
        by_document,
        observed,
        expected,
        seen / chance**2 * math.sqrt(variance) if chance else 0.0,
        _value(seen, least_chance),
        _value(least_seen, chance),
        n_samples,
        sum(a.is_exact for a in alignments),
        len(alignments),
        seed,
        tuple(measured.values()),
    )


def _value(observed: float, expected: float) -> float:
    if observed == 0:
        return 1.0
    return 1 - observed / expected if expected else -math.inf


def _ratio(sums: _Floats) -> float | None:
    return None if sums[1] == 0 else float(sums[0] / sums[1])


def _cat_sums(
    layout: Layout, alignments: Sequence[Alignment], one: _Measured, label: str | None, unaligned: bool
) -> _Floats:
    """(alignments, 2): weighted disagreement of the aligned pairs of units, and the weights."""
    n = layout.shape[1]
    problem = np.repeat(np.arange(len(alignments)), [len(a.groups) for a in alignments])
    groups = np.concatenate([a.groups for a in alignments])
    there = groups >= 0
    size = there.sum(axis=1)
    place = np.maximum(groups, 0)
    start, end, unit = (
        np.stack([x[problem, a, place[:, a]] for a in range(n)], axis=1)
        for x in (layout.start, layout.end, layout.unit)
    )
    has = np.array([label is None or label in some for some in one.labels])[unit] & there
    sums = np.zeros((len(alignments), 2))
    for a in range(n):
        for b in range(a + 1, n):
            counts = has[:, a] | has[:, b]
            both = there[:, a] & there[:, b] & counts
            near = 1 - positional(start[both, a], end[both, a], start[both, b], end[both, b])
            weight = np.maximum(0.0, near) / (size[both] - 1)
            np.add.at(sums[:, 0], problem[both], one.distance[unit[both, a], unit[both, b]] * weight)
            np.add.at(sums[:, 1], problem[both], weight)
            if unaligned:
                alone = (there[:, a] ^ there[:, b]) & counts
                np.add.at(sums, problem[alone], 1.0)
    return sums

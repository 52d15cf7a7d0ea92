"""Pairs of annotators: F1 of their spans, label confusions, and MAFALDA's table of agreement."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from fallax.core.json_value import JsonValue
from fallax.errors import InputError
from fallax.metrics.agreement.gamma import AnnotatedUnit, Continuum, gamma
from fallax.metrics.agreement.ratings import RatingTable, agreement_of

__all__ = ["NOTHING", "PairAgreement", "TableRow", "label_confusion", "mafalda_table", "pair_agreement", "pair_counts"]

#: What stands in a confusion for an annotator who marked nothing there.
NOTHING = "(nothing)"


@dataclass(frozen=True, slots=True)
class PairAgreement(JsonValue):
    """F1 between two annotators, each taken as gold in turn; all in [0, 1].

    Parameters
    ----------
    annotators : the two.
    exact, exact_position : spans with equal ends, with a common label or whatever their labels.
    overlap, overlap_position : spans that overlap one of the other, with a common label or whatever their labels.
    n_units : spans of both in the documents that both annotated; if 0, all four are 1: they agree that there is none.
    n_documents : documents that both annotated.
    """

    annotators: tuple[str, str]
    exact: float
    exact_position: float
    overlap: float
    overlap_position: float
    n_units: int
    n_documents: int


def pair_counts(a: Sequence[AnnotatedUnit], b: Sequence[AnnotatedUnit]) -> np.ndarray:
    """Units of both that have a match, in the order exact, exact_position, overlap, overlap_position; then all units.

    Examples
    --------
    >>> pair_counts([AnnotatedUnit(0, 5, ("A",))], [AnnotatedUnit(0, 5, ("B",)), AnnotatedUnit(7, 9, ("A",))]).tolist()
    [0.0, 2.0, 0.0, 2.0, 3.0]
    """
    found = np.zeros(5)
    for own, other in ((a, b), (b, a)):
        for unit in own:
            near = [o for o in other if o.start < unit.end and unit.start < o.end]
            same = [o for o in near if (o.start, o.end) == (unit.start, unit.end)]
            found += (_shares(unit, same), bool(same), _shares(unit, near), bool(near), 1)
    return found


def _shares(unit: AnnotatedUnit, others: Sequence[AnnotatedUnit]) -> bool:
    return any(not set(unit.labels).isdisjoint(o.labels) for o in others)


def pair_agreement(documents: Sequence[Continuum]) -> list[PairAgreement]:
    """F1 of every pair of annotators over the documents that both annotated.

    Two spans per match and pair are counted (one of each), so the value is the F1 of either against the other for
    equal ends, and the share of both annotators' spans that meet one of the other's for overlaps.

    Examples
    --------
    >>> d = Continuum({"ann": [AnnotatedUnit(0, 5, ("A",))],
    ...     "bob": [AnnotatedUnit(0, 5, ("A", "B")), AnnotatedUnit(7, 9, ("A",))]})
    >>> round(pair_agreement([d])[0].exact, 3)
    0.667
    """
    sums: dict[tuple[str, str], np.ndarray] = {}
    n_documents: Counter[tuple[str, str]] = Counter()
    for document in documents:
        for a, b in itertools.combinations(sorted(document.units), 2):
            sums[a, b] = sums.get((a, b), np.zeros(5)) + pair_counts(document.units[a], document.units[b])
            n_documents[a, b] += 1
    found = []
    for pair, s in sorted(sums.items()):
        one, two, three, four = (s[:4] / s[4] if s[4] else np.ones(4)).tolist()
        found.append(PairAgreement(pair, one, two, three, four, int(s[4]), n_documents[pair]))
    return found


def label_confusion(documents: Sequence[Continuum]) -> dict[tuple[str, str], int]:
    """Label confusions between overlapping passages of two annotators, and passages that only one marked.

    Each span of one is paired with the span of the other that it overlaps most. A pair that shares a label counts for
    it; a pair that shares none counts for all combinations; a span that meets none counts with :data:`NOTHING`. Keys
    are sorted, so each kind of pair is there once; most frequent first.

    Examples
    --------
    >>> d = Continuum({"ann": [AnnotatedUnit(0, 5, ("A",))],
    ...     "bob": [AnnotatedUnit(0, 4, ("B",)), AnnotatedUnit(7, 9, ("A",))]})
    >>> label_confusion([d])
    {('(nothing)', 'A'): 1, ('A', 'B'): 1}
    """
    found: Counter[tuple[str, str]] = Counter()
    for document in documents:
        for a, b in itertools.combinations(sorted(document.units), 2):
            for one, two in _met(document.units[a], document.units[b]):
                names = [u.labels if u else (NOTHING,) for u in (one, two)]
                common = sorted(set(names[0]) & set(names[1]))
                pairs = [(x, x) for x in common] or [(x, y) for x in names[0] for y in names[1]]
                found.update((min(p), max(p)) for p in pairs)
    return dict(sorted(found.items(), key=lambda x: (-x[1], x[0])))


def _met(
    a: Sequence[AnnotatedUnit], b: Sequence[AnnotatedUnit]
) -> list[tuple[AnnotatedUnit | None, AnnotatedUnit | None]]:
    pairs: dict[tuple[AnnotatedUnit, AnnotatedUnit], None] = {}
    found: list[tuple[AnnotatedUnit | None, AnnotatedUnit | None]] = []
    for own, other, swap in ((a, b, False), (b, a, True)):
        for unit in own:
            near = [o for o in other if o.start < unit.end and unit.start < o.end]
            if near:
                best = max(near, key=lambda o: (min(unit.end, o.end) - max(unit.start, o.start), -o.start))
                pairs[(best, unit) if swap else (unit, best)] = None
            else:
                found.append((None, unit) if swap else (unit, None))
    return [*pairs, *found]


@dataclass(frozen=True, slots=True)
class TableRow(JsonValue):
    """One measure over all pairs of annotators; the pairs are not in its JSON."""

    measure: str
    least: float
    most: float
    mean: float
    by_pair: dict[tuple[str, str], float] = field(default_factory=dict)

    json_names = ("measure", "min=least", "max=most", "mean")


def mafalda_table(documents: Sequence[Continuum], *, seed: int = 0, samples: int = 30) -> list[TableRow]:
    """Table 2 of Helwe et al. (2024): smallest, largest and mean agreement over pairs of annotators.

    Parameters
    ----------
    documents : all of the same annotators.

    Returns
    -------
    list of TableRow
        "gamma": over the documents one by one, disorders summed. "gamma (continuous)": the documents laid end to end
        as one continuum. "cohen's kappa (simple)": of the answers, text by text and label by label, whether the
        text has the label. "jaccard": mean over texts of shared labels by all labels; two texts without labels
        are equal.

    Notes
    -----
    The paper names the four measures and does not define the second and third; these are our readings, and its
    annotations were not published.

    References
    ----------
    Helwe et al. (2024). MAFALDA, table 2.
    """
    names = sorted(documents[0].units) if documents else []
    if any(sorted(d.units) != names for d in documents) or len(names) < 2:
        raise InputError("MAFALDA's table: the same two or more annotators must have annotated every document")
    labels = sorted({x for d in documents for units in d.units.values() for u in units for x in u.labels})
    values: dict[str, dict[tuple[str, str], float]] = {
        m: {} for m in ("gamma", "gamma (continuous)", "cohen's kappa (simple)", "jaccard")
    }
    for pair in itertools.combinations(names, 2):
        own = [Continuum({n: d.units[n] for n in pair}, d.length, d.id or str(i)) for i, d in enumerate(documents)]
        values["gamma"][pair] = gamma(own, seed=seed, samples=samples).value
        values["gamma (continuous)"][pair] = gamma([_end_to_end(own)], seed=seed, samples=samples).value
        values["cohen's kappa (simple)"][pair] = _simple_kappa(own, pair, labels)
        values["jaccard"][pair] = math.fsum(_jaccard(d, pair) for d in own) / len(own)
    return [TableRow(m, min(v.values()), max(v.values()), math.fsum(v.values()) / len(v), v) for m, v in values.items()]


def _end_to_end(documents: Sequence[Continuum]) -> Continuum:
    units: dict[str, list[AnnotatedUnit]] = {name: [] for name in documents[0].units}
    at = 0.0
    for d in documents:
        for name, rows in d.units.items():
            units[name].extend(AnnotatedUnit(u.start + at, u.end + at, u.labels) for u in rows)
        last = max((u.end for rows in d.units.values() for u in rows), default=0.0)
        at += max(last, d.length or 0.0)
    return Continuum(units, at)


def _text_labels(document: Continuum, name: str) -> set[str]:
    return {x for u in document.units[name] for x in u.labels}


def _jaccard(document: Continuum, pair: tuple[str, str]) -> float:
    a, b = (_text_labels(document, name) for name in pair)
    return len(a & b) / len(a | b) if a | b else 1.0


def _simple_kappa(documents: Sequence[Continuum], pair: tuple[str, str], labels: Sequence[str]) -> float:
    ratings = {
        name: {f"{i} {label}": str(label in _text_labels(d, name)) for i, d in enumerate(documents) for label in labels}
        for name in pair
    }
    if not labels:
        return 1.0
    value = agreement_of(RatingTable.of(ratings), names=["cohen_kappa"], n_resamples=0)["cohen_kappa"].value
    return 1.0 if value is None else value

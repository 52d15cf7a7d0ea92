"""MAFALDA's soft precision, recall and F1 with equally valid alternatives (Helwe et al. 2024, section 5.2.2)."""

from __future__ import annotations

import bisect
import itertools
import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal, NamedTuple, TypeAlias

from fallax.core.types import NO_FALLACY, Taxonomy
from fallax.errors import InputError, UnknownNameError
from fallax.metrics.alternatives import best_assignment, max_matching, min_hitting_set
from fallax.metrics.base import Counts, Measure, PredGold, SpanMetric, Sums, check_choice, taxonomy_of

__all__ = ["GoldAt", "SoftSpan", "SpanAt", "label_sets_prf", "published_prf", "soft_prf"]

#: A predicted span at some level: start, end, label.
SpanAt: TypeAlias = tuple[int, int, str]
#: A gold span at some level: start, end, its alternatives as a set.
GoldAt: TypeAlias = tuple[int, int, frozenset[str]]

_MAX_PUBLISHED_PRODUCT = 1_000_000

#: The label under which the published reading keeps replies without a label.
_UNKNOWN = "unknown"


class _Indexed(NamedTuple):
    """The gold spans that allow one label, in order of start."""

    starts: list[int]
    ends: list[int]
    furthest: list[int]  # the largest end among the spans up to here
    golds: list[int]


def _by_label(gold: Sequence[GoldAt]) -> dict[str, _Indexed]:
    rows: dict[str, list[tuple[int, int, int]]] = defaultdict(list)
    for g, (start, end, labels) in enumerate(gold):
        for label in labels:
            if label != NO_FALLACY:
                rows[label].append((start, end, g))
    index = {}
    for label, found in rows.items():
        found.sort()
        ends = [e for _, e, _ in found]
        index[label] = _Indexed(
            [s for s, _, _ in found], ends, list(itertools.accumulate(ends, max)), [g for _, _, g in found]
        )
    return index


def _overlaps(index: _Indexed, start: int, end: int) -> Iterator[tuple[int, int]]:
    """(gold, size of the overlap) for the gold spans of one label that overlap start..end."""
    i = bisect.bisect_left(index.starts, end) - 1
    while i >= 0 and index.furthest[i] > start:
        if index.ends[i] > start:
            yield index.golds[i], min(end, index.ends[i]) - max(start, index.starts[i])
        i -= 1


def _harmonic(p: float, r: float) -> float:
    return 2 * p * r / (p + r) if p + r else 0.0


def soft_prf(pred: Iterable[SpanAt], gold: Sequence[GoldAt], *, inclusive: bool = False) -> tuple[float, float, float]:
    """Soft precision, recall and F1 of one text, as the paper defines them.

    Parameters
    ----------
    pred : predicted spans; equal ones count once (S is a set).
    gold : gold spans, each with its alternatives.
    inclusive : count a prediction as good if it agrees with *any* alternative of a gold span, also when another
        prediction agrees with another one (the prose of section 5.2); by default a gold span takes one label
        (definition 6 and the formula).

    Returns
    -------
    (float, float, float)
        Each in [0, 1]. Precision and recall take the best alternative separately.

    Notes
    -----
    P(S, T) = 1/|S| sum_s max_t |s & t| / |s| [l(s) = l(t)]; without predictions 1 if some alternative has no fallacy,
    else 0. R(S, T) = 1/|T-| sum_t max_s |s & t| / |t| [l(s) = l(t)] over the spans T- that carry a fallacy; without
    any, 1 if nothing is predicted, else 0. F1 is 0 where both are 0.

    Examples
    --------
    >>> soft_prf([(0, 10, "a"), (0, 40, "a")], [(0, 40, frozenset({"a"}))])
    (1.0, 1.0, 1.0)
    >>> soft_prf([(0, 4, "a"), (0, 4, "b")], [(0, 4, frozenset({"a", "b"}))])
    (0.5, 1.0, 0.6666666666666666)
    """
    spans = sorted(set(pred))
    mandatory = any(NO_FALLACY not in labels for _, _, labels in gold)
    if not spans:
        value = 0.0 if mandatory else 1.0
        return value, value, value
    index = _by_label(gold)
    credits: list[tuple[str, dict[int, float]]] = []
    best_recall = [0.0] * len(gold)
    used: list[str | None] = [None] * len(gold)
    contested = False
    for start, end, label in spans:
        by_gold: dict[int, float] = {}
        if label in index:
            length = end - start
            for g, shared in _overlaps(index[label], start, end):
                by_gold[g] = shared / length
                covered = shared / (gold[g][1] - gold[g][0])
                if covered > best_recall[g]:
                    best_recall[g] = covered
                if used[g] is None:
                    used[g] = label
                elif used[g] != label:
                    contested = True
        credits.append((label, by_gold))
    if contested and not inclusive:
        total = best_assignment(credits)
    else:
        total = math.fsum(max(by_gold.values(), default=0.0) for _, by_gold in credits)
    p = total / len(spans)
    r = _best_recall(gold, best_recall)
    return p, r, _harmonic(p, r)


def _best_recall(gold: Sequence[GoldAt], covered: Sequence[float]) -> float:
    """The best mean coverage when optional spans may be left out; something was predicted."""
    must = [c for (_, _, labels), c in zip(gold, covered, strict=True) if NO_FALLACY not in labels]
    may = sorted(
        (c for (_, _, labels), c in zip(gold, covered, strict=True) if NO_FALLACY in labels and len(labels) > 1),
        reverse=True,
    )
    total, n = math.fsum(must), len(must)
    for c in may:
        if n and c * n <= total:
            break
        total += c
        n += 1
    return total / n if n else 0.0


def label_sets_prf(pred: Iterable[str], gold: Sequence[GoldAt]) -> tuple[float, float, float]:
    """Precision, recall and F1 of the labels of one text, ignoring positions (section 5.2.2, last paragraph).

    Every gold span takes one of its alternatives; the gold label set is what they take, "no fallacy" left out.

    Returns
    -------
    (float, float, float)
        ``|hits| / |pred|`` and ``|hits| / |gold set|``, each for its best alternative; (1, 1, 1) if nothing is
        predicted and some alternative has no fallacy. Where only one side is empty, all are 0.

    Notes
    -----
    Exact without enumerating: hits are a maximum matching between predicted labels and gold spans, and the labels
    missed are a minimum hitting set over the mandatory spans that no predicted label fits.

    Examples
    --------
    >>> label_sets_prf({"a"}, [(0, 4, frozenset({"a", "b"})), (5, 9, frozenset({"c"}))])
    (1.0, 0.5, 0.6666666666666666)
    """
    labels = set(pred)
    if not labels:
        value = 1.0 if all(NO_FALLACY in options for _, _, options in gold) else 0.0
        return value, value, value
    hit = [options & labels for _, _, options in gold if options & labels]
    missed = [options for _, _, options in gold if not options & labels and NO_FALLACY not in options]
    n_hits = max_matching(hit)
    n_missed = min_hitting_set(missed)
    p = n_hits / len(labels)
    r = n_hits / (n_hits + n_missed) if n_hits + n_missed else 0.0
    return p, r, _harmonic(p, r)


def published_prf(
    pred: Sequence[SpanAt], gold: Sequence[GoldAt], *, n_rows: int | None = None
) -> tuple[float, float, float]:
    """Soft precision, recall and F1 of one text as the paper's tables computed them.

    Differs from :func:`soft_prf` in this: equal spans are kept apart; a predicted span goes through the gold spans in
    file order and *adds* every match that is larger than its sum so far, so that it may exceed 1; and where some
    alternative has a fallacy, an alternative without any has recall 1 only if there is no predicted row at all.

    Parameters
    ----------
    pred : predicted spans at the level scored.
    gold : gold spans in file order.
    n_rows : predicted rows of any level, rows labelled "unknown" included (default: ``len(pred)``).

    Raises
    ------
    InputError
        If more than a million alternatives compete in one part of a text; this variant has no shortcut.
    """
    rows = len(pred) if n_rows is None else n_rows
    mandatory = any(NO_FALLACY not in labels for _, _, labels in gold)
    some_fallacy = any(labels - {NO_FALLACY} for _, _, labels in gold)
    covered = [0.0] * len(gold)
    matches: list[tuple[str, list[tuple[int, float]]]] = []
    for start, end, label in pred:
        found = []
        for g, (gold_start, gold_end, labels) in enumerate(gold):
            shared = min(end, gold_end) - max(start, gold_start)
            if shared > 0 and label in labels:
                found.append((g, shared / (end - start)))
                covered[g] = max(covered[g], shared / (gold_end - gold_start))
        matches.append((label, found))
    if pred:
        p = _published_sum(matches) / len(pred)
        r = _best_recall(gold, covered)
    else:
        p = r = 0.0 if mandatory else 1.0
    if not mandatory and some_fallacy and rows == 0:
        r = 1.0
    elif not mandatory and some_fallacy and not pred:
        r = 0.0
    return p, r, _harmonic(p, r)


def _published_sum(matches: Sequence[tuple[str, list[tuple[int, float]]]]) -> float:
    options: dict[int, set[str]] = defaultdict(set)
    for label, found in matches:
        for g, _ in found:
            options[g].add(label)
    contested = sorted(g for g, labels in options.items() if len(labels) > 1)
    if math.prod(len(options[g]) for g in contested) > _MAX_PUBLISHED_PRODUCT:
        raise InputError(
            f"variant 'published': at most {_MAX_PUBLISHED_PRODUCT} alternatives can compete in one text, got"
            f" {len(contested)} contested gold spans; use variant 'definition', which is exact at any size"
        )
    best = 0.0
    for choice in itertools.product(*(sorted(options[g]) for g in contested)):
        chosen = dict(zip(contested, choice, strict=True))
        total = 0.0
        for label, found in matches:
            sum_so_far = 0.0
            for g, credit in found:
                if chosen.get(g, label) == label and credit > sum_so_far:
                    sum_so_far += credit
            total += sum_so_far
        best = max(best, total)
    return best


@dataclass(frozen=True, kw_only=True)
class SoftSpan(SpanMetric):
    """MAFALDA's precision, recall and F1: partial overlap, equally valid alternatives, three levels.

    Each number is the mean over texts of the text's own value, in [0, 1] (under "published" precision may exceed 1);
    higher is better. F1 is the mean of the texts' F1, not the F1 of the means.

    Parameters
    ----------
    level : 0 (fallacy or not) to the taxonomy's finest level; labels and alternatives are collapsed as sets.
    unit : "span", or "text" for the labels of a text wherever they stand.
    variant : "definition", the formulas of section 5.2.2; or "published", what the paper's tables were computed with
        (see :func:`published_prf`; predictions must come from the reading of the same name).
    alternatives : "exclusive", a gold span takes one label (definition 6); or "inclusive", any prediction that agrees
        with one of a gold span's alternatives is good (the prose of section 5.2). "published" is always exclusive.
    taxonomy : what gives the levels; never None here.

    Notes
    -----
    P(S, T) = 1/|S| sum_s max_t C(s, t, |s|) and R(S, T) = 1/|T-| sum_t max_s C(s, t, |t|), with
    C(s, t, h) = |s & t| / h [l(s) = l(t)], each for the best choice of alternatives; F1 = 2PR / (P + R).
    Undefined cases: see :func:`soft_prf` and :func:`label_sets_prf`.

    The parts by label pool spans over texts instead of averaging texts: the precision of a label is the mean over its
    predicted spans of their best match among the gold spans that allow it; its recall is the mean coverage of the gold
    spans that have it alone, and of those that have it as one of several where it was predicted on them.

    Cost: O(n log n) in the number of spans where predictions do not compete for the alternatives of a gold span.

    References
    ----------
    Helwe, Calamai, Paris, Clavel, Suchanek (2024). MAFALDA: a benchmark and comprehensive study of fallacy detection
    and classification. NAACL.

    Examples
    --------
    >>> from fallax.core.types import GoldSpan, Prediction, Record, Span
    >>> gold = Record("r", "x" * 40, (GoldSpan(0, 40, ("ad hominem", "tu quoque")),))
    >>> pred = Prediction("r", (Span(0, 20, "ad hominem"), Span(20, 40, "straw man")))
    >>> print(SoftSpan().record_score(pred=pred, gold=gold))
    soft_span: precision=0.500 recall=0.500 f1=0.500
    >>> SoftSpan(level=0).record_score(pred=pred, gold=gold)["precision"]
    1.0
    """

    name: ClassVar[str] = "soft_span"
    counts_kept_out: ClassVar[bool] = True
    measures: ClassVar[Mapping[str, Measure]] = {
        "precision": Measure("mean over texts of the share of what is predicted that is gold", high=None),
        "recall": Measure("mean over texts of the share of what is gold that is predicted"),
        "f1": Measure("mean over texts of the harmonic mean of precision and recall", high=None),
    }

    taxonomy: Taxonomy | str | None = field(default="mafalda", hash=False)
    level: int = 2
    unit: Literal["span", "text"] = "span"
    variant: Literal["definition", "published"] = "definition"
    alternatives: Literal["exclusive", "inclusive"] = "exclusive"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice(self.name, "unit", self.unit, ("span", "text"))
        check_choice(self.name, "variant", self.variant, ("definition", "published"))
        check_choice(self.name, "alternatives", self.alternatives, ("exclusive", "inclusive"))
        if self.taxonomy is None:
            raise InputError("soft_span: a taxonomy must be given, it says what the levels are; got None")
        if type(self.level) is not int:
            raise InputError(f"soft_span: level must be an integer, got {self.level!r}")
        self._labels.check_level(self.level)
        if self.alternatives == "inclusive" and (self.variant == "published" or self.unit == "text"):
            raise InputError("soft_span: alternatives='inclusive' belongs to unit='span', variant='definition'")

    @property
    def ignores_positions(self) -> bool:
        """Whether texts are the unit."""
        return self.unit == "text"

    @property
    def _labels(self) -> Taxonomy:
        found = taxonomy_of(self.taxonomy)
        if found is None:
            raise UnknownNameError("taxonomy", None, ())
        return found

    @property
    def formula(self) -> str:
        """``mean``."""
        return "mean"

    @property
    def label_formula(self) -> str:
        """``fraction``."""
        return "fraction"

    @property
    def zero(self) -> Sums:
        """The sums at 0."""
        return {"precision": 0.0, "recall": 0.0, "f1": 0.0, "n": 0}

    def _check(self, pair: PredGold, known: Collection[str]) -> None:
        pair.gold.check_labels(known)
        if pair.pred.variant == "definition":
            if self.variant == "published" and self.unit == "span" and pair.pred.n_replies:
                raise InputError(
                    f"soft_span: variant 'published' needs predictions read with variant 'published', record"
                    f" {pair.pred.id!r} was read with 'definition'"
                )
            pair.pred.check(pair.gold, known)
        elif self.variant == "definition" and self.unit == "span":
            raise InputError(
                f"soft_span: variant 'definition' needs predictions read with variant 'definition', record"
                f" {pair.pred.id!r} was read with {pair.pred.variant!r}"
            )

    def _count(self, pairs: Sequence[PredGold]) -> Iterable[Counts]:
        taxonomy = self._labels
        at = {label: taxonomy.at_level(label, self.level) for label in (*taxonomy.names, NO_FALLACY)}
        for pred, record in pairs:
            gold = [(g.start, g.end, frozenset(at[x] for x in g.labels)) for g in record.gold or ()]
            rows = [(s.start, s.end, at.get(s.label, _UNKNOWN)) for s in pred.spans]
            if self.unit == "text":
                found = {at.get(x, x) for x in pred.text_labels if x != _UNKNOWN}
                p, r, f1 = label_sets_prf(found, gold)
                yield Counts(_means(p, r, f1), _text_labels(found, gold))
                continue
            if self.variant == "published":
                kept = [row for row in rows if self.level > 0 or row[2] != _UNKNOWN]
                p, r, f1 = published_prf(kept, gold, n_rows=len(rows))
            else:
                p, r, f1 = soft_prf(rows, gold, inclusive=self.alternatives == "inclusive")
            yield Counts(_means(p, r, f1), _span_labels(rows, gold))


def _means(p: float, r: float, f1: float) -> Sums:
    return {"precision": p, "recall": r, "f1": f1, "n": 1}


def _span_labels(pred: Sequence[SpanAt], gold: Sequence[GoldAt]) -> dict[str, Sums]:
    index = _by_label(gold)
    found: dict[str, dict[str, float]] = {}
    covered: dict[tuple[str, int], float] = defaultdict(float)

    def sums(label: str) -> dict[str, float]:
        return found.setdefault(label, {"precision_sum": 0.0, "n_pred": 0, "recall_sum": 0.0, "n_gold": 0, "n": 1})

    for start, end, label in sorted(set(pred)):
        best = 0.0
        for g, shared in _overlaps(index[label], start, end) if label in index else ():
            best = max(best, shared / (end - start))
            covered[label, g] = max(covered[label, g], shared / (gold[g][1] - gold[g][0]))
        sums(label)["precision_sum"] += best
        sums(label)["n_pred"] += 1
    for g, (_, _, labels) in enumerate(gold):
        for label in labels - {NO_FALLACY}:
            if len(labels) == 1 or covered[label, g]:
                sums(label)["recall_sum"] += covered[label, g]
                sums(label)["n_gold"] += 1
    return dict(found)


def _text_labels(pred: set[str], gold: Sequence[GoldAt]) -> dict[str, Sums]:
    allowed = frozenset().union(*(labels for _, _, labels in gold)) - {NO_FALLACY}
    needed = frozenset().union(*(labels for _, _, labels in gold if len(labels) == 1))
    return {
        label: {
            "precision_sum": float(label in pred and label in allowed),
            "n_pred": int(label in pred),
            "recall_sum": float(label in pred and label in allowed),
            "n_gold": int(label in needed or (label in pred and label in allowed)),
            "n": 1,
        }
        for label in sorted(pred | needed)
    }

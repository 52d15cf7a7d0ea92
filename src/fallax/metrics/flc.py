"""Fragment-level classification: partial overlaps between fragments of one technique (Da San Martino et al. 2019)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from fallax.core.types import NO_FALLACY
from fallax.errors import InputError, one_line
from fallax.metrics.base import Counts, Measure, PredGold, SpanMetric, Sums, check_choice, check_flag

__all__ = ["FLC"]

_Ints: TypeAlias = npt.NDArray[np.int64]
_ZERO: Sums = {"precision_sum": 0.0, "n_pred": 0, "recall_sum": 0.0, "n_gold": 0, "n": 0}


class _Spans(NamedTuple):
    """Spans of all records. A group is one label of one record; only spans of one group can overlap."""

    group: _Ints
    start: _Ints
    end: _Ints

    def sorted(self) -> _Spans:
        order = np.lexsort((self.end, self.start, self.group))
        return _Spans(self.group[order], self.start[order], self.end[order])


@dataclass(frozen=True, kw_only=True)
class FLC(SpanMetric):
    """Precision, recall and F1 of labelled fragments with partial credit for overlap.

    Every pair of a predicted and a gold fragment with the same technique counts with the share of characters it has in
    common; higher is better. All matches are *added*, so precision and recall may exceed 1 where fragments of one
    technique overlap each other. Sums run over the whole corpus: S and T are the fragments of all records, and
    fragments of different records never match.

    Parameters
    ----------
    variant : "definition", the formulas of the note; or "official", what the organisers' scorer does: gold fragments
        of one technique that share a character are merged first; predictions that do so are an error, or merged with
        ``merge_overlaps``; F1 is 1 where there is neither gold nor prediction; and the recall of a single technique
        divides the *precision's* sum by the number of its gold fragments.
    merge_overlaps : merge overlapping predictions of one technique ("official" only).
    taxonomy : see :class:`~fallax.metrics.base.SpanMetric`.

    Raises
    ------
    InputError
        Under "official", if two predictions of one technique overlap and ``merge_overlaps`` is not set.

    Notes
    -----
    P = 1/|S| sum over s, t of |s & t| / |s| [l(s) = l(t)],  R = 1/|T| sum over s, t of |s & t| / |t| [l(s) = l(t)],
    F1 = 2PR / (P + R); equations 2 to 4.

    Undefined: P = 0 without predictions and R = 0 without gold, as the note says; F1 = 0 where both are 0 ("official":
    1 without gold and prediction). If no record was scored at all, all three are None.

    A gold span with several labels is several fragments at the same place (a corpus of techniques annotates them so);
    the label "no fallacy" is no fragment. The parts by label are equation 4 restricted to one technique.

    Cost: O(n log n) in the number of fragments, however many of them overlap.

    References
    ----------
    Da San Martino, Barrón-Cedeño, Nakov (2019). Evaluation of the fragment-level classification subtask. NLP4IF.

    Examples
    --------
    >>> from fallax.core.types import GoldSpan, Prediction, Record, Span
    >>> gold = Record("a1", "x" * 40, (GoldSpan(0, 40, ("Doubt",)),))
    >>> score = FLC().record_score(pred=Prediction("a1", (Span(0, 10, "Doubt"), Span(0, 40, "Doubt"))), gold=gold)
    >>> print(score)
    flc: precision=1.000 recall=1.250 f1=1.111
    >>> str(FLC(variant="official", merge_overlaps=True))
    'flc(variant=official, merge_overlaps=true)'
    """

    name: ClassVar[str] = "flc"
    counts_kept_out: ClassVar[bool] = True
    measures: ClassVar[Mapping[str, Measure]] = {
        "precision": Measure("share of the predicted characters that are gold; may exceed 1", high=None),
        "recall": Measure("share of the gold characters that are predicted; may exceed 1", high=None),
        "f1": Measure("harmonic mean of precision and recall; may exceed 1", high=None),
    }

    variant: Literal["definition", "official"] = "definition"
    merge_overlaps: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice(self.name, "variant", self.variant, ("definition", "official"))
        check_flag(self.name, "merge_overlaps", self.merge_overlaps)
        if self.merge_overlaps and self.variant != "official":
            raise InputError("flc: merge_overlaps=True belongs to variant='official'; the definition adds all overlaps")

    @property
    def formula(self) -> str:
        """``fraction``; ``fraction_empty_is_one`` for the organisers' scorer."""
        return "fraction" if self.variant == "definition" else "fraction_empty_is_one"

    @property
    def label_formula(self) -> str:
        """``fraction``; ``fraction_one_sum`` for the organisers' scorer."""
        return "fraction" if self.variant == "definition" else "fraction_one_sum"

    @property
    def zero(self) -> Sums:
        """The five sums at 0."""
        return _ZERO

    def _count(self, pairs: Sequence[PredGold]) -> Iterable[Counts]:
        labels = sorted(
            {s.label for p in pairs for s in p.pred.spans}
            | {x for p in pairs for g in p.gold.gold or () for x in g.labels if x != NO_FALLACY}
        )
        code = {label: i for i, label in enumerate(labels)}
        k = len(labels)
        pred = _table((i * k + code[s.label], s.start, s.end) for i, p in enumerate(pairs) for s in p.pred.spans)
        gold = _table(
            (i * k + code[x], g.start, g.end)
            for i, p in enumerate(pairs)
            for g in p.gold.gold or ()
            for x in g.labels
            if x != NO_FALLACY
        )
        if self.variant == "official":
            gold = _merged(gold)
            if self.merge_overlaps:
                pred = _merged(pred)
            elif (i := _first_overlap(pred)) is not None:
                record, label = pairs[pred.group[i] // k].pred.id, labels[pred.group[i] % k]
                raise InputError(
                    f"record {one_line(record, 60)!r}: predictions of one technique must not overlap (variant"
                    f" 'official'), got {label!r} at {pred.start[i - 1]}..{pred.end[i - 1]} and"
                    f" {pred.start[i]}..{pred.end[i]}; merge them with merge_overlaps=True"
                )
        width = 1 + max((int(x.end.max()) for x in (pred, gold) if x.end.size), default=0)
        precision = (_shared(pred, gold, width) / (pred.end - pred.start)).tolist()
        recall = (_shared(gold, pred, width) / (gold.end - gold.start)).tolist()
        bounds = np.arange(len(pairs) * k + 1)
        p_at = np.searchsorted(pred.group, bounds).tolist()
        g_at = np.searchsorted(gold.group, bounds).tolist()

        def sums(first: int, last: int) -> Sums:
            p0, p1, g0, g1 = p_at[first], p_at[last], g_at[first], g_at[last]
            return {
                "precision_sum": math.fsum(precision[p0:p1]),
                "n_pred": p1 - p0,
                "recall_sum": math.fsum(recall[g0:g1]),
                "n_gold": g1 - g0,
                "n": 1,
            }

        for i in range(len(pairs)):
            first = i * k
            by_label = {
                labels[j]: sums(first + j, first + j + 1)
                for j in range(k)
                if p_at[first + j] < p_at[first + j + 1] or g_at[first + j] < g_at[first + j + 1]
            }
            yield Counts(sums(first, first + k), by_label)


def _table(rows: Iterable[tuple[int, int, int]]) -> _Spans:
    flat = np.fromiter((x for row in rows for x in row), dtype=np.int64).reshape(-1, 3)
    return _Spans(flat[:, 0], flat[:, 1], flat[:, 2]).sorted()


def _runs(spans: _Spans) -> npt.NDArray[np.bool_]:
    """True where a sorted span does not overlap an earlier span of its group."""
    fresh = np.ones(spans.start.size, dtype=bool)
    if spans.start.size > 1:
        width = int(spans.end.max()) + 1
        furthest = np.maximum.accumulate(spans.group * width + spans.end)
        fresh[1:] = spans.group[1:] * width + spans.start[1:] >= furthest[:-1]
    return fresh


def _merged(spans: _Spans) -> _Spans:
    if not spans.start.size:
        return spans
    first = np.flatnonzero(_runs(spans))
    return _Spans(spans.group[first], spans.start[first], np.maximum.reduceat(spans.end, first))


def _first_overlap(spans: _Spans) -> int | None:
    overlapping = np.flatnonzero(~_runs(spans))
    return int(overlapping[0]) if overlapping.size else None


def _shared(spans: _Spans, others: _Spans, width: int) -> _Ints:
    """For each span, the number of characters shared with each other span of its group, summed.

    Let F(x) be the sum over the others of their characters before x; then a span shares F(end) - F(start). The sum of
    max(0, x - start) over the others, less that of max(0, x - end), is F(x): two binary searches and prefix sums.
    """
    starts = others.group * width + others.start
    ends = np.sort(others.group * width + others.end)
    base = np.searchsorted(starts, spans.group * width)

    def reach(at: _Ints, keys: _Ints) -> _Ints:
        prefix = np.concatenate(([0], np.cumsum(keys % width)))
        found = np.searchsorted(keys, spans.group * width + at)
        gained: _Ints = at * (found - base) - (prefix[found] - prefix[base])
        return gained

    before_end = reach(spans.end, starts) - reach(spans.end, ends)
    before_start = reach(spans.start, starts) - reach(spans.start, ends)
    return before_end - before_start

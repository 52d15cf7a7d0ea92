"""One-to-one span matching as in named-entity evaluation, with an optimal assignment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from fallax.core.types import NO_FALLACY, GoldSpan, Prediction, Record, Span
from fallax.metrics.base import Counts, Measure, PredGold, SpanMetric, Sums, check_choice, keyed_by_label

__all__ = ["SpanMatch"]

_MODES = ("strict", "exact", "partial", "type", "overlap")
_AVERAGES = ("micro", "macro")
#: prediction -> gold -> credit in halves (1 or 2).
_Edges: TypeAlias = Mapping[int, Mapping[int, int]]


@dataclass(frozen=True, kw_only=True)
class SpanMatch(SpanMetric):
    """Precision, recall and F1 of spans, each matched with at most one other.

    In [0, 1], higher is better; counted in spans over the whole corpus.

    Parameters
    ----------
    mode : what counts as a match. "strict": same offsets and label. "exact": same offsets, whatever the label.
        "partial": any shared character, whatever the label; 1 for the same offsets, 1/2 otherwise. "type": same label
        and any shared character. "overlap": any shared character, whatever the label.
    alternatives : "either", a gold span has one of its labels; or "all", it is one span for each of them (corpora that
        mark several techniques at one place).
    average : "micro", all spans together; or "macro", the mean over the labels that occur in gold or predictions.
    taxonomy : see :class:`~fallax.metrics.base.SpanMetric`.

    Notes
    -----
    P = credit / n_pred, R = credit / n_gold, F1 = 2 credit / (n_pred + n_gold); each is None where its denominator is
    0. Credit is that of a matching with the greatest total credit; it does not depend on any order.

    Alternatives: a label agrees with a gold span if it is among its labels. A gold span that may be no fallacy costs
    nothing when missed: it is in ``n_gold`` only if it is matched. Of the matchings with the greatest credit, one with
    the fewest such spans counts. A gold span that can only be no fallacy is no span at all.

    One label (parts, and the terms of the macro mean): the predictions with that label against the gold spans that
    allow it; one that allows another label too costs nothing when missed, as the other label may be the right one.
    A label that is never predicted adds 0 to macro precision, one that is never gold adds 0 to macro recall.

    Differs from nervaluate, which matches greedily, in file order.

    Cost: a record's spans fall into connected parts; each costs the cube of its size at worst.

    References
    ----------
    Segura-Bedmar, Martínez, Herrero-Zazo (2013). SemEval-2013 task 9 (the five modes but "overlap").

    Examples
    --------
    >>> gold = Record("r", "x" * 30, (GoldSpan(0, 10, ("A", "B")), GoldSpan(15, 25, ("C", NO_FALLACY))))
    >>> pred = Prediction("r", (Span(0, 9, "B"),))
    >>> for mode in ("strict", "partial", "type"):
    ...     print(SpanMatch(mode=mode).record_score(pred=pred, gold=gold))
    span_match: precision=0.000 recall=0.000 f1=0.000
    span_match(mode=partial): precision=0.500 recall=0.500 f1=0.500
    span_match(mode=type): precision=1.000 recall=1.000 f1=1.000
    """

    name: ClassVar[str] = "span_match"
    counts_kept_out: ClassVar[bool] = True
    measures: ClassVar[Mapping[str, Measure]] = {
        "precision": Measure("share of the predicted spans that match"),
        "recall": Measure("share of the gold spans that are matched"),
        "f1": Measure("harmonic mean of precision and recall"),
    }

    mode: Literal["strict", "exact", "partial", "type", "overlap"] = "strict"
    average: Literal["micro", "macro"] = "micro"
    alternatives: Literal["either", "all"] = "either"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice(self.name, "mode", self.mode, _MODES)
        check_choice(self.name, "average", self.average, _AVERAGES)
        check_choice(self.name, "alternatives", self.alternatives, ("either", "all"))

    @property
    def ignores_labels(self) -> bool:
        """True in the modes that match whatever the labels are."""
        return self.mode not in ("strict", "type")

    @property
    def formula(self) -> str:
        """``matches`` or ``macro_matches``."""
        return "matches" if self.average == "micro" else "macro_matches"

    @property
    def label_formula(self) -> str:
        """``matches``."""
        return "matches"

    @property
    def zero(self) -> Sums:
        """The three sums at 0; a macro mean starts without labels."""
        return {"hits": 0, "n_pred": 0, "n_gold": 0} if self.average == "micro" else {}

    def _count(self, pairs: Sequence[PredGold]) -> Iterable[Counts]:
        return (self._of(pair.pred, pair.gold) for pair in pairs)

    def _of(self, pred: Prediction, record: Record) -> Counts:
        gold = [g for g in record.gold or () if g.labels != (NO_FALLACY,)]
        if self.alternatives == "all":
            gold = [GoldSpan(g.start, g.end, (x,)) for g in gold for x in g.labels if x != NO_FALLACY]
        labels = {s.label for s in pred.spans} | {x for g in gold for x in g.labels} - {NO_FALLACY}
        by_label = {}
        for label in sorted(labels):
            allowed = [g for g in gold if label in g.labels]
            sums = self._sums(
                [s for s in pred.spans if s.label == label], allowed, [len(g.labels) > 1 for g in allowed]
            )
            if sums["n_pred"] or sums["n_gold"]:
                by_label[label] = sums
        if self.average == "macro":
            return Counts(keyed_by_label(by_label), by_label)
        return Counts(self._sums(pred.spans, gold, [g.is_optional for g in gold]), by_label)

    def _sums(self, spans: Sequence[Span], gold: Sequence[GoldSpan], optional: Sequence[bool]) -> Sums:
        halves, n_optional = _match(self._edges(spans, gold), optional)
        return {"hits": halves / 2, "n_pred": len(spans), "n_gold": optional.count(False) + n_optional}

    def _edges(self, spans: Sequence[Span], gold: Sequence[GoldSpan]) -> _Edges:
        if self.mode in ("strict", "exact"):
            at: dict[tuple[int, int], list[int]] = {}
            for j, g in enumerate(gold):
                at.setdefault((g.start, g.end), []).append(j)
            return {
                i: {j: 2 for j in at.get((s.start, s.end), ()) if self.mode == "exact" or s.label in gold[j].labels}
                for i, s in enumerate(spans)
            }
        edges: dict[int, dict[int, int]] = {i: {} for i in range(len(spans))}
        for i, j in _overlapping(spans, gold):
            s, g = spans[i], gold[j]
            if self.mode == "type" and s.label not in g.labels:
                continue
            same = (s.start, s.end) == (g.start, g.end)
            edges[i][j] = 1 if self.mode == "partial" and not same else 2
        return edges


def _overlapping(spans: Sequence[Span], gold: Sequence[GoldSpan]) -> Iterable[tuple[int, int]]:
    """Every (prediction, gold) that share a character, by one sweep over the starts."""
    starts = [(s.start, 0, i) for i, s in enumerate(spans)] + [(g.start, 1, j) for j, g in enumerate(gold)]
    active: tuple[dict[int, int], dict[int, int]] = {}, {}
    for start, side, index in sorted(starts):
        others = active[1 - side]
        for other in [k for k, end in others.items() if end <= start]:
            del others[other]
        for other in others:
            yield (index, other) if side == 0 else (other, index)
        active[side][index] = (spans[index] if side == 0 else gold[index]).end


def _match(edges: _Edges, optional: Sequence[bool]) -> tuple[int, int]:
    """The greatest credit (in halves) of a one-to-one matching, and the fewest optional gold spans it needs."""
    halves = n_optional = 0
    for preds, golds in _parts(edges):
        if len(preds) == 1 or len(golds) == 1:
            pool = [(edges[i][j], not optional[j]) for i in preds for j in golds if j in edges[i]]
            credit, mandatory = max(pool)
            halves += credit
            n_optional += not mandatory
            continue
        import numpy as np
        from scipy.optimize import linear_sum_assignment

        # One half of credit outweighs every optional span of the part.
        unit = len(golds) + 1
        weight = np.zeros((len(preds), len(golds)), dtype=np.int64)
        column = {j: k for k, j in enumerate(golds)}
        for row, i in enumerate(preds):
            for j, credit in edges[i].items():
                weight[row, column[j]] = credit * unit - optional[j]
        for row, k in zip(*linear_sum_assignment(weight, maximize=True), strict=True):
            if credit := edges[preds[row]].get(golds[k], 0):
                halves += credit
                n_optional += optional[golds[k]]
    return halves, n_optional


def _parts(edges: _Edges) -> Iterable[tuple[list[int], list[int]]]:
    """Connected parts: the predictions and the gold spans of each."""
    back: dict[int, list[int]] = {}
    for i, found in edges.items():
        for j in found:
            back.setdefault(j, []).append(i)
    seen: set[int] = set()
    for first in edges:
        if first in seen or not edges[first]:
            continue
        seen.add(first)
        preds, golds = [first], dict.fromkeys(edges[first])
        queue = list(golds)
        while queue:
            for i in back[queue.pop()]:
                if i not in seen:
                    seen.add(i)
                    preds.append(i)
                    fresh = [j for j in edges[i] if j not in golds]
                    golds.update(dict.fromkeys(fresh))
                    queue += fresh
        yield sorted(preds), sorted(golds)

"""Scores files of predictions against gold, and keeps what a reader must know of each score."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from fallax.core.types import NO_FALLACY, Record, Score, Unreadable
from fallax.core.types.taxonomy import label_key
from fallax.data import (
    Problem,
    read_corpus,
    read_gold_structures,
    read_labels,
    read_predicted_structures,
    read_predictions,
)
from fallax.errors import InputError
from fallax.metrics import FLC, Classification, TwoClass
from fallax.metrics.base import Missing, SpanMetric, add_up, is_unreadable, taxonomy_of
from fallax.metrics.structure import StructureMetric
from fallax.runs.naming import CannotName, count_unnameable
from fallax.scoring import labels_of, odd_labels

__all__ = ["Scored", "over_common_records", "score_labels", "score_spans", "score_structures"]


@dataclass(frozen=True)
class Scored:
    """One file of predictions with its score.

    Parameters
    ----------
    path, score : the file and what it scores.
    again : scores the same predictions over these records alone.
    lost : the records whose reply could not be read.
    problems : what was reported of gold and of this file, and did not stop the reading.
    n_as_wrong, n_labels_only, n_left_out : predicted spans of scored records that could not be used: those that count
        as predictions that match nothing, those whose labels count since the metric ignores positions, and those that
        do not count, since the metric has no place for them.
    n_gold_out : scored records with gold spans that could not be used, so that right predictions may count as wrong.
    odd_labels : predicted label that gold never has -> the gold label that differs from it in spelling alone, or None.
    unanswered : share of the records with a gold label that got none; None where the metric takes no single labels.
    n_other_gold : records left out since two labels are scored and gold has a third one there.
    gold_labels : record -> for each gold passage, or for the record, the labels one of which is right; empty where
        labels do not count.
    named : every label that is predicted.
    unit : what ``gold_labels`` has the labels of: "passages" or "records".
    records : of gold, of a metric over spans.
    """

    path: Path
    score: Score
    again: Callable[[Collection[str]], Score]
    lost: frozenset[str] = frozenset()
    problems: tuple[Problem, ...] = ()
    n_as_wrong: int = 0
    n_labels_only: int = 0
    n_left_out: int = 0
    n_gold_out: int = 0
    odd_labels: Mapping[str, str | None] = field(default_factory=dict)
    unanswered: float | None = None
    n_other_gold: int = 0
    gold_labels: Mapping[str, Sequence[Sequence[str]]] = field(default_factory=dict)
    named: frozenset[str] = frozenset()
    unit: str = "passages"
    records: Sequence[Record] = ()

    @property
    def never_predicted(self) -> CannotName | None:
        """The gold labels of scored records that are never predicted; None where labels do not count."""
        if not self.gold_labels:
            return None
        gold = [labels for i in self.score.records for labels in self.gold_labels.get(i, ())]
        return count_unnameable(gold, self.named, self.unit)


def score_spans(
    metric: SpanMetric,
    gold: Path,
    paths: Iterable[Path],
    *,
    missing: Missing,
    of_gold: Mapping[str, Any],
    of_pred: Mapping[str, Any],
) -> list[Scored]:
    """Score files of predicted spans or labels of texts; the mappings are options of the readers."""
    records = read_corpus(gold, taxonomy=metric.taxonomy, **of_gold)
    golds = labels_of(records)
    found = []
    for path in paths:
        preds = read_predictions(path, records=records, taxonomy=metric.taxonomy, **of_pred)

        def again(ids: Collection[str] | None = None, preds: Any = preds) -> Score:
            own = preds if ids is None else [p for p in preds if p.id in ids]
            of = records if ids is None else [r for r in records if r.id in ids]
            more = {"kept_out": preds.kept_out} if preds.kept_out else {}
            return metric.corpus_score(pred=own, gold=of, missing=missing, **more)

        score = again()
        labels_only = metric.counts_kept_out and metric.ignores_positions
        n_out = sum(len(preds.kept_out.get(i, ())) for i in score.records)
        found.append(
            Scored(
                path,
                score,
                again,
                frozenset(p.id for p in preds if is_unreadable(p) and p.id in score.unscored),
                (*records.problems, *preds.problems),
                n_out if metric.counts_kept_out and not labels_only else 0,
                n_out if labels_only else 0,
                0 if metric.counts_kept_out else n_out,
                len({p.record for p in records.problems if p.loses_span} & set(score.records)),
                odd_labels(labels_of(preds), golds),
                gold_labels=_gold_labels(metric, records),
                named=frozenset(labels_of(preds)),
                records=records.records,
            )
        )
    return found


def _gold_labels(metric: SpanMetric, records: Iterable[Record]) -> dict[str, Sequence[Sequence[str]]]:
    """Record -> the labels of each gold passage; nothing for metrics that take coarser labels, or none."""
    taxonomy, level = taxonomy_of(metric.taxonomy), getattr(metric, "level", None)
    if metric.ignores_labels or (taxonomy is not None and level is not None and level < taxonomy.finest):
        return {}
    if isinstance(metric, FLC) or getattr(metric, "alternatives", "") == "all":
        return {r.id: [(x,) for g in r.gold or () for x in g.labels if x != NO_FALLACY] for r in records}
    return {r.id: [g.labels for g in r.gold or ()] for r in records}


def score_structures(
    metric: StructureMetric,
    gold: Path,
    paths: Iterable[Path],
    *,
    missing: Missing,
    model: Any,
    gold_format: str | None,
    pred_format: str | None,
) -> list[Scored]:
    """Score files of predicted argument structures."""
    golds = read_gold_structures(gold, format=gold_format)
    drawn = {i: g.structure for i, g in golds.items()}
    found = []
    for path in paths:
        preds = read_predicted_structures(path, gold=golds, format=pred_format)

        def again(ids: Collection[str] | None = None, preds: Any = preds) -> Score:
            return metric.corpus_score(pred=_of(preds, ids), gold=_of(drawn, ids), model=model, missing=missing)

        score = again()
        lost = frozenset(i for i, p in preds.items() if isinstance(p, Unreadable) and i in score.unscored)
        found.append(Scored(path, score, again, lost))
    return found


def score_labels(
    metric: Classification | TwoClass, gold: Path, paths: Iterable[Path], *, missing: Missing
) -> list[Scored]:
    """Score files with one label for each record.

    Of two labels, a third one is no answer among the predictions, and records with a third one in gold are left out.
    """
    golds, others, of_two = read_labels(gold), frozenset[str](), isinstance(metric, TwoClass)
    if isinstance(metric, TwoClass):
        others = frozenset(i for i, label in golds.items() if _is_third(metric, label))
        if len(others) == sum(label is not None for label in golds.values()):
            others = frozenset()  # none of the two: the metric names them
        golds = {i: label for i, label in golds.items() if i not in others}
    found = []
    for path in paths:
        said = {i: label for i, label in read_labels(path).items() if i not in others}
        preds: dict[str, str | None] = said
        more: dict[str, Any] = {}
        if isinstance(metric, TwoClass):
            third = {i: f"answered {label!r}" for i, label in said.items() if _is_third(metric, label)}
            preds = {i: None if i in third else label for i, label in said.items()}
            more = {"reasons": third}

        def again(ids: Collection[str] | None = None, preds: Any = preds, more: Any = more) -> Score:
            return metric.corpus_score(pred=_of(preds, ids), gold=_of(golds, ids), missing=missing, **more)

        score = again()
        n_gold = sum(label is not None for label in golds.values())
        odd = odd_labels(filter(None, preds.values()), filter(None, golds.values()))
        unanswered = 1 - score.n_scored / n_gold if n_gold else None
        gold_labels = {i: [(label,)] for i, label in golds.items() if label is not None and not of_two}
        named = frozenset(label for label in preds.values() if label is not None)
        found.append(
            Scored(
                path, score, again, odd_labels=odd, unanswered=unanswered, n_other_gold=len(others),
                gold_labels=gold_labels, named=named, unit="records",
            )
        )  # fmt: skip
    return found


def _is_third(metric: TwoClass, label: str | None) -> bool:
    """Whether a label is neither of the two, and not one of them spelt otherwise."""
    return label is not None and label_key(label) not in map(label_key, (metric.positive, metric.negative))


def _of(values: Mapping[str, Any], ids: Collection[str] | None) -> dict[str, Any]:
    return {i: value for i, value in values.items() if ids is None or i in ids}


def over_common_records(found: Sequence[Scored]) -> list[Scored]:
    """The same files scored over the records that all of them have a score for.

    Where replies count as wrong that could not be read, the score is over the records that every file answered,
    readable or not.

    Raises
    ------
    InputError
        If they have no scored record in common.
    """
    common = frozenset.intersection(*(frozenset(one.score.records) for one in found))
    if all(len(common) == len(one.score.records) for one in found):
        return list(found)
    if not common:
        raise InputError("--compare: systems must have scored records in common, got none; score them one by one")
    answered = frozenset.intersection(*(one.lost.union(one.score.records) for one in found))
    return [replace(one, score=_restricted(one, common, answered)) for one in found]


def _restricted(one: Scored, common: frozenset[str], answered: frozenset[str]) -> Score:
    whole, wider = one.score, one.again(answered)
    others = {i: "not scored in every system" for i in whole.records if i not in common}
    more = {i: sums for i, sums in wider.records.items() if i not in common}
    return replace(
        one.again(common),
        n_replies=whole.n_replies,
        n_unreadable=whole.n_unreadable,
        unscored=dict(sorted({**whole.unscored, **others}.items())),
        wrong=add_up((wider.wrong, *more.values())),
        n_wrong=len(answered) - len(common),
        wrong_records={**wider.wrong_records, **more},
    )

"""Classification of whole texts: fallacy or not, sets of labels, and single labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, ClassVar, Literal, TypeAlias

from fallax.core.types import NO_FALLACY, Prediction, Record, Score, Unreadable
from fallax.errors import InputError, UnknownNameError, one_line
from fallax.metrics.alternatives import max_matching, min_hitting_set
from fallax.metrics.base import (
    NO_PREDICTION,
    Counts,
    Measure,
    Metric,
    Missing,
    PredGold,
    SpanMetric,
    Sums,
    build_score,
    check_choice,
    check_same_ids,
    keyed_by_label,
    taxonomy_of,
)

__all__ = [
    "BinaryDetection",
    "Classification",
    "FallacyDetection",
    "Labels",
    "MultiLabel",
    "confusion_counts",
    "labels_by_id",
]

#: id -> label (None: not annotated, or no answer); or labels alone, whose ids are their positions from "0" on.
Labels: TypeAlias = Mapping[str, str | None] | Sequence[str | None]
Answers: TypeAlias = Mapping[str, str | Unreadable | None] | Sequence[str | Unreadable | None]

#: The rates of a table of yes and no.
_RATES: dict[str, Measure] = {
    "accuracy": Measure("share of the texts classified correctly"),
    "balanced_accuracy": Measure("1 - (FPR + FNR) / 2"),
    "precision": Measure("share of the texts called fallacious that are"),
    "recall": Measure("share of the fallacious texts called so"),
    "f1": Measure("harmonic mean of precision and recall"),
    "fpr": Measure("share of the texts without fallacy called fallacious", higher_is_better=False),
    "fnr": Measure("share of the fallacious texts not called so", higher_is_better=False),
}
_PRF: dict[str, Measure] = {
    "precision": Measure("share of the predicted labels that are gold"),
    "recall": Measure("share of the gold labels that are predicted"),
    "f1": Measure("harmonic mean of precision and recall"),
}


def _fallacies(pred: Prediction) -> frozenset[str]:
    return pred.text_labels - {NO_FALLACY}


@dataclass(frozen=True, kw_only=True)
class BinaryDetection(SpanMetric):
    """A metric that counts true and false positives and negatives.

    Parameters
    ----------
    taxonomy : see :class:`~fallax.metrics.base.SpanMetric`.
    """

    measures: ClassVar[Mapping[str, Measure]] = _RATES

    @property
    def ignores_labels(self) -> bool:
        """True."""
        return True

    @property
    def formula(self) -> str:
        """``confusion``."""
        return "confusion"

    @property
    def zero(self) -> Sums:
        """The four counts at 0."""
        return {"tp": 0, "fp": 0, "fn": 0, "tn": 0}


@dataclass(frozen=True, kw_only=True)
class FallacyDetection(BinaryDetection):
    """Whether a text has a fallacy: accuracy, balanced accuracy, P, R, F1, FPR and FNR.

    Counted in records; the positive class is "has a fallacy". All in [0, 1]; lower is better for FPR and FNR.

    Parameters
    ----------
    taxonomy : see :class:`~fallax.metrics.base.SpanMetric`.

    Notes
    -----
    A prediction is positive if it names a fallacy, by a span or by a label of the text. Gold is positive if some gold
    span must be a fallacy, and negative if none can be. Where some can be but none must (all that can also allow
    "no fallacy"), either answer is right: a positive one is a true positive, a negative one a true negative.

    Undefined: a rate with nothing to divide by is None (FPR without negatives, precision without positive answers,
    ...), and so is balanced accuracy unless both classes occur.

    Examples
    --------
    >>> from fallax.core.types import GoldSpan, Record
    >>> gold = [Record("1", "You lie.", (GoldSpan(0, 8, ("ad hominem",)),)), Record("2", "It rains.", ())]
    >>> pred = [Prediction("1", labels=frozenset({"straw man"})), Prediction("2", labels=frozenset({"straw man"}))]
    >>> score = FallacyDetection().corpus_score(pred=pred, gold=gold)
    >>> score["accuracy"], score["balanced_accuracy"], score["fpr"], score["fnr"]
    (0.5, 0.5, 1.0, 0.0)
    """

    name: ClassVar[str] = "detection"
    counts_kept_out: ClassVar[bool] = True

    @property
    def ignores_positions(self) -> bool:
        """True: whether a text has a fallacy does not depend on where it is."""
        return True

    def _count(self, pairs: Sequence[PredGold]) -> Iterable[Counts]:
        for pred, record in pairs:
            gold = record.gold or ()
            must = not all(g.is_optional for g in gold)
            can = any(g.labels != (NO_FALLACY,) for g in gold)
            cell = ("tp" if can else "fp") if _fallacies(pred) else ("fn" if must else "tn")
            yield Counts({**self.zero, cell: 1})

    def _wrong(self, record: Record) -> Sums:
        must = not all(g.is_optional for g in record.gold or ())
        return {**self.zero, "fn" if must else "fp": 1}


@dataclass(frozen=True, kw_only=True)
class MultiLabel(SpanMetric):
    """Precision, recall and F1 of the set of labels of each text, ignoring positions.

    In [0, 1], higher is better.

    Parameters
    ----------
    average : "micro", all labels of all texts together; "macro", the mean over the labels that occur in gold or
        predictions; "samples", the mean over texts (with ``exact_match``, the share of texts told completely right).
    alternatives : "either", a gold span takes one of its labels; or "all", it has all of them (corpora that mark
        several techniques at one place).
    level : collapse labels to this level of the taxonomy, which must then be given; None scores them as they are.
    taxonomy : see :class:`~fallax.metrics.base.SpanMetric`.

    Notes
    -----
    With h hits, p predicted and g gold labels: P = h/p, R = h/g, F1 = 2h/(p + g).

    Alternatives: of all sets that the gold spans can take by choosing one label each ("no fallacy" takes none), the one
    with the highest F1 for this text counts. It has the highest precision and the highest recall too, since a span that
    allows a predicted label loses nothing by taking it; so h is a maximum matching between predicted labels and the
    gold spans that allow them, and g - h a minimum set of labels that hits every other span that must be a fallacy.
    Both are exact.

    One label (parts, and the terms of the macro mean) is told from the rest: a text has it if a gold span allows
    nothing else, may have it if a gold span allows it (predicted, it is a hit; not predicted, it costs nothing), and
    has it not otherwise.

    Undefined: "micro" and "macro" give None where there is nothing to divide by. "samples" counts a text without gold
    and predicted labels as 1, and one with only one of the two as 0.

    Examples
    --------
    >>> from fallax.core.types import GoldSpan, Record
    >>> gold = Record("1", "x" * 9, (GoldSpan(0, 4, ("A", "B")), GoldSpan(5, 9, ("C",))))
    >>> pred = Prediction("1", labels=frozenset({"B", "D"}))
    >>> print(MultiLabel().record_score(pred=pred, gold=gold))
    multi_label: precision=0.500 recall=0.500 f1=0.500
    """

    name: ClassVar[str] = "multi_label"
    counts_kept_out: ClassVar[bool] = True
    measures: ClassVar[Mapping[str, Measure]] = {
        **_PRF,
        "exact_match": Measure("share of the texts whose labels are all right (samples only)"),
    }

    average: Literal["micro", "macro", "samples"] = "micro"
    alternatives: Literal["either", "all"] = "either"
    level: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice(self.name, "average", self.average, ("micro", "macro", "samples"))
        check_choice(self.name, "alternatives", self.alternatives, ("either", "all"))
        if self.level is None:
            return
        if type(self.level) is not int:
            raise InputError(f"{self.name}: level must be a whole number, got {self.level!r}")
        if self.taxonomy is None:
            raise InputError(f"{self.name}: level {self.level} needs a taxonomy that says what it is; give taxonomy=")

    @property
    def ignores_positions(self) -> bool:
        """True."""
        return True

    @property
    def formula(self) -> str:
        """``matches``, ``macro_matches`` or ``mean``."""
        return {"micro": "matches", "macro": "macro_matches", "samples": "mean"}[self.average]

    @property
    def label_formula(self) -> str:
        """``matches``."""
        return "matches"

    @property
    def zero(self) -> Sums:
        """The sums of the average at 0; a macro mean starts without labels."""
        if self.average == "samples":
            return {"precision": 0, "recall": 0, "f1": 0, "exact_match": 0, "n": 0}
        return {"hits": 0, "n_pred": 0, "n_gold": 0} if self.average == "micro" else {}

    def _count(self, pairs: Sequence[PredGold]) -> Iterable[Counts]:
        taxonomy = taxonomy_of(self.taxonomy)
        level = self.level
        if taxonomy is not None and level is not None:
            taxonomy.check_level(level)
            names = {name: taxonomy.at_level(name, level) for name in (*taxonomy.names, NO_FALLACY)}
        else:
            names = {}
        for pred, record in pairs:
            labels = frozenset(names.get(x, x) for x in _fallacies(pred))
            gold = [frozenset(names.get(x, x) for x in g.labels) for g in record.gold or ()]
            if self.alternatives == "all":
                gold = [frozenset((x,)) for options in gold for x in options if x != NO_FALLACY]
            yield self._of(labels, gold)

    def _of(self, pred: frozenset[str], gold: Sequence[frozenset[str]]) -> Counts:
        must = {next(iter(options)) for options in gold if len(options) == 1} - {NO_FALLACY}
        may = frozenset().union(*gold) - {NO_FALLACY}
        by_label: dict[str, Sums] = {
            x: {
                "hits": int(x in pred and x in may),
                "n_pred": int(x in pred),
                "n_gold": int(x in may),
            }
            for x in sorted(must | pred)
        }
        if self.average == "macro":
            return Counts(keyed_by_label(by_label), by_label)
        hits = max_matching([options & pred for options in gold if options & pred])
        missed = min_hitting_set([o for o in gold if not o & pred and NO_FALLACY not in o])
        n_pred, n_gold = len(pred), hits + missed
        if self.average == "micro":
            return Counts({"hits": hits, "n_pred": n_pred, "n_gold": n_gold}, by_label)
        nothing = not n_pred and not n_gold
        return Counts(
            {
                "precision": 1 if nothing else hits / n_pred if n_pred else 0,
                "recall": 1 if nothing else hits / n_gold if n_gold else 0,
                "f1": 1 if nothing else 2 * hits / (n_pred + n_gold),
                "exact_match": int(hits == n_pred == n_gold),
                "n": 1,
            },
            by_label,
        )


@dataclass(frozen=True, kw_only=True)
class Classification(Metric):
    """Single labels: accuracy, balanced accuracy, and precision, recall and F1 averaged over labels.

    Counted in records; all in [0, 1], higher is better. Here ``pred`` and ``gold`` are plain labels by id.

    Parameters
    ----------
    labels : the labels that may occur; others are an error. Empty: any.
    other : a predicted label that stands for none of the labels: wrong, and no class of its own. Empty: none does.

    Notes
    -----
    Balanced accuracy is the mean recall over the labels that occur in gold. The macro means run over the labels that
    occur in gold or predictions; a label that is never predicted adds 0 to precision, and one that is never gold adds
    0 to recall. Without any scored record all are None.

    A record whose gold is None is unscored ("not annotated"); one whose prediction is None is unscored ("no answer"),
    never wrong; one that is Unreadable is unscored with its reason, and wrong in ``values_with_unreadable``. The sums
    are confusion counts; :func:`confusion_counts` reads them.

    Examples
    --------
    >>> metric = Classification(labels=("supports", "refutes"))
    >>> score = metric.corpus_score(pred=["supports", "supports", None], gold=["supports", "refutes", "refutes"])
    >>> score["accuracy"], score["balanced_accuracy"], dict(score.unscored)
    (0.5, 0.5, {'2': 'no answer'})
    >>> confusion_counts(score)
    {('refutes', 'supports'): 1, ('supports', 'supports'): 1}
    """

    name: ClassVar[str] = "classification"
    measures: ClassVar[Mapping[str, Measure]] = {
        "accuracy": Measure("share of the records classified correctly"),
        "balanced_accuracy": Measure("mean recall over the gold labels"),
        "macro_precision": Measure("mean precision over the labels"),
        "macro_recall": Measure("mean recall over the labels"),
        "macro_f1": Measure("mean F1 over the labels"),
    }

    labels: tuple[str, ...] = ()
    other: str = ""

    def __post_init__(self) -> None:
        if isinstance(self.labels, str):  # type: ignore[unreachable]
            raise InputError(f"classification: labels must be a sequence of labels, got the text {self.labels!r}")
        object.__setattr__(self, "labels", tuple(self.labels))
        if len(set(self.labels)) != len(self.labels):
            raise InputError("classification: labels must be given once each")

    def corpus_score(
        self,
        *,
        pred: Answers,
        gold: Labels,
        groups: Mapping[str, Mapping[str, str]] | None = None,
        missing: Missing = "error",
    ) -> Score:
        """Score predicted against gold labels.

        Parameters
        ----------
        pred, gold : id -> label, or sequences of equal length. Scores of sequences cannot be merged, as their
            positions are their ids. A prediction may be Unreadable.
        missing : see :func:`fallax.metrics.base.align`.
        groups : kind of part -> record id -> group, for breakdowns; see :func:`~fallax.metrics.base.number_groups`.

        Raises
        ------
        InputError
            If the ids (or lengths) differ, or a label holds a tab.
        UnknownNameError
            If a label is not among ``labels``.
        """
        given, golds = labels_by_id(pred, "pred"), labels_by_id(gold, "gold")
        lost = {i: x for i, x in given.items() if isinstance(x, Unreadable)}
        preds = {i: None if isinstance(x, Unreadable) else x for i, x in given.items()}
        check_same_ids(preds, golds, "label", missing)
        counts: dict[str, Counts] = {}
        unscored: dict[str, str] = {}
        for i, right in golds.items():
            answer = preds.get(i)
            for name, label in (("gold", right), ("pred", answer)):
                if name == "gold" or not self.other or label != self.other:
                    self._check(label, f"{name}, record {one_line(i, 60)!r}")
            if right is None or answer is None:
                why = f"unreadable: {lost[i].reason}" if i in lost else "no answer" if i in preds else NO_PREDICTION
                unscored[i] = "not annotated" if right is None else why
            else:
                counts[i] = Counts({f"{right}\t{'' if self.other and answer == self.other else answer}": 1})
        return build_score(
            metric=str(self),
            formula="multiclass",
            zero={},
            settings=self.settings(),
            counts=counts,
            hashes={i: sha256(f"{i}\0{golds[i]}".encode("utf-8", "surrogatepass")).hexdigest()[:16] for i in counts},
            sources=dict.fromkeys(golds, ""),
            replies={i: (1, int(i in lost)) for i, x in given.items() if x is not None},
            unscored=unscored,
            groups=groups,
            wrong={i: {f"{golds[i]}\t": 1} for i in lost if golds[i] is not None},
        )

    def record_score(self, *, pred: str | None, gold: str | None) -> Score:
        """Score one label; like :meth:`corpus_score` over that record alone."""
        return self.corpus_score(pred=(pred,), gold=(gold,))

    def _check(self, label: object, where: str) -> None:
        if label is None:
            return
        if not isinstance(label, str) or not label or "\t" in label:
            raise InputError(f"{where}: a label must be a text without tabs, got {label!r}")
        if self.labels and label not in self.labels:
            raise UnknownNameError("label", label, self.labels, where=where)


def labels_by_id(values: Any, name: str) -> dict[str, Any]:
    """Labels by id; those of a sequence have their positions as ids."""
    if isinstance(values, Mapping):
        return dict(values)
    if isinstance(values, str) or not isinstance(values, Sequence):
        raise InputError(f"{name}: must be labels by id or a sequence of labels, got {type(values).__name__}")
    return {str(i): label for i, label in enumerate(values)}


def confusion_counts(score: Score) -> dict[tuple[str, str], int]:
    """(gold, predicted) -> number of records, from a score of :class:`Classification`; zeros are left out."""
    if score.formula != "multiclass":
        raise InputError(f"confusion counts come from a score of classification, got {score.metric}")
    found = {}
    for key, value in sorted(score.sums.items()):
        gold, _, pred = key.partition("\t")
        found[gold, pred] = round(value)
    return found

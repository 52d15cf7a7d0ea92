"""Binary classification: balanced accuracy, error rates, and agreement with people."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import ClassVar

from fallax.core.types import Score
from fallax.errors import InputError, UnknownNameError, one_line
from fallax.metrics.base import NO_PREDICTION, Counts, Measure, Metric, Missing, build_score, check_same_ids
from fallax.metrics.classification import Labels, labels_by_id

__all__ = ["TwoClass"]


@dataclass(frozen=True, kw_only=True)
class TwoClass(Metric):
    """Balanced accuracy, FPR, FNR, P, R, F1 and Krippendorff's alpha of one yes-or-no label per record.

    Counted in records. Here ``pred`` and ``gold`` are plain labels by id. All in [0, 1] except alpha, which is at most
    1; lower is better for FPR and FNR.

    Parameters
    ----------
    positive, negative : the two labels; any other is an error. The positive one is what is looked for.

    Notes
    -----
    BAcc = 1 - (FPR + FNR) / 2 (Koupaee et al. 2025, A.2.1, with "unfaithful" as the positive class). Alpha is
    Krippendorff's for two raters, the system and the gold, and nominal labels:
    1 - (2N - 1)(FP + FN) / (n_pos n_neg), with n_pos and n_neg counted over both raters.

    A record whose gold is None is unscored ("not annotated"); one whose prediction is None is unscored with the reason
    in ``reasons``, else "no answer"; never wrong. One of ``unreadable`` is wrong in ``values_with_unreadable``.

    Undefined: a rate with nothing to divide by is None, and so is alpha if both raters gave one and the same label
    throughout.

    References
    ----------
    Krippendorff (2011). Computing Krippendorff's alpha-reliability.

    Examples
    --------
    >>> metric = TwoClass()
    >>> gold = ["unfaithful", "faithful", "faithful", "faithful"]
    >>> score = metric.corpus_score(pred=["unfaithful", "unfaithful", "faithful", None], gold=gold)
    >>> score["fpr"], score["fnr"], score["balanced_accuracy"], dict(score.unscored)
    (0.5, 0.0, 0.75, {'3': 'no answer'})
    """

    name: ClassVar[str] = "two_class"
    measures: ClassVar[Mapping[str, Measure]] = {
        "accuracy": Measure("share of the records classified correctly"),
        "balanced_accuracy": Measure("1 - (FPR + FNR) / 2"),
        "precision": Measure("share of the records called positive that are"),
        "recall": Measure("share of the positive records called so"),
        "f1": Measure("harmonic mean of precision and recall"),
        "fpr": Measure("share of the negative records called positive", higher_is_better=False),
        "fnr": Measure("share of the positive records not called so", higher_is_better=False),
        "krippendorff_alpha": Measure("agreement with the gold beyond chance", low=-1.0),
    }

    positive: str = "unfaithful"
    negative: str = "faithful"

    def __post_init__(self) -> None:
        for name, value in (("positive", self.positive), ("negative", self.negative)):
            if not isinstance(value, str) or not value:
                raise InputError(f"two_class: {name} must be a label, got {value!r}")
        if self.positive == self.negative:
            raise InputError(f"two_class: the labels must differ, got {self.positive!r} twice")

    def corpus_score(
        self,
        *,
        pred: Labels,
        gold: Labels,
        reasons: Mapping[str, str] | None = None,
        sources: Mapping[str, str] | None = None,
        replies: Mapping[str, tuple[int, int]] | None = None,
        unreadable: Collection[str] = (),
        missing: Missing = "error",
    ) -> Score:
        """Score predicted against gold labels.

        Parameters
        ----------
        pred, gold : id -> label, or sequences of equal length.
        reasons : id -> why there is no prediction.
        sources : id -> source, for parts by source.
        replies : id -> (replies read or tried, those that could not be read).
        unreadable : ids without a prediction because the reply could not be read, and not because none came.
        missing : see :func:`fallax.metrics.base.align`.

        Raises
        ------
        InputError
            If the ids (or lengths) differ.
        UnknownNameError
            If a label is neither of the two.
        """
        preds, golds = labels_by_id(pred, "pred"), labels_by_id(gold, "gold")
        check_same_ids(preds, golds, "label", missing)
        counts: dict[str, Counts] = {}
        unscored: dict[str, str] = {}
        for i, right in golds.items():
            answer = preds.get(i)
            for name, label in (("gold", right), ("pred", answer)):
                if label is not None and label not in (self.positive, self.negative):
                    where = f"{name}, record {one_line(i, 60)!r}"
                    raise UnknownNameError("label", label, (self.positive, self.negative), where=where)
            if right is None:
                unscored[i] = "not annotated"
            elif answer is None:
                unscored[i] = (reasons or {}).get(i) or ("no answer" if i in preds else NO_PREDICTION)
            else:
                cell = ("t" if answer == right else "f") + ("p" if answer == self.positive else "n")
                counts[i] = Counts({"tp": 0, "fp": 0, "fn": 0, "tn": 0, cell: 1})
        return build_score(
            metric=str(self),
            formula="two_class",
            zero={"tp": 0, "fp": 0, "fn": 0, "tn": 0},
            settings=self.settings(),
            counts=counts,
            hashes={i: sha256(f"{i}\0{golds[i]}".encode("utf-8", "surrogatepass")).hexdigest()[:16] for i in counts},
            sources={i: (sources or {}).get(i, "") for i in golds},
            replies=replies or {},
            unscored=unscored,
            wrong={
                i: {"tp": 0, "fp": 0, "fn": 0, "tn": 0, "fn" if golds[i] == self.positive else "fp": 1}
                for i in unscored
                if i in unreadable and golds[i] is not None
            },
        )

    def record_score(self, *, pred: str | None, gold: str | None) -> Score:
        """Score one label; like :meth:`corpus_score` over that record alone."""
        return self.corpus_score(pred=(pred,), gold=(gold,))

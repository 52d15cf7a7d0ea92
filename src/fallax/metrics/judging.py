"""Metrics for judges of sentences: ranked labels, sound twins, and the rates in SmartyPat's figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from fallax.core.types import NO_FALLACY, Judgement, Record, Score, Taxonomy, data_hash
from fallax.errors import InputError
from fallax.metrics.base import (
    Aligned,
    Counts,
    Measure,
    Metric,
    Missing,
    Sums,
    align,
    build_score,
    check_choice,
    taxonomy_of,
)

__all__ = ["RankedLabels", "TwinDiscrimination", "published_rates"]

NO_LABEL_TO_RANK = "no fallacy in gold"
NO_TWIN = "no twin"


def _harmonic(n: int) -> float:
    """The harmonic number 1 + 1/2 + ... + 1/n."""
    return sum(1 / i for i in range(1, n + 1))


def _align(
    metric: str, pred: Iterable[Judgement], gold: Iterable[Record], missing: Missing
) -> tuple[dict[str, Judgement], Aligned, list[Record]]:
    """Judgements by id, aligned with their records."""
    judged = list(pred)
    for i, one in enumerate(judged, start=1):
        if not isinstance(one, Judgement):
            raise InputError(f"{metric}: pred, entry {i}: must be a Judgement, got {type(one).__name__}")
    found, records = align(pred=[j.prediction for j in judged], gold=gold, missing=missing)
    return {j.id: j for j in judged}, found, records


def _gold_labels(record: Record) -> tuple[str, ...]:
    """All fallacies in the gold of a record, in order."""
    return tuple(dict.fromkeys(x for g in record.gold or () for x in g.labels if x != NO_FALLACY))


@dataclass(frozen=True, kw_only=True)
class RankedLabels(Metric):
    """SmartyPat's ranked score of a judge's fallacies, and how often the right ones are among them.

    Counted over fallacious sentences, in judgements. Higher is better for all but ``outside`` and ``label_count``.

    Parameters
    ----------
    variant : "definition", the paper's formula over cleaned labels, nothing rounded; or "published", what its figures
        were computed with: labels as given and lower-cased, a label is right if it is a part of the sentence's gold
        labels written in one line, every sentence rounded to three decimals.
    taxonomy : the labels there are; gold labels outside it are an error, named ones are wrong.

    Notes
    -----
    With G the gold labels and p_1 ... p_n those named, the likeliest first, a sentence called fallacious scores

        S(G, P) = sum over i of (1/i if p_i in G else -1/i)        (Xu et al. 2025, ranked fallacy scorer)

    and one called sound the worst case, -(1 + 1/2 + ... + 1/(T-1)) with T labels in the taxonomy (-3.180 for 14).
    ``score`` is the sum over sentences. It rewards naming few labels: "yes" without any scores 0, and a right label
    said twice counts twice, as the formula has it.

    ``accuracy`` is the share of gold labels that were named anywhere; its parts by label are the paper's accuracy per
    fallacy (figure 3, there as ``recall``). ``top_1`` is the share of sentences whose first label is right. These,
    and ``outside`` (the share of labels that are not in the taxonomy), take the cleaned labels in both variants;
    ``label_count`` counts those of sentences called fallacious (table 12).

    Sentences without a fallacy in gold are unscored: there is nothing to rank.

    Examples
    --------
    >>> from fallax.core.types import GoldSpan
    >>> gold = [Record("1", "x", (GoldSpan(0, 1, ("Equivocation", "False Cause")),))]
    >>> pred = [Judgement("1", True, ("False Cause", "False Premise", "Equivocation"))]
    >>> score = RankedLabels().corpus_score(pred=pred, gold=gold)
    >>> round(score["score"], 3), score["accuracy"], score["top_1"]
    (0.833, 1.0, 1.0)
    >>> round(RankedLabels().corpus_score(pred=[Judgement("1", False)], gold=gold)["score"], 3)
    -3.18
    """

    name: ClassVar[str] = "ranked_labels"
    measures: ClassVar[Mapping[str, Measure]] = {
        "score": Measure("sum of the sentences' ranked scores", low=float("-inf"), high=None),
        "mean_score": Measure("mean ranked score of a sentence", low=float("-inf"), high=None),
        "accuracy": Measure("share of the gold labels that were named"),
        "top_1": Measure("share of the sentences whose first label is right"),
        "label_count": Measure("how many labels were named", high=None, higher_is_better=False),
        "outside": Measure("share of the labels named that are not in the taxonomy", higher_is_better=False),
    }

    variant: Literal["definition", "published"] = "definition"
    taxonomy: Taxonomy | str = field(default="smartypat", hash=False)

    def __post_init__(self) -> None:
        check_choice(self.name, "variant", self.variant, ("definition", "published"))
        if not isinstance(self.taxonomy, (str, Taxonomy)):
            raise InputError(f"{self.name}: taxonomy must be a name or a Taxonomy, got {type(self.taxonomy).__name__}")

    def settings(self) -> dict[str, str]:
        """The settings of the metric, with defaults and the version of the taxonomy."""
        found = super().settings()
        taxonomy = self._labels()
        found["taxonomy"] = f"{taxonomy.name}@{taxonomy.version}"
        return found

    def _labels(self) -> Taxonomy:
        found = taxonomy_of(self.taxonomy)
        if found is None:
            raise InputError(f"{self.name}: needs a taxonomy")
        return found

    def corpus_score(self, *, pred: Iterable[Judgement], gold: Iterable[Record], missing: Missing = "error") -> Score:
        """Score judgements against records.

        Parameters
        ----------
        pred : at most one per record, in any order.
        gold : all labels of a record hold; records without a fallacy, and not annotated ones, are unscored.
        missing : see :func:`fallax.metrics.base.align`.

        Returns
        -------
        Score
            With parts by label (``precision``, ``recall``, ``f1`` of naming it) and by source.
        """
        by_id, found, records = _align(self.name, pred, gold, missing)
        taxonomy = self._labels()
        counts: dict[str, Counts] = {}
        unscored = dict(found.unscored)
        kept = {}
        for _, record in found.pairs:
            record.check_labels(taxonomy.names)
            labels = _gold_labels(record)
            if not labels:
                unscored[record.id] = NO_LABEL_TO_RANK
                continue
            kept[record.id] = record
            counts[record.id] = self._count(by_id[record.id], record, labels, taxonomy)
        return build_score(
            metric=str(self),
            formula="ranked",
            label_formula="matches",
            zero=_NOTHING,
            settings=self.settings(),
            counts=counts,
            hashes={i: data_hash((r,)) for i, r in kept.items()},
            sources={r.id: r.source for r in records},
            replies=found.replies,
            unscored=unscored,
            label_order=taxonomy.names,
            wrong={
                r.id: self._count(Judgement(r.id, False), r, labels, taxonomy).sums
                for r in found.unreadable
                if (labels := _gold_labels(r))
            },
        )

    def record_score(self, *, pred: Judgement, gold: Record) -> Score:
        """Score one judgement; like :meth:`corpus_score` over that record alone."""
        return self.corpus_score(pred=(pred,), gold=(gold,))

    def _count(self, judged: Judgement, record: Record, gold: Sequence[str], taxonomy: Taxonomy) -> Counts:
        labels = judged.labels if judged.fallacious else ()
        published = self.variant == "published"
        entries = labels
        line = ""
        if published:
            entries = tuple(x.lower() for x in judged.given) if judged.fallacious else ()
            line = str(record.meta.get("labels", ", ".join(gold))).lower()
        if judged.fallacious:
            right = [x in line for x in entries] if published else [x in gold for x in entries]
            score = sum((1 if r else -1) / i for i, r in enumerate(right, start=1))
        else:
            score = -_harmonic(len(taxonomy.labels) - 1)
        named = dict.fromkeys(labels)
        sums = {
            "score": round(score, 3) if published else score,
            "hits": sum(x in named for x in gold),
            "n_gold": len(gold),
            "first": int(bool(labels) and labels[0] in gold),
            "n_labels": len(entries),
            "n_outside": sum(x not in taxonomy for x in labels),
            "n": 1,
        }
        by_label: dict[str, Sums] = {
            x: {"hits": int(x in named and x in gold), "n_pred": int(x in named), "n_gold": int(x in gold)}
            for x in dict.fromkeys((*gold, *(x for x in named if x in taxonomy)))
        }
        return Counts(sums, by_label)


_NOTHING: Sums = {"score": 0, "hits": 0, "n_gold": 0, "first": 0, "n_labels": 0, "n_outside": 0, "n": 0}


@dataclass(frozen=True, kw_only=True)
class TwinDiscrimination(Metric):
    """How often a judge rejects a fallacy and accepts its sound twin.

    Counted over pairs. A twin has the form and the topic of its fallacy, and one condition flipped makes it valid, so
    that only the reasoning tells the two apart. A judge that calls everything fallacious, or everything sound, scores
    0 in ``discrimination`` and in ``informedness``. Higher is better.

    Notes
    -----
    ``discrimination`` is the share of pairs with both answers right, in [0, 1]; answering yes to a share p of all
    sentences at random gives p(1 - p), at most 0.25. ``informedness`` is ``fallacies_rejected`` + ``twins_accepted``
    - 1, in [-1, 1], 0 by chance; it equals the share of pairs with both right minus that with both wrong.

    A record is the twin of the record that its ``meta["twin_of"]`` names. A pair with one answer missing or unreadable
    is unscored, under the id of the fallacy; so is a fallacy without a twin. Parts by label are those of the fallacy.

    Examples
    --------
    >>> from fallax.core.types import GoldSpan
    >>> gold = [Record("1", "x", (GoldSpan(0, 1, ("False Cause",)),)), Record("1t", "y", (), meta={"twin_of": "1"})]
    >>> def judge(fallacy, twin):
    ...     pred = [Judgement("1", fallacy), Judgement("1t", twin)]
    ...     return TwinDiscrimination().corpus_score(pred=pred, gold=gold)["discrimination"]
    >>> judge(True, False), judge(True, True), judge(False, False)
    (1.0, 0.0, 0.0)
    """

    name: ClassVar[str] = "twin_discrimination"
    measures: ClassVar[Mapping[str, Measure]] = {
        "discrimination": Measure("share of the pairs with the fallacy rejected and its twin accepted"),
        "fallacies_rejected": Measure("share of the fallacies called fallacious"),
        "twins_accepted": Measure("share of the twins called sound"),
        "informedness": Measure("fallacies rejected + twins accepted - 1", low=-1.0),
    }

    def corpus_score(self, *, pred: Iterable[Judgement], gold: Iterable[Record], missing: Missing = "error") -> Score:
        """Score judgements of fallacies and of their twins.

        Parameters
        ----------
        pred : at most one per record, in any order.
        gold : fallacies, and twins whose ``meta["twin_of"]`` is the id of their fallacy.
        missing : see :func:`fallax.metrics.base.align`.

        Raises
        ------
        InputError
            If a twin names a record that is not there, or two twins name one.
        """
        by_id, found, records = _align(self.name, pred, gold, missing)
        known = {r.id: r for r in records}
        twins = _pairs(records, known)
        of = {twin.id: fallacy for fallacy, twin in twins.items()}
        why = {i: reason for i, reason in found.unscored.items() if i not in of}
        counts: dict[str, Counts] = {}
        lost = {r.id for r in found.unreadable}
        hashes = {}
        for fallacy in (r for r in records if r.id not in of and r.id not in why):
            twin = twins.get(fallacy.id)
            if twin is None:
                why[fallacy.id] = NO_TWIN
            elif twin.id in found.unscored:
                why[fallacy.id] = f"twin: {found.unscored[twin.id]}"
            else:
                rejected, accepted = bool(by_id[fallacy.id].fallacious), not by_id[twin.id].fallacious
                cell = {
                    (True, True): "both_right",
                    (False, False): "both_wrong",
                    (True, False): "all_fallacious",
                    (False, True): "all_sound",
                }[rejected, accepted]
                sums = {**_NO_PAIR, cell: 1, "n": 1}
                counts[fallacy.id] = Counts(sums, dict.fromkeys(_gold_labels(fallacy), sums))
                hashes[fallacy.id] = data_hash((fallacy, twin))
        fallacies = [r for r in records if r.id not in of]
        replies = {r.id: _both(found.replies, r.id, twins.get(r.id)) for r in fallacies}
        return build_score(
            metric=str(self),
            formula="twins",
            zero=_NO_PAIR,
            settings=self.settings(),
            counts=counts,
            hashes=hashes,
            sources={r.id: r.source for r in fallacies},
            replies=replies,
            unscored=why,
            wrong={
                i: {**_NO_PAIR, "both_wrong": 1, "n": 1}
                for i in why
                if i in lost or (i in twins and twins[i].id in lost)
            },
        )


_NO_PAIR: Sums = {"both_right": 0, "both_wrong": 0, "all_fallacious": 0, "all_sound": 0, "n": 0}


def _both(replies: Mapping[str, tuple[int, int]], fallacy: str, twin: Record | None) -> tuple[int, int]:
    """Replies, and those unreadable, of a fallacy and its twin together."""
    pair = [replies.get(i, (0, 0)) for i in (fallacy, *(() if twin is None else (twin.id,)))]
    return sum(n for n, _ in pair), sum(n for _, n in pair)


def _pairs(records: Sequence[Record], known: Mapping[str, Record]) -> dict[str, Record]:
    """Id of a fallacy -> its twin."""
    found: dict[str, Record] = {}
    for record in records:
        fallacy = record.meta.get("twin_of")
        if fallacy is None:
            continue
        if fallacy not in known or "twin_of" in known[fallacy].meta:
            raise InputError(
                f"record {record.id!r}: meta 'twin_of' must be the id of a fallacy among the records, got {fallacy!r}"
            )
        if fallacy in found:
            raise InputError(
                f"record {record.id!r}: a fallacy must have one twin, {fallacy!r} has {found[fallacy].id!r} already"
            )
        found[fallacy] = record
    return found


def published_rates(*, fallacious: Sequence[bool], benign: Sequence[bool]) -> dict[str, float | None]:
    """The TP, FP, FN and F1 that SmartyPat plots, which differ from the textbook quantities of these names.

    Parameters
    ----------
    fallacious : for each of the n fallacious sentences, whether it was called fallacious.
    benign : the same for the sound ones, in the order of their file; only the first n are used.

    Returns
    -------
    dict
        "fp", "fn", "tp", "f1", rounded to three decimals; None where there is nothing to divide by.

    Notes
    -----
    With yp and yg the yes answers among n fallacious and the first n sound sentences: tp = yp/(yp + yg),
    fp = yg/(yp + yg) (the false discovery rate), fn = (n - yp)/((n - yg) + (n - yp)) (the false omission rate);
    P = tp/(tp + fp), R = tp/(tp + fn), F1 = 2PR/(P + R). :class:`~fallax.metrics.Detection` gives the textbook's.

    Examples
    --------
    >>> published_rates(fallacious=[True, True, True, False], benign=[True, False, False, False, True])
    {'fp': 0.25, 'fn': 0.25, 'tp': 0.75, 'f1': 0.75}
    """
    n, yp, yg = len(fallacious), sum(fallacious), sum(benign[: len(fallacious)])
    if not n or not yp + yg:
        return {"fp": None, "fn": None, "tp": None, "f1": None}
    tp, fp = yp / (yp + yg), yg / (yp + yg)
    said_no = (n - yg) + (n - yp)
    fn = (n - yp) / said_no if said_no else 0.0
    p, r = tp / (tp + fp), tp / (tp + fn) if tp + fn else 0.0
    f1 = 2 * p * r / (p + r) if p + r else 0.0
    return {"fp": round(fp, 3), "fn": round(fn, 3), "tp": round(tp, 3), "f1": round(f1, 3)}

"""Quality of generated sentences: ratings, agreement of people, and improvement over a baseline."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from fallax.core.types import NO_FALLACY, Prediction, Rating, Record, Score, data_hash
from fallax.errors import InputError
from fallax.metrics.agreement import cohen_kappa
from fallax.metrics.base import Counts, Measure, Metric, Missing, Sums, align, build_score

__all__ = ["Quality", "enhancement", "kappa_with_people", "score_distribution"]

SCALE = (0, 1, 2, 3)


@dataclass(frozen=True, kw_only=True)
class Quality(Metric):
    """Ratings from 0 to 3, in several runs, of how well sentences show their intended fallacy.

    Counted in sentences; ``mean`` lies in [0, 3], the others in [0, 1].

    Notes
    -----
    ``mean`` is the mean over sentences of the mean of a sentence's runs (Xu et al. 2025, table 11). ``share_0`` ...
    ``share_3`` are shares of all ratings, three per sentence in the paper's figure 1; :func:`score_distribution`
    gives them as counts. ``stable`` is the share of sentences rated the same in every run.

    Parts by label; by source too, where the records name one: give the method as source to compare methods.

    Examples
    --------
    >>> from fallax.core.types import GoldSpan
    >>> gold = [Record(i, "x", (GoldSpan(0, 1, ("False Cause",)),)) for i in "ab"]
    >>> pred = [Rating("a", "False Cause", (3, 3, 3)), Rating("b", "False Cause", (2, 3, 1))]
    >>> score = Quality().corpus_score(pred=pred, gold=gold)
    >>> score["mean"], round(score["share_3"], 3), score["stable"]
    (2.5, 0.667, 0.5)
    """

    name: ClassVar[str] = "quality"
    measures: ClassVar[Mapping[str, Measure]] = {
        "mean": Measure("mean rating of a sentence", high=3.0),
        **{f"share_{k}": Measure(f"share of the ratings that are {k}", higher_is_better=k > 1) for k in SCALE},
        "stable": Measure("share of the sentences rated the same in every run"),
    }

    def corpus_score(self, *, pred: Iterable[Rating], gold: Iterable[Record], missing: Missing = "error") -> Score:
        """Average ratings of sentences.

        Parameters
        ----------
        pred : at most one per record, in any order.
        gold : the sentences; the label that was rated must be in their gold.
        missing : see :func:`fallax.metrics.base.align`.

        Raises
        ------
        InputError
            If a sentence was rated for a fallacy that it is not meant to show.
        """
        rated = list(pred)
        for i, one in enumerate(rated, start=1):
            if not isinstance(one, Rating):
                raise InputError(f"{self.name}: pred, entry {i}: must be a Rating, got {type(one).__name__}")
        answers = [
            Prediction(r.id, labels=frozenset(), unreadable=r.unreadable, n_replies=r.n_replies, unscored=r.unscored)
            for r in rated
        ]
        found, records = align(pred=answers, gold=gold, missing=missing)
        by_id = {r.id: r for r in rated}
        counts = {}
        for _, record in found.pairs:
            rating = by_id[record.id]
            labels = sorted({x for g in record.gold or () for x in g.labels} - {NO_FALLACY})
            if rating.label not in labels:
                raise InputError(
                    f"record {record.id!r}: must be rated for a fallacy of its gold ({', '.join(labels) or 'none'}),"
                    f" got {rating.label!r}"
                )
            given = Counter(rating.given)
            sums = {
                "rating": math.fsum(rating.given) / len(rating.given),
                **{f"rated_{k}": given[k] for k in SCALE},
                "stable": int(len(given) == 1),
                "n": 1,
            }
            counts[record.id] = Counts(sums, {rating.label: sums})
        return build_score(
            metric=str(self),
            formula="ratings",
            zero=_NOTHING,
            settings=self.settings(),
            counts=counts,
            hashes={r.id: data_hash((r,)) for _, r in found.pairs},
            sources={r.id: r.source for r in records},
            replies=found.replies,
            unscored=found.unscored,
        )

    def record_score(self, *, pred: Rating, gold: Record) -> Score:
        """Score one rating; like :meth:`corpus_score` over that record alone."""
        return self.corpus_score(pred=(pred,), gold=(gold,))


_NOTHING: Sums = {"rating": 0, **{f"rated_{k}": 0 for k in SCALE}, "stable": 0, "n": 0}


def score_distribution(score: Score) -> dict[str, tuple[int, int, int, int]]:
    """Counts of the ratings 0, 1, 2 and 3 for each fallacy, over all runs (the paper's figure 1).

    Parameters
    ----------
    score : of :class:`Quality`.

    Examples
    --------
    >>> from fallax.core.types import GoldSpan
    >>> gold = [Record("a", "x", (GoldSpan(0, 1, ("False Cause",)),))]
    >>> score_distribution(Quality().corpus_score(pred=[Rating("a", "False Cause", (3, 3, 1))], gold=gold))
    {'False Cause': (0, 1, 0, 2)}
    """
    if score.formula != "ratings":
        raise InputError(f"a distribution of ratings comes from a score of quality, got {score.metric}")
    return {
        label: (
            round(part.sums["rated_0"]),
            round(part.sums["rated_1"]),
            round(part.sums["rated_2"]),
            round(part.sums["rated_3"]),
        )
        for label, part in score.parts.get("label", {}).items()
    }


def enhancement(*, ours: float, baseline: float) -> float | None:
    """The improvement of a mean rating over a baseline, in per cent (the last column of table 11).

    Parameters
    ----------
    ours, baseline : mean ratings in [0, 3], not rounded.

    Returns
    -------
    float or None
        100 * (ours - baseline) / baseline; None for a baseline of 0.

    Notes
    -----
    Table 11 prints means with two decimals but was computed before they were rounded: for AC, 3.00 against 2.32 gives
    29.31, and 3.00 against 139/60 gives the 29.50 that is printed.

    Examples
    --------
    >>> round(enhancement(ours=3.0, baseline=139 / 60), 2)
    29.5
    """
    return 100 * (ours - baseline) / baseline if baseline else None


def kappa_with_people(
    model: Sequence[int | None], people: Mapping[str, Sequence[int | None]]
) -> tuple[float | None, dict[str, float | None]]:
    """Agreement of a rating model with people: Cohen's kappa with each of them, and its mean.

    Parameters
    ----------
    model : its rating of each sentence (of several runs, :attr:`Rating.median <fallax.core.types.Rating.median>`).
    people : annotator -> ratings of the same sentences; None where there is none.

    Returns
    -------
    (float or None, dict)
        The mean over annotators, and each; None where kappa is undefined (all ratings equal). The mean runs over those
        that are defined.

    Raises
    ------
    InputError
        If there is nobody, or somebody rated another number of sentences.
    MissingExtraError
        If scikit-learn is not installed.

    References
    ----------
    Ni et al. (2024). AFaCTA, whose averaging the paper takes over; it reports 0.7699 with five annotators.

    Examples
    --------
    >>> kappa_with_people([3, 3, 0, 0], {"ann": [3, 3, 0, 0], "bob": [3, 3, 0, 3]})
    (0.75, {'ann': 1.0, 'bob': 0.5})
    """
    if not people:
        raise InputError("agreement with people: at least one annotator must be given, got none")

    def shown(row: Sequence[int | None]) -> list[str | None]:
        return [None if x is None else str(x) for x in row]

    each = {name: cohen_kappa(shown(model), shown(row)).value for name, row in people.items()}
    known = [v for v in each.values() if v is not None]
    return (math.fsum(known) / len(known) if known else None), each

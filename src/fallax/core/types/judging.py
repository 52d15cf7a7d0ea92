"""Judgements of sentences: fallacious or not, ranked fallacies, and ratings from 0 to 3."""

from __future__ import annotations

from dataclasses import dataclass

from fallax.core.json_value import JsonValue
from fallax.core.types.spans import Prediction, Unreadable
from fallax.errors import InputError

__all__ = ["Judgement", "Rating"]

#: Stands for the label of a sentence that was called fallacious without naming a fallacy.
_UNNAMED = "fallacy"


@dataclass(frozen=True, slots=True)
class Judgement(JsonValue):
    """The answer of a judge about one sentence.

    Parameters
    ----------
    id : the record's id.
    fallacious : the yes or no; None only where there is no answer to score.
    labels : the fallacies named, the likeliest first, cleaned: in the taxonomy's spelling where they are in it, else in
        lower case. Names that stand for nothing ("none") are left out.
    given : the same as the reply lists them, nothing cleaned.
    details : the judge's reasons.
    unreadable : the replies that could not be read.
    n_replies : how many replies were read or tried.
    unscored : a reason if this sentence must not be scored (no answer, or none that can be read), else "".

    Raises
    ------
    InputError
        If there is neither an answer nor a reason, or both.

    Examples
    --------
    >>> j = Judgement("s1", True, ("False Cause", "Equivocation"), given=("1. False Cause", "equivocation"))
    >>> sorted(j.prediction.text_labels)
    ['Equivocation', 'False Cause']
    >>> Judgement.from_dict(j.to_dict()) == j
    True
    >>> Judgement("s2", None, unscored="the reply says neither yes nor no").prediction.unscored
    'the reply says neither yes nor no'
    """

    id: str
    fallacious: bool | None
    labels: tuple[str, ...] = ()
    given: tuple[str, ...] = ()
    details: str = ""
    unreadable: tuple[Unreadable, ...] = ()
    n_replies: int = 0
    unscored: str = ""

    json_names = ("id", "fallacious", "labels", "details?", "n_replies?", "unscored?", "given?", "unreadable?")

    def __post_init__(self) -> None:
        if (self.fallacious is None) == (not self.unscored):
            raise InputError(
                f"judgement {self.id!r}: must have either an answer or a reason why there is none, got"
                f" {self.fallacious!r} and {self.unscored!r}"
            )

    @property
    def prediction(self) -> Prediction:
        """The answer as labels of the whole text, for metrics without ranks; empty if the answer is no."""
        labels = frozenset(self.labels) or frozenset((_UNNAMED,))
        return Prediction(
            self.id,
            labels=labels if self.fallacious else frozenset(),
            unreadable=self.unreadable,
            n_replies=self.n_replies,
            unscored=self.unscored,
        )


@dataclass(frozen=True, slots=True)
class Rating(JsonValue):
    """How well a sentence shows its intended fallacy, from 0 (not at all) to 3 (a perfect example).

    Parameters
    ----------
    id : the record's id.
    label : the fallacy it is meant to show.
    scores : one per run, None where the reply to that run could not be read.
    unreadable : the replies, or parts of them, that could not be read.
    n_replies : how many replies were read or tried.
    unscored : a reason where no run gave a score, else "".

    Examples
    --------
    >>> rating = Rating("s1", "False Cause", (3, 2, None))
    >>> rating.mean, rating.median
    (2.5, 2)
    >>> Rating("s1", "False Cause", (4,))
    Traceback (most recent call last):
    fallax.errors.InputError: rating 's1', run 1: must be 0, 1, 2 or 3, got 4
    """

    id: str
    label: str
    scores: tuple[int | None, ...]
    unreadable: tuple[Unreadable, ...] = ()
    n_replies: int = 0
    unscored: str = ""

    json_names = ("id", "label", "scores", "unreadable?", "n_replies?", "unscored?")

    def __post_init__(self) -> None:
        for i, score in enumerate(self.scores, start=1):
            if score is not None and (type(score) is not int or not 0 <= score <= 3):
                raise InputError(f"rating {self.id!r}, run {i}: must be 0, 1, 2 or 3, got {score!r}")
        if (not self.given) == (not self.unscored):
            raise InputError(
                f"rating {self.id!r}: must have either a score or a reason why there is none, got"
                f" {self.scores!r} and {self.unscored!r}"
            )

    @property
    def given(self) -> tuple[int, ...]:
        """The scores of the runs that gave one."""
        return tuple(s for s in self.scores if s is not None)

    @property
    def mean(self) -> float | None:
        """The mean score over the runs that gave one; None if none did."""
        return sum(self.given) / len(self.given) if self.given else None

    @property
    def median(self) -> int | None:
        """The median score of the runs (the lower one of two)."""
        return sorted(self.given)[(len(self.given) - 1) // 2] if self.given else None

"""Decodes sentence probabilities into labelled spans."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from fallax.core.json_value import JsonValue
from fallax.errors import InputError

__all__ = ["Decoding", "Run", "may_be_flagged", "spans_of"]

_Floats = npt.NDArray[np.float64]
_LEAST = 1e-9
#: What sums of log odds may be off by, added in another order.
_ROUNDED = 1e-6


@dataclass(frozen=True, slots=True)
class Decoding(JsonValue):
    """Settings of decoding.

    Parameters
    ----------
    threshold : a sentence is flagged from this probability of any fallacy on, in (0, 1), its neighbours aside.
    threshold_alone : the same for a text of one sentence without a word that argues, asks, judges or speaks of all
        (:func:`~fallax.detection.systems.arguing.argues`); 0 takes ``threshold``.
    change_cost : what it costs, in log odds, that a flagged sentence follows one that is not, or the reverse; a text's
        border costs nothing. Above 0, sentences near the threshold do as their neighbours do.
    relabel_cost : what it costs that neighbouring sentences are flagged with different labels.
    label_weight : how much the likelihood of a label within its sentence counts against these costs.
    group_weight : how much of a group's probability is added to each of its labels before the best is taken: where
        the label is uncertain and the group is not, the label comes from the likelier group.
    most_labels : how many labels one passage may be given, from 1 on.
    second_label : a further label is given where its probability exceeds this times s / (k + 1), s being the sum of the
        k labels given so far. At 1 that maximises the expected F1 of the set of labels if one of them is right.
    between : a sentence without a word that argues or denies, between two sentences flagged with different labels, is
        flagged only if it reaches this probability of any fallacy when it is read alone; in [0, 1), 0 for always.

    Examples
    --------
    >>> Decoding.from_dict(Decoding(0.5).to_dict()) == Decoding(0.5)
    True
    """

    threshold: float
    change_cost: float = 0.0
    relabel_cost: float = 1.0
    label_weight: float = 1.0
    group_weight: float = 0.0
    most_labels: int = 1
    second_label: float = 1.0
    threshold_alone: float = 0.0
    between: float = 0.0

    def __post_init__(self) -> None:
        if not 0.0 < self.threshold < 1.0:
            raise InputError(f"decoding: threshold must be in (0, 1), got {self.threshold!r}")
        if self.most_labels < 1:
            raise InputError(f"decoding: most_labels must be 1 or more, got {self.most_labels!r}")
        for name in ("threshold_alone", "between"):
            if not 0.0 <= getattr(self, name) < 1.0:
                raise InputError(f"decoding: {name} must be in [0, 1), got {getattr(self, name)!r}")
        for name in ("change_cost", "relabel_cost", "label_weight", "group_weight", "second_label"):
            if not getattr(self, name) >= 0.0:
                raise InputError(f"decoding: {name} must be 0 or more, got {getattr(self, name)!r}")


@dataclass(frozen=True, slots=True)
class Run:
    """Consecutive sentences with one label.

    Parameters
    ----------
    first, end : half-open numbers of sentences.
    label : number of the label.
    confidence : the largest probability of any fallacy among them, in [0, 1].
    label_confidence : the label's share of these probabilities, paragraphs aside, in [0, 1].
    """

    first: int
    end: int
    label: int
    confidence: float
    label_confidence: float


def _logit(p: Any) -> Any:
    p = np.clip(p, _LEAST, 1 - _LEAST)
    return np.log(p) - np.log1p(-p)


def spans_of(
    probabilities: _Floats,
    decoding: Decoding,
    *,
    groups: Sequence[str] = (),
    threshold: float | None = None,
    breaks: Collection[int] = (),
    silent: Collection[int] = (),
    plain: bool = True,
    alone: Callable[[int], float] | None = None,
) -> tuple[Run, ...]:
    """The best labelling of a text's sentences, as runs.

    Parameters
    ----------
    probabilities : shape (n_sentences, n_labels); a row adds up to the probability of any fallacy.
    groups : the group of each label; empty where there are none.
    threshold : in place of the decoding's own.
    breaks : the sentences that begin a paragraph: a run is cut there, and keeps its labels on both sides.
    silent : the sentences that are never flagged: headings, quotes. What is on one side of
        them tells nothing of the other.
    plain : whether a text of one sentence has no word that argues, so that ``threshold_alone`` holds.
    alone : the probability of any fallacy of a sentence that is read without the others, 1 for one with a word that
        argues or denies; asked only where ``between`` decides.

    Returns
    -------
    tuple of Run
        In order of place; several of one place only where ``most_labels`` allows, the likeliest first.

    Notes
    -----
    A Viterbi search over "none" and the labels. None scores 0. A label scores the log odds of any fallacy above those
    of the threshold, plus ``label_weight`` times the log of how likely the label is beside the likeliest one. Where
    paragraphs end makes no difference to which sentences are flagged and with which labels.

    Examples
    --------
    >>> p = np.array([[0.1, 0.0], [0.5, 0.2], [0.2, 0.7]])
    >>> [(r.first, r.end, r.label, round(r.confidence, 6)) for r in spans_of(p, Decoding(0.5, relabel_cost=0.5))]
    [(1, 2, 0, 0.7), (2, 3, 1, 0.9)]
    >>> same = np.array([[0.9], [0.9]])
    >>> [(r.first, r.end) for r in spans_of(same, Decoding(0.5))]
    [(0, 2)]
    >>> [(r.first, r.end) for r in spans_of(same, Decoding(0.5), breaks={1})]
    [(0, 1), (1, 2)]
    """
    if len(probabilities) == 0:
        return ()
    least = _least(decoding, len(probabilities), threshold, plain)
    anything = np.minimum(probabilities.sum(axis=1), 1.0)
    path = _best_path(probabilities, anything, decoding, groups, least, silent)
    if alone is not None:
        path = _without_between(path, min(decoding.between, least), alone)
    found: list[Run] = []
    for state, (first, end) in _runs_of(path):
        shares = probabilities[first:end].sum(axis=0)
        shares = shares / max(float(shares.sum()), _LEAST)
        given = _labels_of(shares, state - 1, decoding)
        cuts = [first, *(i for i in range(first + 1, end) if i in breaks), end]
        for start, stop in pairwise(cuts):
            highest = float(anything[start:stop].max())
            found += [Run(start, stop, label, highest, float(shares[label])) for label in given]
    return tuple(found)


def may_be_flagged(
    anything: _Floats,
    decoding: Decoding,
    *,
    threshold: float | None = None,
    silent: Collection[int] = (),
    plain: bool = True,
) -> npt.NDArray[np.bool_]:
    """Which sentences :func:`spans_of` can flag, whatever their labels are; shape (n_sentences,).

    Parameters
    ----------
    anything : the probability of any fallacy of each sentence, shape (n_sentences,).
    threshold, silent, plain : as for :func:`spans_of`.

    Notes
    -----
    A label adds at most the log odds above those of the threshold, and costs only take away. So no sentence is flagged
    through which every run adds up to less than 0.

    Examples
    --------
    >>> may_be_flagged(np.array([0.1, 0.2, 0.9, 0.4]), Decoding(0.5)).tolist()
    [False, True, True, True]
    """
    if len(anything) == 0:
        return np.zeros(0, dtype=np.bool_)
    above = _above(anything, _least(decoding, len(anything), threshold, plain))
    still = sorted(silent)
    above[still] = 0.0
    best = -above
    for order in (slice(None), slice(None, None, -1)):
        total = 0.0
        for i in range(len(above))[order]:
            total = float(above[i]) + max(0.0, total)
            best[i] += total
    found = best >= -_ROUNDED
    found[still] = False
    return found


def _least(decoding: Decoding, n_sentences: int, threshold: float | None, plain: bool) -> float:
    """The threshold that holds for a text of so many sentences."""
    own = (decoding.threshold_alone if plain and n_sentences == 1 else 0.0) or decoding.threshold
    return own if threshold is None else threshold


def _above(anything: _Floats, least: float) -> _Floats:
    """Log odds above those of a threshold; one of 0 flags every sentence, one of 1 only what is certain."""
    found: _Floats = np.clip(_logit(anything) - _logit(least), -40.0, 40.0)
    return found


def _best_path(
    probabilities: _Floats,
    anything: _Floats,
    decoding: Decoding,
    groups: Sequence[str],
    least: float,
    silent: Collection[int],
) -> list[int]:
    """For each sentence, 0 or one more than the index of its label."""
    n, n_labels = probabilities.shape
    scored = probabilities
    if groups and decoding.group_weight:
        same = np.array([[a == b for b in groups] for a in groups], dtype=np.float64)
        scored = probabilities + decoding.group_weight * (probabilities @ same)
    relative = scored / np.maximum(scored.max(axis=1, keepdims=True), _LEAST)
    gain = np.zeros((n, n_labels + 1))
    gain[:, 1:] = decoding.label_weight * np.log(np.maximum(relative, _LEAST))
    gain[:, 1:] += _above(anything, least)[:, None]
    gain[sorted(silent)] = 0.0
    cost = np.full((n_labels + 1, n_labels + 1), decoding.relabel_cost)
    np.fill_diagonal(cost, 0.0)
    cost[0, 1:] = cost[1:, 0] = decoding.change_cost
    came = np.zeros((n, n_labels + 1), dtype=np.int64)
    total = gain[0]
    for i in range(1, n):
        options = total[:, None] - (0.0 if i in silent or i - 1 in silent else cost)
        came[i] = options.argmax(axis=0)
        total = options.max(axis=0) + gain[i]
    path = [int(total.argmax())]
    for i in range(n - 1, 0, -1):
        path.append(int(came[i, path[-1]]))
    return [0 if i in silent else state for i, state in enumerate(reversed(path))]


def _without_between(path: Sequence[int], least: float, alone: Callable[[int], float]) -> list[int]:
    """A path on which no sentence is flagged only because it stands between passages with different labels."""
    found = list(path)
    for i in range(1, len(path) - 1):
        before, here, after = path[i - 1 : i + 2]
        if before and here and after and before != after and least > 0.0 and alone(i) < least:
            found[i] = 0
    return found


def _runs_of(path: Sequence[int]) -> Iterator[tuple[int, tuple[int, int]]]:
    start = 0
    for state, group in groupby(path):
        end = start + len(list(group))
        if state:
            yield state, (start, end)
        start = end


def _labels_of(shares: _Floats, best: int, decoding: Decoding) -> tuple[int, ...]:
    """The label of a run, and labels that are nearly as likely."""
    given = [best]
    total = float(shares[best])
    for label in np.argsort(-shares, kind="stable").tolist():
        if len(given) == decoding.most_labels:
            break
        if label != best:
            if shares[label] <= decoding.second_label * total / (len(given) + 1):
                break
            given.append(label)
            total += float(shares[label])
    return tuple(given)

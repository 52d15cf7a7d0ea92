"""Measures how well words alone separate fallacies from twins, and types from each other, in a set."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

__all__ = ["CUES", "cue_share", "letter_cues", "word_cues"]

_BUCKETS = 1 << 17
_WORD = re.compile(r"\w+|[^\w\s]")


def _hashed(pieces: Sequence[str]) -> np.ndarray:
    return np.unique(np.fromiter((zlib.crc32(p.encode()) % _BUCKETS for p in pieces), dtype=np.int64))


def word_cues(text: str) -> np.ndarray:
    """The words and word pairs of a text as integers, without repeats."""
    words = _WORD.findall(text.casefold())
    return _hashed([*words, *(f"{a} {b}" for a, b in pairwise(words))])


def letter_cues(text: str) -> np.ndarray:
    """The character 4-grams of a text as integers, without repeats."""
    low = text.casefold()
    return _hashed([low[i : i + 4] for i in range(len(low) - 3)])


#: Name -> what a classifier looks at.
CUES: dict[str, Callable[[str], np.ndarray]] = {"words and pairs": word_cues, "four letters": letter_cues}


def cue_share(
    texts: Sequence[str],
    labels: Sequence[str],
    groups: Sequence[str],
    *,
    cues: Callable[[str], np.ndarray] = word_cues,
    folds: int = 5,
) -> float:
    """The accuracy of a naive Bayes classifier, cross-validated by group.

    Parameters
    ----------
    texts, labels, groups : of equal length. Texts of one group, such as a fallacy and its twin, are held out together.
    cues : what of a text is looked at.
    folds : parts that are held out in turn.

    Returns
    -------
    float : in [0, 1]; 1 / (number of labels) is guessing where labels are equally frequent.

    Examples
    --------
    >>> texts = ["red one", "blue one", "red two", "blue two", "red three", "blue three"]
    >>> cue_share(texts, list("ababab"), list("112233"), folds=3)
    1.0
    """
    names = sorted(set(labels))
    of = np.array([names.index(label) for label in labels])
    order = {g: i for i, g in enumerate(dict.fromkeys(groups))}
    fold = np.array([order[g] % folds for g in groups])
    found = [cues(t) for t in texts]
    right = 0
    for held in range(folds):
        counts = np.ones((len(names), _BUCKETS))
        n = np.bincount(of[fold != held], minlength=len(names)) + 2.0
        for i in np.flatnonzero(fold != held):
            counts[of[i], found[i]] += 1
        ratio = np.log(counts) - np.log(n[:, None])
        for i in np.flatnonzero(fold == held):
            right += int(np.argmax(ratio[:, found[i]].sum(axis=1) + np.log(n)) == of[i])
    return right / len(texts)

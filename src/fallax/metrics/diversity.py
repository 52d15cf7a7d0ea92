"""Diversity of sentences: mean cosine similarity of embeddings, within a set and between sets."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fallax.core.json_value import JsonValue
from fallax.errors import InputError

__all__ = ["Diversity", "Embedder", "cross_cosine", "diversity", "hashed_ngrams", "mean_cosine"]

#: Texts -> one row of numbers each, all of one length.
Embedder: TypeAlias = Callable[[Sequence[str]], ArrayLike]


@dataclass(frozen=True, slots=True)
class Diversity(JsonValue):
    """Mean cosine similarities within and between sets.

    Parameters
    ----------
    embedder : what made the embeddings; numbers of different embedders cannot be compared.
    n : set -> sentences.
    within : set -> mean cosine of all pairs of two of its sentences; None with fewer than two.
    across : (set, set) -> mean cosine of all pairs of one of each; None if one is empty.
    """

    embedder: str
    n: Mapping[str, int]
    within: Mapping[str, float | None]
    across: Mapping[tuple[str, str], float | None]

    json_pairs = (("across", "sets", "mean_cosine"),)


def _unit(vectors: ArrayLike) -> NDArray[np.float64]:
    rows = np.asarray(vectors, dtype=np.float64)
    if rows.size == 0:
        return np.zeros((0, 0))
    if rows.ndim != 2 or not np.isfinite(rows).all():
        raise InputError(f"embeddings: must be one row of finite numbers a text, got shape {rows.shape}")
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    if not norms.all():
        at = int(np.flatnonzero(norms[:, 0] == 0)[0])
        raise InputError(f"embeddings: no row may be all zeros, row {at + 1} is; its text has no direction")
    unit: NDArray[np.float64] = rows / norms
    return unit


def mean_cosine(vectors: ArrayLike) -> float | None:
    """The mean cosine similarity of all pairs of different rows.

    In [-1, 1]; lower is more diverse. Costs O(n) in the number of rows.

    Parameters
    ----------
    vectors : n rows of equal length, none of them all zeros.

    Returns
    -------
    float or None
        None with fewer than two rows.

    Notes
    -----
    With unit rows u: (|sum of u|^2 - n) / (n (n - 1)), the mean over pairs without enumerating them (Xu et al. 2025,
    table 13: internal similarity).

    Examples
    --------
    >>> mean_cosine([[1, 0], [0, 1], [1, 0]])
    0.3333333333333333
    """
    rows = _unit(vectors)
    n = len(rows)
    if n < 2:
        return None
    total = rows.sum(axis=0)
    return float((total @ total - n) / (n * (n - 1)))


def cross_cosine(a: ArrayLike, b: ArrayLike) -> float | None:
    """The mean cosine similarity between the rows of two sets (table 13: cross-set similarity).

    In [-1, 1]; symmetric. None if a set is empty.

    Examples
    --------
    >>> cross_cosine([[1, 0]], [[1, 0], [0, 2]])
    0.5
    """
    first, second = _unit(a), _unit(b)
    if not len(first) or not len(second):
        return None
    if first.shape[1] != second.shape[1]:
        raise InputError(
            f"embeddings: both sets must have rows of one length, got {first.shape[1]} and {second.shape[1]}"
        )
    return float(first.mean(axis=0) @ second.mean(axis=0))


def hashed_ngrams(texts: Sequence[str], *, size: int = 4096) -> NDArray[np.float64]:
    """Hashed word and letter n-gram vectors: no embedding model, so no meaning.

    Two sentences are near each other where they share words or spelling; a paraphrase in other words is far. Use it
    to find repetition without any model. Its cosines are not comparable with those of sentence embeddings.

    Parameters
    ----------
    texts : each with at least one letter or digit.
    size : the number of buckets.

    Returns
    -------
    array of shape (n texts, size)
        Counts of words, and of letter trigrams within them, in buckets by CRC-32; one plus logarithm of each count.

    Examples
    --------
    >>> same, near, far = hashed_ngrams(["The cat sat.", "the cat sat", "No dog barks."])
    >>> bool((same == near).all()), round(cross_cosine([same], [far]), 3)
    (True, 0.0)
    """
    rows = np.zeros((len(texts), size))
    for row, text in zip(rows, texts, strict=True):
        for word in re.findall(r"\w+", text.lower()):
            padded = f" {word} "
            for gram in (word, *(padded[i : i + 3] for i in range(len(padded) - 2))):
                row[zlib.crc32(gram.encode()) % size] += 1
    found: NDArray[np.float64] = np.where(rows > 0, 1 + np.log(np.maximum(rows, 1)), 0)
    return found


def diversity(sets: Mapping[str, Sequence[str]], *, embed: Embedder = hashed_ngrams, embedder: str = "") -> Diversity:
    """Mean similarity within each set and between every two sets.

    Parameters
    ----------
    sets : name -> sentences.
    embed : texts to vectors; by default :func:`hashed_ngrams`, which sees spelling only.
    embedder : its name in the result; by default that of the function.

    Examples
    --------
    >>> found = diversity({"a": ["The cat sat.", "A dog ran."], "b": ["The cat sat."]})
    >>> found.embedder, found.within["b"], round(found.across["a", "b"], 2)
    ('hashed_ngrams', None, 0.5)
    """
    vectors: dict[str, NDArray[np.float64]] = {}
    for name, texts in sets.items():
        if isinstance(texts, str):
            raise InputError(f"set {name!r}: must be a sequence of sentences, got one text")
        rows = np.asarray(embed(list(texts)), dtype=np.float64) if texts else np.zeros((0, 0))
        if len(rows) != len(texts):
            raise InputError(f"set {name!r}: the embedder must give one row a text, got {len(rows)} for {len(texts)}")
        vectors[name] = rows
    return Diversity(
        embedder or str(getattr(embed, "__name__", "embedder")),
        {name: len(texts) for name, texts in sets.items()},
        {name: mean_cosine(rows) for name, rows in vectors.items()},
        {(a, b): cross_cosine(vectors[a], vectors[b]) for a, b in combinations(vectors, 2)},
    )

"""Ranks texts by similarity to a query: by words (BM25, TF-IDF) or by embeddings."""

from __future__ import annotations

import importlib
import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Protocol, cast

import numpy as np
import numpy.typing as npt

from fallax.errors import FallaxError, InputError, MissingExtraError, one_line

__all__ = ["EMBEDDERS", "Bm25", "Embedder", "TfIdf", "content_words", "cosines", "load_embedder"]

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
#: English words that say little of what a text is about.
_STOP = frozenset({
    "a", "about", "above", "after", "again", "against", "all", "also", "although", "am", "an", "and", "any", "are",
    "as", "at", "be", "because", "been", "before", "being", "below", "between", "both", "but", "by", "can", "could",
    "did", "do", "does", "doing", "down", "due", "during", "each", "few", "for", "from", "further", "had", "has",
    "have", "having", "he", "her", "here", "hers", "him", "his", "how", "i", "if", "in", "into", "is", "it", "its",
    "itself", "led", "let", "may", "me", "might", "more", "most", "must", "my", "no", "nor", "not", "now", "of",
    "off", "on", "once", "only", "or", "other", "our", "out", "over", "own", "same", "she", "should", "since", "so",
    "some", "such", "than", "that", "the", "their", "them", "then", "there", "therefore", "these", "they", "this",
    "those", "through", "thus", "to", "too", "under", "until", "up", "very", "was", "we", "were", "what", "when",
    "where", "which", "while", "who", "whom", "why", "will", "with", "would", "you", "your",
})  # fmt: skip


#: Embedders by a short name -> what makes one, a function without arguments as "module:function"; it is imported when
#: it is asked for.
EMBEDDERS = {"minilm": "fallax.encoders:load_mean_embedder"}


class Embedder(Protocol):
    """An embedder: turns n texts into an array (n, dimensions); its name appears in records."""

    name: str

    def __call__(self, texts: Sequence[str], /) -> Any:
        """One vector per text."""


@lru_cache(maxsize=65_536)
def _stem(word: str) -> str:
    for end in ("ingly", "edly", "ing", "ies", "ed", "es", "ly", "s"):
        if word.endswith(end) and len(word) - len(end) >= 4:
            return word[: -len(end)] + ("y" if end == "ies" else "")
    return word


def content_words(text: str) -> list[str]:
    """The content words of a text, in lower case and without frequent English endings.

    Examples
    --------
    >>> content_words("The rains flooded the lower fields.")
    ['rain', 'flood', 'lower', 'field']
    """
    return [_stem(w) for w in map(str.lower, _WORD.findall(text)) if w not in _STOP]


class Bm25:
    """Ranks texts by BM25 (Robertson and Zaragoza 2009).

    Parameters
    ----------
    texts : what is searched.

    Raises
    ------
    MissingExtraError
        If bm25s is not installed.

    Notes
    -----
    k1 = 1.5, b = 0.75, Lucene's idf; of texts that fit alike, the earlier comes first.

    Examples
    --------
    >>> Bm25(["Cats purr.", "The rain fell on the field.", "Rain."]).nearest("Did rain fall?", 2)
    [2, 1]
    """

    def __init__(self, texts: Sequence[str]) -> None:
        try:
            import bm25s
        except ImportError:
            raise MissingExtraError("BM25 retrieval", extra="retrieval") from None
        self.n = len(texts)
        words = [content_words(t) for t in texts]
        self._known = {w for ws in words for w in ws}
        self._index = bm25s.BM25()
        if self._known:
            self._index.index(words, show_progress=False)

    def nearest(self, text: str, n: int, *, without: frozenset[int] = frozenset()) -> list[int]:
        """The positions of at most n texts that share a word with a text, best first."""
        asked = [w for w in dict.fromkeys(content_words(text)) if w in self._known]
        if not asked or n < 1:
            return []
        scores = self._index.get_scores(asked)
        order = np.argsort(-scores, kind="stable")
        found: list[int] = []
        for at in map(int, order):
            if scores[at] <= 0 or len(found) == n:
                break
            if at not in without:
                found.append(at)
        return found


class TfIdf:
    """TF-IDF vectors of words: the default where no sentence embedder is installed.

    Weights are counted over the texts of one call, so compare only vectors of the same call.

    Examples
    --------
    >>> vectors = TfIdf()(["rain fell", "rain stopped", "cats purr"])
    >>> bool(vectors[0] @ vectors[1] > vectors[0] @ vectors[2])
    True
    """

    name = "tf-idf"

    def __call__(self, texts: Sequence[str], /) -> npt.NDArray[np.float64]:
        """Unit vectors; a text without content words gets zeros."""
        counts = [Counter(content_words(t)) for t in texts]
        seen = Counter(w for c in counts for w in c)
        column = {w: i for i, w in enumerate(sorted(seen))}
        found = np.zeros((len(texts), max(1, len(column))))
        for row, count in enumerate(counts):
            for word, n in count.items():
                found[row, column[word]] = (1 + math.log(n)) * (1 + math.log(len(texts) / seen[word]))
        return _unit(found)


def _unit(vectors: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return cast("npt.NDArray[np.float64]", np.divide(vectors, norms, out=np.zeros_like(vectors), where=norms > 0))


def cosines(texts: Sequence[str], embedder: Embedder) -> npt.NDArray[np.float64]:
    """Pairwise cosine similarities, an array (n, n); 0 for zero vectors.

    Raises
    ------
    InputError
        If the embedder does not give one finite vector for each text.
    """
    if not texts:
        return np.zeros((0, 0))
    found = np.asarray(embedder(list(texts)), dtype=np.float64)
    if found.ndim != 2 or found.shape[0] != len(texts) or not np.isfinite(found).all():
        raise InputError(
            f"embedder {embedder.name!r}: must give one finite vector for each of {len(texts)} texts, got an array of"
            f" shape {found.shape}"
        )
    unit = _unit(found)
    return unit @ unit.T


class _Named:
    def __init__(self, name: str, function: Callable[[Sequence[str]], Any]) -> None:
        self.name = name
        self._function = function

    def __call__(self, texts: Sequence[str], /) -> Any:
        return self._function(texts)


def load_embedder(name: str | None) -> Embedder:
    """Load an embedder by name.

    Parameters
    ----------
    name : ``minilm`` for the sentence encoder that ships, ``MODULE:FUNCTION`` for texts to vectors of your own, None
        for :class:`TfIdf`.

    Raises
    ------
    InputError
        If it cannot be imported or is no function.

    Examples
    --------
    >>> load_embedder(None).name
    'tf-idf'
    """
    if name is None or name == TfIdf.name:
        return TfIdf()
    module, _, function = EMBEDDERS.get(name, name).partition(":")
    try:
        found = getattr(importlib.import_module(module), function)
    except (ImportError, AttributeError, TypeError, ValueError) as error:
        if isinstance(error, FallaxError):
            raise
        raise InputError(
            f"embedder: must be {', '.join(EMBEDDERS)} or MODULE:FUNCTION that can be imported, got"
            f" {one_line(name, 60)!r} ({one_line(error)})"
        ) from None
    if name in EMBEDDERS:
        return cast("Embedder", found())
    if not callable(found):
        raise InputError(f"embedder: must be a function, got {type(found).__name__} {one_line(name, 60)!r}")
    return _Named(name, found)

"""Sparse TF-IDF vectors of words, word pairs, and character n-grams inside words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["Ngrams", "ngrams_of"]

_Floats = npt.NDArray[np.float64]
_TOKEN = re.compile(r"\w+(?:['’]\w+)*|[?!]+")
#: Lengths of the runs of characters.
_SIZES = (2, 3, 4, 5)
#: What stands in fewer texts is left out.
_LEAST = 2


def ngrams_of(text: str) -> Iterator[tuple[str, int, int]]:
    """Every n-gram of a text with its start and end: ``w`` for words and pairs, ``c`` for characters.

    Examples
    --------
    >>> [name for name, _, _ in ngrams_of("So be it")][:5]
    ['w so', 'w so be', 'w be', 'w be it', 'w it']
    """
    tokens = [(m[0].lower().replace("’", "'"), m.start(), m.end()) for m in _TOKEN.finditer(text)]
    for i, (word, start, end) in enumerate(tokens):
        yield f"w {word}", start, end
        if i + 1 < len(tokens):
            yield f"w {word} {tokens[i + 1][0]}", start, tokens[i + 1][2]
    for word, start, end in tokens:
        padded = f" {word} "
        for size in _SIZES:
            for k in range(len(padded) - size + 1):
                yield f"c {padded[k : k + size]}", start, end


class Ngrams:
    """A vocabulary of n-grams with their inverse document frequencies.

    Parameters
    ----------
    vocabulary : the n-grams, one a column.
    rarity : their inverse document frequency, shape (n_columns,), at least 1.

    Notes
    -----
    A text's weights are (1 + log count) times rarity. Those of words, and those of characters, have length 1 each.
    Rarity is 1 + log((1 + n_texts) / (1 + n_texts with it)).

    Examples
    --------
    >>> ngrams = Ngrams.of(["You lie.", "You sing."])
    >>> found = ngrams.matrix(["You lie."])
    >>> round(float((found.multiply(found)).sum()), 6)
    2.0
    """

    def __init__(self, vocabulary: Sequence[str], rarity: _Floats) -> None:
        self.vocabulary = tuple(vocabulary)
        self.rarity = rarity
        self._columns = {name: i for i, name in enumerate(self.vocabulary)}

    @classmethod
    def of(cls, texts: Sequence[str]) -> Ngrams:
        """The n-grams that occur in more than one text."""
        counts: Counter[str] = Counter()
        for text in texts:
            counts.update({name for name, _, _ in ngrams_of(text)})
        kept = sorted(name for name, n in counts.items() if n >= _LEAST)
        n_texts = np.array([counts[name] for name in kept], dtype=np.float64)
        return cls(kept, 1.0 + np.log((1 + len(texts)) / (1 + n_texts)))

    def matrix(self, texts: Sequence[str]) -> Any:
        """One row per text, shape (n_texts, n_columns), as a ``scipy.sparse.csr_array``."""
        from scipy.sparse import csr_array  # slow to import, and most detectors do without

        values: list[_Floats] = []
        columns: list[npt.NDArray[np.int64]] = []
        ends = [0]
        for text in texts:
            row, weights = self._row(text)
            columns.append(row)
            values.append(weights)
            ends.append(ends[-1] + len(row))
        return csr_array(
            (np.concatenate([*values, np.zeros(0)]), np.concatenate([*columns, np.zeros(0, dtype=np.int64)]), ends),
            shape=(len(texts), len(self.vocabulary)),
        )

    def _row(self, text: str) -> tuple[npt.NDArray[np.int64], _Floats]:
        counts = Counter(self._columns[name] for name, _, _ in ngrams_of(text) if name in self._columns)
        row = np.array(sorted(counts), dtype=np.int64)
        weights = np.array([1.0 + np.log(counts[i]) for i in row]) * self.rarity[row]
        is_word = np.array([self.vocabulary[i][0] == "w" for i in row], dtype=bool)
        for kind in (is_word, ~is_word):
            length = float(np.sqrt((weights[kind] ** 2).sum()))
            if length:
                weights[kind] /= length
        return row, weights

    def word_scores(self, text: str, weight: _Floats) -> list[tuple[int, int, float]]:
        """The contribution of each word to ``values @ weight``: start, end, sum over its n-grams.

        Parameters
        ----------
        weight : shape (n_columns,).
        """
        row, values = self._row(text)
        worth = dict(zip(row.tolist(), (values * weight[row]).tolist(), strict=True))
        found = list(ngrams_of(text))
        times = Counter(name for name, _, _ in found)
        words = [(m.start(), m.end()) for m in _TOKEN.finditer(text)]
        scores = dict.fromkeys(words, 0.0)
        for name, start, end in found:
            column = self._columns.get(name)
            if column is None:
                continue
            inside = (
                [w for w in words if start <= w[0] and w[1] <= end] if (start, end) not in scores else [(start, end)]
            )
            for word in inside:
                scores[word] += worth[column] / times[name] / len(inside)
        return [(a, b, score) for (a, b), score in scores.items()]

"""Hashed sparse features of a sentence in context, shared by training and use."""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Sequence

__all__ = ["N_FEATURES", "sentence_features"]

#: Number of hashed features.
N_FEATURES = 2**16

_WORD = re.compile(r"\w+(?:['’]\w+)?|[?!…]+|[^\w\s]")


def _words(text: str) -> list[str]:
    return [w.replace("’", "'") for w in _WORD.findall(text.casefold())]


def _hash(name: str) -> int:
    return zlib.crc32(name.encode("utf-8", "surrogatepass")) % N_FEATURES


def sentence_features(sentences: Sequence[str], i: int) -> dict[int, float]:
    """Hashed features of sentence ``i``: its words, pairs and triples, and neighbouring words.

    Returns
    -------
    dict
        Feature number in [0, :data:`N_FEATURES`) -> weight; the vector has length 1 (or 0 without words).

    Examples
    --------
    >>> found = sentence_features(["You lie.", "So you are wrong."], 1)
    >>> round(sum(v * v for v in found.values()), 6)
    1.0
    """
    words = _words(sentences[i])
    names: Counter[str] = Counter()
    padded = ["^", *words, "$"]
    for n, weight in ((1, 1.0), (2, 1.0), (3, 0.6)):
        for k in range(len(padded) - n + 1):
            names["w " + " ".join(padded[k : k + n])] += weight  # type: ignore[assignment]
    for word in words:
        if len(word) > 4:
            names["p " + word[:4]] += 0.5  # type: ignore[assignment]
            names["s " + word[-3:]] += 0.3  # type: ignore[assignment]
    for side, j in (("<", i - 1), (">", i + 1)):
        if 0 <= j < len(sentences):
            for word in _words(sentences[j]):
                names[f"{side} {word}"] += 0.35  # type: ignore[assignment]
        else:
            names[f"{side} none"] += 0.35  # type: ignore[assignment]
    found: dict[int, float] = {}
    for name, value in names.items():
        key = _hash(name)
        found[key] = found.get(key, 0.0) + min(value, 2.0)
    norm = sum(v * v for v in found.values()) ** 0.5
    return {k: v / norm for k, v in found.items()} if norm else {}

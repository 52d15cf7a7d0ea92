"""Similarity of two sentences, by scorers that every signature names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from fallax.errors import InputError
from fallax.metrics.base import check_choice

__all__ = ["NEEDS_MODEL", "SCORERS", "TextModel", "similarity_matrices", "token_f1"]

_Matrix: TypeAlias = npt.NDArray[np.float64]


class TextModel(Protocol):
    """A model behind a scorer; its ``name`` (with version) appears in the signature.

    Called with a sequence of distinct texts, a model of the scorer "embedding" gives an array (texts, dimensions), and
    one of "bertscore" an array (tokens, dimensions) for each text, or a pair of it and an array (tokens,) that is false
    for marks such as [CLS]: a word may be aligned with one, but marks are not averaged. One of "bleurt" is called with
    (gold, predicted) pairs of texts and gives a number for each.
    """

    name: str

    def __call__(self, texts: Sequence[Any], /) -> Any:
        """Vectors or scores, as the scorer needs them."""


#: scorer -> what it is.
SCORERS: Mapping[str, str] = {
    "exact": "1 if all characters are the same, else 0",
    "token_f1": "F1 of the words, in lower case, each as often as it occurs",
    "embedding": "cosine of sentence vectors, at least 0",
    "bertscore": "F1 of the greedy alignment of token vectors (Zhang et al. 2020), without idf or rescaling",
    "bleurt": "a trained scorer of pairs, such as BLEURT (Sellam et al. 2020), cut to 0..1",
}
#: scorer -> what its model must give.
NEEDS_MODEL: Mapping[str, str] = {
    "embedding": "one vector for each text",
    "bertscore": "one vector for each token of each text",
    "bleurt": "one number for each pair of texts",
}
_WORD = re.compile(r"\w+")


def token_f1(pred: str, gold: str) -> float:
    """F1 of the words of two texts, in [0, 1]; without a word on either side, 1 if the texts are the same.

    Examples
    --------
    >>> token_f1("The wet field", "the field dried")
    0.6666666666666666
    """
    return _word_f1(_words(pred), _words(gold), same=pred == gold)


def _words(text: str) -> Counter[str]:
    return Counter(_WORD.findall(text.lower()))


def _word_f1(pred: Counter[str], gold: Counter[str], *, same: bool) -> float:
    total = pred.total() + gold.total()
    if not total:
        return float(same)
    small, large = (pred, gold) if len(pred) < len(gold) else (gold, pred)
    return 2 * sum(min(n, large[w]) for w, n in small.items() if w in large) / total


def similarity_matrices(
    pairs: Sequence[tuple[Sequence[str], Sequence[str]]],
    *,
    scorer: str,
    model: TextModel | None = None,
    metric: str = "",
) -> list[_Matrix]:
    """The similarity of each predicted text of a record to each of its gold texts.

    Parameters
    ----------
    pairs : for each record, its predicted and its gold texts.
    scorer : a name of ``SCORERS``.
    model : what the scorer asks, where it needs one; it is called once, with every distinct text or pair.
    metric : who asks, for messages.

    Returns
    -------
    list of array (n_pred, n_gold)
        Values in [0, 1]; 1 for equal texts, whatever the scorer.

    Raises
    ------
    InputError
        If the scorer needs a model and there is none, or the model gives something else than it must.
    """
    check_choice(metric or "similarity", "scorer", scorer, SCORERS)
    if scorer in NEEDS_MODEL and model is None:
        raise InputError(
            f"{metric or 'similarity'}: scorer {scorer!r} needs a model that gives {NEEDS_MODEL[scorer]}, got none;"
            " pass model=, or take scorer='token_f1'"
        )
    shapes = [(len(p), len(g)) for p, g in pairs]
    if scorer == "exact":
        return [
            np.array([[float(a == b) for b in gold] for a in pred], dtype=np.float64).reshape(shape)
            for (pred, gold), shape in zip(pairs, shapes, strict=True)
        ]
    texts = list(dict.fromkeys(t for pred, gold in pairs for side in (pred, gold) for t in side))
    at = {t: i for i, t in enumerate(texts)}
    places = [([at[t] for t in pred], [at[t] for t in gold]) for pred, gold in pairs]
    if scorer == "embedding":
        vectors = _vectors(cast("TextModel", model), texts)
        found = [np.clip(vectors[p] @ vectors[g].T, 0, 1).reshape(s) for (p, g), s in zip(places, shapes, strict=True)]
    else:
        wanted = list(dict.fromkeys((i, j) for pred, gold in places for i in pred for j in gold))
        scores = dict(zip(wanted, _pair_scores(scorer, model, texts, wanted), strict=True))
        found = [
            np.array([[scores[i, j] for j in gold] for i in pred], dtype=np.float64).reshape(shape)
            for (pred, gold), shape in zip(places, shapes, strict=True)
        ]
    for (pred, gold), matrix in zip(places, found, strict=True):
        for i, one in enumerate(pred):
            for j, other in enumerate(gold):
                if one == other:
                    matrix[i, j] = 1.0
    return found


def _vectors(model: TextModel, texts: Sequence[str]) -> _Matrix:
    """Unit vectors; a zero vector stays zero."""
    if not texts:
        return np.zeros((0, 1))
    found = np.asarray(model(texts), dtype=np.float64)
    if found.ndim != 2 or found.shape[0] != len(texts) or not np.isfinite(found).all():
        raise InputError(
            f"model {model.name!r}: must give one finite vector for each of {len(texts)} texts, got an array of shape"
            f" {found.shape}"
        )
    norms = np.linalg.norm(found, axis=1, keepdims=True)
    return cast("_Matrix", np.divide(found, norms, out=np.zeros_like(found), where=norms > 0))


def _pair_scores(
    scorer: str, model: TextModel | None, texts: Sequence[str], wanted: Sequence[tuple[int, int]]
) -> Sequence[float]:
    if scorer == "token_f1":
        words = [_words(t) for t in texts]
        return [_word_f1(words[i], words[j], same=i == j) for i, j in wanted]
    asked = cast("TextModel", model)
    if scorer == "bleurt":
        given = np.asarray(asked([(texts[j], texts[i]) for i, j in wanted]) if wanted else [], dtype=np.float64)
        if given.shape != (len(wanted),) or not np.isfinite(given).all():
            raise InputError(
                f"model {asked.name!r}: must give one finite number for each of {len(wanted)} pairs, got an array of"
                f" shape {given.shape}"
            )
        return cast("list[float]", np.clip(given, 0, 1).tolist())
    tokens = list(asked(texts)) if texts else []
    if len(tokens) != len(texts):
        raise InputError(f"model {asked.name!r}: must give token vectors for {len(texts)} texts, got {len(tokens)}")
    units = [_token_units(t, asked.name) for t in tokens]
    return [_greedy_f1(units[i], units[j]) for i, j in wanted]


def _token_units(tokens: Any, name: str) -> tuple[_Matrix, npt.NDArray[np.bool_]]:
    """Unit vectors, and which of them are averaged."""
    marked = isinstance(tokens, tuple) and len(tokens) == 2 and np.ndim(tokens[1]) == 1 < np.ndim(tokens[0])
    found = np.asarray(tokens[0] if marked else tokens, dtype=np.float64)
    if found.ndim != 2 or not np.isfinite(found).all():
        raise InputError(f"model {name!r}: must give a finite vector for each token, got an array of {found.shape}")
    counted = np.asarray(tokens[1], dtype=bool) if marked else np.ones(len(found), dtype=bool)
    if len(counted) != len(found):
        raise InputError(f"model {name!r}: must mark each of {len(found)} tokens, got {len(counted)} marks")
    norms = np.linalg.norm(found, axis=1, keepdims=True)
    return np.divide(found, norms, out=np.zeros_like(found), where=norms > 0), counted


def _greedy_f1(pred: tuple[_Matrix, npt.NDArray[np.bool_]], gold: tuple[_Matrix, npt.NDArray[np.bool_]]) -> float:
    if not pred[1].any() or not gold[1].any():
        return 0.0
    alike = pred[0] @ gold[0].T
    p, r = float(alike.max(axis=1)[pred[1]].mean()), float(alike.max(axis=0)[gold[1]].mean())
    return min(1.0, max(0.0, 2 * p * r / (p + r) if p + r > 0 else 0.0))

"""Weights under which the words of a statement, and how many of them its passage has, tell nothing of the label."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from fallax.entailment.training.pairs import Example

__all__ = ["balanced"]

_WORD = re.compile(r"\w+")
#: The least and the greatest weight, before they are scaled to a mean of 1.
_LEAST, _MOST = 0.4, 2.5


def balanced(examples: Sequence[Example], groups: Sequence[str], *, folds: int = 5) -> list[Example]:
    """The same examples, each weighted by how little a model without the passage would have believed its label.

    A logistic regression over words, pairs of words and the share of words that stand in the passage guesses "entailed
    or not" for passages it has not seen; an example counts in inverse proportion to the probability of its own label
    (after Clark et al. 2019, "Don't Take the Easy Way Out", and Schuster et al. 2019, "Towards Debiasing Fact
    Verification Models").

    Parameters
    ----------
    groups : of each example its passage; examples of one passage stand in one part.
    folds : how many parts.
    """
    from scipy.sparse import csr_matrix, hstack
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GroupKFold, cross_val_predict

    found = list(examples)
    words = TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True)
    share = np.array([[_overlap(e), 1.0 - _overlap(e)] for e in found])
    columns = hstack([words.fit_transform([e.statement for e in found]), csr_matrix(2.0 * share)]).tocsr()
    entailed = np.array([e.label == "entailed" for e in found])
    model = LogisticRegression(C=1.0, class_weight="balanced", max_iter=500)
    parts = GroupKFold(folds)
    said = cross_val_predict(model, columns, entailed, groups=groups, cv=parts, method="predict_proba")
    own = said[np.arange(len(found)), entailed.astype(int)]
    weights = np.clip(0.5 / np.maximum(own, 1e-6), _LEAST, _MOST)
    weights /= weights.mean()
    return [replace(e, weight=float(w)) for e, w in zip(found, weights, strict=True)]


def _overlap(example: Example) -> float:
    seen = set(_WORD.findall(" ".join(example.passage).lower()))
    own = _WORD.findall(example.statement.lower())
    return sum(w in seen for w in own) / max(1, len(own))

"""Weights for examples, so that a statement's words and its overlap with the passage do not give away the label."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from fallax.entailment.training.pairs import Example

__all__ = ["balanced"]

_WORD = re.compile(r"\w+")
#: Least and greatest weight, before scaling to a mean of 1.
_LEAST, _MOST = 0.4, 2.5


def balanced(examples: Sequence[Example], groups: Sequence[str], *, folds: int = 5) -> list[Example]:
    """The same examples, weighted down where a model that does not read the passage already guesses the label.

    A logistic regression predicts "entailed or not" from the statement's words, its word pairs and its overlap with the
    passage, by cross-validation over passages. An example's weight is inversely proportional to the predicted
    probability of its own label (after Clark et al. 2019, "Don't Take the Easy Way Out", and Schuster et al. 2019,
    "Towards Debiasing Fact Verification Models").

    Parameters
    ----------
    groups : the passage of each example; examples of one passage are in the same fold.
    folds : number of folds.
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

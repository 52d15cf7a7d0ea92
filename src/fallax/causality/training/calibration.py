"""Fits the calibration of the verifier on held-out scenes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from fallax.causality.systems.features import features_of
from fallax.causality.systems.prepared import Prepared
from fallax.causality.systems.weights import FEATURES, VERDICTS
from fallax.encoders.heads import folds_of_groups
from fallax.entailment import load_entailment
from fallax.entailment.training.corpus import causal_examples, part_of

__all__ = ["calibrate_causality"]

_Floats = npt.NDArray[np.float64]
_NUMBERS = {"entailed": 0, "contradicted": 1, "neither": 2}
#: A verdict is given from the probability on from which so many were right on what was held out.
_RIGHT = 0.8
#: How much large factors of standardised features cost.
_SHRINK = 0.005
_FOLDS = 10


def calibrate_causality(folder: Path, scenes: Path, *, most: int | None = None) -> dict[str, Any]:
    """The verifier's part of a model card: factors, offsets, and the least probability.

    The factors are fitted on all claims for calibration. What they are worth, and the least probability of a verdict,
    come from ten fits that each leave a tenth of the scenes out.

    Parameters
    ----------
    folder : the model.
    scenes : the corpus; one scene in ten is for calibration, and those that were written for that alone.
    most : claims at most, the first ones; None: all.
    """
    model = load_entailment(str(folder))
    rows = [(i, e) for i, _, e in causal_examples(scenes) if part_of(i) == "calibration"][:most]
    features = np.array([features_of(Prepared(model, e.statement, e.passage)) for _, e in rows])
    gold = np.array([_NUMBERS[e.label] for _, e in rows])
    factors, offsets = _fitted(features, gold)
    found = _left_out(features, gold, [_scene(i) for i, _ in rows])
    likeliest, right = found.max(axis=1), found.argmax(axis=1) == gold
    bounds = (t for t in np.arange(0.34, 0.9, 0.02) if np.any(likeliest >= t))
    low = next((t for t in bounds if right[likeliest >= t].mean() >= _RIGHT), 0.9)
    told = likeliest >= low
    return {
        "factors": {
            verdict: {name: round(float(f), 4) for name, f in zip(FEATURES, own, strict=True)}
            for verdict, own in zip(VERDICTS[:2], factors, strict=True)
        },
        "offsets": {v: round(float(x), 4) for v, x in zip(VERDICTS[:2], offsets, strict=True)},
        "low": round(float(low), 2),
        "held_out": {
            "claims": len(gold),
            "accuracy": round(float(right.mean()), 3),
            "told": round(float(told.mean()), 3),
            "right_where_told": round(float(right[told].mean()), 3) if np.any(told) else None,
        },
    }


def _scene(identifier: str) -> str:
    """What the claims of one scene have in common; sets of evidence for the same claims differ in the last letter."""
    return identifier[:-2] if identifier.startswith("cal-") else identifier


def _left_out(features: _Floats, gold: npt.NDArray[np.int64], scenes: Sequence[str]) -> _Floats:
    """The probabilities of each claim, by a fit on other scenes; shape (n_claims, 3)."""
    fold = folds_of_groups(scenes, min(_FOLDS, len(set(scenes))))
    found = np.zeros((len(gold), 3))
    for number in set(fold.tolist()):
        out = fold == number
        rest = ~out if (~out).any() else out
        found[out] = _probabilities(features[out], *_fitted(features[rest], gold[rest]))
    return found


def _fitted(features: _Floats, gold: npt.NDArray[np.int64]) -> tuple[_Floats, _Floats]:
    """The factors of supports and refutes, shape (2, n_features), and their offsets, shape (2,)."""
    from scipy.optimize import minimize

    mean, scale = features.mean(axis=0), features.std(axis=0)
    scale[scale < 1e-6] = 1.0
    scaled = (features - mean) / scale

    def parts(x: _Floats) -> tuple[_Floats, _Floats]:
        return x[:-2].reshape(2, -1), x[-2:]

    def loss(x: _Floats) -> tuple[float, _Floats]:
        factors, offsets = parts(x)
        found = _probabilities(scaled, factors, offsets)
        missed = found - np.eye(3)[gold]
        said = -float(np.log(found[np.arange(len(gold)), gold] + 1e-12).mean())
        slope = (missed[:, :2].T @ scaled) / len(gold) + 2 * _SHRINK * factors
        return said + _SHRINK * float((factors**2).sum()), np.append(slope, missed[:, :2].mean(axis=0))

    found = minimize(loss, np.zeros(2 * features.shape[1] + 2), method="L-BFGS-B", jac=True).x
    factors, offsets = parts(found)
    return factors / scale, offsets - (factors / scale) @ mean


def _probabilities(features: _Floats, factors: _Floats, offsets: _Floats) -> _Floats:
    """Of supports, refutes and neither; shape (n_claims, 3)."""
    z = np.column_stack([features @ factors.T + offsets, np.zeros(len(features))])
    z = np.exp(z - z.max(axis=1, keepdims=True))
    found: _Floats = z / z.sum(axis=1, keepdims=True)
    return found

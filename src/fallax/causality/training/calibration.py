"""Fits the calibration of the verifier on held-out scenes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from fallax.causality.systems.entailed import EntailmentVerifier
from fallax.causality.systems.weights import FEATURES, CausalWeights
from fallax.entailment import load_entailment
from fallax.entailment.training.corpus import causal_examples, part_of

__all__ = ["calibrate_causality"]

_NUMBERS = {"entailed": 0, "contradicted": 1, "neither": 2}
#: A verdict is given from the probability on from which so many were right on what was held out.
_RIGHT = 0.8
_NOTHING = (0.0,) * len(FEATURES)
_PLAIN = CausalWeights((_NOTHING, _NOTHING), (0.0, 0.0), 0.0)
#: How much large factors cost.
_SHRINK = 0.02


def calibrate_causality(folder: Path, scenes: Path, *, most: int | None = None) -> dict[str, Any]:
    """The verifier's part of a model card: factors, offsets, and the least probability.

    Parameters
    ----------
    folder : the model.
    scenes : the corpus; one scene in ten is for calibration.
    most : claims at most, the first ones; None: all.
    """
    from scipy.optimize import minimize

    verifier = EntailmentVerifier(load_entailment(str(folder)), weights=_PLAIN)
    rows = [e for identifier, _, e in causal_examples(scenes) if part_of(identifier) == "calibration"][:most]
    features = np.array([(*verifier.features(e.statement, e.passage), 1.0) for e in rows])
    gold = np.array([_NUMBERS[e.label] for e in rows])

    def probabilities(x: Any) -> Any:
        z = np.column_stack([features @ x.reshape(2, -1).T, np.zeros(len(gold))])
        z = np.exp(z - z.max(axis=1, keepdims=True))
        return z / z.sum(axis=1, keepdims=True)

    def loss(x: Any) -> float:
        said = float(-np.log(probabilities(x)[np.arange(len(gold)), gold] + 1e-9).mean())
        return said + _SHRINK * float((x.reshape(2, -1)[:, :-1] ** 2).sum())

    x = minimize(loss, np.zeros(2 * features.shape[1]), method="L-BFGS-B").x
    factors = x.reshape(2, -1)
    found = probabilities(x)
    likeliest, right = found.max(axis=1), found.argmax(axis=1) == gold
    bounds = (t for t in np.arange(0.34, 0.9, 0.02) if np.any(likeliest >= t))
    low = next((t for t in bounds if right[likeliest >= t].mean() >= _RIGHT), 0.9)
    told = likeliest >= low
    return {
        "factors": {
            verdict: {name: round(float(f), 4) for name, f in zip(FEATURES, own, strict=False)}
            for verdict, own in zip(("supports", "refutes"), factors, strict=True)
        },
        "offsets": {v: round(float(own[-1]), 4) for v, own in zip(("supports", "refutes"), factors, strict=True)},
        "low": round(float(low), 2),
        "held_out": {
            "claims": len(gold),
            "accuracy": round(float(right.mean()), 3),
            "told": round(float(told.mean()), 3),
            "right_where_told": round(float(right[told].mean()), 3) if np.any(told) else None,
        },
    }

"""What makes probabilities of the verifier's readings, fitted to scenes that were held out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from fallax.causality.systems.entailed import CausalWeights, EntailmentVerifier
from fallax.entailment import load_entailment
from fallax.entailment.training.corpus import causal_examples, part_of

__all__ = ["calibrate_causality"]

_NUMBERS = {"entailed": 0, "contradicted": 1, "neither": 2}
#: A verdict is given from the probability on from which so many were right on what was held out.
_RIGHT = 0.7
_PLAIN = CausalWeights(1.0, (0.0, 0.0, 0.0), 0.0)


def calibrate_causality(folder: Path, scenes: Path) -> dict[str, Any]:
    """What the card of an entailment model holds for the verifier: scale, offsets, and the least probability."""
    from scipy.optimize import minimize

    verifier = EntailmentVerifier(load_entailment(str(folder)), weights=_PLAIN)
    rows = [e for identifier, _, e in causal_examples(scenes) if part_of(identifier) == "calibration"]
    # probabilities of plain weights are the logits but for a constant, which no later step sees
    logits = np.log(np.array([verifier.probabilities(e.statement, e.passage) for e in rows]))
    gold = np.array([_NUMBERS[e.label] for e in rows])

    def probabilities(x: Any) -> Any:
        z = logits * x[0] + np.array([x[1], x[2], 0.0])
        z = np.exp(z - z.max(axis=1, keepdims=True))
        return z / z.sum(axis=1, keepdims=True)

    def loss(x: Any) -> float:
        return float(-np.log(probabilities(x)[np.arange(len(gold)), gold] + 1e-9).mean() + 0.01 * (x[1:] ** 2).sum())

    x = minimize(loss, np.array([1.0, 0.0, 0.0]), method="Nelder-Mead").x
    found = probabilities(x)
    most, right = found.max(axis=1), found.argmax(axis=1) == gold
    low = next((t for t in np.arange(0.34, 0.8, 0.02) if right[most >= t].mean() >= _RIGHT), 0.8)
    told = most >= low
    return {
        "scale": round(float(x[0]), 4),
        "offsets": [round(float(x[1]), 4), round(float(x[2]), 4), 0.0],
        "low": round(float(low), 2),
        "held_out": {
            "claims": len(gold),
            "accuracy": round(float(right.mean()), 3),
            "told": round(float(told.mean()), 3),
            "right_where_told": round(float(right[told].mean()), 3),
        },
    }

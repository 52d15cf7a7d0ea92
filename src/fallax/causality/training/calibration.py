"""Fits the calibration of the verifier on held-out scenes and on claims as people make them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from fallax.causality.systems.features import features_of
from fallax.causality.systems.prepared import Prepared
from fallax.causality.systems.weights import FEATURES
from fallax.core.types import VERDICTS
from fallax.encoders.heads import folds_of_groups
from fallax.encoders.parallel import each_in_order
from fallax.entailment import EntailmentModel
from fallax.entailment.training.corpus import causal_examples, part_of
from fallax.entailment.training.pairs import Example

__all__ = ["calibrate_causality"]

_Floats = npt.NDArray[np.float64]
_NUMBERS = {"entailed": 0, "contradicted": 1, "neither": 2}
#: Verdict -> from which probability on it is given: so many of its kind were right on what was held out, in all and in
#: every source with enough of them. A claim that is wrongly refuted does most harm.
_RIGHT = {"supports": 0.85, "refutes": 0.88, "nei": 0.85}
_ENOUGH = 20
#: Source -> how much all of its claims count together when factors are fitted. In the last one the words of the
#: evidence speak against the label, more than anywhere else.
_COUNTS = {"scenes": 1.0, "reports": 1.0, "everyday": 1.0, "near": 1.0, "shared": 1.0, "reworded": 0.25}
#: The sources by which the least probabilities are chosen.
_LIMITING = ("scenes", "reports", "everyday", "near", "shared")
#: How much large factors of standardised features cost.
_SHRINK = 0.005
_FOLDS = 10


def calibrate_causality(
    model: EntailmentModel, scenes: Path, reports: Path, claims: Path, *, most: int | None = None
) -> dict[str, Any]:
    """The verifier's part of a model card: factors, offsets, and the least probability of each verdict.

    The factors are fitted on all claims for calibration. What they are worth, by source and by the likeliest verdict,
    and the least probabilities come from ten fits that each leave a tenth of the scenes out.

    Parameters
    ----------
    model : reads.
    scenes : the corpus; one scene in ten is for calibration, and those that were written for that alone.
    reports : claims as people make them, ``reports-*.jsonl``, ``everyday-*.jsonl`` and ``near-*.jsonl`` as in
        ``data/causal_reports``; one scene in ten is for calibration.
    claims : claims as people make them, ``shared.jsonl`` and ``reworded.jsonl`` as in ``data/causal_claims``.
    most : claims of each source at most, the first ones; None: all.
    """
    rows = [("scenes", i, e) for i, _, e in causal_examples(scenes) if part_of(i) == "calibration"][:most]
    for source in ("reports", "everyday", "near"):
        told = causal_examples(reports, f"{source}-*.jsonl")
        rows += [(source, i, e) for i, _, e in told if part_of(i) == "calibration"][:most]
    for source in ("shared", "reworded"):
        rows += [(source, i, e) for i, _, e in causal_examples(claims, f"{source}.jsonl")][:most]

    def read(row: tuple[str, str, Example]) -> tuple[float, ...]:
        return features_of(Prepared(model, row[2].statement, row[2].passage))

    features = np.array(list(each_in_order(read, rows)))
    gold = np.array([_NUMBERS[e.label] for _, _, e in rows])
    sources = np.array([source for source, _, _ in rows])
    weights = _weights(sources)
    factors, offsets = _fitted(features, gold, weights)
    found = _left_out(features, gold, weights, [_scene(i) for _, i, _ in rows])
    likeliest, said = found.max(axis=1), found.argmax(axis=1)
    right = said == gold
    limiting = np.isin(sources, _LIMITING)

    limits = [
        _least(likeliest[own], right[own], sources[own], _RIGHT[verdict])
        for verdict, own in ((v, limiting & (said == i)) for i, v in enumerate(VERDICTS))
    ]
    given = likeliest >= np.array(limits)[said]
    return {
        "factors": {
            verdict: {name: round(float(f), 4) for name, f in zip(FEATURES, own, strict=True)}
            for verdict, own in zip(VERDICTS[:2], factors, strict=True)
        },
        "offsets": {v: round(float(x), 4) for v, x in zip(VERDICTS[:2], offsets, strict=True)},
        "least": dict(zip(VERDICTS, limits, strict=True)),
        "held_out": {
            **{s: _report(given, right, sources == s) for s in _COUNTS},
            **{v: _report(given, right, (said == i) & limiting) for i, v in enumerate(VERDICTS)},
        },
    }


def _least(likeliest: _Floats, right: npt.NDArray[np.bool_], sources: npt.NDArray[np.str_], wanted: float) -> float:
    """From which probability on enough verdicts of one kind are right, in all and in each source with enough of them.

    Examples
    --------
    >>> likeliest, sources = np.array([0.51, 0.7, 0.9]), np.array(["scenes"] * 3)
    >>> _least(likeliest, np.array([False, True, True]), sources, 0.85)
    0.52
    """
    for t in np.arange(0.34, 0.94, 0.02):
        told = likeliest >= t
        own = [right[told & (sources == source)] for source in _LIMITING]
        enough = [right[told], *(x for x in own if len(x) >= _ENOUGH)]
        if told.any() and all(x.mean() >= wanted for x in enough):
            return round(float(t), 2)
    return 0.94


def _weights(sources: npt.NDArray[np.str_]) -> _Floats:
    """How much each claim counts; they sum to 1."""
    own = np.array([_COUNTS[source] / (sources == source).sum() for source in sources])
    weights: _Floats = own / own.sum()
    return weights


def _report(given: npt.NDArray[np.bool_], right: npt.NDArray[np.bool_], here: npt.NDArray[np.bool_]) -> dict[str, Any]:
    told = here & given
    return {
        "claims": int(here.sum()),
        "accuracy": round(float(right[here].mean()), 3) if here.any() else None,
        "told": round(float(told.sum() / here.sum()), 3) if here.any() else None,
        "right_where_told": round(float(right[told].mean()), 3) if told.any() else None,
    }


def _scene(identifier: str) -> str:
    """What the claims of one scene have in common; sets of evidence for the same claims differ in the last letter."""
    return identifier[:-2] if identifier.startswith("cal-") else identifier


def _left_out(features: _Floats, gold: npt.NDArray[np.int64], weights: _Floats, scenes: Sequence[str]) -> _Floats:
    """The probabilities of each claim, by a fit on other scenes; shape (n_claims, 3)."""
    fold = folds_of_groups(scenes, min(_FOLDS, len(set(scenes))))
    found = np.zeros((len(gold), 3))
    for number in set(fold.tolist()):
        out = fold == number
        rest = ~out if (~out).any() else out
        found[out] = _probabilities(features[out], *_fitted(features[rest], gold[rest], weights[rest]))
    return found


def _fitted(features: _Floats, gold: npt.NDArray[np.int64], weights: _Floats) -> tuple[_Floats, _Floats]:
    """The factors of supports and refutes, shape (2, n_features), and their offsets, shape (2,)."""
    from scipy.optimize import minimize

    weights = weights / weights.sum()
    mean = weights @ features
    scale = np.sqrt(weights @ (features - mean) ** 2)
    scale[scale < 1e-6] = 1.0
    scaled = (features - mean) / scale

    def parts(x: _Floats) -> tuple[_Floats, _Floats]:
        return x[:-2].reshape(2, -1), x[-2:]

    def loss(x: _Floats) -> tuple[float, _Floats]:
        factors, offsets = parts(x)
        found = _probabilities(scaled, factors, offsets)
        missed = weights[:, None] * (found - np.eye(3)[gold])
        said = -float(weights @ np.log(found[np.arange(len(gold)), gold] + 1e-12))
        slope = missed[:, :2].T @ scaled + 2 * _SHRINK * factors
        return said + _SHRINK * float((factors**2).sum()), np.append(slope, missed[:, :2].sum(axis=0))

    found = minimize(loss, np.zeros(2 * features.shape[1] + 2), method="L-BFGS-B", jac=True).x
    factors, offsets = parts(found)
    return factors / scale, offsets - (factors / scale) @ mean


def _probabilities(features: _Floats, factors: _Floats, offsets: _Floats) -> _Floats:
    """Of supports, refutes and neither; shape (n_claims, 3)."""
    z = np.column_stack([features @ factors.T + offsets, np.zeros(len(features))])
    z = np.exp(z - z.max(axis=1, keepdims=True))
    found: _Floats = z / z.sum(axis=1, keepdims=True)
    return found

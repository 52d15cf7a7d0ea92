"""A judge's factors, fitted to what it found for sentences whose labels are known; needs no torch."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from fallax.faithfulness.systems.local import Factors

__all__ = ["calibrate"]

_Floats = npt.NDArray[np.float64]
#: Of scale, overlap, similarity and offset. Words that are found and a sentence that is alike never speak against a
#: sentence, nor the encoder for one that it doubts, whatever a small sample says.
_BOUNDS = ((0.0, None), (None, 0.0), (None, 0.0), (None, None))


def calibrate(evidence: _Floats, faithful: Sequence[bool], sources: Sequence[str]) -> Factors:
    """Factors that make logits of "not carried", for sources and labels that all count alike.

    Parameters
    ----------
    evidence : of each sentence, see :meth:`fallax.faithfulness.systems.local.EncoderJudge.evidence`; shape (n, 3).
    faithful, sources : of each.

    Examples
    --------
    >>> evidence = np.array([[-1.0, 0.9, 0.8], [1.0, 0.8, 0.3], [-0.5, 0.2, 0.7], [0.5, 0.3, 0.2]])
    >>> found = calibrate(evidence, [True, False, True, False], ["a"] * 4)
    >>> found.scale > 0, found.overlap <= 0, found.similarity <= 0
    (True, True, True)
    """
    wrong = np.array([not f for f in faithful])
    weights = np.zeros(len(wrong))
    for source in sorted(set(sources)):
        here = np.array([s == source for s in sources])
        for label in (True, False):
            chosen = here & (wrong == label)
            if chosen.any():
                weights[chosen] = 1.0 / chosen.sum()
    weights /= weights.sum()
    columns = np.column_stack([evidence, np.ones(len(wrong))])
    signs = np.where(wrong, -1.0, 1.0)

    def loss(factors: _Floats) -> tuple[float, _Floats]:
        x = np.clip(signs * (columns @ factors), -40, 40)
        slope = weights * signs / (1.0 + np.exp(-x))
        return float(weights @ np.log1p(np.exp(x))), slope @ columns

    found = minimize(loss, np.array([1.0, 0.0, 0.0, 0.0]), jac=True, method="L-BFGS-B", bounds=_BOUNDS).x
    return Factors(*(float(x) for x in found))

"""Fits the head that gives verdicts, over what the encoder reads of labelled claims; needs no torch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from fallax.causality.systems.reading import ClaimReader, Readings
from fallax.causality.systems.trained import VerdictHead
from fallax.core.types.causal import VERDICTS, CausalClaim, Verdict
from fallax.encoders.heads import fit_attention, folds_of_groups

__all__ = ["fit_verdicts"]

_Floats = npt.NDArray[np.float64]
Progress = Callable[[int, int, str], None]
#: Inverses of the ridge that cross-validation chooses from.
_STRENGTHS = (0.1, 0.3, 1.0, 3.0, 10.0)
_FOLDS = 3


def fit_verdicts(
    claims: Sequence[CausalClaim], reader: ClaimReader, progress: Progress | None = None
) -> tuple[VerdictHead, dict[str, Any]]:
    """The head, and how it did in cross-validation, in which claims of one group are held out together.

    Parameters
    ----------
    claims : with a verdict each, two or more kinds of them.

    Returns
    -------
    (VerdictHead, dict)
        The dict has ``accuracy``, ``claims``, ``groups``, ``folds`` and the chosen ``strength``.
    """
    read: list[Readings] = []
    for number, claim in enumerate(claims):
        if progress is not None:
            progress(number, len(claims), "reading")
        read.append(reader.read(claim))
    labels: tuple[Verdict, ...] = tuple(v for v in VERDICTS if any(c.label == v for c in claims))
    y = np.array([labels.index(c.label) for c in claims if c.label is not None])
    groups = [c.group for c in claims]
    folds = min(_FOLDS, len(set(groups)))
    fold = folds_of_groups(groups, folds)
    loss, right = dict.fromkeys(_STRENGTHS, 0.0), dict.fromkeys(_STRENGTHS, 0)
    for number in range(folds if folds > 1 else 0):
        inside, outside = np.flatnonzero(fold != number), np.flatnonzero(fold == number)
        for strength in _STRENGTHS:
            head = _fitted([read[i] for i in inside], y[inside], labels, strength)
            for i in outside:
                likely, _ = head.probabilities(read[i])
                loss[strength] -= float(np.log(likely[y[i]] + 1e-9))
                right[strength] += int(likely.argmax() == y[i])
    best = min(_STRENGTHS, key=lambda s: (loss[s], s))
    about = {
        "accuracy": round(right[best] / len(claims), 4) if folds > 1 else None, "claims": len(claims),
        "groups": len(set(groups)), "folds": folds, "strength": best,
    }  # fmt: skip
    return _fitted(read, y, labels, best), about


def _fitted(
    read: Sequence[Readings], y: npt.NDArray[np.int64], labels: tuple[Verdict, ...], strength: float
) -> VerdictHead:
    rows, more = np.concatenate([r.rows for r in read]), np.array([r.more for r in read])
    sizes = [len(r.rows) for r in read]
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
    mean, scale = _standard(rows)
    more_mean, more_scale = _standard(more)
    attention, weight, bias = fit_attention(
        (rows - mean) / scale, starts, (more - more_mean) / more_scale, y, len(labels), strength
    )
    return VerdictHead(labels, mean, scale, more_mean, more_scale, attention, weight, bias)


def _standard(x: _Floats) -> tuple[_Floats, _Floats]:
    """Mean and scale: what is known by many numbers counts as much as what is known by few."""
    return x.mean(axis=0), (x.std(axis=0) + 1e-6) * np.sqrt(max(1, x.shape[1]))

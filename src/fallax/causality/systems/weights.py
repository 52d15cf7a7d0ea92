"""How the readings of a why-claim become probabilities of its verdicts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fallax.core.types.causal import VERDICTS
from fallax.errors import FormatError, one_line

__all__ = ["FEATURES", "CausalWeights"]

#: What a probability is made of, see :func:`fallax.causality.systems.features.features_of`.
FEATURES = (
    "entailed", "contradicted", "all_entailed", "all_contradicted", "forms_entailed", "forms_contradicted", "stated",
    "stated_reverse", "effect_explained", "explained_otherwise", "joined", "cause_leads", "other_cause", "led_to_cause",
    "sides_named",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class CausalWeights:
    """The calibration of the verifier: logistic factors, and the least probability of a verdict.

    Parameters
    ----------
    factors : of each of :data:`FEATURES`, for supports and for refutes; "not enough information" is their measure.
    offsets : what is then added to supports and to refutes.
    least : of each of ``VERDICTS``; below this probability of the likeliest one it is "cannot tell".
    """

    factors: tuple[tuple[float, ...], tuple[float, ...]]
    offsets: tuple[float, float]
    least: tuple[float, float, float]

    def probabilities(self, features: Sequence[float]) -> tuple[float, float, float]:
        """The probabilities of supports, refutes and nei.

        Examples
        --------
        >>> nothing = (0.0,) * len(FEATURES)
        >>> CausalWeights((nothing, nothing), (0.0, 0.0), (0.5,) * 3).probabilities((1.0,) * len(FEATURES))[0]
        0.3333333333333333
        """
        x = np.array([math.fsum(f * v for f, v in zip(own, features, strict=True)) for own in self.factors] + [0.0])
        x[:2] += self.offsets
        x = np.exp(x - x.max())
        x /= x.sum()
        return float(x[0]), float(x[1]), float(x[2])

    @classmethod
    def from_card(cls, about: Mapping[str, Any]) -> CausalWeights:
        """Read ``calibration.causality`` of a card."""
        try:
            said = about["calibration"]["causality"]
            supports, refutes = (
                tuple(float(said["factors"][verdict][name]) for name in FEATURES) for verdict in VERDICTS[:2]
            )
            a, b = (float(said["offsets"][verdict]) for verdict in VERDICTS[:2])
            yes, no, neither = (float(said["least"][verdict]) for verdict in VERDICTS)
            return cls((supports, refutes), (a, b), (yes, no, neither))
        except (KeyError, TypeError, ValueError) as error:
            hint = "scripts/calibrate_causes.py writes it"
            raise FormatError(f"must hold calibration.causality ({hint}), got an error ({one_line(error)})") from error

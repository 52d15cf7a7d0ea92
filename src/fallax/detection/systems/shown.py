"""How sure a detector says it is of a passage, apart from what it decides by."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fallax.errors import InputError

__all__ = ["PassageScale"]


@dataclass(frozen=True, slots=True)
class PassageScale:
    """Converts the highest probability among the sentences of a passage into the confidence that is shown, and back.

    The highest of several numbers is too high on average: what is chosen by a number is overrated by it. So the log
    odds are scaled anew on passages (Platt 1999). The order of passages and what is flagged stay the same.

    Parameters
    ----------
    slope, offset : of the log odds; the slope is above 0. By default nothing changes.

    Examples
    --------
    >>> scale = PassageScale(1.0, -0.7)
    >>> round(scale.shown(0.9), 2), round(scale.decided(scale.shown(0.9)), 2), PassageScale().shown(0.9)
    (0.82, 0.9, 0.9)
    """

    slope: float = 1.0
    offset: float = 0.0

    def __post_init__(self) -> None:
        if not (0.0 < self.slope < math.inf and math.isfinite(self.offset)):
            raise InputError(
                "confidence of passages: slope must be above 0 and offset a number,"
                f" got {self.slope!r} and {self.offset!r}"
            )

    def shown(self, probability: float) -> float:
        """The confidence of a passage whose likeliest sentence has this probability, both in [0, 1]."""
        return self._moved(probability, self.slope, self.offset)

    def decided(self, confidence: float) -> float:
        """The probability that is shown as this confidence, both in [0, 1]."""
        return self._moved(confidence, 1.0 / self.slope, -self.offset / self.slope)

    def _moved(self, p: float, slope: float, offset: float) -> float:
        if not 0.0 < p < 1.0 or (slope, offset) == (1.0, 0.0):
            return p
        logit = slope * (math.log(p) - math.log1p(-p)) + offset
        return 1.0 / (1.0 + math.exp(-logit)) if logit > -700.0 else 0.0

    @classmethod
    def from_card(cls, about: Mapping[str, Any]) -> PassageScale:
        """Read the scale of a card; without one nothing changes."""
        found = about.get("confidence", {}).get("passages")
        return cls() if found is None else cls(float(found["slope"]), float(found["offset"]))

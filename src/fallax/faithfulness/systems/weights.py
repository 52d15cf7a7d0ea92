"""How the readings of a claim become the probability that it is faithful."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fallax.entailment import PairReading, Passages, ReadPassages
from fallax.errors import FormatError, one_line
from fallax.faithfulness.systems.surface import SurfaceReading

__all__ = ["FEATURES", "JudgeWeights", "both_readings", "features_of", "running_reading"]

#: What a probability is made of, see :func:`features_of`.
FEATURES = ("entailed", "contradicted", "more_entailed", "more_contradicted", "covered", "copied", "strangers")
#: Tokens of the document in the first and in the second reading.
FIRST, SECOND = 140, 90
#: A sentence that holds less than this share of what the best one holds of a claim is not read.
BEARING = 0.25
#: Running text is read from the first to the last sentence that holds this share.
RUNNING = 0.5
#: A claim whose first reading entails it with this logit is not read a second time.
SURE = 4.0


@dataclass(frozen=True, slots=True)
class JudgeWeights:
    """The calibration of the judge: logistic factors, and how certain a verdict must be.

    Parameters
    ----------
    factors : of each of :data:`FEATURES`; the logit of "faithful" is their weighted sum and the offset.
    offset : what is added.
    low, high : a probability between them is "cannot tell".
    """

    factors: tuple[float, ...]
    offset: float
    low: float
    high: float

    def probability(self, features: Sequence[float]) -> float:
        """The probability that a claim is faithful.

        Examples
        --------
        >>> JudgeWeights((1.0,) + (0.0,) * 6, 0.0, 0.4, 0.6).probability((0.0,) + (1.0,) * 6)
        0.5
        """
        x = math.fsum(f * v for f, v in zip(self.factors, features, strict=True)) + self.offset
        return 1.0 / (1.0 + math.exp(-max(-40.0, min(40.0, x))))

    @classmethod
    def from_card(cls, about: Mapping[str, Any]) -> JudgeWeights:
        """Read ``calibration.faithfulness`` of a card."""
        try:
            said = about["calibration"]["faithfulness"]
            factors = tuple(float(said["factors"][name]) for name in FEATURES)
            return cls(factors, float(said["offset"]), float(said["low"]), float(said["high"]))
        except (KeyError, TypeError, ValueError) as error:
            raise FormatError(f"must hold calibration.faithfulness, got an error ({one_line(error)})") from error


def both_readings(passages: Passages, text: str) -> tuple[ReadPassages, ReadPassages | None]:
    """A claim beside the sentences that bear most on it; where these do not settle it, also beside the next ones.

    The second is None if it is settled, or if all sentences were read.
    """
    first = passages.read(text, budget=FIRST, bearing=BEARING)
    settled = first.reading.entailed >= SURE
    return first, None if settled else passages.read_next(text, first, budget=SECOND, bearing=BEARING)


def features_of(
    first: ReadPassages, second: ReadPassages | None, surface: SurfaceReading, running: PairReading | None = None
) -> tuple[float, ...]:
    """The :data:`FEATURES`: logits of the first reading, changes by the second, and features of the words.

    With a reading of running text besides, they are the mean of what both say.

    Logits are held within 6 of zero, so that no single reading outweighs all else; of names and numbers that the
    document does not have, two count as much as more.
    """

    def held(x: float) -> float:
        return max(-6.0, min(6.0, x))

    e, c = held(first.reading.entailed), held(first.reading.contradicted)
    more_e = more_c = 0.0
    if second is not None:
        more_e = max(0.0, held(second.reading.entailed) - e)
        more_c = max(0.0, held(second.reading.contradicted) - c)
    if running is not None:
        e, c = (e + held(running.entailed)) / 2, (c + held(running.contradicted)) / 2
        more_e, more_c = more_e / 2, more_c / 2
    return e, c, more_e, more_c, first.covered, surface.copied, float(min(2, len(surface.strangers)))


def running_reading(passages: Passages, text: str, first: ReadPassages) -> PairReading | None:
    """The reading of a claim with all that stands between the first and the last sentence that bear on it.

    None if that is too long, or is what the first reading had. What bears on nothing, such as irrelevant text before
    and after, is left out whatever its order.
    """
    shares = passages.shares(text)
    bearing = [i for i, share in enumerate(shares) if share > 0.0 and share >= RUNNING * max(shares)]
    pieces = tuple(range(bearing[0], bearing[-1] + 1)) if bearing else ()
    if not pieces or pieces == first.pieces or not passages.fits(pieces, text):
        return None
    return passages.model.read(passages.said(pieces), text)

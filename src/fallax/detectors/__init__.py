"""Trained detectors: no chat model, no key, no network."""

from fallax.detectors.base import Detector, SentenceDetector, SentenceScorer
from fallax.detectors.linear import load_linear
from fallax.errors import UnknownNameError

__all__ = ["DETECTORS", "Detector", "SentenceDetector", "SentenceScorer", "load_detector", "load_linear"]

#: name -> what it is.
DETECTORS = {"linear": "words and pairs of words in their sentence and beside it; small, weak, calibrated"}


def load_detector(name: str | None = None) -> Detector:
    """A detector by its registered name; by default the best that ships.

    Raises
    ------
    UnknownNameError
        If there is none of that name.
    """
    if name not in (None, *DETECTORS):
        raise UnknownNameError("detector", name, DETECTORS)
    return load_linear()

"""Trained detectors, which need no chat model, key or network."""

import os.path
from collections.abc import Callable
from pathlib import Path

from fallax.core.checked import is_part
from fallax.core.registry import Registry, registry
from fallax.core.versions import check_version, folder_name, listed_name
from fallax.detection.systems.base import Detector, SentenceDetector, SpanScorer
from fallax.detection.systems.encoder import load_encoder
from fallax.detection.systems.guard import evidence_with, guarded_detector, predict_with
from fallax.detection.systems.linear import load_linear
from fallax.detection.systems.stacked import StackedDetector, is_stacked, load_stacked
from fallax.errors import DetectorError, UnknownNameError, one_line

__all__ = [
    "DEFAULT_DETECTOR",
    "DETECTORS",
    "Detector",
    "SentenceDetector",
    "SpanScorer",
    "StackedDetector",
    "evidence_with",
    "guarded_detector",
    "load_detector",
    "load_encoder",
    "load_linear",
    "load_stacked",
    "predict_with",
]

#: name -> what makes it.
DETECTORS: Registry[Callable[[], Detector]] = registry("detector")
DETECTORS.add(
    "encoder", load_encoder, about="two fine-tuned sentence encoders that read each sentence in its text; the default"
)
DETECTORS.add(
    "encoder-small",
    "fallax.detection.systems.encoder:load_small_encoder",
    about="one of these two alone: less work, its labels less often right",
)
DETECTORS.add(
    "encoder-large",
    "fallax.detection.systems.encoder:load_large_encoder",
    about="more often right, several times as slow; first: fallax models fetch encoder-large",
)
DETECTORS.add(
    "linear", load_linear, about="words and pairs of words in their sentence and beside it; small, weak, calibrated"
)
#: The detector used where none is named.
DEFAULT_DETECTOR = "encoder"


def load_detector(name: str | Path | None = None) -> Detector:
    """Load a detector by name or from the folder of a trained one; by default the best that ships.

    A name may have the version that is installed, as results have it: ``linear@1`` or ``detector:linear@1``. A path is
    always that of a folder.

    Raises
    ------
    UnknownNameError
        If there is no detector and no folder of that name.
    InputError
        If the name has another version than is installed, or a path is no folder.
    FormatError
        If the folder holds no detector, or a damaged one.
    DetectorError
        If what makes the detector raises an exception, or gives no detector.
    """
    name = DEFAULT_DETECTOR if name is None else name
    if not isinstance(name, str):
        name = folder_name(name, kind="detector")
    listed = listed_name(name, DETECTORS, kind="detector")
    if listed in DETECTORS:
        with guarded_detector(listed):
            found = DETECTORS[listed]()
        if not is_part(found, "detect", "name", "taxonomy"):
            must = "must have a name and a taxonomy, both texts, and detect"
            raise DetectorError(f"detector {listed!r} {must}, got {one_line(repr(found), 60)}")
        check_version(name, found.name, DETECTORS, kind="detector")
        return found
    if os.path.isdir(name):
        return load_stacked(name) if is_stacked(name) else load_encoder(name)
    raise UnknownNameError("detector", name, DETECTORS)

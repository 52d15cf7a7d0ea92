"""Calls detectors, which may be somebody else's: what they raise becomes one error that names the detector."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from fallax.core.taxonomies import load_taxonomy
from fallax.core.types import Prediction, Record, Span
from fallax.detection.systems.base import Detector
from fallax.errors import DetectorError, FallaxError, SpanError, UnknownNameError, one_line

__all__ = ["evidence_with", "guarded_detector", "predict_with"]


@contextmanager
def guarded_detector(name: object, *, record: str = "") -> Iterator[None]:
    """Turn what a detector raises into an error that names it; errors of fallax, and no memory, stay as they are.

    Parameters
    ----------
    name : of the detector.
    record : id of the text that it was given, if it was given one.

    Raises
    ------
    DetectorError
        If the code inside raises an exception.

    Examples
    --------
    >>> with guarded_detector("mine@1", record="a.txt"):
    ...     {}["weights"]
    Traceback (most recent call last):
    fallax.errors.DetectorError: record 'a.txt': detector 'mine@1' failed: KeyError: 'weights'
    """
    try:
        yield
    except (FallaxError, MemoryError):
        raise
    except Exception as error:
        said = one_line(f"{type(error).__name__}: {error}", 300)
        raise DetectorError(f"detector {one_line(name, 60)!r} failed: {said}", record=record) from error


def predict_with(detector: Detector, record: Record, *, min_confidence: float | None = None) -> Prediction:
    """The spans of one text, see :meth:`Detector.detect`.

    Raises
    ------
    DetectorError
        If the detector raises an exception, gives something other than a prediction, a span that leaves the text, or a
        label that its taxonomy does not have. Other spellings of a label become that of the taxonomy.
    """
    with guarded_detector(detector.name, record=record.id):
        found: object = detector.detect(record, min_confidence=min_confidence)
    if not isinstance(found, Prediction):
        said = f"detector {one_line(detector.name, 60)!r} must give a Prediction, got {one_line(repr(found), 40)}"
        raise DetectorError(said, record=record.id)
    labels = load_taxonomy(detector.taxonomy)
    try:
        found.check(record)
        if all(s.label in labels for s in found.spans):
            return found
        return replace(found, spans=tuple(replace(s, label=labels.resolve(s.label)) for s in found.spans))
    except (SpanError, UnknownNameError) as error:
        said = f"detector {one_line(detector.name, 60)!r} gave a span that cannot be ({one_line(error, 200)})"
        raise DetectorError(said, record=record.id) from error


def evidence_with(detector: Detector, record: Record, span: Span) -> tuple[tuple[str, float], ...]:
    """The words that matter most for a span, see :meth:`Detector.evidence`.

    Raises
    ------
    DetectorError
        If the detector raises an exception, or gives something other than pairs of words and numbers.
    """
    with guarded_detector(detector.name, record=record.id):
        return tuple((str(words), float(effect)) for words, effect in detector.evidence(record, span))

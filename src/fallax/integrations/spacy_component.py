"""A spaCy component: ``nlp.add_pipe("fallax")`` sets ``doc.spans["fallax"]`` and ``doc._.fallax``."""

from __future__ import annotations

from typing import Any

from fallax.api import detect
from fallax.core.types import Record, Span
from fallax.detection.systems import Detector, load_detector
from fallax.errors import InputError, MissingExtraError

try:
    from spacy.language import Language
    from spacy.tokens import Doc, SpanGroup
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] != "spacy":
        raise
    raise MissingExtraError("spaCy", how="pip install spacy") from None

__all__ = ["FallaxComponent", "make_component"]

#: The name of the component, of its span group and of its extension attribute.
NAME = "fallax"


def _findings(doc: Any) -> tuple[Span, ...]:
    """The findings of a document, from the plain values that spaCy stores with its span group."""
    group = doc.spans.get(NAME)
    return () if group is None else tuple(Span.from_dict(said) for said in group.attrs.get("findings", ()))


class FallaxComponent:
    """Finds passages of a document that look fallacious.

    ``doc._.fallax`` is a tuple of :class:`fallax.Span`, with offsets into ``doc.text``, confidences and labels, exactly
    as :func:`fallax.detect` gives them. ``doc.spans["fallax"]`` has one span of tokens for each, in order, with its
    label: the fewest tokens that cover the passage. On a tokenizer whose tokens cross the borders of a passage they
    are longer than it. Paragraphs in another language than the detector's have none. Both are stored with the document.

    A component that is pickled, as for ``nlp.pipe(texts, n_process=2)``, loads its detector again by the given name.

    Parameters
    ----------
    detector : what looks: a name or a folder, as :func:`~fallax.detection.systems.load_detector` takes it, or a
        detector, which must itself be picklable where the component is pickled.
    min_confidence : leave out what is less sure, in [0, 1]; by default the detector's own threshold.

    Raises
    ------
    UnknownNameError
        If there is no detector and no folder of that name.
    InputError
        If ``min_confidence`` is out of range.
    """

    def __init__(self, detector: str | Detector | None = None, *, min_confidence: float | None = None) -> None:
        if min_confidence is not None and not 0.0 <= min_confidence <= 1.0:
            raise InputError(f"min_confidence must be in [0, 1], got {min_confidence!r}")
        self._given = detector
        self._detector = load_detector(detector) if isinstance(detector, str | None) else detector
        self._min_confidence = min_confidence
        if not Doc.has_extension(NAME):
            Doc.set_extension(NAME, getter=_findings)

    def __reduce__(self) -> tuple[Any, ...]:
        return _component, (self._given, self._min_confidence)

    def __call__(self, doc: Any) -> Any:
        """Add the findings to the document."""
        found = detect(Record("doc", doc.text), system=self._detector, min_confidence=self._min_confidence).spans
        tokens = [doc.char_span(s.start, s.end, label=s.label, alignment_mode="expand") for s in found]
        attrs = {"findings": [s.to_dict() for s in found]}
        doc.spans[NAME] = SpanGroup(doc, name=NAME, attrs=attrs, spans=tokens)
        return doc


def _component(detector: str | Detector | None, min_confidence: float | None) -> FallaxComponent:
    return FallaxComponent(detector, min_confidence=min_confidence)


@Language.factory(
    NAME,
    default_config={"detector": None, "min_confidence": None},
    assigns=[f"doc._.{NAME}", "doc.spans"],
)
def make_component(nlp: Any, name: str, detector: str | None, min_confidence: float | None) -> FallaxComponent:
    """The factory behind ``nlp.add_pipe("fallax", config={...})``.

    Parameters
    ----------
    nlp, name : of spaCy; not read.
    detector : a name or a folder, as :func:`~fallax.detection.systems.load_detector` takes it.
    min_confidence : see :class:`FallaxComponent`.
    """
    return _component(detector, min_confidence)

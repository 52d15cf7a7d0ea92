"""The verbs of fallax as Python functions; each has an async twin with an ``a`` in front."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from fallax._sync import sync_twin
from fallax.detectors import Detector, load_detector
from fallax.detectors.explain import explanation_of
from fallax.errors import InputError, ModelError, UnknownNameError
from fallax.taxonomies import load_taxonomy, map_label
from fallax.types import Detection, Explanation, Prediction, Record, Span

if TYPE_CHECKING:
    from fallax.types import ChatModel

__all__ = ["PROTOCOLS", "DetectionSystem", "adetect", "detect", "detection_system"]

#: name -> what it asks of a model.
PROTOCOLS = {
    "sentence": "each sentence in its text, as MAFALDA asks; consecutive sentences of one label form a span",
    "whole-document": "the whole text once; the model quotes passages, which are located in it",
}


class DetectionSystem(Protocol):
    """Finds labelled spans: a trained detector, or a protocol and the model that is asked."""

    name: str
    taxonomy: str

    async def predict(self, record: Record, *, min_confidence: float | None = None) -> Prediction:
        """What the system says of one text."""

    async def explain(self, record: Record, span: Span) -> Explanation:
        """Why a span of :meth:`predict` was found, as far as the system can say."""


class _TrainedSystem:
    def __init__(self, detector: Detector) -> None:
        self.detector = detector
        self.name = f"detector:{detector.name}"
        self.taxonomy = detector.taxonomy

    async def predict(self, record: Record, *, min_confidence: float | None = None) -> Prediction:
        return self.detector.detect(record, min_confidence=min_confidence)

    async def explain(self, record: Record, span: Span) -> Explanation:
        evidence = self.detector.evidence(record, span)
        return explanation_of(span.label, record.text_of(span), taxonomy=self.taxonomy, evidence=evidence)


class _AskedSystem:
    def __init__(self, model: ChatModel, protocol: str, taxonomy: str) -> None:
        from fallax.protocols import DetectionProtocol, SentenceProtocol, WholeDocumentProtocol

        if protocol not in PROTOCOLS:
            raise UnknownNameError("protocol", protocol, PROTOCOLS)
        self.protocol: DetectionProtocol = (
            SentenceProtocol(taxonomy) if protocol == "sentence" else WholeDocumentProtocol(taxonomy)
        )
        self.model = model
        self.name = f"{self.protocol.name}:{model.name}"
        self.taxonomy = taxonomy

    async def predict(self, record: Record, *, min_confidence: float | None = None) -> Prediction:
        from fallax.protocols import detect_with_model

        found = await detect_with_model(self.protocol, record, self.model)
        if min_confidence is None:
            return found
        # a span without a confidence says nothing about how sure the model is, so no threshold can drop it
        kept = tuple(s for s in found.spans if s.confidence is None or s.confidence >= min_confidence)
        return replace(found, spans=kept)

    async def explain(self, record: Record, span: Span) -> Explanation:
        from fallax.protocols import read_slots, slots_request

        labels = load_taxonomy(self.taxonomy)
        slots: dict[str, str] = {}
        request = slots_request(record, span, labels[span.label]) if span.label in labels else None
        if request is not None:
            try:
                slots = read_slots(record, labels[span.label], await self.model.generate(request))
            except ModelError:
                slots = {}
        return explanation_of(span.label, record.text_of(span), taxonomy=self.taxonomy, slots=slots)


def detection_system(
    *,
    detector: str | Detector | None = None,
    model: str | ChatModel | None = None,
    protocol: str = "sentence",
    taxonomy: str | None = None,
    options: Mapping[str, Any] | None = None,
) -> DetectionSystem:
    """What :func:`detect` uses: a trained detector, or a model asked by a protocol.

    Parameters
    ----------
    detector : a name (see ``fallax.detectors.DETECTORS``), a folder, or a detector. By default the embedded one.
    model : ``provider/model`` as :func:`fallax.models.load_model` takes it, or a model; excludes ``detector``.
    protocol : one of :data:`PROTOCOLS`, for models.
    taxonomy : the label set a model is offered; by default ``mafalda``. A detector has its own.
    options : of the model.

    Raises
    ------
    InputError
        If both a detector and a model are named.
    """
    if detector is not None and model is not None:
        raise InputError("detector, model: must not both be given; a detector asks no model")
    if model is None:
        return _TrainedSystem(load_detector(detector) if isinstance(detector, str | None) else detector)
    if isinstance(model, str):
        from fallax.models import load_model

        model = load_model(model, options=options)
    return _AskedSystem(model, protocol, taxonomy or "mafalda")


def _relabelled(found: Prediction, source: str, target: str, level: int) -> tuple[Prediction, tuple[str, ...]]:
    """The prediction in another taxonomy and at a level, and what that lost."""
    labels = load_taxonomy(target)
    spans: dict[tuple[int, int, str], Span] = {}
    lost: dict[str, int] = {}
    for span in found.spans:
        names: tuple[str, ...] = (span.label,) if source == target else map_label(span.label, source, target)
        if not names:
            lost[span.label] = lost.get(span.label, 0) + 1
        for name in names:
            there = Span(span.start, span.end, labels.at_level(name, level), span.confidence)
            same = spans.setdefault((there.start, there.end, there.label), there)
            if (there.confidence or 0) > (same.confidence or 0):
                spans[there.start, there.end, there.label] = there
    notes = tuple(
        f"{n} passage{'s' if n > 1 else ''} of {label!r} left out: {target!r} has no label that covers it"
        for label, n in lost.items()
    )
    return replace(found, spans=tuple(sorted(spans.values())), labels=None), notes


async def adetect(
    text: str | Record,
    *,
    detector: str | Detector | None = None,
    model: str | ChatModel | None = None,
    protocol: str = "sentence",
    taxonomy: str | None = None,
    level: int | None = None,
    min_confidence: float | None = None,
    explain: bool = False,
    system: DetectionSystem | None = None,
) -> Detection:
    """Find passages of a text that look fallacious.

    Parameters
    ----------
    text : any text, or a record with an id and a title.
    detector, model, protocol : who looks, see :func:`detection_system`. By default the embedded detector, which needs
        no key and no network.
    taxonomy : the label set of the answer. A detector's labels are carried over where an exact or a broader label
        exists; what has none is left out and named in ``notes``.
    level : of the taxonomy, 0 the coarsest; by default the finest.
    min_confidence : leave out what is less sure, in [0, 1]; by default the system's own threshold.
    explain : also say why: definition, template with the slots that could be filled, what would make it sound, and,
        for detectors, the words that moved the score.
    system : a ready :func:`detection_system`, for many texts.

    Returns
    -------
    Detection
        Spans are half-open code point offsets into the text as given. An empty text has no spans.

    Raises
    ------
    UnknownNameError
        A detector, model, protocol or taxonomy nobody knows.
    InputError
        A level or a confidence out of range.

    Examples
    --------
    >>> found = detect("The kettle is on the stove. It boils at seven.")
    >>> found.spans, found.taxonomy
    ((), 'mafalda')
    """
    if min_confidence is not None and not 0 <= min_confidence <= 1:
        raise InputError(f"min_confidence must be in [0, 1], got {min_confidence:g}")
    record = text if isinstance(text, Record) else Record("text", text)
    system = system or detection_system(detector=detector, model=model, protocol=protocol, taxonomy=taxonomy)
    target = taxonomy or system.taxonomy
    labels = load_taxonomy(target)
    level = labels.finest if level is None else level
    labels.check_level(level)
    raw = await system.predict(record, min_confidence=min_confidence)
    found, notes = _relabelled(raw, system.taxonomy, target, level)
    explanations: tuple[Explanation, ...] = ()
    if explain:
        explanations = tuple([await _explained(record, span, raw, system, target) for span in found.spans])
    return Detection(record, found, system.name, target, level, explanations, notes)


async def _explained(record: Record, span: Span, raw: Prediction, system: DetectionSystem, target: str) -> Explanation:
    """Explain a span by what the system itself had found at that place, in the words of the asked taxonomy."""
    at = next(s for s in raw.spans if (s.start, s.end) == (span.start, span.end))
    own = await system.explain(record, at)
    if at.label == span.label:
        return own
    return replace(explanation_of(span.label, record.text_of(span), taxonomy=target, slots={}), evidence=own.evidence)


detect = sync_twin(adetect)

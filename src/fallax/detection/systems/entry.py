"""Selects a system for ``detect`` (a detector, or a model with a protocol) and maps answers to a label set."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from fallax.core.checked import checked
from fallax.core.given import given, refuse_unread, renamed
from fallax.core.taxonomies import carry_spans, load_taxonomy
from fallax.core.texts import LANGUAGES, PARAGRAPH, blocks_of, has_words, language_of
from fallax.core.types import Explanation, Prediction, Record, Span
from fallax.detection.systems import Detector, evidence_with, guarded_detector, load_detector, predict_with
from fallax.detection.systems.explain import explanation_of
from fallax.errors import InputError, ModelError

if TYPE_CHECKING:
    from fallax.core.types import ChatModel

__all__ = ["NO_PROSE", "NO_TEXT", "DetectionSystem", "detection_system", "explained_as", "relabelled", "unread_by"]


@runtime_checkable
class DetectionSystem(Protocol):
    """The port of what ``detect`` calls: a detector, or a model with a protocol."""

    name: str
    taxonomy: str

    async def predict(self, record: Record, *, min_confidence: float | None = None) -> Prediction:
        """Predict the spans of one text."""

    async def explain(self, record: Record, span: Span) -> Explanation:
        """Explain a span of :meth:`predict`, as far as the system can."""

    def unread(self, record: Record) -> str:
        """Why a text or some of its paragraphs are not examined, such as their language; "" if they are."""


def unread_by(detector: Detector, text: str) -> str:
    """Why a detector does not examine a text (its language); "" if it does."""
    reads, code = str(detector.card().get("language", "English")), language_of(text)
    if not code or LANGUAGES[code] == reads:
        return ""
    return f"this looks like {LANGUAGES[code]}; {_left_out(reads, 'nothing was')}"


#: In a page each line is a paragraph.
_LINE = re.compile(r"\S[^\n]*")


def unread_parts(detector: Detector, record: Record) -> tuple[tuple[tuple[int, int], ...], str]:
    r"""The paragraphs that a detector does not examine, because of their language, and what to say of them.

    A paragraph that shows no language is in that of the text.

    Examples
    --------
    >>> record = Record("r", "It is not true, and we know it.\n\nDas ist nicht wahr, und wir wissen es.")
    >>> unread_parts(load_detector(), record)[0]
    ((33, 71),)
    """
    paragraphs = [m.span() for m in (_LINE if record.meta.get("form") == "html" else PARAGRAPH).finditer(record.text)]
    whole = unread_by(detector, record.text)
    if len(paragraphs) < 2:
        return ((0, len(record.text)),) if whole else (), whole
    reads = str(detector.card().get("language", "English"))
    here, names = language_of(record.text), []
    unread = []
    for a, b in paragraphs:
        code = language_of(record.text[a:b]) or (here if whole else "")
        if code and LANGUAGES[code] != reads:
            unread.append((a, b))
            names.append(LANGUAGES[code])
    if not unread:
        return (), ""
    if len(unread) == len(paragraphs):
        return ((0, len(record.text)),), whole or f"this looks like {_listed(names)}; {_left_out(reads, 'nothing was')}"
    some = (
        f"1 of {len(paragraphs)} paragraphs looks"
        if len(unread) == 1
        else f"{len(unread)} of {len(paragraphs)} paragraphs look"
    )
    left_out = _left_out(reads, "it was not" if len(unread) == 1 else "they were not")
    return tuple(unread), f"{some} like {_listed(names)}; {left_out}"


def _detect_read(detector: Detector, record: Record, *, min_confidence: float | None = None) -> Prediction:
    """What a detector finds in the paragraphs whose language it reads, see :meth:`Detector.detect`.

    Raises
    ------
    DetectorError
        As :func:`~fallax.detection.systems.predict_with` does.
    """
    read = _readable(detector, record)
    if read is None:
        return Prediction(record.id)
    return predict_with(detector, read, min_confidence=min_confidence)


def _readable(detector: Detector, record: Record) -> Record | None:
    """A record that says which of its paragraphs are not read; None if none of them is."""
    unread, _ = unread_parts(detector, record)
    if unread == ((0, len(record.text)),):
        return None
    return replace(record, meta={**record.meta, "unread": unread}) if unread else record


def _listed(names: Sequence[str]) -> str:
    return " and ".join(dict.fromkeys(names))


def _left_out(reads: str, nothing: str) -> str:
    return f"the detector reads {reads} only, so {nothing} examined"


#: What is noted of a text in which there is nothing to examine.
NO_TEXT = "there is no text, so nothing was examined"
NO_PROSE = "there is nothing but headings, code, tables, quotations or navigation, so nothing was flagged"


def _has_prose(record: Record) -> bool:
    given = record.meta.get("blocks")
    blocks = [(b.start, b.end, b.kind) for b in blocks_of(record.text)] if given is None else given
    return any(kind == "prose" and record.text[a:b].strip() for a, b, kind in blocks)


class _TrainedSystem:
    def __init__(self, detector: Detector) -> None:
        self.detector = detector
        self.name = f"detector:{detector.name}"
        self.taxonomy = detector.taxonomy

    async def predict(self, record: Record, *, min_confidence: float | None = None) -> Prediction:
        with self._guarded(record):
            return _detect_read(self.detector, record, min_confidence=min_confidence)

    def unread(self, record: Record) -> str:
        if not has_words(record.text):
            return NO_TEXT
        with self._guarded(record):
            _, why = unread_parts(self.detector, record)
        return why or ("" if _has_prose(record) else NO_PROSE)

    async def explain(self, record: Record, span: Span) -> Explanation:
        with self._guarded(record):
            read = _readable(self.detector, record) or record
        evidence = evidence_with(self.detector, read, span)
        passage, unsure = record.text_of(span), span.label_is_unsure
        return explanation_of(span.label, passage, taxonomy=self.taxonomy, unsure=unsure, evidence=evidence)

    def _guarded(self, record: Record) -> AbstractContextManager[None]:
        return guarded_detector(self.detector.name, record=record.id)


class _AskedSystem:
    def __init__(self, model: ChatModel, protocol: str, taxonomy: str) -> None:
        from fallax.detection.protocols import PROTOCOLS

        self.protocol = PROTOCOLS.find(protocol)(taxonomy)
        self.model = model
        self.name = f"{self.protocol.name}:{model.name}"
        self.taxonomy = taxonomy

    async def predict(self, record: Record, *, min_confidence: float | None = None) -> Prediction:
        from fallax.detection.protocols import detect_with_model

        found = await detect_with_model(self.protocol, record, self.model)
        if min_confidence is None:
            return found
        # a span without a confidence says nothing about how sure the model is, so no threshold can drop it
        kept = tuple(s for s in found.spans if s.confidence is None or s.confidence >= min_confidence)
        return replace(found, spans=kept)

    def unread(self, record: Record) -> str:
        return ""

    async def explain(self, record: Record, span: Span) -> Explanation:
        from fallax.detection.protocols import read_slots, slots_request

        labels = load_taxonomy(self.taxonomy)
        slots: dict[str, str] = {}
        request = slots_request(record, span, labels[span.label]) if span.label in labels else None
        if request is not None:
            try:
                slots = read_slots(record, labels[span.label], await self.model.generate(request))
            except ModelError:
                slots = {}
        return explanation_of(span.label, record.text_of(span), taxonomy=self.taxonomy, slots=slots)


@renamed(detector="system")
@checked()
def detection_system(
    *,
    system: str | Path | Detector | DetectionSystem | None = None,
    model: str | ChatModel | None = None,
    protocol: str | None = None,
    taxonomy: str | None = None,
    options: Mapping[str, Any] | None = None,
) -> DetectionSystem:
    """The system for :func:`detect`: a detector, or a model asked with a protocol.

    Parameters
    ----------
    system : a detector by name (see ``fallax.detection.systems.DETECTORS``), its folder, a detector, or a system that
        this function made; by default the detector that ships.
    model : ``provider/model`` as :func:`fallax.models.load_model` takes it, or a model; excludes ``system``.
    protocol : one of :data:`fallax.detection.protocols.PROTOCOLS`, for models; "sentence".
    taxonomy : the label set a model is offered; by default ``mafalda``. A detector has its own.
    options : of the model, where it is a name.

    Raises
    ------
    InputError
        If both a system and a model are named, or an option that would not be read.
    """
    if system is not None and model is not None:
        raise InputError("system, model: must not both be given; a detector asks no model")
    if model is None:
        refuse_unread(given(protocol=protocol, options=options or None), "needs a model")
        if isinstance(system, str | os.PathLike | None):
            return _TrainedSystem(load_detector(system))
        return system if isinstance(system, DetectionSystem) else _TrainedSystem(system)
    if isinstance(model, str):
        from fallax.models import load_model

        model = load_model(model, options=options)
    protocol = "sentence" if protocol is None else protocol
    return _AskedSystem(model, protocol, "mafalda" if taxonomy is None else taxonomy)


def relabelled(found: Prediction, source: str, target: str, level: int) -> tuple[Prediction, tuple[str, ...]]:
    """Map a prediction to another taxonomy and level; also returns what was lost.

    How likely a group is the right one is the sum of its labels of that passage; labels that were not likely enough to
    be found may add to it. Where a level has one label alone, there is nothing to be unsure of, and it is None.
    """
    labels = load_taxonomy(target)
    carried, lost = carry_spans(found.spans, source, target)
    alone = len(labels.labels_at(level)) == 1
    spans: dict[tuple[int, int, str], Span] = {}
    for span in carried:
        there = replace(span, label=labels.at_level(span.label, level))
        if alone:
            there = replace(there, label_confidence=None)
        same = spans.get((there.start, there.end, there.label))
        spans[there.start, there.end, there.label] = there if same is None else _both(same, there)
    notes = tuple(
        f"{n} passage{'s' if n > 1 else ''} of {label!r} left out: {target!r} has no label that covers it"
        for label, n in lost.items()
    )
    return replace(found, spans=tuple(sorted(spans.values(), key=_in_order)), labels=None), notes


def _both(one: Span, other: Span) -> Span:
    """Two labels of a passage that became one."""
    surer = max(one, other, key=lambda s: s.confidence or 0.0)
    sure = [s.label_confidence for s in (one, other) if s.label_confidence is not None]
    return replace(surer, label_confidence=min(1.0, sum(sure)) if sure else None)


def _in_order(span: Span) -> tuple[int, int, float, str]:
    """By place; of several labels of one passage the likeliest first."""
    return span.start, span.end, -(span.label_confidence or 0.0), span.label


async def explained_as(
    taxonomy: str, record: Record, span: Span, raw: Prediction, system: DetectionSystem
) -> Explanation:
    """Explain a span from what the system found at that place, with the labels of the requested taxonomy.

    Parameters
    ----------
    taxonomy : name of the label set of ``span``.
    record, span : the text, and a passage of it that has the place of one in ``raw``.
    raw, system : what the system found, with its own labels, and the system.
    """
    there = [s for s in raw.spans if (s.start, s.end) == (span.start, span.end)]
    at = next((s for s in there if s.label == span.label), there[0])
    own = await system.explain(record, at)
    if at.label == span.label:
        return own
    return replace(explanation_of(span.label, record.text_of(span), taxonomy=taxonomy, slots={}), evidence=own.evidence)

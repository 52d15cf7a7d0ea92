"""Spans, records, gold and predictions.

Offsets are half-open Unicode code point offsets into the text exactly as given: ``text[start:end]``.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any, TypeVar

from fallax.core.checked import plain
from fallax.core.json_value import JsonValue
from fallax.errors import InputError, SpanError, UnknownNameError, one_line

__all__ = ["NO_FALLACY", "GoldSpan", "Prediction", "Record", "Span", "Unreadable", "data_hash"]

_Marked = TypeVar("_Marked", "Span", "GoldSpan")

#: The label that says "this span is no fallacy" (the bottom of Helwe et al. 2024, definition 4).
NO_FALLACY = "no fallacy"


#: Classes of a confidence that are Python's own.
_SURE = frozenset((float, int, type(None)))


def _make_plain(value: object, *names: str) -> None:
    """Numbers and texts of other classes, such as numpy's, as Python's own: they are written as JSON."""
    for name in names:
        given = getattr(value, name)
        is_other = isinstance(given, Real) and not isinstance(given, float | Integral)
        held = float(given) if is_other else plain(given)
        if held is not given:
            object.__setattr__(value, name, held)


def _check_offsets(start: object, end: object, what: str) -> None:
    if type(start) is not int or type(end) is not int:
        raise SpanError(f"{what}: offsets must be integers, got {start!r}..{end!r}")
    if start < 0:
        raise SpanError(f"{what}: start must be 0 or more, got {start}..{end}")
    if end <= start:
        raise SpanError(f"{what}: end must be greater than start, got {start}..{end}")


#: A label with a lower probability is likelier wrong than right, and is told as "perhaps".
LABEL_UNSURE = 0.5


def label_is_unsure(label_confidence: float | None) -> bool:
    """Whether a label is likelier wrong than right; False where that is not known.

    Examples
    --------
    >>> label_is_unsure(0.3), label_is_unsure(0.5), label_is_unsure(None)
    (True, False, False)
    """
    return label_confidence is not None and label_confidence < LABEL_UNSURE


def _is_share(value: object) -> bool:
    return isinstance(value, Real) and 0.0 <= float(value) <= 1.0


@dataclass(frozen=True, slots=True, order=True)
class Span(JsonValue):
    """A labelled passage that a system predicted.

    Parameters
    ----------
    start, end : half-open code point offsets, ``0 <= start < end``.
    label : one label (Helwe et al. 2024, definition 4: a prediction carries a fallacy, never "no fallacy").
    confidence : calibrated probability in [0, 1] that the passage is part of a fallacy, or None where the system gives
        none.
    label_confidence : calibrated probability in [0, 1] that the label is right if the passage is part of a fallacy, or
        None.
    reported : whether the passage tells what somebody else said.

    Raises
    ------
    SpanError
        If the offsets are no integers, negative, or ``end <= start``.

    Examples
    --------
    >>> span = Span(0, 4, "ad hominem", confidence=0.8)
    >>> Span.from_dict(span.to_dict()) == span
    True
    """

    start: int
    end: int
    label: str
    confidence: float | None = None
    label_confidence: float | None = field(default=None, repr=False)
    reported: bool = field(default=False, repr=False)

    json_names = ("start", "end", "label", "confidence?", "label_confidence?", "reported?")

    def __post_init__(self) -> None:
        kinds = (type(self.start), type(self.end), type(self.label))
        sure = (type(self.confidence), type(self.label_confidence))
        if kinds != (int, int, str) or not _SURE.issuperset(sure):
            _make_plain(self, "start", "end", "label", "confidence", "label_confidence")
        if not (type(self.start) is int and type(self.end) is int and 0 <= self.start < self.end):
            _check_offsets(self.start, self.end, f"span {one_line(self.label, 60)!r}")
        if not self.label or type(self.label) is not str:
            raise SpanError(f"span {self.start}..{self.end}: a label must be given, got {self.label!r}")
        if self.label == NO_FALLACY:
            raise SpanError(
                f"span {self.start}..{self.end}: a predicted span must carry a fallacy, got {NO_FALLACY!r};"
                " leave the span out instead"
            )
        for name, value in (("confidence", self.confidence), ("label_confidence", self.label_confidence)):
            if value is not None and not _is_share(value):
                raise SpanError(f"span {self.start}..{self.end}: {name} must be in [0, 1], got {value!r}")

    @property
    def label_is_unsure(self) -> bool:
        """Whether the label is likelier wrong than right; False where no :attr:`label_confidence` is known.

        Examples
        --------
        >>> Span(0, 4, "ad hominem", 0.9, 0.3).label_is_unsure, Span(0, 4, "ad hominem", 0.9).label_is_unsure
        (True, False)
        """
        return label_is_unsure(self.label_confidence)


@dataclass(frozen=True, slots=True, order=True)
class GoldSpan(JsonValue):
    """A gold passage with its equally valid labels.

    All gold spans of a text are mandatory (a conjunction); the labels of one span are alternatives (a disjunction),
    and one of them may be :data:`NO_FALLACY` (Helwe et al. 2024, definitions 5 and 6).

    Parameters
    ----------
    start, end : half-open code point offsets, ``0 <= start < end``.
    labels : the alternatives; kept sorted, never empty, each once.

    Examples
    --------
    >>> GoldSpan(0, 9, ("straw man", "ad hominem")).labels
    ('ad hominem', 'straw man')
    """

    start: int
    end: int
    labels: tuple[str, ...]

    def __post_init__(self) -> None:
        _make_plain(self, "start", "end")
        _check_offsets(self.start, self.end, "gold span")
        if isinstance(self.labels, str):  # type: ignore[unreachable]
            raise SpanError(
                f"gold span {self.start}..{self.end}: labels must be a sequence of labels, got the text"
                f" {one_line(self.labels, 60)!r}"
            )
        if not isinstance(self.labels, Iterable) or not all(isinstance(x, str) for x in self.labels):
            raise SpanError(f"gold span {self.start}..{self.end}: labels must be texts, got {self.labels!r}")
        labels = tuple(sorted(map(plain, self.labels)))
        if not labels:
            raise SpanError(f"gold span {self.start}..{self.end}: at least one label must be given, got none")
        if len(set(labels)) != len(labels):
            twice = next(a for a, b in itertools.pairwise(labels) if a == b)
            raise SpanError(f"gold span {self.start}..{self.end}: label {twice!r} is given twice; give it once")
        object.__setattr__(self, "labels", labels)

    @property
    def is_optional(self) -> bool:
        """True if "no fallacy" is among the alternatives."""
        return NO_FALLACY in self.labels


@dataclass(frozen=True, slots=True)
class Unreadable(JsonValue):
    """A reply, or a part of one, that could not be parsed.

    Parameters
    ----------
    reason : why, in words.
    raw : the reply as it came.
    where : which question it answered (a sentence, a label), if there was more than one.
    """

    reason: str
    raw: str = ""
    where: str = ""


@dataclass(frozen=True, slots=True)
class Record(JsonValue):
    """A text with its gold annotation, if it has one.

    Parameters
    ----------
    id : unique in its corpus.
    text : exactly as given; offsets count its code points.
    gold : the gold spans in the order given, or None where the text is not annotated (which is not the same as
        ``()``: no fallacy).
    source : where the text comes from, for scores by source.
    title : a heading that belongs to the text but not into its offsets.
    meta : anything else the file said about the record; kept, never interpreted.

    Raises
    ------
    SpanError
        If a gold span leaves the text or stands there twice; the message names the record and the span.

    Examples
    --------
    >>> record = Record("r1", "You lie, so no.", gold=(GoldSpan(0, 15, ("ad hominem",)),))
    >>> Record.from_dict(record.to_dict()) == record
    True
    >>> Record("r2", "short", gold=(GoldSpan(0, 9, ("ad hominem",)),))
    Traceback (most recent call last):
    fallax.errors.SpanError: record 'r2', gold span 1: must lie inside its text of 5 characters, got 0..9
    """

    id: str
    text: str
    gold: tuple[GoldSpan, ...] | None = None
    source: str = ""
    title: str = ""
    meta: Mapping[str, Any] = field(default_factory=dict)

    json_names = ("id", "text", "gold", "source?", "title?", "meta?")

    def __post_init__(self) -> None:
        if type(self.id) is not str or not self.id:
            raise InputError(f"record: the id must be a text of at least one character, got {self.id!r}")
        if not isinstance(self.text, str):
            raise InputError(f"record {self.id!r}: the text must be a text, got {one_line(repr(self.text), 40)}")
        if self.gold is None:
            return
        gold = _spans_of(self.id, self.gold, GoldSpan)
        _check_inside(self.id, gold, len(self.text), "gold span")
        for a, b in itertools.pairwise(sorted(gold)):
            if (a.start, a.end) == (b.start, b.end):
                raise SpanError(
                    f"record {self.id!r}: two gold spans are at {a.start}..{a.end}; a span holds all its"
                    " alternatives in one list of labels"
                )
        object.__setattr__(self, "gold", gold)

    def text_of(self, span: Span | GoldSpan) -> str:
        """The text of a span."""
        return self.text[span.start : span.end]

    def check_labels(self, known: Collection[str]) -> None:
        """Raise UnknownNameError if a gold label is not in ``known`` (NO_FALLACY always is)."""
        for i, span in enumerate(self.gold or (), start=1):
            for label in span.labels:
                if label != NO_FALLACY and label not in known:
                    raise UnknownNameError("label", label, known, where=f"record {self.id!r}, gold span {i}")


@dataclass(frozen=True, slots=True)
class Prediction(JsonValue):
    """The prediction of a system for one text.

    Parameters
    ----------
    id : the record's id.
    spans : labelled passages; may overlap; no span with the same label twice.
    labels : labels of the whole text, for systems that name no passage; by default those of the spans.
    unreadable : the replies that could not be read. They predict nothing and are counted.
    n_replies : how many replies were read or tried (0 where no model was asked).
    unscored : a reason if this record must not be scored (an endpoint failed, say), else "".
    variant : the reading that made the spans ("definition" unless a named variant says otherwise).

    Examples
    --------
    >>> p = Prediction("r1", (Span(0, 4, "ad hominem"),))
    >>> sorted(p.text_labels)
    ['ad hominem']
    >>> Prediction.from_dict(p.to_dict()) == p
    True
    """

    id: str
    spans: tuple[Span, ...] = ()
    labels: frozenset[str] | None = None
    unreadable: tuple[Unreadable, ...] = ()
    n_replies: int = 0
    unscored: str = ""
    variant: str = "definition"

    json_names = ("id", "spans", "labels?", "unreadable?", "n_replies?", "unscored?", "variant?")

    def __post_init__(self) -> None:
        _make_plain(self, "id")
        if type(self.id) is not str:
            raise InputError(f"prediction: the id must be a text, got {one_line(repr(self.id), 40)}")
        _spans_of(self.id, self.spans, Span)
        if self.variant == "definition" and len({(s.start, s.end, s.label) for s in self.spans}) != len(self.spans):
            seen = set()
            for i, s in enumerate(self.spans, start=1):
                if (key := (s.start, s.end, s.label)) in seen:
                    raise SpanError(
                        f"record {self.id!r}, span {i}: {s.label!r} at {s.start}..{s.end} is given twice; give it once"
                    )
                seen.add(key)

    @property
    def text_labels(self) -> frozenset[str]:
        """The labels of the whole text: ``labels``, else those of the spans."""
        return frozenset(s.label for s in self.spans) if self.labels is None else self.labels

    def check(self, record: Record, known: Collection[str] | None = None) -> None:
        """Raise an error if this prediction cannot belong to ``record``.

        Parameters
        ----------
        record : the text.
        known : the labels that may be used; None: any.

        Raises
        ------
        SpanError
            If a span leaves the record's text.
        UnknownNameError
            If a label is not in ``known``.
        """
        _check_inside(record.id, self.spans, len(record.text), "span")
        if known is None:
            return
        for i, span in enumerate(self.spans, start=1):
            if span.label not in known:
                raise UnknownNameError("label", span.label, known, where=f"record {record.id!r}, span {i}")
        for label in self.labels or ():
            if label not in known:
                raise UnknownNameError("label", label, known, where=f"record {record.id!r}")


def _spans_of(id: str, spans: Iterable[_Marked], kind: type[_Marked]) -> tuple[_Marked, ...]:
    found = tuple(spans) if isinstance(spans, Iterable) else (spans,)
    for i, span in enumerate(found, start=1):
        if not isinstance(span, kind):
            raise SpanError(f"record {id!r}, span {i}: must be a {kind.__name__}, got {one_line(repr(span), 40)}")
    return found


def _check_inside(id: str, spans: Sequence[Span | GoldSpan], length: int, what: str) -> None:
    for i, span in enumerate(spans, start=1):
        if span.end > length:
            raise SpanError(
                f"record {id!r}, {what} {i}: must lie inside its text of {length} characters,"
                f" got {span.start}..{span.end}"
            )


def data_hash(records: Iterable[Record]) -> str:
    """A hash (sixteen hex digits) of texts and gold that does not depend on their order.

    The hash of a union of disjoint corpora is the sum of their hashes modulo 2**64, so scores can be merged.

    Examples
    --------
    >>> data_hash([])
    '0000000000000000'
    """
    total = 0
    for record in records:
        digest = hashlib.sha256(record.id.encode("utf-8", "surrogatepass"))
        digest.update(b"\0" + record.text.encode("utf-8", "surrogatepass") + b"\0")
        for span in sorted(record.gold or ()):
            digest.update(f"{span.start},{span.end},{span.labels}\0".encode("utf-8", "surrogatepass"))
        total += int.from_bytes(digest.digest()[:8], "big")
    return f"{total % 2**64:016x}"

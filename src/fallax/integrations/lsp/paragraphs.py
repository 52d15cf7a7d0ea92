"""Examines a text paragraph by paragraph; after an edit, only changed paragraphs are examined again."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise

from fallax.core.types import Explanation, Record, Span
from fallax.detection.systems import Detector, evidence_with, guarded_detector, predict_with
from fallax.detection.systems.entry import unread_by
from fallax.detection.systems.explain import explanation_of

__all__ = ["CONTEXT", "ParagraphReader", "ProseSection", "sections_of"]

#: Most characters of whole paragraphs around a paragraph that are read with it.
CONTEXT = 400
#: A line of at least this many characters is a paragraph by itself, as in editors that wrap lines.
_LONG_LINE = 120
#: A longer paragraph is no prose, and nothing could stop its reading: it is skipped.
_MAX_PARAGRAPH = 20_000
#: Paragraphs whose findings are kept.
_KEPT = 4096
_BREAK = re.compile(rf"(?:\r\n|\n|\r)[ \t]*(?=\r|\n)|(?<=[^\r\n]{{{_LONG_LINE}}})(?:\r\n|\n|\r)")


@dataclass(frozen=True, slots=True)
class ProseSection:
    """A paragraph and the window around it that is examined, as half-open code point offsets.

    Parameters
    ----------
    start, end : the paragraph.
    first, last : its window, whole paragraphs: ``first <= start < end <= last``.
    """

    start: int
    end: int
    first: int
    last: int


def sections_of(prose: str) -> tuple[ProseSection, ...]:
    r"""The paragraphs of a text, each with its window.

    A window is the paragraph, the one before it and further ones before, as far as they come to at most
    :data:`CONTEXT` characters; where they do not, as at the beginning, it goes on behind the paragraph.

    Examples
    --------
    >>> sections_of("One.\n\nTwo.\n")
    (ProseSection(start=0, end=4, first=0, last=10), ProseSection(start=6, end=10, first=0, last=10))
    """
    cuts = [0, *(m.end() for m in _BREAK.finditer(prose)), len(prose)]
    places = []
    for a, b in pairwise(cuts):
        piece = prose[a:b]
        if piece.strip():
            start = a + len(piece) - len(piece.lstrip())
            places.append((start, start + len(piece.strip())))
    found = []
    for i, (start, end) in enumerate(places):
        room, first, last = CONTEXT, i, i
        while first and (first == i or room >= _length(places[first - 1])):
            first -= 1
            room -= _length(places[first])
        while first == 0 and last + 1 < len(places) and room >= _length(places[last + 1]):
            last += 1
            room -= _length(places[last])
        found.append(ProseSection(start, end, places[first][0], places[last][1]))
    return tuple(found)


def _length(place: tuple[int, int]) -> int:
    return place[1] - place[0]


class ParagraphReader:
    r"""Finds spans in the prose of a text and caches the result of each paragraph.

    Parameters
    ----------
    detector : what looks. It is given a window of :func:`sections_of`, and what it says of the paragraph is taken.
    min_confidence : leave out what is less sure, in [0, 1]; by default the detector's own threshold.

    Notes
    -----
    A finding depends on its paragraph's window alone, so a text gives the same findings however it was edited. They are
    near what the detector says of the whole text at once and not always the same: `benchmarks/lsp_latency.py` prints
    how often they agree. A paragraph in another language than the detector's is skipped, and one of more than 20,000
    characters.

    Examples
    --------
    >>> from fallax.detection.systems import load_detector
    >>> reader = ParagraphReader(load_detector("linear"))
    >>> reader.read("The kettle is on the stove.\n\nIt boils at seven."), reader.n_read
    ((), 2)
    >>> reader.read("The kettle is on the stove.\n\nIt boils at seven."), reader.n_read
    ((), 2)
    """

    def __init__(self, detector: Detector, *, min_confidence: float | None = None) -> None:
        self.detector = detector
        self._min_confidence = min_confidence
        self._kept: OrderedDict[tuple[str, int, int], tuple[Span, ...]] = OrderedDict()
        #: Paragraphs read so far, those aside that were known.
        self.n_read = 0

    def read(self, prose: str, *, stop: Callable[[], bool] = lambda: False) -> tuple[Span, ...] | None:
        """The spans of a text in order, or None if ``stop`` returned True meanwhile.

        Parameters
        ----------
        prose : a text in which what is no prose is blank, see :func:`~fallax.core.texts.prose_of`.
        stop : asked before each paragraph that must be read.

        Raises
        ------
        DetectorError
            If the detector raises an exception.
        """
        found: list[Span] = []
        for paragraph in sections_of(prose):
            window = prose[paragraph.first : paragraph.last]
            key = (window, paragraph.start - paragraph.first, paragraph.end - paragraph.first)
            if key not in self._kept:
                if stop():
                    return None
                self._kept[key] = self._read(*key)
                while len(self._kept) > _KEPT:
                    self._kept.popitem(last=False)
            self._kept.move_to_end(key)
            at = paragraph.first
            found += [replace(s, start=s.start + at, end=s.end + at) for s in self._kept[key]]
        return tuple(found)

    def _read(self, window: str, start: int, end: int) -> tuple[Span, ...]:
        self.n_read += 1
        if end - start > _MAX_PARAGRAPH:
            return ()
        with guarded_detector(self.detector.name):
            if unread_by(self.detector, window[start:end]):
                return ()
        found = predict_with(self.detector, _record(window), min_confidence=self._min_confidence).spans
        return tuple(
            replace(s, start=max(s.start, start), end=min(s.end, end)) for s in found if s.start < end and s.end > start
        )

    def explain(self, prose: str, span: Span) -> Explanation:
        """The explanation of a span of :meth:`read`, as far as the detector can give one."""
        paragraph = next(s for s in sections_of(prose) if s.start <= span.start < s.end)
        record = _record(prose[paragraph.first : paragraph.last])
        there = replace(span, start=span.start - paragraph.first, end=span.end - paragraph.first)
        evidence = evidence_with(self.detector, record, there)
        passage = " ".join(prose[span.start : span.end].split())
        taxonomy, unsure = self.detector.taxonomy, span.label_is_unsure
        return explanation_of(span.label, passage, taxonomy=taxonomy, unsure=unsure, evidence=evidence)


def _record(window: str) -> Record:
    """What was left out is blank already, so all that is left is prose."""
    return Record("window", window, meta={"blocks": [(0, len(window), "prose")]})

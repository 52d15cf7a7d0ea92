"""The interface of detectors, and decoding of sentence scores into spans."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from fallax.core.stopping import stop_if_unwanted
from fallax.core.taxonomies import load_taxonomy
from fallax.core.texts import (
    ITEM,
    QUOTE_TAG,
    TURN,
    behind_item,
    blocks_of,
    content_words,
    greeting_end,
    is_heading,
    is_name,
    only_leads,
    reported_sentences,
    sentence_spans,
    unmarked,
)
from fallax.core.types import Prediction, Record, Span
from fallax.detection.systems.arguing import argues, denies
from fallax.detection.systems.decoding import Decoding, may_be_flagged, spans_of
from fallax.detection.systems.shown import PassageScale

__all__ = [
    "Decoding",
    "Detector",
    "Parts",
    "ReadsInSteps",
    "ReadsWords",
    "RememberingScorer",
    "SentenceDetector",
    "SpanScorer",
    "parts_of",
]


class Detector(Protocol):
    """The port of a detector: finds labelled spans in a text without a chat model."""

    @property
    def name(self) -> str:
        """Name and version, as in signatures."""

    @property
    def taxonomy(self) -> str:
        """The label set of its spans."""

    def detect(self, record: Record, *, min_confidence: float | None = None) -> Prediction:
        """The spans of one text, each with a calibrated confidence."""

    def evidence(self, record: Record, span: Span, *, limit: int = 5) -> tuple[tuple[str, float], ...]:
        """The words that matter most for a span: without them its confidence falls most."""

    def card(self) -> dict[str, Any]:
        """The card: training data, quality and weaknesses."""


_Wanted = Callable[[npt.NDArray[np.float64]], npt.NDArray[np.bool_]]
#: What counts as a word of a text.
WORD = re.compile(r"[^\W\d_](?:[\w'’-]*[^\W_])?")
#: A letter or digit; a rule between paragraphs has none.
_READ = re.compile(r"[^\W_]")
_PARAGRAPH = re.compile(r"(?>\r\n|[\n\r])[ \t]*[\n\r]")
#: The kind of a block that lies within others: an HTML ``<q>``.
_QUOTATION = "quotation"
#: More characters than this between two sentences are no space between words.
_MOST_BETWEEN = 200
#: Characters of a sentence that an encoder reads; captions of films have no full stops.
_MOST_READ = 800
_GAP = re.compile(r"\s*")
#: Marks in front of a quoted line.
_MARK = re.compile(r"[>\s]*")
#: Marks of emphasis in Markdown, and those that end where something begins.
_MARKS = re.compile(r"[*_]{1,3}")
_MARKS_BEFORE = re.compile(r"[*_]{1,3}\Z")
_FORUM = re.compile(r"\s*TITLE:(?P<title>.*?)\bPOST:\s*(?=\S)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Parts:
    """A text prepared for a detector.

    Parameters
    ----------
    title : context; empty for none.
    places : start and end of each sentence.
    silent : indexes of the sentences that are read but never flagged: headings, quotes, salutations.
    breaks : indexes of the sentences that begin a paragraph, except the first.
    sentences : what is read of each sentence; in Markdown its marks are blank.
    """

    title: str
    places: tuple[tuple[int, int], ...]
    silent: frozenset[int]
    breaks: frozenset[int]
    sentences: tuple[str, ...]


def parts_of(record: Record) -> Parts:
    r"""Split a text into title, sentences and paragraphs.

    In a text that reads ``TITLE: ... POST: ...``, as in collections of forum posts, the title is read as context and
    never flagged, like the title of a record. Code, tables and navigation are left out. The readers of HTML and
    Markdown files store blocks as (start, end, kind) in ``meta["blocks"]``; in other texts they are found by the rules
    of Markdown. Paragraphs whose (start, end) are in ``meta["unread"]`` are left out too. The mark in front of an item
    of a list belongs to no sentence. A few words that stand as a paragraph and greet somebody, lead to what follows,
    are a heading in capitals or a name say nothing that could be flagged. The tags around a quotation in a forum end
    sentences and paragraphs, and belong to none.

    Examples
    --------
    >>> parts_of(Record("r", "TITLE: Bus lanes POST: You lie.")).places
    ((23, 31),)
    >>> parts = parts_of(Record("r", "> You lie.\n1. Why?"))
    >>> parts.sentences, parts.silent, parts.breaks
    (('You lie.', 'Why?'), frozenset({0}), frozenset({1}))
    """
    found = _FORUM.match(record.text)
    title, start = (record.title or "", 0) if found is None else (found["title"].strip(), found.end())
    given = record.meta.get("blocks")
    if given is None:
        blocks = [(start + b.start, start + b.end, str(b.kind)) for b in blocks_of(record.text[start:])]
    else:
        blocks = [(int(a), int(b), str(kind)) for a, b, kind in given]
    unread = record.meta.get("unread") or ()
    in_markdown = record.meta.get("form") == "markdown"
    places: list[tuple[int, int]] = []
    sentences: list[str] = []
    silent: set[int] = set()
    breaks: set[int] = set()
    items: set[int] = set()
    for a, b, kind in blocks:
        if kind in ("code", "table", "navigation", _QUOTATION):
            continue
        breaks.add(len(places))
        tags = [m.span() for m in QUOTE_TAG.finditer(record.text, a, b)]
        shown = QUOTE_TAG.sub(_blanks, record.text[a:b].replace("\ufeff", " "))
        shown = unmarked(shown) if in_markdown else shown
        for i, j in _readable(shown, _sentences(shown, [(i - a, j - a) for i, j in tags])):
            at = bisect_right(unread, (a + i, len(record.text))) - 1
            if at >= 0 and a + i < unread[at][1]:
                continue
            if places and (
                _cut(record.text, places[-1][1], a + i)
                or is_heading(sentences[-1])
                or greeting_end(record.text, places[-1][0]) == places[-1][1]
            ):
                breaks.add(len(places))
            first, end = a + _begin(shown, i, j, quoted=kind == "quote"), a + j
            items |= {len(places)} if first > a + i else set()
            if first == end or (kind != "prose" and not _READ.search(shown, first - a, j)):
                continue
            if kind != "prose":
                silent.add(len(places))
            sentences.append(shown[first - a : j])
            places.append(_with_emphasis(record.text, first, end) if in_markdown else (first, end))
    alone = (breaks | {0}) & {i - 1 for i in breaks if i < len(places)}
    silent |= {i for i in alone if is_heading(sentences[i]) or (i not in items and only_leads(sentences[i]))}
    silent |= {i for i in alone | ((breaks - {0}) & {len(places) - 1}) if is_name(sentences[i])}
    breaks = {i for i in breaks if 0 < i < len(places)}
    return Parts(title, tuple(places), frozenset(silent), frozenset(breaks), tuple(sentences))


def _blanks(found: re.Match[str]) -> str:
    return " " * len(found[0])


def _sentences(shown: str, tags: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The sentences, cut at the tags that forums put around a quotation and behind a line that greets somebody."""
    for (_, start), (end, _) in pairwise([(0, 0), *tags, (len(shown), len(shown))]):
        before = start
        for i, j in sentence_spans(shown[start:end]):
            first, greeted = start + i, start + i
            if before == start or _PARAGRAPH.search(shown, before - 1, first):
                greeted = greeting_end(shown, first)
            if first < greeted < start + j:
                yield first, greeted
                first = _GAP.match(shown, greeted).end()  # type: ignore[union-attr]
            before = start + j
            yield first, before


def _readable(shown: str, sentences: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The sentences; one that no detector can read as a whole is cut where a line, a clause or a word ends."""
    for start, end in sentences:
        first = start
        while end - first > _MOST_READ:
            cuts = (shown.rfind(mark, first + _MOST_READ // 4, first + _MOST_READ) for mark in ("\n", ";", ",", " "))
            cut = next((at + 1 for at in cuts if at >= 0), first + _MOST_READ)
            yield first, first + len(shown[first:cut].rstrip())
            first = _GAP.match(shown, cut, end).end()  # type: ignore[union-attr]
        yield first, end


def _begin(shown: str, start: int, end: int, *, quoted: bool) -> int:
    """Where a sentence begins behind the marks of a quoted line or of a list's item; its end if it has no words."""
    if quoted:
        start = _MARK.match(shown, start, end).end()  # type: ignore[union-attr]
    return behind_item(shown, start, end)


def _with_emphasis(text: str, start: int, end: int) -> tuple[int, int]:
    """A sentence of Markdown, with the marks before it that close within it and those behind it that open within it."""
    before = _MARKS_BEFORE.search(text, max(0, start - 3), start)
    behind = _MARKS.match(text, end)
    if before and _is_marked(text, before[0], start, end):
        start -= len(before[0])
    if behind and _is_marked(text, behind[0], start, end):
        end = behind.end()
    return start, end


def _is_marked(text: str, marks: str, start: int, end: int) -> bool:
    return any(found[0] == marks for found in _MARKS.finditer(text, start, end))


def _cut(text: str, end: int, start: int) -> bool:
    """Whether a paragraph, a quotation, a turn of a speaker or an item of a list begins where a sentence does."""
    if start - end > _MOST_BETWEEN or _PARAGRAPH.search(text, end - 1, start) or QUOTE_TAG.search(text, end, start):
        return True
    in_new_line = not {"\n", "\r"}.isdisjoint(text[end - 1 : start])
    return in_new_line and (TURN.match(text, start) or ITEM.match(text, start)) is not None


class SpanScorer(Protocol):
    """The port of a sentence scorer: gives each sentence a calibrated probability per label."""

    labels: tuple[str, ...]

    def __hash__(self) -> int: ...

    def probabilities(self, sentences: Sequence[str], *, title: str = "") -> npt.NDArray[np.float64]:
        """Probabilities of shape (n_sentences, n_labels); a row sums to at most 1, the rest is "no fallacy"."""


@runtime_checkable
class ReadsInSteps(Protocol):
    """The port of a scorer that finds out where labels are wanted before it reads for them."""

    def probabilities_where(
        self,
        wanted: Callable[[npt.NDArray[np.float64]], npt.NDArray[np.bool_]],
        sentences: Sequence[str],
        *,
        title: str = "",
    ) -> npt.NDArray[np.float64]:
        """As :meth:`SpanScorer.probabilities`, but how a row is divided among the labels holds where wanted alone.

        Parameters
        ----------
        wanted : the probability of any fallacy of each sentence -> whether its labels are wanted.
        """


@runtime_checkable
class ReadsWords(Protocol):
    """The port of a scorer that can attribute probabilities to words."""

    def word_effects(
        self, sentences: Sequence[str], wanted: Sequence[int], *, title: str = ""
    ) -> Iterable[tuple[str, npt.NDArray[np.float64]]]:
        """Each word of some sentences, and how much each label's probability in its sentence falls without it."""


class RememberingScorer:
    """A scorer with a cache of texts, for trying many decodings.

    Parameters
    ----------
    scorer : what reads.

    Notes
    -----
    Arrays are those of the scorer, (sentences, labels), each given out again and again: do not write into them.

    Examples
    --------
    >>> class Sure:
    ...     labels = ("ad hominem",)
    ...     def probabilities(self, sentences, *, title=""):
    ...         return np.ones((len(sentences), 1))
    >>> scorer = RememberingScorer(Sure())
    >>> scorer.probabilities(["You lie."]) is scorer.probabilities(["You lie."])
    True
    """

    def __init__(self, scorer: SpanScorer) -> None:
        self.labels = scorer.labels
        self._scorer = scorer
        self._known: dict[tuple[str, ...], npt.NDArray[np.float64]] = {}

    def probabilities(self, sentences: Sequence[str], *, title: str = "") -> npt.NDArray[np.float64]:
        """The same as the scorer's."""
        key = (title, *sentences)
        if key not in self._known:
            self._known[key] = self._scorer.probabilities(sentences, title=title)
        return self._known[key]


@dataclass(frozen=True)
class SentenceDetector:
    """A detector that joins consecutive sentences of a paragraph with the same label into spans.

    Each sentence is judged by itself, in its text: whether it is part of a fallacy, and of which. A run of sentences
    with one label is a span; paragraphs cut spans and change nothing else.

    Parameters
    ----------
    name, taxonomy : see :class:`Detector`.
    scorer : gives the probabilities.
    decoding : how they become spans. Its threshold is one of probabilities of sentences.
    about : the card.
    scale : how the probabilities of a passage's sentences become its confidence.
    """

    name: str
    taxonomy: str
    scorer: SpanScorer
    decoding: Decoding
    about: dict[str, Any]
    scale: PassageScale = field(default_factory=PassageScale)

    def card(self) -> dict[str, Any]:
        """The card: training data, quality and weaknesses."""
        return self.about

    def detect(self, record: Record, *, min_confidence: float | None = None) -> Prediction:
        """The spans of one text.

        Parameters
        ----------
        record : its title is read as context where the scorer can.
        min_confidence : give the passages with at least this confidence, in [0, 1]. Below what the detector's threshold
            is shown as, sentences are flagged from this confidence on, so there are more passages; above it, those with
            less are left out and the others stay as they are. Default: the detector's threshold.
        """
        parts = parts_of(record)
        if not parts.places:
            return Prediction(record.id)
        places = parts.places
        lower = 1.0 if min_confidence is None else self.scale.decided(min_confidence)
        asked: dict[str, Any] = {
            "threshold": lower if lower < self.decoding.threshold else None,
            "silent": parts.silent,
            "plain": not argues(parts.sentences[0]),
        }
        runs = spans_of(
            self._where(partial(may_be_flagged, decoding=self.decoding, **asked), parts.sentences, title=parts.title),
            self.decoding,
            groups=self.groups(),
            breaks=parts.breaks,
            alone=partial(self._alone, parts.sentences),
            **asked,
        )
        given = [(a, b) for a, b, kind in record.meta.get("blocks") or () if kind == _QUOTATION]
        reported = reported_sentences(record.text, places, parts.breaks, quotations=given) if runs else ()
        return Prediction(
            record.id,
            tuple(
                Span(
                    places[run.first][0],
                    places[run.end - 1][1],
                    self.scorer.labels[run.label],
                    self.scale.shown(run.confidence),
                    run.label_confidence,
                    all(reported[run.first : run.end]),
                )
                for run in runs
                if run.confidence > 0.0 and self.scale.shown(run.confidence) >= (min_confidence or 0.0)
            ),
        )

    def _alone(self, sentences: Sequence[str], i: int) -> float:
        """The probability of any fallacy of a sentence read alone; 1 for one with a word that argues or denies."""
        known = argues(sentences[i]) or denies(sentences[i])
        return 1.0 if known else float(self._where(_nowhere, [sentences[i]])[0].sum())

    def _where(self, wanted: _Wanted, sentences: Sequence[str], *, title: str = "") -> npt.NDArray[np.float64]:
        """Probabilities whose labels hold where wanted."""
        if isinstance(self.scorer, ReadsInSteps):
            return self.scorer.probabilities_where(wanted, sentences, title=title)
        return self.scorer.probabilities(sentences, title=title)

    def groups(self) -> tuple[str, ...]:
        """The group of each label, one level above the finest; empty if there is none."""
        labels = load_taxonomy(self.taxonomy)
        level = labels.finest - 1
        return tuple(labels.at_level(name, level) for name in self.scorer.labels) if level > 0 else ()

    def evidence(self, record: Record, span: Span, *, limit: int = 5) -> tuple[tuple[str, float], ...]:
        """The content words of a span without which its label's probability falls most.

        Returns
        -------
        tuple of (word, effect)
            Largest effect first, each word once; effects are differences of probability in (0, 1]. A scorer that keeps
            what it read (:class:`ReadsWords`) says so without reading again; another reads the text once more for
            each word.
        """
        parts = parts_of(record)
        inside = [i for i, (a, b) in enumerate(parts.places) if a < span.end and b > span.start]
        if span.label not in self.scorer.labels or not inside:
            return ()
        column = self.scorer.labels.index(span.label)
        reads = self.scorer.word_effects if isinstance(self.scorer, ReadsWords) else partial(_occlusions, self.scorer)
        effects: dict[str, float] = {}
        for word, fall in reads(parts.sentences, inside, title=parts.title):
            stop_if_unwanted()
            effect = round(float(fall[column]), 4)
            if effect > 0.001 and content_words(word):
                effects[word] = max(effect, effects.get(word, 0.0))
        return tuple(sorted(effects.items(), key=lambda e: (-e[1], e[0]))[:limit])


def _nowhere(anything: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    return np.zeros(len(anything), dtype=np.bool_)


def _occlusions(
    scorer: SpanScorer, sentences: Sequence[str], inside: Sequence[int], *, title: str
) -> Iterator[tuple[str, npt.NDArray[np.float64]]]:
    """How much the probability of each label falls in its sentence without a word."""
    before = scorer.probabilities(sentences, title=title)
    for i in inside:
        for found in WORD.finditer(sentences[i]):
            without = [*sentences]
            without[i] = sentences[i][: found.start()] + sentences[i][found.end() :]
            if without[i].strip():
                yield found[0], before[i] - scorer.probabilities(without, title=title)[i]

"""Shared code of judges: splitting a summary into units, asking models, and combining findings."""

from __future__ import annotations

import asyncio
import hashlib
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple, Protocol, TypeVar

from fallax.core.texts import (
    blocks_of,
    has_words,
    headings_in,
    locate_quote,
    sentence_spans,
    whole_characters,
    worded_spans,
)
from fallax.core.types import (
    UNFAITHFUL,
    Ambiguity,
    ChatModel,
    Debate,
    Faithfulness,
    FaithfulnessVerdict,
    Fault,
    Judge,
    Message,
    Reply,
    Request,
    Transcript,
    UnitVerdict,
    Unreadable,
    Usage,
)
from fallax.data import markdown_prose
from fallax.errors import (
    ContentFilterError,
    FallaxError,
    InputError,
    JudgeError,
    UnjudgeableError,
    UnknownNameError,
    one_line,
)
from fallax.faithfulness.protocols.guidelines import Guidelines
from fallax.faithfulness.systems.documents import DocumentLimit, Passage, fit_document

__all__ = [
    "AmbiguityDetector",
    "Extent",
    "Finding",
    "NotingJudge",
    "Unit",
    "UnitJudge",
    "ask",
    "check_level",
    "check_text",
    "cut_summary",
    "draw",
    "faults_in",
    "reserve_of",
    "together",
]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Unit:
    """A part of a summary that is judged on its own."""

    start: int
    end: int
    text: str


class Extent(NamedTuple):
    """The work of one summary: its units, and the document passages they are judged against."""

    units: int
    passages: int


@dataclass(frozen=True, slots=True)
class Finding:
    """The finding of a judge about one unit and one passage of the document.

    Parameters
    ----------
    label : None where there is no answer; ``unscored`` then says why.
    explanation, probability, votes, faults : as in :class:`fallax.core.types.UnitVerdict`.
    debate : where there was one.
    n_replies, unreadable, usage : of the replies it came from.
    """

    label: Faithfulness | None
    explanation: str = ""
    probability: float | None = None
    votes: Mapping[str, int] = field(default_factory=dict)
    faults: tuple[Fault, ...] = ()
    unscored: str = ""
    debate: Debate | None = None
    n_replies: int = 0
    unreadable: tuple[Unreadable, ...] = ()
    usage: Usage = field(default_factory=Usage)


class AmbiguityDetector(Protocol):
    """The port of an ambiguity detector: sees the document and the judge's finding."""

    @property
    def name(self) -> str:
        """The name, as in :class:`fallax.core.types.Ambiguity`."""

    def reserve(self, unit: Unit, count_tokens: Callable[[str], int], *, arguments: int) -> int:
        """Tokens of its prompt (without the document) and reply; 0 if it calls no model.

        ``arguments`` are the tokens of everything that is said in the debates about the unit.
        """

    async def detect(self, document: str, unit: Unit, finding: Finding) -> Ambiguity:
        """Examine one unit."""


def check_level(level: str) -> None:
    """Raise UnknownNameError unless it is "sentence" or "summary"."""
    if level not in ("sentence", "summary"):
        raise UnknownNameError("level", level, ("sentence", "summary"), where="judge")


#: The longest texts that are judged, in characters: a long novel, and a summary of a thousand sentences.
MAX_CHARACTERS = {"document": 1_000_000, "summary": 100_000}


#: Headings that a note names.
_MOST_SHOWN = 3
_LINE = re.compile(r"[^\r\n]+")


def check_text(text: object, name: str) -> str:
    """Validate a text: InputError unless it is one, UnjudgeableError if it is empty or too long."""
    if not isinstance(text, str):
        raise InputError(f"the {name} must be a text, got {type(text).__name__}")
    if not has_words(text):
        raise UnjudgeableError(f"the {name} must hold at least one word, got none")
    if len(text) > MAX_CHARACTERS[name]:
        raise UnjudgeableError(
            f"the {name} must have at most {MAX_CHARACTERS[name]:,} characters, got {len(text):,}; judge it in parts"
        )
    return whole_characters(text)


def _prose_of(summary: str) -> str:
    """A summary of the same length with blanks for its headings, code and tables."""
    prose = markdown_prose(summary)
    tables = ((b.start, b.end) for b in blocks_of(prose) if b.kind == "table")
    for start, end in (*headings_in(prose), *tables):
        prose = prose[:start] + " " * (end - start) + prose[end:]
    return prose


def _left_out(summary: str) -> list[str]:
    """The lines of a summary that are not judged. Blanks may stand for what ends a line, so places are compared."""
    prose = _prose_of(summary)
    lines = [m for m in _LINE.finditer(summary) if m[0].strip()]
    return [m[0].strip() for m in lines if not prose[m.start() : m.end()].strip()]


class NotingJudge:
    r"""A judge whose verdicts note the headings, code and tables of a summary, which no judge judges.

    Examples
    --------
    >>> class Sure:
    ...     name = "sure"
    ...     async def judge(self, document, summary):
    ...         return FaithfulnessVerdict("sure", (UnitVerdict(6, 11, "Rain.", "faithful"),))
    >>> asyncio.run(NotingJudge(Sure()).judge("Rain.", "# Us\n\nRain.")).notes
    ('headings, code and tables are not judged: “# Us”',)
    """

    def __init__(self, judge: Judge) -> None:
        self._judge = judge

    @property
    def name(self) -> str:
        """The name of the judge."""
        return self._judge.name

    async def judge(self, document: str, summary: str) -> FaithfulnessVerdict:
        """The verdict of the judge, with the note.

        Raises
        ------
        JudgeError
            If the judge, which may be somebody else's, raises an exception.
        """
        try:
            verdict = await self._judge.judge(document, summary)
        except (FallaxError, MemoryError):
            raise
        except Exception as error:
            said = one_line(f"{type(error).__name__}: {error}", 300)
            raise JudgeError(f"judge {one_line(self.name, 60)!r} failed: {said}") from error
        left_out = _left_out(summary)
        if not left_out:
            return verdict
        shown = ", ".join(f"“{one_line(line, 60)}”" for line in left_out[:_MOST_SHOWN])
        more = f" and {len(left_out) - _MOST_SHOWN} more" if len(left_out) > _MOST_SHOWN else ""
        return replace(verdict, notes=(*verdict.notes, f"headings, code and tables are not judged: {shown}{more}"))


def cut_summary(summary: str, level: str) -> tuple[Unit, ...]:
    r"""The sentences of a summary, or the whole summary; headings, code, tables, and what has no words are left out.

    Headings are those of Markdown, and short lines without a point or a verb that a blank line follows
    (:func:`fallax.core.texts.headings_in`).

    Raises
    ------
    UnjudgeableError : nothing is left to judge.

    Examples
    --------
    >>> [u.text for u in cut_summary("It rained. The vote failed.", "sentence")]
    ['It rained.', 'The vote failed.']
    >>> [(u.start, u.text) for u in cut_summary("Summary\n\nIt rained.", "sentence")]
    [(9, 'It rained.')]
    >>> [(u.start, u.text) for u in cut_summary("1. It rained. 🎉", "sentence")]
    [(3, 'It rained.')]
    """
    check_level(level)
    summary = check_text(summary, "summary")
    places = worded_spans(_prose_of(summary))
    if not places:
        raise UnjudgeableError("the summary must hold a sentence to judge, got nothing but headings, code and tables")
    if level == "summary":
        places = ((places[0][0], places[-1][1]),)
    return tuple(Unit(start, end, summary[start:end]) for start, end in places)


def faults_in(unit: Unit, reasons: Sequence[tuple[Sequence[str], str]]) -> tuple[Fault, ...]:
    """The faulty sentences of an unfaithful unit.

    Parameters
    ----------
    unit : a sentence is at fault as a whole.
    reasons : (quotes, explanation) of those who found it unfaithful; the first explanation for a sentence is kept. If
        no quote stands in the unit, the whole unit is at fault.

    Examples
    --------
    >>> unit = Unit(0, 24, "It rained. It snowed too")
    >>> faults_in(unit, [(["it snowed too"], "No snow.")])
    (Fault(start=11, end=24, text='It snowed too', reason='No snow.'),)
    """
    sentences = sentence_spans(unit.text)
    found: dict[tuple[int, int], str] = {}
    if len(sentences) > 1:
        for quotes, reason in reasons:
            for quote in quotes:
                place = locate_quote(unit.text, quote)
                if place is None:
                    continue
                for start, end in sentences:
                    if start < place.end and place.start < end:
                        found.setdefault((start, end), reason)
    if not found:
        found[0, len(unit.text)] = reasons[0][1] if reasons else ""
    return tuple(
        Fault(unit.start + start, unit.start + end, unit.text[start:end], reason)
        for (start, end), reason in sorted(found.items())
    )


def draw(*parts: object) -> int:
    """A 31-bit integer hash of the arguments."""
    return int.from_bytes(hashlib.sha256("|".join(map(str, parts)).encode()).digest()[:4], "big") >> 1


async def together(calls: Sequence[Coroutine[Any, Any, T]]) -> list[T]:
    """Await all at once; the first error cancels the others and is raised."""
    tasks = [asyncio.ensure_future(call) for call in calls]
    try:
        return list(await asyncio.gather(*tasks))
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise


async def ask(
    model: ChatModel,
    prompt: str,
    *,
    temperature: float,
    max_tokens: int,
    epoch: int = 0,
    seed: int | None = None,
    top_p: float | None = None,
) -> Reply:
    """Ask one question; a reply withheld by the endpoint becomes an empty reply, other errors are raised."""
    request = Request(
        (Message("user", prompt),),
        temperature=temperature,
        top_p=top_p,
        max_tokens=max_tokens,
        seed=seed,
        epoch=epoch,
    )
    try:
        return await model.generate(request)
    except ContentFilterError:
        return Reply("", model.name, stop_reason="content_filter", usage=Usage(calls=1))


class UnitJudge(ABC):
    """A judge that splits a summary into units, judges them concurrently, and combines the findings.

    Parameters
    ----------
    level : "sentence" or "summary".
    limit : how much of a document fits, and what to do with more.
    detector : asked about the ambiguity of every unit; None: nothing is asked.
    """

    def __init__(
        self,
        *,
        level: Literal["sentence", "summary"] = "sentence",
        limit: DocumentLimit | None = None,
        detector: AmbiguityDetector | None = None,
    ) -> None:
        check_level(level)
        self.level = level
        self.limit = limit
        self.detector = detector

    @property
    @abstractmethod
    def name(self) -> str:
        """The name in records and signatures."""

    @property
    @abstractmethod
    def settings(self) -> dict[str, Any]:
        """The settings that verdicts depend on."""

    @abstractmethod
    def _reserve(self, unit: Unit, count_tokens: Callable[[str], int]) -> int:
        """Tokens of the prompt (without the document) and the reply."""

    @property
    def _arguments(self) -> int:
        """Tokens of all debate turns about a unit."""
        return 0

    def _room(self, unit: Unit) -> int:
        """Tokens to reserve beside the document, so that every question about a unit fits."""
        if self.limit is None:
            return 0
        count = self.limit.count_tokens
        asked = 0 if self.detector is None else self.detector.reserve(unit, count, arguments=self._arguments)
        return max(self._reserve(unit, count), asked)

    @abstractmethod
    async def _find(self, passage: Passage, unit: Unit, extent: Extent) -> Finding:
        """Judge one unit against one passage."""

    async def judge(self, document: str, summary: str) -> FaithfulnessVerdict:
        """Judge a summary.

        Raises
        ------
        UnjudgeableError : the document is too long, or document or summary is empty.
        ModelError : a model did not answer. That is no verdict.
        """
        document = check_text(document, "document")
        units = cut_summary(summary, self.level)
        passages = [fit_document(document, u.text, limit=self.limit, reserve=self._room(u)) for u in units]
        extent = Extent(len(units), sum(map(len, passages)))
        judged = await together([self._judge_unit(u, p, extent) for u, p in zip(units, passages, strict=True)])
        findings = [f for _, found in judged for f in found]
        debates = tuple(f.debate for f in findings if f.debate is not None)
        ambiguities = [j.ambiguity for j, _ in judged if j.ambiguity is not None]
        usage = sum((f.usage for f in findings), Usage())
        for ambiguity in ambiguities:
            usage = usage + ambiguity.usage
        asked = [a for a in ambiguities if a.raw or a.usage.calls]
        settings = self.settings
        return FaithfulnessVerdict(
            self.name,
            tuple(j for j, _ in judged),
            Transcript(debates, settings) if debates else None,
            usage,
            sum(f.n_replies for f in findings) + len(asked),
            tuple(x for f in findings for x in f.unreadable)
            + tuple(Unreadable(a.unreadable, a.raw, f"ambiguity ({a.detector})") for a in asked if a.unreadable),
            tuple(dict.fromkeys(p.note for found in passages for p in found if p.note)),
            settings,
        )

    async def _judge_unit(
        self, unit: Unit, passages: Sequence[Passage], extent: Extent
    ) -> tuple[UnitVerdict, list[Finding]]:
        findings = await together([self._find(p, unit, extent) for p in passages])
        best = _best(findings)
        ambiguity = None
        if self.detector is not None:
            passage = next(p for p, f in zip(passages, findings, strict=True) if f is best)
            ambiguity = await self.detector.detect(passage.text, unit, best)
        said = UnitVerdict(
            unit.start,
            unit.end,
            unit.text,
            best.label,
            best.explanation,
            best.probability,
            best.votes,
            best.faults if best.label == UNFAITHFUL else (),
            ambiguity,
            best.unscored,
        )
        return said, findings


def _best(findings: Sequence[Finding]) -> Finding:
    """Of several passages, the finding that supports the unit best: a faithful one, else one without an answer."""
    ranks: dict[Faithfulness | None, int] = {"faithful": 0, None: 1, "unfaithful": 2}
    return min(findings, key=lambda f: (ranks[f.label], -(f.probability or 0.0)))


def reserve_of(count_tokens: Callable[[str], int], unit: Unit, guidelines: Guidelines | None, reply: int) -> int:
    """Tokens besides the document for a single question: 400 for fixed texts, guidelines, unit and reply."""
    return 400 + count_tokens(unit.text) + (0 if guidelines is None else count_tokens(guidelines.text)) + reply

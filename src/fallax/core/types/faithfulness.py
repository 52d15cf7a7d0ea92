"""Values for the faithfulness of summaries: records, findings, verdicts, and the ports of judges.

The positive class is "unfaithful" throughout.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

from fallax.core.json_value import JsonValue
from fallax.core.types.debates import FAITHFUL, UNFAITHFUL, Faithfulness, Transcript, check_label
from fallax.core.types.messages import Usage
from fallax.core.types.shown import Shown
from fallax.core.types.spans import Unreadable
from fallax.errors import InputError, one_line

__all__ = [
    "AMBIGUOUS",
    "Ambiguity",
    "FaithfulnessRecord",
    "FaithfulnessVerdict",
    "Fault",
    "Judge",
    "Outcome",
    "Reading",
    "SentenceScorer",
    "Stance",
    "Support",
    "UnitVerdict",
]

#: What a verdict may be.
Outcome: TypeAlias = Literal["faithful", "unfaithful", "ambiguous"]

AMBIGUOUS: Literal["ambiguous"] = "ambiguous"
#: What a passage of the document does to a stretch of a summary.
Stance: TypeAlias = Literal["supports", "contradicts", "nearest"]


@dataclass(frozen=True, slots=True)
class FaithfulnessRecord(JsonValue):
    """A summary, or a sentence of one, with its document and, if annotated, the labels of people.

    Parameters
    ----------
    id : unique in its corpus.
    document, summary : exactly as given.
    label : faithful or unfaithful; None if not annotated.
    ambiguous : True or False where people said; else None.
    ambiguity_types : labels of the taxonomy ``ambiguity``.
    group : records of one document share it; corpora are split by it, while intervals draw single records. "" stands
        for the id.
    source : where the record comes from, for scores by source.
    meta : anything else the file said; kept, never interpreted.

    Examples
    --------
    >>> record = FaithfulnessRecord("r1", "It rained on Monday.", "It rained.", "faithful")
    >>> FaithfulnessRecord.from_dict(record.to_dict()) == record
    True
    """

    id: str
    document: str
    summary: str
    label: Faithfulness | None = None
    ambiguous: bool | None = None
    ambiguity_types: tuple[str, ...] = ()
    group: str = ""
    source: str = ""
    meta: Mapping[str, Any] = field(default_factory=dict)

    json_names = (
        "id", "document", "summary", "label", "ambiguous?", "ambiguity_types?", "group?", "source?",
        "meta?",
    )  # fmt: skip

    def __post_init__(self) -> None:
        if type(self.id) is not str or not self.id:
            raise InputError(f"record: the id must be a text of at least one character, got {self.id!r}")
        check_label(self.label, f"record {one_line(self.id, 60)!r}")


@dataclass(frozen=True, slots=True)
class Reading(JsonValue):
    """One reading of an ambiguous sentence, and whether that reading is faithful."""

    text: str
    label: Faithfulness | None = None


@dataclass(frozen=True, slots=True)
class Ambiguity(JsonValue):
    """Whether a unit has readings that differ in faithfulness.

    Parameters
    ----------
    is_ambiguous : None where the detector could not tell; ``unreadable`` then says why.
    detector : "variation", "taxonomy", "disagreement" or "arguments".
    types : labels of the taxonomy ``ambiguity``, where the detector names any.
    readings : the competing readings, where it names any.
    explanation : why.
    raw : the reply, where a model was asked.
    usage : what it cost beyond what was there already.
    """

    is_ambiguous: bool | None
    detector: str
    types: tuple[str, ...] = ()
    readings: tuple[Reading, ...] = ()
    explanation: str = ""
    unreadable: str = ""
    raw: str = ""
    usage: Usage = field(default_factory=Usage)

    json_names = ("is_ambiguous", "detector", "types?", "readings?", "explanation?", "unreadable?", "raw?", "usage")


@dataclass(frozen=True, slots=True)
class Fault(JsonValue):
    """A passage of the summary that the document does not support, with the reason given for it."""

    start: int
    end: int
    text: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Support(JsonValue):
    """A passage of the document that supports or contradicts a unit of the summary.

    Parameters
    ----------
    start, end : half-open code point offsets into the document.
    text : the passage.
    stance : "supports", "contradicts", or "nearest" where it does neither and nothing is nearer.
    weight : how much it decides, in [0, 1].
    """

    start: int
    end: int
    text: str
    stance: Stance
    weight: float


@dataclass(frozen=True, slots=True)
class UnitVerdict(JsonValue):
    """The judgement of one unit of a summary: a sentence, or the whole.

    Parameters
    ----------
    start, end : the stretch, half-open code point offsets into the summary.
    text : the stretch.
    label : faithful or unfaithful; None where there is no answer, and ``unscored`` says why.
    explanation : in the judge's words.
    probability : that it is faithful, in [0, 1], where the judge gives one.
    votes : label -> how many samples, agents or sessions held it, where there was a vote.
    faults : the passages that are not supported.
    ambiguity : where a detector was asked.
    evidence : passages of the document that the verdict rests on, where the judge names any.
    unsupported : words of the stretch that the document does not support, where the judge names any.
    """

    start: int
    end: int
    text: str
    label: Faithfulness | None
    explanation: str = ""
    probability: float | None = None
    votes: Mapping[str, int] = field(default_factory=dict)
    faults: tuple[Fault, ...] = ()
    ambiguity: Ambiguity | None = None
    unscored: str = ""
    evidence: tuple[Support, ...] = ()
    unsupported: tuple[Fault, ...] = ()

    json_names = (
        "start", "end", "text", "label", "explanation?", "probability?", "votes?", "faults?", "ambiguity?",
        "unscored?", "evidence?", "unsupported?",
    )  # fmt: skip

    def __post_init__(self) -> None:
        check_label(self.label, f"unit {self.start}..{self.end}")
        if self.probability is not None and not 0.0 <= self.probability <= 1.0:
            raise InputError(f"unit {self.start}..{self.end}: probability must be in [0, 1], got {self.probability!r}")
        if self.label is None and not self.unscored:
            raise InputError(f"unit {self.start}..{self.end}: without a label it must say why, got no reason")

    @property
    def is_ambiguous(self) -> bool:
        """True if a detector called the unit ambiguous."""
        return self.ambiguity is not None and self.ambiguity.is_ambiguous is True


@dataclass(frozen=True, slots=True)
class FaithfulnessVerdict(JsonValue, Shown):
    """The verdict of a judge on a summary.

    Parameters
    ----------
    judge : the judge's name.
    units : one per sentence, or one for the whole summary; at least one.
    transcript : the debate, where there was one.
    usage : what it cost.
    n_replies : how many replies of models were read or tried.
    unreadable : those that could not be read.
    notes : what a reader must know, such as that a long document was read in pieces.
    settings : what the verdict depended on.

    Notes
    -----
    A summary is unfaithful if a unit that is not ambiguous says so; else ambiguous if one is; else without a label
    if one has none; else faithful. ``faithfulness`` leaves ambiguity aside.

    Examples
    --------
    >>> sure = UnitVerdict(0, 5, "Rain.", "faithful")
    >>> FaithfulnessVerdict("j", (sure, UnitVerdict(6, 11, "Snow.", "unfaithful"))).label
    'unfaithful'
    >>> unsure = UnitVerdict(6, 11, "Snow.", "unfaithful", ambiguity=Ambiguity(True, "taxonomy"))
    >>> verdict = FaithfulnessVerdict("j", (sure, unsure))
    >>> verdict.label, verdict.faithfulness, FaithfulnessVerdict.from_dict(verdict.to_dict()) == verdict
    ('ambiguous', 'unfaithful', True)
    """

    judge: str
    units: tuple[UnitVerdict, ...]
    transcript: Transcript | None = None
    usage: Usage = field(default_factory=Usage)
    n_replies: int = 0
    unreadable: tuple[Unreadable, ...] = ()
    notes: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)

    json_names = (
        "label", "faithfulness", "probability", "ambiguity", "faults", "judge", "settings", "units",
        "n_replies", "unreadable", "notes", "usage", "transcript?",
    )  # fmt: skip

    def __post_init__(self) -> None:
        if not self.units:
            raise InputError(f"verdict of {self.judge!r}: at least one unit must be given, got none")

    @property
    def label(self) -> Outcome | None:
        """Faithful, unfaithful, ambiguous, or None if the judge could not decide."""
        if any(j.label == UNFAITHFUL and not j.is_ambiguous for j in self.units):
            return UNFAITHFUL
        if any(j.is_ambiguous for j in self.units):
            return AMBIGUOUS
        return None if any(j.label is None for j in self.units) else FAITHFUL

    @property
    def faithfulness(self) -> Faithfulness | None:
        """Faithful or unfaithful, ignoring ambiguity; None if the judge could not decide."""
        if any(j.label == UNFAITHFUL for j in self.units):
            return UNFAITHFUL
        return None if any(j.label is None for j in self.units) else FAITHFUL

    @property
    def ambiguity(self) -> Ambiguity | None:
        """The ambiguity of the first ambiguous unit, else of the first unit that was examined for it."""
        found = [j.ambiguity for j in self.units if j.ambiguity is not None]
        return next((a for a in found if a.is_ambiguous), found[0] if found else None)

    @property
    def probability(self) -> float | None:
        """The probability that the summary is faithful: the lowest of its units; None if one has none."""
        values = [j.probability for j in self.units]
        return None if None in values else min(v for v in values if v is not None)

    @property
    def faults(self) -> tuple[Fault, ...]:
        """The unsupported passages in order of position; those of ambiguous units are left out."""
        return tuple(f for j in self.units if not j.is_ambiguous for f in j.faults)

    @property
    def unscored(self) -> str:
        """Why there is no verdict, else ""."""
        if self.faithfulness is not None:
            return ""
        return next(j.unscored for j in self.units if j.label is None)


@runtime_checkable
class Judge(Protocol):
    """The port of a judge: says whether a summary is faithful to its document."""

    @property
    def name(self) -> str:
        """The name in records and signatures."""

    async def judge(self, document: str, summary: str) -> FaithfulnessVerdict:
        """Judge a summary.

        Raises
        ------
        InputError : the document is too long for this judge, or there is nothing to judge.
        ModelError : a model did not answer. That is no verdict.
        """


@runtime_checkable
class SentenceScorer(Protocol):
    """The port of a local judge: scores the faithfulness of sentences without a chat model.

    :class:`fallax.faithfulness.systems.ScoringJudge` makes a :class:`Judge` of it.
    """

    @property
    def name(self) -> str:
        """The name in records and signatures, with its version."""

    @property
    def threshold(self) -> float:
        """Sentences that score below this are unfaithful."""

    @property
    def calibrated(self) -> bool:
        """True if scores are calibrated probabilities; otherwise only their order is meaningful."""

    def score(self, document: str, sentences: Sequence[str]) -> Sequence[float]:
        """The faithfulness of each sentence, in [0, 1]; reads the whole document, however long."""

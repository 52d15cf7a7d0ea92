"""Values for debates about the faithfulness of a summary: turns, rounds, sessions, transcripts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from fallax.core.json_value import JsonValue
from fallax.core.types.messages import Usage
from fallax.errors import UnknownNameError, one_line

__all__ = [
    "FAITHFUL",
    "UNFAITHFUL",
    "Debate",
    "Faithfulness",
    "Round",
    "Session",
    "Transcript",
    "Turn",
    "majority",
]

#: What a judge may say of a summary, and what an agent may be told to believe.
Faithfulness: TypeAlias = Literal["faithful", "unfaithful"]

FAITHFUL: Faithfulness = "faithful"
UNFAITHFUL: Faithfulness = "unfaithful"


def check_label(value: object, where: str) -> Faithfulness | None:
    """Return the label if it is faithful, unfaithful or None; raise UnknownNameError otherwise."""
    if value is None:
        return None
    if value == FAITHFUL:
        return FAITHFUL
    if value == UNFAITHFUL:
        return UNFAITHFUL
    raise UnknownNameError("label", value, (FAITHFUL, UNFAITHFUL), where=where)


def majority(labels: Iterable[Faithfulness | None]) -> Faithfulness | None:
    """The majority label; None for a tie or without votes. None does not vote.

    Examples
    --------
    >>> majority(["faithful", None, "unfaithful", "unfaithful"]), majority(["faithful", "unfaithful"])
    ('unfaithful', None)
    """
    counts = Counter(label for label in labels if label is not None)
    yes, no = counts[FAITHFUL], counts[UNFAITHFUL]
    return None if yes == no else FAITHFUL if yes > no else UNFAITHFUL


@dataclass(frozen=True, slots=True)
class Turn(JsonValue):
    """One message of an agent or an adjudicator in a debate.

    Parameters
    ----------
    agent : its number, from 1.
    label : what it decided; None where its reply could not be read.
    explanation : why, in its own words.
    raw : the reply as it came.
    unreadable : why no label could be read, else "".
    carried : True if ``label`` repeats an earlier one because this reply could not be read (variant ``authors``).
    n_asked : how often it was asked at this place.
    quotes : passages of the summary that it says are at fault, as it wrote them.
    guidelines : guidelines it says it used, where it was asked for them.
    order : for an adjudicator, the order in which it saw the agents.
    model : who answered.
    usage : what the reply, or the replies, cost.
    """

    agent: int
    label: Faithfulness | None
    explanation: str = ""
    raw: str = ""
    unreadable: str = ""
    carried: bool = False
    n_asked: int = 1
    quotes: tuple[str, ...] = ()
    guidelines: tuple[str, ...] = ()
    order: tuple[int, ...] = ()
    model: str = ""
    usage: Usage = field(default_factory=Usage)

    json_names = (
        "agent", "label", "explanation?", "raw?", "unreadable?", "carried?", "model?", "n_asked?",
        "quotes?", "guidelines?", "order?", "usage",
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Round(JsonValue):
    """One round of a debate: a turn of every agent, given at the same time.

    Parameters
    ----------
    turns : by agent number.
    order : the agents in the order in which later rounds see these arguments.
    intervened : True if the agents were asked to be more open to each other in this round.

    Examples
    --------
    >>> Round((Turn(1, "faithful"), Turn(2, None))).agreement is None
    True
    """

    turns: tuple[Turn, ...]
    order: tuple[int, ...] = ()
    intervened: bool = False

    json_names = ("turns", "order", "intervened?")

    @property
    def labels(self) -> tuple[Faithfulness | None, ...]:
        """The label of each agent."""
        return tuple(t.label for t in self.turns)

    @property
    def agreement(self) -> Faithfulness | None:
        """The label that all agents share; None if they differ or one has none."""
        first = self.turns[0].label if self.turns else None
        return first if all(label == first for label in self.labels) else None


@dataclass(frozen=True, slots=True)
class Session(JsonValue):
    """One session of a debate, from initial stances to a label.

    Parameters
    ----------
    stances : what each agent was told to believe at the start; None where it was told nothing.
    rounds : in order, at least one.
    adjudications : what the adjudicators said, if the agents did not agree.
    label : how it ended; None if it stayed undecided.
    decided : "agreement", "adjudication", "majority" (of the agents, variant ``authors``) or "undecided".
    explanation : of one who holds the label.
    """

    stances: tuple[Faithfulness | None, ...]
    rounds: tuple[Round, ...]
    adjudications: tuple[Turn, ...] = ()
    label: Faithfulness | None = None
    decided: Literal["agreement", "adjudication", "majority", "undecided"] = "undecided"
    explanation: str = ""

    json_names = ("label", "decided", "explanation", "stances", "rounds", "adjudications")

    @property
    def turns(self) -> tuple[Turn, ...]:
        """All turns in order, adjudicators last."""
        return (*(t for r in self.rounds for t in r.turns), *self.adjudications)

    @property
    def kept_stances(self) -> bool:
        """True if both stances were assigned and no agent ever changed its own.

        An agent whose label is missing somewhere has not been seen to keep its stance.
        """
        if len(set(self.stances)) < 2 or None in self.stances:
            return False
        return all(r.labels == self.stances and not any(t.carried for t in r.turns) for r in self.rounds)

    @property
    def usage(self) -> Usage:
        """What it cost."""
        return sum((t.usage for t in self.turns), Usage())


@dataclass(frozen=True, slots=True)
class Debate(JsonValue):
    """All sessions about one unit of a summary.

    Parameters
    ----------
    start, end : the stretch, half-open code point offsets into the summary.
    text : the stretch.
    sessions : independent of one another.
    label : of all sessions together; None if undecided.
    vote : "debate" (each session has one vote) or "agent" (each agent has).
    part : which part of a long document was debated, "" where it was debated whole.
    adjudications : by those who read the last arguments of all sessions, where these were tied.
    """

    start: int
    end: int
    text: str
    sessions: tuple[Session, ...]
    label: Faithfulness | None = None
    vote: Literal["debate", "agent"] = "debate"
    part: str = ""
    adjudications: tuple[Turn, ...] = ()

    json_names = ("start", "end", "text", "label", "vote", "part?", "sessions", "adjudications?")

    @property
    def usage(self) -> Usage:
        """What it cost."""
        return sum((s.usage for s in self.sessions), sum((t.usage for t in self.adjudications), Usage()))


@dataclass(frozen=True, slots=True)
class Transcript(JsonValue):
    """The record of a debate about one summary: its settings and everything that was said.

    ``str`` prints it; the text in it is foreign and is shown with control characters escaped.

    Parameters
    ----------
    debates : one per sentence, or one for the whole summary.
    settings : what the debate depended on, seed included.

    Examples
    --------
    >>> rounds = (Round((Turn(1, "faithful", "It says so."),), (1,)),)
    >>> session = Session(("faithful",), rounds, (), "faithful", "agreement")
    >>> print(Transcript((Debate(0, 9, "It rains.", (session,), "faithful"),)))
    It rains.
      session 1
        round 1
          agent 1 (starts faithful): faithful. It says so.
        => faithful, by agreement
      => faithful
    """

    debates: tuple[Debate, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)

    json_names = ("settings", "debates")

    @property
    def sessions(self) -> tuple[Session, ...]:
        """The sessions of all debates."""
        return tuple(s for d in self.debates for s in d.sessions)

    @property
    def usage(self) -> Usage:
        """What it cost."""
        return sum((d.usage for d in self.debates), Usage())

    def __str__(self) -> str:
        lines: list[str] = []
        for debate in self.debates:
            lines.append(one_line(debate.text, 400) + (f" [{debate.part}]" if debate.part else ""))
            for number, session in enumerate(debate.sessions, start=1):
                lines.append(f"  session {number}")
                lines += [f"    {line}" for line in _session_lines(session)]
            lines.append(f"  => {debate.label or 'undecided'}")
        return "\n".join(lines)


def _session_lines(session: Session) -> list[str]:
    lines = []
    for number, a_round in enumerate(session.rounds, start=1):
        lines.append(f"round {number}" + (" (asked to be more open)" if a_round.intervened else ""))
        for turn, stance in zip(a_round.turns, session.stances, strict=True):
            starts = f" (starts {stance})" if number == 1 and stance else ""
            lines.append(f"  agent {turn.agent}{starts}: {_said(turn)}")
    lines += [f"adjudicator {turn.agent}: {_said(turn)}" for turn in session.adjudications]
    how = "" if session.decided == "undecided" else f", by {session.decided}"
    return [*lines, f"=> {session.label or 'undecided'}{how}"]


def _said(turn: Turn) -> str:
    label = turn.label or "no label"
    why = f" [{turn.unreadable}{'; repeats its last label' * turn.carried}]" if turn.unreadable else ""
    return f"{label}{why}. {one_line(turn.explanation, 2000)}".rstrip()

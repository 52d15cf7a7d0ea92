"""Everything that a debate depends on, and the named variants of its rules."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, TypeAlias

from fallax.errors import InputError, UnknownNameError
from fallax.protocols.faithfulness import INTERVENTIONS
from fallax.protocols.guidelines import Guidelines, load_guidelines
from fallax.types import FAITHFUL, UNFAITHFUL, Faithfulness

__all__ = ["VARIANTS", "DebateSettings", "Rules", "Vote", "parse_stances"]

Vote: TypeAlias = Literal["debate", "agent"]
Level: TypeAlias = Literal["sentence", "summary"]


@dataclass(frozen=True, slots=True)
class Rules:
    """What a variant of the debate does where the paper's text and the authors' program differ.

    Parameters
    ----------
    hold_stance : in the first round, ask an agent once more if its label leaves the stance it was given.
    carry_missing : a reply without a label repeats the agent's last one (at first: its stance); else it has none.
    adjudicate : "disagreement": whatever is left after the last round; "tie": only if as many agents are on one side
        as on the other, else the majority of the agents decides.
    tie : what a tie, or no readable answer at all, of adjudicators or of the final vote comes to; None: undecided.
    adjudicators, vote : defaults of the settings of that name.
    """

    hold_stance: bool = False
    carry_missing: bool = False
    adjudicate: Literal["disagreement", "tie"] = "disagreement"
    tie: Faithfulness | None = None
    adjudicators: int = 3
    vote: Vote = "debate"


#: ``definition`` is the text of Koupaee et al. 2025, section 3; ``authors`` is what their program did.
VARIANTS: Mapping[str, Rules] = {
    "definition": Rules(),
    "authors": Rules(True, True, "tie", FAITHFUL, adjudicators=1, vote="agent"),
}


def parse_stances(text: str, agents: int) -> tuple[Faithfulness | None, ...]:
    """How many agents start with which stance; who gets which is drawn at the start of each session.

    Parameters
    ----------
    text : "uniform" (half and half, an odd one unfaithful), "none", or numbers such as "2+/3-".
    agents : how many there are.

    Raises
    ------
    InputError
        If the numbers cannot be read or do not add up to ``agents``.

    Examples
    --------
    >>> parse_stances("uniform", 3)
    ('faithful', 'unfaithful', 'unfaithful')
    >>> parse_stances("3+/1-", 4).count("faithful"), parse_stances("none", 2)
    (3, (None, None))
    """
    if text == "none":
        return (None,) * agents
    if text == "uniform":
        n_faithful, n_unfaithful = agents // 2, agents - agents // 2
    else:
        match = re.fullmatch(r"\s*(\d+)\s*\+\s*[/,]?\s*(\d+)\s*-\s*", text)
        if match is None:
            raise InputError(f"stances must be 'uniform', 'none' or numbers such as '2+/3-', got {text!r}")
        n_faithful, n_unfaithful = int(match[1]), int(match[2])
        if n_faithful + n_unfaithful != agents:
            raise InputError(
                f"stances must be those of {agents} agents, got {text!r}, which is {n_faithful + n_unfaithful}"
            )
    return (FAITHFUL,) * n_faithful + (UNFAITHFUL,) * n_unfaithful


@dataclass(frozen=True, kw_only=True)
class DebateSettings:
    """Everything that a debate depends on besides its models.

    Parameters
    ----------
    agents : at least 2.
    stances : see :func:`parse_stances`.
    rounds : the most rounds of one session, the first one included.
    sessions : independent debates about the same thing.
    vote : how sessions come to one label, "debate" or "agent"; None: as the variant does.
    adjudicators : how many judge what is left undecided; None: as the variant does.
    shuffle : show each round's arguments in an order of its own, and each adjudicator the last ones likewise.
    guidelines : what agents and adjudicators refer to; None: nothing.
    intervene_after : from the round after this one on, agents that still disagree are asked to be more open; None:
        never.
    intervention : what they are told: "goal" (a new goal for the round) or "task" (another task).
    level : "sentence" (a debate per sentence) or "summary" (one about all of it).
    temperature, max_tokens : of every reply.
    seed : of stances, orders, drawn explanations and the models' own draws.
    variant : a key of :data:`VARIANTS`.
    learn : ask agents which guidelines they used.

    Examples
    --------
    >>> DebateSettings(agents=5, stances="2+/3-").n_calls
    (5, 18)
    >>> DebateSettings(variant="authors").vote
    'agent'
    """

    agents: int = 4
    stances: str = "uniform"
    rounds: int = 3
    sessions: int = 1
    vote: Vote | None = None
    adjudicators: int | None = None
    shuffle: bool = True
    guidelines: Guidelines | None = None
    intervene_after: int | None = 2
    intervention: str = "goal"
    level: Level = "sentence"
    temperature: float = 0.7
    max_tokens: int = 1024
    seed: int = 0
    variant: str = "definition"
    learn: bool = False

    def __post_init__(self) -> None:
        if self.variant not in VARIANTS:
            raise UnknownNameError("variant", self.variant, VARIANTS, where="debate")
        rules = self.rules
        if self.vote is None:
            object.__setattr__(self, "vote", rules.vote)
        if self.adjudicators is None:
            object.__setattr__(self, "adjudicators", rules.adjudicators)
        for name, least in (("agents", 2), ("rounds", 1), ("sessions", 1), ("adjudicators", 0), ("max_tokens", 1)):
            value = getattr(self, name)
            if type(value) is not int or value < least:
                raise InputError(f"debate: {name} must be a whole number of at least {least}, got {value!r}")
        if type(self.seed) is not int:
            raise InputError(f"debate: seed must be a whole number, got {self.seed!r}")
        if self.intervene_after is not None and self.intervene_after < 1:
            raise InputError(f"debate: intervene_after must be a round number from 1 on, got {self.intervene_after!r}")
        choices = {"vote": ("debate", "agent"), "intervention": INTERVENTIONS, "level": ("sentence", "summary")}
        for name, allowed in choices.items():
            if getattr(self, name) not in allowed:
                raise UnknownNameError(name, getattr(self, name), allowed, where="debate")
        if not self.temperature >= 0:
            raise InputError(f"debate: temperature must be 0 or more, got {self.temperature!r}")
        parse_stances(self.stances, self.agents)

    @classmethod
    def of(cls, *, guidelines: Guidelines | str | None = "madisse.v1", **settings: Any) -> DebateSettings:
        """Settings with the guidelines of the paper, or others by name or path; ``None`` or "none" for none.

        Examples
        --------
        >>> len(DebateSettings.of().guidelines.items)
        13
        """
        unknown = settings.keys() - {f.name for f in fields(cls)}
        if unknown:
            raise UnknownNameError("setting of a debate", sorted(unknown)[0], [f.name for f in fields(cls)])
        if guidelines == "none":
            guidelines = None
        loaded = load_guidelines(guidelines) if isinstance(guidelines, str) else guidelines
        return cls(guidelines=loaded, **settings)

    def changed(self, **settings: Any) -> DebateSettings:
        """The same with other settings."""
        return replace(self, **settings)

    @property
    def rules(self) -> Rules:
        """The rules of the variant."""
        return VARIANTS[self.variant]

    @property
    def n_calls(self) -> tuple[int, int]:
        """The fewest and the most calls about one sentence (or summary), repeated questions left aside."""
        most = self.sessions * (self.agents * self.rounds + (self.adjudicators or 0))
        return self.sessions * self.agents, most

    def to_dict(self) -> dict[str, Any]:
        """The settings as JSON values; guidelines by name, version and hash."""
        found = {f.name: getattr(self, f.name) for f in fields(self)}
        rules = self.guidelines
        found["guidelines"] = None if rules is None else f"{rules.id}#{rules.hash}"
        return found

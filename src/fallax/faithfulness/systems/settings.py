"""The settings of a debate, and the named variants of its rules."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, ClassVar, Literal, Self, TypeAlias

from fallax.core.types import FAITHFUL, UNFAITHFUL, Faithfulness
from fallax.data.faithfulness import Level
from fallax.errors import InputError, UnknownNameError
from fallax.faithfulness.protocols.faithfulness import INTERVENTIONS
from fallax.faithfulness.protocols.guidelines import Guidelines, load_guidelines

__all__ = ["VARIANTS", "DebateSettings", "Rules", "Vote", "check_count", "check_temperature", "parse_stances"]

Vote: TypeAlias = Literal["debate", "agent"]


@dataclass(frozen=True, slots=True)
class Rules:
    """A variant of the debate, for points where the paper's text and the authors' program differ.

    Parameters
    ----------
    hold_stance : in the first round, ask an agent once more if its label leaves the stance it was given.
    carry_missing : a reply without a label repeats the agent's last one (at first: its stance); else it has none.
    adjudicate : "disagreement": whatever is left after the last round; "tie": only if as many agents are on one side
        as on the other, else the majority of the agents decides.
    tie : what a tie, or no readable answer at all, of adjudicators or of the final vote comes to; None: undecided.
    adjudicators, vote, temperature, top_p : defaults of the settings of that name.
    shuffle_adjudicators : whether adjudicators see the last arguments in orders of their own.
    final_adjudicators : how many judge the last arguments of all sessions where the final vote is a tie.
    """

    hold_stance: bool = False
    carry_missing: bool = False
    adjudicate: Literal["disagreement", "tie"] = "disagreement"
    tie: Faithfulness | None = None
    adjudicators: int = 3
    vote: Vote = "debate"
    temperature: float = 0.7
    top_p: float | None = None
    shuffle_adjudicators: bool = True
    final_adjudicators: int = 0


#: ``definition`` is the text of Koupaee et al. 2025, section 3; ``authors`` is what their program did.
VARIANTS: Mapping[str, Rules] = {
    "definition": Rules(),
    "authors": Rules(
        True,
        True,
        "tie",
        FAITHFUL,
        adjudicators=1,
        vote="agent",
        temperature=1.0,
        top_p=0.9,
        shuffle_adjudicators=False,
        final_adjudicators=3,
    ),
}


def check_count(value: object, name: str, *, least: int, where: str) -> None:
    """Raise InputError unless it is a whole number of at least ``least``.

    Examples
    --------
    >>> check_count(2, "n", least=1, where="self-consistency")
    """
    if type(value) is not int or value < least:
        raise InputError(f"{where}: {name} must be a whole number of at least {least}, got {value!r}")


def check_temperature(value: object, *, where: str) -> None:
    """Raise InputError unless it is a finite number of 0 or more."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
        raise InputError(f"{where}: temperature must be 0 or more, and finite, got {value!r}")


def parse_stances(text: str, agents: int) -> tuple[Faithfulness | None, ...]:
    """How many agents start with each stance; assignments are drawn at the start of each session.

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
        match = re.fullmatch(r"\s*(\d+)\s*\+\s*[/,]?\s*(\d+)\s*-\s*", text) if isinstance(text, str) else None
        if match is None:
            raise InputError(f"stances must be 'uniform', 'none' or numbers such as '2+/3-', got {text!r}")
        n_faithful, n_unfaithful = int(match[1]), int(match[2])
        if n_faithful + n_unfaithful != agents:
            raise InputError(
                f"stances must be those of {agents} agents, got {text!r}, which is {n_faithful + n_unfaithful}"
            )
    return (FAITHFUL,) * n_faithful + (UNFAITHFUL,) * n_unfaithful


#: What is as the variant does where nobody set it.
_OF_VARIANT = ("vote", "adjudicators", "temperature", "top_p")


@dataclass(frozen=True, kw_only=True)
class DebateSettings:
    """All settings of a debate, except its models.

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
    temperature, max_tokens : of every reply; a temperature of None is the variant's.
    top_p : of every reply; None: the variant's, and where that has none the model's own.
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
    temperature: float | None = None
    max_tokens: int = 1024
    seed: int = 0
    variant: str = "definition"
    learn: bool = False
    top_p: float | None = None

    #: What nobody set: vote and adjudicators that are as the variant does, guidelines that :meth:`of` chose.
    _unset: ClassVar[frozenset[str]] = frozenset()
    #: What was named when the settings were made.
    _named: ClassVar[frozenset[str]] = frozenset()

    def __new__(cls, **settings: Any) -> Self:
        """Remember which settings were given."""
        made = super().__new__(cls)
        object.__setattr__(made, "_named", frozenset(settings))
        return made

    def __post_init__(self) -> None:
        choices = {
            "variant": tuple(VARIANTS),
            "vote": (None, "debate", "agent"),
            "intervention": INTERVENTIONS,
            "level": ("sentence", "summary"),
        }
        for name, allowed in choices.items():
            if getattr(self, name) not in allowed:
                known = [x for x in allowed if x is not None]
                raise UnknownNameError(name, getattr(self, name), known, where="debate")
        unset = frozenset(name for name in _OF_VARIANT if getattr(self, name) is None)
        object.__setattr__(self, "_unset", unset)
        for name in unset:
            object.__setattr__(self, name, getattr(self.rules, name))
        for name, least in (("agents", 2), ("rounds", 1), ("sessions", 1), ("adjudicators", 0), ("max_tokens", 1)):
            check_count(getattr(self, name), name, least=least, where="debate")
        if type(self.seed) is not int:
            raise InputError(f"debate: seed must be a whole number, got {self.seed!r}")
        after = self.intervene_after
        if after is not None and (type(after) is not int or after < 1):
            raise InputError(f"debate: intervene_after must be a round number from 1 on, got {after!r}")
        for name in ("shuffle", "learn"):
            if not isinstance(getattr(self, name), bool):
                raise InputError(f"debate: {name} must be true or false, got {getattr(self, name)!r}")
        if not isinstance(self.guidelines, Guidelines | None):
            raise InputError(f"debate: guidelines must be a list's name, a path or none, got {self.guidelines!r}")
        check_temperature(self.temperature, where="debate")
        top_p = self.top_p
        if top_p is not None and (isinstance(top_p, bool) or not isinstance(top_p, int | float) or not 0 < top_p <= 1):
            raise InputError(f"debate: top_p must be above 0 and at most 1, got {top_p!r}")
        parse_stances(self.stances, self.agents)

    @classmethod
    def of(cls, **settings: Any) -> DebateSettings:
        """Make settings from keywords.

        Parameters
        ----------
        settings : those of the class; ``guidelines`` also by name or path, ``None`` or "none" for none. Where they are
            left out, a debate has those of the paper (``madisse.v1``).

        Examples
        --------
        >>> len(DebateSettings.of().guidelines.items)
        13
        """
        unknown = settings.keys() - {f.name for f in fields(cls)}
        if unknown:
            raise UnknownNameError("setting of a debate", sorted(unknown)[0], [f.name for f in fields(cls)])
        rules = settings.get("guidelines", "madisse.v1")
        if isinstance(rules, str | Path):
            rules = None if rules == "none" else load_guidelines(rules)
        made = cls(**{**settings, "guidelines": rules})
        if "guidelines" not in settings:
            object.__setattr__(made, "_unset", made._unset | {"guidelines"})
        return made

    def changed(self, **settings: Any) -> DebateSettings:
        """A copy with other settings; unset ones follow the new variant.

        Examples
        --------
        >>> DebateSettings().changed(variant="authors").adjudicators
        1
        """
        left = self._unset - settings.keys()
        made = replace(self, **{**dict.fromkeys(left - {"guidelines"}), **settings})
        object.__setattr__(made, "_unset", made._unset | left)
        object.__setattr__(made, "_named", self._named | settings.keys())
        return made

    @property
    def given(self) -> frozenset[str]:
        """The names of the settings that were given, whatever their values.

        Examples
        --------
        >>> sorted(DebateSettings.of(sessions=5, agents=4, vote="debate").given)
        ['agents', 'sessions', 'vote']
        """
        return self._named - self._unset

    @property
    def rules(self) -> Rules:
        """The rules of the variant."""
        return VARIANTS[self.variant]

    @property
    def n_calls(self) -> tuple[int, int]:
        """The minimum and maximum number of calls per sentence (or summary), not counting repeated questions."""
        most = self.sessions * (self.agents * self.rounds + (self.adjudicators or 0))
        return self.sessions * self.agents, most + self.rules.final_adjudicators * (self.sessions > 1)

    def to_dict(self) -> dict[str, Any]:
        """The settings as JSON values; guidelines by name, version and hash."""
        found = {f.name: getattr(self, f.name) for f in fields(self)}
        if self.top_p is None:
            del found["top_p"]
        rules = self.guidelines
        found["guidelines"] = None if rules is None else f"{rules.id}#{rules.hash}"
        return found

"""Worlds: invented facts for one pair of texts, the sentences that state them, and two conclusions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from fallax.core.types.logic import Argument, Fact, Phrase
from fallax.oracle import load_rule_base

__all__ = ["KINDS", "Draft", "Kind", "Said", "World"]

Kind = Literal["fallacy", "sound"]
KINDS: tuple[Kind, Kind] = ("fallacy", "sound")


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence with the facts it states.

    Parameters
    ----------
    text : the sentence, with its full stop.
    facts : statements in it; () for one that only sets the scene.
    """

    text: str
    facts: tuple[Fact, ...] = ()


@dataclass(frozen=True, slots=True)
class World:
    """The content of one pair of texts.

    Parameters
    ----------
    id : of the instance in the fact language.
    fallacy : the type, as rules write it.
    place, kind : where it happens: "Alderford", "clinic".
    facts : of each kind of text: everything that is so in its world, stated or not.
    premises : of each kind of text, in order; the same for both but where the type is about a premise itself.
    conclusions : of each kind, as a clause without capital and full stop.
    claims : the conclusions as the rules write them.
    core : what the world is about without its names and numbers; two worlds of one core are one instance.
    """

    id: str
    fallacy: str
    place: str
    kind: str
    facts: Mapping[Kind, tuple[Fact, ...]]
    premises: Mapping[Kind, tuple[Said, ...]]
    conclusions: Mapping[Kind, str]
    claims: Mapping[Kind, Fact]
    core: tuple[str, ...]

    def stated(self, kind: Kind) -> tuple[Fact, ...]:
        """The facts that a text states, without background facts."""
        return tuple(dict.fromkeys(f for said in self.premises[kind] for f in said.facts))

    def declarations(self, kind: Kind) -> tuple[Fact, ...]:
        """The header of an instance and the phrases of its atoms."""
        predicates = load_rule_base("strict").predicates
        return tuple(f for f in self.facts[kind] if predicates[f.predicate].kind != "statement")


@dataclass
class Draft:
    """Builds the facts of a world.

    Examples
    --------
    >>> draft = Draft("x", "false_cause", "hens", "Alderford")
    >>> rain = draft.declare("event", "it rains")
    >>> str(draft.state("follows", rain, draft.declare("event", "the hens lay")))
    'follows(x, e1, e2, true)'
    """

    id: str
    fallacy: str
    topic: str
    place: str
    facts: list[Fact] = field(default_factory=list)
    _names: dict[tuple[str, tuple[str, ...]], str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.facts.append(Fact("instance", (self.id, self.fallacy, Phrase(f"{self.topic}, {self.place}"))))

    def declare(self, sort: str, *phrases: str) -> str:
        """The atom of a phrase; equal phrases of one sort share an atom."""
        known = self._names.get((sort, phrases))
        if known is None:
            known = f"{sort[0]}{len(self._names) + 1}"
            self._names[sort, phrases] = known
            self.facts.append(Fact(sort, (self.id, known, *(Phrase(p) for p in phrases))))
        return known

    def state(self, predicate: str, *args: Argument, truth: bool = True) -> Fact:
        """Add a fact and return it."""
        made = Fact(predicate, (self.id, *args, "true" if truth else "false"))
        if made not in self.facts:
            self.facts.append(made)
        return made

"""Seed facts, their mutants, and an audit for people who write instances."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from fallax.core.types.logic import Derivation, Fact, Quantity
from fallax.oracle._oracle import Oracle, admitted
from fallax.oracle._reader import read_facts
from fallax.oracle._rules import RuleBase, data_file, load_rule_base

__all__ = ["Mutant", "audit", "mutate", "seed_facts"]


def seed_facts(fallacy: str | None = None, *, rule_base: str = "strict") -> tuple[Fact, ...]:
    """The facts that ship with a rule base: instances of one fallacy, or of all.

    Examples
    --------
    >>> {f.args[0] for f in seed_facts("wrong direction")} >= {"wd01", "wd02"}
    True
    """
    base = load_rule_base(rule_base)
    names = base.fallacies if fallacy is None else (base.resolve(fallacy),)
    folder = "instances" if base.instances else f"{base.name}_examples"
    text = "\n".join(data_file(folder).joinpath(f"{name}.facts").read_text(encoding="utf-8") for name in names)
    return read_facts(text, rule_base=base, strict=True).facts


@dataclass(frozen=True, slots=True)
class Mutant:
    """A set of facts with one fact dropped or flipped."""

    how: Literal["drop", "flip"]
    fact: Fact
    facts: tuple[Fact, ...]

    def __str__(self) -> str:
        return f"{self.how} {self.fact}"


def mutate(facts: Iterable[Fact], *, rule_base: str = "strict") -> Iterator[Mutant]:
    """Every set of facts that differs by one statement: one dropped, or one with its truth value flipped.

    Declarations are left as they are: without one, the reader refuses every fact that needs it.

    Examples
    --------
    >>> [str(m) for m in mutate([Fact("case", ("x", "tom", "dog", "false"))])]
    ['drop case(x, tom, dog, false)', 'flip case(x, tom, dog, false)']
    """
    base = load_rule_base(rule_base)
    every = tuple(facts)
    for place, fact in enumerate(every):
        if base.predicates[fact.predicate].kind == "statement":
            yield Mutant("drop", fact, every[:place] + every[place + 1 :])
            if base.instances and fact.truth is not None:
                yield Mutant("flip", fact, (*every[:place], fact.flipped(), *every[place + 1 :]))


def audit(facts: str | Iterable[Fact], *, oracle: Oracle | None = None) -> tuple[str, ...]:
    """List the problems of some instances, for the people who write them.

    Looks for refused facts, an instance without a fallacy or without a sound twin, a statement that no derivation
    uses, a declaration that no statement uses, a sort's phrase that ends in a full stop, and a conclusion that is
    still reached when one of the facts behind it is dropped or flipped.

    Parameters
    ----------
    facts : facts of the strict rule base, or a text of them.
    oracle : what to ask; a new strict one by default. Needs SWI-Prolog.

    Returns
    -------
    tuple of str : one line per problem, () if there is none.
    """
    oracle = oracle or Oracle()
    if isinstance(facts, str):
        reading = read_facts(facts, rule_base=oracle.rule_base)
        if reading.refused:
            return tuple(str(r) for r in reading.refused)
        facts = reading.facts
    found = admitted(facts, oracle.rule_base)
    groups: dict[str, list[Fact]] = defaultdict(list)
    for fact in found:
        groups[str(fact.args[0])].append(fact)
    derived: dict[str, list[Derivation]] = defaultdict(list)
    for d in oracle.check(found, limit=10 * len(found) + 1):
        derived[d.instance].append(d)
    problems: list[str] = []
    for instance, group in groups.items():
        problems += _gaps(instance, group, derived[instance], oracle.rule_base)
    return (*problems, *_survivors(groups, derived, oracle))


def _gaps(instance: str, group: list[Fact], derived: list[Derivation], base: RuleBase) -> Iterator[str]:
    for kind, words in (("fallacy", "a fallacy"), ("sound", "a sound twin")):
        if not any(d.kind == kind for d in derived):
            yield f"{instance}: must yield {words}, found none"
    used = {fact for d in derived for fact in d.facts}
    named = {
        a.unit if isinstance(a, Quantity) else a
        for f in group
        if base.predicates[f.predicate].kind == "statement"
        for a in f.args[1:]
    }
    for fact in group:
        kind = base.predicates[fact.predicate].kind
        if kind == "statement" and fact not in used:
            yield f"{instance}: no derivation uses {fact}; remove it or complete what it belongs to"
        elif kind == "declaration":
            if fact.args[1] not in named:
                yield f"{instance}: nothing uses the {fact.predicate} {fact.args[1]}"
            for phrase in fact.args[2:]:
                if str(phrase).rstrip('"').endswith((".", "!", "?")) and fact.predicate not in ("quote", "figure"):
                    yield f"{instance}: the phrase of {fact.args[1]} must not end a sentence, found {phrase}"


def _survivors(groups: dict[str, list[Fact]], derived: dict[str, list[Derivation]], oracle: Oracle) -> Iterator[str]:
    """All mutants of all instances in one check, each as an instance of its own."""
    every: list[Fact] = []
    mutants: dict[str, tuple[str, Mutant]] = {}
    for instance, group in groups.items():
        for mutant in mutate(group, rule_base=oracle.rule_base.name):
            name = f"{instance}_m{len(mutants)}"
            mutants[name] = (instance, mutant)
            every += [Fact(f.predicate, (name, *f.args[1:])) for f in mutant.facts]
    reached: dict[str, set[tuple[str, Fact]]] = defaultdict(set)
    for d in oracle.check(every, limit=10 * len(every) + 1):
        reached[d.instance].add((d.kind, d.conclusion))
    for name, (instance, mutant) in mutants.items():
        for d in derived[instance]:
            if mutant.fact in d.facts and (d.kind, d.conclusion) in reached[name]:
                yield f"{instance}: {d.kind} {d.conclusion} is still reached after: {mutant}"

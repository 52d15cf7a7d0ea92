"""The oracle: derives fallacies and sound twins from facts."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from pathlib import Path

from fallax.core.types.logic import Derivation, Fact
from fallax.errors import InputError, LogicError, one_line
from fallax.oracle._admit import Placed, admit
from fallax.oracle._process import OracleLimits, Term, ask, to_argument, to_fact
from fallax.oracle._reader import read_facts
from fallax.oracle._rules import Phrases, RuleBase, load_rule_base

__all__ = ["Oracle", "admitted", "dress"]

#: Most solutions from which a seeded sample is drawn if there are no instances.
SAMPLED_FROM = 100_000


def admitted(facts: str | Iterable[Fact], rule_base: RuleBase) -> tuple[Fact, ...]:
    """The facts as a tuple, if the rule base accepts every one of them.

    Raises
    ------
    LogicError
        For the first fact it does not admit.
    """
    if isinstance(facts, str | bytes):
        return read_facts(facts, rule_base=rule_base, strict=True).facts
    found, refused = admit([Placed(f) for f in facts], rule_base)
    if refused:
        more = f"; {len(refused) - 1} more refused" if len(refused) > 1 else ""
        raise LogicError(f"fact {refused[0].text}: {refused[0].reason}{more}")
    return found


def shuffled(facts: Sequence[Fact], seed: int) -> list[Fact]:
    """The facts with whole instances in a seeded order."""
    groups: dict[object, list[Fact]] = {}
    for fact in facts:
        groups.setdefault(fact.args[0], []).append(fact)
    order = list(groups.values())
    random.Random(seed).shuffle(order)
    return [fact for group in order for fact in group]


def statements(facts: Iterable[Fact], rule_base: RuleBase) -> list[Fact]:
    """The facts that rules read: statements and the headers of instances."""
    return [f for f in facts if rule_base.predicates[f.predicate].kind != "declaration"]


def dress(found: Derivation, phrases: Phrases) -> Derivation:
    """The derivation with its sentences."""
    return Derivation(
        found.fallacy,
        found.kind,
        found.instance,
        found.rule,
        found.conclusion,
        found.facts,
        found.slots,
        tuple(phrases.reading(f) for f in found.facts),
        phrases.conclusion(found.instance, found.conclusion),
        phrases.used(found.instance, found.facts),
        found.rule_base,
    )


def _derivation(term: Term, rule_base: RuleBase) -> Derivation:
    """Convert a solution of the engine: d(Type, Kind, Rule, Instance, Conclusion, Slots, Facts)."""
    match term:
        case ("d", [str(fallacy), "fallacy" | "sound" as kind, str(rule), str(name), goal, list(slots), list(facts)]):
            return Derivation(
                fallacy,
                "fallacy" if kind == "fallacy" else "sound",
                name,
                rule,
                to_fact(goal),
                tuple(to_fact(f) for f in facts),
                {str(slot): to_argument(value) for slot, value in zip(slots[::2], slots[1::2], strict=True)},
                rule_base=str(rule_base),
            )
        case _:
            raise LogicError(f"the engine's answer holds no derivation: {one_line(term)}")


class Oracle:
    """Derives the fallacies and the sound twins of a set of facts, with proofs.

    Every check runs in a SWI-Prolog process of its own; an oracle has no state and may be used from many threads.

    Parameters
    ----------
    rule_base : "strict" (default), "paper" for the schemas of Xu et al. 2025 as printed, or a folder with rules of your
        own; see ``docs/extend/rule.md``.
    limits : what one check may use.
    swipl : the SWI-Prolog program, where it is not on the path.

    Raises
    ------
    UnknownNameError
        If there is no such rule base.

    References
    ----------
    Z. Xu et al. (2025). Socrates or Smartypants: Testing Logic Reasoning Capabilities of Large Language Models with
    Logic Programming-Based Test Oracles. arXiv:2504.12312.

    Examples
    --------
    >>> oracle = Oracle()
    >>> print(oracle.rule_base, oracle.rule_base.schema("WD").meaning)
    strict@1 of two things seen together, the one that depends on the other is called its cause
    """

    def __init__(
        self, rule_base: str | Path = "strict", *, limits: OracleLimits | None = None, swipl: str | Path | None = None
    ) -> None:
        self.rule_base: RuleBase = load_rule_base(rule_base)
        self.limits = limits or OracleLimits()
        self.swipl = swipl

    def __repr__(self) -> str:
        return f"Oracle({self.rule_base.name!r})"

    def check(
        self,
        facts: str | Iterable[Fact],
        fallacy: str | None = None,
        *,
        limit: int = 10_000,
        seed: int | None = None,
    ) -> tuple[Derivation, ...]:
        """Derive every conclusion of some facts.

        Parameters
        ----------
        facts : facts, a reading of facts, or a text of facts (read strictly).
        fallacy : look for one type only; all by default.
        limit : the most derivations to hand back.
        seed : visit the instances in a random order that this number fixes, so that ``limit`` takes a sample;
            by default they are visited as they stand. A rule base without instances samples its solutions.

        Returns
        -------
        tuple of Derivation : fallacies and sound twins, each once.

        Raises
        ------
        LogicError
            If a fact is not admitted, or a limit is reached.
        MissingExtraError
            If SWI-Prolog is not installed.
        """
        if type(limit) is not int or limit < 1:
            raise InputError(f"oracle: limit must be a whole number of 1 or more, got {limit!r}")
        wanted = None if fallacy is None else self.rule_base.resolve(fallacy)
        found = admitted(facts, self.rule_base)
        phrases = Phrases(self.rule_base, found)
        sent = statements(found, self.rule_base)
        most = limit
        if seed is not None and self.rule_base.instances:
            sent = shuffled(sent, seed)
        elif seed is not None:
            most = max(limit, SAMPLED_FROM)
        answer = ask(self.rule_base, sent, fallacy=wanted, limit=most, limits=self.limits, swipl=self.swipl)
        derivations = list(dict.fromkeys(_derivation(term, self.rule_base) for term in answer.solutions))
        if self.rule_base.instances:
            return tuple(dress(d, phrases) for d in derivations)
        if seed is not None:
            random.Random(seed).shuffle(derivations)
        return tuple(derivations[:limit])

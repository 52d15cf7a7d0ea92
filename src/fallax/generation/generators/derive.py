"""Derives fallacies with sound twins from facts, and lists the claims they make about the world."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from fallax.core.types.generation import WorldClaim
from fallax.core.types.logic import Derivation, Fact
from fallax.errors import UnknownNameError
from fallax.oracle import Oracle, Phrases, check_by_joins, load_rule_base

__all__ = ["EVALUATORS", "Evaluator", "TwinPair", "claims_of", "derive_pairs"]

Evaluator: TypeAlias = Literal["swipl", "joins"]

#: Who evaluates the rules: SWI-Prolog, or the joins in Python, which need nothing installed and serve small sets.
EVALUATORS: tuple[Evaluator, ...] = ("swipl", "joins")

#: Statements that say what an argument puts forward, or that are computed: no claims about the world.
_NO_CLAIMS = frozenset({"offered", "pooled", "rests_on", "shared_out", "taken_as"})

#: The most derivations taken from one set of facts.
MAX_DERIVATIONS = 100_000


@dataclass(frozen=True, slots=True)
class TwinPair:
    """A fallacy, and its sound twin if its instance yields one."""

    fallacy: Derivation
    twin: Derivation | None = None


def derive_pairs(
    facts: Iterable[Fact],
    fallacy: str,
    *,
    seed: int = 0,
    rules: str = "strict",
    evaluator: Evaluator = "swipl",
    limit: int = MAX_DERIVATIONS,
) -> tuple[TwinPair, ...]:
    """All fallacies of one type in some facts, in a seeded order, each with its most similar twin.

    Parameters
    ----------
    facts : admitted by the rule base.
    fallacy : one type.
    seed : of the order, and of the choice between twins that are equally alike.
    rules : the rule base; there are twins in "strict" only.
    evaluator : see :data:`EVALUATORS`.
    limit : the most pairs.

    Raises
    ------
    LogicError
        If a fact is not admitted, or the engine reaches a limit.
    MissingExtraError
        If SWI-Prolog is asked for and not installed; the message names its package.

    Examples
    --------
    >>> from fallax.oracle import seed_facts
    >>> pair = derive_pairs(seed_facts("inverse error"), "IE", evaluator="joins")[0]
    >>> pair.fallacy.rule, pair.twin.rule
    ('inverse', 'contrapositive')
    """
    if evaluator not in EVALUATORS:
        raise UnknownNameError("evaluator", evaluator, EVALUATORS)
    name = load_rule_base(rules).resolve(fallacy)
    given = tuple(facts)
    found: Sequence[Derivation]
    if evaluator == "joins":
        found = [d for d in check_by_joins(given, rule_base=rules) if d.fallacy == name]
    else:
        found = Oracle(rules).check(given, name, limit=MAX_DERIVATIONS)
    twins: dict[str, list[Derivation]] = defaultdict(list)
    for d in found:
        if d.kind == "sound":
            twins[d.instance].append(d)
    fallacies = sorted((d for d in found if d.kind == "fallacy"), key=str)
    random.Random(f"{seed} {name}").shuffle(fallacies)
    return tuple(TwinPair(d, _most_like(d, twins[d.instance], seed)) for d in fallacies[:limit])


def _most_like(fallacy: Derivation, twins: Sequence[Derivation], seed: int) -> Derivation | None:
    """The twin that shares the most slots with a fallacy."""
    if not twins:
        return None
    pairs = fallacy.slots.items()
    ordered = sorted(twins, key=str)
    random.Random(f"{seed} {fallacy}").shuffle(ordered)
    return max(ordered, key=lambda t: sum(t.slots.get(name) == value for name, value in pairs))


def claims_of(derivation: Derivation) -> tuple[WorldClaim, ...]:
    """The claims of a derivation that no rule can decide: one per fact about the world.

    What the argument only puts forward (the options it offers, what it rests on, how it takes a quote) and checked
    arithmetic are no claims. A derivation of a rule base without phrases has none that could be read.

    Examples
    --------
    >>> from fallax.oracle import seed_facts
    >>> pair = derive_pairs(seed_facts("false premise"), "FP", evaluator="joins", seed=2)[0]
    >>> [c.text for c in claims_of(pair.fallacy)][1:]  # doctest: +ELLIPSIS
    ['it is true that ...', 'it is not true that ...']
    """
    if not derivation.phrases:
        return ()
    said = Phrases.of_derivation(load_rule_base("strict"), derivation)
    return tuple(
        WorldClaim(said.reading(fact), said.reading(fact.flipped()))
        for fact in derivation.facts
        if fact.predicate not in _NO_CLAIMS
    )

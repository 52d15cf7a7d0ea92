"""The rules in Prolog and the joins in Python derive the same from any facts."""

import random
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fallax.core.types.logic import Argument, Derivation, Fact, Phrase, PredicateSchema, Quantity
from fallax.oracle import Oracle, check_by_joins, load_rule_base, mutate, seed_facts
from fallax.oracle._admit import Placed, admit
from tests.unit.oracle.support import needs_swipl

pytestmark = needs_swipl
#: How many atoms of a sort there are; two where not said. Small pools make facts meet.
POOL = {"claim": 3, "event": 3, "proposition": 4, "atom": 3, "action": 1}
STRICT, PAPER = load_rule_base("strict"), load_rule_base("paper")


def drawn(sort: str, instance: str, rng: random.Random) -> Argument:
    if sort == "instance":
        return instance
    if sort == "truth":
        return "true" if rng.random() < 0.7 else "false"
    if sort == "number":
        return Fraction(rng.choice([0, 1, 2, 2, 3, 3]))
    if sort == "quantity":
        return Quantity(Fraction(rng.choice([1, 1, 2, 3, 6])), "unit0")
    return f"{sort}{rng.randrange(POOL.get(sort, 2))}"


def statement(schema: PredicateSchema, instance: str, rng: random.Random) -> Fact:
    return Fact(schema.name, tuple(drawn(a.sort, instance, rng) for a in schema.arguments))


def strict_facts(fallacy: str, seed: int, n: int = 12) -> tuple[Fact, ...]:
    """Some instances with random statements, as far as the rule base admits them."""
    rng = random.Random(seed)
    schema, made = STRICT.schemas[fallacy], []
    for i in range(n):
        name = f"i{i}"
        made.append(Fact("instance", (name, fallacy, Phrase("a topic"))))
        for sort in schema.declarations:
            n_phrases = len(sort.arguments) - 2
            made += [Fact(sort.name, (name, f"{sort.name}{k}", *[Phrase(f"p{k}")] * n_phrases)) for k in range(4)]
        made += [statement(rng.choice(schema.predicates), name, rng) for _ in range(rng.randrange(6, 40))]
    return admit([Placed(f) for f in dict.fromkeys(made)], STRICT)[0]


def compared(oracle: Oracle, facts: tuple[Fact, ...], fallacy: str | None = None) -> tuple[Derivation, ...]:
    found = oracle.check(facts, fallacy, limit=1_000_000)
    second = check_by_joins(facts, fallacy, rule_base=oracle.rule_base.name)
    assert len(set(found)) == len(found)
    assert set(found) == set(second)
    return found


@pytest.mark.parametrize("fallacy", STRICT.fallacies)
@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_both_derive_the_same_from_random_facts(fallacy: str, seed: int) -> None:
    found = compared(Oracle(), strict_facts(fallacy, seed))
    for d in found:
        other = "sound" if d.kind == "fallacy" else "fallacy"
        assert not any((e.kind, e.instance, e.conclusion) == (other, d.instance, d.conclusion) for e in found)


@pytest.mark.parametrize("fallacy", STRICT.fallacies)
def test_random_facts_are_not_empty_of_arguments(fallacy: str) -> None:
    found = [d for seed in range(12) for d in check_by_joins(strict_facts(fallacy, seed))]
    assert {d.kind for d in found} == {"fallacy", "sound"}


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_both_derive_the_same_by_the_schemas_of_the_paper(seed: int) -> None:
    rng = random.Random(seed)
    predicates = list(PAPER.predicates.values())
    made = dict.fromkeys(statement(rng.choice(predicates), "", rng) for _ in range(rng.randrange(200)))
    compared(Oracle("paper"), tuple(made))
    compared(Oracle("paper"), tuple(made), "false_cause_alphabetical")


@pytest.mark.parametrize("rule_base", ["strict", "paper"])
def test_both_derive_the_same_from_what_ships(rule_base: str) -> None:
    assert compared(Oracle(rule_base), seed_facts(rule_base=rule_base))


def test_both_derive_the_same_from_mutants() -> None:
    groups: dict[str, list[Fact]] = {}
    for fallacy in STRICT.fallacies:
        facts = seed_facts(fallacy)
        for name in list(dict.fromkeys(str(f.args[0]) for f in facts))[:3]:
            groups[name] = [f for f in facts if f.args[0] == name]
    every = []
    for name, group in groups.items():
        for n, mutant in enumerate(mutate(group)):
            every += [Fact(f.predicate, (f"{name}_{n}", *f.args[1:])) for f in mutant.facts]
    assert len(compared(Oracle(), tuple(every))) > 200

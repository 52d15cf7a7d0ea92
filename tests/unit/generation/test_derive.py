"""Pairs of fallacy and twin, and the claims behind them."""

import random

import pytest

from fallax.errors import MissingExtraError, UnknownNameError
from fallax.generation.generators import claims_of, derive_pairs
from fallax.generation.generators.derive import Evaluator
from fallax.oracle import load_rule_base, seed_facts
from tests.unit.oracle.support import needs_swipl

FALLACIES = load_rule_base("strict").fallacies


@pytest.mark.parametrize("fallacy", FALLACIES)
def test_every_shipped_fallacy_has_a_twin_of_its_instance(fallacy: str) -> None:
    pairs = derive_pairs(seed_facts(fallacy), fallacy, evaluator="joins")
    assert len({p.fallacy.instance for p in pairs}) == len({f.args[0] for f in seed_facts(fallacy)})
    for pair in pairs:
        assert pair.twin is not None
        assert (pair.fallacy.kind, pair.twin.kind) == ("fallacy", "sound")
        assert pair.fallacy.instance == pair.twin.instance
        assert pair.fallacy.conclusion != pair.twin.conclusion


def test_the_twin_is_the_one_most_like_the_fallacy() -> None:
    for pair in derive_pairs(seed_facts("IT"), "IT", evaluator="joins"):
        assert pair.twin is not None
        assert pair.twin.slots["antecedent"] == pair.fallacy.slots["antecedent"]


def test_the_order_is_that_of_the_seed_and_not_of_the_facts() -> None:
    facts = list(seed_facts("FS"))
    first = derive_pairs(facts, "FS", seed=3, evaluator="joins")
    assert first == derive_pairs(facts, "FS", seed=3, evaluator="joins")
    groups: dict[object, list[object]] = {}
    for fact in facts:
        groups.setdefault(fact.args[0], []).append(fact)
    names = list(groups)
    random.Random(1).shuffle(names)
    shuffled = [f for name in names for f in facts if f.args[0] == name]
    assert {p.fallacy.instance for p in derive_pairs(shuffled, "FS", seed=3, evaluator="joins")} == set(groups)
    assert derive_pairs(shuffled, "FS", seed=3, evaluator="joins") == first


@needs_swipl
@pytest.mark.parametrize("fallacy", FALLACIES)
def test_both_evaluators_give_the_same_pairs(fallacy: str) -> None:
    facts = seed_facts(fallacy)
    assert derive_pairs(facts, fallacy, seed=5) == derive_pairs(facts, fallacy, seed=5, evaluator="joins")


def test_claims_are_what_the_facts_say_about_the_world() -> None:
    (pair,) = derive_pairs([f for f in seed_facts("FD") if f.args[0] == "fd01"], "FD", evaluator="joins")
    claims = claims_of(pair.fallacy)
    assert len(claims) == len(pair.fallacy.facts) - 1  # what the argument offers is no claim
    assert claims[0].text == "it is not so that Ann drives to work, because Ann has no driving licence"
    assert claims[0].denied == "it cannot be ruled out that Ann drives to work, because Ann has no driving licence"
    assert all(c.confirmed is None and c.text != c.denied for c in claims)


def test_unknown_evaluators_and_missing_prolog_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    bad: Evaluator = "clingo"  # type: ignore[assignment]
    with pytest.raises(UnknownNameError, match="unknown evaluator 'clingo'"):
        derive_pairs(seed_facts("FS"), "FS", evaluator=bad)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingExtraError, match="swi-prolog-nox"):
        derive_pairs(seed_facts("FS"), "FS")

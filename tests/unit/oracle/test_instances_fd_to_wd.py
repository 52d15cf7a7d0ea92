"""The shipped instances of seven types, false dilemma to wrong direction: how many, what they yield, how they read."""

import collections
import re

import pytest

from fallax.core.types.logic import Fact, Phrase
from fallax.oracle import Oracle, OracleLimits, load_rule_base, seed_facts
from tests.unit.oracle.support import needs_swipl

BASE = load_rule_base("strict")
TYPES = (
    "false_dilemma",
    "false_premise",
    "improper_distribution_or_addition",
    "improper_transposition",
    "inverse_error",
    "nominal_fallacy",
    "wrong_direction",
)
MIN_INSTANCES = 40

#: How a phrase of a sort begins, where the sort asks for something that can be seen.
BEGINS = {
    "thing": r"(an?|the|his|her|[A-Z]\w+) ?",
    "action": r"\w+ing\b",
    "measure": r"of \w",
}


def groups(fallacy: str) -> dict[str, list[Fact]]:
    found = collections.defaultdict(list)
    for fact in seed_facts(fallacy):
        found[str(fact.args[0])].append(fact)
    return found


def phrases(fallacy: str) -> list[tuple[Fact, str]]:
    return [(f, a.text) for f in seed_facts(fallacy) for a in f.args if isinstance(a, Phrase)]


@pytest.mark.parametrize("fallacy", TYPES)
def test_there_are_enough_instances_numbered_in_order(fallacy: str) -> None:
    names = list(groups(fallacy))
    assert len(names) >= MIN_INSTANCES
    assert names == [f"{BASE.schemas[fallacy].abbreviation.lower()}{n:02d}" for n in range(1, len(names) + 1)]


@needs_swipl
def test_each_yields_one_fallacy_and_a_twin_with_another_conclusion() -> None:
    facts = [fact for fallacy in TYPES for fact in seed_facts(fallacy)]
    conclusions = collections.defaultdict(set)
    fallacies = collections.Counter[str]()
    for d in Oracle(limits=OracleLimits(wall_seconds=60)).check(facts):
        conclusions[d.instance, d.kind].add(d.conclusion)
        fallacies[d.instance] += d.kind == "fallacy"
    for fallacy in TYPES:
        for name in groups(fallacy):
            assert fallacies[name] == 1, name
            assert conclusions[name, "sound"], name
            assert not conclusions[name, "fallacy"] & conclusions[name, "sound"], name


@pytest.mark.parametrize("fallacy", TYPES)
def test_no_two_instances_are_about_the_same(fallacy: str) -> None:
    topics = collections.Counter(str(f.args[2]) for f in seed_facts(fallacy) if f.predicate == "instance")
    assert [t for t, n in topics.items() if n > 1] == []
    words = {
        name: frozenset(
            w for f in facts for a in f.args if isinstance(a, Phrase) for w in re.findall(r"\w{4,}", a.text)
        )
        for name, facts in groups(fallacy).items()
    }
    names = list(words)
    alike = [
        (a, b)
        for n, a in enumerate(names)
        for b in names[n + 1 :]
        if len(words[a] & words[b]) > 0.6 * min(len(words[a]), len(words[b]))
    ]
    assert alike == []


@pytest.mark.parametrize("fallacy", TYPES)
def test_phrases_fit_into_a_sentence(fallacy: str) -> None:
    for fact, text in phrases(fallacy):
        assert re.fullmatch(r"\S+( \S+)*", text), fact
        assert not re.search(r"[“”‘’\t]| ,|,,|\b(\w+) \1\b", text), fact
        assert not text.endswith((".", ",", ";", ":", "!", "?")), fact
        assert not re.match(r"(The|An?|It|There|This|That|When|If|Every|No|Nobody|Some|All) ", text), fact
        assert re.match(BEGINS.get(fact.predicate, ""), text), fact


@pytest.mark.parametrize("fallacy", ["improper_transposition", "inverse_error"])
def test_a_denied_proposition_is_the_same_clause(fallacy: str) -> None:
    for fact in seed_facts(fallacy):
        if fact.predicate == "proposition":
            one, other = (a.text.split() for a in fact.args if isinstance(a, Phrase))
            assert one != other, fact
            assert len(set(one) & set(other)) >= len(set(one)) / 2, fact


def test_doses_follow_actions_that_have_none() -> None:
    for fact in seed_facts("improper_distribution_or_addition"):
        if fact.predicate == "action":
            assert not re.search(r"\bwith\b|\d", str(fact.args[2]).replace("with its interest", "")), fact

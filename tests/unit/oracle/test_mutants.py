"""Mutation tests: no fact of an instance and no condition of a rule is idle.

``test_every_condition_is_needed`` drops each condition of each rule, one at a time, and demands that the changed rule
file derives something else from the shipped instances, from their mutants, or from the cases written here.
"""

import collections
from pathlib import Path

import pytest

from fallax.core.types.logic import Fact
from fallax.oracle import Oracle, mutate, seed_facts
from fallax.oracle._oracle import statements
from fallax.oracle._process import to_fact
from tests.unit.oracle.conditions import BASE, PAGE, RULES, changed_rules, conditions_of, corpus
from tests.unit.oracle.support import needs_swipl, solutions, verdicts


def test_every_rule_of_the_schemas_is_found_in_the_file() -> None:
    found = collections.Counter(fallacy for fallacy, *_ in RULES)
    assert found == {name: len(schema.rules) for name, schema in BASE.schemas.items()}
    assert {(f, r) for f, r, *_ in RULES} == {(f, r) for f, s in BASE.schemas.items() for r in s.rules}


@needs_swipl
@pytest.mark.parametrize("fallacy", BASE.fallacies)
def test_every_condition_is_needed(fallacy: str, tmp_path: Path) -> None:
    facts = corpus(fallacy)
    right = verdicts(facts, fallacy)
    tried = [
        (rule, dropped, verdicts(facts, fallacy, path)) for rule, dropped, path in changed_rules(fallacy, tmp_path)
    ]
    assert len(tried) >= 2 * len(BASE.schemas[fallacy].rules)
    assert [f"{rule} without {dropped}" for rule, dropped, now in tried if now == right] == []


def test_the_table_of_conditions_has_every_condition() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for _, rule, _, body in RULES:
        for condition in conditions_of(body):
            assert f"| {rule} | `{' '.join(condition.split())}` | " in text


#: Parts of the rule file outside the rules: (fallacy that shows it, what stands there, what it is changed to).
CHANGES = [
    ("false_premise", "vetoed(_, I, C) :- stated(I, C, true).", ""),
    ("false_analogy", "vetoed(sound, I, C) :- stated(I, C, false).", ""),
    ("false_analogy", "vetoed(sound, I, C)", "vetoed(_, I, C)"),
    ("accident_fallacy", "\\+ argument(Type, Other, _, I, C, _, _)", "true"),
    ("false_cause", "opposite(fallacy, sound).", ""),
    ("false_cause", "opposite(sound, fallacy).", ""),
    ("false_analogy", "stated(I, has(X, P), Truth) :- has(I, X, P, Truth).", ""),
    ("false_cause", "stated(I, causes(A, B), Truth) :- causes(I, A, B, _, Truth).", ""),
    ("false_premise", "stated(I, holds(G), Truth) :- holds(I, G, _, Truth).", ""),
    ("false_dilemma", "stated(I, holds(G), false) :- ruled_out(I, G, _, true).", ""),
    ("improper_distribution_or_addition", "stated(I, gives(A, D, E, M), Truth) :- gives(I, A, D, E, M, Truth).", ""),
    ("improper_distribution_or_addition", "gives(I, A, D, Other, M, true), Other \\== E", "fail"),
    ("improper_transposition", "stated(I, implies(A, B), true) :- implies(I, A, B, true).", ""),
    ("improper_distribution_or_addition", "N >= 2, ", ""),
    ("improper_distribution_or_addition", "integer(N), ", ""),
    ("improper_distribution_or_addition", "product(q(X, U), N, q(Y, U))", "product(q(X, _), N, q(Y, _))"),
    ("improper_distribution_or_addition", "Y is X rdiv N", "Y is X // N"),
    ("begging_the_question", "circle(I, A, C, Used) :- grounded(I, A, W, false),", "circle(I, A, C, Used) :- W = w,"),
    ("begging_the_question", ", once(grounded(I, B, W, false))", ", W = w"),
    ("begging_the_question", "arrives(ends, I, A, [grounded(I, A, W, true)]) :- grounded(I, A, W, true).", ""),
    ("inverse_error", "incoherent(I) :- implies(I, A, B, false), \\+ possible(I, [A-true, B-false]).", ""),
    ("inverse_error", "\\+ possible(I, Literals)", "fail"),
    ("inverse_error", "Known == V, close", "close"),
    ("inverse_error", "append(More, Rest, Next)", "Next = Rest"),
    ("improper_transposition", "append(More, Rest, Next)", "Next = Rest"),
    ("inverse_error", "arrives(leads(C), I, A, [implies(I, A, C, true)]) :- implies(I, A, C, true).", ""),
]


@needs_swipl
@pytest.mark.parametrize(("fallacy", "old", "new"), CHANGES, ids=[f"{c[0]}: {c[1][:50]}" for c in CHANGES])
def test_every_change_of_the_rule_file_shows(fallacy: str, old: str, new: str, tmp_path: Path) -> None:
    assert old in BASE.rules
    path = tmp_path / "changed.pl"
    path.write_text(BASE.rules.replace(old, new), encoding="utf-8")
    facts = corpus(fallacy)
    assert verdicts(facts, fallacy, rules=str(path)) != verdicts(facts, fallacy)


@needs_swipl
@pytest.mark.parametrize("fallacy", BASE.fallacies)
def test_dropping_or_flipping_a_fact_ends_every_conclusion_that_used_it(fallacy: str) -> None:
    facts = seed_facts(fallacy)
    before = collections.defaultdict(list)
    for d in Oracle().check(facts, fallacy):
        before[d.instance].append(d)
    used = {fact for found in before.values() for d in found for fact in d.facts}
    assert used == {f for f in facts if BASE.predicates[f.predicate].kind == "statement"}
    groups = collections.defaultdict(list)
    for fact in statements(facts, BASE):
        groups[str(fact.args[0])].append(fact)
    mutants = {f"{name}_{n}": m for name, group in groups.items() for n, m in enumerate(mutate(group))}
    renamed = [Fact(f.predicate, (name, *f.args[1:])) for name, m in mutants.items() for f in m.facts]
    after = collections.defaultdict(set)
    for term in solutions(renamed, fallacy):
        assert isinstance(term, tuple)
        after[str(term[1][3])].add((term[1][1], to_fact(term[1][4])))
    for name, mutant in mutants.items():
        for d in before[str(mutant.fact.args[0])]:
            if mutant.fact in d.facts:
                assert (d.kind, d.conclusion) not in after[name], f"{d} survives {mutant}"


@needs_swipl
@pytest.mark.parametrize("fallacy", BASE.fallacies)
def test_no_mutant_is_both_for_one_conclusion(fallacy: str) -> None:
    facts = corpus(fallacy)
    kinds = collections.defaultdict(set)
    for kind, instance, conclusion in verdicts(facts, fallacy):
        kinds[instance, conclusion].add(kind)
    assert kinds
    assert all(len(k) == 1 for k in kinds.values())

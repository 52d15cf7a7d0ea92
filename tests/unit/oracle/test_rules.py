"""Rule bases and the sentences made from facts."""

import re
from fractions import Fraction

from fallax.core.types.logic import Fact, Negation, Phrase, Quantity
from fallax.oracle import load_rule_base
from fallax.oracle._rules import Phrases

BASE = load_rule_base("strict")
PHRASES = Phrases(
    BASE,
    [
        Fact("unit", ("x", "foot", Phrase("foot"), Phrase("feet"))),
        Fact("proposition", ("x", "rain", Phrase("it rains"), Phrase("it does not rain"))),
        Fact("thing", ("x", "walk", Phrase("the walk at noon"))),
    ],
)


def test_phrases_of_every_kind_of_argument() -> None:
    assert PHRASES.of("x", "rain") == "it rains"
    assert PHRASES.of("x", Negation("rain")) == "it does not rain"
    assert PHRASES.of("x", Quantity(Fraction(1), "foot")) == "1 foot"
    assert PHRASES.of("x", Quantity(Fraction(3, 2), "foot")) == "1.5 feet"
    assert PHRASES.of("x", Fraction(7)) == "7"
    assert PHRASES.of("x", Phrase("as it stands")) == "as it stands"


def test_an_atom_without_a_phrase_reads_as_it_is_written() -> None:
    assert PHRASES.of("y", "rain_today") == "rain today"
    assert PHRASES.of("y", Negation("rain_today")) == "not: rain today"
    assert PHRASES.of("y", Quantity(Fraction(2), "foot")) == "2 foot"


def test_a_statement_reads_by_its_truth() -> None:
    assert PHRASES.reading(Fact("case", ("x", "walk", "rain", "true"))) == "in the case of the walk at noon, it rains"
    denied = PHRASES.reading(Fact("case", ("x", "walk", "rain", "false")))
    assert denied == "in the case of the walk at noon, it does not rain"


def test_the_facts_that_rule_files_accept_are_those_of_the_schemas() -> None:
    for name in ("strict", "paper"):
        base = load_rule_base(name)
        (listed,) = re.findall(r"^:- facts\(\[(.*?)\]\)\.", base.rules, re.MULTILINE | re.DOTALL)
        written = {part.strip() for part in listed.split(",")}
        known = {f"{p.name}/{p.arity}" for p in base.predicates.values() if p.kind == "statement"}
        assert written == known | ({"instance/2"} if base.instances else set())


def test_every_statement_belongs_to_a_fallacy() -> None:
    for name in ("strict", "paper"):
        base = load_rule_base(name)
        used = {p.name for s in base.schemas.values() for p in s.predicates}
        assert used == {p.name for p in base.predicates.values() if p.kind == "statement"}


def test_both_rule_bases_name_their_fallacies() -> None:
    assert len(BASE.fallacies) == 14
    assert set(load_rule_base("paper").fallacies) == set(BASE.fallacies) - {
        "equivocation", "nominal_fallacy", "false_dilemma",
    }  # fmt: skip

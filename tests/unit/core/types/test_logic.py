"""Facts, readings and derivations as values."""

import json
from fractions import Fraction

import pytest

from fallax.core.types import Derivation, Fact, FactReading, Negation, Phrase, Quantity, Refusal
from fallax.errors import InputError, LogicError

FACT = Fact("pooled", ("x", "it's", Phrase('say "hi" \\'), Fraction(3), Quantity(Fraction(1, 3), "l"), "true"))
DERIVATION = Derivation(
    "inverse_error",
    "fallacy",
    "x",
    "inverse",
    Fact("implies", (Negation("a"), Negation("b"))),
    (Fact("implies", ("x", "a", "b", "true")), Fact("case", ("x", "w", "a", "false"))),
    {"antecedent": "a", "n": Fraction(2)},
    ('if "a" <then> b', "not a\\"),
    "if not a, then not b",
    {"a": "it is a"},
    "strict@1",
)


def test_a_fact_prints_in_its_language() -> None:
    assert str(FACT) == 'pooled(x, \'it\\\'s\', "say \\"hi\\" \\\\", 3, q(1/3, l), true)'
    assert str(Fact("halt")) == "halt"
    assert str(DERIVATION.conclusion) == "implies(not(a), not(b))"


def test_whole_numbers_become_exact_numbers() -> None:
    (number,) = Fact("p", (3,)).args  # type: ignore[arg-type]
    assert number == Fraction(3)
    assert isinstance(number, Fraction)


@pytest.mark.parametrize("args", [(1.5,), (None,), (True,), ("",), (["a"],)])
def test_a_fact_takes_only_its_kinds_of_arguments(args: tuple[object, ...]) -> None:
    with pytest.raises(LogicError, match="argument 1 must be a name"):
        Fact("p", args)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["", 3, None])
def test_a_fact_needs_a_name(name: object) -> None:
    with pytest.raises(LogicError, match="the predicate must be a name"):
        Fact(name)  # type: ignore[arg-type]


def test_truth_and_flip() -> None:
    fact = Fact("p", ("x", "false"))
    assert fact.truth is False
    assert fact.flipped() == Fact("p", ("x", "true"))
    assert fact.flipped().flipped() == fact
    assert (Fact("p", ("x",)).truth, Fact("p").truth, Fact("p", (Fraction(1),)).truth) == (None, None, None)
    with pytest.raises(LogicError, match="only a fact that ends in true or false"):
        Fact("p", ("x",)).flipped()


def test_json_round_trips() -> None:
    assert Fact.from_dict(json.loads(json.dumps(FACT.to_dict()))) == FACT
    assert Derivation.from_json(DERIVATION.to_json()) == DERIVATION
    assert hash(Derivation.from_json(DERIVATION.to_json())) == hash(DERIVATION)
    reading = FactReading((FACT,), (Refusal(1, 2, "why", "what"),), 1)
    assert FactReading.from_dict(json.loads(json.dumps(reading.to_dict()))) == reading


def test_foreign_json_is_refused() -> None:
    for argument in (["a"], {"name": "a"}, None):
        with pytest.raises(InputError, match="an argument must be"):
            Fact.from_dict({"predicate": "p", "args": [argument]})
    for number in ("x", "1/0", "9" * 10_000, None):
        with pytest.raises(InputError, match="a number must be written"):
            Fact.from_dict({"predicate": "p", "args": [{"number": number}]})
    with pytest.raises(InputError, match="kind must be fallacy or sound"):
        Derivation.from_dict(DERIVATION.to_dict() | {"kind": "benign"})


def test_a_proof_as_text() -> None:
    assert DERIVATION.to_text().splitlines() == [
        "fallacy inverse_error, instance x",
        '  1. implies(x, a, b, true)  -- if "a" <then> b',
        "  2. case(x, w, a, false)  -- not a\\",
        "  therefore, by rule inverse from 1, 2 (not valid):",
        "  3. implies(not(a), not(b))  -- if not a, then not b",
    ]


def test_a_proof_as_dot_escapes_its_texts() -> None:
    dot = DERIVATION.to_dot().splitlines()
    assert dot[0] == "digraph derivation {"
    assert dot[-1] == "}"
    assert '  f1 [label="if \\"a\\" <then> b"];' in dot
    assert '  f2 [label="not a\\\\"];' in dot
    assert "  rule -> conclusion [style=dashed];" in dot


def test_a_proof_as_mermaid_escapes_its_texts() -> None:
    mermaid = DERIVATION.to_mermaid().splitlines()
    assert mermaid[0] == "flowchart TD"
    assert '  f1["if &quot;a&quot; &lt;then&gt; b"]' in mermaid
    assert "  rule -.-> conclusion" in mermaid


def test_a_sound_proof_has_solid_lines() -> None:
    sound = Derivation.from_dict(DERIVATION.to_dict() | {"kind": "sound"})
    assert "rule -> conclusion [style=solid]" in sound.to_dot()
    assert "rule --> conclusion" in sound.to_mermaid()
    assert "(valid)" in sound.to_text()


def test_a_reading_is_a_sequence_of_its_facts() -> None:
    reading = FactReading((FACT,))
    assert (list(reading), len(reading)) == ([FACT], 1)


def test_a_refusal_says_where() -> None:
    assert str(Refusal(3, 4, "must be b", "a")) == "line 3, column 4: must be b (in: a)"
    assert str(Refusal(0, 0, "must be b")) == "must be b"


@pytest.mark.parametrize("number", [Fraction(10**100), Fraction(-(10**5000)), Fraction(1, 10**100)])
def test_a_number_stays_printable(number: Fraction) -> None:
    for argument in (number, Quantity(number, "u")):
        with pytest.raises(LogicError, match="at most 100 digits"):
            Fact("p", (argument,))

"""What the reader accepts, and where and why it refuses the rest."""

from fractions import Fraction

import pytest

from fallax.core.types.logic import Fact, Phrase, Quantity
from fallax.errors import LogicError, UnknownNameError
from fallax.oracle import Oracle, ReadLimits, load_rule_base, read_facts, seed_facts

HEAD = 'instance(x, fallacy_of_composition, "t").\nthing(x, cork, "a cork").\nthing(x, jar, "a jar").\n'


def refusals(text: str, rule_base: str = "strict") -> list[tuple[int, int, str]]:
    return [(r.line, r.column, r.reason) for r in read_facts(text, rule_base=rule_base).refused]


def test_read_facts_gives_every_kind_of_argument() -> None:
    facts = read_facts(
        'instance(id, improper_distribution_or_addition, "a \\"topic\\" with a \\\\").\n'
        'action(id, run, "running"). unit(id, km, "kilometre", "kilometres"). unit(id, \'l/h\', "x", "y").\n'
        "pooled(id, run, q(2.50, km), 4, q(10, km), true)."
    ).facts
    assert facts[0].args[2] == Phrase('a "topic" with a \\')
    assert facts[3].args[1] == "l/h"
    assert facts[4] == Fact(
        "pooled", ("id", "run", Quantity(Fraction(5, 2), "km"), Fraction(4), Quantity(Fraction(10), "km"), "true")
    )


def test_read_facts_accepts_what_it_prints() -> None:
    facts = seed_facts()
    assert read_facts("\n".join(f"{f}." for f in facts), strict=True).facts == facts


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_line_endings_and_byte_order_mark_are_accepted(end: str) -> None:
    text = ("\ufeff" + HEAD.replace("\n", end) + "% comment" + end).encode()
    assert len(read_facts(text)) == 3
    assert read_facts(text).refused == ()


def test_order_of_facts_does_not_matter() -> None:
    lines = [f"{f}." for f in seed_facts("false cause")]
    assert read_facts("\n".join(reversed(lines))).n_refused == 0


def test_all_refusals_are_reported_in_order_of_place() -> None:
    found = refusals(
        HEAD + "part_of(x, cork, jar, true)\npart_of(x, Cork, jar, true).\nnothing(x).\n has(x, cork, true).\n"
    )
    assert [(line, column) for line, column, _ in found] == [(5, 1), (6, 1), (7, 2)]


def test_refusals_are_capped_and_counted() -> None:
    reading = read_facts("nothing(x).\n" * 500, limits=ReadLimits(max_refused=7))
    assert (len(reading.refused), reading.n_refused) == (7, 500)


@pytest.mark.parametrize(
    ("line", "column", "reason"),
    [
        ('instance(y, no_fallacy_at_all, "t").', 13, "must be one of rule base"),
        ('instance(x, false_cause, "t").', 10, "must be opened once"),
        ('thing(x, cork, "again").', 10, "must be declared once"),
        ('property(x, cork, "again").', 13, "must be declared once"),
        ('thing(x, stopper, "The cork").', 19, "must differ in words from 'cork'"),
        ('thing(z, lid, "a lid").', 7, "must be opened by instance"),
        ('event(x, e, "it rains").', 7, "must hold only declarations of"),
        ("causes(x, a, b, r, true).", 8, "must hold only statements of"),
        ("part_of(x, cork, lid, true).", 18, "must be declared: thing(x, lid, ...)"),
        ("has(x, cork, jar, true).", 14, "must be a property, found a thing"),
        ("part_of(x, cork, cork, true).", 18, "part and whole of part_of must differ"),
        ("part_of(x, cork, jar).", 1, "must have 4 arguments"),
        ("part_of(x, cork, jar, true).has(x).", 28, "must be followed by a blank"),
        ("part_of(x, cork, jar, yes).", 23, "must end in true or false"),
        ("part_of(x, cork, jar, 1).", 23, "must be true or false"),
        ('part_of(x, "cork", jar, true).', 12, "must be the name of a thing"),
        ("part_of(x, 7, jar, true).", 12, "must be the name of a thing"),
        ("thing(x, lid, lid).", 15, "must be a phrase in double quotes"),
        ('thing(x, lid, "  ").', 15, "at least one character"),
        ("part_of(x, cork, jar", 21, "found the end of the text"),
        ("thing(x, lid, “a lid”).", 15, "must have straight quotation marks (\"), found '“'"),
        ('thing(x, Lid, "a lid").', 10, "found a variable; a name begins with a small letter"),
        ("has(x, cork, q(jar, km), true).", 16, "expected the number of a quantity"),
        ("part_off(x, cork, jar, true).", 1, "did you mean 'part_of'?"),
    ],
)
def test_admission_refuses_with_place_and_reason(line: str, column: int, reason: str) -> None:
    (found,) = refusals(HEAD + line)
    assert found[:2] == (4, column)
    assert reason in found[2]


def test_a_repeated_fact_is_refused_once() -> None:
    found = refusals(HEAD + "part_of(x, cork, jar, true).\npart_of(x, cork, jar, true).\n")
    assert [(line, reason[:28]) for line, _, reason in found] == [(5, "a fact must be stated once, ")]


def test_of_a_contradiction_neither_side_counts() -> None:
    reading = read_facts(HEAD + "part_of(x, cork, jar, true).\npart_of(x, cork, jar, false).\n")
    assert [r.line for r in reading.refused] == [4, 5]
    assert all(f.predicate != "part_of" for f in reading)


def test_the_same_statement_with_another_reason_is_a_repetition_or_a_contradiction() -> None:
    head = 'instance(x, false_premise, "t"). claim(x, c, "c"). reason(x, r, "r"). reason(x, s, "s").\n'
    assert len(read_facts(head + "holds(x, c, r, true).\nholds(x, c, s, true).").refused) == 1
    assert len(read_facts(head + "holds(x, c, r, true).\nholds(x, c, s, false).").refused) == 2


def test_a_refused_header_takes_its_instance_along() -> None:
    reading = read_facts(HEAD.replace("fallacy_of_composition", "nonsense"))
    assert (len(reading), reading.n_refused) == (0, 3)


def test_units_of_quantities_must_be_declared() -> None:
    found = refusals(
        'instance(i, improper_distribution_or_addition, "t"). action(i, a, "a").\n'
        "pooled(i, a, q(2, m), 3, q(6, m), true)."
    )
    assert [(line, column) for line, column, _ in found] == [(2, 14)]


def test_an_instance_holds_a_bounded_number_of_facts() -> None:
    many = "".join(f'thing(x, t{n}, "thing {n}").\n' for n in range(400))
    reading = read_facts('instance(x, false_analogy, "t").\n' + many)
    assert len(reading) == 301
    assert "at most 300 facts" in reading.refused[0].reason


def test_limits_on_text_and_facts() -> None:
    assert read_facts(HEAD, limits=ReadLimits(max_bytes=20)).refused[0].reason.startswith("a text of facts must be at")
    reading = read_facts(HEAD, limits=ReadLimits(max_facts=2))
    assert (len(reading), reading.refused[0].line) == (2, 3)


def test_strict_reading_raises_at_the_first_place() -> None:
    with pytest.raises(LogicError, match=r"line 4, column 18: .*; 1 more refused") as caught:
        read_facts(HEAD + "part_of(x, cork, Jar, true).\nnothing(x).", strict=True)
    assert (caught.value.line, caught.value.column) == (4, 18)


def test_facts_as_values_are_admitted_by_the_same_rules() -> None:
    with pytest.raises(LogicError, match="must be declared"):
        Oracle().check([*read_facts(HEAD), Fact("part_of", ("x", "cork", "lid", "true"))])


@pytest.mark.parametrize(
    "fact",
    [
        Fact("thing", ("x", "a\n:- halt", Phrase("a"))),
        Fact("thing", ("x", "a" * 201, Phrase("a"))),
        Fact("thing", ("x", "a", Phrase("\ud800"))),
        Fact("thing", ("x", "a", Phrase("a" * 1001))),
    ],
)
def test_values_that_no_text_could_give_are_refused(fact: Fact) -> None:
    with pytest.raises(LogicError, match="must be short and printable"):
        Oracle().check([*read_facts(HEAD), fact])


@pytest.mark.parametrize("number", [Fraction(10**18), Fraction(1, 10**18), Fraction(-(10**90))])
def test_huge_numbers_as_values_are_refused(number: Fraction) -> None:
    fact = Fact("gives", ("x", "a", Quantity(number, "u"), Quantity(Fraction(1), "u"), "m", "true"))
    with pytest.raises(LogicError, match="must be short and printable"):
        Oracle().check([fact])


def test_the_paper_rule_base_reads_its_own_predicates_only() -> None:
    assert refusals("cause(a, b).", "paper") == []
    assert refusals("cause(a, b, true).", "paper")[0][:2] == (1, 1)
    assert refusals("cause(a, 7).", "paper")[0][:2] == (1, 10)
    assert refusals("together(x, a, b, true).", "paper")[0][:2] == (1, 1)
    assert refusals("cause(a, b).\ncause(a, b).", "paper")[0][:2] == (2, 1)


def test_names_of_rule_bases_and_fallacies() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'strict'"):
        load_rule_base("strickt")
    base = load_rule_base("strict")
    assert base.schema("False Cause") is base.schema("FS") is base.schema("false_cause")
    with pytest.raises(UnknownNameError, match="did you mean 'false_cause'"):
        base.schema("false_causes")


def test_every_predicate_of_a_schema_has_a_reading_for_each_truth() -> None:
    for schema in load_rule_base("strict").schemas.values():
        for predicate in schema.predicates:
            names = {a.name for a in predicate.arguments}
            for template in (predicate.reads, predicate.denies):
                used = {t.removeprefix("not ") for t in _slots(template)}
                assert used
                assert used <= names
            assert predicate.reads != predicate.denies


def _slots(template: str) -> list[str]:
    return [part.split("}")[0] for part in template.split("{")[1:]]

"""What the oracle derives; expected conclusions are worked out by hand from the facts."""

import collections
import threading

import pytest

from fallax.core.types.logic import Derivation, Fact, Phrase
from fallax.errors import InputError, LogicError, UnknownNameError
from fallax.oracle import Oracle, OracleLimits, audit, check_by_joins, mutate, read_facts, seed_facts
from tests.unit.oracle.support import loose, needs_swipl, verdicts

pytestmark = needs_swipl

#: The conclusions of the first shipped instance of each type: fallacy, then twin.
EXPECTED = {
    "accident_fallacy": ("has(guide_dog, stay_off)", "has(poodle, stay_off)"),
    "improper_distribution_or_addition": (
        "gives(brushing, q(14, minute), q(7, day), clean_teeth)",
        "gives(brushing, q(14, minute), q(84, litre), tap_water)",
    ),
    "false_cause": ("causes(ice_cream, drownings)", "causes(swimmers, drownings)"),
    "false_analogy": ("has(coconut, gives_birth)", "has(coconut, uneven)"),
    "false_premise": ("holds(much_potassium)", "holds(lemon_ripe)"),
    "fallacy_of_composition": ("has(bottle, floats)", "has(bottle, weighs_gram)"),
    "begging_the_question": ("holds(book_true)", "holds(book_old)"),
    "contextomy": ("holds(stay_in_bed)", "holds(apply_soon)"),
    "inverse_error": ("implies(not(dog), not(animal))", "implies(not(animal), not(dog))"),
    "improper_transposition": ("implies(wet, rain)", "implies(not(wet), not(rain))"),
    "wrong_direction": ("causes(mill_turns, wind_blows)", "causes(wind_blows, mill_turns)"),
    "equivocation": ("has(lighthouse, easy_to_lift)", "has(feather, easy_to_lift)"),
    "nominal_fallacy": ("holds(socks_help)", "holds(talk_helps)"),
    "false_dilemma": ("holds(on_foot)", "holds(car_broken)"),
}


@pytest.mark.parametrize("fallacy", EXPECTED)
def test_shipped_instance_yields_fallacy_and_twin(fallacy: str) -> None:
    facts = seed_facts(fallacy)
    found = [d for d in Oracle().check(facts, fallacy) if d.instance == facts[0].args[0]]
    wrong, right = EXPECTED[fallacy]
    assert [str(d.conclusion) for d in found if d.kind == "fallacy"] == [wrong]
    assert right in [str(d.conclusion) for d in found if d.kind == "sound"]
    for d in found:
        assert set(d.facts) <= set(facts)
        assert d.rule in Oracle().rule_base.schema(fallacy).rules
        assert len(d.readings) == len(d.facts)
        assert "{" not in "".join((*d.readings, d.conclusion_reading))


@pytest.mark.parametrize("abbreviation", ["AF", "BQ", "CT", "EC", "FC", "FA", "FS"])
def test_at_least_forty_instances_ship_each_on_a_topic_of_its_own(abbreviation: str) -> None:
    facts = seed_facts(abbreviation)
    headers = [f.args for f in facts if f.predicate == "instance"]
    assert len(headers) >= 40
    assert len({str(topic).casefold() for _, _, topic in headers}) == len(headers)
    found = collections.Counter((d.instance, d.kind) for d in Oracle().check(facts, abbreviation))
    assert found == {(name, kind): 1 for name, _, _ in headers for kind in ("fallacy", "sound")}
    said = collections.Counter(
        (f.predicate, str(f.args[2])) for f in facts if f.predicate not in ("instance", "word") and len(f.args) == 3
    )
    assert [words for words, times in said.items() if times > 1] == []


def test_all_shipped_instances_pass_the_audit() -> None:
    assert audit(seed_facts(), oracle=Oracle(limits=OracleLimits(wall_seconds=60))) == ()


def test_audit_names_what_is_missing_and_idle() -> None:
    text = "\n".join(f"{f}." for f in seed_facts("wrong direction") if f.args[0] == "wd01")
    text = text.replace("depends(wd01, mill_turns, wind_blows, sails, true).", "")
    text += '\nevent(wd01, idle, "it snows.").'
    found = audit(text)
    assert "wd01: must yield a fallacy, found none" in found
    assert "wd01: must yield a sound twin, found none" in found
    assert "wd01: nothing uses the event idle" in found
    assert any("must not end a sentence" in line for line in found)
    assert any("no derivation uses together(" in line for line in found)
    assert audit("nothing(x).")[0].startswith("line 1, column 1: ")


def test_audit_names_a_fact_that_can_go() -> None:
    text = "\n".join(f"{f}." for f in seed_facts("false cause") if f.args[0] == "fs01")
    text += """
    event(fs01, thirst, "people are thirsty"). reason(fs01, salt, "salt makes thirsty").
    reason(fs01, no, "it is not so").
    causes(fs01, thirst, drownings, salt, true). persists(fs01, ice_cream, drownings, thirst, no, false).
    """
    assert any("fallacy causes(ice_cream, drownings) is still reached after: drop" in line for line in audit(text))


def test_flipping_the_discriminating_fact_turns_fallacy_into_twin() -> None:
    facts = list(seed_facts("accident fallacy"))
    place = next(n for n, f in enumerate(facts) if f.predicate == "excepted" and f.args[2] == "guide_dog")
    facts[place] = facts[place].flipped()
    found = {(d.kind, str(d.conclusion)) for d in Oracle().check(facts) if d.instance == "af01"}
    assert found == {("sound", "has(guide_dog, stay_off)"), ("sound", "has(poodle, stay_off)")}


def test_nothing_is_joined_across_instances() -> None:
    parts = loose("""
        instance(a, wrong_direction). instance(b, wrong_direction).
        together(a, m, w, true). depends(a, m, w, r, true). depends(b, w, m, s, false). together(b, m, w, true).
    """)
    assert verdicts(parts, "wrong_direction") == set()


@pytest.mark.parametrize(
    ("fallacy", "facts"),
    [
        ("accident_fallacy", "demands(a, r, p, true). covers(a, r, c, true)."),
        ("begging_the_question", "rests_on(a, c, b, true). rests_on(a, b, c, true)."),
        ("false_cause", "follows(a, e, f, true). causes(a, g, f, w, true)."),
        ("false_premise", "licenses(a, p, o, g, true). holds(a, o, w, true)."),
        ("false_dilemma", "offered(a, p, q, true). ruled_out(a, p, w, true)."),
        ("wrong_direction", "together(a, e, f, true). depends(a, e, f, w, true)."),
    ],
)
def test_truth_is_not_assumed_from_absence(fallacy: str, facts: str) -> None:
    assert verdicts(loose(f"instance(a, {fallacy}). {facts}"), fallacy) == set()


#: Facts that look like a fallacy and are none: (why, type, facts of instance i).
BENIGN = [
    (
        "seven times two is not fifteen",
        "ID",
        "pooled(i, a, q(2, u), 7, q(15, u), true). gives(i, a, q(2, u), q(1, v), m, true).",
        "adds_up(i, a, m, w, false).",
    ),
    (
        "minutes do not become hours by multiplying",
        "ID",
        "pooled(i, a, q(2, u), 7, q(14, t), true). gives(i, a, q(2, u), q(1, v), m, true).",
        "adds_up(i, a, m, w, false).",
    ),
    (
        "the dose that is pooled is not the dose that is known to work",
        "ID",
        "pooled(i, a, q(2, u), 7, q(14, u), true). gives(i, a, q(3, u), q(1, v), m, true).",
        "adds_up(i, a, m, w, false).",
    ),
    (
        "even and divisible by two: the inverse is true, so the named case cannot exist",
        "IE",
        "implies(i, even, div2, true). implies(i, div2, even, true).",
        "case(i, w, even, false). case(i, w, div2, true).",
    ),
    (
        "the converse is entailed by a chain",
        "IT",
        "implies(i, a, b, true). implies(i, r, b, true). implies(i, b, c, true). implies(i, c, a, true).",
        "case(i, w, a, false). case(i, w, r, true).",
    ),
    (
        "the whole is said to have the property after all",
        "FC",
        "part_of(i, c, o, true). has(i, c, p, true).",
        "carries_over(i, p, c, o, w, false). has(i, o, p, true).",
    ),
    (
        "the event itself is known to be a cause",
        "FS",
        "follows(i, a, b, true). causes(i, a, b, v, true). causes(i, c, b, v, true).",
        "persists(i, a, b, c, w, false).",
    ),
    (
        "a claim on the circle has a ground of its own",
        "BQ",
        "rests_on(i, c, a, true). rests_on(i, a, c, true).",
        "grounded(i, a, w, true).",
    ),
    (
        "the options are said to be all there are",
        "FD",
        "offered(i, a, b, true). ruled_out(i, a, u, true).",
        "exhaustive(i, a, b, w, true). third(i, a, b, c, v, true).",
    ),
    (
        "the word is used in one sense only",
        "EC",
        "true_of(i, p, s, true). means(i, t, s, true). means(i, t, r, true).",
        "falls_under(i, x, r, w, true).",
    ),
    (
        "the literal reading is meant",
        "NF",
        "literal(i, f, l, true). meant(i, f, l, w, true).",
        "figurative(i, f, m, true). entails(i, l, g, true).",
    ),
]


@pytest.mark.parametrize(("why", "fallacy", "facts", "more"), BENIGN, ids=[b[0] for b in BENIGN])
def test_benign_facts_are_no_fallacy(why: str, fallacy: str, facts: str, more: str) -> None:
    name = Oracle().rule_base.resolve(fallacy)
    found = verdicts(loose(f"instance(i, {name}). {facts} {more}"), name)
    assert "fallacy" not in {kind for kind, _, _ in found}, why


def test_a_cycle_of_implications_ends() -> None:
    ring = " ".join(f"implies(i, p{n}, p{(n + 1) % 50}, true)." for n in range(50))
    found = verdicts(loose(f"instance(i, improper_transposition). {ring}"), "improper_transposition")
    assert len(found) == 100  # per implication: the contrapositive, and the converse, which the ring entails


def test_dense_support_graphs_end() -> None:
    edges = " ".join(f"rests_on(i, c{a}, c{b}, true)." for a in range(16) for b in range(16) if a != b)
    bare = " ".join(f"grounded(i, c{a}, w, false)." for a in range(16))
    found = verdicts(loose(f"instance(i, begging_the_question). {edges} {bare}"), "begging_the_question")
    assert len(found) == 16  # every claim rests on itself


def test_distribution_is_exact() -> None:
    facts = loose("""
        instance(i, improper_distribution_or_addition). shared_out(i, a, q(0.3, u), 3, q(0.1, u), true).
        gives(i, a, q(0.3, u), q(1, v), m, true). adds_up(i, a, m, w, false).
    """)
    (found,) = verdicts(facts, "improper_distribution_or_addition")
    assert "('q', [Fraction(1, 3), 'v'])" in found[2]


def test_adding_true_facts_of_other_instances_changes_nothing() -> None:
    alone = Oracle().check(seed_facts("false cause"))
    assert [d for d in Oracle().check(seed_facts()) if d.fallacy == "false_cause"] == list(alone)


def test_limit_and_seed() -> None:
    oracle, facts = Oracle(), seed_facts()
    everything = oracle.check(facts)
    assert oracle.check(facts, limit=5) == everything[:5]
    one, two = oracle.check(facts, limit=5, seed=1), oracle.check(facts, limit=5, seed=2)
    assert one == oracle.check(facts, limit=5, seed=1)
    assert one != two
    assert set(one) <= set(everything)
    assert set(oracle.check(facts, seed=3)) == set(everything)


@pytest.mark.parametrize("limit", [0, -1, 1.5, True])
def test_limit_must_be_a_positive_whole_number(limit: object) -> None:
    with pytest.raises(InputError, match="limit must be a whole number"):
        Oracle().check(seed_facts("FS"), limit=limit)  # type: ignore[arg-type]


def test_unknown_fallacy_is_named() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'false_cause'"):
        Oracle().check(seed_facts("FS"), "false_cuase")


def test_no_facts_give_no_derivations() -> None:
    assert Oracle().check([]) == ()
    assert Oracle().check("") == ()


def test_a_text_of_facts_can_be_checked_directly() -> None:
    facts = seed_facts("WD")
    assert Oracle().check("\n".join(f"{f}." for f in facts)) == Oracle().check(facts)
    with pytest.raises(LogicError, match="line 1, column 1"):
        Oracle().check("nothing(x).")


def test_atoms_of_any_spelling_survive_the_way_there_and_back() -> None:
    odd = "it's 100% \\ (a, b). :- halt é ☃ [] {} 'q'"
    facts = [Fact(f.predicate, tuple(odd if a == "mill_turns" else a for a in f.args)) for f in seed_facts("WD")]
    found = Oracle().check(facts)
    assert found[0].conclusion == Fact("causes", (odd, "wind_blows"))
    assert set(found[0].facts) <= set(facts)
    assert read_facts("\n".join(f"{f}." for f in facts), strict=True).facts == tuple(facts)


def test_an_oracle_may_be_used_from_many_threads() -> None:
    oracle, facts = Oracle(), seed_facts("FP")
    right, found = oracle.check(facts), []
    threads = [threading.Thread(target=lambda: found.append(oracle.check(facts))) for _ in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert found == [right] * 8


def test_slots_hold_the_arguments() -> None:
    d = Oracle().check(seed_facts("WD"), limit=1)[0]
    assert d.slots == {
        "dependent": "mill_turns", "source": "wind_blows", "mechanism": "sails", "reason": "mill_stopped",
    }  # fmt: skip
    assert d.phrases["mill_turns"] == "the windmill turns"
    assert Derivation.from_json(d.to_json()) == d


def test_the_paper_rule_base_gives_the_solutions_of_its_examples() -> None:
    found = collections.defaultdict(list)
    for d in Oracle("paper").check(seed_facts(rule_base="paper")):
        found[d.rule].append(", ".join(str(a) for a in d.conclusion.args))
    # The tuples that definitions 4 to 14 of the paper name; R-IT holds for both conditions of its example.
    assert found == {
        "R-AF": ["shampoo_bottle, lather_rinse_repeat, wash_once_or_twice, infinite_washing"],
        "R-ID": ["2_mins, 14_mins, teeth_health_for_that_day, teeth_health_for_one_week"],
        "R-FA": ["kid, kidney, kid_word, grow_into_adult"],
        "R-FP": [
            "people_has_two_lungs, two_lungs_breathe_out_carbon_dioxide, lung_number_influence_carbon_number,"
            " people_can_have_one_lung, one_lung_breathe_out_carbon_monoxide"
        ],
        "R-FC": ["chimney, survives_fire, building"],
        "R-BQ": ["bible_true, bible_word_of_god"],
        "R-CT": ["time_is_money, time_is_slower_in_third_world_countries"],
        "R-IE": ["cycling_backwards, gain_weight"],
        "R-IT": ["rainy_days, wet_ground", "sprinklers_on, wet_ground"],
        "R-WD": ["mirror_looks_like_eye, move_eye_close_to_mirror"],
        "R-FS": ["lightbulb_switch, darkness_emission"],
    }


@pytest.mark.parametrize(
    ("fallacy", "facts", "n"),
    [
        ("AF", "has_rule(o, r). rule_reasonable_interpretation(r, i). rule_unreasonable_interpretation(r, i).", 0),
        ("ID", "has_effect(x, a, e). has_effect(x, d, f). valid_accumulate(a, r, d). valid_accumulate(e, r, f).", 0),
        ("FA", "has_property(p, x). has_property(q, x). has_property(p, y). has_property(q, y).", 0),
        ("IE", "implies(a, b). implies(b, a). complement_cases(a, c). complement_cases(b, d).", 0),
        ("IT", "implies(a, b). implies(x, b). implies(a, m). implies(m, x).", 0),
        ("IT", "implies(a, b). implies(x, b). implies(b, c). implies(c, b).", 2),
        ("WD", "cause(x, p). cause(z, p).", 0),
        ("WD", "cause(x, p). cause(p, x).", 0),
        ("FS", "happen_at(s, t). happen_at(s, e). real_cause(t, e).", 0),
        ("FS", "happen_at(s, e). happen_at(s, t). real_cause(x, e).", 0),
        ("FS-alphabetical", "happen_at(s, e). happen_at(s, t). real_cause(x, t).", 1),
        ("FS-alphabetical", "happen_at(s, t). happen_at(s, e). real_cause(x, e).", 0),
    ],
)
def test_conditions_of_the_paper(fallacy: str, facts: str, n: int) -> None:
    assert len(Oracle("paper").check(facts, fallacy)) == n


def test_variants_are_looked_for_only_by_name() -> None:
    text = "happen_at(s, e). happen_at(s, t). real_cause(x, e). real_cause(x, t)."
    assert {d.fallacy for d in Oracle("paper").check(text)} == {"false_cause"}
    assert "false_cause_alphabetical" not in Oracle("paper").rule_base.fallacies


def test_a_seeded_sample_of_the_paper_does_not_change_the_order_of_events() -> None:
    text = "\n".join(f"happen_at(s, e{n})." for n in range(10)) + "\nreal_cause(x, e9)."
    every = Oracle("paper").check(text)
    assert len(every) == 9
    sample = Oracle("paper").check(text, limit=4, seed=5)
    assert len(sample) == 4
    assert set(sample) <= set(every)


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"inferences": 10, "inferences_per_fact": 1}, "budget of inferences"),
        ({"max_input_bytes": 100}, "at most 100 bytes"),
        ({"wall_seconds": 0.001}, "must end within 0.001 s"),
        ({"memory_mb": 1}, "SWI-Prolog ended"),
    ],
)
def test_limits_end_a_check_with_a_reason(limits: dict[str, float], message: str) -> None:
    with pytest.raises(LogicError, match=message):
        Oracle(limits=OracleLimits(**limits)).check(seed_facts())  # type: ignore[arg-type]


def test_limits_must_be_positive() -> None:
    with pytest.raises(InputError, match="wall_seconds must be greater than 0"):
        OracleLimits(wall_seconds=0)


def test_mutants_of_facts_without_truth_are_only_dropped() -> None:
    facts = seed_facts("AF", rule_base="paper")
    mutants = list(mutate(facts, rule_base="paper"))
    assert [str(m) for m in mutants] == [f"drop {f}" for f in facts]
    assert all(not Oracle("paper").check(m.facts, "AF") for m in mutants)


def test_trying_assignments_is_bounded() -> None:
    text = 'instance(i, inverse_error, "t").' + "".join(
        f'\nproposition(i, p{n}, "p {n}", "not p {n}"). case(i, w, p{n}, true).' for n in range(17)
    )
    facts = read_facts(text + '\nthing(i, w, "w").', strict=True)
    with pytest.raises(LogicError, match=r"at most 16 propositions .* got 17"):
        check_by_joins(facts)
    assert Oracle().check(facts) == ()
    assert check_by_joins(facts, "false cause") == ()


def test_an_oracle_shows_its_rule_base() -> None:
    assert repr(Oracle("paper")) == "Oracle('paper')"
    assert str(Oracle().rule_base.schema("IE")).splitlines() == [
        'inverse_error (IE): from "if A then B" it is concluded that "if not A then not B", against a named case of B'
        " without A",
        "  proposition(id, proposition, affirmed, denied)",
        "  thing(id, thing, phrase)",
        "  implies(id, antecedent, consequent, truth)",
        "  case(id, witness, proposition, truth)",
    ]


def test_numbers_are_written_as_exact_as_they_can_be() -> None:
    facts = loose("""
        instance(i, improper_distribution_or_addition). shared_out(i, a, q(9, u), 3, q(3, u), true).
        gives(i, a, q(9, u), q(1, v), m, true). adds_up(i, a, m, w, true).
    """)
    declared = loose("""
        action(i, a, "jogging"). unit(i, u, "mile", "miles"). unit(i, v, "hour", "hours"). measure(i, m, "of fun").
        reason(i, w, "it is so").
    """)
    header = [Fact("instance", ("i", "improper_distribution_or_addition", Phrase("t")))]
    (found,) = Oracle().check([*header, *facts[1:], *declared])
    assert str(found.conclusion) == "gives(a, q(3, u), q(1/3, v), m)"
    assert found.conclusion_reading == "jogging (3 miles) gives 1/3 hours of fun"
    assert found.readings[0] == "for jogging, 9 miles shared out in 3 equal parts is 3 miles each"

"""Frames: grammar at the seams, every argument said, no side taken."""

import re

import pytest

from fallax.core.types import Derivation, Fact
from fallax.errors import InputError, UnknownNameError
from fallax.generation.generators import STYLES, argument_phrases, missing_arguments, n_frames, realise
from fallax.generation.generators.wording import Style, capitalised
from fallax.oracle import check_by_joins, load_rule_base, read_facts, seed_facts

BASE = load_rule_base("strict")


def first_instances(fallacy: str, n: int) -> list[Fact]:
    facts = seed_facts(fallacy)
    names = list(dict.fromkeys(f.args[0] for f in facts))[:n]
    return [f for f in facts if f.args[0] in names]


#: Every frame is tried on a few instances, and one frame on all.
SEEDS: dict[str, tuple[Derivation, ...]] = {f: check_by_joins(first_instances(f, 3)) for f in BASE.fallacies}


def plain(text: str) -> str:
    """Without capitals and commas in numbers."""
    return re.sub(r"(?<=\d),(?=\d)", "", text.casefold())


@pytest.mark.parametrize("fallacy", BASE.fallacies)
@pytest.mark.parametrize("style", STYLES)
def test_every_argument_of_the_style_is_said_as_it_is_declared(fallacy: str, style: Style) -> None:
    for d in SEEDS[fallacy]:
        for frame in range(n_frames(fallacy, d.rule, style)):
            text = realise(d, frame=frame, style=style)
            for name, phrase in argument_phrases(d, style=style).items():
                if name != "n":  # a number may be said as "twice"
                    assert plain(phrase) in plain(text), (d.instance, name, text)
            assert missing_arguments(text, d, style=style) == ()


@pytest.mark.parametrize("fallacy", BASE.fallacies)
def test_the_full_style_says_every_argument_of_every_fact(fallacy: str) -> None:
    for d in SEEDS[fallacy]:
        text = plain(realise(d))
        for fact in d.facts:
            schema = BASE.predicates[fact.predicate]
            for argument, value in zip(schema.arguments[1:-1], fact.args[1:-1], strict=True):
                words = d.phrases.get(str(value))
                if argument.sort not in ("quantity", "number") and words is not None:
                    denied = d.phrases.get(f"not({value})", words)
                    assert plain(words) in text or plain(denied) in text, (d.instance, fact, text)


@pytest.mark.parametrize("fallacy", BASE.fallacies)
def test_every_shipped_derivation_is_said_whole(fallacy: str) -> None:
    for k, d in enumerate(check_by_joins(seed_facts(fallacy))):
        text = realise(d, frame=k)
        assert missing_arguments(text, d) == (), text
        assert not re.search(SEAMS, text), text


#: What a seam between frame and phrase must not look like; a word as a word is no noun after "is" ("is “mouse”").
SEAMS = r"  |\.\.| [.,;:]|[.?!] [a-z]|\b(a|the) (a|an|the)\b|\bis “"


@pytest.mark.parametrize("fallacy", BASE.fallacies)
@pytest.mark.parametrize("style", STYLES)
def test_texts_are_whole_sentences(fallacy: str, style: Style) -> None:
    for d in SEEDS[fallacy]:
        for frame in range(n_frames(fallacy, d.rule, style)):
            text = realise(d, frame=frame, style=style)
            assert text[-1] == "."
            assert "{" not in text
            assert not re.search(SEAMS, text), text
            assert text[0].isupper() or text[0] == "“"


@pytest.mark.parametrize("fallacy", BASE.fallacies)
def test_all_rules_have_frames_and_those_of_one_place_differ_from_the_others(fallacy: str) -> None:
    for rule in BASE.schemas[fallacy].rules:
        for style in STYLES:
            assert n_frames(fallacy, rule, style) == 4
    for d in SEEDS[fallacy]:
        for style in STYLES:
            assert len({realise(d, frame=k, style=style) for k in range(4)}) == 4
            assert realise(d, frame=5, style=style) == realise(d, frame=1, style=style)


@pytest.mark.parametrize("fallacy", BASE.fallacies)
def test_bare_fallacies_and_twins_share_their_frame(fallacy: str) -> None:
    """With the words of the arguments taken out, nothing is left that tells one from the other."""
    if fallacy == "begging_the_question":
        pytest.skip("a circle and a ground have different numbers of links")
    for frame in range(4):
        shapes = set()
        for d in SEEDS[fallacy]:
            if d.rule not in ("doses_pooled", "doses_added") and d.kind:
                text = realise(d, frame=frame, style="bare")
                for phrase in sorted(argument_phrases(d, style="bare").values(), key=len, reverse=True):
                    text = re.sub(re.escape(phrase), "X", text, flags=re.IGNORECASE)
                if fallacy == "equivocation":  # "a bolt", but "what is called “light”": as the word is, in both texts
                    text = re.sub(r"(?i)\ban? X|what is called “X”", "X", text)
                shapes.add(re.sub(r"[\d,]*\d", "X", text))
        assert len(shapes) <= 1 + (fallacy == "wrong_direction"), shapes


def quantities(dose: str, n: int, total: str, effect: str, unit: str) -> Derivation:
    reading = read_facts(
        f"""
        instance(q, improper_distribution_or_addition, "doses").
        action(q, act, "keeping watch").
        unit(q, u, {unit}).
        unit(q, e, "euro", "euros").
        measure(q, m, "of pay").
        reason(q, r, "the pay is by the hour").
        shared_out(q, act, q({total}, u), {n}, q({dose}, u), true).
        gives(q, act, q({total}, u), q({effect}, e), m, true).
        adds_up(q, act, m, r, true).
        """,
        strict=True,
    )
    return check_by_joins(reading)[0]


@pytest.mark.parametrize(
    ("unit", "said"),
    [
        ('"hour", "hours"', "for 3 hours"),
        ('"metre of rope", "metres of rope"', "with 3 metres of rope"),
        ('"kilometre per hour", "kilometres per hour"', "at 3 kilometres per hour"),
        ('"euro a year", "euros a year"', "for 3 euros a year"),
        ('"guard", "guards"', "with 3 guards"),
    ],
)
def test_quantities_have_their_preposition(unit: str, said: str) -> None:
    assert said in realise(quantities("1", 3, "3", "6", unit))


@pytest.mark.parametrize(
    ("effect", "said"),
    [
        ("6", "2 euros of pay"),
        ("3", "1 euro of pay"),
        ("1", "1/3 of a euro of pay"),
        ("10", "3 1/3 euros of pay"),
        ("7500", "2,500 euros of pay"),
        ("0.6", "0.2 euros of pay"),
        ("4500.3", "1,500.1 euros of pay"),
    ],
)
def test_numbers_are_said_with_their_unit(effect: str, said: str) -> None:
    assert said in realise(quantities("1", 3, "3", effect, '"hour", "hours"'))


def test_a_word_with_several_senses_is_used_and_not_spoken_of() -> None:
    by_id = {d.instance: d for d in check_by_joins(seed_facts("equivocation")) if d.rule == "sense_shifted"}
    said = "A bolt can be loosened with a spanner. The flash that has just struck the steeple is a bolt. So the flash"
    assert realise(by_id["ec23"], style="bare").startswith(said)
    assert realise(by_id["ec14"], frame=3, style="bare").startswith("Since an organ was built by people, and since")
    assert realise(by_id["ec24"], style="bare").startswith("What is called “jam” tastes sweet.")


def test_an_hour_has_its_article() -> None:
    reading = read_facts(
        """
        instance(q, improper_distribution_or_addition, "doses").
        action(q, act, "keeping watch").
        unit(q, u, "guard", "guards").
        unit(q, e, "hour", "hours").
        measure(q, m, "of sleep").
        reason(q, r, "the guards sleep in turn").
        shared_out(q, act, q(3, u), 3, q(1, u), true).
        gives(q, act, q(3, u), q(1, e), m, true).
        adds_up(q, act, m, r, true).
        """,
        strict=True,
    )
    assert "1/3 of an hour of sleep" in realise(check_by_joins(reading)[0])


def test_a_quote_that_ends_a_sentence_gets_no_second_full_stop() -> None:
    facts = [f for f in seed_facts("CT") if f.args[0] == "ct01"]
    text = "\n".join(f"{f}." for f in facts).replace("catches the worm", "catches the worm!")
    d = check_by_joins(read_facts(text, strict=True))[0]
    assert "worm!” " in realise(d, frame=0)


def test_a_chain_of_implications_is_said_for_an_equivalence() -> None:
    reading = read_facts(
        """
        instance(x, inverse_error, "threes").
        proposition(x, a, "the number is a multiple of three", "the number is no multiple of three").
        proposition(x, b, "its digits add up to one", "its digits do not add up to one").
        implies(x, a, b, true).
        implies(x, b, a, true).
        """,
        strict=True,
    )
    d = next(d for d in check_by_joins(reading) if d.rule == "equivalence")
    text = realise(d)
    assert text.count("if the number is a multiple of three, then") == 1
    assert text.endswith("then its digits do not add up to one.")
    assert missing_arguments(text, d) == ()


def test_a_derivation_read_back_is_said_the_same() -> None:
    for derivations in SEEDS.values():
        for d in derivations:
            assert realise(Derivation.from_json(d.to_json())) == realise(d)


def test_other_rule_bases_and_styles_are_refused() -> None:
    d = check_by_joins(seed_facts("FS", rule_base="paper"), rule_base="paper")[0]
    with pytest.raises(UnknownNameError, match="template realiser: unknown rule"):
        realise(d)
    good = SEEDS["false_cause"][0]
    with pytest.raises(UnknownNameError, match="unknown style 'short'"):
        realise(good, style="short")  # type: ignore[arg-type]
    bare = Derivation(good.fallacy, good.kind, good.instance, good.rule, good.conclusion, good.facts, good.slots)
    with pytest.raises(InputError, match="must carry phrases"):
        realise(bare)


def test_capitals_go_behind_opening_marks() -> None:
    assert capitalised("“(word") == "“(Word"
    assert capitalised("") == ""

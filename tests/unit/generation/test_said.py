"""What a text says: lemmas, numbers, negation, words spelt nearly alike."""

import pytest

from fallax.generation.generators import is_said, missing_arguments, phrases_to_say
from fallax.oracle import check_by_joins, seed_facts


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("The windmills were turning.", "the windmill turns"),
        ("He brushes his teeth for two minutes.", "2 minutes"),
        ("Twice as much.", "2"),
        ("She isn't a member.", "she is not a member of it"),
        ("No traveller may bring a dog.", "travelers must not bring dogs"),
        ("It cost 2,500 euros.", "2500 euros"),
        ("People drown when ice-cream is sold.", "more ice cream is sold"),
        ("It is so.", "it is so"),
    ],
)
def test_said(text: str, phrase: str) -> None:
    assert is_said(text, phrase)


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("The windmill turns.", "the wind blows"),
        ("It takes 12 minutes.", "14 minutes"),
        ("She is a member.", "she is not a member"),
        ("The cat sleeps.", "a poodle on a leash"),
        ("It is.", "is it so that"),
        ("", "a goat"),
    ],
)
def test_not_said(text: str, phrase: str) -> None:
    assert not is_said(text, phrase)


def test_missing_arguments_are_named() -> None:
    d = check_by_joins([f for f in seed_facts("FC") if f.args[0] == "fc01"])[0]
    text = "The cork floats on fresh water, so the bottle must float as well."
    assert missing_arguments(text, d, style="bare") == ()
    assert missing_arguments(text, d) == ("glass and wine together are heavier than the water they push aside",)


def test_derivations_without_phrases_are_read_as_words() -> None:
    d = check_by_joins(seed_facts("AF", rule_base="paper"), rule_base="paper")[0]
    assert phrases_to_say(d) == ("shampoo bottle", "lather rinse repeat", "wash once or twice", "infinite washing")
    text = "The shampoo bottle says lather, rinse, repeat: not washing once or twice but an infinite wash."
    assert missing_arguments(text, d) == ()

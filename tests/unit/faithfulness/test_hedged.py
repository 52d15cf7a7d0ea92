"""What a document excepts, bounds, only suspects or conditions, and a claim states outright."""

from __future__ import annotations

import asyncio

import pytest

from fallax.faithfulness.systems.entailed import load_entailment_judge
from fallax.faithfulness.systems.hedged import hedged_in

LEAFLET = (
    "You can choose a throat spray, a sedative injection, or both. If you have the sedative, you must not drive for 24"
    " hours and an adult must take you home. A sore throat afterwards is common."
)


@pytest.mark.parametrize(
    ("claim", "sentence", "said"),
    [
        (
            "The ministry advises against all travel to the valley, including essential trips.",
            "The ministry now advises against all but essential travel to the valley.",
            "all but essential travel to the valley",
        ),
        ("Every shop closed, even the bakery.", "Every shop closed except for the bakery.", "except for the bakery"),
        ("The pier will reopen on 14 May.", "The pier stays shut until at least 14 May.", "until at least 14 May"),
        ("The pier will reopen on 14 May.", "It will reopen on 14 May at the earliest.", "14 May at the earliest"),
        ("Results come at 6 pm.", "No results are expected before tea, and not before 6 pm.", "not before 6 pm"),
        (
            "The rider was taken away with a broken collarbone.",
            "The rider was taken away with a suspected broken collarbone.",
            "suspected broken collarbone",
        ),
        ("A gas leak closed the school.", "A possible gas leak closed the school.", "possible gas leak"),
        (
            "You must not drive for 24 hours after the test, and an adult must take you home.",
            "If you have the sedative, you must not drive for 24 hours and an adult must take you home.",
            "If you have the sedative",
        ),
    ],
)
def test_what_is_left_out(claim: str, sentence: str, said: str) -> None:
    assert hedged_in(claim, sentence) == said
    assert hedged_in(sentence, sentence) == "", "what keeps the words leaves nothing out"


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        ("All travel but essential travel is advised against.", "Avoid all but essential travel."),
        ("Every shop closed, even the butcher.", "Every shop closed except for the bakery."),
        ("The pier stays shut until 14 May or later.", "The pier stays shut until at least 14 May."),
        ("The pier closed on 3 May.", "The pier, shut on 3 May, stays shut until at least 14 May."),
        ("The rider may have a broken collarbone.", "The rider has a suspected broken collarbone."),
        ("The rider was taken to hospital.", "The rider was taken to hospital with a suspected broken collarbone."),
        ("After a sedative an adult must take you home.", "If you have the sedative, an adult must take you home."),
        ("Would an adult take you home?", "If you have the sedative, an adult must take you home."),
    ],
)
def test_what_is_not_left_out(claim: str, sentence: str) -> None:
    assert hedged_in(claim, sentence) == ""


def test_what_another_sentence_says_outright_is_not_only_suspected() -> None:
    claim, suspected = "The rider has a broken collarbone.", "The rider has a suspected broken collarbone."
    assert hedged_in(claim, suspected, ["An X-ray showed a broken collarbone."]) == ""
    assert hedged_in(claim, suspected, ["An X-ray was taken."]) == "suspected broken collarbone"


def test_long_texts_are_not_read() -> None:
    assert hedged_in("a " * 600, "If it rains, we stay.") == ""
    assert hedged_in("We stay at home.", "If it rains, " + "we stay at home " * 200) == ""


def test_the_judge_gives_no_verdict_and_says_why() -> None:
    claim = "You must not drive for 24 hours after a gastroscopy, and an adult must take you home."
    (unit,) = asyncio.run(load_entailment_judge().judge(LEAFLET, claim)).units
    assert unit.label is None
    assert "If you have the sedative" in unit.unscored

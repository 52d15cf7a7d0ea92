"""Comparisons and changes that a claim turns round."""

from __future__ import annotations

import asyncio

import pytest

from fallax.faithfulness.systems.entailed import load_entailment_judge
from fallax.faithfulness.systems.turned import turned_in

REPORT = "The pier was checked again in June. The damage was worse than the first inspection suggested."


@pytest.mark.parametrize(
    ("claim", "sentence", "said", "claimed"),
    [
        (
            "The damage is less serious than the first inspection had suggested.",
            "The damage was worse than the first inspection suggested.",
            "worse than the first inspection suggested",
            "less serious than the first inspection had suggested",
        ),
        ("Fees are lower than last year.", "Fees are higher than last year.", "higher than last year",
         "lower than last year"),
        ("Water use went up by 9% in August.", "Households cut their use by 9% in August.", "cut", "went up"),
        ("Sales rose by £3m.", "Sales fell by £3m, the firm said.", "fell", "rose"),
        ("Members dropped by 40 people in May.", "In May the club gained 40 people.", "gained", "dropped"),
    ],
)  # fmt: skip
def test_what_is_turned_round(claim: str, sentence: str, said: str, claimed: str) -> None:
    assert turned_in(claim, ["It rained.", sentence]) == (said, claimed)


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        ("Fees are lower than last year.", "Fees are lower than last year."),
        ("Fees are lower than in Oslo.", "Rents are higher than last year."),
        ("Fees are not lower than last year.", "Fees are higher than last year."),
        ("Fees are lower than last year.", "Nobody said that fees are higher than last year."),
        ("Sales rose by 4% in June.", "Sales fell by 9% in May and rose by 4% in June."),
        ("Sales rose by 4% in June.", "Sales fell by 5% in June."),
        ("Sales rose by 4% in June.", "Sales did not fall by 4% in June."),
        ("Did sales rise by 4%?", "Sales fell by 4%."),
        ("The hall holds 40 people.", "The hall lost 40 chairs."),
        ("4 people are piled up on a sheet.", "4 people are lying down on a sheet."),
        ("Gas supplied less power than oil.", "Wind supplied more power than oil."),
    ],
)
def test_what_is_not_turned_round(claim: str, sentence: str) -> None:
    assert turned_in(claim, [sentence]) is None


def test_long_texts_are_not_read() -> None:
    assert turned_in("Sales rose by 4%. " * 80, ["Sales fell by 4%."]) is None
    assert turned_in("Sales rose by 4%.", ["Sales fell by 4% " * 200]) is None


def test_the_judge_does_not_call_it_faithful_and_says_why() -> None:
    claim = "The damage proved to be less serious than the first inspection had suggested."
    (unit,) = asyncio.run(load_entailment_judge().judge(REPORT, claim)).units
    assert unit.label != "faithful"
    assert "worse than the first inspection suggested" in unit.unscored

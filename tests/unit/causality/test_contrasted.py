"""Claims that give one cause and deny another, and adverbs that belong to the effect."""

import asyncio

import pytest

from fallax.causality.systems.clauses import cause_and_effect
from fallax.causality.systems.contrasted import without_contrast
from fallax.causality.systems.entailed import load_entailment_verifier
from fallax.core.types import CausalClaim, Evidence


@pytest.mark.parametrize(
    ("claim", "said", "denied"),
    [
        (
            "The pier was not closed because of fog, but because of a strike.",
            "The pier was closed because of a strike.",
            "not because of fog",
        ),
        (
            "The pier was not closed by fog but by a strike.",
            "The pier was closed by a strike.",
            "not by fog",
        ),
        ("Sales did not fall due to rain, but due to debt.", "Sales fell due to debt.", "not due to rain"),
        ("The delay was due not to fog but to a strike.", "The delay was due to a strike.", "not to fog"),
        ("It shut because of a strike, not because of fog.", "It shut because of a strike.", "not because of fog"),
        ("The pier shut because of a strike, not fog.", "The pier shut because of a strike.", "not fog"),
        ("The pier shut because of a strike rather than fog.", "The pier shut because of a strike.", "rather than fog"),
        ("Rather than fog, a strike shut the pier.", "A strike shut the pier.", "Rather than fog"),
        ("Grief, not fear, made the widow weep.", "Grief made the widow weep.", "not fear"),
        ("The reason for the delay was not fog but a strike.", "The reason for the delay was a strike.", "not fog"),
        (
            "It was not because of fog that the pier shut, but because of a strike.",
            "It was because of a strike that the pier shut.",
            "not because of fog",
        ),
    ],
)  # fmt: skip
def test_a_denied_cause_beside_the_one_that_is_given(claim: str, said: str, denied: str) -> None:
    assert without_contrast(claim) == (said, denied)


@pytest.mark.parametrize(
    "claim",
    [
        "The pier was not closed because of fog.",
        "It was flooded, but not because of rain.",
        "The shop, not having sold anything, closed because of debt.",
        "She left because she was tired, not angry.",
        "The pier was not only closed because of fog.",
    ],
)
def test_what_gives_no_cause_beside_a_denied_one(claim: str) -> None:
    assert without_contrast(claim) == (claim, "")


def test_what_is_not_checked_is_noted() -> None:
    evidence = (Evidence("E1", "The airport was closed on Monday because its staff went on strike."),)
    claim = "The airport was not closed because of fog, but because of a strike."
    found = asyncio.run(load_entailment_verifier().verify(CausalClaim("c", claim, evidence)))
    assert found.label == "supports"
    assert found.notes == ("not checked: what the claim denies (“not because of fog”)",)


@pytest.mark.parametrize(
    ("claim", "effect"),
    [
        ("The shop closed early because of the damp.", "The shop closed early"),
        ("The fire spread quickly because the houses were made of wood.", "The fire spread quickly"),
        ("The class did badly because the drills were loud.", "The class did badly"),
        ("The shop closed mainly because of the damp.", "The shop closed"),
        ("The shop closed most likely because of the damp.", "The shop closed"),
    ],
)
def test_how_something_happened_belongs_to_the_effect(claim: str, effect: str) -> None:
    found = cause_and_effect(claim)
    assert found is not None
    assert found.effect == effect

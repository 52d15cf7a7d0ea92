"""What the verifier that ships does not call supported."""

import asyncio

from fallax.causality.systems.clauses import opposite_of
from fallax.causality.systems.entailed import EntailmentVerifier, load_entailment_verifier
from fallax.core.types import CausalClaim, Evidence

DAM = (
    "The dam above the valley had not been inspected for twenty years.",
    "Cracks that nobody inspects grow until a dam leaks.",
    "The leaking dam flooded the valley after the heavy rain.",
)


def verified(claim: str, *evidence: str) -> tuple[str | None, str]:
    verifier: EntailmentVerifier = load_entailment_verifier()
    pieces = tuple(Evidence(f"E{i}", text) for i, text in enumerate(evidence, start=1))
    found = asyncio.run(verifier.verify(CausalClaim("claim", claim, pieces)))
    return found.label, found.no_label


def test_an_effect_that_the_evidence_denies() -> None:
    label, why = verified("The valley was not flooded because nobody inspected the dam.", *DAM)
    assert (label, why) == (None, "the evidence rather says that the valley was flooded")


def test_another_cause_for_the_effect() -> None:
    label, why = verified(
        "The train was late because of snow.", "The train was late because a signal had failed.", "It snowed up north."
    )
    assert (label, why) == (None, "the evidence gives another cause: a signal had failed")


def test_two_denials_have_no_plain_opposite() -> None:
    assert opposite_of("Nobody did not come.") is None
    assert opposite_of("The roof hasn’t leaked.") == "The roof has leaked."

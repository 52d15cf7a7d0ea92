"""Verifies one of many claims and gives the result as one line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fallax.causality.systems.base import Verifier, check_evidence, verify_with
from fallax.core.texts import has_words
from fallax.core.types.causal import CausalClaim, Evidence

__all__ = ["claim_answer"]

_LABELS = {"supports": "supports", "refutes": "refutes", "nei": "not_enough_info", None: "cannot_tell"}


async def claim_answer(verifier: Verifier, claim: str, evidence: Sequence[str]) -> dict[str, Any]:
    """Verify one claim.

    Parameters
    ----------
    evidence : texts, named E1, E2, ...; blank ones are skipped, and keep their number.

    Returns
    -------
    dict
        ``label`` is one of supports, refutes, not_enough_info, cannot_tell; ``probability`` is that of the label, of
        the likeliest where it cannot be told; ``chain`` holds the numbers of the evidence that it rests on, from 0.
    """
    pieces = tuple(Evidence(f"E{i}", t) for i, t in enumerate(evidence, start=1) if has_words(t))
    check_evidence([e.text for e in pieces])
    found = await verify_with(verifier, CausalClaim("claim", claim, pieces))
    given = {e.id for e in pieces}
    nodes = () if found.structure is None else found.structure.evidence
    used = [int(n.id[1:]) - 1 for n in nodes if n.id in given]
    said: dict[str, Any] = {"label": _LABELS[found.label], "probability": found.probability, "chain": used}
    for name in ("missing", "notes"):
        if getattr(found, name):
            said[name] = list(getattr(found, name))
    if found.no_label:
        said["reason"] = found.no_label
    return said

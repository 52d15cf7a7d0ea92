"""The interface of verifiers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from fallax.core.types.causal import CausalClaim
from fallax.core.types.structure import Statement
from fallax.core.types.verification import Verification
from fallax.errors import InputError

__all__ = ["MAX_CHARACTERS", "MAX_EVIDENCE", "Verifier", "check_evidence", "root_of"]

#: The most pieces of evidence for one claim, and their characters together; retrieval takes any amount.
MAX_EVIDENCE, MAX_CHARACTERS = 2_000, 1_000_000


def root_of(claim: CausalClaim) -> Statement:
    """The claim as the root of a structure, with a name that no piece of its evidence has.

    Examples
    --------
    >>> from fallax.core.types.causal import Evidence
    >>> root_of(CausalClaim("c", "It was late because it rained.", (Evidence("Claim", "It rained."),))).id
    'Claim_'
    """
    name = "Claim"
    while any(e.id == name for e in claim.evidence):
        name += "_"
    return Statement(name, claim.claim)


def check_evidence(texts: Sequence[str]) -> None:
    """Refuse more evidence than a system can read for one claim.

    Raises
    ------
    InputError
        If there are more than :data:`MAX_EVIDENCE` pieces, or more than :data:`MAX_CHARACTERS` characters.
    """
    length = sum(map(len, texts))
    if len(texts) > MAX_EVIDENCE or length > MAX_CHARACTERS:
        raise InputError(
            f"evidence: must be at most {MAX_EVIDENCE:,} pieces of {MAX_CHARACTERS:,} characters together, got"
            f" {len(texts):,} of {length:,}; give it as --documents (documents=), which first finds the"
            " relevant sentences"
        )


@runtime_checkable
class Verifier(Protocol):
    """The port of a verifier: says whether evidence supports a claim.

    It sees the claim's text and evidence; of the gold it may see the structure, and only where its task gives that.
    """

    @property
    def name(self) -> str:
        """The name in records."""

    @property
    def identity(self) -> Mapping[str, Any]:
        """All that can change an answer, as JSON values."""

    async def verify(self, claim: CausalClaim) -> Verification:
        """Verify a claim; model errors propagate."""

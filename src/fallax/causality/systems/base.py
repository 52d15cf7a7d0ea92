"""The interface of verifiers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from fallax.core.types.causal import CausalClaim
from fallax.core.types.structure import Statement
from fallax.core.types.verification import Verification
from fallax.errors import FallaxError, InputError, VerifierError, one_line

__all__ = ["MAX_CHARACTERS", "MAX_EVIDENCE", "Verifier", "check_evidence", "root_of", "verify_with"]

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


async def verify_with(verifier: Verifier, claim: CausalClaim) -> Verification:
    """The verification of a claim by a verifier, which may be somebody else's; errors of fallax stay as they are.

    Raises
    ------
    VerifierError
        If the verifier raises an exception, or gives something other than a verification.

    Examples
    --------
    >>> import asyncio
    >>> class Mine:
    ...     name, identity = "mine", {}
    ...     async def verify(self, claim: CausalClaim) -> Verification:
    ...         raise KeyError("weights")
    >>> asyncio.run(verify_with(Mine(), CausalClaim("c", "It was late because it rained.")))
    Traceback (most recent call last):
    fallax.errors.VerifierError: verifier 'mine' failed: KeyError: 'weights'
    """
    name = one_line(getattr(verifier, "name", type(verifier).__name__), 60)
    try:
        found: object = await verifier.verify(claim)
    except (FallaxError, MemoryError):
        raise
    except Exception as error:
        said = one_line(f"{type(error).__name__}: {error}", 300)
        raise VerifierError(f"verifier {name!r} failed: {said}") from error
    if not isinstance(found, Verification):
        raise VerifierError(f"verifier {name!r} must give a Verification, got {one_line(repr(found), 40)}")
    return found

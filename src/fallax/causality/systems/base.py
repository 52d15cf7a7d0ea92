"""What every verifier is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

from fallax.core.types.causal import CausalClaim
from fallax.core.types.verification import Verification

__all__ = ["Verifier"]


@runtime_checkable
class Verifier(Protocol):
    """Says of a claim and its evidence whether the one follows from the other.

    It sees the claim's text and evidence; of the gold it may see the structure, and only where its task gives that.
    """

    @property
    def name(self) -> str:
        """The name in records."""

    @property
    def identity(self) -> Mapping[str, Any]:
        """All that can change an answer, as JSON values."""

    async def verify(self, claim: CausalClaim) -> Verification:
        """The verification; model errors propagate."""

"""Verifiers that ask a model with a protocol."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from fallax.causality.protocols.verification import VerificationProtocol
from fallax.core.types.causal import CausalClaim
from fallax.core.types.messages import ChatModel
from fallax.core.types.verification import Verification

__all__ = ["AskedVerifier"]


class AskedVerifier:
    """A verifier: a protocol of :data:`fallax.causality.protocols.VERIFY_PROTOCOLS` and a model."""

    def __init__(self, protocol: VerificationProtocol, model: ChatModel) -> None:
        self.protocol = protocol
        self.model = model

    @property
    def name(self) -> str:
        """Protocol and model."""
        return f"{self.protocol.name}:{self.model.name}"

    @property
    def identity(self) -> Mapping[str, Any]:
        """The protocol, its prompts, and the model."""
        return {"protocol": self.protocol.name, "prompts": dict(self.protocol.prompt_hashes), "model": self.model.name}

    async def verify(self, claim: CausalClaim) -> Verification:
        """Ask the model."""
        return replace(await self.protocol.verify(claim, self.model), system=self.name)

"""Protocols for why-claims and argument structures: prompts, and reading of replies."""

from fallax.causality.protocols.structure_judging import StructureJudgeProtocol
from fallax.causality.protocols.verification import (
    STAND_IN,
    VERIFY_PROTOCOLS,
    PipelineProtocol,
    VerificationProtocol,
    VerifyProtocol,
    verification_protocol,
)

__all__ = [
    "STAND_IN",
    "VERIFY_PROTOCOLS",
    "PipelineProtocol",
    "StructureJudgeProtocol",
    "VerificationProtocol",
    "VerifyProtocol",
    "verification_protocol",
]

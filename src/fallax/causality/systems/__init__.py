"""Verifiers: models asked with a protocol, local systems, and retrieval of evidence."""

from fallax.causality.systems.asked import AskedVerifier
from fallax.causality.systems.base import Verifier, check_evidence
from fallax.causality.systems.baselines import (
    BASELINE_VERIFIERS,
    Majority,
    OverlapVerifier,
    SimilarityChain,
    listed_verifier,
    load_baseline,
    reads_embedder,
)
from fallax.causality.systems.entailed import EntailmentVerifier, load_entailment_verifier
from fallax.causality.systems.many import claim_answer
from fallax.causality.systems.retrieval import retrieve_evidence
from fallax.causality.systems.steps import step_scores
from fallax.causality.systems.trained import TrainedVerifier, load_trained_verifier

__all__ = [
    "BASELINE_VERIFIERS",
    "AskedVerifier",
    "EntailmentVerifier",
    "Majority",
    "OverlapVerifier",
    "SimilarityChain",
    "TrainedVerifier",
    "Verifier",
    "check_evidence",
    "claim_answer",
    "listed_verifier",
    "load_baseline",
    "load_entailment_verifier",
    "load_trained_verifier",
    "reads_embedder",
    "retrieve_evidence",
    "step_scores",
]

"""Builds sets of why-claims from pairs of cause and effect."""

from fallax.causality.building.causal import BuildSettings, Built, assemble, build_drafts
from fallax.causality.building.checks import check_draft, check_pair
from fallax.causality.building.distractors import find_distractors
from fallax.causality.building.splits import describe_claims, split_claims
from fallax.causality.building.steps import StepLog

__all__ = [
    "BuildSettings",
    "Built",
    "StepLog",
    "assemble",
    "build_drafts",
    "check_draft",
    "check_pair",
    "describe_claims",
    "find_distractors",
    "split_claims",
]

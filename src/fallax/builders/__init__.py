"""Data sets built from raw material: why-claims from pairs of cause and effect."""

from fallax.builders.causal import BuildSettings, Built, assemble, build_drafts
from fallax.builders.checks import check_draft, check_pair
from fallax.builders.distractors import find_distractors
from fallax.builders.splits import describe_claims, split_claims
from fallax.builders.steps import StepLog

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

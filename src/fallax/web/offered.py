"""Imports of the server's verbs in one place, loaded by the first request or while warming up."""

from fallax import api
from fallax.causality.protocols import VERIFY_PROTOCOLS
from fallax.causality.systems import BASELINE_VERIFIERS, listed_verifier, step_scores
from fallax.detection.systems import DETECTORS
from fallax.faithfulness.systems import LOCAL_JUDGES, METHODS
from fallax.metrics import parse_metric
from fallax.metrics.base import SpanMetric
from fallax.models.larger import LARGER
from fallax.render import structure_svg
from fallax.structures import STRUCTURE_FORMATS, format_structure

__all__ = [
    "BASELINE_VERIFIERS",
    "DETECTORS",
    "LARGER",
    "LOCAL_JUDGES",
    "METHODS",
    "STRUCTURE_FORMATS",
    "VERIFY_PROTOCOLS",
    "SpanMetric",
    "api",
    "format_structure",
    "listed_verifier",
    "parse_metric",
    "step_scores",
    "structure_svg",
]

"""Metrics: pure functions from predictions and records to a :class:`~fallax.core.types.Score`."""

from fallax.metrics.agreement import (
    Agreement,
    LabelAgreement,
    SpanAgreement,
    cohen_kappa,
    fleiss_kappa,
    krippendorff_alpha,
    label_agreement,
    percent_agreement,
    span_agreement,
)
from fallax.metrics.base import Measure, Metric, SpanMetric, number_groups
from fallax.metrics.classification import Classification, FallacyDetection, MultiLabel, confusion_counts
from fallax.metrics.diversity import Diversity, cross_cosine, diversity, hashed_ngrams, mean_cosine
from fallax.metrics.flc import FLC
from fallax.metrics.intervals import Interval, PairedTest, bootstrap_interval, paired_test
from fallax.metrics.judging import RankedLabels, TwinDiscrimination, published_rates
from fallax.metrics.quality import Quality, enhancement, kappa_with_people, score_distribution
from fallax.metrics.registry import METRICS, parse_metric
from fallax.metrics.sentences import SentenceDetection
from fallax.metrics.soft_span import SoftSpan
from fallax.metrics.span_match import SpanMatch
from fallax.metrics.structure import EntailmentTree, StructureMetric, StructureSimilarity
from fallax.metrics.text_similarity import SCORERS, TextModel
from fallax.metrics.two_class import TwoClass

__all__ = [
    "FLC",
    "METRICS",
    "SCORERS",
    "Agreement",
    "Classification",
    "Diversity",
    "EntailmentTree",
    "FallacyDetection",
    "Interval",
    "LabelAgreement",
    "Measure",
    "Metric",
    "MultiLabel",
    "PairedTest",
    "Quality",
    "RankedLabels",
    "SentenceDetection",
    "SoftSpan",
    "SpanAgreement",
    "SpanMatch",
    "SpanMetric",
    "StructureMetric",
    "StructureSimilarity",
    "TextModel",
    "TwinDiscrimination",
    "TwoClass",
    "bootstrap_interval",
    "cohen_kappa",
    "confusion_counts",
    "cross_cosine",
    "diversity",
    "enhancement",
    "fleiss_kappa",
    "hashed_ngrams",
    "kappa_with_people",
    "krippendorff_alpha",
    "label_agreement",
    "mean_cosine",
    "number_groups",
    "paired_test",
    "parse_metric",
    "percent_agreement",
    "published_rates",
    "score_distribution",
    "span_agreement",
]

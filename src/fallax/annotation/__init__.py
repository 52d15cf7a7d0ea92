"""Annotation by people: reading it, agreement on it, gold from it, and judges held against it."""

from fallax.annotation.agreement import AgreementReport, Dispute, SpanReport, agreement_report
from fallax.annotation.merging import RULES, Merged, merge_annotations
from fallax.annotation.reading import Annotations, ItemRating, continua, read_annotations, read_ratings

__all__ = [
    "RULES",
    "AgreementReport",
    "Annotations",
    "Dispute",
    "ItemRating",
    "Merged",
    "SpanReport",
    "agreement_report",
    "continua",
    "merge_annotations",
    "read_annotations",
    "read_ratings",
]

"""Frozen values that the rest of fallax passes around. No I/O here."""

from fallax.types.detection import Detection, Explanation
from fallax.types.forms import ArgumentForm, FormStatus
from fallax.types.judging import Judgement, Rating
from fallax.types.logic import (
    ArgumentSchema,
    Derivation,
    Fact,
    FactReading,
    FallacySchema,
    Negation,
    Phrase,
    PredicateSchema,
    Quantity,
    Refusal,
)
from fallax.types.messages import ChatModel, Message, Reply, Request, TokenLogprob, Usage
from fallax.types.scores import FORMULAS, Score, Signature
from fallax.types.spans import NO_FALLACY, GoldSpan, Prediction, Record, Span, Unreadable, data_hash
from fallax.types.taxonomy import Label, Mapped, Relation, Taxonomy, Template

__all__ = [
    "FORMULAS",
    "NO_FALLACY",
    "ArgumentForm",
    "ArgumentSchema",
    "ChatModel",
    "Derivation",
    "Detection",
    "Explanation",
    "Fact",
    "FactReading",
    "FallacySchema",
    "FormStatus",
    "GoldSpan",
    "Judgement",
    "Label",
    "Mapped",
    "Message",
    "Negation",
    "Phrase",
    "PredicateSchema",
    "Prediction",
    "Quantity",
    "Rating",
    "Record",
    "Refusal",
    "Relation",
    "Reply",
    "Request",
    "Score",
    "Signature",
    "Span",
    "Taxonomy",
    "Template",
    "TokenLogprob",
    "Unreadable",
    "Usage",
    "data_hash",
]

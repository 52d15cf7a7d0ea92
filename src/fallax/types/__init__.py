"""Frozen values that the rest of fallax passes around. No I/O here."""

from fallax.types.causal import VERDICTS, CausalClaim, Evidence, Verdict
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
from fallax.types.report import Report, ReportAnswer, ReportRecord, Table, View
from fallax.types.scores import FORMULAS, Score, Signature
from fallax.types.spans import NO_FALLACY, GoldSpan, Prediction, Record, Span, Unreadable, data_hash
from fallax.types.structure import (
    ArgumentStructure,
    Link,
    LinkKind,
    NodeKind,
    Statement,
    Step,
    StructureReading,
)
from fallax.types.taxonomy import Label, Mapped, Relation, Taxonomy, Template
from fallax.types.verification import Citation, Verification

__all__ = [
    "FORMULAS",
    "NO_FALLACY",
    "VERDICTS",
    "ArgumentForm",
    "ArgumentSchema",
    "ArgumentStructure",
    "CausalClaim",
    "ChatModel",
    "Citation",
    "Derivation",
    "Detection",
    "Evidence",
    "Explanation",
    "Fact",
    "FactReading",
    "FallacySchema",
    "FormStatus",
    "GoldSpan",
    "Judgement",
    "Label",
    "Link",
    "LinkKind",
    "Mapped",
    "Message",
    "Negation",
    "NodeKind",
    "Phrase",
    "PredicateSchema",
    "Prediction",
    "Quantity",
    "Rating",
    "Record",
    "Refusal",
    "Relation",
    "Reply",
    "Report",
    "ReportAnswer",
    "ReportRecord",
    "Request",
    "Score",
    "Signature",
    "Span",
    "Statement",
    "Step",
    "StructureReading",
    "Table",
    "Taxonomy",
    "Template",
    "TokenLogprob",
    "Unreadable",
    "Usage",
    "Verdict",
    "Verification",
    "View",
    "data_hash",
]

"""How a model is asked and how its replies are read: messages out, replies in, the model seen only through its port."""

from fallax.protocols.base import DetectionProtocol, detect_with_model
from fallax.protocols.classify import ClassifyProtocol
from fallax.protocols.forms import FormProtocol, draft_forms
from fallax.protocols.judging import JudgeProtocol, judge_with_model, judgement_from_answer, read_judgement
from fallax.protocols.quality import QualityProtocol, check_other_model, rate_with_model
from fallax.protocols.sentences import SentenceProtocol, SentenceReply, predict_from_replies, read_answer
from fallax.protocols.slots import read_slots, slots_request
from fallax.protocols.structure_judging import StructureJudgeProtocol
from fallax.protocols.verification import (
    VERIFY_PROTOCOLS,
    PipelineProtocol,
    VerificationProtocol,
    VerifyProtocol,
    verification_protocol,
)
from fallax.protocols.whole_document import WholeDocumentProtocol

__all__ = [
    "VERIFY_PROTOCOLS",
    "ClassifyProtocol",
    "DetectionProtocol",
    "FormProtocol",
    "JudgeProtocol",
    "PipelineProtocol",
    "QualityProtocol",
    "SentenceProtocol",
    "SentenceReply",
    "StructureJudgeProtocol",
    "VerificationProtocol",
    "VerifyProtocol",
    "WholeDocumentProtocol",
    "check_other_model",
    "detect_with_model",
    "draft_forms",
    "judge_with_model",
    "judgement_from_answer",
    "predict_from_replies",
    "rate_with_model",
    "read_answer",
    "read_judgement",
    "read_slots",
    "slots_request",
    "verification_protocol",
]

"""Protocols for writing, judging and rating sentences: prompts, and reading of replies."""

from fallax.generation.protocols.forms import FormProtocol, draft_forms
from fallax.generation.protocols.judging import JudgeProtocol, judge_with_model, judgement_from_answer, read_judgement
from fallax.generation.protocols.quality import QualityProtocol, check_other_model, rate_with_model

__all__ = [
    "FormProtocol",
    "JudgeProtocol",
    "QualityProtocol",
    "check_other_model",
    "draft_forms",
    "judge_with_model",
    "judgement_from_answer",
    "rate_with_model",
    "read_judgement",
]

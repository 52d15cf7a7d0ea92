"""Text without judgement: sentences with offsets, announced conclusions, quotes found again, safe delimiters."""

from fallax.texts.cues import alternatives_of, conclusion_of, reported_claim_of
from fallax.texts.delimiters import fence
from fallax.texts.locate import Located, locate_quote
from fallax.texts.segment import sentence_spans

__all__ = [
    "Located",
    "alternatives_of",
    "conclusion_of",
    "fence",
    "locate_quote",
    "reported_claim_of",
    "sentence_spans",
]

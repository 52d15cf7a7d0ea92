"""Text without judgement: sentences with offsets, quotes found again, delimiters kept harmless."""

from fallax.texts.delimiters import fence
from fallax.texts.locate import Located, locate_quote
from fallax.texts.segment import sentence_spans

__all__ = ["Located", "fence", "locate_quote", "sentence_spans"]

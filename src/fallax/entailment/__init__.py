"""Does a passage entail a statement, contradict it, or neither? Also scores words and sentences; needs no torch."""

from fallax.entailment.english import foreign_to
from fallax.entailment.model import (
    MAX_PASSAGE,
    MAX_STATEMENT,
    EntailmentModel,
    PairReading,
    WordScore,
    load_entailment,
    shipped_entailment,
)
from fallax.entailment.passages import Passages, ReadPassages

__all__ = [
    "MAX_PASSAGE",
    "MAX_STATEMENT",
    "EntailmentModel",
    "PairReading",
    "Passages",
    "ReadPassages",
    "WordScore",
    "foreign_to",
    "load_entailment",
    "shipped_entailment",
]

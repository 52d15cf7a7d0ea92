"""Does a passage entail a statement, contradict it, or neither? Also scores words and sentences; needs no torch."""

from fallax.entailment.causes import CAUSES, load_causes, load_for_claims
from fallax.entailment.english import foreign_to
from fallax.entailment.model import (
    MAX_PASSAGE,
    MAX_STATEMENT,
    EntailmentModel,
    JoinedModel,
    PairReading,
    WordScore,
    load_entailment,
    shipped_entailment,
)
from fallax.entailment.passages import Passages, ReadPassages

__all__ = [
    "CAUSES",
    "MAX_PASSAGE",
    "MAX_STATEMENT",
    "EntailmentModel",
    "JoinedModel",
    "PairReading",
    "Passages",
    "ReadPassages",
    "WordScore",
    "foreign_to",
    "load_causes",
    "load_entailment",
    "load_for_claims",
    "shipped_entailment",
]

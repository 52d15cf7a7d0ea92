"""Passages of training examples are cut as they are read where the model runs."""

from __future__ import annotations

from dataclasses import replace

from tokenizers import Tokenizer

from fallax.entailment import shipped_entailment
from fallax.entailment.training.documents import Trimmer
from fallax.entailment.training.pairs import Example

PASSAGE = (
    "The harbour is old.",
    "Camels are patient.",
    "The ferry to the island sails at noon.",
    "Nobody has painted the pier since the war.",
)


def test_a_passage_is_cut_to_what_bears_on_the_statement() -> None:
    tokenizer = Tokenizer.from_str((shipped_entailment() / "tokenizer.json").read_text(encoding="utf-8"))
    tokenizer.no_padding()
    trim = Trimmer(tokenizer)
    example = Example(PASSAGE, "The ferry sails at noon.", "entailed", "corpus/passages", (), evidence=(2,), weight=0.5)
    noted = trim(example, 12)
    assert (noted.passage, noted.source) == (PASSAGE, "corpus/passages"), "noted, not yet cut"
    cut = trim.cut(replace(noted, weight=2.0))
    assert cut == replace(example, passage=PASSAGE[2:3], evidence=(0,), weight=2.0)
    assert trim.cut(trim(example, 200)) == trim.cut(example) == example, "it fits, or nothing was noted"
    assert trim.cut(trim(example, 200, bearing=0.9)).passage == PASSAGE[2:3]

"""The corpora written for this project, as examples: passages with statements, and scenes with claims about causes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fallax.entailment.training.pairs import Example, Label
from fallax.texts import sentence_spans

__all__ = ["causal_examples", "held_out", "passage_examples", "read_corpus", "sentences_of"]

_PASSAGE_LABELS: dict[str, Label] = {"entailed": "entailed", "contradicted": "contradicted", "neutral": "neither"}
_CLAIM_LABELS: dict[str, Label] = {"supports": "entailed", "refutes": "contradicted", "not_enough_info": "neither"}


def held_out(identifier: str) -> bool:
    """Whether a passage or scene is kept out of training: one in five.

    Examples
    --------
    >>> sum(held_out(f"minutes-{i}") for i in range(1000))
    192
    """
    return hashlib.sha256(identifier.encode()).digest()[0] % 5 == 0


def read_corpus(folder: Path, pattern: str) -> list[dict[str, Any]]:
    """The objects of all files of a folder, in the order of their names."""
    found = []
    for path in sorted(folder.glob(pattern)):
        with path.open(encoding="utf-8") as file:
            found += [json.loads(line) for line in file if line.strip()]
    return found


def sentences_of(text: str) -> tuple[str, ...]:
    """The sentences of a text, each on one line."""
    return tuple(" ".join(text[start:end].split()) for start, end in sentence_spans(text))


def passage_examples(folder: Path, pattern: str = "*.jsonl") -> Iterator[tuple[str, str, Example]]:
    """(id of the passage, kind, example) of each statement."""
    for row in read_corpus(folder, pattern):
        passage = sentences_of(row["passage"])
        for label, kind, statement in row["statements"]:
            said = _PASSAGE_LABELS[label]
            wrong = () if said == "entailed" else None
            yield row["id"], kind, Example(passage, statement, said, "corpus/passages", wrong)


def causal_examples(folder: Path, pattern: str = "*.jsonl") -> Iterator[tuple[str, str, Example]]:
    """(id of the scene, kind, example) of each claim."""
    for row in read_corpus(folder, pattern):
        evidence = tuple(" ".join(e.split()) for e in row["evidence"])
        for label, kind, claim, used in row["claims"]:
            said = _CLAIM_LABELS[label]
            wrong = () if said == "entailed" else None
            yield row["id"], kind, Example(evidence, claim, said, "corpus/causes", wrong, tuple(used) if used else None)

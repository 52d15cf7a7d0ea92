"""The corpora written for this project, as examples: passages with statements, and scenes with claims about causes."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, TypeAlias

from fallax.core.texts import sentence_spans
from fallax.entailment.training.pairs import Example, Label

__all__ = ["Part", "causal_examples", "part_of", "passage_examples", "read_corpus", "sentences_of"]

Part: TypeAlias = Literal["train", "calibration", "test"]
_PASSAGE_LABELS: dict[str, Label] = {"entailed": "entailed", "contradicted": "contradicted", "neutral": "neither"}
_CLAIM_LABELS: dict[str, Label] = {"supports": "entailed", "refutes": "contradicted", "not_enough_info": "neither"}
_LATER = re.compile(r"[e-z]\d-")


def part_of(identifier: str) -> Part:
    """Which part a passage or scene belongs to: one in ten is for calibration; of those written first, whose ids do not
    begin with a letter from "e" on and a digit, one in five is for tests and stands in the benchmarks.

    Examples
    --------
    >>> from collections import Counter
    >>> sorted(Counter(part_of(f"minutes-{i}") for i in range(1000)).items())
    [('calibration', 108), ('test', 195), ('train', 697)]
    """
    place = hashlib.sha256(identifier.encode()).digest()
    if place[0] % 5 == 0:
        return "train" if _LATER.match(identifier) else "test"
    return "calibration" if place[1] % 8 == 0 else "train"


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

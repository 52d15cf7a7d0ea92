"""Training examples of the entailment model: a passage, a statement, and a label."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = ["CONTRADICTED", "ENTAILED", "MAX_STATEMENT", "NEITHER", "NOT_ENTAILED", "Batchable", "Example", "encode"]

Label: TypeAlias = Literal["entailed", "contradicted", "neither", "not_entailed"]
ENTAILED, CONTRADICTED, NEITHER, NOT_ENTAILED = 0, 1, 2, 3
_NUMBERS: dict[str, int] = {"entailed": 0, "contradicted": 1, "neither": 2, "not_entailed": 3}
#: Most tokens read of a statement.
MAX_STATEMENT = 80
_CLS, _SEP = 101, 102


@dataclass(frozen=True, slots=True)
class Example:
    """A passage, a statement, and the label of the statement given the passage.

    Parameters
    ----------
    passage : its sentences, in order.
    statement : one sentence.
    label : "not_entailed" if it is not annotated whether it is contradicted or neither.
    source : name of the set it comes from.
    wrong : half-open spans of the statement that the passage does not support; None: not annotated.
    evidence : indexes of the sentences that decide the label; None: not annotated.
    weight : weight in the loss.
    """

    passage: tuple[str, ...]
    statement: str
    label: Label
    source: str
    wrong: tuple[tuple[int, int], ...] | None = None
    evidence: tuple[int, ...] | None = None
    weight: float = 1.0

    def with_source(self, source: str) -> Example:
        """The same example with another source."""
        return replace(self, source=source)


@dataclass(frozen=True, slots=True)
class Batchable:
    """Tokenised examples, concatenated.

    Parameters
    ----------
    ids : token ids: [CLS] statement [SEP] passage [SEP] for each example.
    starts : index of the first token of each example, and the total; shape (n + 1,).
    marks : target of each token: 1 if a token of the statement is not supported, or a token of the passage decides;
        0 if not; -1 if not annotated.
    statement : number of statement tokens of each example; shape (n,).
    labels, weights : label number and weight of each example; shape (n,).
    """

    ids: npt.NDArray[np.int32]
    starts: npt.NDArray[np.int64]
    marks: npt.NDArray[np.int8]
    statement: npt.NDArray[np.int32]
    labels: npt.NDArray[np.int8]
    weights: npt.NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.labels)


def encode(tokenizer: Any, examples: Iterable[Example], *, most: int) -> Batchable:
    """Tokenise examples; passages are cut so that each example has at most ``most`` tokens."""
    found = list(examples)
    statements = tokenizer.encode_batch([e.statement for e in found], add_special_tokens=False)
    flat = [s for e in found for s in e.passage]
    texts: list[Sequence[int]] = []
    for at in range(0, len(flat), 4096):
        texts += [e.ids for e in tokenizer.encode_batch(flat[at : at + 4096], add_special_tokens=False)]
    ids: list[int] = []
    marks: list[int] = []
    starts, lengths = [0], []
    at = 0
    for example, statement in zip(found, statements, strict=True):
        own = statement.ids[:MAX_STATEMENT]
        said = [-1] * len(own)
        if example.wrong is not None:
            said = [int(any(a < e and s < b for a, b in example.wrong)) for s, e in statement.offsets[:MAX_STATEMENT]]
        sentences = texts[at : at + len(example.passage)]
        at += len(example.passage)
        room = most - len(own) - 3
        tokens: list[int] = []
        decides: list[int] = []
        for i, sentence in enumerate(sentences):
            tokens += sentence
            decides += [-1 if example.evidence is None else int(i in example.evidence)] * len(sentence)
        ids += [_CLS, *own, _SEP, *tokens[:room], _SEP]
        marks += [-1, *said, -1, *decides[:room], -1]
        starts.append(len(ids))
        lengths.append(len(own))
    return Batchable(
        np.array(ids, dtype=np.int32),
        np.array(starts, dtype=np.int64),
        np.array(marks, dtype=np.int8),
        np.array(lengths, dtype=np.int32),
        np.array([_NUMBERS[e.label] for e in found], dtype=np.int8),
        np.array([e.weight for e in found], dtype=np.float32),
    )

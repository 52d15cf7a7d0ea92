"""Where a document bears on a statement: sentences found by words and by their meaning, read with their neighbours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from fallax.core.texts import sentence_spans
from fallax.entailment.model import MAX_PASSAGE, EntailmentModel, PairReading

__all__ = ["Passages", "ReadPassages"]

#: Words less alike than this are strangers.
_LEAST = 0.55
#: What the better neighbour of a sentence adds to it: what is meant is often said in the sentence before.
_NEIGHBOUR = 0.2
#: Where there is less room than this many tokens left, nothing more is looked for.
_ROOM = 8
#: Tokens of a piece; a longer sentence is cut.
_PIECE = 64

_Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class ReadPassages:
    """Sentences of a document that were read together.

    Parameters
    ----------
    pieces : their numbers, in the order of the document.
    covered : the share of the statement's words, weighted by how rare they are, that they say or say alike, in [0, 1].
    reading : what the model made of them.
    shares : what each of them covers alone.
    """

    pieces: tuple[int, ...]
    covered: float
    reading: PairReading
    shares: tuple[float, ...]

    @property
    def weights(self) -> tuple[float, ...]:
        """For each sentence how much it decides, in [0, 1]: its share of the words, and what the model says of it."""
        return tuple(0.75 * s + 0.25 * w for s, w in zip(self.shares, self.reading.sentences, strict=True))


class Passages:
    """A document that statements are read against.

    Parameters
    ----------
    model : who reads.
    document : the text; or, with ``spans``, the parts of it that are read.
    spans : half-open code point offsets of its sentences; by default they are found.

    Examples
    --------
    >>> from fallax.entailment import load_entailment
    >>> text = "The ferry sails at noon. Camels are patient. The harbour is old."
    >>> found = Passages(load_entailment(), text).read("The boat leaves at midday.", budget=20)
    >>> text[slice(*Passages(load_entailment(), text).spans[found.pieces[0]])]
    'The ferry sails at noon.'
    """

    def __init__(self, model: EntailmentModel, document: str, spans: Sequence[tuple[int, int]] | None = None) -> None:
        self.model = model
        self.document = document
        self.spans = tuple(sentence_spans(document) if spans is None else spans)
        self.texts = tuple(" ".join(document[a:b].split()) for a, b in self.spans)
        tokens = [model.tokens(t) for t in self.texts]
        self._sizes = np.array([len(t) for t in tokens])
        self._seen = Counter(t for each in tokens for t in set(each))
        # each word once: what is alike is looked up by its number
        number = {t: i for i, t in enumerate(self._seen)}
        self._numbers = np.array([number[t] for each in tokens for t in each], dtype=np.int64)
        self._starts = np.concatenate([[0], np.cumsum(self._sizes)])
        self._vectors = model.vectors(tuple(number)) if number else np.zeros((0, 1), dtype=np.float32)
        self._last: tuple[str, tuple[_Floats, _Floats]] | None = None

    def __len__(self) -> int:
        return len(self.spans)

    def _held(self, statement: str) -> tuple[_Floats, _Floats]:
        """How far each sentence holds each token of a statement, shape (n_tokens, n_sentences), and their weights.

        The last statement's are kept, as it is often read twice.
        """
        if self._last is None or self._last[0] != statement:
            self._last = statement, self._compared(statement)
        return self._last[1]

    def _compared(self, statement: str) -> tuple[_Floats, _Floats]:
        own = list(dict.fromkeys(self.model.tokens(statement)))
        if not own or not len(self._vectors):
            return np.zeros((0, len(self)), dtype=np.float32), np.zeros(0, dtype=np.float32)
        alike = self.model.vectors(own) @ self._vectors.T
        alike = np.where(alike < _LEAST, 0.0, alike)[:, self._numbers]
        held = np.zeros((len(own), len(self)), dtype=np.float32)
        full = np.flatnonzero(self._sizes)
        held[:, full] = np.maximum.reduceat(alike, self._starts[:-1][full], axis=1)
        n = len(self)
        weights = np.array([np.log((1 + n) / (0.5 + self._seen[t])) for t in own], dtype=np.float32)
        return held, np.maximum(weights, 0.02)

    def choose(
        self, statement: str, *, budget: int, without: frozenset[int] = frozenset(), bearing: float = 0.0
    ) -> tuple[tuple[int, ...], float, tuple[float, ...]]:
        """The sentences to read beside a statement, in the order of the document; their coverage; that of each.

        One sentence after another is taken that adds most of the statement's rare words, or words like them, to what
        the chosen ones hold already; so a statement that joins two facts finds both.

        Parameters
        ----------
        budget : tokens that may be taken in all. At least one sentence is.
        without : sentences that are not to be taken.
        bearing : nor are those that hold less than this share of what the best one holds, so that neither what is
            irrelevant nor its order changes a reading. For pieces that do not belong to one text; in a text, what a
            sentence means often stands in its neighbour.
        """
        held, weights = self._held(statement)
        left = np.array([i not in without for i in range(len(self))])
        if bearing > 0.0 and len(weights) and left.any():
            own = weights @ held
            left &= own >= bearing * own[left].max()
        covered = np.zeros(len(weights), dtype=np.float32)
        chosen: list[int] = []
        used = 0
        while left.any():
            gains = weights @ np.maximum(held - covered[:, None], 0.0) if len(weights) else np.zeros(len(self))
            near = np.zeros(len(self))
            if len(self) > 1:
                near[1:] = gains[:-1]
                near[:-1] = np.maximum(near[:-1], gains[1:])
            for i in chosen:  # what stands beside a chosen sentence often belongs to it
                near[max(0, i - 1) : i + 2] += 0.15 * float(weights.sum())
            value = np.where(left, gains + _NEIGHBOUR * near, -1.0)
            best = int(value.argmax())
            left[best] = False
            if chosen and used + self._sizes[best] > budget:
                if used + _ROOM > budget:
                    break
                continue
            chosen.append(best)
            used += int(self._sizes[best])
            if len(weights):
                covered = np.maximum(covered, held[:, best] * 0.8)
            if used >= budget:
                break
        total = float(weights.sum())
        order = sorted(chosen)
        if not total or not order:
            return tuple(order), 1.0, (1.0,) * len(order)
        most = held[:, order].max(axis=1)
        alone = weights @ held[:, order] / total
        return tuple(order), float(weights @ most) / total, tuple(float(x) for x in alone)

    def read(
        self, statement: str, *, budget: int, without: frozenset[int] = frozenset(), bearing: float = 0.0
    ) -> ReadPassages:
        """Read a statement beside the sentences that bear on it; see :meth:`choose`."""
        room = min(budget, MAX_PASSAGE - 3 - min(80, len(self.model.tokens(statement))))
        chosen, covered, shares = self.choose(statement, budget=room, without=without, bearing=bearing)
        return ReadPassages(chosen, covered, self.model.read([self.texts[i] for i in chosen], statement), shares)

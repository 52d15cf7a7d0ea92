"""Choose the sentences of a document that are relevant to a statement, by word similarity, and read them together."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from fallax.core.texts import behind_speaker, speakers_of, told_lines, without_hidden, worded_spans
from fallax.encoders.products import product
from fallax.entailment.model import MAX_PASSAGE, MAX_STATEMENT, EntailmentModel, PairReading

__all__ = ["Passages", "ReadPassages"]

#: Words with a lower cosine similarity count as unrelated.
_LEAST = 0.55
#: Share of the better neighbour's score that is added to a sentence: context is often in the sentence before.
_NEIGHBOUR = 0.2
#: The choice ends when fewer tokens than this are left.
_ROOM = 8

_Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class ReadPassages:
    """The sentences of a document that were chosen for a statement, and the model's output for them.

    Parameters
    ----------
    pieces : indexes of the chosen sentences, in document order.
    covered : share of the statement's words, weighted by rarity, that the chosen sentences contain in the same or
        similar words, in [0, 1].
    reading : the model's output.
    shares : the same share for each chosen sentence alone.
    """

    pieces: tuple[int, ...]
    covered: float
    reading: PairReading
    shares: tuple[float, ...]

    @property
    def weights(self) -> tuple[float, ...]:
        """How strongly each chosen sentence decides, in [0, 1]: 3/4 its share of the words, 1/4 the model's score."""
        return tuple(0.75 * s + 0.25 * w for s, w in zip(self.shares, self.reading.sentences, strict=True))


class Passages:
    """A document, prepared so that statements can be checked against it.

    Parameters
    ----------
    model : the entailment model.
    document : the text.
    spans : half-open code point offsets of the sentences to read; by default, all sentences of the document.

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
        self.spans = tuple(worded_spans(document) if spans is None else spans)
        breaks = self._breaks()
        self.texts = told_lines([without_hidden(document[a:b]) for a, b in self.spans], [n > 1 for n in breaks])
        #: Who says each sentence; empty where no speaker is named.
        self.speakers = speakers_of(self.texts, [n == 0 for n in breaks])
        self._spoken = tuple(map(_said_by, self.texts, self.speakers))
        tokens = [model.tokens(t) for t in self._spoken]
        self._sizes = np.array([len(t) for t in tokens])
        self._seen = Counter(t for each in tokens for t in set(each))
        # the vector of each different token is kept once, and each sentence as the rows of its tokens among them
        number = {t: i for i, t in enumerate(self._seen)}
        self._numbers = np.array([number[t] for each in tokens for t in each], dtype=np.int64)
        self._starts = np.concatenate([[0], np.cumsum(self._sizes)])
        self._vectors = model.vectors(tuple(number)) if number else np.zeros((0, 1), dtype=np.float32)
        self._last: tuple[str, tuple[_Floats, _Floats]] | None = None

    def __len__(self) -> int:
        return len(self.spans)

    def _breaks(self) -> list[int]:
        """How many lines end between each sentence and the one before it."""
        ends = [0, *(end for _, end in self.spans)]
        return [
            len(re.findall(r"\r\n|[\r\n]", self.document[end:start]))
            for end, (start, _) in zip(ends, self.spans, strict=False)
        ]

    def in_order(self, order: Sequence[int]) -> Passages:
        """The same sentences in another order: the numbers of all of them, each once. Nothing is encoded again."""
        found = copy(self)
        found.spans = tuple(self.spans[i] for i in order)
        found.texts = tuple(self.texts[i] for i in order)
        found.speakers = tuple(self.speakers[i] for i in order)
        found._spoken = tuple(self._spoken[i] for i in order)
        found._sizes = self._sizes[list(order)]
        found._numbers = np.concatenate(
            [self._numbers[:0], *(self._numbers[self._starts[i] : self._starts[i + 1]] for i in order)]
        )
        found._starts = np.concatenate([[0], np.cumsum(found._sizes)])
        found._last = None
        return found

    def read_by(self, model: EntailmentModel) -> Passages:
        """The same sentences, chosen in the same way, read by another model with the same words."""
        found = copy(self)
        found.model = model
        return found

    def said(self, pieces: Sequence[int]) -> list[str]:
        """Sentences as they are read: each of a speaker with the name in front, not the first of a turn alone.

        Of a question they say that it was asked.
        """
        return [self._spoken[i] for i in pieces]

    def _held(self, statement: str) -> tuple[_Floats, _Floats]:
        """How well each sentence matches each token, shape (n_tokens, n_sentences), and the weights of the tokens.

        The result for the last statement is kept, because it is often read twice.
        """
        last = self._last  # another thread may put its own statement there
        if last is None or last[0] != statement:
            last = self._last = statement, self._compared(statement)
        return last[1]

    def _compared(self, statement: str) -> tuple[_Floats, _Floats]:
        own = list(dict.fromkeys(self.model.tokens(statement)))
        if not own or not len(self._vectors):
            return np.zeros((0, len(self)), dtype=np.float32), np.zeros(0, dtype=np.float32)
        alike = product(self.model.vectors(own), self._vectors.T)
        alike = np.where(alike < _LEAST, 0.0, alike)[:, self._numbers]
        held = np.zeros((len(own), len(self)), dtype=np.float32)
        full = np.flatnonzero(self._sizes)
        held[:, full] = np.maximum.reduceat(alike, self._starts[:-1][full], axis=1)
        n = len(self)
        weights = np.array([np.log((1 + n) / (0.5 + self._seen[t])) for t in own], dtype=np.float32)
        return held, np.maximum(weights, 0.02)

    def shares(self, statement: str) -> tuple[float, ...]:
        """How much of a statement each sentence holds: the share of its words, weighted by rarity, in [0, 1]."""
        held, weights = self._held(statement)
        total = float(weights.sum())
        return _as_shares(product(weights, held) / total) if total else (0.0,) * len(self)

    def choose(
        self, statement: str, *, budget: int, without: frozenset[int] = frozenset(), bearing: float = 0.0
    ) -> tuple[tuple[int, ...], float, tuple[float, ...]]:
        """Choose the sentences to read for a statement.

        Greedy: each step takes the sentence that adds most of the statement's rare words, or similar words, to those
        covered so far. So a statement that joins two facts finds both.

        Parameters
        ----------
        budget : most tokens in all. At least one sentence is always taken, if one is left.
        without : indexes of sentences to leave out.
        bearing : leave out sentences whose score is below this share of the best one's. Then irrelevant text and its
            order cannot change the result. Use it for separate pieces of evidence; in one running text a sentence
            often needs its neighbour.

        Returns
        -------
        tuple
            Indexes in document order; the share of the statement that they cover together; the share of each.
        """
        held, weights = self._held(statement)
        left = np.array([i not in without for i in range(len(self))])
        if bearing > 0.0 and len(weights) and left.any():
            own = product(weights, held)
            left &= own >= bearing * own[left].max()
        covered = np.zeros(len(weights), dtype=np.float32)
        chosen: list[int] = []
        used = 0
        while left.any():
            gains = product(weights, np.maximum(held - covered[:, None], 0.0)) if len(weights) else np.zeros(len(self))
            near = np.zeros(len(self))
            if len(self) > 1:
                near[1:] = gains[:-1]
                near[:-1] = np.maximum(near[:-1], gains[1:])
            for i in chosen:  # neighbours of a chosen sentence are often part of the same point
                near[max(0, i - 1) : i + 2] += 0.15 * float(weights.sum())
            value = np.where(left, gains + _NEIGHBOUR * near, -1.0)
            best = int(value.argmax())
            left[best] = False
            if chosen and used + self._sizes[best] > budget:
                if used + _ROOM > budget:
                    break
                left &= self._sizes <= budget - used
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
        covered_share = min(1.0, float(product(weights, most)) / total)
        return tuple(order), covered_share, _as_shares(product(weights, held[:, order]) / total)

    def fits(self, pieces: Sequence[int], statement: str) -> bool:
        """Whether the model can read sentences, given by their numbers, together with a statement."""
        return int(self._sizes[list(pieces)].sum()) <= self.room(statement)

    def room(self, statement: str) -> int:
        """The tokens that are left for sentences beside a statement."""
        return MAX_PASSAGE - 3 - min(MAX_STATEMENT, len(self.model.tokens(statement)))

    def read(self, statement: str, *, budget: int, bearing: float = 0.0) -> ReadPassages:
        """Choose sentences for a statement and classify it against them; the parameters are those of :meth:`choose`."""
        return self._read(statement, self.choose(statement, budget=min(budget, self.room(statement)), bearing=bearing))

    def read_next(self, statement: str, read: ReadPassages, *, budget: int, bearing: float) -> ReadPassages | None:
        """Choose further sentences for a statement and classify it against them; None where all were read.

        Parameters
        ----------
        read : what was read for the statement.
        budget, bearing : see :meth:`choose`.
        """
        room, seen = min(budget, self.room(statement)), frozenset(read.pieces)
        chosen = self.choose(statement, budget=room, without=seen, bearing=bearing)
        return self._read(statement, chosen) if chosen[0] else None

    def _read(self, statement: str, chosen: tuple[tuple[int, ...], float, tuple[float, ...]]) -> ReadPassages:
        pieces, covered, shares = chosen
        return ReadPassages(pieces, covered, self.model.read(self.said(pieces), statement), shares)


def _said_by(text: str, speaker: str) -> str:
    if not speaker:
        return text
    start = behind_speaker(text)
    head = text[:start].rstrip()[:-1] if start else speaker
    return f"{head}{' asked' if text.rstrip().endswith('?') else ''}: {text[start:]}"


def _as_shares(values: _Floats) -> tuple[float, ...]:
    """Shares of at most 1, which rounding can exceed."""
    return tuple(min(1.0, float(x)) for x in values)

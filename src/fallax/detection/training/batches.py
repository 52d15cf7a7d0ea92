"""Batches of windows, in which the context of each text varies from epoch to epoch."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch

from fallax.detection.systems.windows import TokenizerPort, pieces_of, windows_of
from fallax.detection.training.examples import SentenceExample

__all__ = ["Batch", "Tokens", "batches_of", "collate", "tokens_of", "varied"]

#: Texts are cut to about this many tokens in training.
_MAX_TOKENS = 200
#: How often a text is put beside sentences of another one, its title kept, only its marked sentences kept.
_JOINED, _TITLED, _CUT = 0.45, 0.6, 0.2


@dataclass(slots=True)
class Tokens:
    """A tokenised example; its lists have one length, and so has ``taught``, the logits of a larger detector."""

    title: list[int]
    sentences: list[list[int]]
    flagged: list[float]
    weights: list[float]
    candidates: list[tuple[int, ...]]
    label_weight: float
    taught: npt.NDArray[np.float32] | None = None

    def part(self, start: int, end: int) -> Tokens:
        """A subset of the sentences."""
        return Tokens(
            self.title, self.sentences[start:end], self.flagged[start:end], self.weights[start:end],
            self.candidates[start:end], self.label_weight, None if self.taught is None else self.taught[start:end],
        )  # fmt: skip

    def joined(self, other: Tokens) -> Tokens:
        """The sentences of this text followed by those of another; what was said of each alone is dropped."""
        return Tokens(
            self.title, self.sentences + other.sentences, self.flagged + other.flagged, self.weights + other.weights,
            self.candidates + other.candidates, max(self.label_weight, other.label_weight),
        )  # fmt: skip

    @property
    def n(self) -> int:
        """The number of tokens in the sentences."""
        return sum(map(len, self.sentences))


@dataclass(slots=True)
class Batch:
    """Windows padded to one length, and the sentences in them.

    Parameters
    ----------
    ids, attention : shape (n_windows, n_tokens).
    window, start, end : shape (n_sentences,); where each sentence stands.
    which : (number of the text, number of the sentence) for each sentence.
    text_of : number of the text of each window.
    """

    ids: torch.Tensor
    attention: torch.Tensor
    window: torch.Tensor
    start: torch.Tensor
    end: torch.Tensor
    which: list[tuple[int, int]]
    text_of: list[int]


def tokens_of(tokenizer: TokenizerPort, examples: Sequence[SentenceExample]) -> list[Tokens]:
    """The examples in tokens."""
    pieces = iter(pieces_of(tokenizer, [t for e in examples for t in (e.title, *e.sentences)]))
    return [
        Tokens(next(pieces), [next(pieces) for _ in e.sentences], list(e.flagged), list(e.weights),
               list(e.candidates), e.label_weight)
        for e in examples
    ]  # fmt: skip


def varied(text: Tokens, others: Sequence[Tokens], rng: random.Random) -> Tokens:
    """Vary a text: with or without title, cut to the marked part, next to sentences of another.

    Parameters
    ----------
    others : texts without fallacies that may stand beside it; none are put there if this is empty.
    """
    found = text.part(0, len(text.sentences))
    if rng.random() >= _TITLED:
        found.title = []
    marked = [i for i, f in enumerate(found.flagged) if f > 0.5]
    if marked and len(marked) < len(found.flagged) and rng.random() < _CUT:
        found = found.part(marked[0], marked[-1] + 1)
    if others and rng.random() < _JOINED:
        other = rng.choice(others)
        n = min(rng.randint(1, 3), len(other.sentences))
        before = rng.random() < 0.5
        if before:
            joined = other.part(len(other.sentences) - n, len(other.sentences)).joined(found)
            joined.title = found.title
            found = joined
        else:
            found = found.joined(other.part(0, n))
    while found.n > _MAX_TOKENS and len(found.sentences) > 1:
        first = found.flagged[0] < 0.5 or found.flagged[-1] > 0.5
        found = found.part(1, len(found.sentences)) if first else found.part(0, len(found.sentences) - 1)
    return found


def batches_of(texts: Sequence[Tokens], size: int, rng: random.Random) -> Iterator[list[Tokens]]:
    """Batches of texts of similar length, in random order."""
    order = sorted(range(len(texts)), key=lambda i: texts[i].n + rng.random() * 4)
    cuts = list(range(0, len(order), size))
    rng.shuffle(cuts)
    for cut in cuts:
        yield [texts[i] for i in order[cut : cut + size]]


def collate(texts: Sequence[Tokens]) -> Batch:
    """All windows of some texts."""
    windows = [(n, w) for n, text in enumerate(texts) for w in windows_of(text.sentences, text.title)]
    length = max(len(w.ids) for _, w in windows)
    ids = torch.zeros(len(windows), length, dtype=torch.long)
    attention = torch.zeros(len(windows), length)
    rows: list[tuple[int, int, int]] = []
    which: list[tuple[int, int]] = []
    for row, (n, window) in enumerate(windows):
        ids[row, : len(window.ids)] = torch.from_numpy(window.ids)
        attention[row, : len(window.ids)] = 1.0
        for sentence, start, end in window.places:
            rows.append((row, start, end))
            which.append((n, sentence))
    places = torch.tensor(rows, dtype=torch.long)
    return Batch(ids, attention, places[:, 0], places[:, 1], places[:, 2], which, [n for n, _ in windows])

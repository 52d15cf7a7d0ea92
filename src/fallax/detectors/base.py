"""What every detector is, and how sentence scores become spans."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from fallax.texts import sentence_spans
from fallax.types import Prediction, Record, Span

__all__ = ["Detector", "SentenceDetector", "SentenceScorer"]


class Detector(Protocol):
    """Finds labelled spans in a text without being asked about it in words."""

    @property
    def name(self) -> str:
        """Name and version, as in signatures."""

    @property
    def taxonomy(self) -> str:
        """The label set of its spans."""

    def detect(self, record: Record, *, min_confidence: float | None = None) -> Prediction:
        """The spans of one text, each with a calibrated confidence."""

    def evidence(self, record: Record, span: Span, *, limit: int = 5) -> tuple[tuple[str, float], ...]:
        """The words without which the confidence of a span falls most, by leaving them out."""

    def card(self) -> dict[str, Any]:
        """What it was trained on, how good it is, and what it is bad at."""


class SentenceScorer(Protocol):
    """Gives every sentence of a text a calibrated probability per label."""

    labels: tuple[str, ...]

    def probabilities(self, sentences: Sequence[str]) -> npt.NDArray[np.float64]:
        """Shape (n_sentences, n_labels); a row adds up to at most 1, the rest is "no fallacy"."""


@dataclass(frozen=True)
class SentenceDetector:
    """Spans from consecutive sentences that carry the same label.

    A sentence is flagged if the probability that it is part of any fallacy reaches ``threshold``; its label is the
    likeliest. A span's confidence is the largest probability, among its sentences, that it is part of any fallacy.

    Parameters
    ----------
    name, taxonomy : see :class:`Detector`.
    scorer : gives the probabilities.
    threshold : in (0, 1]; :meth:`detect` takes another one as ``min_confidence``.
    """

    name: str
    taxonomy: str
    scorer: SentenceScorer
    threshold: float
    about: dict[str, Any]

    def card(self) -> dict[str, Any]:
        """What it was trained on, how good it is, and what it is bad at."""
        return self.about

    def detect(self, record: Record, *, min_confidence: float | None = None) -> Prediction:
        """The spans of one text.

        Parameters
        ----------
        record : its title is not examined.
        min_confidence : flag sentences from this probability on, in [0, 1]; default: the detector's threshold.
        """
        places = sentence_spans(record.text)
        if not places:
            return Prediction(record.id)
        least = self.threshold if min_confidence is None else min_confidence
        found = self.scorer.probabilities([record.text[a:b] for a, b in places])
        flagged = found.sum(axis=1)
        best = found.argmax(axis=1)
        spans: list[Span] = []
        open_label = -1
        for (start, end), p, label in zip(places, flagged, best, strict=True):
            p = float(min(p, 1.0))
            if p < least or p == 0.0:
                open_label = -1
            elif label == open_label:
                last = spans.pop()
                spans.append(Span(last.start, end, last.label, max(last.confidence or 0.0, p)))
            else:
                spans.append(Span(start, end, self.scorer.labels[label], p))
                open_label = int(label)
        return Prediction(record.id, tuple(spans))

    def evidence(self, record: Record, span: Span, *, limit: int = 5) -> tuple[tuple[str, float], ...]:
        """The words without which the span's sentences lose most of the label's probability (occlusion).

        Returns
        -------
        tuple of (words, effect)
            Largest effect first; effects are differences of probability in (0, 1]. One model call per word.
        """
        places = sentence_spans(record.text)
        sentences = [record.text[a:b] for a, b in places]
        inside = [i for i, (a, b) in enumerate(places) if a < span.end and b > span.start]
        if span.label not in self.scorer.labels or not inside:
            return ()
        column = self.scorer.labels.index(span.label)
        before = self.scorer.probabilities(sentences)[inside, column].max()
        effects: list[tuple[str, float]] = []
        for i in inside:
            words = sentences[i].split()
            for k, word in enumerate(words):
                without = [*sentences]
                without[i] = " ".join(words[:k] + words[k + 1 :])
                effect = float(before - self.scorer.probabilities(without)[inside, column].max())
                if effect > 0.005:
                    effects.append((word.strip(".,;:!?\"'“”()"), effect))
        effects.sort(key=lambda e: (-e[1], e[0]))
        return tuple((w, round(e, 4)) for w, e in effects[:limit] if w)

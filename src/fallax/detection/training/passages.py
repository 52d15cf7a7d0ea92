"""What a detector reports in annotated texts: how sure it is of each passage, and whether that is part of a fallacy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fallax.detection.systems.arguing import argues
from fallax.detection.systems.base import SentenceDetector
from fallax.detection.systems.decoding import spans_of
from fallax.detection.training.examples import SentenceExample

__all__ = ["FoundPassage", "passage_rows", "passages_found"]


@dataclass(frozen=True, slots=True)
class FoundPassage:
    """A passage that a detector reports.

    Parameters
    ----------
    probability : the highest of its sentences.
    right : whether a sentence of it is part of a fallacy.
    weight : how sure that is, in [0, 1].
    fallacious : whether its text has any fallacy.
    """

    probability: float
    right: bool
    weight: float
    fallacious: bool


def passages_found(
    detector: SentenceDetector, examples: Sequence[SentenceExample], threshold: float | None = None
) -> Iterator[list[FoundPassage]]:
    """For each text the passages that a detector reports, with the probabilities that decide.

    Parameters
    ----------
    threshold : of probabilities; by default the detector's own.
    """
    for e in examples:
        p = detector.scorer.probabilities(list(e.sentences), title=e.title)
        plain = not argues(e.sentences[0])
        runs = spans_of(p, detector.decoding, groups=detector.groups(), threshold=threshold, plain=plain)
        places = {(r.first, r.end): r.confidence for r in runs}
        yield [
            FoundPassage(
                confidence, max(e.flagged[a:b]) > 0.5, float(np.mean(e.weights[a:b])), max(e.flagged) > 0.5
            )
            for (a, b), confidence in places.items()
        ]  # fmt: skip


def passage_rows(
    detector: SentenceDetector, sets: Mapping[str, Sequence[SentenceExample]], threshold: float | None = None
) -> list[tuple[float, float, float]]:
    """For each passage reported: the probability that decides, 1 if it is part of a fallacy else 0, and its weight.

    Parameters
    ----------
    sets : held-out texts, set by set. A set without fallacious or without ordinary texts says nothing and is left out.

    Notes
    -----
    Each set counts the same, and within it fallacious and ordinary texts, so that every second text holds a fallacy.
    """
    rows: list[tuple[float, float, float]] = []
    for examples in sets.values():
        fallacious = sum(max(e.flagged) > 0.5 for e in examples)
        if 0 < fallacious < len(examples):
            for x in (x for found in passages_found(detector, examples, threshold) for x in found):
                share = 1.0 / (fallacious if x.fallacious else len(examples) - fallacious)
                rows.append((x.probability, float(x.right), x.weight * share))
    return rows

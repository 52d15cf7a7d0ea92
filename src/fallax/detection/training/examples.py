"""Converts texts with gold into training sentences for a detector."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from fallax.core.taxonomies import load_taxonomy, map_label
from fallax.core.types import NO_FALLACY, GoldSpan, Record
from fallax.detection.systems.base import parts_of

__all__ = [
    "LossWeights",
    "SentenceExample",
    "example_of",
    "examples_of",
    "is_held_out",
    "parts_of_example",
    "plain_example",
]


#: A text of more words than the first is cut into pieces of at most the second, a long sentence aside.
_LONG, _PIECE = 300, 150
#: A passage of this project and its near miss tell one story.
_STORY = re.compile(r"(.+)-[fn](\d+)")


@dataclass(frozen=True, slots=True)
class LossWeights:
    """The weight of a source's sentences in training, in [0, 1].

    Parameters
    ----------
    positive : sentences that carry a label.
    negative : the other sentences of an annotated text.
    unsure : sentences of a text in which only one label was looked for and not found.
    label : the label of a sentence, beside whether it has any.
    """

    positive: float = 1.0
    negative: float = 1.0
    unsure: float = 0.5
    label: float = 1.0


@dataclass(frozen=True, slots=True)
class SentenceExample:
    """One training text.

    Parameters
    ----------
    group : texts of one group are held out together.
    title : context; empty for none.
    sentences : the text, n sentences.
    flagged : n numbers, 1.0 if the sentence is part of a fallacy, else 0.0.
    weights : n numbers, how much that counts.
    candidates : n tuples of label numbers, one of which is right; empty where none is known.
    label_weight : how much the labels count.
    """

    group: str
    title: str
    sentences: tuple[str, ...]
    flagged: tuple[float, ...]
    weights: tuple[float, ...]
    candidates: tuple[tuple[int, ...], ...]
    label_weight: float = 1.0


def _candidates(labels: Sequence[str], source: str, target: str) -> tuple[int, ...]:
    """Indices of target labels of which one applies: the exact ones, else the possible ones."""
    numbers = {name: i for i, name in enumerate(load_taxonomy(target).names)}
    found: set[str] = set()
    for label in labels:
        if label == NO_FALLACY:
            continue
        sure = map_label(label, source, target)
        found.update(sure or map_label(label, source, target, allow=["narrower"]))
    return tuple(sorted(numbers[name] for name in found))


def _span_of(place: tuple[int, int], spans: Sequence[GoldSpan]) -> GoldSpan | None:
    """The span of a sentence: covers half of it, or has half of itself there; of several, the largest overlap."""
    start, end = place
    best, size = None, 0
    for span in spans:
        shared = min(end, span.end) - max(start, span.start)
        if shared > size and 2 * shared >= min(end - start, span.end - span.start):
            best, size = span, shared
    return best


def example_of(
    record: Record, *, taxonomy: str, target: str = "mafalda", weights: LossWeights = LossWeights()
) -> SentenceExample | None:
    """The training example of a record, or None if it has no sentence or is not annotated.

    Parameters
    ----------
    record : its gold is in the labels of ``taxonomy``. Without gold, ``meta["asked"]`` says that one label was looked
        for and not found; without that, nothing is known and there is no example.
    taxonomy, target : the record's label set, and that of the detector.

    Examples
    --------
    >>> record = Record("r", "Hello. You are a fool, so no.", (GoldSpan(7, 29, ("Ad Hominem",)),))
    >>> found = example_of(record, taxonomy="argotario")
    >>> found.flagged, found.candidates
    ((0.0, 1.0), ((), (16,)))
    """
    if record.gold is None and "asked" not in record.meta:
        return None
    parts = parts_of(record)
    title, places = parts.title, parts.places
    if not places:
        return None
    # of a text where passages were marked, the rest was read with less care
    marked = record.meta.get("granularity") == "span"
    negative = weights.unsure if record.gold is None or (marked and "asked" in record.meta) else weights.negative
    flagged, counts, candidates = [], [], []
    for place in places:
        span = _span_of(place, [g for g in record.gold or () if g.labels != (NO_FALLACY,)])
        flagged.append(0.0 if span is None else 1.0)
        counts.append(negative if span is None else weights.positive)
        candidates.append(() if span is None else _candidates(span.labels, taxonomy, target))
    sentences = tuple(record.text[a:b] for a, b in places)
    story = _STORY.fullmatch(record.id)
    group = f"{story[1]}-{story[2]}" if story else title or record.id
    return SentenceExample(group, title, sentences, tuple(flagged), tuple(counts), tuple(candidates), weights.label)


def examples_of(
    records: Iterable[Record], *, taxonomy: str, target: str = "mafalda", weights: LossWeights = LossWeights()
) -> list[SentenceExample]:
    """:func:`example_of` for every usable record; articles are cut into pieces of whole sentences."""
    found = (example_of(r, taxonomy=taxonomy, target=target, weights=weights) for r in records)
    return [part for e in found if e is not None for part in parts_of_example(e)]


def parts_of_example(example: SentenceExample) -> list[SentenceExample]:
    """An example, cut into pieces of whole sentences if it is an article."""
    lengths = [len(s.split()) for s in example.sentences]
    if sum(lengths) <= _LONG:
        return [example]
    cuts, used = [0], 0
    for i, n in enumerate(lengths):
        if used and used + n > _PIECE:
            cuts.append(i)
            used = 0
        used += n
    cuts.append(len(lengths))
    return [
        replace(
            example,
            sentences=example.sentences[a:b],
            flagged=example.flagged[a:b],
            weights=example.weights[a:b],
            candidates=example.candidates[a:b],
        )
        for a, b in pairwise(cuts)
    ]


def plain_example(text: str, *, group: str, title: str = "", weight: float = 1.0) -> SentenceExample | None:
    """The example of a text without fallacies; None if it has no sentence."""
    places = parts_of(Record("plain", text)).places
    if not places:
        return None
    n = len(places)
    return SentenceExample(group, title, tuple(text[a:b] for a, b in places), (0.0,) * n, (weight,) * n, ((),) * n)


def is_held_out(example: SentenceExample, one_in: int, fold: int = 0) -> bool:
    """Whether an example is held out of training: one group in N, the same in every run.

    Parameters
    ----------
    fold : which of the ``one_in`` parts; each example is in one of them.
    """
    return one_in > 0 and zlib.crc32(example.group.encode("utf-8", "surrogatepass")) % one_in == fold

"""Cuts a text at the borders of its spans, to display overlapping spans."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from fallax.core.types import GoldSpan, Span

__all__ = ["Segment", "segments"]


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of text and the numbers of the spans over it; ``ends`` are those that end with it."""

    text: str
    covered_by: tuple[int, ...]
    ends: tuple[int, ...] = ()


def segments(text: str, spans: Sequence[Span | GoldSpan]) -> tuple[Segment, ...]:
    """Cut a text at every border of its spans.

    Joining the pieces gives the text back.

    Examples
    --------
    >>> [(s.text, s.covered_by) for s in segments("abcdef", [Span(0, 4, "x"), Span(2, 6, "y")])]
    [('ab', (0,)), ('cd', (0, 1)), ('ef', (1,))]
    """
    cuts = sorted({0, len(text), *(s.start for s in spans), *(s.end for s in spans)})
    found = []
    for start, end in itertools.pairwise(cuts):
        covering = tuple(i for i, s in enumerate(spans) if s.start < end and s.end > start)
        ending = tuple(i for i in covering if spans[i].end == end)
        found.append(Segment(text[start:end], covering, ending))
    return tuple(found)

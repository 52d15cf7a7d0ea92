"""Finds places for the relations beside their arrows, where no line, tip, box or other word is."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from fallax.core.types import Link
from fallax.render._structure_parts import DrawnLink, NodeBox, Point

__all__ = ["place_words"]

#: Of a word above its baseline and below it; its distance from its line; between places that are tried.
_UP, _DOWN, _BESIDE, _STEP = 9.0, 3.0, 5.0, 6.0
#: Half of a tip, across.
_TIP = 8.0

#: Left, top, right, bottom; a line is a rectangle without width or height.
_Area = tuple[float, float, float, float]


def place_words(
    links: Sequence[Link], drawn: Sequence[DrawnLink], boxes: Iterable[NodeBox], widths: Mapping[str, float]
) -> list[DrawnLink]:
    """The drawn links with the places of their words: beside the arrow, near the joint, and free where that can be.

    Parameters
    ----------
    links, drawn : the links, and their paths.
    boxes : of the nodes.
    widths : of each relation that is written, in pixels.
    """
    taken = list(dict.fromkeys(area for one in drawn for area in _lines(one)))
    taken += [(b.x - b.width / 2, b.y - b.height / 2, b.x + b.width / 2, b.y + b.height / 2) for b in boxes]
    found = []
    for link, one in zip(links, drawn, strict=True):
        if link.relation not in widths:
            found.append(one)
            continue
        width = widths[link.relation]
        near = [a for a in taken if _touch(a, _around(one, width))]
        best, least = one.joint, len(near) + 1
        for place in _places(one, width):
            hits = sum(_touch(area, _area(place, width)) for area in near)
            if hits < least:
                best, least = place, hits
            if not hits:
                break
        taken.append(_area(best, width))
        found.append(replace(one, word=best))
    return found


def _lines(one: DrawnLink) -> Iterator[_Area]:
    for _, way in one.ways:
        for (a, b), (c, d) in itertools.pairwise(way):
            yield min(a, c), min(b, d), max(a, c), max(b, d)
        x, y = way[-1]
        yield x - _TIP, y, x + _TIP, y + _TIP


def _area(place: Point, width: float) -> _Area:
    x, y = place
    return x - 1, y - _UP, x + width + 1, y + _DOWN


def _around(one: DrawnLink, width: float) -> _Area:
    """All that a word of a link can touch."""
    xs, ys = zip(*(p for _, way in one.ways for p in way), strict=True)
    more = width + 3 * _BESIDE
    return min(xs) - more, min(ys) - _UP - _BESIDE, max(xs) + more, max(ys) + _UP + _BESIDE


def _touch(one: _Area, other: _Area) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _places(one: DrawnLink, width: float) -> list[Point]:
    """Where the word may begin, nearest to the joint first: above and below what is level, beside what is upright."""
    x, y = one.joint
    found = [(x + 8, y - 4)]
    for left, top, right, bottom in dict.fromkeys(_lines(one)):
        if top == bottom:
            n = int((right - left + width) // _STEP)
            for i in range(n + 1):
                at = left - width + 6 + i * _STEP
                found += [(at, top - 4), (at, top + _UP + 2)]
        elif left == right:
            for i in range(int((bottom - top) // _STEP) + 1):
                found += [(left + _BESIDE, top + i * _STEP), (left - _BESIDE - width, top + i * _STEP)]
    free = [p for p in found if p[0] >= 4]
    return sorted(free, key=lambda p: abs(p[0] - x - 8) + 2 * abs(p[1] - y + 4))

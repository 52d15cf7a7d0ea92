"""Puts quotation marks around the text of the ``<q>`` elements of a page."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass

__all__ = ["Quotation", "with_marks"]

#: Marks around a quotation, and around one inside another.
_OPENING, _CLOSING = ("“", "‘"), ("”", "’")
#: Pairs of marks that people type.
_TYPED = frozenset({"“”", "‘’", '""', "''", "«»", "»«", "„“", "„”", "‚‘", "‚’"})
_WORD = re.compile(r"\S+")
#: Marks that are typed with spaces inside, without what they stand around.
_SPACED = re.compile(r"«\s\s»")
#: A quotation mark that is no apostrophe inside a word.
_MARK = re.compile(r"[“”\"«»„‚]|(?<!\w)[‘’']|[‘’'](?!\w)")
#: What may stand between a quotation and a typed closing mark.
_POINTS = ".,;:!?…"


@dataclass(slots=True)
class Quotation:
    """A ``<q>``: half-open offsets, and whether its own end tag ended it."""

    start: int
    end: int = -1
    ended: bool = False


def with_marks(
    shown: str, quotations: Sequence[Quotation], ends: Sequence[int]
) -> tuple[str, list[tuple[int, int]], Callable[[int], int]]:
    """Put a mark beside the first and the last character of each quotation that is no white space.

    A quotation without words gets no marks, and neither does one around which marks were typed. One that its own end
    tag does not end reaches to the end of its first block.

    Parameters
    ----------
    shown : the text without the marks.
    quotations : in the order of their start tags.
    ends : the offsets where blocks end, in order.

    Returns
    -------
    tuple
        The text with marks; in it the start and end of the quotations that lie in no other; what moves an offset of
        the text without marks to the text with them.
    """
    found, nested, outermost = _resolved(shown, quotations, ends)
    typed = {place: _typed(shown, *place) for place in set(found)}
    marks: list[tuple[int, int, int, str]] = []
    for i, (start, end) in enumerate(found):
        if typed[start, end] is None:  # at one place closing marks first, the inner one first; then the outer opening
            marks += [(start, 1, -i, _OPENING[nested[i]]), (end, 0, i, _CLOSING[nested[i]])]
    marks.sort()
    pieces, last = [], 0
    for place, _, _, mark in marks:
        pieces += [shown[last:place], mark]
        last = place
    pieces.append(shown[last:])

    def moved(x: int) -> int:
        return x + bisect_left(marks, (x, 1))

    places = [typed[found[i]] or found[i] for i in reversed(outermost)]
    return "".join(pieces), [(moved(a), moved(b)) for a, b in places], moved


def _resolved(
    shown: str, quotations: Sequence[Quotation], ends: Sequence[int]
) -> tuple[list[tuple[int, int]], list[bool], list[int]]:
    """Where the quotations with words begin and end, the last first; which are nested; the numbers of the others."""
    words = [m.span() for m in _WORD.finditer(shown)] if quotations else []
    begins, stops = [a for a, _ in words], [b for _, b in words]
    found: list[tuple[int, int]] = []
    nested: list[bool] = []
    outermost: list[int] = []
    for quotation in reversed(quotations):
        first = bisect_right(stops, quotation.start)  # the first word that ends behind the start
        last = bisect_left(begins, quotation.end) - 1  # the last word that begins before the end
        if first > last:
            continue
        start, end = max(quotation.start, begins[first]), min(quotation.end, stops[last])
        block = bisect_left(ends, start)
        if not quotation.ended and block < len(ends):
            end = min(end, ends[block])
        while outermost and found[outermost[-1]][0] < end:
            end = max(end, found[outermost[-1]][1])
            nested[outermost.pop()] = True
        outermost.append(len(found))
        found.append((start, end))
        nested.append(False)
    return found, nested, outermost


def _typed(shown: str, start: int, end: int) -> tuple[int, int] | None:
    """Where a quotation with its typed marks begins and ends; None where no pair of marks was typed around it."""
    behind = end + (shown[end : end + 1] in _POINTS and end < len(shown))
    for a, b in ((start, end), (start - 1, end), (start - 1, end + 1), (start - 1, behind + 1), (start, behind + 1)):
        if a < 0 or b > len(shown) or b - a < 2 or shown[a] + shown[b - 1] not in _TYPED:
            continue
        if not _MARK.search(shown, a + 1, b - 1):
            return a, b
    spaced = shown[max(0, start - 2) : start] + shown[end : end + 2]
    return (start - 2, end + 2) if _SPACED.fullmatch(spaced) else None

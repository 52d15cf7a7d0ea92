"""Finds the lines that begin something new: items of lists, turns of speakers, what stands below a heading."""

from __future__ import annotations

import re

__all__ = ["ITEM", "TURN", "behind_item", "line_cuts"]

# Every repetition is bounded or cannot fail, so that no text takes long to read.
_LINE_END = re.compile(r"(?>\r\n|[\r\n\x85\u2028\u2029])[ \t\f\u00a0]*")
_NUMBER = (
    r"(?:(?:\d{1,3}|[ivx]{1,5}|[a-z])\.|(?:\d{1,3}|\(?(?:[ivx]{1,5}|[A-Za-z]))\)|\(\d{1,3}\)(?=\s{1,9}\D)"
    r"|\d{1,2}(?:\.\d{1,2}){1,3}\.?(?=\s{1,9}[\"“‘(]?[A-Z]))"
)
#: The mark of a list's item, and the white space behind it.
ITEM = re.compile(rf"(?:[-*+•‣◦▪●○·–—]|{_NUMBER})\s+")
#: The box of a task.
_BOX = re.compile(r"\[[ xX]\]\s+")
_MOST_INDENT = 40
#: What begins an item also without white space behind it; no number below zero, no emphasis, no dash in a sentence.
_BEGINS_ITEM = re.compile(
    rf"[>•‣◦▪●○]|[-#](?!\d)|\*(?!\*{{0,2}}\w[^*\r\n]{{0,80}}\*)|[–—·]\s?(?=[\"“‘'(]?[^\Wa-z_])|{_NUMBER}\s"
)
_CLOCK = r"\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d{1,3})?(?: ?[AaPp][Mm])?"
#: The name of a speaker in front of what is said, perhaps behind the time, or the time alone in brackets.
TURN = re.compile(
    rf"(?:[\[(]?(?:\d[\d/.,-]{{1,12}},? )?{_CLOCK}[\])]?(?: -)?\s{{1,4}})?"
    rf"(?:[^\s:]{{1,30}}|[^\Wa-z_][^\s:]{{0,30}}(?: [^\Wa-z_][^\s:]{{0,30}}){{1,3}}):\s|\[{_CLOCK}\]"
)
#: What ends the line above one with a small word and a colon, if that word is not in the middle of a sentence.
_ENDS = frozenset(".!?…:\"'”’)]")
#: How a line ends that says when something was posted.
_TIME = re.compile(r"(?<!\d)\d{1,2}:\d\d(?: ?[AaPp]\.?[Mm]\.?)?\Z")
#: Fewer letters are no heading.
_LEAST = 4


def line_cuts(text: str) -> list[int]:
    r"""The offsets where lines begin that begin a sentence whatever stands before them.

    These are the lines behind a blank one, items of lists, turns of speakers, and what stands below a heading in
    capitals or a line that ends in a time. Offsets are behind the indentation.

    Examples
    --------
    >>> line_cuts("PLANS\nWe met the\r\nmayor.\n- Roads\nAnn Lee: No.")
    [6, 25, 33]
    """
    found: list[int] = []
    ends = [*_LINE_END.finditer(text)]
    in_chat = TURN.match(text) is not None
    start, fresh = 0, True
    for i, end in enumerate(ends):
        at = end.end()
        line = text[start : end.start()].rstrip()
        below = text[at : ends[i + 1].start() if i + 1 < len(ends) else len(text)]
        heading = fresh and _is_heading(line)
        fresh = (
            not line
            or _BEGINS_ITEM.match(text, at) is not None
            or (TURN.match(text, at) is not None and (in_chat or not text[at].islower() or line[-1:] in _ENDS))
            or (_TIME.search(line, max(0, len(line) - 12)) is not None and not below[:1].islower())
            or (heading and below != below.upper())
        )
        if fresh and below.strip():
            found.append(at)
        fresh, start = fresh or heading, at
    return found


def behind_item(text: str, start: int, end: int) -> int:
    r"""Where a sentence begins behind the mark of a list's item and the box of a task; its end if it has no words.

    Only a mark at the beginning of a line is one.

    Examples
    --------
    >>> behind_item("1. Roads", 0, 2), behind_item("- [ ] Roads", 0, 11), behind_item("Only 2. Roads", 5, 7)
    (2, 6, 5)
    """
    item = ITEM.match(text, start)
    begins_line = text[max(0, start - _MOST_INDENT) : start].rstrip(" \t")[-1:] in ("", "\n", "\r")
    start = item.end() if item and begins_line else start
    box = _BOX.match(text, start)
    return min(box.end() if box else start, end)


def _is_heading(line: str) -> bool:
    return line.isupper() and line[-1] not in ",;-–—&" and sum(map(str.isalpha, line)) >= _LEAST

"""Finds comparisons and changes that a claim turns round: "less" for "more than", "rose by 9 %" for "fell by 9 %"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from fallax.core.texts import normal_form
from fallax.faithfulness.systems.compared import NEGATES, stems_of, word_set, words_of
from fallax.faithfulness.systems.quantities import quantities_of

__all__ = ["turned_in"]

_LONGEST, _LONGEST_SENTENCE = 1000, 2000
_MORE = word_set(
    "more higher larger greater bigger longer stronger faster older worse heavier dearer later wider deeper earlier"
)
_LESS = word_set("less fewer lower smaller shorter weaker slower younger better lighter cheaper narrower")
#: Between a comparing word and "than" stand at most so many characters.
_COMPARED = re.compile(
    rf"\b(?P<how>{'|'.join(sorted(_MORE | _LESS))})\b(?P<what>[^.;:]{{0,40}}?)\s+than\s+(?P<than>[^,;:.]+)",
    re.IGNORECASE,
)
#: What is compared with is the same if one says no more of it than the other, in so many words.
_SAME = 2
_MOVED = r"(?:go|goes|went|gone|going|is|are|was|were|edged|moved|closed)"
_UP = re.compile(
    r"\b(?:r[oi]se[ns]?|rising|increas\w+|grew|grow\w*|climb\w+|jump\w+|gain\w+|soar\w+|surg(?:ed|es|ing)|rais\w+|doubl\w+"
    rf"|{_MOVED} up|up (?=by|from|to\b|\W?\d))",
    re.IGNORECASE,
)
_DOWN = re.compile(
    r"\b(?:f[ea]ll(?:s|en|ing)?|drop\w*|declin\w+|decreas\w+|cuts?|cutting|reduc\w+|lower(?:ed|s|ing)|lost|loses|losing"
    rf"|shr[aiu]nk\w*|slip\w*|sank|plung\w+|halv\w+|slump\w*|{_MOVED} down|down (?=by|from|to\b|\W?\d))",
    re.IGNORECASE,
)
_CHANGES = ("percent", "points", "money", "count")


def turned_in(claim: str, sentences: Sequence[str]) -> tuple[str, str] | None:
    """The words of a sentence and of a claim that say the opposite of each other; None without any.

    Either both compare with the same, one with a word for more and the other with one for less; or both give the same
    number, one of a rise and the other of a fall. Where one of them denies something nothing is found.

    Parameters
    ----------
    claim : one statement.
    sentences : those that bear on it.

    Examples
    --------
    >>> turned_in("Fees are less than last year.", ["Fees are more than last year."])
    ('more than last year', 'less than last year')
    >>> turned_in("Use went up by 9% in May.", ["Households cut their use by 9% in May, but industry did not."])
    ('cut', 'went up')
    >>> turned_in("Sales fell by 9% in May.", ["Sales fell by 9% in May and rose by 4% in June."]) is None
    True
    """
    if len(claim) > _LONGEST or "?" in claim:
        return None
    claim = normal_form(claim)
    texts = [normal_form(text) for text in sentences if len(text) <= _LONGEST_SENTENCE]
    return next((x for text in texts for x in (_compared(claim, text), _changed(claim, text)) if x), None)


def _denies(text: str) -> bool:
    return any(w.text in NEGATES or w.text.endswith("n't") for w in words_of(text))


def _compared(claim: str, text: str) -> tuple[str, str] | None:
    for own in _COMPARED.finditer(claim):
        for said in _COMPARED.finditer(text):
            ways = {own["how"].lower() in _MORE, said["how"].lower() in _MORE}
            a, b = stems_of(own["than"]), stems_of(said["than"])
            alike = (a <= b or b <= a) and len(a & b) >= min(_SAME, len(a), len(b)) > 0
            if len(ways) == 2 and alike and _speaks_of(claim, text) and not _denies(claim) and not _denies(text):
                return said.group(), own.group()
    return None


def _speaks_of(claim: str, text: str) -> bool:
    """Whether a text has the first content word of a claim, which is mostly what it speaks of."""
    first = next((w.stem for w in words_of(claim) if w.stem and w.stem[0].isalnum()), "")
    return first in stems_of(text)


def _changed(claim: str, text: str) -> tuple[str, str] | None:
    for q in quantities_of(claim):
        mine = _around(claim, q.start, q.end)
        if q.kind not in _CHANGES or _denies(mine):
            continue
        for s in quantities_of(text):
            theirs = _around(text, s.start, s.end)
            if (s.kind, s.low, s.high, s.thing) != (q.kind, q.low, q.high, q.thing) or _denies(theirs):
                continue
            own, said = list(_ways(mine)), list(_ways(theirs))
            if own and said and {up for up, _ in own}.isdisjoint({up for up, _ in said}):
                return said[0][1], own[0][1]
    return None


def _around(text: str, start: int, end: int) -> str:
    """The clause of a number: from the last comma or "and" before it to the next behind it."""
    before = max((m.end() for m in re.finditer(r"[,;:]\s|\b(?:and|but|while|whereas)\s", text[:start])), default=0)
    behind = re.search(r"[,;:]\s|\s(?:and|but|while|whereas)\b", text[end:])
    return text[before : end + (behind.start() if behind else len(text))]


def _ways(text: str) -> Iterator[tuple[bool, str]]:
    """Whether up or down, and the word, for each that says so."""
    for pattern, up in ((_UP, True), (_DOWN, False)):
        for found in pattern.finditer(text):
            yield up, found.group()

"""Finds sentences that report what somebody else said: by words of saying, or in a quotation that has a speaker."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise

__all__ = ["is_reported", "reported_sentences"]

_SAYS = (
    r"(?:said|says|say|saying|told|tells|claimed|claims?|argued|argues?|wrote|writes|added|adds|insisted|insists?"
    r"|replied|shouted|tweeted|posted|stated|states|declared|declares|announced|warned|called|according to"
    r"|asked|answered|quoted|remarked|responded)"
)
_QUOTED = re.compile(r"[“\"][^”\"\n]{3,}[”\"]?|‘[^’\n]{8,}’")
#: Who is no speaker that a saying could be given to; what everybody says is an argument of who writes so.
_NOBODY = r"(?:you|we|I|(?:every|some|any|no)(?:body|one)|people|all|most|many|this|that|it|there|what|as)\b"
_WHO_SAYS = re.compile(
    rf"\b(?:he|she|they|him|her|them|who|one|the(?: \w{{1,30}}){{1,3}}?"
    rf"|(?!{_NOBODY})(?-i:[A-Z])[\w’'.-]{{1,40}})"
    rf"\s{{1,9}}(?:\w{{1,30}}ly )?{_SAYS}\b"
    rf"|\baccording to\b|\b{_SAYS} (?:he|she|they|(?-i:[A-Z])\w+)\b",
    re.IGNORECASE,
)
#: "because she says so" argues.
_SAYS_SO = re.compile(r"\b(?:said|says?|told \w{1,40}) so\b", re.IGNORECASE)
_FIRST_PERSON = re.compile(rf"\b(?:I|we)\s{{1,9}}(?:\w{{1,30}} )?{_SAYS}\b", re.IGNORECASE)


def is_reported(sentence: str) -> bool:
    """Whether a sentence reports what somebody else said: a quotation with its speaker, or "she said that".

    Examples
    --------
    >>> is_reported("“He is a fool,” the mayor said on Monday.")
    True
    >>> is_reported("Everybody knows that he is a fool.")
    False
    """
    if _FIRST_PERSON.search(sentence) and not _QUOTED.search(sentence):
        return False
    return bool(_WHO_SAYS.search(_SAYS_SO.sub(" ", sentence)))


_OPENS = {"“": "”", "«": "»", "„": "“", '"': '"'}
#: Fewer characters in quotation marks are a mentioned word, not a saying.
_LEAST = 12
#: Least share of a sentence that must be in a quotation.
_MOST = 0.6


def _quotations(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The quotations in a paragraph; one that is not closed reaches to its end."""
    at = start
    while at < end:
        closing = _OPENS.get(text[at])
        if closing is None or (text[at] == '"' and at > start and text[at - 1].isalnum()):
            at += 1
            continue
        close = text.find(closing, at + 1, end)
        stop = end if close < 0 else close + 1
        if stop - at >= _LEAST:
            yield at, stop
        at = stop


def reported_sentences(
    text: str,
    places: Sequence[tuple[int, int]],
    breaks: Collection[int] = (),
    *,
    quotations: Sequence[tuple[int, int]] = (),
) -> tuple[bool, ...]:
    r"""Whether each sentence reports what somebody else said.

    A sentence is reported if it says so itself (:func:`is_reported`), or if most of it is in a quotation with a
    speaker: one named in the sentence where the quotation begins or ends, or in the one before, or the speaker of a
    quotation that it continues.

    Parameters
    ----------
    places : start and end of each sentence.
    breaks : indexes of the sentences that begin a paragraph, except the first; quotations end with their paragraph.
    quotations : start and end of passages that the page itself marks as quotations; these need no speaker.

    Examples
    --------
    >>> text = "“It must fall,” the mayor said. “Or the town dies. He is a fool.” The council votes."
    >>> reported_sentences(text, [(0, 31), (32, 50), (51, 65), (66, 84)])
    (True, True, True, False)
    """
    own = [is_reported(text[a:b]) for a, b in places]
    found = list(own)
    begins, ends = [a for a, _ in places], [b for _, b in places]
    starts = [0, *sorted(breaks), len(places)] if places else []
    for first, end in pairwise(starts):
        spoken_until = -1
        for a, b in _quotations(text, places[first][0], places[end - 1][1]):
            inside = range(max(first, bisect_right(ends, a)), min(end, bisect_left(begins, b)))
            if not inside:
                continue
            goes_on = inside[0] > first and spoken_until == inside[0] - 1 and places[inside[0]][0] == a
            beside = [i for i in (inside[0] - 1, inside[0], inside[-1]) if i >= first]
            if not goes_on and not any(own[i] for i in beside):
                continue
            spoken_until = inside[-1]
            _mark(found, places, inside, a, b)
    for a, b in quotations:
        _mark(found, places, range(bisect_right(ends, a), bisect_left(begins, b)), a, b)
    return tuple(found)


def _mark(found: list[bool], places: Sequence[tuple[int, int]], among: range, start: int, end: int) -> None:
    """Mark the sentences, of some, that are mostly within a quotation."""
    for i in among:
        a, b = places[i]
        found[i] = found[i] or min(end, b) - max(start, a) >= _MOST * (b - a)

"""Finds the offsets of a quote in a text."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Literal

from fallax.core.texts.normal import CURLY_SINGLE, HIDDEN

__all__ = ["Located", "locate_quote"]

_SAME = str.maketrans(
    {
        **dict.fromkeys(CURLY_SINGLE + "`´", "'"),
        "“": '"', "”": '"', "„": '"', "«": '"', "»": '"',
        "‐": "-", "‑": "-", "‒": "-", "–": "-", "—": "-", "―": "-",
        "‹": "<", "⁅": "[", "\u00a0": " ",
    }
)  # fmt: skip
#: Quotes of so many words are looked for as whole words first.
_SHORT = 2


@dataclass(frozen=True, slots=True)
class Located:
    """The position of a quote: half-open offsets, how it was found, and the similarity (1 is equal)."""

    start: int
    end: int
    how: Literal["exact", "normalised", "fuzzy"]
    similarity: float


def _normalise(text: str) -> tuple[str, list[int]]:
    """Normalise case, accents, quotation marks, dashes, white space and what is not seen, with a map of offsets."""
    out: list[str] = []
    places: list[int] = []
    for i, char in enumerate(text):
        if char in HIDDEN:
            continue
        for c in unicodedata.normalize("NFKD", char).casefold().translate(_SAME):
            if unicodedata.combining(c):
                continue
            if c.isspace():
                if out and out[-1] == " ":
                    continue
                c = " "
            out.append(c)
            places.append(i)
    return "".join(out), places


def locate_quote(text: str, quote: str, *, near: int = 0, min_similarity: float = 0.9) -> Located | None:
    """Find a quote in a text: exact match first, then normalised, then approximate.

    Parameters
    ----------
    text : where to look; offsets refer to it as it is.
    quote : what was quoted; white space and quotation marks around it, and an ellipsis at its ends, are ignored.
    near : of several exact or normalised occurrences, the one whose start is nearest to this offset is taken. One or
        two words are found inside of longer words only where they do not stand as words of their own.
    min_similarity : the least normalised Indel similarity, in [0, 1], of an approximate match. Quotes of under 12
        characters are never matched approximately.

    Returns
    -------
    Located or None
        None if the quote is empty or is not in the text. A combining accent belongs to the letter before it.

    Notes
    -----
    An approximate match costs time proportional to ``len(text) * len(quote)`` at worst.

    Examples
    --------
    >>> locate_quote("He said: “It’s  over.” Then left.", "it's over.")
    Located(start=10, end=21, how='normalised', similarity=1.0)
    >>> locate_quote("The gov\u00adern\u00adment knows, so no.", "no").start
    27
    >>> locate_quote("Nothing here.", "something else entirely") is None
    True
    """
    quote = quote.strip().strip("\"'“”‘’").strip()
    quote = quote.removesuffix("...").removesuffix("…").removeprefix("...").removeprefix("…").strip()
    if not quote:
        return None
    is_short = len(quote.split()) <= _SHORT
    if (start := _nearest(text, quote, near, whole_words=is_short)) is not None:
        return Located(start, _end(text, start + len(quote)), "exact", 1.0)
    plain, places = _normalise(text)
    wanted = _normalise(quote)[0].strip()
    if not wanted:
        return None
    near_plain = next((i for i, p in enumerate(places) if p >= near), 0)
    start = _nearest(plain, wanted, near_plain, whole_words=is_short)
    if start is None and is_short:
        if (inside := _nearest(text, quote, near)) is not None:
            return Located(inside, _end(text, inside + len(quote)), "exact", 1.0)
        start = _nearest(plain, wanted, near_plain)
    if start is not None:
        return Located(places[start], _end(text, places[start + len(wanted) - 1] + 1), "normalised", 1.0)
    if len(wanted) < 12:
        return None
    from rapidfuzz import fuzz

    match = fuzz.partial_ratio_alignment(wanted, plain, score_cutoff=100 * min_similarity)
    if match is None or match.dest_end <= match.dest_start:
        return None
    first, last = match.dest_start, match.dest_end - 1
    while first < last and plain[first] == " ":
        first += 1
    while last > first and plain[last] == " ":
        last -= 1
    return Located(places[first], _end(text, places[last] + 1), "fuzzy", match.score / 100)


def _end(text: str, end: int) -> int:
    """The end of a passage with the combining characters of its last letter."""
    while end < len(text) and unicodedata.combining(text[end]):
        end += 1
    return end


def _nearest(text: str, quote: str, near: int, *, whole_words: bool = False) -> int | None:
    """The start of the occurrence that is nearest to an offset; on request only of those at word borders."""
    best: int | None = None
    start = text.find(quote)
    while start >= 0:
        if whole_words and (_is_inside_word(text, start) or _is_inside_word(text, start + len(quote))):
            start = text.find(quote, start + 1)
            continue
        if best is None or abs(start - near) < abs(best - near):
            best = start
        if start > near:
            break
        start = text.find(quote, start + 1)
    return best


def _is_inside_word(text: str, place: int) -> bool:
    """Whether a word goes on from the character before a place to the one after it."""
    return 0 < place < len(text) and _is_of_word(text[place - 1]) and _is_of_word(text[place])


def _is_of_word(char: str) -> bool:
    return char.isalnum() or char in HIDDEN or unicodedata.combining(char) > 0

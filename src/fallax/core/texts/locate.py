"""Finds the offsets of a quote in a text."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Literal

from fallax.core.texts.normal import CURLY_SINGLE

__all__ = ["Located", "locate_quote"]

_SAME = str.maketrans(
    {
        **dict.fromkeys(CURLY_SINGLE + "`´", "'"),
        "“": '"', "”": '"', "„": '"', "«": '"', "»": '"',
        "‐": "-", "‑": "-", "‒": "-", "–": "-", "—": "-", "―": "-",
        "‹": "<", "⁅": "[", "\u00a0": " ",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Located:
    """The position of a quote: half-open offsets, how it was found, and the similarity (1 is equal)."""

    start: int
    end: int
    how: Literal["exact", "normalised", "fuzzy"]
    similarity: float


def _normalise(text: str) -> tuple[str, list[int]]:
    """Normalise case, quotation marks, dashes and white space, keeping a map of offsets."""
    out: list[str] = []
    places: list[int] = []
    for i, char in enumerate(text):
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
    near : of several exact or normalised occurrences, the one whose start is nearest to this offset is taken.
    min_similarity : the least normalised Indel similarity, in [0, 1], of an approximate match. Quotes of under 12
        characters are never matched approximately.

    Returns
    -------
    Located or None
        None if the quote is empty or is not in the text.

    Notes
    -----
    An approximate match costs time proportional to ``len(text) * len(quote)`` at worst.

    Examples
    --------
    >>> locate_quote("He said: “It’s  over.” Then left.", "it's over.")
    Located(start=10, end=21, how='normalised', similarity=1.0)
    >>> locate_quote("Nothing here.", "something else entirely") is None
    True
    """
    quote = quote.strip().strip("\"'“”‘’").strip()
    quote = quote.removesuffix("...").removesuffix("…").removeprefix("...").removeprefix("…").strip()
    if not quote:
        return None
    if (start := _nearest(text, quote, near)) is not None:
        return Located(start, start + len(quote), "exact", 1.0)
    plain, places = _normalise(text)
    wanted = _normalise(quote)[0].strip()
    if not wanted:
        return None
    near_plain = next((i for i, p in enumerate(places) if p >= near), 0)
    if (start := _nearest(plain, wanted, near_plain)) is not None:
        return Located(places[start], places[start + len(wanted) - 1] + 1, "normalised", 1.0)
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
    return Located(places[first], places[last] + 1, "fuzzy", match.score / 100)


def _nearest(text: str, quote: str, near: int) -> int | None:
    best: int | None = None
    start = text.find(quote)
    while start >= 0:
        if best is None or abs(start - near) < abs(best - near):
            best = start
        if start > near:
            break
        start = text.find(quote, start + 1)
    return best

"""A quantity as an interval, with the words that bound it: "at least 30", "3 to 5 days", "two of the nine"."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from fallax.faithfulness.systems.measures import (
    ABOUT,
    AFTER,
    BEFORE,
    BETWEEN,
    LEFT_OUT,
    PER,
    SIGNS,
    UNITS,
    VOTED,
    WHOLE,
)
from fallax.faithfulness.systems.moments import above, below
from fallax.faithfulness.systems.numerals import NumberWords, same_word

__all__ = ["TextQuantity", "bounded", "joined"]


@dataclass(frozen=True, slots=True)
class TextQuantity:
    """A quantity of a text, as an interval.

    Parameters
    ----------
    start, end : half-open offsets of its words, with the unit or the counted noun.
    low, high : the least and the greatest value, in the base unit of its kind; -inf and inf where it has no bound.
    kind : "count", "money", "percent", "points", "share" (of something), "times", "age", "year", "date", "clock",
        "ordinal", "score", or what is measured, such as "length".
    thing : what is counted, or the unit; "" if nothing is named.
    about : whether the text says that it is not exact.
    per : for each of what, "" without.
    whole : of how many, or the second number of a score; 0 without.
    but : whether it is what is left out of all: "all but three".
    """

    start: int
    end: int
    low: float
    high: float
    kind: str
    thing: str = ""
    about: bool = False
    per: str = ""
    whole: float = 0.0
    but: bool = False

    @property
    def exact(self) -> bool:
        """Whether it is a single value."""
        return self.low == self.high and not self.about


def joined(words: NumberWords, found: Sequence[TextQuantity]) -> list[TextQuantity]:
    """The quantities, with ranges ("3 to 5 days"), wholes ("2 of the 9 days") and scores ("5 votes to 2") as one."""
    kept: list[TextQuantity] = []
    for q in found:
        before = kept[-1] if kept else None
        if before is None or q.start - before.end > 12:
            kept.append(q)
            continue
        led = words.text[max(0, before.start - 16) : before.start].lower()
        gap = " ".join(words.text[before.end : q.start].lower().split())
        counts = q.kind == before.kind == "count"
        round_number = q.low in (10.0, 100.0, 1000.0) and gap in ("in", "in a", "in every")
        if counts and (gap in ("of", "of the", "out of", "out of the") or round_number) and not before.whole:
            kept[-1] = replace(q, start=before.start, low=before.low, high=before.high, whole=q.high)
        elif counts and gap in ("to", "-", "–", "—") and not q.thing and (
            VOTED.search(led) or before.thing == "vot" or before.low > q.low
        ):  # fmt: skip
            kept[-1] = replace(before, end=q.end, kind="score", whole=q.low)
        elif gap in ("", "and") and q.kind == before.kind and q.kind in ("time", "length", "mass", "age") and (
            before.exact and q.exact and 0 < q.high < UNITS.get(before.thing, ("", 0.0))[1]
        ):  # fmt: skip
            kept[-1] = replace(before, end=q.end, low=before.low + q.low, high=before.high + q.high)
        elif gap in ("to", "-", "–", "—", "or") or (gap == "and" and BETWEEN.search(led)):
            bare = before.kind == "count" and not before.thing and q.kind not in ("count", "year", "date")
            low = before.low * (q.low / _bare(words, q)) if bare else before.low
            if (bare or before.kind == q.kind) and low <= q.high:
                kept[-1] = replace(q, start=before.start, low=low)
            else:
                kept.append(q)
        else:
            kept.append(q)
    return kept


def _bare(words: NumberWords, q: TextQuantity) -> float:
    """The number of a quantity without its unit."""
    at = next((i for i, t in enumerate(words.tokens) if t.start >= q.start), 0)
    read = words.number(at + (words(at) in SIGNS))
    return read[0] if read and read[0] else q.low or 1.0


def bounded(words: NumberWords, q: TextQuantity) -> TextQuantity:
    """A quantity with the words that bound it, what it is a part of, and what it is for each of."""
    text = words.text
    start, end, low, high = q.start, q.end, q.low, q.high
    before = BEFORE.search(text[max(0, start - 30) : start])
    after = AFTER.match(text, end)
    how = ""
    if q.kind not in ("ordinal", "date", "score", "year"):
        if before and (q.kind != "clock" or before["about"]):
            how, start = before.lastgroup or "", start - len(before.group())
        elif after and q.kind != "clock":
            how, end = after.lastgroup or "", after.end()
    if how == "least":
        high = math.inf
    elif how == "more":
        low, high = above(high), math.inf
    elif how == "most":
        low = -math.inf
    elif how == "less":
        low, high = -math.inf, below(low)
    elif how == "over":
        low, high = above(low), high * (1 + ABOUT)
    elif how == "nearly":
        low, high = low * (1 - ABOUT), below(high)
    elif how == "about":
        low, high = low * (1 - ABOUT), high * (1 + ABOUT)
    part = WHOLE.search(text[max(0, start - 20) : start])
    whole = q.low if part and q.kind == "count" and not how and not q.whole else q.whole
    if part and part["none"] and q.kind == "count":
        low = high = 0.0
    rate = PER.match(text, end)
    but = LEFT_OUT.search(text[max(0, start - 24) : start]) is not None
    return replace(q, start=start, end=rate.end() if rate else end, low=low, high=high, about=how == "about",
                   per=same_word(rate["per"]) if rate else "", whole=whole, but=but)  # fmt: skip

"""Surface features of a claim and a whole document: copied words, new names and numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from fallax.core.texts import MARKS, composed

__all__ = ["NUMBERS", "Surface", "SurfaceReading", "same_form", "spelled_amounts"]

_TOKEN = re.compile(rf"\d+(?:[.,:]\d+)*|(?:[^\W\d_]|[{MARKS}])+(?:['’][^\W\d_]+)?")
_UNITS = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
]  # fmt: skip
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
#: Numbers that are written as one word.
NUMBERS = {w: i for i, w in enumerate(_UNITS)} | {w: 10 * i for i, w in enumerate(_TENS, start=2)}
#: Letters by which a name is the same name: "Germany", "German".
_STEM = 4
#: Capitalised words that name nothing.
_NO_NAMES = frozenset(
    ("i", "the", "a", "an", "he", "she", "it", "they", "we", "you", "his", "her", "its", "their", "this", "that",
     "these", "mr", "mrs", "ms", "dr", "sir", "no", "not", "but", "and", "or", "if", "in", "on", "at", "of", "for")
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class SurfaceReading:
    """The surface features of a claim.

    Parameters
    ----------
    copied : the share of its runs of three words that stand in the document, in [0, 1]; of its words where it has
        fewer than three.
    strangers : half-open offsets into the claim of names and numbers that the document nowhere has.
    """

    copied: float
    strangers: tuple[tuple[int, int], ...]


class Surface:
    """An index of the words of a document.

    Examples
    --------
    >>> claim = "The board met in Oslo on 3 March."
    >>> found = Surface("The board met on three occasions in March.").of(claim)
    >>> [claim[a:b] for a, b in found.strangers]
    ['Oslo']
    >>> Surface("Nobody came.").of("Nobody came.").copied
    1.0
    """

    def __init__(self, document: str) -> None:
        written = [m.group() for m in _TOKEN.finditer(document)]
        words = [same_form(w) for w in written]
        self._words = set(words)
        self._stems = {w[:_STEM] for w in words}
        self._runs = set(zip(words, words[1:], words[2:], strict=False))
        self._initials = "".join(w[0] for w in written if w[0].isupper())

    def of(self, claim: str) -> SurfaceReading:
        """Compare a claim with the document."""
        found = list(_TOKEN.finditer(claim))
        words = [same_form(m.group()) for m in found]
        if len(words) >= 3:
            runs = [tuple(words[i : i + 3]) for i in range(len(words) - 2)]
            copied = sum(r in self._runs for r in runs) / len(runs)
        else:
            copied = sum(w in self._words for w in words) / max(1, len(words))
        pairs = zip(found, words, strict=True)
        strangers = tuple(m.span() for i, (m, w) in enumerate(pairs) if self._is_new(m.group(), w, first=i == 0))
        return SurfaceReading(copied, strangers)

    def _is_new(self, word: str, same: str, *, first: bool) -> bool:
        if word[0].isdigit():
            return same not in self._words
        if first or not word[0].isupper() or same in _NO_NAMES or same in NUMBERS:
            return False
        if word.isupper() and 2 <= len(word) <= 6 and word in self._initials:
            return False
        return same[:_STEM] not in self._stems


_SCALE = re.compile(r"(?P<sum>[$€£¥]\s?\d[\d.,]*)\s?(?P<scale>m|mn|bn|tn)\b")
_SCALES = {"m": "million", "mn": "million", "bn": "billion", "tn": "trillion"}


def spelled_amounts(text: str) -> str:
    """A text with the scale of its sums of money as a word.

    Examples
    --------
    >>> spelled_amounts("A ditch 2.4m deep cost £2.4m.")
    'A ditch 2.4m deep cost £2.4 million.'
    """
    return _SCALE.sub(lambda m: f"{m['sum']} {_SCALES[m['scale']]}", text)


@lru_cache(maxsize=20_000)
def same_form(word: str) -> str:
    """A word in lower case, without 's, a number as digits without separators.

    Examples
    --------
    >>> same_form("Tan's"), same_form("Twelve"), same_form("1,200")
    ('tan', '12', '1200')
    """
    found = composed(word).lower().replace("’", "'").removesuffix("'s")
    if found[0].isdigit():
        return found.replace(",", "").rstrip(".:")
    return str(NUMBERS[found]) if found in NUMBERS else found

"""Words of a text with their places, and the numbers among them: "4,200", "twenty-five", "two and a half million"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from fallax.core.texts import content_words
from fallax.faithfulness.systems.surface import NUMBERS

__all__ = ["PARTS", "SCALES", "NumberWords", "Token", "same_word", "tokens_of", "word_set"]

#: What is longer is read up to here, and a number of more digits is none that anybody counts with.
_LONGEST, _DIGITS = 2000, 20
_TOKEN = re.compile(
    r"(?<!\d)\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?|(?<![\d.,])\d{1,3}(?:[  ]\d{3})+(?![\d.,])|\d+(?:[.:]\d+)?"
    r"|(?<![\w.])\.\d+|[^\W\d_]+(?:['’][^\W\d_]+)*|[½¼¾]|[^\s\w]"
)
SCALES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "dozen": 12.0}
_LETTERS = {"k": 1e3, "m": 1e6, "mn": 1e6, "bn": 1e9, "tn": 1e12, "trn": 1e12}
_NAMES = {2: "half", 3: "third", 4: "quarter", 5: "fifth", 6: "sixth", 8: "eighth", 10: "tenth"}
#: Words for a part of something.
PARTS = {name: 1 / n for n, name in _NAMES.items()} | {f"{name}s": 1 / n for n, name in _NAMES.items() if n > 2}
_SIGNS = {"½": 0.5, "¼": 0.25, "¾": 0.75}
#: One word for singular and plural where the ending does not tell, and for what is counted alike.
_SAME = {
    "person": "people", "persons": "people", "man": "men", "woman": "women", "child": "children", "mouse": "mice",
    "foot": "feet", "kids": "children", "kid": "children", "life": "lives", "wife": "wives", "knife": "knives",
    "leaf": "leaves", "fisherman": "fishermen", "fireman": "firemen", "policeman": "policemen", "voted": "vote",
}  # fmt: skip


def word_set(text: str) -> frozenset[str]:
    """The words of a text, as a set.

    Examples
    --------
    >>> sorted(word_set("two one"))
    ['one', 'two']
    """
    return frozenset(text.split())


@dataclass(frozen=True, slots=True)
class Token:
    """A word, number or sign of a text, in small letters, with half-open offsets."""

    text: str
    start: int
    end: int
    capital: bool


@lru_cache(maxsize=4_096)
def tokens_of(text: str) -> tuple[Token, ...]:
    """The words, numbers and signs of a text; the first 2,000 characters are read.

    Examples
    --------
    >>> [t.text for t in tokens_of("£2.4m, or 1,200 in all")]
    ['£', '2.4', 'm', ',', 'or', '1,200', 'in', 'all']
    """
    found = _TOKEN.finditer(text[:_LONGEST])
    return tuple(Token(m.group().lower().replace("’", "'"), *m.span(), m.group()[0].isupper()) for m in found)


@lru_cache(maxsize=20_000)
def same_word(word: str) -> str:
    """One form for a counted noun in the singular and the plural.

    Examples
    --------
    >>> same_word("hives") == same_word("hive"), same_word("person") == same_word("people")
    (True, True)
    """
    low = word.lower().removesuffix("'s")
    low = _SAME.get(low, low)
    stem, before = (content_words(low) or [low])[0], low
    while stem != before:  # "families", "family"
        stem, before = (content_words(stem) or [stem])[0], stem
    if stem.endswith("s") and not stem.endswith("ss") and len(stem) > 3:
        stem = stem[:-1]
    return stem.removesuffix("e")


class NumberWords:
    """The words of a text, with the numbers that begin at each.

    Examples
    --------
    >>> NumberWords("two and a half million people").number(0)
    (2500000.0, 5)
    """

    def __init__(self, text: str) -> None:
        self.text = text[:_LONGEST]
        self.tokens = tokens_of(text)

    def __call__(self, i: int) -> str:
        """The word at a place; "" outside of the text."""
        return self.tokens[i].text if 0 <= i < len(self.tokens) else ""

    def touches(self, i: int) -> bool:
        """Whether a token follows the one before it without a blank."""
        return 0 < i < len(self.tokens) and self.tokens[i - 1].end == self.tokens[i].start

    def is_name(self, i: int) -> bool:
        """Whether a word has a capital letter and does not stand first."""
        return 0 < i < len(self.tokens) and self.tokens[i].capital and self(i - 1) not in (".", "“", '"', ":")

    def number(self, i: int) -> tuple[float, int] | None:
        """The number that begins at a token, and the token behind it."""
        word, after = self(i), self(i + 1)
        if word.lstrip(".")[:1].isdecimal() and ":" not in word:
            if len(word) > _DIGITS:
                return None
            thousands = re.fullmatch(r"\d{1,3}\.000", word)  # as in "6.000 men"
            value, i = float(re.sub(r"[,\s]" if not thousands else r"\.", "", word)), i + 1
            if self(i) in _SIGNS:
                value, i = value + _SIGNS[self(i)], i + 1
        elif word in _SIGNS:
            value, i = _SIGNS[word], i + 1
        elif word in NUMBERS:
            value, i = self._below_hundred(i)
        elif word in ("a", "an") and (after in SCALES or after in ("couple", "pair")):
            value, i = 1.0, i + 1
        elif word == "half" and after in ("a", "an") and self(i + 2) in SCALES:
            value, i = 0.5, i + 2
        elif word == "both" and after not in ("and", "of"):
            return 2.0, i + 1
        else:
            return None
        if self(i) in ("couple", "pair"):
            return 2 * value, i + 1
        if self(i) in _LETTERS and self.touches(i) and self(i) not in ("m", "mn"):
            return value * _LETTERS[self(i)], i + 1
        return self._scaled(value, i)

    def millions(self, i: int) -> float:
        """What a letter behind a sum of money multiplies it with."""
        return _LETTERS.get(self(i), 1.0) if self.touches(i) else 1.0

    def _below_hundred(self, i: int) -> tuple[float, int]:
        value, i = NUMBERS[self(i)], i + 1
        unit = i + (self(i) == "-")
        if value >= 20 and NUMBERS.get(self(unit), 0) in range(1, 10):
            return float(value + NUMBERS[self(unit)]), unit + 1
        return float(value), i

    def _scaled(self, value: float, i: int) -> tuple[float, int]:
        """A number with the words behind it that multiply it or add to it."""
        total = 0.0
        if self(i) == "and" and self(i + 1) == "a" and self(i + 2) in ("half", "quarter"):
            value, i = value + PARTS[self(i + 2)], i + 3
        while self(i + (self(i) == "-")) in SCALES:
            i += self(i) == "-"
            scale = SCALES[self(i)]
            value, i = value * scale, i + 1
            if scale >= 1e3:
                total, value = total + value, 0.0
            more = i + (self(i) == "and")
            if 1e2 <= scale < 1e6 and self(more) in NUMBERS:
                small, end = self._below_hundred(more)
                value, i = value + small, end
        return total + value, i

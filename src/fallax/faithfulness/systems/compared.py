"""The words of a claim and of a sentence, as checks of form compare them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from fallax.core.texts import composed, content_words, normal_form
from fallax.core.texts.verbs import base_form
from fallax.faithfulness.systems.surface import NUMBERS, spelled_amounts

__all__ = ["COMPARES", "NEGATES", "Word", "stem_of", "stems_of", "word_set", "words_of"]


def word_set(text: str) -> frozenset[str]:
    """The words of a list that is written with spaces between them.

    Examples
    --------
    >>> sorted(word_set("may might"))
    ['may', 'might']
    """
    return frozenset(text.split())


_TOKEN = re.compile(r"\d+(?:[.,:]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)*|[$€£¥%]|[,;:()]|[–—]")
#: Words that say little alone elsewhere, and here are what is compared.
COMPARES = frozenset(("more", "less", "fewer", "up", "down", "before", "after"))
_PERCENT = re.compile(r"\s?(?:%|\bper cent\b)")
NEGATES = frozenset(("not", "never", "nobody", "none", "nothing", "neither", "nor", "no", "cannot", "without"))


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a text.

    Parameters
    ----------
    shown : as it is written.
    text : in small letters; a number in digits.
    stem : without its ending; "" for words that say little alone.
    name : whether it is written like a name, and does not stand first.
    """

    shown: str
    text: str
    stem: str
    name: bool


@lru_cache(maxsize=20_000)
def stem_of(word: str) -> str:
    """A word in small letters without its ending; "" for one that says little alone."""
    if word in COMPARES:
        return word
    words = content_words(word)
    if not words:
        return ""
    base = base_form(word)
    return (base if base != word else words[0]).removesuffix("e")


@lru_cache(maxsize=20_000)
def _word(written: str, stands_first: bool) -> Word:
    low = written.lower().removesuffix("'s")
    low = str(NUMBERS[low]) if low in NUMBERS else low.replace(",", "") if low[0].isdigit() else low
    name = not stands_first and written[0].isupper() and low not in ("i",) and not low[0].isdigit()
    stem = low if low[0].isdigit() else stem_of(low)
    return Word(written, low, "" if low in NEGATES or low == "yet" else stem, name)


@lru_cache(maxsize=4_096)
def words_of(text: str) -> tuple[Word, ...]:
    """The words, numbers and marks of a text in order.

    Examples
    --------
    >>> [(w.text, w.stem) for w in words_of("Three ferries sailed, not Tan's.")][:3]
    [('3', '3'), ('ferries', 'ferry'), ('sailed', 'sail')]
    """
    found: list[Word] = []
    plain = _PERCENT.sub(" percent", spelled_amounts(normal_form(text)))
    ascii_alone = plain.isascii()
    for m in _TOKEN.finditer(plain):
        written = m.group() if ascii_alone else composed(m.group()).replace("’", "'")
        found.append(_word(written, not found))
    return tuple(found)


@lru_cache(maxsize=4_096)
def stems_of(text: str) -> frozenset[str]:
    """The stems of the words and numbers of a text that do not say little alone.

    Examples
    --------
    >>> sorted(stems_of("Three ferries, not Tan's."))
    ['3', 'ferry', 'tan']
    """
    return frozenset(w.stem for w in words_of(text) if w.stem and w.stem[0].isalnum())

"""Detects phrases with the same meaning: "lightning strikes" and "there is a lightning strike"."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable

from fallax.core.types.logic import Fact, Phrase

__all__ = ["near_synonyms", "same_meaning"]

#: Words that carry no content of their own. Negations, numbers, pronouns and prepositions are not among them.
_LIGHT = frozenset({
    "a", "an", "the", "there", "is", "are", "was", "were", "be", "been", "being", "it", "that", "this", "these",
    "those", "do", "does", "did", "has", "have", "had", "will", "would", "happens", "happen", "occurs", "occur",
    "takes", "take", "place", "just", "also", "too", "very", "some", "any",
})  # fmt: skip


def _key(phrase: str) -> tuple[str, ...]:
    """The stems of the content words, in order."""
    words = [w for w in re.findall(r"[\w’']+", phrase.casefold()) if w not in _LIGHT]
    return tuple(_stem(w) for w in words)


@functools.lru_cache(maxsize=65536)
def _stem(word: str) -> str:
    """A word without the ending of a plural, a third person or a participle.

    Examples
    --------
    >>> [_stem(w) for w in ("strikes", "strike", "striking", "rains", "boxes", "glass")]
    ['strik', 'strik', 'strik', 'rain', 'box', 'glass']
    """
    for ending in ("ing", "ies", "es", "ed", "s", "e", "y"):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            return word[: -len(ending)]
    return word


def same_meaning(a: str, b: str) -> bool:
    """True if two phrases have the same content words in the same order, ignoring endings and function words.

    Order counts, since "the dog bites the man" is not "the man bites the dog"; so do negations and numbers.

    Examples
    --------
    >>> same_meaning("lightning strikes", "there is a lightning strike")
    True
    >>> same_meaning("it rains", "it does not rain"), same_meaning("a dog bites a man", "a man bites a dog")
    (False, False)
    """
    one, two = _key(a), _key(b)
    return bool(one) and one == two


def near_synonyms(facts: Iterable[Fact]) -> tuple[tuple[str, str], ...]:
    """Pairs of phrases of one sort and instance that mean the same.

    Examples
    --------
    >>> near_synonyms([Fact("event", ("x", "a", Phrase("lightning strikes"))),
    ...                Fact("event", ("x", "b", Phrase("there is a lightning strike")))])
    (('lightning strikes', 'there is a lightning strike'),)
    """
    seen: dict[tuple[str, str, tuple[tuple[str, ...], ...]], str] = {}
    found: list[tuple[str, str]] = []
    for fact in facts:
        phrases = tuple(a.text for a in fact.args[2:] if isinstance(a, Phrase))
        if not phrases or any(not _key(p) for p in phrases):
            continue
        key = (str(fact.args[0]), fact.predicate, tuple(_key(p) for p in phrases))
        first = seen.setdefault(key, phrases[0])
        if first != phrases[0]:
            found.append((first, phrases[0]))
    return tuple(found)

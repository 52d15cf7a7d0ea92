"""Broader and narrower words and parts of speech, from a part of WordNet 3.0 (notice in ``wordnet.txt.gz``)."""

from __future__ import annotations

import gzip
from collections import defaultdict
from functools import cache, lru_cache
from importlib import resources
from typing import NamedTuple

from fallax.core.texts.verbs import base_form

__all__ = ["is_broader", "is_compound", "lemmas_of", "parts_of"]

#: Plurals that no rule makes.
_PLURALS = {
    "men": "man", "women": "woman", "children": "child", "people": "person", "feet": "foot", "teeth": "tooth",
    "geese": "goose", "mice": "mouse", "wives": "wife", "knives": "knife", "lives": "life", "leaves": "leaf",
    "wolves": "wolf", "shelves": "shelf", "loaves": "loaf", "halves": "half", "thieves": "thief", "calves": "calf",
}  # fmt: skip
#: So broad that what is said of them is said of anything.
_ANYTHING = frozenset(("entity", "abstraction", "abstract", "whole", "unit", "be", "change", "act", "move"))


class _Table(NamedTuple):
    """Of each part of speech and word the most frequent, the frequent and the rare senses, of each sense the broader
    ones, of each word its parts of speech, and compounds that are not called by their second word.
    """

    senses: dict[tuple[str, str], tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]]
    above: list[tuple[int, ...]]
    parts: dict[str, frozenset[str]]
    compounds: frozenset[tuple[str, str]]


@cache
def _table() -> _Table:
    packed = (resources.files("fallax.core.texts") / "wordnet.txt.gz").read_bytes()
    lines = [line.split() for line in gzip.decompress(packed).decode().splitlines() if not line.startswith("#")]
    senses: dict[tuple[str, str], tuple[list[int], list[int], list[int]]] = defaultdict(lambda: ([], [], []))
    parts: dict[str, set[str]] = defaultdict(set)
    above: list[tuple[int, ...]] = []
    compounds: set[tuple[str, str]] = set()
    for number, (part, *rest) in enumerate(lines):
        if part == "x":
            compounds.update(zip(rest[::2], rest[1::2], strict=True))
            continue
        above.append(tuple(int(w) for w in rest if w.isdigit()))
        for marked in (w for w in rest if not w.isdigit()):
            word = marked.lstrip("+~")
            if part in "nv":
                senses[part, word]["+~".find(marked[0]) + 1].append(number)
            if marked[0] != "~":
                parts[word].add(part)
    kept = {key: (tuple(a), tuple(b), tuple(c)) for key, (a, b, c) in senses.items()}
    return _Table(kept, above, {word: frozenset(found) for word, found in parts.items()}, frozenset(compounds))


@lru_cache(maxsize=20_000)
def lemmas_of(word: str) -> tuple[str, ...]:
    """The forms under which a dictionary may have a word: itself, a singular, a base form.

    Examples
    --------
    >>> lemmas_of("Ferries"), lemmas_of("carried"), lemmas_of("running")
    (('ferry', 'ferries'), ('carry', 'carried'), ('run', 'running'))
    """
    low = word.lower()
    known = _table().parts
    guesses = [_PLURALS.get(low, ""), base_form(low) if low.endswith("ed") or base_form(low) != low else ""]
    if low.endswith("ies"):
        guesses.append(f"{low[:-3]}y")
    if low.endswith("s") and not low.endswith("ss"):
        guesses += [low[:-1], low[:-2] if low.endswith("es") else ""]
    if low.endswith("ed"):
        guesses.append(low[:-1])
    if low.endswith("ing") and len(low) > 5:
        stem = low[:-3]
        guesses += [stem, f"{stem}e", stem[:-1] if stem[-1] == stem[-2] else ""]
    return tuple(dict.fromkeys((*(g for g in guesses if g in known), low)))


@lru_cache(maxsize=20_000)
def parts_of(word: str) -> frozenset[str]:
    """The parts of speech of a word in its frequent senses: n, v, a (adjective), r (adverb); empty if it is not known.

    Examples
    --------
    >>> sorted(parts_of("ferries")), sorted(parts_of("quickly")), sorted(parts_of("Okafor"))
    (['n', 'v'], ['r'], [])
    """
    known = _table().parts
    return frozenset().union(*(known.get(lemma, frozenset()) for lemma in lemmas_of(word)))


@lru_cache(maxsize=20_000)
def is_broader(broad: str, narrow: str, *, parts: str = "nv", least: int = 1) -> bool:
    """Whether a noun, or a verb, is a kind of another, in half of its frequent senses.

    Parameters
    ----------
    broad, narrow : words in any form.
    parts : "n" for nouns alone, "v" for verbs alone.
    least : how many steps one must be above the other: those next to each other are often used for each other.

    Examples
    --------
    >>> is_broader("animals", "dogs"), is_broader("dogs", "animals"), is_broader("cats", "dogs")
    (True, False, False)
    """
    senses = _table().senses
    for part in parts:
        for low in lemmas_of(broad):
            wanted = {sense for each in senses.get((part, low), ()) for sense in each}
            if not wanted or low in _ANYTHING:
                continue
            for lemma in lemmas_of(narrow):
                first, frequent, _ = senses.get((part, lemma), ((), (), ()))
                reached = [_steps(sense, wanted) >= least for sense in (*first, *frequent)]
                if first and lemma != low and 2 * sum(reached) >= len(reached):
                    return True
    return False


def is_compound(first: str, second: str) -> bool:
    """Whether two words are a name for something that is not called by the second, as far as WordNet has it.

    Examples
    --------
    >>> is_compound("car", "park"), is_compound("police", "car")
    (True, False)
    """
    known = _table().compounds
    return "a" not in parts_of(first) and any((a, b) in known for a in lemmas_of(first) for b in lemmas_of(second))


def _steps(sense: int, wanted: set[int]) -> int:
    """How many steps the nearest wanted sense is above a sense; 0 if none is."""
    above = _table().above
    level, seen, steps = {sense}, set[int](), 0
    while level:
        seen |= level
        level = {higher for each in level for higher in above[each]} - seen
        steps += 1
        if level & wanted:
            return steps
    return 0

"""Passages with other names, and with two names exchanged: what is read must be the passage, not who stands in it."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from fallax.entailment.training.made import lexicon as lx
from fallax.entailment.training.pairs import Example

__all__ = ["KINDS_OF_ROLES", "Names", "exchanged_names", "exchanged_numbers", "renamed"]

#: Kinds of statements that another person or thing in the same place makes false.
KINDS_OF_ROLES = ("attribution", "comparison", "entity", "role")
_NAME = re.compile(r"(?<![\w'’-])[^\W\d_a-z][a-zà-öø-ÿ]{2,}(?:-[^\W\d_a-z][a-zà-öø-ÿ]+)?(?![\w-])")
_NUMBER = re.compile(r"(?<![\w.,:/-])\d[\d.,:]*(?<![.,:])(?![\w/-])")
_WORD = re.compile(r"(?<!\w)[a-zà-öø-ÿ]{3,}(?!\w)")
_KNOWN = frozenset(
    lx.words_of(
        """
    Africa African America American Americans April Argentina Asia Asian Atlantic August Australia Australian
    Austria Belgium Berlin Brazil Brazilian Britain British Canada Canadian Catholic Chile China Chinese Christmas
    Colombia Croatia Cyprus Czech Danish December Denmark Dutch Earth East Easter Egypt England English Europe
    European February Finland Finnish France French Friday German Germany Greece Greek Hungary Iceland India
    Indian Ireland Irish Israel Italian Italy January Japan Japanese Jewish July June Kenya Korea Korean Latin
    London March Mars May Mexico Monday Moscow Muslim Netherlands Nigeria North Norway Norwegian November October
    Pacific Paris Peru Poland Polish Portugal Portuguese Roman Rome Russia Russian Saturday Scotland Scottish
    September South Spain Spanish Sunday Sweden Swedish Swiss Switzerland Thursday Tuesday Turkey Turkish Ukraine
    Wales Wednesday Welsh West York
    """
    )
)


class Names:
    """Which capitalised words are names, and which others could stand in their place.

    A word counts as a name where it is capitalised within a sentence and nowhere stands in small letters.

    Parameters
    ----------
    texts : where to look.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        found: Counter[str] = Counter()
        small: set[str] = set()
        for text in texts:
            small.update(_WORD.findall(text))
            found.update(m.group() for m in _NAME.finditer(text) if m.start())
        self.known = {n for n in found if n.lower() not in small and n not in _KNOWN}
        groups = {"she": set(lx.FEMALE), "he": set(lx.MALE)}
        self.kind = {n: kind for kind, names in groups.items() for n in names}
        self.pools = {kind: sorted(names) for kind, names in groups.items()}
        self.pools["any"] = sorted(self.known - set(self.kind))

    def of(self, text: str) -> list[str]:
        """The names in a text, each once, in order."""
        return list(dict.fromkeys(m.group() for m in _NAME.finditer(text) if m.group() in self.known))

    def others(self, names: Sequence[str], rng: random.Random) -> dict[str, str]:
        """For each name another one, no two alike; women's and men's first names stay such."""
        free = {kind: [n for n in pool if n not in names] for kind, pool in self.pools.items()}
        found = {}
        for name in names:
            pool = free[self.kind.get(name, "any")]
            if pool:
                found[name] = pool.pop(rng.randrange(len(pool)))
        return found


def _replacer(others: Mapping[str, str]) -> Callable[[str], str]:
    return lambda text: _NAME.sub(lambda m: others.get(m.group(), m.group()), text)


def renamed(example: Example, names: Names, rng: random.Random) -> Example:
    """The same example about people, places and firms of other names; spans of wrong words are dropped."""
    there = names.of(" ".join([*example.passage, example.statement]))
    change = _replacer(names.others(there, rng))
    wrong = example.wrong if not example.wrong else None
    return replace(
        example, passage=tuple(map(change, example.passage)), statement=change(example.statement), wrong=wrong
    )


def exchanged_names(example: Example, names: Names, rng: random.Random) -> Example | None:
    """An entailed statement beside its passage with two names exchanged, which does not entail it; None without two.

    One name stands in the statement; the other one does too where it has two, else it is any of the passage. For
    statements about who did what (:data:`KINDS_OF_ROLES`): others may hold of both.
    """
    text = " ".join(example.passage)
    there = names.of(text)
    own = [n for n in names.of(example.statement) if n in there]
    if example.label != "entailed" or not own:
        return None
    if len(own) == 2 and not re.search(rf"{own[0]} (?:and|or) {own[1]}|{own[0]} {own[1]}", example.statement):
        a, b = own
    elif len(own) == 1:
        rest = [n for n in there if n not in own and names.kind.get(n) == names.kind.get(own[0])]
        rest = [n for n in rest if f"{n} {own[0]}" not in text and f"{own[0]} {n}" not in text]
        if not rest:
            return None
        a, b = own[0], rng.choice(rest)
    else:
        return None
    change = _replacer({a: b, b: a})
    return replace(
        example, passage=tuple(map(change, example.passage)), label="not_entailed", wrong=None, evidence=None
    )


def exchanged_numbers(example: Example, rng: random.Random) -> Example | None:
    """An entailed statement with a number with that number and another exchanged in the passage; None without two."""
    text = " ".join(example.passage)
    there = dict.fromkeys(m.group() for m in _NUMBER.finditer(text))
    own = [m.group() for m in _NUMBER.finditer(example.statement) if m.group() in there]
    if example.label != "entailed" or len(own) != 1:
        return None
    rest = [n for n in there if n != own[0] and abs(len(n) - len(own[0])) < 2]
    if not rest:
        return None
    other = rng.choice(rest)
    others = {own[0]: other, other: own[0]}
    passage = tuple(_NUMBER.sub(lambda m: others.get(m.group(), m.group()), s) for s in example.passage)
    return replace(example, passage=passage, label="not_entailed", wrong=None, evidence=None)

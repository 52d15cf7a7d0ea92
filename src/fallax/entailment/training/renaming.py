"""Rename people in passages, or exchange two names, so that the model must read the passage and not the names."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from fallax.entailment.training.made import lexicon as lx
from fallax.entailment.training.pairs import Example

__all__ = ["KINDS_OF_ROLES", "Names", "exchanged_names", "exchanged_numbers", "renamed"]

#: Kinds of statements that become false when another person or thing takes the same role.
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
    """The names in a set of texts, and possible replacements.

    A word counts as a name if it is capitalised inside a sentence and never appears in lower case.

    Parameters
    ----------
    texts : the texts to collect names from.
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
        """The distinct names in a text, in order of first use."""
        return list(dict.fromkeys(m.group() for m in _NAME.finditer(text) if m.group() in self.known))

    def others(self, names: Sequence[str], rng: random.Random) -> dict[str, str]:
        """A different replacement for each name; women's and men's first names are replaced by the same kind."""
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
    """The same example with other names of people, places and firms; spans of wrong words are dropped."""
    there = names.of(" ".join([*example.passage, example.statement]))
    change = _replacer(names.others(there, rng))
    wrong = example.wrong if not example.wrong else None
    return replace(
        example, passage=tuple(map(change, example.passage)), statement=change(example.statement), wrong=wrong
    )


def exchanged_names(example: Example, names: Names, rng: random.Random) -> Example | None:
    """Exchange two names in the passage of an entailed statement, so that it is no longer entailed.

    If the statement has two names, these are exchanged; if it has one, that name and another of the passage. Use it for
    statements about who did what (:data:`KINDS_OF_ROLES`): other statements may be true of both. None if there are not
    two names.
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
    """Exchange a number of an entailed statement with another in the passage; None if there is no other number."""
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

"""Rewords the sentences of a world with a model; rewordings that change the meaning are refused and counted.

A new sentence is kept only if four readers find the old one in it: its logical skeleton (names, numbers, quoted words,
"if", "unless", "only", "not", "every", in one order), the terms of the facts that it states, the entailment model in
both directions, and, for the argument as a whole, a model that reads back which of the two conclusions it draws.
"""

from __future__ import annotations

import asyncio
import hashlib
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from fallax.core.texts import content_words
from fallax.core.types import ChatModel
from fallax.entailment import EntailmentModel
from fallax.errors import AuthenticationError, BudgetError, ModelError, ReplyError
from fallax.generation.protocols.generation import ConclusionProtocol
from fallax.generation.protocols.rewording import RewordProtocol
from fallax.generation.worlds.lexicon import lexicon, rows
from fallax.generation.worlds.world import KINDS, Kind, Said, World
from fallax.oracle import Phrases, load_rule_base

__all__ = ["REFUSALS", "Reworder", "refusal"]

#: Why a sentence, or with the last three a whole world, keeps the words that it had.
REFUSALS = (
    "names, numbers or logical words changed", "terms of its facts lost", "not entailed both ways", "not one sentence",
    "conclusions of unequal length", "read back as another conclusion", "no readable reply",
)  # fmt: skip

#: The least that the entailment model must give to "entailed", in each direction.
_ENTAILED = 0.5
#: The share of the terms of its facts that a new sentence must still use.
_TERMS = 0.5
#: Words by which the two conclusions of a pair may differ in length.
_APART = 3

_TOKEN = re.compile(r"[^\W\d_]+(?:[’'][^\W\d_]+)?|\d+(?:[.,:]\d+)*")
_QUOTED = re.compile(r"[“‘\"]([^“”‘\"]+?)[”’\"](?!\w)")
_LOGICAL = {
    word: kind
    for kind, words in {
        "IF": "if when whenever where wherever provided",
        "UNLESS": "unless except excepted excepting aside",
        "ONLY": "only solely",
        "NOT": "not no never nobody none nothing neither nor without cannot",
        "ALL": "all every each everybody everyone everything always whoever whatever any anyone anybody anything",
        "SOME": "some somebody someone something sometimes may might perhaps",
        "OR": "or either",
        "MOST": "most many few half hardly nearly",
    }.items()
    for word in words.split()
}
_NUMBERS = frozenset(
    rows(
        "two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty sixty seventy eighty"
        " ninety hundred",
        " ",
    )
)


def _stem(word: str) -> str:
    return word.casefold()[:5]


def _skeleton(text: str, terms: frozenset[str], names: frozenset[str]) -> Iterator[str]:
    """Names, numbers and logical words in order, and each term at its first occurrence."""
    seen: set[str] = set()
    for m in _TOKEN.finditer(text):
        word = m[0].removesuffix("’s").removesuffix("'s")
        low = word.casefold()
        if low.endswith(("n’t", "n't")):
            yield "NOT"
        elif word in names or word[0].isdigit() or low in _NUMBERS:
            yield low
        elif low in _LOGICAL:
            yield _LOGICAL[low]
        elif (stem := _stem(word)) in terms and stem not in seen:
            seen.add(stem)
            yield stem


def _terms(said: Said, world: World, kind: Kind) -> frozenset[str]:
    """The content words that a sentence shares with the phrases of its facts."""
    phrases = Phrases(load_rule_base("strict"), world.facts[kind])
    stated = {_stem(w) for f in said.facts for a in f.args[1:] for w in content_words(phrases.of(world.id, a))}
    words = (w for w in content_words(said.text) if w not in _LOGICAL and w not in _NUMBERS)
    return frozenset(_stem(w) for w in words) & stated


def refusal(
    old: str,
    new: str,
    *,
    terms: frozenset[str] = frozenset(),
    names: frozenset[str] = frozenset(),
    entailment: EntailmentModel,
) -> str | None:
    """Why a sentence may not replace another one; None if it may.

    Parameters
    ----------
    terms : the first five letters of the words that the facts of the old sentence use; half of them must stay.
    names : that must stay as they are.
    entailment : must find either sentence entailed by the other, each with a probability of .5 or more.

    Examples
    --------
    >>> from fallax.entailment import load_entailment
    >>> old = "Anil loses the pass for four weeks."
    >>> names = frozenset({"Anil", "Cora"})
    >>> refusal(old, "Cora loses the pass for four weeks.", names=names, entailment=load_entailment())
    'names, numbers or logical words changed'
    >>> refusal(old, "Anil’s pass is lost for four weeks.", names=names, entailment=load_entailment())
    """
    if not new.endswith((".", "!", "?", ".”", ".’")) or len(new) > 3 * len(old) or not new.isprintable():
        return "not one sentence"
    kept = frozenset(t for t in terms if t in {_stem(w) for w in _TOKEN.findall(new)})
    same = list(_skeleton(old, kept, names)) == list(_skeleton(new, kept, names))
    if not same or _QUOTED.findall(old) != _QUOTED.findall(new):
        return "names, numbers or logical words changed"
    if terms and len(kept) < _TERMS * len(terms):
        return "terms of its facts lost"
    if any(entailment.read([a], b).probabilities[0] < _ENTAILED for a, b in ((old, new), (new, old))):
        return "not entailed both ways"
    return None


@dataclass
class Reworder:
    """Rewords worlds with a model.

    Parameters
    ----------
    model : who rewords.
    entailment : who checks that nothing changed.
    reader : who reads back which conclusion is drawn; by default the model itself.
    advance : called with 1 for each world that is done.

    Attributes
    ----------
    counts : of sentences: "reworded", "as they were" (the model changed nothing) and those of :data:`REFUSALS`; of
        worlds: "worlds" and "worlds reworded".
    """

    model: ChatModel
    entailment: EntailmentModel
    reader: ChatModel | None = None
    advance: Callable[[int], None] = lambda n: None

    def __post_init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self._protocol = RewordProtocol()
        self._read_back = ConclusionProtocol()

    async def reword(self, worlds: Sequence[World]) -> list[World]:
        """The reworded worlds; facts and claims are unchanged.

        Raises
        ------
        AuthenticationError, BudgetError
            As no further call can succeed then. Other failed calls leave a world as it was, and are counted.
        """
        return list(await asyncio.gather(*(self._world(w) for w in worlds)))

    async def _world(self, world: World) -> World:
        self.counts["worlds"] += 1
        found = world
        try:
            found = await self._reworded(world)
            if found is not world and not await self._reads_back(world, found):
                self.counts["read back as another conclusion"] += 1
                found = world
        except (AuthenticationError, BudgetError):
            raise
        except (ModelError, ReplyError):
            self.counts["no readable reply"] += 1
            found = world
        self.counts["worlds reworded"] += found is not world
        self.advance(1)
        return found

    async def _reworded(self, world: World) -> World:
        shared = [s for s in world.premises["sound"] if s in world.premises["fallacy"]]
        own = {k: [s for s in world.premises[k] if s not in shared] for k in KINDS}
        ends = {k: Said(f"{world.conclusions[k][0].upper()}{world.conclusions[k][1:]}.") for k in KINDS}
        asked: list[tuple[Said, Kind]] = [(s, "sound") for s in shared]
        apart: list[tuple[Said, Kind]] = [(s, k) for k in KINDS for s in (*own[k], ends[k])]
        _rng(world).shuffle(apart)  # the place of a conclusion must not tell which it is
        lines = [*asked, *apart]
        reply = await self.model.generate(self._protocol.request([s.text for s, _ in lines]))
        replied = self._protocol.read(reply)
        names = frozenset(lexicon("shared")["people"].split()) | {world.place}
        said: dict[Said, str] = {}
        for n, (sentence, kind) in enumerate(lines, start=1):
            new = replied.get(n, "")
            if new == sentence.text:
                self.counts["as they were"] += 1
                continue
            terms = _terms(sentence, world, kind)
            why = refusal(sentence.text, new, terms=terms, names=names, entailment=self.entailment)
            if why is None:
                said[sentence] = new
            else:
                self.counts[why] += 1
        # what is in one text only is reworded in both or in neither; otherwise it would tell which is which
        lengths = [len(said.get(ends[k], "").split()) for k in KINDS]
        if any(s not in said for s, _ in apart) or abs(lengths[0] - lengths[1]) > _APART:
            if all(s in said for s, _ in apart):
                self.counts["conclusions of unequal length"] += 2
            for s, _ in apart:
                said.pop(s, None)
        if not said:
            return world
        self.counts["reworded"] += len(said)
        return replace(
            world,
            premises={k: tuple(Said(said.get(s, s.text), s.facts) for s in world.premises[k]) for k in KINDS},
            conclusions={
                k: _clause(said[ends[k]], names) if ends[k] in said else world.conclusions[k] for k in KINDS
            },
        )  # fmt: skip

    async def _reads_back(self, old: World, new: World) -> bool:
        """Whether a reader finds the right conclusion of both texts, asked in both orders."""
        reader = self.reader or self.model
        requests = [
            r
            for k, other in (KINDS, KINDS[::-1])
            for r in self._read_back.requests(
                f"{' '.join(s.text for s in new.premises[k])} Therefore, {new.conclusions[k]}.",
                old.conclusions[k],
                old.conclusions[other],
            )
        ]
        replies = await asyncio.gather(*(reader.generate(r) for r in requests))
        return self._read_back.read(replies[:2]) and self._read_back.read(replies[2:])

    def report(self) -> Mapping[str, int]:
        """The non-zero counts in a fixed order."""
        order = ("worlds", "worlds reworded", "reworded", "as they were", *REFUSALS)
        return {name: self.counts[name] for name in order if self.counts[name]}


def _rng(world: World) -> random.Random:
    text = "\x1f".join((world.id, world.fallacy, *world.core))
    return random.Random(int.from_bytes(hashlib.sha256(text.encode()).digest(), "big"))


def _clause(sentence: str, names: frozenset[str]) -> str:
    """A sentence as a clause: without full stop, with a small first letter unless it is a name."""
    text = sentence.removesuffix(".")
    word = _TOKEN.match(text)
    first = word[0].removesuffix("’s") if word else ""
    return text if first in names or first == "I" else text[:1].lower() + text[1:]

"""Build sentences from the lexicon: one fact in many wordings, stated and denied."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from fallax.entailment.training.made import lexicon as lx
from fallax.entailment.training.pairs import Label

__all__ = [
    "CONTRADICTED",
    "NEITHER",
    "NOT_ENTAILED",
    "MadeItem",
    "Person",
    "contrast",
    "deed_forms",
    "denied_deed",
    "denied_person",
    "no_label",
    "number",
    "people",
    "person_forms",
    "sentence",
]

NEITHER: Label = "neither"
CONTRADICTED: Label = "contradicted"
NOT_ENTAILED: Label = "not_entailed"


@dataclass(frozen=True, slots=True)
class MadeItem:
    """A statement in several wordings, passages that entail it, and passages that do not.

    Parameters
    ----------
    kind : what it tests, such as "negation".
    statement : wordings of one statement.
    yes : passages that entail it, each a list of sentences.
    no : passages that do not entail it, each with the label.
    names : people and organisations it mentions; added sentences may mention them too.
    """

    kind: str
    statement: list[str]
    yes: list[list[str]]
    no: list[tuple[list[str], Label]]
    names: tuple[str, ...] = ()


def contrast(
    kind: str,
    statement: list[str],
    yes: Sequence[str | list[str]],
    *no: tuple[Sequence[str | list[str]], Label],
    names: tuple[str, ...] = (),
) -> MadeItem:
    """A :class:`MadeItem` from passages that entail the statement and groups of passages that do not, with their label.

    A passage of one sentence may be given as a string.

    Examples
    --------
    >>> contrast("negation", ["Lee left"], ["Lee went"], (["Lee stayed", "Lee never left"], CONTRADICTED)).no
    [(['Lee stayed'], 'contradicted'), (['Lee never left'], 'contradicted')]
    """
    others = [(_passage(p), label) for passages, label in no for p in passages]
    return MadeItem(kind, statement, [_passage(p) for p in yes], others, names)


def _passage(given: str | list[str]) -> list[str]:
    return [given] if isinstance(given, str) else given


@dataclass(frozen=True, slots=True)
class Person:
    """A person or an organisation.

    Parameters
    ----------
    name : the usual name.
    full : the name at first mention.
    pronoun : "she", "he", "it" or "they".
    """

    name: str
    full: str
    pronoun: str

    @property
    def possessive(self) -> str:
        """The possessive pronoun: her, his, its or their."""
        return {"she": "her", "he": "his", "it": "its", "they": "their"}[self.pronoun]


def sentence(text: str) -> str:
    """The text with a capital letter, a full stop, and single blanks."""
    text = " ".join(text.split()).replace(" ,", ",")
    return text[:1].upper() + text[1:] + ("" if text[-1] in '.!?”"' else ".")


def people(rng: random.Random, n: int, *, bodies: float = 0.3) -> list[Person]:
    """``n`` different people, or with probability ``bodies`` organisations."""
    if rng.random() < bodies:
        return [Person(o, o, "it") for o in rng.sample(lx.ORGS, n)]
    found = []
    surnames = rng.sample(lx.SURNAMES, n)
    style = rng.random()
    first_f, first_m = rng.sample(lx.FEMALE, n), rng.sample(lx.MALE, n)
    titles = rng.random() < 0.12
    for surname, f, m in zip(surnames, first_f, first_m, strict=True):
        female = rng.random() < 0.5
        first = f if female else m
        pronoun = "she" if female else "he"
        if titles:
            found.append(Person(("Ms " if female else "Mr ") + surname, f"{first} {surname}", pronoun))
        elif style < 0.45:
            found.append(Person(surname, f"{first} {surname}", pronoun))
        elif style < 0.8:
            found.append(Person(first, first, pronoun))
        else:
            found.append(Person(f"{first} {surname}", f"{first} {surname}", pronoun))
    return found


def no_label(one_way: bool) -> Label:
    """The label of a sentence with exchanged roles."""
    return "contradicted" if one_way else "not_entailed"


def person_forms(
    a: str, b: str, verb: lx.Verb, rng: random.Random, *, way: tuple[str, str, str] | None = None
) -> list[str]:
    """Wordings of "A did it to B"."""
    base, past, participle = way or rng.choice([(verb.base, verb.past, verb.participle), *verb.same])
    tail = verb.tail
    rng.choice(lx.TIMES)  # unused; without this draw, a seed would give other examples than before
    return [
        f"{a} {past} {b} {tail}",
        f"{a} {past} {b} {tail}",
        f"{b} was {participle} by {a} {tail}",
        f"{b} was {participle} by {a} {tail}",
        f"{b} was {participle} {tail} by {a}",
        f"it was {a} who {past} {b} {tail}",
        f"it was {b} who was {participle} by {a} {tail}",
        f"the one who {past} {b} {tail} was {a}",
        f"the one whom {a} {past} {tail} was {b}",
        f"{a} did {base} {b} {tail}",
    ]


def denied_person(a: str, b: str, verb: lx.Verb, rng: random.Random, *, strict: bool = True) -> list[str]:
    """Wordings of "A did not do it to B"; not ``strict``: also wordings that only imply it."""
    base, past, participle = rng.choice([(verb.base, verb.past, verb.participle), *verb.same])
    tail = verb.tail
    found = [
        f"{a} did not {base} {b} {tail}",
        f"{a} did not {base} {b} {tail}",
        f"{b} was not {participle} by {a} {tail}",
        f"{b} was not {participle} {tail} by {a}",
        f"{a} never {past} {b} {tail}",
        f"{b} was never {participle} by {a} {tail}",
        f"it is not true that {a} {past} {b} {tail}",
        f"{a} didn't {base} {b} {tail}",
        f"{b} wasn't {participle} by {a} {tail}",
        f"at no point did {a} {base} {b} {tail}",
    ]
    if not strict:
        found += [
            f"{a} refused to {base} {b} {tail}",
            f"{a} declined to {base} {b} {tail}",
            f"{a} chose not to {base} {b} {tail}",
            f"{a} avoided contact with {b} and did not {base} {b} {tail}",
        ]
    return found


def deed_forms(
    a: str, deed: lx.Deed, rng: random.Random, *, way: tuple[str, str, str] | None = None, agent: bool = True
) -> list[str]:
    """Wordings of "A did it"; without ``agent``, passive wordings that do not name A."""
    base, past, participle = way or rng.choice([(deed.base, deed.past, deed.participle), *deed.same])
    thing, was = deed.thing, "were" if deed.plural else "was"
    have = "have" if deed.plural else "has"
    if not agent:
        return [
            f"{thing} {was} {participle}",
            f"{thing} {have} been {participle}",
            f"{thing} ended up being {participle}",
        ]
    return [
        f"{a} {past} {thing}",
        f"{a} {past} {thing}",
        f"{thing} {was} {participle} by {a}",
        f"{thing} {have} been {participle} by {a}",
        f"{a} has {participle} {thing}",
        f"{a} did {base} {thing}",
        f"it was {a} that {past} {thing}",
        f"{a} decided to {base} {thing}, and did so",
        f"{a} went ahead and {past} {thing}",
        f"{a} managed to {base} {thing}",
        f"it is true that {a} {past} {thing}",
    ]


def denied_deed(
    a: str, deed: lx.Deed, rng: random.Random, *, way: tuple[str, str, str] | None = None, agent: bool = True,
    strict: bool = True,
) -> list[str]:  # fmt: skip
    """Wordings of "A did not do it"; not ``strict``: also wordings that only imply it."""
    base, past, participle = way or rng.choice([(deed.base, deed.past, deed.participle), *deed.same])
    thing, was = deed.thing, "were" if deed.plural else "was"
    have = "have" if deed.plural else "has"
    if not agent:
        return [
            f"{thing} {was} not {participle}", f"{thing} {have} not been {participle}", f"{thing} {was} never {participle}",
            f"nobody {past} {thing}", f"no one {past} {thing}",
        ]  # fmt: skip
    found = [
        f"{a} did not {base} {thing}",
        f"{a} did not {base} {thing}",
        f"{a} has not {participle} {thing}",
        f"{thing} {was} not {participle} by {a}",
        f"{a} never {past} {thing}",
        f"{a} didn't {base} {thing}",
        f"it is not true that {a} {past} {thing}",
        f"it is false that {thing} {was} {participle} by {a}",
    ]
    if not strict:
        found += [
            f"{a} refused to {base} {thing}", f"{a} decided not to {base} {thing}", f"{a} failed to {base} {thing}",
            f"{a} chose not to {base} {thing}", f"{a} considered whether to {base} {thing} but did not",
            f"{a} was asked to {base} {thing} and declined", f"far from it: {a} did not {base} {thing}",
            f"{a} wanted to {base} {thing} but was prevented from doing so",
        ]  # fmt: skip
    return found


_ONES = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"]  # fmt: skip
_TENS = ["zero", "ten", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]


def _spelled(n: int) -> str:
    if n < 20:
        return _ONES[n]
    if n < 100:
        return _TENS[n // 10] + (f"-{_ONES[n % 10]}" if n % 10 else "")
    if n < 1000:
        rest = f" and {_spelled(n % 100)}" if n % 100 else ""
        return f"{_ONES[n // 100]} hundred{rest}"
    rest = f" {_spelled(n % 1000)}" if n % 1000 else ""
    return f"{_spelled(n // 1000)} thousand{rest}"


def number(n: int, rng: random.Random) -> str:
    """A number in digits or in words, at random.

    Examples
    --------
    >>> sorted({number(1200, random.Random(i)) for i in range(20)})
    ['1,200', '1200', 'one thousand two hundred']
    """
    return rng.choice([f"{n:,}", f"{n:,}", str(n), _spelled(n)])

"""What follows by simple arithmetic from the quantities that a sentence states: remainders, shares, changes, votes."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from fallax.core.texts import content_words
from fallax.core.texts.verbs import base_form
from fallax.faithfulness.systems.measures import UNITS
from fallax.faithfulness.systems.numerals import same_word, tokens_of, word_set
from fallax.faithfulness.systems.quantities import TextQuantity, quantities_of
from fallax.faithfulness.systems.surface import NUMBERS

__all__ = ["VOTING", "Stated", "clause_at", "denies", "follows", "stated_in", "votes_in", "words_of"]

_NEGATES = word_set("not never no nobody none nothing neither nor cannot")
_LEFT_OUT = frozenset(NUMBERS) | _NEGATES | word_set(
    "per cent percent percentage point points half third quarter hundred thousand million billion dozen about "
    "around roughly nearly almost exactly just least total altogether one"
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Stated:
    """A quantity that a sentence states, or that follows from what it states.

    Parameters
    ----------
    quantity : with offsets into the sentence.
    denied : whether it is the number of those of which the sentence denies what it says.
    derived : whether it was computed.
    sure : whether it excludes other values, as one side of a vote does.
    """

    quantity: TextQuantity
    denied: bool
    derived: bool = False
    sure: bool = False


@lru_cache(maxsize=20_000)
def words_of(text: str) -> frozenset[str]:
    """The content words of a text in one form each, without numbers.

    Examples
    --------
    >>> sorted(words_of("Three of the boys had not returned."))
    ['boy', 'return']
    """
    found = set()
    for word in _words(text):
        if word not in _LEFT_OUT:
            found.add(same_word(base_form(word)))
    return frozenset(found)


def _words(text: str) -> Iterator[str]:
    for token in tokens_of(text):
        if token.text[0].isalpha() and content_words(token.text):
            yield token.text.removesuffix("'s")


def denies(text: str) -> bool:
    """Whether a word of a text denies something, an odd number of times."""
    words = [t.text for t in tokens_of(text)]
    return sum((w in _NEGATES and w != "none") or w.endswith("n't") for w in words) % 2 == 1


@lru_cache(maxsize=4_096)
def stated_in(sentence: str) -> tuple[Stated, ...]:
    """The quantities of a sentence, and what follows from them.

    Examples
    --------
    >>> [(s.quantity.low, s.denied) for s in stated_in("12 of the 48 windows were damaged.")][:2]
    [(12.0, False), (36.0, True)]
    """
    found: list[Stated] = []
    quantities = quantities_of(sentence)
    for q in quantities:
        denied = denies(clause_at(sentence, q))
        if q.but:
            found.append(Stated(q, not denied, derived=True))
            if q.whole:
                left = q.whole - q.low
                found.append(Stated(replace(q, low=left, high=left, but=False), denied, derived=True))
            continue
        found.append(Stated(q, denied))
        if q.kind == "count" and q.whole and q.exact and 0 <= q.low <= q.whole:
            rest = q.whole - q.low
            found.append(Stated(replace(q, low=rest, high=rest), not denied, derived=True))
            for of, no in ((q.low, denied), (rest, not denied)):
                found += _shares(q, of / q.whole, no)
    return (*found, *_changes(sentence, quantities))


def _shares(q: TextQuantity, share: float, denied: bool) -> Iterator[Stated]:
    yield Stated(replace(q, kind="share", low=share, high=share), denied, derived=True, sure=bool(q.thing))
    yield Stated(replace(q, kind="percent", low=100 * share, high=100 * share), denied, derived=True)


def clause_at(sentence: str, q: TextQuantity) -> str:
    """The part of a sentence around a quantity, up to the next comma, semicolon or colon."""
    start = max((sentence.rfind(mark, 0, q.start) for mark in (", ", "; ", ": ")), default=-1) + 1
    ends = [at for mark in (", ", "; ", ": ") if (at := sentence.find(mark, q.end)) >= 0]
    return sentence[start : min(ends, default=len(sentence))]


_CARRIED = re.compile(
    r"\b(?:carried|passed|approved|adopted|agreed|accepted|in favou?r|backed|supported|elected|won|upheld|granted)\b",
    re.IGNORECASE,
)
_LOST = re.compile(
    r"\b(?:rejected|defeated|voted down|lost|against|turned down|refused|dismissed|failed|fell|denied)\b", re.IGNORECASE
)
_VOTE = re.compile(
    r"\b(?:vot\w+|motion|proposal|council|committee|board|jury|resolution|amendment|bill)\b", re.IGNORECASE
)
_FOR = re.compile(
    r"\b(?:(?:vot\w+|was|were|came out|spoke) (?:for|in favou?r)|in favou?r|supported|backed|approved|said yes)\b",
    re.IGNORECASE,
)
_AGAINST = re.compile(r"\b(?:against|opposed|rejected|said no|voted down)\b", re.IGNORECASE)
_VOTERS = words_of("members votes voters councillors directors governors jurors people delegates trustees judges")
#: Words that say how somebody voted.
VOTING = words_of("vote voted favour favor supported backed approved opposed")


def votes_in(sentence: str, claim: str, q: TextQuantity) -> Iterator[Stated]:
    """How many voted for or against, of "carried by five votes to two", where a claim counts those who did.

    Which of the two numbers is which follows from what came of the vote, so nothing is found where that is not said.

    Examples
    --------
    >>> claim = "Two members were in favour."
    >>> (q,) = quantities_of(claim)
    >>> [s.quantity.low for s in votes_in("The plan was rejected by five votes to two.", claim, q)]
    [2.0]
    """
    carried, lost = _CARRIED.search(sentence), _LOST.search(sentence)
    side, other = _FOR.search(claim), _AGAINST.search(claim)
    if q.kind != "count" or q.thing not in _VOTERS | {""} or bool(carried) == bool(lost) or bool(side) == bool(other):
        return
    if not _VOTE.search(sentence):
        return
    for s in quantities_of(sentence):
        if s.kind == "score":
            value = max(s.low, s.whole) if bool(carried) == bool(side) else min(s.low, s.whole)
            yield Stated(
                replace(s, kind="count", thing=q.thing, low=value, high=value, whole=0.0),
                False,
                derived=True,
                sure=True,
            )


_FROM_TO = re.compile(r"\bfrom (?:\w+ ){0,3}$", re.IGNORECASE)


def _changes(sentence: str, quantities: tuple[TextQuantity, ...]) -> Iterator[Stated]:
    """By how much something rose or fell, of "from 40 to 50"."""
    for one, other in pairwise(quantities):
        gap = sentence[one.end : other.start].strip().lower()
        alike = one.kind == other.kind or (one.kind == "count" and not one.thing)
        if gap != "to" or not alike or not (one.exact and other.exact) or one.low <= 0 or one.kind in _STEPS:
            continue
        if _FROM_TO.search(sentence[: one.start]):
            yield from _change(one.low, other)
    for q in quantities:
        if _FROM_TO.search(sentence[: q.start]) and 0 < q.low < q.high < math.inf and q.kind not in _STEPS:
            yield from _change(q.low, replace(q, low=q.high))


def _change(before: float, q: TextQuantity) -> Iterator[Stated]:
    """The difference, the share and the per cent of a change to a quantity."""
    diff = abs(q.high - before)
    yield Stated(replace(q, low=diff, high=diff), False, derived=True)
    yield Stated(replace(q, kind="percent", low=100 * diff / before, high=100 * diff / before), False, True, sure=True)
    yield Stated(replace(q, kind="share", low=diff / before, high=diff / before), False, derived=True)
    yield Stated(replace(q, kind="times", low=q.high / before, high=q.high / before), False, derived=True)


#: A unit without a number: "a year later", "the following day", "another metre".
_A_UNIT = re.compile(
    r"\b(?<!half )(?:a|an|one|another|(?:the )?(?:following|next|previous|same|last)|this) (?:full )?(\w+)\b",
    re.IGNORECASE,
)
_TIMES = (
    (re.compile(r"\b(?:half|halv\w+)\b", re.IGNORECASE), 2.0),
    (re.compile(r"\b(?:twice|doubl\w+)\b", re.IGNORECASE), 2.0),
    (re.compile(r"\b(?:third|three times|trebl\w+|tripl\w+|threefold)\b", re.IGNORECASE), 3.0),
    (re.compile(r"\b(?:quarter|four times|fourfold|quadrupl\w+)\b", re.IGNORECASE), 4.0),
)
_OTHERS = re.compile(
    r"\b(?:other|another|else|too|also|both|each|every|together|including|apart from|besides|plus"
    r"|and (?:a|an|his|her|one)|one (?:in|at|of|from|on))\b",
    re.IGNORECASE,
)
#: From more values nearly everything can be computed.
_MOST = 40
#: Seconds in the unit of a kind of moments.
_STEPS = {"year": 31_557_600.0, "date": 86_400.0, "clock": 60.0}


def follows(q: TextQuantity, sentence: str, beside: Sequence[str] = ()) -> bool:
    """Whether the value of a quantity may be computed from those of a sentence: a sum, a difference, a multiple.

    Sums and differences are also computed with the quantities of the sentences beside it.

    Examples
    --------
    >>> (q,) = quantities_of("70 kg")
    >>> follows(q, "She weighs 71 kg, one more than the target.")
    True
    """
    text = " ".join((sentence, *beside))
    plain = _without(text)
    values, bare = _values(q.kind, text, plain), _bare(q.kind, text)
    if len(values) + len(bare) > _MOST:
        return True
    times = [t for pattern, t in _TIMES if pattern.search(plain)]
    if q.kind in _STEPS:
        spans = [v / _STEPS[q.kind] for v in _values("time", text, plain)]
        results = {v + sign * span for v in values for span in spans for sign in (1, -1)}
    else:
        values, counts = [*values, *bare], _values("count", sentence, _without(sentence))
        results = {abs(v + sign * w) for i, v in enumerate(values) for w in values[i + 1 :] for sign in (1, -1)}
        results.add(sum(values))
        results |= {r for v in values for t in times for r in (v * t, v / t)}
        results |= {v * w for v in values for w in counts}
        results |= {v / w for v in values for w in counts if w}
        if q.kind == "count" and _OTHERS.search(plain):
            results |= {v + sign for v in values for sign in (1, -1)}
        shares = [s / 100 for s in _values("percent", text, plain)] + _values("share", text, plain)
        results |= {r for v in values for s in shares for r in (v * s, v * (1 - s), v * (1 + s), v / s if s else v)}
    results = (results - set(values)) | set(bare)
    if q.low == -math.inf:  # nearly all that can be computed is below a limit
        return False
    if q.high == math.inf:
        alike = [x.low for x in quantities_of(text) if x.kind == q.kind and x.thing in ("", q.thing)]
        results = {sum(alike)} if len(alike) > 1 else set()
    slack = 3.0 if q.kind == "date" else 0.02 * max(abs(x) for x in (q.low, q.high, 0.0) if math.isfinite(x))
    return any(q.low - slack <= r <= q.high + slack for r in results)


def _without(text: str) -> str:
    """A text without the words of its quantities, but with its shares."""
    kept, at = [], 0
    for q in quantities_of(text):
        if q.kind not in ("times", "share"):
            kept.append(text[at : q.start])
            at = q.end
    return " … ".join((*kept, text[at:]))


def _values(kind: str, text: str, plain: str) -> list[float]:
    """The values of a kind that a text gives, with units without a number."""
    found = [
        x for q in quantities_of(text) if q.kind == kind for x in {q.low, q.high, q.whole} if math.isfinite(x) and x
    ]
    for m in _A_UNIT.finditer(plain):
        of, size = UNITS.get(m[1].lower(), ("", 0.0))
        if of == kind:
            found.append(size)
    return found


def _bare(kind: str, text: str) -> list[float]:
    """The numbers without a noun, in the units of a kind that a text has: "3.10 m, twenty short of it"."""
    quantities = quantities_of(text)
    sizes = {UNITS.get(q.thing, ("", 1.0))[1] for q in quantities if q.kind == kind}
    sizes |= {scale for scale in (1e6, 1e9) if any(q.kind == kind and scale <= q.low < math.inf for q in quantities)}
    numbers = (x for q in quantities if q.kind == "count" and (not q.thing or q.whole) for x in {q.low, q.high})
    return [n * size for n in numbers if math.isfinite(n) for size in sizes]

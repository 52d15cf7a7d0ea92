"""Compares the quantities of a claim with those that a document states, or that follow from them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from fallax.core.texts import normal_form
from fallax.errors import one_line
from fallax.faithfulness.systems.computed import (
    VOTING,
    Stated,
    clause_at,
    denies,
    follows,
    stated_in,
    votes_in,
    words_of,
)
from fallax.faithfulness.systems.measures import ABOUT, COMPARED
from fallax.faithfulness.systems.quantities import TextQuantity, quantities_of

__all__ = ["Amount", "amount_in", "equal_amounts"]

#: What has more characters is no claim that the model reads whole; one with more quantities is a list.
_LONGEST, _QUANTITIES = 1000, 20
#: A claim with fewer words beside its quantity says too little to be told from another one.
_LEAST = 2
#: A sentence speaks of what a claim does if it has this share of its other words.
_MOST = 0.5
#: So many of its own, where sentences beside it have the rest.
_ENOUGH = 3
#: Measures in other units are the same within the first share, and different beyond the second.
_SAME, _OTHER = 0.015, 0.1
_COUNTED = ("count", "ordinal", "share")
_PLAIN = ("count", "year", "date", "clock", "ordinal", "vote", "score", "share")
#: A quantity behind or before one of these is of others than the claim's, or of a part of them.
_OTHERS = re.compile(
    r"\b(?:other|others|another|further|additional|extra|more(?! than)|first|last|next|each|every|some|remaining)\b",
    re.IGNORECASE,
)

#: Moments behind one of these are the limit of a time.
_LIMIT = re.compile(
    r"\b(since|until|till|from|to|before|after|by|between|and|through|not|but)\W+(?:\w+\W+)?$", re.IGNORECASE
)
_SINCE = re.compile(r"\bsince(?=\W*$|[,;])", re.IGNORECASE)
#: A day or month is another one only where nothing reaches from one to the other.
_REACHES = re.compile(
    r"\b(?:daily|weekly|every|each|except|since|from|until|till|through|between|by|before|after|than)\b", re.IGNORECASE
)
_IF = re.compile(r"\b(?:if|unless|should (?:the|it|they|he|she)|would have)\b", re.IGNORECASE)
_BY = re.compile(r"\bby (?:\w+ )?$", re.IGNORECASE)

Verdict = Literal["supported", "contradicted", "doubted"]


@dataclass(frozen=True, slots=True)
class Amount:
    """What a document says of a quantity of a claim.

    Parameters
    ----------
    verdict : "supported", "contradicted", or "doubted" where the document has only other values for the same thing.
    sentence : the number of the sentence.
    claimed, said : the quantity in the words of the claim and of the document.
    computed : whether it follows from what the document says by arithmetic, and a sentence has all words of the claim.
    """

    verdict: Verdict
    sentence: int
    claimed: str
    said: str
    computed: bool = False


@dataclass(frozen=True, slots=True)
class _Beside:
    """A stated quantity beside one of a claim, with the share of the claim's other words that its sentence has."""

    relation: str
    share: float
    sentence: int
    stated: Stated


def relation(q: TextQuantity, s: TextQuantity) -> str:
    """How the quantity of a claim stands to one of a document: "same" if that implies it, "other" if both cannot be.

    "" if they are not of one kind and thing, "open" if they are and neither holds. A number is exactly that number:
    "three" is another value than "four", though who has four has three.
    """
    if q.kind != s.kind:
        return ""
    if q.kind in _COUNTED and q.thing and s.thing and q.thing != s.thing:
        return ""
    if q.kind in ("money", "degree") and q.thing != s.thing:
        return ""
    if q.per != s.per or (q.whole and s.whole and q.whole != s.whole and q.kind != "score"):
        return "open" if q.low == s.low else ""
    if q.kind == "score":
        return "same" if {q.low, q.whole} == {s.low, s.whole} else "other"
    a, b, c, d = q.low, q.high, s.low, s.high
    if q.about and s.about:
        a, b, c, d = (x / (1 + sign * ABOUT) for x, sign in ((a, -1), (b, 1), (c, -1), (d, 1)))
    if q.kind == "clock" and "" in (q.thing, s.thing) and q.thing != s.thing:
        a, b, c, d = (x % 720 for x in (a, b, c, d))
    scale = max((abs(x) for x in (a, b, c, d) if math.isfinite(x)), default=1.0)
    converted = q.kind not in _PLAIN and q.thing != s.thing
    slack = scale * (_SAME if converted else 1e-9)
    if (a == c == -math.inf and b != d) or (b == d == math.inf and a != c):
        return "open"  # what is above 800 metres is no place above 600
    if a - slack <= c and d <= b + slack:
        return "same"
    slack = scale * (_OTHER if converted else 1e-9)
    return "other" if c - slack > b or d + slack < a else "open"


def amount_in(claim: str, sentences: Sequence[str]) -> Amount | None:
    """What a document says of the quantities of a claim; None if it says nothing of them.

    Parameters
    ----------
    claim : one statement; nothing is found in one of more than 1,000 characters, or in a question.
    sentences : all of the document, in order.

    Examples
    --------
    >>> amount_in("The team tested 120 hives.", ["The team tested 120 bees from 8 hives."])
    Amount(verdict='contradicted', sentence=0, claimed='120 hives', said='8 hives', computed=False)
    >>> amount_in("Three boys had not returned.", ["All but three of the boys had returned."])
    Amount(verdict='supported', sentence=0, claimed='Three boys', said='three of the boys', computed=True)
    >>> amount_in("The team tested bees.", ["The team tested 120 bees from 8 hives."])
    """
    return _amount_in(claim, tuple(sentences))


@lru_cache(maxsize=16)
def _amount_in(claim: str, sentences: tuple[str, ...]) -> Amount | None:
    """The same; the last answers are kept, since several checks ask for them."""
    if len(claim) > _LONGEST or "?" in claim or _IF.search(claim):
        return None
    claim = normal_form(claim)
    quantities = quantities_of(claim)
    if not 0 < len(quantities) <= _QUANTITIES:
        return None
    texts = [normal_form(sentence) for sentence in sentences]
    found = [a for q in quantities if (a := _of(claim, q, texts))]
    against = [a for a in found if a.verdict != "supported"]
    if against:
        return min(against, key=lambda a: a.verdict != "contradicted")
    if len(found) < len(quantities):  # the others are said nowhere
        return replace(found[0], computed=False) if found else None
    return max(found, key=lambda a: a.computed) if found else None


def equal_amounts(claim: str, sentences: Sequence[str]) -> Iterator[tuple[TextQuantity, str]]:
    """The quantities of a claim that a document states as exactly, each with the document's words for it, in order.

    Parameters
    ----------
    claim, sentences : as for :func:`amount_in`.

    Examples
    --------
    >>> [(q.start, said) for q, said in equal_amounts("He ran 3,000 m.", ["He ran 3 km.", "He swam 4 km."])]
    [(7, '3 km')]
    """
    if len(claim) > _LONGEST or "?" in claim:
        return
    claim = normal_form(claim)
    quantities = quantities_of(claim)
    if not 0 < len(quantities) <= _QUANTITIES:
        return
    texts = [normal_form(sentence) for sentence in sentences]
    for q in quantities:
        rest = words_of(claim) - words_of(claim[q.start : q.end])
        same = [b for b in _beside(claim, q, rest, texts) if b.relation == "same" and b.share >= _MOST]
        equal = [b for b in same if not b.stated.derived and not b.stated.denied and _is_equal(q, b.stated.quantity)]
        best = max(equal, key=lambda b: b.share, default=None)
        if best is not None:
            s = best.stated.quantity
            yield q, texts[best.sentence][s.start : s.end]


def _is_equal(q: TextQuantity, s: TextQuantity) -> bool:
    alike = (q.about, q.per, q.whole, q.but) == (s.about, s.per, s.whole, s.but)
    if q.kind == "clock" and "" in (q.thing, s.thing):  # "half past two", "14:30"
        return alike and q.low % 720 == s.low % 720
    alike = alike and bool(q.thing) == bool(s.thing)  # no "120" for "120 hives"
    return alike and math.isclose(q.low, s.low, rel_tol=1e-9) and math.isclose(q.high, s.high, rel_tol=1e-9)


def _of(claim: str, q: TextQuantity, sentences: Sequence[str]) -> Amount | None:
    rest = words_of(claim) - words_of(claim[q.start : q.end])
    beside = list(_beside(claim, q, rest, sentences))
    if same := [b for b in beside if b.relation == "same"]:
        nearest = max(same, key=lambda b: (b.share, not b.stated.derived))
        return _amount("supported", claim, q, nearest, sentences) if nearest.share >= _MOST else None
    if any(b.relation == "open" and b.share >= _MOST for b in beside):
        return None
    against = [b for b in beside if b.relation == "other" and _alike(claim, q, sentences[b.sentence], b.stated)]
    best = max(against, key=lambda b: (b.share, _near(rest, sentences[b.sentence], b.stated)), default=None)
    if best is None or best.share < _MOST:
        return None
    s = best.stated.quantity
    if len(rest) + bool(q.thing and q.thing == s.thing and q.kind == "count") < _LEAST and not best.stated.derived:
        return None
    around = [sentences[k] for k in (best.sentence - 1, best.sentence + 1) if 0 <= k < len(sentences)]
    if not best.stated.derived and follows(q, sentences[best.sentence], around):
        return None
    sure = best.share == 1.0 and (s.whole == q.whole or s.but or q.kind in ("score", "share"))
    sure = sure and not _IF.search(sentences[best.sentence])
    if q.kind in ("count", "ordinal") and not best.stated.derived:
        sure = sure and words_of(sentences[best.sentence][s.start : s.end]) <= words_of(claim)
    return _amount("contradicted" if sure else "doubted", claim, q, best, sentences)


def _amount(verdict: Verdict, claim: str, q: TextQuantity, beside: _Beside, sentences: Sequence[str]) -> Amount:
    s = beside.stated.quantity
    said = one_line(sentences[beside.sentence][s.start : s.end], 80)
    text = sentences[beside.sentence]
    rest = words_of(claim) - words_of(claim[q.start : q.end])
    computed = beside.stated.derived and (
        rest - VOTING <= words_of(text) if beside.stated.sure else rest <= words_of(text)
    )
    computed = computed and math.isfinite(q.low) and math.isfinite(q.high)
    if q.kind == "age" and rest and len(rest) < _ENOUGH:  # "Tan, 52, said" beside "Tan is 52 years old"
        computed = rest == words_of(" ".join(text[: s.start].split()[-len(rest) :]))
    return Amount(verdict, beside.sentence, one_line(claim[q.start : q.end], 80), said, computed)


def _beside(claim: str, q: TextQuantity, rest: Set[str], sentences: Sequence[str]) -> Iterator[_Beside]:
    """The quantities of a document of the kind and thing of a claim's."""
    denied = denies(claim)
    for i, text in enumerate(sentences):
        words = words_of(text)
        share = len(rest & words) / max(1, len(rest))
        if _MOST < share < 1.0 and len(rest & words) >= _ENOUGH and rest - words <= _others_of(sentences, i):
            share = 1.0  # another sentence adds "of the mill"
        for stated in stated_in(text):
            how = relation(q, stated.quantity)
            if how and how != "open" and stated.denied != denied:
                # "three had returned" beside "all but three had returned"
                how = ("other" if stated.quantity.but and how == "same" else "") if stated.derived else "open"
            if how:
                yield _Beside(how, share, i, stated)
        for stated in votes_in(text, claim, q):
            said = rest - VOTING
            yield _Beside(relation(q, stated.quantity), len(said & words) / len(said) if said else 1.0, i, stated)


def _others_of(sentences: Sequence[str], i: int) -> frozenset[str]:
    """The words of the sentences beside one."""
    return frozenset().union(
        *(words_of(s) for k, s in enumerate(sentences[max(0, i - 2) : i + 3], max(0, i - 2)) if k != i)
    )


def _alike(claim: str, q: TextQuantity, sentence: str, stated: Stated) -> bool:
    """Whether two quantities that exclude each other are of the same: no part, no others, nothing named besides."""
    s = stated.quantity
    if stated.derived:
        return s.but or (stated.sure and (q.kind != "percent" or _compares(claim, q)))
    if q.kind in ("count", "ordinal") and not (q.thing and s.thing):
        led = _led(claim, q)
        if led != _led(sentence, s) or led[-1:] in ([], ["at"]):
            return False
    if (_is_part(claim, q) and not _is_part(sentence, s)) or (q.whole != s.whole and q.whole == s.low):
        return False
    if (q.low == q.high == 1.0 and q.kind == "count") or _compares(claim, q) != _compares(sentence, s):
        return False
    if q.kind in ("year", "date", "clock") and (
        _limit(claim, q) != _limit(sentence, s) or (_REACHES if q.kind == "date" else _SINCE).search(sentence)
    ):
        return False
    mine, theirs = (
        _OTHERS.findall(t[max(0, x.start - 16) : x.end + 8].lower()) for t, x in ((claim, q), (sentence, s))
    )
    return sorted(mine) == sorted(theirs)


def _near(rest: Set[str], sentence: str, stated: Stated) -> int:
    """How many words of a claim stand in the clause of a quantity."""
    clause = clause_at(sentence, stated.quantity)
    parts = [part for part in clause.split(" and ") if sentence[stated.quantity.start : stated.quantity.end] in part]
    return len(rest & words_of(parts[0] if parts else clause))


def _limit(text: str, q: TextQuantity) -> str:
    found = _LIMIT.search(text[max(0, q.start - 20) : q.start])
    return found[1].lower() if found else ""


def _compares(text: str, q: TextQuantity) -> bool:
    """Whether a quantity tells how far two others are apart."""
    behind = text[q.end : q.end + 20].split()
    return bool(_BY.search(text[max(0, q.start - 20) : q.start])) or (bool(behind) and behind[0].lower() in COMPARED)


def _led(text: str, q: TextQuantity) -> list[str]:
    """The two words before a quantity."""
    return text[max(0, q.start - 40) : q.start].lower().split()[-2:]


def _is_part(text: str, q: TextQuantity) -> bool:
    return bool(q.whole) or re.search(r"\bof (?:the|its|his|her|their|them)\b", text[q.start : q.end + 9]) is not None

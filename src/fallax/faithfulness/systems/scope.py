"""Finds claims that say of all, always or never what a sentence says under a condition, of some, or of some time."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from fallax.core.texts import content_words
from fallax.faithfulness.systems.reasons import adds, says

__all__ = ["CONDITIONAL", "NEXT", "all_of_some", "all_who", "condition", "never_but_then"]

_FEW = "one|two|three|four|five|six|seven|eight|nine|ten"
_PARTLY = re.compile(
    rf"\b(?P<part>(?:some|most|many|several|few|half)(?: of)?|(?:\d+|none|{_FEW}) of) "
    rf"(?:(?:the|its|his|her|their|these|those) )?(?:(?:\d+|{_FEW}) )?(?P<what>[a-z]\w+)",
    re.IGNORECASE,
)
_WHOLE = r"(?<!are )(?<!were )\b(?:all(?: of)?(?: the)?|every|each(?: of the)?|the (?={0}\w*\b.*\ball\b))"


def all_of_some(claim: str, sentence: str) -> Iterator[str]:
    """Take a part for all: "all shops" of "several shops", "the lifts" of "three of the lifts"."""
    if _PARTLY.search(claim):
        return
    for found in _PARTLY.finditer(sentence):
        what = re.escape(" ".join(content_words(found["what"])) or found["what"])
        every = re.search(rf"{_WHOLE.format(what)} ?{what}\w*", claim, re.IGNORECASE)
        if every is None and found["part"].lower().endswith(" of"):
            every = re.match(rf"the {what}\w*s\b", claim, re.IGNORECASE)
        if every and not re.search(r"\b(?:all|every|each)\b", sentence, re.IGNORECASE):
            yield says(found.group(), every.group())


_IF = (
    r"(?:if|unless|provided(?: that)?|providing|assuming(?: that)?|on condition that|in case of|in the event of|"
    r"subject to)"
)
_IF_FIRST = re.compile(
    rf"^\W*(?P<said>(?:only )?(?:{_IF}|as long as|should|had|were)(?! (?:you|we|i|necessary|possible|any)\b)[^,;]+)"
    r",\s(?P<main>[^;]+)",
    re.IGNORECASE,
)
_IN_CASE = re.compile(r"^\W*(?P<said>in (?:case|the event) of \w+) (?P<main>[^;]+)", re.IGNORECASE)
_IF_LAST = re.compile(
    rf"^(?P<main>(?:(?!\b(?:ask|know|see|wonder|check|doubt|decid|determin|find out|test|unclear|sure)\w* "
    rf"(?:[\w'’-]+ ){{0,4}}if\b|\b(?:as|even|what) if\b)[^;])+?)(?P<said>,? \b(?:(?:but )?only )?{_IF} [^;]+)",
    re.IGNORECASE,
)
_ONLY = re.compile(
    r"\bonly (?P<a>(?:on|in|for|with|to|at|by|during|after|before|through|from) [^,;.]+)"
    r"|\b(?P<b>(?:on|in|at|for|with|to|during|after|before|from) (?:[\w'’-]+ ){0,3}?[\w'’-]+) (?:only|alone)\b",
    re.IGNORECASE,
)
_IN_FICTION = re.compile(
    r"^\W*(?P<said>in (?:a|an|his|her|their|its|one|[A-Z]\w+['’]s)(?: \w+)? "
    r"(?:novel|dream|short story|fairy tale|fable|legend|thought experiment|exercise|simulation|"
    r"nightmare|video game|sketch)),? (?P<main>.+)",
    re.IGNORECASE,
)
#: Where a sentence goes on to say something else.
NEXT = re.compile(r";\s|,? but |, (?:and|yet|while) ")
#: A claim with one of these sets conditions of its own.
CONDITIONAL = re.compile(
    rf"\b(?:{_IF}|only|depend\w*|would|could|might|(?-i:may)|whether|when|should|in case|except|without)\b",
    re.IGNORECASE,
)


def condition(claim: str, sentence: str) -> Iterator[str]:
    """Leave out a condition or a restriction, such as "unless the rent is paid" or "on Sundays only"."""
    if CONDITIONAL.search(claim):
        return
    wanted = set(content_words(claim))
    for pattern in (_IF_FIRST, _IN_CASE, _IF_LAST, _IN_FICTION):
        found = pattern.search(sentence)
        if found is None:
            continue
        main = set(content_words(NEXT.split(found["main"])[-1 if pattern is _IF_LAST else 0]))
        if (wanted - main) & set(content_words(found["said"])):
            continue
        # a tale is often told in another tense
        if len(wanted - main) <= (pattern is _IN_FICTION and len(wanted) > 2):
            yield adds(found["said"])
    for part in NEXT.split(sentence):
        found = _ONLY.search(part)
        if found is None:
            continue
        rest = part[: found.start()] + part[found.end() :]
        if wanted <= set(content_words(rest)) and not wanted & set(content_words(found.group())):
            yield adds(found.group())


#: Words that speak of all times or of nobody, and what behind them narrows that.
_ALWAYS = re.compile(r"\b(?P<times>never|always)\b|\b(?:nobody|no one|nothing|none|no)\b", re.IGNORECASE)
_LESS = r"until|till|before|between|under|without|except|outside|apart from"
_NARROWS = rf",? \b(?:{_LESS}) (?P<what>[^,;.]+)"
_NARROWS_TIMES = rf",? \b(?:{_LESS}|after|since|during|while|when|whenever|inside|in front of) (?P<what>[^,;.]+)"


def never_but_then(claim: str, sentence: str) -> Iterator[str]:
    """Say "never" or "nobody" without the time or case, as "she never sang" of "she never sang after the war"."""
    said = _ALWAYS.search(claim)
    if said is None or re.search(rf"\b(?:{_IF}|whether|only)\b", claim, re.IGNORECASE):
        return
    wanted = set(content_words(claim))
    narrows = _NARROWS_TIMES if said["times"] else _NARROWS
    for part in NEXT.split(sentence):
        there = re.search(rf"\b{said.group()}\b", part, re.IGNORECASE)
        found = re.compile(narrows, re.IGNORECASE).search(part, there.end()) if there else None
        if found is None or wanted & set(content_words(found["what"])):
            continue
        if wanted <= set(content_words(part[: found.start()] + part[found.end() :])):
            yield adds(found.group())


#: Words that narrow a noun before which stands a word for all.
_OF_WHOM = re.compile(
    r"\b(?P<all>all|every|each|any|no)(?: of)?(?: the| his| her| its| their)? (?P<what>(?:[\w'’-]+ ){0,2}?[\w'’-]+)"
    r"(?P<less> (?:under|over|aged|born|older|younger|who|that|which|whose|with|without|except|outside|near|below|"
    r"above|between|not) [^,;]+)",
    re.IGNORECASE,
)


def all_who(claim: str, sentence: str) -> Iterator[str]:
    """Say of all what a sentence says of some of them, as "all pupils wore helmets" of "all pupils under ten ..."."""
    wanted = set(content_words(claim))
    for found in _OF_WHOM.finditer(sentence):
        own = re.search(rf"\b{found['all']}\b.*\b{re.escape(found['what'])}\b", claim, re.IGNORECASE)
        less = list(itertools.takewhile(lambda word: not wanted & set(content_words(word)), found["less"].split()))
        if own and content_words(" ".join(less)) and wanted <= set(content_words(sentence)):
            yield adds(" ".join([found["what"], *less]))

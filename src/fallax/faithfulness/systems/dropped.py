"""Finds claims that repeat the words of a sentence but drop or change one that decides what it says, by their form.

"The deputy mayor", "Tan's brother", "40 grams", "free on Sundays only": a claim with the other words of such a sentence
looks supported. What is found here rules out "faithful"; it does not show that a claim is false.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from fallax.core.texts import content_words
from fallax.faithfulness.systems.reasons import adds, says
from fallax.faithfulness.systems.scope import CONDITIONAL, NEXT, all_of_some, all_who, condition, never_but_then
from fallax.faithfulness.systems.surface import spelled_amounts

__all__ = ["STUDIED_IN", "change_in"]

#: What has more characters is no claim that the model reads whole.
_LONGEST = 2000
#: Words that may stand before a name or a noun, and words that end what is said of it.
_ARTICLE = r"(?:(?:the|an?|mr|mrs|ms|dr|his|her|their|its|this|that) )?"
_COUNTS = (
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|seventy|"
    "eighty|ninety|half an?"
)
_HELPS = r"(?:(?:is|was|are|were|be|been|has|have|had|do|does|did|will|would|can|could|not|also|only|\w+ly) )*"
_FUNCTION = (
    "a|an|the|of|to|in|into|on|onto|at|by|for|with|from|about|as|and|or|but|that|this|these|those|it|its|he|she|we|they|"
    "you|i|his|her|their|our|my|your|him|them|us|who|whom|whose|which|what|where|when|while|if|than|then|so|not|no|is|was|"
    "are|were|be|been|has|have|had|do|does|did|will|would|can|could|may|might|must|should|after|before|because|until|"
    "since|during|between|against|over|under|near|also"
)
_FUNCTION_WORDS = frozenset(_FUNCTION.split("|"))


def change_in(claim: str, nearest: str, others: Sequence[str] = ()) -> str:
    """What a claim drops or changes of the sentence nearest to it, as the end of an explanation; empty without it.

    Parameters
    ----------
    claim : one statement; nothing is found in one of more than 2,000 characters.
    nearest : the sentence of the document that bears most on it.
    others : further sentences that bear on it. One that has all content words of the claim, and in which this check
        finds nothing, settles that there is nothing to find.

    Examples
    --------
    >>> change_in("Reyes accused Tan of it.", "Reyes accused Tan's brother of it.")
    "the document says “Tan's brother”, this says “Tan”"
    >>> change_in("The mayor opened the fair.", "The deputy mayor opened the fair.")
    'the document says “deputy mayor”, this says “mayor”'
    >>> change_in("The ring weighs 40 kilograms.", "The ring weighs 40 grams.")
    'the document says “40 grams”, this says “40 kilograms”'
    >>> change_in("The mayor opened the fair.", "The deputy mayor thanked the mayor, who opened the fair.")
    ''
    """
    if len(claim) > _LONGEST:
        return ""
    for check in _CHECKS:
        if found := next(check(claim, nearest), ""):
            wanted = set(content_words(claim))
            if not any(wanted <= set(content_words(o)) and not any(check(claim, o)) for o in others):
                return found
    return ""


# whose it is

_OWNER = re.compile(
    rf"(?<![\w-])(?:(?P<before>[\w-]{{1,40}}) )?(?P<article>{_ARTICLE})(?P<owner>\w[\w-]{{1,40}})(?:['’]s|(?<=s)['’]) "
    r"(?P<thing>[\w-]{1,40}(?: [\w-]{1,40}){0,2})",
    re.IGNORECASE,
)
#: Not the names of owners: words with a short "is", and times.
_NO_OWNER = frozenset((
    "it", "he", "she", "that", "who", "there", "here", "what", "let", "where", "how", "this", "one", "everyone",
    "nobody", "somebody", "year", "month", "week", "day", "today", "yesterday", "tomorrow", "season", "century",
))  # fmt: skip
#: Those who act for themselves, not for the one they belong to.
_PERSON = (
    r"(?:brother|sister|son|daughter|father|mother|wife|husband|widow|widower|partner|cousin|uncle|aunt|nephew|niece|"
    r"grandson|granddaughter|grandfather|grandmother|friend|neighbou?r|lawyer|solicitor|assistant|secretary|deputy|"
    r"driver|boss|teacher|student|pupil|tenant|landlord|rival|opponent|colleague|employee|guest|successor|predecessor|"
    r"dog|cat|horse|child|children|wives|parent|family|doctor|nurse|manager|coach|stepson|stepdaughter)s?"
)
_OF_OWNER = re.compile(rf"\b(?P<thing>{_PERSON}) of {_ARTICLE}(?P<owner>\w[\w-]{{1,40}})(?P<rest>.*)", re.IGNORECASE)
_WHOSE = re.compile(r"(?<![\w-])(?P<owner>\w[\w-]{1,40}), whose (?P<thing>[\w-]{1,40})(?P<rest>[^,;]*)", re.IGNORECASE)


def _owner_for_owned(claim: str, sentence: str) -> Iterator[str]:
    """Take the owner for the owned: "accused Tan" of "accused Tan's brother"."""
    has = set(content_words(claim))
    for found in _OWNER.finditer(sentence):
        owner, thing = found["owner"], _up_to_function_word(found["thing"])
        before = found["before"] or ""
        if not thing or owner.lower() in _NO_OWNER or has & set(content_words(thing)):
            continue
        if _stands_alone(owner, sentence):
            continue
        said = f"{found.group()[found.start('owner') - found.start() : found.start('thing') - found.start()]}{thing}"
        for own in re.finditer(rf"\b(\w+) {_ARTICLE}{re.escape(owner)}\b(?!['’])(?: (\w+))?", claim, re.IGNORECASE):
            if not before.islower() or not (found["article"] or owner[0].isupper()):
                continue
            if not set(content_words(own[1])) & set(content_words(before)):
                continue
            if own[2] is None or own[2].lower() in _FUNCTION_WORDS:
                yield says(said, owner)
        if re.fullmatch(rf".*\b{_PERSON}", thing, re.IGNORECASE) and _does(
            owner, claim, sentence[found.end("owner") :]
        ):
            yield says(said, owner)
    for found in (*_OF_OWNER.finditer(sentence), *_WHOSE.finditer(sentence)):
        if len(re.findall(rf"\b{re.escape(found['owner'])}\b", sentence)) > 1:
            continue
        if not has & set(content_words(found["thing"])) and _does(found["owner"], claim, found["rest"]):
            yield says(found.group()[: found.start("rest") - found.start()], found["owner"])


def _up_to_function_word(text: str) -> str:
    kept: list[str] = []
    for word in text.split():
        if word.lower() in _FUNCTION_WORDS or (kept and re.search(r"(?:ed|ing)$", word)):
            break
        kept.append(word)
        if re.fullmatch(_PERSON, word, re.IGNORECASE):
            break
    return " ".join(kept)


def _stands_alone(owner: str, sentence: str) -> bool:
    """Whether a name stands in a sentence other than as an owner."""
    return re.search(rf"\b{re.escape(owner)}\b(?!['’])", sentence, re.IGNORECASE) is not None


def _does(owner: str, claim: str, rest: str) -> bool:
    """Whether a claim begins with an owner, and the verb behind stands in the rest of the sentence."""
    found = re.match(rf"{_ARTICLE}{re.escape(owner)} {_HELPS}(\w+)", claim, re.IGNORECASE)
    return found is not None and bool(set(content_words(found[1])) & set(content_words(rest)))


# what it is called

#: What has such a word before it is not, not quite, not yet or no longer what it is called.
_QUALIFIED = re.compile(
    r"\b(?P<how>deputy|vice|former|ex|acting|assistant|would-be|fake|alleged|draft|retired|mock|counterfeit|interim|"
    r"suspected|aspiring|honorary|self-styled|replica|imitation|forged|"
    r"bogus|sham|purported|supposed|attempted|outgoing|incoming|shadow|almost|"
    rf"nearly|virtually|practically|hardly|scarcely)[ -](?!(?:{_COUNTS}|an?|the)\b)(?P<what>[a-z]\w+)",
    re.IGNORECASE,
)


_NO_MORE = re.compile(r"\b(?:once|formerly|previously|used to|no longer|pretend\w*|imitat\w*)\b", re.IGNORECASE)


def _other_title(claim: str, sentence: str) -> Iterator[str]:
    """Take one title for another: "the mayor" of "the deputy mayor"."""
    if _QUALIFIED.search(claim) or _NO_MORE.search(claim):
        return
    for found in _QUALIFIED.finditer(sentence):
        alone = re.compile(rf"(?<![\w-]){found['what']}\b", re.IGNORECASE)
        said = alone.search(claim)
        if said and said.group().lower() not in _FUNCTION_WORDS and not alone.search(_QUALIFIED.sub("", sentence)):
            yield says(found.group(), said.group())


# how much

_UNITS = {
    "second": "seconds?|secs?", "minute": "minutes?|mins?", "hour": "hours?|hrs?", "day": "days?", "week": "weeks?",
    "month": "months?", "year": "years?",
    "gram": "grams?|grammes?", "kilogram": "kilogram(?:me)?s?|kilos?|kg", "tonne": "tonnes?|tons?",
    "pound": "pounds?|lbs?|£", "ounce": "ounces?|oz", "millimetre": "millimet(?:re|er)s?|mm",
    "centimetre": "centimet(?:re|er)s?|cm", "metre": "met(?:re|er)s?", "kilometre": "kilomet(?:re|er)s?|km",
    "mile": "miles?", "foot": "foot|feet|ft", "inch": "inch(?:es)?", "yard": "yards?", "litre": "lit(?:re|er)s?",
    "gallon": "gallons?", "pint": "pints?", "hectare": "hectares?", "acre": "acres?", "dollar": r"dollars?|\$",
    "euro": "euros?|€", "yen": "yen|¥", "franc": "francs?", "rupee": "rupees?", "cent": "cents?", "penny": "pence",
    "percent": "percent|per cent|%", "percentage_point": "percentage points?",
    "watt": "watts?", "kilowatt": "kilowatts?|kw", "megawatt": "megawatts?|mw",
    "celsius": "degrees? celsius|°c", "fahrenheit": "degrees? fahrenheit|°f",
}  # fmt: skip
_UNIT = re.compile("|".join(f"(?P<{name}>{forms})" for name, forms in _UNITS.items()), re.IGNORECASE)
_AMOUNT = re.compile(
    rf"(?P<sign>[$€£¥])?(?P<count>\d[\d.,]*(?<=\d)|\b(?:{_COUNTS})\b)[ -]?"
    r"(?P<scale>(?:hundred|thousand|million|billion|trillion)\b)? ?"
    rf"(?P<unit>(?:{_UNIT.pattern.replace('?P<', '?P<u_')})(?!\w))?"
    r"(?: (?:an?|per|each|every) (?P<rate>second|minute|hour|day|week|month|year)\b)?",
    re.IGNORECASE,
)


def _kind(amount: re.Match[str]) -> tuple[str, str, str]:
    """The scale and unit of an amount, and per what time."""
    unit = _UNIT.fullmatch(amount["sign"] or amount["unit"] or "")
    return (amount["scale"] or "").lower(), (unit.lastgroup if unit else "") or "", (amount["rate"] or "").lower()


def _agree(one: tuple[str, str, str], other: tuple[str, str, str]) -> bool:
    """Whether two kinds of amounts can be the same; a number alone can be any."""
    if not any(one) or not any(other):
        return True
    return one[0] == other[0] and all(not a or not b or a == b for a, b in zip(one[1:], other[1:], strict=True))


def _other_unit(claim: str, sentence: str) -> Iterator[str]:
    """Change the unit: "40 kilograms" of "40 grams"."""
    claim, sentence = spelled_amounts(claim), spelled_amounts(sentence)
    has = set(content_words(sentence))
    for own in _AMOUNT.finditer(claim):
        there = [m for m in _AMOUNT.finditer(sentence) if m["count"].lower() == own["count"].lower()]
        rest = content_words(claim[: own.start()] + claim[own.end() :])
        shared = 2 * sum(w in has for w in rest) >= len(rest)
        if there and shared and not any(_agree(_kind(own), _kind(m)) for m in there):
            yield says(there[0].group(), own.group())


_AT_MOST = (
    r"up to|at most|no more than|not more than|fewer than|less than|lower than|under|below|as many as|a maximum of"
)
_AT_LEAST = (
    r"at least|no fewer than|no less than|not less than|more than|greater than|a minimum of|upwards of|over|above"
)
_NUMBER = rf"(?P<count>\d[\d.,]*(?<=\d)|(?!one\b)(?:{_COUNTS})\b)"
_BOUND = re.compile(rf"\b(?:(?P<most>{_AT_MOST})|(?P<least>{_AT_LEAST})) {_NUMBER}", re.IGNORECASE)


def _other_bound(claim: str, sentence: str) -> Iterator[str]:
    """Turn a bound round: "at least 30" of "up to 30"; or leave out that a number is the most there may be."""
    for there in _BOUND.finditer(sentence):
        same = re.compile(rf"(?<![\d.,]){re.escape(there['count'])}(?![\d]|[.,]\d)", re.IGNORECASE)
        bounds = [own for own in _BOUND.finditer(claim) if same.fullmatch(own["count"])]
        for own in bounds:
            if bool(own["most"]) != bool(there["most"]):
                yield says(there.group(), own.group())
        plain = same.search(claim)
        if not plain or bounds or not there["most"] or _NEARLY.search(claim[: plain.start()]):
            continue
        if not same.search(_BOUND.sub("", sentence)):
            yield says(there.group(), plain.group())


#: What may be said of a number in place of the most there may be.
_NEARLY = re.compile(
    r"\b(?:about|around|nearly|almost|some|approximately|roughly|under|below|maximum|limit\w*|to|most|or|within|cap\w*)"
    r"(?: of| at)?\s*$",
    re.IGNORECASE,
)
#: In whom and in what something may be shown that is not so shown in people, or in fact.
STUDIED_IN = (
    "mice|rats?|monkeys|macaques|animals|hamsters|rabbits|pigs|dogs|cell cultures?|cells|(?:a )?test tubes?|vitro|"
    "a dish|the laborator(?:y|ies)|the lab|(?:a )?(?:computer )?(?:simulations?|models?)|theory|principle"
)
_IN_THESE = re.compile(rf"\b(?:in|on|among) (?P<what>{STUDIED_IN})\b", re.IGNORECASE)
_IN_PEOPLE = re.compile(
    r"\b(?:people|humans?|patients?|volunteers|men|women|children|adults|practice|the (?:field|road|wild|world))\b",
    re.IGNORECASE,
)
_STUDIED = re.compile(
    r"\b(?:mouse|mice|rats?|monkeys?|macaques|animals?|hamsters|rabbits|pigs?|dogs?|"
    r"cells?|test tubes?|vitro|dish|lab\w*|simulat\w+|models?|theory|principle)\b",
    re.IGNORECASE,
)


def _left_out_subjects(claim: str, sentence: str) -> Iterator[str]:
    """Leave out in what something was shown, as "the vaccine prevents infection" of "... infection in monkeys"."""
    if _STUDIED.search(claim) or _IN_PEOPLE.search(sentence):
        return
    wanted = set(content_words(claim))
    for part in NEXT.split(sentence):
        found = _IN_THESE.search(part)
        if found and wanted <= set(content_words(part[: found.start()] + part[found.end() :])):
            yield adds(found.group())


# who or what is among it

_NOT_THIS = re.compile(
    r"\b(?P<how>but not|and not|except(?: for)?|rather than|instead of) (?:(?:in|on|for|at|to|by|with) )?"
    rf"{_ARTICLE}(?P<what>(?!\w+ly\b)[a-z][\w'-]*)(?=\W*$|[,;.:)]| (?:{_FUNCTION})\b)",
    re.IGNORECASE,
)
_DENIES = re.compile(
    r"\b(?:not|no|never|nobody|none|neither|nor|without|except|apart|unlike|but|only|rather|instead|if|fail\w*|"
    r"refus\w+|than|exclud\w+)\b|n['’]t\b",
    re.IGNORECASE,
)
_ONE_OF = re.compile(rf"(?<![\w'-])(?P<a>\w[\w'-]{{0,40}}) or {_ARTICLE}(?P<b>\w[\w'-]{{0,40}})", re.IGNORECASE)
_ITEM = r"\w[\w'-]{0,40}"
_LIST = re.compile(rf"(?<![\w'-]){_ITEM}(?:(?:, (?:the )?{_ITEM}){{1,20}},? and (?:the )?{_ITEM}| and {_ITEM})")


def _put_in(claim: str, sentence: str) -> Iterator[str]:
    """Add what is excluded, as "algebra and geometry" of "algebra but not geometry", or join what is a choice."""
    if _DENIES.search(claim) or CONDITIONAL.search(claim):
        return
    wanted = set(content_words(claim))
    for found in _NOT_THIS.finditer(sentence):
        what = content_words(found["what"])
        rest = content_words(sentence[: found.start()] + sentence[found.end() :])
        if set(what) & wanted and not set(what) & set(rest):
            yield says(found.group(), found["what"])
    for found in _ONE_OF.finditer(sentence):
        joined = rf"\b{re.escape(found['a'])} and {_ARTICLE}{re.escape(found['b'])}\b"
        if own := re.search(joined, claim, re.IGNORECASE):
            yield says(found.group(), own.group())


def _longer_list(claim: str, sentence: str) -> Iterator[str]:
    """Add a member to a list: "Ana, Bo and Carla" of "Ana and Bo"."""
    for own in _LIST.finditer(claim):
        mine = _members(own.group())
        for there in _LIST.finditer(sentence):
            theirs = _members(there.group())
            if len(mine) > len(theirs) >= 2 and set(theirs) < set(mine):
                yield says(there.group(), own.group())


def _members(text: str) -> list[str]:
    return [w.lower().removeprefix("the ") for w in re.split(r",? and |, ", text)]


_CHECKS = (
    _owner_for_owned,
    _other_title,
    _other_unit,
    _other_bound,
    all_of_some,
    never_but_then,
    all_who,
    _left_out_subjects,
    condition,
    _put_in,
    _longer_list,
)

"""Finds claims that assert as done what a document only expects, permits or hears of, by the form of their verbs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from fallax.core.texts import content_words
from fallax.core.texts.verbs import IRREGULAR_PARTICIPLES, IRREGULAR_PASTS, base_form

__all__ = ["Outlook", "outlook_of"]

#: Verbs by which a sentence tells what somebody says or thinks, and not what happened.
_SAYING = frozenset(("feel", "hear", "know", "mean", "say", "tell", "think", "understand"))
_IRREGULAR_WORDS = "|".join(
    past for past, base in (IRREGULAR_PASTS | IRREGULAR_PARTICIPLES).items() if base not in _SAYING
)
_WORD = re.compile(r"[A-Za-z]+(?:['’][a-z]+)?")
_PAST = re.compile(rf"\b(?:{_IRREGULAR_WORDS}|\w{{2,}}ed)\b", re.IGNORECASE)
#: Before a verb these leave open whether it happens, and so does "to" behind the second set.
_MODALS = frozenset(
    (
        "will",
        "won't",
        "'ll",
        "should",
        "shouldn't",
        "may",
        "might",
        "can",
        "cannot",
        "can't",
        "could",
        "couldn't",
        "must",
    )
)
_TO = re.compile(
    r"is|are|plan(?:s|ned|ning)?|hop(?:es?|ed|ing)|expect(?:s|ed)?|intend(?:s|ed)?|propos(?:es?|ed)|wants?|wanted|aim(?:s|ed)?"
    r"|about|going|like|due|scheduled|set|ask(?:s|ed)?|urge[sd]?|recommend(?:s|ed)?|threaten(?:s|ed)|likely|forbidden|forbade"
    r"|refus(?:es?|ed|ing)|declin(?:es?|ed|ing)|fail(?:s|ed|ing)?|tr(?:y|ies|ied|ying)|attempt(?:s|ed|ing)?|forg[eo]ts?"
    r"|offer(?:s|ed|ing)?|neglect(?:s|ed)?|unable|unwilling|seeks?|sought|vow(?:s|ed)?|pledge[sd]?|promise[sd]?",
    re.IGNORECASE,
)
#: So does "to have" behind these.
_SAID_TO = frozenset(("alleged", "believed", "reported", "rumored", "rumoured", "said", "supposed", "thought"))
_BETWEEN = frozenset(("not", "never", "be", "been", "have", "only", "also", "then", "soon", "again", "now", "still"))
#: Before a verb in -ing these leave open or deny that it happened.
_NOT_DOING = re.compile(
    r"\b(?:without|consider(?:s|ed|ing)?|avoid(?:s|ed)?|den(?:y|ies|ied)|ruled out|short of|instead of|idea of|"
    r"thought of|accused of|suspected of|decided against|voted against|warned against|"
    r"(?:refrain|prevent|barr|kept|stopp|bann)\w* "
    r"(?:\w+ )?from)$",
    re.IGNORECASE,
)
#: Who takes a side in a vote, and what shows that somebody takes none.
_VOTED = re.compile(
    r"^(?P<who>(?:[\w.'’-]+ ){1,4}?)(?P<how>voted|approved|opposed|supported|backed|rejected|endorsed|favou?red)\b",
    re.IGNORECASE,
)
_NO_VOTE = (
    r"(?:abstain(?:s|ed)|did not vote|took no part|was absent|was not present|did not take part|recused|"
    r"left (?:the \w+ )?before the vote)"
)
#: A claim with one of these leaves open itself whether something happens, denies it, or says more than that it did.
_OPEN = re.compile(
    r"\b(?:will|would|shall|should|(?-i:may)|might|could|can|must|expect\w*|planned|planning|propos\w+|intend\w*|hop(?:e|es|ed|ing)|aim\w*|"
    r"schedul\w+|due|to|if|unless|whether|ask\w*|want\w*|wish\w*|urg\w+|recommend\w*|suggest\w*|offer(?:ed|ing)|promis\w*|agree\w*|"
    r"decid\w+|not|never|no|nobody|none|nothing|neither|nor|without|cannot|allow\w*|permit\w*|forb\w+|refus\w+|fail\w*|likely|"
    r"order(?:ed|ing)|(?<!the )(?<!a )(?<!an )(?<!this )(?:plans?|offers?|orders?)|"
    r"advis\w+|argu\w+|sa(?:id|ys)|think|thought|believ\w+|claim\w*|idea|before|after|until|till|when|while|"
    r"whenever|once|first|then|unlike|earlier|later|because|since|who|which|whose|that|as|usually|always|where|following|"
    r"is|are|still|told)\b|n['’]t\b|"
    r"(?:\b(?:it|he|she|that|there|here|who|what|where|everyone|everybody|nobody)['’]s|['’]re) ",
    re.IGNORECASE,
)
_DONE = re.compile(
    rf"\b(?:was|were|has been|have been) (?:\w+ly )?(?:(?:{_IRREGULAR_WORDS}|\w+ed)(?: out)?)\b"
    r"|\b(?:took place|happened|occurred|began|started|ended|opened|closed|arrived|came)\b",
    re.IGNORECASE,
)
_EXPECTED = re.compile(
    r"\b(?:(?:has |have |had )?been|is|are|was|were|being) (?:also |now |still |only |again )?"
    r"(?:expected|planned|scheduled|due|proposed|foreseen|envisaged|considered|anticipated|hoped for|under review"
    r"|under consideration|under discussion|recommended|requested|forecast|predicted)\b",
    re.IGNORECASE,
)
#: Where a sentence goes on to say something else.
_PARTS = re.compile(r";\s")
#: What was only expected may yet have happened: "and so she did".
_DID = re.compile(r"\b(?:did|does|has|have|had)(?: so)?(?=\s*(?:[.,;!]|$))|\b(?:did|done) so\b", re.IGNORECASE)
_HAPPENED = re.compile(r"\b(?:was|were|has|have|had|did)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Outlook:
    """What a claim asserts as done, and what the document says of it.

    Parameters
    ----------
    claimed : words of the claim.
    said : words of the document.
    """

    claimed: str
    said: str


def outlook_of(claim: str, nearest: str, others: Sequence[str] = ()) -> Outlook | None:
    """What shows that a claim asserts as done what the nearest sentence only expects; None where its form does not.

    Either the verb of the claim stands in the sentence only behind words such as "will", "may" or "plans to", or
    nothing in the sentence has happened, and something "is expected". Of parts between semicolons, the one that has
    most words of the claim counts as the sentence.

    Parameters
    ----------
    claim : one statement.
    nearest : the sentence of the document that bears most on it.
    others : further sentences that bear on it; if one of them says that it was done, there is nothing to find.

    Examples
    --------
    >>> outlook_of("Mensah has bought a flat.", "Mensah hopes to buy a flat.")
    Outlook(claimed='bought', said='hopes to buy')
    >>> outlook_of("A survey was carried out in January.", "A survey is expected in January.")
    Outlook(claimed='was carried out', said='is expected')
    >>> outlook_of("Mensah has bought a flat.", "Mensah bought a flat and hopes to sell it.") is None
    True
    """
    if voted := _VOTED.match(claim):
        who = re.escape(voted["who"].strip())
        no_vote = (re.search(rf"\b{who} (?:\w+ )?(?P<how>{_NO_VOTE})\b", t, re.IGNORECASE) for t in (nearest, *others))
        if none := next(filter(None, no_vote), None):
            return Outlook(voted["how"], none["how"])
    if _OPEN.search(claim) or _DID.search(nearest):
        return None
    words = set(content_words(claim))
    parts = sorted(_PARTS.split(nearest), key=lambda part: -len(words & set(content_words(part))))
    nearest, others = parts[0], [*parts[1:], *others]
    outright = False
    for claimed in _PAST.finditer(claim):
        verb = base_form(claimed.group())
        found = [
            said for i, text in enumerate((nearest, *others)) for said in _uses(verb, text) if i == 0 or said is None
        ]
        if found and None not in found:
            return Outlook(claimed.group(), next(said for said in found if said))
        outright = outright or bool(found)
    if outright:
        return None
    done, expected = _DONE.search(claim), _EXPECTED.search(nearest)
    if done is None or expected is None:
        return None
    rest = [nearest[: expected.start()] + nearest[expected.end() :]]
    rest += [text for text in others if len(words & set(content_words(text))) > 1]
    if any(_PAST.search(text) or _HAPPENED.search(text) for text in rest):
        return None
    return Outlook(done.group(), expected.group())


def _uses(verb: str, text: str) -> Iterator[str | None]:
    """For each use of a verb in a text the words that leave it open, with the verb; None where nothing does."""
    words, stems, doing = _words_and_stems(text)
    stem = verb.rstrip("e")
    for i, word in enumerate(words):
        if doing[i] == stem:
            if found := _NOT_DOING.search(" ".join(words[max(0, i - 3) : i])):
                yield f"{found.group()} {word}"
            continue
        if stems[i] != stem:
            continue
        j = i - 1
        while j >= 0 and (words[j].lower() in _BETWEEN or words[j].endswith("ly")):
            j -= 1
        start = None
        bare = word.lower() == base_form(word)
        if j >= 0 and words[j].lower() in _MODALS and words[j] != "May" and (bare or j < i - 1):
            start = j
        elif j > 0 and words[j].lower() == "to":
            start = next((k for k in (j - 1, j - 2) if k >= 0 and _opens(words[k], j - k)), None)
            if words[j - 1].lower() in _SAID_TO and "have" in words[j + 1 : i]:
                start = j - 1
        yield None if start is None else " ".join(words[start : i + 1])


@lru_cache(maxsize=2_000)
def _words_and_stems(text: str) -> tuple[list[str], list[str], list[str]]:
    """The words of a text, the base form of each without a last "e", and that of the verb of which it is the -ing."""
    words = _WORD.findall(text)
    stems = [base_form(w).rstrip("e") for w in words]
    doing = [base_form(f"{w[:-3]}ed").rstrip("e") if w.lower().endswith("ing") else "" for w in words]
    return words, stems, doing


def _opens(word: str, distance: int) -> bool:
    return bool(_TO.fullmatch(word)) and (distance == 1 or word.lower() not in ("is", "are"))

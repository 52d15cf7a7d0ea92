"""Finds what a sentence excepts, bounds, only suspects, or says on a condition, and a claim states outright."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fallax.core.texts import normal_form
from fallax.core.texts.verbs import AUXILIARIES
from fallax.faithfulness.systems.compared import stems_of, words_of
from fallax.faithfulness.systems.quantities import quantities_of

__all__ = ["hedged_in"]

_LONGEST, _LONGEST_SENTENCE = 1000, 2000
#: A claim states what a sentence says on a condition if it has so many content words of it, and this share of its own.
_LEAST, _MOST = 3, 0.6
_EXCEPT = re.compile(
    r"\b(?:all (?:\w+ )?but|every\w* (?:\w+ )?but|any\w* but|except(?:ing)?(?: for)?|apart from|other than|excluding"
    r"|with the exception of)\s+(?P<what>[^,;:.()]+)",
    re.IGNORECASE,
)
_INCLUDED = re.compile(
    r"\b(?:includ(?:ing|es|ed)|even|as well as|along with|together with)\s+(?P<what>[^,;:.]+)", re.IGNORECASE
)
#: What is excepted is named by its first words: "essential travel to the valley".
_NAMED = 2
_AT_LEAST_UNTIL = re.compile(
    r"\b(?:until at least|till at least|at least until|not before|no earlier than|no sooner than|not until)\s*$",
    re.IGNORECASE,
)
_EARLIEST = re.compile(r"^\s*at the earliest\b", re.IGNORECASE)
_BOUND = re.compile(
    r"\b(?:at least|earliest|earlier|sooner|before|until|till|after|from|could|(?-i:may)|might|hop\w+|if)\b",
    re.IGNORECASE,
)
#: Only what is behind one of these is in doubt.
_SUSPECTED = re.compile(
    r"\b(?P<how>suspected|alleged|possible(?! to\b| that\b)|presumed|supposed|apparent|probable(?! that\b)|attempted"
    r"|provisional|suspicion of|allegations? of)\s+(?P<what>(?:[\w'’-]+\s+){0,2}[\w'’-]+)",
    re.IGNORECASE,
)
#: Where what is suspected ends: its first word may be a participle.
_VERB = re.compile(rf"(?<=\S)\s+(?:\w+ed|{'|'.join(AUXILIARIES)})\b.*$", re.IGNORECASE)
_DOUBTS = re.compile(
    r"\b(?:suspect\w*|suspicion|alleg\w+|possib\w+|presum\w+|suppos\w+|apparent\w*|probab\w+|potential\w*|attempt\w*|tried"
    r"|provisional\w*|so-called|risk\w*|fear\w*|danger of|(?-i:may)|might|could|would|can|if|whether|likely|unlikely"
    r"|thought|think|believ\w+|perhaps|maybe|seem\w*|appear\w*|reported\w*|said|says|claim\w*|accus\w+|investigat\w+|not|no"
    r"|never|expect\w*|consider\w*|question\w*|examin\w+|look\w*|warn\w*|prevent\w*|avoid\w*)\b|n['’]t\b",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    r"^(?:but |and |however, )?(?P<condition>(?:if|unless|should|provided(?: that)?|as long as)\s[^,;]{3,}),\s*"
    r"(?:then\s)?(?P<main>.+)$",
    re.IGNORECASE | re.DOTALL,
)
_CONDITIONAL = re.compile(
    r"\b(?:if|unless|should|provided|when|whenever|once|as long as|in case|in the event|where|while|would|could|might"
    r"|for (?:those|anyone|everyone|\w+ (?:who|with))|(?-i:may)|depend\w*|subject to|condition\w*|without|except\w*)\b",
    re.IGNORECASE,
)
#: Who is charged with something need not have done it, but was not only arrested on suspicion of it.
_CHARGED = re.compile(r"\bcharged\b", re.IGNORECASE)
_MOMENTS = ("date", "year", "clock")


def hedged_in(claim: str, sentence: str, others: Sequence[str] = ()) -> str:
    """The words by which a sentence excepts, bounds, only suspects or conditions what a claim states; "" without any.

    - an exception that the claim includes: "all but essential travel" beside "all travel, including essential trips";
    - the earliest time of something, beside that time itself: "until at least 14 May" beside "on 14 May";
    - what is only suspected: "a suspected fracture" beside "a fracture";
    - what holds on a condition that stands first, and of which the claim has no word: "If you are sedated, do not
      drive" beside "Do not drive afterwards".

    Parameters
    ----------
    claim : one statement.
    sentence : the sentence of the document that bears most on it.
    others : further sentences that bear on it. They may have exceptions and bounds, too; what one of them says
        outright is not only suspected.

    Examples
    --------
    >>> hedged_in("Avoid all travel, including essential trips.", "Avoid all but essential travel.")
    'all but essential travel'
    >>> hedged_in("The bridge reopens on 14 May.", "The bridge will stay closed until at least 14 May.")
    'until at least 14 May'
    >>> hedged_in("She was taken to hospital with a broken arm.", "She went to hospital with a suspected broken arm.")
    'suspected broken arm'
    >>> hedged_in("An adult must take you home.", "If you have the sedative, an adult must take you home.")
    'If you have the sedative'
    >>> hedged_in("After a sedative an adult must take you home.", "If you have the sedative, an adult must take you.")
    ''
    """
    if len(claim) > _LONGEST or len(sentence) > _LONGEST_SENTENCE or "?" in claim:
        return ""
    claim, sentence, others = normal_form(claim), normal_form(sentence), [normal_form(text) for text in others]
    found = next((x for text in (sentence, *others) if (x := _excepted(claim, text) or _earliest(claim, text))), "")
    return found or _suspected(claim, sentence, others) or _condition(claim, sentence)


def _excepted(claim: str, sentence: str) -> str:
    for found in _EXCEPT.finditer(sentence):
        what = _first_stems(found["what"])
        if what and any(what & stems_of(included["what"]) for included in _INCLUDED.finditer(claim)):
            return found.group()
    return ""


def _first_stems(text: str) -> set[str]:
    stems = [w.stem for w in words_of(text) if w.stem and w.stem[0].isalnum()]
    return set(stems[:_NAMED])


def _earliest(claim: str, sentence: str) -> str:
    mine = [q for q in quantities_of(claim) if q.kind in _MOMENTS]
    for q in quantities_of(sentence) if mine else ():
        before = _AT_LEAST_UNTIL.search(sentence[: q.start])
        behind = _EARLIEST.search(sentence[q.end :])
        if not (before or behind):
            continue
        for own in mine:
            same = own.kind == q.kind and claim[own.start : own.end] == sentence[q.start : q.end]
            if same and not (
                _BOUND.search(claim[max(0, own.start - 40) : own.start]) or _EARLIEST.search(claim[own.end :])
            ):
                return sentence[before.start() if before else q.start : q.end + (behind.end() if behind else 0)]
    return ""


def _suspected(claim: str, sentence: str, others: Sequence[str]) -> str:
    charged = _CHARGED.search(claim) is not None
    if _DOUBTS.search(claim):
        return ""
    own = stems_of(claim)
    for found in _SUSPECTED.finditer(sentence):
        if charged and not found["how"].lower().startswith("suspicion"):
            continue
        rest = sentence[: found.start()] + sentence[found.end() :]
        words = _VERB.split(found["what"], maxsplit=1)[0].split()
        for n in range(len(words), 0, -1):
            what = stems_of(" ".join(words[:n]))
            short = n < len(words) and len(what) < _NAMED
            if what and not short and what <= own and not any(what <= stems_of(text) for text in (rest, *others)):
                return f"{found['how']} {' '.join(words[:n])}"
    return ""


def _condition(claim: str, sentence: str) -> str:
    found = _CONDITION.match(sentence)
    if found is None or _CONDITIONAL.search(claim):
        return ""
    own, main = stems_of(claim), stems_of(found["main"])
    shared = own & main
    if len(shared) < _LEAST or len(shared) < _MOST * len(own) or own & (stems_of(found["condition"]) - main):
        return ""
    return found["condition"]

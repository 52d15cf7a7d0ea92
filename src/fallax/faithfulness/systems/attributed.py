"""Finds claims about what somebody says that somebody else says in a transcript."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fallax.core.texts import content_words, plain_words

__all__ = ["other_speaker"]

_SAYS = (
    r"(?:(?:has |had |have )?(?:said|says?|stat(?:es?|ed)|claim(?:s|ed)?|report(?:s|ed)?|argu(?:es?|ed)"
    r"|explain(?:s|ed)?|mention(?:s|ed)?|note[sd]?|add(?:s|ed)?|suggest(?:s|ed)?|propose[sd]?|ask(?:s|ed)?|believe[sd]?|thinks?|thought"
    r"|recall(?:s|ed)?|admit(?:s|ted)?|complain(?:s|ed)?|warn(?:s|ed)?|insist(?:s|ed)?|announce[sd]?|promise[sd]?"
    r"|point(?:s|ed) out|wants? to know|wanted to know|reckons?|confirm(?:s|ed)?|predict(?:s|ed)?))"
)
_WHO = r"(?P<who>[\w.'’-]{1,30}(?: [\w.'’-]{1,30}){0,4}?)"
_FORMS = (
    re.compile(rf"according to {_WHO}, (?P<what>.+)", re.IGNORECASE),
    re.compile(rf"(?P<what>.+?),? according to {_WHO}\W*\Z", re.IGNORECASE),
    re.compile(rf"{_WHO} {_SAYS} (?:that |whether |if )?(?P<what>.+)", re.IGNORECASE),
)
_DENIED = re.compile(r"\b(?:not|never|nobody)\b|n['’]t\b", re.IGNORECASE)
#: Somebody says a claim whose sentence has so much of its words, and does not whose sentences have so little of them.
_MOST = 0.75
_LITTLE = 1 / 3


def other_speaker(claim: str, sentences: Sequence[str], speakers: Sequence[str]) -> str:
    """Who says in a transcript what a claim says that another speaker says; empty where nothing shows that.

    Parameters
    ----------
    claim : one statement.
    sentences : all of the document, in order.
    speakers : of each sentence, who says it; see :func:`fallax.core.texts.speakers_of`.

    Examples
    --------
    >>> said = ["Lee: We lost nine hives.", "Cox: Was it the cold?", "Lee: It was a mite."]
    >>> other_speaker("According to Cox, nine hives were lost.", said, ["Lee", "Cox", "Lee"])
    'Lee'
    >>> other_speaker("Lee says that nine hives were lost.", said, ["Lee", "Cox", "Lee"])
    ''
    """
    said = " ".join(claim.split())
    for form in _FORMS:
        found = form.fullmatch(said)
        who = _speaker(found["who"], speakers) if found else ""
        if found and who and not _DENIED.search(found["who"]):
            return _said_by_other(found["what"], who, sentences, speakers)
    return ""


def _speaker(named: str, speakers: Sequence[str]) -> str:
    """The only speaker with all words of a name, or all of whose name stands in it; empty for none and for several."""
    words = set(plain_words(named)) - {"the"}
    same = {s for s in speakers if s and ((own := set(plain_words(s))) <= words or words <= own)}
    return same.pop() if len(same) == 1 and words else ""


def _said_by_other(what: str, who: str, sentences: Sequence[str], speakers: Sequence[str]) -> str:
    wanted, own, names = set(content_words(what)), set[str](), set(plain_words(who))
    if any(set(plain_words(s)) <= set(plain_words(what)) for s in speakers if s not in ("", who)):
        return ""  # it tells of the others, too
    best, other = 0.0, ""
    for sentence, speaker in zip(sentences, speakers, strict=True):
        words = set(content_words(sentence)) & wanted
        if speaker == who or names & set(plain_words(sentence)):
            own |= words
        elif len(words) > best:
            best, other = len(words), speaker
    if len(wanted) < 2 or best < _MOST * len(wanted) or len(own) > _LITTLE * len(wanted):
        return ""
    return other

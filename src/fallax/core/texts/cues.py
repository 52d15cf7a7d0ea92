"""Finds the conclusion of a text, or a claim that it attributes to somebody, by signal words."""

from __future__ import annotations

import re

__all__ = ["alternatives_of", "conclusion_of", "reported_claim_of"]

_CONCLUDES = re.compile(
    r"(?:^|[.;:,!?—–-]\s+|\band\s+)"
    r"(?:therefore|hence|thus|consequently|so|it follows that|which (?:proves|shows|means) that|"
    r"that(?:'|’)s why|this (?:proves|shows|means)(?: that)?)\b,?\s+(?P<said>(?:[^.!?;“”\"’]|(?<![,—–])’){8,})",
    re.IGNORECASE,
)
_NOT_A_CONCLUSION = re.compile(r"^(?:many|much|far|long|little|few|that|as|what|called|on|forth)\b", re.IGNORECASE)
_CLAIMS = re.compile(
    r"(?P<who>(?<![\w’'-])(?:[A-Z][\w’'-]{1,40}(?:\s{1,9}[A-Z][\w’'-]{1,40}){0,3}"
    r"|(?:[Tt]he|[Oo]ur|[Mm]y)\s{1,9}(?:\w{1,40}\s{1,9}){0,2}?\w{1,40}))\s{1,9}"
    r"(?:claims?|claimed|says?|said|argues?|argued|insists?|insisted|believes?|thinks?|thought|wants? us to believe)\s+"
    r"(?:that\s+)?(?P<said>[^.!?;“”\"]{6,}?)(?=,?\s{1,9}(?:so|therefore|hence|thus|but|and so)\s|[.!?;“”\"]|$)"
)
_PRONOUN = re.compile(r"(?:^|\s)(?:I|he|she|it|they|we|you|who|which|that|everybody|nobody|this)$", re.IGNORECASE)
_EITHER = re.compile(r"\beither\s{1,9}(?P<one>[^.!?;]{3,400}?),?\s{1,9}or\s{1,9}(?P<other>[^.!?;]{3,})", re.IGNORECASE)


def alternatives_of(passage: str) -> tuple[str, str]:
    """The two sides of the first "either ... or ..."; ("", "") if there is none.

    Examples
    --------
    >>> alternatives_of("Either we build the road or the town dies.")
    ('we build the road', 'the town dies')
    """
    found = _EITHER.search(passage)
    return (found["one"].strip(), found["other"].strip()) if found else ("", "")


def conclusion_of(passage: str) -> str:
    """The text after the last word that signals a conclusion; "" if there is none.

    Examples
    --------
    >>> conclusion_of("Dogs bark, and so does he; therefore he must be a dog.")
    'he must be a dog'
    >>> conclusion_of("There are so many of them.")
    ''
    >>> conclusion_of("‘We farm here, so the road must go,’ a farmer said.")
    'the road must go'
    """
    found = [m["said"].strip() for m in _CONCLUDES.finditer(passage) if not _NOT_A_CONCLUSION.match(m["said"])]
    return found[-1].rstrip(",—– ") if found else ""


def reported_claim_of(passage: str) -> tuple[str, str]:
    """Who is said to claim something, and the claim; ("", "") if no claim is reported.

    Examples
    --------
    >>> reported_claim_of("Ann Lee argues that buses should be free. She cannot even drive.")
    ('Ann Lee', 'buses should be free')
    >>> reported_claim_of("Everyone says the bridge is ugly, so it must be ugly.")
    ('Everyone', 'the bridge is ugly')
    """
    found = next((m for m in _CLAIMS.finditer(passage) if not _PRONOUN.search(m["who"])), None)
    return (found["who"].strip(), found["said"].strip()) if found else ("", "")

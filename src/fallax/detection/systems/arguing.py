"""Words by which a sentence argues, asks, urges, judges or speaks of all."""

from __future__ import annotations

import re

__all__ = ["argues", "denies"]

_ARGUES = re.compile(
    r"\b(?:"
    r"so|therefore|thus|hence|because|since|if|then|either|or|must|should|shouldn|ought|needs?|cannot|would|could|"
    r"prove\w*|proof|mean\w*|obviously|clearly|surely|of course|after all|really|just|only|fact|true|lies?|liar|"
    r"you|your|we|us|our|let|why|how|who|what|think|imagine|believe|trust|wrong|right|same|like|best|worst|"
    r"better(?! than\b)|everyone|everybody|nobody|no one|all|always|never|every|any\w*"
    r")\b|n['’]t\b|[?!\"“”:—–]|-(?!\w)",
    re.IGNORECASE,
)


def argues(sentence: str) -> bool:
    """Whether a sentence has a word or sign by which people argue, ask, urge, judge or speak of all.

    Examples
    --------
    >>> argues("Diesel cars emit more soot than petrol cars."), argues("Nobody drives these, so they must be bad.")
    (False, True)
    """
    return _ARGUES.search(sentence) is not None


_DENIES = re.compile(r"\b(?:no|not|nor|none|neither|nothing|nowhere)\b", re.IGNORECASE)


def denies(sentence: str) -> bool:
    """Whether a sentence says that something is not so, by which people close an argument, too.

    Examples
    --------
    >>> denies("There is no third way."), denies("The vote is on Thursday.")
    (True, False)
    """
    return _DENIES.search(sentence) is not None

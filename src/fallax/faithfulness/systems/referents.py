"""Finds claims that take a pronoun of the document for somebody who is named only later."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fallax.core.texts import content_words

__all__ = ["named_later"]

_PRONOUN = re.compile(r"\b(?:he|she|they|it)\b", re.IGNORECASE)
_LEADING = re.compile(r"^(?:The |An? |Mr |Mrs |Ms |Dr )?(?P<who>[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)*)")
#: So much of what a claim says of somebody must stand in the sentence that says it of a pronoun.
_MOST = 0.75


def named_later(claim: str, sentences: Sequence[str], nearest: int) -> str:
    """Who a claim is about, if the nearest sentence says it of a pronoun and only later ones name them; else empty.

    A pronoun stands for somebody who has been named.

    Parameters
    ----------
    claim : one statement that begins with a name.
    sentences : of the document, in order.
    nearest : the number of the sentence that bears most on the claim.

    Examples
    --------
    >>> said = ["I wrote to the company, and they blamed the roadworks.", "Jo blamed the drivers."]
    >>> named_later("Jo blamed the roadworks.", said, 0), named_later("The company blamed the roadworks.", said, 0)
    ('Jo', '')
    >>> named_later("Jo blamed the roadworks.", ["Jo drives a bus.", "She blamed the roadworks."], 1)
    ''
    """
    found = _LEADING.match(claim)
    if found is None or not _PRONOUN.search(sentences[nearest]):
        return ""
    who, rest = set(content_words(found["who"])), set(content_words(claim[found.end() :]))
    here = set(content_words(sentences[nearest]))
    if not who or not rest or who & here or len(rest & here) < _MOST * len(rest):
        return ""
    named = [i for i, text in enumerate(sentences) if who <= set(content_words(text))]
    known = named and not any(who & set(content_words(text)) for text in sentences[:nearest])
    return found["who"] if known else ""

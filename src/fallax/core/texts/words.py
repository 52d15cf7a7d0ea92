"""Words of a text for comparison: lower case, no punctuation."""

from __future__ import annotations

import re

__all__ = ["plain_text", "plain_words"]

_WORD = re.compile(r"\w+")


def plain_words(text: str) -> list[str]:
    """The words and numbers of a text, case-folded.

    Examples
    --------
    >>> plain_words("Don't stop: it's 7 PM!")
    ['don', 't', 'stop', 'it', 's', '7', 'pm']
    """
    return _WORD.findall(text.casefold())


def plain_text(text: str) -> str:
    """A key that is equal for texts that differ only in case, punctuation and white space.

    Examples
    --------
    >>> plain_text("So, they left.") == plain_text("so they LEFT")
    True
    """
    return " ".join(plain_words(text))

"""Drops the characters inside words that nobody sees: where a word may be broken, or is joined."""

from __future__ import annotations

import re

__all__ = ["without_invisible"]

#: Soft hyphen, zero-width space, non-joiner and joiner, word joiner, byte order mark.
_INVISIBLE = "\u00ad\u200b-\u200d\u2060\ufeff"
#: Letters of other scripts look different where a joiner stands between them.
_LETTER = "0-9A-Za-z\u00c0-\u024f"
_INSIDE = re.compile(
    f"(?<=[{_LETTER}])[{_INVISIBLE}]+(?=[{_LETTER}]|\\Z)|\\A[{_INVISIBLE}]+(?=[{_LETTER}])",
)


def without_invisible(text: str) -> str:
    r"""A text without soft hyphens and zero-width characters inside words of Latin letters, and at its ends.

    Examples
    --------
    >>> without_invisible("gov\u00adern\u200bment \u2060 x")
    'government \u2060 x'
    """
    return _INSIDE.sub("", text)

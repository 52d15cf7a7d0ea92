"""Normalises quotes, dashes, spaces and capitals before a text is given to a model."""

from __future__ import annotations

import re
import unicodedata

from fallax.core.texts.segment import whole_characters

__all__ = ["CURLY_DOUBLE", "CURLY_SINGLE", "HIDDEN", "MARKS", "composed", "hidden_in", "normal_form", "without_hidden"]

#: Curly quotation marks, as word processors set them.
CURLY_DOUBLE, CURLY_SINGLE = "“”„‟", "‘’‚‛"
#: Accents that stand behind their letter, as a range for a class of characters.
MARKS = "\u0300-\u036f"
_DOUBLE = CURLY_DOUBLE + "«»″〝〞＂"
_SINGLE = CURLY_SINGLE + "‹›′ʼ＇`´"
_DASHES = "‐‑‒–—―−﹣－"
_SPACES = "\t\n\v\f\r\u0085\u00a0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
_NOTHING = "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff" + "".join(map(chr, range(0x202A, 0x202F)))
_FORMS = (
    {ord(c): '"' for c in _DOUBLE}
    | {ord(c): "'" for c in _SINGLE}
    | {ord(c): "-" for c in _DASHES}
    | {ord(c): " " for c in _SPACES + _NOTHING}
)
#: What nobody sees inside of a word: soft hyphen, zero-width space, non-joiner, joiner, word joiner, byte order mark.
HIDDEN = "\u00ad\u200b\u200c\u200d\u2060\ufeff"
_HIDDEN = re.compile(
    f"(?<=[^\\W_])[{HIDDEN}]+(?=[^\\W_])"
    # marks of emphasis
    r"|(?<![\w*])\*{1,3}(?=[^\s*])|(?<=[^\s*])\*{1,3}(?![\w*])|(?<!\w)__(?=\w)|(?<=\w)__(?!\w)"
)
#: A text with at least so many letters, of which at most this share is small, is written in capitals.
_LETTERS, _SMALL = 12, 0.1
_PLAINLY_SMALL = dict.fromkeys(range(ord("a"), ord("z") + 1))


def normal_form(text: str) -> str:
    r"""A text of the same length (offsets still hold) with one form for each quote, dash and space.

    Quotes, apostrophes and dashes become those of a typewriter, every space and invisible character a space, half of a
    surrogate pair U+FFFD. A text in capitals becomes small letters, as nobody can say which of its words are names.

    Examples
    --------
    >>> normal_form("“It’s 5 – 6\u00a0km,” she said.")
    '"It\'s 5 - 6 km," she said.'
    >>> normal_form("THE BOARD DID NOT MEET IN OSLO.")
    'the board did not meet in oslo.'
    """
    plain = whole_characters(text).translate(_FORMS)
    if len(plain) - len(plain.translate(_PLAINLY_SMALL)) > _SMALL * len(plain):
        return plain
    letters = [c for c in plain if c.isalpha()]
    if len(letters) < _LETTERS or sum(not c.isupper() for c in letters) > _SMALL * len(letters):
        return plain
    return "".join(low if len(low := c.lower()) == 1 else c for c in plain)


def without_hidden(text: str) -> str:
    r"""A text without what readers do not see: soft hyphens and the like inside of words, and marks of emphasis.

    Examples
    --------
    >>> without_hidden("a bud\u00adget\u200b, an\u200bnounced")
    'a budget\u200b, announced'
    >>> without_hidden("**Swings:** *two* of 3 * 4")
    'Swings: two of 3 * 4'
    """
    return _HIDDEN.sub("", text)


def hidden_in(text: str) -> list[tuple[int, int]]:
    """The half-open offsets of what :func:`without_hidden` leaves out."""
    return [m.span() for m in _HIDDEN.finditer(text)]


def composed(word: str) -> str:
    r"""A word with accents composed with their letters, and ligatures as letters.

    Examples
    --------
    >>> composed("Mu\u0308ller"), composed("o\ufb03ce")
    ('Müller', 'office')
    """
    return word if word.isascii() else unicodedata.normalize("NFKC", word)

"""Splits texts into sentences with offsets."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from itertools import pairwise

from fallax.core.texts.lines import behind_item, line_cuts

__all__ = ["has_words", "sentence_spans", "whole_characters", "worded_spans"]

#: Words that the splitter takes for abbreviations, though with a full stop behind them and a capital next they end a
#: sentence: "in May. Maria left".
_WHOLE_WORD = re.compile(
    r"\b(?:(?:[Mm]ay|arc|ark|art|con|fed|ill|me|miss|ok|OK|ore)\.[\"'”’)]*\s+(?=[\"'“‘(]*[A-Z])"
    r"|no\.[\"'”’)]*\s+(?=[\"'“‘(]*(?:[A-Z][a-z]|[AI]\s)))"
)
#: Abbreviations that the splitter does not know, where a name, a number or a small letter shows that they end nothing.
_NO_END = re.compile(
    r"\b(?:(?:Ald|Amb|Atty|Br|Const|Ms|Pte|Cllrs?|Commr|Cdr|Supts|Profs|Gens|Mdm|Mmes|Mx|Treas|Secy|Mgr|Revd|Bp|Abp|Chmn)\.(?=\s{1,9}[A-Z])"
    r"|(?:[Tt]el|[Aa]pprox|[Cc]ls?|[Pp]aras?|[Cc]h|[Vv]ol|[Ff]igs|[Ee]qs|arts|Apt|Rm)\.(?=\s{1,9}[+(\d])"
    r"|(?:et seq|[Aa]pprox|[Tt]emp|incl|excl|resp|avg)\.(?=\s{1,9}[a-z])"
    r"|(?:Mon|Tues?|Wed|Thurs?|Fri|Sat|Sun)\.(?=[–—-]\w|\s{1,9}\d{1,2}[ :.])|[ap]\.m\.(?=[–—-]\w))"
)
_WORDED = re.compile(r"[^\W_]")
_HALF = re.compile("[\ud800-\udfff]")


def whole_characters(text: str) -> str:
    r"""A text of the same length with unpaired surrogates (not valid in UTF-8) replaced by U+FFFD.

    Examples
    --------
    >>> whole_characters("half \ud83d")
    'half \ufffd'
    """
    return _HALF.sub("\ufffd", text)


def sentence_spans(text: str, *, language: str = "en") -> tuple[tuple[int, int], ...]:
    """Split a text into sentences.

    Parameters
    ----------
    text : any text; it is not changed.
    language : ISO 639-1 code, for the abbreviations that end no sentence.

    Returns
    -------
    tuple of (start, end)
        Half-open code point offsets, in order, without overlap. White space around a sentence belongs to none, so
        every sentence has at least one visible character. A blank line, a list item, a line that opens with a
        speaker's name and a heading in capitals end a sentence.

    Examples
    --------
    >>> text = "Dr. Wu left.  Why? Nobody knows"
    >>> [text[start:end] for start, end in sentence_spans(text)]
    ['Dr. Wu left.', 'Why?', 'Nobody knows']
    >>> text = "It ends in May. Tan objected."
    >>> [text[start:end] for start, end in sentence_spans(text)]
    ['It ends in May.', 'Tan objected.']
    >>> text = "Open Mon.–Fri. 9 a.m.–5 p.m. Call us."
    >>> [text[start:end] for start, end in sentence_spans(text)]
    ['Open Mon.–Fri. 9 a.m.–5 p.m.', 'Call us.']
    """
    import sentencex

    text = whole_characters(text)  # the splitter takes UTF-8
    found: list[tuple[int, int]] = []
    unended = {m.end() for m in _NO_END.finditer(text)}
    for block_start, block_end in pairwise([0, *line_cuts(text), len(text)]):
        position = block_start
        pieces: list[tuple[int, int]] = []
        for sentence in sentencex.segment(language, text[block_start:block_end]):
            start = text.find(sentence, position, block_end)
            if start < 0:  # the splitter gave something that is not a piece of the text: keep what is there
                break
            _append(pieces, text, start, start + len(sentence))
            position = start + len(sentence)
        if text[position:block_end].strip():
            _append(pieces, text, position, block_end)
        found += _joined(pieces, unended)
    return tuple(found)


def has_words(text: str) -> bool:
    r"""Whether a text has a letter or a digit.

    Examples
    --------
    >>> has_words("Ja."), has_words("---"), has_words("\ufeff")
    (True, False, False)
    """
    return _WORDED.search(text) is not None


def worded_spans(text: str) -> tuple[tuple[int, int], ...]:
    r"""The sentences of a text that say something, as :func:`sentence_spans`.

    The mark of a list's item ("1.", "-") belongs to no sentence, and a rule or an emoji is none.

    Examples
    --------
    >>> text = "1. Why? 🎉\n---\n2. Nobody knows"
    >>> [text[start:end] for start, end in worded_spans(text)]
    ['Why?', 'Nobody knows']
    """
    found = []
    for start, end in sentence_spans(text):
        start = behind_item(text, start, end)
        if _WORDED.search(text, start, end):
            found.append((start, end))
    return tuple(found)


def _joined(pieces: Sequence[tuple[int, int]], unended: Set[int]) -> list[tuple[int, int]]:
    """The pieces, each joined with the next if it ends where no sentence does."""
    joined: list[tuple[int, int]] = []
    for start, end in pieces:
        start = joined.pop()[0] if joined and joined[-1][1] in unended else start
        joined.append((start, end))
    return joined


def _append(found: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    cuts = [start, *(m.end() for m in _WHOLE_WORD.finditer(text, start, end)), end]
    for begin, stop in pairwise(cuts):
        piece = text[begin:stop]
        visible = piece.strip()
        if visible:
            first = begin + len(piece) - len(piece.lstrip())
            found.append((first, first + len(visible)))

"""Splits texts into sentences with offsets."""

from __future__ import annotations

import re
from itertools import pairwise

__all__ = ["sentence_spans", "whole_characters"]

_BLANK_LINE = re.compile(r"(?:\r\n|\r|\n)[ \t]*(?=\r|\n|[-*•>#]|\d+[.)] )|(?:\r\n|\r|\n)(?=\S{1,30}:\s)")
#: Words that the splitter takes for abbreviations, though with a full stop behind them and a capital next they end a
#: sentence: "in May. Maria left".
_WHOLE_WORD = re.compile(r"\b(?:May|art)\.[\"'”’)]*\s+(?=[\"'“‘(]*[A-Z])")
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
        every sentence has at least one visible character. A blank line, a list item and a line that opens with a
        speaker's name end a sentence.

    Examples
    --------
    >>> text = "Dr. Wu left.  Why? Nobody knows"
    >>> [text[start:end] for start, end in sentence_spans(text)]
    ['Dr. Wu left.', 'Why?', 'Nobody knows']
    >>> text = "It ends in May. Tan objected."
    >>> [text[start:end] for start, end in sentence_spans(text)]
    ['It ends in May.', 'Tan objected.']
    """
    import sentencex

    text = whole_characters(text)  # the splitter takes UTF-8
    found: list[tuple[int, int]] = []
    block_start = 0
    cuts = [m.end() for m in _BLANK_LINE.finditer(text)]
    for block_end in [*cuts, len(text)]:
        position = block_start
        for sentence in sentencex.segment(language, text[block_start:block_end]):
            start = text.find(sentence, position, block_end)
            if start < 0:  # the splitter gave something that is not a piece of the text: keep what is there
                break
            _append(found, text, start, start + len(sentence))
            position = start + len(sentence)
        if text[position:block_end].strip():
            _append(found, text, position, block_end)
        block_start = block_end
    return tuple(found)


def _append(found: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    cuts = [start, *(m.end() for m in _WHOLE_WORD.finditer(text, start, end)), end]
    for begin, stop in pairwise(cuts):
        piece = text[begin:stop]
        visible = piece.strip()
        if visible:
            first = begin + len(piece) - len(piece.lstrip())
            found.append((first, first + len(visible)))

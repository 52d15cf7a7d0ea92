"""Finds the prose in a Markdown text."""

from __future__ import annotations

import re

from fallax.core.texts.blocks import FENCE
from fallax.core.texts.markup import VISIBLE

__all__ = ["markdown_prose"]

_HEADING = re.compile(r" {0,3}#{1,6}(?:\s|$)")
_TITLE = re.compile(r" {0,3}[^\s>#*+-]")
_UNDERLINE = re.compile(r" {0,3}=+\s*$")


def markdown_prose(text: str) -> str:
    r"""A Markdown text of the same length, with headings and fenced code replaced by spaces.

    Offsets into it are offsets into the text. Headings are lines with ``#`` in front, or that stand alone with ``=``
    below. A fence that never ends reaches to the end of the text.

    Examples
    --------
    >>> markdown_prose("# Fees\nThey rise.\n```\nx = 1\n```\n")
    '      \nThey rise.\n   \n     \n   \n'
    """
    lines = text.splitlines(keepends=True)
    blank = [False] * len(lines)
    fence = ""
    for i, line in enumerate(lines):
        found = FENCE.match(line)
        if fence:
            blank[i] = True
            if found and found[1].startswith(fence) and not found[2].strip():
                fence = ""
        elif found and not ("`" in found[1] and "`" in found[2]):
            blank[i] = True
            fence = found[1]
        elif _HEADING.match(line):
            blank[i] = True
        elif _UNDERLINE.match(line) and i and not blank[i - 1] and _TITLE.match(lines[i - 1]):
            alone = i == 1 or blank[i - 2] or not lines[i - 2].strip()
            blank[i - 1] = blank[i] = alone
    return "".join(VISIBLE.sub(" ", line) if b else line for line, b in zip(lines, blank, strict=True))

"""Splits a document into prose and non-prose blocks: headings, code, tables, quotes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

__all__ = ["Block", "BlockKind", "blocks_of", "is_reported"]

#: "quote": what somebody else wrote, with ``>`` in front.
BlockKind = Literal["prose", "heading", "code", "table", "quote", "navigation"]


@dataclass(frozen=True, slots=True)
class Block:
    """A run of whole lines of one kind.

    Parameters
    ----------
    start, end : half-open code point offsets.
    kind : what it is.
    """

    start: int
    end: int
    kind: BlockKind


_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})([^\n]*)")
_HEADING = re.compile(r" {0,3}#{1,6}\s+\S")
_RULE = re.compile(r" {0,3}(?:=+|-{3,}|\*{3,}|_{3,})\s*$")
_QUOTE = re.compile(r" {0,3}>")
_TABLE = re.compile(r"\s*\|.*\|\s*$|[^\t\n]*\t[^\t\n]*\t")
_LINKS = re.compile(r"\s*(?:[-*+]\s+)?(?:\[[^\]]+\]\([^)]*\)[\s|·•,-]*)+$")


def _line_kinds(lines: list[str]) -> Iterator[BlockKind]:
    fence = ""
    for i, line in enumerate(lines):
        found = _FENCE.match(line)
        if fence:
            if found and found[1].startswith(fence) and not found[2].strip():
                fence = ""
            yield "code"
        elif found and "`" not in found[2]:
            fence = found[1]
            yield "code"
        elif _QUOTE.match(line):
            yield "quote"
        elif _HEADING.match(line) or (_RULE.match(line) and line.strip()):
            yield "heading"
        elif i + 1 < len(lines) and re.match(r" {0,3}(?:=+|-{2,})\s*$", lines[i + 1]) and line.strip():
            alone = i == 0 or not lines[i - 1].strip()
            yield "heading" if alone else "prose"
        elif _TABLE.match(line):
            yield "table"
        elif _LINKS.match(line):
            yield "navigation"
        else:
            yield "prose"


def blocks_of(text: str) -> tuple[Block, ...]:
    r"""Classify the lines of a plain or Markdown text; adjacent lines of one kind form a block.

    A fence that never ends reaches to the end of the text.

    Examples
    --------
    >>> [(b.kind, b.end - b.start) for b in blocks_of("# Fees\nThey rise.\n> Why?\nWe know.\n")]
    [('heading', 7), ('prose', 11), ('quote', 7), ('prose', 9)]
    """
    lines = text.splitlines(keepends=True)
    found: list[Block] = []
    position = 0
    for line, kind in zip(lines, _line_kinds(lines), strict=True):
        end = position + len(line)
        if found and found[-1].kind == kind:
            found[-1] = Block(found[-1].start, end, kind)
        else:
            found.append(Block(position, end, kind))
        position = end
    return tuple(found)


_SAYS = (
    r"(?:said|says|say|saying|told|tells|claimed|claims?|argued|argues?|wrote|writes|added|adds|insisted|insists?"
    r"|replied|shouted|tweeted|posted|stated|states|declared|declares|announced|warned|called|according to"
    r"|asked|answered|quoted|remarked|responded)"
)
_QUOTED = re.compile(r"[“\"][^”\"\n]{3,}[”\"]?|‘[^’\n]{8,}’")
_WHO_SAYS = re.compile(
    rf"\b(?:he|she|they|who|one|(?!you\b|we\b|I\b)(?-i:[A-Z])[\w’'.-]+|the (?:\w+ ){{1,3}}?)\s*(?:\w+ly )?{_SAYS}\b"
    rf"|\baccording to\b|\b{_SAYS} (?:he|she|they|(?-i:[A-Z])\w+)\b",
    re.IGNORECASE,
)
#: "because she says so" argues.
_SAYS_SO = re.compile(r"\b(?:said|says?|told \w+) so\b", re.IGNORECASE)
_FIRST_PERSON = re.compile(rf"\b(?:I|we)\s+(?:\w+ )?{_SAYS}\b", re.IGNORECASE)


def is_reported(sentence: str) -> bool:
    """Whether a sentence reports somebody else's words: a quotation with a speaker, or "she said that".

    Examples
    --------
    >>> is_reported("“He is a fool,” the mayor said on Monday.")
    True
    >>> is_reported("Everybody knows that he is a fool.")
    False
    """
    if _FIRST_PERSON.search(sentence) and not _QUOTED.search(sentence):
        return False
    return bool(_WHO_SAYS.search(_SAYS_SO.sub(" ", sentence)))

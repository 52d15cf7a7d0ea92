"""Splits a document into prose and non-prose blocks: headings, code, tables, quotes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

__all__ = ["Block", "BlockKind", "blocks_of"]

#: "quote": lines that begin with ``>``, written by somebody else.
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
_ITEM = re.compile(r" {0,3}(?:[-*+]|\d{1,9}[.)])\s")
_INDENTED = re.compile(r"(?: {4}| {0,3}\t)")
_LINKS = re.compile(r"\s*(?:[-*+]\s+)?(?:\[[^\]]+\]\([^)]*\)[\s|·•,-]*)+$")


def _line_kinds(lines: list[str], indented: bool) -> Iterator[BlockKind]:
    fence = ""
    matter = _front_matter(lines) if indented else 0
    in_list = code = False
    for i, line in enumerate(lines):
        found = _FENCE.match(line)
        if indented and line.strip():
            in_list = bool(_ITEM.match(line)) or (in_list and line[:1].isspace())
            after = code or i == 0 or not lines[i - 1].strip()
            code = after and not in_list and bool(_INDENTED.match(line))
        if i < matter or (indented and code and line.strip() and not fence):
            yield "code"
        elif fence:
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


def _front_matter(lines: list[str]) -> int:
    """How many lines of settings a Markdown file begins with, their marks included."""
    if not lines or lines[0].rstrip() != "---":
        return 0
    return next((i + 1 for i, line in enumerate(lines) if i and line.rstrip() in ("---", "...")), 0)


def blocks_of(text: str, *, markdown: bool = False) -> tuple[Block, ...]:
    r"""The blocks of a plain or Markdown text: neighbouring lines of one kind, such as prose or code.

    A fence that never ends reaches to the end of the text.

    Parameters
    ----------
    markdown : True for what is known to be Markdown: then lines that are indented by four after a blank one, out of
        lists, and settings between two ``---`` at the beginning are code. Plain texts may indent their paragraphs.

    Examples
    --------
    >>> [(b.kind, b.end - b.start) for b in blocks_of("# Fees\nThey rise.\n> Why?\nWe know.\n")]
    [('heading', 7), ('prose', 11), ('quote', 7), ('prose', 9)]
    """
    lines = text.splitlines(keepends=True)
    found: list[Block] = []
    position = 0
    for line, kind in zip(lines, _line_kinds(lines, markdown), strict=True):
        end = position + len(line)
        if found and found[-1].kind == kind:
            found[-1] = Block(found[-1].start, end, kind)
        else:
            found.append(Block(position, end, kind))
        position = end
    return tuple(found)

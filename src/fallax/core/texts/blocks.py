"""Splits a document into prose and non-prose blocks: headings, code, tables, quotes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

__all__ = ["FENCE", "Block", "BlockKind", "blocks_of"]

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


# Every repetition is bounded or cannot fail, so that no line takes long to read.
FENCE = re.compile(r" {0,3}(`{3,}|~{3,})([^\n]*)")
_HEADING = re.compile(r" {0,3}#{1,6}\s+\S")
_RULE = re.compile(r" {0,3}(?:=+|-{2,}|\*{3,}|_{3,})\s*$")
#: What makes the line above a heading; in plain text two dashes begin the signature of a mail.
_UNDERLINE = {False: re.compile(r" {0,3}(?:=+|-{3,})\s*$"), True: re.compile(r" {0,3}(?:=+|-{2,})\s*$")}
_QUOTE = re.compile(r" {0,3}>")
_TABLE = re.compile(r"\s*\|.*\|\s*$|[^\t\n]*\t[^\t\n]*\t")
#: The line under the head of a table, whose rows may have no bars around them.
_DELIMITER = re.compile(r"[ \t]{0,99}\|?[ \t]{0,99}:?-+:?[ \t]{0,99}(?:\|[ \t]{0,99}:?-+:?[ \t]{0,99})+\|?\s*$")
_ITEM = re.compile(r" {0,3}(?:[-*+]|\d{1,9}[.)])\s")
_INDENTED = re.compile(r"(?: {4}| {0,3}\t)")
_LINKS = re.compile(r"\s*(?:[-*+]\s+)?(?:\[[^\]]+\](?:\([^)]*\)|\[[^\]]*\])[\s|·•,-]*)+$")
#: How a line of JSON begins: an object with a key, or a list of strings.
_JSON = re.compile(r'[\[{]\s{0,9}"[^"\n]{1,99}"\s{0,9}[:,]')
#: Two such lines or more, one below the other, are the head of a mail.
_MAIL = re.compile(r"(?:From|To|Cc|Bcc|Sent|Date|Subject|Reply-To):\s", re.IGNORECASE)
#: Comments and elements of HTML in Markdown that are no prose.
_HTML_KINDS: dict[str, BlockKind] = {
    **dict.fromkeys(("!--", "script", "style", "pre", "textarea", "svg"), "code"),
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6", "summary"), "heading"),
    "table": "table",
    "blockquote": "quote",
    "nav": "navigation",
}
_NAMES = "|".join(name for name in _HTML_KINDS if name.isalnum())
_HTML = re.compile(rf" {{0,3}}(?:<details[^<>]{{0,200}}>\s{{0,9}})?<(!--|(?:{_NAMES})(?=[\s>]))", re.IGNORECASE)
_HTML_END = re.compile(rf"--(?=>)|</({_NAMES})(?=[\s>])", re.IGNORECASE)


def _ended_by(line: str, start: int = 0) -> set[str]:
    """The comments and elements of HTML that end in a line."""
    return {(m[1] or "!--").lower() for m in _HTML_END.finditer(line, start)}


def _line_kinds(lines: list[str], markdown: bool) -> list[BlockKind]:
    kinds: list[BlockKind] = []
    matter = _front_matter(lines) if markdown else 0
    last_end = {name: i for i, line in enumerate(lines) for name in _ended_by(line)} if markdown else {}
    mail = [_MAIL.match(line) is not None for line in lines]
    fence = element = ""
    in_list = code = rows = False
    for i, line in enumerate(lines):
        blank = not line.strip()
        if markdown and not blank:
            in_list = bool(_ITEM.match(line)) or (in_list and line[:1].isspace())
            after = code or i == 0 or not lines[i - 1].strip()
            code = after and not in_list and bool(_INDENTED.match(line))
        shown = line.lstrip() if in_list else line
        found = FENCE.match(shown)
        html = _HTML.match(shown) if markdown and not (fence or element) else None
        rows = (rows and "|" in line) or ("|" in line and i + 1 < len(lines) and bool(_DELIMITER.match(lines[i + 1])))
        kind: BlockKind = "prose"
        if i < matter:
            kind = "code"
        elif element:
            kind = _HTML_KINDS[element]
            element = "" if element in _ended_by(line) else element
        elif fence:
            kind = "code"
            if found and found[1].startswith(fence) and not found[2].strip():
                fence = ""
        elif code and not blank:
            kind = "code"
        elif found and "`" not in found[2]:
            fence, kind = found[1], "code"
        elif html:
            name = html[1].lower()
            kind = _HTML_KINDS[name]
            if name not in _ended_by(line, html.end()) and last_end.get(name, -1) > i:
                element = name
        elif _QUOTE.match(shown):
            kind = "quote"
        elif _HEADING.match(line) or (_RULE.match(line) and not blank):
            kind = "heading"
            if markdown and "=" in line and _UNDERLINE[True].match(line):
                _head(kinds, lines)
        elif i + 1 < len(lines) and not blank and _UNDERLINE[markdown].match(lines[i + 1]):
            kind = "heading" if i == 0 or not lines[i - 1].strip() else "prose"
        elif mail[i] and (mail[i - 1 : i] == [True] or mail[i + 1 : i + 2] == [True]):
            kind = "heading"
        elif rows or _TABLE.match(line):
            kind = "table"
        elif _LINKS.match(line):
            kind = "navigation"
        elif _is_json(line.strip()):
            kind = "code"
        elif markdown and not blank and kinds[-1:] == ["quote"] and not _ITEM.match(line):
            kind = "quote" if lines[i - 1].strip(" \t\r\n>") else "prose"
        kinds.append(kind)
    return kinds


def _is_json(line: str) -> bool:
    return line.removesuffix(",")[-1:] in ("}", "]") and _JSON.match(line) is not None


def _head(kinds: list[BlockKind], lines: list[str]) -> None:
    """Make the paragraph before an underline a heading."""
    for i in range(len(kinds) - 1, -1, -1):
        if kinds[i] != "prose" or not lines[i].strip():
            return
        kinds[i] = "heading"


def _front_matter(lines: list[str]) -> int:
    """How many lines of settings a Markdown file begins with, their marks included."""
    mark = lines[0].strip() if lines else ""
    if mark not in ("---", "+++"):
        return 0
    ends = ("---", "...") if mark == "---" else ("+++",)
    return next((i + 1 for i, line in enumerate(lines) if i and line.rstrip() in ends), 0)


def blocks_of(text: str, *, markdown: bool = False) -> tuple[Block, ...]:
    r"""The blocks of a plain or Markdown text: neighbouring lines of one kind, such as prose or code.

    A fence that never ends reaches to the end of the text. A line that is an object or a list of JSON is code.

    Parameters
    ----------
    markdown : True for what is known to be Markdown. Then lines that are indented by four after a blank one, out of
        lists, and settings between two ``---`` at the beginning are code; comments and elements of HTML are what they
        are on a page; a quote reaches to the end of its paragraph. Plain texts may indent their paragraphs, and
        answer in the line under a quote.

    Examples
    --------
    >>> [(b.kind, b.end - b.start) for b in blocks_of("# Fees\nThey rise.\n> Why?\nWe know.\n")]
    [('heading', 7), ('prose', 11), ('quote', 7), ('prose', 9)]
    """
    if text.startswith("\ufeff"):  # a byte order mark belongs to no line
        text = " " + text[1:]
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

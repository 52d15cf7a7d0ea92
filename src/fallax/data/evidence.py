"""Reads the evidence for one claim from a file."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fallax.core.texts import worded_spans
from fallax.core.types import Evidence
from fallax.data._html import visible_text
from fallax.data._jsonl import json_lines
from fallax.data._source import Source, check_text
from fallax.errors import FormatError, InputError, one_line

__all__ = ["evidence_text", "numbered_evidence", "read_evidence"]

#: A line with more sentences is running text, not a piece of evidence.
_MOST_SENTENCES = 3
#: A line that begins with an element of HTML.
_HTML = re.compile(
    r"\s*<(?:!doctype html|(?:html|head|title|body|main|header|nav|article|section|div|p|ul|ol|li|h[1-6]|table|tr|td|"
    r"blockquote|br|span|strong|em|b|i|a)(?:\s[^<>]*)?/?)>",
    re.IGNORECASE,
)
#: What stands before a heading or a quote in Markdown, and around what is printed bold. Before a number ">" says that
#: it is more, and between numbers "**" is a sign.
_MARK = re.compile(r"^ {0,3}(?:#{1,6}\s+|(?:>\s?)+(?![>\s\d£$€]))")
_STRONG = re.compile(r"(?<!\w)(?P<mark>\*\*|__)(?=\S)(?P<text>[^*_]{1,200})(?<=\S)(?P=mark)(?!\w)")
_ROW = re.compile(r"\s*\|(?P<cells>.+)\|\s*")


def evidence_text(value: object) -> object:
    """The text of a piece of evidence in a file of claims: of a text, or of an object with one.

    An intermediate conclusion is inferred and not given: it has the text "". What is neither is returned as it stands.

    Examples
    --------
    >>> evidence_text("It rained."), evidence_text({"id": "E1", "text": "It rained."})
    ('It rained.', 'It rained.')
    >>> evidence_text({"text": "So it was wet.", "leaf": False})
    ''
    """
    if not isinstance(value, Mapping):
        return value
    inferred = value.get("leaf") is False and value.get("useful") is not False
    return "" if inferred else value.get("text", value)


def numbered_evidence(values: object) -> object:
    """The evidence of a claim in a file as objects with ids: E1, E2, ... by their place, where there are none.

    What is no list, and what in it is no evidence, is returned as it stands.

    Examples
    --------
    >>> numbered_evidence(["It rained.", {"text": "It hailed."}, {"id": "x", "text": "It froze."}])
    [{'id': 'E1', 'text': 'It rained.'}, {'id': 'E2', 'text': 'It hailed.'}, {'id': 'x', 'text': 'It froze.'}]
    """
    if not isinstance(values, list):
        return values
    found = ({"text": v} if isinstance(v, str) else v for v in values)
    return [{"id": f"E{i}", **v} if isinstance(v, Mapping) else v for i, v in enumerate(found, start=1)]


def read_evidence(path: str | Path) -> tuple[Evidence, ...]:
    """Read evidence, one piece per line; in JSONL an object with "text" and optionally "id".

    In plain text the marks of items of lists, and those of headings, quotes, bold print and rows in Markdown, belong to
    no piece; of HTML, the lines that a browser shows are read. Each sentence of a line that has more than three is a
    piece of its own: somebody gave running text.

    Parameters
    ----------
    path : the file, or ``-`` for standard input. Lines without words are skipped.

    Returns
    -------
    tuple of Evidence
        Named E1, E2, ... unless they have ids.

    Raises
    ------
    FormatError
        If there is none, a line is no evidence, or an id is given twice: file and line.
    InputError
        If it is a folder.
    """
    source = Source(path)
    if source.is_dir:
        raise InputError(
            f"{source.name}: evidence must be a file, one piece a line, got a folder; to find evidence in a folder of"
            " texts, give it as documents (--documents)"
        )
    check_text(source.head(), source.name)
    found: list[tuple[int, Evidence]] = []
    if source.path.suffix.lower() in (".jsonl", ".ndjson") or source.head(64).lstrip()[:1] == b"{":
        for line, value in json_lines(source):
            found.append((line, _piece(value, len(found) + 1, source.name, line)))
    else:
        for line, text in _plain_lines([text for _, text, _ in source.lines()]):
            spans = worded_spans(text)
            pieces = [text[a:b] for a, b in spans]
            if 0 < len(spans) <= _MOST_SENTENCES:
                pieces = [text[spans[0][0] :].strip()]
            found += [(line, Evidence(f"E{len(found) + i}", piece)) for i, piece in enumerate(pieces, 1)]
    if not found:
        raise FormatError("must hold evidence, one piece a line, got none", path=source.name)
    lines: dict[str, int] = {}
    for line, piece in found:
        if lines.setdefault(piece.id, line) != line:
            raise FormatError(
                f"each piece of evidence must have its own id, got {one_line(repr(piece.id), 40)} again (first in"
                f" line {lines[piece.id]})",
                path=source.name,
                line=line,
            )
    return tuple(e for _, e in found)


def _plain_lines(lines: Sequence[str]) -> list[tuple[int, str]]:
    """Numbered lines without markup of HTML and such marks of Markdown; of HTML, the lines that a browser shows."""
    if any(_HTML.match(line) for line in lines):
        lines = visible_text("\n".join(lines)).splitlines()
    return [
        (number, _STRONG.sub(r"\g<text>", _MARK.sub("", " — ".join(_cells(line)) or line)))
        for number, line in enumerate(lines, 1)
    ]


def _cells(line: str) -> list[str]:
    """The cells of a row of a Markdown table."""
    row = _ROW.fullmatch(line)
    return [] if row is None else [cell.strip() for cell in row["cells"].split("|") if cell.strip()]


def _piece(value: Mapping[str, Any], number: int, name: str, line: int) -> Evidence:
    text, id_ = value.get("text"), value.get("id", f"E{number}")
    if not isinstance(text, str) or not text.strip():
        raise FormatError(
            f"each line must have a 'text' that is not empty, got {one_line(repr(text), 60)}", path=name, line=line
        )
    if not isinstance(id_, str | int) or id_ == "":
        raise FormatError(
            f"the id must be a text that is not empty, got {one_line(repr(id_), 40)}", path=name, line=line
        )
    return Evidence(str(id_), text)

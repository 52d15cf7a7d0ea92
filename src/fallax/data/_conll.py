"""Token-per-line files: token TAB tag, a blank line between sentences; BIO, IOB1, BIOES and BILOU.

Files of CoNLL-2003 have spaces in place of tabs. There, too, a line that begins with ``#`` is a token if it ends in a
tag and has as many columns as the tokens before it; else it is a comment.

``# id = ...`` and ``# text = ...`` in front of the tokens name the record and give its exact text; without them each
block is a record, and its text is its tokens with single spaces between. BIO is written, with these comments.

References
----------
Ramshaw and Marcus 1995 (text chunking, BIO tags).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fallax.core.sink import dump_json, open_out
from fallax.core.types import NO_FALLACY
from fallax.data._options import Options
from fallax.data._rows import Loss, Mark, RawRecord, extends, is_no_fallacy
from fallax.data._source import Source
from fallax.errors import FormatError, InputError, one_line

__all__ = ["TAG", "marks_of_tags", "read_rows", "tokenize", "write_rows"]

_COMMENT = re.compile(r"#\s*(id|text|source|title|meta)\s*=\s*(.*)")
#: A tag: of no passage, not annotated, or of a passage.
TAG = re.compile(r"[O_]|[BIESLU]-\S+")
_JOIN = "-'’"
_ASCII_TOKEN = re.compile(r"\w+(?:[-']\w+)*|\S")


def tokenize(text: str) -> list[tuple[int, int]]:
    """Offsets of the tokens of a text: runs of letters, digits and underscores, and single other characters.

    A hyphen or an apostrophe between two letters or digits belongs to the word, and combining marks, joiners and skin
    tones to the character before them. White space belongs to no token.

    Examples
    --------
    >>> text = "Don't ask: it's a well-known €5 trick."
    >>> " ".join(text[a:b] for a, b in tokenize(text))
    "Don't ask : it's a well-known € 5 trick ."
    """
    if text.isascii():  # the same rule, twenty times as fast
        return [m.span() for m in _ASCII_TOKEN.finditer(text)]
    return _tokenize(text)


def _tokenize(text: str) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    i, n = 0, len(text)

    def word(at: int) -> bool:
        return at < n and (text[at].isalnum() or text[at] == "_")

    while i < n:
        if text[i].isspace():
            i += 1
            continue
        start = i
        is_word = word(i)
        i += 1
        while i < n:
            joined = text[i - 1] == "\u200d" and not text[i].isspace()
            inside = is_word and (word(i) or (text[i] in _JOIN and word(i + 1)))
            if not (extends(text[i]) or joined or inside):
                break
            i += 1
        found.append((start, i))
    return found


@dataclass(slots=True)
class _Block:
    line: int
    said: dict[str, Any] = field(default_factory=dict)
    tokens: list[tuple[int, str, str]] = field(default_factory=list)
    breaks: set[int] = field(default_factory=set)


def read_rows(source: Source, options: Options) -> Iterator[RawRecord]:
    """Rows of a token-per-line file."""
    for n, block in enumerate(_blocks(source), start=1):
        yield _row(source.name, n, block)


def _blocks(source: Source) -> Iterator[_Block]:
    block: _Block | None = None
    open_document = False  # blank lines divide sentences of one record, not records
    columns = 0  # of the last token; -1 where tabs divide them
    for number, line, _ in source.lines():
        if not line.strip():
            if block is not None and open_document:
                block.breaks.add(len(block.tokens))
            elif block is not None and block.tokens:
                yield block
                block = None
            continue
        comment = _COMMENT.fullmatch(line) if "\t" not in line else None
        starts = line.startswith("-DOCSTART-") or (comment is not None and comment[1] == "id")
        if starts:
            if block is not None and (block.tokens or block.said):
                yield block
            block, open_document = _Block(number), True
        if line.startswith("-DOCSTART-"):
            continue
        block = block or _Block(number)
        if comment is not None:
            if comment[1] in block.said:
                raise FormatError(
                    f"{comment[1]!r} must be given once per record, got it again", path=source.name, line=number
                )
            block.said[comment[1]] = _value(comment[2])
        elif line.startswith("#") and "\t" not in line and not _is_token(line, columns):
            continue
        else:
            cells = line.split("\t") if "\t" in line else line.split()
            columns = -1 if "\t" in line else len(cells)
            if len(cells) < 2 or not cells[0].strip():
                raise FormatError(
                    f"each line must be a token, a tab and a tag, got {one_line(line, 60)!r}",
                    path=source.name,
                    line=number,
                )
            block.tokens.append((number, cells[0], cells[-1].strip()))
    if block is not None and (block.tokens or block.said):
        yield block


def _is_token(line: str, columns: int) -> bool:
    """Whether a line with ``#`` in front and spaces between its columns is a token, as ``#MeToo NN O`` is."""
    cells = line.split()
    if len(cells) < 2 or TAG.fullmatch(cells[-1]) is None:
        return False
    return len(cells) == columns if columns else cells[0] != "#" or len(cells) == 2


def _value(shown: str) -> Any:
    with suppress(ValueError):
        return json.loads(shown)
    return shown


def _row(name: str, number: int, block: _Block) -> RawRecord:
    said = block.said
    meta = said.get("meta", {})
    if not isinstance(meta, dict):
        raise FormatError(f"meta must be a JSON object, got {one_line(repr(meta), 40)}", path=name, line=block.line)
    for key in ("text", "source", "title"):
        if not isinstance(said.get(key, ""), str):
            said[key] = str(said[key])
    words = [w for _, w, _ in block.tokens]
    offsets: list[tuple[int, int]]
    if "text" in said:
        text: str = said["text"]
        offsets = []
        at = 0
        for line, word, _ in block.tokens:
            found = text.find(word, at)
            if found < 0 or text[at:found].strip():
                raise FormatError(
                    f"tokens must be those of the text, in order, got {one_line(word, 40)!r} at character {at}",
                    path=name,
                    line=line,
                )
            offsets.append((found, found + len(word)))
            at = found + len(word)
    else:
        text, offsets = _joined(words, block.breaks)
    tags = [t for _, _, t in block.tokens]
    lines = [n for n, _, _ in block.tokens]
    unsaid = bool(tags) and all(t == "_" for t in tags)
    marks = None if unsaid else marks_of_tags(tags, offsets, name=name, lines=lines)
    id_ = said.get("id", str(number))
    return RawRecord(
        str(id_) if isinstance(id_, int) else id_,
        text,
        marks,
        block.line,
        said.get("source", ""),
        said.get("title", ""),
        meta,
    )


def _joined(words: Sequence[str], breaks: set[int]) -> tuple[str, list[tuple[int, int]]]:
    parts: list[str] = []
    offsets = []
    at = 0
    for i, word in enumerate(words):
        if i:
            parts.append("\n" if i in breaks else " ")
            at += 1
        parts.append(word)
        offsets.append((at, at + len(word)))
        at += len(word)
    return "".join(parts), offsets


def marks_of_tags(
    tags: Sequence[str], offsets: Sequence[tuple[int, int]], *, name: str, lines: Sequence[int]
) -> list[Mark]:
    """The passages encoded by a sequence of tags.

    An ``I-`` that continues nothing begins a passage (IOB1).

    Raises
    ------
    FormatError
        At a tag of another kind, and at an ``E-`` or ``L-`` that ends nothing.
    """
    marks: list[Mark] = []
    current: Mark | None = None
    for tag, (start, end), line in zip(tags, offsets, lines, strict=True):
        if tag in ("O", "_"):
            current = None
            continue
        prefix, dash, label = tag.partition("-")
        if not dash or not label or prefix not in ("B", "I", "E", "L", "S", "U"):
            raise FormatError(
                f"a tag must be O, or B-, I-, E-, S- with a label, got {one_line(tag, 40)!r}", path=name, line=line
            )
        goes_on = current is not None and current.label == label and prefix in ("I", "E", "L")
        if current is not None and goes_on:
            current.end = end
        elif prefix in ("E", "L"):
            raise FormatError(
                f"{one_line(tag, 40)!r} must end a passage of its label, got none before it", path=name, line=line
            )
        else:
            current = Mark(start, end, label, line=line)
            marks.append(current)
        if prefix in ("E", "L", "S", "U"):
            current = None
    return marks


def write_rows(rows: Iterable[RawRecord], path: str | Path, options: Options, losses: list[Loss]) -> None:
    """Write BIO columns, which cannot represent overlaps, alternatives or offsets inside a token."""
    with open_out(path) as write:
        for row in rows:
            where = f"record {row.id!r}"
            for key in ("id", "text", "source", "title"):
                if key in ("id", "text") or getattr(row, key):
                    write(
                        f"# {key} = {json.dumps(getattr(row, key), ensure_ascii=_has_surrogate(getattr(row, key)))}\n"
                    )
            if row.meta:
                write(f"# meta = {dump_json(dict(row.meta), where)}\n")
            tokens = tokenize(row.text)
            if not tokens and row.marks is None:
                losses.append(
                    Loss(row.id, "not-annotated", "that the text is not annotated; it has no token to say it")
                )
            tags = ["_"] * len(tokens) if row.marks is None else _tags(row, tokens, losses)
            for i, ((start, end), tag) in enumerate(zip(tokens, tags, strict=True)):
                if i and "\n" in row.text[tokens[i - 1][1] : start] and not tag.startswith("I-"):
                    write("\n")
                token = row.text[start:end]
                if _has_surrogate(token):
                    raise InputError(f"{where}: must be Unicode text, got half a surrogate pair; write it as JSON")
                write(f"{token}\t{tag}\n")
            write("\n")


def _has_surrogate(text: str) -> bool:
    return any("\ud800" <= c <= "\udfff" for c in text)


def _tags(row: RawRecord, tokens: list[tuple[int, int]], losses: list[Loss]) -> list[str]:
    starts = {s: i for i, (s, _) in enumerate(tokens)}
    ends = {e: i for i, (_, e) in enumerate(tokens)}
    tags = ["O"] * len(tokens)
    said: set[tuple[int, int]] = set()
    for m in sorted(row.marks or (), key=lambda m: (m.start, -m.end, m.label == NO_FALLACY)):
        place = f"{m.label!r} at {m.start}..{m.end}"
        if m.confidence is not None:
            losses.append(Loss(row.id, "confidence", f"the confidence of {m.start}..{m.end}"))
        if (m.start, m.end) in said:
            losses.append(Loss(row.id, "alternatives", f"{place}: a token has one tag, the passage has another label"))
        elif m.start not in starts or m.end not in ends:
            losses.append(Loss(row.id, "inside-token", f"{place}: it begins or ends inside a token or at white space"))
        elif any(t != "O" for t in tags[starts[m.start] : ends[m.end] + 1]):
            losses.append(Loss(row.id, "overlap", f"{place}: a token has one tag, another passage overlaps"))
        elif m.label != m.label.strip() or re.search(r"[\t\r\n]", m.label) or _is_other(m.label):
            losses.append(Loss(row.id, "label", f"{place}: the label cannot be written in a column"))
        else:
            said.add((m.start, m.end))
            first, last = starts[m.start], ends[m.end]
            tags[first : last + 1] = [f"B-{m.label}", *[f"I-{m.label}"] * (last - first)]
    return tags


def _is_other(label: str) -> bool:
    return label != NO_FALLACY and is_no_fallacy(label)

"""Reads texts without annotation (plain, Markdown, HTML, PDF, Word, mail, JSONL, CSV, Parquet) from files or a pipe."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from fallax.core.texts import blocks_of
from fallax.core.types import Record
from fallax.data._csv import TABLES, csv_rows
from fallax.data._extract import extracted, kind_of_document
from fallax.data._html import page_blocks
from fallax.data._json_items import json_items
from fallax.data._jsonl import json_lines
from fallax.data._mail import mail_text
from fallax.data._options import Options
from fallax.data._parquet import parquet_rows
from fallax.data._rows import RawRecord
from fallax.data._source import MAX_LINE_BYTES, Source, binary_error, check_text, decode
from fallax.errors import FormatError, InputError, one_line

__all__ = ["TEXT_SUFFIXES", "list_texts", "may_hold_several", "other_files", "read_rows", "read_texts"]

#: The longest plain text or page that is examined as one; thirty novels.
MAX_TEXT_BYTES = 16 << 20
#: The longest PDF, Word file or mail; most of it is pictures and fonts.
MAX_DOCUMENT_BYTES = 64 << 20
#: What is read from a folder; a file that is named itself may have any suffix.
TEXT_SUFFIXES = (".txt", ".text", ".md", ".markdown", ".html", ".htm")
HTML, MARKDOWN = (".html", ".htm"), (".md", ".markdown")
#: How a page begins, whatever its file is called; and one that comes from a pipe or has a suffix of its own.
_HEAD = r"\ufeff?\s{0,99}(?:<\?xml[^>]{0,200}>\s{0,99})?(?:<!--[^>]{0,200}-->\s{0,99})?<"
_PAGE = re.compile(_HEAD + r"!doctype\s{1,9}html\b", re.IGNORECASE)
_PERHAPS_PAGE = re.compile(_HEAD + r"(?:html|head|body)\b", re.IGNORECASE)
_JSON = (".jsonl", ".ndjson", ".json")
_PARQUET = ".parquet"


def read_texts(
    paths: str | Path | Iterable[str | Path],
    *,
    field: str | None = None,
    max_line_bytes: int = MAX_LINE_BYTES,
    encoding: str | None = None,
) -> Iterator[Record]:
    r"""Read texts one by one, unchanged.

    Parameters
    ----------
    paths : one or more files, folders (read recursively: ``.txt``, ``.md``, ``.html`` and, with ``field``, ``.jsonl``,
        ``.csv`` and ``.parquet``; names with a dot in front are skipped), or ``-`` for standard input.
    field : the field of JSONL objects, or the column of a table (CSV, TSV, Parquet), that holds the text. By default
        ``text``.
    max_line_bytes : lines of JSONL longer than this are refused.
    encoding : of text files, a name that Python knows, such as "windows-1252". By default UTF-8.

    Yields
    ------
    Record
        ``gold`` is None. The id is the path; for JSONL and tables the ``id`` of the row, else ``path:line``. Other
        fields of a row are in ``meta``; ``meta["notes"]`` says what a reader must know of the file.

    Raises
    ------
    FormatError
        At bytes that are not in the encoding, binary files, files without text, rows without the field: file, and byte
        or line.
    InputError
        At a document that cannot be read.
    MissingExtraError
        At a PDF or Word file, if what reads it is not installed.

    Notes
    -----
    Newlines are not translated and nothing is normalised, so offsets count the code points of the file; a byte order
    mark is the text's first character. For HTML the text is what the page shows (see docs/formats.md). A file that
    begins with ``<!doctype html>`` is HTML whatever its name; so are a pipe and a file of another suffix that begin
    with ``<html>``. Of PDF, Word (``.docx``) and mail (``.eml``), named or from a pipe, the text is what they show.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pathlib.Path(folder, "a.txt").write_bytes(b"One.\r\nTwo.")
    ...     [r.text for r in read_texts(folder)]
    ['One.\r\nTwo.']
    """
    many = [paths] if isinstance(paths, (str, Path)) else list(paths)
    if not many:
        raise InputError("paths: must name at least one file or folder, got none")
    seen: dict[str, str] = {}
    for path in many:
        source = Source(path, max_line_bytes=max_line_bytes, encoding=encoding)
        for row in read_rows(source, Options(field=field, max_line_bytes=max_line_bytes, encoding=encoding)):
            where = row.path or source.name
            place = where if row.line is None else f"{where}:{row.line}"
            if row.id in seen:
                raise FormatError(
                    f"each id must be given once, got {one_line(row.id, 60)!r} again (first in {seen[row.id]});"
                    " rename one, or name each file once",
                    path=where,
                    line=row.line,
                )
            seen[row.id] = place
            yield Record(row.id, row.text, None, meta=row.meta)


def list_texts(paths: str | Path | Iterable[str | Path], *, field: str | None = None) -> list[Path]:
    """The files that :func:`read_texts` would read, in its order, each once; ``-`` stands for standard input.

    Raises
    ------
    InputError
        If nothing is named, or a folder holds no texts.
    """
    many = [paths] if isinstance(paths, (str, Path)) else list(paths)
    if not many:
        raise InputError("paths: must name at least one file or folder, got none")
    found: dict[Path, None] = {}
    for path in many:
        source = Source(path)
        found |= dict.fromkeys(_texts_in(source, field) if source.is_dir else [source.path])
    return list(found)


def may_hold_several(path: Path) -> bool:
    """Whether a path names a folder, or a file whose suffix says that it holds a text in each line or row."""
    return path.is_dir() or path.suffix.lower() in (*_JSON, *TABLES, _PARQUET)


def other_files(folder: Path, *, field: str | None = None) -> list[Path]:
    """The files of a folder that :func:`read_texts` passes over because of their suffix."""
    return [p for p in _files_in(folder) if p.suffix.lower() not in _wanted(field)]


def _files_in(folder: Path) -> list[Path]:
    """All files in a folder and below, without names with a dot in front."""
    return sorted(
        p
        for p in folder.rglob("*")
        if p.is_file() and not any(part.startswith(".") for part in p.relative_to(folder).parts)
    )


def _wanted(field: str | None) -> tuple[str, ...]:
    return TEXT_SUFFIXES if field is None else (*TEXT_SUFFIXES, *_JSON, *TABLES, _PARQUET)


def _texts_in(source: Source, field: str | None) -> list[Path]:
    wanted = _wanted(field)
    paths = [p for p in _files_in(source.path) if p.suffix.lower() in wanted]
    if not paths:
        raise InputError(f"{source.name}: the folder must hold texts ({', '.join(wanted)}), got none; name the files")
    return paths


def read_rows(source: Source, options: Options) -> Iterator[RawRecord]:
    """Rows of a file, a folder or standard input."""
    paths = _texts_in(source, options.field) if source.is_dir else None
    for one in [source] if paths is None else [_like(options, p) for p in paths]:
        yield from _rows_of_file(one, options.field)


def _like(options: Options, path: Path) -> Source:
    return Source(path, max_line_bytes=options.max_line_bytes, encoding=options.encoding)


def _rows_of_file(source: Source, field: str | None) -> Iterator[RawRecord]:
    suffix = source.path.suffix.lower()
    rows: Iterator[RawRecord]
    if suffix in TABLES:
        rows = (_row(source, n, value, field or "text") for n, value in csv_rows(source, field or "text"))
    elif suffix == _PARQUET:
        rows = (_row(source, n, value, field or "text") for n, value in parquet_rows(source, field or "text"))
    elif suffix in _JSON or (source.is_stdin and field is not None):
        rows = _json(source, field or "text")
    elif field is not None and source.head().lstrip()[:1] in (b"{", b"["):
        rows = _json(source, field)
    else:
        rows = iter([_plain(source, suffix)])
    for row in rows:
        row.path = source.name
        yield row


def _plain(source: Source, suffix: str) -> RawRecord:
    name = "stdin" if source.is_stdin else source.path.as_posix()
    with source.open() as f:
        raw = f.read(MAX_TEXT_BYTES + 1)
        kind = kind_of_document(suffix, raw, known=suffix in TEXT_SUFFIXES)
        raw += f.read(MAX_DOCUMENT_BYTES - len(raw) + 1) if kind else b""
    most = MAX_DOCUMENT_BYTES if kind else MAX_TEXT_BYTES
    if len(raw) > most:
        raise FormatError(
            f"a text must be at most {most >> 20} MiB long, got more; split it, or give its parts as lines of"
            " JSONL (--field)",
            path=source.name,
        )
    if kind:
        return _document(source, kind, raw, name)
    check_text(raw, source.name)
    text = decode(raw, name=source.name, may_name=source.may_name)
    if not text.strip():
        raise FormatError("must hold text, got nothing but white space; leave it out", path=source.name)
    if "\0" in text:
        raise binary_error(raw, raw.index(b"\0"), name=source.name)
    shown, meta = shown_text(text, suffix)
    if not shown.strip() and meta.get("form") == "html":
        raise FormatError("the page must show text, got none; is it made by a script?", path=source.name)
    if suffix not in TEXT_SUFFIXES and (said := _looks_like_lines(text)):
        meta["notes"] = [said]
    return RawRecord(name, shown, None, meta=meta)


def _document(source: Source, kind: str, raw: bytes, name: str) -> RawRecord:
    """The text of a PDF, a Word file or a mail."""
    if kind == "mail":
        text, meta, _ = mail_text(raw)
        if not text.strip():
            raise FormatError("the mail must hold text, got none", path=source.name)
        return RawRecord(name, text, None, meta=meta)
    found = extracted(kind, raw, source.name)
    return RawRecord(name, found["text"], None, meta={"notes": found["notes"]} if found["notes"] else {})


def _looks_like_lines(text: str) -> str:
    """What to say of a text that looks like JSON Lines; else ""."""
    line = text.lstrip("\ufeff \t\r\n").partition("\n")[0]
    if not line.startswith("{"):
        return ""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return ""
    lengths = {key: len(said) for key, said in value.items() if isinstance(said, str)}
    field = "text" if "text" in lengths or not lengths else max(lengths, key=lengths.__getitem__)
    return (
        f"this looks like JSON Lines, and was read as one text; to read its texts, give --field {one_line(field, 40)}"
    )


def shown_text(text: str, suffix: str) -> tuple[str, dict[str, Any]]:
    """The visible text of a file, and its form ("html", "markdown") with its blocks; no form for plain text.

    Blocks are (start, end, kind), as :func:`fallax.core.texts.blocks_of` names the kinds.

    Parameters
    ----------
    text : all of the file.
    suffix : of its name, in small letters; a text that begins with ``<!doctype html>`` is a page whatever its suffix,
        one that begins with ``<html>`` unless the suffix is of plain text or Markdown.
    """
    if suffix in HTML or _PAGE.match(text) or (suffix not in TEXT_SUFFIXES and _PERHAPS_PAGE.match(text)):
        shown, blocks = page_blocks(text)
        return shown, {"form": "html", "blocks": blocks}
    if suffix in MARKDOWN:
        return text, {"form": "markdown", "blocks": [(b.start, b.end, b.kind) for b in blocks_of(text, markdown=True)]}
    return text, {}


def _json(source: Source, field: str) -> Iterator[RawRecord]:
    if not source.head():
        raise FormatError("must hold JSON, got an empty file (0 bytes); leave it out", path=source.name)
    is_list = source.head().lstrip().startswith(b"[")
    for line, value in json_items(source) if is_list else json_lines(source):
        if not isinstance(value, dict) or field not in value:
            got = ", ".join(one_line(repr(k), 40) for k in value) if isinstance(value, dict) else "no object"
            raise FormatError(
                f"each line must have the field {field!r}, got {got}; name the field that holds the text with field="
                " (--field)",
                path=source.name,
                line=line,
            )
        yield _row(source, line, value, field)


def _row(source: Source, line: int, value: dict[str, Any], field: str) -> RawRecord:
    text = value[field]
    if not isinstance(text, str):
        raise FormatError(
            f"the field {field!r} must be a string, got {one_line(repr(text), 40)}", path=source.name, line=line
        )
    name = "stdin" if source.is_stdin else source.path.as_posix()
    id_ = value.get("id")
    meta = {k: v for k, v in value.items() if k not in ("id", field)}
    return RawRecord(
        str(id_) if isinstance(id_, (str, int)) and id_ != "" else f"{name}:{line}", text, None, line, meta=meta
    )

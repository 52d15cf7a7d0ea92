"""Texts without annotation: plain text, Markdown, HTML, fields of JSONL, CSV, Parquet; from files, folders, a pipe."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from fallax.corpora._html import visible_text
from fallax.corpora._json_items import json_items
from fallax.corpora._jsonl import json_lines
from fallax.corpora._options import Options
from fallax.corpora._parquet import parquet_rows
from fallax.corpora._rows import Row
from fallax.corpora._source import MAX_LINE_BYTES, Source, decode
from fallax.errors import FormatError, InputError, UnknownNameError, one_line
from fallax.types import Record

__all__ = ["TEXT_SUFFIXES", "list_texts", "read_rows", "read_texts"]

#: What is read from a folder; a file that is named itself may have any suffix.
TEXT_SUFFIXES = (".txt", ".text", ".md", ".markdown", ".html", ".htm")
_TABLES = {".csv": ",", ".tsv": "\t"}
_JSON = (".jsonl", ".ndjson", ".json")
_PARQUET = ".parquet"
_MAGIC = {b"%PDF": "a PDF", b"PK\x03\x04": "a ZIP archive (docx, odt, epub, ...)", b"\x1f\x8b": "a gzip archive"}
_MAGIC |= {b"\x89PNG": "an image", b"\xff\xd8\xff": "an image", b"\xd0\xcf\x11\xe0": "an old Office document"}


def read_texts(
    paths: str | Path | Iterable[str | Path], *, field: str | None = None, max_line_bytes: int = MAX_LINE_BYTES
) -> Iterator[Record]:
    r"""Read texts one by one, exactly as they stand.

    Parameters
    ----------
    paths : one or more files, folders (read recursively: ``.txt``, ``.md``, ``.html`` and, with ``field``, ``.jsonl``,
        ``.csv`` and ``.parquet``; names with a dot in front are passed over), or ``-`` for standard input.
    field : the field of JSONL objects, or the column of a table (CSV, TSV, Parquet), that holds the text. By default
        ``text``.
    max_line_bytes : lines of JSONL longer than this are refused.

    Yields
    ------
    Record
        ``gold`` is None. The id is the path; for JSONL and tables the ``id`` of the row, else ``path:line``. Other
        fields of a row are in ``meta``.

    Raises
    ------
    FormatError
        At bytes that are no UTF-8, binary files, empty files, rows without the field: file, and byte or line.

    Notes
    -----
    Newlines are not translated and nothing is normalised, so offsets count the code points of the file; a byte order
    mark is the text's first character. For HTML the text is what the page shows (see docs/formats.md).

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
        source = Source(path, max_line_bytes=max_line_bytes)
        for row in read_rows(source, Options(field=field, max_line_bytes=max_line_bytes)):
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


def _texts_in(source: Source, field: str | None) -> list[Path]:
    wanted = TEXT_SUFFIXES if field is None else (*TEXT_SUFFIXES, *_JSON, *_TABLES, _PARQUET)
    paths = sorted(
        p
        for p in source.path.rglob("*")
        if p.suffix.lower() in wanted
        and p.is_file()
        and not any(part.startswith(".") for part in p.relative_to(source.path).parts)
    )
    if not paths:
        raise InputError(f"{source.name}: the folder must hold texts ({', '.join(wanted)}), got none; name the files")
    return paths


def read_rows(source: Source, options: Options) -> Iterator[Row]:
    """Rows of a file, a folder or standard input."""
    paths = _texts_in(source, options.field) if source.is_dir else None
    for one in [source] if paths is None else [Source(p, max_line_bytes=options.max_line_bytes) for p in paths]:
        yield from _rows_of_file(one, options.field)


def _rows_of_file(source: Source, field: str | None) -> Iterator[Row]:
    suffix = source.path.suffix.lower()
    rows: Iterator[Row]
    if suffix in _TABLES:
        rows = _table(source, field or "text", _TABLES[suffix])
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


def _plain(source: Source, suffix: str) -> Row:
    with source.open() as f:
        raw = f.read()
    _check_text(raw, source.name)
    text = decode(raw, name=source.name)
    if "\0" in text:
        at = raw.index(b"\0")
        raise FormatError(
            f"must be text, got a NUL byte at byte {at} of the file; is this a binary file?",
            path=source.name,
            line=raw.count(b"\n", 0, at) + 1,
        )
    if suffix in (".html", ".htm"):
        shown = visible_text(text)
        if not shown.strip():
            raise FormatError("the page must show text, got none; is it made by a script?", path=source.name)
        return Row("stdin" if source.is_stdin else source.path.as_posix(), shown, None, meta={"form": "html"})
    return Row("stdin" if source.is_stdin else source.path.as_posix(), text, None)


def _check_text(raw: bytes, name: str) -> None:
    if not raw:
        raise FormatError("must hold text, got an empty file (0 bytes); leave it out", path=name)
    for magic, what in _MAGIC.items():
        if raw.startswith(magic):
            raise FormatError(f"must be text, got {what} (byte 0); convert it to plain text first", path=name)


def _json(source: Source, field: str) -> Iterator[Row]:
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


def _table(source: Source, field: str, delimiter: str) -> Iterator[Row]:
    _check_text(source.head(), source.name)
    old = csv.field_size_limit(max(source.max_line_bytes, csv.field_size_limit()))
    reader = csv.reader((text for _, text in source.whole_lines(mark=True)), delimiter=delimiter, strict=True)
    try:
        header = next(reader, [])
        if field not in header:
            raise UnknownNameError("column", field, header, where=f"{source.name}:1")
        if len(set(header)) != len(header):
            raise FormatError("each column must have a name of its own, got one twice", path=source.name, line=1)
        line = reader.line_num + 1
        for cells in reader:
            if cells and len(cells) != len(header):
                raise FormatError(
                    f"each row must have {len(header)} cells as the header has, got {len(cells)}; quote cells that hold"
                    " the delimiter",
                    path=source.name,
                    line=line,
                )
            if cells:
                yield _row(source, line, dict(zip(header, cells, strict=True)), field)
            line = reader.line_num + 1
    except csv.Error as error:
        raise FormatError(
            f"must be a table with properly quoted cells, got a fault ({error})", path=source.name, line=reader.line_num
        ) from error
    finally:
        csv.field_size_limit(old)


def _row(source: Source, line: int, value: dict[str, Any], field: str) -> Row:
    text = value[field]
    if not isinstance(text, str):
        raise FormatError(
            f"the field {field!r} must be a string, got {one_line(repr(text), 40)}", path=source.name, line=line
        )
    name = "stdin" if source.is_stdin else source.path.as_posix()
    id_ = value.get("id")
    meta = {k: v for k, v in value.items() if k not in ("id", field)}
    return Row(str(id_) if isinstance(id_, (str, int)) and id_ != "" else f"{name}:{line}", text, None, line, meta=meta)

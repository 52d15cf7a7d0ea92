"""Reads records from many files one by one; an unreadable record gets a reason and stops nothing."""

from __future__ import annotations

import codecs
import glob
import gzip
import hashlib
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from fallax.core.texts import whole_characters
from fallax.data._csv import TABLES, csv_cells
from fallax.data._extract import kind_of_document
from fallax.data._json_items import json_items
from fallax.data._parquet import parquet_rows
from fallax.data._source import MAX_LINE_BYTES, Source, check_utf8, decode, known_encoding, parse_json, recoded
from fallax.data.evidence import evidence_text
from fallax.data.texts import MAX_TEXT_BYTES, TEXT_SUFFIXES, shown_text
from fallax.errors import FallaxError, FormatError, InputError, MissingExtraError, one_line
from fallax.scan.jobs import FIELDS

__all__ = [
    "MANIFEST",
    "MAX_SOURCE",
    "SUFFIXES",
    "WRITTEN",
    "Found",
    "RecordReader",
    "files_left_out",
    "found_files",
    "key_of",
]

_LINES = (".jsonl", ".ndjson")
_WARC = ".warc"
_PACKED = (".gz", ".zst")
#: What is read, also with ``.gz`` or ``.zst`` behind it where it is no Parquet.
SUFFIXES = (*_LINES, ".json", *TABLES, ".parquet", _WARC, *TEXT_SUFFIXES)
_FAULTS = (FallaxError, OSError, EOFError, ValueError)

#: The settings of a scan, in its folder; and the names of all files there.
MANIFEST = "manifest.json"
WRITTEN = re.compile(r"(part|bad)-\d{6,}\.(jsonl|json|parquet)|manifest\.json|statistics\.(json|html)")

#: Of a longer source only the beginning is kept: no path and no address is this long, so another column was meant.
MAX_SOURCE = 8192

#: What a reader of a file gives: the place, the row, and why there is none.
_Row = tuple[str, Mapping[str, Any] | None, str]


@dataclass(frozen=True, slots=True)
class Found:
    """A record as read from a file.

    Parameters
    ----------
    number : its position in the whole input, from 1.
    id : its own, else its place.
    place : the file, and the line or row in it.
    values : the fields that the job reads; empty where they cannot be read.
    source : what its column for statistics says, on one line and at most :data:`MAX_SOURCE` long, "" without one.
    reason : why it cannot be examined, else "".
    """

    number: int
    id: str
    place: str
    values: Mapping[str, Any]
    source: str = ""
    reason: str = ""


def key_of(found: Found) -> str:
    """A hash of a record's id and content (32 hexadecimal digits), independent of its position."""
    values = {name: value for name, value in found.values.items() if name != "form"}  # its text and blocks tell it
    said = json.dumps([found.id, values, found.source, found.reason], sort_keys=True)  # ASCII: no half pairs
    return hashlib.sha256(said.encode("ascii")).hexdigest()[:32]


def _kind(path: Path) -> str:
    """The suffix that determines the reader, without that of the compression."""
    suffixes = [s.lower() for s in path.suffixes]
    if suffixes and suffixes[-1] in _PACKED:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def _is_of_a_scan(path: Path) -> bool:
    """Whether a scan wrote the file, so that a scan whose results are inside its input skips them."""
    return bool(WRITTEN.fullmatch(path.name)) and (path.parent / MANIFEST).is_file()


def _files_in(folder: Path) -> list[Path]:
    """All files in a folder and below, hidden names and the results of scans skipped."""
    return sorted(
        p
        for p in folder.rglob("*")
        if p.is_file()
        and not any(part.startswith(".") for part in p.relative_to(folder).parts)
        and not _is_of_a_scan(p)
    )


def files_left_out(given: str | Path) -> list[Path]:
    """The files of a folder that a scan does not read because of their suffix; none of what is no folder."""
    return [p for p in _files_in(Path(given)) if _kind(p) not in SUFFIXES] if Path(given).is_dir() else []


def found_files(inputs: Sequence[str | Path]) -> list[Path]:
    """The files named by folders, globs and paths, in order, each once.

    Of a folder all below it, hidden names and the results of scans skipped.

    Raises
    ------
    InputError
        An input that names nothing, or a folder without a readable file.
    """
    if not inputs:
        raise InputError("inputs: must name at least one file, folder or glob, got none")
    files: dict[Path, None] = {}
    for given in inputs:
        path = Path(given)
        if path.is_dir():
            inside = [p for p in _files_in(path) if _kind(p) in SUFFIXES]
            if not inside:
                raise InputError(f"{path}: the folder must hold {', '.join(SUFFIXES)}, got none; name the files")
            files |= dict.fromkeys(inside)
        elif path.exists():
            files[path] = None
        else:
            named = sorted(Path(p) for p in glob.glob(str(given), recursive=True))
            if not named:
                raise InputError(f"{one_line(given)}: must be a file, a folder or a glob, got nothing there")
            files |= dict.fromkeys(p for p in named if p.is_file())
    return list(files)


@dataclass
class RecordReader:
    """The records of files, and the reading progress.

    Parameters
    ----------
    files : what :func:`found_files` gave.
    job : whose fields are read.
    columns : field of the job -> the name it has in the files; by default its own.
    by : a column that is kept, and that statistics count by.
    encoding : of the files that hold text, a name that Python knows; Parquet and WARC say their own.
    """

    files: Sequence[Path]
    job: str
    columns: Mapping[str, str] = field(default_factory=dict)
    by: str | None = None
    encoding: str = "utf-8"

    def __post_init__(self) -> None:
        self.encoding = known_encoding(self.encoding)
        unknown = [name for name in self.columns if name not in FIELDS[self.job]]
        if unknown:
            raise InputError(f"field {unknown[0]!r}: {self.job} reads {', '.join(FIELDS[self.job])}")
        self.n_bytes = sum(p.stat().st_size for p in self.files)
        self._before = 0
        self._now: Callable[[], int] = lambda: 0

    @property
    def share(self) -> float:
        """The share of bytes read, in [0, 1]."""
        return min(1.0, (self._before + self._now()) / max(1, self.n_bytes))

    def __iter__(self) -> Iterator[Found]:
        number = 0
        self._before = 0
        for path in self.files:
            for place, row, reason in self._rows(path):
                number += 1
                yield self._found(number, place, row, reason)
            self._now = lambda: 0
            self._before += path.stat().st_size

    def _rows(self, path: Path) -> Iterator[_Row]:
        """The rows of a file; if reading fails, the last row holds the error."""
        kind = _kind(path)
        read = {".parquet": self._parquet, ".json": self._list, _WARC: self._warc}.get(kind, self._text)
        read = self._json_lines if kind in _LINES else self._table if kind in TABLES else read
        n = 0
        try:
            for row in read(path):
                n += 1
                yield row
        except MissingExtraError:
            raise
        except _FAULTS as error:
            self._now = lambda: 0
            line = error.line if isinstance(error, FormatError) else None
            said = _without_place(error, path) or type(error).__name__
            yield f"{path}:{line or n + 1}", None, f"nothing more of the file can be read: {said}"

    @contextmanager
    def _open(self, path: Path) -> Iterator[BinaryIO]:
        """The decompressed bytes of a file, as UTF-8."""
        with self._unpacked(path) as file:
            yield file if self.encoding == "utf-8" else recoded(file, self.encoding, str(path))

    @contextmanager
    def _unpacked(self, path: Path) -> Iterator[BinaryIO]:
        """The decompressed bytes of a file; progress is the position in the compressed file."""
        with path.open("rb") as raw:
            self._now = raw.tell
            suffix = path.suffix.lower()
            if suffix == ".gz":
                with gzip.GzipFile(fileobj=raw) as unpacked:
                    yield io.BufferedReader(unpacked, 1 << 16)
            elif suffix == ".zst":
                try:
                    import zstandard
                except ImportError:
                    raise MissingExtraError("zstandard", extra="scan") from None
                with zstandard.ZstdDecompressor().stream_reader(raw, read_across_frames=True) as stream:
                    yield io.BufferedReader(stream, 1 << 16)
            else:
                yield raw
            self._now = lambda: 0

    def _lines(self, path: Path) -> Iterator[tuple[int, int, bytes]]:
        """Number, first byte and bytes of each line, without a byte order mark; a line over the limit is cut."""
        with self._open(path) as file:
            number = at = 0
            while raw := file.readline(MAX_LINE_BYTES + 1):
                number += 1
                if number == 1:
                    check_utf8(raw, str(path), may_name=True)
                line = raw.removeprefix(codecs.BOM_UTF8) if number == 1 else raw
                yield number, at + len(raw) - len(line), line
                at += len(raw)
                while len(raw) > MAX_LINE_BYTES and not raw.endswith(b"\n"):
                    raw = file.readline(MAX_LINE_BYTES + 1)
                    at += len(raw)

    def _json_lines(self, path: Path) -> Iterator[_Row]:
        for number, at, raw in self._lines(path):
            if not raw.strip():
                continue
            place = f"{path}:{number}"
            if len(raw) > MAX_LINE_BYTES:
                yield place, None, f"a line must be at most {MAX_LINE_BYTES} bytes, got a longer one"
                continue
            try:
                line = decode(raw, name=str(path), line=number, offset=at, may_name=True)
                line = line.removesuffix("\n").removesuffix("\r")
                value = parse_json(line, name=str(path), line=number, ended=raw.endswith(b"\n"))
            except _FAULTS as error:
                yield place, None, _without_place(error, path)
                continue
            yield place, value, "" if isinstance(value, dict) else "each line must be one JSON object"

    def _list(self, path: Path) -> Iterator[_Row]:
        if path.suffix.lower() in _PACKED:
            raise InputError("a packed list of JSON cannot be read; write JSON Lines")
        for line, value in json_items(Source(path, encoding=self.encoding)):
            yield f"{path}:{line}", value, "" if isinstance(value, dict) else "each item must be one JSON object"

    def _table(self, path: Path) -> Iterator[_Row]:
        lines = (raw.decode("utf-8", "surrogateescape") for _, _, raw in self._lines(path))
        rows = csv_cells(lines, _kind(path), name=str(path), max_bytes=MAX_LINE_BYTES)
        _, header = next(rows)
        for line, cells in rows:
            reason = ""
            if len(cells) != len(header):
                reason = f"each row must have {len(header)} cells as the header has, got {len(cells)}"
            elif any("\ud800" <= c <= "\udfff" for cell in cells for c in cell):
                reason = "must be UTF-8, got other bytes; name their encoding (--encoding)"
            yield f"{path}:{line}", None if reason else dict(zip(header, cells, strict=True)), reason

    def _parquet(self, path: Path) -> Iterator[_Row]:
        for number, row in parquet_rows(Source(path)):
            yield f"{path}:{number}", row, ""

    def _text(self, path: Path) -> Iterator[_Row]:
        with self._open(path) as file:
            raw = file.read(MAX_TEXT_BYTES + 1)
        place = str(path)
        if len(raw) > MAX_TEXT_BYTES:
            yield place, None, f"a text must be at most {MAX_TEXT_BYTES >> 20} MiB long, got more"
            return
        if kind_of_document(_kind(path), raw, known=_kind(path) in TEXT_SUFFIXES) in ("pdf", "docx"):
            yield place, None, "a scan reads no PDF and no Word file; save it as plain text (.txt)"
            return
        try:
            text = decode(raw, name=place, may_name=True)
        except FormatError as error:
            yield place, None, _without_place(error, path)
            return
        name = FIELDS[self.job][0]
        row: dict[str, Any] = {"id": path.as_posix(), self.columns.get(name, name): text}
        row[self.columns.get(name, name)], meta = shown_text(text, _kind(path))
        row |= meta
        yield place, row, "" if "\0" not in text else "must be text, got a NUL character; is this a binary file?"

    def _warc(self, path: Path) -> Iterator[_Row]:
        try:
            from fastwarc.warc import ArchiveIterator, WarcRecordType
            from trafilatura import extract
        except ImportError:
            raise MissingExtraError("fastwarc or trafilatura", extra="scan") from None
        name = FIELDS[self.job][0]
        with path.open("rb") as file:
            self._now = file.tell
            for record in ArchiveIterator(file, record_types=WarcRecordType.response, parse_http=True):
                uri = str(record.headers.get("WARC-Target-URI", ""))
                place = f"{path}:{record.headers.get('WARC-Record-ID', '')}"
                kind = str(record.http_content_type or "")
                if kind not in ("text/html", "application/xhtml+xml", "text/plain"):
                    continue
                body = record.reader.read(MAX_TEXT_BYTES + 1)
                if len(body) > MAX_TEXT_BYTES:
                    yield place, None, f"a text must be at most {MAX_TEXT_BYTES >> 20} MiB long, got more"
                    continue
                page = _page(body, record.http_charset)
                text = page if kind == "text/plain" else extract(page, include_comments=False)
                row = {"id": uri or place, "url": uri, self.columns.get(name, name): text or ""}
                yield place, row, "" if text else "the page must hold text, got none"

    def _found(self, number: int, place: str, row: Mapping[str, Any] | None, reason: str) -> Found:
        if row is None or reason:
            return Found(number, place, place, {}, reason=reason or "must be a record")
        own = row.get("id")
        has_own = isinstance(own, (str, int)) and own != "" and not isinstance(own, bool)
        id_ = whole_characters(str(own)) if has_own else place
        source = "" if self.by is None or row.get(self.by) is None else one_line(row[self.by], MAX_SOURCE)
        values: dict[str, Any] = {}
        for name in FIELDS[self.job]:
            column = self.columns.get(name, name)
            value = row.get(column)
            if name == "evidence" and isinstance(value, str):
                value = [line for line in value.splitlines() if line.strip()]  # a table has no lists
            elif name == "evidence" and isinstance(value, list):
                value = [evidence_text(v) for v in value]
            reason = _wrong(row, column, value, several=name == "evidence")
            if reason:
                return Found(number, id_, place, {}, source, reason)
            values[name] = value
        if "blocks" in row and self.job == "detection" and _kind(Path(place)) in TEXT_SUFFIXES:
            values |= {"blocks": row["blocks"], "form": row["form"]}
        return Found(number, id_, place, values, source)


def _page(body: bytes, charset: str | None) -> str:
    """A page in the encoding that it says, or in UTF-8 if there is no such encoding of text."""
    try:
        return body.decode(charset or "utf-8", "replace")
    except (LookupError, ValueError):  # such as "hex" or "none", and "idna", which replaces nothing
        return body.decode("utf-8", "replace")


def _without_place(error: Exception, path: Path) -> str:
    """What an error says, without the place that stands beside it."""
    return one_line(re.sub(rf"^{re.escape(str(path))}(:\d+)*: ", "", str(error)), 300)


def _wrong(row: Mapping[str, Any], column: str, value: object, *, several: bool) -> str:
    """The problem of a field, else ""."""
    if column not in row:
        return one_line(f"must have the field {column!r}, got {', '.join(map(repr, list(row)[:8]))}", 300)
    if several:
        good = isinstance(value, list) and all(isinstance(v, str) for v in value)
        return "" if good else f"the field {column!r} must be a list of texts, got {one_line(repr(value), 40)}"
    return "" if isinstance(value, str) else f"the field {column!r} must be a string, got {one_line(repr(value), 40)}"

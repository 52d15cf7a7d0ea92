"""Parts of a scan: N consecutive records of the input, examined and written whole or not at all."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, Field, ValidationError

from fallax.core.json_value import JsonValue
from fallax.core.sealed import dump_sealed, unseal
from fallax.core.whole import read_whole_json
from fallax.detection.systems.entry import NO_TEXT
from fallax.errors import FormatError, InputError, MissingExtraError, UnknownNameError
from fallax.scan.jobs import Examiner
from fallax.scan.records import Found, key_of

__all__ = [
    "FORMATS",
    "MAX_SOURCES",
    "OTHER",
    "ROWS",
    "ScanBlock",
    "ScanCounts",
    "blocks_of",
    "check_form",
    "is_done",
    "make_part",
    "put_part",
    "read_counts",
]

#: form -> suffix of its files.
FORMATS = {"jsonl": "JSON Lines", "parquet": "Parquet (extra: parquet)"}
#: what a row is.
ROWS = {"texts": "a row for each record", "findings": "a row for each finding, which is a label of a passage"}
#: Most characters of a block, so that books take no more memory than comments.
_MAX_CHARACTERS = 8_000_000
#: Most sources counted separately; the others are counted together under this name.
MAX_SOURCES, OTHER = 1000, "(other)"


@dataclass(frozen=True, slots=True)
class ScanBlock(JsonValue):
    """Consecutive records that form one part.

    Parameters
    ----------
    number : from 0.
    records : in the order of the input.
    """

    number: int
    records: tuple[Found, ...]

    @property
    def digest(self) -> str:
        """A hash of the ids and contents of the records."""
        return hashlib.sha256("".join(map(key_of, self.records)).encode("ascii")).hexdigest()

    @property
    def name(self) -> str:
        """The file name without suffix."""
        return f"part-{self.number:06d}"


def blocks_of(records: Iterable[Found], *, size: int) -> Iterator[ScanBlock]:
    """Blocks of ``size`` records, fewer if they are very long; the same input gives the same blocks."""
    if size < 1:
        raise InputError(f"part_size must be at least 1, got {size}")
    waiting: list[Found] = []
    number = length = 0
    for record in records:
        waiting.append(record)
        length += sum(len(v) if isinstance(v, str) else sum(map(len, v)) for v in record.values.values())
        if len(waiting) == size or length >= _MAX_CHARACTERS:
            yield ScanBlock(number, tuple(waiting))
            number, waiting, length = number + 1, [], 0
    if waiting:
        yield ScanBlock(number, tuple(waiting))


@dataclass
class ScanCounts:
    """Counts of a part, or of many.

    Parameters
    ----------
    n_records, n_bad, n_found : records, those that could not be examined, those with a finding or a verdict.
    n_unread : those that the system does not read, such as texts in another language.
    n_empty : those without text, in which there is nothing to examine; no source counts them.
    labels : label -> how many findings or verdicts, and in how many records.
    sources : source -> n_records, n_found, and label -> how many records.
    """

    n_records: int = 0
    n_bad: int = 0
    n_found: int = 0
    n_unread: int = 0
    n_empty: int = 0
    labels: dict[str, list[int]] = field(default_factory=dict)
    sources: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def n_examined(self) -> int:
        """The number of records that were examined."""
        return self.n_records - self.n_bad - self.n_empty

    def add(self, source: str, labels: Sequence[str], *, is_found: bool, is_unread: bool) -> None:
        """Count an examined record."""
        self.n_records += 1
        self.n_found += is_found
        self.n_unread += is_unread
        here = self._source(source)
        here["n_records"] += 1
        here["n_found"] += is_found
        for label in sorted(set(labels)):
            counts = self.labels.setdefault(label, [0, 0])
            counts[0] += labels.count(label)
            counts[1] += 1
            here["labels"][label] = here["labels"].get(label, 0) + 1

    def _source(self, name: str) -> dict[str, Any]:
        if name not in self.sources and len(self.sources) >= MAX_SOURCES:
            name = OTHER
        return self.sources.setdefault(name, {"n_records": 0, "n_found": 0, "labels": {}})

    def merge(self, other: ScanCounts) -> None:
        """Add the counts of another part."""
        for name in ("n_records", "n_bad", "n_found", "n_unread", "n_empty"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for label, (n, n_records) in other.labels.items():
            counts = self.labels.setdefault(label, [0, 0])
            counts[0] += n
            counts[1] += n_records
        for name, there in other.sources.items():
            here = self._source(name)
            here["n_records"] += there["n_records"]
            here["n_found"] += there["n_found"]
            for label, n in there["labels"].items():
                here["labels"][label] = here["labels"].get(label, 0) + n

    def to_dict(self) -> dict[str, Any]:
        """The counts as JSON values, names in order."""
        sources = {
            name: {**there, "labels": dict(sorted(there["labels"].items()))}
            for name, there in sorted(self.sources.items())
        }
        return {**asdict(self), "labels": dict(sorted(self.labels.items())), "sources": sources}


def make_part(
    block: ScanBlock, examiner: Examiner, *, form: str, rows: str, settings: str
) -> tuple[ScanCounts, dict[str, bytes]]:
    """Examine a block: returns its counts, and its files in the order of writing.

    Parameters
    ----------
    form, rows : keys of :data:`FORMATS` and :data:`ROWS`.
    settings : a hash of everything but the input that the rows depend on; kept.
    """
    counts = ScanCounts()
    bad: list[dict[str, Any]] = []
    good = [r for r in block.records if not r.reason]
    answers = dict(zip((r.number for r in good), examiner.answers([r.values for r in good]), strict=True))
    found: list[dict[str, Any]] = []
    for record in block.records:
        answer = record.reason or answers[record.number]
        head = {"number": record.number, "id": record.id, "key": key_of(record)}
        if isinstance(answer, str):
            bad.append({**head, "place": record.place, "reason": answer})
            counts.n_records += 1
            counts.n_bad += 1
            continue
        by = {"source": record.source} if record.source else {}
        tail = {"system": examiner.name, "system_hash": examiner.hash}
        spans = answer.get("spans")
        labels = [s["label"] for s in spans] if spans is not None else [answer["label"]]
        if NO_TEXT in answer.get("notes", ()):
            counts.n_records += 1
            counts.n_empty += 1
        else:
            unread = spans == [] and any("nothing was examined" in n for n in answer.get("notes", ()))
            counts.add(record.source, labels, is_found=bool(labels), is_unread=unread)
        if rows == "texts":
            found.append({**head, **by, **answer, **tail})
        else:
            found.extend({**head, **by, **one, **tail} for one in (spans if spans is not None else [answer]))
    content = _json_lines(found) if form == "jsonl" else _parquet(found, examiner, rows)
    done = {
        "input": block.digest, "settings": settings, "output": hashlib.sha256(content).hexdigest(), **counts.to_dict(),
    }  # fmt: skip
    files = {f"bad-{block.number:06d}.jsonl": _json_lines(bad)} if bad else {}
    files[f"{block.name}.{form}"] = content
    files[f"{block.name}.json"] = dump_sealed(done)
    return counts, files


def put_part(folder: Path, block: ScanBlock, files: Mapping[str, bytes]) -> None:
    """Write the files of a part atomically; the last one, its counts, marks it as done."""
    for path in folder.glob(f".{block.name}-*"):  # what an interrupted run left of this block
        path.unlink(missing_ok=True)
    bad = f"bad-{block.number:06d}.jsonl"
    if bad not in files:
        (folder / bad).unlink(missing_ok=True)
    for name, content in files.items():
        _put(folder, block, name, content)


class _Source(BaseModel):
    n_records: int
    n_found: int
    labels: dict[str, int]


class _Done(BaseModel):
    """The contents of a part's file of counts."""

    settings: str
    input: str
    output: str
    n_records: int
    n_bad: int
    n_found: int
    n_unread: int
    n_empty: int
    labels: dict[str, Annotated[list[int], Field(min_length=2, max_length=2)]]
    sources: dict[str, _Source]


def is_done(folder: Path, block: ScanBlock, *, form: str, settings: str) -> bool:
    """Whether the part of a block exists, complete, for the same records and settings."""
    said = _read_done(folder / f"{block.name}.json")
    if said is None or said["settings"] != settings or said["input"] != block.digest:
        return False
    try:
        content = (folder / f"{block.name}.{form}").read_bytes()
    except OSError:
        return False
    return bool(hashlib.sha256(content).hexdigest() == said["output"])


def read_counts(path: Path, *, settings: str, records: str) -> ScanCounts | None:
    """The counts of a part, from its ``part-N.json``; None if it is damaged or of other settings or records.

    Parameters
    ----------
    settings, records : the hashes of both, see :func:`make_part` and :attr:`ScanBlock.digest`.
    """
    said = _read_done(path)
    if said is None or said["settings"] != settings or said["input"] != records:
        return None
    return ScanCounts(**{name: said[name] for name in ScanCounts.__dataclass_fields__})


def _read_done(path: Path) -> dict[str, Any] | None:
    try:
        said = read_whole_json(path)
        return _Done.model_validate(said, strict=True).model_dump() if unseal(said) else None
    except (FormatError, ValidationError, TypeError):
        return None


def _json_lines(rows: Sequence[Mapping[str, Any]]) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode("utf-8", "replace")


def _put(folder: Path, block: ScanBlock, name: str, content: bytes) -> None:
    """Write a file atomically and durably, so that it survives a power cut."""
    number, temporary = tempfile.mkstemp(prefix=f".{block.name}-", dir=folder)
    try:
        with os.fdopen(number, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, folder / name)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def check_form(form: str, rows: str, job: str) -> None:
    """Check the output form, the kind of rows, and that the Parquet extra is installed.

    Raises
    ------
    UnknownNameError, InputError, MissingExtraError
    """
    if form not in FORMATS:
        raise UnknownNameError("format", form, FORMATS)
    if rows not in ROWS:
        raise UnknownNameError("kind of row", rows, ROWS)
    if rows == "findings" and job != "detection":
        raise InputError(f"rows: findings are what detection gives, {job} gives one verdict for each record")
    if form == "parquet":
        try:
            import pyarrow  # noqa: F401
        except ImportError:
            raise MissingExtraError("pyarrow", extra="parquet") from None


#: field -> its Parquet type.
_TYPES = {
    "number": "int64", "id": "string", "key": "string", "source": "string", "n_findings": "int32", "spans": "spans",
    "notes": "strings", "start": "int64", "end": "int64", "label": "string", "confidence": "float64",
    "label_confidence": "float64", "reported": "bool", "text": "string", "probability": "float64", "reason": "string",
    "details": "string", "system": "string", "system_hash": "string",
}  # fmt: skip
_SPAN = ("start", "end", "label", "confidence", "label_confidence", "reported", "text")
_HEAD, _TAIL = ("number", "id", "key", "source"), ("system", "system_hash")
#: (job, kind of row) -> columns of Parquet; what a verdict says beyond them is JSON in ``details``.
_VERDICT = (*_HEAD, "label", "probability", "reason", "details", *_TAIL)
_COLUMNS = {
    ("detection", "texts"): (*_HEAD, "n_findings", "spans", "notes", *_TAIL),
    ("detection", "findings"): (*_HEAD, *_SPAN, *_TAIL),
    ("faithfulness", "texts"): _VERDICT,
    ("verification", "texts"): _VERDICT,
}


def _parquet(rows: Sequence[Mapping[str, Any]], examiner: Examiner, kind: str) -> bytes:
    import pyarrow as pa
    from pyarrow import parquet

    types = {"string": pa.string(), "int64": pa.int64(), "int32": pa.int32(), "float64": pa.float64()}
    types |= {"bool": pa.bool_(), "strings": pa.list_(pa.string())}
    types["spans"] = pa.list_(pa.struct([(name, types[_TYPES[name]]) for name in _SPAN]))
    names = _COLUMNS[examiner.job, kind]
    table = []
    for row in rows:
        rest = {k: v for k, v in row.items() if k not in names}
        table.append({**row, "details": json.dumps(rest, ensure_ascii=False) if rest else None})
    metadata = {"fallax.system": examiner.name, "fallax.system_hash": examiner.hash}
    schema = pa.schema([(name, types[_TYPES[name]]) for name in names], metadata=metadata)
    sink = pa.BufferOutputStream()
    parquet.write_table(pa.Table.from_pylist(table, schema=schema), sink, compression="zstd")
    content: bytes = sink.getvalue().to_pybytes()
    return content

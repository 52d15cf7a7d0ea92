"""A run folder: ``run.json``, ``records.jsonl``, ``scores.json``, and a lock that ends with its process."""

from __future__ import annotations

import json
import os
import re
import zlib
from array import array
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from fallax.core.closing import Closing
from fallax.core.journal import append_line, cut_torn_line, locked, write_whole
from fallax.core.json_value import JsonValue
from fallax.core.sealed import dump_sealed, unseal
from fallax.core.types import Usage
from fallax.core.whole import read_whole_bytes
from fallax.errors import FormatError, InputError, RunError, one_line
from fallax.runs.base import Row

__all__ = ["FORMAT", "RowCounts", "RunFolder", "check_same", "read_lines", "read_rows", "read_run", "read_scores"]

#: What ``run.json`` calls this layout.
FORMAT = "fallax-run/1"
_LOCK, _RUN, _RECORDS, _SCORES = "run.lock", "run.json", "records.jsonl", "scores.json"


#: How every line of records begins, so that its place can be read without the rest of it.
_HEAD = re.compile(
    rb'\{"position":(\d+),"epoch":(\d+),"status":"(ok|unreadable|not_asked|error)","usage":(\{[^{}]*\}),'
)
#: How the last field of a line begins and ends, around eight hexadecimal digits.
_CRC, _CRC_END, _CRC_BYTES = b',"crc":"', b'"}\n', 19
_UNICODE = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
_ASCII = json.JSONEncoder(allow_nan=False, separators=(",", ":"))


def _dump(row: Row) -> bytes:
    """A row as a line of JSON; unpaired surrogates are escaped, since UTF-8 cannot encode them."""
    value = row.to_dict()
    try:
        return _sealed(_UNICODE.encode(value).encode("utf-8")[:-1])
    except UnicodeEncodeError:
        return _sealed(_ASCII.encode(value).encode("ascii")[:-1])


def _sealed(begun: bytes) -> bytes:
    """A line from all of it but the closing brace."""
    return b'%b,"crc":"%08x"}\n' % (begun, zlib.crc32(begun))


def with_checksum(line: bytes) -> bytes:
    r"""Append the CRC-32 of a line as its last field; a line that has one is returned unchanged.

    Examples
    --------
    >>> with_checksum(b'{"position":0}\n')
    b'{"position":0,"crc":"b1f93f11"}\n'
    """
    return line if _has_checksum(line) else _sealed(line[:-2])


def _has_checksum(line: bytes) -> bool:
    return line[-_CRC_BYTES:-11] == _CRC and line.endswith(_CRC_END)


def is_sound(line: bytes, *, needs_checksum: bool) -> bool:
    """True if a line's checksum is right, or is missing and not required."""
    if not _has_checksum(line):
        return not needs_checksum
    return b"%08x" % zlib.crc32(line[:-_CRC_BYTES]) == line[-11:-3]


def _read_readable(file: Path) -> Any:
    """Read JSON that :func:`~fallax.core.sealed.dump_sealed` wrote; its checksum is verified and removed."""
    try:
        found = json.loads(read_whole_bytes(file))
    except (ValueError, RecursionError) as error:
        raise RunError(f"{file}: must be what fallax wrote: {one_line(error)}") from error
    if isinstance(found, dict) and not unseal(found):
        raise RunError(
            f"{file}: its checksum does not match: the file was edited or damaged; restore it from a copy, or remove"
            ' the line "crc" to use it as it is'
        )
    return found


def read_scores(path: str | Path) -> dict[str, Any] | None:
    """The contents of ``scores.json``; None if there is none.

    Raises
    ------
    RunError
        If it is damaged; ``fallax bench score`` counts anew and needs none.
    """
    file = Path(path) / _SCORES
    found: dict[str, Any] | None = _read_readable(file) if file.is_file() else None
    return found


@dataclass(slots=True)
class RowCounts(JsonValue):
    """Counts of rows by status, and their usage.

    Examples
    --------
    >>> counts = RowCounts()
    >>> counts.add("ok", Usage(calls=2))
    >>> counts.n, counts.usage.calls
    (1, 2)
    """

    ok: int = 0
    unreadable: int = 0
    error: int = 0
    not_asked: int = 0
    usage: Usage = field(default_factory=Usage)

    def add(self, status: str, usage: Usage) -> None:
        """Count one row."""
        setattr(self, status, getattr(self, status) + 1)
        self.usage = self.usage + usage

    @property
    def n(self) -> int:
        """The number of rows."""
        return self.ok + self.unreadable + self.not_asked + self.error


def read_run(path: str | Path) -> dict[str, Any]:
    """The contents of ``run.json``.

    Raises
    ------
    RunError
        If the folder is no run folder, or the file is not what :func:`~fallax.runs.run_json.check_run_json` takes.
    """
    from fallax.runs.run_json import check_run_json  # and with it pydantic, which commands without a run need not

    file = Path(path) / _RUN
    if not file.is_file():
        raise RunError(f"{path}: must be a run folder, found no {_RUN} in it; `fallax bench run` writes one")
    found = _read_readable(file)
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        got = found.get("format") if isinstance(found, dict) else type(found).__name__
        raise RunError(f"{file}: must have the format {FORMAT!r}, got {one_line(got, 40)!r}")
    try:
        check_run_json(found)
    except InputError as error:
        raise RunError(f"{file}: {error}; the file was edited or damaged") from None
    return found


class _Index:
    """The byte offset of the last line of each (position, epoch)."""

    def __init__(
        self, path: Path, n_samples: int, n_epochs: int, needs_checksum: bool, *, counts: bool = False
    ) -> None:
        self.path = path
        self._needs_checksum = needs_checksum
        self.offsets = array("q", [-1]) * (n_samples * n_epochs)
        self.failed = bytearray(n_samples * n_epochs)
        self.counts = RowCounts()
        self.n_lines = 0
        self.in_order = True
        self.last = -1
        self._n_epochs = n_epochs
        usage: dict[int, tuple[str, Usage]] = {}
        if not path.exists():
            return
        with path.open("rb") as lines:
            offset = 0
            for number, line in enumerate(lines, 1):
                if not line.endswith(b"\n"):
                    break  # torn; whoever writes next cuts it off
                place, status, usage_json = self._read(line, number)
                self.n_lines += 1
                self.in_order = self.in_order and place > self.last
                self.last = place
                if counts and self.offsets[place] >= 0:
                    usage.pop(place, None)
                self.offsets[place] = offset
                self.failed[place] = status == "error"
                if counts:
                    took = Usage.from_json(usage_json)
                    if status == "error":
                        usage[place] = (status, took)  # may be superseded by a later line
                    else:
                        self.counts.add(status, took)
                offset += len(line)
        for status, took in usage.values():
            self.counts.add(status, took)

    def _read(self, line: bytes, number: int) -> tuple[int, str, bytes]:
        head = _HEAD.match(line)
        if head is not None and line.endswith(b"}\n") and is_sound(line, needs_checksum=self._needs_checksum):
            position, epoch = int(head[1]), int(head[2])
            place = position * self._n_epochs + epoch
            if epoch < self._n_epochs and place < len(self.offsets):
                return place, head[3].decode("ascii"), head[4]
        raise FormatError(
            f"must be a row of this run, got {one_line(line[:80].decode('utf-8', 'replace'), 60)!r}; the file was"
            f" edited or damaged: fallax bench repair {self.path.parent} keeps the intact rows",
            path=self.path,
            line=number,
        )

    def lines(self, epoch: int | None = None) -> Iterator[tuple[int, bytes]]:
        """The last line of each (position, epoch) in order, each after its place."""
        if not self.n_lines:
            return
        with self.path.open("rb") as file:
            for place, offset in enumerate(self.offsets):
                if offset >= 0 and (epoch is None or place % self._n_epochs == epoch):
                    if file.tell() != offset:
                        file.seek(offset)
                    yield place, file.readline()


def _sizes(run: Mapping[str, Any]) -> tuple[int, int, bool]:
    """Samples and epochs of a run, and whether its rows have checksums (rows of earlier releases do not)."""
    return run["data"]["n_samples"], run["epochs"], run.get("checksums") == "crc32"


def read_rows(path: str | Path, *, epoch: int | None = None) -> Iterator[Row]:
    """Iterate over the rows of a run folder in the order of the samples, the newest of each.

    Parameters
    ----------
    path : the run folder, finished or not; it may be written to meanwhile.
    epoch : only the rows of this epoch.
    """
    for _, line in read_lines(path, epoch=epoch):
        try:
            row = Row.from_json(line)
        except (KeyError, TypeError, ValueError) as error:
            raise FormatError(
                f"must be rows of fallax, got {one_line(line[:80].decode('utf-8', 'replace'), 60)!r}"
                f" ({one_line(error, 80)}); the file was edited or damaged",
                path=Path(path) / _RECORDS,
            ) from error
        yield row


def read_lines(path: str | Path, *, epoch: int | None = None) -> Iterator[tuple[int, bytes]]:
    """The raw lines behind :func:`read_rows`, each after its place (position x epochs + epoch)."""
    return _Index(Path(path) / _RECORDS, *_sizes(read_run(path))).lines(epoch)


class RunFolder(Closing):
    """A run folder, locked for writing by this process.

    Parameters
    ----------
    path : created where missing.
    run : what ``run.json`` shall say; where the folder has one already, it must say the same.
    check_rows : False to open a folder whose rows are damaged, which is to be repaired.

    Raises
    ------
    RunError
        If another process is at work in the folder, or it belongs to another command, or cannot be written.
    """

    def __init__(self, path: str | Path, run: Mapping[str, Any], *, check_rows: bool = True) -> None:
        self.path = Path(path)
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            self._lock = _lock(self.path / _LOCK)
        except OSError as error:
            raise RunError(f"{self.path}: a run folder must be a folder that can be written: {error}") from error
        self._fd = -1
        try:
            self._begin(dict(run), check_rows)
        except BaseException:
            self.close()
            raise

    def _begin(self, run: dict[str, Any], check_rows: bool) -> None:
        if (self.path / _RUN).exists():
            there = read_run(self.path)
            wanted, run = run, {**run, "versions": _versions(there, run), "checksums": there.get("checksums")}
            if run["versions"] == wanted["versions"]:
                check_same(self.path, there, run)
            else:  # another patch release: its rows are alike where all else is
                check_same(self.path, {**there, "versions": run["versions"]}, run)
                run["signature"] = _signed(str(run.get("signature", "")), run["versions"])
                if run["versions"] != there["versions"]:
                    write_whole(self.path / _RUN, [dump_sealed(run)])
        else:
            if (self.path / _RECORDS).exists():
                raise RunError(f"{self.path}: has a {_RECORDS} but no {_RUN}; use another folder")
            run["checksums"] = "crc32"
            write_whole(self.path / _RUN, [dump_sealed(run)])
        self.run = run
        records = self.path / _RECORDS
        self._fd = os.open(records, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
        if not check_rows:
            return
        cut_torn_line(self._fd)
        index = _Index(records, *_sizes(run), counts=True)
        self.counts = index.counts
        self._n_epochs: int = run["epochs"]
        self._done = bytearray(int(o >= 0 and not f) for o, f in zip(index.offsets, index.failed, strict=True))
        self._seen = bytearray(int(o >= 0) for o in index.offsets)
        self._in_order, self._last = index.in_order, index.last

    def is_done(self, position: int, epoch: int) -> bool:
        """True if there is a row that need not be retried."""
        return bool(self._done[position * self._n_epochs + epoch])

    def append(self, row: Row) -> None:
        """Write a row; once this returns, a killed process cannot lose it.

        Raises
        ------
        RunError
            If the disk is full or gone; what was written before stays whole.
        """
        line = _dump(row)
        try:
            append_line(self._fd, line)
        except OSError as error:
            raise RunError(
                f"{self.path / _RECORDS}: cannot be written: {error}; what was written stays; the same command resumes"
            ) from error
        place = row.position * self._n_epochs + row.epoch
        if self._seen[place]:
            self.counts.error -= 1  # what is tried again is a row that failed
        self._seen[place] = 1
        self._done[place] = row.status != "error"
        self._in_order = self._in_order and place > self._last
        self._last = place
        self.counts.add(row.status, row.usage)

    def sort(self) -> None:
        """Sort the rows by sample, one of each, through a new file that replaces the old one."""
        if self._in_order:
            os.fsync(self._fd)
            return
        index = _Index(self.path / _RECORDS, *_sizes(self.run))
        self.replace_lines(line for _, line in index.lines())

    def replace_lines(self, lines: Iterable[bytes]) -> None:
        """Replace all rows atomically."""
        records = self.path / _RECORDS
        write_whole(records, map(with_checksum, lines))
        os.close(self._fd)
        self._fd = os.open(records, os.O_RDWR | os.O_APPEND)

    def write_scores(self, scores: Mapping[str, Any]) -> None:
        """Write ``scores.json`` atomically."""
        write_whole(self.path / _SCORES, [dump_sealed(scores)])

    def remove_scores(self) -> None:
        """Delete ``scores.json``, which is out of date once new rows are written."""
        (self.path / _SCORES).unlink(missing_ok=True)

    def close(self) -> None:
        """Release the folder."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
        self._lock.close()


def _lock(path: Path) -> BinaryIO:
    """Take the folder's lock; the system releases it when this process ends."""
    file = path.open("r+b" if path.exists() else "w+b")
    if not locked(file):
        file.seek(0)
        holder = one_line(file.read(40).decode("ascii", "replace").strip(), 20)
        file.close()
        raise RunError(
            f"{path.parent}: another process is using this run folder (process {holder or 'unknown'});"
            " wait until it ends, or name another folder"
        )
    file.seek(0)
    file.truncate()
    file.write(str(os.getpid()).encode())
    file.flush()
    return file


def _flat(value: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping) and value:
        for name, inner in value.items():
            yield from _flat(inner, f"{prefix}.{name}" if prefix else str(name))
    else:
        yield prefix, value


def _versions(there: Mapping[str, Any], run: Mapping[str, Any]) -> dict[str, Any]:
    """The release that began a run and the patch releases that resumed it; else the current release."""
    begun, now = str(there["versions"].get("fallax")), str(run["versions"]["fallax"])
    resumed = list(there["versions"].get("resumed") or [])
    if begun.split(".")[:2] != now.split(".")[:2] or (begun == now and not resumed):
        return dict(run["versions"])
    return {"fallax": begun, "resumed": [*resumed, *([now] if now not in (begun, *resumed) else [])]}


def _signed(signature: str, versions: Mapping[str, Any]) -> str:
    """A signature that names every release that wrote rows."""
    said = "+".join([versions["fallax"], *versions["resumed"]])
    return "|".join(f"fallax:{said}" if part.startswith("fallax:") else part for part in signature.split("|"))


def check_same(path: Path, there: Mapping[str, Any], wanted: Mapping[str, Any], *, how: str = "") -> None:
    """Raise RunError at the first difference of two ``run.json``, options before the data that follow from them.

    Signatures are ignored, and what earlier releases did not say: whether data are the user's own, how many of their
    spans could not be used, and the labels that a system can name.
    """
    one = dict(_flat(json.loads(json.dumps(there))))
    two = dict(_flat(json.loads(json.dumps(wanted))))
    for name in sorted(one.keys() | two.keys(), key=lambda n: (n.startswith("data."), n)):
        if name == "system.labels" and None in (one.get(name), two.get(name)):
            continue
        if name not in ("signature", "checksums", "data.own", "data.n_bad_spans") and one.get(name) != two.get(name):
            if name == "data.hash" and not how:
                how = "the samples or their gold have changed: restore the data, or use another folder"
            raise RunError(
                f"{path}: the run was started with {name} = {one_line(json.dumps(one.get(name)), 60)}, now it is"
                f" {one_line(json.dumps(two.get(name)), 60)}; {how or 'give the same command, or another folder'}"
            )

"""Scans many records into a folder; the same command resumes, on one machine or many."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fallax._version import __version__
from fallax.core.checked import checked
from fallax.core.sink import dump_json, make_folder, open_out
from fallax.core.whole import read_whole_json
from fallax.errors import FormatError, InputError, UnknownNameError, one_line
from fallax.scan.jobs import ScanJob, examiner_of, job_of
from fallax.scan.parts import ScanBlock, ScanCounts, blocks_of, check_form, is_done, read_counts
from fallax.scan.records import MANIFEST, WRITTEN, RecordReader, found_files
from fallax.scan.workers import Writing, examine_all

__all__ = ["ENGINES", "PART_SIZE", "Scan", "ScanProgress", "scan"]

#: engine -> what examines.
ENGINES = {"processes": "this process, or --workers of them", "ray": "actors of Ray (extra: ray)"}
#: Records of a part.
PART_SIZE = 1000
_STATISTICS = ("statistics.json", "statistics.html")


@dataclass(frozen=True)
class Scan:
    """The results of a scan in its folder.

    Parameters
    ----------
    folder : where it is.
    system : who examined, with its version.
    counts : of all parts that are there.
    n_parts : how many parts the input has.
    n_there : how many of them are there, of the same records; fewer where other machines have the others.
    n_examined : records that were examined now; the others were there.
    by : the column that sources are of, if one was named.
    """

    folder: Path
    system: str
    counts: ScanCounts
    n_parts: int
    n_there: int
    n_examined: int
    by: str | None = None

    @property
    def is_whole(self) -> bool:
        """Whether every part is there."""
        return self.n_there == self.n_parts

    @property
    def first_reason(self) -> str:
        """Place and reason of the first record that could not be examined; "" if there is none."""
        for path in sorted(self.folder.glob("bad-*.jsonl")):
            with path.open(encoding="utf-8") as file:
                said = json.loads(file.readline())
            return f"{said['place']}: {said['reason']}"
        return ""

    def to_dict(self) -> dict[str, Any]:
        """The contents of ``statistics.json``."""
        return {"system": self.system, "n_parts": self.n_parts, **self.counts.to_dict()}


@dataclass
class ScanProgress:
    """The progress of a scan.

    Parameters
    ----------
    n_done : records that are done, those of earlier runs among them.
    n_examined : records that were examined now.
    share : how much of the input is read, in [0, 1].
    """

    n_done: int = 0
    n_examined: int = 0
    share: float = 0.0
    _sizes: dict[int, int] = field(default_factory=dict)


@checked()
def scan(
    inputs: str | Path | Sequence[str | Path],
    *,
    out: str | Path,
    job: ScanJob | None = None,
    columns: Mapping[str, str] | None = None,
    by: str | None = None,
    encoding: str = "utf-8",
    format: str = "jsonl",
    rows: str = "texts",
    shard: tuple[int, int] = (1, 1),
    workers: int = 1,
    engine: str = "processes",
    address: str | None = None,
    part_size: int = PART_SIZE,
    progress: Callable[[ScanProgress], None] | None = None,
) -> Scan:
    r"""Examine many records and write the results, a part at a time.

    Parameters
    ----------
    inputs : a file, folder or glob, or several: JSON Lines (also ``.gz``, ``.zst``), CSV, Parquet, texts, pages, WARC.
    out : the folder; made if it is not there. Parts that it holds already, of the same records, are kept.
    job : who examines what; by default fallacies, by the detector that ships.
    columns : field of the job -> its name in the files.
    by : a column that is kept as ``source``, and that statistics count by.
    encoding : of the files that hold text, a name that Python knows; Parquet and WARC say their own.
    format, rows : of the parts, see :data:`fallax.scan.FORMATS` and :data:`fallax.scan.ROWS`.
    shard : (k, n): only parts k, k + n, k + 2 n, ... of the input, for the k-th of n machines.
    workers : processes that examine; with 1 this one. With Ray, actors.
    engine, address : a key of :data:`ENGINES`; the address of a cluster of Ray, by default this machine.
    part_size : records of a part.
    progress : told how far it is, after each part.

    Returns
    -------
    Scan
        With the counts of all parts in the folder.

    Raises
    ------
    InputError
        If ``out`` holds a scan with other settings or files that a scan would replace, an input names nothing, or
        ``shard`` is not (k, n) with k from 1 to n.

    Notes
    -----
    A part has the same bytes whenever, wherever and by however many workers it was written. It is written whole or not
    at all, its counts last; a part counts as done if those name the hash of its records and of its rows.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "in.jsonl").write_text('{"text": "The kettle boils at seven."}\n{"text": 3}\n')
    ...     found = scan([Path(folder, "in.jsonl")], out=Path(folder, "out"), job=ScanJob(system="linear"))
    >>> found.counts.n_records, found.counts.n_bad
    (2, 1)
    """
    job = job_of(job)
    check_form(format, rows, job.kind)
    if engine not in ENGINES:
        raise UnknownNameError("engine", engine, ENGINES)
    if address is not None and engine != "ray":
        raise InputError("address: is read by the engine ray only")
    if not 1 <= shard[0] <= shard[1]:
        raise InputError(f"shard: must be (k, n) with k from 1 to n, such as (2, 8), got {shard}")
    inputs = [inputs] if isinstance(inputs, str | os.PathLike) else inputs
    reading = RecordReader(found_files(inputs), job.kind, columns or {}, by, encoding)
    examiner = examiner_of(job)
    folder = Path(out)
    settings = {
        "job": job.settings(), "system": examiner.name, "system_hash": examiner.hash, "columns": dict(columns or {}),
        "by": by, "format": format, "rows": rows, "part_size": part_size, "fallax": __version__,
    }  # fmt: skip
    if reading.encoding != "utf-8":
        settings["encoding"] = reading.encoding
    _open_folder(folder, settings, [str(p) for p in inputs])
    digest = hashlib.sha256(json.dumps(settings, sort_keys=True).encode("utf-8")).hexdigest()
    writing = Writing(str(folder), job, format, rows, digest)
    state = ScanProgress()
    tell = progress or (lambda _: None)
    digests: list[str] = []  # of all parts, also those of other machines

    def to_do() -> Iterator[ScanBlock]:
        for block in blocks_of(reading, size=part_size):
            digests.append(block.digest)
            if block.number % shard[1] != shard[0] - 1:
                continue
            if is_done(folder, block, form=format, settings=digest):
                state.n_done += len(block.records)
                state.share = reading.share
                continue
            for name in _STATISTICS:  # they are of the part that is replaced now
                (folder / name).unlink(missing_ok=True)
            yield block

    if engine == "ray":
        from fallax.scan.ray_engine import examine_with_ray

        examined = examine_with_ray(to_do(), writing, workers=workers, address=address)
    else:
        examined = examine_all(to_do(), writing, workers=workers)
    for _, counts_of_part in examined:
        state.n_done += counts_of_part.n_records
        state.n_examined += counts_of_part.n_records
        state.share = reading.share
        tell(state)
    if shard == (1, 1):
        _remove_beyond(folder, len(digests))
    return _finished(folder, examiner.name, digest, digests, state.n_examined, by)


def _open_folder(folder: Path, settings: Mapping[str, Any], inputs: list[str]) -> None:
    """Create the folder, or check that it holds a scan with the same settings."""
    make_folder(folder)
    path = folder / MANIFEST
    if path.is_file():
        try:
            there = dict(read_whole_json(path)["settings"])
        except (FormatError, ValueError, KeyError, TypeError):
            raise InputError(
                f"{path}: must be the manifest of a scan, got something else; name another folder"
            ) from None
        was, now = ({"encoding": "utf-8", **_flat(s)} for s in (there, settings))
        other = [name for name in now if was.get(name) != now[name]]
        if other:
            old, new = one_line(repr(was.get(other[0])), 80), one_line(repr(now[other[0]]), 80)
            raise InputError(f"{folder}: holds a scan whose {other[0]} is {old}, not {new}; name another folder")
    elif others := [p.name for p in folder.iterdir() if WRITTEN.fullmatch(p.name)]:
        raise InputError(
            f"{folder}: must be a new folder or that of a scan, got one with {min(others)} of something else, which a"
            " scan would replace; name another folder"
        )
    with open_out(path) as write:
        write(dump_json({"inputs": inputs, "settings": dict(settings)}, str(path), indent=1) + "\n")


def _flat(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a scan and its job; chosen settings before derived ones."""
    job = settings.get("job")
    return {**(job if isinstance(job, Mapping) else {}), **{k: v for k, v in settings.items() if k != "job"}}


def _parts_there(folder: Path) -> list[tuple[int, Path]]:
    found = []
    for path in folder.glob("part-*.json"):
        number = path.stem.removeprefix("part-")
        if number.isdecimal():
            found.append((int(number), path))
    return sorted(found)


def _remove_beyond(folder: Path, n_parts: int) -> None:
    """Parts left from an earlier scan of a longer input."""
    for number, path in _parts_there(folder):
        if number >= n_parts:
            for old in (*folder.glob(f"{path.stem}.*"), folder / f"bad-{number:06d}.jsonl"):
                old.unlink(missing_ok=True)


def _finished(folder: Path, system: str, digest: str, digests: Sequence[str], n_examined: int, by: str | None) -> Scan:
    from fallax.scan.view import statistics_page

    counts = ScanCounts()
    n_there = 0
    for number, path in _parts_there(folder):
        if number >= len(digests):
            continue
        counts_of_part = read_counts(path, settings=digest, records=digests[number])
        if counts_of_part is not None:
            counts.merge(counts_of_part)
            n_there += 1
    found = Scan(folder, system, counts, len(digests), n_there, n_examined, by)
    if found.is_whole:
        data, page = _STATISTICS
        with open_out(folder / data) as write:
            write(dump_json(found.to_dict(), data, indent=1) + "\n")
        with open_out(folder / page) as write:
            write(statistics_page(found))
    return found

"""Downloads data sets from their publishers into the user's cache."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Literal, NamedTuple

from fallax.core.download import MAX_UNKNOWN, download, file_sha256
from fallax.core.json_value import JsonValue
from fallax.core.whole import parse_whole_toml, read_whole_json
from fallax.data.claims import CLAIM_SETS
from fallax.data.datasets import DATASETS, Dataset, cache_folder, load_dataset
from fallax.data.faithfulness import FAITHFULNESS_SETS
from fallax.errors import DownloadError, FallaxError, InputError, UnknownNameError, one_line

__all__ = [
    "LOCK",
    "FetchProgress",
    "FetchedFile",
    "Published",
    "PublishedFile",
    "all_datasets",
    "fetch_dataset",
    "find_dataset",
    "published_sources",
]

#: In the folder of a set: what was fetched from where, with its checksums.
LOCK = "fetched.json"


@dataclass(frozen=True, slots=True)
class PublishedFile(JsonValue):
    """One file of a data set, as published.

    Parameters
    ----------
    url : at one commit, so that it never changes.
    name : in the folder of the set.
    size, sha256 : in bytes and hexadecimal; None where the whole file is not known in advance.
    """

    url: str
    name: str
    size: int | None = None
    sha256: str | None = None

    json_names = ("name", "url", "size", "sha256")


@dataclass(frozen=True, slots=True)
class Published(JsonValue):
    """Where a data set is downloaded from.

    Parameters
    ----------
    files : what is fetched; empty where a person must get it.
    by_hand : why it is not fetched, and what to do.
    note : what is fetched of it.
    """

    files: tuple[PublishedFile, ...] = ()
    by_hand: str = ""
    note: str = ""

    @property
    def size(self) -> int | None:
        """The total size in bytes; None if one is unknown or there is no file."""
        sizes = [file.size for file in self.files]
        return sum(s for s in sizes if s is not None) if sizes and None not in sizes else None


@dataclass(frozen=True, slots=True)
class FetchedFile(JsonValue):
    """One file after a download.

    Parameters
    ----------
    path : where it is.
    sha256, size : what it has, hexadecimal and in bytes.
    checked : what the checksum was compared with: "pinned", known to fallax; "lock", what the first fetch wrote down;
        "first fetch", nothing: it was written down now.
    """

    path: Path
    sha256: str
    size: int
    checked: Literal["pinned", "lock", "first fetch"]


@dataclass(frozen=True, slots=True)
class FetchProgress:
    """Progress of downloading one file: bytes so far, and the total if known."""

    name: str
    n_bytes: int
    total: int | None


def read_sources(text: str) -> dict[str, Published]:
    """Read a list of sources (TOML, as in ``sources.toml`` beside this module)."""
    found = {}
    for name, entry in parse_whole_toml(text, "sources.toml").items():
        files = tuple(
            PublishedFile(entry["base"] + f["from"], f["to"], f.get("size"), f.get("sha256"))
            for f in entry.get("files", ())
        )
        found[name] = Published(files, entry.get("by_hand", ""), entry.get("note", ""))
    return found


@cache
def published_sources() -> Mapping[str, Published]:
    """Name of each data set -> where it is downloaded from.

    Examples
    --------
    >>> published_sources()["wikitext2"].size
    1121681
    """
    return read_sources(resources.files("fallax.data").joinpath("sources.toml").read_text("utf-8"))


def all_datasets() -> dict[str, Dataset]:
    """All data sets of any kind by name: annotated texts, claims, summaries."""
    return {**FAITHFULNESS_SETS, **CLAIM_SETS, **DATASETS}


def find_dataset(name: str) -> Dataset:
    """The entry of a data set of any kind, by its name or the name of its folder.

    Raises
    ------
    UnknownNameError
        If there is no data set of that name.
    """
    for found in all_datasets().values():
        if name == found.name or name in found.folders:
            return found
    raise UnknownNameError("data set", name, all_datasets())


def fetch_dataset(
    name: str,
    *,
    folder: str | Path | None = None,
    progress: Callable[[FetchProgress], None] | None = None,
    published: Published | None = None,
    timeout: float = 30.0,
) -> list[FetchedFile]:
    """Download a data set, unless it is here.

    A file whose checksum is known must have it. Of others nobody knows it beforehand: the first fetch writes it and the
    size down beside the data (``fetched.json``), and any later one must bring the same. Files are read once before they
    get their names. What a broken transfer brought is kept, and the next call resumes there.

    Parameters
    ----------
    name : of the data set.
    folder : the folder that holds the data sets; by default the cache of the user.
    progress : told while a file comes.
    published : in place of what :func:`published_sources` says.
    timeout : seconds without a byte.

    Raises
    ------
    UnknownNameError
        If there is no such data set.
    InputError
        If it is one that a person must get, or a file here is not the one that was fetched.
    DownloadError
        If a file cannot be downloaded, has another checksum, or cannot be read as this set.
    """
    info = find_dataset(name)
    published = published or published_sources()[info.name]
    home = (Path(folder) if folder is not None else cache_folder()) / info.name
    if not published.files:
        raise InputError(
            f"data set {info.name!r} is made by hand: {published.by_hand} (from {info.source}); put it into {home}"
        )
    lock = _read_lock(home)
    staging = home.with_name(f"{info.name}.fetching")
    found: list[FetchedFile] = []
    new: dict[str, str] = {}
    for file in published.files:
        known = _Pin(file.sha256, file.size) if file.sha256 else lock.get(file.name, _Pin(None, None))
        target, wanted = home / file.name, known.sha256
        checked: Literal["pinned", "lock", "first fetch"] = (
            "pinned" if file.sha256 else "lock" if wanted else "first fetch"
        )
        if target.exists():
            digest = file_sha256(target)
            if digest != wanted:
                raise InputError(
                    f"{target}: must have SHA-256 {wanted or 'as fetched (nothing is written down)'}, found {digest};"
                    " it is not the published file; move it away and fetch again"
                )
        else:
            digest = new[file.name] = _staged(file, staging / file.name, known, progress, timeout)
        here = target if target.exists() else staging / file.name
        found.append(FetchedFile(target, digest, here.stat().st_size, checked))
    if new:
        _check_readable(info, home, staging, published)
        try:
            home.mkdir(parents=True, exist_ok=True)
            _write_lock(home, published, found)
            for name_ in new:
                (staging / name_).replace(home / name_)
            shutil.rmtree(staging, ignore_errors=True)
        except OSError as error:
            raise DownloadError(f"{home}: cannot be written: {one_line(error)}") from error
    return found


def _staged(
    file: PublishedFile,
    path: Path,
    known: _Pin,
    progress: Callable[[FetchProgress], None] | None,
    timeout: float,
) -> str:
    """The checksum of a file in the staging folder, which an interrupted call may have left."""
    if path.exists() and (digest := file_sha256(path)) == (known.sha256 or digest):
        return digest
    return download(
        file.url,
        path,
        sha256=known.sha256,
        most=known.size or MAX_UNKNOWN,
        progress=_told(file, progress),
        timeout=timeout,
    )


def _told(
    file: PublishedFile, progress: Callable[[FetchProgress], None] | None
) -> Callable[[int, int | None], None] | None:
    if progress is None:
        return None
    return lambda n_bytes, total: progress(FetchProgress(file.name, n_bytes, total or file.size))


class _Pin(NamedTuple):
    """The expected checksum and size of a file; None if unknown."""

    sha256: str | None
    size: int | None


def _read_lock(home: Path) -> dict[str, _Pin]:
    path = home / LOCK
    if not path.exists():
        return {}
    try:
        files = read_whole_json(path)["files"].items()
        return {name: _Pin(str(entry["sha256"]), entry.get("size")) for name, entry in files}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{path}: must be what fallax wrote: {one_line(error)}; move the folder away") from error


def _write_lock(home: Path, published: Published, found: Sequence[FetchedFile]) -> None:
    files = {
        of.name: {"url": of.url, "size": f.size, "sha256": f.sha256, "pinned": of.sha256 is not None}
        for of, f in zip(published.files, found, strict=True)
    }
    partial = home / f"{LOCK}.partial"
    partial.write_text(json.dumps({"files": files}, indent=1) + "\n", encoding="utf-8")
    partial.replace(home / LOCK)


def _check_readable(info: Dataset, home: Path, staging: Path, published: Published) -> None:
    """Check that downloaded files can be read as this set before they are moved to its folder."""
    there = {f.name for f in published.files if (staging / f.name).exists()}
    for split in _splits_of(info, there):
        try:
            n = len(load_dataset(info.name, split=split, folder=staging))
        except (FallaxError, KeyError, TypeError, ValueError) as error:
            reason = f"{type(error).__name__}: {error}" if not isinstance(error, FallaxError) else str(error)
            n, why = 0, one_line(reason, 200)
        else:
            why = "it holds no text"
        if not n:
            shutil.rmtree(staging, ignore_errors=True)
            raise DownloadError(
                f"data set {info.name!r}: what is published cannot be read as it ({why}); nothing was kept;"
                f" get it from {info.source}"
            )


def _splits_of(info: Dataset, there: set[str]) -> Iterator[str]:
    """The splits all of whose files came."""
    for split, names in info.readable.items():
        if set(names) <= there:
            yield split

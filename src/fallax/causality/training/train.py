"""Trains a verifier on claims and writes its folder: heads in minutes, or with a base a fine-tuned encoder too."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from fallax.causality.systems.reading import ClaimReader, ReaderSettings
from fallax.causality.systems.retrieval import EvidenceIndex
from fallax.causality.systems.trained import (
    ARRAYS,
    ENCODER,
    HEADS,
    KIND,
    LINKS,
    TrainedVerifier,
    embedder_hash,
    load_trained_verifier,
)
from fallax.causality.training.claims import needs_of
from fallax.causality.training.links import fit_links
from fallax.causality.training.tuning import CHECKPOINTS
from fallax.causality.training.verdicts import fit_verdicts
from fallax.core.sink import foreign_folder, make_folder
from fallax.core.types.causal import CausalClaim
from fallax.core.types.spans import Record
from fallax.encoders import CARD, load_mean_embedder
from fallax.encoders.files import glanced_card, npz_bytes
from fallax.encoders.heads import folds_of_groups
from fallax.entailment import load_entailment, shipped_entailment
from fallax.errors import InputError

__all__ = ["FineTuning", "TrainingSettings", "make_verifier_folder", "train_verifier", "with_retrieved"]

Progress = Callable[[int, int, str], None]
#: Of so many folds of groups one is kept from the fine-tuning, for the head over its logits.
_KEPT = 5


@dataclass(frozen=True, slots=True)
class FineTuning:
    """How an encoder is fine-tuned.

    Parameters
    ----------
    base : folder with config.json, model.safetensors and tokenizer.json.
    epochs : passes over the claims.
    learning_rate : of the encoder.
    threads : of torch; results repeat with the same number alone.
    save_every : seconds from one checkpoint to the next.
    """

    base: Path
    epochs: int = 3
    learning_rate: float = 1e-4
    threads: int = 1
    save_every: float = 60.0


@dataclass(frozen=True, slots=True)
class TrainingSettings:
    """What is trained.

    Parameters
    ----------
    task : 1 to 4, see :class:`~fallax.causality.systems.trained.TrainedVerifier`.
    fused, n_evidence : see :class:`~fallax.causality.systems.reading.ReaderSettings`.
    seed : of the fine-tuning; heads draw nothing.
    tuning : None: heads over the entailment model that ships, unchanged.
    """

    task: int = 1
    fused: bool = False
    n_evidence: int = 8
    seed: int = 7
    tuning: FineTuning | None = None


def with_retrieved(claims: Sequence[CausalClaim], documents: Sequence[Record], n: int) -> list[CausalClaim]:
    """The claims with evidence that is retrieved from documents in place of their own, without structures.

    Raises
    ------
    InputError
        If nothing in the documents shares a word with any claim.
    """
    index, embedder = EvidenceIndex(documents), load_mean_embedder()
    found = [
        replace(c, evidence=index.nearest(c.claim, n=n, candidates=max(30, n), embedder=embedder)[0], structure=None)
        for c in claims
    ]
    if not any(c.evidence for c in found):
        raise InputError("--documents: must hold sentences that share a word with a claim, got none")
    return found


def train_verifier(
    claims: Sequence[CausalClaim], out: Path, settings: TrainingSettings, *, name: str,
    trained_on: Sequence[dict[str, Any]] = (), progress: Progress | None = None,
) -> TrainedVerifier:  # fmt: skip
    """Train on claims, write the folder, and load it. The same claims and settings give the same heads, byte by byte.

    Parameters
    ----------
    claims : those the task cannot use are left out: tasks 1 and 2 need verdicts, 2 to 4 structures.
    out : the folder, new or of a verifier, about 15 MB; with a base it holds checkpoints until the end, and the same
        call resumes there.
    name : in the card.
    trained_on : for the card.

    Raises
    ------
    InputError
        If no claim can be used, tasks 1 and 2 would see one verdict alone, or the folder holds something else.
    MissingExtraError
        With a base, if torch is not installed.
    """
    task = settings.task
    usable = needs_of(task, claims)
    arrays: dict[str, dict[str, Any]] = {}
    about: dict[str, Any] = {"name": name, "version": "1", "kind": KIND, "task": task, "language": "English"}
    embedder = load_mean_embedder()
    if task in (3, 4):
        known = _Remembered(embedder)
        arrays[LINKS] = fit_links(usable, task, known, progress)
        about["structures"] = len(usable)
    judged = [c for c in usable if c.label is not None]
    make_verifier_folder(out)
    if len({c.label for c in judged}) > 1:
        reads = ReaderSettings(1 if task > 2 else task, settings.fused, settings.n_evidence)
        folder = out / ENCODER
        if settings.tuning is None:
            _copy_shipped(folder)
        else:
            from fallax.causality.training.tuning import fine_tune

            kept = folds_of_groups((c.group for c in judged), _KEPT) == 0
            plain = ClaimReader(load_entailment(), embedder, replace(reads, fused=False))
            tuned = [(plain.passage(c), c) for c, k in zip(judged, kept, strict=True) if not k]
            fine_tune(tuned, folder, out, settings.tuning, seed=settings.seed, name=name, progress=progress)
            judged = [c for c, k in zip(judged, kept, strict=True) if k]
            reads = replace(reads, by="logits")
            needs_of(1, judged)
        load_entailment.cache_clear()
        reader = ClaimReader(load_entailment(str(folder)), embedder, reads)
        head, report = fit_verdicts(judged, reader, progress)
        arrays[HEADS] = {key: getattr(head, key) for key in ARRAYS}
        about |= {"labels": list(head.labels), "reads": reads.to_dict(), "cross_validated": report}
    about |= {"embedder": embedder_hash(), "trained_on": list(trained_on), "files": {}}
    for file, held in arrays.items():
        content = npz_bytes({key: np.asarray(value, dtype=np.float32) for key, value in held.items()})
        (out / file).write_bytes(content)
        about["files"][file] = hashlib.sha256(content).hexdigest()
    (out / CARD).write_text(json.dumps(about, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    shutil.rmtree(out / CHECKPOINTS, ignore_errors=True)
    load_trained_verifier.cache_clear()
    return load_trained_verifier(str(out))


def make_verifier_folder(folder: Path) -> None:
    """Make the folder of a new verifier, unless it is there.

    Raises
    ------
    InputError
        If it holds something else than a verifier or what an interrupted training left. Hidden files do not count.
    """
    make_folder(folder)
    there = {p.name for p in folder.iterdir() if not p.name.startswith(".")}
    others = there - {CARD, ENCODER, CHECKPOINTS, HEADS, LINKS}
    if others or (CARD in there and glanced_card(folder).get("kind") != KIND):
        raise foreign_folder(folder, others or there, of="a verifier")


def _copy_shipped(folder: Path) -> None:
    with resources.as_file(shipped_entailment()) as shipped:
        shutil.copytree(shipped, folder, dirs_exist_ok=True)


class _Remembered:
    """An embedder that reads each text once: the statements of a set recur from claim to claim."""

    def __init__(self, embedder: Any) -> None:
        self.name = str(embedder.name)
        self._embedder = embedder
        self._known: dict[str, Any] = {}

    def __call__(self, texts: Sequence[str], /) -> Any:
        for text in texts:
            if text not in self._known:
                self._known[text] = self._embedder([text])[0].astype(np.float32)
        return np.array([self._known[t] for t in texts])

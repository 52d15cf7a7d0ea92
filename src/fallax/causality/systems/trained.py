"""Verifiers that were trained on claims of your own: a folder with heads, a card and the encoder they belong to."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from pathlib import Path
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from fallax.causality.systems.base import root_of
from fallax.causality.systems.linking import CHOICES, LinkScorer
from fallax.causality.systems.reading import ClaimReader, ReaderSettings, Readings
from fallax.core.types.causal import VERDICTS, CausalClaim, Verdict
from fallax.core.types.structure import ArgumentStructure, Link
from fallax.core.types.verification import Verification
from fallax.encoders import CARD, glanced_card, load_mean_embedder, read_card, read_checked, shipped_folder
from fallax.encoders.heads import attended
from fallax.entailment import load_entailment
from fallax.errors import FallaxError, FormatError, InputError, one_line

__all__ = [
    "ARRAYS",
    "ENCODER",
    "HEADS",
    "KIND",
    "LINKS",
    "TrainedVerifier",
    "VerdictHead",
    "embedder_hash",
    "is_trained",
    "load_trained_verifier",
]

_Floats = npt.NDArray[np.float64]
#: In the card of such a verifier.
KIND = "verifier"
#: The folder, within the verifier's, of the entailment model that its heads belong to.
ENCODER = "encoder"
#: The files of the heads that give a verdict, and of those that draw links; its card may name both.
HEADS, LINKS = "heads.npz", "links.npz"
_WHAT = "a trained verifier"


@dataclass(frozen=True)
class VerdictHead:
    """Softmax regression over the readings of a claim, weighted by attention.

    Parameters
    ----------
    labels : the verdicts, one a class.
    mean, scale : of the readings, shape (d,); they are standardised by them.
    more_mean, more_scale : of what else is known, shape (g,).
    attention : shape (d,), see :func:`fallax.encoders.heads.attended`.
    weight, bias : shapes (d + g, n_classes) and (n_classes,).
    """

    labels: tuple[Verdict, ...]
    mean: _Floats
    scale: _Floats
    more_mean: _Floats
    more_scale: _Floats
    attention: _Floats
    weight: _Floats
    bias: _Floats

    def probabilities(self, found: Readings) -> tuple[_Floats, _Floats]:
        """The probability of each label, and the attention of each reading."""
        rows = (found.rows - self.mean) / self.scale
        mean, share = attended(rows, np.zeros(1, dtype=np.int64), self.attention)
        x = np.concatenate([mean[0], (found.more - self.more_mean) / self.more_scale])
        logits = x @ self.weight + self.bias
        likely = np.exp(logits - logits.max())
        return likely / likely.sum(), share


#: The arrays of ``heads.npz``.
ARRAYS = tuple(f.name for f in fields(VerdictHead) if f.name != "labels")


class TrainedVerifier:
    """Verdicts by a trained head (tasks 1 and 2), structures by a trained scorer of links (tasks 3 and 4).

    Parameters
    ----------
    name : with its version.
    task : of Si et al. 2024; what it is given: 1, leaf evidence; 2, the structure too; 3, all evidence, intermediates
        among it; 4, leaf evidence. Tasks 3 and 4 build the structure.
    head, reader : for the verdict; None where the training claims had one verdict alone.
    links : for the structure, of tasks 3 and 4.
    about : the card.
    classes : with 2, there is always a verdict for or against.
    """

    def __init__(
        self,
        name: str,
        task: int,
        *,
        head: VerdictHead | None,
        reader: ClaimReader | None,
        links: LinkScorer | None,
        about: Mapping[str, Any],
        classes: int = 3,
    ) -> None:
        self.name = name
        self.task = task
        self.head = head
        self.reader = reader
        self.links = links
        self.about = about
        self.classes = classes

    @property
    def identity(self) -> Mapping[str, Any]:
        """The name, the task, and the SHA-256 of the heads."""
        return {"system": self.name, "task": self.task, "classes": self.classes, "files": self.about.get("files", {})}

    def card(self) -> Mapping[str, Any]:
        """The card: training data, settings, and how it did in cross-validation."""
        return self.about

    def probabilities(self, claim: CausalClaim) -> dict[Verdict, float]:
        """The probability of each verdict that the training claims had."""
        return self._verdict(claim)[0]

    def _verdict(self, claim: CausalClaim) -> tuple[dict[Verdict, float], tuple[tuple[tuple[str, ...], float], ...]]:
        """The probabilities of the verdicts, and which evidence was read with what attention."""
        if self.head is None or self.reader is None:
            return {}, ()
        found = self.reader.read(claim)
        likely, share = self.head.probabilities(found)
        said = dict(zip(self.head.labels, map(float, likely), strict=True))
        kept = {v: p for v, p in said.items() if v != "nei"} if self.classes == 2 else said
        if len(kept) > 1:
            total = sum(kept.values())
            said = {v: p / total for v, p in kept.items()}
        return said, tuple(zip(found.pieces, map(float, share), strict=True))

    async def verify(self, claim: CausalClaim) -> Verification:
        """The verdict, and the structure as far as the task has one.

        Raises
        ------
        InputError
            If the task reads a structure and the claim has none.
        """
        evidence = claim.evidence if self.task == 3 else claim.leaf_evidence
        given = replace(claim, evidence=evidence)
        likely, read = self._verdict(given)
        label = next(iter(sorted(likely, key=lambda v: -likely[v])), None)
        structure, no_structure, notes = self._structure(given, read)
        return Verification(
            claim.claim, claim.evidence, label, structure, system=self.name, notes=notes, no_structure=no_structure,
            no_label="" if label else "it was trained on claims with one verdict, so it builds structures alone",
            probability=likely[label] if label else None,
        )  # fmt: skip

    def _structure(
        self, claim: CausalClaim, read: Sequence[tuple[tuple[str, ...], float]]
    ) -> tuple[ArgumentStructure | None, str, tuple[str, ...]]:
        if self.links is not None:
            found = self.links.build(claim)
            notes = ("intermediates are worded by joining their premises",) if self.task == 4 else ()
            return found, "" if found else "no evidence is near enough to the claim", notes
        if self.task == 2:
            return None, "task 2 is given its structure", ()
        if len(read) < 2:
            return None, "task 1 gives the verdict alone", ()
        # the pieces that count for more than an equal share
        used = {name for names, share in read if share * len(read) >= 1.0 - 1e-9 for name in names}
        root = root_of(claim)
        nodes = tuple(e.statement for e in claim.evidence if e.id in used)
        shown = ", ".join(f"{names[0]} {share:.2f}" for names, share in sorted(read, key=lambda r: -r[1]))
        return (
            ArgumentStructure(root, nodes, (Link(tuple(n.id for n in nodes), (root.id,)),)),
            "",
            (f"attention: {shown}",),
        )


def is_trained(folder: str | Path) -> bool:
    """Whether a folder holds a trained verifier, according to its card."""
    return glanced_card(folder).get("kind") == KIND


@cache
def load_trained_verifier(folder: str, *, classes: int = 3) -> TrainedVerifier:
    """Load a verifier that ``fallax verify train`` wrote.

    Raises
    ------
    FormatError
        If the folder holds no trained verifier, or a file is missing, damaged, or not what the card says.
    """
    base = Path(folder)
    if not is_trained(base):
        raise FormatError(
            f"must be a trained verifier's folder, with a {CARD} of kind {KIND!r}; `fallax verify train` writes it",
            path=folder,
        )
    about = json.loads((base / CARD).read_text(encoding="utf-8"))
    try:
        arrays = {}
        for name in sorted({HEADS, LINKS} & {*about["files"]}):
            content = read_checked(base, name, str(about["files"][name]), what=_WHAT)
            with np.load(io.BytesIO(content), allow_pickle=False) as stored:
                arrays[name] = {key: stored[key].astype(np.float64) for key in stored.files}
        task, said = int(about["task"]), f"{about['name']}@{about['version']}"
        if about["embedder"] != embedder_hash():
            raise InputError("its heads belong to another sentence encoder than the one that is installed")
        head = reader = links = None
        if HEADS in arrays:
            labels = tuple(cast("Verdict", v) for v in about["labels"] if v in VERDICTS)
            head = VerdictHead(labels, **{key: arrays[HEADS][key] for key in ARRAYS})
            d, g = len(head.mean), len(head.more_mean)
            found = tuple(getattr(head, key).shape for key in ARRAYS)
            wanted = ((d,), (d,), (g,), (g,), (d,), (d + g, len(labels)), (len(labels),))
            if found != wanted:
                raise InputError(f"heads.npz: the shapes of {', '.join(ARRAYS)} must be {wanted}, got {found}")
            model = load_entailment(str(base / ENCODER))
            reader = ClaimReader(model, load_mean_embedder(), ReaderSettings.from_dict(about["reads"]))
        if LINKS in arrays:
            shapes = {name: a.shape for name, a in arrays[LINKS].items()}
            if not shapes or any(shape != (CHOICES[task].get(name),) for name, shape in shapes.items()):
                raise InputError(f"links.npz: must hold weights of {CHOICES[task]}, got {shapes}")
            links = LinkScorer(load_mean_embedder(), task, **arrays[LINKS])
        if head is None and links is None:
            raise InputError(f"it must name {HEADS} or {LINKS}, got neither")
    except (FallaxError, KeyError, TypeError, ValueError) as error:
        if isinstance(error, FormatError):
            raise
        raise FormatError(
            f"must be the card of {_WHAT}, got an error ({one_line(error)})", path=str(base / CARD)
        ) from error
    return TrainedVerifier(said, task, head=head, reader=reader, links=links, about=about, classes=classes)


@cache
def embedder_hash() -> str:
    """The SHA-256 of the sentence encoder that ships."""
    return str(read_card(shipped_folder(), what="an embedder")["files"]["encoder.onnx"])

"""What trained heads see of a claim: the encoder's states beside its evidence, and how alike both are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from fallax.causality.systems.clauses import cause_and_effect
from fallax.causality.systems.features import side_readings
from fallax.causality.systems.prepared import Prepared
from fallax.core.json_value import JsonValue
from fallax.core.texts.ranking import Embedder, content_words, cosines
from fallax.core.types.causal import CausalClaim
from fallax.core.types.structure import ArgumentStructure
from fallax.entailment import EntailmentModel
from fallax.errors import InputError

__all__ = ["ClaimReader", "ReaderSettings", "Readings", "StatesOrLogits", "linearised"]

StatesOrLogits: TypeAlias = Literal["states", "logits"]
_Floats = npt.NDArray[np.float64]
_NOTHING = (0.0,) * 8
_STEPS = 12


@dataclass(frozen=True, slots=True)
class ReaderSettings(JsonValue):
    """What of a claim is read, and how.

    Parameters
    ----------
    task : 1: claim and leaf evidence; 2: the argument structure too.
    fused : each piece of evidence, or with a structure each step, is read alone beside the claim; else all at once.
    n_evidence : fused: at most so many pieces, those nearest the claim by cosine.
    by : "states", the input of the encoder's label head; "logits", its three logits (of a fine-tuned encoder).
    """

    task: int
    fused: bool = False
    n_evidence: int = 8
    by: StatesOrLogits = "states"


@dataclass(frozen=True, slots=True)
class Readings:
    """What was read of one claim.

    Parameters
    ----------
    rows : one reading each, shape (n_rows, d); at least one.
    more : what else is known, shape (g,).
    pieces : the ids of the evidence in each reading.
    """

    rows: _Floats
    more: _Floats
    pieces: tuple[tuple[str, ...], ...]


def linearised(structure: ArgumentStructure) -> tuple[tuple[tuple[str, ...], str], ...]:
    """Each step of a structure, premises first: the nodes it names, and its sentence.

    A graph without a claim has a sentence for each arrow: "cannabis synonym of marijuana."

    Examples
    --------
    >>> from fallax.core.types.structure import Link, Statement
    >>> drawn = ArgumentStructure(
    ...     Statement("Claim", "It was late."), (Statement("E1", "It rained."),), (Link(("E1",), ("Claim",)),)
    ... )
    >>> linearised(drawn)
    ((('E1', 'Claim'), 'It rained. Therefore: It was late.'),)
    """
    text = {n.id: n.shown.strip() for n in structure.nodes}
    if structure.claim is None:
        return tuple(((s, t), f"{text[s]} {relation or 'leads to'} {text[t]}.") for s, t, relation in structure.pairs)
    return tuple(
        ((*s.premises, s.conclusion), " ".join(_ended(text[p]) for p in s.premises) + " Therefore: "
         + _ended(text[s.conclusion]))
        for s in structure.steps
    )  # fmt: skip


def _ended(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."


class ClaimReader:
    """Reads claims with the entailment encoder; what was read is remembered.

    Parameters
    ----------
    model, embedder : what reads.
    settings : how.

    Examples
    --------
    >>> from fallax.core.types.causal import Evidence
    >>> from fallax.encoders import load_mean_embedder
    >>> from fallax.entailment import load_entailment
    >>> evidence = (Evidence("E1", "It rained."), Evidence("E2", "Rain makes trains late."))
    >>> claim = CausalClaim("c", "The train was late because it rained.", evidence)
    >>> fused = ClaimReader(load_entailment(), load_mean_embedder(), ReaderSettings(1, fused=True)).read(claim)
    >>> fused.rows.shape[0], sorted(fused.pieces)
    (2, [('E1',), ('E2',)])
    """

    def __init__(self, model: EntailmentModel, embedder: Embedder, settings: ReaderSettings) -> None:
        self.model = model
        self.embedder = embedder
        self.settings = settings

    def read(self, claim: CausalClaim) -> Readings:
        """The readings of a claim.

        Raises
        ------
        InputError
            If task 2 is asked for and the claim has no structure.
        """
        settings = self.settings
        texts = [e.text for e in claim.leaf_evidence]
        alike, near = self._alike(claim.claim, texts)
        sources = self._sources(claim, near)
        rows = [self._row(said, claim.claim) for _, said in sources]
        more = [*alike]
        if settings.task == 2 and claim.structure is not None:
            more += self._steps(claim.structure)
        if not settings.fused and settings.by == "states":
            more += side_readings(Prepared(self.model, claim.claim, texts)) if texts else _NOTHING
        return Readings(np.array(rows), np.array(more), tuple(names for names, _ in sources))

    def passage(self, claim: CausalClaim) -> tuple[str, ...]:
        """What is read beside a claim at once: its relevant evidence, or with task 2 its linearised structure."""
        together = self.with_settings(replace(self.settings, fused=False))
        return tuple(together._sources(claim, np.zeros(0))[0][1])

    def _sources(self, claim: CausalClaim, near: _Floats) -> list[tuple[tuple[str, ...], list[str]]]:
        """For each reading the ids of the evidence, and the passage."""
        settings = self.settings
        ids, texts = [e.id for e in claim.leaf_evidence], [e.text for e in claim.leaf_evidence]
        if settings.task == 2:
            if claim.structure is None:
                raise InputError(
                    f"claim {claim.id!r}: task 2 reads the argument structure, got a claim without one; take task 1"
                    " or 4"
                )
            # a graph of concepts says nothing without the argument
            before = texts if claim.structure.claim is None else []
            steps = linearised(claim.structure)
            if settings.fused:
                found = [(names, [*before, said]) for names, said in steps[-_STEPS:]]
            else:
                found = [
                    (tuple(dict.fromkeys(n for names, _ in steps for n in names)), [*before, *(s for _, s in steps)])
                ]
        elif settings.fused:
            chosen = sorted(range(len(texts)), key=lambda i: (-near[i], texts[i]))[: settings.n_evidence]
            found = [((ids[i],), [texts[i]]) for i in chosen]
        else:
            read = Prepared(self.model, claim.claim, texts).relevant() if texts else ()
            found = [(tuple(ids[i] for i in read), [texts[i] for i in read])]
        return found or [((), [])]

    def with_settings(self, settings: ReaderSettings) -> ClaimReader:
        """The same encoder with other settings."""
        return ClaimReader(self.model, self.embedder, settings)

    def _row(self, passage: Sequence[str], claim: str) -> _Floats:
        states = self.model.states(passage, claim)
        logits = self.model.logits(states)
        return logits if self.settings.by == "logits" else np.concatenate([states, logits])

    def _alike(self, claim: str, texts: Sequence[str]) -> tuple[list[float], _Floats]:
        """How much evidence holds of claim, effect and cause, by cosine and by words; and how near each piece is."""
        if not texts:
            return [0.0] * 8, np.zeros(0)
        sides = cause_and_effect(claim)
        asked = [claim, *([sides.effect, sides.cause] if sides else [claim, claim])]
        cosine = cosines([*asked, *texts], self.embedder)[:3, 3:]
        said = set(content_words(" ".join(texts)))
        held = [len(said & (own := set(content_words(a)))) / max(1, len(own)) for a in asked]
        found = [*cosine.max(axis=1), cosine[0].mean(), *held, float(sides is not None)]
        return [float(x) for x in found], cosine[0]

    def _steps(self, structure: ArgumentStructure) -> list[float]:
        """How well the steps of a structure follow: least and mean logits, those of the last step, and how many."""
        if structure.claim is None:
            return [0.0] * 7
        text = {n.id: n.shown for n in structure.nodes}
        read = [self.model.read([text[p] for p in s.premises], text[s.conclusion]) for s in structure.steps[-_STEPS:]]
        if not read:
            return [0.0] * 7
        entailed, against = np.array([(r.entailed, r.contradicted) for r in read]).T
        found = (entailed.min(), entailed.mean(), entailed[-1], against.max(), against.mean(), against[-1], len(read))
        return [float(x) for x in found]

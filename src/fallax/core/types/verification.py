"""The result of verifying a claim: verdict, structure, unused evidence and missing steps."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from fallax.core.json_value import JsonValue
from fallax.core.types.causal import VERDICTS, Evidence, Verdict
from fallax.core.types.messages import Usage
from fallax.core.types.shown import Shown
from fallax.core.types.structure import ArgumentStructure, Statement, Step
from fallax.errors import InputError, UnknownNameError

__all__ = ["Citation", "Verification"]


@dataclass(frozen=True, slots=True)
class Citation(JsonValue):
    """Where a piece of evidence was found: half-open code point offsets into a document."""

    evidence: str
    document: str
    start: int
    end: int


@dataclass(frozen=True)
class Verification(JsonValue, Shown):
    """A claim, its evidence and the verdict on it.

    Parameters
    ----------
    claim : its text.
    evidence : what the verifier was given.
    label : the verdict; None where there is none, and then ``no_label`` says why.
    structure : from the evidence to the claim, with the ids of the evidence. It may have ``problems``. None where
        there is none; ``no_structure`` says why, and is "" where none was asked for.
    missing : what would be needed for a verdict, or for the chain to hold, as far as the verifier can say.
    system : who verified.
    citations : where the evidence was found, if it was retrieved.
    notes : what was skipped or put right on the way.
    no_label, no_structure : why there is none.
    usage : what it took.
    probability : of the verdict, or without one of the likeliest, in [0, 1], where the verifier gives one.

    Examples
    --------
    >>> from fallax.core.types.structure import Link
    >>> rain, cats = Evidence("E1", "It rained."), Evidence("E2", "Cats purr.")
    >>> chain = ArgumentStructure(Statement("Claim", "So it was late."), (rain.statement,), (Link("E1", "Claim"),))
    >>> found = Verification("So it was late.", (rain, cats), "supports", chain)
    >>> [e.id for e in found.unused_evidence], [str(s) for s in found.chain]
    (['E2'], ['E1 -> Claim'])
    """

    claim: str
    evidence: tuple[Evidence, ...] = ()
    label: Verdict | None = None
    structure: ArgumentStructure | None = None
    missing: tuple[str, ...] = ()
    system: str = ""
    citations: tuple[Citation, ...] = ()
    notes: tuple[str, ...] = ()
    no_label: str = ""
    no_structure: str = ""
    usage: Usage = field(default_factory=Usage)
    probability: float | None = None

    def __post_init__(self) -> None:
        for name in ("evidence", "missing", "citations", "notes"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        if self.label is not None and self.label not in VERDICTS:
            raise UnknownNameError("verdict", self.label, VERDICTS)
        if (self.label is None) == (not self.no_label):
            raise InputError("verification: must have either a verdict or the reason why there is none")

    @property
    def _on_the_way(self) -> frozenset[str]:
        """The names of the claim and of every node that leads to it."""
        if self.structure is None or self.structure.claim is None:
            return frozenset()
        seen = {self.structure.claim.id}
        open_ = list(seen)
        for one in open_:  # grows while it is read
            new = [p for p in self.structure.premises_of(one) if p not in seen]
            seen.update(new)
            open_.extend(new)
        return frozenset(seen)

    @property
    def unused_evidence(self) -> tuple[Evidence, ...]:
        """The evidence that does not lead to the claim; empty if there is no structure."""
        used = self._on_the_way
        return () if self.structure is None else tuple(e for e in self.evidence if e.id not in used)

    @property
    def chain(self) -> tuple[Step, ...]:
        """The steps from the evidence to the claim, premises first; dead ends are left out."""
        used = self._on_the_way
        return () if self.structure is None else tuple(s for s in self.structure.steps if s.conclusion in used)

    @property
    def concluded(self) -> tuple[Statement, ...]:
        """The nodes that the verifier added to the given evidence."""
        given = {e.id for e in self.evidence}
        return () if self.structure is None else tuple(n for n in self.structure.evidence if n.id not in given)

    def to_dict(self) -> dict[str, Any]:
        """The verification as JSON values; chain, unused and concluded are for people and are not read back."""
        return {
            "claim": self.claim,
            "label": self.label,
            "probability": self.probability,
            "evidence": [e.to_dict() for e in self.evidence],
            "structure": None if self.structure is None else self.structure.to_dict(),
            "problems": [] if self.structure is None else list(self.structure.problems),
            "chain": [{"premises": list(s.premises), "conclusion": s.conclusion} for s in self.chain],
            "unused_evidence": [e.id for e in self.unused_evidence],
            "concluded": [n.id for n in self.concluded],
            "missing": list(self.missing),
            "citations": [c.to_dict() for c in self.citations],
            "notes": list(self.notes),
            "no_label": self.no_label,
            "no_structure": self.no_structure,
            "system": self.system,
            "usage": self.usage.to_dict(),
        }

"""Causal claims with evidence, verdict and argument structure (Si et al. 2024, CheckWhy)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from fallax.core.json_value import JsonValue
from fallax.core.types.structure import ArgumentStructure, Statement
from fallax.errors import InputError, UnknownNameError, one_line

__all__ = ["VERDICTS", "CausalClaim", "Evidence", "Verdict"]

#: What evidence says of a claim; "nei" is "not enough info".
Verdict: TypeAlias = Literal["supports", "refutes", "nei"]
VERDICTS: tuple[Verdict, ...] = ("supports", "refutes", "nei")


@dataclass(frozen=True, slots=True)
class Evidence(JsonValue):
    """One piece of evidence.

    Parameters
    ----------
    id : unique in its claim.
    text : what it says.
    useful : False for a distractor, True if the gold structure uses it, None if not annotated.
    leaf : True if it is given and not inferred, False for an intermediate, None if not annotated.
    """

    id: str
    text: str
    useful: bool | None = None
    leaf: bool | None = None

    @property
    def statement(self) -> Statement:
        """The evidence as a node of an argument structure."""
        return Statement(self.id, self.text)


@dataclass(frozen=True)
class CausalClaim(JsonValue):
    """A claim about cause and effect with its evidence and, where known, verdict and structure.

    Parameters
    ----------
    id : unique in its corpus.
    claim : the claim's text, or "" where only cause and effect are known.
    evidence : everything that is given, distractors included, in the order it is shown.
    label : the gold verdict, None if not annotated.
    structure : the gold structure; None for "nei" and where nobody drew one. Its evidence has the ids of ``evidence``.
    cause, effect : the pair that the claim is about, where known.
    group : claims of one group were made from one pair and belong into one split; by default the claim's own id.
    source, meta : where it is from, and anything else.

    Raises
    ------
    InputError
        If the id is empty, a piece of evidence is no :class:`Evidence`, or two pieces have one id.
    UnknownNameError
        If the label is no verdict.

    Examples
    --------
    >>> from fallax.core.types.structure import Link
    >>> leaf, other = Evidence("E1", "It rained.", useful=True, leaf=True), Evidence("E2", "Cats purr.", useful=False)
    >>> gold = ArgumentStructure(Statement("Claim"), (leaf.statement,), (Link(("E1",), ("Claim",)),))
    >>> claim = CausalClaim("c1", "The rain made the match late.", (leaf, other), "supports", gold)
    >>> [e.id for e in claim.leaf_evidence], claim.n_distractors, claim.n_steps
    (['E1', 'E2'], 1, 1)
    """

    id: str
    claim: str
    evidence: tuple[Evidence, ...] = ()
    label: Verdict | None = None
    structure: ArgumentStructure | None = None
    cause: str = ""
    effect: str = ""
    group: str = ""
    source: str = ""
    meta: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "evidence", tuple(self.evidence))
        if not isinstance(self.id, str) or not self.id:
            raise InputError(f"claim: the id must be a text that is not empty, got {one_line(repr(self.id), 60)}")
        where = f"claim {one_line(self.id, 60)!r}"
        for e in self.evidence:
            if not isinstance(e, Evidence):
                raise InputError(f"{where}: evidence must be of Evidence, got {one_line(repr(e), 60)}")
        if self.label is not None and self.label not in VERDICTS:
            raise UnknownNameError("verdict", self.label, VERDICTS, where=where)
        if twice := [i for i, n in Counter(e.id for e in self.evidence).items() if n > 1]:
            raise InputError(f"{where}: each piece of evidence must have its own id, got {twice[0]!r} twice")
        if not self.group:
            object.__setattr__(self, "group", self.id)

    @property
    def leaf_evidence(self) -> tuple[Evidence, ...]:
        """The input of tasks 1, 2 and 4: the leaves and all distractors, in order.

        Where nobody marked intermediates, this is all evidence.
        """
        return tuple(e for e in self.evidence if e.leaf is not False or e.useful is False)

    @property
    def distractors(self) -> tuple[Evidence, ...]:
        """The evidence that the gold structure does not use."""
        return tuple(e for e in self.evidence if e.useful is False)

    @property
    def n_distractors(self) -> int:
        """The number of distractors (Si et al. 2024, table 5)."""
        return len(self.distractors)

    @property
    def n_steps(self) -> int | None:
        """The number of reasoning steps of the gold structure (table 6); None if there is none."""
        return None if self.structure is None else self.structure.n_steps

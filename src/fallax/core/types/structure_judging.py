"""Judgements of argument structures by people or a model (Si et al. 2024, section 5.1 and table 2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, get_args

from fallax.core.json_value import JsonValue
from fallax.core.types.structure import ArgumentStructure
from fallax.errors import InputError, UnknownNameError

__all__ = ["REASONING_TYPES", "Preference", "StructureComparison", "StructureJudgement"]

#: Type of a reasoning step (Si et al. 2024, table 2) -> what it is.
REASONING_TYPES: Mapping[str, str] = {
    "event": "event causality: one event directly leads to another",
    "properties": "inference from properties: something has a property, and what goes with it follows",
    "rule": "rule-based inference: a rule and a case that it applies to",
    "induction": "inductive reasoning: single observations, and something general",
    "sequence": "sequential reasoning: facts put together one after the other",
    "other": "none of these, or no inference at all",
}
#: Of the structure under judgement against the reference.
Preference: TypeAlias = Literal["win", "tie", "lose"]


@dataclass(frozen=True, slots=True)
class StructureComparison:
    """The input of a judge of structures: a claim, a structure, and the reference if there is one.

    Parameters
    ----------
    id, claim, label : of the claim; the verdict as the data have it, or "".
    pred : the structure under judgement.
    gold : the reference.
    """

    id: str
    claim: str
    label: str
    pred: ArgumentStructure
    gold: ArgumentStructure | None = None


@dataclass(frozen=True)
class StructureJudgement(JsonValue):
    """The judgement of one structure.

    Parameters
    ----------
    id : of the claim.
    valid, gold_valid : is the structure, or the reference, logically coherent? None if not judged.
    preference : is the structure better than the reference? None if not judged or there is no reference.
    steps, gold_steps : the type of each reasoning step, in the order of ``structure.steps``; "" if not judged.
    note : what else was said.
    unscored : why there is no judgement at all.

    Examples
    --------
    >>> StructureJudgement("c1", True, True, "tie", ("event", "rule")).steps
    ('event', 'rule')
    """

    id: str
    valid: bool | None = None
    gold_valid: bool | None = None
    preference: Preference | None = None
    steps: tuple[str, ...] = ()
    gold_steps: tuple[str, ...] = ()
    note: str = ""
    unscored: str = field(default="")

    def __post_init__(self) -> None:
        object.__setattr__(self, "steps", tuple(self.steps))
        object.__setattr__(self, "gold_steps", tuple(self.gold_steps))
        if self.preference is not None and self.preference not in get_args(Preference):
            raise UnknownNameError("preference", self.preference, get_args(Preference))
        for kind in (*self.steps, *self.gold_steps):
            if kind and kind not in REASONING_TYPES:
                raise UnknownNameError("type of reasoning", kind, REASONING_TYPES)
        if not self.id:
            raise InputError("judgement: must have the id of its claim, got none")

"""Generated arguments with their sound twins, derivations, and claims about the world."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from fallax.core.json_value import JsonValue
from fallax.core.types.logic import Derivation
from fallax.core.types.spans import GoldSpan, Record

__all__ = ["GeneratedItem", "SoundTwin", "WorldClaim"]


@dataclass(frozen=True, slots=True)
class WorldClaim(JsonValue):
    """A claim about the world that a derivation assumes and no rule can decide.

    Parameters
    ----------
    text : the claim in English.
    denied : its denial.
    confirmed : True if the votes affirm the claim and reject its denial, False if they do not, None if nobody was
        asked or no answer could be read.
    votes : what was answered: "yes", "no", "unsure" and "unreadable" to the claim, the same with "denied " before
        it to its denial.

    Examples
    --------
    >>> claim = WorldClaim("corks float", "corks do not float", True, {"yes": 3, "denied no": 3})
    >>> WorldClaim.from_dict(claim.to_dict()) == claim
    True
    """

    text: str
    denied: str = ""
    confirmed: bool | None = None
    votes: Mapping[str, int] = field(default_factory=dict)


def _confirmed(claims: tuple[WorldClaim, ...]) -> bool | None:
    """True if all claims are confirmed, False if one is denied, None if some were not asked or there are none."""
    answers = [c.confirmed for c in claims]
    if False in answers:
        return False
    return None if not answers or None in answers else True


@dataclass(frozen=True, slots=True)
class SoundTwin(JsonValue):
    """A valid argument of the same form and topic as a fallacious one.

    Parameters
    ----------
    text : the argument in English.
    derivation : how the rules reach its conclusion.
    claims : what it takes for true about the world.
    """

    text: str
    derivation: Derivation
    claims: tuple[WorldClaim, ...] = ()

    json_names = ("text", "derivation", "claims", "claims_confirmed")

    def __str__(self) -> str:
        return self.text

    @property
    def claims_confirmed(self) -> bool | None:
        """True if all claims are confirmed, False if one is denied, None if some were not asked or there are none."""
        return _confirmed(self.claims)


@dataclass(frozen=True, slots=True)
class GeneratedItem(JsonValue):
    """A generated fallacious argument.

    Parameters
    ----------
    id : unique in its set.
    text : the argument in English.
    labels : the fallacies it commits, as ``taxonomy`` spells them.
    fallacy : the type as rules write it ("false_cause").
    method : "template", "smartypat", "direct" or "prolog".
    seed : of the run.
    model : who wrote it; "" if no model did.
    rules : name and version of the rule base ("strict@1"); "" if no rules were asked.
    evaluator : who evaluated the rules: "swipl" or "joins"; "" if nobody did.
    wording : how it was worded: style and number of the frame, or the name and hash of the prompt.
    derivation : how the rules reach the conclusion; None where a model made the text without them.
    sound_twin : the valid argument of the same form, where there is one.
    claims : what the derivation takes for true about the world.
    program : the program that the model wrote, for the method "prolog"; kept as text, never run.
    taxonomy : of the labels.

    Examples
    --------
    >>> item = GeneratedItem("a1", "It thunders, so it will rain.", ("False Cause",), "false_cause", "direct", 7)
    >>> GeneratedItem.from_dict(item.to_dict()) == item, item.structurally_valid
    (True, None)
    >>> item.to_record().gold
    (GoldSpan(start=0, end=29, labels=('False Cause',)),)
    """

    id: str
    text: str
    labels: tuple[str, ...]
    fallacy: str
    method: str
    seed: int
    model: str = ""
    rules: str = ""
    evaluator: str = ""
    wording: str = ""
    derivation: Derivation | None = None
    sound_twin: SoundTwin | None = None
    claims: tuple[WorldClaim, ...] = ()
    program: str = ""
    taxonomy: str = "smartypat"

    @property
    def structurally_valid(self) -> bool | None:
        """True if the rules derive the argument from its facts; None if no rules were used.

        Says nothing of the facts: see :attr:`claims_confirmed`.
        """
        return None if self.derivation is None else True

    @property
    def claims_confirmed(self) -> bool | None:
        """True if all claims are confirmed, False if one is denied, None if some were not asked or there are none."""
        return _confirmed(self.claims)

    def to_record(self) -> Record:
        """The text as a record whose gold is one span over the whole text."""
        return Record(self.id, self.text, (GoldSpan(0, len(self.text), self.labels),), self.method)

    def to_twin_record(self) -> Record | None:
        """The twin as a record without a fallacy; None if there is no twin."""
        return None if self.sound_twin is None else Record(f"{self.id}-twin", self.sound_twin.text, (), self.method)

    json_names = (
        "id", "text", "labels", "taxonomy", "fallacy", "twin=sound_twin", "method", "model", "seed", "rules",
        "evaluator", "wording", "structurally_valid", "claims_confirmed", "claims", "derivation", "program?",
    )  # fmt: skip

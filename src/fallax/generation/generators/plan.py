"""The plan of a generation run, and its counts."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from fallax.core.given import refuse_unread
from fallax.core.json_value import JsonValue
from fallax.errors import InputError, UnknownNameError
from fallax.generation.generators.derive import EVALUATORS, Evaluator
from fallax.generation.generators.near import NEAR
from fallax.generation.generators.wording import STYLES, Style
from fallax.oracle import RULE_BASES, load_rule_base

__all__ = ["METHODS", "Plan", "Tally"]

#: method -> what it does.
METHODS = {
    "template": "no model: derivations from facts, worded by frames",
    "smartypat": "facts proposed by a model, derived by the rules, worded by the model (Xu et al. 2025)",
    "direct": "sentences by a model from a definition and examples (FallacyGen-Direct)",
    "prolog": "a program by a model, and its sentences, unchecked (FallacyGen-Prolog)",
}

#: Methods whose items have a derivation, and so can have a sound twin.
DERIVED = ("template", "smartypat")

#: Options that only some methods read -> those methods.
_READERS = {
    "batch": ("smartypat", "direct", "prolog"),
    "evaluator": DERIVED,
    "examples": ("smartypat", "direct", "prolog"),
    "facts": DERIVED,
    "limit": ("smartypat",),
    "read_back": ("smartypat",),
    "style": DERIVED,
    "wordings": ("template",),
}


def check_read(method: str, options: Iterable[str]) -> None:
    """Raise InputError if an option was given that a method does not read.

    Examples
    --------
    >>> check_read("template", ["wordings", "near"])
    """
    for name in options:
        readers = _READERS.get(name, (method,))
        if method not in readers:
            refuse_unread([name], f"is read by {' and '.join(readers)}, not by the method {method}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan(JsonValue):
    """The settings of a generation run.

    Parameters
    ----------
    fallacies : types, as the strict rule base names them.
    n : items of each type.
    method : one of :data:`METHODS`.
    seed : of every choice; also sent to the model.
    rules : "strict", or "paper" for the method smartypat.
    style : "full" or "bare", see :func:`fallax.generation.generators.realise`.
    twins : with the sound twin of each item.
    wordings : how many wordings of one derivation may be used (template).
    evaluator : who evaluates the rules: "swipl" or "joins".
    votes : how often each claim, and its denial, is put to the vote; 0: not at all.
    batch : combinations or sentences asked for in one call.
    limit : the most derivations taken from the facts of one call.
    near : see :class:`fallax.generation.generators.near.Seen`.
    read_back : ask a model which conclusion each of its texts draws, and drop those that draw another (smartypat).

    Raises
    ------
    InputError, UnknownNameError
        If a value is out of range, or two exclude each other.
    """

    fallacies: tuple[str, ...]
    n: int = 20
    method: str = "template"
    seed: int = 0
    rules: str = "strict"
    style: Style = "full"
    twins: bool = True
    wordings: int = 1
    evaluator: Evaluator = "swipl"
    votes: int = 0
    batch: int = 20
    limit: int = 200
    near: float = NEAR
    read_back: bool = True

    def __post_init__(self) -> None:
        for kind, value, known in (
            ("method", self.method, tuple(METHODS)),
            ("rule base", self.rules, RULE_BASES),
            ("style", self.style, STYLES),
            ("evaluator", self.evaluator, EVALUATORS),
        ):
            if value not in known:
                raise UnknownNameError(kind, value, known)
        for name, least in (("n", 1), ("wordings", 1), ("votes", 0), ("batch", 1), ("limit", 1)):
            if type(getattr(self, name)) is not int or getattr(self, name) < least:
                raise InputError(f"{name}: must be a whole number of {least} or more, got {getattr(self, name)!r}")
        if type(self.seed) is not int:
            raise InputError(f"seed: must be a whole number, got {self.seed!r}")
        if not 0 < self.near <= 1:
            raise InputError(f"near: must be in (0, 1], got {self.near!r}")
        if not self.fallacies:
            raise InputError("fallacy: at least one must be named, got none")
        if self.rules == "paper" and self.method != "smartypat":
            raise InputError(
                f"rules: the paper's facts have no phrases, so only the method smartypat can word them, got"
                f" {self.method!r}; name a model, or use the strict rules"
            )
        lacking = [f for f in self.fallacies if f not in load_rule_base(self.rules).schemas]
        if lacking:
            raise InputError(
                f"fallacy: rule base {self.rules!r} has no rules for {', '.join(lacking)}; use the strict rules or"
                " the method direct"
            )
        if self.twins and (self.method not in DERIVED or self.rules != "strict"):
            raise InputError(
                f"twins: only a derivation by the strict rules has a sound twin, got method {self.method!r} with"
                f" rules {self.rules!r}; leave twins out"
            )
        if self.votes and self.method not in DERIVED:
            raise InputError(
                f"confirm: only a derivation has claims to be confirmed, got method {self.method!r}; leave it out"
            )


def resolve_fallacies(names: str | Iterable[str] | None) -> tuple[str, ...]:
    """Resolve types by name, abbreviation or label, separated by commas; None or "all" gives all 14.

    Raises
    ------
    InputError
        If none is named.
    UnknownNameError
        If a type is unknown.

    Examples
    --------
    >>> resolve_fallacies("FS, wrong direction")
    ('false_cause', 'wrong_direction')
    >>> len(resolve_fallacies("all"))
    14
    """
    base = load_rule_base("strict")
    given = [names] if isinstance(names, str) else ["all"] if names is None else names
    wanted = [part.strip() for name in given for part in name.split(",") if part.strip()]
    if not wanted:
        raise InputError("fallacy: at least one type must be named, got none; 'all' is for all 14")
    if [w.casefold() for w in wanted] == ["all"]:
        return tuple(sorted(base.fallacies))
    return tuple(dict.fromkeys(base.resolve(w) for w in wanted))


class Tally:
    """Counts of all outcomes, by fallacy."""

    def __init__(self) -> None:
        self.counts: dict[str, Counter[str]] = defaultdict(Counter)

    def add(self, fallacy: str, what: str, n: int = 1) -> None:
        """Add n to a count."""
        if n:
            self.counts[fallacy][what] += n

    def total(self) -> Counter[str]:
        """The counts over all fallacies."""
        return sum(self.counts.values(), Counter())

    def to_dict(self) -> dict[str, Mapping[str, int]]:
        """The counts by fallacy, sorted."""
        return {name: dict(sorted(c.items())) for name, c in sorted(self.counts.items())}

"""Proves worlds: the fallacy from all facts, the twin from the facts its text states."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from fallax.core.types.logic import Derivation, Fact
from fallax.errors import UnknownNameError
from fallax.generation.worlds.world import KINDS, Kind, World
from fallax.oracle import Oracle, check_by_joins

__all__ = ["EVALUATORS", "Proof", "prove"]

EVALUATORS = ("swipl", "joins")

#: Worlds that go to the oracle in one process.
_AT_ONCE = 1_000


@dataclass(frozen=True, slots=True)
class Proof:
    """The derivations of the two conclusions of a world.

    Parameters
    ----------
    fallacy : from everything that is so in its world; None if it was not asked for.
    twin : from what the text of the twin states, and nothing else.
    """

    fallacy: Derivation | None
    twin: Derivation


def _renamed(facts: Sequence[Fact], name: str) -> list[Fact]:
    return [Fact(f.predicate, (name, *f.args[1:])) for f in facts]


def _asked(world: World, name: str, both: bool) -> Iterator[Fact]:
    """The two instances of a world: all facts, and those that the twin's text states."""
    if both:
        yield from _renamed(world.facts["fallacy"], f"{name}_fallacy")
    yield from _renamed((*world.declarations("sound"), *world.stated("sound")), f"{name}_sound")


def prove(
    worlds: Sequence[World], *, evaluator: Literal["swipl", "joins"] = "swipl", both: bool = True
) -> list[Proof | None]:
    """The proof of each world; None if the fallacy or the twin cannot be derived.

    None as well where the rules call the fallacy's conclusion sound, or the twin's a fallacy, on the stated facts.

    Parameters
    ----------
    evaluator : SWI-Prolog, or the joins in Python.
    both : False to prove the twins alone.

    Raises
    ------
    LogicError
        If a fact of a world is not admitted.
    MissingExtraError
        If SWI-Prolog is asked for and not installed.

    Examples
    --------
    >>> from fallax.generation.worlds.make import make_world
    >>> proof = prove([make_world("false_cause", "a seed", 0)], evaluator="joins")[0]
    >>> proof.fallacy.rule, proof.twin.rule
    ('third_event_ignored', 'link_survives_control')
    """
    if evaluator not in EVALUATORS:
        raise UnknownNameError("evaluator", evaluator, EVALUATORS)
    found: dict[str, list[Derivation]] = defaultdict(list)
    for start in range(0, len(worlds), _AT_ONCE):
        part = worlds[start : start + _AT_ONCE]
        facts = [f for i, w in enumerate(part, start=start) for f in _asked(w, f"x{i}", both)]
        derived = check_by_joins(facts) if evaluator == "joins" else Oracle().check(facts, limit=20 * len(facts))
        for d in derived:
            found[d.instance].append(d)
    return [_proof(world, {k: found[f"x{i}_{k}"] for k in KINDS}, both) for i, world in enumerate(worlds)]


def _proof(world: World, found: dict[Kind, list[Derivation]], both: bool) -> Proof | None:
    reached = {k: [d for d in found[k] if d.kind == k and d.conclusion == world.claims[k]] for k in KINDS}
    crossed = any(d.kind == "sound" and d.conclusion == world.claims["fallacy"] for d in found["sound"])
    crossed = crossed or any(d.kind == "fallacy" and d.conclusion == world.claims["sound"] for d in found["sound"])
    if crossed or not reached["sound"] or (both and not reached["fallacy"]):
        return None
    return Proof(reached["fallacy"][0] if both else None, reached["sound"][0])

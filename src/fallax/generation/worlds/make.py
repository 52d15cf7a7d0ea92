"""Makes worlds from a secret seed; reads nothing that was published."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Mapping

from fallax.generation.worlds import grammar_amounts, grammar_causes, grammar_rules, grammar_words
from fallax.generation.worlds.setting import Setting, setting
from fallax.generation.worlds.world import World

__all__ = ["CHAINS", "GRAMMARS", "make_world", "random_of"]

#: Type -> what makes a world of it.
GRAMMARS: Mapping[str, Callable[[random.Random, Setting], World]] = {
    "accident_fallacy": grammar_rules.accident,
    "begging_the_question": grammar_words.question,
    "contextomy": grammar_words.quote,
    "equivocation": grammar_words.equivocation,
    "fallacy_of_composition": grammar_amounts.composition,
    "false_analogy": grammar_amounts.analogy,
    "false_cause": grammar_causes.false_cause,
    "false_dilemma": grammar_rules.dilemma,
    "false_premise": grammar_words.premise,
    "improper_distribution_or_addition": grammar_amounts.distribution,
    "improper_transposition": grammar_rules.transposition,
    "inverse_error": grammar_rules.inverse,
    "nominal_fallacy": grammar_words.figure,
    "wrong_direction": grammar_causes.direction,
}


#: The types whose rules follow a chain of any length; the rules of the others take one step.
CHAINS: Mapping[str, Callable[[random.Random, Setting, int | None], World]] = {
    "begging_the_question": grammar_words.question,
    "improper_transposition": grammar_rules.transposition,
    "inverse_error": grammar_rules.inverse,
}


def random_of(seed: str, *what: object) -> random.Random:
    """A random generator for a seed and a purpose; its output does not reveal the seed.

    Examples
    --------
    >>> random_of("s", "x").random() == random_of("s", "x").random() != random_of("t", "x").random()
    True
    """
    text = "\x1f".join((seed, *map(str, what)))
    return random.Random(int.from_bytes(hashlib.sha256(text.encode()).digest(), "big"))


def make_world(fallacy: str, seed: str, number: int, *, depth: int | None = None) -> World:
    """The world with a given type and number, for a seed.

    ``depth`` is the number of links of a chain, where the type has one (:data:`CHAINS`).

    Examples
    --------
    >>> world = make_world("wrong_direction", "a seed", 0)
    >>> world.conclusions["fallacy"] != world.conclusions["sound"]
    True
    """
    rng = random_of(seed, fallacy, number)
    at = setting(rng, f"w{number}")
    return CHAINS[fallacy](rng, at, depth) if fallacy in CHAINS else GRAMMARS[fallacy](rng, at)

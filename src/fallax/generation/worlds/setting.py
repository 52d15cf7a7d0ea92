"""The place of a world."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from fallax.generation.worlds.lexicon import choice, lexicon, place
from fallax.generation.worlds.world import Kind

__all__ = ["Setting", "both", "setting"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Setting:
    """The id of an instance and its place."""

    id: str
    place: str
    kind: str

    @property
    def at(self) -> str:
        """The place in a sentence, as in "at the Alderford clinic"."""
        return f"at the {self.place} {self.kind}"

    @property
    def At(self) -> str:
        """The place at the start of a sentence: "At the Alderford clinic"."""
        return f"At the {self.place} {self.kind}"


def setting(rng: random.Random, id_: str) -> Setting:
    """An invented place of one kind."""
    return Setting(id_, place(rng), choice(rng, lexicon("shared")["kinds"]))


def both(value: Sequence[T]) -> Mapping[Kind, tuple[T, ...]]:
    """The same for the fallacy and for its twin."""
    return {"fallacy": tuple(value), "sound": tuple(value)}

"""The vocabulary of worlds: package data, read once."""

from __future__ import annotations

import functools
import random
from collections.abc import Sequence
from typing import Any

from fallax.core.whole import packaged_toml

__all__ = ["capital", "choice", "lexicon", "pair", "people", "place", "rows", "sample"]


@functools.cache
def lexicon(name: str) -> dict[str, Any]:
    """The text of one vocabulary file."""
    return packaged_toml("fallax.generation.worlds", "data", f"{name}.toml")


@functools.cache
def rows(text: str, separator: str = "|") -> tuple[str, ...]:
    """The entries of a list in a string.

    Examples
    --------
    >>> rows("red | dark   blue |")
    ('red', 'dark blue')
    """
    return tuple(" ".join(part.split()) for part in text.split(separator) if part.strip())


def pair(text: str, separator: str = "=") -> tuple[str, str]:
    """The two halves of an entry.

    Examples
    --------
    >>> pair("ovens = oven")
    ('ovens', 'oven')
    """
    left, right = text.split(separator)
    return left.strip(), right.strip()


def choice(rng: random.Random, text: str) -> str:
    """A random entry of a list in a string."""
    return rng.choice(rows(text))


def sample(rng: random.Random, text: str, n: int) -> list[str]:
    """Distinct entries of a list in a string, in random order."""
    return rng.sample(rows(text), n)


def people(rng: random.Random, n: int, taken: Sequence[str] = ()) -> list[str]:
    """Distinct first names, none taken, none a prefix of another."""
    known = [name for name in lexicon("shared")["people"].split() if name not in taken]
    return rng.sample(known, n)


def capital(text: str) -> str:
    """A text with a capital at its start.

    Examples
    --------
    >>> capital("the bees")
    'The bees'
    """
    return text[:1].upper() + text[1:]


def place(rng: random.Random) -> str:
    """An invented place name such as "Alderford": one of some 7,000.

    Examples
    --------
    >>> import random
    >>> place(random.Random(1)) == place(random.Random(1))
    True
    """
    words = lexicon("shared")
    first = rng.choice(words["place_first"].split())
    last = rng.choice([w for w in words["place_last"].split() if w[0] != first[-1].lower() and w not in first.lower()])
    return str(first + last)

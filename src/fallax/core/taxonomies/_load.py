"""Reads the taxonomy files."""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable

from fallax.core.types.taxonomy import Taxonomy
from fallax.errors import UnknownNameError

__all__ = ["list_taxonomies", "load_taxonomy"]


@cache
def _files() -> dict[str, Traversable]:
    folder = resources.files("fallax.core.taxonomies") / "data"
    found = {f.name.removesuffix(".json"): f for f in folder.iterdir() if f.name.endswith(".json")}
    return dict(sorted(found.items()))


@cache
def list_taxonomies() -> tuple[str, ...]:
    """The names of all taxonomies, sorted.

    Examples
    --------
    >>> "mafalda" in list_taxonomies()
    True
    """
    return tuple(_files())


@cache
def _read(name: str) -> Taxonomy:
    return Taxonomy.from_dict(json.loads(_files()[name].read_text(encoding="utf-8")))


def load_taxonomy(name: str) -> Taxonomy:
    """A taxonomy by its registered name; the same object at every call.

    Raises
    ------
    UnknownNameError
        If there is none of that name; the message offers the nearest one.

    Examples
    --------
    >>> load_taxonomy("mafalda")["tu quoque"].groups
    ('fallacy', 'credibility')
    >>> load_taxonomy("mafalda").finest
    2
    """
    if name not in list_taxonomies():
        raise UnknownNameError("taxonomy", name, list_taxonomies())
    return _read(name)

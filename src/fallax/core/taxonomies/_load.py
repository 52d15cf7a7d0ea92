"""Loads the taxonomy files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any

from fallax.core.types.taxonomy import Label, Taxonomy, Template
from fallax.errors import InputError, UnknownNameError

__all__ = ["keep_taxonomy", "list_taxonomies", "load_taxonomy"]

#: Label sets of one's own, by name.
_OWN: dict[str, Taxonomy] = {}


@cache
def _files() -> dict[str, Traversable]:
    folder = resources.files("fallax.core.taxonomies") / "data"
    found = {f.name.removesuffix(".json"): f for f in folder.iterdir() if f.name.endswith(".json")}
    return dict(sorted(found.items()))


@cache
def list_taxonomies() -> tuple[str, ...]:
    """The names of all taxonomies that ship, sorted.

    Examples
    --------
    >>> "mafalda" in list_taxonomies()
    True
    """
    return tuple(_files())


@cache
def _read(name: str) -> Taxonomy:
    value = json.loads(_files()[name].read_text(encoding="utf-8"))
    names = tuple(value.get("level_names", ()))
    # not by from_dict: nearly every command reads these files, which tests check, and need not wait for pydantic
    return Taxonomy(**{**value, "labels": tuple(_label(x) for x in value["labels"]), "level_names": names})


def _label(value: Mapping[str, Any]) -> Label:
    found = {**value, **{name: tuple(value.get(name, ())) for name in ("groups", "aliases")}}
    if shape := value.get("template"):
        found["template"] = Template(tuple(shape["forms"]), shape["slots"])
    return Label(**found)


def load_taxonomy(name: str) -> Taxonomy:
    """Load a taxonomy by name, one that ships or one that was kept; returns the same object on each call.

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
    if name in _OWN:
        return _OWN[name]
    if name not in list_taxonomies():
        raise UnknownNameError("taxonomy", name, [*list_taxonomies(), *_OWN])
    return _read(name)


def keep_taxonomy(own: Taxonomy) -> str:
    """Make a label set of one's own known by its name until this process ends; returns the name.

    Raises
    ------
    InputError
        If another set has that name.

    Examples
    --------
    >>> load_taxonomy(keep_taxonomy(Taxonomy("tiny", (Label("crowd"), Label("insult"))))).names
    ('crowd', 'insult')
    """
    known = _read(own.name) if own.name in list_taxonomies() else _OWN.get(own.name, own)
    if known != own:
        raise InputError(
            f"label set {own.name!r}: has the name of another one, which ships or is in use; give yours another name"
        )
    _OWN[own.name] = own
    return own.name

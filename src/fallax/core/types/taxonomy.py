"""Labels and taxonomies as values; the taxonomies themselves are data files in :mod:`fallax.core.taxonomies`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from fallax.core.json_value import JsonValue
from fallax.core.types.spans import NO_FALLACY
from fallax.errors import InputError, UnknownNameError

__all__ = ["Label", "Mapped", "Relation", "Taxonomy", "Template", "label_key"]

#: How a label of one set relates to one of another: "broader" means the *target* is the broader of the two.
Relation = Literal["exact", "broader", "narrower", "none"]


def label_key(name: str) -> str:
    """A label without the differences of spelling that do not matter: case, underscores, hyphens and spaces.

    Examples
    --------
    >>> label_key("Slippery_Slope") == label_key("slippery  slope")
    True
    """
    return re.sub(r"[\W_]+", " ", name.casefold()).strip()


@dataclass(frozen=True, slots=True)
class Template(JsonValue):
    """The formal shape of a fallacy with named slots.

    Parameters
    ----------
    forms : one or more sentences with ``{slot}`` in them (several where the source gives alternatives).
    slots : name of each slot -> what fills it.

    Examples
    --------
    >>> t = Template(("{entity} claims {claim}.",), {"entity": "who speaks", "claim": "what is claimed"})
    >>> t.fill({"entity": "Ann"})
    'Ann claims [what is claimed].'
    """

    forms: tuple[str, ...]
    slots: Mapping[str, str]

    def __post_init__(self) -> None:
        used = {name for form in self.forms for name in re.findall(r"\{(\w+)\}", form)}
        if used != set(self.slots):
            odd = sorted(used ^ set(self.slots))
            raise InputError(f"template: forms and slots must name the same slots, got {', '.join(odd)} in one only")

    def fill(self, values: Mapping[str, str], form: int = 0) -> str:
        """The form with its known slots filled; an unknown slot shows its meaning in brackets."""
        return re.sub(r"\{(\w+)\}", lambda m: values.get(m[1]) or f"[{self.slots[m[1]]}]", self.forms[form])


@dataclass(frozen=True, slots=True)
class Label(JsonValue):
    """One label of a taxonomy.

    Parameters
    ----------
    name : the label as data files write it, in the taxonomy's own spelling.
    groups : the coarser labels it belongs to, coarsest first (level 0, level 1, ...).
    definition : in our own words.
    template : the formal shape, where the source gives one.
    sound_when : what would make such a passage no fallacy.
    aliases : other names readers accept.
    """

    name: str
    groups: tuple[str, ...] = ()
    definition: str = ""
    template: Template | None = None
    sound_when: str = ""
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Mapped(JsonValue):
    """One row of a crosswalk: how ``label`` of one taxonomy relates to another.

    ``relation`` is "exact", "broader" (the target covers more), "narrower" (the target covers less) or "none"
    (``target`` is then None).
    """

    label: str
    target: str | None
    relation: Relation
    note: str = ""


@dataclass(frozen=True)
class Taxonomy(JsonValue):
    """A set of labels with levels.

    The finest level holds the labels themselves; lower numbers are coarser. A flat set has one level, 0.

    Parameters
    ----------
    name : as registered ("mafalda").
    title, source, version : for people; the version changes when a label or its grouping does.
    labels : in the order tables print them.

    Examples
    --------
    >>> t = Taxonomy("tiny", labels=(Label("ad hominem", ("fallacy", "credibility"), aliases=("personal attack",)),))
    >>> t.finest, t.resolve("Ad_Hominem"), t.resolve("personal attack"), t.at_level("ad hominem", 1)
    (2, 'ad hominem', 'ad hominem', 'credibility')
    """

    name: str
    labels: tuple[Label, ...]
    title: str = ""
    source: str = ""
    version: str = "1"
    level_names: tuple[str, ...] = field(default=())

    json_names = ("name", "title", "source", "version", "level_names", "labels")

    def __post_init__(self) -> None:
        depths = {len(label.groups) for label in self.labels}
        if len(depths) != 1:
            raise InputError(f"taxonomy {self.name!r}: every label must have the same number of levels, got {depths}")
        seen: dict[str, str] = {}
        for label in self.labels:
            for name in (label.name, *label.aliases):
                if seen.setdefault(label_key(name), label.name) != label.name:
                    raise InputError(
                        f"taxonomy {self.name!r}: {name!r} must mean one label, got {seen[label_key(name)]!r}"
                        f" and {label.name!r}"
                    )

    @property
    def finest(self) -> int:
        """The number of the finest level."""
        return len(self.labels[0].groups)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The finest labels, in order."""
        return tuple(label.name for label in self.labels)

    @cached_property
    def _by_key(self) -> dict[str, str]:
        return {label_key(n): label.name for label in self.labels for n in (label.name, *label.aliases)}

    @cached_property
    def _by_name(self) -> dict[str, Label]:
        return {label.name: label for label in self.labels}

    def __getitem__(self, name: str) -> Label:
        return self._by_name[self.resolve(name)]

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def resolve(self, name: str, *, where: str = "") -> str:
        """The canonical spelling of a label; case, underscores, hyphens and aliases are accepted.

        Raises
        ------
        UnknownNameError
            With the nearest label and all known ones.
        """
        found = self._by_key.get(label_key(name)) if isinstance(name, str) else None
        if found is None:
            raise UnknownNameError("label", name, self.names, where=where)
        return found

    def labels_at(self, level: int) -> tuple[str, ...]:
        """The distinct labels of a level, in order of first appearance."""
        self.check_level(level)
        return tuple(dict.fromkeys(self.at_level(name, level) for name in self.names))

    def check_level(self, level: int) -> None:
        """Raise InputError unless ``0 <= level <= finest``."""
        if not 0 <= level <= self.finest:
            raise InputError(
                f"taxonomy {self.name!r}: level must be 0 to {self.finest}, got {level}; {self.finest} is the finest"
            )

    def at_level(self, label: str, level: int) -> str:
        """The group of a canonical label at a level; NO_FALLACY is returned unchanged.

        Raises
        ------
        InputError
            If there is no such level.

        Examples
        --------
        >>> t = Taxonomy("t", (Label("ad hominem", ("credibility",)),))
        >>> t.at_level("ad hominem", 0), t.at_level("ad hominem", 1)
        ('credibility', 'ad hominem')
        """
        self.check_level(level)
        if label == NO_FALLACY or level == self.finest:
            return label
        return self._by_name[label].groups[level]

"""Shared code of all readers and writers of structures: collected nodes and links, and losses."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fallax.core.types import ArgumentStructure, Link, Statement, StructureReading
from fallax.errors import FormatError, one_line

__all__ = [
    "MAX_LINKS",
    "Sketch",
    "Written",
    "all_nodes",
    "check_size",
    "fresh_names",
    "note_undercuts",
    "parse_verdict",
    "read_json_object",
    "read_objects",
    "sink",
]

#: A structure with more links or arrows than this is not read: nobody argues in thousands of steps.
MAX_LINKS, MAX_ARROWS = 1_000, 5_000
#: Texts longer than this are not read as one structure (characters).
MAX_CHARACTERS = 4_000_000
#: How many notes are kept before the rest is only counted.
_MAX_NOTES = 50

#: Relations that people write on arrows from a conclusion to its reason.
_PASSIVE = re.compile(
    r"\s*(?:(?:is|was|are|were)\s+)?(?:[a-z]+ed|undercut)\s+by\s*|\s*(?:because|since|due to)\s*", re.I
)
_VERDICT = re.compile(
    r"(?P<supports>support(?:s|ed)?)|(?P<refutes>refute(?:s|d)?)|(?P<nei>not enough info(?:rmation)?|nei)", re.I
)


def parse_verdict(text: str) -> str:
    """The verdict in a short text: "supports", "refutes", "nei", or "" for anything else.

    Examples
    --------
    >>> parse_verdict(" {SUPPORTS}. "), parse_verdict("Not_enough_info"), parse_verdict("it supports nothing")
    ('supports', 'nei', '')
    """
    found = _VERDICT.fullmatch(re.sub(r"[\W_]+", " ", text[:200]).strip())
    return str(found.lastgroup) if found else ""


@dataclass(frozen=True, slots=True)
class Written:
    """A structure as text, with a list of what the format cannot represent."""

    text: str
    losses: tuple[str, ...] = ()


def check_size(text: str) -> None:
    """Raise FormatError if a text is too long to be one structure."""
    if len(text) > MAX_CHARACTERS:
        raise FormatError(f"one structure must have at most {MAX_CHARACTERS} characters, got {len(text)}")


def read_json_object(text: str, what: str = "") -> Mapping[str, Any]:
    """The JSON object that a text is; ``what`` names the format in errors.

    Raises
    ------
    FormatError
        If it is too long, or no JSON object.
    """
    check_size(text)
    must = f"{what} must be one JSON object, got".lstrip()
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{must} an error ({one_line(error)})") from None
    if not isinstance(value, Mapping):
        raise FormatError(f"{must} {one_line(repr(value), 40)}")
    return value


def read_objects(value: Mapping[str, Any], key: str, what: str) -> list[Mapping[str, Any]]:
    """The list of objects under a key; FormatError if it is none."""
    found = value.get(key)
    if not isinstance(found, list) or not all(isinstance(x, Mapping) for x in found):
        raise FormatError(f"{what} must have {key!r} as a list of objects, got {one_line(repr(found), 40)}")
    return found


def sink(structure: ArgumentStructure) -> str | None:
    """The only linked node without an outgoing link, which readers take for the claim.

    Of several, the one that anything supports.
    """
    ends = {t for link in structure.links for t in link.targets if not structure.conclusions_of(t)}
    if len(ends) > 1:
        ends = {t for link in structure.links if link.role == "supports" for t in link.targets if t in ends}
    return next(iter(ends)) if len(ends) == 1 else None


def all_nodes(structure: ArgumentStructure, unused: Iterable[Statement]) -> list[Statement]:
    """The claim first, then the evidence, then unused nodes with free names."""
    first = () if structure.claim is None else (structure.claim,)
    return list({n.id: n for n in (*unused, *structure.evidence[::-1], *first)}.values())[::-1]


def fresh_names(
    nodes: Iterable[Statement], fits: re.Pattern[str], prefix: str, taken: Collection[str] = ()
) -> tuple[dict[str, str], list[str]]:
    """Valid names for the nodes in a format, and a note for each changed name.

    Names that fit are kept; the others become the prefix with the lowest number that is free.
    """
    listed = list(nodes)
    names = {n.id: n.id for n in listed if fits.fullmatch(n.id) and n.id not in taken}
    used = {*names.values(), *taken}
    losses = []
    number = 0
    for n in listed:
        if n.id in names:
            continue
        number += 1
        while f"{prefix}{number}" in used:
            number += 1
        names[n.id] = f"{prefix}{number}"
        losses.append(f"node {one_line(n.id, 60)!r}: its name, written as {names[n.id]}")
    return names, losses


def note_undercuts(sketch: Sketch) -> None:
    """Note where an undercut leads to a node with several steps: which of them it meets is not kept."""
    for link in sketch.links:
        for target in link.targets if link.role == "undercuts" else ():
            n = sum(x.role == "supports" and target in x.targets for x in sketch.links)
            if n > 1:
                sketch.note(f"link {link}: undercuts one of {n} steps to its target; which is not kept")


class Sketch:
    """Collects nodes and links in file order; impossible links are skipped with a note."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}
        self.links: dict[Link, None] = {}
        self.notes: list[str] = []
        self.claim: str | None = None
        self._n_notes = 0
        self._n_arrows = 0

    def note(self, text: str) -> None:
        """Note something that was skipped or corrected."""
        self._n_notes += 1
        if self._n_notes <= _MAX_NOTES:
            self.notes.append(text)

    def node(self, id_: str, text: str = "") -> None:
        """Declare a node; its first non-empty text is kept."""
        known = self.texts.get(id_)
        if known and text and known != text:
            self.note(f"node {one_line(id_, 60)!r}: is declared twice with different texts; the first is kept")
        self.texts[id_] = known or text

    def link(self, sources: Sequence[str], targets: Sequence[str], relation: str = "", *, where: str = "") -> None:
        """Add a link; undeclared names become nodes without text."""
        prefix = f"{where}: " if where else ""
        before = tuple(dict.fromkeys(sources))
        known = set(before)
        after = tuple(dict.fromkeys(t for t in targets if t not in known))
        if len(before) != len(sources) or len(after) != len(set(targets)):
            self.note(f"{prefix}a node must not lead to itself or be named twice in one link; that part is skipped")
        if not before or not after:
            if sources and targets:
                return
            self.note(f"{prefix}a link must have sources and targets; it is skipped")
            return
        self._n_arrows += len(before) * len(after)
        if self._n_arrows > MAX_ARROWS:
            raise FormatError(f"one structure must have at most {MAX_ARROWS} arrows, got more")
        if _PASSIVE.fullmatch(relation):
            self.note(
                f"{prefix}{one_line(relation, 60)!r} may mean the other direction; the arrow is read as it is drawn"
            )
        for id_ in (*before, *after):
            self.texts.setdefault(id_, "")
        for one in Link.split(before, after, relation):
            if one in self.links:
                self.note(f"{prefix}the link {one} is given twice; the second is skipped")
            self.links[one] = None
        if len(self.links) > MAX_LINKS:
            raise FormatError(f"one structure must have at most {MAX_LINKS} links, got more")

    def reading(self, *, label: str = "", infer_claim: bool = False, missing: str = "") -> StructureReading:
        """The structure, with unlinked nodes set apart.

        Parameters
        ----------
        infer_claim : where no node is marked as the claim, it is the only linked node that leads nowhere.
        missing : the reason where there is no link.
        """
        if self._n_notes > len(self.notes):
            self.notes.append(f"and {self._n_notes - len(self.notes)} more")
        notes = tuple(self.notes)
        used = {i for link in self.links for i in (*link.sources, *link.targets)}
        nodes = {i: Statement(i, text) for i, text in self.texts.items()}
        claim = self.claim
        if not self.links:
            unused = tuple(n for n in nodes.values() if n.id != claim)
            return StructureReading(None, label, unused, notes, missing or "no link was found")
        linked = tuple(n for n in nodes.values() if n.id in used and n.id != claim)
        structure = ArgumentStructure(None if claim is None else nodes[claim], linked, tuple(self.links))
        if claim is None and infer_claim and (root := sink(structure)) is not None:
            rest = tuple(n for n in linked if n.id != root)
            structure = ArgumentStructure(nodes[root], rest, structure.links)
        known = structure.by_id
        return StructureReading(structure, label, tuple(n for n in nodes.values() if n.id not in known), notes)

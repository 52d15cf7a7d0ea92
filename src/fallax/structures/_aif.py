"""The Argument Interchange Format as JSON (AIFdb), and its wrapper xAIF."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from fallax.core.types import ArgumentStructure, Statement, StructureReading, link_role
from fallax.errors import FormatError, one_line
from fallax.structures._arrows import claim_losses
from fallax.structures._sketch import Sketch, Written, all_nodes, note_undercuts, read_json_object, read_objects

__all__ = ["format_aif", "format_xaif", "parse_aif"]

#: Kinds of scheme nodes: the relation that each stands for, and the name of its default scheme.
_SCHEMES = {
    "RA": ("", "Default Inference"),
    "CA": ("attacks", "Default Conflict"),
    "MA": ("rephrases", "Default Rephrase"),
}
_KINDS = {"supports": "RA", "attacks": "CA", "undercuts": "CA", "rephrases": "MA"}
_UNDERCUTS = "undercuts"


def parse_aif(text: str) -> StructureReading:
    """Read an AIF graph, bare or under the key ``AIF``.

    Information nodes (I) are the nodes; every inference (RA), conflict (CA) or rephrase (MA) node is one link. The
    relation of a conflict is "attacks", of a rephrase "rephrases", with its scheme behind a colon where that is not the
    default; the relation of an inference is its scheme, "" for the default. A conflict with an inference undercuts:
    its link leads to what the inference concludes. Locutions and what hangs on them are counted in a note. The claim
    is the only information node that leads nowhere.

    Raises
    ------
    FormatError
        If it is no JSON object with ``nodes`` and ``edges``, or an edge names a node that is not there.
    """
    value = read_json_object(text, "AIF")
    graph = value.get("AIF", value)
    if not isinstance(graph, Mapping):
        raise FormatError(f"AIF must be one JSON object, got {one_line(repr(value), 40)}")
    types: dict[str, tuple[str, str]] = {}
    sketch = Sketch()
    for i, node in enumerate(read_objects(graph, "nodes", "AIF"), start=1):
        id_ = _id(node, "nodeID", f"node {i}")
        if id_ in types:
            raise FormatError(f"node {one_line(id_, 60)!r}: each nodeID must be used once, got it again")
        kind, said = str(node.get("type", "")), node.get("text")
        if kind in _SCHEMES and said in (None, "", kind):
            said = node.get("scheme")
        types[id_] = (kind, said if isinstance(said, str) else "")
        if types[id_][0] == "I":
            sketch.node(id_, types[id_][1])
    ends: dict[str, tuple[list[str], list[str]]] = {i: ([], []) for i, (kind, _) in types.items() if kind in _SCHEMES}
    about: list[tuple[int, str, str]] = []
    n_other = sum(kind != "I" and kind not in _SCHEMES for kind, _ in types.values())
    for i, edge in enumerate(read_objects(graph, "edges", "AIF"), start=1):
        before, after = _id(edge, "fromID", f"edge {i}"), _id(edge, "toID", f"edge {i}")
        for id_ in (before, after):
            if id_ not in types:
                raise FormatError(f"edge {i}: must join nodes of the graph, got {one_line(id_, 60)!r}, which is none")
        kinds = types[before][0], types[after][0]
        if kinds[0] == "I" and after in ends:
            ends[after][0].append(before)
        elif before in ends and kinds[1] == "I":
            ends[before][1].append(after)
        elif kinds == ("I", "I"):
            sketch.link([before], [after])
        elif before in ends and after in ends:
            about.append((i, before, after))
    for i, before, after in about:
        if (types[before][0], types[after][0]) == ("CA", "RA") and ends[before][0] and ends[after][1]:
            relation = _relation("CA", types[before][1], _UNDERCUTS)
            sketch.link(ends[before][0], ends[after][1], relation, where=f"node {one_line(before, 40)!r}")
        else:
            kinds = types[before][0], types[after][0]
            sketch.note(
                f"edge {i}: leads from {kinds[0]} to {kinds[1]}, which a structure cannot represent; it is skipped"
            )
    scheming = {before for _, before, _ in about}
    for id_, (sources, targets) in ends.items():
        if targets or (sources and id_ not in scheming):
            sketch.link(sources, targets, _relation(*types[id_]), where=f"node {one_line(id_, 40)!r}")
    if n_other:
        sketch.note(f"{n_other} nodes are neither information nor schemes (locutions and the like); they are skipped")
    note_undercuts(sketch)
    return sketch.reading(infer_claim=True, missing="no inference joins two information nodes")


def _id(value: Mapping[str, Any], key: str, where: str) -> str:
    found = value.get(key)
    if isinstance(found, bool) or not isinstance(found, str | int) or found == "":
        raise FormatError(f"{where}: {key!r} must be a name or a number, got {one_line(repr(found), 40)}")
    return str(found)


def _relation(kind: str, scheme: str, default: str | None = None) -> str:
    """The relation that a scheme node stands for; :func:`_scheme` is its inverse."""
    plain, usual = _SCHEMES[kind]
    plain = default or plain
    if scheme in ("", kind, usual):
        return plain
    return scheme if kind == "RA" or _KINDS[link_role(scheme)] == kind else f"{plain}: {scheme}"


def _scheme(relation: str, kind: str, plain: str) -> str:
    """The text of the scheme node of a relation."""
    if relation == plain:
        return _SCHEMES[kind][1]
    short = relation.removeprefix(f"{plain}: ") if kind != "RA" else relation
    return short if _relation(kind, short, plain) == relation else relation


def _graph(structure: ArgumentStructure, unused: Iterable[Statement]) -> tuple[dict[str, Any], list[str]]:
    listed = all_nodes(structure, unused)
    names = {n.id for n in listed}
    nodes = [{"nodeID": n.id, "text": n.text, "type": "I"} for n in listed]
    edges: list[dict[str, str]] = []
    losses = []
    number = 0

    def edge(before: str, after: str) -> None:
        edges.append({"edgeID": str(len(edges) + 1), "fromID": before, "toID": after})

    #: conclusion -> the first inference that leads to it, which an undercut can meet
    inferences: dict[str, str] = {}
    for link in sorted(structure.links, key=lambda x: x.role == _UNDERCUTS):
        if len(link.targets) > 1:
            losses.append(
                f"link {link}: that its conclusions belong together, written as {len(link.targets)} inferences"
            )
        kind = _KINDS[link.role]
        for target in link.targets:
            number += 1
            while f"link{number}" in names:
                number += 1
            scheme = f"link{number}"
            met = inferences.get(target) if link.role == _UNDERCUTS else None
            said = _scheme(link.relation, kind, _UNDERCUTS if met else _SCHEMES[kind][0])
            nodes.append({"nodeID": scheme, "text": said, "type": kind})
            for source in link.sources:
                edge(source, scheme)
            edge(scheme, met or target)
            if kind == "RA":
                inferences.setdefault(target, scheme)
        if link.relation in ("RA", _SCHEMES["RA"][1]):
            losses.append(f"link {link}: the relation {one_line(link.relation, 60)!r}")
    return {"nodes": nodes, "edges": edges, "locutions": []}, [*losses, *claim_losses(structure)]


def format_aif(structure: ArgumentStructure, *, unused: Iterable[Statement] = (), label: str = "") -> Written:
    """The structure as AIF JSON: one inference node for each link and conclusion."""
    graph, losses = _graph(structure, unused)
    return _written(graph, losses, label)


def format_xaif(structure: ArgumentStructure, *, unused: Iterable[Statement] = (), label: str = "") -> Written:
    """The structure as xAIF: the AIF graph under the key ``AIF``, with the fields that xAIF tools expect."""
    graph, losses = _graph(structure, unused)
    value = {"AIF": {**graph, "participants": [], "schemefulfillments": [], "descriptorfulfillments": []}, "text": ""}
    return _written(value, losses, label)


def _written(value: object, losses: list[str], label: str) -> Written:
    lost = [*losses, f"the verdict {label!r}"] if label else losses
    return Written(json.dumps(value, ensure_ascii=False, indent=1) + "\n", tuple(lost))

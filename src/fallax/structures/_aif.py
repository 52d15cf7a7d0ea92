"""The Argument Interchange Format as JSON (AIFdb), and xAIF, which wraps it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from fallax.core.types import ArgumentStructure, Statement, StructureReading
from fallax.errors import FormatError, one_line
from fallax.structures._arrows import claim_losses
from fallax.structures._sketch import Sketch, Written, all_nodes, check_size

__all__ = ["format_aif", "format_xaif", "parse_aif"]

#: Relation "" and "attacks" are the default schemes of the two kinds of scheme nodes.
_INFERENCE, _CONFLICT, _ATTACKS = "Default Inference", "Default Conflict", "attacks"
_SCHEMES = {"RA", "CA", "MA"}


def parse_aif(text: str) -> StructureReading:
    """Read an AIF graph, bare or under the key ``AIF``.

    Information nodes (I) are the nodes; every inference (RA), conflict (CA) or rephrase (MA) node is one link, whose
    relation is its scheme ("" for the default inference, "attacks" for the default conflict). Locutions and what hangs
    on them are counted in a note. The claim is the only information node that leads nowhere.

    Raises
    ------
    FormatError
        If it is no JSON object with ``nodes`` and ``edges``, or an edge names a node that is not there.
    """
    check_size(text)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"AIF must be one JSON object, got a fault ({one_line(error)})") from None
    graph = value.get("AIF", value) if isinstance(value, Mapping) else None
    if not isinstance(graph, Mapping):
        raise FormatError(f"AIF must be one JSON object, got {one_line(repr(value), 40)}")
    types: dict[str, tuple[str, str]] = {}
    sketch = Sketch()
    for i, node in enumerate(_objects(graph, "nodes"), start=1):
        id_ = _id(node, "nodeID", f"node {i}")
        if id_ in types:
            raise FormatError(f"node {one_line(id_, 60)!r}: each nodeID must be used once, got it again")
        said = node.get("text")
        types[id_] = (str(node.get("type", "")), said if isinstance(said, str) else "")
        if types[id_][0] == "I":
            sketch.node(id_, types[id_][1])
    ends: dict[str, tuple[list[str], list[str]]] = {i: ([], []) for i, (kind, _) in types.items() if kind in _SCHEMES}
    n_other = sum(kind != "I" and kind not in _SCHEMES for kind, _ in types.values())
    for i, edge in enumerate(_objects(graph, "edges"), start=1):
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
        elif set(kinds) <= _SCHEMES | {"I"}:
            sketch.note(
                f"edge {i}: leads from {kinds[0]} to {kinds[1]}, which a structure cannot say; it is passed over"
            )
    for id_, (sources, targets) in ends.items():
        if sources or targets:
            sketch.link(sources, targets, _relation(*types[id_]), where=f"node {one_line(id_, 40)!r}")
    if n_other:
        sketch.note(
            f"{n_other} nodes are neither information nor schemes (locutions and the like); they are passed over"
        )
    return sketch.reading(infer_claim=True, missing="no inference joins two information nodes")


def _objects(graph: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    found = graph.get(key)
    if not isinstance(found, list) or not all(isinstance(x, Mapping) for x in found):
        raise FormatError(f"AIF must have {key!r} as a list of objects, got {one_line(repr(found), 40)}")
    return found


def _id(value: Mapping[str, Any], key: str, where: str) -> str:
    found = value.get(key)
    if isinstance(found, bool) or not isinstance(found, str | int) or found == "":
        raise FormatError(f"{where}: {key!r} must be a name or a number, got {one_line(repr(found), 40)}")
    return str(found)


def _relation(kind: str, scheme: str) -> str:
    if kind == "CA" and scheme in ("", _CONFLICT):
        return _ATTACKS
    if kind == "MA" and not scheme:
        return "rephrases"
    return "" if kind == "RA" and scheme in ("RA", "", _INFERENCE) else scheme


def _graph(structure: ArgumentStructure, unused: Iterable[Statement]) -> tuple[dict[str, Any], list[str]]:
    listed = all_nodes(structure, unused)
    names = {n.id for n in listed}
    nodes = [{"nodeID": n.id, "text": n.text, "type": "I"} for n in listed]
    edges: list[dict[str, str]] = []
    losses = []
    number = 0

    def edge(before: str, after: str) -> None:
        edges.append({"edgeID": str(len(edges) + 1), "fromID": before, "toID": after})

    for link in structure.links:
        if len(link.targets) > 1:
            losses.append(
                f"link {link}: that its conclusions belong together, written as {len(link.targets)} inferences"
            )
        for target in link.targets:
            number += 1
            while f"link{number}" in names:
                number += 1
            scheme = f"link{number}"
            kind = "CA" if link.relation == _ATTACKS else "RA"
            said = _CONFLICT if kind == "CA" else link.relation or _INFERENCE
            nodes.append({"nodeID": scheme, "text": said, "type": kind})
            for source in link.sources:
                edge(source, scheme)
            edge(scheme, target)
        if link.relation in ("RA", _INFERENCE):
            losses.append(f"link {link}: the relation {one_line(link.relation, 60)!r}")
    return {"nodes": nodes, "edges": edges, "locutions": []}, [*losses, *claim_losses(structure)]


def format_aif(structure: ArgumentStructure, *, unused: Iterable[Statement] = (), label: str = "") -> Written:
    """The structure as AIF JSON: one inference node for each link and conclusion."""
    graph, losses = _graph(structure, unused)
    return _written(graph, losses, label)


def format_xaif(structure: ArgumentStructure, *, unused: Iterable[Statement] = (), label: str = "") -> Written:
    """The structure as xAIF: the AIF graph under the key ``AIF``, with the places that xAIF tools expect."""
    graph, losses = _graph(structure, unused)
    value = {"AIF": {**graph, "participants": [], "schemefulfillments": [], "descriptorfulfillments": []}, "text": ""}
    return _written(value, losses, label)


def _written(value: object, losses: list[str], label: str) -> Written:
    lost = [*losses, f"the verdict {label!r}"] if label else losses
    return Written(json.dumps(value, ensure_ascii=False, indent=1) + "\n", tuple(lost))

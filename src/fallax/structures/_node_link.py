"""Node-link JSON, as networkx and D3 write graphs: ``{"nodes": [{"id": ...}], "edges": [{"source": ...}]}``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from fallax.core.types import ArgumentStructure, Statement, StructureReading
from fallax.errors import FormatError, one_line
from fallax.structures._graph import Graph, GraphEdge, edge_data, read_graph
from fallax.structures._sketch import Written, all_nodes, read_json_object, read_objects

__all__ = ["format_node_link", "is_node_link", "parse_node_link"]

_WHAT = "node-link JSON"


def is_node_link(value: Mapping[str, Any]) -> bool:
    """Whether a JSON object has nodes, and edges (or links) with a source and a target."""
    edges = value.get("edges", value.get("links"))
    if not isinstance(value.get("nodes"), list) or not isinstance(edges, list):
        return False
    first = edges[0] if edges else value
    return isinstance(first, Mapping) and ("source" in first or "directed" in first)


def parse_node_link(text: str) -> StructureReading:
    """Read node-link JSON; :func:`~fallax.structures._graph.read_graph` says which data is read.

    Edges stand under ``edges``, or ``links`` as networkx wrote them before version 3.4.

    Raises
    ------
    FormatError
        If it is no JSON object of that shape, or an edge names a node that is not there.

    Examples
    --------
    >>> text = '{"nodes": [{"id": 0, "text": "rain"}, {"id": 1}], "links": [{"source": 0, "target": 1}]}'
    >>> [str(link) for link in parse_node_link(text).structure.links]
    ['0 -> 1']
    """
    value = read_json_object(text, _WHAT)
    graph = Graph(data=_data(value.get("graph")))
    for i, node in enumerate(read_objects(value, "nodes", _WHAT), start=1):
        id_ = _name(node.get("id"), f"node {i}: 'id'")
        if id_ in graph.nodes:
            raise FormatError(f"node {one_line(id_, 60)!r}: each id must be used once, got it again")
        graph.nodes[id_] = _data({k: v for k, v in node.items() if k != "id"})
    edges = read_objects(value, "edges" if "edges" in value else "links", _WHAT)
    for i, edge in enumerate(edges, start=1):
        ends = [_name(edge.get(k), f"edge {i}: {k!r}") for k in ("source", "target")]
        data = _data({k: v for k, v in edge.items() if k not in ("source", "target")})
        graph.edges.append(GraphEdge(ends[:1], ends[1:], data))
    if value.get("directed") is False and edges:
        graph.notes.append("the edges have no direction; each is read as from its source to its target")
    return read_graph(graph)


def _name(value: object, where: str) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float) or value == "":
        raise FormatError(f"{where} must be a name or a number, got {one_line(repr(value), 40)}")
    return str(value)


def _data(value: object) -> dict[str, str]:
    if not isinstance(value, Mapping):
        return {}
    return {str(k): v if isinstance(v, str) else json.dumps(v) for k, v in value.items() if v is not None}


def format_node_link(structure: ArgumentStructure, *, unused: Iterable[Statement] = (), label: str = "") -> Written:
    """The structure as node-link JSON, for ``networkx.node_link_graph``; nothing is lost."""
    nodes = [
        {"id": n.id, "text": n.text, "kind": structure.kind_of(n.id) if n.id in structure.by_id else "unused"}
        for n in all_nodes(structure, unused)
    ]
    edges = [
        {**edge_data(link, number), "source": s, "target": t, "key": number}
        for number, link in enumerate(structure.links, start=1)
        for s, t in link.pairs
    ]
    about = {"claim": "" if structure.claim is None else structure.claim.id, **({"verdict": label} if label else {})}
    value = {"directed": True, "multigraph": True, "graph": about, "nodes": nodes, "edges": edges}
    return Written(json.dumps(value, ensure_ascii=False, indent=1) + "\n")

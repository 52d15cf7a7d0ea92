"""Shared code of the graph formats: nodes and edges with data, and how they become a structure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from html import unescape
from re import IGNORECASE, sub
from typing import Any
from xml.parsers import expat

from fallax.core.types import Link, StructureReading
from fallax.core.types.structure import ROLES
from fallax.errors import FormatError, one_line
from fallax.structures._sketch import Sketch, parse_verdict

__all__ = ["Graph", "GraphEdge", "edge_data", "parse_xml", "plain_html", "read_graph"]

#: What programs call relations -> ours; a contradiction keeps its name. A relation of our own (data ``relation``) is
#: taken as it is.
_KNOWN = {
    **dict.fromkeys(("support", "supports", "pro"), ""),
    **ROLES,
    **dict.fromkeys(("contradict", "contradicts", "contradictory", "contradiction"), "contradicts"),
}
_TEXTS = ("text", "label", "description")
_RELATIONS = ("relation", "label", "edge label", "xlabel")
#: Where programs put the kind of an edge that has no label; read where the value is one of ``_KNOWN``.
_ROLE_NAMES = ("type", "kind", "role", "stance")
_KINDS = {"claim", "leaf", "intermediate", "unused"}
#: Data that says how a graph looks or is stored, not what it says.
_LOOKS = frozenset(
    (
        "id", "name", "kind", "link", "key", "networkx_key", "networkx_name", "x", "y",
        "z", "r", "g", "b", "alpha", "size", "color", "colour", "width",
        "height", "pos", "bb", "rects", "lp", "xlp", "shape", "style", "fillcolor",
        "fontcolor", "labelfontcolor", "fontname", "fontsize", "margin", "penwidth", "arrowhead", "arrowtail",
        "arrowsize", "dir", "rank", "rankdir", "tooltip", "url", "class", "group", "thickness",
    )
)  # fmt: skip
_EDGE_LOOKS = _LOOKS - {"kind"}
_MAX_DEPTH = 60


@dataclass(slots=True)
class GraphEdge:
    """An edge, or a hyperedge, from one or several nodes to one or several others."""

    sources: list[str]
    targets: list[str]
    data: dict[str, str] = field(default_factory=dict)
    where: str = ""


@dataclass(slots=True)
class Graph:
    """Nodes by id with their data, edges, and the data of the whole."""

    nodes: dict[str, dict[str, str]] = field(default_factory=dict)
    edges: list[GraphEdge] = field(default_factory=list)
    data: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def plain_html(text: str) -> str:
    r"""The plain text of an HTML label: line breaks and rows as lines, cells side by side, no tags.

    Examples
    --------
    >>> plain_html("<table><tr><td>Few</td><td>apples</td></tr><tr><td>a &amp; b<br/>c</td></tr></table>")
    'Few apples\na & b\nc'
    """
    rows = sub(r"<br\b[^<>]*>|</tr>", "\n", sub(r"</td>", " ", text, flags=IGNORECASE), flags=IGNORECASE)
    said = unescape(sub(r"<[^<>]*>", "", rows))
    return "\n".join(line for line in (" ".join(x.split()) for x in said.split("\n")) if line)


def _lower(data: Mapping[str, str]) -> dict[str, str]:
    return {k.lower(): v for k, v in reversed(list(data.items()))}


def _names(nodes: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """Node names by id; restores names that igraph stores as data ``id`` or ``name``."""
    for key in ("id", "name"):
        found = {i: data.get(key, "") for i, data in nodes.items()}
        told = any(data.get(t) for data in nodes.values() for t in _TEXTS)
        alone = all(found.values()) and len(set(found.values())) == len(found)
        if found and alone and (told or not any(" " in x for x in found.values())):
            return found
    return {i: i for i in nodes}


def _text(id_: str, data: Mapping[str, str]) -> str:
    if "text" in data:
        return data["text"]
    said = next((data[k] for k in (*_TEXTS, "name") if data.get(k, "").strip()), "")
    said = plain_html(said) if said.startswith("<html>") else said
    return "" if said == id_ else said


def _relation(data: Mapping[str, str]) -> str:
    if "relation" in data:
        return data["relation"]
    said = next((data[k].strip() for k in ("label", "edge label", "xlabel") if data.get(k, "").strip()), "")
    if not said:
        said = next((data[k].strip() for k in _ROLE_NAMES if data.get(k, "").strip().lower() in _KNOWN), "")
    return _KNOWN.get(said.lower(), said)


def _unread(data: Mapping[str, str]) -> set[str]:
    """The data of an edge that is not read: unknown, or a kind of edge that has no known meaning."""
    read = {k for k in _ROLE_NAMES if data.get(k, "").strip().lower() in (*_KNOWN, "directed", "undirected", "mutual")}
    return {k for k, v in data.items() if v.strip() and k not in (*_RELATIONS, *_EDGE_LOOKS, *read)}


def read_graph(graph: Graph, *, missing: str = "no edge was found") -> StructureReading:
    """The argument structure of a graph.

    The text of a node is its data ``text``, else ``label``, else ``description``. A relation is the data ``relation``
    of an edge, else its label. Edges with the same data ``link`` are one link. The claim is the data ``claim`` of the
    graph, else the node of the kind "claim"; where neither is said, the only node that leads nowhere.

    Raises
    ------
    FormatError
        If an edge or the claim names a node that is not there.
    """
    sketch = Sketch()
    for note in graph.notes:
        sketch.note(note)
    nodes = {i: _lower(data) for i, data in graph.nodes.items()}
    names = _names(nodes)
    for i, data in nodes.items():
        sketch.node(names[i], _text(names[i], data))
    links: dict[str, tuple[dict[str, None], dict[str, None], str, str]] = {}
    over = {k for data in nodes.values() for k, v in data.items() if v.strip() and k not in (*_TEXTS, *_LOOKS)}
    for number, edge in enumerate(graph.edges, start=1):
        for id_ in (*edge.sources, *edge.targets):
            if id_ not in names:
                raise FormatError(
                    f"edge {number}: must join nodes of the graph, got {one_line(id_, 60)!r}, which is none"
                )
        data = _lower(edge.data)
        over |= _unread(data)
        one = links.setdefault(data.get("link") or f" {number}", ({}, {}, _relation(data), edge.where))
        one[0].update(dict.fromkeys(names[i] for i in edge.sources))
        one[1].update(dict.fromkeys(names[i] for i in edge.targets))
    for sources, targets, relation, where in links.values():
        sketch.link(list(sources), list(targets), relation, where=where)
    if over:
        sketch.note(f"data of nodes and edges that a structure cannot represent, skipped: {_listed(over)}")
    return _with_claim(sketch, graph, nodes, names, missing)


def _listed(names: set[str]) -> str:
    shown = ", ".join(one_line(x, 40) for x in sorted(names)[:12])
    return shown + (f" and {len(names) - 12} more" if len(names) > 12 else "")


def _with_claim(
    sketch: Sketch, graph: Graph, nodes: Mapping[str, Mapping[str, str]], names: Mapping[str, str], missing: str
) -> StructureReading:
    claim = graph.data.get("claim")
    kinds = {data.get("kind", "") for data in nodes.values()}
    marked = [names[i] for i, data in nodes.items() if data.get("kind") == "claim"]
    if claim:
        claim = names.get(claim, claim)
        if claim not in sketch.texts:
            raise FormatError(f"the claim must be a node of the graph, got {one_line(claim, 60)!r}, which is none")
        sketch.claim = claim
    elif claim is None and len(marked) == 1:
        sketch.claim = marked[0]
    infer = claim is None and not marked and not (kinds and kinds <= _KINDS)
    return sketch.reading(label=parse_verdict(graph.data.get("verdict", "")), infer_claim=infer, missing=missing)


def edge_data(link: Link, number: int) -> dict[str, str]:
    """The data of each edge of a link, from which :func:`read_graph` restores the link."""
    return {"link": str(number), **({"relation": link.relation} if link.relation else {})}


def parse_xml(
    text: str, name: str, start: Callable[[str, dict[str, str]], None], end: Callable[[str], None], said: Any
) -> None:
    """Parse XML with events; refuses document types and deep nesting, which can exhaust memory.

    Parameters
    ----------
    name : of the format, for messages.
    start, end, said : what is called with a tag without its namespace and its attributes, a tag, and text.

    Raises
    ------
    FormatError
        With the line.
    """
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    depth = 0

    def refuse(*_: Any) -> None:
        raise FormatError(f"{name} must not declare a document type, got one; remove it", line=parser.CurrentLineNumber)

    def opened(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > _MAX_DEPTH:
            raise FormatError(
                f"elements must be nested at most {_MAX_DEPTH} deep, got more", line=parser.CurrentLineNumber
            )
        start(tag.rpartition(" ")[2], attributes)

    def closed(tag: str) -> None:
        nonlocal depth
        depth -= 1
        end(tag.rpartition(" ")[2])

    parser.StartDoctypeDeclHandler = refuse
    parser.StartElementHandler = opened
    parser.EndElementHandler = closed
    parser.CharacterDataHandler = said
    try:
        parser.Parse(text.encode("utf-8", "replace"), True)
    except expat.ExpatError as error:
        raise FormatError(
            f"{name} must be well-formed XML, got an error ({expat.ErrorString(error.code)})", line=error.lineno
        ) from None

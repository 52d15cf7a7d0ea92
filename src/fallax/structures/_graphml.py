"""GraphML, including the variants of yEd, Gephi, igraph, networkx and Argdown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from fallax.core.types import ArgumentStructure, Statement, StructureReading
from fallax.core.xml_characters import NO_XML, xml_characters
from fallax.errors import FormatError, one_line
from fallax.structures._graph import Graph, GraphEdge, edge_data, parse_xml, read_graph
from fallax.structures._sketch import Written, all_nodes, check_size

__all__ = ["format_graphml", "parse_graphml", "xml_losses", "xml_text"]

#: Elements of yFiles whose text is what a node or an edge says.
_LABELS = ("NodeLabel", "EdgeLabel")


@dataclass(slots=True)
class _Item:
    """A node or an edge with its attributes, its data by name, the ends of a hyperedge, and the arrows of yFiles."""

    kind: str
    attributes: dict[str, str]
    data: dict[str, str] = field(default_factory=dict)
    ends: list[tuple[str, str]] = field(default_factory=list)
    labels: dict[str, None] = field(default_factory=dict)
    arrows: tuple[str, str] = ("none", "standard")
    colour: str = ""


class _Handler:
    """Collects nodes and edges from XML events."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        self.graph = _Item("graph", {})
        self.directed = True
        self.items: list[_Item] = []
        self.open: list[_Item] = []
        self.depth = 0
        #: name and depth of what collects text: a ``data`` or a label of yFiles inside it.
        self.reading: list[tuple[str, int]] = []
        self.text = ""
        self.nested = False

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        self.nested = bool(self.reading)
        if tag == "key":
            self.names[attributes.get("id", "")] = attributes.get("attr.name", attributes.get("id", ""))
        elif tag == "graph" and not self.open:
            self.directed = attributes.get("edgedefault") != "undirected"
        elif tag in ("node", "edge", "hyperedge"):
            self.open.append(_Item(tag, attributes))
            self.items.append(self.open[-1])
        elif tag == "endpoint" and self.open:
            self.open[-1].ends.append((attributes.get("type", "undir"), attributes.get("node", "")))
        elif tag == "data":
            self.reading.append((self.names.get(attributes.get("key", ""), attributes.get("key", "")), self.depth))
            self.text = ""
        elif tag in _LABELS and self.open:
            self.reading.append(("", self.depth))
            self.text = ""
        elif tag == "Arrows" and self.open:
            self.open[-1].arrows = attributes.get("source", "none"), attributes.get("target", "none")
        elif tag == "LineStyle" and self.open:
            self.open[-1].colour = attributes.get("color", "")

    def end(self, tag: str) -> None:
        if self.reading and self.reading[-1][1] == self.depth:
            name, _ = self.reading.pop()
            item = self.open[-1] if self.open else self.graph
            if tag == "data" and not self.nested:
                item.data[name] = self.text
            elif tag in _LABELS and self.text.strip():
                item.labels[self.text.strip()] = None
        elif tag in ("node", "edge", "hyperedge"):
            self.open.pop()
        self.depth -= 1

    def said(self, text: str) -> None:
        if self.reading and self.reading[-1][1] == self.depth:
            self.text += text


def parse_graphml(text: str) -> StructureReading:
    """Read GraphML; :func:`~fallax.structures._graph.read_graph` says which data is read.

    Hyperedges with endpoints ``in`` and ``out`` are links too. What yEd draws (``y:NodeLabel``, ``y:EdgeLabel``, arrows
    at either end) is read; its groups are dropped.

    Raises
    ------
    FormatError
        If it is no XML, declares a document type, or an edge names a node that is not there.
    """
    check_size(text)
    handler = _Handler()
    parse_xml(text, "GraphML", handler.start, handler.end, handler.said)
    graph = Graph(data=handler.graph.data)
    ends = {i for item in handler.items if item.kind == "edge" for i in _ends(item)}
    n_groups = 0
    for item in handler.items:
        if item.labels and not {"text", "label"} & {k.lower() for k in item.data}:
            item.data["label"] = "\n".join(item.labels)
        if item.kind != "node":
            continue
        id_ = item.attributes.get("id", "")
        if not id_:
            raise FormatError("each node must have an id, got none")
        if item.attributes.get("yfiles.foldertype") in ("group", "folder") and id_ not in ends:
            n_groups += 1
            continue
        graph.nodes[id_] = {**graph.nodes.get(id_, {}), **item.data}
    graph.edges = [_edge(item, handler.directed, graph) for item in handler.items if item.kind != "node"]
    colours = {item.colour for item in handler.items if item.kind == "edge"}
    if len(colours) > 1 and not any(edge.data for edge in graph.edges):
        graph.notes.append(
            f"edges have {len(colours)} colours and no labels; what the colours mean is not read, so all are supports"
        )
    if n_groups:
        graph.notes.append(f"{n_groups} groups of nodes are dropped; their nodes are kept")
    return read_graph(graph)


def _ends(item: _Item) -> tuple[str, str]:
    return item.attributes.get("source", ""), item.attributes.get("target", "")


def _edge(item: _Item, directed: bool, graph: Graph) -> GraphEdge:
    if item.kind == "hyperedge":
        sides = ([i for kind, i in item.ends if kind == side] for side in ("in", "out"))
        return GraphEdge(next(sides), next(sides), item.data)
    before, after = _ends(item)
    at_source, at_target = (end != "none" for end in item.arrows)
    shown = f"edge {one_line(before, 40)} to {one_line(after, 40)}"
    if at_source and not at_target:
        before, after = after, before
    elif at_source or not at_target or item.attributes.get("directed", str(directed).lower()) == "false":
        said = "arrows at both ends" if at_source else "no direction"
        graph.notes.append(f"{shown}: has {said}; it is read as from the first to the second")
    return GraphEdge([before], [after], item.data)


def xml_text(text: str) -> str:
    """A text for XML; characters that XML forbids become U+FFFD."""
    for raw, safe in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"), ("\r", "&#13;"), ("\n", "&#10;")):
        text = text.replace(raw, safe)
    return xml_characters(text.replace("\t", "&#9;"))


def xml_losses(structure: ArgumentStructure, listed: Iterable[Statement]) -> tuple[dict[str, str], list[str]]:
    """Names that XML can say, and the control characters that it cannot."""
    names = {n.id: n.id for n in listed}
    losses = [
        f"node {one_line(n.id, 60)!r}: control characters, written as U+FFFD" for n in listed if NO_XML.search(n.text)
    ]
    for id_ in [i for i in names if NO_XML.search(i)]:
        names[id_] = next(f"n{i}" for i in range(len(names) + 1) if f"n{i}" not in names.values())
        losses.append(f"node {one_line(id_, 60)!r}: its name, written as {names[id_]}")
    losses.extend(
        f"link {link}: control characters of its relation, written as U+FFFD"
        for link in structure.links
        if NO_XML.search(link.relation)
    )
    return names, losses


def format_graphml(structure: ArgumentStructure, *, unused: Iterable[Statement] = (), label: str = "") -> Written:
    """The structure as GraphML for common graph tools; only characters that XML forbids are lost."""
    listed = all_nodes(structure, unused)
    names, losses = xml_losses(structure, listed)
    keys = [
        *(("claim", "graph"), ("verdict", "graph"), ("text", "node"), ("kind", "node")),
        *(("link", "edge"), ("relation", "edge")),
    ]
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
        *(f'  <key id="{k}" for="{of}" attr.name="{k}" attr.type="string"/>' for k, of in keys),
        '  <graph edgedefault="directed">',
        f'    <data key="claim">{"" if structure.claim is None else xml_text(names[structure.claim.id])}</data>',
        *([f'    <data key="verdict">{xml_text(label)}</data>'] if label else []),
    ]
    for n in listed:
        kind = structure.kind_of(n.id) if n.id in structure.by_id else "unused"
        data = f'<data key="text">{xml_text(n.text)}</data><data key="kind">{kind}</data>'
        lines.append(f'    <node id="{xml_text(names[n.id])}">{data}</node>')
    for number, link in enumerate(structure.links, start=1):
        data = "".join(f'<data key="{k}">{xml_text(v)}</data>' for k, v in edge_data(link, number).items())
        lines.extend(
            f'    <edge source="{xml_text(names[s])}" target="{xml_text(names[t])}">{data}</edge>'
            for s, t in link.pairs
        )
    return Written("\n".join([*lines, "  </graph>", "</graphml>", ""]), tuple(losses))

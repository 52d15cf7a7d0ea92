"""GEXF, the exchange format of Gephi (https://gexf.net/schema.html)."""

from __future__ import annotations

from collections.abc import Iterable

from fallax.core.types import ArgumentStructure, Statement, StructureReading
from fallax.errors import FormatError, one_line
from fallax.structures._graph import Graph, GraphEdge, edge_data, parse_xml, read_graph
from fallax.structures._graphml import xml_losses, xml_text
from fallax.structures._sketch import Written, all_nodes, check_size

__all__ = ["format_gexf", "parse_gexf"]

_NODE_KEYS, _EDGE_KEYS = ("text", "kind"), ("link", "relation")


class _Handler:
    """Collects nodes and edges with the values of their attributes."""

    def __init__(self) -> None:
        self.graph = Graph()
        self.titles: dict[tuple[str, str], str] = {}
        self.of = ""
        self.directed = True
        self.open: list[tuple[str, dict[str, str]]] = []

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "graph":
            self.directed = attributes.get("defaultedgetype", "undirected") == "directed"
        elif tag == "attributes":
            self.of = attributes.get("class", "")
        elif tag == "attribute":
            self.titles[self.of, attributes.get("id", "")] = attributes.get("title", attributes.get("id", ""))
        elif tag == "node":
            self._node(attributes)
        elif tag == "edge":
            self._edge(attributes)
        elif tag == "attvalue" and self.open:
            kind, data = self.open[-1]
            key = attributes.get("for", attributes.get("id", ""))
            data[self.titles.get((kind, key), key)] = attributes.get("value", "")

    def _node(self, attributes: dict[str, str]) -> None:
        id_ = attributes.get("id", "")
        if not id_:
            raise FormatError("each node must have an id, got none")
        data = self.graph.nodes.setdefault(id_, {"label": attributes.get("label", "")})
        self.open.append(("node", data))

    def _edge(self, attributes: dict[str, str]) -> None:
        before, after = attributes.get("source", ""), attributes.get("target", "")
        weight = attributes.get("weight", "1")
        data = {k: attributes[k] for k in ("label", "kind") if attributes.get(k)}
        if weight.rstrip("0").rstrip(".") not in ("1", ""):
            data["weight"] = weight
        kind = attributes.get("type", "directed" if self.directed else "undirected")
        if kind != "directed":
            said = "arrows at both ends" if kind == "mutual" else "no direction"
            self.graph.notes.append(
                f"edge {one_line(before, 40)} to {one_line(after, 40)}: has {said}; it is read as from the first to the"
                " second"
            )
        self.graph.edges.append(GraphEdge([before], [after], data))
        self.open.append(("edge", data))

    def end(self, tag: str) -> None:
        if tag in ("node", "edge"):
            self.open.pop()


def parse_gexf(text: str) -> StructureReading:
    """Read GEXF 1.1 to 1.3; :func:`~fallax.structures._graph.read_graph` says which attributes are read.

    Raises
    ------
    FormatError
        If it is no XML, declares a document type, or an edge names a node that is not there.

    Examples
    --------
    >>> nodes = '<nodes><node id="a" label="rain"/><node id="b" label="late"/></nodes>'
    >>> edges = '<edges><edge source="a" target="b" label="attacks"/></edges>'
    >>> text = f'<gexf><graph defaultedgetype="directed">{nodes}{edges}</graph></gexf>'
    >>> found = parse_gexf(text).structure
    >>> found.claim.text, found.links[0].role
    ('late', 'attacks')
    """
    check_size(text)
    handler = _Handler()
    parse_xml(text, "GEXF", handler.start, handler.end, lambda _: None)
    return read_graph(handler.graph)


def format_gexf(structure: ArgumentStructure, *, unused: Iterable[Statement] = (), label: str = "") -> Written:
    """The structure as GEXF 1.3 for Gephi: texts and relations are labels and attributes, the claim a kind of node."""
    listed = all_nodes(structure, unused)
    names, losses = xml_losses(structure, listed)
    if label:
        losses.append(f"the verdict {label!r}")

    def declared(of: str, keys: Iterable[str]) -> list[str]:
        inside = "".join(f'<attribute id="{k}" title="{k}" type="string"/>' for k in keys)
        return [f'    <attributes class="{of}">{inside}</attributes>']

    def values(data: dict[str, str]) -> str:
        inside = "".join(f'<attvalue for="{k}" value="{xml_text(v)}"/>' for k, v in data.items())
        return f"<attvalues>{inside}</attvalues>"

    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<gexf xmlns="http://gexf.net/1.3" version="1.3">',
        '  <graph defaultedgetype="directed" mode="static">',
        *declared("node", _NODE_KEYS),
        *declared("edge", _EDGE_KEYS),
        "    <nodes>",
    ]
    for n in listed:
        kind = structure.kind_of(n.id) if n.id in structure.by_id else "unused"
        name = xml_text(names[n.id])
        lines.append(
            f'      <node id="{name}" label="{xml_text(n.shown)}">{values({"text": n.text, "kind": kind})}</node>'
        )
    lines += ["    </nodes>", "    <edges>"]
    number = 0
    for place, link in enumerate(structure.links, start=1):
        said = f' label="{xml_text(link.relation)}"' if link.relation else ""
        for s, t in link.pairs:
            number += 1
            ends = f'source="{xml_text(names[s])}" target="{xml_text(names[t])}"'
            lines.append(f'      <edge id="{number}" {ends}{said}>{values(edge_data(link, place))}</edge>')
    return Written("\n".join([*lines, "    </edges>", "  </graph>", "</gexf>", ""]), tuple(losses))

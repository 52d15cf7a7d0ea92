"""GraphML: nodes and edges with data; the edges of one link share its number."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any
from xml.parsers import expat

from fallax.core.types import ArgumentStructure, Statement, StructureReading
from fallax.errors import FormatError, one_line
from fallax.structures._sketch import Sketch, Written, all_nodes, check_size

__all__ = ["format_graphml", "parse_graphml"]

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_MAX_DEPTH = 60


@dataclass(slots=True)
class _Item:
    """A node or an edge with its attributes and data by name."""

    kind: str
    attributes: dict[str, str]
    data: dict[str, str] = field(default_factory=dict)


class _Handler:
    """Collects nodes and edges from the events of the XML reader; anything that could grow or recurse is refused."""

    def __init__(self) -> None:
        self.parser = expat.ParserCreate(namespace_separator=" ")
        self.parser.buffer_text = True
        self.parser.StartDoctypeDeclHandler = self.refuse
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.said
        self.names: dict[str, str] = {}
        self.graph = _Item("graph", {})
        self.items: list[_Item] = []
        self.open: list[_Item] = []
        self.depth = 0
        self.key: str | None = None
        self.text = ""

    def refuse(self, *_: Any) -> None:
        raise FormatError(
            "GraphML must not declare a document type, got one; remove it", line=self.parser.CurrentLineNumber
        )

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            raise FormatError(
                f"elements must be nested at most {_MAX_DEPTH} deep, got more", line=self.parser.CurrentLineNumber
            )
        tag = name.rpartition(" ")[2]
        if tag == "key":
            self.names[attributes.get("id", "")] = attributes.get("attr.name", attributes.get("id", ""))
        elif tag in ("node", "edge", "hyperedge"):
            self.open.append(_Item(tag, attributes))
            self.items.append(self.open[-1])
        elif tag == "endpoint" and self.open:
            where = attributes.get("type", "undir")
            self.open[-1].data[f"{where} {len(self.open[-1].data)}"] = attributes.get("node", "")
        elif tag == "data":
            self.key, self.text = self.names.get(attributes.get("key", ""), attributes.get("key", "")), ""

    def end(self, name: str) -> None:
        self.depth -= 1
        tag = name.rpartition(" ")[2]
        if tag == "data" and self.key is not None:
            (self.open[-1] if self.open else self.graph).data[self.key] = self.text
            self.key = None
        elif tag in ("node", "edge", "hyperedge"):
            self.open.pop()

    def said(self, text: str) -> None:
        if self.key is not None:
            self.text += text


def parse_graphml(text: str) -> StructureReading:
    """Read GraphML.

    The text of a node is its data ``text``, else ``label``. Edges with the same data ``link`` are one link, hyperedges
    with endpoints ``in`` and ``out`` are links too, and ``relation`` is the relation. The claim is what the graph's
    data ``claim`` names; where there is none such, the only node that leads nowhere.

    Raises
    ------
    FormatError
        If it is no XML, declares a document type, or an edge names a node that is not there.
    """
    check_size(text)
    handler = _Handler()
    try:
        handler.parser.Parse(text.encode("utf-8", "replace"), True)
    except expat.ExpatError as error:
        raise FormatError(
            f"GraphML must be well-formed XML, got a fault ({expat.ErrorString(error.code)})", line=error.lineno
        ) from None
    sketch = Sketch()
    for item in handler.items:
        if item.kind == "node":
            id_ = item.attributes.get("id", "")
            if not id_:
                raise FormatError("each node must have an id, got none")
            sketch.node(id_, item.data.get("text", item.data.get("label", "")))
    links: dict[str, tuple[dict[str, None], dict[str, None], str]] = {}
    for number, item in enumerate((i for i in handler.items if i.kind != "node"), start=1):
        if item.kind == "edge":
            before, after = [item.attributes.get("source", "")], [item.attributes.get("target", "")]
        else:
            before = [v for k, v in item.data.items() if k.startswith("in ")]
            after = [v for k, v in item.data.items() if k.startswith("out ")]
        for id_ in (*before, *after):
            if id_ not in sketch.texts:
                raise FormatError(
                    f"edge {number}: must join nodes of the graph, got {one_line(id_, 60)!r}, which is none"
                )
        one = links.setdefault(item.data.get("link", f" {number}"), ({}, {}, item.data.get("relation", "")))
        one[0].update(dict.fromkeys(before))
        one[1].update(dict.fromkeys(after))
    for sources, targets, relation in links.values():
        sketch.link(list(sources), list(targets), relation)
    claim = handler.graph.data.get("claim")
    if claim:
        if claim not in sketch.texts:
            raise FormatError(f"the claim must be a node of the graph, got {one_line(claim, 60)!r}, which is none")
        sketch.claim = claim
    return sketch.reading(infer_claim=claim is None, missing="no edge was found")


def _xml(text: str) -> str:
    for raw, safe in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"), ("\r", "&#13;"), ("\n", "&#10;")):
        text = text.replace(raw, safe)
    return _NOT_XML.sub("\ufffd", text.replace("\t", "&#9;"))


def format_graphml(structure: ArgumentStructure, *, unused: Iterable[Statement] = (), label: str = "") -> Written:
    """The structure as GraphML that common graph tools read; only characters that XML forbids are lost."""
    listed = all_nodes(structure, unused)
    losses = [
        f"node {one_line(n.id, 60)!r}: control characters, written as U+FFFD" for n in listed if _NOT_XML.search(n.text)
    ]
    names = {n.id: n.id for n in listed}
    for n in listed:
        if _NOT_XML.search(n.id):
            names[n.id] = next(f"n{i}" for i in range(len(names) + 1) if f"n{i}" not in names.values())
            losses.append(f"node {one_line(n.id, 60)!r}: its name, written as {names[n.id]}")
    losses.extend(
        f"link {link}: control characters of its relation, written as U+FFFD"
        for link in structure.links
        if _NOT_XML.search(link.relation)
    )
    if label:
        losses.append(f"the verdict {label!r}")
    keys = [("claim", "graph"), ("text", "node"), ("kind", "node"), ("link", "edge"), ("relation", "edge")]
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
        *(f'  <key id="{k}" for="{of}" attr.name="{k}" attr.type="string"/>' for k, of in keys),
        '  <graph edgedefault="directed">',
        f'    <data key="claim">{"" if structure.claim is None else _xml(names[structure.claim.id])}</data>',
    ]
    for n in listed:
        kind = structure.kind_of(n.id) if n.id in structure.by_id else "unused"
        data = f'<data key="text">{_xml(n.text)}</data><data key="kind">{kind}</data>'
        lines.append(f'    <node id="{_xml(names[n.id])}">{data}</node>')
    for number, link in enumerate(structure.links, start=1):
        data = f'<data key="link">{number}</data>'
        if link.relation:
            data += f'<data key="relation">{_xml(link.relation)}</data>'
        lines.extend(
            f'    <edge source="{_xml(names[s])}" target="{_xml(names[t])}">{data}</edge>' for s, t in link.pairs
        )
    return Written("\n".join([*lines, "  </graph>", "</graphml>", ""]), tuple(losses))

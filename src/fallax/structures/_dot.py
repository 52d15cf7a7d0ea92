"""DOT, the language of Graphviz: ``{a b} -> c`` is a combined link and ``a -> {b c}`` a divergent one."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from fallax.core.types import ArgumentStructure, Statement, StructureReading
from fallax.errors import FormatError, one_line
from fallax.structures._graph import Graph, GraphEdge, plain_html, read_graph
from fallax.structures._sketch import Written, all_nodes, check_size

__all__ = ["format_dot", "parse_dot"]

_TOKEN = re.compile(
    r'\s+|//[^\n]*|\#[^\n]*|/\*.*?\*/|"(?P<quoted>(?:[^"\\]|\\.)*)"'
    r"|(?P<mark>->|--|[{}\[\];,=:+])|(?P<word>-?(?:\.\d+|\d+(?:\.\d*)?)|[^\W\d]\w*)",
    re.S,
)
_MAX_DEPTH = 50
#: How labels say line breaks and characters of their own; ``\N`` is the name of the node.
_ESCAPES = {"n": "\n", "l": "\n", "r": "\n", '"': '"', "\\": "\\", "\n": ""}
_FIELD = re.compile(r"\\.|<[^<>]*>|[{}|]|[^\\<>{}|]+|[<>]", re.S)
#: Attributes of nodes and edges that say something; the others say how it looks.
_RELATES = ("label", "xlabel", "relation", "type", "kind", "role", "stance")
_SAID = ("text", "link", "name", "description", "id", "headlabel", "taillabel", *_RELATES)


class _Token(NamedTuple):
    """``raw`` is the inside of a quoted string or of ``<>`` as it was written, "" of anything else."""

    kind: str
    text: str
    line: int
    raw: str = ""


def _tokens(text: str) -> Iterator[_Token]:
    at, line = 0, 1
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            if text[at] == "<":
                end = _html_end(text, at, line)
                yield _Token("html", plain_html(text[at + 1 : end]), line, text[at + 1 : end])
                line += text.count("\n", at, end + 1)
                at = end + 1
                continue
            raise FormatError(f"DOT must be names, strings and arrows, got {one_line(text[at:], 30)!r}", line=line)
        kind = found.lastgroup
        if kind == "quoted":
            yield _Token("word", _unescaped(found["quoted"]), line, found["quoted"])
        elif kind == "word":
            yield _Token("keyword" if found["word"].lower() in _KEYWORDS else "word", found["word"], line)
        elif kind is not None:
            yield _Token("mark", found[kind], line)
        line += found[0].count("\n")
        at = found.end()


_KEYWORDS = {"graph", "digraph", "node", "edge", "subgraph", "strict"}


def _html_end(text: str, at: int, line: int) -> int:
    depth = 0
    for end in range(at, len(text)):
        depth += (text[end] == "<") - (text[end] == ">")
        if not depth:
            return end
    raise FormatError("a string in <> must be closed, got the end of the text", line=line)


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", lambda m: _ESCAPES.get(m[1], m[0]), text, flags=re.S)


def _label(raw: str, node: str) -> str:
    r"""What a label says: ``\N`` is the node, and the line break that ends the last line is none."""
    said = re.sub(r"\\(.)", lambda m: node if m[1] == "N" else _ESCAPES.get(m[1], m[0]), raw, flags=re.S)
    return said[:-1] if re.search(r"(?<!\\)(?:\\\\)*\\[lr]\Z", raw) else said


def _record(raw: str, node: str) -> str:
    """The fields of a record, divided by ``|``, without ports and braces."""
    fields = [""]
    for piece in _FIELD.findall(raw):
        if piece == "|":
            fields.append("")
        elif piece[0] == "\\" and piece[1] in "{}|<> ":
            fields[-1] += piece[1]
        elif piece[0] == "\\":
            fields[-1] += _label(piece, node) or "\n" * (piece[1] in "lr")
        elif piece[0] not in "{}<":
            fields[-1] += piece
    return " | ".join(said for said in (" ".join(x.split()) for x in fields) if said)


class _Parser:
    """Statements of one graph; groups in braces become the nodes of one side of an arrow."""

    def __init__(self, text: str) -> None:
        self.tokens = list(_tokens(text))
        self.at = 0
        self.graph = Graph()
        #: The labels of nodes as they were written, until it is known whether a node is a record.
        self.labels: dict[str, _Token] = {}
        self.defaults: dict[str, dict[str, _Token]] = {"node": {}, "edge": {}, "graph": {}}
        self.n_ports = 0
        self.n_undirected = 0
        self.n_unseen = 0
        #: Colour and head of the edges that no label names.
        self.looks: set[tuple[str, str]] = set()

    def peek(self) -> _Token:
        if self.at < len(self.tokens):
            return self.tokens[self.at]
        return _Token("end", "the end of the text", self.tokens[-1].line if self.tokens else 1)

    def next(self) -> _Token:
        token = self.peek()
        self.at += 1
        return token

    def is_mark(self, *marks: str) -> bool:
        token = self.peek()
        return token.kind == "mark" and token.text in marks

    def need(self, mark: str) -> None:
        token = self.next()
        if (token.kind, token.text) != ("mark", mark):
            raise FormatError(f"DOT must have {mark!r} here, got {one_line(token.text, 30)!r}", line=token.line)

    def read(self) -> Graph:
        if self.peek().kind == "keyword" and self.peek().text.lower() == "strict":
            self.next()
        token = self.next()
        if token.kind != "keyword" or token.text.lower() not in ("digraph", "graph"):
            raise FormatError(f"DOT must begin with digraph, got {one_line(token.text, 30)!r}", line=token.line)
        if self.peek().kind in ("word", "html"):
            self.next()
        self.need("{")
        self.statements(1)
        self.need("}")
        if self.peek().kind != "end":
            self.graph.notes.append("only the first graph of the text is read")
        self.finish()
        return self.graph

    def finish(self) -> None:
        """Read the labels of nodes, and note what was skipped.

        Nodes that are numbers, as igraph writes them, have their names as ``id``; elsewhere that is for SVG.
        """
        if not all(id_.isdigit() for id_ in self.graph.nodes):
            for data in self.graph.nodes.values():
                data.pop("id", None)
        n_formed = 0
        for id_, token in self.labels.items():
            data = self.graph.nodes[id_]
            if token.kind == "html":
                data["label"] = token.text
                n_formed += bool(re.search(r"<\w", token.raw))
            elif "record" in data.get("shape", "").lower():
                data["label"] = _record(token.raw or token.text, id_)
                n_formed += "|" in token.raw
            else:
                data["label"] = _label(token.raw, id_) if token.raw else token.text
        for n, said in (
            (n_formed, "labels in HTML or of records: their form is dropped, their words are kept"),
            (self.n_ports, "arrows touch a part of a node; they are read as from or to the whole"),
            (self.n_undirected, "edges have no direction or two; each is read as from the first to the second"),
            (self.n_unseen, "invisible edges only place nodes; they are skipped"),
            (
                len(self.looks) if len(self.looks) > 1 else 0,
                "looks of edges without labels (colour, head); what they mean is not read, so all are supports",
            ),
        ):
            if n:
                self.graph.notes.append(f"{n} {said}")

    def statements(self, depth: int) -> dict[str, None]:
        """Read up to the closing brace; the nodes named there, in order."""
        if depth > _MAX_DEPTH:
            raise FormatError(f"groups must be nested at most {_MAX_DEPTH} deep, got more", line=self.peek().line)
        before = {kind: dict(said) for kind, said in self.defaults.items()}
        named: dict[str, None] = {}
        while not self.is_mark("}"):
            if self.peek().kind == "end":
                raise FormatError("a brace must be closed, got the end of the text", line=self.peek().line)
            if self.is_mark(";", ","):
                self.next()
                continue
            token = self.peek()
            if token.kind == "keyword" and token.text.lower() in self.defaults:
                self.next()
                said = self.attributes()
                self.defaults[token.text.lower()].update(said)
                if token.text.lower() == "graph" and depth == 1:
                    self.graph.data.update({k: said[k].text for k in ("claim", "verdict") if k in said})
                continue
            if (
                token.kind == "word"
                and self.tokens[self.at + 1 : self.at + 2]
                and self.tokens[self.at + 1][:2]
                == (
                    "mark",
                    "=",
                )
            ):
                self.assignment()
                continue
            named.update(self.chain(depth))
        self.defaults = before
        return named

    def assignment(self) -> None:
        name = self.next().text
        self.next()
        value = self.next()
        if name in ("claim", "verdict") and value.kind == "word":
            self.graph.data[name] = value.text

    def chain(self, depth: int) -> dict[str, None]:
        line = self.peek().line
        sides = [self.side(depth)]
        marks = []
        while self.is_mark("->", "--"):
            marks.append(self.next().text)
            sides.append(self.side(depth))
        said = self.attributes()
        if len(sides) == 1:
            for id_ in sides[0]:
                if "label" in said:
                    self.labels[id_] = said["label"]
                self.graph.nodes[id_].update(_values(said, "shape"))
        said = {**self.defaults["edge"], **said}
        if "style" in said and "invis" in said["style"].text:
            self.n_unseen += len(marks)
            marks = []
        elif marks and not any(k in said for k in _RELATES):
            self.looks.add(
                (said["color"].text if "color" in said else "", said["arrowhead"].text if "arrowhead" in said else "")
            )
        for (before, after), mark in zip(itertools.pairwise(sides), marks, strict=False):
            way = said["dir"].text if "dir" in said else ""
            self.n_undirected += way in ("both", "none") or (mark == "--" and way not in ("forward", "back"))
            ends = (before, after) if way != "back" else (after, before)
            self.graph.edges.append(GraphEdge(list(ends[0]), list(ends[1]), _values(said), f"line {line}"))
        return {id_: None for side in sides for id_ in side}

    def side(self, depth: int) -> dict[str, None]:
        token = self.next()
        if token.kind == "keyword" and token.text.lower() == "subgraph":
            if self.peek().kind == "word":
                self.next()
            token = self.next()
        if (token.kind, token.text) == ("mark", "{"):
            found = self.statements(depth + 1)
            self.need("}")
            return found
        if token.kind not in ("word", "html") or not token.text:
            raise FormatError(f"DOT must have a node here, got {one_line(token.text, 30)!r}", line=token.line)
        self.n_ports += self.is_mark(":")
        while self.is_mark(":"):
            self.next()
            self.next()
        if token.text not in self.graph.nodes:
            given = self.defaults["node"]
            self.graph.nodes[token.text] = _values(given, "shape")
            if "label" in given:
                self.labels[token.text] = given["label"]
        return {token.text: None}

    def attributes(self) -> dict[str, _Token]:
        found: dict[str, _Token] = {}
        while self.is_mark("["):
            self.next()
            while not self.is_mark("]"):
                if self.is_mark(";", ","):
                    self.next()
                    continue
                name = self.next()
                if name.kind == "end" or name.kind == "mark":
                    raise FormatError(
                        f"an attribute must be name=value, got {one_line(name.text, 30)!r}", line=name.line
                    )
                if self.is_mark("="):
                    self.next()
                    found[name.text] = self.value()
            self.next()
        return found

    def value(self) -> _Token:
        """A value; strings that ``+`` joins are one."""
        token = self.next()
        while self.is_mark("+"):
            self.next()
            more = self.next()
            token = _Token(token.kind, token.text + more.text, token.line, token.raw + more.raw)
        return token


def _values(said: Mapping[str, _Token], *more: str) -> dict[str, str]:
    return {k: v.text for k, v in said.items() if k in (*_SAID, *more) and (k != "label" or "shape" not in more)}


def parse_dot(text: str) -> StructureReading:
    r"""Read a graph in DOT: labels of nodes are their texts, labels of edges their relations.

    A chain of arrows is one link for each arrow; a group in braces stands on one side of a link as a whole. Labels in
    HTML and of records are read as their words; attributes that other programs write (``text``, ``relation``, ``link``,
    ``dir``) are read as :func:`~fallax.structures._graph.read_graph` says.

    Raises
    ------
    FormatError
        If it is not DOT, with the line.

    Examples
    --------
    >>> found = parse_dot('digraph { E1 [label="It rained."]; {E1 E2} -> E3 -> Claim }').structure
    >>> [str(link) for link in found.links], found.by_id["E1"].text
    (['(E1, E2) -> E3', 'E3 -> Claim'], 'It rained.')
    """
    check_size(text)
    return read_graph(_Parser(text).read(), missing="no arrow was found")


#: How arrows look that are no inferences.
_LOOK = {
    "attacks": ", color=red, arrowhead=tee",
    "undercuts": ", color=purple, style=dashed, arrowhead=tee",
    "rephrases": ", style=dotted, arrowhead=none",
}


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def format_dot(structure: ArgumentStructure, *, unused: Iterable[Statement] = (), label: str = "") -> Written:
    """The structure as a DOT digraph, drawn from the evidence up to the claim."""
    root = structure.claim
    lines = ["digraph structure {", "  rankdir=BT;", "  node [shape=box, style=rounded];"]
    lines.append(f"  claim={_quoted('' if root is None else root.id)};")
    if label:
        lines.append(f"  verdict={_quoted(label)};")
    for n in all_nodes(structure, unused):
        shape = ", shape=doubleoctagon" if root is not None and n.id == root.id else ""
        whole = f", text={_quoted(n.text)}" if n.text and (n.text == n.id or not n.text.strip()) else ""
        lines.append(f"  {_quoted(n.id)} [label={_quoted(n.text)}{whole}{shape}];")
    for number, link in enumerate(structure.links, start=1):
        sides = (" ".join(_quoted(i) for i in side) for side in (link.sources, link.targets))
        before, after = (
            f"{{{x}}}" if n > 1 else x for x, n in zip(sides, (len(link.sources), len(link.targets)), strict=True)
        )
        name = _quoted(link.relation)
        said = [f"label={name}", f"relation={name}{_LOOK.get(link.role, '')}"] if link.relation else []
        said += [f"link={number}"] if len(link.pairs) > 1 else []
        lines.append(f"  {before} -> {after}" + (f" [{', '.join(said)}];" if said else ";"))
    return Written("\n".join([*lines, "}", ""]))

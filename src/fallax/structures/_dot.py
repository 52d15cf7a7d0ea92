"""DOT, the language of Graphviz: ``{a b} -> c`` is a combined link and ``a -> {b c}`` a divergent one."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from fallax.core.types import ArgumentStructure, Statement, StructureReading
from fallax.errors import FormatError, one_line
from fallax.structures._sketch import Sketch, Written, all_nodes, check_size

__all__ = ["format_dot", "parse_dot"]

_TOKEN = re.compile(
    r'\s+|//[^\n]*|\#[^\n]*|/\*.*?\*/|"(?P<quoted>(?:[^"\\]|\\.)*)"'
    r"|(?P<mark>->|--|[{}\[\];,=:+])|(?P<word>-?(?:\.\d+|\d+(?:\.\d*)?)|[^\W\d]\w*)",
    re.S,
)
_MAX_DEPTH = 50


class _Token(NamedTuple):
    kind: str
    text: str
    line: int


def _tokens(text: str) -> Iterator[_Token]:
    at, line = 0, 1
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            if text[at] == "<":
                end = _html_end(text, at, line)
                yield _Token("word", re.sub(r"<[^<>]*>", "", text[at + 1 : end]), line)
                line += text.count("\n", at, end + 1)
                at = end + 1
                continue
            raise FormatError(f"DOT must be names, strings and arrows, got {one_line(text[at:], 30)!r}", line=line)
        kind = found.lastgroup
        if kind == "quoted":
            yield _Token("word", _unescaped(found["quoted"]), line)
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
    named = {"n": "\n", "l": "\n", "r": "\n", '"': '"', "\\": "\\", "\n": ""}
    return re.sub(r"\\(.)", lambda m: named.get(m[1], m[0]), text, flags=re.S)


class _Parser:
    """Statements of one graph; groups in braces become the nodes of one side of an arrow."""

    def __init__(self, text: str) -> None:
        self.tokens = list(_tokens(text))
        self.at = 0
        self.sketch = Sketch()
        self.claim_named = False

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

    def graph(self) -> None:
        if self.peek().kind == "keyword" and self.peek().text.lower() == "strict":
            self.next()
        token = self.next()
        if token.kind != "keyword" or token.text.lower() not in ("digraph", "graph"):
            raise FormatError(f"DOT must begin with digraph, got {one_line(token.text, 30)!r}", line=token.line)
        if self.peek().kind == "word":
            self.next()
        self.need("{")
        self.statements(1)
        self.need("}")

    def statements(self, depth: int) -> dict[str, None]:
        """Read up to the closing brace; the nodes named there, in order."""
        if depth > _MAX_DEPTH:
            raise FormatError(f"groups must be nested at most {_MAX_DEPTH} deep, got more", line=self.peek().line)
        named: dict[str, None] = {}
        while not self.is_mark("}"):
            if self.peek().kind == "end":
                raise FormatError("a brace must be closed, got the end of the text", line=self.peek().line)
            if self.is_mark(";", ","):
                self.next()
                continue
            token = self.peek()
            if token.kind == "keyword" and token.text.lower() in ("node", "edge", "graph"):
                self.next()
                self.attributes()
                continue
            if (
                token.kind == "word"
                and self.at + 1 < len(self.tokens)
                and self.tokens[self.at + 1][:2] == ("mark", "=")
            ):
                self.assignment()
                continue
            named.update(self.chain(depth))
        return named

    def assignment(self) -> None:
        name = self.next().text
        self.next()
        value = self.next()
        if name == "claim" and value.kind == "word":
            self.claim_named = True
            self.sketch.claim = value.text or None

    def chain(self, depth: int) -> dict[str, None]:
        line = self.peek().line
        sides = [self.side(depth)]
        while self.is_mark("->", "--"):
            self.next()
            sides.append(self.side(depth))
        said = self.attributes()
        if len(sides) == 1:
            for id_ in sides[0]:
                self.sketch.node(id_, said.get("label", ""))
        for before, after in itertools.pairwise(sides):
            self.sketch.link(list(before), list(after), said.get("label", ""), where=f"line {line}")
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
        if token.kind != "word" or not token.text:
            raise FormatError(f"DOT must have a node here, got {one_line(token.text, 30)!r}", line=token.line)
        while self.is_mark(":"):  # a port says where an arrow touches
            self.next()
            self.next()
        self.sketch.node(token.text)
        return {token.text: None}

    def attributes(self) -> dict[str, str]:
        found: dict[str, str] = {}
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
                    found[name.text] = self.next().text
            self.next()
        return found


def parse_dot(text: str) -> StructureReading:
    r"""Read a graph in DOT: labels of nodes are their texts, labels of edges their relations.

    A chain of arrows is one link for each arrow; a group in braces stands on one side of a link as a whole. The claim
    is what the graph's attribute ``claim`` names, else the only node that leads nowhere.

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
    parser = _Parser(text)
    parser.graph()
    claim = parser.sketch.claim
    if claim is not None and claim not in parser.sketch.texts:
        raise FormatError(f"the claim must be a node of the graph, got {one_line(claim, 60)!r}, which is none")
    return parser.sketch.reading(infer_claim=not parser.claim_named, missing="no arrow was found")


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def format_dot(structure: ArgumentStructure, *, unused: Iterable[Statement] = (), label: str = "") -> Written:
    """The structure as a DOT digraph, drawn from the evidence up to the claim."""
    losses = [f"the verdict {label!r}"] if label else []
    root = structure.claim
    lines = ["digraph structure {", "  rankdir=BT;", "  node [shape=box, style=rounded];"]
    lines.append(f"  claim={_quoted('' if root is None else root.id)};")
    for n in all_nodes(structure, unused):
        shape = ", shape=doubleoctagon" if root is not None and n.id == root.id else ""
        lines.append(f"  {_quoted(n.id)} [label={_quoted(n.text)}{shape}];")
    for link in structure.links:
        sides = (" ".join(_quoted(i) for i in side) for side in (link.sources, link.targets))
        before, after = (
            f"{{{x}}}" if n > 1 else x for x, n in zip(sides, (len(link.sources), len(link.targets)), strict=True)
        )
        said = f" [label={_quoted(link.relation)}]" if link.relation else ""
        lines.append(f"  {before} -> {after}{said};")
    return Written("\n".join([*lines, "}", ""]), tuple(losses))

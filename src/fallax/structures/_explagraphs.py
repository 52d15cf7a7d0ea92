"""The triples of ExplaGraphs (Saha et al. 2021): ``(concept; relation; concept)...``."""

from __future__ import annotations

import re
from collections.abc import Iterable

from fallax.core.types import ArgumentStructure, Statement, StructureReading
from fallax.errors import FormatError, one_line
from fallax.structures._sketch import Sketch, Written, check_size

__all__ = ["DEFAULT_RELATION", "format_explagraphs", "format_triples", "parse_explagraphs"]

#: What a link without relation is written as.
DEFAULT_RELATION = "causes"
_TRIPLE = re.compile(r"\(([^;()]*);([^;()]*);([^;()]*)\)")
_STANCE = {"support": "supports", "counter": "refutes"}


def parse_explagraphs(text: str) -> StructureReading:
    """Read triples, or one line ``belief, argument, stance, triples`` divided by tabs.

    A node is its concept: name and text are the same. The belief is the claim where it is a concept of the graph
    that leads nowhere; otherwise there is no claim, as the concepts do not argue for one statement.

    Raises
    ------
    FormatError
        If the graph contains anything but triples.

    Examples
    --------
    >>> found = parse_explagraphs("(rain; causes; wet field)(wet field; is a; delay)")
    >>> [(str(link), link.relation) for link in found.structure.links], found.structure.claim
    ([('rain -> wet field', 'causes'), ('wet field -> delay', 'is a')], None)
    """
    check_size(text)
    cells = text.strip("\r\n").split("\t")
    if len(cells) not in (1, 4):
        raise FormatError(f"must be triples alone or four cells divided by tabs, got {len(cells)} cells")
    belief, graph = cells[0].strip() if len(cells) == 4 else "", cells[-1]
    sketch = Sketch()
    at = 0
    for triple in _TRIPLE.finditer(graph):
        _only_space(graph[at : triple.start()])
        at = triple.end()
        head, relation, tail = (x.strip() for x in triple.groups())
        if not head or not tail:
            raise FormatError(f"a triple must have two concepts, got {one_line(triple[0], 60)!r}")
        sketch.node(head, head)
        sketch.node(tail, tail)
        sketch.link([head], [tail], relation)
    _only_space(graph[at:])
    if belief in sketch.texts and not any(belief in link.sources for link in sketch.links):
        sketch.claim = belief
    label = _STANCE.get(cells[2].strip(), "") if len(cells) == 4 else ""
    return sketch.reading(label=label, missing="no triple was found")


def _only_space(text: str) -> None:
    if text.strip():
        raise FormatError(f"must be triples (concept; relation; concept), got {one_line(text.strip(), 60)!r}")


def _concept(text: str) -> str:
    return " ".join(re.sub(r"[;()]", ",", text).split()) or "?"


def format_triples(structure: ArgumentStructure) -> str:
    """The arrows of a structure as triples; the texts of nodes are their concepts."""
    shown = {n.id: _concept(n.shown) for n in structure.nodes}
    pairs = structure.pairs
    return "".join(f"({shown[s]}; {_concept(r) if r else DEFAULT_RELATION}; {shown[t]})" for s, t, r in pairs)


def format_explagraphs(structure: ArgumentStructure, *, unused: Iterable[Statement] = (), label: str = "") -> Written:
    """One line ``belief, argument, stance, triples``; the argument stays empty."""
    losses = []
    shown: dict[str, str] = {}
    for n in structure.nodes:
        concept = _concept(n.shown)
        if concept != n.shown:
            losses.append(
                f"node {one_line(n.id, 60)!r}: the characters of its text that divide triples, and its spaces"
            )
        if concept in shown.values():
            losses.append(f"node {one_line(n.id, 60)!r}: that it is another node than one with the same text")
        if n.id != concept or not n.text:
            losses.append(f"node {one_line(n.id, 60)!r}: its name; a concept is its text")
        shown[n.id] = concept
    losses.extend(f"node {one_line(n.id, 60)!r}: it takes part in no link" for n in unused)
    for link in structure.links:
        if link.kind != "one_to_one":
            losses.append(f"link {link}: that its nodes belong together, written as {len(link.pairs)} triples")
        if not link.relation:
            losses.append(f"link {link}: that it has no relation, written as {DEFAULT_RELATION!r}")
        elif _concept(link.relation) != link.relation:
            losses.append(f"link {link}: the characters of its relation that divide triples, and its spaces")
    root = structure.claim
    if root is not None and structure.conclusions_of(root.id):
        losses.append(f"node {one_line(root.id, 60)!r}: that it is the claim")
    stance = {v: k for k, v in _STANCE.items()}.get(label, "")
    if label and not stance:
        losses.append(f"the verdict {label!r}")
    belief = "" if root is None else shown[root.id]
    return Written(f"{belief}\t\t{stance}\t{format_triples(structure)}\n", tuple(losses))

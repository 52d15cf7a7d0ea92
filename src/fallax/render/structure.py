"""Argument structures on a terminal and as SVG: evidence below, the claim at the top; every text escaped."""

from __future__ import annotations

import itertools
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TypeAlias

from rich.console import Group, RenderableType
from rich.text import Text
from rich.tree import Tree

from fallax.core.types import ArgumentStructure, Link, Statement
from fallax.render.terminal import safe

__all__ = ["MAX_DRAWN", "structure_svg", "structure_tree"]

#: A structure with more nodes or arrows than this is not drawn: nobody could read it.
MAX_DRAWN = 300

#: A node, an arrow (source, target), or the place where an arrow passes a layer.
_Id: TypeAlias = str | tuple[str, str] | tuple[str, str, int]

_STYLE = {"claim": "bold", "leaf": "cyan", "intermediate": "yellow", "unused": "dim"}


def _too_many(n_nodes: int, n_arrows: int) -> str:
    if max(n_nodes, n_arrows) <= MAX_DRAWN:
        return ""
    return f"{n_nodes} nodes and {n_arrows} arrows are too many to draw."


def _said(node: Statement) -> str:
    return " ".join(safe(node.text).split())


def _label(structure: ArgumentStructure, id_: str, *, again: bool = False) -> Text:
    kind = structure.kind_of(id_)
    text = Text(safe(id_), style=_STYLE[kind])
    said = _said(structure.by_id[id_])
    if again:
        return text.append(" (above)", style="dim")
    return text.append(f"  {said}", style="default not bold") if said and said != id_ else text


def structure_tree(structure: ArgumentStructure, *, unused: Iterable[Statement] = ()) -> RenderableType:
    """The structure as a tree from the claim down to the leaves.

    Under each node stand the nodes that lead to it; premises that were joined in one link are marked by the same
    letter. A node that leads to several others is written out once. Nodes that the claim does not rest on come after
    it, then problems, then what is not used.
    """
    if too_many := _too_many(len(structure.nodes), len(structure.pairs)):
        return Text(too_many, style="dim")
    parts: list[RenderableType] = []
    seen: set[str] = set()
    ends = [n.id for n in structure.nodes if not structure.conclusions_of(n.id) and structure.premises_of(n.id)]
    if structure.claim is not None:
        ends = [structure.claim.id, *(i for i in ends if i != structure.claim.id)]
    rest = [n.id for n in structure.nodes]
    for root in (*ends, *rest):
        if root not in seen:
            parts += [_tree(structure, root, seen)]
    parts.extend(Text(f"! {safe(p)}", style="bold red") for p in structure.problems)
    others = [n for n in unused if n.id not in structure.by_id]
    if others:
        tree = Tree(Text("not used", style="dim"))
        for n in others:
            tree.add(Text(f"{safe(n.id)}  {_said(n)}".rstrip(), style="dim"))
        parts.append(tree)
    return Group(*parts)


def _tree(structure: ArgumentStructure, root: str, seen: set[str]) -> Tree:
    top = Tree(_label(structure, root))
    seen.add(root)
    open_: list[tuple[Tree, str]] = [(top, root)]
    while open_:
        branch, id_ = open_.pop()
        added = []
        for premise, mark in _premises(structure, id_):
            again = premise in seen and bool(structure.premises_of(premise))
            label = Text(mark, style="dim") + _label(structure, premise, again=again)
            child = branch.add(label)
            if not again:
                seen.add(premise)
                added.append((child, premise))
        open_.extend(reversed(added))
    return top


def _premises(structure: ArgumentStructure, id_: str) -> list[tuple[str, str]]:
    """The premises of a node, each with how its link joins it."""
    found: list[tuple[str, str]] = []
    number = 0
    for link in structure.links:
        if id_ not in link.targets:
            continue
        mark = f"{safe(link.relation)}: " if link.relation else ""
        if link.kind == "many_to_one":
            mark = f"{chr(ord('a') + number % 26)}) {mark}"
            number += 1
        found.extend((s, mark) for s in link.sources)
    return found


@dataclass(frozen=True, slots=True)
class _Box:
    """Where a node is drawn: its middle, its size, its lines of text."""

    x: float
    y: float
    width: float
    height: float
    lines: tuple[str, ...]


_WIDTH, _GAP, _LAYER_GAP, _LINE, _PAD = 190.0, 26.0, 64.0, 16.0, 8.0
_CHARACTERS = 26
_MAX_LINES = 6
_FILL = {"claim": "#dbeafe", "leaf": "#ecfdf5", "intermediate": "#fef9c3", "unused": "#f3f4f6"}


def _columns(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else not unicodedata.combining(c) for c in text)


def _wrapped(text: str) -> tuple[str, ...]:
    """Lines of at most so many columns; what is too long is cut."""
    lines: list[str] = []
    line = ""
    for word in text.split():
        pieces = [word] if _columns(word) <= _CHARACTERS else [word[i : i + 12] for i in range(0, len(word), 12)]
        for piece in pieces:
            if line and _columns(line) + 1 + _columns(piece) > _CHARACTERS:
                lines.append(line)
                line = piece
            else:
                line = f"{line} {piece}".strip()
        if len(lines) > _MAX_LINES:
            break
    lines.append(line)
    if len(lines) > _MAX_LINES:
        lines = [*lines[: _MAX_LINES - 1], f"{lines[_MAX_LINES - 1]} …"]
    return tuple(lines)


def _heights(structure: ArgumentStructure) -> dict[str, int]:
    """Leaves lowest, the claim highest; a leaf stands right below the lowest of its conclusions."""
    depths = structure.depths
    top = max(depths.values(), default=0) + 1
    height = {n.id: depths.get(n.id, top) for n in structure.nodes}
    if structure.claim is not None:
        height[structure.claim.id] = max(height.values())
    for leaf in structure.leaves:
        height[leaf.id] = max(0, min(height[c] for c in structure.conclusions_of(leaf.id)) - 1)
    return height


def _layers(structure: ArgumentStructure, unused: Sequence[Statement]) -> tuple[list[list[_Id]], dict[_Id, list[_Id]]]:
    """Names by height, and for each arrow that passes layers the places where it passes them.

    A layer is ordered by the middle of what its nodes lead to.
    """
    height = _heights(structure)
    layers: list[list[_Id]] = [[] for _ in range(max(height.values(), default=0) + 1)]
    above: dict[_Id, list[_Id]] = {}
    ways: dict[_Id, list[_Id]] = {}
    for id_, h in height.items():
        layers[h].append(id_)
    for source, target, _ in structure.pairs:
        between = range(height[source] + 1, height[target])
        way: list[_Id] = [(source, target, h) for h in between]
        for at, h in zip(way, between, strict=True):
            layers[h].append(at)
        ways[source, target] = way
        for low, high in itertools.pairwise([source, *way, target]):
            above.setdefault(low, []).append(high)
    place: dict[_Id, float] = {}
    for layer in reversed(layers):
        order = {}
        for one in layer:
            over = [place[x] for x in above.get(one, ()) if x in place]
            order[one] = sum(over) / len(over) if over else 0.5
        layer.sort(key=lambda one: order[one])
        place.update({one: (i + 0.5) / len(layer) for i, one in enumerate(layer)})
    if unused:
        layers.insert(0, [n.id for n in unused])
    return [layer for layer in layers if layer], ways


def _boxes(texts: dict[str, str], layers: Sequence[Sequence[_Id]]) -> tuple[dict[_Id, _Box], float, float]:
    """Where everything stands; a place that an arrow passes is a box without width."""

    def wide(one: _Id) -> float:
        return _WIDTH if isinstance(one, str) else 0.0

    widths = [sum(wide(one) + _GAP for one in layer) + _GAP for layer in layers]
    boxes: dict[_Id, _Box] = {}
    y = _GAP
    for layer, own_width in reversed(list(zip(layers, widths, strict=True))):
        lines = {
            one: (one, *(_wrapped(texts[one]) if texts[one] and texts[one] != one else ()))
            if isinstance(one, str)
            else ()
            for one in layer
        }
        height = max(len(x) for x in lines.values()) * _LINE + 2 * _PAD
        left = (max(widths) - own_width) / 2 + _GAP
        for one in layer:
            own = len(lines[one]) * _LINE + 2 * _PAD if lines[one] else height
            boxes[one] = _Box(left + wide(one) / 2, y + height / 2, wide(one), own, lines[one])
            left += wide(one) + _GAP
        y += height + _LAYER_GAP
    return boxes, max(widths), y - _LAYER_GAP + _GAP


def structure_svg(structure: ArgumentStructure, *, unused: Iterable[Statement] = (), title: str = "") -> str:
    """The structure as one SVG image: no script, no link, no font or style from elsewhere.

    Parameters
    ----------
    unused : nodes that take part in no link; they are drawn at the bottom.
    title : what readers for the blind say of the image; by default the claim.

    Returns
    -------
    str
        Premises joined in one link meet in a dot. Texts that are too long for their boxes are cut there and whole in
        the tooltip.

    Examples
    --------
    >>> from fallax.core.types import Link
    >>> links = (Link(("E1",), ("Claim",)),)
    >>> image = structure_svg(ArgumentStructure(Statement("Claim", "<script>"), (Statement("E1", "a"),), links))
    >>> "<script>" in image, "&lt;script&gt;" in image
    (False, True)
    """
    others = [n for n in unused if n.id not in structure.by_id]
    nodes = [*structure.nodes, *others]
    if said := _too_many(len(nodes), len(structure.pairs)) or ("" if nodes else "Nothing to draw."):
        return _svg(600, 60, said, [f'<text x="20" y="34">{said}</text>'])
    texts = {n.id: _clean(_said(n)) for n in nodes}
    layers, ways = _layers(structure, others)
    boxes, width, height = _boxes(texts, layers)
    parts = []
    for link in structure.links:
        parts.extend(_arrows(link, boxes, ways))
    for n in nodes:
        kind = structure.kind_of(n.id) if n.id in structure.by_id else "unused"
        parts.append(_drawn(boxes[n.id], kind, texts[n.id]))
    about = title or (structure.claim.shown if structure.claim is not None else "argument structure")
    return _svg(width, height, about, parts)


def _clean(text: str) -> str:
    """Without the characters that XML forbids."""
    return "".join(
        c if c >= " " and c not in "\ufffe\uffff" and not "\ud800" <= c <= "\udfff" else "\ufffd" for c in text
    )


def _svg(width: float, height: float, title: str, parts: Sequence[str]) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" role="img"'
        f' viewBox="0 0 {width:.0f} {height:.0f}" font-family="sans-serif" font-size="12">'
    )
    arrow = (
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
        '<path d="M0 0L8 4L0 8z" fill="#475569"/></marker></defs>'
    )
    about = f"<title>{escape(_clean(' '.join(safe(title).split())))}</title>"
    return "\n".join([head, about, arrow, *parts, "</svg>", ""])


def _drawn(box: _Box, kind: str, said: str) -> str:
    x, y = box.x - box.width / 2, box.y - box.height / 2
    dash = ' stroke-dasharray="4 3"' if kind == "unused" else ""
    width = 2.5 if kind == "claim" else 1
    lines = []
    for i, line in enumerate(box.lines):
        bold = ' font-weight="bold"' if i == 0 else ""
        shown = line if i or _columns(line) <= _CHARACTERS else line[: _CHARACTERS - 1] + "…"
        lines.append(
            f'<text x="{box.x:.1f}" y="{y + _PAD + 12 + i * _LINE:.1f}" text-anchor="middle"{bold}>'
            f"{escape(_clean(safe(shown)))}</text>"
        )
    return (
        f'<g><title>{escape(said or _clean(safe(box.lines[0])))}</title><rect x="{x:.1f}" y="{y:.1f}"'
        f' width="{box.width:.1f}" height="{box.height:.1f}" rx="6" fill="{_FILL[kind]}" stroke="#475569"'
        f' stroke-width="{width}"{dash}/>{"".join(lines)}</g>'
    )


def _arrows(link: Link, boxes: Mapping[_Id, _Box], ways: Mapping[_Id, Sequence[_Id]]) -> list[str]:
    """One arrow, or a fan that meets in a dot between the layers."""
    sources, targets = [boxes[s] for s in link.sources], [boxes[t] for t in link.targets]
    passed = {pair: [p for x in ways[pair] for p in _through(boxes[x])] for pair in link.pairs}
    found = []
    if len(sources) == len(targets) == 1:
        way = passed[link.pairs[0]]
        first, last = (way[0], way[-1]) if way else ((targets[0].x, targets[0].y), (sources[0].x, sources[0].y))
        ends = _edge(sources[0], first), _edge(targets[0], last)
        found.append(_line([ends[0], *way, ends[1]], tip=True))
        middle = (ends[0][0] + ends[1][0]) / 2, (ends[0][1] + ends[1][1]) / 2
    else:
        several, one = (sources, targets[0]) if len(sources) > 1 else (targets, sources[0])
        near = [
            passed[p][-1 if len(sources) > 1 else 0] if passed[p] else (b.x, b.y) for p, b in _beside(link, several)
        ]
        below = sum(y for _, y in near) / len(near) > one.y
        at = one.y + (one.height / 2 + _LAYER_GAP * 0.4) * (1 if below else -1)
        middle = (one.x + sum(x for x, _ in near) / len(near)) / 2, at
        for pair, box in _beside(link, several):
            way = passed[pair]
            if len(sources) > 1:
                found.append(_line([_edge(box, way[0] if way else middle), *way, middle], tip=False))
            else:
                found.append(_line([middle, *way, _edge(box, way[-1] if way else middle)], tip=True))
        whole = _edge(one, middle)
        found.append(_line([middle, whole] if len(sources) > 1 else [whole, middle], tip=len(sources) > 1))
        found.append(f'<circle cx="{middle[0]:.1f}" cy="{middle[1]:.1f}" r="3.5" fill="#475569"/>')
    if link.relation:
        shown = _clean(" ".join(safe(link.relation).split()))[:40]
        found.append(f'<text x="{middle[0] + 6:.1f}" y="{middle[1] - 4:.1f}" fill="#475569">{escape(shown)}</text>')
    return found


def _through(box: _Box) -> tuple[tuple[float, float], tuple[float, float]]:
    """Where an arrow enters a layer and where it leaves it, from below."""
    return (box.x, box.y + box.height / 2), (box.x, box.y - box.height / 2)


def _beside(link: Link, several: Sequence[_Box]) -> list[tuple[tuple[str, str], _Box]]:
    return list(zip(link.pairs, several, strict=True))


def _edge(box: _Box, other: tuple[float, float]) -> tuple[float, float]:
    """Where a line from the middle of a box to a point leaves it: at its top, its bottom, or a side."""
    x, y = other
    if abs(y - box.y) >= box.height / 2:
        return box.x, box.y + (box.height / 2 if y > box.y else -box.height / 2)
    return box.x + (box.width / 2 if x > box.x else -box.width / 2), box.y


def _line(points: Sequence[tuple[float, float]], *, tip: bool) -> str:
    mark = ' marker-end="url(#tip)"' if tip else ""
    shown = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline points="{shown}" fill="none" stroke="#475569"{mark}/>'

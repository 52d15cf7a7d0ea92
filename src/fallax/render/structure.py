"""Argument structures as terminal trees and as SVG; all text is escaped."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence, Set
from html import escape

from rich.console import Group, RenderableType
from rich.text import Text
from rich.tree import Tree

from fallax.core.types import ArgumentStructure, Link, Statement
from fallax.render._structure_layout import LINE, PAD, lay_out
from fallax.render._structure_parts import DrawnLink, NodeBox, Point
from fallax.render.terminal import safe

__all__ = ["MAX_DRAWN", "structure_difference", "structure_svg", "structure_tree"]

#: A structure with more nodes or arrows than this is not drawn: nobody could read it.
MAX_DRAWN = 300

_STYLE = {"claim": "bold", "leaf": "cyan", "intermediate": "yellow", "unused": "dim"}
#: How the relation of a link is written before its sources.
_MARK = {"supports": "dim", "attacks": "bold red", "undercuts": "bold magenta", "rephrases": "green"}


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
        for premise, mark, style in _premises(structure, id_):
            again = premise in seen and bool(structure.premises_of(premise))
            label = Text(mark, style=style) + _label(structure, premise, again=again)
            child = branch.add(label)
            if not again:
                seen.add(premise)
                added.append((child, premise))
        open_.extend(reversed(added))
    return top


def _premises(structure: ArgumentStructure, id_: str) -> list[tuple[str, str, str]]:
    """The premises of a node, each with the kind of its link and its style."""
    found: list[tuple[str, str, str]] = []
    number = 0
    for link in structure.links:
        if id_ not in link.targets:
            continue
        mark = f"{safe(link.relation)}: " if link.relation else ""
        if link.kind == "many_to_one":
            mark = f"{chr(ord('a') + number % 26)}) {mark}"
            number += 1
        found.extend((s, mark, _MARK[link.role]) for s in link.sources)
    return found


#: Boxes in a row, characters in a line, and of a relation.
COLUMNS = 6
_CHARACTERS = 26
_RELATION = 40
#: Pixels a character of a relation takes.
_FONT = 6.4
_MAX_LINES = 6
#: Colour, dashes, and the path of the tip, which points up at (0, 0).
_ROLES = {
    "supports": ("#475569", "", ("M0 0L-4 8L4 8z", True)),
    "attacks": ("#b91c1c", "", ("M-7 1.5L7 1.5M-7 5L7 5", False)),
    "undercuts": ("#7c3aed", "7 3", ("M-7 1.5L7 1.5", False)),
    "rephrases": ("#0f766e", "2 3", ("M-4 8L0 1L4 8", False)),
}
_ONLY = "#f59e0b"
_FILL = {"claim": "#dbeafe", "leaf": "#ecfdf5", "intermediate": "#fef9c3", "unused": "#f3f4f6"}


def _columns(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else not unicodedata.combining(c) for c in text)


def _wrapped(text: str) -> tuple[str, ...]:
    """Wrap a text to a number of columns; longer text is cut."""
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


def _arrow_keys(structure: ArgumentStructure) -> dict[tuple[str, str, str], tuple[str, str, str]]:
    """Replace ids by texts in (source, target, relation)."""
    said = {n.id: " ".join(n.shown.split()) for n in structure.nodes}
    return {(s, t, r): (said[s], said[t], r) for s, t, r in structure.pairs}


def structure_difference(structure: ArgumentStructure, other: ArgumentStructure) -> tuple[str, ...]:
    """The arrows that another structure lacks, in words; nodes are compared by text.

    Examples
    --------
    >>> from fallax.core.types import Link
    >>> nodes = Statement("Claim", "late"), (Statement("E1", "rain"), Statement("E2", "wet"))
    >>> gold = ArgumentStructure(*nodes, (Link(("E1",), ("E2",)), Link(("E2",), ("Claim",))))
    >>> pred = ArgumentStructure(*nodes, (Link(("E2",), ("Claim",)), Link(("E1",), ("Claim",), "attacks")))
    >>> structure_difference(gold, pred), structure_difference(pred, gold)
    (('E1 -> E2',), ('E1 -> Claim (attacks)',))
    """
    theirs = set(_arrow_keys(other).values())
    return tuple(
        f"{s} -> {t}" + (f" ({r})" if r else "")
        for (s, t, r), key in _arrow_keys(structure).items()
        if key not in theirs
    )


def structure_svg(
    structure: ArgumentStructure,
    *,
    unused: Iterable[Statement] = (),
    title: str = "",
    other: ArgumentStructure | None = None,
    columns: int = COLUMNS,
) -> str:
    """A structure as one SVG image: no script, no link, no external font or style.

    Parameters
    ----------
    unused : nodes that take part in no link; they are drawn at the bottom, in rows.
    title : what readers for the blind say of the image; by default the claim.
    other : a structure to compare with: arrows and nodes that it lacks are marked in orange.
    columns : how many boxes may stand in a row; a box with its gap takes 216 pixels.

    Returns
    -------
    str
        The claim in the first row, and what leads to the boxes of a row below it. Premises joined in one link meet in a
        dot. An attack is red and ends in two bars, an undercut violet, dashed, with one bar, a rephrase green and
        dotted; the relation is written beside them. Texts that are too long for their boxes are cut there and whole in
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
    lines = {i: (i, *(_wrapped(text) if text and text != i else ())) for i, text in texts.items()}
    words = {link.relation: said for link in structure.links if (said := _word(link.relation))}
    wide = {relation: _FONT * _columns(said) for relation, said in words.items()}
    layout = lay_out(structure, others, lines, wide, columns=columns)
    theirs = None if other is None else set(_arrow_keys(other).values())
    known = None if other is None else {" ".join(n.shown.split()) for n in other.nodes}
    keys = _arrow_keys(structure)
    parts = []
    for link, drawn in zip(structure.links, layout.links, strict=True):
        only = {(s, t) for s, t in link.pairs if theirs is not None and keys[s, t, link.relation] not in theirs}
        parts.extend(_arrows(link, drawn, only))
    for link, drawn in zip(structure.links, layout.links, strict=True):  # above all lines
        if drawn.word is not None:
            parts.append(_written(words[link.relation], _ROLES[link.role][0], drawn.word))
    if layout.unused_at is not None:
        parts.append(f'<text x="26" y="{layout.unused_at + 4:.1f}" fill="#475569">not used: {len(others)}</text>')
    for n in nodes:
        kind = structure.kind_of(n.id) if n.id in structure.by_id else "unused"
        only_here = known is not None and kind != "unused" and " ".join(n.shown.split()) not in known
        parts.append(_drawn(layout.boxes[n.id], kind, texts[n.id], only=only_here))
    about = title or (structure.claim.shown if structure.claim is not None else "argument structure")
    return _svg(layout.width, layout.height, about, parts)


def _clean(text: str) -> str:
    """A text without the characters that XML forbids."""
    return "".join(
        c if c >= " " and c not in "\ufffe\uffff" and not "\ud800" <= c <= "\udfff" else "\ufffd" for c in text
    )


def _svg(width: float, height: float, title: str, parts: Sequence[str]) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" role="img"'
        f' viewBox="0 0 {width:.0f} {height:.0f}" font-family="sans-serif" font-size="12">'
    )
    about = f"<title>{escape(_clean(' '.join(safe(title).split())))}</title>"
    return "\n".join([head, about, *parts, "</svg>", ""])


def _drawn(box: NodeBox, kind: str, said: str, *, only: bool = False) -> str:
    x, y = box.x - box.width / 2, box.y - box.height / 2
    dash = ' stroke-dasharray="4 3"' if kind == "unused" else ""
    colour, width = (_ONLY, 3.5) if only else ("#475569", 2.5 if kind == "claim" else 1)
    lines = []
    for i, line in enumerate(box.lines):
        bold = ' font-weight="bold"' if i == 0 else ""
        shown = line if i or _columns(line) <= _CHARACTERS else line[: _CHARACTERS - 1] + "…"
        lines.append(
            f'<text x="{box.x:.1f}" y="{y + PAD + 12 + i * LINE:.1f}" text-anchor="middle"{bold}>'
            f"{escape(_clean(safe(shown)))}</text>"
        )
    return (
        f'<g><title>{escape(said or _clean(safe(box.lines[0])))}</title><rect x="{x:.1f}" y="{y:.1f}"'
        f' width="{box.width:.1f}" height="{box.height:.1f}" rx="6" fill="{_FILL[kind]}" stroke="{colour}"'
        f' stroke-width="{width}"{dash}/>{"".join(lines)}</g>'
    )


def _arrows(link: Link, drawn: DrawnLink, only: Set[tuple[str, str]]) -> list[str]:
    """The arrows of one link, the dot in which they meet, and its relation."""
    colour, dashes, (tip, filled) = _ROLES[link.role]
    dash = f' stroke-dasharray="{dashes}"' if dashes else ""
    found = []
    for pair, way in drawn.ways:
        shown = " ".join(f"{x:.1f},{y:.1f}" for x, y in way)
        if pair in only:
            found.append(
                f'<polyline points="{shown}" fill="none" stroke="{_ONLY}" stroke-width="6" stroke-opacity="0.55"/>'
            )
        found.append(f'<polyline points="{shown}" fill="none" stroke="{colour}"{dash}/>')
    for x, y in dict.fromkeys(way[-1] for _, way in drawn.ways):
        form = f'fill="{colour}"' if filled else f'fill="none" stroke="{colour}" stroke-width="1.5"'
        found.append(f'<path transform="translate({x:.1f} {y:.1f})" d="{tip}" {form}/>')
    x, y = drawn.joint
    if len(link.pairs) > 1:
        found.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>')
    return found


def _word(relation: str) -> str:
    """A relation as it is written beside its arrow."""
    said = _clean(" ".join(safe(relation).split()))
    return said if len(said) <= _RELATION else said[: _RELATION - 1] + "…"


def _written(said: str, colour: str, at: Point) -> str:
    return (
        f'<text x="{at[0]:.1f}" y="{at[1]:.1f}" fill="{colour}" stroke="#fff" stroke-width="3" paint-order="stroke"'
        f' font-size="11">{escape(said)}</text>'
    )

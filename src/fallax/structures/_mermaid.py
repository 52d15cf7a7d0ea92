"""Mermaid flowcharts: ``A & B --> C`` is a combined link and ``A --> B & C`` a divergent one."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Sequence

from fallax.core.types import ArgumentStructure, Statement, StructureReading
from fallax.errors import FormatError, one_line
from fallax.structures._sketch import Sketch, Written, all_nodes, check_size, fresh_names, sink

__all__ = ["format_mermaid", "parse_mermaid"]

_SPACE, _AND = re.compile(r"\s*"), re.compile(r"\s*&\s*")
_CLASS, _QUOTED, _SHUT = re.compile(r":::([\w-]+)"), re.compile(r'\s*"([^"]*)"\s*'), re.compile(r"[\])}/\\]{1,3}")
_ID = re.compile(r"\w+(?:[.-]\w+)*")
_SHAPES = {"[": "]", "(": ")", "{": "}", ">": "]"}
_ARROW = re.compile(
    r"\s*(?:(?P<id>\w+)@)?(?P<back>[<ox](?=[-=]))?(?:--|==|-\.)(?:(?:[-=.]*[-=>ox])?\s*\|(?P<piped>[^|]*)\|"
    r"|\s+(?P<said>[^-=|>\s][^-=|>]*?)\s*(?:-{2,}|={2,}|\.-+)[->ox]*|[-=.]*[->ox]?)\s*"
)
#: A line that only keeps two nodes beside each other, and the data of an arrow that has a name.
_UNSEEN, _EDGE_DATA = re.compile(r"\s*~{3,}\s*"), re.compile(r"(\w+)@\{[^{}]*\}\s*;?")
_LOOKS = ("style", "linkStyle", "click", "title", "accTitle", "accDescr")
_IGNORED = re.compile(r"(?:classDef|class|style|linkStyle|click|direction|end|title|accTitle|accDescr)\b|subgraph\b")
#: ``@{ shape: rect, label: "text" }`` behind a name, front matter, and a flowchart inside Markdown.
_DATA = re.compile(r"@\{((?:\"[^\"]*\"|[^{}\"])*)\}")
_OPEN_DATA = re.compile(r"@\{(?:\"[^\"]*\"|[^{}\"])*\Z")
_LABEL = re.compile(r"\blabel\s*:\s*(?:\"([^\"]*)\"|'([^']*)'|([^,{}]+))")
_FRONT = re.compile(r"\s*---[^\S\n]*\n.*?\n---[^\S\n]*\n", re.S)
_FENCE = re.compile(r"^[^\S\n]*(?:```|~~~|:::)[ \t]*\{?mermaid\b[^\n]*\n(.*?)^[^\S\n]*(?:```|~~~|:::)", re.S | re.M)
_BEGINS = re.compile(r"^[^\S\n]*(?:flowchart|graph)\b", re.M)
#: A quoted text opens behind a bracket, an arrow or a colon; any other quote, as of 5", is part of a text.
_OPENING = r"(?:[\[({>|/\\:]|--|==|-\.|\bsubgraph)\s*\""
_CLOSED_TEXT, _OPEN_TEXT = re.compile(_OPENING + r'[^"]*"'), re.compile(_OPENING + r'[^"]*\Z')
#: A text or data that is longer is taken for one that was never closed.
_MOST_LINES = 30
#: A text of Markdown, and its bold and italics.
_MARKDOWN = re.compile(r"\A\s*`(.*)`\s*\Z", re.S)
_STYLED = re.compile(r"(\*{1,2}|_{1,2})(?=[^\s*_])(.*?[^\s*_]|[^\s*_])\1(?!\w)", re.S)
_SUBGRAPH = re.compile(
    r"subgraph\s+(?:(?P<id>[\w.-]+)\s*\[\s*\"?(?P<title>[^\]\"]*)\"?\s*\]|\"?(?P<alone>[^\"]*?)\"?)\s*;?\Z"
)
_CODE = re.compile(r"#(?:(\d+)|(\w+));")


def _plain(text: str) -> str:
    def code(found: re.Match[str]) -> str:
        if found[1]:
            number = int(found[1]) if len(found[1]) < 8 else 0
            return chr(number) if 0 < number < 0x110000 and not 0xD800 <= number < 0xE000 else "\ufffd"
        return html.unescape(f"&{found[2]};")

    shown = re.sub(r"<br\s*/?>", "\n", text)
    marked = _MARKDOWN.match(shown)
    if marked is not None:
        shown = _STYLED.sub(r"\2", _STYLED.sub(r"\2", marked[1]))
    return _CODE.sub(code, shown)


def _escaped(text: str) -> str:
    kept = "".join(c if c == "\n" or (c.isprintable() and c not in '#"<>&|`;') else f"#{ord(c)};" for c in text)
    return kept.replace("\n", "<br/>")


def parse_mermaid(text: str) -> StructureReading:
    r"""Parse a Mermaid flowchart: the texts of boxes, and arrows between groups joined by ``&``.

    A node of the class ``claim`` is the claim, else the comment ``%% claim: none`` says that there is none, else it is
    the only one that leads nowhere. Styles, classes and subgraph borders are skipped.

    Raises
    ------
    FormatError
        At a line that is none of these.

    Examples
    --------
    >>> found = parse_mermaid('flowchart BT\n  E1["It rained."]\n  E1 & E2 --> E3\n  E3 -->|attacks| Claim').structure
    >>> [(str(link), link.relation) for link in found.links]
    [('(E1, E2) -> E3', ''), ('E3 -> Claim', 'attacks')]
    """
    check_size(text)
    sketch = Sketch()
    begun, infer = False, True
    named: set[str] = set()
    groups: dict[str, str] = {}
    skipped: dict[str, None] = {}
    drawing, n_drawings = _drawing(text)
    if n_drawings > 1:
        sketch.note(f"only the first of {n_drawings} flowcharts is read")
    for number, raw in _logical(drawing.split("\n")):
        line = raw.strip()
        if re.fullmatch(r"%%\s*claim: none", line):
            infer = False
        if not line or line.startswith(("%%", "```")):
            continue
        if not begun:
            found = re.match(r"(?:flowchart|graph)(?:[ \t]+(?:\w+|[<>^](?=[\s;]))|-elk)*\s*;?", line)
            if found is None:
                raise FormatError(f"Mermaid must begin with flowchart, got {one_line(line, 40)!r}", line=number)
            begun = True
            line = line[found.end() :].strip()
        ignored = _IGNORED.match(line)
        if ignored is None:
            if line:
                _line(line, number, sketch, named)
        elif (group := _SUBGRAPH.match(line)) is not None:
            groups[group["id"] or group["alone"]] = _plain(group["title"] or group["alone"] or "")
        elif ignored[0] in _LOOKS:
            skipped[ignored[0]] = None
    if skipped:
        sketch.note(f"what a structure cannot represent is skipped: {', '.join(skipped)}")
    if groups:
        dropped = "1 group of nodes is" if len(groups) == 1 else f"{len(groups)} groups of nodes are"
        sketch.note(f"{dropped} dropped; what is in it is kept")
    for id_ in groups.keys() & sketch.texts.keys():
        if not sketch.texts[id_]:
            sketch.node(id_, groups[id_])
            sketch.note(f"{one_line(id_, 60)!r}: an arrow meets a group of nodes; it is read as a node of its own")
    return sketch.reading(infer_claim=infer, missing="no arrow was found")


def _drawing(text: str) -> tuple[str, int]:
    """The first flowchart of a text that may be Markdown, without front matter, and how many there are.

    Lines before it are left empty, so that errors name the line of the text.
    """
    fences = [f for f in _FENCE.finditer(text) if _BEGINS.search(f[1])] or list(_FENCE.finditer(text))
    fence = fences[0] if fences else None
    before, inside = (text[: fence.start(1)], fence[1]) if fence is not None else ("", text)
    front = _FRONT.match(inside)
    if front is not None:
        before, inside = before + front[0], inside[front.end() :]
    return "\n" * before.count("\n") + inside, len(fences)


def _in_text(line: str) -> bool:
    """True where a quoted text is not closed by the end of the line."""
    return _OPEN_TEXT.search(_CLOSED_TEXT.sub("", line)) is not None


def _logical(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Numbered lines; a quoted text or the data of a node that goes on below is joined to the line it begins on."""
    at = 0
    while at < len(lines):
        joined, n = lines[at], 1
        while not joined.lstrip().startswith("%%") and n < _MOST_LINES and at + n < len(lines):
            if _in_text(joined):
                joined += "\n" + lines[at + n].strip()
            elif _OPEN_DATA.search(joined):
                joined += ("" if joined.endswith(("{", ",")) else ",") + lines[at + n].strip()
            else:
                break
            n += 1
        if n == _MOST_LINES or (n > 1 and _in_text(joined)):
            joined, n = lines[at], 1
        yield at + 1, joined
        at += n


def _line(line: str, number: int, sketch: Sketch, named: set[str]) -> None:
    """Read one line; ``named`` collects the names of arrows, whose data is no node."""
    at = 0
    before: list[str] | None = None
    relation = ""
    if (data := _EDGE_DATA.fullmatch(line)) is not None and data[1] in named:
        return
    while at < len(line):
        group, at = _group(line, at, number, sketch)
        if before is not None:
            sketch.link(before, group, relation, where=f"line {number}")
        unseen = _UNSEEN.match(line, at)
        if unseen is not None and unseen.end() < len(line):
            before, at = None, unseen.end()
            continue
        arrow = _ARROW.match(line, at)
        if arrow is None or arrow.end() == at:
            rest = line[at:].strip()
            if not rest.startswith(";") and rest:
                raise FormatError(f"Mermaid must have an arrow or an end here, got {one_line(rest, 40)!r}", line=number)
            at = len(line) - len(rest.lstrip("; "))
            before = None
            continue
        relation = _plain((arrow["piped"] or arrow["said"] or "").strip().strip('"'))
        if arrow["id"]:
            named.add(arrow["id"])
        drawn = re.sub(r"\|[^|]*\|", "", arrow[0]).strip()
        if arrow["back"] or drawn[-1] not in ">xo":
            said = "arrow heads at both ends" if arrow["back"] else "no arrow head"
            sketch.note(f"line {number}: a line has {said}; it is read as from the first to the second")
        elif drawn[-1] in "xo" and not relation:
            end = "a cross" if drawn[-1] == "x" else "a circle"
            sketch.note(f"line {number}: an arrow ends in {end}; without a word on it, it is read as a support")
        before, at = group, arrow.end()
        if at >= len(line):
            raise FormatError("an arrow must lead to a node, got the end of the line", line=number)


def _group(line: str, at: int, number: int, sketch: Sketch) -> tuple[list[str], int]:
    found = []
    while True:
        id_, at = _node(line, at, number, sketch)
        found.append(id_)
        joined = _AND.match(line, at)
        if joined is None:
            return found, at
        at = joined.end()


def _node(line: str, at: int, number: int, sketch: Sketch) -> tuple[str, int]:
    name = _ID.match(line, _SPACE.match(line, at).end())  # type: ignore[union-attr]
    if name is None:
        raise FormatError(f"Mermaid must have a node here, got {one_line(line[at:], 40)!r}", line=number)
    at = name.end()
    text = ""
    if at < len(line) and line[at] in _SHAPES and not line.startswith(">", at - 1):
        text, at = _box(line, at, number)
    given = _DATA.match(line, at)
    if given is not None:
        at = given.end()
        label = _LABEL.search(given[1])
        text = _plain((label[1] or label[2] or label[3]).strip()) if label is not None else text
    sketch.node(name[0], text)
    css = _CLASS.match(line, at)
    if css is not None:
        at = css.end()
        if css[1] == "claim":
            sketch.claim = name[0]
    return name[0], at


def _box(line: str, at: int, number: int) -> tuple[str, int]:
    start = at
    while at < len(line) and line[at] in "[({>/\\" and at - start < 3:
        at += 1
    quoted = _QUOTED.match(line, at)
    if quoted is not None:
        text, at = quoted[1], quoted.end()
    else:
        closing = "".join(_SHAPES.get(c, c) for c in reversed(line[start:at]))
        end = line.find(closing, at)
        if end < 0:
            raise FormatError(f"a box must be closed, got {one_line(line[start:], 40)!r}", line=number)
        text, at = line[at:end].strip(), end
    shut = _SHUT.match(line, at)
    if shut is None:
        raise FormatError(f"a box must be closed, got {one_line(line[start:], 40)!r}", line=number)
    return _plain(text), shut.end()


_ARROWS = {"supports": "-->", "attacks": "--x", "undercuts": "-.-x", "rephrases": "-.->"}
_FITS = re.compile(r"[A-Za-z]\w*", re.ASCII)
_TAKEN = ("end", "graph", "subgraph", "flowchart", "class", "classDef", "style", "linkStyle", "click", "direction")


def format_mermaid(structure: ArgumentStructure, *, unused: Iterable[Statement] = (), label: str = "") -> Written:
    """The structure as a flowchart from the evidence up to the claim.

    Examples
    --------
    >>> from fallax.core.types import Link
    >>> links = (Link(("E1",), ("Claim",)),)
    >>> print(format_mermaid(ArgumentStructure(Statement("Claim", "B"), (Statement("E1", "A"),), links)).text)
    flowchart BT
      Claim["B"]:::claim
      E1["A"]
      E1 --> Claim
      classDef claim stroke-width:3px
    <BLANKLINE>
    """
    listed = all_nodes(structure, unused)
    taken = {n.id for n in listed if _IGNORED.match(n.id)}
    names, losses = fresh_names(listed, _FITS, "E", {*_TAKEN, *taken})
    lines = ["flowchart BT"]
    root = structure.claim
    if root is None and sink(structure) is not None:
        lines.append("  %% claim: none")
    for n in listed:
        mark = ":::claim" if root is not None and n.id == root.id else ""
        box = f'["{_escaped(n.text)}"]' if n.text else ""
        lines.append(f"  {names[n.id]}{box}{mark}")
    for link in structure.links:
        before, after = (" & ".join(names[i] for i in side) for side in (link.sources, link.targets))
        said = f"|{_escaped(link.relation)}|" if link.relation else ""
        if link.relation != link.relation.strip():
            losses.append(f"link {link}: the spaces around its relation")
        lines.append(f"  {before} {_ARROWS[link.role]}{said} {after}")
    if label:
        losses.append(f"the verdict {label!r}")
    return Written("\n".join([*lines, "  classDef claim stroke-width:3px", ""]), tuple(losses))

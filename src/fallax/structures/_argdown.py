"""Argdown: statements in square brackets, supports as ``+``, attacks as ``-``, arguments as numbered premises."""

from __future__ import annotations

import re
from collections.abc import Iterable

from fallax.core.types import ArgumentStructure, Link, Statement, StructureReading
from fallax.errors import FormatError, one_line
from fallax.structures._arrows import claim_losses
from fallax.structures._sketch import Sketch, Written, all_nodes, check_size, fresh_names, note_undercuts, sink

__all__ = ["format_argdown", "parse_argdown"]

_TITLE = r"(?:\[(?P<name>[^\[\]\n]+)\]|<(?P<argument>[^<>\n]+)>)"
_STATEMENT = re.compile(rf"(?P<lead>(?:[+\-_]>|<[+\-_]|><|[+\-_])?)\s*{_TITLE}\s*(?::\s*)?(?P<text>.*)", re.S)
#: What Argdown writes behind a text: tags and data in braces; the claim's tag is read.
_MARK = r"#\([^()\n]*\)|#[\w-]+(?:\([^()\n]*\))?"
_BEHIND = re.compile(
    r"(?<!\\)(?:#\([^()\n]*\)|#(?!claim\b)[\w-]+(?:\([^()\n]*\))?"
    rf"|\{{[^{{}}]*\}}(?=(?:\s|{_MARK}){{0,99}}$))"
)
_RELATIONS: dict[str, str] = {"+": "", "-": "attacks", "_": "undercuts", "><": "contradicts"}
_SIGNS = {relation: sign for sign, relation in _RELATIONS.items()}
_LEAD = re.compile(r"(?:[+\-_]>|<[+\-_]|><|[+\-_])\s+")
_LISTED = re.compile(r"\A(?:\*|\d+\.)\s+")
_PREMISE = re.compile(r"\((?P<number>\d+)\)\s*(?P<rest>.*)", re.S)
_BAR = re.compile(r"-{4,}|--.*--", re.S)
_TAG = re.compile(r"(?<!\\)#claim\b")
#: Bold, italics and links; a backslash before a mark makes it a plain character.
_STYLED = re.compile(
    r"(?<!\\)(?P<m>\*{1,2})(?=[^\s*])(?P<star>[^*]*[^\s*\\])(?P=m)|(?<![\\\w])(?P<u>_{1,2})(?=[^\s_])(?P<line>[^_]*[^\s_\\])(?P=u)(?!\w)"
)
_LINK = re.compile(r"(?<!\\)\[([^\[\]\n]*[^\[\]\\\n])\]\([^()\s]+\)")
_USES = re.compile(r"\buses\s*:\s*\[([\d,\s]*)\]")
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+\-@:/|])")
_FRONT = re.compile(r"\A\s*===+\n(?:(?!===).*\n)*===+[^\S\n]*$", re.M)
_STARTS = re.compile(r"\s*(?:[+\-_]\s+\S|[*]\s|\d+\.\s|[+\-_]\s*[\[<]|<[+\-_]|[+\-_]>|><|\[|\(\d+\)|<|//|#|-{4,}|--)")
_FITS = re.compile(r"[^\W_](?:[\w .'-]*[\w.'])?")


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def _plain(text: str) -> str:
    said = _LINK.sub(r"\1", " ".join(text.split()))
    for _ in range(2):  # bold in italics, or the other way round
        said = _STYLED.sub(lambda found: found["star"] or found["line"], said)
    return re.sub(r"\\(.)", r"\1", said)


def parse_argdown(text: str) -> StructureReading:
    r"""Read the part of Argdown that describes structures.

    Statements ``[Name]: text``; indented relations ``+ [Name]`` and ``- [Name]`` (with ``<+``, ``+>``, ``<-``,
    ``->``) of the statement above; arguments ``<Name>`` as numbered premises over a line ``----``, or over ``--``, the
    rule and ``--``, and the conclusion below. Each argument step is one link, from the premises that its data ``uses``
    numbers, else from all since the step before. What an argument attacks or supports, its conclusion does. An argument
    that is attacked or supported (``- [Photo]`` under ``<Repaint>``) is a node between its last premises and its
    conclusion, so that what attacks the step does not attack the conclusion; what only undercuts it (``_``) leads to
    its conclusion as an undercut. ``><`` contradicts. A relation may name a text without a title. The claim is tagged
    ``#claim``, else it is the only one that leads nowhere. Other tags, data in braces and what else Argdown has are
    noted and skipped.

    Raises
    ------
    FormatError
        If an argument has a conclusion without premises.

    Examples
    --------
    >>> found = parse_argdown("[Late]: The match was late.\n  + [Wet]: The field was wet.\n").structure
    >>> [str(link) for link in found.links], found.claim.id
    (['Wet -> Late'], 'Late')
    """
    check_size(text)
    found = _Reader()
    for number, line in _logical(_without_comments(text)):
        found.line(number, line)
    return found.reading()


class _Reader:
    """Parses line by line; links are resolved once all arguments that relations name are known."""

    def __init__(self) -> None:
        self.sketch = Sketch()
        self.above: list[tuple[int, str]] = []
        self.premises: list[str] = []
        self.by_number: dict[str, str] = {}
        self.barred = ""
        self.argument = ""
        #: name -> text of statements without a title, and the lines of those that stand alone
        self.untitled: dict[str, str] = {}
        self.alone: dict[str, int] = {}
        self.n_untitled = 0
        self.about: dict[str, str] = {}
        #: (premises, conclusion, relation, the argument whose step this is, line)
        self.links: list[tuple[list[str], str, str, str, int]] = []

    def line(self, number: int, line: str) -> None:
        """Read one logical line."""
        indent = len(line) - len(line.lstrip(" \t"))
        said = _LISTED.sub("", line.strip())
        if _BAR.fullmatch(said):
            self.barred = said
            if "{" in said:
                self.sketch.note(
                    f"line {number}: {one_line(' '.join(said.strip('-').split()), 60)}: is skipped, except 'uses'"
                )
        elif said.startswith(("//", "#")):
            self.premises, self.barred, self.by_number, self.argument = [], "", {}, ""
        elif found := _PREMISE.fullmatch(said):
            id_ = self._step(found["rest"], found["number"], number)
            if self.barred:
                if not self.premises:
                    raise FormatError("a conclusion must have premises above it, got none", line=number)
                self.links.append((self._used(), id_, "", self.argument, number))
                self.premises, self.barred = [], ""
            self.premises.append(id_)
            self.above = [(indent, id_)]
        elif (found := _STATEMENT.fullmatch(said)) and (
            found["text"] == "" or ":" in said or _only_behind(found["text"])
        ):
            id_ = self._declare(found, number)
            while self.above and self.above[-1][0] >= indent:
                self.above.pop()
            self._relate(found["lead"], self.above[-1][1] if self.above else None, id_, number)
            self.above.append((indent, id_))
            if found["argument"] is not None and not found["lead"]:
                self.premises, self.barred, self.by_number, self.argument = [], "", {}, id_
        elif said[0] not in "[<(>":
            self._untitled(said, indent, number)
        else:
            self.sketch.note(
                f"line {number}: is no statement, relation or argument of Argdown that is read here; it is skipped"
            )

    def _untitled(self, said: str, indent: int, number: int) -> None:
        """A statement without a title, alone or behind the sign of a relation; alone, only relations make it a node."""
        lead = _LEAD.match(said)
        self._note_behind(said, number)
        text = _plain(_BEHIND.sub("", _TAG.sub("", said[lead.end() :] if lead is not None else said)))
        self.n_untitled += 1
        id_ = f"Untitled {self.n_untitled}"
        while self.above and self.above[-1][0] >= indent:
            self.above.pop()
        if text and lead is not None and self.above:
            self.untitled[id_] = text
            self._relate(lead[0].strip(), self.above[-1][1], id_, number)
        elif text and lead is None:
            self.untitled[id_] = text
            self.alone[id_] = number
        self.above.append((indent, id_))

    def _note_behind(self, text: str, line: int) -> None:
        if extra := [x[0].strip() for x in _BEHIND.finditer(text) if not _TAG.fullmatch(x[0])]:
            self.sketch.note(f"line {line}: {one_line(', '.join(extra), 60)}: tags and data are skipped")

    def _declare(self, found: re.Match[str], number: int) -> str:
        text = found["text"] or ""
        is_claim = _TAG.search(text) is not None
        self._note_behind(text, number)
        text = _plain(_BEHIND.sub("", _TAG.sub("", text)))
        if found["argument"] is not None:
            id_ = f"<{found['argument'].strip()}>"
            self.about[id_] = self.about.get(id_) or text
            return id_
        id_ = str(found["name"]).strip()
        if is_claim:
            self.sketch.claim = id_
        self.sketch.node(id_, text)
        return id_

    def _step(self, text: str, number: str, line: int) -> str:
        """The statement of a numbered line."""
        found = _STATEMENT.fullmatch(text.strip())
        if found is not None and not found["lead"] and found["name"] is not None:
            self.by_number[number] = self._declare(found, line)
        else:
            known = f"({number})" in self.sketch.texts
            self.by_number[number] = f"({number}) {_plain(text)}" if known else f"({number})"
            self._note_behind(text, line)
            self.sketch.node(self.by_number[number], _plain(_BEHIND.sub("", text)))
        return self.by_number[number]

    def _used(self) -> list[str]:
        """The premises of a step: those that its data ``uses`` numbers, else all since the conclusion before."""
        found = _USES.search(self.barred)
        numbers = re.findall(r"\d+", found[1]) if found is not None else []
        return [self.by_number[n] for n in numbers if n in self.by_number] or self.premises

    def _relate(self, lead: str, over: str | None, id_: str, number: int) -> None:
        if not lead or over is None:
            return
        relation = _RELATIONS[lead if lead == "><" else lead.strip("<>")]
        source, target = (over, id_) if lead.endswith(">") and lead != "><" else (id_, over)
        self.links.append(([source], target, relation, "", number))

    def reading(self) -> StructureReading:
        """An argument that a relation attacks or supports is a node between its premises and its conclusion.

        Others are one link: what leads from one leads from its conclusion, and what undercuts it leads to that.
        """
        concluded = {argument: conclusion for _, conclusion, _, argument, _ in self.links if argument}
        related = [x for x in self.links if not x[3]]
        hit = {target for _, target, relation, _, _ in related if relation != "undercuts" or target not in concluded}
        bare = {source for sources, _, _, _, _ in related for source in sources if source not in concluded}
        names = {
            id_: id_[1:-1] if id_[1:-1] not in self.sketch.texts else id_
            for id_ in sorted(hit | bare)
            if id_.startswith("<")
        }
        used = {x for sources, target, _, _, _ in self.links for x in (*sources, target)}
        for id_, text in self.untitled.items():
            if id_ in used:
                self.sketch.node(id_, text)
            else:
                self.sketch.note(f"line {self.alone.get(id_, 0)}: is a text that no relation names; it is skipped")
        for id_, name in names.items():
            self.sketch.node(name, self.about.get(id_, ""))
        last = {argument: at for at, (_, _, _, argument, _) in enumerate(self.links) if argument}
        for at, (premises, conclusion, relation, argument, number) in enumerate(self.links):
            sources = [concluded.get(p, p) if not argument else p for p in premises]
            target = conclusion if conclusion in names else concluded.get(conclusion, conclusion)
            if not argument and sources == [target]:
                continue  # that an argument supports what it concludes is said by its steps
            sources = [names.get(p, p) for p in sources]
            where = f"line {number}"
            if argument in names and last[argument] == at:
                self.sketch.link(sources, [names[argument]], where=where)
                sources = [names[argument]]
            self.sketch.link(sources, [names.get(target, target)], relation, where=where)
        note_undercuts(self.sketch)
        return self.sketch.reading(infer_claim=True, missing="no relation and no argument was found")


def _only_behind(text: str) -> bool:
    return not _BEHIND.sub("", _TAG.sub("", text)).strip()


def _without_comments(text: str) -> str:
    """The text with line breaks alone in the place of front matter and comments."""
    front = _FRONT.match(text)
    kept = []
    at = 0
    if front is not None:
        kept.append("\n" * front[0].count("\n"))
        at = front.end()
    for found in re.finditer(r"<!--|/\*", text):
        if found.start() < at:
            continue
        mark = "-->" if found[0] == "<!--" else "*/"
        end = text.find(mark, found.end())
        if end < 0:
            break
        kept += [text[at : found.start()], "\n" * text.count("\n", found.start(), end)]
        at = end + len(mark)
    return "".join([*kept, text[at:]])


def _logical(text: str) -> list[tuple[int, str]]:
    """Numbered logical lines; a continuation line is joined to its statement."""
    found: list[tuple[int, list[str]]] = []
    blank = True
    ruled = False
    for number, line in enumerate(text.split("\n"), start=1):
        if ruled or line.strip() == "--":
            if not ruled:
                found.append((number, []))
            found[-1][1].append(line.strip())
            ruled = not ruled or line.strip() != "--"
            blank = True
            continue
        if not line.strip():
            blank = True
            continue
        if blank or _STARTS.match(line) or not found:
            found.append((number, [line]))
        else:
            found[-1][1].append(line.strip())
        blank = False
    return [(number, "\n".join(lines)) for number, lines in found]


def format_argdown(structure: ArgumentStructure, *, unused: Iterable[Statement] = (), label: str = "") -> Written:
    """Statements first; then a serial link as a relation and a combined one as a separate argument.

    Examples
    --------
    >>> from fallax.core.types import Link
    >>> links = (Link(("E1", "E2"), ("Claim",)),)
    >>> evidence = (Statement("E1", "It rained"), Statement("E2"))
    >>> rain = ArgumentStructure(Statement("Claim", "It was late"), evidence, links)
    >>> print(format_argdown(rain).text)
    [Claim]: It was late #claim
    <BLANKLINE>
    [E1]: It rained
    <BLANKLINE>
    [E2]
    <BLANKLINE>
    <Step 1>
    <BLANKLINE>
    (1) [E1]
    (2) [E2]
    ----
    (3) [Claim]
    <BLANKLINE>
    """
    listed = all_nodes(structure, unused)
    names, losses = fresh_names(listed, _FITS, "E")
    blocks = []
    for n in listed:
        tag = " #claim" if structure.claim is not None and n.id == structure.claim.id else ""
        said = _escaped(n.text)
        if " ".join(n.text.split()) != n.text:
            losses.append(f"node {one_line(n.id, 60)!r}: the line breaks and spaces of its text")
        blocks.append(f"[{names[n.id]}]" + (f": {said}{tag}" if said or tag else ""))
    undercut = {t for link in structure.links if link.relation == "undercuts" for t in link.targets}
    steps: dict[str, str] = {}  # what is undercut -> the argument that concludes it

    def argued(link: Link, target: str) -> str:
        name = f"Step {sum('----' in block for block in blocks) + 1}"
        if link.role == "supports":
            steps.setdefault(target, name)
        numbered = [f"({i}) [{names[s]}]" for i, s in enumerate(link.sources, start=1)]
        return "\n".join([f"<{name}>\n", *numbered, "----", f"({len(link.sources) + 1}) [{names[target]}]"])

    for link in sorted(structure.links, key=lambda x: x.relation == "undercuts"):
        if link.relation not in ("", "attacks", *(("undercuts", "contradicts") if link.kind != "many_to_one" else ())):
            losses.append(f"link {link}: the relation {one_line(link.relation, 60)!r}")
        if link.kind == "one_to_many":
            losses.append(
                f"link {link}: that its conclusions belong together, written as {len(link.targets)} relations"
            )
        for target in link.targets:
            if link.kind == "many_to_one" or (link.role == "supports" and target in undercut and target not in steps):
                blocks.append(argued(link, target))
                continue
            over = names[target] if link.relation != "undercuts" or target not in steps else ""
            above = f"[{over}]" if over else f"<{steps[target]}>"
            blocks.append(f"{above}\n  {_SIGNS.get(link.relation, '+')} [{names[link.sources[0]]}]")
        if link.kind == "many_to_one" and link.relation == "attacks":
            losses.append(f"link {link}: the relation 'attacks'")
    if structure.claim is None and sink(structure) is not None:
        losses.extend(claim_losses(structure))
    if label:
        losses.append(f"the verdict {label!r}")
    return Written("\n\n".join(blocks) + "\n", tuple(losses))

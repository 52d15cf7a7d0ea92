"""Argdown: statements in square brackets, supports as ``+``, attacks as ``-``, arguments as numbered premises."""

from __future__ import annotations

import re
from collections.abc import Iterable

from fallax.core.types import ArgumentStructure, Statement, StructureReading
from fallax.errors import FormatError, one_line
from fallax.structures._arrows import claim_losses
from fallax.structures._sketch import Sketch, Written, all_nodes, check_size, fresh_names, sink

__all__ = ["format_argdown", "parse_argdown"]

_TITLE = r"\[(?P<name>[^\[\]\n]+)\]"
_STATEMENT = re.compile(rf"(?P<lead>(?:[+\-]|<[+\-]|[+\-]>)?)\s*{_TITLE}(?:\s*:\s*(?P<text>.*))?", re.S)
_PREMISE = re.compile(r"\((?P<number>\d+)\)\s*(?P<rest>.*)", re.S)
_BAR = re.compile(r"-{4,}|--.*--")
_TAG = re.compile(r"(?<!\\)#claim\b")
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+\-@:/|])")
_FRONT = re.compile(r"\A\s*===+\n(?:(?!===).*\n)*===+[^\S\n]*$", re.M)
_STARTS = re.compile(r"\s*(?:[+\-]\s*[\[<]|<[+\-]|[+\-]>|\[|\(\d+\)|<|//|#|-{4,}|--)")
_FITS = re.compile(r"[^\W_](?:[\w .'-]*[\w.'])?")


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def _plain(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", " ".join(text.split()))


def parse_argdown(text: str) -> StructureReading:
    r"""Read the part of Argdown that says structures.

    Statements ``[Name]: text``; indented relations ``+ [Name]`` and ``- [Name]`` (with ``<+``, ``+>``, ``<-``, ``->``)
    of the statement above; arguments ``<Name>`` as numbered premises over a line ``----`` and the conclusion below.
    Each argument step is one link. The claim is tagged ``#claim``, else it is the only one that leads nowhere.
    What else Argdown has is noted and passed over.

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
    sketch = Sketch()
    above: list[tuple[int, str]] = []
    premises: list[str] = []
    by_number: dict[str, str] = {}
    barred = False
    for number, line in _logical(_without_comments(text)):
        indent = len(line) - len(line.lstrip(" \t"))
        said = line.strip()
        if _BAR.fullmatch(said):
            barred = True
        elif said.startswith(("//", "#")) or re.fullmatch(r"<[^<>\n]+>(?:\s*:.*)?", said, re.S):
            premises, barred, by_number = [], False, {}
        elif found := _PREMISE.fullmatch(said):
            id_ = _statement(found["rest"], found["number"], by_number, sketch)
            if barred:
                if not premises:
                    raise FormatError("a conclusion must have premises above it, got none", line=number)
                sketch.link(premises, [id_], where=f"line {number}")
                premises, barred = [], False
            premises.append(id_)
        elif found := _STATEMENT.fullmatch(said):
            id_ = _declare(found, sketch)
            while above and above[-1][0] >= indent:
                above.pop()
            _relate(found["lead"], above[-1][1] if above else None, id_, sketch, number)
            above.append((indent, id_))
        else:
            sketch.note(
                f"line {number}: is no statement, relation or argument of Argdown that is read here; it is passed over"
            )
    return sketch.reading(infer_claim=True, missing="no relation and no argument was found")


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
    """Lines with their numbers; a line that only goes on with a statement is joined to it."""
    found: list[tuple[int, list[str]]] = []
    blank = True
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            blank = True
            continue
        if blank or _STARTS.match(line) or not found:
            found.append((number, [line]))
        else:
            found[-1][1].append(line.strip())
        blank = False
    return [(number, "\n".join(lines)) for number, lines in found]


def _declare(found: re.Match[str], sketch: Sketch) -> str:
    id_ = found["name"].strip()
    text = found["text"] or ""
    if _TAG.search(text):
        sketch.claim = id_
        text = _TAG.sub("", text)
    sketch.node(id_, _plain(text))
    return id_


def _statement(text: str, number: str, by_number: dict[str, str], sketch: Sketch) -> str:
    found = _STATEMENT.fullmatch(text.strip())
    if found is not None and not found["lead"]:
        by_number[number] = _declare(found, sketch)
    else:
        by_number[number] = f"({number})" if f"({number})" not in sketch.texts else f"({number}) {_plain(text)}"
        sketch.node(by_number[number], _plain(text))
    return by_number[number]


def _relate(lead: str, over: str | None, id_: str, sketch: Sketch, number: int) -> None:
    if not lead or over is None:
        return
    relation = "attacks" if "-" in lead else ""
    outward = lead in ("+>", "->")
    sketch.link([over] if outward else [id_], [id_] if outward else [over], relation, where=f"line {number}")


def format_argdown(structure: ArgumentStructure, *, unused: Iterable[Statement] = (), label: str = "") -> Written:
    """Statements first; then a serial link as a relation and a combined one as an argument of its own.

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
    n_arguments = 0
    for link in structure.links:
        if link.relation not in ("", "attacks"):
            losses.append(f"link {link}: the relation {one_line(link.relation, 60)!r}")
        if link.kind == "one_to_many":
            losses.append(
                f"link {link}: that its conclusions belong together, written as {len(link.targets)} relations"
            )
        if link.kind != "many_to_one":
            sign = "-" if link.relation == "attacks" else "+"
            blocks.extend(f"[{names[t]}]\n  {sign} [{names[link.sources[0]]}]" for t in link.targets)
            continue
        if link.relation == "attacks":
            losses.append(f"link {link}: the relation 'attacks'")
        n_arguments += 1
        numbered = [f"({i}) [{names[s]}]" for i, s in enumerate(link.sources, start=1)]
        last = f"({len(link.sources) + 1}) [{names[link.targets[0]]}]"
        blocks.append("\n".join([f"<Step {n_arguments}>\n", *numbered, "----", last]))
    if structure.claim is None and sink(structure) is not None:
        losses.extend(claim_losses(structure))
    if label:
        losses.append(f"the verdict {label!r}")
    return Written("\n\n".join(blocks) + "\n", tuple(losses))

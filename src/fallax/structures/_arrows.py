"""One line per step: ``(E1, E2) -> E3 -> Claim``, as papers print structures (Si et al. 2024, table 10).

Their arrows have no relation; one is written on the arrow here: ``E4 -[attacks]-> Claim``.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterable

from fallax.core.types import ArgumentStructure, Statement, StructureReading
from fallax.errors import FormatError, one_line
from fallax.structures._sketch import Sketch, Written, all_nodes, check_size, sink

__all__ = ["format_arrows", "parse_arrows"]

_QUOTED = r'"(?:[^"\\]|\\.)*"'
_TAIL = r"-{1,4}>|={1,4}>"
#: An arrow with its relation.
_NAMED = rf'-\[(?:{_QUOTED}|[^\]\["\n]*)\]->'
_TOKEN = re.compile(
    rf"\s*(?:(?P<quoted>{_QUOTED})|(?P<arrow>{_NAMED}|{_TAIL}|→|⇒|⟶)|(?P<mark>[(),&])"
    rf"|(?P<plain>(?:(?!{_NAMED}|{_TAIL})[^(),&→⇒⟶\"])+))"
)
_DECLARED = re.compile(rf"\s*(?P<name>{_QUOTED}|[^\s\"():,&→⇒⟶]+)\s*:(?:\s+(?P<text>.*))?")
_PLAIN_NAME = re.compile(r"[^\W_][\w.'-]*(?: [\w.'-]+)*")
_PLAIN_RELATION = re.compile(r"[^\W_][\w' -]*(?<! )")
_ONE_WORD = re.compile(r"[^\W_][\w.'-]*")


def parse_arrows(text: str) -> StructureReading:
    r"""Read chains of arrows and, if present, lines ``name: text``.

    A line with an arrow and no declaration is a chain: names, or groups of names in parentheses or divided by commas.
    A group before an arrow leads to what follows together; a group after an arrow is led to as a whole. An arrow may
    carry a relation: ``-[attacks]->``, in double quotes if it is more than words. The node named Claim is the claim,
    else the only one that leads nowhere. Lines starting with ``#`` are skipped.

    Raises
    ------
    FormatError
        At a chain with an open parenthesis or an empty place.

    Examples
    --------
    >>> found = parse_arrows("E2: It rained.\nE2 → (E1, E3) → E5\n(E4, E5) → Claim").structure
    >>> [str(link) for link in found.links]
    ['E2 -> (E1, E3)', '(E1, E3) -> E5', '(E4, E5) -> Claim']
    """
    check_size(text)
    sketch = Sketch()
    chains = []
    for number, raw in enumerate(text.split("\n"), start=1):
        line = raw.strip("\r ")
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if found := _DECLARED.fullmatch(line):
            sketch.node(_unquoted(found["name"], number), _unquoted(found["text"] or "", number))
        elif re.search(r"->|=>|→|⇒|⟶", line):
            chains.append((number, _chain(line, number)))
        else:
            sketch.note(f"line {number}: is neither 'name: text' nor a chain of arrows; it is skipped")
    for number, (groups, relations) in chains:
        for (before, after), relation in zip(itertools.pairwise(groups), relations, strict=True):
            sketch.link(before, after, relation, where=f"line {number}")
    names = {n.lower(): n for n in sketch.texts}
    sketch.claim = names.get("claim")
    return sketch.reading(infer_claim=True, missing="no arrow was found")


def _unquoted(shown: str, line: int) -> str:
    if len(shown) > 1 and shown[0] == shown[-1] == '"':
        try:
            return str(json.loads(shown, strict=False))
        except ValueError:
            raise FormatError(
                f"a quoted name or text must be a JSON text, got {one_line(shown, 40)}", line=line
            ) from None
    return shown.strip()


def _chain(line: str, number: int) -> tuple[list[list[str]], list[str]]:
    """The groups of a chain, and the relations of the arrows between them."""
    groups: list[list[str]] = [[]]
    relations: list[str] = []
    open_, wants = False, True
    at = 0
    while at < len(line):
        token = _TOKEN.match(line, at)
        if token is None or token.end() == at:
            raise FormatError(f"a chain must be names and arrows, got {one_line(line[at:], 40)!r}", line=number)
        at = token.end()
        if token["arrow"] or token["mark"] in (",", "&"):
            if wants or (open_ and token["arrow"]):
                raise FormatError(
                    f"each arrow and comma must be between names, got {one_line(line, 60)!r}", line=number
                )
            wants = True
            if token["arrow"]:
                groups.append([])
                named = re.fullmatch(_NAMED, token["arrow"]) is not None
                relations.append(_unquoted(token["arrow"][2:-3], number) if named else "")
        elif token["mark"]:
            if open_ == (token["mark"] == "(") or (token["mark"] == "(" and not wants):
                raise FormatError(f"parentheses must open and close, got {one_line(line, 60)!r}", line=number)
            open_ = token["mark"] == "("
        elif name := _unquoted((token["quoted"] or token["plain"] or "").strip(), number):
            if not wants:
                raise FormatError(f"names must be divided by commas or arrows, got {one_line(line, 60)!r}", line=number)
            groups[-1].append(name)
            wants = False
    if open_ or wants:
        raise FormatError(f"a chain must end with a name, got {one_line(line, 60)!r}", line=number)
    return groups, relations


def _name(id_: str, *, declared: bool) -> str:
    fits = _ONE_WORD if declared else _PLAIN_NAME
    return id_ if fits.fullmatch(id_) else json.dumps(id_, ensure_ascii=False)


def _said(text: str) -> str:
    plain = text == text.strip() and text.isprintable() and not text.startswith('"')
    return text if plain else json.dumps(text, ensure_ascii=False)


def format_arrows(structure: ArgumentStructure, *, unused: Iterable[Statement] = (), label: str = "") -> Written:
    """The nodes as lines ``name: text`` and each link as a line with an arrow, on which its relation stands.

    Examples
    --------
    >>> from fallax.core.types import Link
    >>> evidence = (Statement("E1", "It rained."), Statement("E2"))
    >>> rain = ArgumentStructure(Statement("Claim"), evidence, (Link(("E1", "E2"), ("Claim",)),))
    >>> print(format_arrows(rain).text)
    Claim:
    E1: It rained.
    E2:
    (E1, E2) -> Claim
    <BLANKLINE>
    """
    losses = []
    lines = [f"{_name(n.id, declared=True)}: {_said(n.text)}".rstrip() for n in all_nodes(structure, unused)]
    for link in structure.links:
        sides = ([_name(i, declared=False) for i in side] for side in (link.sources, link.targets))
        plain = _PLAIN_RELATION.fullmatch(link.relation)
        said = link.relation if plain else json.dumps(link.relation, ensure_ascii=False)
        arrow = f" -[{said}]-> " if link.relation else " -> "
        lines.append(arrow.join(f"({', '.join(x)})" if len(x) > 1 else x[0] for x in sides))
    losses.extend(claim_losses(structure, by_name=True))
    if label:
        losses.append(f"the verdict {label!r}")
    return Written("\n".join(lines) + "\n", tuple(losses))


def claim_losses(structure: ArgumentStructure, *, by_name: bool = False) -> list[str]:
    """What is lost where readers take a node called Claim, or the only final node, for the claim."""
    named = [n.id for n in structure.nodes if by_name and n.id.lower() == "claim"]
    read = named[-1] if named else sink(structure)
    told = None if structure.claim is None else structure.claim.id
    if read == told:
        return []
    if told is None:
        return ["that no node is the claim"]
    return [f"node {one_line(told, 60)!r}: that it is the claim"]

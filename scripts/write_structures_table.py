"""Write the table of what each format of argument structures keeps and loses, by writing and reading each.

python scripts/write_structures_table.py     # renews docs/structures.md
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from fallax.core.types import ArgumentStructure, Link, Statement, StructureReading
from fallax.structures import STRUCTURE_FORMATS, format_structure, parse_structure

PAGE = Path(__file__).parents[1] / "docs" / "structures.md"
BEGIN, END = "<!-- table of losses: begin -->", "<!-- table of losses: end -->"

_E1, _E2 = Statement("E1", "It rained."), Statement("E2", "The field was wet.")
_CLAIM = Statement("Claim", "The match was late.")
_Check = Callable[[StructureReading], bool]


def _links(read: StructureReading) -> set[tuple[frozenset[str], frozenset[str], str]]:
    links = read.structure.links if read.structure is not None else ()
    return {(frozenset(x.sources), frozenset(x.targets), x.relation) for x in links}


def _kept(link: Link) -> _Check:
    return lambda read: (frozenset(link.sources), frozenset(link.targets), link.relation) in _links(read)


def _structure(*links: Link, claim: Statement | None = _CLAIM) -> ArgumentStructure:
    evidence = (_E1, _E2) if claim is not None else (_E1, _E2, _CLAIM)
    return ArgumentStructure(claim, evidence, links)


def _relation(relation: str) -> tuple[ArgumentStructure, _Check]:
    link = Link(("E2",), ("Claim",), relation)
    return _structure(Link(("E1",), ("Claim",)), link), _kept(link)


def probes() -> Mapping[str, tuple[ArgumentStructure, str, tuple[Statement, ...], _Check]]:
    """What is tried: heading -> structure, verdict, unused nodes, and whether it came back."""
    chain = _structure(Link(("E1",), ("E2",)), Link(("E2",), ("Claim",)))
    joined, divergent = Link(("E1", "E2"), ("Claim",)), Link(("E1",), ("E2", "Claim"))
    odd = Statement("a note (1)", "It rained.")
    named = ArgumentStructure(_CLAIM, (odd,), (Link((odd.id,), ("Claim",)),))
    said = Statement("E1", 'First "line";\nsecond -> <line> {a|b}.')
    texts = ArgumentStructure(_CLAIM, (said,), (Link(("E1",), ("Claim",)),))
    without = _structure(Link(("E1",), ("E2",)), Link(("E2",), ("Claim",)), claim=None)
    spare = Statement("E3", "Dogs bark.")
    probed: dict[str, tuple[ArgumentStructure, str, tuple[Statement, ...], _Check]] = {
        "names": (named, "", (), lambda r: bool(r.structure and odd.id in r.structure.by_id)),
        "texts": (texts, "", (), lambda r: bool(r.structure and said in r.structure.evidence)),
        "no claim": (without, "", (), lambda r: bool(r.structure and r.structure.claim is None)),
        "unused": (chain, "", (spare,), lambda r: spare.text in [n.shown for n in r.unused]),
        "verdict": (chain, "refutes", (), lambda r: r.label == "refutes"),
        "premises joined": (_structure(joined), "", (), _kept(joined)),
        "conclusions joined": (_structure(divergent, Link(("E2",), ("Claim",))), "", (), _kept(divergent)),
    }
    for relation in ("attacks", "undercuts", "rephrases", "is a cause of"):
        structure, check = _relation(relation)
        probed[f"`{relation}`"] = (structure, "", (), check)
    return probed


def table() -> str:
    """The table, in Markdown.

    Raises
    ------
    AssertionError
        If something is lost that the writer does not name.
    """
    tried = probes()
    lines = ["| format | " + " | ".join(tried) + " |", "|" + "---|" * (len(tried) + 1)]
    for name in STRUCTURE_FORMATS:
        cells = []
        for heading, (structure, label, unused, check) in tried.items():
            written = format_structure(structure, format=name, unused=unused, label=label)
            came_back = check(_renamed(parse_structure(written.text, format=name), structure))
            if heading == "names":
                came_back = check(parse_structure(written.text, format=name))
            if not came_back and not written.losses:
                raise AssertionError(f"{name} loses {heading} and does not say so")
            cells.append("yes" if came_back else "lost")
        lines.append(f"| `{name}` | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _renamed(read: StructureReading, given: ArgumentStructure) -> StructureReading:
    """The reading with the names that were given, told by the texts, so that new names alone are not a loss twice."""
    if read.structure is None:
        return read
    by_text = {n.text: n.id for n in given.nodes}
    names = {n.id: by_text.get(n.shown, n.id) for n in read.structure.nodes}
    if len(set(names.values())) != len(names):
        return read

    def renamed(n: Statement) -> Statement:
        return Statement(names[n.id], n.shown if n.shown in by_text else n.text)

    claim = None if read.structure.claim is None else renamed(read.structure.claim)
    links = tuple(
        Link(tuple(names[i] for i in x.sources), tuple(names[i] for i in x.targets), x.relation)
        for x in read.structure.links
    )
    structure = ArgumentStructure(claim, tuple(map(renamed, read.structure.evidence)), links)
    return StructureReading(structure, read.label, read.unused, read.notes)


def page_with_table(page: str) -> str:
    """The page with the table made anew."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{table()}\n{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(page_with_table(PAGE.read_text(encoding="utf-8")), encoding="utf-8")

"""Shows a verification on a terminal; shares its texts with the other views."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from rich.console import Group, RenderableType
from rich.text import Text

from fallax.core.types import ArgumentStructure, Link, Verification
from fallax.render.structure import structure_tree
from fallax.render.terminal import safe

__all__ = [
    "VERDICT_WORDS",
    "likeliest",
    "shown_structure",
    "speaks_against",
    "verification_sections",
    "verification_text",
]

#: What a verdict is called.
VERDICT_WORDS = {"supports": "SUPPORTS", "refutes": "REFUTES", "nei": "NOT ENOUGH INFORMATION"}
#: Words and probability of a verdict in a note.
_PROBABILITY = re.compile(r"\b(supports|refutes|not enough information) (\d\.\d\d)")
_STYLE = {"supports": "bold green", "refutes": "bold red", "nei": "bold yellow"}


def _plain(text: str) -> str:
    return " ".join(safe(text).split())


def _whole(text: str) -> Text:
    """A line that is neither wrapped nor cut, so that ids and offsets can be copied."""
    return Text(text, no_wrap=True, overflow="ignore")


def likeliest(notes: Iterable[str]) -> str:
    """Where no verdict is sure enough, the likeliest one with its probability; "" if the notes name none.

    Examples
    --------
    >>> likeliest(["supports 0.20, refutes 0.24, not enough information 0.56"])
    'likeliest: not enough information 0.56'
    """
    found = [m.groups() for note in notes for m in _PROBABILITY.finditer(note)]
    said, sure = max(found, key=lambda each: each[1], default=("", ""))
    return f"likeliest: {said} {sure}" if found else ""


def speaks_against(found: Verification) -> bool:
    """Whether the evidence of a verification speaks against the claim, surely or as the likeliest of its verdicts."""
    return found.label == "refutes" or (found.label is None and likeliest(found.notes).startswith("likeliest: refutes"))


def shown_structure(found: Verification) -> ArgumentStructure | None:
    """The structure as it is drawn if the evidence speaks against the claim: what leads to the claim attacks it.

    A chain with conclusions keeps its steps, and the last one attacks. Pieces of evidence alone need not follow from
    each other: each is an attack of its own.
    """
    given = found.structure
    if given is None or given.claim is None or not speaks_against(found):
        return given
    claim = given.claim.id
    if found.concluded:
        last = (replace(x, relation="attacks") if claim in x.targets and not x.relation else x for x in given.links)
        return replace(given, links=tuple(last))
    pieces = dict.fromkeys(id_ for link in given.links for id_ in link.sources)
    return replace(given, links=tuple(Link((id_,), (claim,), "attacks") for id_ in pieces))


def verification_sections(found: Verification) -> list[tuple[str, list[str]]]:
    """The sections besides verdict and structure: title and lines of each."""
    structure = shown_structure(found)
    lines = [str(s) for s in found.chain]
    against = speaks_against(found)
    if against and structure is not None and not found.concluded:
        lines = [str(link) for link in structure.links if link.relation]
    steps = ("evidence against the claim" if against else "from evidence to claim", lines)
    return [
        steps,
        ("concluded, not given", [f"{n.id}: {n.text}" for n in found.concluded]),
        ("not used", [f"{e.id}: {e.text}" for e in found.unused_evidence]),
        ("missing", list(found.missing)),
        ("sources", [f"{c.evidence}: {c.document} {c.start}-{c.end}" for c in found.citations]),
        ("notes", list(found.notes)),
    ]


def verification_text(found: Verification) -> RenderableType:
    """Verdict, structure as a tree, steps in order, unused evidence, missing steps, and citations.

    Nodes that the verifier added are marked, as nobody gave them as evidence.
    """
    parts: list[RenderableType] = []
    if found.label is None and found.probability is not None:
        parts.append(Text("CANNOT TELL", style="bold"))
        parts.append(Text("; ".join(s for s in (_plain(found.no_label), likeliest(found.notes)) if s)))
    elif found.label is None:
        parts.append(Text(f"no verdict: {_plain(found.no_label)}", style="bold"))
    else:
        parts.append(Text(VERDICT_WORDS[found.label], style=_STYLE[found.label]))
    sure = "" if found.probability is None or found.label is None else f", probability {found.probability:.2f}"
    parts.append(Text(f"by {_plain(found.system)}{sure}", style="dim"))
    if (structure := shown_structure(found)) is not None:
        parts += [Text(), structure_tree(structure)]
    elif found.no_structure:
        parts.append(Text(f"no structure: {_plain(found.no_structure)}"))
    for title, lines in verification_sections(found):
        if lines:
            parts += [Text(), Text(title, style="bold"), *(_whole(f"  {_plain(line)}") for line in lines)]
    return Group(*parts)

"""Shows a verification on a terminal; shares its texts with the other views."""

from __future__ import annotations

import re
from collections.abc import Iterable

from rich.console import Group, RenderableType
from rich.text import Text

from fallax.core.types import Verification
from fallax.render.structure import structure_tree
from fallax.render.terminal import safe

__all__ = ["VERDICT_WORDS", "likeliest", "verification_sections", "verification_text"]

#: What a verdict is called.
VERDICT_WORDS = {"supports": "SUPPORTS", "refutes": "REFUTES", "nei": "NOT ENOUGH INFORMATION"}
#: The third verdict in a note with probabilities, as JSON has it.
_CODE = re.compile(r"\bnei(?= \d\.\d\d)")
#: Words and probability of a verdict in such a note.
_PROBABILITY = re.compile(r"\b(supports|refutes|nei) (\d\.\d\d)")
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
    >>> likeliest(["supports 0.20, refutes 0.24, nei 0.56"])
    'likeliest: not enough information 0.56'
    """
    found = [m.groups() for note in notes for m in _PROBABILITY.finditer(note)]
    label, sure = max(found, key=lambda said: said[1], default=("", ""))
    return f"likeliest: {VERDICT_WORDS[label].lower()} {sure}" if found else ""


def verification_sections(found: Verification) -> list[tuple[str, list[str]]]:
    """The sections besides verdict and structure: title and lines of each."""
    return [
        ("from evidence to claim", [str(s) for s in found.chain]),
        ("concluded, not given", [f"{n.id}: {n.text}" for n in found.concluded]),
        ("not used", [f"{e.id}: {e.text}" for e in found.unused_evidence]),
        ("missing", list(found.missing)),
        ("sources", [f"{c.evidence}: {c.document} {c.start}-{c.end}" for c in found.citations]),
        ("notes", [_CODE.sub("not enough information", note) for note in found.notes]),
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
    if found.structure is not None:
        parts += [Text(), structure_tree(found.structure)]
    elif found.no_structure:
        parts.append(Text(f"no structure: {_plain(found.no_structure)}"))
    for title, lines in verification_sections(found):
        if lines:
            parts += [Text(), Text(title, style="bold"), *(_whole(f"  {_plain(line)}") for line in lines)]
    return Group(*parts)

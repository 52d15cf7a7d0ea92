"""Shows a verification on a terminal; shares its texts with the other views."""

from __future__ import annotations

import re

from rich.console import Group, RenderableType
from rich.text import Text

from fallax.core.types import Verification
from fallax.render.structure import structure_tree
from fallax.render.terminal import safe

__all__ = ["VERDICT_WORDS", "verification_sections", "verification_text"]

#: What a verdict is called.
VERDICT_WORDS = {"supports": "SUPPORTS", "refutes": "REFUTES", "nei": "NOT ENOUGH INFORMATION"}
#: The third verdict in a note with probabilities, as JSON has it.
_CODE = re.compile(r"\bnei(?= \d\.\d\d)")
_STYLE = {"supports": "bold green", "refutes": "bold red", "nei": "bold yellow"}


def _plain(text: str) -> str:
    return " ".join(safe(text).split())


def _whole(text: str) -> Text:
    """A line that is neither wrapped nor cut, so that ids and offsets can be copied."""
    return Text(text, no_wrap=True, overflow="ignore")


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
        parts.append(Text(_plain(found.no_label)))
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

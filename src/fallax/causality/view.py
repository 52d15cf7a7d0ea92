"""A verification on a terminal."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text

from fallax.core.types import Verification
from fallax.render.structure import structure_tree
from fallax.render.terminal import safe

__all__ = ["verification_text"]

_SAID = {"supports": "SUPPORTS", "refutes": "REFUTES", "nei": "NOT ENOUGH INFO"}
_STYLE = {"supports": "bold green", "refutes": "bold red", "nei": "bold yellow"}


def _plain(text: str) -> str:
    return " ".join(safe(text).split())


def _whole(text: str) -> Text:
    """A line that is neither wrapped nor cut, so that names and offsets can be copied."""
    return Text(text, no_wrap=True, overflow="ignore")


def verification_text(found: Verification) -> RenderableType:
    """The verdict, the structure as a tree, its steps in order, what was not used, what is missing, and where it is.

    Nodes that the verifier added are marked, as nobody gave them as evidence.
    """
    parts: list[RenderableType] = []
    if found.label is None:
        parts.append(Text(f"no verdict: {_plain(found.no_label)}", style="bold"))
    else:
        parts.append(Text(_SAID[found.label], style=_STYLE[found.label]))
    parts.append(Text(f"by {_plain(found.system)}", style="dim"))
    if found.structure is not None:
        parts += [Text(), structure_tree(found.structure)]
    elif found.no_structure:
        parts.append(Text(f"no structure: {_plain(found.no_structure)}"))
    sections = [
        ("from evidence to claim", [str(s) for s in found.chain]),
        ("concluded, not given", [f"{n.id}: {n.text}" for n in found.concluded]),
        ("not used", [f"{e.id}: {e.text}" for e in found.unused_evidence]),
        ("missing", list(found.missing)),
        ("where it stands", [f"{c.evidence}: {c.document} {c.start}-{c.end}" for c in found.citations]),
        ("notes", list(found.notes)),
    ]
    for title, lines in sections:
        if lines:
            parts += [Text(), Text(title, style="bold"), *(_whole(f"  {_plain(line)}") for line in lines)]
    return Group(*parts)

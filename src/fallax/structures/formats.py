"""Formats of argument structures by name: read, write, detect."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from fallax.core.types import ArgumentStructure, Statement, StructureReading
from fallax.core.whole import decode_whole, read_whole_bytes, shown_name
from fallax.errors import FormatError, InputError, UnknownNameError
from fallax.structures._aif import format_aif, format_xaif, parse_aif
from fallax.structures._argdown import format_argdown, parse_argdown
from fallax.structures._arrows import format_arrows, parse_arrows
from fallax.structures._dot import format_dot, parse_dot
from fallax.structures._entailment_bank import format_entailment, parse_entailment
from fallax.structures._explagraphs import format_explagraphs, parse_explagraphs
from fallax.structures._gexf import format_gexf, parse_gexf
from fallax.structures._graphml import format_graphml, parse_graphml
from fallax.structures._json import format_json, parse_json
from fallax.structures._linking import format_linking, parse_linking
from fallax.structures._mermaid import format_mermaid, parse_mermaid
from fallax.structures._node_link import format_node_link, is_node_link, parse_node_link
from fallax.structures._sketch import Written

__all__ = [
    "STRUCTURE_FORMATS",
    "StructureFormat",
    "detect_structure_format",
    "format_structure",
    "parse_structure",
    "read_structure",
]


class _Writer(Protocol):
    def __call__(
        self, structure: ArgumentStructure, *, unused: Iterable[Statement] = (), label: str = ""
    ) -> Written: ...


@dataclass(frozen=True, slots=True)
class StructureFormat:
    """One format.

    Parameters
    ----------
    name, title : as ``--from`` and ``--to`` take it, and for people.
    parse, write : text to reading, and structure to text with what is lost.
    per_line : True where a file holds one structure on each line.
    """

    name: str
    title: str
    parse: Callable[[str], StructureReading]
    write: _Writer
    per_line: bool = False


#: name -> format.
STRUCTURE_FORMATS: Mapping[str, StructureFormat] = {
    f.name: f
    for f in (
        StructureFormat("json", "fallax JSON", parse_json, format_json),
        StructureFormat("linking", "FACT and one_to_one_linking code", parse_linking, format_linking),
        StructureFormat("arrows", "(E1, E2) -> E3 -> Claim", parse_arrows, format_arrows),
        StructureFormat("entailment_bank", "EntailmentBank proofs", parse_entailment, format_entailment, per_line=True),
        StructureFormat("explagraphs", "ExplaGraphs triples", parse_explagraphs, format_explagraphs, per_line=True),
        StructureFormat("aif", "AIF JSON", parse_aif, format_aif),
        StructureFormat("xaif", "xAIF JSON", parse_aif, format_xaif),
        StructureFormat("argdown", "Argdown", parse_argdown, format_argdown),
        StructureFormat("graphml", "GraphML", parse_graphml, format_graphml),
        StructureFormat("gexf", "GEXF of Gephi", parse_gexf, format_gexf),
        StructureFormat("node_link", "node-link JSON of networkx and D3", parse_node_link, format_node_link),
        StructureFormat("dot", "Graphviz DOT", parse_dot, format_dot),
        StructureFormat("mermaid", "Mermaid flowchart", parse_mermaid, format_mermaid),
    )
}


#: Behind a fence, front matter and comments; the direction may be left out.
_MERMAID = (
    r"(?:```mermaid\s+)?(?:---[^\S\n]*\n.*?\n---[^\S\n]*\n\s*)?(?:%%[^\n]*\n\s*)*"
    r"(?:flowchart|graph)(?:-elk)?(?:\s+\w\w\b|[ \t]+[<>^v](?=[\s;])|[ \t]*(?=[;\n]))"
)


def _known(name: str) -> StructureFormat:
    if name not in STRUCTURE_FORMATS:
        raise UnknownNameError("format of structures", name, STRUCTURE_FORMATS)
    return STRUCTURE_FORMATS[name]


def detect_structure_format(text: str) -> str:
    """Detect the format of a text from its content.

    Raises
    ------
    FormatError
        If nothing known fits, or there is no text.

    Examples
    --------
    >>> detect_structure_format("(E1, E2) -> Claim"), detect_structure_format("multiple_to_one_linking([A, B], Claim)")
    ('arrows', 'linking')
    """
    start = text.lstrip()[:2000]
    if not start:
        raise FormatError("must hold an argument structure, got no text")
    if start.startswith("{"):
        value = _value(text)
        if "AIF" in value:
            return "xaif"
        if "proof" in value:
            return "entailment_bank"
        if is_node_link(value):
            return "node_link"
        return "aif" if {"nodes", "edges"} <= set(value) else "json"
    if re.match(r"(?:<\?xml[^>]*>\s*|<!--(?:(?!-->).)*-->\s*)*<gexf\b", start, re.S):
        return "gexf"
    for name, pattern in (
        ("graphml", r"<\?xml|<graphml|<!--"),
        ("dot", r"(?:(?://|#)[^\n]*\n\s*|/\*(?:(?!\*/).)*\*/\s*)*(?:strict\s+)?(?:di)?graph\b[^\n{;]*\{"),
        ("mermaid", _MERMAID),
        ("entailment_bank", r"\$\w+\$|sent\d+[ \w&]*->"),
    ):
        if re.match(pattern, start, re.S):
            return name
    if re.search(r"^[^\S\n]*(?:```|~~~|:::)[ \t]*\{?mermaid\b", text, re.M):
        return "mermaid"
    if re.search(r"_linking\s*\(|=\s*FACT\s*\(", text):
        return "linking"
    if re.search(r"\([^;()\n]+;[^;()\n]+;[^;()\n]+\)", start):
        return "explagraphs"
    if re.search(r"^[^\S\n]*(?:[+\-<>]*[^\S\n]*\[[^\]\n]+\]|<[^<>\n]+>|===+)", start, re.M):
        return "argdown"
    if re.search(r"->|→|⇒|=>", text):
        return "arrows"
    raise FormatError(
        f"the format of the structure cannot be detected; name it (format=): {', '.join(STRUCTURE_FORMATS)}"
    )


def _value(text: str) -> Mapping[str, Any]:
    """The object that a text begins with; of a broken one, the names in it."""
    try:
        value = json.JSONDecoder().raw_decode(text.lstrip())[0]
    except (ValueError, RecursionError):
        return dict.fromkeys(re.findall(r'"(AIF|proof|nodes|edges|links)"\s*:', text))
    return value if isinstance(value, Mapping) else {}


def parse_structure(text: str, *, format: str | None = None) -> StructureReading:
    """Read one structure.

    Parameters
    ----------
    text : in any format of ``STRUCTURE_FORMATS``.
    format : its name; detected from the text by default.

    Raises
    ------
    FormatError
        If the text is not in its format. Linking code never raises: the reading has a reason instead.
    UnknownNameError
        If there is no such format.

    Examples
    --------
    >>> parse_structure("E1 -> E2 -> Claim").structure.depth
    2
    """
    return _known(format or detect_structure_format(text)).parse(text)


def format_structure(
    structure: ArgumentStructure, *, format: str, unused: Iterable[Statement] = (), label: str = ""
) -> Written:
    """Write one structure.

    Parameters
    ----------
    format : a name of ``STRUCTURE_FORMATS``.
    unused : nodes that take part in no link and shall be written all the same.
    label : the verdict, for formats that can say one.

    Returns
    -------
    Written
        The text, and everything that the format cannot say.

    Examples
    --------
    >>> rain = parse_structure("E1 -> (E2, E3) -> Claim").structure
    >>> format_structure(rain, format="argdown").losses
    ('link E1 -> (E2, E3): that its conclusions belong together, written as 2 relations',)
    """
    return _known(format).write(structure, unused=tuple(unused), label=label)


def read_structure(path: str | Path, *, format: str | None = None, line: int | None = None) -> StructureReading:
    """Read a structure from a file, or from standard input if the path is ``-``.

    Parameters
    ----------
    format : see :func:`parse_structure`.
    line : which line to read, from 1, where each line holds a structure.

    Raises
    ------
    InputError
        If the file is not there, is no UTF-8, has several structures and no line was named, or lacks that line.
    """
    name = shown_name(path)
    text = decode_whole(read_whole_bytes(path), path)
    try:
        form = _known(format or detect_structure_format(text))
        return form.parse(_chosen(text, form, line, name))
    except FormatError as error:
        if error.path is not None:
            raise
        raise FormatError(str(error), path=name) from None


def _chosen(text: str, form: StructureFormat, line: int | None, name: str) -> str:
    lines = [one for one in text.split("\n") if one.strip()] if form.per_line or line is not None else [text]
    if form.per_line and line is None and len(lines) > 1 and text.lstrip().startswith("{") and _whole(text):
        lines = [text]
    if line is None and len(lines) > 1:
        raise InputError(f"{name}: has {len(lines)} structures, one on each line; choose one with --line")
    if line is not None and not 1 <= line <= len(lines):
        raise InputError(f"{name}: must have a line {line}, got {len(lines)} lines that are not empty")
    return lines[(line or 1) - 1] if lines else text


def _whole(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True

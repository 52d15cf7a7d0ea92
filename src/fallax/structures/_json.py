"""Our own JSON: everything that a reading holds, or a structure alone."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from fallax.core.types import ArgumentStructure, Statement, StructureReading
from fallax.errors import FormatError, LogicError, one_line
from fallax.structures._sketch import Written, check_size

__all__ = ["format_json", "parse_json"]


def parse_json(text: str) -> StructureReading:
    """Read what :func:`format_json` writes, ``ArgumentStructure.to_dict`` gives, or a causal claim with its structure.

    Raises
    ------
    FormatError
        If it is no JSON object of that shape.
    """
    check_size(text)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"must be one JSON object, got a fault ({one_line(error)})") from None
    if not isinstance(value, Mapping):
        raise FormatError(f"must be one JSON object, got {one_line(repr(value), 40)}")
    try:
        if "links" in value:
            return StructureReading(ArgumentStructure.from_dict(value))
        if value.get("structure") is None:
            return StructureReading(None, reason=str(value.get("reason") or "there is no structure in it"))
        structure = ArgumentStructure.from_dict(value["structure"])
        known = structure.by_id
        others = [n for n in value.get("unused", value.get("evidence", ())) if n.get("id") not in known]
        unused = tuple(Statement(n["id"], n.get("text", "")) for n in others)
        return StructureReading(structure, str(value.get("label") or ""), unused, tuple(value.get("notes", ())))
    except LogicError as error:
        raise FormatError(str(error)) from None
    except (AttributeError, KeyError, TypeError):
        raise FormatError("must be an object with 'structure', or with 'claim', 'evidence' and 'links'") from None


def format_json(structure: ArgumentStructure, *, unused: Iterable[Statement] = (), label: str = "") -> Written:
    """The structure with its verdict and what it does not use; nothing is lost."""
    reading = StructureReading(structure, label, tuple(n for n in unused if n.id not in structure.by_id))
    return Written(json.dumps(reading.to_dict(), ensure_ascii=False, indent=1) + "\n")

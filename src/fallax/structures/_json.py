"""The JSON of fallax: a whole reading, or a structure alone."""

from __future__ import annotations

import json
from collections.abc import Iterable

from fallax.core.types import ArgumentStructure, Statement, StructureReading
from fallax.errors import FormatError, LogicError
from fallax.structures._sketch import Written, read_json_object

__all__ = ["format_json", "parse_json"]


def parse_json(text: str) -> StructureReading:
    """Read the JSON of :func:`format_json`, of ``ArgumentStructure.to_dict``, or a causal claim with its structure.

    Raises
    ------
    FormatError
        If it is no JSON object of that shape.
    """
    value = read_json_object(text)
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
    """The structure as JSON, with its verdict and unused nodes; nothing is lost."""
    reading = StructureReading(structure, label, tuple(n for n in unused if n.id not in structure.by_id))
    return Written(json.dumps(reading.to_dict(), ensure_ascii=False, indent=1) + "\n")

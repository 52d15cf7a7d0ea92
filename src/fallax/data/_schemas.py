"""The JSON Schemas of fallax's JSONL, shipped beside this module."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

from fallax.errors import UnknownNameError

__all__ = ["json_schema"]

_KINDS = ("prediction", "record")


def json_schema(kind: str) -> dict[str, Any]:
    """The JSON Schema (2020-12) of one line of fallax JSONL.

    Parameters
    ----------
    kind : "record" or "prediction".

    Examples
    --------
    >>> json_schema("record")["required"]
    ['id', 'text']
    """
    if kind not in _KINDS:
        raise UnknownNameError("schema", kind, _KINDS)
    file = resources.files("fallax.data") / "schemas" / f"{kind}.schema.json"
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found

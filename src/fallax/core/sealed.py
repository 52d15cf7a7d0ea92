"""JSON files that hold their own checksum, to detect corrupted bytes."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from typing import Any

__all__ = ["dump_sealed", "unseal"]


def dump_sealed(value: Mapping[str, Any]) -> bytes:
    r"""Readable JSON with the CRC-32 of the other fields as its last field.

    Examples
    --------
    >>> dump_sealed({"n": 1})
    b'{\n "n": 1,\n "crc": "b3b8e52a"\n}\n'
    """
    rest = {k: v for k, v in value.items() if k != "crc"}
    crc = zlib.crc32(json.dumps(rest, indent=1, allow_nan=False).encode("ascii"))
    return json.dumps({**rest, "crc": f"{crc:08x}"}, indent=1, allow_nan=False).encode("ascii") + b"\n"


def unseal(found: dict[str, Any]) -> bool:
    """Remove the checksum of a value; False if it is wrong. Files without one (earlier releases) pass.

    Examples
    --------
    >>> unseal({"n": 1, "crc": "b3b8e52a"}), unseal({"n": 2, "crc": "b3b8e52a"}), unseal({"n": 2})
    (True, False, True)
    """
    if "crc" not in found:
        return True
    crc = found.pop("crc")
    try:
        return bool(json.loads(dump_sealed(found))["crc"] == crc)
    except ValueError:  # a number that JSON has no word for
        return False

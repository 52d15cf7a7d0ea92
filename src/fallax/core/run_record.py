"""The record beside a file that is written line by line: the settings that it was begun with."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fallax.core.journal import differences, write_whole
from fallax.core.whole import read_whole
from fallax.errors import RunError, one_line

__all__ = ["read_record", "write_record"]


def read_record(path: Path, record: Path, settings: Mapping[str, Any], *, instead: str) -> dict[str, Any]:
    """The record of a file that is there, if the file was begun with the same settings.

    Parameters
    ----------
    path, record : the file, and its record, as :func:`write_record` writes it.
    settings : all that decides what is in the file.
    instead : what to do where they are others, for the error.

    Raises
    ------
    RunError
        If there is no record, something else, or one with other settings.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path, record = Path(folder, "a.jsonl"), Path(folder, "a.run.json")
    ...     write_record(record, {"settings": {"seed": 1}, "finished": False})
    ...     read_record(path, record, {"seed": 1}, instead="name another file")["finished"]
    False
    """
    if not record.exists():
        raise RunError(f"{path}: is there, and {record.name}, which says how it was made, is not; {instead}")
    try:
        said = dict(json.loads(read_whole(record)))
        before = dict(said["settings"])
    except (ValueError, RecursionError, KeyError, TypeError):
        raise RunError(f"{record}: must be the record of a run; {instead}") from None
    if odd := differences(before, settings):
        shown = ", ".join(f"{k} {one_line(before.get(k), 40)} (now {one_line(settings.get(k), 40)})" for k in odd)
        raise RunError(f"{path}: was made with other settings: {shown}; {instead}")
    return said


def write_record(record: Path, value: Mapping[str, Any]) -> None:
    """Write a record, whole or not at all; ``value["settings"]`` is what :func:`read_record` compares."""
    write_whole(record, [json.dumps(value, indent=1, ensure_ascii=False).encode("utf-8") + b"\n"])

"""What commands that read texts have in common: the option of the encoding, and notes of what was not read."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fallax.cli._terminal import note
from fallax.core.types import Record
from fallax.data import other_files
from fallax.data._source import known_encoding
from fallax.errors import InputError

__all__ = ["Encoding", "note_left_out", "note_reading"]


def _known(encoding: str) -> str:
    try:
        return known_encoding(encoding)
    except InputError as error:
        raise InputError(f"--{error}") from None


Encoding = Annotated[
    str,
    typer.Option("--encoding", help="Encoding of the text files, such as windows-1252 or utf-16.", callback=_known),
]
#: Files that a note names.
_MOST = 3


def note_left_out(path: Path, field: str | None = None) -> None:
    """Say which files of a folder are not read because of their kind."""
    others = other_files(path, field=field) if str(path) != "-" and path.is_dir() else []
    if not others:
        return
    files = "1 file of another kind" if len(others) == 1 else f"{len(others)} files of other kinds"
    names = ", ".join(str(p.relative_to(path)) for p in others[:_MOST]) + (", ..." if len(others) > _MOST else "")
    note(f"{path}: {files} left out: {names}; name files to read them")


def note_reading(record: Record) -> None:
    """Print what a reader must know of how a text was read."""
    for said in record.meta.get("notes", ()):
        note(f"{record.id}: {said}")

"""What commands that read texts have in common: the option of the encoding, and notes of what was not read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from fallax.cli._terminal import note
from fallax.core.types import Record
from fallax.data import other_files
from fallax.data._source import known_encoding
from fallax.errors import InputError

__all__ = ["Encoding", "note_left_out", "note_others", "note_reading"]


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
    note_others(path, other_files(path, field=field) if str(path) != "-" and path.is_dir() else [])


def note_others(folder: Path, others: Sequence[Path], way_out: str = "name files to read them") -> None:
    """Say which files of a folder are not read, if there are any, and what to do."""
    if not others:
        return
    files = "1 file of another kind" if len(others) == 1 else f"{len(others)} files of other kinds"
    names = ", ".join(str(p.relative_to(folder)) for p in others[:_MOST]) + (", ..." if len(others) > _MOST else "")
    note(f"{folder}: {files} left out: {names}; {way_out}")


def note_reading(record: Record) -> None:
    """Print what a reader must know of how a text was read."""
    for said in record.meta.get("notes", ()):
        note(f"{record.id}: {said}")

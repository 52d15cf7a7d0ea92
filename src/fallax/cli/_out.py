"""Files that a person names for a command to write: checked before anything is loaded or asked, then written whole."""

from __future__ import annotations

from pathlib import Path

from fallax.core.sink import check_target, make_folder, open_out
from fallax.errors import InputError

__all__ = ["check_out", "make_folder", "write_out"]


def check_out(path: Path | None) -> Path | None:
    """The path, if a file can be written there; None for standard output, which is also called ``-``."""
    if path is None or str(path) == "-":
        return None
    check_target(path)
    return path


def write_out(path: Path, text: str) -> None:
    """Write a whole text; a fault of the disk is one line too."""
    try:
        with open_out(path) as write:
            write(text)
    except OSError as error:
        raise InputError(f"{path}: must be a file that can be written, got {error.strerror or error}") from None

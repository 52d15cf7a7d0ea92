"""Texts of open sets of prose, and marks that this project makes on them without copying them."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from fallax.core.whole import lines_of
from fallax.errors import FormatError, InputError, one_line

__all__ = ["digest_of", "group_of", "marked_rows", "prose_rows", "texts_by_id"]


def digest_of(text: str) -> str:
    """What tells that a text is the one that was marked.

    Examples
    --------
    >>> digest_of("It rained.")
    '8b38b558e4df'
    """
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def prose_rows(folder: Path) -> Iterator[dict[str, Any]]:
    """The rows of a set of prose: its documents, or its training part.

    Raises
    ------
    InputError
        If the folder is not there or has neither.
    """
    there = sorted(folder.iterdir()) if folder.is_dir() else []
    paths = [p for p in there if p.name.split(".")[0] in ("docs", "train")]
    if not paths:
        raise InputError(f"{folder}: must hold docs.jsonl or train.jsonl, found neither")
    opened: Callable[..., Any] = gzip.open if paths[0].suffix == ".gz" else open
    with opened(paths[0], "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def group_of(name: str, row: Mapping[str, Any]) -> str:
    """The document, thread or dialogue of a row of a set: its texts are held out of training together."""
    return f"{name}-{row.get('doc') or row.get('thread') or row.get('dialogue') or row['id']}"


def texts_by_id(name: str, root: Path) -> dict[str, tuple[str, str, str]]:
    """Id -> text, title (empty for none) and group of the texts of a set of prose.

    Parameters
    ----------
    root : folder of data sets.
    """
    return {
        str(row["id"]): (row["text"], row.get("title") or "", group_of(name, row)) for row in prose_rows(root / name)
    }


def marked_rows(path: Path, texts: Mapping[str, tuple[str, str, str]]) -> Iterator[tuple[int, dict[str, Any]]]:
    """The lines of a file of marks, by number, each checked to be about a part of a text of the set.

    Parameters
    ----------
    path : JSON Lines with ``id``, ``start`` and ``end`` (offsets of the part), ``sha256`` (:func:`digest_of` of the
        part) and whatever is marked.

    Raises
    ------
    FormatError
        If a line is about no text of the set, or the text is another one than was marked.
    """
    for number, line in enumerate(lines_of(path.read_text(encoding="utf-8")), start=1):
        try:
            row = json.loads(line)
            part = texts[str(row["id"])][0][int(row["start"]) : int(row["end"])]
            fits = digest_of(part) == row["sha256"]
        except (ValueError, KeyError, TypeError) as error:
            raise FormatError(
                f"must be about a text of {path.stem}, got an error ({one_line(error)})", path=path, line=number
            ) from error
        if not fits:
            raise FormatError(
                f"must be about a text of {path.stem}, but that text is another one than was marked; use the same"
                " version of the set", path=path, line=number,
            )  # fmt: skip
        yield number, row

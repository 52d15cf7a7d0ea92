"""Reads rows of documents and summaries strictly: texts, labels, yes or no, kinds of ambiguity."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from fallax.core.taxonomies import load_taxonomy
from fallax.core.texts import whole_characters
from fallax.core.types import FAITHFUL, UNFAITHFUL, Faithfulness, FaithfulnessRecord
from fallax.errors import FormatError, InputError, UnknownNameError, one_line

__all__ = ["kinds_of", "label_of", "need", "need_text", "unique", "yes_or_no"]

_EMPTY = frozenset(("", "none", "null", "nan"))
_YES = ("1", "1.0", "yes", "true")
_NO = ("0", "0.0", "no", "false")
_FAITHFUL = ("faithful", "consistent", "supported", *_YES)
_UNFAITHFUL = ("unfaithful", "inconsistent", "not_supported", "unsupported", *_NO)


def _word(value: object) -> str:
    found = "" if value is None else str(value).strip().lower()
    return "" if found in _EMPTY else found


def label_of(value: object, path: Path, line: int) -> Faithfulness | None:
    """Parse a faithfulness label; None for an empty field."""
    word = _word(value)
    if not word:
        return None
    if word in _FAITHFUL:
        return FAITHFUL
    if word in _UNFAITHFUL:
        return UNFAITHFUL
    known = f"one of {', '.join(_FAITHFUL)}, or one of {', '.join(_UNFAITHFUL)}"
    raise FormatError(f"a label must be {known}; got {one_line(value, 40)!r}", path=path, line=line)


def yes_or_no(row: Mapping[str, Any], name: str, path: Path, line: int) -> bool | None:
    """Parse a boolean; None for an empty or missing field."""
    word = _word(row.get(name))
    if word and word not in _YES + _NO:
        raise FormatError(f"{name!r} must be 1 or 0, yes or no, got {one_line(row[name], 40)!r}", path=path, line=line)
    return word in _YES if word else None


def need(row: Mapping[str, Any], names: tuple[str, ...], path: Path, line: int) -> Any:
    """The value of the first of these fields that exists."""
    for name in names:
        if row.get(name) is not None:
            return row[name]
    raise FormatError(f"must hold {' or '.join(map(repr, names))}, got {one_line(list(row), 80)}", path=path, line=line)


def need_text(row: Mapping[str, Any], names: tuple[str, ...], path: Path, line: int) -> str:
    """The text of the first of these fields that exists; unpaired surrogates become U+FFFD."""
    found = need(row, names, path, line)
    if not isinstance(found, str):
        raise FormatError(
            f"{' or '.join(map(repr, names))} must be a text, got {one_line(repr(found), 40)}", path=path, line=line
        )
    return whole_characters(found)


def kinds_of(text: str, path: Path, line: int) -> tuple[str, ...]:
    """Labels of the taxonomy ambiguity; compound labels ("a/b") count for each part."""
    taxonomy = load_taxonomy("ambiguity")
    found: list[str] = []
    for piece in [text] if _resolves(text) else text.split("/"):
        name = re.sub(r"phenomena$|phenoma$", "phenomenon", re.sub(r":(?=\S)", ": ", piece.strip()))
        try:
            label = taxonomy.resolve(piece if _resolves(piece) else name)
        except UnknownNameError as error:
            raise FormatError(str(error), path=path, line=line) from error
        if label not in found:
            found.append(label)
    return tuple(found)


def _resolves(name: str) -> bool:
    try:
        load_taxonomy("ambiguity").resolve(name)
    except UnknownNameError:
        return False
    return True


def unique(records: Iterable[FaithfulnessRecord], where: str) -> tuple[FaithfulnessRecord, ...]:
    """Collect all records; raise if an id is repeated."""
    found: dict[str, FaithfulnessRecord] = {}
    for record in records:
        if record.id in found:
            raise InputError(f"{where}: ids must be unique, found twice: {one_line(record.id, 60)!r}")
        found[record.id] = record
    return tuple(found.values())

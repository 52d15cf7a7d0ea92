"""Detects file formats by content, never by the file name alone."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from fallax.data._conll import TAG
from fallax.data._jsonl import PREDICTION_FIELDS
from fallax.data._source import DECODER, HEAD_BYTES, Source, check_utf8
from fallax.errors import FormatError, one_line

__all__ = ["detect"]

_KNOWN = "fallax, mafalda, doccano, label-studio, brat, propaganda, conll, text"
_TSV = re.compile(r"[^\t]+\t(?:[^\t]+\t)?-?\d+\t-?\d+\s*")
_BRAT = re.compile(r"(?:[TREAMN]\d+|#\d*|\*)\t")
_CONLL = re.compile(r"\S+(?:\t\S*)*\t(?:O|[BIESLU]-\S.*)\s*")
_ANNOTATION_KEYS = ("labels", "label", "entities")


def detect(source: Source) -> str:
    """The name of the format, or a FormatError."""
    if source.is_dir:
        return _of_folder(source.path)
    head = source.head()
    if len(head) == HEAD_BYTES and b"\n" not in head:  # one long line
        head = source.head(source.max_line_bytes)
    check_utf8(head, source.name)
    if head.startswith(b"\xef\xbb\xbf"):
        head = head[3:]
    if not head.strip():
        raise FormatError(
            "must hold records, got an empty file; or name its format" if not head else
            "must hold data, got white space only; name the format if that is right",
            path=source.name,
        )  # fmt: skip
    text = head.decode("utf-8", errors="ignore")
    lines = [line.rstrip("\r") for line in text.split("\n") if line.strip()]
    if not lines:
        return "text"  # bytes that are no UTF-8: its reader names the first
    first = lines[0].lstrip()
    if first.startswith("{"):
        return _of_json_lines(lines, source.name)
    if first.startswith("[") and (item := re.match(r"\s*\[\s*(\{|\])", text)):
        _check_tasks(text, item.start(1), source.name)
        return "label-studio"
    whole = lines[:-1] if len(lines) > 1 and len(head) >= HEAD_BYTES - 3 else lines
    # A few bad lines must not turn an annotated file into a plain text: its reader says which lines they are.
    kinds = ("propaganda", _TSV.fullmatch), ("brat", _BRAT.match), ("conll", _CONLL.fullmatch)
    tokens = [line for line in whole if not line.startswith("# ")]
    for name, matches in kinds:
        if 2 * sum(matches(line) is not None for line in tokens) > len(tokens):
            return name
    return "conll" if _is_columns(tokens) else "text"


def _is_columns(lines: list[str]) -> bool:
    """Whether these are tokens and tags with spaces between them, as CoNLL-2003 has: equally many on every line."""
    cells = [line.split() for line in lines if not line.startswith("-DOCSTART-")]
    same = len({len(row) for row in cells}) == 1 and len(cells) > 1 and len(cells[0]) > 1
    return same and all(TAG.fullmatch(row[-1]) for row in cells)


def _check_tasks(text: str, at: int, name: str) -> None:
    """Refuse a list whose first object is a record or prediction of fallax and no task of Label Studio."""
    try:
        first, _ = DECODER.raw_decode(text, at)
    except (ValueError, RecursionError):
        return  # its reader says what is wrong
    if isinstance(first, dict) and "data" not in first and "id" in first and {"spans", "text", "unscored"} & set(first):
        raise FormatError(
            "must have one record or prediction on each line, got a JSON list of them; write each object on a line of"
            " its own",
            path=name,
            line=1,
        )


def _of_folder(folder: Path) -> str:
    suffixes = {p.suffix for p in folder.iterdir() if p.is_file()}
    if ".ann" in suffixes:
        return "brat"
    if ".labels" in suffixes:
        return "propaganda"
    if next(folder.rglob("*.ann"), None) is not None:
        return "brat"
    if any(p.is_file() for p in folder.rglob("*.txt")) or suffixes & {".md", ".html", ".htm"}:
        return "text"
    raise FormatError(
        "must be a folder of .ann and .txt files (brat), of .labels files (propaganda) or of texts, got none of them;"
        " name a file or another folder",
        path=folder,
    )


def _of_json_lines(lines: list[str], name: str) -> str:
    values: list[dict[str, Any]] = []
    for line in lines[:200]:
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            break
        if isinstance(value, dict):
            values.append(value)
    if not values:
        keys = set(re.findall(r'"(\w+)"\s*:', lines[0]))
        values = [dict.fromkeys(keys)]
    first = values[0]
    if "data" in first and ("annotations" in first or "predictions" in first):
        return "label-studio"
    if ("id" in first and "spans" in first) or {"record", "prediction", "system"} <= set(first):
        return "fallax"
    if "text" not in first and "data" not in first:
        if "id" in first and set(first) <= set(PREDICTION_FIELDS):
            return "fallax"
        raise FormatError(
            f"must be in a known format ({_KNOWN}), got lines with {', '.join(one_line(repr(k), 30) for k in first)};"
            " name the format, or the field that holds the text",
            path=name,
            line=1,
        )
    if {"comments", "Comments", "sentences_with_labels"} & set(first) and any(k in first for k in ("labels", "label")):
        return "mafalda"
    for value in values:
        for key in _ANNOTATION_KEYS:
            if value.get(key):
                return "mafalda" if key == "labels" and "id" not in value else "doccano"
    if any(k in first for k in _ANNOTATION_KEYS):
        return "mafalda" if "labels" in first and "id" not in first else "doccano"
    if "prediction" in first:
        raise FormatError(
            "must be annotated texts or spans, got recorded answers of a model ('prediction'); read them with the"
            " protocol that asked for them",
            path=name,
            line=1,
        )
    return "fallax"

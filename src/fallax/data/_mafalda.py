"""MAFALDA's gold file and doccano's exports: JSONL with rows of [start, end, label].

Several rows with the same offsets are alternatives of one passage. MAFALDA's files write "no fallacy" as ``nothing``
and carry ``to clean`` where an annotator left a note; the second is kept out and counted.

References
----------
Helwe et al. 2024, MAFALDA (the file ``gold_standard_dataset.jsonl``); doccano's JSONL export for sequence labelling.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from fallax.core.sink import dump_json, open_out
from fallax.core.types import NO_FALLACY
from fallax.data._jsonl import json_lines
from fallax.data._options import Options
from fallax.data._rows import Loss, Mark, RawRecord, is_no_fallacy, put_about
from fallax.data._source import Source
from fallax.errors import FormatError, one_line

__all__ = ["NOT_LABELS", "read_doccano", "read_mafalda", "write_doccano", "write_mafalda"]

NOT_LABELS = frozenset({"to clean"})
_LABEL_KEYS = ("labels", "label", "entities", "spans")
_RESERVED = ("id", "text", "data", "source", "title", *_LABEL_KEYS)


def read_mafalda(source: Source, options: Options) -> Iterator[RawRecord]:
    """Rows of a MAFALDA file; labels are required (null means not annotated)."""
    for line, value in json_lines(source):
        yield _row(source.name, line, value, need_labels=True)


def read_doccano(source: Source, options: Options) -> Iterator[RawRecord]:
    """Rows of a doccano export; a text without labels counts as not annotated."""
    for line, value in json_lines(source):
        yield _row(source.name, line, value, need_labels=False)


def _row(name: str, line: int, value: dict[str, Any], *, need_labels: bool) -> RawRecord:
    def fail(message: str) -> FormatError:
        return FormatError(message, path=name, line=line)

    text_key = "text" if "text" in value else "data"
    if text_key not in value:
        got = ", ".join(one_line(repr(k), 40) for k in value) or "no field"
        raise fail(f"each line must have a 'text', got {got}; name the format if this is another one")
    keys = [k for k in _LABEL_KEYS if k in value]
    if len(keys) > 1:
        raise fail(f"must have one list of labels, got {' and '.join(map(repr, keys))}; remove one")
    if not keys and need_labels:
        got = ", ".join(one_line(repr(k), 40) for k in value)
        raise fail(f"each line must have 'labels' (null where a text is not annotated), got {got}; add it")
    found = value[keys[0]] if keys else None
    marks = None
    if found is not None:
        if not isinstance(found, list):
            raise fail(f"{keys[0]!r} must be a list of [start, end, label], got {one_line(repr(found), 40)}")
        marks = []
        for i, item in enumerate(found, start=1):
            mark = _mark(item)
            if mark is None:
                raise fail(f"{keys[0]!r}, item {i}: must be [start, end, label], got {one_line(repr(item), 60)}")
            marks.append(mark)
    id_ = value.get("id")
    if id_ is None:
        id_ = str(line)
    elif type(id_) is int:
        id_ = str(id_)
    meta = {k: v for k, v in value.items() if k not in ("id", text_key, "source", "title", *keys)}
    return RawRecord(id_, value[text_key], marks, line, value.get("source") or "", value.get("title") or "", meta)


def _mark(item: object) -> Mark | None:
    if isinstance(item, list) and len(item) in (3, 4):
        return Mark(item[0], item[1], item[2], item[3] if len(item) == 4 else None)
    if isinstance(item, Mapping):
        start = item.get("start_offset", item.get("start"))
        end = item.get("end_offset", item.get("end"))
        return Mark(start, end, item.get("label"), item.get("confidence"))
    return None


def write_mafalda(rows: Iterable[RawRecord], path: str | Path, options: Options, losses: list[Loss]) -> None:
    """Write ``labels``, with ``nothing`` for "no fallacy"; alternatives become separate rows."""
    _write(rows, path, losses, key="labels", no_fallacy="nothing", not_labels=NOT_LABELS, null=True)


def write_doccano(rows: Iterable[RawRecord], path: str | Path, options: Options, losses: list[Loss]) -> None:
    """Write ``label`` with a row per alternative; a text that is not annotated has none."""
    _write(rows, path, losses, key="label", no_fallacy=NO_FALLACY, not_labels=frozenset(), null=False)


def _write(
    rows: Iterable[RawRecord],
    path: str | Path,
    losses: list[Loss],
    *,
    key: str,
    no_fallacy: str,
    not_labels: frozenset[str],
    null: bool,
) -> None:
    with open_out(path) as write:
        for row in rows:
            value: dict[str, Any] = {"id": row.id, "text": row.text}
            if row.marks is not None:
                value[key] = []
                for m in row.marks:
                    lost = m.label.strip().casefold() in not_labels or (
                        m.label != NO_FALLACY and is_no_fallacy(m.label)
                    )
                    if lost:
                        losses.append(
                            Loss(row.id, "label", f"the label {m.label!r} means something else in this format")
                        )
                        continue
                    value[key].append([m.start, m.end, no_fallacy if m.label == NO_FALLACY else m.label])
                    if m.confidence is not None:
                        losses.append(Loss(row.id, "confidence", f"the confidence of {m.start}..{m.end}"))
            elif null:
                value[key] = None
            put_about(row, value, _RESERVED, losses)
            write(dump_json(value, f"record {row.id!r}") + "\n")

"""Reads rows with named fields from a file of any form: CSV, TSV, Parquet, JSON lists and JSON lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from fallax.data._csv import TABLES, csv_rows
from fallax.data._json_items import json_items
from fallax.data._jsonl import json_lines
from fallax.data._parquet import parquet_rows
from fallax.data._source import Source
from fallax.errors import FormatError, one_line

__all__ = ["file_rows"]


def file_rows(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Line number and fields of each row of a table, a Parquet file, a JSON list or JSON lines."""
    source = Source(path)
    suffix = path.suffix.lower()
    if suffix in TABLES:
        return csv_rows(source)
    if suffix == ".parquet":
        return parquet_rows(source)
    head = source.head().removeprefix(b"\xef\xbb\xbf")
    return _items(source) if head.lstrip().startswith(b"[") else json_lines(source)


def _items(source: Source) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for line, value in json_items(source):
        if not isinstance(value, dict):
            raise FormatError(
                f"each item must be one JSON object, got {one_line(repr(value), 40)}", path=source.name, line=line
            )
        yield line, value

"""Reads rows of Parquet files in batches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fallax.data._source import Source
from fallax.errors import FormatError, InputError, MissingExtraError, UnknownNameError, one_line

__all__ = ["parquet_rows"]

_BATCH = 1024


def parquet_rows(source: Source, field: str | None = None) -> Iterator[tuple[int, dict[str, Any]]]:
    """Row number (from 1) and columns; values without a JSON form become text.

    Raises
    ------
    MissingExtraError
        If pyarrow is not installed (extra ``parquet``).
    FormatError, UnknownNameError
        If the file is none, or no column is named ``field``.
    """
    if source.is_stdin:
        raise InputError("<stdin>: Parquet must be a file, it cannot be read from a pipe; name the file")
    try:
        from pyarrow import ArrowException, parquet
    except ImportError:
        raise MissingExtraError("pyarrow", extra="parquet") from None
    number = 0
    try:
        with parquet.ParquetFile(source.path) as file:
            names = list(file.schema_arrow.names)
            if field is not None and field not in names:
                raise UnknownNameError("column", field, names, where=source.name)
            for batch in file.iter_batches(batch_size=_BATCH):
                for row in batch.to_pylist():
                    number += 1
                    yield number, {k: _plain(v) for k, v in row.items()}
    except (ArrowException, OSError) as error:
        raise FormatError(
            f"must be Parquet, got an error after row {number}: {one_line(error)}", path=source.name
        ) from error


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    if isinstance(value, list):
        return [_plain(v) for v in value]
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    return value.hex() if isinstance(value, bytes) else str(value)

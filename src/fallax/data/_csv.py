"""Reads CSV and TSV tables."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from itertools import chain

from fallax.data._source import Source, check_text
from fallax.errors import FormatError, UnknownNameError

__all__ = ["TABLES", "csv_rows"]

#: suffix -> what divides the cells.
TABLES = {".csv": ",", ".tsv": "\t"}


def csv_rows(source: Source, field: str | None = None) -> Iterator[tuple[int, dict[str, str]]]:
    """Line number and cells by column of each row that is not blank; cells may be as long as lines.

    A CSV file whose header has semicolons and no comma is divided by semicolons, as spreadsheets write it where the
    comma is the decimal sign.

    Raises
    ------
    FormatError, UnknownNameError
        If a row has not the cells of the header, cells are not properly quoted, or no column is named ``field``.
    """
    check_text(source.head(), source.name)
    lines = (text for _, text in source.whole_lines())
    first = next(lines, "")
    delimiter = TABLES[source.path.suffix.lower()]
    if delimiter == "," and "," not in first and ";" in first:
        delimiter = ";"
    old = csv.field_size_limit(max(source.max_line_bytes, csv.field_size_limit()))
    reader = csv.reader(chain([first], lines), delimiter=delimiter, strict=True)
    try:
        header = next(reader, [])
        if field is not None and field not in header:
            raise UnknownNameError("column", field, header, where=f"{source.name}:1")
        if len(set(header)) != len(header):
            raise FormatError("each column must have its own name, got one twice", path=source.name, line=1)
        line = reader.line_num + 1
        for cells in reader:
            if cells and len(cells) != len(header):
                raise FormatError(
                    f"each row must have {len(header)} cells as the header has, got {len(cells)}; quote cells that hold"
                    " the delimiter",
                    path=source.name,
                    line=line,
                )
            if cells:
                yield line, dict(zip(header, cells, strict=True))
            line = reader.line_num + 1
    except csv.Error as error:
        raise FormatError(
            f"must be a table with properly quoted cells, got an error ({error})",
            path=source.name,
            line=reader.line_num,
        ) from error
    finally:
        csv.field_size_limit(old)

"""Reads CSV and TSV tables."""

from __future__ import annotations

import csv
from collections.abc import Generator, Iterator
from contextlib import closing
from itertools import chain

from fallax.data._source import Source, check_text
from fallax.errors import FormatError, UnknownNameError

__all__ = ["TABLES", "csv_cells", "csv_rows"]

#: suffix -> what divides the cells.
TABLES = {".csv": ",", ".tsv": "\t"}


def csv_cells(lines: Iterator[str], kind: str, *, name: str, max_bytes: int) -> Generator[tuple[int, list[str]]]:
    """Line number and cells of the header, then of each row that is not blank.

    A CSV file whose header has semicolons and no comma is divided by semicolons, as spreadsheets write it where the
    comma is the decimal sign.

    Parameters
    ----------
    lines : with their newlines, from the first.
    kind : a suffix of :data:`TABLES`.
    name : of the file, for errors.
    max_bytes : a cell may be this long.

    Raises
    ------
    FormatError
        If cells are not properly quoted.
    """
    first = next(lines, "")
    delimiter = TABLES[kind]
    if delimiter == "," and "," not in first and ";" in first:
        delimiter = ";"
    old = csv.field_size_limit(max(max_bytes, csv.field_size_limit()))
    reader = csv.reader(chain([first], lines), delimiter=delimiter, strict=True)
    try:
        yield 1, next(reader, [])
        line = reader.line_num + 1
        for cells in reader:
            if cells:
                yield line, cells
            line = reader.line_num + 1
    except csv.Error as error:
        raise FormatError(
            f"must be a table with properly quoted cells, got an error ({error})", path=name, line=reader.line_num
        ) from error
    finally:
        csv.field_size_limit(old)


def csv_rows(source: Source, field: str | None = None) -> Iterator[tuple[int, dict[str, str]]]:
    """Line number and cells by column of each row that is not blank; cells may be as long as lines.

    See :func:`csv_cells` for what divides the cells.

    Raises
    ------
    FormatError, UnknownNameError
        If a row has not the cells of the header, cells are not properly quoted, or no column is named ``field``.
    """
    check_text(source.head(), source.name)
    lines = (text for _, text in source.whole_lines())
    with closing(
        csv_cells(lines, source.path.suffix.lower(), name=source.name, max_bytes=source.max_line_bytes)
    ) as rows:
        _, header = next(rows)
        if field is not None and field not in header:
            raise UnknownNameError("column", field, header, where=f"{source.name}:1")
        if len(set(header)) != len(header):
            raise FormatError("each column must have its own name, got one twice", path=source.name, line=1)
        for line, cells in rows:
            if len(cells) != len(header):
                raise FormatError(
                    f"each row must have {len(header)} cells as the header has, got {len(cells)}; quote cells that hold"
                    " the delimiter",
                    path=source.name,
                    line=line,
                )
            yield line, dict(zip(header, cells, strict=True))

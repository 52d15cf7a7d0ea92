"""Values of a report: tables, and records with the answer of each system."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from fallax.core.json_value import JsonValue
from fallax.core.types.spans import GoldSpan, Span
from fallax.core.types.structure import ArgumentStructure

__all__ = ["Report", "ReportAnswer", "ReportRecord", "Table", "View"]

Cell = str | int | float | None


@dataclass(frozen=True, slots=True)
class Table(JsonValue):
    """A table to print.

    Parameters
    ----------
    title, columns, rows : names, and cells of text and numbers; None is an undefined value.
    note : what a reader must know of it.
    heat : True if its numbers, in [0, 1], are to be shaded.
    figures : what cells and note say to people, unrounded and by name, as JSON values for programs.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""
    heat: bool = False
    figures: Mapping[str, Any] = field(default_factory=dict, hash=False)

    json_names = ("title", "columns", "rows", "note?", "figures?")


@dataclass(frozen=True, slots=True)
class View:
    """How a report shows one row of a run.

    Parameters
    ----------
    fields : (name, text) of what the system saw, in order; the first is what spans refer to.
    gold, predicted : labelled passages of the first field; None where the benchmark has none.
    gold_label, predicted_label : a class, a verdict or any short value; "" where there is none.
    details : (name, text) of what else was predicted.
    taxonomy : of the labels of the passages.
    gold_structure, predicted_structure : argument structures, to be drawn beside each other.
    """

    fields: tuple[tuple[str, str], ...]
    gold: tuple[GoldSpan, ...] | None = None
    predicted: tuple[Span, ...] | None = None
    gold_label: str = ""
    predicted_label: str = ""
    details: tuple[tuple[str, str], ...] = ()
    taxonomy: str = ""
    gold_structure: ArgumentStructure | None = None
    predicted_structure: ArgumentStructure | None = None


@dataclass(frozen=True, slots=True)
class ReportAnswer:
    """The answer of one run to a record, with its raw replies; ``reason`` if it could not be scored."""

    run: str
    view: View
    status: str
    reason: str = ""
    replies: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class ReportRecord:
    """A record with the answers of all runs."""

    id: str
    answers: tuple[ReportAnswer, ...]


@dataclass(frozen=True, slots=True)
class Report(JsonValue):
    """A whole report.

    Parameters
    ----------
    title, about : for the heading.
    signatures : of the runs.
    tables : in the order they are shown.
    records : every record, in the order of the benchmark.
    n_left_out : records that a limit kept out of ``records``.
    """

    title: str
    about: str
    signatures: tuple[str, ...]
    tables: tuple[Table, ...]
    records: tuple[ReportRecord, ...] = field(default=())
    n_left_out: int = 0

    json_names = ("title", "about", "signatures", "tables", "n_records")

    @property
    def n_records(self) -> int:
        """The number of records, those left out included."""
        return len(self.records) + self.n_left_out

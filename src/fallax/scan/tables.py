"""Examines a table and adds the results as columns, for use by other engines."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from fallax.errors import InputError, one_line
from fallax.scan.jobs import FIELDS, ScanJob, examiner_of, job_of

__all__ = ["batch"]

#: The columns that are added.
ADDED = ("fallax_labels", "fallax_findings", "fallax_problem", "fallax_system")


def batch(table: Any, *, job: ScanJob | None = None, columns: dict[str, str] | None = None) -> Any:
    """Examine each row of a table.

    A plain function of a table, which can be pickled and needs no set-up: give it to ``map_batches`` of Ray or
    ``datasets``, to ``map_partitions`` of Dask, to ``mapInArrow`` or ``mapInPandas`` of Spark. The encoder is loaded
    once in each process.

    Parameters
    ----------
    table : a ``pyarrow.Table`` or ``RecordBatch``, a ``pandas.DataFrame``, or a dict of columns.
    job : who examines what; by default fallacies, by the detector that ships. ``functools.partial`` keeps it.
    columns : field of the job -> its name in the table.

    Returns
    -------
    of the same type
        The table with columns added: ``fallax_labels``, a list of labels (of verdicts, one); ``fallax_findings``, JSON
        as a scan writes it; ``fallax_problem``, why a row could not be examined, else ""; ``fallax_system``.

    Raises
    ------
    InputError
        If a column is missing or no list, or the table is of no known type.

    Examples
    --------
    >>> found = batch({"text": ["The kettle boils at seven.", None]}, job=ScanJob(system="linear"))
    >>> found["fallax_labels"], found["fallax_problem"]
    ([[], []], ['', 'text must be a text, got None'])
    """
    job = job_of(job)
    names = {name: (columns or {}).get(name, name) for name in FIELDS[job.kind]}
    given = _columns_of(table, list(names.values()))
    rows = [dict(zip(names, values, strict=True)) for values in zip(*given, strict=True)]
    problems = [_problem(row) for row in rows]
    examiner = examiner_of(job)
    answers = iter(examiner.answers([row for row, problem in zip(rows, problems, strict=True) if not problem]))
    added: dict[str, list[Any]] = {name: [] for name in ADDED}
    for problem in problems:
        answer = problem or next(answers)
        said = {} if isinstance(answer, str) else answer
        labels = [s["label"] for s in said["spans"]] if "spans" in said else [said[k] for k in ("label",) if k in said]
        values = (labels, json.dumps(said, ensure_ascii=False), "" if said else str(answer), examiner.name)
        for name, value in zip(ADDED, values, strict=True):
            added[name].append(value)
    return _with_columns(table, added)


def _problem(row: dict[str, Any]) -> str:
    for name, value in row.items():
        if name == "evidence":
            if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
                return f"{name} must be a list of texts"
        elif not isinstance(value, str):
            return f"{name} must be a text, got {value!r:.40}"
    return ""


def _columns_of(table: Any, names: list[str]) -> list[list[Any]]:
    missing = [name for name in names if name not in _names_of(table)]
    if missing:
        raise InputError(f"table: must have the column {missing[0]!r}, got {', '.join(map(str, _names_of(table)))}")
    found = []
    for name in names:
        column = table[name]
        if isinstance(column, str | bytes):
            raise InputError(f"table: the column {name!r} must be a list, got {one_line(repr(column), 40)}")
        for method in ("to_pylist", "tolist"):
            if hasattr(column, method):
                column = getattr(column, method)()
                break
        found.append([v.tolist() if hasattr(v, "tolist") else v for v in column])
    return found


def _names_of(table: Any) -> list[str]:
    if isinstance(table, dict):
        return list(table)
    if hasattr(table, "schema") and hasattr(table.schema, "names"):
        return list(table.schema.names)
    if hasattr(table, "columns") and hasattr(table, "assign"):
        return [str(c) for c in table.columns]
    raise InputError(f"table: must be of pyarrow, pandas, or a dict of columns, got {type(table).__name__}")


def _with_columns(table: Any, added: dict[str, list[Any]]) -> Any:
    if isinstance(table, dict):
        return {**table, **added}
    if hasattr(table, "assign"):  # without rows, pandas takes lists for numbers
        return table.assign(**{k: v or np.empty(0, dtype=object) for k, v in added.items()})
    import pyarrow as pa

    types = (pa.list_(pa.string()), pa.string(), pa.string(), pa.string())
    names = [*table.schema.names, *added]
    arrays = [*table.columns, *(pa.array(v, t) for v, t in zip(added.values(), types, strict=True))]
    return type(table).from_arrays(arrays, names=names)

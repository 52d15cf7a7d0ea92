"""Reads one label for each record: gold labels, and verdicts of systems."""

from __future__ import annotations

from pathlib import Path

from fallax.core.types.taxonomy import label_key
from fallax.data._file_rows import file_rows
from fallax.errors import FormatError, InputError, one_line

__all__ = ["read_labels"]

#: What ``fallax debate --json`` and ``fallax verify --json`` write where they give no answer.
_NO_ANSWER = "cannot tell"
#: Names of one verdict, which files of claims and ``fallax verify`` write differently.
_NOT_ENOUGH = "not_enough_info"
_NOT_ENOUGH_NAMES = frozenset(("nei", "not enough info", "not enough information"))


def read_labels(path: str | Path) -> dict[str, str | None]:
    r"""Read one label for each record.

    Parameters
    ----------
    path : JSON lines, a JSON list, CSV, TSV or Parquet with ``id`` and ``label``; other fields are not read. So it may
        be what ``fallax debate --pairs --json`` and ``fallax verify --claims --json`` write, or a file of claims.

    Returns
    -------
    dict
        id -> label; None where the label is empty, null or "cannot_tell", or where there is ``unscored`` instead.
        A whole number is read as its digits. "nei", "not enough info" and "not enough information" are one label,
        "not_enough_info"; other labels stay as they are.

    Raises
    ------
    FormatError
        If a row has no id or label, with file and line.
    InputError
        If the file is not there or holds nothing.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "verdicts.jsonl")
    ...     _ = file.write_text('{"id": "a", "label": "faithful"}\n{"id": "b", "label": "cannot_tell"}\n')
    ...     read_labels(file)
    {'a': 'faithful', 'b': None}
    """
    place = Path(path)
    if str(path) != "-" and not place.is_file():
        raise InputError(f"{path}: must be a file of labels, got {'a folder' if place.is_dir() else 'nothing there'}")
    found: dict[str, str | None] = {}
    for line, row in file_rows(place):
        id_, label = row.get("id"), row.get("label")
        problem = ""
        if type(id_) not in (str, int) or id_ == "":
            problem = f"must have an 'id', a text or a whole number, got {_got(row, 'id')}"
        elif "label" not in row and not row.get("unscored"):
            problem = f"must have a 'label', got {_got(row, 'label')}"
        elif type(label) not in (str, int, type(None)):
            problem = f"'label' must be a text, a whole number or null, got {one_line(repr(label), 40)}"
        elif str(id_) in found:
            problem = f"each id must be given once, got {one_line(id_, 60)!r} again; rename one"
        if problem:
            raise FormatError(problem, path=path, line=line)
        found[str(id_)] = None if label is None else _label(str(label))
    if not found:
        raise InputError(f"{path}: must hold at least one label, got none")
    return found


def _got(row: object, field: str) -> str:
    fields = dict(row) if isinstance(row, dict) else {}
    return one_line(repr(fields[field]), 40) if field in fields else one_line(", ".join(map(repr, fields)), 80) or "{}"


def _label(text: str) -> str | None:
    key = label_key(text)
    if not text.strip() or key == _NO_ANSWER:
        return None
    return _NOT_ENOUGH if key in _NOT_ENOUGH_NAMES else text.strip()

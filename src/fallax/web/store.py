"""Stores results and corrections in one SQLite file, or in memory."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import threading
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fallax.errors import FormatError, InputError, one_line

__all__ = ["CorrectedError", "Store", "default_store_path"]

_TABLES = """
create table if not exists kept (id text primary key, kind text not null, created text not null, value text not null);
create table if not exists corrections (
  number integer primary key, created text not null, text_id text not null, text text not null, start integer not null,
  end integer not null, label text not null, corrected text, taxonomy text not null, system text not null,
  annotator text not null);
"""


class CorrectedError(InputError):
    """The finding has a correction already, and it must not be replaced."""


def default_store_path() -> Path:
    """The default file for results and corrections, in the user's data folder."""
    base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / "fallax" / "serve.sqlite"


class Store:
    """Stored results and corrections.

    Parameters
    ----------
    path : of the file, made where missing; None: memory.

    Examples
    --------
    >>> store = Store(None)
    >>> id = store.keep("examine", {"text": "x"})
    >>> store.kept(id)["value"], store.keep("examine", {"text": "x"}) == id
    ({'text': 'x'}, True)
    """

    def __init__(self, path: Path | None) -> None:
        self._lock = threading.Lock()
        try:
            if path is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
            self._file = sqlite3.connect(":memory:" if path is None else path, check_same_thread=False, timeout=10)
            with self._file:
                self._file.executescript(_TABLES)
        except (OSError, sqlite3.Error) as error:
            raise FormatError(
                f"must be a store of fallax that can be written, got {one_line(error)}", path=path
            ) from None

    def keep(self, kind: str, value: Mapping[str, Any]) -> str:
        """Store a result; equal results have the same id."""
        said = json.dumps(value, sort_keys=True)
        id_ = hashlib.sha256(f"{kind}\n{said}".encode()).hexdigest()[:16]
        with self._lock, self._file:
            self._file.execute("insert or ignore into kept values (?, ?, ?, ?)", (id_, kind, _now(), said))
        return id_

    def kept(self, id: str) -> dict[str, Any]:
        """A stored result: ``kind``, ``created`` and ``value``.

        Raises
        ------
        InputError
            If there is none.
        """
        with self._lock:
            row = self._file.execute("select kind, created, value from kept where id = ?", (id,)).fetchone()
        if row is None:
            raise InputError(f"result {one_line(id, 40)!r}: must be one that was kept here, found none")
        return {"kind": row[0], "created": row[1], "value": json.loads(row[2])}

    def corrected(self, text: str, start: int, end: int, label: str, annotator: str) -> int | None:
        """The number of an earlier correction of a finding, or None."""
        with self._lock:
            row = self._file.execute(
                "select number from corrections where text = ? and start = ? and end = ? and label = ? and"
                " annotator = ?",
                (text, start, end, label, annotator),
            ).fetchone()
        return None if row is None else int(row[0])

    def correct(self, text: str, start: int, end: int, label: str, corrected: str | None, **more: str) -> int:
        """Store a correction of a finding; returns its number.

        Raises
        ------
        InputError
            If the passage is not inside the text.
        """
        if not 0 <= start < end <= len(text):
            raise InputError(f"passage: must lie inside its text of {len(text)} characters, got {start}..{end}")
        text_id = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        who = more["annotator"]
        values = (_now(), text_id, text, start, end, label, corrected, more["taxonomy"], more["system"], who)
        with self._lock, self._file:
            row = self._file.execute(
                "insert into corrections (created, text_id, text, start, end, label, corrected, taxonomy, system,"
                " annotator) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                values,
            )
        return int(row.lastrowid or 0)

    def corrections(self, text: str, annotator: str) -> list[dict[str, Any]]:
        """An annotator's corrections of a text: ``number``, ``start``, ``end``, ``label``, ``corrected``."""
        columns = ("number", "start", "end", "label", "corrected")
        with self._lock:
            rows = self._file.execute(
                f"select {', '.join(columns)} from corrections where text = ? and annotator = ? order by number",
                (text, annotator),
            ).fetchall()
        return [dict(zip(columns, row, strict=True)) for row in rows]

    def withdraw(self, number: int) -> dict[str, Any] | None:
        """Undo a correction: ``text``, ``start``, ``end``, ``corrected``, ``annotator``; None if there is none."""
        columns = ("text", "start", "end", "corrected", "annotator")
        with self._lock, self._file:
            row = self._file.execute(
                f"delete from corrections where number = ? returning {', '.join(columns)}", (number,)
            ).fetchone()
        return None if row is None else dict(zip(columns, row, strict=True))

    def records(self) -> list[dict[str, Any]]:
        """The corrections as annotated records, one per text and annotator, as ``fallax data`` reads them.

        The gold of a record holds what was corrected to another label; what is no fallacy has the label "no fallacy".
        What nobody spoke of is not in it.
        """
        with self._lock:
            rows = self._file.execute(
                "select text_id, text, start, end, label, corrected, taxonomy, system, annotator, created"
                " from corrections order by number"
            ).fetchall()
        found: dict[tuple[str, str], dict[str, Any]] = {}
        for text_id, text, start, end, label, corrected, taxonomy, system, annotator, created in rows:
            id_ = f"{text_id}-{annotator}" if annotator else text_id
            record = found.setdefault(
                (text_id, annotator),
                {"id": id_, "text": text, "gold": [], "meta": {"annotator": annotator, "corrections": []}},
            )
            said = corrected or "no fallacy"
            same = next((g for g in record["gold"] if (g["start"], g["end"]) == (start, end)), None)
            if same is None:
                record["gold"].append({"start": start, "end": end, "labels": [said]})
            elif said not in same["labels"]:
                same["labels"] = sorted([*same["labels"], said])
            record["meta"]["corrections"].append(
                {"start": start, "end": end, "label": label, "corrected": corrected, "taxonomy": taxonomy,
                 "system": system, "created": created}
            )  # fmt: skip
        return list(found.values())

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")

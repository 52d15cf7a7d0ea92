"""Stores annotations in one SQLite file: each change is saved at once, with a revision and a log entry.

Nothing is held in memory between two calls, so killing the process loses nothing that was answered.
"""

from __future__ import annotations

import hashlib
import json
import random
import secrets
import sqlite3
import threading
import time
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from fallax.core.json_value import JsonValue
from fallax.errors import FallaxError, InputError, UnknownNameError, one_line

__all__ = ["ADJUDICATOR", "AnnotationStore", "ConflictError", "Item", "ItemAnswer"]

FORMAT = "fallax-annotation/1"
#: The name under which decisions are kept; no annotator may have it.
ADJUDICATOR = "adjudicated"
#: What no annotator may be called: decisions on a passage have the other names, and so has the exported log.
_RESERVED = (ADJUDICATOR, "both", "log", "none", "union")
#: Seconds between two changes beyond which the time does not count as work on the item.
_PAUSE = 120.0

# one row per fact; everything else is JSON
_SCHEMA = """
CREATE TABLE IF NOT EXISTS project (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS annotators (name TEXT PRIMARY KEY, token TEXT NOT NULL, adjudicates INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS items (
  number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, payload TEXT NOT NULL, suggestions TEXT);
CREATE TABLE IF NOT EXISTS answers (
  item INTEGER NOT NULL, annotator TEXT NOT NULL, value TEXT NOT NULL, done INTEGER NOT NULL, revision INTEGER NOT NULL,
  seconds REAL NOT NULL, changed REAL NOT NULL, suggested INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (item, annotator));
CREATE TABLE IF NOT EXISTS log (
  number INTEGER PRIMARY KEY, time REAL NOT NULL, item INTEGER, annotator TEXT NOT NULL, kind TEXT NOT NULL,
  value TEXT);
CREATE INDEX IF NOT EXISTS answers_of ON answers (annotator, done);
"""
_TABLES = frozenset({"project", "annotators", "items", "answers", "log"})


class ConflictError(FallaxError):
    """A concurrent edit: somebody else (or another tab) changed the answer; ``current`` is the stored one."""

    def __init__(self, current: ItemAnswer) -> None:
        self.current = current
        super().__init__(f"this answer was changed elsewhere (revision {current.revision}); choose which one to keep")


@dataclass(frozen=True, slots=True)
class Item:
    """An item to annotate.

    Parameters
    ----------
    number : its place in the project, from 1.
    id : as in the file.
    payload : what is shown: ``text``, or ``document`` and ``summary``, or ``claim`` and ``structure``, and ``meta``.
    """

    number: int
    id: str
    payload: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ItemAnswer(JsonValue):
    """The answer of one annotator about one item.

    Parameters
    ----------
    value : depends on the job; for spans ``{"spans": [{"start", "end", "labels", "slots"}], "nothing": bool}``.
    done : whether the annotator is through with it. An item without an answer was not seen.
    revision : counts the changes.
    seconds : of work, breaks left out.
    suggested : whether the detector's suggestions were shown before the last change.
    """

    item: int
    annotator: str
    value: Mapping[str, Any]
    done: bool
    revision: int
    seconds: float = 0.0
    suggested: bool = False

    json_names = ("value", "done", "revision", "seconds", "suggested")


@dataclass
class AnnotationStore:
    """An annotation project in a file.

    Parameters
    ----------
    path : the SQLite file; made where there is none.
    read_only : write nothing: the file must be a project, and changes are refused.

    Raises
    ------
    InputError
        If the file is something else, which is then left as it is.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = AnnotationStore(pathlib.Path(folder, "project.sqlite"))
    ...     store.create("spans", {"taxonomy": "mafalda"})
    ...     _ = store.add_items([("r1", {"text": "You lie."})])
    ...     token = store.add_annotator("ann")
    ...     answer = store.save(1, "ann", {"spans": [], "nothing": True}, done=True, revision=0)
    ...     store.close()
    >>> answer.revision, answer.done
    (1, True)
    """

    path: Path
    read_only: bool = False
    _db: sqlite3.Connection = field(init=False, repr=False)
    _lock: threading.RLock = field(default_factory=threading.RLock, init=False, repr=False)

    def __post_init__(self) -> None:
        self.path = Path(self.path)
        wanted = "an annotation project" if self.read_only else "an annotation project or a new file"
        # not "ro": that leaves files of the write-ahead log behind
        address = f"{self.path.absolute().as_uri()}?mode={'rw' if self.read_only else 'rwc'}"
        try:
            self._db = sqlite3.connect(address, uri=True, check_same_thread=False, isolation_level=None)
        except sqlite3.Error as error:
            raise InputError(f"{self.path}: must be {wanted}, got {error}") from None
        try:
            self._check(wanted)
            if self.read_only:
                self._db.execute("PRAGMA query_only=ON")
            else:
                self._db.execute("PRAGMA journal_mode=WAL")
                self._db.execute("PRAGMA synchronous=FULL")
                self._db.executescript(_SCHEMA)
        except sqlite3.Error as error:
            self._db.close()
            raise InputError(f"{self.path}: must be {wanted}, got {error}") from None
        except BaseException:
            self._db.close()
            raise

    def _check(self, wanted: str) -> None:
        """Read whether the file is a project, or one that was only begun, before anything is written."""
        self._db.execute("PRAGMA busy_timeout=5000")
        rows = self._db.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")
        names = {str(name) for (name,) in rows if not str(name).startswith("sqlite_")}
        said = self._db.execute("SELECT value FROM project WHERE key = 'format'") if "project" in names else ()
        found = [self._read(value) for (value,) in said]
        if found and found[0] != FORMAT:
            raise InputError(f"{self.path}: must have the format {FORMAT!r}, got {one_line(found[0], 40)!r}")
        other = names - _TABLES or (set() if "project" in names else names)
        if not found and (other or self.read_only):
            got = f"a database with the table {one_line(min(other), 60)!r}" if other else "one without a job or items"
            raise InputError(f"{self.path}: must be {wanted}, got {got}; name another file")

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._lock, self._told():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
            except BaseException:
                with suppress(sqlite3.Error):
                    self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")

    def _rows(self, query: str, *values: Any) -> list[Any]:
        with self._lock, self._told():
            return self._db.execute(query, values).fetchall()

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Turn database errors into one line."""
        try:
            yield
        except UnicodeEncodeError as error:
            raise InputError(
                f"{self.path}: ids and names must be Unicode text, got half a surrogate pair"
                f" ({one_line(error.object, 60)})"
            ) from error
        except sqlite3.DatabaseError as error:
            raise InputError(
                f"{self.path}: the project cannot be read or written: {one_line(error)}; free the disk or the file, or"
                " get it back from a copy"
            ) from error

    def _read(self, said: Any) -> Any:
        """Read a value stored as JSON."""
        try:
            return json.loads(said)
        except (ValueError, TypeError, RecursionError) as error:
            raise InputError(
                f"{self.path}: the project holds a value that is no JSON ({one_line(error)}): it was edited or damaged;"
                " get it back from a copy"
            ) from error

    def _answer(self, row: Sequence[Any]) -> ItemAnswer:
        item, annotator, value, done, revision, seconds, suggested = row
        return ItemAnswer(item, annotator, self._read(value), bool(done), revision, seconds, bool(suggested))

    def create(self, job: str, settings: Mapping[str, Any]) -> None:
        """Set the job of the project, which cannot be changed later, and its settings."""
        known = self.setting("job")
        if known is not None and known != job:
            raise InputError(f"{self.path}: is a project of the job {known!r}, got {job!r}; use another file")
        with self._writing() as db:
            rows = [("format", FORMAT), ("job", job), *settings.items()]
            db.executemany(
                "INSERT INTO project VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                [(k, json.dumps(v)) for k, v in rows],
            )

    def setting(self, key: str, default: Any = None) -> Any:
        """A setting of the project."""
        rows = self._rows("SELECT value FROM project WHERE key = ?", key)
        return self._read(rows[0][0]) if rows else default

    def key(self) -> str:
        """What tells this project from others: made once, and kept in the file."""
        if self.setting("key") is None:
            with self._writing() as db:
                value = json.dumps(secrets.token_hex(6))
                db.execute("INSERT INTO project VALUES ('key', ?) ON CONFLICT (key) DO NOTHING", (value,))
        return str(self.setting("key"))

    def add_annotator(self, name: str, *, adjudicates: bool = False) -> str:
        """The token of an annotator, who is created if new.

        Raises
        ------
        InputError
            If the name cannot name a file of an export, means something else in a project (:data:`ADJUDICATOR`, and
            the names of decisions), or differs from that of another annotator only in case or in how accents are
            composed.
        """
        got = repr(one_line(name, 40))
        if not 0 < len(name.strip()) == len(name) <= 60 or not name.isprintable() or set(name) & set("/\\"):
            raise InputError(
                "annotator: the name must have 1 to 60 printable characters, no slash and no space at its ends, got"
                f" {got}"
            )
        if name.startswith(".") or _folded(name) in _RESERVED:
            raise InputError(
                f"annotator: the name must not begin with a dot or be one of {', '.join(_RESERVED)}, which mean"
                f" something else in a project, got {got}; take another"
            )
        alike = next((n for n in self.annotators() if n != name and _folded(n) == _folded(name)), None)
        if alike is not None:
            raise InputError(f"annotator: {got} is too like {alike!r}, who is in the project; use one spelling")
        with self._writing() as db:
            db.execute(
                "INSERT INTO annotators VALUES (?, ?, ?) ON CONFLICT (name) DO UPDATE SET adjudicates ="
                " max(adjudicates, excluded.adjudicates)",
                (name, secrets.token_urlsafe(18), int(adjudicates)),
            )
        return str(self._rows("SELECT token FROM annotators WHERE name = ?", name)[0][0])

    def annotators(self) -> dict[str, bool]:
        """Names -> whether they adjudicate."""
        return {n: bool(a) for n, a in self._rows("SELECT name, adjudicates FROM annotators ORDER BY rowid")}

    def token_of(self, name: str) -> str | None:
        """The token of an annotator."""
        rows = self._rows("SELECT token FROM annotators WHERE name = ?", name)
        return str(rows[0][0]) if rows else None

    def add_items(
        self,
        items: Iterable[tuple[str, Mapping[str, Any]]],
        *,
        suggestions: Mapping[str, Sequence[Mapping[str, Any]]] | None = None,
    ) -> int:
        """Add new items; returns their number. Texts of known ids must be unchanged."""
        known = {i: self._read(p) for i, p in self._rows("SELECT id, payload FROM items")}
        new = []
        for item, payload in items:
            if item in known:
                if _shown(known[item]) != _shown(payload):
                    raise InputError(
                        f"item {one_line(item, 60)!r}: is in the project with another text, which its answers are"
                        " about; restore it, or give the edited text an id of its own"
                    )
                continue
            known[item] = payload
            found = (suggestions or {}).get(item)
            new.append((item, json.dumps(payload), None if found is None else json.dumps(list(found))))
        with self._writing() as db:
            db.executemany("INSERT INTO items (id, payload, suggestions) VALUES (?, ?, ?)", new)
        return len(new)

    def add_suggestions(self, suggestions: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
        """Add suggestions to existing items."""
        with self._writing() as db:
            db.executemany(
                "UPDATE items SET suggestions = ? WHERE id = ?",
                [(json.dumps(list(found)), item) for item, found in suggestions.items()],
            )

    def n_items(self) -> int:
        """The number of items."""
        return int(self._rows("SELECT count(*) FROM items")[0][0])

    def item(self, number: int) -> Item:
        """One item by position."""
        most = self.n_items()  # a larger number may be too large for SQLite
        rows = self._rows("SELECT number, id, payload FROM items WHERE number = ?", min(number, most + 1))
        if not rows:
            raise UnknownNameError("item", number, [f"1 to {most}"])
        return Item(rows[0][0], rows[0][1], self._read(rows[0][2]))

    def items(self, *, numbers: Sequence[int] | None = None) -> Iterator[Item]:
        """All items, or some."""
        where, values = _among("number", numbers)
        for number, item, payload in self._rows(
            f"SELECT number, id, payload FROM items {where} ORDER BY number", *values
        ):
            yield Item(number, item, self._read(payload))

    def titles(self, field: str, numbers: Sequence[int], length: int = 90) -> list[tuple[int, str]]:
        """Number and title of some items; without a title, the beginning of a field."""
        shown = "coalesce(nullif(json_extract(payload, '$.title'), ''), json_extract(payload, ?))"
        rows = self._rows(
            f"SELECT number, substr({shown}, 1, ?) FROM items WHERE number IN (SELECT value FROM json_each(?))"
            " ORDER BY number",
            f"$.{field}",
            2 * length,
            json.dumps(list(numbers)),
        )
        titles = [(n, " ".join(str(text or "").split())) for n, text in rows]
        return [(n, text if len(text) <= length else f"{text[: length - 1].rstrip()}…") for n, text in titles]

    def shared(self, names: Sequence[str], *, most: int, seed: int = 0) -> list[int]:
        """A random sample of at most N items that several annotators have finished."""
        rows = self._rows(
            "SELECT item FROM answers WHERE done = 1 AND annotator IN (SELECT value FROM json_each(?)) GROUP BY item"
            " HAVING count(*) > 1 ORDER BY item",
            json.dumps(list(names)),
        )
        found = [int(r[0]) for r in rows]
        return sorted(random.Random(seed).sample(found, most)) if len(found) > most else found

    def suggestions(self, number: int, annotator: str) -> list[dict[str, Any]]:
        """The detector's suggestions; available only after the annotator's own pass, and viewing is logged.

        Raises
        ------
        InputError
            If the annotator is not through with the item.
        """
        own = self.answer(number, annotator)
        if own is None or not own.done:
            raise InputError("suggestions: are shown after your own pass; mark the text as done first")
        rows = self._rows("SELECT suggestions FROM items WHERE number = ?", number)
        found = self._read(rows[0][0]) if rows and rows[0][0] else []
        with self._writing() as db:
            db.execute("UPDATE answers SET suggested = 1 WHERE item = ? AND annotator = ?", (number, annotator))
            self._log(db, number, annotator, "suggestions", {"shown": found, "before": own.value})
        return list(found)

    def has_suggestions(self) -> bool:
        """Whether any item has suggestions."""
        return bool(self._rows("SELECT 1 FROM items WHERE suggestions IS NOT NULL LIMIT 1"))

    def answer(self, number: int, annotator: str) -> ItemAnswer | None:
        """The answer of an annotator about an item; None if there is none."""
        rows = self._rows(
            "SELECT item, annotator, value, done, revision, seconds, suggested FROM answers WHERE item = ? AND"
            " annotator = ?",
            number,
            annotator,
        )
        return self._answer(rows[0]) if rows else None

    def answers(self, *, numbers: Sequence[int] | None = None, done: bool = False) -> list[ItemAnswer]:
        """All answers, or those of some items or only finished ones, adjudications included."""
        where, values = _among("item", numbers)
        if done:
            where = f"{where} AND done = 1" if where else "WHERE done = 1"
        columns = "item, annotator, value, done, revision, seconds, suggested"
        rows = self._rows(f"SELECT {columns} FROM answers {where} ORDER BY item, annotator", *values)
        return [self._answer(row) for row in rows]

    def save(
        self, number: int, annotator: str, value: Mapping[str, Any], *, done: bool, revision: int, force: bool = False
    ) -> ItemAnswer:
        """Save a change.

        Parameters
        ----------
        revision : what the change was made on; 0 for the first.
        force : keep it whatever stands there; what it replaces stays in the log.

        Raises
        ------
        ConflictError
            If the answer has another revision by now.
        """
        now = time.time()
        with self._writing() as db:
            row = db.execute(
                "SELECT item, annotator, value, done, revision, seconds, suggested, changed FROM answers WHERE item = ?"
                " AND annotator = ?",
                (number, annotator),
            ).fetchone()
            known = self._answer(row[:7]) if row else None
            if known is not None and known.revision != revision and not force:
                if (known.value, known.done) == (value, done):
                    return known  # sent again, because the answer to the first request was lost
                raise ConflictError(known)
            begun = row[7] if row else self._opened(db, number, annotator)
            spent = now - begun if begun is not None and now - begun < _PAUSE else 0.0
            seconds = (known.seconds if known else 0.0) + max(0.0, spent)
            found = ItemAnswer(
                number,
                annotator,
                dict(value),
                done,
                (known.revision if known else 0) + 1,
                seconds,
                known.suggested if known else False,
            )
            db.execute(
                "INSERT INTO answers VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (item, annotator) DO UPDATE SET"
                " value = excluded.value, done = excluded.done, revision = excluded.revision, seconds ="
                " excluded.seconds, changed = excluded.changed",
                (number, annotator, json.dumps(found.value), int(done), found.revision, seconds, now, found.suggested),
            )
            self._log(db, number, annotator, "save", {"value": found.value, "done": done, "revision": found.revision})
        return found

    def _opened(self, db: sqlite3.Connection, number: int, annotator: str) -> float | None:
        row = db.execute(
            "SELECT max(time) FROM log WHERE item = ? AND annotator = ? AND kind = 'open'", (number, annotator)
        ).fetchone()
        return row[0] if row else None

    def opened(self, number: int, annotator: str) -> None:
        """Record that an annotator opened an item, for the time spent on it."""
        with self._writing() as db:
            self._log(db, number, annotator, "open", None)

    @staticmethod
    def _log(db: sqlite3.Connection, number: int, annotator: str, kind: str, value: Any) -> None:
        db.execute(
            "INSERT INTO log (time, item, annotator, kind, value) VALUES (?, ?, ?, ?, ?)",
            (time.time(), number, annotator, kind, None if value is None else json.dumps(value)),
        )

    def log(self) -> list[dict[str, Any]]:
        """The log of all events, in order."""
        rows = self._rows(
            "SELECT log.time, items.id, log.annotator, log.kind, log.value FROM log LEFT JOIN items ON"
            " items.number = log.item ORDER BY log.number"
        )
        return [
            {"time": t, "item": i, "annotator": a, "kind": k, "value": None if v is None else self._read(v)}
            for t, i, a, k, v in rows
        ]

    def through(self) -> dict[int, list[str]]:
        """Item number -> annotators who finished it, in the order of the items."""
        found: dict[int, list[str]] = {}
        for item, name in self._rows("SELECT item, annotator FROM answers WHERE done = 1 ORDER BY item, annotator"):
            found.setdefault(int(item), []).append(name)
        return found

    def made_on(self, numbers: Sequence[int]) -> dict[int, str]:
        """Item number -> what a decision about it is made on: ``REVISIONS:DIGEST``.

        The sum of the revisions of all answers, which every change raises, and a digest of the passages in finished
        ones.
        """
        rows = self._rows(
            "SELECT item, annotator, revision, CASE WHEN done THEN json_extract(value, '$.spans') END FROM answers"
            " WHERE annotator != ? AND item IN (SELECT value FROM json_each(?)) ORDER BY item, annotator",
            ADJUDICATOR,
            json.dumps(list(numbers)),
        )
        found = {}
        for item, own in groupby(rows, itemgetter(0)):
            answers = list(own)
            said = json.dumps([(name, spans) for _, name, _, spans in answers if spans is not None])
            digest = hashlib.sha256(said.encode()).hexdigest()[:16]
            found[int(item)] = f"{sum(revision for _, _, revision, _ in answers)}:{digest}"
        return found

    def outdated(self, *, numbers: Sequence[int] | None = None) -> set[int]:
        """The items, of all or of some, with a decision that was made on other answers than are there now.

        A decision that does not say what it was made on is outdated if any answer was saved after it.
        """
        where, values = _among("item", numbers)
        rows = self._rows(
            "SELECT own.item, json_extract(own.value, '$.made_on'), coalesce(sum(other.revision), 0),"
            " coalesce(max(other.changed), 0) > own.changed FROM (SELECT * FROM answers"
            f" {where or 'WHERE 1'} AND annotator = ? AND done = 1) AS own LEFT JOIN answers AS other ON"
            " other.item = own.item AND other.annotator != own.annotator GROUP BY own.item",
            *values,
            ADJUDICATOR,
        )
        touched = {item: seen for item, seen, revisions, _ in rows if seen and seen.split(":")[0] != str(revisions)}
        stands = self.made_on(list(touched))
        changed = {item for item, seen in touched.items() if _digest(seen) != _digest(stands.get(item, ""))}
        return changed | {item for item, seen, _, later in rows if not seen and later}

    def progress(self) -> dict[str, dict[str, float]]:
        """Annotator -> items done, items open, total seconds, and median seconds of finished ones."""
        found: dict[str, dict[str, float]] = {}
        for name in [*self.annotators(), ADJUDICATOR]:
            rows = self._rows("SELECT done, seconds FROM answers WHERE annotator = ?", name)
            times = sorted(s for d, s in rows if d)
            if rows or name != ADJUDICATOR:
                found[name] = {
                    "done": sum(d for d, _ in rows),
                    "open": sum(not d for d, _ in rows),
                    "seconds": sum(s for _, s in rows),
                    "median": times[len(times) // 2] if times else 0.0,
                }
        return found

    def states(self, annotator: str) -> dict[int, str]:
        """Item number -> "done" or "open", for the items an annotator has opened."""
        rows = self._rows("SELECT item, done FROM answers WHERE annotator = ?", annotator)
        return {i: "done" if d else "open" for i, d in rows}

    def next_after(self, number: int, annotator: str) -> int | None:
        """The next item that an annotator has not finished, wrapping around; None if all are done."""
        rows = self._rows(
            "SELECT number FROM items WHERE number NOT IN (SELECT item FROM answers WHERE annotator = ? AND done = 1)"
            " ORDER BY number <= ?, number LIMIT 1",
            annotator,
            number,
        )
        return int(rows[0][0]) if rows else None


def _among(column: str, numbers: Sequence[int] | None) -> tuple[str, list[str]]:
    """An SQL condition on a column for any number of values."""
    if numbers is None:
        return "", []
    return f"WHERE {column} IN (SELECT value FROM json_each(?))", [json.dumps(list(numbers))]


def _folded(name: str) -> str:
    """A name as file systems that ignore case and the composition of accents see it."""
    return unicodedata.normalize("NFC", name).casefold()


def _digest(made_on: str) -> str:
    return made_on.rpartition(":")[2]


def _shown(payload: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(payload.get(k) for k in ("text", "document", "summary", "claim"))

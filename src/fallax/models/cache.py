"""A cache of model answers on disk, so that no question is asked and paid for twice."""

from __future__ import annotations

import asyncio
import json
import os
import queue
import sqlite3
import threading
import time
import weakref
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fallax.core.closing import Closing
from fallax.core.types.messages import Reply, Request
from fallax.errors import InputError, ModelError, one_line
from fallax.models.asking import Asking
from fallax.models.calls import Call, read_calls, write_calls
from fallax.models.keys import call_key, canonical_json

__all__ = ["Cache", "CacheCheck", "CacheInfo", "default_cache_path", "read_reply", "repair_cache"]

SCHEMA_VERSION = 1
BUSY_SECONDS = 60.0
LARGEST_BATCH = 512
SYNC_SECONDS = 0.5
_CREATE = """
CREATE TABLE IF NOT EXISTS calls (
    key TEXT PRIMARY KEY NOT NULL,
    model TEXT NOT NULL,
    identity TEXT NOT NULL,
    request TEXT NOT NULL,
    reply TEXT NOT NULL,
    created REAL NOT NULL
)
"""

#: CRC-32 of what a call holds, in a table of its own: releases that know nothing of it read and write the file as ever.
_CREATE_SUMS = "CREATE TABLE IF NOT EXISTS sums (key TEXT PRIMARY KEY NOT NULL, crc INTEGER NOT NULL)"
_SELECT = "SELECT calls.key, model, identity, request, reply, crc FROM calls LEFT JOIN sums ON sums.key = calls.key"

#: What a file of SQLite begins with.
_MAGIC = b"SQLite format 3\0"

Row = tuple[str, str, str, str, str, float]


def default_cache_path() -> Path:
    """The default cache file: ``$FALLAX_CACHE``, else in the user's cache folder."""
    given = os.environ.get("FALLAX_CACHE")
    if given:
        return Path(given)
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "fallax" / "calls.sqlite"


@dataclass(frozen=True, slots=True)
class CacheInfo:
    """The contents of a cache: number of calls, calls per model, and file size in bytes."""

    path: str
    n_calls: int
    n_by_model: dict[str, int]
    n_bytes: int


@dataclass(frozen=True, slots=True)
class CacheCheck:
    """The result of checking a cache.

    Parameters
    ----------
    n_calls : sound calls.
    n_unchecked : those of them that an earlier release stored, without a checksum.
    damaged : the keys of the others.
    """

    n_calls: int
    n_unchecked: int
    damaged: tuple[str, ...]


def _connect(path: Path) -> sqlite3.Connection:
    """Open a cache file for use by several processes; a new one is readable by this user only."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    except OSError as error:
        raise InputError(f"{path}: a call cache must be a file that can be written: {error}") from error
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=NORMAL")  # commits reach the system at once; see _Writer._sync
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            if version == 0:
                connection.execute("BEGIN IMMEDIATE")
                connection.execute(_CREATE)
                connection.execute(_CREATE_SUMS)
                connection.execute(f"PRAGMA user_version={SCHEMA_VERSION}")
                connection.execute("COMMIT")
            elif version != SCHEMA_VERSION:
                raise InputError(
                    f"{path}: the call cache must have layout {SCHEMA_VERSION}, found {version}; "
                    "another release of fallax wrote it: use that one, or another file"
                )
            elif not connection.execute("SELECT 1 FROM sqlite_master WHERE name='sums'").fetchone():
                connection.execute(_CREATE_SUMS)
            return connection
        except sqlite3.OperationalError as error:
            connection.close()  # two processes that turn a new file to WAL at once: one is told "locked" at once
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise InputError(f"{path}: cannot open the call cache: {error}") from error
            time.sleep(0.02)
        except sqlite3.DatabaseError as error:
            connection.close()
            raise InputError(f"{path}: a call cache must be an SQLite file: {error}; use another path") from error
        except InputError:
            connection.close()
            raise


@dataclass(slots=True)
class _Job:
    """A row to write, the caller that waits for it, and the earlier reply that stays, if there is one."""

    row: Row
    done: Callable[[str | None, BaseException | None], None]
    loop: asyncio.AbstractEventLoop | None
    kept: str | None = None


class _Writer:
    """The writer thread: commits waiting rows together, notifies the callers, then syncs to disk.

    A commit hands the answer to the operating system: whoever kills this process afterwards cannot lose it. Syncing to
    the disk, against a loss of power, takes much longer; nobody waits for it, and it is done once for many commits.
    """

    def __init__(self, path: Path) -> None:
        self._wal = path.with_name(path.name + "-wal")
        self._synced = 0.0
        self.jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._connection = _connect(path)
        self._thread = threading.Thread(target=self._run, name="fallax-cache", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Write what is waiting, then end."""
        self.jobs.put(None)
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def _run(self) -> None:
        running = True
        while running:
            batch: list[_Job] = []
            job = self.jobs.get()
            while job is not None and len(batch) < LARGEST_BATCH:
                batch.append(job)
                try:
                    job = self.jobs.get_nowait()
                except queue.Empty:
                    break
            else:
                if job is None:
                    running = False
                else:
                    batch.append(job)
            if batch:
                self._write(batch)
                self._sync(force=not running)
        self._connection.close()

    def _sync(self, *, force: bool) -> None:
        """Sync committed rows to disk: at once if nothing waits, else every half second."""
        if not force and not self.jobs.empty() and time.monotonic() - self._synced < SYNC_SECONDS:
            return
        with suppress(OSError):  # a checkpoint may have taken the file away, and synced what was in it
            file = os.open(self._wal, os.O_RDONLY)
            try:
                os.fsync(file)
            finally:
                os.close(file)
        self._synced = time.monotonic()

    def _write(self, batch: list[_Job]) -> None:
        failure: BaseException | None = None
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                for job in batch:
                    done = self._connection.execute("INSERT OR IGNORE INTO calls VALUES (?,?,?,?,?,?)", job.row)
                    if done.rowcount == 0:  # an earlier answer stays, and is given to all
                        found = self._connection.execute("SELECT reply FROM calls WHERE key=?", job.row[:1])
                        job.kept = found.fetchone()[0]
                    else:
                        sum_of = (job.row[0], _crc(*job.row[:5]))
                        self._connection.execute("INSERT OR REPLACE INTO sums VALUES (?,?)", sum_of)
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise
        except Exception as error:  # who waits must hear of it, whatever it was
            failure = ModelError(
                f"the answer could not be stored: {error}",
                provider="cache",
                hint="free space on the disk or choose another cache file",
                retryable=False,
            )
        by_loop: dict[asyncio.AbstractEventLoop | None, list[_Job]] = defaultdict(list)
        for job in batch:
            by_loop[job.loop].append(job)
        for loop, jobs in by_loop.items():
            if loop is None:
                _tell(jobs, failure)
            else:
                try:
                    loop.call_soon_threadsafe(_tell, jobs, failure)
                except RuntimeError:
                    continue  # the loop has ended; what it asked for is stored all the same


def _tell(jobs: list[_Job], failure: BaseException | None) -> None:
    for job in jobs:
        job.done(job.kept, failure)


def _finish(writer: _Writer, reader: sqlite3.Connection, owner: int) -> None:
    if os.getpid() == owner:  # a child process after fork has neither the thread nor a right to the connection
        writer.stop()
        reader.close()


class Cache(Closing):
    """Model answers in an SQLite file, by key; safe for many threads and processes.

    An answer is committed before :meth:`put` returns, so that killing the process loses nothing, and synced to the disk
    soon after, against a loss of power; many answers that arrive together share one commit. Of two answers to one call
    the first stored is kept.

    Parameters
    ----------
    path : the file; created where missing, with its folder, readable by this user alone.

    Raises
    ------
    InputError : the file is no call cache or cannot be written.

    Examples
    --------
    >>> import asyncio, tempfile
    >>> from fallax.models import CachedModel, ScriptedModel
    >>> from fallax.core.types.messages import Message
    >>> scripted = ScriptedModel([{"replies": ["first", "second"]}])
    >>> question = Request((Message("user", "?"),))
    >>> with tempfile.TemporaryDirectory() as folder, Cache(f"{folder}/calls.sqlite") as cache:
    ...     model = CachedModel(scripted, cache)
    ...     [asyncio.run(model.generate(question)).text for _ in range(2)], len(scripted.requests)
    (['first', 'first'], 1)
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.n_hits = 0
        self.n_misses = 0
        self.lock = threading.Lock()
        self.in_flight: dict[str, Future[Reply | None]] = {}
        self.asking = Asking(self.path.with_name(f"{self.path.name}.lock"))
        self._open()

    def _open(self) -> None:
        self._owner = os.getpid()
        self._writer = _Writer(self.path)
        self._reader = _connect(self.path)
        self._reader_lock = threading.Lock()
        self._finalizer = weakref.finalize(self, _finish, self._writer, self._reader, self._owner)

    def _ready(self) -> None:
        if self._owner != os.getpid():
            self.lock = threading.Lock()
            self.in_flight = {}
            self._open()
        elif not self._finalizer.alive:
            raise InputError(f"{self.path}: the call cache was closed; open it again with Cache(path)")

    def __repr__(self) -> str:
        return f"Cache({str(self.path)!r})"

    def close(self) -> None:
        """Write what is waiting and close the file; a second call does nothing."""
        self._finalizer()

    def get(self, key: str) -> Reply | None:
        """The answer stored under a key, or None."""
        self._ready()
        with self._reader_lock:
            try:
                row = self._reader.execute(f"{_SELECT} WHERE calls.key=?", (key,)).fetchone()
            except sqlite3.DatabaseError as error:
                raise _damaged(self.path, error) from error
        if row is None:
            return None
        if not _is_sound(row):
            raise _damaged(self.path, f"the answer to call {key} is not what was stored")
        return read_reply(row[4], self.path, key)

    def submit(self, call: Call, done: Callable[[str | None, BaseException | None], None]) -> None:
        """Hand an answer to the writer.

        Parameters
        ----------
        call : what to store.
        done : called in the writer's thread once it is safe, with the earlier reply that stays (JSON) or None, and
            with what went wrong or None.
        """
        self._ready()
        self._writer.jobs.put(_Job(_row(call), done, None))

    async def put(self, call: Call) -> Reply:
        """Store an answer and return it once it is on disk; an earlier answer to the same question wins.

        Raises
        ------
        ModelError : the file cannot be written (disk full, locked for a minute).
        """
        self._ready()
        loop = asyncio.get_running_loop()
        waiter: asyncio.Future[str | None] = loop.create_future()

        def done(kept: str | None, failure: BaseException | None) -> None:
            if not waiter.done():
                if failure is None:
                    waiter.set_result(kept)
                else:
                    waiter.set_exception(failure)

        self._writer.jobs.put(_Job(_row(call), done, loop))
        kept = await waiter
        return call.reply if kept is None else read_reply(kept, self.path, call.key)

    def put_all(self, calls: Iterable[Call]) -> int:
        """Store many calls; returns the number of new ones."""
        self._ready()
        waiters: list[Future[bool]] = []
        for call in calls:
            waiter: Future[bool] = Future()

            def done(kept: str | None, failure: BaseException | None, waiter: Future[bool] = waiter) -> None:
                if failure is None:
                    waiter.set_result(kept is None)
                else:
                    waiter.set_exception(failure)

            self._writer.jobs.put(_Job(_row(call), done, None))
            waiters.append(waiter)
        return sum(waiter.result() for waiter in waiters)

    def calls(self) -> Iterator[Call]:
        """All stored calls in the order of their keys, which does not depend on when they were made."""
        self._ready()
        connection = _connect(self.path)
        try:
            for row in connection.execute(f"{_SELECT} ORDER BY calls.key"):
                if not _is_sound(row):
                    raise _damaged(self.path, f"call {row[0]} is not what was stored")
                try:
                    request = Request.from_dict(json.loads(row[3]))
                    identity = json.loads(row[2])
                except (KeyError, TypeError, ValueError) as error:
                    raise InputError(f"{self.path}: call {row[0]} is damaged: {one_line(error)}") from error
                yield Call(row[0], request, read_reply(row[4], self.path, row[0]), row[1], identity)
        except sqlite3.DatabaseError as error:
            raise _damaged(self.path, error) from error
        finally:
            connection.close()

    def verify(self) -> CacheCheck:
        """Read and check every stored call; writes nothing.

        Raises
        ------
        InputError : the file itself is damaged, so that not all of it can be read; repair it.
        """
        self._ready()
        n = n_unchecked = 0
        damaged = []
        connection = _connect(self.path)
        try:
            for row in connection.execute(f"{_SELECT} ORDER BY calls.key"):
                if _is_readable(row):
                    n += 1
                    n_unchecked += row[5] is None
                else:
                    damaged.append(str(row[0]))
        except sqlite3.DatabaseError as error:
            raise _damaged(self.path, error) from error
        finally:
            connection.close()
        return CacheCheck(n, n_unchecked, tuple(damaged))

    def export_calls(self, path: str | Path) -> int:
        """Write all calls to a JSONL file that ``recorded:PATH`` replays; returns their number."""
        return write_calls(path, self.calls())

    def import_calls(self, path: str | Path) -> int:
        """Import the calls of a JSONL file or folder; returns the number of new ones. Existing ones stay."""
        return self.put_all(read_calls(path))

    def info(self) -> CacheInfo:
        """Count calls per model, and bytes."""
        self._ready()
        with self._reader_lock:
            rows = self._reader.execute("SELECT model, COUNT(*) FROM calls GROUP BY model ORDER BY model").fetchall()
        files = (self.path, self.path.with_name(self.path.name + "-wal"))
        n_bytes = sum(f.stat().st_size for f in files if f.exists())
        return CacheInfo(str(self.path), sum(n for _, n in rows), dict(rows), n_bytes)


def _row(call: Call) -> Row:
    return (
        call.key,
        call.model,
        canonical_json(call.identity),
        canonical_json(call.request),
        canonical_json(call.reply),
        time.time(),
    )


def _crc(*texts: str) -> int:
    return zlib.crc32("\0".join(texts).encode("ascii", "backslashreplace"))


def _is_sound(row: tuple[Any, ...]) -> bool:
    """True if a stored call is intact; calls of earlier releases have no checksum and pass."""
    texts, crc = row[:5], row[5]
    return all(isinstance(x, str) for x in texts) and (crc is None or bool(crc == _crc(*texts)))


def _is_readable(row: tuple[Any, ...]) -> bool:
    try:
        if not _is_sound(row):
            return False
        request = Request.from_dict(json.loads(row[3]))
        Reply.from_dict(json.loads(row[4]))
        return bool(call_key(json.loads(row[2]), request) == row[0])
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError):
        return False


def _damaged(path: Path, what: object) -> InputError:
    return InputError(
        f"{path}: the call cache is damaged: {one_line(what)};"
        f" fallax models cache repair --cache {path} keeps the intact answers"
    )


def repair_cache(path: str | Path) -> CacheCheck:
    """Rebuild a damaged cache from its intact calls; the old file is kept as ``.damaged``.

    Returns
    -------
    CacheCheck : how many calls were kept; what could not be read has no key to be named by.

    Raises
    ------
    InputError : there is no such file, or it cannot be replaced.
    """
    path = Path(path)
    if not path.is_file():
        raise InputError(f"{path}: must be a call cache, found no file")
    with path.open("rb") as file:
        begins = file.read(len(_MAGIC))
    if sum(a == b for a, b in zip(begins, _MAGIC, strict=False)) < 12:
        raise InputError(f"{path}: must be a call cache, got another file; nothing was changed")
    aside = path.with_name(path.name + ".damaged")
    if aside.exists():
        raise InputError(f"{aside}: is there from an earlier repair; move it away first")
    rows: dict[str, tuple[Any, ...]] = {}
    damaged: set[str] = set()
    try:
        for order in ("", " ORDER BY calls.rowid DESC"):  # from both ends, for a bad page stops a scan
            with closing(sqlite3.connect(path)) as connection, suppress(sqlite3.DatabaseError):
                connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
                has_sums = connection.execute("SELECT 1 FROM sqlite_master WHERE name='sums'").fetchone()
                select = _SELECT if has_sums else "SELECT key, model, identity, request, reply, NULL FROM calls"
                for row in connection.execute(select + order):
                    if _is_readable(row):
                        rows[row[0]] = row
                    else:
                        damaged.add(one_line(row[0], 80))
        for end in ("", "-wal", "-shm"):
            with suppress(FileNotFoundError):
                os.rename(f"{path}{end}", f"{aside}{end}")
    except OSError as error:
        raise InputError(f"{path}: cannot be repaired: {one_line(error)}") from error
    with Cache(path) as fresh:
        fresh.put_all(
            Call(r[0], Request.from_dict(json.loads(r[3])), Reply.from_dict(json.loads(r[4])), r[1], json.loads(r[2]))
            for r in rows.values()
        )
    return CacheCheck(len(rows), sum(r[5] is None for r in rows.values()), tuple(sorted(damaged)))


def read_reply(text: str, path: Path, key: str) -> Reply:
    """A stored reply; InputError if it is not one."""
    try:
        return Reply.from_dict(json.loads(text))
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"{path}: the answer to call {key} is damaged: {one_line(error)}; use another cache"
        ) from error

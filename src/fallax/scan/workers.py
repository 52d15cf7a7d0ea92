"""Worker processes that examine blocks, each with its own encoder; they end with their parent."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

from fallax.errors import FallaxError, InputError
from fallax.scan.jobs import ScanJob, examiner_of
from fallax.scan.parts import ScanBlock, ScanCounts, make_part, put_part

__all__ = ["Writing", "examine_all", "serve_blocks"]

#: How often a block is tried whose worker was killed.
_TRIES = 3
#: What starts a worker.
_MAIN = "from fallax.scan.workers import serve_blocks; serve_blocks()"


@dataclass(frozen=True, slots=True)
class Writing:
    """How blocks are examined and written, see :func:`fallax.scan.parts.make_part`."""

    folder: str
    job: ScanJob
    form: str
    rows: str
    settings: str

    def made(self, block: ScanBlock) -> tuple[ScanCounts, dict[str, bytes]]:
        """Examine a block in this process."""
        return make_part(block, examiner_of(self.job), form=self.form, rows=self.rows, settings=self.settings)

    def part(self, block: ScanBlock) -> ScanCounts:
        """Examine and write a block in this process."""
        counts, files = self.made(block)
        put_part(Path(self.folder), block, files)
        return counts


def examine_all(blocks: Iterable[ScanBlock], writing: Writing, *, workers: int) -> Iterator[tuple[int, ScanCounts]]:
    """Examine blocks: with one worker in this process, with more in as many processes.

    Yields
    ------
    (number of the block, its counts)
        As they are done. No more than two blocks for each worker are held.

    Raises
    ------
    FallaxError
        If a worker was killed three times at one block, or could not write.
    """
    if workers < 1:
        raise InputError(f"workers must be at least 1, got {workers}")
    if workers == 1:
        for block in blocks:
            yield block.number, writing.part(block)
        return
    with _Pool(writing, workers) as pool:
        yield from pool.run(blocks)


class _Pool:
    def __init__(self, writing: Writing, workers: int) -> None:
        self._writing = writing
        self._threads_each = max(1, (os.cpu_count() or 1) // workers)
        self._to_do: queue.Queue[ScanBlock | None] = queue.Queue(maxsize=workers)
        self._done: queue.Queue[tuple[int, ScanCounts] | BaseException] = queue.Queue()
        self._started: list[subprocess.Popen[bytes]] = []
        self._closing = False
        self._threads = [threading.Thread(target=self._feed, daemon=True) for _ in range(workers)]

    def __enter__(self) -> _Pool:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *about: object) -> None:
        self._closing = True
        for process in self._started:
            process.kill()
        with suppress(queue.Empty):
            while True:
                self._to_do.get_nowait()
        for _ in self._threads:
            self._to_do.put(None)
        for thread in self._threads:
            thread.join()

    def run(self, blocks: Iterable[ScanBlock]) -> Iterator[tuple[int, ScanCounts]]:
        waiting = 0
        for block in blocks:
            while True:
                try:
                    self._to_do.put(block, timeout=0.1)
                    waiting += 1
                    break
                except queue.Full:
                    pass
                while waiting and not self._done.empty():
                    yield self._result()
                    waiting -= 1
        while waiting:
            yield self._result()
            waiting -= 1

    def _result(self) -> tuple[int, ScanCounts]:
        found = self._done.get()
        if isinstance(found, BaseException):
            raise found
        return found

    def _feed(self) -> None:
        """Send blocks to one process; a process that is killed is started again."""
        process: subprocess.Popen[bytes] | None = None
        while (block := self._to_do.get()) is not None:
            try:
                for tries in range(1, _TRIES + 1):
                    process = self._start() if process is None else process
                    said = _ask(process, block.to_dict())
                    if said is not None:
                        break
                    _end(process)
                    process = None
                    if tries == _TRIES or self._closing:
                        raise FallaxError(
                            f"the worker ended {tries} times at {block.name} (records {block.records[0].number} to"
                            f" {block.records[-1].number}); was it killed for memory? try fewer --workers"
                        )
                if said is None or "error" in said:
                    raise FallaxError(str(said and said["error"]))
                self._done.put((block.number, ScanCounts(**said)))
            except BaseException as error:
                self._done.put(error)
        if process is not None:
            _end(process)

    def _start(self) -> subprocess.Popen[bytes]:
        environment = {"FALLAX_THREADS": str(self._threads_each), **os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        process = subprocess.Popen(
            [sys.executable, "-c", _MAIN], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
        )
        self._started.append(process)
        _send(process.stdin, asdict(self._writing))
        return process


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill an idle or useless worker, which has nothing to lose."""
    process.kill()
    for stream in (process.stdin, process.stdout):
        with suppress(OSError):  # what was not sent to a process that was killed
            if stream is not None:
                stream.close()
    process.wait()


def _send(stream: IO[bytes] | None, value: Mapping[str, Any]) -> None:
    if stream is not None:
        stream.write(json.dumps(value).encode("ascii") + b"\n")
        stream.flush()


def _ask(process: subprocess.Popen[bytes], block: Mapping[str, Any]) -> dict[str, Any] | None:
    """The answer of a process; None if it ended."""
    try:
        _send(process.stdin, block)
        line = b"" if process.stdout is None else process.stdout.readline()
        said: dict[str, Any] | None = json.loads(line) if line.endswith(b"\n") else None
    except OSError:
        return None
    return said


def serve_blocks() -> None:
    """The main loop of a worker: read settings, then blocks as lines of JSON; answer each with its counts.

    It ends with its input, and so with the process that started it, however that ended. Ctrl-C is for that process.
    """
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is no answer
    line = sys.stdin.buffer.readline()
    if not line:
        return
    given = json.loads(line)
    writing = Writing(**{**given, "job": ScanJob(**given["job"])})
    answer: Callable[[ScanBlock], dict[str, Any]] = lambda block: writing.part(block).to_dict()  # noqa: E731
    for line in sys.stdin.buffer:
        try:
            said = answer(ScanBlock.from_dict(json.loads(line)))
        except (FallaxError, OSError) as error:
            said = {"error": str(error)}
        with suppress(BrokenPipeError):
            _send(out, said)

"""Examines blocks with Ray actors, on one machine or a cluster; writes the same parts as without Ray.

Actors of Ray and not Ray Data, because a part holds exactly the records of one block and Ray Data divides blocks again;
:func:`fallax.scan.batch` is for its ``map_batches``.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from fallax.errors import FallaxError, MissingExtraError, one_line
from fallax.scan.jobs import ScanJob, examiner_of
from fallax.scan.parts import ScanBlock, ScanCounts, put_part
from fallax.scan.workers import Writing

__all__ = ["examine_with_ray"]

#: How often a block is tried whose actor or node was lost, and the longest wait before the next try, in seconds. Ray
#: starts a lost actor anew, which takes a while; its own retries do not wait for that.
_TRIES, _LONGEST_WAIT = 8, 15.0


class _Actor:
    """An actor that examines blocks with its own encoder; the calling process writes the results."""

    def __init__(self, writing: Mapping[str, Any], system_hash: str) -> None:
        self._writing = Writing(**{**writing, "job": ScanJob(**writing["job"])})
        self._expected = system_hash

    def part(self, block: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, bytes]]:
        found = examiner_of(self._writing.job).hash
        if found != self._expected:
            raise FallaxError(
                f"every node must have the same system, got the card {found[:12]} here and {self._expected[:12]} where"
                " the scan was started; install the same fallax on all of them"
            )
        counts, files = self._writing.made(ScanBlock.from_dict(block))
        return counts.to_dict(), files


def examine_with_ray(
    blocks: Iterable[ScanBlock], writing: Writing, *, workers: int, address: str | None = None
) -> Iterator[tuple[int, ScanCounts]]:
    """Examine blocks with N actors; at most two blocks per actor are in progress.

    Parameters
    ----------
    workers : actors, each with a processor.
    address : of a cluster, as ``ray.init`` takes it; None: a Ray of this machine, ended afterwards, or the one that
        this process is connected to.

    Yields
    ------
    (number of the block, its counts)
        As they are done. Files are written here, so the nodes need no shared folder.

    Raises
    ------
    MissingExtraError
        If Ray is not installed.
    FallaxError
        If a block was lost with its actor again and again, or a node has another system.
    """
    try:
        import ray
    except ImportError:
        raise MissingExtraError("Ray", extra="ray") from None
    own = not ray.is_initialized()
    if own:
        try:
            ray.init(address=address, log_to_driver=False, include_dashboard=False if address is None else None)
        except Exception as error:  # Ray has no class of its own for this
            ray.shutdown()
            raise FallaxError(f"Ray could not be started or reached: {one_line(error, 200)}; try --workers") from None
    try:
        yield from _run(ray, blocks, writing, workers)
    finally:
        if own:
            ray.shutdown()


def _run(ray: Any, blocks: Iterable[ScanBlock], writing: Writing, workers: int) -> Iterator[tuple[int, ScanCounts]]:
    environment = {"FALLAX_THREADS": os.environ.get("FALLAX_THREADS", "1"), "PYTHONPATH": os.pathsep.join(sys.path)}
    made = ray.remote(num_cpus=1, max_restarts=-1, max_task_retries=0, runtime_env={"env_vars": environment})(_Actor)
    expected = examiner_of(writing.job).hash
    actors = [made.remote(asdict(writing), expected) for _ in range(workers)]
    load = [0] * workers
    under_way: dict[Any, tuple[int, ScanBlock, int]] = {}

    def give(block: ScanBlock, *, tries: int = 0, lost: int | None = None) -> None:
        """Send a block to the least busy actor, avoiding the one that was just lost if possible."""
        actor = min(range(workers), key=lambda i: (i == lost, load[i]))
        load[actor] += 1
        under_way[actors[actor].part.remote(block.to_dict())] = (actor, block, tries)

    def results(n: int) -> Iterator[tuple[int, ScanCounts]]:
        """Wait until at most n blocks are in progress."""
        while len(under_way) > n:
            (done, *_), _ = ray.wait(list(under_way), num_returns=1)
            actor, block, tries = under_way.pop(done)
            load[actor] -= 1
            try:
                counts, files = ray.get(done)
            except ray.exceptions.RayTaskError as error:
                raise FallaxError(str(error.cause)) from None
            except ray.exceptions.RayError as error:
                if tries + 1 == _TRIES:
                    raise FallaxError(
                        f"{block.name} was lost {_TRIES} times with its actor: {type(error).__name__}"
                    ) from None
                time.sleep(min(_LONGEST_WAIT, 2.0**tries))
                give(block, tries=tries + 1, lost=actor)
                continue
            put_part(Path(writing.folder), block, files)
            yield block.number, ScanCounts(**counts)

    for block in blocks:
        give(block)
        yield from results(2 * workers - 1)
    yield from results(0)

"""Merges the shards of a run into the bytes that a single run would have written."""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fallax.errors import RunError
from fallax.runs.base import Benchmark
from fallax.runs.folder import RunFolder, check_same, read_lines, read_run
from fallax.runs.runner import signature_of
from fallax.runs.scoring import RunScores, expected_rows, parse_shard, score_run

__all__ = ["merge_runs"]


def merge_runs(out: str | Path, paths: Sequence[str | Path], *, benchmark: Benchmark | None = None) -> RunScores:
    """Merge all shards of one run into a new run folder.

    Parameters
    ----------
    out : the folder of the whole run.
    paths : the folders of its shards, in any order; all of them, each finished.
    benchmark : by default the one that they name.

    Raises
    ------
    RunError
        If the folders are not the shards of one run, or one is missing or not finished.
    """
    runs = {Path(path): read_run(path) for path in paths}
    if not runs:
        raise RunError("shards to merge must be named, got none")
    whole = _whole(runs)
    for path, run in runs.items():
        n_rows, n = sum(1 for _ in read_lines(path)), expected_rows(run)
        if n_rows < n:
            raise RunError(f"{path}: has {n_rows} of {n} rows; continue it first with: fallax bench resume {path}")
    with RunFolder(out, whole) as held:
        held.replace_lines(line for _, line in heapq.merge(*(read_lines(path) for path in runs), key=lambda x: x[0]))
        scores = score_run(out, benchmark=benchmark)
        held.write_scores(scores.to_dict())
    return scores


def _whole(runs: Mapping[Path, Mapping[str, Any]]) -> dict[str, Any]:
    """The ``run.json`` of the merged run."""
    first, *others = runs
    wholes = {path: {**run, "shard": None} for path, run in runs.items()}
    for path in others:
        check_same(path, wholes[first], wholes[path], how="shards of one run must agree in everything else")
    shards: dict[int, Path] = {}
    sizes = set()
    for path, run in runs.items():
        if run["shard"] is None:
            raise RunError(f"{path}: must be a shard, got a whole run")
        number, of = parse_shard(run["shard"])
        sizes.add(of)
        if number in shards:
            raise RunError(f"{path}: shard {run['shard']} is given twice, {shards[number]} is the same; leave one out")
        shards[number] = path
    if len(sizes) > 1:
        raise RunError(f"shards must be of one size, got {', '.join(f'I/{n}' for n in sorted(sizes))}")
    missing = [str(i) for i in range(1, sizes.pop() + 1) if i not in shards]
    if missing:
        raise RunError(f"all shards must be given, missing of {len(shards) + len(missing)}: {', '.join(missing)}")
    whole = wholes[first]
    return {**whole, "signature": signature_of(whole)}

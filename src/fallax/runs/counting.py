"""Counts the contents of recorded runs without scoring: rows, replies, tokens, labels, file integrity."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fallax.core.download import file_sha256
from fallax.core.json_value import JsonValue
from fallax.core.types import Table
from fallax.core.whole import read_whole
from fallax.runs.compare import system_label
from fallax.runs.folder import RowCounts, read_rows, read_run
from fallax.runs.scoring import benchmark_of

__all__ = ["RunCounts", "count_run", "run_folders", "run_tables"]

_RUN, _ROWS, _SUMS = "run.json", "records.jsonl", "SHA256SUMS"
#: A line as ``sha256sum`` writes it, with a star before the name where it was told ``--binary``.
_SUM = re.compile(r"([0-9a-fA-F]{64}) [ *](?:\./)*(.+)")


@dataclass(frozen=True)
class RunCounts(JsonValue):
    """Counts of one run.

    Parameters
    ----------
    name, benchmark, system : folder, benchmark, and who answered by which protocol.
    rows, expected : rows by status with what they took, and how many the whole run has.
    n_inputs : distinct documents (or other first fields of the input).
    replies, empty : raw replies of models, and those of them without text.
    gold, predicted : label -> rows; "" where there is none.
    checksum : "ok" or "differs" where a ``SHA256SUMS`` beside the folder has its rows, else "".
    """

    name: str
    benchmark: str
    system: str
    rows: RowCounts
    expected: int
    n_inputs: int
    replies: int
    empty: int
    gold: dict[str, int]
    predicted: dict[str, int]
    checksum: str

    json_names = (
        "name", "benchmark", "system", "expected", "n_inputs", "replies", "empty", "gold", "predicted", "rows",
        "checksum",
    )  # fmt: skip


def run_folders(path: str | Path) -> list[Path]:
    """The run folders at a path: itself, or those directly inside it, by name; else none."""
    folder = Path(path)
    if (folder / _RUN).is_file():
        return [folder]
    return sorted(x.parent for x in folder.glob(f"*/{_RUN}")) if folder.is_dir() else []


def count_run(path: str | Path) -> RunCounts:
    """Count the rows of a run folder, finished or not.

    Raises
    ------
    RunError
        If it is no run folder, or a row is damaged.
    """
    folder = Path(path)
    run = read_run(folder)
    benchmark = benchmark_of(run)
    counts = RowCounts()
    gold: Counter[str] = Counter()
    predicted: Counter[str] = Counter()
    inputs: set[str] = set()
    n_replies = n_empty = 0
    for row in read_rows(folder):
        counts.add(row.status, row.usage)
        view = benchmark.view(row)
        gold[view.gold_label] += 1
        predicted[view.predicted_label] += 1
        inputs.add(view.fields[0][1] if view.fields else row.id)
        n_replies += len(row.replies)
        n_empty += sum(not str(reply.get("text", "")).strip() for reply in row.replies)
    expected = int(run["data"]["n_samples"]) * int(run["epochs"])
    return RunCounts(
        folder.name, str(run["benchmark"]), system_label(run), counts, expected, len(inputs), n_replies, n_empty,
        dict(gold), dict(predicted), _checksum(folder),
    )  # fmt: skip


def _checksum(folder: Path) -> str:
    sums = folder.parent / _SUMS
    if not sums.is_file():
        return ""
    for line in read_whole(sums).split("\n"):
        found = _SUM.fullmatch(line)
        if found is not None and found[2] == f"{folder.name}/{_ROWS}":
            return "ok" if file_sha256(folder / _ROWS) == found[1].lower() else "differs"
    return ""


def run_tables(counts: Sequence[RunCounts]) -> list[Table]:
    """The counts of several runs as tables."""
    columns = (
        *("run", "system", "rows", "of", "ok", "unreadable", "not asked", "failed", "inputs", "replies", "empty"),
        *("calls", "prompt tokens", "completion tokens", "checksum"),
    )
    rows = tuple(
        (
            *(c.name, c.system, c.rows.n, c.expected, c.rows.ok, c.rows.unreadable, c.rows.not_asked, c.rows.error),
            *(
                c.n_inputs,
                c.replies,
                c.empty,
                c.rows.usage.calls,
                c.rows.usage.prompt_tokens,
                c.rows.usage.completion_tokens,
            ),
            c.checksum or "–",
        )
        for c in counts
    )
    said = tuple(
        (c.name, label or "(none)", c.gold.get(label, 0), c.predicted.get(label, 0))
        for c in counts
        for label in sorted({*c.gold, *c.predicted})
    )
    return [Table("Recorded runs", columns, rows), Table("Labels", ("run", "label", "gold", "predicted"), said)]

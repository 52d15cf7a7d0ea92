"""Checks a recorded run for damage, and repairs it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fallax.core.json_value import JsonValue
from fallax.errors import RunError
from fallax.runs.base import Row
from fallax.runs.folder import RunFolder, is_sound, read_run
from fallax.runs.scoring import expected_rows

__all__ = ["RunCheck", "repair_run", "verify_run"]

_RECORDS, _DAMAGED = "records.jsonl", "records.damaged.jsonl"


@dataclass(frozen=True, slots=True)
class RunCheck(JsonValue):
    """The result of checking the records of a run.

    Parameters
    ----------
    n_rows : sound lines.
    n_unchecked : those of them without a checksum, as earlier releases wrote them: a changed byte may go unseen.
    damaged : the numbers of the lines that are not sound, from 1; a last line that was not ended is one.
    n_expected : rows that a finished run has.
    is_cut_off : the last of ``damaged`` was not ended, as a killed run leaves it; resuming removes it and asks again.
    """

    n_rows: int
    n_unchecked: int
    damaged: tuple[int, ...]
    n_expected: int
    is_cut_off: bool = False


def _lines(path: Path, run: dict[str, Any]) -> Iterator[tuple[int, bytes, bool]]:
    """Line number, line, and whether it is intact."""
    needs = run.get("checksums") == "crc32"
    n_samples, n_epochs = run["data"]["n_samples"], run["epochs"]
    records = path / _RECORDS
    if not records.exists():
        return
    with records.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            sound = line.endswith(b"}\n") and is_sound(line, needs_checksum=needs)
            if sound:
                try:
                    row = Row.from_dict(json.loads(line))
                    sound = 0 <= row.position < n_samples and 0 <= row.epoch < n_epochs
                except (KeyError, TypeError, ValueError, AttributeError, RecursionError):
                    sound = False
            yield number, line, sound


def verify_run(path: str | Path) -> RunCheck:
    """Read and check every row of a run folder; writes nothing.

    Raises
    ------
    RunError
        If the folder is no run folder, or its ``run.json`` is damaged.
    """
    path = Path(path)
    run = read_run(path)
    n_rows = n_unchecked = 0
    is_cut_off = False
    damaged: list[int] = []
    for number, line, sound in _lines(path, run):
        n_rows += sound
        n_unchecked += sound and b',"crc":"' not in line[-20:]
        if not sound:
            damaged.append(number)
            is_cut_off = not line.endswith(b"\n")
    return RunCheck(n_rows, n_unchecked, tuple(damaged), expected_rows(run), is_cut_off)


def repair_run(path: str | Path) -> RunCheck:
    """Keep the intact rows; others go to ``records.damaged.jsonl`` and are answered again on resume.

    ``scores.json`` goes too where anything was damaged: it may have been made of what was.

    Returns
    -------
    RunCheck : what was found before.

    Raises
    ------
    RunError
        If another process is at work in the folder, or ``run.json`` is damaged.
    """
    path = Path(path)
    found = verify_run(path)
    if not found.damaged:
        return found
    run = read_run(path)
    bad = b"".join(line if line.endswith(b"\n") else line + b"\n" for _, line, sound in _lines(path, run) if not sound)
    good = [line for _, line, sound in _lines(path, run) if sound]
    with RunFolder(path, run, check_rows=False) as held:
        try:
            with (path / _DAMAGED).open("ab") as out:
                out.write(bad)
        except OSError as error:
            raise RunError(f"{path / _DAMAGED}: cannot be written: {error.strerror}; nothing was changed") from None
        held.replace_lines(good)
        held.remove_scores()
    return found

"""Collects the structures of a run with their references for judges, and aggregates judgements."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from fallax.core.types import REASONING_TYPES, ArgumentStructure, StructureComparison, StructureJudgement
from fallax.errors import InputError
from fallax.runs.folder import read_rows

__all__ = ["comparisons_of_run", "summarize_judgements"]


def comparisons_of_run(folder: str | Path, *, n: int | None = None, seed: int = 0) -> list[StructureComparison]:
    """The structures of a run of the benchmark "causal", each with its reference where there is one.

    Parameters
    ----------
    folder : the run folder; its first epoch is taken.
    n : size of the random sample (the paper has 50); None: all, in their order.
    seed : of the draw.

    Raises
    ------
    InputError
        If the run has no structures.
    """
    found = []
    for row in read_rows(folder, epoch=0):
        said = row.prediction if isinstance(row.prediction, dict) else {}
        if row.status != "ok" or not said.get("structure"):
            continue
        gold = row.gold.get("structure") if isinstance(row.gold, dict) else None
        found.append(
            StructureComparison(
                row.id, row.input["claim"], row.gold["label"] or "", ArgumentStructure.from_dict(said["structure"]),
                None if gold is None else ArgumentStructure.from_dict(gold),
            )
        )  # fmt: skip
    if not found:
        raise InputError(f"{folder}: must have structures (a run of 'causal' with task 3, 4 or a pipeline), got none")
    if n is None or n >= len(found):
        return found
    chosen = set(random.Random(f"{seed}:judged").sample(range(len(found)), n))
    return [x for i, x in enumerate(found) if i in chosen]


def summarize_judgements(judgements: Iterable[StructureJudgement]) -> dict[str, Any]:
    """Shares of valid structures, of win, tie and lose, and of the kinds of steps; None without judgements.

    Examples
    --------
    >>> said = [StructureJudgement("1", True, None, "win", ("rule",)), StructureJudgement("2", False, None, "lose")]
    >>> found = summarize_judgements(said)
    >>> found["valid"], found["win"], found["steps"]["rule"], found["gold_valid"]
    (0.5, 0.5, 1.0, None)
    """
    listed = list(judgements)

    def share(values: Sequence[object], wanted: object) -> float | None:
        return sum(v == wanted for v in values) / len(values) if values else None

    valid = [j.valid for j in listed if j.valid is not None]
    gold_valid = [j.gold_valid for j in listed if j.gold_valid is not None]
    preferred = [j.preference for j in listed if j.preference is not None]

    def kinds(steps: Iterable[str]) -> dict[str, float | None]:
        counts = Counter(s for s in steps if s)
        total = counts.total()
        return {name: counts[name] / total if total else None for name in REASONING_TYPES}

    return {
        "n": len(listed),
        "unscored": sum(bool(j.unscored) for j in listed),
        "valid": share(valid, True),
        "gold_valid": share(gold_valid, True),
        **{name: share(preferred, name) for name in ("win", "tie", "lose")},
        "steps": kinds(s for j in listed for s in j.steps),
        "gold_steps": kinds(s for j in listed for s in j.gold_steps),
    }

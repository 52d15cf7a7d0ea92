"""Balanced accuracy of the judges set by set, with their mean: python benchmarks/faithfulness_sets.py

Without FILE: MeetingBank's sentences, FRANK, and the domain of SummEdits that trained nothing. With "contrast": the
contrast suite by phenomenon, beside what was recorded for systems that do not ship with this version. With a file of
LLM-AggreFact: each data set in it and the average over data sets, as its board reports it. One fixed threshold for all;
intervals resample documents, those of the mean within each set.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from entailment_suites import Bools, balanced, labelled, resampled

from fallax.core.types import FaithfulnessRecord
from fallax.data import iter_faithfulness, read_faithfulness
from fallax.faithfulness.benchmarks.contrast import Contrast, contrast_records
from fallax.faithfulness.systems import load_local_judge

SYSTEMS = ("entailment", "lexical-overlap", "embedding-similarity")
#: Name, set, split, level.
SETS = (
    ("MeetingBank", "meetingbank", None, "sentence"),
    ("FRANK", "frank", None, None),
    ("SummEdits scitldr", "summedits", "scitldr", None),
)


def by_source(records: Iterable[FaithfulnessRecord]) -> dict[str, list[FaithfulnessRecord]]:
    found: dict[str, list[FaithfulnessRecord]] = {}
    for record in records:
        if record.label is not None:
            found.setdefault(record.source or "all", []).append(record)
    return found


def some(records: Sequence[FaithfulnessRecord], n: int | None, seed: int) -> list[FaithfulnessRecord]:
    """As many of either label, or as many as there are."""
    if n is None or len(records) <= n:
        return list(records)
    draw, kept = random.Random(seed), []
    for label in ("faithful", "unfaithful"):
        own = [r for r in records if r.label == label]
        kept += draw.sample(own, min(len(own), n // 2))
    return kept


def recorded() -> dict[str, dict[str, float]]:
    """System -> phenomenon -> balanced accuracy, where it was written down."""
    found: dict[str, dict[str, float]] = {}
    for value in Contrast().published():
        found.setdefault(value.system, {})[value.score.removeprefix("verdict-")] = value.value
    return found


def table(
    sets: dict[str, list[FaithfulnessRecord]], seed: int, *, systems: Sequence[str], more: dict[str, dict[str, float]]
) -> None:
    """A row for each set with intervals, then the mean."""
    judges = {name: load_local_judge(name, level="summary", abstain=False) for name in systems}
    print(f"{'':22} {'n':>5} " + " ".join(f"{name:>22}" for name in (*systems, *more)))
    means: dict[str, list[float]] = {name: [] for name in systems}
    draws: dict[str, list[np.ndarray[tuple[int, ...], np.dtype[np.float64]]]] = {name: [] for name in systems}
    every: dict[str, list[Bools]] = {name: [] for name in (*systems, "gold")}
    for title, records in sorted(sets.items()):
        gold = np.array([r.label == "faithful" for r in records], dtype=bool)
        every["gold"].append(gold)
        cells = []
        for name, judge in judges.items():
            said = labelled(judge, [(r.group or r.id, r.document, r.summary, True) for r in records])
            every[name].append(said)
            if gold.all() or not gold.any():
                cells.append(f"{'one label alone':>22}")
                continue
            found = resampled([r.group or r.id for r in records], said, gold, seed)
            means[name].append(balanced(said, gold))
            draws[name].append(found)
            low, high = np.nanpercentile(found, [2.5, 97.5])
            cells.append(f"{means[name][-1]:7.3f} [{low:.3f}, {high:.3f}]")
        cells += [f"{values[title]:22.3f}" if title in values else " " * 22 for values in more.values()]
        print(f"{title:22} {len(records):5} " + " ".join(cells), flush=True)
    if not any(means.values()):
        return
    cells = []
    for name in systems:
        low, high = np.nanpercentile(np.nanmean(draws[name], axis=0), [2.5, 97.5])
        cells.append(f"{np.mean(means[name]):7.3f} [{low:.3f}, {high:.3f}]")
    print(f"{'mean of the sets':22} {'':5} " + " ".join(cells))
    gold = np.concatenate(every["gold"])
    cells = [f"{balanced(np.concatenate(every[name]), gold):22.3f}" for name in systems]
    cells += [f"{values['verdict']:22.3f}" if "verdict" in values else "" for values in more.values()]
    print(f"{'all records together':22} {len(gold):5} " + " ".join(cells))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", metavar="FILE", help='a file of LLM-AggreFact, or "contrast"')
    parser.add_argument("-n", type=int, help="records of each set, half of either label; default all")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--judges", nargs="+", metavar="NAME", default=SYSTEMS, help=f"default: {' '.join(SYSTEMS)}")
    args = parser.parse_args()
    if args.file == "contrast":
        sets = by_source(contrast_records())
    elif args.file is not None:
        sets = by_source(read_faithfulness(Path(args.file)))
    else:
        sets = {title: [r for r in iter_faithfulness(name, split=split, level=level) if r.label is not None]
                for title, name, split, level in SETS}  # fmt: skip
    sets = {title: some(records, args.n, args.seed) for title, records in sets.items()}
    table(sets, args.seed, systems=args.judges, more=recorded() if args.file == "contrast" else {})


if __name__ == "__main__":
    main()

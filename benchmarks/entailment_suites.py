"""Balanced accuracy of the judge on suites that trained and chose nothing: python benchmarks/entailment_suites.py

Pairs of passage and statement: faithful or not, the likelier label. First the dev halves of suites that are kept for
tests alone, then the dev parts of inference sets; each with its mean and its least, beside lexical overlap. Intervals
resample groups: premises, passages, articles; those of a mean resample within each set. Questions of CondaQA that are
answered by yes or no become statements by leaving out their first word, an auxiliary. A set that is not there is left
out and named.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import random
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from fallax.data.datasets import data_root
from fallax.errors import UnjudgeableError
from fallax.faithfulness.systems import load_local_judge

TESTS = ("med", "negation_nli_suite", "breaking_nli", "equate", "condaqa_part", "bump")
DEV = ("lingnli", "megaveridicality", "conjnli", "wikires_nli", "citation_integrity", "climate_fever", "covidfact",
       "nan_nli", "semi_auto_nli_wiki")  # fmt: skip
DRAWS = 300
_AUXILIARY = re.compile(
    r"(?:Did|Does|Do|Is|Are|Was|Were|Has|Have|Had|Can|Could|Will|Would|Should) ([^?]+)\?$", re.DOTALL
)
#: Group, passage, statement, entailed or not.
Pair = tuple[str, str, str, bool]
Bools = npt.NDArray[np.bool_]


def rows_of(folder: Path) -> list[dict[str, Any]]:
    found = [p for p in (folder / "dev.jsonl", folder / "train.jsonl.gz") if p.is_file()]
    path = found[0] if found else folder / "dev.jsonl"
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def pairs_of(root: Path, name: str) -> Iterator[Pair]:
    for row in rows_of(root / name):
        if name == "bump":
            yield row["article_id"], row["article"], row["reference_summary"], True
            yield row["article_id"], row["article"], row["edited_summary"], False
        elif name == "condaqa_part":
            if row["answer_kind"] in ("yes", "no") and (m := _AUXILIARY.match(row["question"].strip())):
                statement = m[1][:1].upper() + m[1][1:] + "."
                yield str(row["passage_id"]), row["passage"], statement, row["answer_kind"] == "yes"
        else:
            yield row["premise"], row["premise"], row["hypothesis"], row["label"] == "entailment"


def some(pairs: Sequence[Pair], n: int, seed: int) -> list[Pair]:
    """Whole groups in a random order until there are so many pairs."""
    by_group: dict[str, list[Pair]] = {}
    for pair in pairs:
        by_group.setdefault(pair[0], []).append(pair)
    groups = sorted(by_group)
    random.Random(seed).shuffle(groups)
    kept: list[Pair] = []
    for group in groups:
        if len(kept) >= n:
            break
        kept += by_group[group]
    return kept


def balanced(said: Bools, gold: Bools) -> float:
    return float((said[gold].mean() + (~said[~gold]).mean()) / 2) if gold.any() and (~gold).any() else float("nan")


def resampled(groups: Sequence[str], said: Bools, gold: Bools, seed: int) -> npt.NDArray[np.float64]:
    """Balanced accuracy of groups drawn with replacement, shape (DRAWS,)."""
    members: dict[str, list[int]] = {}
    for i, group in enumerate(groups):
        members.setdefault(group, []).append(i)
    draw, names, found = random.Random(seed), sorted(members), []
    for _ in range(DRAWS):
        chosen = [i for name in draw.choices(names, k=len(names)) for i in members[name]]
        found.append(balanced(said[chosen], gold[chosen]))
    return np.array(found)


def labelled(judge: Any, pairs: Sequence[Pair]) -> Bools:
    found = []
    for _, passage, statement, _ in pairs:
        try:
            found.append(asyncio.run(judge.judge(passage, statement)).faithfulness == "faithful")
        except UnjudgeableError:
            found.append(False)
    return np.array(found, dtype=bool)


def table(title: str, names: Sequence[str], root: Path, n: int, seed: int, name_of_judge: str) -> None:
    judge = load_local_judge(name_of_judge, level="summary", abstain=False)
    overlap = load_local_judge("lexical-overlap", level="summary")
    print(title)
    means, draws, words = [], [], []
    for name in names:
        if not (root / name).is_dir():
            print(f"{name:22} is not under {root}")
            continue
        pairs = some(list(pairs_of(root, name)), n, seed)
        gold = np.array([p[3] for p in pairs], dtype=bool)
        said = labelled(judge, pairs)
        found = resampled([p[0] for p in pairs], said, gold, seed)
        means.append(balanced(said, gold))
        draws.append(found)
        words.append(balanced(labelled(overlap, pairs), gold))
        low, high = np.nanpercentile(found, [2.5, 97.5])
        print(f"{name:22} {len(pairs):5} {means[-1]:.3f} [{low:.3f}, {high:.3f}]  overlap {words[-1]:.3f}", flush=True)
    if means:
        low, high = np.nanpercentile(np.mean(draws, axis=0), [2.5, 97.5])
        print(f"{'mean':22}       {np.mean(means):.3f} [{low:.3f}, {high:.3f}]  overlap {np.mean(words):.3f}")
        print(f"{'least':22}       {min(means):.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, default=400, help="pairs of each set")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--sets", nargs="*", help="only these")
    parser.add_argument("--system", metavar="NAME", default="entailment", help="default: entailment")
    args = parser.parse_args()
    root = data_root(None)
    for title, names in (("suites kept for tests, dev halves", TESTS), ("inference sets, dev parts", DEV)):
        wanted = [name for name in names if args.sets is None or name in args.sets]
        if wanted:
            table(title, wanted, root, args.n, args.seed, args.system)


if __name__ == "__main__":
    main()

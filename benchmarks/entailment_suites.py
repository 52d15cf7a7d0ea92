"""Balanced accuracy of the judge on suites that trained and chose nothing: python benchmarks/entailment_suites.py

Pairs of statement and passage: entailed or not at probability .5. The dev halves of suites marked "test", the dev
parts of inference sets, edited summaries beside their articles, and the causal scenes held out here. Intervals
resample groups: premises, articles, scenes.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
from collections.abc import Iterator, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from fallax.causality.systems import load_entailment_verifier
from fallax.data.datasets import data_root
from fallax.entailment import Passages
from fallax.faithfulness.systems.baselines import LexicalOverlap
from fallax.faithfulness.systems.entailed import load_entailment_judge

SETS = ("med", "negation_nli_suite", "breaking_nli", "equate", "conjnli", "cad_snli", "citation_integrity")


def rows_of(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def pairs_of(root: Path, name: str) -> Iterator[tuple[str, str, str, bool]]:
    """Group, passage, statement, entailed or not."""
    if name == "bump":
        for row in rows_of(root / name / "dev.jsonl"):
            yield row["article_id"], row["article"], row["reference_summary"], True
            yield row["article_id"], row["article"], row["edited_summary"], False
        return
    for row in rows_of(root / name / "dev.jsonl"):
        yield row["premise"], row["premise"], row["hypothesis"], row["label"] == "entailment"


def balanced(said: Sequence[bool], gold: Sequence[bool]) -> float:
    s, g = np.array(said), np.array(gold)
    return float((s[g].mean() + (~s[~g]).mean()) / 2) if g.any() and (~g).any() else float("nan")


def interval(groups: Sequence[str], said: Sequence[bool], gold: Sequence[bool], seed: int = 7) -> tuple[float, float]:
    members: dict[str, list[int]] = {}
    for i, group in enumerate(groups):
        members.setdefault(group, []).append(i)
    draw, names, found = random.Random(seed), sorted(members), []
    for _ in range(300):
        chosen = [i for name in draw.choices(names, k=len(names)) for i in members[name]]
        found.append(balanced([said[i] for i in chosen], [gold[i] for i in chosen]))
    low, high = np.nanpercentile(found, [2.5, 97.5])
    return float(low), float(high)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, default=400, help="pairs of each set")
    parser.add_argument("--sets", nargs="*", default=[*SETS, "bump"])
    args = parser.parse_args()
    judge, overlap, root = load_entailment_judge(), LexicalOverlap(), data_root(None)
    means = []
    for name in args.sets:
        rows = list(pairs_of(root, name))
        order = random.Random(7)
        groups = sorted({r[0] for r in rows})
        order.shuffle(groups)
        kept: list[tuple[str, str, str, bool]] = []
        by_group: dict[str, list[tuple[str, str, str, bool]]] = {}
        for row in rows:
            by_group.setdefault(row[0], []).append(row)
        for group in groups:
            if len(kept) < args.n:
                kept += by_group[group]
        said = [judge.read(Passages(judge.model, p), s)[0] >= 0.5 for _, p, s, _ in kept]
        words = [overlap.score(p, [s])[0] >= overlap.threshold for _, p, s, _ in kept]
        gold = [g for *_, g in kept]
        found = balanced(said, gold)
        means.append(found)
        low, high = interval([r[0] for r in kept], said, gold)
        print(
            f"{name:22} {len(kept):5} {found:.3f} [{low:.3f}, {high:.3f}]  lexical overlap {balanced(words, gold):.3f}",
            flush=True,
        )
    print(f"{'mean':22}       {np.mean(means):.3f}")
    verifier = load_entailment_verifier(abstain=False)
    text = (resources.files("fallax.causality.benchmarks") / "scenes.jsonl").read_text(encoding="utf-8")
    labels = {"supports": "supports", "refutes": "refutes", "not_enough_info": "nei"}
    right: dict[str, list[bool]] = {}
    for line in text.splitlines():
        scene = json.loads(line)
        for label, kind, claim, _ in scene["claims"]:
            given = verifier.probabilities(claim, scene["evidence"])
            said_label = ("supports", "refutes", "nei")[int(np.argmax(given))]
            right.setdefault(kind, []).append(said_label == labels[label])
    flat = [x for kind in right.values() for x in kind]
    print(f"causal scenes held out: {len(flat)} claims, accuracy {np.mean(flat):.3f}")
    print(", ".join(f"{k} {np.mean(v):.2f}" for k, v in sorted(right.items())))


if __name__ == "__main__":
    main()

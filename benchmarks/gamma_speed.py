"""Gamma of made-up documents by this package and, where it is installed, by pygamma-agreement.

    python benchmarks/gamma_speed.py --documents 50            # this package
    python benchmarks/gamma_speed.py --documents 50 --peer     # pygamma-agreement (in an environment of its own)
    python benchmarks/gamma_speed.py --compare a.json b.json   # ratio of the times, difference of the values

Both draw 30 samples of chance per document by the shuffling of Mathet et al. (2015), and count processor time, so that
another process on the machine does not change the ratio.
"""

import argparse
import json
import sys
import time
from pathlib import Path

import numpy as np

LABELS = ("ad hominem", "straw man", "false dilemma", "slippery slope", "appeal to fear")


def documents(n: int, annotators: int, units: int, seed: int) -> list[dict[str, list[tuple[int, int, str]]]]:
    """Documents of annotators who see the same passages, move their ends, and sometimes take another label."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(n):
        start = np.sort(rng.integers(0, 100 * units, units))
        length, label = rng.integers(20, 120, units), rng.integers(len(LABELS), size=units)
        document = {}
        for a in range(annotators):
            starts = np.maximum(0, start + rng.integers(-15, 16, units))
            ends = starts + np.maximum(5, length + rng.integers(-15, 16, units))
            names = np.where(rng.random(units) < 0.3, rng.integers(len(LABELS), size=units), label)
            unique = {(int(s), int(e)): LABELS[k] for s, e, k in zip(starts, ends, names, strict=True)}
            document[f"annotator {a + 1}"] = [(s, e, k) for (s, e), k in unique.items()]
        found.append(document)
    return found


def ours(made: list[dict[str, list[tuple[int, int, str]]]], seed: int) -> list[float]:
    from fallax.metrics.agreement import AnnotatedUnit, Continuum, gamma

    found = gamma(
        [
            Continuum(
                {name: [AnnotatedUnit(s, e, (k,)) for s, e, k in rows] for name, rows in document.items()}, id=str(i)
            )
            for i, document in enumerate(made)
        ],
        precision=None,
        seed=seed,
    )
    return list(found.by_document.values())


def peer(made: list[dict[str, list[tuple[int, int, str]]]], seed: int) -> list[float]:
    from pyannote.core import Segment
    from pygamma_agreement import CombinedCategoricalDissimilarity, Continuum, ShuffleContinuumSampler

    np.random.seed(seed)
    values = []
    for document in made:
        continuum = Continuum()
        for name, rows in document.items():
            for s, e, k in rows:
                continuum.add(name, Segment(s, e), k)
        found = continuum.compute_gamma(CombinedCategoricalDissimilarity(), sampler=ShuffleContinuumSampler())
        values.append(float(found.gamma))
    return values


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=50)
    parser.add_argument("--annotators", type=int, default=3)
    parser.add_argument("--units", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--peer", action="store_true")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--compare", type=Path, nargs=2)
    asked = parser.parse_args()
    if asked.compare:
        compare(*(json.loads(p.read_text(encoding="utf-8")) for p in asked.compare))
        return
    made = documents(asked.documents, asked.annotators, asked.units, asked.seed)
    run = peer if asked.peer else ours
    run(made[:1], asked.seed)  # compiles, imports
    wall, processor = time.perf_counter(), time.process_time()
    values = run(made, asked.seed)
    found = {
        "system": "pygamma-agreement" if asked.peer else "fallax",
        "documents": len(made),
        "processor_seconds": round(time.process_time() - processor, 2),
        "wall_seconds": round(time.perf_counter() - wall, 2),
        "mean_gamma": round(float(np.mean(values)), 4),
        "values": values,
    }
    if asked.out:
        asked.out.write_text(json.dumps(found), encoding="utf-8")
    print({k: v for k, v in found.items() if k != "values"})


def compare(one: dict, two: dict) -> None:
    a, b = np.array(one["values"]), np.array(two["values"])
    n = min(len(a), len(b))
    per = [d["processor_seconds"] / d["documents"] for d in (one, two)]
    print(f"{one['system']} {per[0]:.3f} s a document, {two['system']} {per[1]:.3f} s: {per[1] / per[0]:.1f} times")
    gap = a[:n] - b[:n]
    print(f"gamma differs by {gap.mean():+.4f} on average over {n} documents, by {np.abs(gap).max():.4f} at most")


if __name__ == "__main__":
    sys.exit(main())

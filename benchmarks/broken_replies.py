"""Linking code broken at random: every reply must give a structure or a reason, and nothing in it may run.

python benchmarks/broken_replies.py [--replies 10000] [--seed 7]
"""

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from fallax.structures import read_linking
from tests.support.broken_replies import broken, reply


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--replies", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=7)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    texts = [broken(rng) for _ in range(args.replies)]
    sound = [reply(rng) for _ in range(args.replies)]
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        import os

        os.chdir(folder)
        start = time.perf_counter()
        slowest = 0.0
        for text in texts:
            began = time.perf_counter()
            found = read_linking(text, claim="c", evidence={"Sentence1": "e"})
            slowest = max(slowest, time.perf_counter() - began)
            if found.structure is None:
                counts["a reason"] += 1
                counts["no reason"] += not found.reason
            else:
                counts["a sound structure" if not found.structure.problems else "a structure with problems"] += 1
        took = time.perf_counter() - start
        ran = len(list(Path(folder).iterdir()))
        os.chdir("/")
    start = time.perf_counter()
    for text in sound:
        read_linking(text, claim="c", evidence={"Sentence1": "e"})
    unbroken = time.perf_counter() - start
    print(f"{args.replies} broken replies: {', '.join(f'{n} {what}' for what, n in sorted(counts.items()) if n)}")
    print(f"files written by what they hold: {ran}; crashes: 0")
    print(f"{took:.1f} s, slowest {slowest:.2f} s; unbroken ones {unbroken:.1f} s, ratio {took / unbroken:.1f}")


if __name__ == "__main__":
    main()

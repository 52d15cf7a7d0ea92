"""Structure similarity of many pairs of structures: time with each distinct edge embedded once, and with it each time.

python benchmarks/structure_similarity.py [--pairs 10000] [--dimensions 384]
"""

import argparse
import itertools
import random
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from fallax.core.types import ArgumentStructure, Link, Statement
from fallax.metrics import EntailmentTree, StructureSimilarity
from fallax.metrics.structure import align_edges

WORDS = [f"word{i}" for i in range(400)]


class Vectors:
    """A stand-in for a sentence encoder: a fixed random vector for each text, so that only our own work is timed."""

    name = "random vectors"

    def __init__(self, dimensions: int) -> None:
        self.dimensions = dimensions
        self.n_texts = 0

    def __call__(self, texts: Sequence[Any], /) -> Any:
        self.n_texts += len(texts)
        return np.stack([np.random.default_rng(abs(hash(t))).standard_normal(self.dimensions) for t in texts])


def structure(rng: random.Random, sentences: Sequence[str]) -> ArgumentStructure:
    """A tree of 5 to 8 arrows over sentences drawn from a pool."""
    n = rng.randint(5, 8)
    nodes = [Statement(f"E{i}", text) for i, text in enumerate(rng.sample(sentences, n))]
    claim = Statement("Claim", sentences[0])
    targets = [claim.id] + [nodes[rng.randrange(i)].id if rng.random() < 0.7 else claim.id for i in range(1, n)]
    links = tuple(Link((node.id,), (target,)) for node, target in zip(nodes, targets, strict=True))
    return ArgumentStructure(claim, tuple(nodes), links)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=int, default=10_000)
    parser.add_argument("--dimensions", type=int, default=384)
    args = parser.parse_args()
    rng = random.Random(1)
    sentences = [" ".join(rng.choices(WORDS, k=14)) for _ in range(300)]
    gold = {str(i): structure(rng, sentences) for i in range(args.pairs)}
    pred = {str(i): structure(rng, sentences) for i in range(args.pairs)}
    n_edges = sum(len(s.pairs) for s in (*gold.values(), *pred.values()))
    align_edges(np.ones((2, 2)))  # scipy is imported here and not below

    vectors = Vectors(args.dimensions)
    cached = {}
    start = time.perf_counter()
    texts = list(
        dict.fromkeys(
            f"{x.by_id[s].text} {x.by_id[t].text}" for x in (*gold.values(), *pred.values()) for s, t, _ in x.pairs
        )
    )
    cached.update(zip(texts, vectors(texts), strict=True))
    embedding = time.perf_counter() - start
    print(f"{args.pairs} pairs of 5 to 8 edges: {n_edges} edges, {len(texts)} of them distinct")
    print(f"embedding each distinct edge once (random vectors): {embedding:.1f} s")

    class Known:
        name = "random vectors"

        def __call__(self, texts: Sequence[Any], /) -> Any:
            return np.stack([cached[t] for t in texts])

    for metric, model in (
        (StructureSimilarity(scorer="embedding"), Known()),
        (StructureSimilarity(scorer="token_f1"), None),
        (StructureSimilarity(scorer="exact"), None),
        (EntailmentTree(), None),
    ):
        start = time.perf_counter()
        score = metric.corpus_score(pred=pred, gold=gold, model=model)
        print(f"{metric}: {time.perf_counter() - start:.1f} s  {score}")

    some = [np.random.default_rng(i).random((7, 7)) for i in range(20)]
    start = time.perf_counter()
    brute = [max(sum(m[i, p[i]] for i in range(7)) for p in itertools.permutations(range(7))) for m in some]
    slow = time.perf_counter() - start
    start = time.perf_counter()
    fast = [align_edges(m) for m in some]
    quick = time.perf_counter() - start
    same = np.allclose(brute, fast)
    print(
        f"20 alignments of 7 edges: brute force {slow:.2f} s, here {quick:.4f} s, ratio {slow / quick:.0f}, same {same}"
    )


if __name__ == "__main__":
    main()

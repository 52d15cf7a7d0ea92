"""Time and memory of FLC on a million predicted against a million gold spans.

python benchmarks/flc_million.py [--spans 1000000] [--texts 50000]
"""

import argparse
import random
import resource
import time

from fallax.core.types import GoldSpan, Prediction, Record, Span
from fallax.metrics import FLC

LABELS = [f"technique {i}" for i in range(18)]


def corpus(n_spans: int, n_texts: int, seed: int) -> tuple[list[Prediction], list[Record]]:
    """``n_spans`` predicted and gold spans, spread evenly; spans of one text overlap each other often."""
    random_ = random.Random(seed)
    each = n_spans // n_texts
    length = max(2_000, each * 20)
    text = "x" * length
    preds, golds = [], []

    def place() -> tuple[int, int]:
        start = random_.randrange(length - 1)
        return start, min(length, start + 1 + random_.randrange(200))

    for i in range(n_texts):
        spans: set[tuple[int, int, str]] = set()
        while len(spans) < each:
            spans.add((*place(), random_.choice(LABELS)))
        gold: dict[tuple[int, int], str] = {}
        while len(gold) < each:
            gold[place()] = random_.choice(LABELS)
        preds.append(Prediction(str(i), tuple(Span(*s) for s in spans)))
        golds.append(Record(str(i), text, tuple(GoldSpan(s, e, (x,)) for (s, e), x in gold.items())))
    return preds, golds


def quadratic(preds: list[Prediction], golds: list[Record]) -> tuple[float, float]:
    """Precision and recall by comparing every predicted span of a text with every gold span."""
    p = r = 0.0
    n_pred = n_gold = 0
    for pred, record in zip(preds, golds, strict=True):
        gold = record.gold or ()
        n_pred += len(pred.spans)
        n_gold += len(gold)
        for s in pred.spans:
            for t in gold:
                if s.label in t.labels and (shared := min(s.end, t.end) - max(s.start, t.start)) > 0:
                    p += shared / (s.end - s.start)
                    r += shared / (t.end - t.start)
    return p / n_pred, r / n_gold


def timed(what: str, n_spans: int, n_texts: int) -> float:
    preds, golds = corpus(n_spans, n_texts, seed=1)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
    start = time.perf_counter()
    score = FLC().corpus_score(pred=preds, gold=golds)
    took = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
    print(f"{what}: {took:.2f} s, peak {peak:.0f} MiB ({before:.0f} MiB before scoring)  {score}")
    return took


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--spans", type=int, default=1_000_000)
    parser.add_argument("--texts", type=int, default=50_000)
    args = parser.parse_args()
    timed(f"{args.spans} against {args.spans} spans over {args.texts} texts", args.spans, args.texts)
    timed("200000 against 200000 spans in one text", 200_000, 1)
    preds, golds = corpus(4_000, 1, seed=2)
    start = time.perf_counter()
    p, r = quadratic(preds, golds)
    slow = time.perf_counter() - start
    start = time.perf_counter()
    score = FLC().corpus_score(pred=preds, gold=golds)
    fast = time.perf_counter() - start
    same = abs(p - (score["precision"] or 0)) < 1e-9 and abs(r - (score["recall"] or 0)) < 1e-9
    print(f"4000 against 4000 spans in one text: {slow:.2f} s quadratic, {fast:.3f} s here, ratio {slow / fast:.0f}")
    print(f"same values: {same}")


if __name__ == "__main__":
    main()

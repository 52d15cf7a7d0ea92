"""Time of the soft span metric where it could be slow: overlapping alternatives, recorded models, a million spans.

python benchmarks/soft_span.py overlapping      80 overlapping gold spans of 3 alternatives each in one text
python benchmarks/soft_span.py recorded FOLDER  14 recorded models (gold.jsonl and model_outputs), 3 levels, P R F1
python benchmarks/soft_span.py million          1,000,000 predicted against as many gold spans over 50,000 texts
"""

import argparse
import random
import resource
import time
from pathlib import Path

from fallax.core.taxonomies import load_taxonomy
from fallax.core.types import GoldSpan, Prediction, Record, Span
from fallax.detection.benchmarks.mafalda_tables import reproduce
from fallax.metrics import SoftSpan

LABELS = load_taxonomy("mafalda").names


def overlapping(seed: int) -> tuple[Prediction, Record]:
    """80 gold spans, each overlapping its neighbours, with 3 alternatives, and 80 predicted ones among them."""
    random_ = random.Random(seed)
    text = "x" * 2_000
    gold: dict[tuple[int, int], tuple[str, ...]] = {}
    while len(gold) < 80:
        start = random_.randrange(1_700)
        gold[start, start + random_.randrange(60, 300)] = tuple(random_.sample(LABELS, 3))
    spans: set[Span] = set()
    while len(spans) < 80:
        start = random_.randrange(1_700)
        spans.add(Span(start, start + random_.randrange(60, 300), random_.choice(LABELS)))
    golds = tuple(GoldSpan(s, e, labels) for (s, e), labels in gold.items())
    return Prediction("1", tuple(sorted(spans))), Record("1", text, golds)


def million(n_spans: int, n_texts: int, seed: int) -> tuple[list[Prediction], list[Record]]:
    """Spans as sentences of a text make them: predicted and gold ones overlap, one alternative in three."""
    random_ = random.Random(seed)
    each = n_spans // n_texts
    length = each * 100
    text = "x" * length
    preds, golds = [], []
    for i in range(n_texts):
        spans: set[tuple[int, int, str]] = set()
        while len(spans) < each:
            start = random_.randrange(length - 1)
            spans.add((start, min(length, start + random_.randrange(20, 200)), random_.choice(LABELS)))
        gold: dict[tuple[int, int], tuple[str, ...]] = {}
        while len(gold) < each:
            start = random_.randrange(length - 1)
            place = (start, min(length, start + random_.randrange(20, 200)))
            gold[place] = tuple(random_.sample(LABELS, random_.choice((1, 1, 2))))
        preds.append(Prediction(str(i), tuple(Span(*s) for s in sorted(spans))))
        golds.append(Record(str(i), text, tuple(GoldSpan(s, e, x) for (s, e), x in gold.items())))
    return preds, golds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=("overlapping", "recorded", "million"))
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--spans", type=int, default=1_000_000)
    parser.add_argument("--texts", type=int, default=50_000)
    args = parser.parse_args()
    if args.part == "overlapping":
        for level in (0, 1, 2):
            worst = 0.0
            for seed in range(5):
                pred, gold = overlapping(seed)
                before = time.perf_counter()
                score = SoftSpan(level=level).corpus_score(pred=[pred], gold=[gold])
                worst = max(worst, time.perf_counter() - before)
            print(f"level {level}: slowest of 5 texts {worst:.3f} s (at most 1), last F1 {score['f1']:.4f}")
        return
    if args.part == "recorded":
        if args.folder is None:
            parser.error("recorded needs FOLDER")
        before = time.perf_counter()
        cells = reproduce(args.folder)
        print(f"{len(cells)} cells in {time.perf_counter() - before:.2f} s (both variants; at most 3 for one)")
        return
    preds, golds = million(args.spans, args.texts, seed=7)
    base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    before = time.perf_counter()
    score = SoftSpan().corpus_score(pred=preds, gold=golds)
    took = time.perf_counter() - before
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"{args.spans:,} spans in {args.texts:,} texts: {took:.1f} s (at most 60), peak {peak:.2f} GiB (at most 2;")
    print(f"the values themselves take {base:.2f}), F1 {score['f1']:.4f}")


if __name__ == "__main__":
    main()

"""What more data would bring: python benchmarks/detector_research.py FOLDER [--detector encoder]

FOLDER is what ``python scripts/train_encoder.py BASE --research --out FOLDER`` wrote: a detector trained with the sets
added that may be used but not shipped. Prints, for it and for the detector that ships, the six soft F1 on MAFALDA's
development texts at the thresholds that suit each best there, and the share of sentences that are then flagged in
ordinary text (250 of WikiText-2's) and in SmartyPat's benign sentences. Thresholds that keep false alarms within bounds
are another matter: see the cards.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from fallax.core.types import Record
from fallax.data import load_dataset
from fallax.detection.comparison import share_flagged
from fallax.detection.systems import SentenceDetector, load_detector
from fallax.detection.systems.base import RememberingScorer
from fallax.metrics import SoftSpan

THRESHOLDS = tuple(step / 50 for step in range(8, 46))
ALONE = (0.0, 0.7, 0.9)


def six(detector: SentenceDetector, gold: Sequence[Record]) -> list[float]:
    """The F1 of spans and texts at levels 0 to 2."""
    pred = [detector.detect(r) for r in gold]
    cells = [(unit, level) for unit in ("span", "text") for level in (0, 1, 2)]
    return [SoftSpan(level=v, unit=u).corpus_score(pred=pred, gold=gold)["f1"] or 0.0 for u, v in cells]  # type: ignore[arg-type]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--detector", default="encoder")
    args = parser.parse_args()
    gold = list(load_dataset("mafalda", taxonomy="mafalda"))
    ordinary = random.Random(0).sample(list(load_dataset("wikitext2")), 250)
    benign = list(load_dataset("smartypat", split="benign"))
    for name in (args.detector, args.folder):
        detector = load_detector(name)
        assert isinstance(detector, SentenceDetector)
        detector = replace(detector, scorer=RememberingScorer(detector.scorer))
        tried = [replace(detector.decoding, threshold=t, threshold_alone=a) for t in THRESHOLDS for a in ALONE]
        best = max(tried, key=lambda d: float(np.mean(six(replace(detector, decoding=d), gold))))
        chosen = replace(detector, decoding=best)
        f1 = " ".join(f"{x:.3f}" for x in six(chosen, gold))
        print(
            f"{detector.name} at {best.threshold} ({best.threshold_alone} alone): {f1}; flagged of ordinary sentences"
            f" {share_flagged(chosen, ordinary):.3f}, of benign ones {share_flagged(chosen, benign):.3f}",
            flush=True,
        )


if __name__ == "__main__":
    main()

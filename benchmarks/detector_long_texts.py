"""Do the fallacies of a long text rub off on one another: python benchmarks/detector_long_texts.py [--detector NAME]

Makes texts of four passages of this project's corpus, three that commit different fallacies and one that commits none,
from the stories that the detector that ships was not trained on (one in 12). Prints the soft F1 of spans at each level
with labels read from each flagged passage alone, and with labels read from the whole text; once with a paragraph for
each passage and once in a single paragraph; and for the passages by themselves.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from fallax.core.types import GoldSpan, Record
from fallax.detection.systems import SentenceDetector, load_detector
from fallax.detection.systems.passages import read_passages
from fallax.detection.training.examples import example_of, is_held_out
from fallax.metrics import SoftSpan

ROOT = Path(__file__).parents[1]
FOLDERS = ("passages", "passages_topics", "passages_posts")


def held_out(one_in: int) -> list[Record]:
    """Passages whose story was kept out of training."""
    found = []
    for folder in FOLDERS:
        for passage in read_passages(ROOT / "data" / folder):
            example = example_of(passage.record, taxonomy="mafalda")
            if example is not None and is_held_out(example, one_in):
                found.append(passage.record)
    return found


def joined(parts: Sequence[Record], between: str, name: str) -> Record:
    """Passages one after another as one text."""
    text, gold = "", []
    for part in parts:
        text += between if text else ""
        gold += [GoldSpan(g.start + len(text), g.end + len(text), g.labels) for g in part.gold or ()]
        text += part.text
    return Record(name, text, tuple(gold))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--detector", default="encoder")
    parser.add_argument("--one-in", type=int, default=12, help="as the training held out")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    detector = load_detector(args.detector)
    assert isinstance(detector, SentenceDetector)
    rng = random.Random(args.seed)
    records = held_out(args.one_in)
    faulty = [r for r in records if r.gold]
    sound = [r for r in records if not r.gold]
    rng.shuffle(faulty)
    rng.shuffle(sound)
    groups = []
    for i in range(0, len(faulty) - 2, 3):
        parts = [*faulty[i : i + 3], sound[(i // 3) % len(sound)]]
        rng.shuffle(parts)
        groups.append(parts)
    texts = {
        "four paragraphs": [joined(g, "\n\n", str(i)) for i, g in enumerate(groups)],
        "one paragraph": [joined(g, " ", str(i)) for i, g in enumerate(groups)],
        "passages by themselves": [*faulty, *sound],
    }
    print(f"{detector.name}, {len(faulty)} passages with a fallacy and {len(sound)} without, none seen in training")
    for name, gold in texts.items():
        for alone in (False, True):
            tried = replace(detector, decoding=replace(detector.decoding, labels_alone=alone))
            pred = [tried.detect(r) for r in gold]
            f1 = [SoftSpan(level=level).corpus_score(pred=pred, gold=gold)["f1"] or 0.0 for level in (0, 1, 2)]
            how = "each passage alone" if alone else "the whole text"
            print(f"{name}, {len(gold)} texts, labels from {how}: " + " ".join(f"{x:.3f}" for x in f1), flush=True)


if __name__ == "__main__":
    main()

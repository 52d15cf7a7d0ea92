"""How many sentences of ordinary text a detector flags: python benchmarks/false_alarms.py PATH... [--system NAME]"""

import argparse
import time

from fallax.core.texts import sentence_spans
from fallax.data import read_texts
from fallax.detection.systems import load_detector


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="+", help="texts, or folders of them")
    parser.add_argument("--system", default=None)
    args = parser.parse_args()
    detector = load_detector(args.system)
    n = flagged = texts = 0
    before = time.perf_counter()
    for record in read_texts(args.paths):
        texts += 1
        found = detector.detect(record).spans
        for start, end in sentence_spans(record.text):
            n += 1
            flagged += any(s.start < end and s.end > start for s in found)
    took = time.perf_counter() - before
    print(f"{detector.name}: {flagged} of {n} sentences of {texts} texts flagged, {flagged / n:.2%}")
    print(f"{n / took:.0f} sentences per second, sentence splitting included")


if __name__ == "__main__":
    main()

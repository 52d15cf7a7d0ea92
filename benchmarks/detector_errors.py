"""Wrong predictions to read by hand: python benchmarks/detector_errors.py [--system NAME] > errors.txt

Draws 40 of the detector's errors on MAFALDA's development texts and 30 each on those of LOGIC and CoCoLoFa, with the
seed, and prints for each what was said, the gold labels, the passage and the text. On MAFALDA an error is one of a
passage, on the other sets, which label whole texts, one of a text. The texts are those of FALLAX_DATA: keep them there.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator
from dataclasses import dataclass

from fallax.core.taxonomies import map_label
from fallax.core.types import NO_FALLACY, GoldSpan, Record, Span
from fallax.data import DATASETS, load_dataset
from fallax.detection.systems import Detector, load_detector

SETS = (("mafalda", 40), ("logic", 30), ("cocolofa", 30))


@dataclass(frozen=True)
class Fault:
    """One wrong prediction."""

    kind: str
    record: Record
    said: str = "-"
    gold: str = "-"
    passage: str = ""


def in_passages(detector: Detector, record: Record) -> Iterator[Fault]:
    """The errors in a text whose passages are annotated."""
    said = detector.detect(record).spans
    gold = [g for g in record.gold or () if g.labels != (NO_FALLACY,)]

    def meet(span: Span, other: GoldSpan) -> bool:
        return min(span.end, other.end) > max(span.start, other.start)

    for span in said:
        there = [g for g in gold if meet(span, g)]
        passage = record.text[span.start : span.end]
        if not there:
            yield Fault("false alarm", record, span.label, "-", passage)
        elif not any(span.label in g.labels for g in there):
            yield Fault("wrong label", record, span.label, "; ".join("/".join(g.labels) for g in there), passage)
    for g in gold:
        if not any(meet(span, g) for span in said):
            yield Fault("missed", record, "-", "/".join(g.labels), record.text[g.start : g.end])


def in_text(detector: Detector, record: Record, taxonomy: str) -> Iterator[Fault]:
    """The error in a text that is labelled as a whole, if there is one."""
    if record.gold is None:
        return
    said = detector.detect(record).spans
    gold = {label for g in record.gold for label in g.labels} - {NO_FALLACY}
    right = set()
    for label in gold:
        right.update(map_label(label, taxonomy, "mafalda") or map_label(label, taxonomy, "mafalda", allow=["narrower"]))
    labels = "/".join(dict.fromkeys(s.label for s in said))
    passages = " | ".join(dict.fromkeys(record.text[s.start : s.end] for s in said))
    if gold and not said:
        yield Fault("missed", record, "-", "/".join(sorted(gold)))
    elif gold and right and not any(s.label in right for s in said):
        yield Fault("wrong label", record, labels, "/".join(sorted(gold)), passages)
    elif not gold and said:
        yield Fault("false alarm", record, labels, "-", passages)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--system", default="encoder")
    parser.add_argument("--seed", type=int, default=5)
    args = parser.parse_args()
    detector = load_detector(args.system)
    rng = random.Random(args.seed)
    number = 0
    for name, n in SETS:
        taxonomy = DATASETS[name].taxonomy
        records = list(load_dataset(name, split="dev", taxonomy=taxonomy))
        if name == "mafalda":
            faults = [f for r in records for f in in_passages(detector, r)]
        else:
            faults = [f for r in records for f in in_text(detector, r, taxonomy)]
        rng.shuffle(faults)
        for fault in faults[:n]:
            number += 1
            print(f"=== {number} [{name}, {len(faults)} errors] {fault.kind}: said {fault.said}, gold {fault.gold}")
            print(f"passage: {fault.passage}\ntext: {fault.record.title} || {fault.record.text}\n")


if __name__ == "__main__":
    main()

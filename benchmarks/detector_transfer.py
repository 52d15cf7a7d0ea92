"""How a detector does on sets it was not trained on: python benchmarks/detector_transfer.py [--detector NAME]

For each set of FALLAX_DATA: texts, the area under the ROC curve of "any fallacy" (where the set has both kinds of
texts), the share of fallacious texts whose likeliest label is right (where the set's label stands for several of ours,
any of them), and the share of texts flagged. Then, on MAFALDA's texts, the F1 by kind and by number of sentences, and
the soft precision and recall by label.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from sklearn.metrics import roc_auc_score

from fallax.core.taxonomies import map_label
from fallax.core.types import NO_FALLACY, Record
from fallax.data import DATASETS, load_dataset
from fallax.detection.systems import SentenceDetector, load_detector
from fallax.detection.systems.base import parts_of
from fallax.metrics import SoftSpan

SETS = (
    ("reddit_informal_fallacies", "dev"), ("argotario", "dev"), ("flicc", "dev"), ("logic", "dev"), ("logic", "train"),
    ("cocolofa", "dev"), ("elecdeb60to20_fallacy", "dev"), ("alhindi_climate_covid", "dev"), ("lfud", "dev"),
    ("fallacies_hong2024", "dev"), ("touche26_fallacy", "train"), ("smartypat", "posts"), ("smartypat", "benign"),
)  # fmt: skip


def candidates(record: Record, taxonomy: str) -> set[str]:
    found: set[str] = set()
    for label in {x for g in record.gold or () for x in g.labels if x != NO_FALLACY}:
        sure = map_label(label, taxonomy, "mafalda")
        found.update(sure or map_label(label, taxonomy, "mafalda", allow=["narrower"]))
    return found


def transfer(detector: SentenceDetector, name: str, split: str, limit: int) -> str:
    taxonomy = DATASETS[name].taxonomy
    records = [r for r in load_dataset(name, split=split, taxonomy=taxonomy) if r.gold is not None or split == "benign"]
    records = records[:: max(1, len(records) // limit)][:limit]
    fallacious, surest, right, flagged = [], [], [], []
    for record in records:
        parts = parts_of(record)
        title, places = parts.title, parts.places
        if not places:
            continue
        p = detector.scorer.probabilities([record.text[a:b] for a, b in places], title=title)
        labels = {x for g in record.gold or () for x in g.labels} - {NO_FALLACY}
        fallacious.append(bool(labels))
        surest.append(p.sum(axis=1).max())
        flagged.append(bool(detector.detect(record).spans))
        known = candidates(record, taxonomy)
        if known:
            right.append(detector.scorer.labels[int(p.sum(axis=0).argmax())] in known)
    both = 0 < sum(fallacious) < len(fallacious)
    auc = f"{roc_auc_score(fallacious, surest):.3f}" if both else "-"
    top = f"{np.mean(right):.3f}" if right else "-"
    return f"| {name} {split} | {len(fallacious)} | {auc} | {top} | {np.mean(flagged):.3f} |"


def source_of(record: Record) -> str:
    if "TITLE:" in record.text:
        return "titled post or article"
    return "other"


def by_part(detector: SentenceDetector, records: Sequence[Record]) -> None:
    pred = {r.id: detector.detect(r) for r in records}
    parts: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        n = len(parts_of(record).places)
        parts[source_of(record)].append(record)
        parts[
            "1 sentence" if n == 1 else "2-3 sentences" if n < 4 else "4-6 sentences" if n < 7 else "7 and more"
        ].append(record)
    print("\n| part of MAFALDA | texts | span 0 | span 1 | span 2 | text 0 | text 1 | text 2 |\n" + "|---" * 8 + "|")
    for name, found in sorted(parts.items()):
        cells = [
            SoftSpan(level=level, unit=unit).corpus_score(pred=[pred[r.id] for r in found], gold=found)["f1"]
            for unit in ("span", "text")
            for level in (0, 1, 2)
        ]
        print(f"| {name} | {len(found)} | " + " | ".join(f"{c:.3f}" for c in cells) + " |")
    score = SoftSpan(level=2).corpus_score(pred=list(pred.values()), gold=list(records))
    print("\n| label | predicted | precision | gold | recall |\n|---|---|---|---|---|")
    for name, part in sorted(score.parts["label"].items()):
        sums = part.sums
        shown = ["-" if part.values[m] is None else f"{part.values[m]:.2f}" for m in ("precision", "recall")]
        print(f"| {name} | {sums['n_pred']:.0f} | {shown[0]} | {sums['n_gold']:.0f} | {shown[1]} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--detector", default="encoder")
    parser.add_argument("--limit", type=int, default=400)
    args = parser.parse_args()
    detector = load_detector(args.detector)
    assert isinstance(detector, SentenceDetector)
    print("| set | texts | AUC | label right | flagged |\n|---|---|---|---|---|")
    for name, split in SETS:
        print(transfer(detector, name, split, args.limit), flush=True)
    by_part(detector, list(load_dataset("mafalda", taxonomy="mafalda")))


if __name__ == "__main__":
    main()

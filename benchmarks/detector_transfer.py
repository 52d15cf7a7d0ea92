"""How a detector does on sets it was not trained on: python benchmarks/detector_transfer.py [--limit N] [--write]

For each set of FALLAX_DATA: texts, the area under the ROC curve of "any fallacy" (where the set has both kinds of
texts), the share of fallacious texts whose likeliest label is right (where the set's label stands for several of ours,
any of them), the share of texts flagged, and whether the detector's card names the set among what it was trained on or
the part chose settings. Then, on MAFALDA's texts, the F1 by kind and by number of sentences.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from _measured import command_of, parser_of, told
from sklearn.metrics import roc_auc_score

from fallax.core.taxonomies import map_label
from fallax.core.types import NO_FALLACY, Record
from fallax.data import DATASETS, load_dataset
from fallax.detection.measured import Measured
from fallax.detection.systems import SentenceDetector, load_detector
from fallax.detection.systems.base import parts_of
from fallax.metrics import SoftSpan

SETS = (
    ("reddit_informal_fallacies", "dev"), ("argotario", "dev"), ("flicc", "dev"), ("logic", "dev"), ("logic", "train"),
    ("cocolofa", "dev"), ("elecdeb60to20_fallacy", "dev"), ("alhindi_climate_covid", "dev"), ("lfud", "dev"),
    ("fallacies_hong2024", "dev"), ("touche26_fallacy", "train"), ("smartypat", "posts"), ("smartypat", "benign"),
)  # fmt: skip


#: Whose texts a set has, under the name of the card.
SEEN_AS = {"touche26_fallacy": "reddit_informal_fallacies"}
#: Sets of which only the training part was trained on.
OTHER_PART = ("flicc",)
#: Parts that no training read, but that chose settings (docs/design/detector-training.md).
CHOSE = {
    ("cocolofa", "dev"): "no; chose settings, calibrates confidences",
    ("logic", "dev"): "no; chose weights",
    ("lfud", "dev"): "no; chose weights",
}


def candidates(record: Record, taxonomy: str) -> set[str]:
    found: set[str] = set()
    for label in {x for g in record.gold or () for x in g.labels if x != NO_FALLACY}:
        sure = map_label(label, taxonomy, "mafalda")
        found.update(sure or map_label(label, taxonomy, "mafalda", allow=["narrower"]))
    return found


def transfer(detector: SentenceDetector, name: str, split: str, limit: int) -> tuple[str, ...]:
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
    auc = f"{roc_auc_score(fallacious, surest):.2f}" if both else "-"
    top = f"{np.mean(right):.2f}" if right else "-"
    seen = SEEN_AS.get(name, name) in {row["name"] for row in detector.card().get("trained_on", ())}
    if seen:
        said = "its training part" if split == "dev" and name in OTHER_PART else "yes"
    else:
        said = CHOSE.get((name, split), "no")
    return f"{name} {split}", str(len(fallacious)), auc, top, f"{np.mean(flagged):.2f}", said


def source_of(record: Record) -> str:
    if "TITLE:" in record.text:
        return "titled post or article"
    return "other"


def by_part(detector: SentenceDetector, records: Sequence[Record], command: str) -> Measured:
    pred = {r.id: detector.detect(r) for r in records}
    parts: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        n = len(parts_of(record).places)
        parts[source_of(record)].append(record)
        parts[
            "1 sentence" if n == 1 else "2-3 sentences" if n < 4 else "4-6 sentences" if n < 7 else "7 and more"
        ].append(record)
    rows = []
    for name, found in sorted(parts.items()):
        cells = [
            SoftSpan(level=level, unit=unit).corpus_score(pred=[pred[r.id] for r in found], gold=found)["f1"]
            for unit in ("span", "text")
            for level in (0, 1, 2)
        ]
        rows.append((name, str(len(found)), *(f"{c:.2f}" for c in cells)))
    columns = ("part of MAFALDA", "texts", "span 0", "span 1", "span 2", "text 0", "text 1", "text 2")
    return Measured("mafalda_parts", detector.name, command, columns, tuple(rows))


def main(argv: Sequence[str] | None = None) -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--limit", type=int, default=400)
    args = parser.parse_args(argv)
    detector = load_detector(args.system)
    assert isinstance(detector, SentenceDetector)
    command = command_of(__file__, argv)
    rows = tuple(transfer(detector, name, split, args.limit) for name, split in SETS)
    columns = ("set", "texts", "AUC of any fallacy", "likeliest label right", "texts flagged", "trained on")
    texts = list(load_dataset("mafalda", taxonomy="mafalda"))[: args.limit]
    told([Measured("transfer", detector.name, command, columns, rows), by_part(detector, texts, command)], args.write)


if __name__ == "__main__":
    main()

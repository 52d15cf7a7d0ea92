"""What the detector does on human prose, kind by kind: python benchmarks/detector_prose.py [--texts N]

1. False alarms apart for council turns, news and comments: the share of texts and of sentences that are flagged, with
   95 % intervals over documents, on documents that training held out (one in 12; permitted open sets) and on CoCoLoFa's
   development comments without a fallacy, which nothing is trained on.
2. Label by label on passages held out of training: how many, flagged with the right label, right label the likeliest
   whatever the threshold says; and which labels are never right.
3. MAFALDA's development texts: soft precision, recall and F1 of each label, the mean F1 over the labels of the gold,
   and how many labels are right at least once.

``--texts`` bounds the texts of each kind in 1, drawn with ``--seed``.
"""

from __future__ import annotations

import argparse
import random
from collections import defaultdict

import numpy as np
from detector_long_texts import held_out

from fallax.core.types import NO_FALLACY, Record
from fallax.data import data_root, load_dataset
from fallax.detection.systems import SentenceDetector, load_detector
from fallax.detection.systems.base import parts_of
from fallax.detection.training.examples import is_held_out
from fallax.detection.training.prose import prose_examples
from fallax.metrics import SoftSpan

HOLD_OUT = 12
#: kind -> open sets whose held-out documents are of it.
KINDS = {
    "council and parliament": ("plain_qmsum", "plain_europarl"),
    "news": ("plain_global_voices", "plain_pud"),
    "comments, held out": ("plain_goemotions", "plain_ewt"),
}


def ordinary(names: tuple[str, ...]) -> list[tuple[str, Record]]:
    """The documents and texts of open sets that training held out."""
    found = []
    for name in names:
        for i, e in enumerate(prose_examples(name, data_root())[0]):
            if is_held_out(e, HOLD_OUT):
                found.append((e.group, Record(f"{name}-{i}", " ".join(e.sentences), title=e.title)))
    return found


def comments() -> list[tuple[str, Record]]:
    """CoCoLoFa's development comments without a fallacy; those under one article are one document."""
    records = load_dataset("cocolofa", split="dev")
    return [(r.title or r.id, r) for r in records if all(g.labels == (NO_FALLACY,) for g in r.gold or ())]


def share(rows: dict[str, list[tuple[int, int]]], seed: int) -> str:
    """Flagged of all, by document, with an interval that resamples documents."""
    sums = np.array([np.array(x).sum(axis=0) for x in rows.values()], dtype=float)
    drawn = np.random.default_rng(seed).integers(0, len(sums), (2000, len(sums)))
    flagged, n = sums[drawn, 0].sum(axis=1), sums[drawn, 1].sum(axis=1)
    low, high = np.quantile(flagged / np.maximum(n, 1), [0.025, 0.975])
    return f"{sums[:, 0].sum() / sums[:, 1].sum():.4f} [{low:.4f}, {high:.4f}]"


def false_alarms(detector: SentenceDetector, kind: str, texts: list[tuple[str, Record]], n: int, seed: int) -> str:
    by_text: dict[str, list[tuple[int, int]]] = defaultdict(list)
    by_sentence: dict[str, list[tuple[int, int]]] = defaultdict(list)
    drawn = random.Random(seed).sample(texts, min(n, len(texts)))
    for group, record in drawn:
        spans, places = detector.detect(record).spans, parts_of(record).places
        flagged = sum(any(s.start < b and s.end > a for s in spans) for a, b in places)
        by_text[group].append((int(bool(spans)), 1))
        by_sentence[group].append((flagged, len(places)))
    n_sentences = sum(n for rows in by_sentence.values() for _, n in rows)
    shares = f"{share(by_text, seed)} | {share(by_sentence, seed)}"
    return f"| {kind} | {len(by_text)} | {len(drawn)} | {n_sentences} | {shares} |"


def by_label(detector: SentenceDetector) -> None:
    labels = detector.scorer.labels
    counts: dict[str, list[int]] = {label: [0, 0, 0] for label in labels}
    for text, (number,) in ((text, found) for text, found in held_out(HOLD_OUT) if len(found) == 1):
        record = Record("passage", text)
        sentences = [text[a:b] for a, b in parts_of(record).places]
        row = counts[labels[number]]
        row[0] += 1
        row[1] += any(s.label == labels[number] for s in detector.detect(record).spans)
        row[2] += int(detector.scorer.probabilities(sentences).sum(axis=0).argmax()) == number
    print("\n| label | held-out passages | flagged and right | likeliest |\n|---|---|---|---|")
    for label, (n, right, likeliest) in counts.items():
        print(f"| {label} | {n} | {right} | {likeliest} |")
    never = [label for label, (n, right, _) in counts.items() if n and not right]
    print(f"never right: {', '.join(never) or 'none'}; without a passage: "
          f"{', '.join(label for label, (n, _, _) in counts.items() if not n) or 'none'}")  # fmt: skip


def on_mafalda(detector: SentenceDetector) -> None:
    gold = list(load_dataset("mafalda", taxonomy="mafalda"))
    score = SoftSpan(level=2).corpus_score(pred=[detector.detect(r) for r in gold], gold=gold)
    print("\n| label, MAFALDA dev | gold | precision | recall | F1 |\n|---|---|---|---|---|")
    values, right = [], 0
    for label, part in sorted(score.parts["label"].items()):
        if not part.sums["n_gold"]:
            continue
        p, r = part.values["precision"] or 0.0, part.values["recall"] or 0.0
        values.append(2 * p * r / (p + r) if p + r else 0.0)
        right += r > 0
        print(f"| {label} | {part.sums['n_gold']:.0f} | {p:.2f} | {r:.2f} | {values[-1]:.3f} |")
    print(f"mean F1 over {len(values)} labels of the gold {np.mean(values):.3f}; {right} of them right at least once")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--detector", default="encoder")
    parser.add_argument("--texts", type=int, default=300, help="of each kind")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    detector = load_detector(args.detector)
    assert isinstance(detector, SentenceDetector)
    print(
        f"{detector.name}\n| kind | documents | texts | sentences | texts flagged | sentences flagged |\n"
        + "|---" * 6
        + "|"
    )
    for kind, names in KINDS.items():
        print(false_alarms(detector, kind, ordinary(names), args.texts, args.seed), flush=True)
    print(false_alarms(detector, "comments, CoCoLoFa", comments(), args.texts, args.seed), flush=True)
    by_label(detector)
    on_mafalda(detector)


if __name__ == "__main__":
    main()

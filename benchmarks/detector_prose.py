"""What the detector does on human prose, kind by kind: python benchmarks/detector_prose.py [--texts N] [--write]

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

import random
from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from _measured import command_of, parser_of, told
from detector_long_texts import held_out

from fallax.core.types import NO_FALLACY, Record
from fallax.data import data_root, load_dataset
from fallax.detection.measured import Measured
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
    low, high = 100 * np.quantile(flagged / np.maximum(n, 1), [0.025, 0.975])
    return f"{100 * sums[:, 0].sum() / sums[:, 1].sum():.1f} % [{low:.1f}, {high:.1f}]"


def false_alarms(
    detector: SentenceDetector, kind: str, texts: list[tuple[str, Record]], n: int, seed: int
) -> tuple[str, ...]:
    by_text: dict[str, list[tuple[int, int]]] = defaultdict(list)
    by_sentence: dict[str, list[tuple[int, int]]] = defaultdict(list)
    drawn = random.Random(seed).sample(texts, min(n, len(texts)))
    for group, record in drawn:
        spans, places = detector.detect(record).spans, parts_of(record).places
        flagged = sum(any(s.start < b and s.end > a for s in spans) for a, b in places)
        by_text[group].append((int(bool(spans)), 1))
        by_sentence[group].append((flagged, len(places)))
    n_sentences = sum(n for rows in by_sentence.values() for _, n in rows)
    shares = share(by_text, seed), share(by_sentence, seed)
    return kind, str(len(by_text)), str(len(drawn)), str(n_sentences), *shares


def by_label(detector: SentenceDetector, command: str) -> Measured:
    labels = detector.scorer.labels
    counts: dict[str, list[int]] = {label: [0, 0, 0] for label in labels}
    for text, (number,) in ((text, found) for text, found in held_out(HOLD_OUT) if len(found) == 1):
        record = Record("passage", text)
        sentences = [text[a:b] for a, b in parts_of(record).places]
        row = counts[labels[number]]
        row[0] += 1
        row[1] += any(s.label == labels[number] for s in detector.detect(record).spans)
        row[2] += int(detector.scorer.probabilities(sentences).sum(axis=0).argmax()) == number
    never = [label for label, (n, right, _) in counts.items() if n and not right]
    without = [label for label, (n, _, _) in counts.items() if not n]
    note = f"Never right: {', '.join(never) or 'none'}; without a passage: {', '.join(without) or 'none'}."
    rows = tuple((label, *map(str, row)) for label, row in counts.items())
    columns = ("label", "held-out passages", "flagged and right", "right label the likeliest")
    return Measured("labels_held_out", detector.name, command, columns, rows, note)


def on_mafalda(detector: SentenceDetector, command: str) -> Measured:
    gold = list(load_dataset("mafalda", taxonomy="mafalda"))
    score = SoftSpan(level=2).corpus_score(pred=[detector.detect(r) for r in gold], gold=gold)
    values, right, rows = [], 0, []
    for label, part in sorted(score.parts["label"].items()):
        if not part.sums["n_gold"]:
            continue
        p, r = part.values["precision"] or 0.0, part.values["recall"] or 0.0
        values.append(2 * p * r / (p + r) if p + r else 0.0)
        right += r > 0
        rows.append((label, f"{part.sums['n_gold']:.0f}", f"{p:.2f}", f"{r:.2f}", f"{values[-1]:.2f}"))
    note = f"Mean F1 over the {len(values)} labels of the gold {np.mean(values):.3f}; {right} are right at least once."
    columns = ("label", "gold", "precision", "recall", "F1")
    return Measured("labels_mafalda", detector.name, command, columns, tuple(rows), note)


def main(argv: Sequence[str] | None = None) -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--texts", type=int, default=300, help="of each kind")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args(argv)
    detector = load_detector(args.system)
    assert isinstance(detector, SentenceDetector)
    kinds = {**{kind: ordinary(names) for kind, names in KINDS.items()}, "comments, CoCoLoFa": comments()}
    rows = tuple(false_alarms(detector, kind, texts, args.texts, args.seed) for kind, texts in kinds.items())
    command = command_of(__file__, argv)
    columns = ("kind", "documents", "texts", "sentences", "texts flagged", "sentences flagged")
    alarms = Measured("false_alarms", detector.name, command, columns, rows)
    told([alarms, by_label(detector, command), on_mafalda(detector, command)], args.write)


if __name__ == "__main__":
    main()

"""The detector on texts made up by hand: python benchmarks/detector_plain_texts.py [--texts N] [--write]

The texts of data/plain_texts trained nothing. Prints how many of the ordinary ones are flagged; of
the passages with a fallacy, how many are found and have a right label, alone and in texts with several; how many
findings touch no marked passage; and the same for whole texts with one fallacy each, joined at random into paragraphs
of two, three and four with an ordinary sentence between.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from typing import Any

from _measured import ROOT, command_of, parser_of, told
from detector_long_texts import joined

from fallax.core.types import Record, Span
from fallax.detection.measured import Measured
from fallax.detection.systems import Detector, load_detector

PATH = ROOT / "data" / "plain_texts" / "texts.jsonl"
#: Begin, end and right labels of a passage with a fallacy.
Marked = tuple[int, int, tuple[str, ...]]


def rows_of() -> list[dict[str, Any]]:
    """The texts, with their passages located."""
    rows: list[dict[str, Any]] = [json.loads(line) for line in PATH.read_text(encoding="utf-8").splitlines()]
    for row in rows:
        row["marked"] = [located(row["text"], f["span"], f["labels"]) for f in row["fallacies"]]
    return rows


def located(text: str, passage: str, labels: Sequence[str]) -> Marked:
    start = text.index(passage)
    return start, start + len(passage), tuple(labels)


def outcome(spans: Sequence[Span], marked: Sequence[Marked]) -> tuple[int, int, int]:
    """How many passages are found, how many have a right label, and how many findings touch none."""
    found = right = 0
    for start, end, labels in marked:
        hits = [s.label for s in spans if s.start < end and s.end > start]
        found += bool(hits)
        right += any(label in labels for label in hits)
    extra = sum(all(s.start >= end or s.end <= start for start, end, _ in marked) for s in spans)
    return found, right, extra


def of_kinds(detector: Detector, rows: Sequence[dict[str, Any]]) -> Iterator[tuple[str, ...]]:
    for kind in ("ordinary", "one", "several"):
        own = [r for r in rows if r["kind"] == kind]
        seen = [(detector.detect(Record(r["id"], r["text"])).spans, r["marked"]) for r in own]
        found, right, extra = (sum(x) for x in zip(*(outcome(*pair) for pair in seen), strict=True))
        passages = sum(len(marked) for _, marked in seen)
        flagged = sum(bool(spans) for spans, _ in seen)
        of = f" of {passages}" if passages else ""
        shares = (f"{found}{of}", f"{right}{of}") if passages else ("", "")
        yield kind, str(len(own)), str(flagged), *shares, str(extra)


def of_joined(detector: Detector, rows: Sequence[dict[str, Any]], texts: int, seed: int) -> Iterator[tuple[str, ...]]:
    passages = [(r["text"], tuple(r["marked"])) for r in rows if r["kind"] == "one"]
    for n in (1, 2, 3, 4):
        rng = random.Random(seed)
        total = found = right = flagged = between = 0
        for i in range(texts):
            parts = rng.sample(passages, n)
            text, neutral = joined([(p, ()) for p, _ in parts], rng, " ")
            spans = detector.detect(Record(str(i), text)).spans
            marked = [
                (text.index(p) + start, text.index(p) + end, labels) for p, own in parts for start, end, labels in own
            ]
            more = outcome(spans, marked)
            total, found, right = total + len(marked), found + more[0], right + more[1]
            places = [(text.index(s), text.index(s) + len(s)) for s in neutral]
            between += len(places)
            flagged += sum(any(s.start < end and s.end > start for s in spans) for start, end in places)
        ordinary = f"{flagged / between:.2f}" if between else ""
        yield str(n), str(total), f"{found / total:.2f}", f"{right / total:.2f}", ordinary


def main(argv: Sequence[str] | None = None) -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--texts", type=int, default=100, help="joined texts of each length")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args(argv)
    detector, rows, command = load_detector(args.system), rows_of(), command_of(__file__, argv)
    columns = ("texts", "in all", "flagged", "passages found", "right label", "other findings")
    tables = [Measured("plain_texts", detector.name, command, columns, tuple(of_kinds(detector, rows)))]
    columns = ("texts joined", "passages", "found", "right label", "ordinary sentence flagged")
    found = tuple(of_joined(detector, rows, args.texts, args.seed))
    tables.append(Measured("plain_joined", detector.name, command, columns, found))
    told(tables, args.write)


if __name__ == "__main__":
    main()

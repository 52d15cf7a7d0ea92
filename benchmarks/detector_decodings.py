"""Costs of decoding set side by side, at equal false alarms: python benchmarks/detector_decodings.py [CHANGE,LABEL ...]

CHANGE,LABEL are the costs of a change of flag and of label; default: those that were compared for version 5. For each
pair the threshold is the lowest at which ordinary texts are flagged no more often than `choose` of
scripts/train_encoder.py allows. Then, with that threshold: the share of held-out passages whose right label is found,
one alone and two to four joined; and of the sentences of a fallacy in CoCoLoFa's development comments and in held-out
written texts the share found, and the share found with the right label (of two labels given, half each).

These sets may choose settings, MAFALDA's may not. Needs FALLAX_DATA and torch. --limit and --texts give a quick look.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from _measured import command_of
from detector_long_texts import FOLDERS, joined_rows

sys.path.insert(0, str(Path(__file__).parents[1] / "scripts"))
from train_encoder import HOLD_OUT, choose, comments_with_fallacy, sources

from fallax.detection.measured import Measured
from fallax.detection.systems import SentenceDetector, load_detector
from fallax.detection.systems.base import RememberingScorer
from fallax.detection.systems.decoding import spans_of
from fallax.detection.training.confidence import HeldOutTexts, held_out_of
from fallax.detection.training.examples import SentenceExample

COSTS = ("1,2", "1,1", "1,.5", "1,.25", ".5,.5", "0,.5")


def found_and_right(detector: SentenceDetector, examples: Sequence[SentenceExample]) -> tuple[float, float]:
    """Of the sentences of a fallacy the share found; of those whose label is known the share found with it."""
    found: list[float] = []
    right: list[float] = []
    for e in examples:
        p = detector.scorer.probabilities(e.sentences, title=e.title)
        runs = spans_of(p, detector.decoding, groups=detector.groups())
        for i, (flagged, candidates) in enumerate(zip(e.flagged, e.candidates, strict=True)):
            if flagged > 0.5:
                labels = {r.label for r in runs if r.first <= i < r.end}
                found.append(float(bool(labels)))
                if candidates:
                    right.append(len(labels & set(candidates)) / max(1, len(labels)))
    return float(np.mean(found)), float(np.mean(right))


def row_of(
    detector: SentenceDetector,
    costs: str,
    held: HeldOutTexts,
    sets: Sequence[Sequence[SentenceExample]],
    texts: int,
) -> tuple[str, ...]:
    """The line of a pair of costs."""
    change, label = map(float, costs.split(","))
    tried = replace(detector, decoding=replace(detector.decoding, change_cost=change, relabel_cost=label))
    tried = replace(tried, decoding=replace(tried.decoding, threshold=choose(tried, held)))
    joined = [row[3] for row in joined_rows(tried, HOLD_OUT, texts, 0) if row[1] in ("alone", "one paragraph")]
    shares = [f"{found:.2f}, {right:.3f}" for found, right in (found_and_right(tried, s) for s in sets)]
    return costs.replace(",", ", "), f"{tried.decoding.threshold:.2f}", ", ".join(joined), *shares


def main(argv: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("costs", nargs="*", metavar="CHANGE,LABEL", default=list(COSTS))
    parser.add_argument("--system", default="encoder")
    parser.add_argument("--texts", type=int, default=60, help="joined texts of each length")
    parser.add_argument("--limit", type=int, help="held-out texts of each source and comments at most; default all")
    args = parser.parse_args(argv)
    for costs in args.costs:
        try:
            change, label = map(float, costs.split(","))
        except ValueError:
            change = label = -1.0
        if not (0 <= change < np.inf and 0 <= label < np.inf):
            parser.error(f"argument CHANGE,LABEL: must be two numbers of 0 or more, such as 1,.5, got {costs!r}")
    if args.texts < 1 or (args.limit is not None and args.limit < 1):
        parser.error("arguments --texts and --limit: must be 1 or more")
    detector = load_detector(args.system)
    assert isinstance(detector, SentenceDetector)
    detector = replace(detector, scorer=RememberingScorer(detector.scorer))
    held = held_out_of(sources(), HOLD_OUT)
    held = HeldOutTexts({name: examples[: args.limit] for name, examples in held.sources.items()})
    written = [
        e for name, own in held.sources.items() if Path(name).name in (*FOLDERS, "passages_prose") for e in own
        if any(e.candidates)
    ]  # fmt: skip
    sets = (comments_with_fallacy()[: args.limit], written)
    columns = (
        "cost of a change of flag, of label", "threshold", "joined 1 to 4", "CoCoLoFa found, label",
        "written found, label",
    )  # fmt: skip
    rows = tuple(row_of(detector, costs, held, sets, args.texts) for costs in args.costs)
    note = f"{len(sets[0])} comments and {len(written)} written texts; {args.texts} joined texts of each length."
    print(Measured("decodings", detector.name, command_of(__file__, argv), columns, rows, note).markdown())


if __name__ == "__main__":
    main()

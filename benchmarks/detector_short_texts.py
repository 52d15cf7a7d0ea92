"""The detector on short texts in threes: python benchmarks/detector_short_texts.py [--limit N] [--write]

Each three is about one matter. In data/passages_short: a fallacy; sound reasoning that looks like it; and an ordinary
text with its tell-tale words. In data/passages_contrast: a fallacy; another one that is easily mixed up with it; and
sound reasoning. Prints how many of each are flagged, and how many fallacies have the right label, with 95 % intervals
over matters: for writers of whom nothing trained (the folders "aside"), and for the matters of the others that training
held out (one in 12).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from _measured import ROOT, command_of, parser_of, told

from fallax.core.types import Record
from fallax.detection.measured import Measured
from fallax.detection.systems import Detector, load_detector
from fallax.detection.training.examples import SentenceExample, is_held_out
from fallax.detection.training.prose import written_examples

HOLD_OUT = 12
#: Folder -> the kinds of its three texts, and how the ids begin of the texts of each writer of whom nothing trained.
FOLDERS = {
    "passages_short": (("fallacy", "looks like it", "ordinary"), {"writer aside h": "h-", "writer aside o": "o-"}),
    "passages_contrast": (("fallacy", "a fallacy close to it", "sound"), {"writer aside v": "v-"}),
}


def matters(texts: Sequence[SentenceExample]) -> list[Sequence[SentenceExample]]:
    """The three texts of each matter, in the order of their kinds, as the files have them."""
    found: dict[str, list[SentenceExample]] = {}
    for e in texts:
        found.setdefault(e.group, []).append(e)
    return list(found.values())


def measured(detector: Detector, labels: Sequence[str], threes: Sequence[Sequence[SentenceExample]]) -> np.ndarray:
    """For each matter: whether each of its texts is flagged, then whether each has the right label."""
    rows = []
    for three in threes:
        spans = [detector.detect(Record(e.group, " ".join(e.sentences))).spans for e in three]
        rights = [{labels[n] for found in e.candidates for n in found} for e in three]
        named = [any(s.label in right for s in found) for found, right in zip(spans, rights, strict=True)]
        rows.append([*(bool(found) for found in spans), *named])
    return np.array(rows, dtype=float)


def share(values: np.ndarray, seed: int = 1) -> str:
    """The mean in per cent, with an interval that resamples matters."""
    drawn = np.random.default_rng(seed).integers(0, len(values), (2000, len(values)))
    low, high = 100 * np.quantile(values[drawn].mean(axis=1), [0.025, 0.975])
    return f"{100 * values.mean():.0f} % [{low:.0f}, {high:.0f}]"


def rows_of(detector: Detector, limit: int | None) -> Iterator[tuple[str, ...]]:
    labels = detector.scorer.labels  # type: ignore[attr-defined]
    for folder, (kinds, writers) in FOLDERS.items():
        aside = matters(written_examples(ROOT / "data" / folder / "aside"))
        parts = {name: [m for m in aside if m[0].group.startswith(letter)] for name, letter in writers.items()}
        whole = written_examples(ROOT / "data" / folder)
        parts["held out"] = matters([e for e in whole if is_held_out(e, HOLD_OUT)])
        for name, threes in parts.items():
            found = measured(detector, labels, threes[:limit])
            for k, kind in enumerate(kinds):
                right = share(found[:, 3 + k]) if "fallacy" in kind else ""
                yield f"{folder}, {name}: {kind}", str(len(found)), share(found[:, k]), right


def main(argv: Sequence[str] | None = None) -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--limit", type=int, help="matters of each part at most")
    args = parser.parse_args(argv)
    detector = load_detector(args.system)
    columns = ("texts", "in all", "flagged", "right label")
    rows = tuple(rows_of(detector, args.limit))
    told([Measured("short_texts", detector.name, command_of(__file__, argv), columns, rows)], args.write)


if __name__ == "__main__":
    main()

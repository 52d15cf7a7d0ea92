"""How far confidences are off on annotated sets: python benchmarks/detector_calibration.py [SET ...] [--write]

Prints, for the development part of each set (MAFALDA, CoCoLoFa, Argotario), the expected calibration error over
sentences of "part of a fallacy" and of the label, and how often the likeliest label is right.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

import numpy as np
from _measured import command_of, parser_of, told

from fallax.data import DATASETS, load_dataset
from fallax.detection.measured import Measured
from fallax.detection.systems import SentenceDetector, load_detector
from fallax.detection.training.examples import example_of
from fallax.metrics.calibration import calibration_error


def rows_of(detector: SentenceDetector, names: Sequence[str], limit: int, seed: int) -> Iterator[tuple[str, ...]]:
    for name in names:
        records = [r for r in load_dataset(name, split="dev") if r.gold is not None]
        said, labels = [], []
        for record in random.Random(seed).sample(records, min(limit, len(records))):
            example = example_of(record, taxonomy=DATASETS[name].taxonomy)
            if example is None:
                continue
            for i, row in enumerate(detector.scorer.probabilities(list(example.sentences), title=example.title)):
                said.append((row.sum(), example.flagged[i]))
                if example.candidates[i]:
                    labels.append((row.max() / row.sum(), float(int(row.argmax()) in example.candidates[i])))
        found = [np.array(rows) for rows in (said, labels)]
        errors = [calibration_error(x[:, 0], x[:, 1]) for x in found]
        right = f"{found[1][:, 1].mean():.2f}"
        yield name, str(len(said)), f"{errors[0]:.3f}", str(len(labels)), f"{errors[1]:.3f}", right


def main(argv: Sequence[str] | None = None) -> None:
    parser = parser_of(__doc__)
    parser.add_argument("sets", nargs="*", default=["mafalda", "cocolofa", "argotario"])
    parser.add_argument("--limit", type=int, default=300)
    parser.add_argument("--seed", type=int, default=3)
    args = parser.parse_args(argv)
    detector = load_detector(args.system)
    assert isinstance(detector, SentenceDetector)
    columns = ("set", "sentences", "error of part of a fallacy", "with a label", "error of the label", "label right")
    rows = tuple(rows_of(detector, args.sets, args.limit, args.seed))
    note = "Expected calibration errors over sentences, every sentence weighing the same."
    told([Measured("calibration", detector.name, command_of(__file__, argv), columns, rows, note)], args.write)


if __name__ == "__main__":
    main()

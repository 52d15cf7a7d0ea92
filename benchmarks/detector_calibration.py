"""How far the detector's confidences are off on annotated sets: python benchmarks/detector_calibration.py [SET ...]

Prints, for the development part of each set (MAFALDA, CoCoLoFa, Argotario), the expected calibration error over
sentences of "part of a fallacy" and of the label, and how often the likeliest label is right.
"""

from __future__ import annotations

import argparse
import random

import numpy as np

from fallax.data import DATASETS, load_dataset
from fallax.detection.systems import load_encoder
from fallax.detection.training.confidence import calibration_error
from fallax.detection.training.examples import example_of


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", default=["mafalda", "cocolofa", "argotario"])
    parser.add_argument("--limit", type=int, default=300)
    parser.add_argument("--seed", type=int, default=3)
    args = parser.parse_args()
    scorer = load_encoder().scorer
    for name in args.sets:
        records = [r for r in load_dataset(name, split="dev") if r.gold is not None]
        said, labels = [], []
        for record in random.Random(args.seed).sample(records, min(args.limit, len(records))):
            example = example_of(record, taxonomy=DATASETS[name].taxonomy)
            if example is None:
                continue
            for i, row in enumerate(scorer.probabilities(list(example.sentences), title=example.title)):
                said.append((row.sum(), example.flagged[i]))
                if example.candidates[i]:
                    labels.append((row.max() / row.sum(), float(int(row.argmax()) in example.candidates[i])))
        found = [np.array(rows) for rows in (said, labels)]
        errors = [calibration_error(x[:, 0], x[:, 1], np.ones(len(x))) for x in found]
        print(
            f"{name}: part of a fallacy {errors[0]:.3f} ({len(said)} sentences), label {errors[1]:.3f} ({len(labels)}),"
            f" label right {found[1][:, 1].mean():.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()

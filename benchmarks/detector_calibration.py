"""How far confidences are off on annotated sets: python benchmarks/detector_calibration.py [SET ...] [--write]

Prints, for the development part of each set (MAFALDA, CoCoLoFa, Argotario, Hong et al. 2024): the expected calibration
error over sentences of "part of a fallacy" and of the label, and how often the likeliest label is right; and of the
passages that are reported how sure the detector says it is, how many are part of a fallacy, and the error. Beside each
error stands what confidences that are exactly right would have on as many: "by chance". Then, for
sets with texts of both sorts, how many of the texts with a finding hold a fallacy if one text in two, in five or in
twenty does: what is found of fallacious texts and flagged of the others does not depend on that, this does.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
from _measured import command_of, parser_of, told
from numpy.typing import NDArray

from fallax.data import DATASETS, load_dataset
from fallax.detection.measured import Measured
from fallax.detection.systems import SentenceDetector, load_detector
from fallax.detection.training.examples import SentenceExample, example_of
from fallax.detection.training.passages import passages_found
from fallax.metrics.calibration import calibration_error, calibration_error_by_chance

#: One text in so many holds a fallacy.
ODDS = (2, 5, 20)


def examples(name: str, limit: int, seed: int) -> list[SentenceExample]:
    """Texts of a set whose annotation is known, drawn at random."""
    records = [r for r in load_dataset(name, split="dev") if r.gold is not None]
    drawn = random.Random(seed).sample(records, min(limit, len(records)))
    found = (example_of(record, taxonomy=DATASETS[name].taxonomy) for record in drawn)
    return [e for e in found if e is not None]


def errors(detector: SentenceDetector, name: str, texts: Sequence[SentenceExample]) -> tuple[str, ...]:
    said, labels = [], []
    for e in texts:
        for i, row in enumerate(detector.scorer.probabilities(list(e.sentences), title=e.title)):
            said.append((row.sum(), e.flagged[i]))
            if e.candidates[i]:
                labels.append((row.max() / row.sum(), float(int(row.argmax()) in e.candidates[i])))
    found = [np.array(rows) for rows in (said, labels)]
    off = [(f"{calibration_error(x[:, 0], x[:, 1]):.3f}", by_chance(x[:, 0])) for x in found]
    right = f"{found[1][:, 1].mean():.2f}"
    return name, str(len(said)), *off[0], str(len(labels)), *off[1], right


def by_chance(said: NDArray[np.float64]) -> str:
    return f"{calibration_error_by_chance(said):.3f}"


def of_passages(detector: SentenceDetector, name: str, texts: Sequence[SentenceExample]) -> tuple[str, ...]:
    found = [x for passages in passages_found(detector, texts) for x in passages]
    if not found:
        return name, "0", "-", "-", "-", "-"
    said = np.array([detector.scale.shown(x.probability) for x in found])
    right = np.array([float(x.right) for x in found])
    means = f"{said.mean():.2f}", f"{right.mean():.2f}"
    return name, str(len(found)), *means, f"{calibration_error(said, right):.3f}", by_chance(said)


def by_odds(detector: SentenceDetector, name: str, texts: Sequence[SentenceExample]) -> tuple[str, ...] | None:
    """None for a set without texts of one of the two sorts."""
    flagged: dict[bool, list[bool]] = {True: [], False: []}
    for e, passages in zip(texts, passages_found(detector, texts), strict=True):
        flagged[max(e.flagged) > 0.5].append(bool(passages))
    if not (flagged[True] and flagged[False]):
        return None
    right, wrong = np.mean(flagged[True]), np.mean(flagged[False])
    shares = (right / n / max(right / n + wrong * (1 - 1 / n), 1e-9) for n in ODDS)
    return name, f"{right:.2f}", f"{wrong:.2f}", *(f"{x:.2f}" for x in shares)


def main(argv: Sequence[str] | None = None) -> None:
    parser = parser_of(__doc__)
    parser.add_argument("sets", nargs="*", default=["mafalda", "cocolofa", "argotario", "fallacies_hong2024"])
    parser.add_argument("--limit", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=3)
    args = parser.parse_args(argv)
    detector = load_detector(args.system)
    assert isinstance(detector, SentenceDetector)
    command = command_of(__file__, argv)
    sets = {name: examples(name, args.limit, args.seed) for name in args.sets}
    columns = (
        "set", "sentences", "error of part of a fallacy", "by chance", "with a label", "error of the label",
        "of it by chance", "label right",
    )  # fmt: skip
    note = "Expected calibration errors over sentences, every sentence weighing the same."
    rows = tuple(errors(detector, name, texts) for name, texts in sets.items())
    tables = [Measured("calibration", detector.name, command, columns, rows, note)]
    columns = ("set", "passages reported", "said on average", "part of a fallacy", "error", "by chance")
    rows = tuple(of_passages(detector, name, texts) for name, texts in sets.items())
    tables.append(Measured("calibration_passages", detector.name, command, columns, rows))
    columns = ("set", "fallacious texts found", "others flagged", *(f"right at one in {n}" for n in ODDS))
    found = [by_odds(detector, name, texts) for name, texts in sets.items()]
    tables.append(Measured("odds", detector.name, command, columns, tuple(row for row in found if row)))
    told(tables, args.write)


if __name__ == "__main__":
    main()

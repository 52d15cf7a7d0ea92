"""What pages show of the demo texts does not hang on the last digits of a processor."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fallax.core.types import Record
from fallax.detection.systems import load_encoder
from fallax.detection.systems.arguing import argues
from fallax.detection.systems.base import parts_of
from fallax.detection.systems.decoding import spans_of

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.txt"))
#: Processors differ by up to 0.02 in a probability; here any log odds may be off by so much.
NOISE = 0.1


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.name)
def test_the_findings_in_a_demo_text_stay_when_numbers_are_a_little_off(path: Path) -> None:
    detector = load_encoder()
    parts = parts_of(Record("r", path.read_text(encoding="utf-8")))
    probabilities = detector.scorer.probabilities(parts.sentences, title=parts.title)
    anything = np.clip(probabilities.sum(axis=1, keepdims=True), 1e-9, 1 - 1e-9)

    def found(noise: np.ndarray) -> list[tuple[int, int, int]]:
        odds = np.log(anything / (1 - anything)) + noise[:, :1]
        shares = probabilities / anything * np.exp(noise[:, 1:])
        p = shares / shares.sum(axis=1, keepdims=True) / (1 + np.exp(-odds))

        def alone(i: int) -> float:
            p = detector._alone(parts.sentences, i)
            return 1.0 if p >= 1.0 else 1.0 / (1.0 + (1.0 - p) / p * float(np.exp(-noise[i, 0])))

        runs = spans_of(
            p, detector.decoding, groups=detector.groups(), breaks=parts.breaks, silent=parts.silent,
            plain=not argues(parts.sentences[0]), alone=alone,
        )  # fmt: skip
        return sorted((r.first, r.end, r.label) for r in runs)

    shape = len(probabilities), probabilities.shape[1] + 1
    random = np.random.default_rng(0)
    as_it_is = found(np.zeros(shape))
    assert all(found(random.uniform(-NOISE, NOISE, shape)) == as_it_is for _ in range(100))

"""The factors of a judge: what they may never say, and that sources and labels count alike."""

from dataclasses import astuple

import numpy as np
import numpy.typing as npt
import pytest

from fallax.faithfulness.systems.local import Factors
from fallax.faithfulness.training.calibration import calibrate


def made(seed: int, *, signs: tuple[float, float, float], n: int = 200) -> tuple[npt.NDArray[np.float64], list[bool]]:
    """Evidence in which each number tells the label, in the direction of its sign."""
    rng = np.random.default_rng(seed)
    faithful = [bool(i % 2) for i in range(n)]
    wrong = np.array([[1.0 - f] for f in faithful])
    return rng.normal(size=(n, 3)) + wrong * np.array(signs), faithful


def test_factors_follow_the_evidence() -> None:
    evidence, faithful = made(1, signs=(2.0, -2.0, -2.0))
    found = calibrate(evidence, faithful, ["a"] * 200)
    assert found.scale > 0.5
    assert max(found.overlap, found.similarity) < -0.5
    right = [(found.wrong(*row) < 0) == f for row, f in zip(evidence.tolist(), faithful, strict=True)]
    assert sum(right) > 180


@pytest.mark.parametrize("signs", [(-2.0, 2.0, 2.0), (2.0, 2.0, -2.0), (2.0, -2.0, 2.0)])
def test_what_is_found_never_speaks_against_a_sentence(signs: tuple[float, float, float]) -> None:
    evidence, faithful = made(2, signs=signs)
    found = calibrate(evidence, faithful, ["a"] * 200)
    assert found.scale >= 0
    assert found.overlap <= 0
    assert found.similarity <= 0
    for factor, sign in ((found.scale, signs[0]), (found.overlap, -signs[1]), (found.similarity, -signs[2])):
        assert (factor == 0) == (sign < 0)


def test_sources_and_labels_count_alike_however_many_there_are() -> None:
    evidence, faithful = made(3, signs=(1.0, -1.0, -1.0))
    once = calibrate(evidence, faithful, ["a"] * 200)
    bad = [i for i, f in enumerate(faithful) if not f]
    more = np.concatenate([evidence, *[evidence[bad]] * 4])
    many = calibrate(more, [*faithful, *[False] * (4 * len(bad))], ["a"] * len(more))
    assert astuple(many) == pytest.approx(astuple(once), abs=1e-3)


def test_nothing_told_means_even_odds() -> None:
    found = calibrate(np.zeros((4, 3)), [True, False, True, False], ["a", "a", "b", "b"])
    assert Factors(1.0, 0.0, 0.0, 0.0).wrong(0.3, 1.0, 1.0) == pytest.approx(0.3)
    assert found.wrong(0.0, 0.0, 0.0) == pytest.approx(0.0, abs=1e-6)

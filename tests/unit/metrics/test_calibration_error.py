"""How far confidences are off."""

from __future__ import annotations

import numpy as np
import pytest

from fallax.errors import InputError
from fallax.metrics.calibration import calibration_error, calibration_error_by_chance


def test_of_bins_of_equal_width() -> None:
    said, right = np.array([0.95, 0.95, 0.05]), np.array([1.0, 1.0, 0.0])
    assert calibration_error(said, right) == pytest.approx(0.05)
    assert calibration_error(said, 1 - right) == pytest.approx(0.95)
    # the first counts for nothing: .95 and .05, both .05 off
    assert calibration_error(said, np.array([0.0, 1.0, 0.0]), np.array([0.0, 1.0, 1.0])) == pytest.approx(0.05)
    assert calibration_error(np.array([]), np.array([])) == 0.0


def test_equal_confidences_share_a_bin() -> None:
    said = np.full(10, 0.5)
    for right in ([1.0] * 5 + [0.0] * 5, [1.0, 0.0] * 5):
        assert calibration_error(said, np.array(right), equal_mass=True) == 0.0


def test_of_bins_of_as_many_each() -> None:
    said, right = np.array([0.6, 0.9, 0.7, 0.8]), np.array([0.0, 1.0, 1.0, 1.0])
    # .6 and .7 say .65 and half are right; .8 and .9 say .85 and all are: (.15 + .15) / 2
    assert calibration_error(said, right, bins=2, equal_mass=True) == pytest.approx(0.15)


def test_by_chance() -> None:
    # one that is right every second time is half off whatever happens; one that is sure is not off
    assert calibration_error_by_chance(np.array([0.5])) == pytest.approx(0.5)
    assert calibration_error_by_chance(np.array([1.0, 0.0, 1.0])) == 0.0
    assert calibration_error_by_chance(np.array([])) == 0.0
    # the mean of |share - .8| over n draws is about the square root of 2 p (1 - p) / (pi n)
    assert calibration_error_by_chance(np.full(400, 0.8)) == pytest.approx((2 * 0.16 / np.pi / 400) ** 0.5, rel=0.1)
    assert calibration_error_by_chance(np.full(9, 0.6), seed=1) == calibration_error_by_chance(np.full(9, 0.6), seed=1)
    with pytest.raises(InputError, match="n_draws must be at least 1, got 0"):
        calibration_error_by_chance(np.array([0.5]), n_draws=0)

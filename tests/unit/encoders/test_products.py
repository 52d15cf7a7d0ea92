"""What lies in memory beside an array leads to no warning."""

from __future__ import annotations

import numpy as np
import pytest

from fallax.encoders.products import product


class Stray:
    """Sets the flag for an invalid value, as a kernel may do that computes beside the numbers."""

    def __matmul__(self, other: float) -> float:
        _ = np.array([np.inf]) - np.array([np.inf])
        return other


def test_flags_for_what_lies_beside_the_numbers_warn_of_nothing() -> None:
    with pytest.warns(RuntimeWarning, match="invalid value"):
        Stray() @ 2.0
    assert product(Stray(), 2.0) == 2.0

"""Products of arrays without warnings about what lies beside them."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["product"]


def product(a: Any, b: Any) -> Any:
    """The matrix product ``a @ b`` of finite arrays.

    A kernel of BLAS may compute with what lies in memory beside the numbers, and so set the flags for invalid, infinite
    or too large values, though the result has none. numpy then warns, now and then and of nothing.

    Examples
    --------
    >>> product(np.array([1.0, 2.0]), np.array([[1.0], [3.0]])).tolist()
    [7.0]
    """
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        return a @ b

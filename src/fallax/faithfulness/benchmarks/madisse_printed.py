"""The printed values of MADISSE's tables (Koupaee et al. 2025)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

__all__ = ["published", "share"]


@cache
def published() -> Mapping[str, Any]:
    """The printed values, from ``published/madisse.json``; percentages as percentages."""
    text = (resources.files("fallax.faithfulness.benchmarks") / "published" / "madisse.json").read_text("utf-8")
    found: Mapping[str, Any] = json.loads(text)
    return found


def share(value: float | None, measure: str) -> float | None:
    """A printed value as a fraction; alpha already is one.

    Examples
    --------
    >>> share(68.2, "balanced_accuracy"), share(0.38, "krippendorff_alpha")
    (0.682, 0.38)
    """
    return value if value is None or measure == "krippendorff_alpha" else round(value / 100, 6)

"""Draws a stratified sample of a benchmark."""

from __future__ import annotations

import random
from collections.abc import Iterable

__all__ = ["draw_places"]


def draw_places(strata: Iterable[str], n: int, *, seed: int) -> frozenset[int]:
    """The positions of ``n`` samples, spread over the strata as evenly as possible.

    Means over classes, such as balanced accuracy, are estimated without bias by it; accuracy, precision and other
    scores that depend on how common a class is are those of the drawn samples, not of the set.

    Parameters
    ----------
    strata : the stratum of each sample in order, such as its gold class.
    n : how many are drawn, 1 or more; all of them where there are no more.
    seed : the same seed draws the same places.

    Examples
    --------
    >>> strata = ["faithful"] * 90 + ["unfaithful"] * 10
    >>> places = draw_places(strata, 12, seed=0)
    >>> len(places), sum(p >= 90 for p in places)
    (12, 6)
    """
    rng = random.Random(seed)
    by: dict[str, list[int]] = {}
    for place, stratum in enumerate(strata):
        by.setdefault(stratum, []).append(place)
    found: list[int] = []
    # the smallest first: what it lacks the others make up for
    groups = sorted(by.values(), key=len)
    for done, places in enumerate(groups):
        share = min(len(places), -(-(n - len(found)) // (len(groups) - done)))
        found += rng.sample(places, share)
    return frozenset(found)

"""Splits a set of claims without separating those of one pair, and computes its statistics."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from fallax.core.types.causal import CausalClaim
from fallax.errors import InputError

__all__ = ["describe_claims", "split_claims"]


def split_claims(
    claims: Sequence[CausalClaim], shares: Mapping[str, float], *, seed: int = 0
) -> dict[str, tuple[CausalClaim, ...]]:
    """Split claims; all claims of one group (SUP, REF and NEI of a pair) stay together.

    Parameters
    ----------
    claims : in any order; each split keeps it.
    shares : split -> its share of the groups; they add up to 1. Rounding goes to the splits with the largest rest.
    seed : of the draw.

    Raises
    ------
    InputError
        If a share is not above 0, or they do not add up to 1.

    Examples
    --------
    >>> claims = [CausalClaim(f"{i}-{x}", "c", group=str(i)) for i in range(4) for x in ("sup", "ref")]
    >>> found = split_claims(claims, {"train": 0.75, "test": 0.25}, seed=3)
    >>> {name: len(members) for name, members in found.items()}
    {'train': 6, 'test': 2}
    """
    if not shares or any(not share > 0 for share in shares.values()) or abs(sum(shares.values()) - 1) > 1e-9:
        shown = ", ".join(f"{name}={share:g}" for name, share in shares.items())
        raise InputError(f"splits: shares must be above 0 and add up to 1, got {shown or 'none'}")
    groups = sorted({c.group for c in claims})
    random.Random(f"{seed}:splits").shuffle(groups)
    exact = {name: share * len(groups) for name, share in shares.items()}
    counts = {name: math.floor(n) for name, n in exact.items()}
    order = sorted(shares, key=lambda name: (counts[name] - exact[name], list(shares).index(name)))
    for name in order[: len(groups) - sum(counts.values())]:
        counts[name] += 1
    split_of: dict[str, str] = {}
    at = 0
    for name, n in counts.items():
        split_of.update(dict.fromkeys(groups[at : at + n], name))
        at += n
    return {
        name: tuple(replace(c, meta={**c.meta, "split": name}) for c in claims if split_of[c.group] == name)
        for name in shares
    }


def describe_claims(claims: Sequence[CausalClaim]) -> dict[str, Any]:
    """The statistics of table 1 of Si et al. 2024: verdicts, and means of evidence, distractors, words, steps.

    Means over nothing are None. Words are counted at white space.

    Examples
    --------
    >>> describe_claims([CausalClaim("1", "Rain made it late.", label="nei")])["mean_words_per_claim"]
    4.0
    """

    def mean(values: Sequence[float]) -> float | None:
        return round(sum(values) / len(values), 2) if values else None

    drawn = [c for c in claims if c.structure is not None]
    return {
        "n": len(claims),
        "n_groups": len({c.group for c in claims}),
        "verdicts": dict(sorted(Counter(c.label or "none" for c in claims).items())),
        "mean_evidence": mean([len(c.evidence) for c in claims]),
        "mean_distractors": mean([c.n_distractors for c in claims]),
        "mean_words_per_claim": mean([len(c.claim.split()) for c in claims]),
        "mean_words_per_evidence": mean([len(e.text.split()) for c in claims for e in c.evidence]),
        "mean_steps": mean([c.n_steps or 0 for c in drawn]),
    }

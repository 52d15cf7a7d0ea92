"""Compares the quantities of a claim with those of a document."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from fallax.errors import one_line
from fallax.faithfulness.systems.computed import Stated, denies, stated_in, words_of
from fallax.faithfulness.systems.quantities import Quantity, quantities_of

_LONGEST = 1000

Relation = Literal["same", "other", "open"]


def relation(q: Quantity, s: Quantity) -> Relation:
    if q.kind != s.kind:
        return "open"
    if q.kind in ("count", "ordinal", "share") and q.thing and s.thing and q.thing != s.thing:
        return "open"
    if q.kind in ("money", "degree") and q.thing != s.thing:
        return "open"
    if q.per != s.per or (q.whole and s.whole and q.whole != s.whole):
        return "open"
    slack = 1e-9
    if q.kind not in ("count","year","date","clock","ordinal","vote","score") and q.thing != s.thing:
        slack = 0.015
    qa, qb, sa, sb = q.low, q.high, s.low, s.high
    if q.kind == "clock" and "" in (q.thing, s.thing) and q.thing != s.thing:
        qa, qb, sa, sb = (x % 720 for x in (qa, qb, sa, sb))
    scale = slack * max((abs(x) for x in (qa, qb, sa, sb) if abs(x) != float("inf")), default=1.0)
    if qa - scale <= sa and sb <= qb + scale:
        return "same"
    loose = 0.1 * max(abs(sa), abs(sb)) if slack > 1e-6 else scale
    if sa - loose > qb or sb + loose < qa:
        return "other"
    return "open"

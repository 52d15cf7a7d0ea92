"""Chooses among gold alternatives exactly, without enumerating their product.

Choosing one label per gold span for the best precision is a maximum over the product of all alternatives. Only gold
spans that compete for the same predictions interact, so the problem falls into small parts: those whose product is
small are enumerated, the rest are solved as an integer program.
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

__all__ = ["best_assignment", "max_matching", "min_hitting_set"]

#: For each prediction: its label, and for each gold span it overlaps (that allows the label) the credit it would get.
Credits: TypeAlias = Sequence[tuple[str, Mapping[int, float]]]

_ENUMERATE = 2_048


def best_assignment(credits: Credits) -> float:
    """The largest total credit of predictions when every gold span takes one label.

    Parameters
    ----------
    credits : for each prediction its label and {gold index: credit in [0, 1]} for the gold spans that allow that
        label. A gold span may stand under several labels; it will take one of them.

    Returns
    -------
    float
        ``max over choices c of sum over s of max over g with c(g) = label(s) of credit(s, g)``, exactly.

    Notes
    -----
    Facility location over a partition. After fixing gold spans with one useful label, dropping credits that cannot
    raise a prediction any more and splitting into connected parts, each part is enumerated if its product is at most
    2,048 and solved by branch and cut (HiGHS through scipy, gap 0) otherwise.

    Examples
    --------
    >>> best_assignment([("a", {0: 1.0}), ("b", {0: 1.0})])  # one gold span cannot be both
    1.0
    >>> best_assignment([("a", {0: 1.0}), ("b", {0: 1.0, 1: 0.5})])
    1.5
    """
    options: dict[int, set[str]] = defaultdict(set)
    for label, by_gold in credits:
        for gold in by_gold:
            options[gold].add(label)
    floor = [0.0] * len(credits)
    open_credits: list[dict[int, float]] = []
    for i, (_, by_gold) in enumerate(credits):
        floor[i] = max((c for g, c in by_gold.items() if len(options[g]) == 1), default=0.0)
        open_credits.append({g: c for g, c in by_gold.items() if len(options[g]) > 1 and c > floor[i]})
    total = math.fsum(floor)
    for part in _connected(open_credits):
        total += _solve([(credits[i][0], open_credits[i], floor[i]) for i in part])
    return total


def _connected(credits: Sequence[Mapping[int, float]]) -> list[list[int]]:
    """Predictions grouped by shared gold spans; predictions without any are left out."""
    parent: dict[int, int] = {}

    def root(g: int) -> int:
        while parent[g] != g:
            parent[g] = parent[parent[g]]
            g = parent[g]
        return g

    for by_gold in credits:
        golds = list(by_gold)
        for g in golds:
            parent.setdefault(g, g)
        for g in golds[1:]:
            parent[root(golds[0])] = root(g)
    parts: dict[int, list[int]] = defaultdict(list)
    for i, by_gold in enumerate(credits):
        if by_gold:
            parts[root(next(iter(by_gold)))].append(i)
    return list(parts.values())


def _solve(part: Sequence[tuple[str, Mapping[int, float], float]]) -> float:
    """The largest gain over the floors in one connected part."""
    options: dict[int, list[str]] = defaultdict(list)
    for label, by_gold, _ in part:
        for g in by_gold:
            if label not in options[g]:
                options[g].append(label)
    ceiling = math.fsum(max(by_gold.values()) - low for _, by_gold, low in part)
    golds = sorted(options)
    # A cheap first choice often reaches the ceiling, and then nothing can be better.
    greedy = {
        g: max(options[g], key=lambda label: (sum(b.get(g, 0) for name, b, _ in part if name == label), label))
        for g in golds
    }
    if (found := _gain(part, greedy)) >= ceiling - 1e-12:
        return found
    if math.prod(len(options[g]) for g in golds) <= _ENUMERATE:
        choices = itertools.product(*(options[g] for g in golds))
        return max(_gain(part, dict(zip(golds, choice, strict=True))) for choice in choices)
    return _integer_program(part, golds, options)


def _gain(part: Sequence[tuple[str, Mapping[int, float], float]], choice: Mapping[int, str]) -> float:
    return math.fsum(
        max(0.0, max((c for g, c in by_gold.items() if choice[g] == label), default=0.0) - low)
        for label, by_gold, low in part
    )


def _integer_program(
    part: Sequence[tuple[str, Mapping[int, float], float]],
    golds: Sequence[int],
    options: Mapping[int, Sequence[str]],
) -> float:
    import numpy as np
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import coo_array

    column = {pair: k for k, pair in enumerate((g, label) for g in golds for label in options[g])}
    gain = [0.0] * len(column)
    rows: list[int] = []
    cols: list[int] = []
    data: list[float] = []
    upper: list[float] = []

    def add_row(entries: Iterable[tuple[int, float]], bound: float) -> None:
        for col, value in entries:
            rows.append(len(upper))
            cols.append(col)
            data.append(value)
        upper.append(bound)

    for g in golds:
        add_row(((column[g, label], 1.0) for label in options[g]), 1.0)
    for label, by_gold, low in part:
        # Credits of one size are one step: taken if any of its gold spans (or a better one) took the label.
        steps = sorted(set(by_gold.values()))
        below = low
        for credit in steps:
            gain.append(credit - below)
            reach = [column[g, label] for g, c in by_gold.items() if c >= credit]
            add_row([(len(gain) - 1, 1.0), *((k, -1.0) for k in reach)], 0.0)
            below = credit
    n = len(gain)
    matrix = coo_array((data, (rows, cols)), shape=(len(upper), n)).tocsr()
    integral = np.zeros(n)
    integral[: len(column)] = 1
    solved = milp(
        -np.asarray(gain),
        constraints=LinearConstraint(matrix, -np.inf, np.asarray(upper)),
        bounds=Bounds(0, 1),
        integrality=integral,
        options={"mip_rel_gap": 0.0},
    )
    choice = {g: max(options[g], key=lambda label: (solved.x[column[g, label]], label)) for g in golds}
    return _gain(part, choice)


def max_matching(options: Sequence[Iterable[str]]) -> int:
    """The largest number of different labels that can be taken when each entry takes one of its own.

    Examples
    --------
    >>> max_matching([{"a", "b"}, {"a"}, {"a"}])
    2
    """
    taken: dict[str, int] = {}

    def place(i: int, seen: set[str]) -> bool:
        for label in options[i]:
            if label not in seen:
                seen.add(label)
                if label not in taken or place(taken[label], seen):
                    taken[label] = i
                    return True
        return False

    options = [sorted(o) for o in options]
    return sum(place(i, set()) for i in range(len(options)))


def min_hitting_set(sets: Iterable[Iterable[str]]) -> int:
    """The smallest number of labels such that every set holds one of them, exactly.

    Examples
    --------
    >>> min_hitting_set([{"a", "b"}, {"b", "c"}, {"d"}])
    2
    """
    remaining = {frozenset(s) for s in sets}
    return _hit(remaining, math.inf)


def _hit(sets: set[frozenset[str]], limit: float) -> int:
    """Branch on the labels of a smallest set; stop where ``limit`` cannot be beaten."""
    sets = {s for s in sets if not any(o < s for o in sets)}
    if not sets:
        return 0
    # Disjoint sets each need a label of their own: a lower bound.
    bound = 0
    used: set[str] = set()
    for s in sorted(sets, key=lambda s: (len(s), sorted(s))):
        if not s & used:
            used |= s
            bound += 1
    if bound >= limit:
        return bound
    counts: dict[str, int] = defaultdict(int)
    for s in sets:
        for label in s:
            counts[label] += 1
    first = min(sets, key=lambda s: (len(s), sorted(s)))
    best: float = limit
    for label in sorted(first, key=lambda x: (-counts[x], x)):
        best = min(best, 1 + _hit({s for s in sets if label not in s}, best - 1))
    return int(best) if best < math.inf else bound

"""Solves many small set packing problems exactly: groups to take so that no unit is used twice.

The units of a problem lie on a line and a group holds neighbours, so a problem is solved from left to right. A state
says which of the next units are taken already. Each unit gets a price so that no group saves more than its units cost
together; then what a state has given away against the prices bounds what can still come of it. A first pass keeps the
few best states of each problem and finds a good packing; the second keeps every state that could still beat it, and so
proves the best one. Problems that are too wide or too hard for this go to an integer program.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["pack"]

_Floats: TypeAlias = NDArray[np.float64]
_Ints: TypeAlias = NDArray[np.int64]
_Bools: TypeAlias = NDArray[np.bool_]

#: States of one problem beyond which it goes to the integer program.
_MAX_STATES = 2_000
#: States that the first pass keeps.
_BEAM = 4
#: Places ahead that a state can remember.
_WIDEST = 40
#: Temperatures of the prices' smoothing, from coarse to fine.
_TEMPERATURES = (0.4, 0.4, 0.4, 0.4, 0.2, 0.2, 0.2, 0.2, 0.1, 0.1, 0.1, 0.1)
#: Seconds for one integer program; after them its best packing stands, with a bound.
_TIME_LIMIT = 20.0
_CLOSE = 1e-9


def pack(problem: _Ints, members: _Ints, saved: _Floats, n_problems: int) -> tuple[_Bools, _Floats]:
    """Choose disjoint groups with the greatest total savings.

    Parameters
    ----------
    problem : (g,) the problem of each group.
    members : (g, k) the places of its units in the problem's order, ascending, then -1.
    saved : (g,) what it saves, above 0.
    n_problems : how many there are.

    Returns
    -------
    taken : (g,) True for the groups of the best packing.
    bound : (n_problems,) no packing of the problem saves more; equal to what is saved, up to rounding, unless an
        integer program ran out of time.

    Examples
    --------
    >>> members = np.array([[0, 1], [1, 2], [2, 3]])
    >>> taken, bound = pack(np.zeros(3, dtype=int), members, np.array([2.0, 3.0, 2.0]), 1)
    >>> taken.tolist(), bound.tolist()
    ([True, False, True], [4.0])
    """
    taken = np.zeros(len(problem), dtype=np.bool_)
    if len(problem) == 0:
        return taken, np.zeros(n_problems)
    hard = np.zeros(n_problems, dtype=np.bool_)
    last = members.max(axis=1)
    np.logical_or.at(hard, problem, last - members[:, 0] > _WIDEST)
    easy = np.nonzero(~hard[problem])[0]
    if len(easy):
        line = _Line.of(problem[easy], members[easy], saved[easy], n_problems)
        low = line.run(beam=_BEAM).value
        best = line.run(low=low)
        taken[easy[best.taken]] = True
        hard |= best.given_up
        taken[hard[problem]] = False
    bound: _Floats = np.bincount(problem[taken], saved[taken], minlength=n_problems).astype(np.float64)
    for i in np.nonzero(hard)[0]:
        own = np.nonzero(problem == i)[0]
        chosen, bound[i] = _integer_program(members[own], saved[own])
        taken[own[chosen]] = True
    return taken, bound


def _integer_program(members: _Ints, saved: _Floats) -> tuple[_Bools, float]:
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csc_matrix

    there = members >= 0
    ends = np.concatenate([[0], np.cumsum(there.sum(axis=1))])
    used, rows = np.unique(members[there], return_inverse=True)
    matrix = csc_matrix((np.ones(len(rows)), rows, ends), shape=(len(used), len(saved)))
    result = milp(
        -saved,
        constraints=LinearConstraint(matrix, -np.inf, 1.0),
        bounds=Bounds(0.0, 1.0),
        integrality=1,
        options={"mip_rel_gap": 0.0, "time_limit": _TIME_LIMIT},
    )
    if result.x is None:  # out of time before anything was found: taking nothing is always allowed
        return np.zeros(len(saved), dtype=np.bool_), float(saved.sum())
    chosen: _Bools = result.x > 0.5
    return chosen, max(-float(result.mip_dual_bound), float(saved[chosen].sum()))


def _prices(place: _Ints, members: _Ints, saved: _Floats, n_places: int) -> _Floats:
    """A price for each place so that every group's units cost at least what it saves; low in sum.

    Prices are scaled until each unit is taken once on average under smoothed choice, then made valid.
    """
    there = members >= 0
    size = there.sum(axis=1)
    groups, _ = np.nonzero(there)
    of_unit = place[there]
    order = np.argsort(of_unit, kind="stable")
    of_unit, groups = of_unit[order], groups[order]
    first = np.nonzero(np.concatenate([[True], of_unit[1:] != of_unit[:-1]]))[0]
    used = of_unit[first]
    price = np.zeros(n_places + 1)  # the last place stands for "no unit"
    price[used] = 0.8 * np.maximum.reduceat((saved / size)[groups], first)
    flat, wide = place.ravel(), place.shape[1]
    for temperature in _TEMPERATURES:
        gain = (saved - price[place].sum(axis=1)) / temperature
        share = np.bincount(flat, np.repeat(np.exp(np.minimum(gain, 30.0)), wide), minlength=n_places + 1)
        price += temperature / 2 * np.log(share + np.exp(-price / temperature))
        np.maximum(price, 0.0, out=price)
        price[-1] = 0.0
    missing = np.maximum(0.0, saved - price[place].sum(axis=1)) / size
    price[used] += np.maximum.reduceat(missing[groups], first)
    for _ in range(3):
        spare = np.maximum(0.0, price[place].sum(axis=1) - saved) / size
        price[used] -= np.minimum(np.minimum.reduceat(spare[groups], first), price[used])
    return price[:-1]


@dataclass(frozen=True, slots=True)
class _Packed:
    """What one pass found: the groups, the value by problem, and the problems with too many states."""

    taken: _Ints
    value: _Floats
    given_up: _Bools


@dataclass(frozen=True, slots=True)
class _Line:
    """The groups of all problems by their first unit, with what they lose against the prices (0 or less)."""

    n_problems: int
    width: int
    price: _Floats
    loss: _Floats
    bits: _Ints
    group: _Ints
    count: _Ints
    start: _Ints
    n_bits: int

    @classmethod
    def of(cls, problem: _Ints, members: _Ints, saved: _Floats, n_problems: int) -> _Line:
        width = int(members.max()) + 1
        place = np.where(members >= 0, problem[:, None] * width + members, n_problems * width)
        price = _prices(place, members, saved, n_problems * width)
        loss = np.minimum(0.0, saved - np.append(price, 0.0)[place].sum(axis=1))
        ahead = members[:, 1:] - members[:, :1] - 1
        bits = np.where(members[:, 1:] >= 0, np.left_shift(np.int64(1), np.maximum(ahead, 0)), 0).sum(axis=1)
        key = members[:, 0] * n_problems + problem
        order = np.argsort(key, kind="stable")
        count = np.bincount(key, minlength=n_problems * width)
        start = np.concatenate([[0], np.cumsum(count)[:-1]])
        shape = (width, n_problems)
        return cls(
            n_problems,
            width,
            price.reshape(n_problems, width),
            loss[order],
            bits[order],
            order,
            count.reshape(shape),
            start.reshape(shape),
            int(ahead.max()) + 1,
        )

    def run(self, *, beam: int | None = None, low: _Floats | None = None) -> _Packed:
        """One pass: with ``beam``, the best states of each problem; with ``low``, all that may reach it."""
        problem, used = np.arange(self.n_problems), np.zeros(self.n_problems, dtype=np.int64)
        most = self.price.sum(axis=1)
        given_up = np.zeros(self.n_problems, dtype=np.bool_)
        steps: list[tuple[_Ints, _Ints]] = []
        for i in range(self.width):
            free = (used & 1) == 0
            later = used >> 1
            parents = np.nonzero(free)[0]
            count = self.count[i, problem[parents]]
            parent = np.repeat(parents, count)
            first = np.cumsum(count) - count
            group = np.repeat(self.start[i, problem[parents]] - first, count) + np.arange(len(parent))
            fits = (self.bits[group] & later[parent]) == 0
            parent, group = parent[fits], group[fits]
            most = np.concatenate([most - np.where(free, self.price[problem, i], 0.0), most[parent] + self.loss[group]])
            used = np.concatenate([later, later[parent] | self.bits[group]])
            before = np.concatenate([np.arange(len(problem)), parent])
            group = np.concatenate([np.full(len(problem), -1), group])
            problem = problem[before]
            if low is not None:
                kept = np.nonzero(most >= low[problem] - _CLOSE)[0]
                problem, used, most, before, group = (x[kept] for x in (problem, used, most, before, group))
            kept = self._distinct(problem, used, most, beam)
            problem, used, most, before, group = (x[kept] for x in (problem, used, most, before, group))
            if beam is None and len(problem) > _MAX_STATES:
                crowded = np.bincount(problem, minlength=self.n_problems) > _MAX_STATES
                if crowded.any():
                    given_up |= crowded
                    kept = np.nonzero(~crowded[problem])[0]
                    problem, used, most, before, group = (x[kept] for x in (problem, used, most, before, group))
            steps.append((before, group))
        return self._traced(problem, most, steps, given_up)

    def _distinct(self, problem: _Ints, used: _Ints, most: _Floats, beam: int | None) -> _Ints:
        """The best of equal states, sorted by problem; with ``beam`` only so many of each problem."""
        if self.n_bits + int(self.n_problems).bit_length() < 62:
            key = (problem << self.n_bits) | used
            order = np.lexsort((-most, key))
            key = key[order]
            order = order[np.concatenate([[True], key[1:] != key[:-1]])] if len(key) else order
        else:
            order = np.lexsort((-most, used, problem))
            a, b = problem[order], used[order]
            order = order[np.concatenate([[True], (a[1:] != a[:-1]) | (b[1:] != b[:-1])])] if len(a) else order
        if beam is None:
            return order
        order = order[np.lexsort((-most[order], problem[order]))]
        of = problem[order]
        first = np.nonzero(np.concatenate([[True], of[1:] != of[:-1]]))[0]
        rank = np.arange(len(of)) - np.repeat(first, np.diff(np.append(first, len(of))))
        return order[rank < beam]

    def _traced(self, problem: _Ints, value: _Floats, steps: list[tuple[_Ints, _Ints]], given_up: _Bools) -> _Packed:
        order = np.lexsort((-value, problem))
        of = problem[order]
        at = order[np.concatenate([[True], of[1:] != of[:-1]])] if len(of) else order
        best = np.zeros(self.n_problems)
        best[problem[at]] = value[at]
        taken = []
        for before, group in reversed(steps):
            chosen = group[at]
            taken.append(self.group[chosen[chosen >= 0]])
            at = before[at]
        return _Packed(np.concatenate(taken), best, given_up)

"""The exact best alignment of the units of several annotators.

Costs are those of Mathet et al. (2015) with the dissimilarity of an empty unit as the unit of measure: two units cost
``alpha * d_pos + beta * d_cat``, a unit beside nobody's costs 1, and so does a pair of annotators of whom neither has
a unit in the group. A group of k units of n annotators, whose pairs cost d, then saves over k lone units

    s = (k - 1) - sum(d - 1) / C,    C = n (n - 1) / 2.

A group can be in a best alignment only if taking any one unit out of it would save less; for such a group the mean of
d - 1 over its pairs is below C / (k - 1), and taking out its worst unit never raises that mean. So all of them are
reached by adding one unit at a time, from pairs on, and nothing else is tried.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from fallax.metrics.agreement.packing import pack

__all__ = ["Alignment", "Layout", "best_alignments", "positional"]

_Floats: TypeAlias = NDArray[np.float64]
_Ints: TypeAlias = NDArray[np.int64]
_Bools: TypeAlias = NDArray[np.bool_]

#: Groups of one problem beyond which the alignment is a heuristic one with a bound.
MAX_GROUPS = 60_000
#: Numbers in one array of dissimilarities: problems are taken in blocks below it.
_BLOCK = 2_000_000
#: Problems that are solved together: their steps share the cost of a call.
_TOGETHER = 600


@dataclass(frozen=True, slots=True)
class Layout:
    """Problems of one shape: S sets of units of the same n annotators, each with room for m units.

    Parameters
    ----------
    start, end : (S, n, m) offsets; anything where there is no unit.
    unit : (S, n, m) the number of the unit, which says its labels; -1 where there is none.
    """

    start: _Floats
    end: _Floats
    unit: _Ints

    @property
    def shape(self) -> tuple[int, int, int]:
        """S, n and m."""
        s, n, m = self.unit.shape
        return s, n, m

    def rows(self, rows: slice) -> Layout:
        """Some of the problems."""
        return Layout(self.start[rows], self.end[rows], self.unit[rows])


@dataclass(frozen=True, slots=True)
class Alignment:
    """An alignment of the units of one problem.

    Parameters
    ----------
    groups : (g, n) the place of each annotator's unit in the group, -1 for none; lone units are groups too.
    cost : the sum of the costs of the groups, in units of the empty dissimilarity.
    bound : no alignment costs less; equal to ``cost`` where the alignment is proved best.
    """

    groups: _Ints
    cost: float
    bound: float

    @property
    def is_exact(self) -> bool:
        """True if the alignment is proved optimal."""
        return self.bound >= self.cost - 1e-9


def positional(start: _Floats, end: _Floats, other_start: _Floats, other_end: _Floats) -> _Floats:
    """The positional dissimilarity of Mathet et al. (2015, section 4.3), in units of the empty one; broadcasts."""
    apart = np.abs(start - other_start) + np.abs(end - other_end)
    found: _Floats = (apart / ((end - start) + (other_end - other_start))) ** 2
    return found


def best_alignments(
    tasks: Sequence[tuple[Layout, _Floats]],
    *,
    alpha: float = 1.0,
    beta: float = 1.0,
    max_groups: int = MAX_GROUPS,
) -> list[list[Alignment]]:
    """The best alignment of each problem of each task.

    Two annotators are matched by assignment. With more, the groups that can help are listed and the best of them are
    chosen by :func:`fallax.metrics.agreement.packing.pack`. A problem with more than ``max_groups`` such groups gets a
    good alignment and a lower bound of the cost.

    Parameters
    ----------
    tasks : layouts, each with the (u, u) categorical dissimilarity of its units by number, 0 to 1.
    alpha, beta : weights of position and labels.
    max_groups : where exactness ends.
    """
    found: list[list[Alignment]] = []
    waiting: list[_Block] = []
    for layout, label_distance in tasks:
        n_problems, n, m = layout.shape
        own: list[Alignment | None] = [None] * n_problems
        found.append(own)  # type: ignore[arg-type] # every place is filled below
        if m == 0:
            own[:] = [Alignment(np.empty((0, n), dtype=np.int64), 0.0, 0.0)] * n_problems
            continue
        step = max(1, _BLOCK // (n * m) ** 2)
        for first in range(0, n_problems, step):
            block = layout.rows(slice(first, first + step))
            distances = _distances(block, label_distance, alpha, beta)
            if n == 2:
                own[first : first + step] = _two(block, distances)
                continue
            waiting.append(_Block.of(block, distances, max_groups, own, first))
            if sum(b.n_problems for b in waiting) >= _TOGETHER:
                _fill(waiting)
                waiting = []
    _fill(waiting)
    return found


def _distances(layout: Layout, label_distance: _Floats, alpha: float, beta: float) -> _Floats:
    """(S, n m, n m) dissimilarity of all pairs of units; infinite where there is none or one annotator has both."""
    s, n, m = layout.shape
    unit = layout.unit.reshape(s, n * m)
    there = unit >= 0
    start = np.where(there, layout.start.reshape(s, n * m), 0.0)
    end = np.where(there, layout.end.reshape(s, n * m), 1.0)
    found = alpha * positional(start[:, :, None], end[:, :, None], start[:, None, :], end[:, None, :])
    if beta:
        found += beta * label_distance[unit[:, :, None], unit[:, None, :]]
    who = np.repeat(np.arange(n), m)
    found[~(there[:, :, None] & there[:, None, :]) | (who[:, None] == who)] = np.inf
    return found


def _two(layout: Layout, distances: _Floats) -> list[Alignment]:
    from scipy.optimize import linear_sum_assignment  # slow to import, and most metrics do without

    s, _, m = layout.shape
    saved = np.maximum(0.0, 2.0 - distances[:, :m, m:])
    found = []
    for i in range(s):
        rows, columns = linear_sum_assignment(saved[i], maximize=True)
        good = saved[i][rows, columns] > 0
        groups = list(np.stack([rows[good], columns[good] + m], axis=1))
        total = float(saved[i][rows[good], columns[good]].sum())
        found.append(_finished(layout.unit[i], groups, total, total))
    return found


def _finished(unit: _Ints, groups: Sequence[_Ints], saved: float, most: float) -> Alignment:
    """The alignment of the groups (flat places) and of all units in none of them."""
    n, m = unit.shape
    left = (unit >= 0).ravel()
    n_units = int(left.sum())
    flat = np.concatenate(groups) if groups else np.empty(0, dtype=np.int64)
    rows = np.repeat(np.arange(len(groups)), [len(g) for g in groups])
    left[flat] = False
    alone = np.nonzero(left)[0]
    table = np.full((len(groups) + len(alone), n), -1, dtype=np.int64)
    table[rows, flat // m] = flat % m
    table[len(groups) + np.arange(len(alone)), alone // m] = alone % m
    return Alignment(table, n_units - saved, n_units - most)


@dataclass(frozen=True, slots=True)
class _Block:
    """Problems of one layout with their groups, and where their alignments go."""

    layout: Layout
    problem: _Ints
    members: _Ints
    saved: _Floats
    order: _Ints
    found: list[Alignment | None]
    first: int

    @property
    def n_problems(self) -> int:
        return self.layout.shape[0]

    @classmethod
    def of(
        cls, layout: Layout, distances: _Floats, max_groups: int, found: list[Alignment | None], first: int
    ) -> _Block:
        s, n, m = layout.shape
        sizes, too_many = _candidates(layout, distances, max_groups)
        for i in np.nonzero(too_many)[0]:
            found[first + i] = _heuristic(layout.unit[i], distances[i])
        sizes = [g.where(~too_many[g.problem]) for g in sizes]
        middle = np.where(layout.unit >= 0, layout.start + layout.end, np.inf).reshape(s, n * m)
        order = np.argsort(middle, axis=1, kind="stable")
        rank = np.empty_like(order)
        np.put_along_axis(rank, order, np.broadcast_to(np.arange(n * m), (s, n * m)), axis=1)
        members = np.full((sum(len(g.problem) for g in sizes), n), -1, dtype=np.int64)
        at = 0
        for g in sizes:
            k = g.members.shape[1]
            members[at : at + len(g.problem), :k] = np.sort(rank[g.problem[:, None], g.members], axis=1)
            at += len(g.problem)
        saved = [g.members.shape[1] - 1 - g.excess / (n * (n - 1) / 2) for g in sizes]
        return cls(
            layout, np.concatenate([g.problem for g in sizes]), members, np.concatenate(saved), order, found, first
        )


def _fill(blocks: Sequence[_Block]) -> None:
    """Solve the problems of some blocks together."""
    if not blocks:
        return
    firsts = np.cumsum([0, *(b.n_problems for b in blocks)])
    widest = max(b.members.shape[1] for b in blocks)
    members = np.concatenate(
        [np.pad(b.members, ((0, 0), (0, widest - b.members.shape[1])), constant_values=-1) for b in blocks]
    )
    problem = np.concatenate([b.problem + f for b, f in zip(blocks, firsts, strict=False)])
    taken, bound = pack(problem, members, np.concatenate([b.saved for b in blocks]), int(firsts[-1]))
    at = 0
    for block, first in zip(blocks, firsts, strict=False):
        rows = np.nonzero(taken[at : at + len(block.problem)])[0]
        at += len(block.problem)
        rows = rows[np.argsort(block.problem[rows], kind="stable")]
        cuts = np.searchsorted(block.problem[rows], np.arange(1, block.n_problems))
        for i, own in enumerate(np.split(rows, cuts)):
            if block.found[block.first + i] is None:
                total = float(block.saved[own].sum())
                groups = [block.order[i][row[row >= 0]] for row in block.members[own]]
                most = max(total, float(bound[first + i]))
                block.found[block.first + i] = _finished(block.layout.unit[i], groups, total, most)


@dataclass(frozen=True, slots=True)
class _Groups:
    """Groups of k units: their problem, flat places (sorted), the sum of d - 1 over their pairs."""

    problem: _Ints
    members: _Ints
    excess: _Floats

    def where(self, good: _Bools | _Ints | slice) -> _Groups:
        return _Groups(self.problem[good], self.members[good], self.excess[good])


def _candidates(layout: Layout, distances: _Floats, max_groups: int) -> tuple[list[_Groups], NDArray[np.bool_]]:
    """All groups that can be in a best alignment, by size; and the problems that have too many of them."""
    s, n, m = layout.shape
    pairs = n * (n - 1) / 2
    upper = np.repeat(np.arange(n), m)[:, None] < np.repeat(np.arange(n), m)
    problem, one, two = np.nonzero((distances < pairs + 1) & upper)
    excess = distances[problem, one, two] - 1.0
    groups = _Groups(problem, np.stack([one, two], axis=1), excess)
    found = [groups]
    counts = np.bincount(problem, minlength=s)
    too_many = np.zeros(s, dtype=np.bool_)
    too_many[counts > max_groups] = True
    for k in range(2, n):
        seeds = groups.where((groups.excess < pairs * (k - 1) / 2) & ~too_many[groups.problem])
        groups = _extended(seeds, distances, pairs * (k + 1) / 2, n * m, max_groups * s)
        counts += np.bincount(groups.problem, minlength=s)
        too_many[counts > max_groups] = True
        found.append(groups.where(_needed(groups, distances, pairs)))
    return found, too_many


def _extended(seeds: _Groups, distances: _Floats, most: float, width: int, limit: int) -> _Groups:
    """All groups that have one unit more and an excess below ``most``, each once."""
    problems, members, excess = [], [], []
    n_found = 0
    step = max(1, _BLOCK // width)
    for first in range(0, len(seeds.problem), step):
        some = seeds.where(slice(first, first + step))
        added = sum(distances[some.problem, column] for column in some.members.T) - some.members.shape[1]
        total = added + some.excess[:, None]
        row, place = np.nonzero(total < most)
        problems.append(some.problem[row])
        members.append(np.sort(np.concatenate([some.members[row], place[:, None]], axis=1), axis=1))
        excess.append(total[row, place])
        n_found += len(row)
        if n_found > 20 * limit:
            break
    if not problems:
        size = seeds.members.shape[1] + 1
        return _Groups(np.empty(0, np.int64), np.empty((0, size), np.int64), np.empty(0))
    found = _Groups(np.concatenate(problems), np.concatenate(members), np.concatenate(excess))
    return found.where(_firsts(found, width))


def _firsts(groups: _Groups, width: int) -> _Ints:
    """The places of each group's first occurrence."""
    size = groups.members.shape[1]
    if (groups.problem.max(initial=0) + 1) * float(width) ** size < 2**62:
        key = groups.problem.copy()
        for column in groups.members.T:
            key = key * width + column
        first: _Ints = np.unique(key, return_index=True)[1]
        return first
    rows = np.concatenate([groups.problem[:, None], groups.members], axis=1)
    first = np.unique(rows, axis=0, return_index=True)[1]
    return first


def _needed(groups: _Groups, distances: _Floats, pairs: float) -> NDArray[np.bool_]:
    """Groups of which no unit would better be taken out."""
    size = groups.members.shape[1]
    of_unit = np.zeros((len(groups.problem), size))
    for i in range(size):
        for j in range(i + 1, size):
            d = distances[groups.problem, groups.members[:, i], groups.members[:, j]] - 1.0
            of_unit[:, i] += d
            of_unit[:, j] += d
    good: _Bools = np.all(of_unit < pairs - 1e-12, axis=1)
    return good


def _heuristic(unit: _Ints, distances: _Floats) -> Alignment:
    """Annotators are matched to the groups of the others in turn, until nothing improves; with a lower bound."""
    from scipy.optimize import linear_sum_assignment

    n, m = unit.shape
    pairs = n * (n - 1) / 2
    places = [a * m + np.nonzero(unit[a] >= 0)[0] for a in range(n)]
    groups: list[list[int]] = []
    best = -1.0
    while True:
        for own in places:
            mine = {int(p) for p in own}
            groups = [kept for g in groups if (kept := [p for p in g if p not in mine])]
            gain = np.array(
                [[pairs - float((distances[p, g] - 1.0).sum()) for g in groups] for p in own], dtype=np.float64
            ).reshape(len(own), len(groups))
            rows, columns = linear_sum_assignment(np.maximum(gain, 0.0), maximize=True)
            free = set(mine)
            for row, column in zip(rows, columns, strict=True):
                if gain[row, column] > 0:
                    groups[column].append(int(own[row]))
                    free.discard(int(own[row]))
            groups.extend([p] for p in sorted(free))
        saved = sum(_saved(g, distances, pairs) for g in groups)
        if saved <= best + 1e-9:
            break
        best = saved
    n_units = int((unit >= 0).sum())
    least = max(len(p) for p in places) * pairs
    for a in range(n):
        for b in range(a + 1, n):
            cost = np.minimum(distances[np.ix_(places[a], places[b])] - 1.0, 0.0)
            rows, columns = linear_sum_assignment(cost)
            least += float(cost[rows, columns].sum())
    return _finished(unit, [np.array(sorted(g)) for g in groups if len(g) > 1], saved, n_units - least / pairs)


def _saved(group: Sequence[int], distances: _Floats, pairs: float) -> float:
    inside = distances[np.ix_(group, group)]
    return len(group) - 1 - float((inside[np.triu_indices(len(group), 1)] - 1.0).sum()) / pairs

"""Lays out the boxes and arrows of a structure: rows of boxes below the claim, arrows in lanes between.

The number of boxes in a row is limited. What leads to the boxes of a row is right below it, so that a wide structure
grows downwards and not to the side. An arrow leaves its source at the top, runs along a track of the gap between two
rows, passes other rows in a lane between columns, and enters its target from below: no line crosses a box.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from fallax.core.types import ArgumentStructure, Link, Statement
from fallax.render._structure_parts import DrawnLink, NodeBox, Point
from fallax.render._structure_words import place_words

__all__ = ["LINE", "PAD", "StructureLayout", "lay_out"]

#: Sizes in pixels.
WIDTH, GAP, LINE, PAD = 190.0, 26.0, 16.0, 8.0
_LANE, _TRACK, _LABEL_TRACK, _ABOVE, _BELOW = 7.0, 9.0, 17.0, 20.0, 14.0
_APART = 10.0
#: More arrows than this to one box are drawn as branches of one.
_BUNDLE = 8


@dataclass(frozen=True, slots=True)
class StructureLayout:
    """The whole layout: boxes by id, links in order, where unused nodes begin, and the total size."""

    boxes: Mapping[str, NodeBox]
    links: tuple[DrawnLink, ...]
    unused_at: float | None
    width: float
    height: float


def _chunks(ids: Sequence[str], columns: int) -> list[list[str]]:
    """The names in rows of nearly equal length."""
    n = -(-len(ids) // columns)
    sizes = [len(ids) // n + (i < len(ids) % n) for i in range(n)]
    ends = [0, *itertools.accumulate(sizes)]
    return [list(ids[a:b]) for a, b in itertools.pairwise(ends)]


def _rows(structure: ArgumentStructure, columns: int) -> list[list[str]]:
    """Ids in rows: every node below all nodes it leads to, as close to them as possible."""
    waiting = {n.id: len(structure.conclusions_of(n.id)) for n in structure.nodes}
    rows: list[list[str]] = []
    place: dict[str, float] = {}

    def put(row: list[str]) -> list[str]:
        rows.append(row)
        free: dict[str, None] = {}
        for i, id_ in enumerate(row):
            place[id_] = i - (len(row) - 1) / 2
        for id_ in row:
            for premise in structure.premises_of(id_):
                waiting[premise] -= 1
                if waiting[premise] == 0 and premise not in place:
                    free[premise] = None
        return sorted(free, key=lambda x: _middle([place[c] for c in structure.conclusions_of(x) if c in place]))

    first = [] if structure.claim is None else [structure.claim.id]
    ends = [i for i, n in waiting.items() if not n and i not in first]
    open_ = [_chunks([*first, *ends], columns)] if first or ends else []
    rest = iter([n.id for n in structure.nodes])
    while True:
        while open_:
            if not open_[-1]:
                open_.pop()
                continue
            row = [i for i in open_[-1].pop(0) if i not in place]
            if row and (free := put(row)):
                open_.append(_chunks(free, columns))
        left = next((i for i in rest if i not in place), None)  # on a cycle, or above one
        if left is None:
            return rows
        open_ = [[[left]]]


def _middle(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


@dataclass(slots=True)
class _Net:
    """The route of one link: the gaps it crosses, and its lane if it crosses several."""

    link: Link
    gaps: frozenset[int]
    lane: tuple[int, int] | None = None


def _bundled(links: Sequence[Link]) -> list[Link]:
    """The links, but where many lead one by one to the same target, one that has all their sources.

    They share a track and a lane, so that a node with hundreds of premises is not hidden behind their arrows.
    """
    serial: dict[tuple[str, str], list[Link]] = {}
    for link in links:
        if link.kind == "one_to_one":
            serial.setdefault((link.targets[0], link.relation), []).append(link)
    many = {key: found for key, found in serial.items() if len(found) > _BUNDLE}
    left = [x for x in links if x.kind != "one_to_one" or (x.targets[0], x.relation) not in many]
    joined = (Link(tuple(x.sources[0] for x in found), (t,), r) for (t, r), found in many.items())
    return [*left, *joined]


class _Plan:
    """Rows, columns, lanes and tracks, in the order in which each needs what was decided before."""

    def __init__(self, structure: ArgumentStructure, columns: int) -> None:
        self.rows = _rows(structure, columns)
        self.row_of = {id_: r for r, row in enumerate(self.rows) for id_ in row}
        self.n_columns = max(map(len, self.rows), default=1)
        self.nets = []
        passed: set[int] = set()
        for link in _bundled(structure.links):
            gaps = {self.row_of[s] - 1 for s in link.sources} | {self.row_of[t] for t in link.targets}
            self.nets.append(_Net(link, frozenset(gaps)))
            passed |= set(range(min(gaps) + 1, max(gaps) + 1))
        #: column of each box; whole numbers where lanes must pass beside it
        self.column: dict[str, float] = {}
        for r, row in enumerate(self.rows):
            left = (self.n_columns - len(row)) / 2
            for i, id_ in enumerate(row):
                self.column[id_] = i + (left if r not in passed else left // 1)
        self.lanes: list[list[list[tuple[int, int]]]] = [[] for _ in range(self.n_columns + 1)]
        for net in self.nets:
            if len(net.gaps) > 1:
                net.lane = self._lane(net)
        self._ports()

    def _lane(self, net: _Net) -> tuple[int, int]:
        """The place between columns, and the track there, in which a link passes rows."""
        middle = _middle([self.column[i] + 0.5 for i in (*net.link.sources, *net.link.targets)])
        span = min(net.gaps), max(net.gaps)

        def crowd(at: int) -> int:
            return sum(_meets(one, span) for track in self.lanes[at] for one in track)

        at = min(range(self.n_columns + 1), key=lambda g: (abs(g - middle) + 0.25 * crowd(g), g))
        return at, _free_track(self.lanes[at], span)

    def _ports(self) -> None:
        """How far from the middle of its box each arrow leaves and enters."""
        into: dict[str, list[int]] = {}
        out: dict[str, list[int]] = {}
        for n, net in enumerate(self.nets):
            for t in net.link.targets:
                into.setdefault(t, []).append(n)
            for s in net.link.sources:
                out.setdefault(s, []).append(n)
        self.enter: dict[tuple[int, str], float] = {}
        self.leave: dict[tuple[int, str], float] = {}
        for ports, found, nudge in ((into, self.enter, 0.0), (out, self.leave, 4.5)):
            for id_, numbers in ports.items():
                numbers.sort(key=partial(self._toward, id_))
                step = min(20.0, (WIDTH - 40) // len(numbers) // 2 * 2) if len(numbers) > 1 else 0.0
                for i, n in enumerate(numbers):
                    found[n, id_] = (i - (len(numbers) - 1) / 2) * step + nudge
        for n, net in enumerate(self.nets):
            s, t = net.link.sources[0], net.link.targets[0]
            alone = len(net.link.pairs) == len(into[t]) == len(out[s]) == 1
            if alone and len(net.gaps) == 1 and self.column[s] == self.column[t]:
                self.leave[n, s] = self.enter[n, t] = 0.0

    def _toward(self, id_: str, n: int) -> float:
        """Where an arrow of a node comes from or goes to, across: its lane, else the middle of its other ends."""
        net = self.nets[n]
        if net.lane is not None:
            return net.lane[0] - 0.5
        return _middle([self.column[i] for i in (*net.link.sources, *net.link.targets) if i != id_])


def _meets(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return one[0] <= other[1] and other[0] <= one[1]


def _free_track(tracks: list[list[tuple[int, int]]], span: tuple[int, int]) -> int:
    for number, track in enumerate(tracks):
        if not any(_meets(one, span) for one in track):
            track.append(span)
            return number
    tracks.append([span])
    return len(tracks) - 1


def lay_out(
    structure: ArgumentStructure,
    unused: Sequence[Statement],
    lines: Mapping[str, tuple[str, ...]],
    words: Mapping[str, float],
    *,
    columns: int,
) -> StructureLayout:
    """Place every box and arrow.

    Parameters
    ----------
    unused : what takes part in no link; it stands below all else, in rows.
    lines : the lines of text in the box of each node, by name.
    words : the width of each relation that is written, in pixels.
    columns : how many boxes may stand in a row, at least 1.
    """
    plan = _Plan(structure, columns)
    gap_left, column_x, width = _across(plan)
    middle = width / 2
    x: dict[str, float] = {}
    for row in plan.rows:
        for i, id_ in enumerate(row):
            whole = plan.column[id_] == plan.column[id_] // 1
            x[id_] = column_x[int(plan.column[id_])] if whole else middle + (i - (len(row) - 1) / 2) * (WIDTH + GAP)
    lane_x = [None if net.lane is None else gap_left[net.lane[0]] + 8 + _LANE * net.lane[1] for net in plan.nets]
    tracks, heights = _tracks(plan, x, lane_x, words)
    boxes: dict[str, NodeBox] = {}
    gap_top: dict[int, float] = {-1: GAP / 2}
    y = GAP + heights.get(-1, 0.0)
    for r, row in enumerate(plan.rows):
        tall = max(_height(lines[i]) for i in row)
        for id_ in row:
            boxes[id_] = NodeBox(x[id_], y + tall / 2, WIDTH, _height(lines[id_]), lines[id_])
        gap_top[r] = y + tall
        y += tall + heights.get(r, GAP)
    nets = [
        _drawn(plan, n, boxes, lane_x[n], {g: gap_top[g] + tracks[n, g] for g in net.gaps if (n, g) in tracks})
        for n, net in enumerate(plan.nets)
    ]
    drawn = _of_links(structure.links, plan, place_words([n.link for n in plan.nets], nets, boxes.values(), words))
    unused_at = None
    if unused:
        unused_at = y
        y += LINE
        for row in _chunks([n.id for n in unused], columns):
            tall = max(_height(lines[i]) for i in row)
            for i, id_ in enumerate(row):
                boxes[id_] = NodeBox(
                    GAP + WIDTH / 2 + i * (WIDTH + GAP), y + tall / 2, WIDTH, _height(lines[id_]), lines[id_]
                )
            y += tall + GAP / 2
        width = max(width, GAP + min(len(unused), columns) * (WIDTH + GAP))
    reach = [p[0] for d in drawn for _, way in d.ways for p in way]
    reach += [d.word[0] + words[x.relation] for d, x in zip(drawn, structure.links, strict=True) if d.word is not None]
    return StructureLayout(boxes, drawn, unused_at, max([width, *(r + GAP / 2 for r in reach)]), y + GAP / 2)


def _of_links(links: Sequence[Link], plan: _Plan, nets: Sequence[DrawnLink]) -> tuple[DrawnLink, ...]:
    """What was drawn for each link, in order; a link of a bundle has its own way in it."""
    whole: dict[Link, DrawnLink] = {}
    parts: dict[tuple[str, str, str], DrawnLink] = {}
    for net, one in zip(plan.nets, nets, strict=True):
        whole[net.link] = one
        for i, (pair, way) in enumerate(one.ways):  # the relation of a bundle is written once
            parts[(*pair, net.link.relation)] = DrawnLink(((pair, way),), one.joint, None if i else one.word)
    return tuple(whole.get(x) or parts[x.sources[0], x.targets[0], x.relation] for x in links)


def _height(lines: Sequence[str]) -> float:
    return len(lines) * LINE + 2 * PAD


def _across(plan: _Plan) -> tuple[list[float], list[float], float]:
    """The left edge of each place between columns, the middle of each column, and the width of all."""
    gap_left, column_x, at = [], [], 0.0
    for g in range(plan.n_columns + 1):
        gap_left.append(at)
        at += max(GAP, 16 + _LANE * max(0, len(plan.lanes[g]) - 1))
        if g < plan.n_columns:
            column_x.append(at + WIDTH / 2)
            at += WIDTH
    return gap_left, column_x, at


def _tracks(
    plan: _Plan, x: Mapping[str, float], lane_x: Sequence[float | None], words: Mapping[str, float]
) -> tuple[dict[tuple[int, int], float], dict[int, float]]:
    """(link, gap) -> how far below the row above its track runs; and the height of each gap."""
    spans: dict[int, list[tuple[float, float, int]]] = {}
    labelled: set[int] = set()
    for n, net in enumerate(plan.nets):
        for gap in net.gaps:
            across = [x[s] + plan.leave[n, s] for s in net.link.sources if plan.row_of[s] - 1 == gap]
            across += [x[t] + plan.enter[n, t] for t in net.link.targets if plan.row_of[t] == gap]
            lane = lane_x[n]
            if lane is not None:
                across.append(lane)
            right = max(across)
            if net.link.relation and (gap in {plan.row_of[t] for t in net.link.targets} or len(net.gaps) == 1):
                labelled.add(gap)
                right = max(right, max(across) + 16 + words[net.link.relation])
            spans.setdefault(gap, []).append((min(across), right, n))
    found: dict[tuple[int, int], float] = {}
    heights: dict[int, float] = {}
    for gap, across_gap in spans.items():
        step = _LABEL_TRACK if gap in labelled else _TRACK
        taken: list[float] = []
        for left, right, n in sorted(across_gap):
            number = next((i for i, end in enumerate(taken) if end + _APART < left), len(taken))
            taken[number:] = [right, *taken[number + 1 :]]
            found[n, gap] = _ABOVE + step * number
        heights[gap] = _ABOVE + step * (len(taken) - 1) + _BELOW + (6 if gap in labelled else 0)
    return found, heights


def _drawn(
    plan: _Plan, n: int, boxes: Mapping[str, NodeBox], lane: float | None, track: Mapping[int, float]
) -> DrawnLink:
    link = plan.nets[n].link
    ways = []
    for s, t in link.pairs:
        low, high = plan.row_of[s] - 1, plan.row_of[t]
        start = boxes[s].x + plan.leave[n, s], boxes[s].y - boxes[s].height / 2
        end = boxes[t].x + plan.enter[n, t], boxes[t].y + boxes[t].height / 2
        way: list[Point] = [start]
        if low == high:
            way += [(start[0], track[low]), (end[0], track[low])] if start[0] != end[0] else []
        elif lane is not None:
            way += [(start[0], track[low]), (lane, track[low]), (lane, track[high]), (end[0], track[high])]
        ways.append(((s, t), tuple(dict.fromkeys([*way, end]))))
    if link.kind == "one_to_many":
        one = link.sources[0]
        joint = boxes[one].x + plan.leave[n, one], track[plan.row_of[one] - 1]
    else:
        one = link.targets[0]
        joint = boxes[one].x + plan.enter[n, one], track[plan.row_of[one]]
    return DrawnLink(tuple(ways), joint)

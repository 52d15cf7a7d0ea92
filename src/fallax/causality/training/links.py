"""Fits the choices by which structures are built, on claims with gold structures; needs no torch."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from fallax.causality.systems.linking import (
    MOST_LAST,
    MOST_STATEMENTS,
    Node,
    Statements,
    merge_choices,
    premise_choices,
    select_choices,
)
from fallax.core.texts.ranking import Embedder
from fallax.core.types.causal import CausalClaim
from fallax.core.types.structure import ArgumentStructure
from fallax.encoders.heads import fit_choices
from fallax.errors import InputError

__all__ = ["fit_links"]

_Floats = npt.NDArray[np.float64]
Progress = Callable[[int, int, str], None]
_STRENGTH = 1.0


class _Sets:
    """Sets of options with the right ones."""

    def __init__(self) -> None:
        self.x: list[_Floats] = []
        self.right: list[bool] = []
        self.starts: list[int] = []

    def add(self, x: _Floats, right: Sequence[bool]) -> None:
        if any(right) and not all(right):
            self.starts.append(len(self.right))
            self.x.append(x)
            self.right += right

    def fitted(self) -> _Floats:
        return fit_choices(np.concatenate(self.x), np.array(self.starts), np.array(self.right), _STRENGTH)


def fit_links(
    claims: Sequence[CausalClaim], task: int, embedder: Embedder, progress: Progress | None = None
) -> dict[str, _Floats]:
    """The weights of the choices of :class:`~fallax.causality.systems.linking.LinkScorer`.

    Parameters
    ----------
    claims : with a gold structure each; one that leads nowhere, or uses a node twice (task 4), is not learnt from.
    task : 3 or 4.

    Returns
    -------
    dict
        "premises" for task 3; "select" for task 4, and "merge" if a structure has three leaves.
    """
    sets = {"premises": _Sets()} if task == 3 else {"select": _Sets(), "merge": _Sets()}
    for number, claim in enumerate(claims):
        if progress is not None:
            progress(number, len(claims), "structures")
        structure = claim.structure
        if structure is None or structure.claim is None or not structure.links or structure.problems:
            continue
        listed = claim.evidence if task == 3 else claim.leaf_evidence
        evidence = sorted(listed, key=lambda e: (e.text, e.id))[:MOST_STATEMENTS]
        given = Statements([*(e.text for e in evidence), claim.claim], embedder)
        place = {e.id: i for i, e in enumerate(evidence)}
        if task == 3:
            _learn_premises(given, place, structure, sets["premises"])
        else:
            _learn_selection(given, place, structure, sets["select"])
            _learn_merging(given, place, structure, sets["merge"])
    fitted = {name: found.fitted() for name, found in sets.items() if found.x}
    if not fitted:
        raise InputError("--on: must hold structures with a choice to learn, got none")
    return fitted


def _learn_premises(given: Statements, place: dict[str, int], structure: ArgumentStructure, sets: _Sets) -> None:
    """Of three premises or more any two are right, as one step draws two at most."""
    root = structure.claim.id if structure.claim else ""
    number = {**place, root: given.n}
    left = set(place.values())
    waiting = [root]
    for name in waiting:  # grows while it is read
        gold = [i for i in structure.premises_of(name) if i in number and number[i] in left]
        options, x = premise_choices(given, number[name], sorted(left))
        wanted = {number[i] for i in gold}
        size = min(2, len(wanted))
        sets.add(x, [len(o) == size and wanted.issuperset(o) for o in options])
        left -= wanted
        waiting += gold


def _learn_selection(given: Statements, place: dict[str, int], structure: ArgumentStructure, sets: _Sets) -> None:
    """Any leaf that is still wanted is right; of those, the one nearest the claim is taken next."""
    wanted = {place[n.id] for n in structure.leaves if n.id in place}
    near = given.vectors @ given.vectors[-1]
    chosen: list[int] = []
    for i in [*sorted(wanted, key=lambda i: (-near[i], i)), None]:
        options, x = select_choices(given, chosen)
        left = wanted - set(chosen)
        sets.add(x, [o in left if left else o is None for o in options])
        if i is not None:
            chosen.append(i)


def _learn_merging(given: Statements, place: dict[str, int], structure: ArgumentStructure, sets: _Sets) -> None:
    """Two premises of one step are rightly joined, as soon as both are there."""
    root = structure.claim.id if structure.claim else ""
    leaves = [n.id for n in structure.leaves]
    if any(i not in place for i in leaves) or any(len(structure.conclusions_of(i)) > 1 for i in structure.by_id):
        return
    nodes: list[tuple[str, Node]] = [(i, given.node((place[i],))) for i in sorted(leaves, key=lambda i: place[i])]
    waiting = {s.conclusion: set(s.premises) for s in structure.steps}
    while True:
        _merged_singles(nodes, waiting, root)
        if len(nodes) < 3:
            return
        options, x = merge_choices(given, [node for _, node in nodes])
        there = {name for name, _ in nodes}
        last = there == waiting[root] and len(nodes) <= MOST_LAST
        owner = {p: c for c, premises in waiting.items() for p in premises}
        right = [
            (last and o is None) if o is None else not last and owner[nodes[o[0]][0]] == owner[nodes[o[1]][0]] != root
            for o in options
        ]
        sets.add(x, right)
        if last or not any(right):
            return
        i, j = next(o for o, good in zip(options, right, strict=True) if good and o is not None)
        (a, first), (b, second) = nodes[i], nodes[j]
        step = owner[a]
        left = waiting[step] - {a, b}
        name = f"{a}\0{b}" if left else step
        if left:  # three or more premises are joined two by two
            waiting[step] = {*left, name}
        else:
            del waiting[step]
        nodes = [n for k, n in enumerate(nodes) if k not in (i, j)] + [(name, first.joined(second))]


def _merged_singles(nodes: list[tuple[str, Node]], waiting: dict[str, set[str]], root: str) -> None:
    """A conclusion from one premise alone is no choice: the premise takes its name."""
    for k, (name, node) in enumerate(nodes):
        for conclusion in [c for c, premises in waiting.items() if premises == {name} and c != root]:
            del waiting[conclusion]
            nodes[k] = (conclusion, node)

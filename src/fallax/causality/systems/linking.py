"""Builds an argument structure by learnt choices: which statements are used, which lead to which, in what order."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from fallax.causality.systems.base import root_of
from fallax.core.texts.ranking import Embedder, content_words
from fallax.core.types.causal import CausalClaim
from fallax.core.types.structure import ArgumentStructure, Link, Statement

__all__ = ["CHOICES", "LinkScorer", "Node", "Statements", "merge_choices", "premise_choices", "select_choices"]

_Floats = npt.NDArray[np.float64]
#: A claim is concluded from at most so many nodes at once; a structure has at most so many leaves.
MOST_LAST, MOST_LEAVES = 5, 20
#: More statements than this are first cut to those nearest the claim.
MOST_STATEMENTS = 40
#: task -> the choices that it learns, and how many features the options of each have.
CHOICES = {3: {"premises": 21}, 4: {"select": 15, "merge": 17}}


class Statements:
    """The statements of one claim as vectors and words; the claim is the last.

    Parameters
    ----------
    texts : the statements, then the claim.
    embedder : texts to vectors.
    """

    def __init__(self, texts: Sequence[str], embedder: Embedder) -> None:
        found = np.asarray(embedder(list(texts)), dtype=np.float64)
        norms = np.linalg.norm(found, axis=1, keepdims=True)
        self.vectors = np.divide(found, norms, out=np.zeros_like(found), where=norms > 0)
        self.words = [frozenset(content_words(t)) for t in texts]
        self.n = len(texts) - 1
        column = {w: k for k, w in enumerate(sorted(frozenset().union(*self.words)))}
        #: Which statement has which word, 1.0 or 0.0.
        self.counts = np.zeros((len(texts), max(1, len(column))))
        for row, words in enumerate(self.words):
            self.counts[row, [column[w] for w in words]] = 1.0

    @property
    def claim(self) -> Node:
        """The claim as a node."""
        return self.node((self.n,))

    def node(self, members: Sequence[int]) -> Node:
        """Statements taken together."""
        vector = self.vectors[list(members)].sum(axis=0)
        norm = float(np.linalg.norm(vector))
        words = frozenset().union(*(self.words[i] for i in members))
        return Node(tuple(sorted(members)), vector / norm if norm else vector, words)


@dataclass(frozen=True, eq=False)
class Node:
    """A leaf, or what was concluded from several: its leaves, their mean vector, and their words."""

    members: tuple[int, ...]
    vector: _Floats
    words: frozenset[str]

    def near(self, other: Node) -> float:
        """The cosine of both."""
        return float(self.vector @ other.vector)

    def held_by(self, words: frozenset[str]) -> float:
        """The share of its words that are among others, in [0, 1]."""
        return len(self.words & words) / max(1, len(self.words))

    def joined(self, other: Node) -> Node:
        """Both together."""
        vector = self.vector * len(self.members) + other.vector * len(other.members)
        norm = float(np.linalg.norm(vector))
        members = tuple(sorted((*self.members, *other.members)))
        return Node(members, vector / norm if norm else vector, self.words | other.words)


def select_choices(given: Statements, chosen: Sequence[int]) -> tuple[list[int | None], _Floats]:
    """The next statement to use, or None to stop: the options, and their features, one row each."""
    claim = given.claim
    nodes = [given.node((i,)) for i in range(given.n)]
    said = frozenset().union(*(nodes[i].words for i in chosen)) if chosen else frozenset()
    covered = claim.held_by(said)
    left = [i for i in range(given.n) if i not in chosen]
    best = max((nodes[i].near(claim) for i in left), default=0.0)
    rows = [[1.0, float(not chosen), float(len(chosen) == 1), float(len(chosen)), covered, best, *(0.0,) * 9]]
    for i in left:
        node = nodes[i]
        near = node.near(claim)
        to = max((node.near(nodes[j]) for j in chosen), default=0.0)
        bridge = len(node.words & said - claim.words) / max(1, len(node.words))
        gain = claim.held_by(said | node.words) - covered
        rows.append(
            [
                *(0.0,) * 6, near, near - best, claim.held_by(node.words), node.held_by(claim.words), gain, to, bridge,
                node.held_by(said), float(not chosen) * near,
            ]
        )  # fmt: skip
    return [None, *left], np.array(rows)


def merge_choices(given: Statements, nodes: Sequence[Node]) -> tuple[list[tuple[int, int] | None], _Floats]:
    """The next two of three nodes or more to conclude something from, or None to conclude the claim from all.

    Gives the options, and their features, one row each.
    """
    claim = given.claim
    n = len(nodes)
    near = np.array([[a.near(b) for b in nodes] for a in nodes])
    np.fill_diagonal(near, -1.0)
    shared = [[len(a.words & b.words - claim.words) / max(1, min(len(a.words), len(b.words))) for b in nodes]
              for a in nodes]  # fmt: skip
    to = [node.near(claim) for node in nodes]
    options: list[tuple[int, int] | None] = []
    rows: list[list[float]] = []
    if n <= MOST_LAST:
        sizes = [float(n == 3), float(n > 3)]
        options.append(None)
        rows.append([*sizes, float(near.max()), *(0.0,) * 14])
    for i, j in itertools.combinations(range(n), 2):
        a, b = nodes[i], nodes[j]
        both = a.joined(b)
        others = [k for k in range(n) if k not in (i, j)]
        rival = max((max(near[i, k], near[j, k]) for k in others), default=0.0)
        rival_shared = max((max(shared[i][k], shared[j][k]) for k in others), default=0.0)
        covered = claim.held_by(both.words)
        concluded = (len(a.members) > 1) + (len(b.members) > 1)
        rows.append(
            [
                *(0.0,) * 3, near[i, j], near[i, j] - rival, shared[i][j], shared[i][j] - rival_shared,
                len(a.words & b.words) / max(1, len(both.words)), both.near(claim),
                both.near(claim) - max(to[i], to[j]), min(to[i], to[j]), max(to[i], to[j]), covered,
                covered - max(claim.held_by(a.words), claim.held_by(b.words)), float(concluded == 1),
                float(concluded == 2), float(len(both.members)),
            ]
        )  # fmt: skip
        options.append((i, j))
    return options, np.array(rows)


def premise_choices(given: Statements, conclusion: int, left: Sequence[int]) -> tuple[list[tuple[int, ...]], _Floats]:
    """What a statement follows from: nothing, as it is a leaf, or one or two of those that are left.

    The claim (``given.n``) is no leaf. Gives the options, and their features, one row each.
    """
    rows = np.array(left, dtype=np.int64)
    n, is_claim = len(rows), float(conclusion == given.n)
    own, held = given.counts[conclusion], given.counts[rows]
    size = max(1.0, float(own.sum()))
    in_own = held * own
    cover, sizes = in_own.sum(axis=1) / size, np.maximum(held.sum(axis=1), 1.0)
    shared, both = held @ held.T, in_own @ held.T
    near = given.vectors[rows] @ given.vectors[conclusion]
    among = given.vectors[rows] @ given.vectors[rows].T
    to_claim = given.vectors[rows] @ given.vectors[given.n]
    i, j = np.triu_indices(n, k=1)
    i, j = np.concatenate([np.arange(n), i]), np.concatenate([np.arange(n), j])
    single = (i == j).astype(float)
    joint = np.where(i == j, cover[i], cover[i] + cover[j] - both[i, j] / size)
    union = np.where(i == j, sizes[i], sizes[i] + sizes[j] - shared[i, j])
    bridge = np.where(i == j, 0.0, (shared[i, j] - both[i, j]) / np.minimum(sizes[i], sizes[j]))
    alike = np.where(i == j, 0.0, among[i, j])
    middle = (near[i] + near[j]) / np.sqrt(np.maximum(2.0 + 2.0 * among[i, j], 1e-9))
    gain = np.where(i == j, 0.0, joint - np.maximum(cover[i], cover[j]))
    lost = 1.0 - (joint * size + bridge * np.minimum(sizes[i], sizes[j])) / union
    found = np.column_stack(
        [
            single, joint, joint - joint.max(initial=0.0), gain, bridge, lost, alike, middle,
            middle - middle.max(initial=0.0), np.minimum(near[i], near[j]), np.maximum(near[i], near[j]),
            np.maximum(to_claim[i], to_claim[j]) * (1 - is_claim), is_claim * joint, is_claim * middle,
            (1 - single) * shared[i, j] / union, single * joint,
        ]
    )  # fmt: skip
    options: list[tuple[int, ...]] = [
        (left[a],) if a == b else (left[a], left[b]) for a, b in zip(i.tolist(), j.tolist(), strict=True)
    ]
    x = np.concatenate([np.zeros((len(found), 5)), found], axis=1)
    if is_claim:
        return options, x
    none = np.zeros((1, x.shape[1]))
    near_claim = float(given.vectors[conclusion] @ given.vectors[given.n])
    none[0, :5] = 1.0, joint.max(initial=0.0), middle.max(initial=0.0), near_claim, np.log1p(size)
    return [(), *options], np.concatenate([none, x])


@dataclass(frozen=True, eq=False)
class LinkScorer:
    """Builds structures with a linear score for each choice, always taking the best.

    Parameters
    ----------
    embedder : what it was trained with.
    task : 3: all statements are given, conclusions among them; from the claim back, each finds the one or two that it
        follows from. 4: only leaves are given; those that are used are joined two by two, bottom-up, until the claim
        follows. No generator words the intermediates: each is its premises, joined.
    premises, select, merge : the weights of the features of each choice. Without ``merge``, as no training structure
        had three leaves, the claim follows from all leaves at once.
    """

    embedder: Embedder
    task: int
    premises: _Floats | None = None
    select: _Floats | None = None
    merge: _Floats | None = None

    def build(self, claim: CausalClaim) -> ArgumentStructure | None:
        """The structure of a claim with its evidence; None where nothing is used."""
        evidence = sorted(claim.evidence, key=lambda e: (e.text, e.id))
        if not evidence:
            return None
        given = Statements([*(e.text for e in evidence), claim.claim], self.embedder)
        if given.n > MOST_STATEMENTS:
            near = given.vectors[:-1] @ given.vectors[-1]
            evidence = [evidence[i] for i in sorted(np.argsort(-near, kind="stable")[:MOST_STATEMENTS])]
            given = Statements([*(e.text for e in evidence), claim.claim], self.embedder)
        nodes = [e.statement for e in evidence]
        root = root_of(claim)
        return self._linked(given, nodes, root) if self.task == 3 else self._joined(given, nodes, root)

    def _linked(self, given: Statements, nodes: Sequence[Statement], root: Statement) -> ArgumentStructure | None:
        """Task 3: from the claim back, each statement finds what it follows from among those not yet placed."""
        left = list(range(given.n))
        names = [*(n.id for n in nodes), root.id]
        links: list[Link] = []
        waiting = [given.n]
        for conclusion in waiting:  # grows while it is read
            if not left:
                break
            options, x = premise_choices(given, conclusion, left)
            premises = options[int((x @ _known(self.premises)).argmax())]
            if premises:
                links.append(Link(tuple(names[i] for i in premises), (names[conclusion],)))
                left = [i for i in left if i not in premises]
                waiting += premises
        return ArgumentStructure(root, tuple(nodes[i] for i in sorted(waiting[1:])), tuple(links))

    def _joined(self, given: Statements, nodes: Sequence[Statement], root: Statement) -> ArgumentStructure | None:
        """Task 4: first the leaves that are used, then what is concluded from which two."""
        chosen: list[int] = []
        while len(chosen) < min(given.n, MOST_LEAVES):
            options, x = select_choices(given, chosen)
            scores = x @ _known(self.select)
            scores[0] = scores[0] if chosen else -np.inf
            best = options[int(scores.argmax())]
            if best is None:
                break
            chosen.append(best)
        taken = {n.id for n in nodes} | {root.id}
        names = (name for i in itertools.count(1) if (name := f"int{i}") not in taken)
        parts = [(given.node((i,)), nodes[i]) for i in sorted(chosen)]
        made: list[Statement] = []
        links: list[Link] = []
        while len(parts) > 2 and self.merge is not None:
            pairs, x = merge_choices(given, [p for p, _ in parts])
            pair = pairs[int((x @ self.merge).argmax())]
            if pair is None:
                break
            (a, first), (b, second) = parts[pair[0]], parts[pair[1]]
            whole = Statement(next(names), f"{first.text.strip().rstrip('.')}, and {second.text.strip()}")
            made.append(whole)
            links.append(Link((first.id, second.id), (whole.id,)))
            parts = [p for k, p in enumerate(parts) if k not in pair] + [(a.joined(b), whole)]
        links.append(Link(tuple(s.id for _, s in parts), (root.id,)))
        return ArgumentStructure(root, (*(nodes[i] for i in sorted(chosen)), *made), tuple(links))


def _known(weights: _Floats | None) -> _Floats:
    return np.zeros(0) if weights is None else weights

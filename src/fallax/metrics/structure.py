"""Similarity of argument structures, edge by edge, and EntailmentBank's leaves, steps and intermediates."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import ClassVar, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from fallax.core.types import ArgumentStructure, Score, Unreadable, link_role
from fallax.errors import InputError, one_line
from fallax.metrics.base import (
    NO_PREDICTION,
    Counts,
    Measure,
    Metric,
    Missing,
    Sums,
    build_score,
    check_choice,
    check_same_ids,
)
from fallax.metrics.text_similarity import SCORERS, TextModel, similarity_matrices

__all__ = ["EntailmentTree", "StructureMetric", "StructureSimilarity", "Structures", "align_edges"]

#: id -> structure (None: nothing there; Unreadable: a reply without one); or structures alone, whose ids are their
#: positions from "0" on.
Structures: TypeAlias = (
    Mapping[str, ArgumentStructure | Unreadable | None] | Sequence[ArgumentStructure | Unreadable | None]
)
_Pair: TypeAlias = tuple[ArgumentStructure, ArgumentStructure]


@dataclass(frozen=True, kw_only=True)
class StructureMetric(Metric):
    """A metric that compares argument structures; its values are means over records."""

    @property
    def counts_unreadable(self) -> bool:
        """Whether a reply without a structure scores 0 instead of being left out."""
        return False

    @abstractmethod
    def _count(self, pairs: Sequence[_Pair], model: TextModel | None) -> Iterable[Sums]:
        """What each (predicted, gold) pair adds, in order, without ``n``."""

    def corpus_score(
        self,
        *,
        pred: Structures,
        gold: Structures,
        model: TextModel | None = None,
        groups: Mapping[str, Mapping[str, str]] | None = None,
        missing: Missing = "error",
    ) -> Score:
        """Score predicted against gold structures.

        Parameters
        ----------
        pred, gold : by id, or sequences of equal length. A record without gold, without a prediction or with an
            unreadable reply is unscored, with that reason.
        model : what the scorer asks, where it needs one.
        groups : kind of part -> record id -> group, for breakdowns; see :func:`~fallax.metrics.base.number_groups`.
        missing : see :func:`fallax.metrics.base.align`.

        Raises
        ------
        InputError
            If the ids (or lengths) differ, or the scorer needs a model and there is none.
        """
        preds, golds = _by_id(pred, "pred"), _by_id(gold, "gold")
        check_same_ids(preds, golds, "structure", missing)
        pairs: dict[str, _Pair] = {}
        unscored: dict[str, str] = {}
        for i, right in golds.items():
            answer = preds.get(i)
            if not isinstance(right, ArgumentStructure):
                unscored[i] = "not annotated"
            elif isinstance(answer, ArgumentStructure):
                pairs[i] = (answer, right)
            elif answer is not None:
                unscored[i] = f"unreadable: {answer.reason}"
            else:
                unscored[i] = "no answer" if i in preds else NO_PREDICTION
        lost = [i for i, p in preds.items() if isinstance(p, Unreadable) and golds[i] is not None]
        sums = self._count(list(pairs.values()), model)
        counts = {i: Counts({**s, "n": 1}) for i, s in zip(pairs, sums, strict=True)}
        nothing = {**dict.fromkeys(self.measures, 0), "n": 1}
        if self.counts_unreadable:
            counts.update((i, Counts(nothing)) for i in lost)
            unscored = {i: why for i, why in unscored.items() if i not in counts}
            lost = []
        return build_score(
            metric=str(self),
            formula="mean",
            zero={**dict.fromkeys(self.measures, 0), "n": 0},
            settings={**self.settings(), "model": "none" if model is None else model.name},
            counts=counts,
            hashes={i: _hash(i, g) for i, g in golds.items() if i in counts and isinstance(g, ArgumentStructure)},
            sources=dict.fromkeys(golds, ""),
            replies={i: (1, int(isinstance(p, Unreadable))) for i, p in preds.items() if p is not None},
            unscored=unscored,
            groups=groups,
            wrong=dict.fromkeys(lost, nothing),
        )

    def record_score(
        self, *, pred: ArgumentStructure | Unreadable | None, gold: ArgumentStructure, model: TextModel | None = None
    ) -> Score:
        """Score one structure; like :meth:`corpus_score` over that record alone."""
        return self.corpus_score(pred=(pred,), gold=(gold,), model=model)


def _by_id(values: Structures, name: str) -> dict[str, ArgumentStructure | Unreadable | None]:
    if isinstance(values, Mapping):
        found = dict(values)
    elif isinstance(values, Sequence):
        found = {str(i): x for i, x in enumerate(values)}
    else:
        raise InputError(f"{name}: must be structures by id or a sequence of them, got {type(values).__name__}")
    for i, x in found.items():
        if not isinstance(x, ArgumentStructure | Unreadable | None):
            raise InputError(f"{name}, record {one_line(i, 60)!r}: must be a structure or None, got {type(x).__name__}")
    return found


def _hash(id_: str, gold: ArgumentStructure | Unreadable | None) -> str:
    text = json.dumps([id_, gold.to_dict() if isinstance(gold, ArgumentStructure) else None], sort_keys=True)
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _f1(hits: float, n_pred: int, n_gold: int) -> float:
    """2 hits / (n_pred + n_gold); 1 if both are empty."""
    return 2 * hits / (n_pred + n_gold) if n_pred or n_gold else 1.0


def align_edges(alike: npt.NDArray[np.float64]) -> float:
    """The largest sum of a one-to-one alignment of rows and columns.

    Examples
    --------
    >>> align_edges(np.array([[0.9, 0.8], [0.8, 0.1]]))
    1.6
    """
    if not alike.size:
        return 0.0
    from scipy.optimize import linear_sum_assignment  # slow to import and needed only here

    rows, columns = linear_sum_assignment(alike, maximize=True)
    return float(alike[rows, columns].sum())


@dataclass(frozen=True, kw_only=True)
class StructureSimilarity(StructureMetric):
    """Precision, recall and F1 of edges under the best one-to-one alignment; with ``scorer="exact"``, exact match.

    In [0, 1], higher is better; the mean over records. Cost grows with n_pred * n_gold edges of each record; a model is
    asked once, for the distinct edges of all records together.

    Parameters
    ----------
    scorer : how alike two edges are: "exact" (exact match similarity), "token_f1", or one that needs ``model=``:
        "embedding", "bertscore", "bleurt". See :data:`~fallax.metrics.text_similarity.SCORERS`.
    edges : "pair", each arrow from one node to another is an edge; or "link", everything that one link joins is one.

    Notes
    -----
    An edge is a sentence: what its sources say, its relation, what its targets say; a node without text says its name.
    For "exact", these parts must be equal one by one. Support, attack, undercut and rephrase are never alike: edges of
    two roles have similarity 0. With s the similarity summed over the best alignment: P = s /
    n_pred, R = s / n_gold, F1 = 2 s / (n_pred + n_gold). Without edges, a prediction scores 0, or 1 if
    gold has none either.
    ``all_correct`` is the share of records with F1 = 1.

    Differs from the source: Si et al. 2024 score edges by BERTScore over DeBERTa-large; here the default is
    "token_f1", which needs no model, and the signature says so. Numbers of different scorers cannot be compared.

    References
    ----------
    Saha et al. 2021 (ExplaGraphs), section 6; Si et al. 2024 (CheckWhy), section 5.1.

    Examples
    --------
    >>> from fallax.core.types import Link, Statement
    >>> claim, rain, wet = Statement("Claim", "it was late"), Statement("E1", "it rained"), Statement("E2", "wet")
    >>> gold = ArgumentStructure(claim, (rain, wet), (Link(("E1",), ("E2",)), Link(("E2",), ("Claim",))))
    >>> pred = ArgumentStructure(claim, (rain,), (Link(("E1",), ("Claim",)),))
    >>> print(StructureSimilarity().record_score(pred=pred, gold=gold))
    structure_similarity: precision=0.667 recall=0.333 f1=0.444 all_correct=0.000
    >>> StructureSimilarity(scorer="exact").record_score(pred=gold, gold=gold)["f1"]
    1.0
    """

    name: ClassVar[str] = "structure_similarity"
    measures: ClassVar[Mapping[str, Measure]] = {
        "precision": Measure("similarity of the predicted edges to the gold edges aligned with them"),
        "recall": Measure("the same for the gold edges"),
        "f1": Measure("harmonic mean of precision and recall of each record"),
        "all_correct": Measure("share of the records whose edges all have an equal one"),
    }

    scorer: Literal["exact", "token_f1", "embedding", "bertscore", "bleurt"] = "token_f1"
    edges: Literal["pair", "link"] = "pair"

    def __post_init__(self) -> None:
        check_choice(self.name, "scorer", self.scorer, SCORERS)
        check_choice(self.name, "edges", self.edges, ("pair", "link"))

    def _count(self, pairs: Sequence[_Pair], model: TextModel | None) -> Iterable[Sums]:
        sentences = [(self._sentences(pred), self._sentences(gold)) for pred, gold in pairs]
        tables = similarity_matrices(sentences, scorer=self.scorer, model=model, metric=self.name)
        roles = [(self._roles(pred), self._roles(gold)) for pred, gold in pairs]
        for (pred, gold), alike, (mine, theirs) in zip(sentences, tables, roles, strict=True):
            total = align_edges(np.where(mine[:, None] == theirs[None, :], alike, 0.0))
            f1 = _f1(total, len(pred), len(gold))
            nothing = not pred and not gold
            yield {
                "precision": total / len(pred) if pred else float(nothing),
                "recall": total / len(gold) if gold else float(nothing),
                "f1": f1,
                "all_correct": float(f1 > 1 - 1e-12),
            }

    def _roles(self, structure: ArgumentStructure) -> npt.NDArray[np.str_]:
        relations = (
            [r for _, _, r in structure.pairs] if self.edges == "pair" else [x.relation for x in structure.links]
        )
        return np.array([link_role(r) for r in relations], dtype=np.str_)

    def _sentences(self, structure: ArgumentStructure) -> list[str]:
        said = {n.id: n.shown for n in structure.nodes}
        if self.edges == "pair":
            parts = [([said[s]], r, [said[t]]) for s, t, r in structure.pairs]
        else:
            parts = [
                ([said[i] for i in sorted(x.sources)], x.relation, [said[i] for i in sorted(x.targets)])
                for x in structure.links
            ]
        if self.scorer == "exact":
            return [json.dumps([sorted(before), relation, sorted(after)]) for before, relation, after in parts]
        return [" ".join(filter(None, (*before, relation, *after))) for before, relation, after in parts]


@dataclass(frozen=True, kw_only=True)
class EntailmentTree(StructureMetric):
    """EntailmentBank's leaves, steps and intermediates: F1 and all-correct, after aligning the intermediates.

    In [0, 1], higher is better; the mean over records.

    Parameters
    ----------
    scorer : how alike two conclusions are; see :class:`StructureSimilarity`.
    threshold : conclusions at least this alike are the same. By default 1 for "exact", and 0.28 for "bleurt" as in the
        paper; 0.5 for "token_f1" and 0.7 for "embedding", round numbers that were not tuned; "bertscore" needs one.
    leaves : whether leaves are told by their "id" (both structures were drawn over one list of evidence), or by their
        "text".
    variant : "definition", what the paper's text says; "official", what its scorer does (see the notes).

    Notes
    -----
    Alignment: each predicted intermediate is aligned with the gold intermediate whose leaves have the greatest Jaccard
    similarity with its own, with none where that is 0; the claims are aligned. Ties go to the more similar conclusion,
    then to the nearer depth, the more similar neighbours, the same name, one that no other has, the first by name.

    Only inferences are compared: what attacks, undercuts or rephrases is left out of both structures.

    Leaves: F1 of the sets of leaves. Steps: a step is right if its conclusion is aligned and its premises, each leaf as
    it is and each intermediate as its aligned one, are exactly those of the gold step. Intermediates: one is right if
    it is aligned and its conclusion similar enough. A gold step or intermediate counts once. F1 = 2 hits / (n_pred +
    n_gold), 1 for nothing against nothing. All-correct is the share of records with F1 = 1, ``all_correct`` of those
    where leaves, steps and intermediates all are.

    Variant "official": the scorer counts the claim ("hypothesis") among the intermediate conclusions of both trees and
    aligns intermediates to it like to any other, so a tree whose last intermediate covers all leaves may take the
    claim's place. With one step and no intermediate, intermediates F1 is 1 in both variants, but counts one conclusion
    here and none there. A prediction that cannot be read scores 0 in all measures.

    Differs from the source: ties are decided (the paper leaves them open; chains consist of ties), and the default
    scorer is "exact", as BLEURT is a model. Si et al. 2024, table 8, modify the metric "slightly" without saying how.

    References
    ----------
    Dalvi et al. 2021 (Explaining Answers with Entailment Trees), section 5; Si et al. 2024, appendix B.

    Examples
    --------
    >>> from fallax.core.types import Link, Statement
    >>> nodes = tuple(Statement(i, i) for i in ("sent1", "sent2", "int1"))
    >>> links = (Link(("sent1", "sent2"), ("int1",)), Link(("int1",), ("hypothesis",)))
    >>> gold = ArgumentStructure(Statement("hypothesis"), nodes, links)
    >>> pred = ArgumentStructure(Statement("hypothesis"), nodes[:2], (Link(("sent1", "sent2"), ("hypothesis",)),))
    >>> score = EntailmentTree().record_score(pred=pred, gold=gold)
    >>> score["leaves_f1"], score["steps_f1"], score["intermediates_f1"]
    (1.0, 0.0, 0.0)
    """

    name: ClassVar[str] = "entailment_tree"
    measures: ClassVar[Mapping[str, Measure]] = {
        "leaves_f1": Measure("F1 of the leaves"),
        "leaves_all_correct": Measure("share of the records with exactly the gold leaves"),
        "steps_f1": Measure("F1 of the steps, by premises and conclusion"),
        "steps_all_correct": Measure("share of the records with exactly the gold steps"),
        "intermediates_f1": Measure("F1 of the intermediate conclusions"),
        "intermediates_all_correct": Measure("share of the records with exactly the gold intermediates"),
        "all_correct": Measure("share of the records with leaves, steps and intermediates all correct"),
    }

    scorer: Literal["exact", "token_f1", "embedding", "bertscore", "bleurt"] = "exact"
    threshold: float | None = None
    leaves: Literal["id", "text"] = "id"
    variant: Literal["definition", "official"] = "definition"

    def __post_init__(self) -> None:
        check_choice(self.name, "scorer", self.scorer, SCORERS)
        check_choice(self.name, "leaves", self.leaves, ("id", "text"))
        check_choice(self.name, "variant", self.variant, ("definition", "official"))
        if self.threshold is None:
            if self.scorer not in _THRESHOLDS:
                raise InputError(
                    f"{self.name}: scorer {self.scorer!r} has no usual threshold; say from where on conclusions are the"
                    " same with threshold="
                )
        elif isinstance(self.threshold, bool) or not isinstance(self.threshold, int | float):
            raise InputError(f"{self.name}: threshold must be a number, got {one_line(repr(self.threshold), 40)}")
        elif not 0 < self.threshold <= 1:
            raise InputError(f"{self.name}: threshold must be above 0 and at most 1, got {self.threshold}")

    @property
    def counts_unreadable(self) -> bool:
        """True for the variant "official", as its scorer counts every line of a file of predictions."""
        return self.variant == "official"

    def settings(self) -> dict[str, str]:
        """The settings of the metric, with the threshold in use."""
        return {**super().settings(), "threshold": f"{self._threshold:g}"}

    @property
    def _threshold(self) -> float:
        return _THRESHOLDS[self.scorer] if self.threshold is None else float(self.threshold)

    def _count(self, pairs: Sequence[_Pair], model: TextModel | None) -> Iterable[Sums]:
        trees = [(self._tree(pred), self._tree(gold)) for pred, gold in pairs]
        said = [(p.conclusions, g.conclusions) for p, g in trees]
        tables = similarity_matrices(said, scorer=self.scorer, model=model, metric=self.name)
        for (pred, gold), alike in zip(trees, tables, strict=True):
            yield _tree_sums(pred, gold, alike, self._threshold)

    def _tree(self, structure: ArgumentStructure) -> _Tree:
        return _Tree(structure.inferences, self.leaves, self.variant == "official")


_THRESHOLDS: Mapping[str, float] = {"exact": 1.0, "token_f1": 0.5, "embedding": 0.7, "bleurt": 0.28}


class _Tree:
    """A structure prepared for comparison: leaves by key, intermediates in a fixed order."""

    def __init__(self, structure: ArgumentStructure, leaves: str, official: bool) -> None:
        self.structure = structure
        self.official = official
        keys = {n.id: n.shown if leaves == "text" else n.id for n in structure.nodes}
        self.leaves = {n.id: keys[n.id] for n in structure.leaves}
        depths = structure.depths
        self.depth = {n.id: depths.get(n.id, len(structure.nodes)) for n in structure.nodes}
        nodes = sorted(structure.intermediates, key=lambda n: (self.depth[n.id], n.id))
        if official and structure.claim is not None and structure.premises_of(structure.claim.id):
            nodes = [structure.claim, *nodes]
        self.intermediates = [n.id for n in nodes]
        self.conclusions = [n.shown for n in nodes]
        said = {n.id: n.shown for n in structure.nodes}
        self.around = {
            i: frozenset(said[x] for x in (*structure.premises_of(i), *structure.conclusions_of(i)))
            for i in self.intermediates
        }
        self.under = {
            i: frozenset(self.leaves[x] for x in structure.leaves_under(i) if x in self.leaves)
            for i in self.intermediates
        }

    @property
    def root(self) -> str | None:
        return None if self.structure.claim is None else self.structure.claim.id

    def premises(self, id_: str, names: Mapping[str, str]) -> frozenset[tuple[str, str]]:
        """The premises of a node: leaves by their keys, all others as ``names`` has them."""
        return frozenset(
            ("leaf", self.leaves[p]) if p in self.leaves else ("node", names[p]) if p in names else ("none", p)
            for p in self.structure.premises_of(id_)
        )


def _jaccard(a: frozenset[str], b: frozenset[str]) -> float:
    return len(a & b) / len(a | b) if a or b else 0.0


def _aligned(pred: _Tree, gold: _Tree, alike: npt.NDArray[np.float64]) -> dict[str, int]:
    """Predicted intermediate -> position of the aligned gold intermediate."""
    found: dict[str, int] = {}
    taken: set[int] = set()
    for i, one in enumerate(pred.intermediates):
        best: tuple[float, float, int, float, bool, bool, int] | None = None
        for j, other in enumerate(gold.intermediates):
            jaccard = _jaccard(pred.under[one], gold.under[other])
            around = _jaccard(pred.around[one], gold.around[other])
            depth = -abs(pred.depth[one] - gold.depth[other])
            rank = (jaccard, float(alike[i, j]), depth, around, one == other, j not in taken, -j)
            if jaccard > 0 and (best is None or rank > best):
                best = rank
        if best is not None:
            found[one] = -best[6]
            taken.add(-best[6])
    return found


def _tree_sums(pred: _Tree, gold: _Tree, alike: npt.NDArray[np.float64], threshold: float) -> Sums:
    aligned = _aligned(pred, gold, alike)
    names = {one: gold.intermediates[j] for one, j in aligned.items()}
    own = {i: i for i in gold.intermediates}
    if pred.root is not None and gold.root is not None and not pred.official:
        names[pred.root] = gold.root
    if gold.root is not None:
        own[gold.root] = gold.root
    right_steps = {
        names[s.conclusion]
        for s in pred.structure.steps
        if s.conclusion in names
        and pred.premises(s.conclusion, names) == gold.premises(names[s.conclusion], own) != frozenset()
    }
    at = {one: i for i, one in enumerate(pred.intermediates)}
    right_said = {j for one, j in aligned.items() if alike[at[one], j] >= threshold - 1e-12}
    a, b = set(pred.leaves.values()), set(gold.leaves.values())
    values = {
        "leaves": _f1(len(a & b), len(a), len(b)),
        "steps": _f1(len(right_steps), pred.structure.n_steps, gold.structure.n_steps),
        "intermediates": _f1(len(right_said), len(pred.intermediates), len(gold.intermediates)),
    }
    sums = {}
    for name, value in values.items():
        sums[f"{name}_f1"] = value
        sums[f"{name}_all_correct"] = float(value == 1)
    return {**sums, "all_correct": float(all(v == 1 for v in values.values()))}

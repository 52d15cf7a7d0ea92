"""Baseline verifiers: the most frequent verdict, shared words, and a chain of similar sentences."""

from __future__ import annotations

import itertools
import os.path
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from fallax.causality.systems.base import Verifier, root_of
from fallax.core.checked import is_part
from fallax.core.registry import Registry, registry
from fallax.core.texts.ranking import Embedder, TfIdf, content_words, cosines
from fallax.core.types.causal import VERDICTS, CausalClaim, Evidence, Verdict
from fallax.core.types.structure import ArgumentStructure, Link
from fallax.core.types.verification import Verification
from fallax.core.versions import check_version, folder_name, listed_name
from fallax.entailment import CAUSES
from fallax.errors import InputError, UnknownNameError, VerifierError, one_line

__all__ = [
    "BASELINE_VERIFIERS",
    "Majority",
    "OverlapVerifier",
    "SimilarityChain",
    "listed_verifier",
    "load_baseline",
    "reads_embedder",
]

_DENIES = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|neither|nor|without|cannot|hardly|rarely|instead|despite|although|fails?"
    r"|failed|prevent(?:s|ed)?|unlikely|impossible|\w+n['’]t)\b",
    re.I,
)
_MOST_MISSING = 8


def _denies(text: str) -> bool:
    return _DENIES.search(text) is not None


def _unsaid(claim: CausalClaim, used: Iterable[Evidence]) -> tuple[str, ...]:
    """The words of the claim that no used evidence contains."""
    said = {w for e in used for w in content_words(e.text)}
    words = [w for w in re.findall(r"[^\W_]+", claim.claim) if (stems := content_words(w)) and stems[0] not in said]
    return tuple(f"evidence that says {w!r}" for w in list(dict.fromkeys(words))[:_MOST_MISSING])


class Majority:
    """Gives the same verdict for every claim.

    Parameters
    ----------
    label : which.

    Examples
    --------
    >>> Majority.of(["refutes", "supports", "refutes"]).label
    'refutes'
    """

    def __init__(self, label: Verdict = "supports") -> None:
        if label not in VERDICTS:
            raise UnknownNameError("verdict", label, VERDICTS)
        self.label: Verdict = label

    @classmethod
    def of(cls, labels: Iterable[Verdict]) -> Majority:
        """The most frequent verdict; of equally frequent ones, the first in :data:`fallax.core.types.VERDICTS`."""
        counts = Counter(labels)
        return cls(max(VERDICTS, key=lambda v: counts[v]) if counts else "supports")

    @property
    def name(self) -> str:
        """``majority``."""
        return "majority"

    @property
    def identity(self) -> Mapping[str, Any]:
        """The verdict."""
        return {"system": self.name, "label": self.label}

    async def verify(self, claim: CausalClaim) -> Verification:
        """The verdict, without a structure."""
        return Verification(
            claim.claim, claim.evidence, self.label, system=self.name, no_structure=f"{self.name} draws none"
        )


class OverlapVerifier:
    """Supported if the evidence contains the words of the claim, refuted if it negates them.

    Parameters
    ----------
    least : the share of the claim's content words, in (0, 1], that the evidence must share.
    least_each : the share that a piece of evidence must share to count.
    classes : with 2, there is always a verdict for or against.

    Notes
    -----
    Evidence denies if it has a word such as "not" or "without"; it is against the claim if more of the
    shared words stand in evidence that denies than in evidence that does not, or the reverse where the claim denies.
    The thresholds are round numbers and were not tuned.

    Examples
    --------
    >>> import asyncio
    >>> claim = CausalClaim("c", "Rain made the match late.", (Evidence("E1", "The match was late for the rain."),))
    >>> asyncio.run(OverlapVerifier().verify(claim)).label
    'supports'
    """

    def __init__(self, *, least: float = 0.5, least_each: float = 0.2, classes: int = 3) -> None:
        _check_share("least", least)
        _check_share("least_each", least_each)
        self.least = least
        self.least_each = least_each
        self.classes = classes

    @property
    def name(self) -> str:
        """``lexical-overlap``."""
        return "lexical-overlap"

    @property
    def identity(self) -> Mapping[str, Any]:
        """The settings."""
        return {"system": self.name, "least": self.least, "least_each": self.least_each, "classes": self.classes}

    async def verify(self, claim: CausalClaim) -> Verification:
        """The verdict, with one link from all evidence that shares enough words."""
        wanted = set(content_words(claim.claim))
        shared = {e.id: wanted & set(content_words(e.text)) for e in claim.evidence}
        used = [e for e in claim.evidence if wanted and len(shared[e.id]) / len(wanted) >= self.least_each]
        covered = set().union(*(shared[e.id] for e in used))
        enough = bool(used) and len(covered) / len(wanted) >= self.least
        against = sum(len(shared[e.id]) * (1 if _denies(e.text) != _denies(claim.claim) else -1) for e in used) > 0
        label: Verdict = "refutes" if against else "supports"
        if not enough and self.classes == 3:
            label = "nei"
        structure = None
        if used:
            root = root_of(claim)
            structure = ArgumentStructure(
                root, tuple(e.statement for e in used), (Link(tuple(e.id for e in used), (root.id,)),)
            )
        return Verification(
            claim.claim, claim.evidence, label, structure, () if enough else _unsaid(claim, used), self.name,
            no_structure="" if used else "no evidence shares enough words with the claim",
        )  # fmt: skip


class SimilarityChain:
    """A greedy path from a leaf to the claim through the most similar unused sentences.

    Parameters
    ----------
    embedder : texts to vectors; by default tf-idf over the claim and its evidence, which its name says.
    least : the least nearness of a sentence, in (0, 1]: the mean of its cosines with the sentence that it leads to and
        with the claim.
    max_steps : the longest chain.
    classes : with 2, there is always a verdict for or against.

    Notes
    -----
    The path is found from the claim backwards and ends where nothing similar enough is left. The claim is refuted if
    more of the chain denies and the claim does not, or the reverse, by the words that :class:`OverlapVerifier` counts,
    each sentence weighing as much as it is similar to the claim. Without a chain there is not enough info. The
    thresholds are round numbers and were not tuned.

    Examples
    --------
    >>> import asyncio
    >>> said = ("Rain soaked the field.", "Cats purr.", "A soaked field delays a match.")
    >>> evidence = tuple(Evidence(f"E{i}", t) for i, t in enumerate(said, start=1))
    >>> found = asyncio.run(SimilarityChain().verify(CausalClaim("c", "Rain delayed the match.", evidence)))
    >>> found.label, [str(s) for s in found.chain], [e.id for e in found.unused_evidence]
    ('supports', ['E1 -> E3', 'E3 -> Claim'], ['E2'])
    """

    def __init__(
        self, embedder: Embedder | None = None, *, least: float = 0.15, max_steps: int = 5, classes: int = 3
    ) -> None:
        _check_share("least", least)
        if max_steps < 1:
            raise InputError(f"max_steps must be 1 or more, got {max_steps}")
        self.embedder = embedder or TfIdf()
        self.least = least
        self.max_steps = max_steps
        self.classes = classes

    @property
    def name(self) -> str:
        """``similarity-chain:`` and the name of the embedder."""
        return f"similarity-chain:{self.embedder.name}"

    @property
    def identity(self) -> Mapping[str, Any]:
        """The settings and the embedder's name."""
        return {"system": self.name, "least": self.least, "max_steps": self.max_steps, "classes": self.classes}

    async def verify(self, claim: CausalClaim) -> Verification:
        """The chain and the verdict."""
        alike = cosines([*(e.text for e in claim.evidence), claim.claim], self.embedder)
        left = list(range(len(claim.evidence)))
        path: list[int] = []
        at = root_at = len(claim.evidence)
        while left and len(path) < self.max_steps:
            near = [(alike[at, i] + alike[root_at, i]) / 2 for i in left]
            best = left[int(np.argmax(near))]
            if max(near) < self.least:
                break
            path.insert(0, best)
            left.remove(best)
            at = best
        chain = [claim.evidence[i] for i in path]
        denied = _denies(claim.claim)
        weights = [alike[root_at, i] * (1 if _denies(claim.evidence[i].text) != denied else -1) for i in path]
        against = sum(weights) > 0
        label: Verdict = "refutes" if chain and against else "supports"
        if not chain and self.classes == 3:
            label = "nei"
        structure = None
        if chain:
            root = root_of(claim)
            names = [*(e.id for e in chain), root.id]
            links = tuple(Link((a,), (b,)) for a, b in itertools.pairwise(names))
            structure = ArgumentStructure(root, tuple(e.statement for e in chain), links)
        return Verification(
            claim.claim, claim.evidence, label, structure, () if chain else _unsaid(claim, ()), self.name,
            no_structure="" if chain else "no evidence is similar enough to the claim",
        )  # fmt: skip


def _check_share(name: str, value: float) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 1:
        raise InputError(f"{name} must be above 0 and at most 1, got {value!r}")


def load_baseline(
    name: str | Path | None = None, *, classes: int = 3, embedder: Embedder | None = None, abstain: bool = False
) -> Verifier:
    """A verifier of :data:`BASELINE_VERIFIERS`, or the folder of a trained one or of an entailment model.

    Parameters
    ----------
    name : also as results have it: "entailment-causes", the model with which "entailment" reads claims, and with the
        version that is installed. A path is always that of a folder. None: "entailment".
    embedder : for "similarity-chain".
    abstain : let an entailment model give no verdict where none is likely enough.

    Raises
    ------
    UnknownNameError
        If there is none of that name, and no such folder.
    InputError
        If the name has another version than is installed, or a path is no folder.
    VerifierError
        If what makes a verifier gives none.
    FormatError
        If the folder holds no trained verifier, or a damaged one.
    ModelError
        If the larger entailment model was not fetched.
    """
    name = "entailment" if name is None else name
    if not isinstance(name, str):
        name = folder_name(name, kind="verifier")
    listed = listed_verifier(name)
    if listed not in BASELINE_VERIFIERS and os.path.isdir(name):
        from fallax.causality.systems.entailed import holds_entailment, load_entailment_verifier
        from fallax.causality.systems.trained import load_trained_verifier

        if holds_entailment(name):
            return load_entailment_verifier(name, classes=classes, abstain=abstain)
        return load_trained_verifier(name, classes=classes)
    more = {"abstain": abstain} if listed in _ABSTAIN else {}
    made = BASELINE_VERIFIERS.find(listed)(classes=classes, embedder=embedder, **more)
    if not is_part(made, "verify", "name"):
        must = "must have a name, which is a text, and verify"
        raise VerifierError(f"verifier {listed!r} {must}, got {one_line(repr(made), 60)}")
    check_version(name, made.name, (*BASELINE_VERIFIERS, CAUSES), kind="verifier")
    return made


def listed_verifier(name: str) -> str:
    """The name in :data:`BASELINE_VERIFIERS` of a verifier that may be named as in results; other names as they are.

    Examples
    --------
    >>> [listed_verifier(name) for name in ("majority", "entailment-causes@4", "nobody@1")]
    ['majority', 'entailment', 'nobody@1']
    """
    found = listed_name(name, (*BASELINE_VERIFIERS, CAUSES), kind="verifier")
    return "entailment" if found == CAUSES and not os.path.isdir(found) else found


#: Verifiers that can say that they cannot tell.
_ABSTAIN = ("entailment", "entailment-large")
#: Verifiers to which an embedder makes no difference.
_COMPARE_NO_TEXTS = (*_ABSTAIN, "lexical-overlap", "majority")


def reads_embedder(name: str | Path | None) -> bool:
    """Whether a verifier that asks no model compares texts with an embedder.

    Parameters
    ----------
    name : of :data:`BASELINE_VERIFIERS`, or a folder, which reads none; None is the default verifier, which neither.

    Examples
    --------
    >>> reads_embedder("similarity-chain"), reads_embedder(None)
    (True, False)
    """
    if not isinstance(name, str):
        return False
    listed = listed_verifier(name)
    return listed not in _COMPARE_NO_TEXTS and (listed in BASELINE_VERIFIERS or not os.path.isdir(name))


#: Verifiers that ask no model: name -> what makes one, given the number of classes and an embedder.
BASELINE_VERIFIERS: Registry[Callable[..., Verifier]] = registry("verifier")
BASELINE_VERIFIERS.add(
    "entailment",
    "fallax.causality.systems.entailed:shipped_verifier",
    about="a small model that finds which evidence entails or contradicts the claim; the default of fallax verify",
)
BASELINE_VERIFIERS.add(
    "entailment-large",
    "fallax.causality.systems.entailed:large_verifier",
    about="the same with a larger model, several times as slow; first: fallax models fetch entailment-large",
)
BASELINE_VERIFIERS.add("majority", lambda **_: Majority(), about="the most frequent verdict for every claim")
BASELINE_VERIFIERS.add(
    "lexical-overlap",
    lambda *, classes, embedder: OverlapVerifier(classes=classes),
    about="how many words of the claim the evidence shares; refuted if only one of the two denies",
)
BASELINE_VERIFIERS.add(
    "similarity-chain",
    lambda *, classes, embedder: SimilarityChain(embedder, classes=classes),
    about="a greedy path of evidence to the claim, each piece the most similar to the next",
)

"""Claims to train verifiers on: sets by name, files of claims; and what of a set is held out."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from fallax.causality.benchmarks.claims import stand_ins
from fallax.core.types.causal import CausalClaim
from fallax.data import CLAIM_SETS, load_claims, read_claims
from fallax.entailment.training.corpus import part_of
from fallax.errors import InputError, UnknownNameError

__all__ = ["SPLITS", "chosen_groups", "held_out_claims", "needs_of", "training_claims"]

#: set -> the splits that are trained on, and those for evaluation; a set without the latter holds out a fifth.
SPLITS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "checkwhy": (("train",), ("dev",)),
    "entailment_bank": (("task_2_train",), ("task_2_dev",)),
    "wikiwhy": (("dev",), ()),
    "explagraphs": (("train",), ()),
    "e_care": (("train",), ()),
}
_DISTRACTORS = 4


def training_claims(on: Sequence[str], *, split: str | None = None, root: Path | None = None) -> list[CausalClaim]:
    """The claims of sets and files to train on.

    Parameters
    ----------
    on : names of :data:`SPLITS`, or files that :func:`fallax.data.read_claims` reads. Of sets without a split for
        evaluation, a fifth is left out, by a hash of the pair or belief: see :func:`held_out_claims`.
    split : of the sets, instead of the usual one; several with commas.
    root : the folder of the data sets.

    Raises
    ------
    UnknownNameError, InputError
        If a name is neither, a split is for tests, or there is no claim with evidence.
    """
    found: list[CausalClaim] = []
    for name in on:
        if name in SPLITS:
            wanted = tuple(s.strip() for s in split.split(",")) if split else SPLITS[name][0]
            if tests := [s for s in wanted if "test" in s or (SPLITS[name][1] and "dev" in s)]:
                raise InputError(f"split {tests[0]!r} of {name!r}: must not be trained on; it is for evaluation")
            found += [c for c in _claims_of(name, wanted, root) if SPLITS[name][1] or not _is_held_out(c)]
        elif Path(name).is_file():
            found += list(read_claims(name))
        else:
            raise UnknownNameError("set of claims, or file,", name, SPLITS)
    usable = [c for c in found if c.claim.strip() and c.evidence]
    if not usable:
        raise InputError(f"{', '.join(on) or '--on'}: must hold claims with evidence to train on, got none")
    return usable


def held_out_claims(name: str, *, split: str | None = None, root: Path | None = None) -> list[CausalClaim]:
    """What of a set is kept for evaluation: its development split, or a fifth of its groups."""
    if name not in SPLITS:
        raise UnknownNameError("set of claims", name, SPLITS)
    own = SPLITS[name][1]
    wanted = tuple(s.strip() for s in split.split(",")) if split else own or SPLITS[name][0]
    return [c for c in _claims_of(name, wanted, root) if c.evidence and (own or _is_held_out(c))]


def _is_held_out(claim: CausalClaim) -> bool:
    # the encoder that ships was trained on other claims than these, by the same rule
    return part_of(f"wikiwhy-{claim.group}" if claim.source == "wikiwhy" else claim.group) == "test"


def _claims_of(name: str, splits: Sequence[str], root: Path | None) -> Iterable[CausalClaim]:
    for split in splits:
        if split not in CLAIM_SETS[name].splits:
            raise UnknownNameError("split", split, CLAIM_SETS[name].splits, where=f"set of claims {name!r}")
        found = load_claims(name, split=split, root=root)
        yield from _of_pairs(list(found)) if name == "wikiwhy" else found


def _of_pairs(pairs: Sequence[CausalClaim]) -> Iterable[CausalClaim]:
    """WikiWhy: the claim beside its explanation supports, beside others not enough info; turned round it refutes."""
    for part in (True, False):  # distractors of training claims are no evidence of those held out
        own = [p for p in pairs if _is_held_out(p) == part]
        for claim in stand_ins(own, n_distractors=_DISTRACTORS, seed=0):
            yield claim
            if claim.label == "supports":
                cause, effect = claim.cause.strip(), claim.effect.strip()
                said = f"{cause}{'' if cause[-1] in '.!?' else '.'} This is because: {effect}"
                yield replace(claim, id=f"{claim.group}-refutes", claim=said, label="refutes")


def chosen_groups(claims: Sequence[CausalClaim], limit: int | None, seed: int) -> list[CausalClaim]:
    """At most so many claims, by whole groups, drawn with the seed; in their order."""
    if limit is None or len(claims) <= limit:
        return list(claims)
    groups = sorted({c.group for c in claims})
    random.Random(seed).shuffle(groups)
    sizes = dict.fromkeys(groups, 0)
    for claim in claims:
        sizes[claim.group] += 1
    kept, n = set(), 0
    for group in groups:
        if n + sizes[group] <= limit:
            kept.add(group)
            n += sizes[group]
    return [c for c in claims if c.group in kept]


def needs_of(task: int, claims: Sequence[CausalClaim]) -> list[CausalClaim]:
    """The claims that a task can be trained on.

    Raises
    ------
    InputError
        If there is none, or tasks 1 and 2 would see one verdict alone.
    """
    if task not in (1, 2, 3, 4):
        raise InputError(f"--task: must be 1, 2, 3 or 4, got {task}")
    if task in (3, 4):
        found = [c for c in claims if c.structure is not None and c.structure.claim is not None]
        if not found:
            raise InputError(
                f"--on: task {task} learns argument structures that lead to a claim, got none; take task 1"
            )
        return found
    labelled = [c for c in claims if c.label is not None]
    found = [c for c in labelled if task == 1 or c.structure is not None]
    if not found:
        what = "a verdict" if not labelled else "an argument structure, which task 2 reads"
        raise InputError(f"--on: task {task} needs claims with {what}, got none")
    labels = sorted({str(c.label) for c in found})
    if len(labels) < 2:
        raise InputError(
            f"--on: task {task} needs claims of two verdicts or more, got {labels[0]} alone; tasks 3 and 4 learn"
            " structures without verdicts"
        )
    return found

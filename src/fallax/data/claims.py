"""Reads sets and files of claims with evidence, verdicts and argument structures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import overload

from fallax.core.sink import dump_json, open_out
from fallax.core.types import CausalClaim
from fallax.data._claim_readers import CLAIM_READERS, ClaimReader, checkwhy, own
from fallax.data._rows import Problem
from fallax.data._source import Source
from fallax.data.datasets import Dataset, folder_of
from fallax.errors import InputError, UnknownNameError

__all__ = ["CLAIM_SETS", "Claims", "load_claims", "read_claims", "write_claims"]

#: name -> set of claims.
CLAIM_SETS: dict[str, Dataset] = {
    d.name: d
    for d in (
        Dataset(
            "checkwhy", "CheckWhy", ("checkwhy",),
            {
                "dev": ("dev.json",), "train": ("train.json",), "test": ("test.json",),
                "dev_nei": ("dev_nei.json",), "train_nei": ("train_nei.json",), "test_nei": ("test_nei.json",),
            },
            "", "claim", "none stated", "research", "github.com/jasenchn/checkwhy",
            "Why-claims with evidence, distractors, verdict and structure; those of the _nei files have no structure."
            " The test files are for tests only.",
        ),
        Dataset(
            "wikiwhy", "WikiWhy", ("wikiwhy",),
            {"dev": ("cause.json", "effect.json", "question.json", "explanation.json")},
            "", "claim", "MIT", "shipped", "github.com/matt-seb-ho/WikiWhy",
            "Pairs of cause and effect, without claim, evidence or verdict: what claims are made from.",
        ),
        Dataset(
            "entailment_bank", "EntailmentBank", ("entailment_bank",),
            {
                "task_1_dev": ("task_1_dev.jsonl",), "task_2_dev": ("task_2_dev.jsonl",),
                "task_1_train": ("task_1_train.tsv",), "task_2_train": ("task_2_train.tsv",),
            },
            "", "claim", "Apache-2.0", "shipped", "github.com/allenai/entailment_bank",
            "Every hypothesis is supported. Task 2 has 25 leaves an item, most of them distractors. Train, dev and test"
            " share facts by design.",
        ),
        Dataset(
            "explagraphs", "ExplaGraphs", ("explagraphs",), {"train": ("train.tsv",)}, "", "claim", "MIT", "shipped",
            "github.com/swarnaHub/ExplaGraphs",
            "Beliefs and one argument for or against each; the structure is a graph of concepts without a claim."
            " Beliefs recur: split by group.",
        ),
        Dataset(
            "e_care", "e-CARE", ("e_care",), {"train": ("train.jsonl",)}, "", "claim", "MIT", "shipped",
            "github.com/Waste-Wood/e-CARE",
            "Two claims an item, one of which is refuted; the evidence is a conceptual explanation of the right one.",
        ),
        Dataset(
            "missci", "Missci", ("missci",), {"dev": ("dev.missci.jsonl",)}, "", "claim", "Apache-2.0", "shipped",
            "github.com/UKPLab/acl2024-missci",
            "Fallacious arguments from a study to a claim; no verdict, as the claim is misread and not refuted. 30"
            " arguments: too few to train on.",
        ),
    )
}  # fmt: skip


@dataclass(frozen=True)
class Claims(Sequence[CausalClaim]):
    """Claims from a file or set, with the problems found in it.

    Examples
    --------
    >>> claims = Claims((CausalClaim("c1", "Rain made it late."),))
    >>> len(claims), claims.by_id["c1"].claim
    (1, 'Rain made it late.')
    """

    claims: tuple[CausalClaim, ...]
    path: str = ""
    format: str = ""
    problems: tuple[Problem, ...] = ()

    def __len__(self) -> int:
        return len(self.claims)

    def __iter__(self) -> Iterator[CausalClaim]:
        return iter(self.claims)

    @overload
    def __getitem__(self, at: int) -> CausalClaim: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[CausalClaim, ...]: ...
    def __getitem__(self, at: int | slice) -> CausalClaim | tuple[CausalClaim, ...]:
        return self.claims[at]

    @property
    def by_id(self) -> dict[str, CausalClaim]:
        """The claims by their ids."""
        return {c.id: c for c in self.claims}


def load_claims(name: str, *, split: str | None = None, root: str | Path | None = None) -> Claims:
    """Read one split of a set of claims.

    Parameters
    ----------
    name : a name of ``CLAIM_SETS``.
    split : one of its splits; by default the first.
    root : the folder that holds the data sets; by default FALLAX_DATA, else the cache.

    Returns
    -------
    Claims
        In the order of the file; what is odd in a structure is listed in ``problems``.

    Raises
    ------
    UnknownNameError
        If there is no such set or split.
    InputError
        If its files are not there, or cannot be read.
    """
    if name not in CLAIM_SETS:
        raise UnknownNameError("set of claims", name, CLAIM_SETS)
    info = CLAIM_SETS[name]
    chosen = split or next(iter(info.splits))
    if chosen not in info.splits:
        raise UnknownNameError("split", chosen, info.splits, where=f"set of claims {name!r}")
    paths = tuple(folder_of(info, root=root) / p for p in info.splits[chosen])
    for path in paths:
        if not path.exists():
            raise InputError(f"{path}: must be a part of {name!r}, got nothing there; get it from {info.source}")
    return _read(CLAIM_READERS[name], paths, chosen, name)


def read_claims(path: str | Path) -> Claims:
    """Read a file of claims: the JSONL of :func:`write_claims`, or CheckWhy's JSON.

    Raises
    ------
    FormatError
        If a line is no claim, with file and line.
    InputError
        If two claims have one id.
    """
    if str(path) == "-":
        raise InputError("claims: must come from a file, got standard input")
    head = Source(path).head()
    form = "checkwhy" if head.lstrip()[:1] == b"[" or b'"checkwhy-id"' in head or b'"evidences"' in head else "fallax"
    return _read(checkwhy if form == "checkwhy" else own, (Path(path),), "", form)


def _read(reader: ClaimReader, paths: tuple[Path, ...], split: str, form: str) -> Claims:
    problems: list[Problem] = []
    name = str(paths[0])

    def complain(line: int | None, record: str, message: str) -> None:
        problems.append(Problem(name, line, record, "structure", f"record {record!r}: {message}", kept=True))

    claims = tuple(reader(paths, split, complain))
    if twice := [i for i, n in Counter(c.id for c in claims).items() if n > 1]:
        raise InputError(f"{name}: each claim must have its own id, got {twice[0]!r} twice; rename one")
    return Claims(claims, name, form, tuple(problems))


def write_claims(claims: Iterable[CausalClaim], path: str | Path) -> None:
    """Write claims as JSONL, one a line, without loss; the file appears only when it is complete."""
    with open_out(path) as write:
        for claim in claims:
            write(dump_json(claim.to_dict(), f"claim {claim.id!r}") + "\n")

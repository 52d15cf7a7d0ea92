"""Review files of drafted why-claims, which people accept, edit or discard (Si et al. 2024, 3.3)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias, cast

from fallax.core.types import VERDICTS, ArgumentStructure, CausalClaim, Evidence, Link, Statement
from fallax.data.review_blocks import (
    ReviewBlock,
    ReviewFile,
    ReviewLine,
    ReviewProblem,
    escaped,
    quoted,
    raise_first,
)
from fallax.errors import FallaxError, InputError, UnknownNameError, one_line
from fallax.structures import parse_structure

__all__ = ["ClaimReview", "append_claim_drafts", "check_claim_review", "decide_reviews", "read_claim_review"]

_HEADER = "# fallax claim review 1"
_HELP = f"""{_HEADER}
# One block a claim. Edit what stands behind the colons. Lines that begin with # are for you alone.
# status: todo, ok (it is right now) or discard (then say why behind reason:).
# evidence NAME: one piece a line; remove a line, or add one with its own name.
# structure: one chain a line, such as (Sentence1, Sentence2) -> Sentence3, and its end -> Claim. Every piece of
# evidence must take part, nothing may lead back to itself, and every path must end in Claim.
# Ask: does the claim say all of cause and effect? Does the evidence fit the label? Is each step valid, is all fluent?
"""
Status: TypeAlias = Literal["todo", "ok", "discard"]
_STATUSES = ("todo", "ok", "discard")
_ONCE = ("label", "cause", "effect", "claim", "status")
_KEYS = (*_ONCE, "group", "counterfactual", "source", "evidence NAME", "structure", "reason", "note")
_LINE = re.compile(r"\s*(?P<name>evidence\s+[A-Za-z_]\w*|\w+)\s*:(?P<value>.*)")


@dataclass(frozen=True, slots=True)
class ClaimReview:
    """A drafted claim after review.

    Parameters
    ----------
    claim : with the edits; its structure is None where the block has none that can be read yet.
    status, reason, note : what the reviewer decided, why it is discarded, and what else was said.
    """

    claim: CausalClaim
    status: Status
    reason: str = ""
    note: str = ""


def _format(draft: CausalClaim) -> str:
    lines = [f"== {quoted(draft.id)}", f"label: {draft.label}"]
    if draft.group != draft.id:
        lines.append(f"group: {quoted(draft.group)}")
    if draft.source:
        lines.append(f"source: {quoted(draft.source)}")
    lines += [f"cause: {quoted(draft.cause)}", f"effect: {quoted(draft.effect)}"]
    if opposite := draft.meta.get("counterfactual"):
        lines.append(f"counterfactual: {quoted(str(opposite))}")
    lines += [f"# check: {escaped(str(c))[1:-1]}" for c in draft.meta.get("checks", ())]
    lines += ["status: todo", "reason:", f"claim: {quoted(draft.claim)}"]
    lines += [f"evidence {e.id}: {quoted(e.text)}" for e in draft.evidence]
    for link in () if draft.structure is None else draft.structure.links:
        sides = (", ".join(side) if len(side) == 1 else f"({', '.join(side)})" for side in (link.sources, link.targets))
        lines.append(f"structure: {' -> '.join(sides)}")
    return "\n".join(lines) + "\n"


def append_claim_drafts(path: str | Path, drafts: Iterable[CausalClaim]) -> int:
    """Append the drafts that a review file does not contain; returns their number.

    The existing content of the file is not changed.

    Raises
    ------
    FormatError
        If the file is there and is no review file.
    """
    target = Path(path)
    known: set[str] = set()
    if target.exists() and target.stat().st_size:
        known = set(_Reader(target).file.places)
    new = [d for d in drafts if d.id not in known]
    try:
        with target.open("a", encoding="utf-8", newline="\n") as f:
            f.write(_HELP if not target.stat().st_size else "")
            for draft in new:
                f.write("\n" + _format(draft))
    except OSError as error:
        raise InputError(f"{target}: cannot be written: {error.strerror or error}") from None
    return len(new)


@dataclass(slots=True)
class _Draft:
    """A block of the file, with the names that may be repeated in it."""

    block: ReviewBlock
    evidence: dict[str, tuple[int, str]] = field(default_factory=dict)
    chains: list[tuple[int, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


class _Reader:
    """Parse the claims of a review file; problems are kept with their line."""

    def __init__(self, path: str | Path) -> None:
        self.file = ReviewFile(path, header=_HEADER, of="claim", line=_LINE)
        if not self.file.is_review:
            raise_first(self.file.problems)
        self.reviews: list[ClaimReview] = []
        for block in self.file.blocks:
            draft = _Draft(block)
            for line in block.lines:
                self._line(draft, line)
            if block.id and self.file.places[block.id] == block.line:
                self._close(draft)

    def _line(self, draft: _Draft, line: ReviewLine) -> None:
        key = line.name.lower()
        if len(words := line.name.split()) == 2:
            self._evidence(draft, words[1], line)
        elif key == "structure":
            draft.chains += [(line.number, line.value)] if line.value else []
        elif key == "note":
            draft.notes += [line.value] if line.value else []
        elif key not in _KEYS:
            self.file.fault(line.number, str(UnknownNameError("name", line.name, _KEYS)))
        else:
            self.file.keep(draft.block, key, line)

    def _evidence(self, draft: _Draft, name: str, line: ReviewLine) -> None:
        if name in draft.evidence or name == "Claim":
            taken = "the claim's" if name == "Claim" else f"taken in line {draft.evidence[name][0]}"
            self.file.fault(line.number, f"each piece of evidence must have its own name, {name!r} is {taken}")
        elif not line.value:
            self.file.fault(line.number, f"evidence {name!r} must say something; remove the line to drop it")
        else:
            draft.evidence[name] = line.number, line.value

    def _close(self, draft: _Draft) -> None:
        block = draft.block
        self.file.need(block, _ONCE)
        status_line, status = block.values.get("status", (block.line, "todo"))
        label_line, label = block.values.get("label", (block.line, "supports"))
        if status not in _STATUSES:
            self.file.fault(status_line, str(UnknownNameError("status", status, _STATUSES)))
            return
        if label not in VERDICTS:
            self.file.fault(label_line, str(UnknownNameError("label", label, VERDICTS)))
            return
        if status == "discard" and not block.text("reason"):
            self.file.fault(status_line, "a claim that is discarded must have a reason behind reason:")
        if status == "ok" and not block.text("claim"):
            self.file.fault(block.values.get("claim", (block.line, ""))[0], "a claim that is ok must say something")
        structure = self._structure(draft, strict=status == "ok")
        pieces = tuple(
            Evidence(
                n,
                text,
                True,
                structure.kind_of(n) == "leaf" if structure is not None and n in structure.by_id else None,
            )
            for n, (_, text) in draft.evidence.items()
        )
        opposite = block.text("counterfactual")
        claim = CausalClaim(
            block.id or "?", block.text("claim"), pieces, label, structure, block.text("cause"),
            block.text("effect"), block.text("group"), block.text("source"),
            {"counterfactual": opposite} if opposite else {},
        )  # fmt: skip
        self.reviews.append(ClaimReview(claim, cast("Status", status), block.text("reason"), "\n".join(draft.notes)))

    def _structure(self, draft: _Draft, *, strict: bool) -> ArgumentStructure | None:
        """Parse the structure of a block; with ``strict``, an invalid structure is a problem."""
        if not draft.chains:
            if strict:
                self.file.fault(draft.block.line, "a claim that is ok must have a structure")
            return None
        links: list[Link] = []
        for number, chain in draft.chains:
            try:
                read = parse_structure(chain, format="arrows")
            except FallaxError as error:
                self.file.fault(number, f"must be a chain such as (A, B) -> C: {one_line(error)}")
                return None
            if read.structure is None:
                self.file.fault(
                    number, f"must be a chain such as (A, B) -> C, got {one_line(chain, 40)!r} ({read.reason})"
                )
                return None
            for link in read.structure.links:
                for id_ in (*link.sources, *link.targets):
                    if id_ != "Claim" and id_ not in draft.evidence:
                        self.file.fault(number, f"node {one_line(id_, 40)!r}: must be Claim or evidence of this block")
                        return None
                if link not in links:
                    links.append(link)
        try:
            found = ArgumentStructure(
                Statement("Claim", draft.block.text("claim")),
                tuple(Statement(n, text) for n, (_, text) in draft.evidence.items()),
                tuple(links),
            )
        except FallaxError as error:
            self.file.fault(draft.chains[0][0], str(error))
            return None
        if strict:
            for problem in found.problems:
                self.file.fault(draft.chains[0][0], problem)
        return found


def check_claim_review(path: str | Path) -> tuple[ReviewProblem, ...]:
    """All problems of a review file of claims, by line.

    Raises
    ------
    FormatError
        If it is no review file of claims.
    """
    return _Reader(path).file.sorted_problems()


def read_claim_review(path: str | Path) -> tuple[ClaimReview, ...]:
    """Read a review file of claims, in order, including undecided and discarded ones.

    Raises
    ------
    FormatError
        At the first problem, with path and line, and how many there are.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from fallax.core.types import ArgumentStructure, Evidence, Link, Statement
    >>> leaf = Evidence("A", "Rain fell.", True, True)
    >>> chain = ArgumentStructure(Statement("Claim", "It was late."), (leaf.statement,), (Link(("A",), ("Claim",)),))
    >>> draft = CausalClaim("1", "It was late.", (leaf,), "supports", chain, "rain", "late")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = append_claim_drafts(pathlib.Path(folder, "review.txt"), [draft])
    ...     found = read_claim_review(pathlib.Path(folder, "review.txt"))
    >>> found[0].claim == draft, found[0].status
    (True, 'todo')
    """
    found = _Reader(path)
    raise_first(found.file.sorted_problems(), "fallax build causal-check")
    return tuple(found.reviews)


def decide_reviews(
    reviews: Mapping[str, Iterable[ClaimReview]],
) -> tuple[tuple[ClaimReview, ...], tuple[str, ...]]:
    """The joint decision of several reviewers.

    Parameters
    ----------
    reviews : reviewer -> what they left. Claims that one has not looked at (todo) are decided by the others.

    Returns
    -------
    decided, undecided
        Each claim with the decision of the majority, worded as the first reviewer of that majority left it; and the ids
        of claims on which as many say ok as discard, or nobody decided.

    Examples
    --------
    >>> a, b = (ClaimReview(CausalClaim("1", "It rained."), status) for status in ("ok", "discard"))
    >>> decide_reviews({"ann": [a], "bob": [b]}), decide_reviews({"ann": [a], "bob": [b], "cid": [a]})[1]
    (((), ('1',)), ())
    """
    by_id: dict[str, list[ClaimReview]] = {}
    for listed in reviews.values():
        for one in listed:
            by_id.setdefault(one.claim.id, []).append(one)
    decided, undecided = [], []
    for id_, said in by_id.items():
        ok, discard = ([r for r in said if r.status == s] for s in ("ok", "discard"))
        if len(ok) == len(discard):
            undecided.append(id_)
        else:
            decided.append((ok if len(ok) > len(discard) else discard)[0])
    return tuple(decided), tuple(undecided)

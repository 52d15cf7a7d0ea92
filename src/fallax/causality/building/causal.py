"""Builds why-claims from pairs of cause and effect, as CheckWhy was built (Si et al. 2024, section 3)."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from fallax.causality.building.checks import check_draft, check_pair, same_text
from fallax.causality.building.distractors import find_distractors
from fallax.causality.building.steps import StepLog
from fallax.causality.protocols.building import (
    claim_request,
    evidence_request,
    opposite_request,
    prompt_hashes,
    read_claim,
    read_evidence_steps,
    read_opposite,
    read_structure_reply,
    structure_request,
)
from fallax.core.ahead import in_order
from fallax.core.json_value import JsonValue
from fallax.core.texts.ranking import Embedder
from fallax.core.types.causal import CausalClaim, Evidence, Verdict
from fallax.core.types.messages import ChatModel, Reply, Request
from fallax.core.types.structure import ArgumentStructure, Link, Statement
from fallax.errors import AuthenticationError, BudgetError, InputError, ModelError, ReplyError

__all__ = ["BuildSettings", "Built", "assemble", "build_drafts"]


@dataclass(frozen=True, kw_only=True)
class BuildSettings(JsonValue):
    """The settings of a build, besides the pairs and the model.

    Parameters
    ----------
    attempts : how often a step is asked for whose reply cannot be read.
    temperature : of all steps but the structure, which is drawn at 0.
    min_words : pairs with a shorter cause or effect are left out.
    ahead : pairs worked on at a time; changes no result.
    """

    attempts: int = 3
    temperature: float = 0.7
    min_words: int = 3
    ahead: int = 8

    def __post_init__(self) -> None:
        for name in ("attempts", "min_words", "ahead"):
            if getattr(self, name) < 1:
                raise InputError(f"{name} must be 1 or more, got {getattr(self, name)}")

    #: everything that can change a step
    json_names = ("attempts", "temperature", "min_words", "prompts")

    @property
    def prompts(self) -> dict[str, str]:
        """Prompt name -> hash."""
        return prompt_hashes()


@dataclass(frozen=True, slots=True)
class Built:
    """The outcome of one pair.

    Parameters
    ----------
    pair : the pair.
    status : "ok"; "left out", the pair cannot be built from; "unreadable", a step had no reply that could be read; or
        "failed", a model did not answer, and the pair is tried again when the build is continued.
    drafts : the supported and the refuted claim, with their own evidence and structure; empty unless ok.
    reason : why it is not ok.
    """

    pair: CausalClaim
    status: Literal["ok", "left out", "unreadable", "failed"]
    drafts: tuple[CausalClaim, ...] = ()
    reason: str = ""


class _GivenUpError(Exception):
    """A step without a readable reply."""


@dataclass(frozen=True, slots=True)
class _Pair:
    """The steps of one pair."""

    pair: CausalClaim
    model: ChatModel
    log: StepLog
    settings: BuildSettings

    async def step(self, name: str, ask: Callable[[int], Request], read: Callable[[Reply], Any]) -> Any:
        """The stored result of a step, or a new one; records every reply."""
        known = self.log.value(self.pair.id, name)
        if known is not None:
            return known
        while len(tried := self.log.failures(self.pair.id, name)) < self.settings.attempts:
            reply = await self.model.generate(ask(len(tried)))
            try:
                value = read(reply)
            except ReplyError as error:
                self.log.add(self.pair.id, name, reply, reason=f"{error.reason}{reply.cut_note}")
                continue
            self.log.add(self.pair.id, name, reply, value=value)
            return value
        raise _GivenUpError(f"{name}: {tried[-1]}")

    async def evidence(self, name: str, effect: str, explanation: str) -> tuple[Statement, ...]:
        cause, heat = self.pair.cause, self.settings.temperature
        steps = await self.step(
            name,
            lambda epoch: evidence_request(cause, effect, explanation, temperature=heat, epoch=epoch),
            read_evidence_steps,
        )
        said = [s["inference"] for s in steps if s.get("inference")]
        return tuple(Statement(f"Sentence{i}", text) for i, text in enumerate(said, start=1))

    async def structure(
        self, name: str, claim: str, evidence: Sequence[Statement], supports: bool
    ) -> ArgumentStructure:
        found = await self.step(
            name,
            lambda epoch: structure_request(claim, evidence, supports=supports, epoch=epoch),
            lambda reply: read_structure_reply(reply, claim, evidence).to_dict(),
        )
        return ArgumentStructure.from_dict(found)

    async def drafts(self) -> tuple[CausalClaim, ...]:
        pair, heat = self.pair, self.settings.temperature
        claim = await self.step(
            "claim", lambda epoch: claim_request(pair.cause, pair.effect, temperature=heat, epoch=epoch), read_claim
        )
        support = await self.evidence("support", pair.effect, str(pair.meta.get("explanation", "")))
        opposite = await self.step(
            "opposite", lambda epoch: opposite_request(pair.effect, temperature=heat, epoch=epoch), read_opposite
        )
        refute = await self.evidence("refute", opposite, "")
        drawn = await self.structure("structure of support", claim, support, True)
        against = await self.structure("structure of refutation", claim, refute, False)
        return (
            self._draft(claim, "supports", support, drawn, ""),
            self._draft(claim, "refutes", refute, against, opposite),
        )

    def _draft(
        self, claim: str, label: Verdict, evidence: Sequence[Statement], drawn: ArgumentStructure, opposite: str
    ) -> CausalClaim:
        pieces = tuple(
            Evidence(e.id, e.text, True, drawn.kind_of(e.id) == "leaf" if e.id in drawn.by_id else None)
            for e in evidence
        )
        draft = CausalClaim(
            f"{self.pair.id}-{_SHORT[label]}", claim, pieces, label, drawn, self.pair.cause, self.pair.effect,
            self.pair.id, self.pair.source, {"counterfactual": opposite} if opposite else {},
        )  # fmt: skip
        checks = check_draft(draft)
        return replace(draft, meta={**draft.meta, "checks": list(checks)}) if checks else draft


_SHORT: Mapping[Verdict, str] = {"supports": "sup", "refutes": "ref", "nei": "nei"}


def build_drafts(
    pairs: Iterable[CausalClaim], model: ChatModel, log: StepLog, *, settings: BuildSettings | None = None
) -> AsyncIterator[Built]:
    """Draft the supported and the refuted claim of each pair.

    For each pair a model is asked for the claim, the supporting evidence, the counterfactual effect, the evidence that
    leads to it, and both structures: six questions, and more where a reply cannot be read.

    Parameters
    ----------
    pairs : with ``cause`` and ``effect``, and perhaps ``meta["explanation"]``.
    model : who drafts.
    log : where every reply is written down; steps that it holds are not asked for again.
    settings : see :class:`BuildSettings`.

    Yields
    ------
    Built
        In the order of the pairs, each as soon as it and those before it are done.

    Raises
    ------
    AuthenticationError, BudgetError
        At once, as no further question could be answered; everything that was answered is in the log.
    """
    chosen = settings or BuildSettings()
    return in_order(pairs, lambda pair: _build(_Pair(pair, model, log, chosen)), ahead=chosen.ahead)


async def _build(work: _Pair) -> Built:
    if problems := check_pair(work.pair, min_words=work.settings.min_words):
        return Built(work.pair, "left out", reason="; ".join(problems))
    try:
        return Built(work.pair, "ok", await work.drafts())
    except _GivenUpError as error:
        return Built(work.pair, "unreadable", reason=str(error))
    except (AuthenticationError, BudgetError):
        raise
    except ModelError as error:
        return Built(work.pair, "failed", reason=str(error))


def assemble(
    drafts: Sequence[CausalClaim],
    *,
    n_distractors: tuple[int, int] = (8, 12),
    candidates: int = 300,
    embedder: Embedder | None = None,
    more: Iterable[str] = (),
    seed: int = 0,
) -> list[CausalClaim]:
    """Finish drafts: SUP and REF unchanged, NEI made from them, each with distractors, in random order.

    Parameters
    ----------
    drafts : of each group the supported and the refuted claim, or one of them.
    n_distractors, candidates, embedder, more : see :func:`~fallax.causality.building.find_distractors`.
    seed : of every draw; the result depends on it, the drafts and the embedder alone.

    Returns
    -------
    list of CausalClaim
        For each group SUP, REF and NEI, as far as they can be made; their evidence is named Sentence1, Sentence2, ...
        in the order shown. ``meta["how"]`` of a NEI claim says how it was made.

    Notes
    -----
    NEI is made by removal or by mixing (Si et al. 2024, section 3.2), which of the two is drawn. Removal takes a leaf
    away, with every intermediate that rests on it, so that the claim cannot be concluded by who is shown the leaves
    alone either; where nothing would be left, evidence is mixed. Mixing takes some leaves of both sides. As the sides
    may share evidence, leaves are taken away for as long as all those of one side, and not of both, are there. A NEI
    claim keeps which of its evidence is a leaf, so that number and form of what is shown do not give it away.
    """
    groups: dict[str, list[CausalClaim]] = {}
    for d in drafts:
        groups.setdefault(d.group, []).append(d)
    distractors = find_distractors(
        drafts, more=more, n=n_distractors, candidates=candidates, embedder=embedder, seed=seed
    )
    found = []
    for group, members in groups.items():
        nei = _not_enough(group, members, random.Random(f"{seed}:{group}:nei"))
        for claim in (*members, *([nei] if nei is not None else [])):
            order = random.Random(f"{seed}:{claim.id}:order")
            found.append(_shown(claim, distractors[group], order))
    return found


def _resting_on(structure: ArgumentStructure, leaf: str) -> set[str]:
    seen = {leaf}
    open_ = [leaf]
    for one in open_:  # grows while it is read
        new = [t for t in structure.conclusions_of(one) if t not in seen]
        seen.update(new)
        open_.extend(new)
    return seen


def _not_enough(group: str, members: Sequence[CausalClaim], draw: random.Random) -> CausalClaim | None:
    whole = [m for m in members if m.structure is not None]
    if not whole:
        return None
    base = draw.choice(whole)
    mixing = draw.random() < 0.5 and len(whole) > 1
    kept: list[Evidence] = []
    how = ""
    if not mixing and base.structure is not None:
        leaves = [n.id for n in base.structure.leaves]
        gone = _resting_on(base.structure, draw.choice(leaves))
        kept = [e for e in base.evidence if e.id not in gone]
        how = f"removal from {base.label}"
    if not kept and len(whole) > 1:
        for m in whole:
            leaves_of = [e for e in m.evidence if e.leaf]
            n = draw.randint(1, max(1, len(leaves_of) - 1))
            kept += [replace(e, id=f"{m.label}-{e.id}") for e in draw.sample(leaves_of, min(n, len(leaves_of)))]
        how = "mixing"
    shown = {same_text(e.text): replace(e, useful=None) for e in kept}
    while len(complete := [m for m in whole if _leaf_texts(m) <= shown.keys()]) == 1:
        del shown[draw.choice(sorted(_leaf_texts(complete[0])))]
        shown = {key: e for key, e in shown.items() if e.leaf}  # what rested on it goes too
    if not shown:
        return None
    evidence = tuple(shown.values())
    return CausalClaim(
        f"{group}-nei", base.claim, evidence, "nei", None, base.cause, base.effect, group, base.source, {"how": how}
    )


def _leaf_texts(claim: CausalClaim) -> set[str]:
    return {same_text(e.text) for e in claim.evidence if e.leaf}


def _shown(claim: CausalClaim, distractors: Sequence[str], draw: random.Random) -> CausalClaim:
    """A claim with its distractors; all evidence is shuffled and renamed."""
    wrong = [Evidence(f"Distractor {i}", text, False, True) for i, text in enumerate(distractors)]
    listed = [*claim.evidence, *wrong]
    draw.shuffle(listed)
    names = {e.id: f"Sentence{i}" for i, e in enumerate(listed, start=1)}
    structure = claim.structure
    if structure is not None:
        root = structure.claim or Statement("Claim", claim.claim)
        new = {**names, root.id: "Claim"}
        structure = ArgumentStructure(
            Statement("Claim", claim.claim),
            tuple(Statement(new[n.id], n.text) for n in structure.evidence),
            tuple(
                Link(tuple(new[i] for i in x.sources), tuple(new[i] for i in x.targets), x.relation)
                for x in structure.links
            ),
        )
    return replace(claim, evidence=tuple(replace(e, id=names[e.id]) for e in listed), structure=structure)

"""Protocol for judging argument structures: valid, better than the reference, and by which kinds of steps."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from fallax.causality.protocols.verification import rename_nodes
from fallax.core.prompts import hash_of, read_prompt
from fallax.core.replies import extract_json
from fallax.core.texts import fence
from fallax.core.types.messages import ChatModel, Message, Reply, Request
from fallax.core.types.structure import ArgumentStructure
from fallax.core.types.structure_judging import REASONING_TYPES, Preference, StructureComparison, StructureJudgement

__all__ = ["StructureJudgeProtocol", "judgement_of_sides", "numbered", "sides_of"]

_PROMPT = "judge_structure.v1"


def sides_of(item: StructureComparison, *, seed: int) -> dict[str, tuple[bool, ArgumentStructure]]:
    """The structures labelled "A" and "B" in a seeded order, and whether each is the gold.

    Examples
    --------
    >>> from fallax.core.types import ArgumentStructure
    >>> list(sides_of(StructureComparison("c", "x", "", ArgumentStructure(None)), seed=1))
    ['A']
    """
    if item.gold is None:
        return {"A": (False, item.pred)}
    listed = [(False, item.pred), (True, item.gold)]
    random.Random(f"{seed}:{item.id}:sides").shuffle(listed)
    return dict(zip("AB", listed, strict=True))


def numbered(structure: ArgumentStructure, side: str) -> ArgumentStructure:
    """Rename nodes so that ids do not reveal their source: A1, A2, ... and Claim."""
    names = {n.id: f"{side}{i}" for i, n in enumerate(structure.evidence, start=1)}
    if structure.claim is not None:
        names[structure.claim.id] = "Claim"
    return rename_nodes(structure, names)


def judgement_of_sides(
    item: StructureComparison,
    *,
    seed: int,
    valid: Mapping[str, bool | None],
    prefer: str | None,
    steps: Mapping[str, tuple[str, ...]],
    note: str = "",
) -> StructureJudgement:
    """Translate answers about "A" and "B" to structure and reference; ``prefer`` is "A", "B", "tie" or None."""
    sides = sides_of(item, seed=seed)
    pred = next(name for name, (is_gold, _) in sides.items() if not is_gold)
    gold = next((name for name, (is_gold, _) in sides.items() if is_gold), "")
    preference: Preference | None = None
    if prefer is not None and gold:
        preference = "tie" if prefer == "tie" else "win" if prefer == pred else "lose"
    return StructureJudgement(
        item.id, valid.get(pred), valid.get(gold), preference, steps.get(pred, ()), steps.get(gold, ()), note
    )


class StructureJudgeProtocol:
    """Asks one question per structure, shown with its reference in a seeded order.

    Examples
    --------
    >>> from fallax.core.types import Link, Statement
    >>> links = (Link(("A",), ("Claim",)),)
    >>> drawn = ArgumentStructure(Statement("Claim", "It was late."), (Statement("A", "It rained."),), links)
    >>> protocol = StructureJudgeProtocol(seed=1)
    >>> item = StructureComparison("c1", "It was late.", "supports", drawn)
    >>> protocol.read(item, Reply('{"A": {"valid": true, "steps": ["event"]}}')).steps
    ('event',)
    """

    def __init__(self, *, seed: int = 0, max_tokens: int = 400) -> None:
        self.seed = seed
        self.max_tokens = max_tokens

    @property
    def name(self) -> str:
        """``judge-structure.v1``."""
        return "judge-structure.v1"

    @property
    def prompt_hash(self) -> str:
        """Twelve hex digits of the prompt with its kinds of steps."""
        return hash_of(read_prompt("fallax.causality.protocols", _PROMPT), *REASONING_TYPES.values())

    def request(self, item: StructureComparison) -> Request:
        """The request about one structure; nodes are shown as numbered texts."""
        sides = sides_of(item, seed=self.seed)
        blocks = [f"Claim: {_flat(item.claim)}", f"Verdict: {item.label or 'not given'}"]
        for side, (_, structure) in sides.items():
            shown = numbered(structure, side)
            blocks.append(f"Structure {side}")
            blocks += [f"{n.id}: {_flat(n.text)}" for n in shown.evidence]
            blocks += [f"Step {i} of {side}: {step}" for i, step in enumerate(shown.steps, start=1)]
        one = '{"valid": true or false, "steps": ["…", "…"]}'
        shape = ", ".join(f'"{side}": {one}' for side in sides)
        filled = {
            "how_many": "two structures, A and B," if len(sides) > 1 else "a structure, A,",
            "types": "\n".join(f"- {name}: {about}" for name, about in REASONING_TYPES.items()),
            "shape": f'{{{shape}, "better": "A", "B" or "tie"}}' if len(sides) > 1 else f"{{{shape}}}",
        }
        before, after = read_prompt("fallax.causality.protocols", _PROMPT).split("{input}")
        for name, value in filled.items():
            before, after = (part.replace(f"{{{name}}}", value) for part in (before, after))
        content = before + fence("\n".join(blocks), "input") + after
        return Request((Message("user", content),), temperature=0.0, max_tokens=self.max_tokens)

    def read(self, item: StructureComparison, reply: Reply) -> StructureJudgement:
        """Read the judgement; unreadable replies get a reason, and unknown kinds of steps are ignored."""
        sides = sides_of(item, seed=self.seed)
        try:
            said = extract_json(reply.text)
            valid, steps = {}, {}
            for side, (_, structure) in sides.items():
                one = said.get(side) if isinstance(said, Mapping) else None
                if not isinstance(one, Mapping) or not isinstance(one.get("valid"), bool):
                    raise ValueError(f"must say of {side} whether it is valid")
                valid[side] = one["valid"]
                steps[side] = _kinds(one.get("steps"), structure.n_steps)
            prefer = said.get("better") if len(sides) > 1 else None
            if len(sides) > 1 and prefer not in ("A", "B", "tie"):
                raise ValueError('must say which is better: "A", "B" or "tie"')
        except ValueError as error:
            return StructureJudgement(item.id, unscored=f"{error}{reply.cut_note}")
        return judgement_of_sides(item, seed=self.seed, valid=valid, prefer=prefer, steps=steps)

    async def judge(self, item: StructureComparison, model: ChatModel) -> StructureJudgement:
        """Ask once; model errors propagate."""
        return self.read(item, await model.generate(self.request(item)))


def _flat(text: str) -> str:
    return " ".join(text.split())


def _kinds(value: Any, n: int) -> tuple[str, ...]:
    listed = value if isinstance(value, list) else []
    said = [str(x).strip().lower() for x in listed[:n]]
    return tuple((x if x in REASONING_TYPES else "") for x in [*said, *[""] * (n - len(said))])

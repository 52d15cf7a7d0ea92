"""Votes on the claims of a derivation: each is asked as stated and negated."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from fallax.core.types import ChatModel, GeneratedItem, WorldClaim
from fallax.generation.protocols.generation import VoteProtocol

__all__ = ["Voters"]


class Voters:
    """A model that votes on claims about the world.

    A claim is confirmed if more than half of the votes on it say yes and more than half of the votes on its denial
    say no. A model that says yes to everything confirms nothing. Unreadable answers are counted and decide nothing;
    where no answer could be read to one of the two questions, the claim is neither confirmed nor rejected.

    Parameters
    ----------
    model : who votes.
    votes : on the claim, and as many on its denial.
    seed : sent with each question; the number of the vote tells them apart.
    """

    def __init__(self, model: ChatModel, votes: int, seed: int = 0) -> None:
        self.model = model
        self.votes = votes
        self.seed = seed
        self.protocol = VoteProtocol()
        self._asked: dict[str, asyncio.Task[Counter[str]]] = {}

    async def confirmed(self, item: GeneratedItem) -> GeneratedItem:
        """The item with votes on its claims and on those of its twin."""
        twin = item.sound_twin
        claims = await self._claims(item.claims)
        if twin is not None:
            twin = replace(twin, claims=await self._claims(twin.claims))
        return replace(item, claims=claims, sound_twin=twin)

    async def _claims(self, claims: Iterable[WorldClaim]) -> tuple[WorldClaim, ...]:
        return tuple(await asyncio.gather(*(self.claim(c) for c in claims)))

    async def claim(self, claim: WorldClaim) -> WorldClaim:
        """The claim with its votes."""
        forward, denied = await asyncio.gather(self._vote(claim.text), self._vote(claim.denied))
        votes = dict(sorted(forward.items())) | {f"denied {a}": n for a, n in sorted(denied.items())}
        answers = [sum(c.values()) - c["unreadable"] for c in (forward, denied)]
        confirmed = None
        if all(answers):
            confirmed = 2 * forward["yes"] > answers[0] and 2 * denied["no"] > answers[1]
        return replace(claim, confirmed=confirmed, votes=votes)

    async def _vote(self, statement: str) -> Counter[str]:
        """The answers to one statement; a statement that several items share is asked once."""
        if statement not in self._asked:
            self._asked[statement] = asyncio.ensure_future(self._ask(statement))
        return await asyncio.shield(self._asked[statement])

    async def _ask(self, statement: str) -> Counter[str]:
        requests = [self.protocol.request(statement, epoch=k, seed=self.seed) for k in range(self.votes)]
        replies = await asyncio.gather(*(self.model.generate(r) for r in requests))
        return Counter(self.protocol.read(r) or "unreadable" for r in replies)

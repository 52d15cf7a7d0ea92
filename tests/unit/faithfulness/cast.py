"""Agents by script: what each says in each round of each session."""

from __future__ import annotations

import re
from collections.abc import Callable

from fallax.core.types import Reply, Request, Session
from fallax.models import ScriptedModel

#: (session, round, agent) -> the reply; adjudicators have round 0.
Answer = Callable[[int, int, int], str | Reply]

DOCUMENT = "The council met on Monday. It voted seven to two for the bridge. The mayor was absent."
SUMMARY = "The council approved the bridge."


def says(label: int | str | None, why: str = "because") -> str:
    """A well-formed reply."""
    return f"<thinking>hm</thinking><label>{label}</label><explanation>{why}</explanation>"


def place(request: Request) -> tuple[int, int, int]:
    """Session, round and agent of a request; an adjudicator has round 0 and the number of its call."""
    text = request.messages[-1].content
    agent = re.search(r"You are Agent (\d+)\.", text)
    history = text.split("<chat_history>")[-1] if "<chat_history>\n" in text else ""
    rounds = len(re.findall(r"^Round \d+$", history, re.MULTILINE))
    return request.epoch + 1, (rounds + 1 if agent else 0), (int(agent[1]) if agent else 0)


class Cast(ScriptedModel):
    """A model that plays every agent and adjudicator; ``seen`` holds its prompts by place."""

    def __init__(self, answer: Answer, *, name: str = "scripted:cast") -> None:
        self.seen: dict[tuple[int, int, int], str] = {}
        self.n_adjudicators = 0

        def reply(request: Request) -> str | Reply:
            session, a_round, agent = place(request)
            if a_round == 0:
                self.n_adjudicators += 1
                agent = self.n_adjudicators
            self.seen[session, a_round, agent] = request.messages[-1].content
            return answer(session, a_round, agent)

        super().__init__(reply, name=name)


def history(prompt: str) -> list[str]:
    """The lines of the chat history of a prompt."""
    return prompt.split("<chat_history>\n")[1].split("\n</chat_history>")[0].splitlines()


def orders(session: Session) -> list[tuple[int, ...]]:
    return [r.order for r in session.rounds]

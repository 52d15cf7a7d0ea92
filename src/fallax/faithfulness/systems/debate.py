"""Debates with assigned stances: rounds of agents, adjudicators, parallel sessions.

Source: Koupaee et al. 2025, section 3 and appendix A.1. What a session draws at random comes from a generator of its
own, so that sessions, agents and sentences can run at the same time, and the same seed gives the same requests.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Literal

from fallax.core.types import (
    UNFAITHFUL,
    ChatModel,
    Debate,
    Faithfulness,
    Reply,
    Round,
    Session,
    Turn,
    Unreadable,
    majority,
)
from fallax.errors import InputError
from fallax.faithfulness.protocols.faithfulness import adjudicator_prompt, agent_prompt, head_of, prompt_hash
from fallax.faithfulness.protocols.labels import read_label
from fallax.faithfulness.systems.documents import DocumentLimit, Passage
from fallax.faithfulness.systems.settings import DebateSettings, parse_stances
from fallax.faithfulness.systems.units import (
    AmbiguityDetector,
    Extent,
    Finding,
    Unit,
    UnitJudge,
    ask,
    draw,
    faults_in,
    together,
)
from fallax.faithfulness.systems.watch import tell

__all__ = ["DebateJudge", "run_session"]

#: What an argument is expected to take at most in the history, when it is asked whether a document fits.
ARGUMENT_TOKENS = 300
#: What stands before it there: who says it, and with which label.
HEAD_TOKENS = 10


def _turn(agent: int, reply: Reply, *, before: Turn | None = None) -> Turn:
    found = read_label(reply)
    return Turn(
        agent,
        found.label,
        found.explanation,
        reply.text,
        found.reason,
        n_asked=1 if before is None else before.n_asked + 1,
        quotes=found.quotes,
        guidelines=found.guidelines,
        model=reply.model,
        usage=reply.usage if before is None else before.usage + reply.usage,
    )


class _Run:
    """A running session."""

    def __init__(
        self,
        head: str,
        unit: Unit,
        number: int,
        settings: DebateSettings,
        agents: Sequence[ChatModel],
        adjudicators: Sequence[ChatModel],
    ) -> None:
        self.head, self.unit, self.number, self.settings = head, unit, number, settings
        self.models, self.adjudicators = agents, adjudicators
        self.random = random.Random(f"{settings.seed}|{number}|{unit.start}|{unit.text}")
        stances = list(parse_stances(settings.stances, settings.agents))
        self.random.shuffle(stances)
        self.stances: tuple[Faithfulness | None, ...] = tuple(stances)
        self.rounds: list[Round] = []

    def _tell(self, event: str, **values: Any) -> None:
        tell(event, unit=[self.unit.start, self.unit.end], session=self.number, **values)

    async def run(self) -> Session:
        self._tell("session", text=self.unit.text, stances=list(self.stances))
        while len(self.rounds) < self.settings.rounds:
            await self._round()
            agreed = self.rounds[-1].agreement
            if agreed is not None:
                return self._ended(agreed, "agreement", self.rounds[-1].turns)
        return await self._undecided()

    def _order(self) -> tuple[int, ...]:
        agents = list(range(1, self.settings.agents + 1))
        if self.settings.shuffle:
            self.random.shuffle(agents)
        return tuple(agents)

    async def _round(self) -> None:
        """Ask all agents at once; none sees the others' turns of the same round."""
        after = self.settings.intervene_after
        intervened = after is not None and len(self.rounds) >= after
        order = self._order()
        self._tell("round", number=len(self.rounds) + 1, intervened=intervened)
        turns = await together([self._agent(i, intervened) for i in range(1, self.settings.agents + 1)])
        self.rounds.append(Round(tuple(turns), order, intervened))

    async def _agent(self, agent: int, intervened: bool) -> Turn:
        rules, stance = self.settings.rules, self.stances[agent - 1]
        turn = _turn(agent, await self._ask_agent(agent, intervened, None))
        leaves = turn.label is not None and stance is not None and turn.label != stance
        if rules.hold_stance and not self.rounds and leaves:
            turn = _turn(agent, await self._ask_agent(agent, intervened, stance), before=turn)
        if turn.label is None and rules.carry_missing:
            last = self.rounds[-1].turns[agent - 1].label if self.rounds else stance
            turn = replace(turn, label=last, carried=last is not None)
        self._tell("turn", round=len(self.rounds) + 1, **turn.to_dict())
        return turn

    async def _ask_agent(self, agent: int, intervened: bool, hold: Faithfulness | None) -> Reply:
        settings = self.settings
        prompt = agent_prompt(
            self.head,
            summary=self.unit.text,
            agent=agent,
            rounds=self.rounds,
            stances=self.stances,
            intervention=settings.intervention if intervened else "",
            hold=hold,
            learn=settings.learn,
        )
        return await self._ask(self.models[(agent - 1) % len(self.models)], prompt, agent)

    async def _ask(self, model: ChatModel, prompt: str, voice: int) -> Reply:
        settings = self.settings
        seed = draw(settings.seed, self.number, len(self.rounds), voice) if settings.temperature else None
        return await ask(
            model,
            prompt,
            temperature=settings.temperature or 0.0,
            max_tokens=settings.max_tokens,
            top_p=settings.top_p,
            epoch=self.number - 1,
            seed=seed,
        )

    async def _undecided(self) -> Session:
        rules, final = self.settings.rules, self.rounds[-1]
        most = majority(final.labels)
        if rules.adjudicate == "tie" and most is not None:
            return self._ended(most, "majority", final.turns)
        turns = await together([self._adjudicator(i, order) for i, order in enumerate(self._orders(), start=1)])
        label = majority(t.label for t in turns)
        if label is None and turns:
            label = rules.tie
        return self._ended(label, "adjudication" if label else "undecided", turns, adjudications=tuple(turns))

    def _orders(self) -> list[tuple[int, ...]]:
        """A distinct order of arguments per adjudicator; orders repeat only after all were used."""
        if not self.settings.rules.shuffle_adjudicators:
            return [tuple(range(1, self.settings.agents + 1))] * (self.settings.adjudicators or 0)
        possible = math.factorial(self.settings.agents) if self.settings.shuffle else 1
        orders: list[tuple[int, ...]] = []
        while len(orders) < (self.settings.adjudicators or 0):
            order = self._order()
            if order not in orders[len(orders) // possible * possible :]:
                orders.append(order)
        return orders

    async def _adjudicator(self, number: int, order: tuple[int, ...]) -> Turn:
        prompt = adjudicator_prompt(self.head, summary=self.unit.text, final=self.rounds[-1], order=order)
        model = self.adjudicators[(number - 1) % len(self.adjudicators)]
        turn = _turn(number, await self._ask(model, prompt, self.settings.agents + number))
        turn = replace(turn, order=order)
        self._tell("adjudicator", **turn.to_dict())
        return turn

    def _ended(
        self,
        label: Faithfulness | None,
        decided: Literal["agreement", "adjudication", "majority", "undecided"],
        holders: Sequence[Turn],
        adjudications: tuple[Turn, ...] = (),
    ) -> Session:
        reasons = [t.explanation for t in holders if label is not None and t.label == label and t.explanation]
        why = self.random.choice(reasons) if reasons else ""
        self._tell("session_end", label=label, decided=decided, explanation=why)
        return Session(self.stances, tuple(self.rounds), adjudications, label, decided, why)


async def run_session(
    document: str,
    unit: Unit,
    *,
    settings: DebateSettings,
    agents: Sequence[ChatModel],
    adjudicators: Sequence[ChatModel] = (),
    number: int = 1,
) -> Session:
    """Run one session: initial stances, rounds until all agree, else adjudication.

    Parameters
    ----------
    document : as it is to be read.
    unit : what is debated.
    settings : see :class:`DebateSettings`.
    agents, adjudicators : models; agent i is the i-th, beginning again after the last. Without adjudicators the agents'
        models judge.
    number : of the session, from 1; sessions of different numbers draw differently.

    Raises
    ------
    ModelError : a model did not answer.

    Notes
    -----
    All agents of a round speak at once. In the first round they see the stances as opening utterances; from the second
    round on these are gone, and the arguments of all rounds so far are shown, each round in an order drawn for it. An
    agent without a readable label agrees with nobody. What is left undecided after the last round goes to the
    adjudicators, each of which sees the last arguments in an order of its own; their majority decides, and the
    explanation is drawn from it.

    Examples
    --------
    >>> import asyncio
    >>> class Sure:
    ...     name = "sure"
    ...     async def generate(self, request):
    ...         return Reply("<label>1</label><explanation>It says so.</explanation>")
    >>> unit = Unit(0, 9, "It rained")
    >>> session = asyncio.run(run_session("It rained.", unit, settings=DebateSettings(), agents=[Sure()]))
    >>> session.label, session.decided, len(session.rounds), len(session.turns)
    ('faithful', 'agreement', 1, 4)
    """
    if not agents:
        raise InputError("a debate needs at least one model, got none")
    head = head_of(document, unit.text, guidelines=settings.guidelines)
    return await _Run(head, unit, number, settings, agents, adjudicators or agents).run()


class DebateJudge(UnitJudge):
    """MADISSE: agents with initial stances debate every unit in one or more sessions (Koupaee et al. 2025).

    Parameters
    ----------
    models : one for all agents, or several that take turns.
    settings : see :class:`DebateSettings`; ``DebateSettings.of()`` has the guidelines of the paper.
    adjudicators : models of the adjudicators; none: those of the agents.
    limit, detector : see :class:`fallax.faithfulness.systems.UnitJudge`.

    Notes
    -----
    Debate vote: the majority of the sessions' labels. Agent vote: the majority of the labels that all agents of all
    sessions hold at the end. The paper does not say what a tie is: it goes to the other vote (two agents against two
    to their adjudicator), and if that is one too the unit stays undecided (variant ``authors``: faithful).
    """

    def __init__(
        self,
        models: ChatModel | Sequence[ChatModel],
        settings: DebateSettings | None = None,
        *,
        adjudicators: ChatModel | Sequence[ChatModel] = (),
        limit: DocumentLimit | None = None,
        detector: AmbiguityDetector | None = None,
        name: str = "madisse",
    ) -> None:
        self._settings = settings if settings is not None else DebateSettings.of()
        super().__init__(level=self._settings.level, limit=limit, detector=detector)
        self.agents: tuple[ChatModel, ...] = _models(models)
        self.adjudicators = _models(adjudicators)
        self._name = name
        if not self.agents:
            raise InputError("a debate needs at least one model, got none")

    @property
    def name(self) -> str:
        """``madisse``, or the given name."""
        return self._name

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of the debate, the models and the hash of the prompts."""
        found = self._settings.to_dict()
        found["models"] = [m.name for m in self.agents]
        if self.adjudicators:
            found["adjudicator_models"] = [m.name for m in self.adjudicators]
        found["prompts"] = prompt_hash(self._settings.guidelines)
        found["ambiguity"] = None if self.detector is None else self.detector.name
        return found

    @property
    def _round_tokens(self) -> int:
        return self._settings.agents * (min(self._settings.max_tokens, ARGUMENT_TOKENS) + HEAD_TOKENS)

    @property
    def _arguments(self) -> int:
        return self._settings.sessions * self._settings.rounds * self._round_tokens

    def _reserve(self, unit: Unit, count_tokens: Callable[[str], int]) -> int:
        settings = self._settings
        head = head_of(".", unit.text, guidelines=settings.guidelines)
        none = agent_prompt(head, summary=unit.text, agent=1, intervention=settings.intervention, learn=settings.learn)
        # adjudicators see the last round, agents those before it
        history = max(1, settings.rounds - 1) * self._round_tokens
        return count_tokens(none) + history + settings.max_tokens

    async def _final(self, passage: Passage, unit: Unit, sessions: Sequence[Session]) -> tuple[Turn, ...]:
        """The final adjudicators' turns, if the sessions are tied; they see the last arguments of all sessions."""
        settings = self._settings
        last = _last_arguments(sessions)
        court = self.adjudicators or self.agents
        head = head_of(passage.text, unit.text, guidelines=settings.guidelines)
        prompt = adjudicator_prompt(head, summary=unit.text, final=last, order=last.order)
        temperature = settings.temperature or 0.0

        async def one(number: int) -> Turn:
            seed = draw(settings.seed, len(sessions) + 1, 0, number) if temperature else None
            reply = await ask(
                court[(number - 1) % len(court)],
                prompt,
                temperature=temperature,
                max_tokens=settings.max_tokens,
                top_p=settings.top_p,
                epoch=number - 1,
                seed=seed,
            )
            return replace(_turn(number, reply), order=last.order)

        return tuple(await together([one(i) for i in range(1, settings.rules.final_adjudicators + 1)]))

    async def _find(self, passage: Passage, unit: Unit, extent: Extent) -> Finding:
        settings = self._settings
        sessions = await together(
            [
                run_session(
                    passage.text,
                    unit,
                    settings=settings,
                    agents=self.agents,
                    adjudicators=self.adjudicators,
                    number=number,
                )
                for number in range(1, settings.sessions + 1)
            ]
        )
        label, votes, tied = _vote(sessions, settings)
        final: tuple[Turn, ...] = ()
        if tied and settings.rules.final_adjudicators:
            final = await self._final(passage, unit, sessions)
            label = majority(t.label for t in final) or label
        debate = Debate(
            unit.start, unit.end, unit.text, tuple(sessions), label, settings.vote or "debate", passage.note, final
        )
        holders = [t for s in sessions for t in (*s.rounds[-1].turns, *s.adjudications) if t.label == label]
        explanation = next((s.explanation for s in sessions if s.label == label and s.explanation), "")
        explanation = explanation or next((t.explanation for t in holders if t.explanation), "")
        # The explanation that is shown stands first, so that it is the reason of the sentences it names.
        holders.sort(key=lambda t: t.explanation != explanation)
        holders += [t for t in final if t.label == label]
        turns = [(number, t) for number, s in enumerate(sessions, start=1) for t in s.turns]
        turns += [(len(sessions) + 1, t) for t in final]
        return Finding(
            label,
            explanation if label is not None else "",
            votes=votes,
            faults=faults_in(unit, [(t.quotes, t.explanation) for t in holders]) if label == UNFAITHFUL else (),
            unscored="" if label is not None else "the debate stayed undecided",
            debate=debate,
            n_replies=sum(t.n_asked for _, t in turns),
            unreadable=tuple(
                Unreadable(t.unreadable, t.raw, f"session {number}, {unit.text[:60]!r}")
                for number, t in turns
                if t.unreadable
            ),
            usage=debate.usage,
        )


def _last_arguments(sessions: Sequence[Session]) -> Round:
    """The last arguments of all sessions as one round, with agents renumbered."""
    said = [t for s in sessions for t in s.rounds[-1].turns]
    return Round(tuple(replace(t, agent=i) for i, t in enumerate(said, start=1)), tuple(range(1, len(said) + 1)), False)


def _models(given: ChatModel | Sequence[ChatModel]) -> tuple[ChatModel, ...]:
    return tuple(given) if isinstance(given, Sequence) else (given,)


def _vote(sessions: Sequence[Session], settings: DebateSettings) -> tuple[Faithfulness | None, dict[str, int], bool]:
    """The label, the votes, and whether only a tie rule decided."""
    by_kind: dict[str, list[Faithfulness | None]] = {
        "debate": [s.label for s in sessions],
        "agent": [label for s in sessions for label in s.rounds[-1].labels],
    }
    kind = settings.vote or "debate"
    other = "agent" if kind == "debate" else "debate"
    label = majority(by_kind[kind])
    tied = label is None and len(sessions) > 1
    if label is None:
        # A single session that its adjudicators left undecided stays so: its agents are split or silent by then.
        label = majority(by_kind[other]) if len(sessions) > 1 or kind == "agent" else None
        label = label or settings.rules.tie
    return label, dict(sorted(Counter(str(x) for x in by_kind[kind] if x is not None).items())), tied

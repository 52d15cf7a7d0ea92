"""Runs generation: methods, removal of duplicates, votes, and counts of all outcomes."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from fallax.core.given import given, refuse_unread
from fallax.core.json_value import JsonValue
from fallax.core.types import ChatModel, Fact, GeneratedItem, Record
from fallax.errors import InputError, UnknownNameError
from fallax.generation.generators.confirm import Voters
from fallax.generation.generators.derive import Evaluator
from fallax.generation.generators.methods import facts_of, freely, from_model, from_templates
from fallax.generation.generators.near import Seen
from fallax.generation.generators.plan import DERIVED, METHODS, Plan, Tally, check_read, resolve_fallacies
from fallax.generation.generators.wording import Style
from fallax.oracle import load_rule_base, seed_facts

__all__ = ["Generation", "agenerate", "iter_generated"]

#: Fallacies that are worked on at a time where a model is asked.
_AHEAD = 4


@dataclass(frozen=True, slots=True)
class Generation(JsonValue):
    """A generated set, iterable over its items.

    Parameters
    ----------
    items : in order, fallacy by fallacy.
    plan : what was asked for.
    counts : by fallacy, what became of everything that was tried.

    Examples
    --------
    >>> import asyncio
    >>> made = asyncio.run(agenerate("wrong direction", n=1, seed=3, evaluator="joins"))
    >>> len(made), made[0].labels, made[0].sound_twin is not None
    (1, ('Wrong Direction',), True)
    """

    items: tuple[GeneratedItem, ...]
    plan: Plan
    counts: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    json_names = ("plan", "counts", "items")

    def __iter__(self) -> Iterator[GeneratedItem]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, place: int) -> GeneratedItem:
        return self.items[place]

    @property
    def n_missing(self) -> int:
        """The number of requested items that could not be made."""
        return self.plan.n * len(self.plan.fallacies) - len(self.items)

    def to_records(self) -> tuple[Record, ...]:
        """The fallacies with gold and the twins without a fallacy, as records for benchmarks."""
        found: list[Record] = []
        for item in self.items:
            found.append(item.to_record())
            twin = item.to_twin_record()
            if twin is not None:
                found.append(twin)
        return tuple(found)


async def agenerate(
    fallacy: str | Iterable[str] | None = None,
    *,
    n: int = 20,
    model: ChatModel | None = None,
    method: str | None = None,
    seed: int = 0,
    facts: Iterable[Fact] | None = None,
    rules: str | None = None,
    style: Style | None = None,
    twins: bool | None = None,
    confirm: int = 0,
    checker_model: ChatModel | None = None,
    examples: Mapping[str, Sequence[str]] | None = None,
    wordings: int | None = None,
    evaluator: Evaluator | None = None,
    batch: int | None = None,
    limit: int | None = None,
    near: float | None = None,
    read_back: bool | None = None,
) -> Generation:
    """Make fallacious arguments with known labels, each with its sound twin.

    What is left out has its default; what is given and would not be read is refused.

    Parameters
    ----------
    fallacy : one type or several, by name or abbreviation; None: all 14.
    n : items of each type.
    model : who proposes facts and writes sentences; None: no model, sentences by frames over shipped facts.
    method : "template", "smartypat", "direct" or "prolog"; by default template without a model, else smartypat.
    seed : of every choice; the same seed and the same replies give the same items.
    facts : instead of the shipped ones (template) or the model's own (smartypat).
    rules : "strict", or "paper" (smartypat; no twins); "strict".
    style : "full" says every argument of a derivation, "bare" the premises and the conclusion alone; "full".
    twins : with sound twins; by default where there can be any.
    confirm : votes on each claim about the world and on its denial; 0: none.
    checker_model : who votes; by default ``model``.
    examples : fallacy -> sentences whose style a model is to follow, instead of our own.
    wordings, evaluator, batch, limit, near, read_back : see :class:`fallax.generation.generators.Plan`, which has their
        defaults.

    Returns
    -------
    Generation
        It may hold fewer items than asked for: where the facts yield no more, or the model brings nothing new.

    Raises
    ------
    InputError, UnknownNameError
        If an option is out of range or would not be read, or two exclude each other.
    MissingExtraError
        If SWI-Prolog is not installed; the message names its package. ``evaluator="joins"`` does without.
    ModelError
        If the model does not answer.

    Examples
    --------
    >>> import asyncio
    >>> made = asyncio.run(agenerate("inverse error", n=1, style="bare", evaluator="joins"))
    >>> print(made[0].derivation.rule, made[0].sound_twin.derivation.rule)
    inverse contrapositive
    """
    plan = make_plan(
        fallacy, n=n, model=model, method=method, seed=seed, rules=rules, style=style, twins=twins, confirm=confirm,
        wordings=wordings, evaluator=evaluator, batch=batch, limit=limit, near=near, read_back=read_back,
        facts=facts is not None, checker_model=checker_model is not None, examples=examples is not None,
    )  # fmt: skip
    tally = Tally()
    running = iter_generated(plan, tally, model=model, facts=facts, checker_model=checker_model, examples=examples)
    items = [item async for item in running]
    return Generation(tuple(items), plan, tally.to_dict())


def make_plan(
    fallacy: str | Iterable[str] | None,
    *,
    n: int = 20,
    model: ChatModel | None = None,
    method: str | None = None,
    seed: int = 0,
    rules: str | None = None,
    style: Style | None = None,
    twins: bool | None = None,
    confirm: int = 0,
    wordings: int | None = None,
    evaluator: Evaluator | None = None,
    batch: int | None = None,
    limit: int | None = None,
    near: float | None = None,
    read_back: bool | None = None,
    facts: bool = False,
    checker_model: bool = False,
    examples: bool = False,
) -> Plan:
    """The plan with dependent settings filled in.

    Parameters
    ----------
    fallacy, n, model, method, seed, rules, style, twins, confirm : see :func:`agenerate`.
    wordings, evaluator, batch, limit, near, read_back : see :func:`agenerate`.
    facts, checker_model, examples : whether there are any.
    """
    chosen = ("template" if model is None else "smartypat") if method is None else method
    if chosen not in METHODS:
        raise UnknownNameError("method", chosen, METHODS)
    if chosen == "template" and model is not None and not confirm:
        raise InputError("model: the method template asks no model, got one; name another method or no model")
    if chosen != "template" and model is None:
        raise InputError(f"model: the method {chosen!r} needs one, got none; name one or use the method template")
    rules = rules or "strict"
    names = resolve_fallacies(fallacy)
    if rules == "paper" and (fallacy is None or fallacy == "all"):
        names = tuple(f for f in names if f in load_rule_base("paper").fallacies)
    both = chosen in DERIVED and rules == "strict"
    settings = given(
        style=style, wordings=wordings, evaluator=evaluator, batch=batch, limit=limit, near=near, read_back=read_back
    )
    plan = Plan(
        fallacies=names, n=n, method=chosen, seed=seed, rules=rules, twins=both if twins is None else twins,
        votes=confirm, **settings,
    )  # fmt: skip
    check_read(chosen, [*settings, *(k for k, v in {"facts": facts, "examples": examples}.items() if v)])
    if checker_model and not confirm:
        refuse_unread(["checker_model"], "needs confirm, the number of votes")
    return plan


async def iter_generated(
    plan: Plan,
    tally: Tally,
    *,
    model: ChatModel | None = None,
    facts: Iterable[Fact] | None = None,
    checker_model: ChatModel | None = None,
    examples: Mapping[str, Sequence[str]] | None = None,
    on_item: Callable[[str], None] | None = None,
) -> AsyncIterator[GeneratedItem]:
    """Yield the items of a plan in order, as they are made; ``tally`` counts them.

    Parameters
    ----------
    plan, model, facts, checker_model, examples : see :func:`agenerate`.
    tally : is added to.
    on_item : called with the fallacy of each item as soon as it is made, which may be before its turn.
    """
    own = None if facts is None else tuple(facts)
    voter = checker_model or model
    if plan.votes and voter is None:
        raise InputError("confirm: a model must vote, got none; name one")
    voters = Voters(voter, plan.votes, plan.seed) if voter is not None and plan.votes else None
    gate = asyncio.Semaphore(1 if model is None and voters is None else _AHEAD)

    async def work(fallacy: str, out: asyncio.Queue[GeneratedItem | BaseException | None]) -> None:
        try:
            async with gate:
                await _one(fallacy, out.put_nowait)
            out.put_nowait(None)
        except BaseException as error:  # handed to the reader, which raises it in turn
            out.put_nowait(error)

    async def _one(fallacy: str, put: Callable[[GeneratedItem], None]) -> None:
        seen = Seen(plan.near)
        made = 0
        drafts = _drafts(fallacy, plan, tally, model, own, examples, lambda: made)
        async with contextlib.aclosing(drafts):
            async for item in drafts:
                source = str(item.derivation) if plan.method == "template" else ""
                why = seen.take(fallacy, item.text, source)
                if why is not None:
                    tally.add(fallacy, f"{why}s dropped")
                    continue
                made += 1
                named = replace(item, id=f"{_short(fallacy)}-{plan.method}-{plan.seed}-{made:04d}")
                put(named if voters is None else await voters.confirmed(named))
                tally.add(fallacy, "items")
                if on_item is not None:
                    on_item(fallacy)
                if made == plan.n:
                    return

    queues: list[asyncio.Queue[GeneratedItem | BaseException | None]] = [asyncio.Queue() for _ in plan.fallacies]
    tasks = [asyncio.create_task(work(f, q)) for f, q in zip(plan.fallacies, queues, strict=True)]
    try:
        for queue in queues:
            while (found := await queue.get()) is not None:
                if isinstance(found, BaseException):
                    raise found
                yield found
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _short(fallacy: str) -> str:
    return load_rule_base("strict").schemas[fallacy].abbreviation.lower()


async def _drafts(
    fallacy: str,
    plan: Plan,
    tally: Tally,
    model: ChatModel | None,
    facts: tuple[Fact, ...] | None,
    examples: Mapping[str, Sequence[str]] | None,
    n_taken: Callable[[], int],
) -> AsyncGenerator[GeneratedItem, None]:
    own = None
    if facts is not None:
        own = facts_of(facts, fallacy) if load_rule_base(plan.rules).instances else facts
    if plan.method == "template" or model is None:
        for item in from_templates(fallacy, seed_facts(fallacy) if own is None else own, plan, tally):
            yield item
    elif plan.method == "smartypat":
        async for item in from_model(fallacy, own, plan, tally, model, n_taken, examples):
            yield item
    else:
        async for item in freely(fallacy, plan, tally, model, n_taken, examples):
            yield item

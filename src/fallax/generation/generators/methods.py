"""The methods of generation, each from facts or a model to items of one fallacy."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence

from fallax.core.taxonomies import load_taxonomy
from fallax.core.types import ChatModel, Derivation, Fact, FactReading, GeneratedItem, Phrase, Reply, Request, SoundTwin
from fallax.errors import ReplyError
from fallax.generation.generators.derive import TwinPair, claims_of, derive_pairs
from fallax.generation.generators.plan import Plan, Tally
from fallax.generation.generators.said import content_words, missing_arguments, phrases_to_say
from fallax.generation.generators.wording import n_frames, realise
from fallax.generation.protocols.generation import (
    ArgumentToSay,
    ConclusionProtocol,
    DirectProtocol,
    FactsProtocol,
    ProgramProtocol,
    SentencesProtocol,
    example_sentences,
)
from fallax.oracle import load_rule_base, seed_facts

__all__ = ["freely", "from_model", "from_templates"]

#: Instances shown to a model as examples.
N_EXAMPLES = 3

#: Arguments that a model words in one call.
PER_CALL = 10

#: How a text of whole sentences ends.
_WHOLE = re.compile(r"[.!?…][”’\"')]*\Z")

#: Calls in a row that may bring nothing new before a type is given up.
MAX_BARREN = 3


def _label(fallacy: str) -> tuple[str, ...]:
    return (load_taxonomy("smartypat").resolve(fallacy),)


def _item(plan: Plan, pair: TwinPair, text: str, wording: str, twin_text: str | None, model: str = "") -> GeneratedItem:
    twin = None
    if pair.twin is not None and twin_text is not None:
        twin = SoundTwin(twin_text, pair.twin, claims_of(pair.twin))
    d = pair.fallacy
    return GeneratedItem(
        "",
        text,
        _label(d.fallacy),
        d.fallacy,
        plan.method,
        plan.seed,
        model,
        d.rule_base,
        plan.evaluator,
        wording,
        d,
        twin,
        claims_of(d),
    )


def from_templates(fallacy: str, facts: Iterable[Fact], plan: Plan, tally: Tally) -> Iterable[GeneratedItem]:
    """Make items from facts without a model: every derivation once, then again with other frames."""
    pairs = derive_pairs(facts, fallacy, seed=plan.seed, evaluator=plan.evaluator)
    first = {
        p.fallacy: random.Random(f"{plan.seed} {p.fallacy}").randrange(n_frames(fallacy, p.fallacy.rule, plan.style))
        for p in pairs
    }
    for turn in range(plan.wordings):
        for pair in pairs:
            if turn >= (known := n_frames(fallacy, pair.fallacy.rule, plan.style)):
                continue
            frame = (first[pair.fallacy] + turn) % known
            twin = realise(pair.twin, frame=frame, style=plan.style) if plan.twins and pair.twin else None
            if plan.twins and twin is None:
                tally.add(fallacy, "without a twin")
            text = realise(pair.fallacy, frame=frame, style=plan.style)
            yield _item(plan, pair, text, f"{plan.style} {frame}", twin)


async def from_model(
    fallacy: str,
    facts: Sequence[Fact] | None,
    plan: Plan,
    tally: Tally,
    model: ChatModel,
    n_taken: Callable[[], int],
    examples: Mapping[str, Sequence[str]] | None = None,
) -> AsyncIterator[GeneratedItem]:
    """Make items from facts that a model proposes (or given ones), worded by the model.

    ``n_taken`` tells how many of them were taken so far: a model that brings nothing new is not asked for ever.
    """
    writer = _Writer(fallacy, plan, tally, model, (examples or {}).get(fallacy))
    if facts is not None:
        pairs = await _derived(facts, fallacy, plan)
        for at in range(0, len(pairs), PER_CALL):
            for item in await writer.write(pairs[at : at + PER_CALL]):
                yield item
        return
    topics: list[str] = []
    barren = 0
    epoch = 0
    while barren < MAX_BARREN:
        proposed = await _proposed(fallacy, plan, tally, model, topics, epoch)
        topics += [a.text for f in proposed if f.predicate == "instance" for a in f.args if isinstance(a, Phrase)]
        pairs = await _derived(proposed, fallacy, plan, seed=plan.seed + epoch)
        headers = sum(f.predicate == "instance" for f in proposed)
        tally.add(fallacy, "combinations without a fallacy", max(0, headers - len({p.fallacy.instance for p in pairs})))
        before = n_taken()
        for at in range(0, len(pairs), PER_CALL):
            for item in await writer.write(pairs[at : at + PER_CALL]):
                yield item
        barren = 0 if n_taken() > before else barren + 1
        epoch += 1


async def _derived(facts: Sequence[Fact], fallacy: str, plan: Plan, seed: int | None = None) -> tuple[TwinPair, ...]:
    return await asyncio.to_thread(
        derive_pairs,
        facts,
        fallacy,
        seed=plan.seed if seed is None else seed,
        rules=plan.rules,
        evaluator=plan.evaluator,
        limit=plan.limit,
    )


async def _proposed(
    fallacy: str, plan: Plan, tally: Tally, model: ChatModel, topics: Sequence[str], epoch: int
) -> tuple[Fact, ...]:
    """The facts a model proposes; refused facts are sent back once."""
    protocol = FactsProtocol(fallacy, _shown(fallacy, plan, epoch), rules=plan.rules, n=plan.batch)
    request = protocol.request(topics, seed=plan.seed, epoch=epoch)
    reply = await model.generate(request)
    reading = protocol.read(reply)
    tally.add(fallacy, "facts proposed", len(reading.facts) + reading.n_refused)
    tally.add(fallacy, "facts refused", reading.n_refused)
    if not reading.n_refused:
        return _own(reading.facts, fallacy, plan, tally)
    again = protocol.read(await model.generate(protocol.returned(request, reply, reading)))
    tally.add(fallacy, "facts refused again", again.n_refused)
    merged = protocol.merge(reading, again)
    tally.add(fallacy, "facts repaired", max(0, len(merged) - len(reading.facts)))
    return _own(merged, fallacy, plan, tally)


def _own(facts: tuple[Fact, ...], fallacy: str, plan: Plan, tally: Tally) -> tuple[Fact, ...]:
    """The facts that are not copies or near-copies of the shipped ones."""
    shipped = seed_facts(fallacy, rule_base=plan.rules)
    if not load_rule_base(plan.rules).instances:
        own = tuple(f for f in facts if f not in shipped)
        tally.add(fallacy, "facts copied from the examples", len(facts) - len(own))
        return own
    known = _words_by_instance(shipped).values()
    copied = {
        name
        for name, words in _words_by_instance(facts).items()
        if any(len(words & k) >= plan.near * len(words | k) for k in known)
    }
    tally.add(fallacy, "combinations copied from the examples", len(copied))
    return tuple(f for f in facts if f.args[0] not in copied)


def _words_by_instance(facts: Iterable[Fact]) -> dict[str, set[str]]:
    """The content words of the phrases that an instance declares, without topics."""
    found: dict[str, set[str]] = {}
    for fact in facts:
        if fact.predicate != "instance":
            for value in fact.args:
                if isinstance(value, Phrase):
                    found.setdefault(str(fact.args[0]), set()).update(content_words(value.text))
    return found


def _shown(fallacy: str, plan: Plan, epoch: int) -> list[Fact]:
    """Example facts for a prompt: some shipped instances, different for every call."""
    facts = seed_facts(fallacy, rule_base=plan.rules)
    if not load_rule_base(plan.rules).instances:
        return list(facts)
    ids = sorted({str(f.args[0]) for f in facts})
    chosen = set(random.Random(f"{plan.seed} {fallacy} {epoch}").sample(ids, min(N_EXAMPLES, len(ids))))
    return [f for f in facts if f.args[0] in chosen]


class _Writer:
    """Asks a model to word derivations, and checks that texts contain every argument."""

    def __init__(
        self, fallacy: str, plan: Plan, tally: Tally, model: ChatModel, examples: Sequence[str] | None
    ) -> None:
        self.fallacy = fallacy
        self.plan = plan
        self.tally = tally
        self.model = model
        self.protocol = SentencesProtocol(fallacy, examples)

    async def write(self, pairs: Sequence[TwinPair]) -> list[GeneratedItem]:
        """One item per worded fallacy; twins that could not be worded are left out and counted."""
        wanted: list[Derivation] = [p.fallacy for p in pairs]
        twins = [p.twin for p in pairs if p.twin is not None] if self.plan.twins else []
        texts = await self._texts([*wanted, *twins])
        texts = await self._read_back(pairs, texts)
        who = f"{self.protocol.name} {self.protocol.prompt_hash}"
        items = []
        for pair in pairs:
            text = texts.get(pair.fallacy)
            if text is None:
                continue
            twin = texts.get(pair.twin) if self.plan.twins and pair.twin else None
            if twin == text:  # one of the two draws the other's conclusion
                self.tally.add(self.fallacy, "texts alike for fallacy and twin, dropped", 2)
                continue
            if self.plan.twins and twin is None:
                self.tally.add(self.fallacy, "without a twin")
            items.append(_item(self.plan, pair, text, who, twin, self.model.name))
        return items

    async def _read_back(self, pairs: Sequence[TwinPair], texts: Mapping[Derivation, str]) -> dict[Derivation, str]:
        """The texts that draw their own conclusion, not their counterpart's."""
        if not self.plan.read_back:
            return dict(texts)
        both = [(p.fallacy, p.twin) for p in pairs if p.twin is not None]
        asked = [(d, other) for a, b in both for d, other in ((a, b), (b, a)) if d in texts]
        right = await asyncio.gather(*(self._draws(texts[d], d, other) for d, other in asked))
        wrong = {d for (d, _), good in zip(asked, right, strict=True) if not good}
        self.tally.add(self.fallacy, "texts that draw another conclusion, dropped", len(wrong))
        return {d: text for d, text in texts.items() if d not in wrong}

    async def _draws(self, text: str, right: Derivation, other: Derivation) -> bool:
        protocol = ConclusionProtocol()
        asked = protocol.requests(text, right.conclusion_reading, other.conclusion_reading, seed=self.plan.seed)
        return protocol.read(await asyncio.gather(*(self.model.generate(r) for r in asked)))

    async def _texts(self, derivations: Sequence[Derivation]) -> dict[Derivation, str]:
        """Complete texts; a text that lacks something is asked for once more, then given up and counted."""
        arguments = [ArgumentToSay(d, phrases_to_say(d, style=self.plan.style)) for d in derivations]
        request = self.protocol.request(arguments, seed=self.plan.seed)
        reply, texts = await self._asked(request)
        missing = self._missing(derivations, texts)
        if missing and reply is not None:
            self.tally.add(self.fallacy, "texts repaired or dropped", len(missing))
            _, again = await self._asked(self.protocol.repair(request, reply, missing))
            texts |= {n: text for n, text in again.items() if n in missing}
            missing = self._missing(derivations, texts)
        for n in missing:
            what = "texts that leave an argument out" if n in texts else "texts that did not come"
            self.tally.add(self.fallacy, f"{what}, dropped")
        return {d: texts[n] for n, d in enumerate(derivations, start=1) if n not in missing}

    async def _asked(self, request: Request) -> tuple[Reply | None, dict[int, str]]:
        reply = await self.model.generate(request)
        try:
            return reply, self.protocol.read(reply)
        except ReplyError:
            self.tally.add(self.fallacy, "unreadable replies")
            return reply, {}

    def _missing(self, derivations: Sequence[Derivation], texts: Mapping[int, str]) -> dict[int, tuple[str, ...]]:
        """Text number -> missing arguments; all if there is no text, or no complete sentence."""
        found = {}
        for n, d in enumerate(derivations, start=1):
            whole = n in texts and _WHOLE.search(texts[n]) is not None
            style = self.plan.style
            gaps = missing_arguments(texts[n], d, style=style) if whole else phrases_to_say(d, style=style)
            if gaps:
                found[n] = gaps
        return found


async def freely(
    fallacy: str,
    plan: Plan,
    tally: Tally,
    model: ChatModel,
    n_taken: Callable[[], int],
    examples: Mapping[str, Sequence[str]] | None = None,
) -> AsyncIterator[GeneratedItem]:
    """Items made by a model without rules: from a definition and examples, or from its own program."""
    kind = ProgramProtocol if plan.method == "prolog" else DirectProtocol
    given = (examples or {}).get(fallacy) or example_sentences(fallacy)
    protocol = kind(fallacy, given, n=plan.batch)
    who = f"{protocol.name} {protocol.prompt_hash}"
    used: list[str] = []
    barren = 0
    epoch = 0
    while barren < MAX_BARREN:
        request = protocol.request(used, seed=plan.seed, epoch=epoch)
        program = ""
        reply = await model.generate(request)
        if isinstance(protocol, ProgramProtocol):
            program = protocol.read_program(reply)
            reply = await model.generate(protocol.sentences(request, reply))
        try:
            texts = protocol.read(reply)
        except ReplyError:
            tally.add(fallacy, "unreadable replies")
            texts = ()
        fresh = [t for t in texts if t not in given and t not in used]
        tally.add(fallacy, "sentences of the examples or made before", len(texts) - len(fresh))
        before = n_taken()
        for text in fresh:
            used.append(text)
            yield GeneratedItem(
                "", text, _label(fallacy), fallacy, plan.method, plan.seed, model.name, wording=who, program=program
            )
        barren = 0 if n_taken() > before else barren + 1
        epoch += 1


def facts_of(reading: FactReading | Iterable[Fact], fallacy: str) -> tuple[Fact, ...]:
    """The facts of instances of one fallacy."""
    facts = tuple(reading)
    ids = {f.args[0] for f in facts if f.predicate == "instance" and f.args[1] == fallacy}
    return tuple(f for f in facts if f.args[0] in ids)

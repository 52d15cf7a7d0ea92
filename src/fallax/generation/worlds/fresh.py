"""Makes fresh sets: unpublished pairs of texts from a private seed, with proofs."""

from __future__ import annotations

import hashlib
import random
import uuid
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from fallax.core.sync import run
from fallax.core.taxonomies import load_taxonomy
from fallax.core.types import GeneratedItem, SoundTwin
from fallax.errors import InputError, UnknownNameError
from fallax.generation.worlds.lexicon import lexicon, people
from fallax.generation.worlds.make import GRAMMARS, make_world, random_of
from fallax.generation.worlds.prove import EVALUATORS, Proof, prove
from fallax.generation.worlds.reword import Reworder
from fallax.generation.worlds.setting import setting
from fallax.generation.worlds.wording import EXPLICITNESS, POINTS, REGISTERS, STYLES, draw_wording, panel, single
from fallax.generation.worlds.world import World
from fallax.oracle import load_rule_base, near_synonyms

__all__ = ["FreshItem", "FreshPlan", "FreshSet", "make_fresh"]

#: Worlds tried for one that is new and admitted, before one of a known core is taken.
_TRIES = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class FreshPlan:
    """The settings of a fresh set.

    Parameters
    ----------
    seed : the secret. It is kept nowhere; files hold its :attr:`commitment`.
    n : pairs of each type and style.
    fallacies : types, as rules write them.
    styles : of :data:`~fallax.generation.worlds.wording.STYLES`.
    register : of all single texts; by default each its own.
    distance : sentences between premises and conclusion; by default drawn.
    depth : links of the chains of the types in :data:`~fallax.generation.worlds.make.CHAINS`; by default drawn, 2 to 4,
        for begging the question, and 1 for the two others.
    distractors : other matters whose premises stand in a single text too, without a conclusion.
    explicitness : of :data:`~fallax.generation.worlds.wording.EXPLICITNESS`; by default as the register has it.
    points : of a panel; one of them is the fallacy or its twin, the others are sound distractors.
    evaluator : who proves.
    reworded_by : the name of the model that rewords, "" for none; what :func:`make_fresh` is given does it.

    Raises
    ------
    InputError, UnknownNameError
        If a value is out of range.
    """

    seed: str
    n: int = 20
    fallacies: tuple[str, ...] = tuple(GRAMMARS)
    styles: tuple[str, ...] = STYLES
    register: str | None = None
    distance: int | None = None
    depth: int | None = None
    distractors: int = 0
    explicitness: str | None = None
    points: int = POINTS
    evaluator: Literal["swipl", "joins"] = "swipl"
    reworded_by: str = ""

    def __post_init__(self) -> None:
        if not self.seed.strip():
            raise InputError("seed: a fresh set needs a secret of at least one character, got none")
        if not 1 <= self.n <= 20_000:
            raise InputError(f"n: must be 1 to 20000 pairs of each type, got {self.n}")
        if not 2 <= self.points <= len(GRAMMARS):
            raise InputError(f"points: must be 2 to {len(GRAMMARS)}, got {self.points}")
        if self.depth is not None and not 2 <= self.depth <= 6:
            raise InputError(f"depth: must be 2 to 6 links, got {self.depth}")
        if not 0 <= self.distractors <= 6:
            raise InputError(f"distractors: must be 0 to 6, got {self.distractors}")
        for kind, values, known in (
            ("fallacy", self.fallacies, tuple(GRAMMARS)),
            ("style", self.styles, STYLES),
            ("register", (self.register or REGISTERS[0],), REGISTERS),
            ("explicitness", (self.explicitness or EXPLICITNESS[0],), EXPLICITNESS),
            ("evaluator", (self.evaluator,), EVALUATORS),
        ):
            for value in values:
                if value not in known:
                    raise UnknownNameError(kind, value, known)

    @property
    def commitment(self) -> str:
        """Sixteen hex digits of a hash of the seed, published now to prove the seed later."""
        return hashlib.sha256(f"fallax fresh {self.seed}".encode()).hexdigest()[:16]

    @property
    def canary(self) -> str:
        """The canary line, to search for in training data."""
        return f"fallax-canary {uuid.uuid5(uuid.NAMESPACE_URL, 'fallax:' + self.commitment)}"

    def settings(self) -> dict[str, Any]:
        """All but the seed, as JSON values."""
        return {
            "commitment": self.commitment, "n": self.n, "fallacies": list(self.fallacies), "styles": list(self.styles),
            "register": self.register, "distance": self.distance, "depth": self.depth, "distractors": self.distractors,
            "explicitness": self.explicitness, "points": self.points, "evaluator": self.evaluator,
            "reworded_by": self.reworded_by, "rules": str(load_rule_base("strict")),
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class FreshItem:
    """A pair of texts with its world and proofs.

    Parameters
    ----------
    item : fallacy and twin.
    style : "single" or "panel".
    world : what the pair is about.
    proof : of both conclusions.
    """

    item: GeneratedItem
    style: str
    world: World
    proof: Proof

    def to_dict(self) -> dict[str, Any]:
        """The item as a line of the set, with its style and the key of its world."""
        core = hashlib.sha256("\x1f".join((self.world.fallacy, *self.world.core)).encode()).hexdigest()[:12]
        return {**self.item.to_dict(), "style": self.style, "world": self.world.place, "core": core}


@dataclass(frozen=True)
class FreshSet:
    """A fresh set.

    Parameters
    ----------
    plan : what was asked for.
    items : by style, type by type.
    counts : what became of the worlds that were tried.
    rewording : what became of the sentences that a model reworded; see :class:`~fallax.generation.worlds.Reworder`.
    """

    plan: FreshPlan
    items: tuple[FreshItem, ...]
    counts: Counter[str] = field(default_factory=Counter)
    rewording: Mapping[str, int] = field(default_factory=dict)

    def of(self, style: str) -> tuple[FreshItem, ...]:
        """The items of one style."""
        return tuple(i for i in self.items if i.style == style)


class _Source:
    """Generates the worlds of one type; if distinct, with different core words as long as possible."""

    def __init__(
        self, plan: FreshPlan, fallacy: str, stream: str, counts: Counter[str], *, distinct: bool = True
    ) -> None:
        self._plan, self._fallacy, self._stream, self._counts = plan, fallacy, stream, counts
        self._distinct = distinct
        self._next = 0
        self._seen: set[tuple[str, ...]] = set()

    def take(self) -> World:
        spare = None
        for _ in range(_TRIES):
            world = make_world(
                self._fallacy, f"{self._plan.seed}\x1f{self._stream}", self._next, depth=self._plan.depth
            )
            self._next += 1
            if any(near_synonyms(world.facts[k]) for k in ("fallacy", "sound")):
                self._counts["near-synonyms in a world"] += 1
                continue
            spare = world
            if not self._distinct or world.core not in self._seen:
                break
            self._counts["core seen before"] += 1
        if spare is None:
            raise InputError(f"{self._fallacy}: no admissible world in {_TRIES} tries; take another seed")
        self._seen.add(spare.core)
        return spare


@dataclass(frozen=True, slots=True)
class _Job:
    """A pair to word: its proved world, distractor worlds, and random numbers."""

    style: str
    number: int
    world: World
    proof: Proof
    rng: random.Random
    others: tuple[World, ...]


def make_fresh(
    plan: FreshPlan, *, reworder: Reworder | None = None, advance: Callable[[int], None] = lambda n: None
) -> FreshSet:
    """Make a set and prove all its arguments.

    A fallacy is derived by the oracle from the facts of its world; a twin from the facts its text states and from
    nothing else. Every other point of a panel is the twin of a world of its own, proved in the same way. A world that
    cannot be proved is replaced and counted.

    Parameters
    ----------
    reworder : says the sentences of every world in other words; the plan's ``reworded_by`` names its model.
    advance : called with the number of pairs that were made.

    Raises
    ------
    MissingExtraError
        If SWI-Prolog is asked for and not installed.

    Examples
    --------
    >>> made = make_fresh(FreshPlan(seed="an example", n=1, fallacies=("wrong_direction",), evaluator="joins"))
    >>> [i.style for i in made.items]
    ['single', 'panel']
    """
    counts: Counter[str] = Counter()
    jobs = [job for style in plan.styles for job in _jobs(plan, style, counts)]
    rewording: Mapping[str, int] = {}
    if reworder is not None:
        said = iter(run(reworder.reword([w for job in jobs for w in (job.world, *job.others)])))
        jobs = [replace(job, world=next(said), others=tuple(next(said) for _ in job.others)) for job in jobs]
        rewording = reworder.report()
    items = []
    for job in jobs:
        items.append(_item(plan, job))
        advance(1)
    return FreshSet(plan, tuple(items), counts, rewording)


def _jobs(plan: FreshPlan, style: str, counts: Counter[str]) -> list[_Job]:
    """The pairs of one style, by type."""
    mine = {f: _Source(plan, f, style, counts) for f in plan.fallacies}
    worlds = _proved(plan, [mine[f] for f in plan.fallacies for _ in range(plan.n)], counts)
    rngs = [random_of(plan.seed, style, f, i) for f in plan.fallacies for i in range(plan.n)]
    mixed: list[tuple[World, ...]] = [() for _ in worlds]
    if style == "panel" or plan.distractors:
        others = {f: _Source(plan, f, f"{style} distractor", counts, distinct=False) for f in GRAMMARS}
        if style == "panel":
            drawn = [
                rng.sample([f for f in GRAMMARS if f != world.fallacy], plan.points - 1)
                for rng, (world, _) in zip(rngs, worlds, strict=True)
            ]
            extra = iter(_proved(plan, [others[f] for row in drawn for f in row], counts, both=False))
            mixed = [tuple(next(extra)[0] for _ in row) for row in drawn]
        else:
            mixed = [_beside(plan, world, others, i) for i, (world, _) in enumerate(worlds)]
    return [
        _Job(style, place % plan.n + 1, world, proof, rng, beside)
        for place, ((world, proof), rng, beside) in enumerate(zip(worlds, rngs, mixed, strict=True))
    ]


def _beside(plan: FreshPlan, world: World, others: Mapping[str, _Source], place: int) -> tuple[World, ...]:
    """Worlds of other types that share no name with a world or each other."""
    rng = random_of(plan.seed, "single distractor", place)
    taken = _names(_spoken(world))
    found: list[World] = []
    for fallacy in rng.sample([f for f in others if f != world.fallacy], plan.distractors):
        for _ in range(_TRIES):
            other = others[fallacy].take()
            if not _names(_spoken(other)) & taken & set(lexicon("shared")["people"].split()):
                break
        taken |= _names(_spoken(other))
        found.append(other)
    return tuple(found)


def _spoken(world: World) -> str:
    return " ".join(s.text for s in world.premises["fallacy"])


def _proved(
    plan: FreshPlan, sources: Sequence[_Source], counts: Counter[str], *, both: bool = True
) -> list[tuple[World, Proof]]:
    """One proved world per source; worlds without a proof are replaced."""
    found: dict[int, tuple[World, Proof]] = {}
    for _ in range(_TRIES):
        missing = [i for i in range(len(sources)) if i not in found]
        if not missing:
            break
        tried = [sources[i].take() for i in missing]
        for place, world, proof in zip(missing, tried, prove(tried, evaluator=plan.evaluator, both=both), strict=True):
            if proof is None:
                counts["without a proof"] += 1
            else:
                found[place] = (world, proof)
                counts["proved"] += 1
    if len(found) < len(sources):
        raise InputError(f"{len(sources) - len(found)} worlds could not be proved in {_TRIES} tries; take another seed")
    return [found[i] for i in range(len(sources))]


def _item(plan: FreshPlan, job: _Job) -> FreshItem:
    base = load_rule_base("strict")
    world, proof, rng = job.world, job.proof, job.rng
    if job.style == "single":
        wording = draw_wording(
            rng, world, register=plan.register, distance=plan.distance, explicitness=plan.explicitness,
            beside=job.others,
        )  # fmt: skip
        texts = (single(world, "fallacy", wording), single(world, "sound", wording))
        how = f"single {wording.register} distance={len(wording.fillers)}"
        how += f" distractors={plan.distractors}" if plan.distractors else ""
    else:
        marked = rng.randrange(plan.points)
        points = [*job.others[:marked], world, *job.others[marked:]]
        spoken = " ".join(s.text for w in points for s in w.premises["fallacy"])
        speakers = people(rng, plan.points, [n for n in _names(spoken)])
        texts = panel(rng, setting(rng, "panel"), points, marked, speakers, explicitness=plan.explicitness)
        how = f"panel points={plan.points}"
    how += f" {plan.explicitness}" if plan.explicitness else ""
    item = GeneratedItem(
        f"{base.schemas[world.fallacy].abbreviation.lower()}-{job.style}-{plan.commitment[:6]}-{job.number:04d}",
        texts[0],
        (load_taxonomy("smartypat").resolve(world.fallacy),),
        world.fallacy,
        "worlds",
        int(plan.commitment[:8], 16),
        rules=str(base),
        evaluator=plan.evaluator,
        wording=how,
        derivation=proof.fallacy,
        sound_twin=SoundTwin(texts[1], proof.twin),
    )
    return FreshItem(item, job.style, world, proof)


def _names(text: str) -> set[str]:
    """The capitalised words of a text, without genitive endings."""
    return {w.strip(".,:;?!“”‘’").removesuffix("’s") for w in text.split() if w[:1].isupper() or w[:1] in "“‘"}

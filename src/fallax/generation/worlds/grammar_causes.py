"""Worlds about causes: false cause, wrong direction."""

from __future__ import annotations

import random

from fallax.core.types.logic import Fact
from fallax.generation.worlds.lexicon import capital, choice, lexicon, pair, people, sample
from fallax.generation.worlds.setting import Setting, both
from fallax.generation.worlds.world import Draft, Said, World

__all__ = ["direction", "false_cause"]


def false_cause(rng: random.Random, at: Setting) -> World:
    """One effect and two things done: after the one it was seen once; the other was tried with lots drawn."""
    domain = rng.choice(lexicon("causes")["false_cause"]["domain"])
    one, many, *who = (x.strip() for x in domain["unit"].split("|"))
    doers, among, those = (who[0], "for", "those who") if who else (many, "in", "those that")
    happened, trial, does = (x.strip() for x in choice(rng, domain["effects"]).split("="))
    (act, _), (tried, _) = (pair(a) for a in sample(rng, domain["acts"], 2))
    rival = choice(rng, domain["rivals"])
    (x,) = people(rng, 1)
    happened = happened.format(x=x)
    number = rng.choice(("twenty", "thirty", "forty", "fifty", "sixty", "eighty"))
    draft = Draft(at.id, "false_cause", f"{act} and {tried}", at.place)
    events = [draft.declare("event", f"one begins {a}") for a in (act, tried)]
    effect = draft.declare("event", f"something {does}")
    other = draft.declare("event", f"there is {rival}")
    how = draft.declare("reason", f"{rival} is enough to bring it about")
    known = draft.state("causes", other, effect, how)
    once = draft.state("follows", events[0], effect)
    alone = draft.declare(
        "reason", f"with no {rival.removeprefix('a ').removeprefix('the ')} it came about just as often without {act}"
    )
    draft.state("persists", events[0], effect, other, alone, truth=False)
    held = draft.declare("reason", f"half of the {doers}, drawn by lot, began {tried}, and all had the same {rival}")
    lots = (draft.state("follows", events[1], effect), draft.state("persists", events[1], effect, other, held))
    week = rng.choice(("the week after", "a few days after", "not a week after", "the very week that"))
    said_once = Said(f"{capital(happened)} {week} {x} began {act}.", (once,))
    half = rng.choice(
        (
            f"Of {number} other {doers} in the district, half began {tried} and half did not, as a coin was"
            f" tossed for each:"
            f" over the same weeks, {among} nearly all of the first half {trial}, and {among} hardly any of the"
            f" second.",
            f"Elsewhere in the district, {number} {doers} drew lots: half of them began {tried}, half did"
            f" not, and over the same"
            f" weeks, {among} nearly all of {those} began it {trial}, and {among} hardly any of the rest.",
        )
    )
    said_lots = Said(half, lots)
    may = Said(
        rng.choice((f"{capital(rival)} may do as much.", f"It is known that {rival} can bring that about as well.")),
        (known,),
    )
    order = [said_once, said_lots] if rng.random() < 0.5 else [said_lots, said_once]
    owns = f"{x} has {_a(one)} near {at.place}." if who else f"{x} looks after {_a(one)} in {at.place}."
    start = Said(rng.choice((owns, f"{x} is in charge of {_a(one)} in {at.place}.")))
    if order[0] is said_lots:
        order[0] = Said(half.replace(f"Of {number} other", f"Of {number}").replace("Elsewhere in", "In"), lots)
        told = (order[0], start, order[1])
    else:
        told = (start, order[0], order[1])
    place = 3 if rng.random() < 0.7 else told.index(order[0]) + 1
    said = (*told[:place], may, *told[place:])
    return World(
        at.id, draft.fallacy, at.place, at.kind, both(draft.facts), both(said),
        {"fallacy": f"{act} {does}", "sound": f"{tried} {does}"},
        {"fallacy": Fact("causes", (events[0], effect)), "sound": Fact("causes", (events[1], effect))},
        (act, tried, does, rival),
    )  # fmt: skip


#: How something is taken away, by what it is: as an order, and as a circumstance.
_AWAY = {
    "devices": ("unplug the {x}", "With the {x} switched off,"),
    "creatures": ("keep the {x} away", "On days when the {x} are away,"),
    "groups": ("send the {x} on a trip", "On days when the {x} are away,"),
}


def direction(rng: random.Random, at: Setting) -> World:
    """Two things that go together; take the one away and the other stops, but not the other way round."""
    family = rng.choice(("devices", "devices", "creatures", "groups"))
    words = lexicon("causes")["wrong_direction"]
    (a, a_does), (b, b_does) = (pair(s, ":") for s in sample(rng, words[family], 2))
    if family == "devices":
        a, b = (f"{which} {thing}" for which, thing in zip(sample(rng, words["which"], 2), (a, b), strict=True))
    else:
        a, b = (f"{thing} {where}" for where, thing in zip(sample(rng, words["where"], 2), (a, b), strict=True))
    draft = Draft(at.id, "wrong_direction", f"{a} and {b}", at.place)
    clause = {a: f"the {a} {a_does}", b: f"the {b} {b_does}"}
    event = {n: draft.declare("event", clause[n]) for n in (a, b)}
    idle = {"devices": "does nothing", "creatures": "stay quiet", "groups": "do nothing of the kind"}[family]
    away = _AWAY[family]
    needs = f"without the {b}, the {a} {idle}"
    keeps = f"without the {a}, {clause[b]} all the same"
    depends = draft.state("depends", event[a], event[b], draft.declare("reason", needs))
    free = draft.state("depends", event[b], event[a], draft.declare("reason", keeps), truth=False)
    seen = draft.state("together", event[a], event[b])
    first, second = rng.sample((a, b), 2)
    where, begin = (at.at, at.At) if family == "devices" else (f"in {at.place}", f"In {at.place}")
    open_ = rng.choice(
        (
            f"{begin}, {clause[first]} at the very moment when {clause[second]}; it is so every time.",
            f"As anybody {where} can tell you, {clause[first]} and {clause[second]} at one and the same moment.",
            f"{begin} two things always go together: {clause[first]} and {clause[second]}.",
        )
    )
    how = rng.randrange(2)
    stops, goes_on = f"the {a} {idle}", f"{clause[b]} all the same"
    lines = []
    for thing, what, fact in ((b, stops, depends), (a, goes_on, free)):
        head = f"{capital(away[0].format(x=thing))}, and" if how else away[1].format(x=thing)
        lines.append((f"{head} {what}.", (fact,)))
    rng.shuffle(lines)
    said = (Said(open_, (seen,)), *(Said(t, f) for t, f in lines))
    form = rng.choice(("it is because {p} that {q}", "{q} because {p}"))
    return World(
        at.id, draft.fallacy, at.place, at.kind, both(draft.facts), both(said),
        {"fallacy": form.format(p=clause[a], q=clause[b]), "sound": form.format(p=clause[b], q=clause[a])},
        {"fallacy": Fact("causes", (event[a], event[b])), "sound": Fact("causes", (event[b], event[a]))},
        (clause[a], clause[b], at.kind),
    )  # fmt: skip


def _a(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeio' else 'a'} {noun}"

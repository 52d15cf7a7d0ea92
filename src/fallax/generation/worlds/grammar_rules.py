"""Worlds about rules and conditions: accident, false dilemma, inverse error, improper transposition."""

from __future__ import annotations

import random
from itertools import pairwise

from fallax.core.types.logic import Fact, Negation
from fallax.generation.worlds.lexicon import choice, lexicon, pair, people, rows, sample
from fallax.generation.worlds.setting import Setting, both
from fallax.generation.worlds.world import Draft, Kind, Said, World

__all__ = ["accident", "dilemma", "inverse", "transposition"]


def accident(rng: random.Random, at: Setting) -> World:
    """One rule, two who broke its words: one in an emergency, one on a whim."""
    words = lexicon("rules_and_options")["accident"]
    outside = "_outdoors" if rng.random() < 0.35 else ""
    where, begin = (f"in {at.place}", f"In {at.place}") if outside else (at.at, at.At)
    act, done = pair(choice(rng, words[f"acts{outside}"]))
    penalty = choice(rng, words["penalties"]).format(number=rng.choice(rows(lexicon("shared")["numbers"])))
    exempt, plain = people(rng, 2)
    danger, whim = choice(rng, words[f"emergencies{outside}"]), choice(rng, words[f"whims{outside}"])
    clause = choice(rng, words["clauses"])
    draft = Draft(at.id, "accident_fallacy", f"who {act}", at.place)
    rule = draft.declare("rule", f"whoever {act} {penalty}, {clause}")
    demand = draft.declare("property", penalty)
    cases = {x: draft.declare("thing", x) for x in (exempt, plain)}
    reasons = {exempt: f"{exempt} {done} {danger}", plain: f"{plain} {done} {whim}"}
    law = draft.state("demands", rule, demand)
    facts = {
        x: (
            draft.state("covers", rule, atom),
            draft.state("excepted", rule, atom, draft.declare("reason", reasons[x]), truth=x == exempt),
        )
        for x, atom in cases.items()
    }
    order = rng.sample((exempt, plain), 2)
    day = sample(rng, lexicon("shared")["days"], 2)
    first = rng.choice(
        (
            f"{begin}, whoever {act} {penalty}, {clause}.",
            f"{clause[0].upper()}{clause[1:]}, anyone who {act} {where} {penalty}.",
            f"The rule {where} is that anybody who {act} {penalty}, {clause}.",
        )
    )
    reason = {exempt: danger, plain: whim}
    a, b = order
    told = rng.choice(
        (
            (f"{a} {done} {reason[a]}.", f"{b} {done} {reason[b]}."),
            (f"On {day[0]}, {a} {done} {reason[a]}.", f"On {day[1]}, {b} did the same {reason[b]}."),
            (f"Last week {a} {done} {reason[a]}, and {b} {reason[b]}.",),
        )
    )
    said = (Said(first, (law,)), *_spread(told, (facts[a], facts[b])))
    claims = {x: Fact("has", (cases[x], demand)) for x in cases}
    return World(
        at.id, draft.fallacy, at.place, at.kind, both(draft.facts), both(said),
        {"fallacy": f"{exempt} {penalty}", "sound": f"{plain} {penalty}"},
        {"fallacy": claims[exempt], "sound": claims[plain]},
        (act, penalty, danger, whim),
    )  # fmt: skip


def _spread(told: tuple[str, ...], facts: tuple[tuple[Fact, ...], tuple[Fact, ...]]) -> tuple[Said, ...]:
    """One sentence with the facts of both, or one for each."""
    if len(told) == 1:
        return (Said(told[0], (*facts[0], *facts[1])),)
    return tuple(Said(text, stated) for text, stated in zip(told, facts, strict=True))


def dilemma(rng: random.Random, at: Setting) -> World:
    """Two who choose: one from three options, one from two; neither took the first."""
    verb, _, options = choice(rng, lexicon("rules_and_options")["dilemma"]["choices"]).partition(":")
    infinitive, verb = pair(verb)
    third, out, left = rng.sample([o.strip() for o in options.split(",")], 3)
    open_, closed = people(rng, 2)
    day = dict(zip((open_, closed), sample(rng, lexicon("shared")["days"], 2), strict=True))
    draft = Draft(at.id, "false_dilemma", f"what {open_} and {closed} {verb}", at.place)
    claim = {(x, o): draft.declare("claim", f"{x} {verb} {o}") for x in (open_, closed) for o in (out, left)}
    claim[open_, third] = draft.declare("claim", f"{open_} {verb} {third}")
    three = rng.sample((out, left, third), 3)
    two = rng.sample((out, left), 2)
    listed = {
        open_: f"{three[0]}, {three[1]} or {three[2]}",
        closed: f"{two[0]} or {two[1]}",
    }
    form = rng.choice(
        (
            "On {d}, {x} had to {v} {o}; there was nothing else to choose.",
            "{x} had to {v} {o} on {d}, with no other choice.",
        )
    )
    lines = {}
    for x in (open_, closed):
        whole = draft.declare("reason", f"on {day[x]} there was a choice of {listed[x]} and of nothing else")
        facts = [draft.state("offered", claim[x, out], claim[x, left])]
        facts.append(draft.state("exhaustive", claim[x, out], claim[x, left], whole, truth=x == closed))
        if x == open_:
            facts.append(
                draft.state("third", claim[x, out], claim[x, left], claim[x, third], draft.declare("thing", x))
            )
        lines[x] = Said(form.format(x=x, v=infinitive, o=listed[x], d=day[x]), tuple(facts))
    seen = draft.declare("reason", "it is known of both")
    gone = tuple(draft.state("ruled_out", claim[x, out], seen) for x in (open_, closed))
    neither = rng.choice(
        (f"It is known that neither of the two {verb} {out}.", f"One thing is sure: neither of them {verb} {out}.")
    )
    a, b = rng.sample((open_, closed), 2)
    said = (Said(f"This is about two people {at.at}."), lines[a], lines[b], Said(neither, gone))
    end = {x: f"{x} {verb} {left}, as it had to be that or {out}" for x in (open_, closed)}
    return World(
        at.id, draft.fallacy, at.place, at.kind, both(draft.facts), both(said),
        {"fallacy": end[open_], "sound": end[closed]},
        {"fallacy": Fact("holds", (claim[open_, left],)), "sound": Fact("holds", (claim[closed, left],))},
        (verb, out, left, third),
    )  # fmt: skip


def _states(rng: random.Random, *lengths: int) -> list[list[tuple[str, str]]]:
    """Chains of states of different things, each as it is and as it is not: signs and other things in turn.

    Whether a chain begins with a sign is drawn, so that what is a condition looks like what is not.
    """
    half = sum(n // 2 + 1 for n in lengths)
    drawn = {
        kind: iter(rng.sample([(t, g["states"]) for g in lexicon("conditions")[kind] for t in rows(g["things"])], half))
        for kind in ("sign", "matter")
    }
    found = []
    for n in lengths:
        kinds = rng.sample(("sign", "matter"), 2)
        chain = []
        for place in range(n):
            thing, states = next(drawn[kinds[place % 2]])
            so, not_so = pair(choice(rng, states))
            chain.append((f"{thing} is {so}", f"{thing} is {not_so}"))
        found.append(chain)
    return found


def inverse(rng: random.Random, at: Setting, depth: int | None = None) -> World:
    """Whenever A, B: from that, whenever not A, not B; or whenever not B, not A.

    With a depth, the inverse is drawn of two rules: of one that a chain of so many rules closes into a circle, and of
    one whose chain ends elsewhere.
    """
    if depth is not None:
        return _circle(rng, at, "inverse_error", depth)
    (((a, not_a), (b, not_b)),) = _states(rng, 2)
    draft = Draft(at.id, "inverse_error", f"{a} and {b}", at.place)
    left, right = draft.declare("proposition", a, not_a), draft.declare("proposition", b, not_b)
    law = draft.state("implies", left, right)
    day = draft.declare("thing", "some day")
    draft.state("case", day, left, truth=False)
    draft.state("case", day, right)
    rule = choice(rng, lexicon("conditions")["said"]["rules"])
    when = rng.choice(("whenever", "if", "when"))
    first = rng.choice(
        (f"{at.At} it goes like this. {rule} {when} {a}, {b}.", f"{rule} {when} {a}, {b}. That is how it is {at.at}.")
    )
    return World(
        at.id, draft.fallacy, at.place, at.kind, both(draft.facts), both((Said(first, (law,)),)),
        {"fallacy": f"{when} {not_a}, {not_b}", "sound": f"{when} {not_b}, {not_a}"},
        {
            "fallacy": Fact("implies", (Negation(left), Negation(right))),
            "sound": Fact("implies", (Negation(right), Negation(left))),
        },
        (a, b),
    )  # fmt: skip


def transposition(rng: random.Random, at: Setting, depth: int | None = None) -> World:
    """Whenever A, B, and whenever not C, not D: from that, whenever B, A; or whenever D, C.

    With a depth, the converse is drawn of two rules: of one that a chain of so many rules closes into a circle, and of
    one whose chain ends elsewhere.
    """
    if depth is not None:
        return _circle(rng, at, "improper_transposition", depth)
    ((a, not_a), (b, not_b), (x, not_x)), ((c, not_c), (d, not_d)) = _states(rng, 3, 2)
    draft = Draft(at.id, "improper_transposition", f"{a} and {b}", at.place)
    left, right = draft.declare("proposition", a, not_a), draft.declare("proposition", b, not_b)
    lower, upper = draft.declare("proposition", not_c, c), draft.declare("proposition", not_d, d)
    other = draft.declare("proposition", x, not_x)
    plain, denied = draft.state("implies", left, right), draft.state("implies", lower, upper)
    draft.state("implies", other, right)
    day = draft.declare("thing", "some day")
    draft.state("case", day, left, truth=False)
    draft.state("case", day, other)
    when = rng.choice(("whenever", "if", "when"))
    rule = choice(rng, lexicon("conditions")["said"]["rules"])
    pairs = rng.sample(((f"{when} {a}, {b}", plain), (f"{when} {not_c}, {not_d}", denied)), 2)
    texts = rng.choice(
        (
            f"{at.At} it goes like this. {rule} {pairs[0][0]}, and {pairs[1][0]}.",
            f"{rule} {pairs[0][0]}. Likewise, {pairs[1][0]}. That is how it is {at.at}.",
        )
    )
    return World(
        at.id, draft.fallacy, at.place, at.kind, both(draft.facts), both((Said(texts, (plain, denied)),)),
        {"fallacy": f"{when} {b}, {a}", "sound": f"{when} {d}, {c}"},
        {
            "fallacy": Fact("implies", (right, left)),
            "sound": Fact("implies", (Negation(upper), Negation(lower))),
        },
        (a, b, c, d),
    )  # fmt: skip


def _circle(rng: random.Random, at: Setting, fallacy: str, depth: int) -> World:
    """Two chains of rules: one comes back to where it began, so that its rules hold both ways; one does not.

    The conclusion is about the first rule; ``depth`` more rules lead back to its condition, or somewhere else.
    """
    closed, open_, (spare,) = _states(rng, depth + 1, depth + 2, 1)
    states = [*closed, *open_]
    draft = Draft(at.id, fallacy, f"{open_[0][0]} and {open_[1][0]}", at.place)
    atom = {so: draft.declare("proposition", so, not_so) for so, not_so in states}
    when = rng.choice(("whenever", "if", "when"))
    rule = choice(rng, lexicon("conditions")["said"]["rules"])
    told = []
    for row in ([*closed, closed[0]], open_):
        links = [(a, b) for (a, _), (b, _) in pairwise(row)]
        facts = tuple(draft.state("implies", atom[a], atom[b]) for a, b in links)
        told.append(([f"{when} {a}, {b}" for a, b in links], facts))
    day = draft.declare("thing", "some day")
    draft.state("case", day, atom[open_[0][0]], truth=False)
    if fallacy == "inverse_error":
        draft.state("case", day, atom[open_[1][0]])
    else:
        rival = draft.declare("proposition", *spare)
        draft.state("implies", rival, atom[open_[1][0]])
        draft.state("case", day, rival)
    rng.shuffle(told)
    said = [
        Said(f"{rule} {'; '.join(told[0][0])}.", told[0][1]),
        Said(f"Likewise, {'; '.join(told[1][0])}.", told[1][1]),
    ]
    scene = Said(rng.choice((f"{at.At} it goes like this.", f"These are the rules {at.at}.")))
    ends, claims = dict[Kind, str](), dict[Kind, Fact]()
    for kind, row in (("fallacy", open_), ("sound", closed)):
        (a, not_a), (b, not_b) = row[0], row[1]
        inverse_ = fallacy == "inverse_error"
        ends[kind] = f"{when} {not_a}, {not_b}" if inverse_ else f"{when} {b}, {a}"  # type: ignore[index]
        drawn = (Negation(atom[a]), Negation(atom[b])) if inverse_ else (atom[b], atom[a])
        claims[kind] = Fact("implies", drawn)  # type: ignore[index]
    return World(
        at.id, fallacy, at.place, at.kind, both(draft.facts), both((scene, *said)), ends, claims,
        tuple(so for so, _ in states),
    )  # fmt: skip

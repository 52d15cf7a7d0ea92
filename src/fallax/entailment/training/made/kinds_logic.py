"""Contrasts of logic and text: quantifiers, scope, comparisons, causes, conditions, pronouns, what follows."""

from __future__ import annotations

import random
from collections.abc import Callable

from fallax.entailment.training.made import lexicon as lx
from fallax.entailment.training.made.grammar import (
    CONTRADICTED,
    NEITHER,
    NOT_ENTAILED,
    MadeItem,
    contrast,
    deed_forms,
    number,
    people,
)
from fallax.entailment.training.pairs import Label

__all__ = [
    "aspect",
    "attributes",
    "causes",
    "comparisons",
    "conditions",
    "conjunctions",
    "details",
    "monotone",
    "pronouns",
    "quantifiers",
    "synthesis",
]


def quantifiers(rng: random.Random) -> MadeItem:
    """Quantifiers: all, most, some, few, none, not all."""
    one, many, did = rng.choice(lx.GROUPS)
    n = rng.randint(2, 9)
    every = [
        f"all the {many} {did}",
        f"every {one} {did}",
        f"each {one} {did}",
        f"the {many} {did} without exception",
        f"there was no {one} who did not: all {did}",
    ]
    most = [
        f"most {many} {did}",
        f"most of the {many} {did}",
        f"the majority of the {many} {did}",
        f"nearly all the {many} {did}, but not every one",
    ]
    some = [
        f"some {many} {did}",
        f"some of the {many} {did}",
        f"at least one {one} {did}",
        f"there were {many} who {did}",
    ]
    few = [f"few {many} {did}", f"hardly any of the {many} {did}", f"only {n} of the hundred {many} {did}"]
    none = [f"no {one} {did}", f"none of the {many} {did}", f"not a single {one} {did}", f"not one of the {many} {did}"]
    not_all = [f"not all the {many} {did}", f"not every {one} {did}", f"only some of the {many} {did}"]
    table: list[tuple[list[str], list[str], list[tuple[list[str], Label]]]] = [
        (
            every,
            every,
            [(most, CONTRADICTED), (some, NEITHER), (none, CONTRADICTED), (not_all, CONTRADICTED), (few, CONTRADICTED)],
        ),
        (
            most,
            most[:3] + [f"nine of the ten {many} {did}"],
            [(few, CONTRADICTED), (none, CONTRADICTED), (some, NEITHER), (not_all, NEITHER)],
        ),
        (some, every + most + some + few[2:] + [f"{n} {many} {did}"], [(none, CONTRADICTED), (none, CONTRADICTED)]),
        (
            none,
            none,
            [
                (some, CONTRADICTED),
                (every, CONTRADICTED),
                (few, CONTRADICTED),
                (most, CONTRADICTED),
                (not_all, NOT_ENTAILED),
            ],
        ),
        (not_all, not_all + none + few, [(every, CONTRADICTED), (every, CONTRADICTED), (some[:3], NEITHER)]),
    ]
    statement, yes, no = rng.choice(table)
    return contrast("quantifiers", statement, yes, *no)


def monotone(rng: random.Random) -> MadeItem:
    """Monotonicity: a narrower or a wider term in upward and downward entailing contexts."""
    (p,) = people(rng, 1, bodies=0.0)
    a = p.name
    narrow, wide = rng.choice(lx.HYPERNYMS)
    past, base, part = rng.choice((("bought", "buy", "bought"), ("saw", "see", "seen"), ("brought", "bring", "brought"), ("sold", "sell", "sold"), ("found", "find", "found"),
                                   ("lost", "lose", "lost"), ("wanted", "want", "wanted"), ("owned", "own", "owned")))  # fmt: skip
    one, many, did = rng.choice(
        [
            g
            for g in lx.GROUPS
            if g[0]
            in (
                "member",
                "pupil",
                "passenger",
                "worker",
                "visitor",
                "resident",
                "volunteer",
                "student",
                "tenant",
                "farmer",
            )
        ]
    )
    n = rng.randint(3, 9)
    up = [lambda x: f"{a} {past} {x}", lambda x: f"some {many} {past} {x}", lambda x: f"every {one} {past} {x}", lambda x: f"most {many} {past} {x}",
          lambda x: f"at least {number(n, rng)} {many} {past} {x}", lambda x: f"{x} was {part} by {a}", lambda x: f"a {one} who {past} {x} {did}",
          lambda x: f"{a} did not leave until someone {past} {x}", lambda x: f"more than {number(n, rng)} {many} {past} {x}"]  # fmt: skip
    down = [lambda x: f"{a} did not {base} {x}", lambda x: f"no {one} {past} {x}", lambda x: f"every {one} who {past} {x} {did}", lambda x: f"{a} never {past} {x}",
            lambda x: f"few {many} {past} {x}", lambda x: f"at most {number(n, rng)} {many} {past} {x}", lambda x: f"nobody {past} {x}", lambda x: f"{a} left without having {part} {x}",
            lambda x: f"all {many} who {past} {x} {did}", lambda x: f"if anyone {past} {x}, it was {a}", lambda x: f"fewer than {number(n, rng)} {many} {past} {x}",
            lambda x: f"{a} refused to {base} {x}"]  # fmt: skip
    is_up = rng.random() < 0.5
    frame: Callable[[str], str] = rng.choice(up if is_up else down)
    small, large = (narrow, wide) if is_up else (wide, narrow)
    if rng.random() < 0.4:  # an added phrase makes a term narrower
        extra = rng.choice((" in the rain", " on Sunday", " with a friend", " from a neighbour", " at the market"))
        small, large = (narrow + extra, narrow) if is_up else (narrow, narrow + extra)
    state = rng.getstate()
    first = frame(small)
    rng.setstate(state)
    second = frame(large)
    # first entails second, second does not entail first
    if rng.random() < 0.5:
        return contrast("monotonicity", [second], [first], ([_other(frame, narrow, rng)], NEITHER), names=(a,))
    rng.setstate(state)
    surer = frame(f"{small} with a price tag") if is_up else frame("anything at all")
    return contrast("monotonicity", [first], [first, surer], ([second], NEITHER), names=(a,))


def _other(frame: Callable[[str], str], narrow: str, rng: random.Random) -> str:
    return frame(rng.choice([h[0] for h in lx.HYPERNYMS if h[0].split()[-1] != narrow.split()[-1]]))


def comparisons(rng: random.Random) -> MadeItem:
    """Comparatives, superlatives and equality."""
    more, most, less, least, plain = rng.choice(lx.ADJECTIVES)
    if more in lx.ANIMATE_KINDS and rng.random() < 0.6:
        a, b, c = (p.name for p in people(rng, 3, bodies=0.0))
    else:
        what = rng.choice(("bridge", "hotel", "route", "machine", "ship", "tower", "pump", "model", "tunnel", "room"))
        a, b, c = (
            f"the {x} {what}"
            for x in rng.sample(
                ("old", "new", "northern", "southern", "green", "Danish", "first", "second", "private", "public"), 3
            )
        )
    said = [
        f"{a} is {more} than {b}",
        f"{b} is {less} than {a}",
        f"of the two, {a} is the {more}: {b} is {less}",
        f"{b} is not as {plain} as {a}",
    ]
    turned = [
        f"{b} is {more} than {a}",
        f"{a} is {less} than {b}",
        f"{a} is not as {plain} as {b}",
        f"{b} is the {more} of the two, {a} the {less}",
    ]
    same = [f"{a} is just as {plain} as {b}", f"{a} and {b} are equally {plain}"]
    way = rng.randrange(3)
    if way == 0:
        return contrast("comparisons", said, said, (turned * 2 + same, CONTRADICTED), names=(a, b))
    if way == 1:
        statement = [f"{a} is the {most} of the three", f"no other of the three is as {plain} as {a}"]
        yes = [[f"{a} is {more} than {b}", f"{b} is {more} than {c}"], [f"{b} and {c} are both {less} than {a}", "there are only these three"],
               [f"of {a}, {b} and {c}, {a} is the {most}"]]  # fmt: skip
        no = [[f"{b} is {more} than {a}", f"{a} is {more} than {c}"], [f"{a} and {c} are both {less} than {b}", "there are only these three"],
              [f"of {a}, {b} and {c}, {a} is the {least}"]]  # fmt: skip
        return contrast("comparisons", statement, yes, (no, CONTRADICTED), names=(a, b, c))
    yes = [
        [f"{a} is {more} than {b}", f"{b} is {more} than {c}"],
        [f"{c} is {less} than {b}, which is {less} than {a}"]
        if not a[0].isupper()
        else [f"{c} is {less} than {b}, and {b} is {less} than {a}"],
    ]
    false = [f"{b} is {more} than {a}", f"{c} is {more} than {b}"]
    unsure = [f"{a} is {more} than {b}", f"{c} is {more} than {b}"]
    statement = [f"{a} is {more} than {c}", f"{c} is {less} than {a}"]
    return contrast("comparisons", statement, yes, ([false], CONTRADICTED), ([unsure], NEITHER), names=(a, b, c))


def causes(rng: random.Random) -> MadeItem:
    """What caused what: cause and effect exchanged, another cause, or no link."""
    effect, effect_np, cause, cause_np = rng.choice(lx.CAUSES)
    other = rng.choice(lx.BAD_THINGS)

    def told(e: str, e_np: str, c: str, c_np: str) -> list[str]:
        return [
            f"{e} because {c}", f"because {c}, {e}", f"{c}, and as a result {e}", f"{c}, so {e}", f"{c_np} caused {e_np}", f"{e_np} was caused by {c_np}",
            f"{c_np} led to {e_np}", f"{e_np} was the result of {c_np}", f"owing to {c_np}, {e}", f"{e}; the reason was that {c}",
            f"that {c} is why {e}", f"{e} due to {c_np}", f"since {c}, {e}", f"{c_np} was to blame for {e_np}",
        ]  # fmt: skip

    statement = told(effect, effect_np, cause, cause_np)
    turned = told(cause, cause_np, effect, effect_np)
    away = [f"{effect} because of {other}", f"{other} caused {effect_np}", f"{effect_np} was the result of {other}"]
    unlinked = [
        f"{cause}. {effect[:1].upper() + effect[1:]}",
        f"{effect} in the year in which {cause}",
        f"{cause}, while elsewhere {effect}",
        f"it is not known why {effect}, or whether it was because {cause}",
    ]
    denied = [f"it is not true that {effect} because {cause}", f"{effect}, but not because {cause}", f"{effect} although {cause}", f"{effect} because of {other}, not because {cause}",
              f"{cause_np} did not cause {effect_np}", f"{effect_np} had nothing to do with {cause_np}"]  # fmt: skip
    way = rng.randrange(5)
    if way == 0:
        happened = [effect, cause, f"it is true that {effect}"]
        open_ = [
            f"it was feared that {effect_np} would follow",
            f"{effect_np} was prevented",
            f"{cause_np} was prevented, and so was {effect_np}",
        ]
        return contrast("causes", happened, statement, (open_, NOT_ENTAILED))
    if way == 1:
        return contrast("causes", denied[4:] + denied[:1], denied, (statement, CONTRADICTED))
    unsure = (away * 2, NOT_ENTAILED), (unlinked * 2, NEITHER)
    return contrast("causes", statement, statement, (turned, CONTRADICTED), *unsure, (denied * 2, CONTRADICTED))


def conditions(rng: random.Random) -> MadeItem:
    """If, unless, only if."""
    p, q = people(rng, 2, bodies=0.8)
    a, b = p.name, q.name
    d, f = rng.sample(lx.DEEDS, 2)
    statement = [f"if {b} {f.past} {f.thing}, {a} would {d.base} {d.thing}", f"{a} would {d.base} {d.thing} if {b} {f.past} {f.thing}",
                 f"{a} promised to {d.base} {d.thing} if {b} {f.past} {f.thing}", f"should {b} {f.base} {f.thing}, {a} would {d.base} {d.thing}"]  # fmt: skip
    way = rng.randrange(3)
    if way == 0:
        no = [(f"if {a} {d.past} {d.thing}, {b} would {f.base} {f.thing}", NEITHER), (f"{b} would {f.base} {f.thing} if {a} {d.past} {d.thing}", NEITHER),
              (f"if {b} {f.past} {f.thing}, {a} would not {d.base} {d.thing}", CONTRADICTED), (f"{a} would not {d.base} {d.thing} if {b} {f.past} {f.thing}", CONTRADICTED),
              (f"{a} would {d.base} {d.thing} unless {b} {f.past} {f.thing}", NOT_ENTAILED), (f"if {b} did not {f.base} {f.thing}, {a} would {d.base} {d.thing}", NOT_ENTAILED)]  # fmt: skip
        return contrast("conditions", statement, statement, *(([t], x) for t, x in no), names=(a, b))
    done = deed_forms(a, d, rng)
    if way == 1:
        unsure = statement + [f"unless {b} {f.past} {f.thing}, {a} would {d.base} {d.thing}"]
        yes = [
            [f"when {b} {f.past} {f.thing}, {a} {d.past} {d.thing}"],
            [f"{statement[1]}", f"{b} did {f.base} {f.thing}, and {a} kept {p.possessive} word"],
            [f"as soon as {b} {f.past} {f.thing}, {a} {d.past} {d.thing}"],
        ]
        return contrast("conditions", done, yes, (unsure, NEITHER), names=(a, b))
    only = [f"{a} would {d.base} {d.thing} only if {b} {f.past} {f.thing}", f"{a} would not {d.base} {d.thing} unless {b} {f.past} {f.thing}",
            f"without {b} agreeing to {f.base} {f.thing}, {a} would not {d.base} {d.thing}"]  # fmt: skip
    even = [f"{a} would {d.base} {d.thing} whether or not {b} {f.past} {f.thing}", f"{a} would {d.base} {d.thing} even if {b} did not {f.base} {f.thing}",
           f"{a} would {d.base} {d.thing} unless {b} {f.past} {f.thing}", f"{a} would {d.base} {d.thing} without conditions"]  # fmt: skip
    return contrast("conditions", only[:2], only, (even, CONTRADICTED), names=(a, b))


def pronouns(rng: random.Random) -> MadeItem:
    """Whom a pronoun refers to."""
    f_first, m_first = rng.choice(lx.FEMALE), rng.choice(lx.MALE)
    sf, sm = rng.sample(lx.SURNAMES, 2)
    deed = rng.choice(lx.DEEDS)
    verb = rng.choice(lx.PERSON_VERBS)
    job = rng.choice(lx.PROFESSIONS)
    fem, man = f"{f_first} {sf}", f"{m_first} {sm}"
    who, pronoun, other, opposite = (fem, "she", man, "he") if rng.random() < 0.5 else (man, "he", fem, "she")
    short = rng.choice((who, who.split()[-1], who.split()[0]))
    opening = rng.choice(
        [
            f"{who} {verb.past} {other} {verb.tail}",
            f"{other} {verb.past} {who} {verb.tail}",
            f"{who}, a {job}, met {other}",
            f"{other} and {who} came to the hearing",
        ]
    )
    way = rng.choice(
        (
            f"{deed.past} {deed.thing}",
            f"moved to {rng.choice(lx.PLACES)}",
            f"had worked as a {rng.choice(lx.PROFESSIONS)}",
        )
    )
    yes, no = (
        [
            [opening, f"{p} later {way}"],
            [opening, f"a week later, {p} {way}"],
            [opening, f"people remember that {p} {way}"],
        ]
        for p in (pronoun, opposite)
    )
    statement = [f"{short} {way}", f"later, {short} {way}"]
    return contrast("coreference", statement, yes, (no, NOT_ENTAILED), names=(who, other))


def attributes(rng: random.Random) -> MadeItem:
    """Which of two people a description fits."""
    a, b = (p.name for p in people(rng, 2, bodies=0.0))
    x, y = rng.sample(lx.PLACES, 2)
    j, k = rng.sample(lx.PROFESSIONS, 2)
    n = rng.randint(20, 60)
    m = n + rng.choice((-12, -7, -3, 4, 9, 15))

    def told(p: str, q: str) -> list[list[str]]:
        return [
            [f"{p}, a {j} from {x}, and {q}, a {k} from {y}, met on the train"], [f"{p} is a {j} and lives in {x}", f"{q} is a {k} and lives in {y}"],
            [f"{q}, {m}, works as a {k} in {y}; {p}, {n}, works as a {j} in {x}"], [f"{p} and {q} work as a {j} and a {k} in {x} and {y}, respectively"],
            [f"{q} is from {y}, where there was need of a {k}", f"{p}, from {x}, trained as a {j}"],
        ]  # fmt: skip

    statement = [
        f"{a} is a {j}",
        f"{a} is from {x} or lives there",
        f"the {j} is {a}",
        f"{b} is a {k}",
        f"the {k} from {y} is {b}",
        f"{b}, not {a}, is the {k}",
    ]
    return contrast("entities", statement, told(a, b), (told(b, a), CONTRADICTED), names=(a, b))


def conjunctions(rng: random.Random) -> MadeItem:
    """And, or, neither, both, but not, only, except."""
    a, b = (p.name for p in people(rng, 2))
    deed = rng.choice(lx.DEEDS)
    did, base = f"{deed.past} {deed.thing}", f"{deed.base} {deed.thing}"
    both = [
        f"{a} and {b} {did}",
        f"both {a} and {b} {did}",
        f"{a} {did}, and so did {b}",
        f"{b} {did} together with {a}",
        f"not only {a} but also {b} {did}",
    ]
    only_a = [
        f"{a} {did}, but {b} did not",
        f"{a} {did}, unlike {b}",
        f"{a} but not {b} {did}",
        f"{b} did not {base}; {a} did",
        f"only {a} {did}; {b} refused",
    ]
    only_b = [
        f"{b} {did}, but {a} did not",
        f"{b} {did}, unlike {a}",
        f"{b} but not {a} {did}",
        f"{a} did not {base}; {b} did",
        f"only {b} {did}; {a} refused",
    ]
    neither = [
        f"neither {a} nor {b} {did}",
        f"{a} did not {base}, and nor did {b}",
        f"{b} and {a} both refused to {base}",
    ]
    either = [f"either {a} or {b} {did}", f"{a} or {b} {did}", f"one of the two, {a} or {b}, {did}"]
    table: list[tuple[list[str], list[str], list[tuple[list[str], Label]]]] = [
        (
            [f"{a} {did}", f"it was {a} who {did}", f"{a} did {base}"][:: 2 if rng.random() < 0.5 else 1],
            both + only_a,
            [(only_b, CONTRADICTED), (neither, CONTRADICTED), (either, NEITHER)],
        ),
        (
            [f"{b} did not {base}", f"{b} never {did}"],
            only_a + neither,
            [(both, CONTRADICTED), (only_b, CONTRADICTED), (either, NEITHER)],
        ),
        (both, both, [(only_a, CONTRADICTED), (only_b, CONTRADICTED), (neither, CONTRADICTED), (either, NEITHER)]),
        (neither, neither, [(only_a, CONTRADICTED), (both, CONTRADICTED), (either, CONTRADICTED)]),
        (
            either[1:] + [f"at least one of {a} and {b} {did}"],
            both + only_a + only_b + either,
            [(neither, CONTRADICTED), (neither, CONTRADICTED)],
        ),
        (only_a, only_a, [(only_b, CONTRADICTED), (both, CONTRADICTED), (neither, CONTRADICTED)]),
    ]
    statement, yes, no = rng.choice(table)
    return contrast("conjunctions", statement, yes, *no, names=(a, b))


def aspect(rng: random.Random) -> MadeItem:
    """Still, no longer, until, since, already, not yet, used to."""
    (p,) = people(rng, 1)
    a = p.name
    base, past, ing = rng.choice((("work at the mill", "worked at the mill", "working at the mill"), ("live in the old town", "lived in the old town", "living in the old town"),
                                  ("sell fuel", "sold fuel", "selling fuel"), ("print the paper", "printed the paper", "printing the paper"),
                                  ("own the site", "owned the site", "owning the site"), ("pay the tax", "paid the tax", "paying the tax"),
                                  ("use coal", "used coal", "using coal"), ("publish the list", "published the list", "publishing the list"),
                                  ("hold shares in the bank", "held shares in the bank", "holding shares in the bank")))  # fmt: skip
    third = base.split()[0] + ("s" if not base.split()[0].endswith("sh") else "es") + base[len(base.split()[0]) :]
    still = [
        f"{a} still {third}",
        f"{a} continues to {base}",
        f"{a} has never stopped {ing}",
        f"{a} is {ing} to this day",
    ]
    ended = [
        f"{a} no longer {third}",
        f"{a} has stopped {ing}",
        f"{a} used to {base} but does not any more",
        f"{a} gave up {ing} years ago",
        f"{a} does not {base} any longer",
        f"{a} {past} until 2010 and then stopped",
    ]
    never = [f"{a} has never {past}", f"{a} did not {base} at any time", f"at no time has {a} {past}"]
    not_yet = [f"{a} does not {base} yet", f"{a} will {base} from next year on", f"{a} is about to start {ing}"]
    table: list[tuple[list[str], list[str], list[tuple[list[str], Label]]]] = [
        (still[:2], still, [(ended, CONTRADICTED), (never, CONTRADICTED), (not_yet, CONTRADICTED)]),
        (ended[:2] + [ended[4]], ended, [(still, CONTRADICTED)]),
        (
            [f"{a} once {past}", f"there was a time when {a} {past}"],
            ended,
            [(never, CONTRADICTED), (not_yet[:1], NEITHER)],
        ),
    ]
    statement, yes, no = rng.choice(table)
    return contrast("aspect", statement, yes, *no, names=(a,))


def details(rng: random.Random) -> MadeItem:
    """A detail that the passage does not give, or gives differently."""
    (p,) = people(rng, 1, bodies=0.5)
    a = p.name
    deed = rng.choice(lx.DEEDS)
    extra, other = rng.sample(lx.MANNERS, 2)
    time, time2 = rng.sample(lx.TIMES, 2)
    if rng.random() < 0.25:
        statement = deed_forms(a, deed, rng)
        b = people(rng, 1, bodies=0.5)[0].name
        yes, no = ([f"{t} {extra}" for t in deed_forms(x, deed, rng)] for x in (a, b))
        no.append(f"{a} talked about it {extra}, after {b} {deed.past} {deed.thing}")
        return contrast("details", statement, yes, (no, NOT_ENTAILED), names=(a,))
    forms = deed_forms(a, deed, rng)[:6]
    statement = [f"{t} {extra}" for t in forms] + [f"{extra}, {t}" for t in forms[:2]]
    more = deed_forms(a, deed, rng)[:6]
    yes = [f"{t} {extra}" for t in more] + [f"{t} {time} {extra}" for t in more] + [f"{extra}, {t}" for t in more]
    no = [f"{t} {other}" for t in more] + more + [f"{t} {time2}" for t in more] + [f"{other}, {t}" for t in more]
    two = [[t, f"{rng.choice(lx.ORGS)} later said so {extra}"] for t in more[:2]]
    return contrast("details", statement, yes, (no, NEITHER), (two, NEITHER), names=(a,))


def synthesis(rng: random.Random) -> MadeItem:
    """What follows from two sentences."""
    a, b = (p.name for p in people(rng, 2, bodies=0.0))
    x, y, z = rng.sample(lx.PLACES, 3)
    org, org2 = rng.sample(lx.ORGS, 2)
    way = rng.randrange(3)
    if way == 0:
        yes = [
            [f"{a} works for {org}", f"{org} is based in {x}"],
            [f"{org} has its only office in {x}", f"{a} joined {org} as a {rng.choice(lx.PROFESSIONS)}"],
        ]
        unsure = [
            [f"{a} works for {org}", f"{org2} is based in {x}"],
            [f"{b} works for {org}, {a} for {org2}", f"{org} is based in {x}"],
        ]
        moved = [f"{a} works for {org}", f"{org} moved from {x} to {y}"]
        statement = [f"{a} works for an organisation based in {x}", f"{a}'s employer is based in {x}"]
        return contrast("synthesis", statement, yes, (unsure, NEITHER), ([moved], NOT_ENTAILED), names=(a, b))
    if way == 1:
        deed = rng.choice(lx.DEEDS)
        yes = [
            [f"{a} is the head of {org}", f"the head of {org} {deed.past} {deed.thing}"],
            [f"the head of {org} {deed.past} {deed.thing}", f"{org} is headed by {a}"],
        ]
        unsure = [
            [f"{a} is the head of {org}", f"the head of {org2} {deed.past} {deed.thing}"],
            [f"{b} is the head of {org}", f"the head of {org} {deed.past} {deed.thing}", f"{a} is the deputy"],
        ]
        false = [f"{a} is the head of {org}", f"the head of {org} did not {deed.base} {deed.thing}"]
        statement = deed_forms(a, deed, rng)
        return contrast("synthesis", statement, yes, (unsure, NEITHER), ([false], CONTRADICTED), names=(a, b))
    yes = [
        [f"all trains from {x} stop in {y}", f"{a} took a train from {x}"],
        [f"{a} took a train from {x}", f"every train that leaves {x} calls at {y}"],
    ]
    unsure = [
        [f"some trains from {x} stop in {y}", f"{a} took a train from {x}"],
        [f"all trains from {z} stop in {y}", f"{a} took a train from {x}"],
    ]
    false = [f"no train from {x} stops in {y}", f"{a} took a train from {x}"]
    statement = [f"{a}'s train stopped in {y}", f"the train that {a} took calls at {y}"]
    return contrast("synthesis", statement, yes, (unsure, NEITHER), ([false], CONTRADICTED), names=(a, b))

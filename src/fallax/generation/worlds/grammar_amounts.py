"""Worlds about amounts: improper distribution or addition, composition, false analogy."""

from __future__ import annotations

import random
from fractions import Fraction

from fallax.core.types.logic import Fact, Quantity
from fallax.generation.worlds.lexicon import capital, choice, lexicon, pair, people, rows, sample
from fallax.generation.worlds.setting import Setting, both
from fallax.generation.worlds.world import Draft, Said, World

__all__ = ["analogy", "composition", "distribution"]

#: How things are done or laid, where what each gives does not add up, and where it does.
_WAYS = {
    "time": ("are all started at the same moment", "are run one after another, each when the last one has stopped"),
    "watch": ("all stand at the same hours", "take turns, one at a time"),
    "length": ("lie side by side, flush at both ends", "lie end to end in one line"),
    "members": ("have the very same members", "have no member in common"),
}


def distribution(rng: random.Random, at: Setting) -> World:
    """Two lots of the same size: in one, what each gives adds up; in the other it does not."""
    words = lexicon("amounts_and_wholes")
    shape = rng.choice(("time", "time", "watch", "length", "members", "share"))
    n = 2 if shape == "members" else rng.randint(3, 9)
    numbers = lexicon("shared")["numbers"]
    count = rows(numbers)[n - 2]
    share = shape == "share"
    if shape in ("time", "share"):
        (many, one), (many2, one2) = (pair(x) for x in sample(rng, words["time"]["machines"], 2))
        each = rng.choice((4, 5, 6, 8, 10, 12, 15, 18, 20, 25, 30, 35, 40, 45))
        names, units = (f"the {count} {many}", f"the {count} {many2}"), ("minute", "minutes")
        ones = (one, one2)
    elif shape == "watch":
        posts = sample(rng, words["watches"]["posts"], 2)
        each = rng.choice((2, 3, 4, 5, 6))
        names, units = (
            (f"the {count} guards of the {posts[0]}", f"the {count} guards of the {posts[1]}"),
            ("hour", "hours"),
        )
        n = min(n, 24 // each)
        count = rows(numbers)[n - 2]
        names = (f"the {count} guards of the {posts[0]}", f"the {count} guards of the {posts[1]}")
        ones = (posts[0], posts[1])
    elif shape == "length":
        (many, one), (many2, one2) = (pair(x) for x in sample(rng, words["lengths"]["things"], 2))
        each = rng.choice((2, 3, 4))
        names, units = (f"the {count} {many}", f"the {count} {many2}"), ("metre", "metres")
        ones = (one, one2)
    else:
        clubs = sample(rng, words["members"]["clubs"], 4)
        each = rng.randint(12, 60)
        names, units = (
            (f"the {clubs[0]} and the {clubs[1]}", f"the {clubs[2]} and the {clubs[3]}"),
            ("person", "people"),
        )
        ones = (names[0], names[1])
    total = each * n
    ways = _WAYS["time" if share else shape]
    draft = Draft(at.id, "improper_distribution_or_addition", f"{names[0]} and {names[1]}", at.place)
    unit, part = draft.declare("unit", *units), draft.declare("unit", "of them", "of them")
    sums: list[Fact] = []
    clauses = []
    claims = []
    measure = draft.declare("measure", _measure(shape))
    for place, (name, way) in enumerate(zip(names, ways, strict=True)):
        action = draft.declare("action", f"taking {name} together")
        whole, single = Quantity(Fraction(n), part), Quantity(Fraction(1), part)
        why = draft.declare("reason", f"{name} {way}")
        if share:
            facts = [draft.state("shared_out", action, whole, Fraction(n), single)]
            facts.append(draft.state("gives", action, whole, Quantity(Fraction(total), unit), measure))
            claims.append(Fact("gives", (action, single, Quantity(Fraction(each), unit), measure)))
        else:
            facts = [draft.state("pooled", action, single, Fraction(n), whole)]
            facts.append(draft.state("gives", action, single, Quantity(Fraction(each), unit), measure))
            claims.append(Fact("gives", (action, whole, Quantity(Fraction(total), unit), measure)))
        clauses.append((f"{name} {way}", (draft.state("adds_up", action, measure, why, truth=bool(place)),)))
        sums += facts
    first, second = rng.sample(clauses, 2)
    how = rng.choice(
        (
            (Said(f"{at.At}, {first[0]}.", first[1]), Said(f"{capital(second[0])}.", second[1])),
            (Said(f"{at.At}, {first[0]}, and {second[0]}.", (*first[1], *second[1])),),
        )
    )
    order = rng.sample((0, 1), 2)
    flat, ends = _each(rng, shape, names, ones, each, total, order)
    said = rng.choice(((*how, Said(flat, tuple(sums))), (*how, Said(flat, tuple(sums)))))
    return World(
        at.id, draft.fallacy, at.place, at.kind, both(draft.facts), both(said),
        {"fallacy": ends[0], "sound": ends[1]}, {"fallacy": claims[0], "sound": claims[1]},
        (shape, *sorted(ones), str(n)),
    )  # fmt: skip


def _measure(shape: str) -> str:
    return {"watch": "of being watched in a day", "length": "of length", "members": "of membership"}.get(
        shape, "from the first start to the last stop"
    )


def _each(
    rng: random.Random, shape: str, names: tuple[str, str], ones: tuple[str, str], each: int, total: int,
    order: list[int],
) -> tuple[str, tuple[str, str]]:  # fmt: skip
    """What is said of each, and the two conclusions."""
    a, b = (ones[i] for i in order)
    if shape == "time":
        flat = rng.choice(
            (
                f"One {a} takes {each} minutes, and so does one {b}.",
                f"It takes {each} minutes for a single {a}, and as long for a single {b}.",
            )
        )
        return flat, tuple(f"from first start to last stop, {x} take {total} minutes" for x in names)  # type: ignore[return-value]
    if shape == "share":
        one, two = (names[i] for i in order)
        flat = (
            f"From first start to last stop, {one} take {total} minutes, and {two} take {total} minutes as well;"
            f" within each lot, all take the same time."
        )
        return flat, tuple(f"a single {x} takes {each} minutes" for x in ones)  # type: ignore[return-value]
    if shape == "watch":
        flat = rng.choice(
            (
                f"Each guard, whether of the {a} or of the {b}, is on duty {each} hours a day.",
                f"Every guard of the {a} stands {each} hours a day, and so does every guard of the {b}.",
            )
        )
        return flat, tuple(f"the {x} is guarded {total} hours a day" for x in ones)  # type: ignore[return-value]
    if shape == "length":
        flat = rng.choice(
            (
                f"Every {a} is {each} metres long, and so is every {b}.",
                f"A {a} of this sort measures {each} metres from end to end, and so does a {b}.",
            )
        )
        return flat, tuple(f"{x} as they lie there cover a length of {total} metres" for x in names)  # type: ignore[return-value]
    return f"Each of the four has {each} members.", tuple(f"{x} have {total} members between them" for x in names)  # type: ignore[return-value]


#: What each has, (of one, of the lot), the arrangement in which the lot has it as well, and the one in which it has
#: not.
_SHAPES = {
    "high": (
        "is less than {n} centimetres high",
        (30, 90),
        "stand side by side on the floor",
        "stand on top of one another",
    ),
    "long": (
        "is less than {n} metres long",
        (2, 9),
        "lie side by side, flush at both ends",
        "lie end to end in one line",
    ),
    "timed": (
        "takes less than {n} minutes",
        (10, 55),
        "are held at the same time in different rooms",
        "are held one after another in one room",
    ),
    "thick": (
        "is less than {n} millimetres thick",
        (6, 60),
        "lie next to each other on the floor",
        "lie on top of one another in one pile",
    ),
}


def composition(rng: random.Random, at: Setting) -> World:
    """Two wholes whose parts have one property: arranged so that the whole has it as well, and so that it has not."""
    words = lexicon("amounts_and_wholes")["composition"]
    shape = rng.choice(tuple(_SHAPES))
    many, one = pair(choice(rng, words[shape]))
    has, (low, high), carries, fails = _SHAPES[shape]
    has = has.format(n=rng.randint(low, high))
    xs = people(rng, 2)
    spots = sample(rng, words["yards"], 2) if shape != "timed" else ["", ""]
    count = choice(rng, lexicon("shared")["numbers"])
    if shape == "timed":
        wholes = [f"{x}’s programme as a whole" for x in xs]
        parts = [f"{x}’s {count} {many}" for x in xs]
    else:
        wholes = [f"the whole lot in {x}’s {s}" for x, s in zip(xs, spots, strict=True)]
        parts = [f"the {count} {many} in {x}’s {s}" for x, s in zip(xs, spots, strict=True)]
    draft = Draft(at.id, "fallacy_of_composition", f"{many} of {xs[0]} and {xs[1]}", at.place)
    prop = draft.declare("property", has)
    lines = []
    shared: list[Fact] = []
    claims = []
    for place, way in enumerate((fails, carries)):
        piece, whole = draft.declare("thing", f"each of {parts[place]}"), draft.declare("thing", wholes[place])
        shared.append(draft.state("has", piece, prop))
        why = draft.declare("reason", f"{parts[place]} {way}")
        facts = (
            draft.state("part_of", piece, whole),
            draft.state("carries_over", prop, piece, whole, why, truth=bool(place)),
        )
        lines.append(Said(f"{capital(parts[place])} {way}.", facts))
        claims.append(Fact("has", (whole, prop)))
    each = rng.choice((f"Every single {one} of theirs {has}.", f"Each of these {many} {has}."))
    a, b = rng.sample(lines, 2)
    opening = Said(
        rng.choice((f"{xs[0]} and {xs[1]} both work {at.at}.", f"This is about {xs[0]} and {xs[1]}, who met {at.at}."))
    )
    said = rng.choice(((opening, a, b, Said(each, tuple(shared))),))
    return World(
        at.id, draft.fallacy, at.place, at.kind, both(draft.facts), both(said),
        {"fallacy": f"{wholes[0]} {has}", "sound": f"{wholes[1]} {has}"}, {"fallacy": claims[0], "sound": claims[1]},
        (shape, many, *sorted(spots), has),
    )  # fmt: skip


def analogy(rng: random.Random, at: Setting) -> World:
    """One thing that two others are like: one in what decides the matter, one in something that does not."""
    words = lexicon("amounts_and_wholes")["analogy"]
    kind, value, decides, law = (x.strip() for x in choice(rng, words["kinds"]).split(":"))
    number = rng.choice(rows(lexicon("shared")["numbers"]))
    value = value.replace("{tens}", str(rng.choice((20, 30, 40, 50, 60, 70, 80, 90)))).replace("{number}", number)
    likeness = choice(rng, words["shared"])
    source, like, unlike = people(rng, 3)
    draft = Draft(at.id, "false_analogy", f"{kind}s", at.place)
    thing = {x: draft.declare("thing", f"{x}’s {kind}") for x in (source, like, unlike)}
    same = draft.declare("property", f"has the {decides} of {source}’s {kind}")
    other = draft.declare("property", f"has {likeness} as {source}’s {kind}")
    wanted = draft.declare("property", value)
    known = draft.state("has", thing[source], wanted)
    facts = {
        like: (draft.state("has", thing[source], same), draft.state("has", thing[like], same)),
        unlike: (draft.state("has", thing[source], other), draft.state("has", thing[unlike], other)),
    }
    rule = draft.state("bears_on", same, wanted, draft.declare("reason", law))
    draft.state("bears_on", other, wanted, draft.declare("reason", f"{law}, and not on {likeness}"), truth=False)
    alike = {
        like: Said(f"{like}’s {kind} has the same {decides}.", facts[like]),
        unlike: Said(f"{unlike}’s {kind} has {likeness}.", facts[unlike]),
    }
    a, b = rng.sample((like, unlike), 2)
    opening = Said(
        rng.choice(
            (f"{at.At}, {source}’s {kind} {value}.", f"{source}, who works {at.at}, has a {kind} that {value}.")
        ),
        (known,),
    )
    if rng.random() < 0.5:
        told = (opening, Said(f"{capital(law)}.", (rule,)), alike[a], alike[b])
    else:
        told = (opening, alike[a], alike[b], Said(f"Now {law}.", (rule,)))
    ends = {x: rng.choice((f"{{x}}’s {kind} {value}", f"{{x}}’s {kind}, too, {value}")) for x in ("form",)}["form"]
    return World(
        at.id, draft.fallacy, at.place, at.kind, both(draft.facts), both(told),
        {"fallacy": ends.format(x=unlike), "sound": ends.format(x=like)},
        {"fallacy": Fact("has", (thing[unlike], wanted)), "sound": Fact("has", (thing[like], wanted))},
        (kind, value, likeness),
    )  # fmt: skip

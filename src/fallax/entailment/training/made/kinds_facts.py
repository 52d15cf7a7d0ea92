"""Contrasts of facts: roles, negation, modality, attribution, numbers and dates."""

from __future__ import annotations

import random

from fallax.entailment.training.made import lexicon as lx
from fallax.entailment.training.made.grammar import (
    CONTRADICTED,
    NEITHER,
    NOT_ENTAILED,
    MadeItem,
    contrast,
    deed_forms,
    denied_deed,
    denied_person,
    no_label,
    number,
    people,
    person_forms,
)
from fallax.entailment.training.pairs import Label

__all__ = [
    "amounts",
    "attribution",
    "converses",
    "dates",
    "deed_negation",
    "measures",
    "modality",
    "order",
    "person_negation",
    "roles",
]


def roles(rng: random.Random) -> MadeItem:
    """Who did it to whom: roles exchanged, or another person."""
    a, b, c = (p.name for p in people(rng, 3))
    verb = rng.choice(lx.PERSON_VERBS)
    turned = person_forms(b, a, verb, rng)
    strangers = person_forms(c, b, verb, rng)[:4] + person_forms(a, c, verb, rng)[:4]
    yes = [[y] for y in person_forms(a, b, verb, rng)]
    if verb.one_way or rng.random() < 0.5:
        other = rng.choice(lx.PERSON_VERBS)
        extra = rng.choice(person_forms(b, a, other, rng) if other.base != verb.base else [f"{b} met {a}"])
        yes = [y + [extra] if rng.random() < 0.5 else y for y in yes]
    statement = person_forms(a, b, verb, rng)
    no = (turned * 2, no_label(verb.one_way)), (strangers, NOT_ENTAILED)
    return contrast("roles", statement, yes, *no, names=(a, b, c))


def converses(rng: random.Random) -> MadeItem:
    """Converse verbs, such as "sold to" and "bought from"."""
    a, b = (p.name for p in people(rng, 2))
    there, back = rng.choice(lx.CONVERSE)
    statement = [
        f"{a} {there[1]} {b}",
        f"{b} {back[1]} {a}",
        f"it was {a} who {there[1]} {b}",
        f"it was {b} who {back[1]} {a}",
    ]
    turned = [f"{b} {there[1]} {a}", f"{a} {back[1]} {b}", f"it was {b} who {there[1]} {a}", f"{a} did {back[0]} {b}"]
    denied = [f"{a} did not {there[0]} {b}", f"{b} did not {back[0]} {a}", f"{b} never {back[1]} {a}"]
    return contrast("roles", statement, statement, (turned * 2 + denied, CONTRADICTED), names=(a, b))


def person_negation(rng: random.Random) -> MadeItem:
    """Whether somebody did it to somebody."""
    a, b = (p.name for p in people(rng, 2))
    verb = rng.choice(lx.PERSON_VERBS)
    said, denied = person_forms(a, b, verb, rng), denied_person(a, b, verb, rng)
    loose = denied_person(a, b, verb, rng, strict=False)
    more = person_forms(a, b, verb, rng)
    more += [f"it is not the case that {denied[0]}", f"nobody denies that {more[0]}"]
    hoped = [f"{a} wanted to {verb.base} {b} {verb.tail}", f"{a} may have {verb.participle} {b} {verb.tail}",
             f"it is not known whether {a} {verb.past} {b} {verb.tail}"]  # fmt: skip
    statement, yes, no = (said, more, loose) if rng.random() < 0.5 else (denied, loose, more)
    return contrast("negation", statement, yes, (no * 2, CONTRADICTED), (hoped * 2, NEITHER), names=(a, b))


def deed_negation(rng: random.Random) -> MadeItem:
    """Whether something was done: stated by the verb, a synonym, or an opposite."""
    (p,) = people(rng, 1, bodies=0.6)
    a = p.name
    deed = rng.choice(lx.DEEDS)
    agent = rng.random() < 0.75
    said = deed_forms(a, deed, rng, agent=agent)
    denied = denied_deed(a, deed, rng, agent=agent)
    more = deed_forms(a, deed, rng) + deed_forms(a, deed, rng)
    loose = denied_deed(a, deed, rng, strict=False)
    if not agent:
        loose = denied_deed(a, deed, rng, agent=False) + [f"{deed.thing} {'were' if deed.plural else 'was'} left alone, not"
                                                          f" {deed.participle}"]  # fmt: skip
    else:
        loose += denied_deed(a, deed, rng, agent=False)[3:]
    more += [f"it is not true that {denied[0]}"] * (2 if agent else 0)
    other: list[str] = []
    if deed.opposite:
        for _ in range(3):
            other += deed_forms(a, deed, rng, way=rng.choice(deed.opposite))[:6]
        if not agent:
            other = [deed_forms(a, deed, rng, way=rng.choice(deed.opposite), agent=False)[0] for _ in range(4)]
    unsure = _unsure(a, deed, rng)
    statement, yes, no = (said, more, loose + other) if rng.random() < 0.5 else (denied, loose + other, more * 2)
    return contrast("negation", statement, yes, (no, CONTRADICTED), (unsure, NEITHER), names=(a,))


def _unsure(a: str, deed: lx.Deed, rng: random.Random) -> list[str]:
    base, past, _ = rng.choice([(deed.base, deed.past, deed.participle), *deed.same])
    thing = deed.thing
    other = rng.choice(lx.ORGS)
    found = [
        f"{a} plans to {base} {thing}", f"{a} may {base} {thing}", f"{a} hopes to {base} {thing}",
        f"{a} is expected to {base} {thing}", f"{a} promised to {base} {thing}", f"{a} might {base} {thing} next year",
        f"{a} could {base} {thing}", f"{other} asked {a} to {base} {thing}", f"{other} urged {a} to {base} {thing}",
        f"{a} should {base} {thing}, {other} said", f"it is unclear whether {a} {past} {thing}",
        f"{a} has not yet decided whether to {base} {thing}", f"{a} was allowed to {base} {thing}",
        f"some believe that {a} {past} {thing}", f"there are rumours that {a} {past} {thing}",
        f"{a} would {base} {thing} if {other} agreed",
    ]  # fmt: skip
    return rng.sample(found, 5)


def modality(rng: random.Random) -> MadeItem:
    """Planned, possible, obligatory, or done."""
    (p,) = people(rng, 1, bodies=0.6)
    a = p.name
    deed = rng.choice(lx.DEEDS)
    base, past, participle = rng.choice([(deed.base, deed.past, deed.participle), *deed.same])
    thing = deed.thing
    way = rng.randrange(4)
    done = deed_forms(a, deed, rng)
    if way == 0:  # a plan
        same = [f"{a} plans to {base} {thing}", f"{a} intends to {base} {thing}", f"{a} has plans to {base} {thing}",
                f"{a} is planning to {base} {thing}"]  # fmt: skip
        no = [f"{a} has no plans to {base} {thing}", f"{a} does not intend to {base} {thing}",
              f"{a} has dropped the plan to {base} {thing}"]  # fmt: skip
        return contrast("modality", same, same, (no, CONTRADICTED), names=(a,))
    if way == 1:  # a possibility
        same = [f"{a} may have {participle} {thing}", f"it is possible that {a} {past} {thing}", f"{a} might have {participle} {thing}",
                f"perhaps {a} {past} {thing}"]  # fmt: skip
        sure = [f"{a} cannot have {participle} {thing}", f"it is certain that {a} did not {base} {thing}"]
        no = sure * 2 + denied_deed(a, deed, rng)[:3]
        return contrast("modality", same, same + done[:3], (no, CONTRADICTED), names=(a,))
    if way == 2:  # a duty
        same = [f"{a} must {base} {thing}", f"{a} has to {base} {thing}", f"{a} is required to {base} {thing}",
                f"{a} is obliged to {base} {thing}"]  # fmt: skip
        no = [
            f"{a} need not {base} {thing}",
            f"{a} is not required to {base} {thing}",
            f"{a} does not have to {base} {thing}",
        ]
        may = [f"{a} may {base} {thing}", f"{a} is allowed to {base} {thing}", f"{a} is free to {base} {thing}",
               f"{a} wants to {base} {thing}"]  # fmt: skip
        return contrast("modality", same, same, (no, CONTRADICTED), (may, NEITHER), names=(a,))
    statement = deed_forms(a, deed, rng) + [f"{a} was able to {base} {thing}"]
    return contrast("modality", statement, deed_forms(a, deed, rng), (_unsure(a, deed, rng), NEITHER), names=(a,))


def attribution(rng: random.Random) -> MadeItem:
    """Who said it, and whether it is true."""
    a, b = (p.name for p in people(rng, 2))
    said, denied = rng.choice(lx.STATEMENTS)
    if rng.random() < 0.5:
        said, denied = denied, said
    verb = rng.choice(lx.OPINIONS)
    if rng.random() < 0.5:  # whether it is true
        yes = [f"{x} {v} that {said}" for x in (a, b) for v in ("confirmed", "proved", "realised", "discovered", "showed",
                                                                "was right that", "knew")]  # fmt: skip
        yes = [y.replace("was right that that", "was right that") for y in yes] + [said, f"it turned out that {said}",
               f"it is a fact that {said}", f"as {a} found out, {said}"]  # fmt: skip
        unsure: list[tuple[str, Label]] = [(f"{a} {verb} that {said}", NEITHER), (f"according to {a}, {said}", NEITHER), (f"{a} suspected that {said}", NEITHER),
              (f"{a} denied that {said}", NEITHER), (f"{a} doubted that {said}", NEITHER), (f"{a} hoped that {said}", NEITHER),
              (f"{a} wrongly believed that {said}", CONTRADICTED), (f"{a} pretended that {said}", NOT_ENTAILED),
              (f"it turned out that {denied}", CONTRADICTED), (f"{a} confirmed that {denied}", CONTRADICTED), (f"{a} asked whether {said}", NEITHER),
              (f"in {a}'s view, {said}, but {b} saw it otherwise", NEITHER)]  # fmt: skip
        statement = [said, f"it is true that {said}"]
        return contrast("attribution", statement, yes, *(([t], label) for t, label in unsure), names=(a, b))
    statement = [f"{a} {verb} that {said}", f"according to {a}, {said}", f"{a} {rng.choice(lx.OPINIONS)} that {said}",
                 f"in {a}'s words, {said}", f"{a} was of the opinion that {said}"]  # fmt: skip
    yes = [f"{a} {v} that {said}" for v in rng.sample(lx.OPINIONS, 3)] + [f"according to {a}, {said}",
           f"“{said[:1].upper() + said[1:]},” said {a}", f"while {b} thought that {denied}, {a} said that {said}",
           f"{a} agreed with {b} that {said}"]  # fmt: skip
    no: list[tuple[str, Label]] = [
        (f"{b} {verb} that {said}", NEITHER), (f"according to {b}, {said}", NEITHER), (f"“{said[:1].upper() + said[1:]},” said {b}", NEITHER),
        (f"while {a} thought that {denied}, {b} said that {said}", CONTRADICTED), (f"{a} denied that {said}", CONTRADICTED),
        (f"{a} said that {denied}", CONTRADICTED), (f"{b} told {a} that {said}", NEITHER), (f"{a} asked {b} whether {said}", NEITHER),
        (f"according to {a}, {denied}", CONTRADICTED), (f"{a} disputed {b}'s claim that {said}", CONTRADICTED),
    ]  # fmt: skip
    if rng.random() < 0.4:
        statement = [
            f"{a} denied that {said}",
            f"{a} rejected the claim that {said}",
            f"{a} said it was not true that {said}",
        ]
        yes = [f"{a} denied that {said}", f"{a} said that {denied}", f"{a} disputed {b}'s claim that {said}",
               f"when {b} said that {said}, {a} contradicted"]  # fmt: skip
        no = [(f"{a} said that {said}", CONTRADICTED), (f"{b} denied that {said}", NEITHER), (f"{a} confirmed that {said}", CONTRADICTED),
              (f"{b} said that {denied}", NEITHER), (f"{b} disputed {a}'s claim that {said}", CONTRADICTED)]  # fmt: skip
    return contrast("attribution", statement, yes, *(([t], label) for t, label in no), names=(a, b))


def amounts(rng: random.Random) -> MadeItem:
    """Counts, bounds on counts, differences and sums."""
    (p,) = people(rng, 1, bodies=0.8)
    a = p.name
    past, base, things = rng.choice(lx.QUANTITIES)
    n = rng.choice([rng.randint(3, 19), rng.randint(20, 99), rng.randint(2, 99) * 10, rng.randint(2, 90) * 100])
    step = max(1, n // rng.choice((3, 5, 8)))
    low, high = n - step, n + step

    def said(x: int) -> list[str]:
        return [
            f"{a} {past} {number(x, rng)} {things}",
            f"the number of {things} that {a} {past} was {number(x, rng)}",
            f"{number(x, rng)} {things} were {past} by {a}",
            f"{a} {past} exactly {number(x, rng)} {things}",
        ]

    def more(x: int) -> list[str]:
        return [
            f"{a} {past} more than {number(x, rng)} {things}",
            f"{a} {past} over {number(x, rng)} {things}",
            f"more than {number(x, rng)} {things} were {past} by {a}",
            f"{a} {past} at least {number(x + 1, rng)} {things}",
        ]

    def fewer(x: int) -> list[str]:
        return [
            f"{a} {past} fewer than {number(x, rng)} {things}",
            f"{a} {past} less than {number(x, rng)} {things}",
            f"{a} {past} at most {number(x - 1, rng)} {things}",
            f"no more than {number(x - 1, rng)} {things} were {past} by {a}",
        ]

    way = rng.randrange(6)
    if way == 0:
        statement, yes = said(n), said(n)
        other = said(rng.choice((low, high, n + 1, n * 2)))
        loose = more(low)[:1] + fewer(high)[:1]
        no = (other, CONTRADICTED), (loose, NEITHER), (more(high)[:2] + fewer(low)[:2], CONTRADICTED)
        return contrast("numbers", statement, yes, *no, names=(a,))
    if way == 1:
        statement, yes = more(low), said(n) * 2 + more(n)
        below = said(low) + fewer(low) + said(max(1, low - 1))
        return contrast("numbers", statement, yes, (below, CONTRADICTED), (fewer(high), NEITHER), names=(a,))
    if way == 2:
        statement, yes = fewer(high), said(n) * 2 + fewer(n)
        above = said(high) + more(high) + said(high + 2)
        return contrast("numbers", statement, yes, (above, CONTRADICTED), (more(low), NEITHER), names=(a,))
    if way == 3:
        statement, yes = [f"{a} {past} between {low} and {high} {things}"], said(n)
        outside = said(high + step) + said(max(0, low - step))
        return contrast("numbers", statement, yes, (outside, CONTRADICTED), names=(a,))
    b = rng.choice([o for o in lx.ORGS if o != a])
    m = rng.choice((low, high))
    first, second = (a, b) if n > m else (b, a)
    d = abs(n - m)
    if way == 4:
        statement = [f"{first} {past} more {things} than {second}", f"{second} {past} fewer {things} than {first}",
                     f"{first} {past} {number(d, rng)} more {things} than {second}",
                     f"{second} did not {base} as many {things} as {first}"]  # fmt: skip
        told = [[f"{a} {past} {number(n, rng)} {things}, {b} {number(m, rng)}"], [f"{a} {past} {number(n, rng)} {things}",
               f"{b} {past} {number(m, rng)} {things}"], [f"{b} {past} {number(m, rng)} {things} while {a} {past} {number(n, rng)}"]]  # fmt: skip
        turned = [[f"{a} {past} {number(m, rng)} {things}, {b} {number(n, rng)}"], [f"{a} {past} {number(m, rng)} {things}",
              f"{b} {past} {number(n, rng)} {things}"], [f"{b} {past} {number(n, rng)} {things} while {a} {past} {number(m, rng)}"]]  # fmt: skip
        return contrast("numbers", statement, told, (turned, CONTRADICTED), names=(a, b))
    total = [
        f"together, {a} and {b} {past} {number(n + m, rng)} {things}",
        f"{a} and {b} {past} {number(n + m, rng)} {things} in all",
    ]
    k = m + rng.choice((-1, 1)) * max(1, step // 2)

    def parts(y: int) -> list[list[str]]:
        return [
            [f"{a} {past} {number(n, rng)} {things}", f"{b} {past} {number(y, rng)} {things}"],
            [f"{a} {past} {number(n, rng)} {things} and {b} {number(y, rng)}"],
        ]

    return contrast("numbers", total, parts(m), (parts(k), CONTRADICTED), names=(a, b))


def measures(rng: random.Random) -> MadeItem:
    """Units, shares, and changes over time."""
    (p,) = people(rng, 1, bodies=0.6)
    a = p.name
    way = rng.randrange(4)
    if way == 0:
        big, small, times = rng.choice(lx.UNITS)
        k = int(times)
        n = rng.randint(2, 12)
        what = rng.choice(("the delivery", "the first load", "the shipment", "the sample")) if big in ("tonnes", "litres", "dozen") else \
            rng.choice(("the path", "the tunnel", "the cable")) if big in ("kilometres", "metres") else \
            rng.choice(("the journey", "the trial", "the repair", "the course"))  # fmt: skip
        verb = {"the path": "measures", "the tunnel": "measures", "the cable": "measures"}.get(
            what, "comes to" if big in ("tonnes", "litres", "dozen") else "takes")  # fmt: skip
        said = [f"{what} {verb} {number(n, rng)} {big}", f"{what} {verb} {number(n * k, rng)} {small}"]
        other = rng.choice([n + 1, n * 2, n + 3])
        no = [f"{what} {verb} {number(other, rng)} {big}", f"{what} {verb} {number(other * k, rng)} {small}",
              f"{what} {verb} {number(n * k, rng)} {big}", f"{what} {verb} {number(n, rng)} {small}"]  # fmt: skip
        return contrast("units", said, said, (no, CONTRADICTED), names=(a,))
    one, many, did = rng.choice(lx.GROUPS)
    if way == 1:
        total = rng.choice((10, 12, 20, 40, 50, 60, 100, 200))
        part = rng.choice([x for x in range(1, total) if x * 2 != total])
        majority = part * 2 > total
        statement = [f"most of the {many} {did}", f"more than half of the {many} {did}", f"a majority of the {many} {did}"] if majority \
            else [f"less than half of the {many} {did}", f"only a minority of the {many} {did}", f"most of the {many} did not do so: only a minority {did}"]  # fmt: skip
        other = total - part
        yes = [f"{number(part, rng)} of the {number(total, rng)} {many} {did}", f"of {total} {many}, {part} {did}"]
        no = [f"{number(other, rng)} of the {number(total, rng)} {many} {did}", f"of {total} {many}, {other} {did}"]
        return contrast("numbers", statement, yes, (no, CONTRADICTED))
    if way == 2:
        word, share = rng.choice(
            (
                ("half", 50),
                ("a quarter", 25),
                ("three quarters", 75),
                ("a fifth", 20),
                ("a tenth", 10),
                ("two thirds", 67),
                ("a third", 33),
            )
        )
        wrong, other = rng.choice(
            [
                x
                for x in (("half", 50), ("a quarter", 25), ("three quarters", 75), ("a fifth", 20), ("a tenth", 10))
                if x[1] != share
            ]
        )
        said = [f"{word} of the {many} {did}"] + (
            [f"{share} percent of the {many} {did}", f"{share} % of the {many} {did}"]
            if share not in (67, 33)
            else [f"about {share} percent of the {many} {did}"]
        )
        no = [f"{wrong} of the {many} {did}", f"{other} percent of the {many} {did}", f"{other} % of the {many} {did}"]
        return contrast("numbers", said, said, (no, CONTRADICTED))
    start = rng.randint(2, 40) * 10
    change = rng.choice((2, 3))
    thing = rng.choice(
        ("the price", "the rent", "the number of staff", "output", "membership", "the budget", "attendance")
    )
    up = rng.random() < 0.5
    x, y = (start, start * change) if up else (start * change, start)
    words = {(True, 2): ["doubled", "rose twofold", "went up"], (True, 3): ["tripled", "rose threefold", "went up"],
            (False, 2): ["halved", "fell by half", "went down"], (False, 3): ["fell by two thirds", "went down", "dropped"]}[up, change]  # fmt: skip
    y0, y1 = rng.randint(2005, 2014), rng.randint(2015, 2023)
    statement = [f"{thing} {w} between {y0} and {y1}" for w in words] + [
        f"{thing} was {'higher' if up else 'lower'} in {y1} than in {y0}"
    ]
    yes = [
        f"{thing} {'rose' if up else 'fell'} from {x} in {y0} to {y} in {y1}",
        f"in {y0} {thing} stood at {x}; in {y1} it was {y}",
    ]
    no = [
        f"{thing} {'fell' if up else 'rose'} from {y} in {y0} to {x} in {y1}",
        f"in {y0} {thing} stood at {y}; in {y1} it was {x}",
    ]
    return contrast("numbers", statement, yes, (no, CONTRADICTED))


def order(rng: random.Random) -> MadeItem:
    """Which of two events came first."""
    e, f = rng.sample(lx.EVENTS, 2)
    statement = [f"{e} came before {f}", f"{f} came after {e}", f"{e} happened earlier than {f}", f"{f} took place later than {e}",
                 f"when {f} began, {e} was already over"]  # fmt: skip
    i, j = sorted(rng.sample(range(12), 2))
    y = rng.randint(1950, 2023)
    k = rng.randint(1, 9)

    def told(first: str, second: str) -> list[list[str]]:
        return [
            [f"{first} was in {lx.MONTHS[i]}, {second} in {lx.MONTHS[j]}"],
            [f"{second} took place in {lx.MONTHS[j]}", f"{first} took place in {lx.MONTHS[i]} of the same year"],
            [f"{first} took place in {y}", f"{second} took place in {y + k}"],
            [f"{second} dates from {y + k}, {first} from {y}"],
            [f"{second} took place {number(k + 1, rng)} days after {first}"],
            [f"{first} was followed by {second}"], [f"{second} followed {first}"], [f"first came {first}, then {second}"],
            [f"before {second} there was {first}"], [f"after {first} there was {second}"],
            [f"{second} did not begin until {first} was over"], [f"by the time of {second}, {first} had long ended"],
            [f"it was only after {first} that {second} took place"], [f"{first} preceded {second}"],
        ]  # fmt: skip

    statement += [f"{e} preceded {f}", f"{f} followed {e}"]
    return contrast("order", statement, told(e, f), (told(f, e), CONTRADICTED))


def dates(rng: random.Random) -> MadeItem:
    """The date of a deed."""
    (p,) = people(rng, 1, bodies=0.6)
    deed = rng.choice(lx.DEEDS)
    a, year, month, day = p.name, rng.randint(1960, 2024), rng.choice(lx.MONTHS), rng.randint(1, 28)
    past = deed.past
    thing = deed.thing
    was = "were" if deed.plural else "was"
    o_year, o_month = (
        year + rng.choice((-10, -3, -2, -1, 1, 2, 3, 10)),
        rng.choice([m for m in lx.MONTHS if m != month]),
    )

    def said(y: int, m: str) -> list[str]:
        return [
            f"on {day} {m} {y}, {a} {past} {thing}",
            f"{a} {past} {thing} on {m} {day}, {y}",
            f"{thing} {was} {deed.participle} by {a} on {day} {m} {y}",
        ]

    way = rng.randrange(3)
    if way == 0:
        statement = [f"{a} {past} {thing} in {year}", f"in {year}, {thing} {was} {deed.participle} by {a}"]
        yes, no = said(year, month), said(o_year, month)
    elif way == 1:
        statement = [f"{a} {past} {thing} in {month}", f"it was in {month} that {thing} {was} {deed.participle} by {a}"]
        yes, no = said(year, month), said(year, o_month)
    else:
        later = max(year, o_year)
        statement = [
            f"{a} {past} {thing} before {later}",
            f"{thing} {was} {deed.participle} by {a} earlier than {later}",
        ]
        yes, no = said(min(year, o_year), month), said(later + rng.randint(0, 4), month)
    return contrast("dates", statement, yes, (no, CONTRADICTED), names=(a,))

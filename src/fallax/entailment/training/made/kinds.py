"""Contrasts by phenomenon: each function draws one statement with passages that entail it and passages that do not."""

from __future__ import annotations

import random
from collections.abc import Callable

from fallax.entailment.training.made import lexicon as lx
from fallax.entailment.training.made.grammar import (
    Item,
    deed_forms,
    denied_deed,
    denied_person,
    no_label,
    number,
    people,
    person_forms,
)
from fallax.entailment.training.pairs import Label

__all__ = ["KINDS"]

_Draw = Callable[[random.Random], Item]
_N: Label = "neither"
_C: Label = "contradicted"
_X: Label = "not_entailed"


def _one(texts: list[str]) -> list[list[str]]:
    return [[t] for t in texts]


def _with(texts: list[str], label: Label) -> list[tuple[list[str], Label]]:
    return [([t], label) for t in texts]


def roles(rng: random.Random) -> Item:
    """Who did it to whom."""
    a, b, c = (p.name for p in people(rng, 3))
    verb = rng.choice(lx.PERSON_VERBS)
    turned = person_forms(b, a, verb, rng)
    no = _with(turned * 2, no_label(verb.one_way)) + _with(person_forms(c, b, verb, rng)[:4], _X)
    no += _with(person_forms(a, c, verb, rng)[:4], _X)
    yes = _one(person_forms(a, b, verb, rng))
    if verb.one_way or rng.random() < 0.5:
        other = rng.choice(lx.PERSON_VERBS)
        extra = rng.choice(person_forms(b, a, other, rng) if other.base != verb.base else [f"{b} met {a}"])
        yes = [y + [extra] if rng.random() < 0.5 else y for y in yes]
    return Item("roles", person_forms(a, b, verb, rng), yes, no, (a, b, c))


def converses(rng: random.Random) -> Item:
    """Sold to, bought from."""
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
    return Item("roles", statement, _one(statement), _with(turned * 2, _C) + _with(denied, _C), (a, b))


def person_negation(rng: random.Random) -> Item:
    """Done to somebody or not."""
    a, b = (p.name for p in people(rng, 2))
    verb = rng.choice(lx.PERSON_VERBS)
    said, denied = person_forms(a, b, verb, rng), denied_person(a, b, verb, rng)
    loose = denied_person(a, b, verb, rng, strict=False)
    more = person_forms(a, b, verb, rng)
    more += [f"it is not the case that {denied[0]}", f"nobody denies that {more[0]}"]
    hoped = [f"{a} wanted to {verb.base} {b} {verb.tail}", f"{a} may have {verb.participle} {b} {verb.tail}",
             f"it is not known whether {a} {verb.past} {b} {verb.tail}"]  # fmt: skip
    if rng.random() < 0.5:
        return Item("negation", said, _one(more), _with(loose * 2, _C) + _with(hoped * 2, _N), (a, b))
    return Item("negation", denied, _one(loose), _with(more * 2, _C) + _with(hoped * 2, _N), (a, b))


def deed_negation(rng: random.Random) -> Item:
    """Something done or not, by its word, a synonym, or the opposite."""
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
    if rng.random() < 0.5:
        return Item("negation", said, _one(more), _with(loose + other, _C) + _with(unsure, _N), (a,))
    against = [o for o in other]
    return Item("negation", denied, _one(loose + against), _with(more * 2, _C) + _with(unsure, _N), (a,))


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


def modality(rng: random.Random) -> Item:
    """Planned, possible, obligatory, done."""
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
        return Item("modality", same, _one(same), _with(no, _C), (a,))
    if way == 1:  # perhaps
        same = [f"{a} may have {participle} {thing}", f"it is possible that {a} {past} {thing}", f"{a} might have {participle} {thing}",
                f"perhaps {a} {past} {thing}"]  # fmt: skip
        sure = [f"{a} cannot have {participle} {thing}", f"it is certain that {a} did not {base} {thing}"]
        return Item("modality", same, _one(same + done[:3]), _with(sure * 2 + denied_deed(a, deed, rng)[:3], _C), (a,))
    if way == 2:  # must
        same = [f"{a} must {base} {thing}", f"{a} has to {base} {thing}", f"{a} is required to {base} {thing}",
                f"{a} is obliged to {base} {thing}"]  # fmt: skip
        no = [
            f"{a} need not {base} {thing}",
            f"{a} is not required to {base} {thing}",
            f"{a} does not have to {base} {thing}",
        ]
        may = [f"{a} may {base} {thing}", f"{a} is allowed to {base} {thing}", f"{a} is free to {base} {thing}",
               f"{a} wants to {base} {thing}"]  # fmt: skip
        return Item("modality", same, _one(same), _with(no, _C) + _with(may, _N), (a,))
    statement = deed_forms(a, deed, rng) + [f"{a} was able to {base} {thing}"]
    return Item("modality", statement, _one(deed_forms(a, deed, rng)), _with(_unsure(a, deed, rng), _N), (a,))


def attribution(rng: random.Random) -> Item:
    """Who said it, and whether it holds."""
    a, b = (p.name for p in people(rng, 2))
    said, denied = rng.choice(lx.STATEMENTS)
    if rng.random() < 0.5:
        said, denied = denied, said
    verb = rng.choice(lx.OPINIONS)
    if rng.random() < 0.5:  # does it hold
        yes = [f"{x} {v} that {said}" for x in (a, b) for v in ("confirmed", "proved", "realised", "discovered", "showed",
                                                                "was right that", "knew")]  # fmt: skip
        yes = [y.replace("was right that that", "was right that") for y in yes] + [said, f"it turned out that {said}",
               f"it is a fact that {said}", f"as {a} found out, {said}"]  # fmt: skip
        no = [(f"{a} {verb} that {said}", _N), (f"according to {a}, {said}", _N), (f"{a} suspected that {said}", _N),
              (f"{a} denied that {said}", _N), (f"{a} doubted that {said}", _N), (f"{a} hoped that {said}", _N),
              (f"{a} wrongly believed that {said}", _C), (f"{a} pretended that {said}", _X),
              (f"it turned out that {denied}", _C), (f"{a} confirmed that {denied}", _C), (f"{a} asked whether {said}", _N),
              (f"in {a}'s view, {said}, but {b} saw it otherwise", _N)]  # fmt: skip
        return Item(
            "attribution", [said, f"it is true that {said}"], _one(yes), [([t], label) for t, label in no], (a, b)
        )
    statement = [f"{a} {verb} that {said}", f"according to {a}, {said}", f"{a} {rng.choice(lx.OPINIONS)} that {said}",
                 f"in {a}'s words, {said}", f"{a} was of the opinion that {said}"]  # fmt: skip
    yes = [f"{a} {v} that {said}" for v in rng.sample(lx.OPINIONS, 3)] + [f"according to {a}, {said}",
           f"“{said[:1].upper() + said[1:]},” said {a}", f"while {b} thought that {denied}, {a} said that {said}",
           f"{a} agreed with {b} that {said}"]  # fmt: skip
    no: list[tuple[str, Label]] = [
        (f"{b} {verb} that {said}", _N), (f"according to {b}, {said}", _N), (f"“{said[:1].upper() + said[1:]},” said {b}", _N),
        (f"while {a} thought that {denied}, {b} said that {said}", _C), (f"{a} denied that {said}", _C),
        (f"{a} said that {denied}", _C), (f"{b} told {a} that {said}", _N), (f"{a} asked {b} whether {said}", _N),
        (f"according to {a}, {denied}", _C), (f"{a} disputed {b}'s claim that {said}", _C),
    ]  # fmt: skip
    if rng.random() < 0.4:
        statement = [
            f"{a} denied that {said}",
            f"{a} rejected the claim that {said}",
            f"{a} said it was not true that {said}",
        ]
        yes = [f"{a} denied that {said}", f"{a} said that {denied}", f"{a} disputed {b}'s claim that {said}",
               f"when {b} said that {said}, {a} contradicted"]  # fmt: skip
        no = [(f"{a} said that {said}", _C), (f"{b} denied that {said}", _N), (f"{a} confirmed that {said}", _C),
              (f"{b} said that {denied}", _N), (f"{b} disputed {a}'s claim that {said}", _C)]  # fmt: skip
    return Item("attribution", statement, _one(yes), [([t], label) for t, label in no], (a, b))


def amounts(rng: random.Random) -> Item:
    """A number against another, or a bound."""
    (p,) = people(rng, 1, bodies=0.8)
    a = p.name
    past, base, things = rng.choice(lx.QUANTITIES)
    n = rng.choice([rng.randint(3, 19), rng.randint(20, 99), rng.randint(2, 99) * 10, rng.randint(2, 90) * 100])
    step = max(1, n // rng.choice((3, 5, 8)))
    low, high = n - step, n + step
    said: Callable[[int], list[str]] = lambda x: [
        f"{a} {past} {number(x, rng)} {things}",
        f"the number of {things} that {a} {past} was {number(x, rng)}",
        f"{number(x, rng)} {things} were {_were(past)} by {a}",
        f"{a} {past} exactly {number(x, rng)} {things}",
    ]
    more: Callable[[int], list[str]] = lambda x: [
        f"{a} {past} more than {number(x, rng)} {things}",
        f"{a} {past} over {number(x, rng)} {things}",
        f"more than {number(x, rng)} {things} were {_were(past)} by {a}",
        f"{a} {past} at least {number(x + 1, rng)} {things}",
    ]
    fewer: Callable[[int], list[str]] = lambda x: [
        f"{a} {past} fewer than {number(x, rng)} {things}",
        f"{a} {past} less than {number(x, rng)} {things}",
        f"{a} {past} at most {number(x - 1, rng)} {things}",
        f"no more than {number(x - 1, rng)} {things} were {_were(past)} by {a}",
    ]
    way = rng.randrange(6)
    if way == 0:
        return Item("numbers", said(n), _one(said(n)), _with(said(rng.choice((low, high, n + 1, n * 2))), _C)
                    + _with(more(low)[:1] + fewer(high)[:1], _N) + _with(more(high)[:2] + fewer(low + 0)[:2], _C), (a,))  # fmt: skip
    if way == 1:
        return Item("numbers", more(low), _one(said(n) * 2 + more(n)), _with(said(low) + fewer(low) + said(max(1, low - 1)), _C)
                    + _with(fewer(high), _N), (a,))  # fmt: skip
    if way == 2:
        return Item("numbers", fewer(high), _one(said(n) * 2 + fewer(n)), _with(said(high) + more(high) + said(high + 2), _C)
                    + _with(more(low), _N), (a,))  # fmt: skip
    if way == 3:
        return Item("numbers", [f"{a} {past} between {low} and {high} {things}"], _one(said(n)),
                    _with(said(high + step) + said(max(0, low - step)), _C), (a,))  # fmt: skip
    b = rng.choice([o for o in lx.ORGS if o != a])
    m = rng.choice((low, high))
    first, second = (a, b) if n > m else (b, a)
    d = abs(n - m)
    if way == 4:
        statement = [f"{first} {past} more {things} than {second}", f"{second} {past} fewer {things} than {first}",
                     f"{first} {past} {number(d, rng)} more {things} than {second}",
                     f"{second} did not {base} as many {things} as {first}"]  # fmt: skip
        yes = [[f"{a} {past} {number(n, rng)} {things}, {b} {number(m, rng)}"], [f"{a} {past} {number(n, rng)} {things}",
               f"{b} {past} {number(m, rng)} {things}"], [f"{b} {past} {number(m, rng)} {things} while {a} {past} {number(n, rng)}"]]  # fmt: skip
        no = [[f"{a} {past} {number(m, rng)} {things}, {b} {number(n, rng)}"], [f"{a} {past} {number(m, rng)} {things}",
              f"{b} {past} {number(n, rng)} {things}"], [f"{b} {past} {number(n, rng)} {things} while {a} {past} {number(m, rng)}"]]  # fmt: skip
        return Item("numbers", statement, yes, [(x, _C) for x in no], (a, b))
    total = [
        f"together, {a} and {b} {past} {number(n + m, rng)} {things}",
        f"{a} and {b} {past} {number(n + m, rng)} {things} in all",
    ]
    k = m + rng.choice((-1, 1)) * max(1, step // 2)
    yes = [
        [f"{a} {past} {number(n, rng)} {things}", f"{b} {past} {number(m, rng)} {things}"],
        [f"{a} {past} {number(n, rng)} {things} and {b} {number(m, rng)}"],
    ]
    no = [
        [f"{a} {past} {number(n, rng)} {things}", f"{b} {past} {number(k, rng)} {things}"],
        [f"{a} {past} {number(n, rng)} {things} and {b} {number(k, rng)}"],
    ]
    return Item("numbers", total, yes, [(x, _C) for x in no], (a, b))


def _were(past: str) -> str:
    return {"sent": "sent", "rented out": "rented out"}.get(past, past)


def measures(rng: random.Random) -> Item:
    """Units, shares, changes."""
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
        return Item("units", said, _one(said), _with(no, _C), (a,))
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
        return Item("numbers", statement, _one(yes), _with(no, _C), ())
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
        return Item("numbers", said, _one(said), _with(no, _C), ())
    start = rng.randint(2, 40) * 10
    change = rng.choice((2, 3))
    thing = rng.choice(
        ("the price", "the rent", "the number of staff", "output", "membership", "the budget", "attendance")
    )
    up = rng.random() < 0.5
    x, y = (start, start * change) if up else (start * change, start)
    word = {(True, 2): ["doubled", "rose twofold", "went up"], (True, 3): ["tripled", "rose threefold", "went up"],
            (False, 2): ["halved", "fell by half", "went down"], (False, 3): ["fell by two thirds", "went down", "dropped"]}[up, change]  # fmt: skip
    y0, y1 = rng.randint(2005, 2014), rng.randint(2015, 2023)
    statement = [f"{thing} {w} between {y0} and {y1}" for w in word] + [
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
    return Item("numbers", statement, _one(yes), _with(no, _C), ())


def order(rng: random.Random) -> Item:
    """Before, after, during; dates."""
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
    return Item("order", statement, told(e, f), [(x, _C) for x in told(f, e)])


def dates(rng: random.Random) -> Item:
    """When it was."""
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
    said: Callable[[int, str, int], list[str]] = lambda y, m, d: [
        f"on {d} {m} {y}, {a} {past} {thing}",
        f"{a} {past} {thing} on {m} {d}, {y}",
        f"{thing} {was} {deed.participle} by {a} on {d} {m} {y}",
    ]
    way = rng.randrange(3)
    if way == 0:
        statement = [f"{a} {past} {thing} in {year}", f"in {year}, {thing} {was} {deed.participle} by {a}"]
        return Item("dates", statement, _one(said(year, month, day)), _with(said(o_year, month, day), _C), (a,))
    if way == 1:
        statement = [f"{a} {past} {thing} in {month}", f"it was in {month} that {thing} {was} {deed.participle} by {a}"]
        return Item("dates", statement, _one(said(year, month, day)), _with(said(year, o_month, day), _C), (a,))
    later = max(year, o_year)
    statement = [f"{a} {past} {thing} before {later}", f"{thing} {was} {deed.participle} by {a} earlier than {later}"]
    yes, no = said(min(year, o_year), month, day), said(later + rng.randint(0, 4), month, day)
    return Item("dates", statement, _one(yes), _with(no, _C), (a,))


def quantifiers(rng: random.Random) -> Item:
    """All, most, some, none."""
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
        (every, every, [(most, _C), (some, _N), (none, _C), (not_all, _C), (few, _C)]),
        (most, most[:3] + [f"nine of the ten {many} {did}"], [(few, _C), (none, _C), (some, _N), (not_all, _N)]),
        (some, every + most + some + few[2:] + [f"{n} {many} {did}"], [(none, _C), (none, _C)]),
        (none, none, [(some, _C), (every, _C), (few, _C), (most, _C), (not_all, _X)]),
        (not_all, not_all + none + few, [(every, _C), (every, _C), (some[:3], _N)]),
    ]
    statement, yes, no = rng.choice(table)
    return Item("quantifiers", statement, _one(yes), [([t], label) for texts, label in no for t in texts])


def monotone(rng: random.Random) -> Item:
    """Narrower and wider terms, up and down."""
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
    frame = rng.choice(up if is_up else down)
    small, large = (narrow, wide) if is_up else (wide, narrow)
    if rng.random() < 0.4:  # a term is made narrower by what stands with it
        extra = rng.choice((" in the rain", " on Sunday", " with a friend", " from a neighbour", " at the market"))
        small, large = (narrow + extra, narrow) if is_up else (narrow, narrow + extra)
    state = rng.getstate()
    first = frame(small)
    rng.setstate(state)
    second = frame(large)
    # first entails second, second does not entail first
    if rng.random() < 0.5:
        return Item("monotonicity", [second], [[first]], [([_other(frame, narrow, rng)], _N)], (a,))
    rng.setstate(state)
    surer = frame(f"{small} with a price tag") if is_up else frame("anything at all")
    return Item("monotonicity", [first], [[first], [surer]], [([second], _N)], (a,))


def _other(frame: Callable[[str], str], narrow: str, rng: random.Random) -> str:
    return frame(rng.choice([h[0] for h in lx.HYPERNYMS if h[0].split()[-1] != narrow.split()[-1]]))


def comparisons(rng: random.Random) -> Item:
    """More and less, most and least, as much."""
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
        return Item("comparisons", said, _one(said), _with(turned * 2 + same, _C), (a, b))
    if way == 1:
        statement = [f"{a} is the {most} of the three", f"no other of the three is as {plain} as {a}"]
        yes = [[f"{a} is {more} than {b}", f"{b} is {more} than {c}"], [f"{b} and {c} are both {less} than {a}", "there are only these three"],
               [f"of {a}, {b} and {c}, {a} is the {most}"]]  # fmt: skip
        no = [[f"{b} is {more} than {a}", f"{a} is {more} than {c}"], [f"{a} and {c} are both {less} than {b}", "there are only these three"],
              [f"of {a}, {b} and {c}, {a} is the {least}"]]  # fmt: skip
        return Item("comparisons", statement, yes, [(x, _C) for x in no], (a, b, c))
    yes = [
        [f"{a} is {more} than {b}", f"{b} is {more} than {c}"],
        [f"{c} is {less} than {b}, which is {less} than {a}"]
        if not a[0].isupper()
        else [f"{c} is {less} than {b}, and {b} is {less} than {a}"],
    ]
    no2: list[tuple[list[str], Label]] = [
        ([f"{b} is {more} than {a}", f"{c} is {more} than {b}"], _C),
        ([f"{a} is {more} than {b}", f"{c} is {more} than {b}"], _N),
    ]
    return Item("comparisons", [f"{a} is {more} than {c}", f"{c} is {less} than {a}"], yes, no2, (a, b, c))


def causes(rng: random.Random) -> Item:
    """Because of what; which way round."""
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
        yes = told(effect, effect_np, cause, cause_np)
        return Item("causes", [effect, cause, f"it is true that {effect}"], _one(yes), _with([f"it was feared that {effect_np} would follow", f"{effect_np} was prevented", f"{cause_np} was prevented, and so was {effect_np}"], _X))  # fmt: skip
    if way == 1:
        return Item(
            "causes", denied[4:] + denied[:1], _one(denied), _with(told(effect, effect_np, cause, cause_np), _C)
        )
    no = _with(turned, _C) + _with(away * 2, _X) + _with(unlinked * 2, _N) + _with(denied * 2, _C)
    return Item("causes", statement, _one(told(effect, effect_np, cause, cause_np)), no)


def conditions(rng: random.Random) -> Item:
    """If, unless, only if."""
    p, q = people(rng, 2, bodies=0.8)
    a, b = p.name, q.name
    d, f = rng.sample(lx.DEEDS, 2)
    statement = [f"if {b} {f.past} {f.thing}, {a} would {d.base} {d.thing}", f"{a} would {d.base} {d.thing} if {b} {f.past} {f.thing}",
                 f"{a} promised to {d.base} {d.thing} if {b} {f.past} {f.thing}", f"should {b} {f.base} {f.thing}, {a} would {d.base} {d.thing}"]  # fmt: skip
    way = rng.randrange(3)
    if way == 0:
        no = [(f"if {a} {d.past} {d.thing}, {b} would {f.base} {f.thing}", _N), (f"{b} would {f.base} {f.thing} if {a} {d.past} {d.thing}", _N),
              (f"if {b} {f.past} {f.thing}, {a} would not {d.base} {d.thing}", _C), (f"{a} would not {d.base} {d.thing} if {b} {f.past} {f.thing}", _C),
              (f"{a} would {d.base} {d.thing} unless {b} {f.past} {f.thing}", _X), (f"if {b} did not {f.base} {f.thing}, {a} would {d.base} {d.thing}", _X)]  # fmt: skip
        return Item("conditions", statement, _one(statement), [([t], x) for t, x in no], (a, b))
    done = deed_forms(a, d, rng)
    if way == 1:
        no2 = _with(statement + [f"unless {b} {f.past} {f.thing}, {a} would {d.base} {d.thing}"], _N)
        yes = [
            [f"when {b} {f.past} {f.thing}, {a} {d.past} {d.thing}"],
            [f"{statement[1]}", f"{b} did {f.base} {f.thing}, and {a} kept {p.possessive} word"],
            [f"as soon as {b} {f.past} {f.thing}, {a} {d.past} {d.thing}"],
        ]
        return Item("conditions", done, yes, no2, (a, b))
    only = [f"{a} would {d.base} {d.thing} only if {b} {f.past} {f.thing}", f"{a} would not {d.base} {d.thing} unless {b} {f.past} {f.thing}",
            f"without {b} agreeing to {f.base} {f.thing}, {a} would not {d.base} {d.thing}"]  # fmt: skip
    no3 = [f"{a} would {d.base} {d.thing} whether or not {b} {f.past} {f.thing}", f"{a} would {d.base} {d.thing} even if {b} did not {f.base} {f.thing}",
           f"{a} would {d.base} {d.thing} unless {b} {f.past} {f.thing}", f"{a} would {d.base} {d.thing} without conditions"]  # fmt: skip
    return Item("conditions", only[:2], _one(only), _with(no3, _C), (a, b))


def pronouns(rng: random.Random) -> Item:
    """She, he, it: who is meant."""
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
    yes = [
        [opening, f"{pronoun} later {way}"],
        [opening, f"a week later, {pronoun} {way}"],
        [opening, f"people remember that {pronoun} {way}"],
    ]
    no: list[tuple[list[str], Label]] = [
        ([opening, f"{opposite} later {way}"], _X),
        ([opening, f"a week later, {opposite} {way}"], _X),
        ([opening, f"people remember that {opposite} {way}"], _X),
    ]
    return Item("coreference", [f"{short} {way}", f"later, {short} {way}"], yes, no, (who, other))


def attributes(rng: random.Random) -> Item:
    """Which of two it is said of."""
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
    return Item("entities", statement, told(a, b), [(t, _C) for t in told(b, a)], (a, b))


def conjunctions(rng: random.Random) -> Item:
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
            [(only_b, _C), (neither, _C), (either, _N)],
        ),
        ([f"{b} did not {base}", f"{b} never {did}"], only_a + neither, [(both, _C), (only_b, _C), (either, _N)]),
        (both, both, [(only_a, _C), (only_b, _C), (neither, _C), (either, _N)]),
        (neither, neither, [(only_a, _C), (both, _C), (either, _C)]),
        (
            either[1:] + [f"at least one of {a} and {b} {did}"],
            both + only_a + only_b + either,
            [(neither, _C), (neither, _C)],
        ),
        (only_a, only_a, [(only_b, _C), (both, _C), (neither, _C)]),
    ]
    statement, yes, no = rng.choice(table)
    return Item("conjunctions", statement, _one(yes), [([t], label) for texts, label in no for t in texts], (a, b))


def aspect(rng: random.Random) -> Item:
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
        (still[:2], still, [(ended, _C), (never, _C), (not_yet, _C)]),
        (ended[:2] + [ended[4]], ended, [(still, _C)]),
        ([f"{a} once {past}", f"there was a time when {a} {past}"], ended, [(never, _C), (not_yet[:1], _N)]),
    ]
    statement, yes, no = rng.choice(table)
    return Item("aspect", statement, _one(yes), [([t], label) for texts, label in no for t in texts], (a,))


def details(rng: random.Random) -> Item:
    """Something added that nobody said, or left out."""
    (p,) = people(rng, 1, bodies=0.5)
    a = p.name
    deed = rng.choice(lx.DEEDS)
    extra, other = rng.sample(lx.MANNERS, 2)
    time, time2 = rng.sample(lx.TIMES, 2)
    if rng.random() < 0.25:
        statement = deed_forms(a, deed, rng)
        b = people(rng, 1, bodies=0.5)[0].name
        return Item("details", statement, _one([f"{t} {extra}" for t in deed_forms(a, deed, rng)]), _with([f"{t} {extra}" for t in deed_forms(b, deed, rng)], _X)
                    + _with([f"{a} talked about it {extra}, after {b} {deed.past} {deed.thing}"], _X), (a,))  # fmt: skip
    forms = deed_forms(a, deed, rng)[:6]
    statement = [f"{t} {extra}" for t in forms] + [f"{extra}, {t}" for t in forms[:2]]
    more = deed_forms(a, deed, rng)[:6]
    yes = [f"{t} {extra}" for t in more] + [f"{t} {time} {extra}" for t in more] + [f"{extra}, {t}" for t in more]
    no = [f"{t} {other}" for t in more] + more + [f"{t} {time2}" for t in more] + [f"{other}, {t}" for t in more]
    two = [([t, f"{rng.choice(lx.ORGS)} later said so {extra}"], _N) for t in more[:2]]
    return Item("details", statement, _one(yes), _with(no, _N) + two, (a,))


def synthesis(rng: random.Random) -> Item:
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
        no: list[tuple[list[str], Label]] = [([f"{a} works for {org}", f"{org2} is based in {x}"], _N), ([f"{b} works for {org}, {a} for {org2}", f"{org} is based in {x}"], _N),
                                             ([f"{a} works for {org}", f"{org} moved from {x} to {y}"], _X)]  # fmt: skip
        return Item(
            "synthesis",
            [f"{a} works for an organisation based in {x}", f"{a}'s employer is based in {x}"],
            yes,
            no,
            (a, b),
        )
    if way == 1:
        deed = rng.choice(lx.DEEDS)
        yes = [
            [f"{a} is the head of {org}", f"the head of {org} {deed.past} {deed.thing}"],
            [f"the head of {org} {deed.past} {deed.thing}", f"{org} is headed by {a}"],
        ]
        no = [([f"{a} is the head of {org}", f"the head of {org2} {deed.past} {deed.thing}"], _N), ([f"{b} is the head of {org}", f"the head of {org} {deed.past} {deed.thing}", f"{a} is the deputy"], _N),
              ([f"{a} is the head of {org}", f"the head of {org} did not {deed.base} {deed.thing}"], _C)]  # fmt: skip
        return Item("synthesis", deed_forms(a, deed, rng), yes, no, (a, b))
    yes = [
        [f"all trains from {x} stop in {y}", f"{a} took a train from {x}"],
        [f"{a} took a train from {x}", f"every train that leaves {x} calls at {y}"],
    ]
    no = [([f"some trains from {x} stop in {y}", f"{a} took a train from {x}"], _N), ([f"all trains from {z} stop in {y}", f"{a} took a train from {x}"], _N),
          ([f"no train from {x} stops in {y}", f"{a} took a train from {x}"], _C)]  # fmt: skip
    return Item("synthesis", [f"{a}'s train stopped in {y}", f"the train that {a} took calls at {y}"], yes, no, (a, b))


#: How often each is drawn.
KINDS: tuple[tuple[_Draw, float], ...] = (
    (roles, 4.0), (converses, 1.5), (person_negation, 1.5), (deed_negation, 3.0), (modality, 1.2), (attribution, 1.5), (amounts, 3.0), (measures, 1.2),
    (order, 1.6), (dates, 0.8), (quantifiers, 1.2), (monotone, 2.0), (comparisons, 1.6), (causes, 2.5), (conditions, 0.8), (pronouns, 1.0),
    (attributes, 0.8), (conjunctions, 1.2), (aspect, 0.7), (details, 1.3), (synthesis, 0.8),
)  # fmt: skip

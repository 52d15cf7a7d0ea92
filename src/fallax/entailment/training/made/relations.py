"""Relations in plain sentences, as frames: order, cause, comparison, transfer, possession, and others.

Each relation has many wordings of "x is related to y". The first version of a frame states it of x and y, the second
of y and x; every wording is also used as a statement. Some thousands of such pairs for each relation teach a small
model to attend to who has which role, before sentences by people teach the rest.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from fallax.entailment.training.frames import Frame
from fallax.entailment.training.made import lexicon as lx

__all__ = ["plain_relations"]

#: An event: subject, past tense, participle, and the event as a noun phrase.
_EVENTS = lx.rows_of("""
    the bell|rang|rung|the ringing of the bell
    the shop|closed|closed|the closing of the shop
    the rain|stopped|stopped|the end of the rain
    the guests|left|left|the guests' departure
    the train|arrived|arrived|the arrival of the train
    the bridge|collapsed|collapsed|the collapse of the bridge
    the minister|resigned|resigned|the minister's resignation
    the strike|began|begun|the start of the strike
    the power|failed|failed|the power failure
    the market|reopened|reopened|the reopening of the market
    the river|froze|frozen|the freezing of the river
    the alarm|sounded|sounded|the alarm
    the ship|sank|sunk|the sinking of the ship
    the mayor|spoke|spoken|the mayor's speech
    the factory|burned down|burned down|the fire at the factory
    the prices|rose|risen|the rise in prices
    the patient|recovered|recovered|the patient's recovery
    the court|adjourned|adjourned|the adjournment of the court
    the band|broke up|broken up|the break-up of the band
    the hotel|opened|opened|the opening of the hotel
    the road|flooded|flooded|the flooding of the road
    the team|lost|lost|the team's defeat
    the baby|woke|woken|the waking of the baby
    the crowd|fled|fled|the flight of the crowd
    the server|crashed|crashed|the crash of the server
    the engine|stalled|stalled|the stalling of the engine
    the teacher|retired|retired|the teacher's retirement
    the snow|melted|melted|the melting of the snow
    the union|split|split|the split of the union
    the well|dried up|dried up|the drying up of the well
    the fence|fell|fallen|the fall of the fence
    the firm|expanded|expanded|the firm's expansion
    the king|died|died|the king's death
    the army|retreated|retreated|the army's retreat
    the museum|moved|moved|the museum's move
    the wind|changed|changed|the change of wind
    the lake|rose|risen|the rise of the lake
    the driver|braked|braked|the driver's braking
    the pump|broke|broken|the breakdown of the pump
    the dog|barked|barked|the barking of the dog
    the lights|went out|gone out|the blackout
    the jury|withdrew|withdrawn|the withdrawal of the jury
    the painter|emigrated|emigrated|the painter's emigration
    the school|closed|closed|the closure of the school
    the ice|cracked|cracked|the cracking of the ice
    the coach|quit|quit|the coach's exit
    the bank|collapsed|collapsed|the collapse of the bank
    the play|ended|ended|the end of the play
    the pilot|landed|landed|the landing of the pilot
    the committee|met|met|the meeting of the committee
    the volcano|erupted|erupted|the eruption of the volcano
    the harvest|failed|failed|the failure of the harvest
    the ferry|turned back|turned back|the turning back of the ferry
    the roof|leaked|leaked|the leak in the roof
    the singer|fainted|fainted|the fainting of the singer
    the workers|walked out|walked out|the walkout
    the demand|fell|fallen|the fall in demand
    the dam|burst|burst|the bursting of the dam
    the gate|jammed|jammed|the jamming of the gate
    the choir|sang|sung|the singing of the choir
""")
_ORDER = (
    "{c1} before {c2}", "{c2} after {c1}", "after {c1}, {c2}", "before {c2}, {c1}", "first {c1}, then {c2}", "{c1}, and then {c2}",
    "{c1}; later {c2}", "{c2} only after {c1}", "when {c2}, {p1} already", "by the time {c2}, {p1}", "{n1} came before {n2}",
    "{n2} followed {n1}", "{n1} preceded {n2}", "{n2} came later than {n1}", "{n1} was earlier than {n2}", "{c2}, but not until {c1}",
)  # fmt: skip
_CAUSE = (
    "{c2} because {c1}", "because {c1}, {c2}", "{c1}, so {c2}", "{c1}, and as a result {c2}", "{n1} led to {n2}", "{n1} caused {n2}",
    "{n2} was caused by {n1}", "{n2} was due to {n1}", "{n2} resulted from {n1}", "{n2} was the result of {n1}", "the reason for {n2} was {n1}",
    "{n1} brought about {n2}", "{n1} is why {c2}", "owing to {n1}, {c2}", "it was {n1} that caused {n2}", "{n1} was the cause of {n2}",
)  # fmt: skip
#: Comparative, its opposite, the base form, and what can have it: p people, t things, l places.
_ADJECTIVES = lx.rows_of("""
    older|younger|old|p
    taller|shorter|tall|p
    richer|poorer|rich|p
    stronger|weaker|strong|p
    faster|slower|fast|p
    happier|less happy|happy|p
    busier|less busy|busy|p
    more careful|less careful|careful|p
    more experienced|less experienced|experienced|p
    more popular|less popular|popular|p
    heavier|lighter|heavy|t
    bigger|smaller|big|t
    cheaper|dearer|cheap|t
    newer|older|new|t
    longer|shorter|long|t
    wider|narrower|wide|t
    louder|quieter|loud|t
    hotter|cooler|hot|t
    brighter|dimmer|bright|t
    thicker|thinner|thick|t
    safer|more dangerous|safe|t
    softer|harder|soft|t
    cleaner|dirtier|clean|t
    larger|smaller|large|l
    colder|warmer|cold|l
    wetter|drier|wet|l
    wealthier|poorer|wealthy|l
    noisier|quieter|noisy|l
""")
_MORE = (
    "{x} is {more} than {y}", "{y} is {less} than {x}", "{y} is not as {base} as {x}", "of {x} and {y}, {x} is the {more}",
    "of {x} and {y}, {y} is the {less}", "compared with {y}, {x} is {more}", "{x} is the {more} of the two, not {y}", "{y} is not so {base} as {x}",
)  # fmt: skip
_THINGS = lx.words_of(
    "lamp van drill boat piano table kettle tent bicycle clock mirror rope saw stove camera ladder carpet radio tractor violin"
    " trunk helmet blanket basket ring map axe drum barrel sofa lantern pump scarf bell printer bench raft wagon flute chest"
)
#: Wordings of "a thing passes from x to y".
_PASSED = (
    (
        "{x} sold {y} the {o}", "{y} bought the {o} from {x}", "the {o} was sold to {y} by {x}", "{x} was the seller of the {o} and {y} the buyer",
        "it was {y} who bought the {o}, from {x}", "{y} paid {x} for the {o}", "{x} sold the {o} and {y} bought it",
    ),
    (
        "{x} lent {y} the {o}", "{y} borrowed the {o} from {x}", "the {o} was lent to {y} by {x}", "{y} had the {o} on loan from {x}",
        "{y} borrowed {x}'s {o}", "it was {x}'s {o} that {y} had on loan", "{x} let {y} borrow the {o}",
    ),
    (
        "{x} gave {y} the {o}", "{y} got the {o} from {x}", "{y} was given the {o} by {x}", "{y} received the {o} from {x}",
        "the {o} was a gift from {x} to {y}", "it was {x} who gave the {o} to {y}", "the {o} went from {x} to {y}",
    ),
    (
        "{x} rented the {o} out to {y}", "{y} rented the {o} from {x}", "{y} paid {x} rent for the {o}", "{x} let {y} have the {o} for rent",
        "the {o} was let to {y} by {x}",
    ),
    (
        "{x} stole the {o} from {y}", "{y}'s {o} was stolen by {x}", "{x} robbed {y} of the {o}", "it was {x} who took the {o} that {y} owned",
        "{y} lost the {o} to {x}, who stole it",
    ),
    (
        "{x} returned the {o} to {y}", "{y} got the {o} back from {x}", "{x} gave {y} back the {o}", "{x} brought {y}'s {o} back",
        "the {o} was returned to {y} by {x}",
    ),
    (
        "{x} taught {y} to mend a {o}", "{y} learned from {x} how to mend a {o}", "{y} was taught by {x} to mend a {o}",
        "{x} showed {y} how to mend a {o}", "{y} was the pupil and {x} the teacher when the {o} was mended",
    ),
    (
        "{x} inherited the {o} from {y}", "{y} left {x} the {o}", "the {o} passed to {x} when {y} died", "{y} bequeathed the {o} to {x}",
        "in the will of {y} the {o} went to {x}",
    ),
    (
        "{x} owes {y} money for the {o}", "{y} is owed money by {x} for the {o}", "{x} has not yet paid {y} for the {o}",
        "{x} is in debt to {y} over the {o}",
    ),
    (
        "{x} hired {y} to fix the {o}", "{y} was hired by {x} to fix the {o}", "{y} took a job from {x}, to fix the {o}",
        "{x} employed {y} to fix the {o}", "{y} fixed the {o} for {x}, who paid",
    ),
)  # fmt: skip
#: Which of two people has which of two things: x has the first, y the second.
_HELD = (
    ("{x} chose the {o} and {y} the {q}", "the {o} was chosen by {x}, the {q} by {y}", "{y} chose the {q}", "{x} chose the {o}",
     "it was {x} who chose the {o}", "the {q} was {y}'s choice", "{x} did not choose the {q} but the {o}"),
    ("the {o} belongs to {x} and the {q} to {y}", "{x} owns the {o}, {y} the {q}", "the owner of the {o} is {x}", "{y} is the owner of the {q}",
     "the {o} is {x}'s", "the {q} is not {x}'s but {y}'s", "it is {y} who owns the {q}"),
    ("{x} repaired the {o} while {y} repaired the {q}", "the {o} was repaired by {x} and the {q} by {y}", "{x} was the one who repaired the {o}",
     "{y} repaired the {q}", "the {q} was repaired by {y}", "{y} did not repair the {o}", "it was {x} who repaired the {o}"),
    ("{x} carried the {o}, {y} the {q}", "the {o} was carried by {x} and the {q} by {y}", "{y} was carrying the {q}", "{x} had the {o} to carry",
     "the {o} was not carried by {y}", "it was the {q} that {y} carried"),
    ("{x} paid for the {o} and {y} for the {q}", "{y} covered the {q}, {x} the {o}", "{x} paid for the {o}", "the {q} was paid for by {y}",
     "{y} did not pay for the {o}", "the {o} was at {x}'s expense"),
    ("{x} wanted the {o} but {y} the {q}", "{y}'s wish was the {q}, {x}'s the {o}", "{x} hoped for the {o}", "the {q} was wanted by {y}",
     "it was the {o} that {x} wanted", "{x} did not want the {q}"),
    ("{x} broke the {o} but not the {q}, which {y} broke", "the {o} was broken by {x}, the {q} by {y}", "{y} broke the {q}", "{x} broke the {o}",
     "it was not {y} who broke the {o}", "the {q} was broken by {y}"),
)  # fmt: skip
#: Who of two has more of a thing.
_COUNTED = (
    "{x} has {n} {o}s and {y} {m}", "{y} has {m} {o}s, {x} {n}", "{x} has {n} {o}s", "{y} has {m} {o}s", "{y} has more {o}s than {x}",
    "{x} has fewer {o}s than {y}", "the {m} {o}s are {y}'s", "it is {x} who has {n} {o}s",
)  # fmt: skip


#: The place of x relative to y, and of y relative to x.
_PLACES = lx.rows_of("""
    above|below
    to the left of|to the right of
    north of|south of
    east of|west of
    in front of|behind
    on top of|underneath
    upstream of|downstream of
    uphill from|downhill from
    outside|inside
""")
_PLACED = (
    "{x} is {r} {y}", "{y} is {s} {x}", "{r} {y} is {x}", "{s} {x} is {y}", "what is {r} {y} is {x}", "one finds {y} {s} {x}",
    "{x} lies {r} {y}", "it is {x} that is {r} {y}", "{y} stands {s} {x}",
)  # fmt: skip
#: What x did and y did not: past, base, participle.
_DEEDS = lx.rows_of("""
    paid|pay|paid
    signed the letter|sign the letter|signed the letter
    called|call|called
    voted|vote|voted
    came to the hearing|come to the hearing|come to the hearing
    agreed|agree|agreed
    apologised|apologise|apologised
    answered|answer|answered
    passed the exam|pass the exam|passed the exam
    stayed for dinner|stay for dinner|stayed for dinner
    won a medal|win a medal|won a medal
    lost the keys|lose the keys|lost the keys
    saw the accident|see the accident|seen the accident
    read the report|read the report|read the report
    wore a helmet|wear a helmet|worn a helmet
    kept the receipt|keep the receipt|kept the receipt
    lied|lie|lied
    went home early|go home early|gone home early
    sold the shares|sell the shares|sold the shares
    joined the union|join the union|joined the union
    locked the door|lock the door|locked the door
    took the train|take the train|taken the train
    refused the offer|refuse the offer|refused the offer
    noticed the smoke|notice the smoke|noticed the smoke
""")
_DENIED = (
    "{x} {past}, but {y} did not", "{y} did not {base}, {x} did", "only {x} {past}, not {y}", "unlike {y}, {x} {past}", "unlike {x}, {y} did not {base}",
    "of {x} and {y} only the first {past}", "{x} {past}", "{y} did not {base}", "it was {y} who did not {base}", "{y} was not the one who {past}",
    "{x} was the one who {past}", "{y} never {past}",
)  # fmt: skip
_SAID = (
    "{x} said that {y} had {done}", "according to {x}, {y} had {done}", "{y} had {done}, said {x}", "{x} claimed that {y} had {done}",
    "{x} told the others that {y} had {done}", "as {x} put it, {y} had {done}", "it was {y} who, {x} said, had {done}",
    "{y} was said by {x} to have {done}", "the one who was said to have {done} was {y}", "it was {x} who said that {y} had {done}",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Pair:
    """A relation between two things.

    Parameters
    ----------
    kind : kind of its frames.
    wordings : templates; each of the first ``whole`` decides all the others.
    first, second : values of the slots in the first version and in the second.
    """

    kind: str
    wordings: Sequence[str]
    whole: int
    first: dict[str, str]
    second: dict[str, str]

    def frame(self, identifier: str) -> Frame:
        """A frame with both versions; every wording is also a statement."""
        ways = [tuple(_put(w, values) for w in self.wordings) for values in (self.first, self.second)]
        return Frame(identifier, self.kind, (ways[0][: self.whole], ways[1][: self.whole]), (ways[0], ways[1]))


def _put(wording: str, values: dict[str, str]) -> str:
    for slot, value in values.items():
        wording = wording.replace("{" + slot + "}", value)
    return wording


def _turned(kind: str, wordings: Sequence[str], x: str, y: str, whole: int | None = None, **words: str) -> _Pair:
    """A relation whose second version exchanges x and y and keeps all other words."""
    return _Pair(
        kind, wordings, len(wordings) if whole is None else whole, {**words, "x": x, "y": y}, {**words, "x": y, "y": x}
    )


def _of_events(kind: str, wordings: Sequence[str], rng: random.Random) -> _Pair:
    one, two = rng.sample(_EVENTS, 2)

    def values(*events: tuple[str, ...]) -> dict[str, str]:
        found: dict[str, str] = {}
        for number, (who, past, participle, noun) in enumerate(events, start=1):
            found |= {f"c{number}": f"{who} {past}", f"p{number}": f"{who} had {participle}", f"n{number}": noun}
        return found

    return _Pair(kind, wordings, len(wordings), values(one, two), values(two, one))


def _order(rng: random.Random) -> _Pair:
    return _of_events("order", _ORDER, rng)


def _cause(rng: random.Random) -> _Pair:
    return _of_events("cause", _CAUSE, rng)


def _things(rng: random.Random) -> tuple[str, str]:
    a, b = rng.sample(_THINGS, 2)
    return f"the {a}", f"the {b}"


def _comparison(rng: random.Random) -> _Pair:
    more, less, base, of = rng.choice(_ADJECTIVES)
    x, y = {"p": _PEOPLE, "l": _TOWNS}.get(of) or _things(rng)
    return _turned("comparison", _MORE, x, y, more=more, less=less, base=base)


def _passed(rng: random.Random) -> _Pair:
    return _turned("role", rng.choice(_PASSED), *(_BODIES if rng.random() < 0.2 else _PEOPLE), o=rng.choice(_THINGS))


def _held(rng: random.Random) -> _Pair:
    one, two = rng.sample(_THINGS, 2)
    return _turned("entity", rng.choice(_HELD), *_PEOPLE, whole=2, o=one, q=two)


def _placed(rng: random.Random) -> _Pair:
    r, s = rng.sample(rng.choice(_PLACES), 2)
    return _turned("spatial", _PLACED, *_things(rng), r=r, s=s)


def _denied(rng: random.Random) -> _Pair:
    past, base, _ = rng.choice(_DEEDS)
    return _turned("negation", _DENIED, *rng.choice((_PEOPLE, _BODIES)), whole=6, past=past, base=base)


def _said(rng: random.Random) -> _Pair:
    return _turned("attribution", _SAID, *_PEOPLE, whole=8, done=rng.choice(_DEEDS)[2])


def _counted(rng: random.Random) -> _Pair:
    of = rng.choice((_PEOPLE, _BODIES, _TOWNS))
    return _turned("number", _COUNTED, *of, whole=2, o=rng.choice(_THINGS), n="{n}", m="{m}")


_PEOPLE, _BODIES, _TOWNS = ("{A}", "{B}"), ("{O}", "{P}"), ("{T}", "{U}")
_RELATIONS = (_order, _cause, _comparison, _passed, _held, _placed, _denied, _said, _counted)


def plain_relations(n: int, seed: int) -> list[Frame]:
    """``n`` frames, evenly divided among the relations.

    The relations are order, cause, comparison, transfer, possession, place, denial, attribution and count.

    Examples
    --------
    >>> frame = plain_relations(1, 3)[0]
    >>> frame.kind, len(frame.told[0]) == len(frame.told[1]), set(frame.true[0]) & set(frame.true[1])
    ('order', True, set())
    """
    rng = random.Random(seed)
    return [_RELATIONS[i % len(_RELATIONS)](rng).frame(f"plain-{i}") for i in range(n)]

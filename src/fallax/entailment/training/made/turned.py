"""Who did it to whom, at scale: a statement with a sentence that says the same, and with one whose roles are exchanged.

With a few thousand such pairs, the model still called "Reyes overtook Tan" entailed by "Tan overtook Reyes" for verbs
it had not seen. Tens of thousands of pairs with hundreds of verbs teach it the roles.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from fallax.entailment.training.made import lexicon as lx
from fallax.entailment.training.made.grammar import sentence
from fallax.entailment.training.pairs import Example

__all__ = ["VERBS", "turned_roles"]

#: Transitive verbs in the past tense; the participle is the same, except in :data:`_PARTICIPLES`.
VERBS = tuple(
    lx.words_of(
        """
    abandoned absorbed accompanied accused acquired acquitted admired advised alerted ambushed amused angered
    annoyed appointed arrested assisted attacked audited banned baptised bathed beat blackmailed blamed blessed
    blocked bored bought bullied buried called captured caught charged cheated checked cited coached collected
    comforted commanded congratulated consoled consulted contacted convicted convinced copied counselled
    criticised cursed deceived defeated defended delayed delighted delivered demoted denounced depicted described
    deserted disappointed dismissed divorced dressed dribbled drove edited elected emailed escorted examined
    expelled exposed feared fed fetched filmed financed fined followed fooled fouled found freed funded graded
    guided hated heard held helped hid hindered hired hit hosted housed hugged identified impressed influenced
    informed injured inspected inspired instructed insured interviewed invited irritated joined killed kissed
    lapped led left libelled lost loved managed marked married measured mentioned mentored merged met mimicked
    monitored named neglected nominated noticed notified nursed obstructed opposed ordered outlasted outlived
    outpaced outplayed outran outscored outvoted outwitted paid painted pardoned passed persuaded phoned pinched
    plagiarised pleased portrayed praised preceded promoted prosecuted punched punished pursued questioned quoted
    ranked rated received recognised recorded released reminded replaced reported represented respected reviewed
    rewarded saw sentenced shadowed shamed sheltered shocked shot slandered slapped sold sponsored spotted stabbed
    stopped struck succeeded sued supervised supported surprised suspended swallowed swindled tackled taught
    teased tested texted thanked threatened touched trailed trained translated treated tricked tutored upset
    visited warned washed watched weighed welcomed wounded
    """
    )
)
_PARTICIPLES = {"beat": "beaten", "drove": "driven", "hid": "hidden", "outran": "outrun", "saw": "seen"}
_TITLES = ("Captain", "Dr", "Mr", "Mrs", "Ms", "Professor")
_TAILS = (
    "", "", "", " before the others came", " during the meeting", " in 2019", " in the hall", " last spring", " on Monday",
    " at the station", " over the report", " twice",
)  # fmt: skip
#: Sentence patterns for subject, verb, participle and object, with their relative frequency.
_FORMS: tuple[tuple[Callable[[str, str, str, str], str], float], ...] = (
    (lambda a, v, p, b: f"{a} {v} {b}", 6),
    (lambda a, v, p, b: f"{b} was {p} by {a}", 4),
    (lambda a, v, p, b: f"it was {a} who {v} {b}", 2),
    (lambda a, v, p, b: f"it was {b} whom {a} {v}", 1),
    (lambda a, v, p, b: f"it was {a} by whom {b} was {p}", 0.5),
    (lambda a, v, p, b: f"the one who {v} {b} was {a}", 1),
    (lambda a, v, p, b: f"the one whom {a} {v} was {b}", 1),
    (lambda a, v, p, b: f"{b} got {p} by {a}", 1),
    (lambda a, v, p, b: f"{b} had been {p} by {a}", 1),
    (lambda a, v, p, b: f"{a} had {p} {b}", 1),
    (lambda a, v, p, b: f"{a} is the one who {v} {b}", 1),
    (lambda a, v, p, b: f"{b} was the one {a} {v}", 1),
)


def _two(rng: random.Random) -> list[str]:
    """Two different people, professions or organisations."""
    names = lx.SURNAMES + lx.MALE + lx.FEMALE
    professions = [f"the {p}" for p in lx.PROFESSIONS]
    draw = rng.random()
    if draw < 0.5:
        return rng.sample(names, 2)
    if draw < 0.6:
        return [f"{t} {n}" for t, n in zip(rng.sample(_TITLES, 2), rng.sample(lx.SURNAMES, 2), strict=True)]
    if draw < 0.8:
        return rng.sample(professions, 2)
    return rng.sample(lx.ORGS, 2) if draw < 0.9 else [rng.choice(names), rng.choice(professions)]


def _said(a: str, verb: str, b: str, form: int, tail: str = "") -> str:
    return sentence(_FORMS[form][0](a, verb, _PARTICIPLES.get(verb, verb), b) + tail)


def turned_roles(n: int, others: Sequence[str], seed: int, *, without: Sequence[str] = ()) -> list[Example]:
    """Draw ``n`` pairs of examples: a statement with a passage that says the same, and with one with exchanged roles.

    Parameters
    ----------
    others : unrelated sentences; half of the passages get some. If empty, passages have one or two sentences.
    without : verbs to leave out, kept for tests.

    Examples
    --------
    >>> yes, no = turned_roles(1, (), 4)
    >>> yes.statement == no.statement, yes.label, no.label
    (True, 'entailed', 'not_entailed')
    """
    rng = random.Random(seed)
    verbs = [v for v in VERBS if v not in without]
    weights = [w for _, w in _FORMS]

    def form() -> int:
        return rng.choices(range(len(_FORMS)), weights)[0]

    found: list[Example] = []
    for _ in range(n):
        a, b = _two(rng)
        verb, tail = rng.choice(verbs), rng.choice(_TAILS)
        statement = _said(a, verb, b, form(), tail if rng.random() < 0.3 else "")
        first = form()
        second = form() if rng.random() < 0.5 else first
        around = rng.sample(list(others), rng.randint(1, 3)) if len(others) > 2 and rng.random() < 0.5 else []
        at = rng.randint(0, len(around))
        beside: list[str] = []
        if rng.random() < 0.35:
            other = rng.choice([v for v in verbs if v != verb])
            beside = [_said(*((b, other, a) if rng.random() < 0.5 else (a, other, b)), form())]
        before = rng.random() < 0.5
        for core, label in ((_said(a, verb, b, first, tail), True), (_said(b, verb, a, second, tail), False)):
            told = [*beside, core] if before else [core, *beside]
            passage = (*around[:at], *told, *around[at:])
            if label:
                found.append(Example(passage, statement, "entailed", "made/turned", ()))
            else:
                found.append(Example(passage, statement, "not_entailed", "made/turned"))
    return found

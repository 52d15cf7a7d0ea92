"""Worlds about words: equivocation, nominal fallacy, contextomy, begging the question, false premise."""

from __future__ import annotations

import random
from itertools import pairwise

from fallax.core.types.logic import Fact
from fallax.generation.worlds.lexicon import capital, choice, lexicon, people, rows, sample
from fallax.generation.worlds.setting import Setting, both
from fallax.generation.worlds.world import KINDS, Draft, Kind, Said, World

__all__ = ["equivocation", "figure", "premise", "question", "quote"]


def _lines(text: str) -> list[list[str]]:
    return [[p.strip() for p in line.split("|")] for line in text.strip().splitlines()]


def _some(rng: random.Random, text: str) -> str:
    return rng.choice(rows(text, ";"))


#: A clue that begins like this is a clause of its own; "which" and the like follow a comma; the rest runs on.
_CLAUSE = ("it ", "nobody ", "no ", "the ", "there ", "that ", "who ", "whose ", "a ", "everybody ", "she ", "he ")


def _with_clue(statement: str, clue: str) -> str:
    if clue.startswith(
        ("it ", "nobody ", "no ", "there ", "the ", "neither ", "everybody ", "{z}")
    ) and not clue.startswith("it can"):
        return f"{statement}: {clue}."
    if clue.startswith(("which ", "so ", "asleep ", "alone ", "waiting ", "across the desk")):
        return f"{statement}, {clue}."
    return f"{statement} {clue}."


def equivocation(rng: random.Random, at: Setting) -> World:
    """What holds of a word in one sense, and two cases of the word: one in that sense, one in another."""
    word, law, statement, first, second, end = rng.choice(_lines(lexicon("senses")["senses"]))
    clue, other = _some(rng, first), _some(rng, second)
    shifted, kept = people(rng, 2)
    draft = Draft(at.id, "equivocation", f"the word {word}", at.place)
    term = draft.declare("word", word)
    sense, sense2 = (draft.declare("sense", f"{word} as in: {c}") for c in (clue, other))
    prop = draft.declare("property", law)
    thing = {x: draft.declare("thing", statement.format(z=x)) for x in (shifted, kept)}
    says = {
        kept: _with_clue(statement.format(z=kept), clue.format(z=kept)),
        shifted: _with_clue(statement.format(z=shifted), other.format(z=shifted)),
    }
    why = {x: draft.declare("reason", says[x].rstrip(".")) for x in says}
    base = (draft.state("true_of", prop, sense), draft.state("means", term, sense))
    draft.state("falls_under", thing[shifted], sense, why[shifted], truth=False)
    facts = {
        kept: (draft.state("falls_under", thing[kept], sense, why[kept]),),
        shifted: (draft.state("means", term, sense2), draft.state("falls_under", thing[shifted], sense2, why[shifted])),
    }
    a, b = rng.sample((shifted, kept), 2)
    law_said = Said(f"{law}.", base)
    cases = (Said(says[a], facts[a]), Said(says[b], facts[b]))
    scene = Said(
        rng.choice(
            (
                f"{a} and {b} know each other from {at.place}.",
                f"{a} and {b} live in {at.place}.",
                f"{a} and {b} are both from {at.place}.",
            )
        )
    )
    said = rng.choice(((law_said, scene, *cases), (scene, *cases, Said(f"Now, {law[0].lower()}{law[1:]}.", base))))
    return World(
        at.id, draft.fallacy, at.place, at.kind, both(draft.facts), both(said),
        {"fallacy": end.format(z=shifted), "sound": end.format(z=kept)},
        {"fallacy": Fact("has", (thing[shifted], prop)), "sound": Fact("has", (thing[kept], prop))},
        (word, law, clue, other),
    )  # fmt: skip


def figure(rng: random.Random, at: Setting) -> World:
    """The same words from two mouths: once as a figure of speech, once as they stand."""
    quoted, figurative, literal, ends = rng.choice(_lines(lexicon("figures")["figures"]))
    scene = {0: _some(rng, figurative), 1: _some(rng, literal)}
    end = _some(rng, ends)
    xs = people(rng, 2)
    draft = Draft(at.id, "nominal_fallacy", quoted, at.place)
    lines = []
    claims = []
    for place, x in enumerate(xs):
        words = draft.declare("figure", f"{quoted} ({x})")
        stands = draft.declare("claim", f"the words of {x} hold as they stand")
        where = draft.declare("reason", f"{x} said so {scene[place]}")
        follows = draft.declare("claim", f"{x} {end}")
        facts = [draft.state("literal", words, stands), draft.state("meant", words, stands, where, truth=bool(place))]
        if not place:
            spoken = draft.declare("claim", f"the words of {x} are a figure of speech")
            draft.state("figurative", words, spoken)
            draft.state("meant", words, spoken, where)
        facts.append(draft.state("entails", stands, follows))
        form = rng.choice(("“{q},” said {x} {s}.",)) if place == 0 else "“{q},” said {x} {s}."
        lines.append(Said(form.format(q=quoted, x=x, s=scene[place]), tuple(facts)))
        claims.append(Fact("holds", (follows,)))
    rng.shuffle(lines)
    about = rng.choice(
        (
            f"Two people from {at.place} used the same words.",
            f"It so happens that two people from {at.place} have said the same thing.",
            f"In {at.place} one hears the same words from different people.",
        )
    )
    return World(
        at.id, draft.fallacy, at.place, at.kind, both(draft.facts), both((Said(about), *lines)),
        {"fallacy": f"{xs[0]} {end}", "sound": f"{xs[1]} {end}"}, {"fallacy": claims[0], "sound": claims[1]},
        (quoted, scene[0], scene[1], end),
    )  # fmt: skip


def quote(rng: random.Random, at: Setting) -> World:
    """Two remarks with the same words of praise: one takes them back, one lets them stand."""
    words = lexicon("sources")["contextomy"]
    thing, praise = choice(rng, words["objects"]), choice(rng, words["praise"])
    remarks = (choice(rng, words["against"]).format(s=praise), choice(rng, words["in_favour"]).format(s=praise))
    xs = people(rng, 2)
    draft = Draft(at.id, "contextomy", f"what was said of the {thing}", at.place)
    lines = []
    claims = []
    for place, (x, remark) in enumerate(zip(xs, remarks, strict=True)):
        said = draft.declare("quote", f"{remark} ({x})")
        meaning = draft.declare(
            "claim",
            f"{x} holds that the {thing} is {praise}, all told"
            if place
            else f"{x} does not hold that the {thing} is {praise}",
        )
        reading = draft.declare("claim", f"{x} calls the {thing} {praise}")
        praises = draft.declare("claim", f"{x} praises the {thing}")
        why = draft.declare("reason", f"{x} said the whole of it: {remark}")
        facts = (
            draft.state("says", said, meaning), draft.state("taken_as", said, reading),
            draft.state("faithful", meaning, reading, why, truth=bool(place)), draft.state("entails", reading, praises),
        )  # fmt: skip
        lines.append((f"“{remark},” ", x, facts))
        claims.append(Fact("holds", (praises,)))
    rng.shuffle(lines)
    told = tuple(Said(f"{t}{rng.choice(('said', 'wrote'))} {x}.", f) for t, x, f in lines)
    open_ = rng.choice(
        (
            f"The {thing} in {at.place} has been the subject of some remarks.",
            f"Two people were asked about the new {thing} in {at.place}.",
            f"In {at.place} there is talk about the {thing}.",
        )
    )
    form = rng.choice(
        (
            "in {x}’s own words the {t} is “{p}”, and {x} is one of those who praise it",
            "{x} praises the {t}, having called it “{p}”",
            "one can count {x} among the friends of the {t}, which {x} calls “{p}”",
        )
    )
    return World(
        at.id, draft.fallacy, at.place, at.kind, both(draft.facts), both((Said(open_), *told)),
        {k: form.format(x=x, t=thing, p=praise) for k, x in zip(KINDS, xs, strict=True)},
        {"fallacy": claims[0], "sound": claims[1]},
        (thing, praise, *remarks),
    )  # fmt: skip


def question(rng: random.Random, at: Setting, depth: int | None = None) -> World:
    """Two chains of trust: one comes back to where it began, one ends in something seen."""
    what, right, rests, ground = (x.strip() for x in choice(rng, lexicon("sources")["question"]["sources"]).split(":"))
    links = depth or rng.choice((2, 2, 3, 3, 4))
    owners = sample(rng, lexicon("sources")["question"]["owners"], 2 * links)
    circle, chain = owners[:links], owners[links:]
    draft = Draft(at.id, "begging_the_question", f"which {what} is right", at.place)
    claim = {o: draft.declare("claim", f"the {o} {what} {right}") for o in owners}
    lines = []
    for row, last in ((circle, f"the {circle[0]} {what}"), (chain, ground)):
        facts = [draft.state("rests_on", claim[a], claim[b]) for a, b in pairwise(row)]
        if row is circle:
            facts.append(draft.state("rests_on", claim[row[-1]], claim[row[0]]))
            for o in row[1:]:
                none = draft.declare("reason", f"for the {o} {what} there is nothing but that it {rests} another one")
                draft.state("grounded", claim[o], none, truth=False)
        else:
            facts.append(
                draft.state(
                    "grounded", claim[row[-1]], draft.declare("reason", f"the {row[-1]} {what} {rests} {ground}")
                )
            )
        steps = [f"the {a} {what} because it {rests} the {b} {what}" for a, b in pairwise(row)]
        steps.append(f"the {row[-1]} {what} because it {rests} {last}")
        lines.append((steps, tuple(facts)))
    rng.shuffle(lines)
    heads = rng.choice(
        (
            ("We may trust", "We may also trust"),
            ("People rely on", "They also rely on"),
            ("One can go by", "One can also go by"),
        )
    )
    told = [Said(f"{head} {_listed(steps)}.", facts) for head, (steps, facts) in zip(heads, lines, strict=True)]
    open_ = Said(
        rng.choice(
            (
                f"In {at.place} there is more than one {what}.",
                f"This is how it stands with every {what} that counts in {at.place}.",
            )
        )
    )
    ends = {k: f"the {row[0]} {what} {right}" for k, row in (("fallacy", circle), ("sound", chain))}
    return World(
        at.id, draft.fallacy, at.place, at.kind, both(draft.facts), both((open_, *told)), ends,  # type: ignore[arg-type]
        {"fallacy": Fact("holds", (claim[circle[0]],)), "sound": Fact("holds", (claim[chain[0]],))},
        (what, *owners),
    )  # fmt: skip


def _listed(parts: list[str]) -> str:
    return f"{', '.join(parts[:-1])}, and {parts[-1]}" if len(parts) > 1 else parts[0]


#: What is on somebody's card, by the frame of the domain.
_NAMED = {
    "card": "what {x}’s card names",
    "city": "the city on {x}’s card",
    "person": "the person on {x}’s card",
}


def premise(rng: random.Random, at: Setting) -> World:
    """Two cards and what they name: each put into the right class, or into that of the other."""
    domain = rng.choice(lexicon("premises")["domain"])
    classes = []
    for text in domain["classes"]:
        head, _, members = text.partition(":")
        name, _, properties = head.partition("=")
        classes.append((name.strip(), rows(properties, ";"), [m.strip() for m in members.split(",")]))
    while True:
        one, two = rng.sample(classes, 2)
        properties = [p for p in one[1] if p not in two[1]]
        if properties:
            break
    has = rng.choice(properties)
    member = {one[0]: rng.choice(one[2]), two[0]: rng.choice(two[2])}
    sides = people(rng, 2)
    on = dict(zip(sides, rng.sample((one[0], two[0]), 2), strict=True))
    law = _law(f"city in {one[0]}" if domain["frame"] == "city" else one[0], has)
    facts: dict[Kind, tuple[Fact, ...]] = {}
    premises: dict[Kind, tuple[Said, ...]] = {}
    ends: dict[Kind, str] = {}
    claims: dict[Kind, Fact] = {}
    first, second = sides
    left, right = (member[on[s]] for s in sides)
    opening = rng.choice(
        (
            f"In a quiz {at.at}, {first} and {second} drew a card each. {first}’s card says “{left}”, {second}’s"
            f" says “{right}”.",
            f"{first} and {second} took part in a quiz {at.at}. The card that {first} drew says “{left}”, and the one"
            f" that {second} drew says “{right}”.",
        )
    )
    told = rng.choice((f"{capital(law)}.", f"It is common knowledge that {law}."))
    named = {s: _NAMED[domain["frame"]].format(x=s) for s in sides}
    front = rng.random() < 0.5
    for kind in ("fallacy", "sound"):
        draft = Draft(at.id, "false_premise", f"{member[one[0]]} and {member[two[0]]}", at.place)
        put = {s: on[s] if kind == "sound" else on[second if s == first else first] for s in sides}
        words = {s: f"in {c}" if domain["frame"] == "city" else _a(c) for s, c in put.items()}
        side = next(s for s in sides if put[s] == one[0])
        p = draft.declare("claim", f"{named[side]} is {words[side]}")
        o = draft.declare("claim", law)
        g = {s: draft.declare("claim", f"{named[s]} {has}") for s in sides}[side]
        why = draft.declare("reason", f"{side}’s card says {member[on[side]]}")
        step = draft.state("licenses", p, o, g)
        seen = draft.state("holds", o, draft.declare("reason", f"{law}, as is known"))
        judged = draft.state("holds", p, why, truth=kind == "sound")
        said = (
            Said(opening),
            Said(
                f"{capital(named[first])} is {words[first]}, and {named[second]} is {words[second]}.",
                (step, judged),
            ),
        )
        facts[kind] = tuple(draft.facts)
        premises[kind] = (Said(told, (seen,)), *said) if front else (*said, Said(told, (seen,)))
        ends[kind] = f"{named[side]} {has}"
        claims[kind] = Fact("holds", (g,))
    return World(
        at.id, "false_premise", at.place, at.kind, facts, premises, ends, claims,
        (left, right, has),
    )  # fmt: skip


def _law(kind: str, has: str) -> str:
    """That all of a kind have a property: "every insect has six legs", "no insect has bones"."""
    lacks = has.removeprefix("has no ")
    return f"every {kind} {has}" if lacks == has else f"no {kind} has {lacks}"


def _a(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"

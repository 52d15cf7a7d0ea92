"""Words worlds as texts: one argument in a register, or many points of which one may be a fallacy.

A fallacy and its twin have the same premises, the same connective and the same register; they differ in their
conclusion.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass

from fallax.errors import InputError, UnknownNameError
from fallax.generation.worlds.lexicon import lexicon, people, rows
from fallax.generation.worlds.setting import Setting
from fallax.generation.worlds.world import KINDS, Kind, World

__all__ = ["EXPLICITNESS", "POINTS", "REGISTERS", "STYLES", "Wording", "draw_wording", "panel", "single"]

#: ``single``: one argument a text. ``panel``: many points by many people, one of which is the fallacy or its twin.
STYLES = ("single", "panel")
REGISTERS = ("comment", "quiz", "dialogue", "editorial")

#: ``marked``: a connective says that it follows. ``unmarked``: the conclusion stands there without one. ``suggested``:
#: the conclusion is put as a question that expects no answer.
EXPLICITNESS = ("marked", "unmarked", "suggested")

#: Points in a panel.
POINTS = 9


@dataclass(frozen=True, slots=True)
class Wording:
    """The properties of a text that are the same for the fallacy and the twin.

    Parameters
    ----------
    register : one of :data:`REGISTERS`.
    frame : of the register, with {premises}, {mark}, {conclusion}, {n}, {m}.
    mark : the connective.
    fillers : sentences between premises and conclusion.
    names : of those who speak.
    before, after : premises of other matters, on either side of the argument's own.
    """

    register: str
    frame: str
    mark: str
    fillers: tuple[str, ...]
    names: tuple[str, ...]
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


def draw_wording(
    rng: random.Random,
    world: World,
    *,
    register: str | None = None,
    distance: int | None = None,
    explicitness: str | None = None,
    beside: Sequence[World] = (),
) -> Wording:
    """How a world is worded.

    Parameters
    ----------
    register : by default any.
    distance : sentences between premises and conclusion; by default 0 or 1.
    explicitness : of :data:`EXPLICITNESS`; by default as the register has it.
    beside : worlds whose premises stand in the text too, each before or after the argument's own.
    """
    words = lexicon("shared")
    if register is not None and register not in REGISTERS:
        raise UnknownNameError("register", register, REGISTERS)
    if distance is not None and not 0 <= distance <= 6:
        raise InputError(f"distance: must be 0 to 6 sentences, got {distance}")
    name = register or rng.choice(REGISTERS)
    between = rng.choice((0, 0, 0, 1)) if distance is None else distance
    spoken = " ".join(s.text for w in (world, *beside) for k in KINDS for s in w.premises[k])
    taken = [n for n in words["people"].split() if re.search(rf"\b{n}\b", spoken)]
    frame = rng.choice(_frames(name, explicitness))
    mark = rng.choice(rows(words["marks"]))
    fillers = tuple(rng.sample(rows(words["fillers"]), between))
    speakers = tuple(people(rng, 2, taken))
    asides: tuple[list[str], list[str]] = ([], [])
    for other in beside:
        rng.choice(asides).append(" ".join(s.text for s in other.premises["sound"]))
    return Wording(name, frame, mark, fillers, speakers, tuple(asides[0]), tuple(asides[1]))


def _frames(register: str, explicitness: str | None) -> list[str]:
    """The frames of a register with a given explicitness."""
    words = lexicon("shared")
    known: list[str] = words["registers"][register]
    if explicitness is None:
        return known
    if explicitness not in EXPLICITNESS:
        raise UnknownNameError("explicitness", explicitness, EXPLICITNESS)
    return [f for f in known if "{mark}" in f] if explicitness == "marked" else words[explicitness][register]


#: Where a frame begins a sentence: at the start, after one has ended, after a colon and a quotation mark; not where a
#: question in quotation marks goes on with who said it.
_BEGINS = re.compile(r"(\A[“‘]?|[.?!][”’]? [“‘]?|: [“‘])(?!(?:said|asked)\b)([a-z])")


def _capitals(text: str) -> str:
    """A text with a capital at the start of each sentence."""
    return _BEGINS.sub(lambda m: m[1] + m[2].upper(), text)


def single(world: World, kind: Kind, wording: Wording) -> str:
    """The fallacy or the twin of a world as one text."""
    own = (s.text for s in world.premises[kind])
    premises = " ".join((*wording.before, *own, *wording.after, *wording.fillers))
    frame = wording.frame
    if frame.startswith(("“", "{n}")) and "“" in premises:
        premises = premises.replace("“", "‘").replace("”", "’")
    conclusion = world.conclusions[kind]
    if "“" in frame and "“" in conclusion:
        conclusion = conclusion.replace("“", "‘").replace("”", "’")
    n, m = wording.names
    return _capitals(frame.format(premises=premises, mark=wording.mark, conclusion=conclusion, n=n, m=m))


def panel(
    rng: random.Random,
    at: Setting,
    worlds: Sequence[World],
    marked: int,
    speakers: Sequence[str],
    *,
    explicitness: str | None = None,
) -> tuple[str, str]:
    """The two texts of a panel: sound points, except for the marked world's fallacy in the first text.

    Parameters
    ----------
    worlds : in the order of the points; ``marked`` is the place of the one that is the fallacy in the first text.
    speakers : one for each point.
    explicitness : of :data:`EXPLICITNESS`, of all points; by default each has a connective.
    """
    words = lexicon("shared")
    opening = rng.choice(words["panels"]["openings"]).format(place=at.place, kind=at.kind)
    closing = rng.choice(words["panels"]["closings"])
    form = rng.choice(words["panels"]["points"])
    if explicitness in ("unmarked", "suggested"):
        form = form.replace("{mark} {conclusion}.", rng.choice(words[explicitness]["points"]))
    marks = [rng.choice(rows(words["marks"])) for _ in worlds]
    texts = []
    for kind in KINDS:
        points = []
        for place, (world, mark, name) in enumerate(zip(worlds, marks, speakers, strict=True)):
            chosen: Kind = kind if place == marked else "sound"
            premises = " ".join(s.text for s in world.premises[chosen])
            points.append(form.format(n=name, premises=premises, mark=mark, conclusion=world.conclusions[chosen]))
        texts.append("\n".join((opening, *(_capitals(p) for p in points), closing)))
    return texts[0], texts[1]

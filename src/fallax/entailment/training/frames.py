"""Frames: templates of a fact with two versions, so that a statement is true in one version and false in the other.

Slots are filled with random names, numbers and dates, so that no statement can be memorised. Each statement is paired
with a passage that makes it true and with one, in nearly the same words, that makes it false.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from fallax.entailment.training.corpus import Part, part_of, read_corpus
from fallax.entailment.training.made import lexicon as lx
from fallax.entailment.training.made.grammar import sentence
from fallax.entailment.training.pairs import Example, Label

__all__ = [
    "SLOTS",
    "Frame",
    "SceneFrame",
    "frame_examples",
    "frames_of_part",
    "read_frames",
    "read_scene_frames",
    "scene_examples",
]

#: The slots: people (A, B, C), organisations (O, P), places (T, U), numbers (n < m), years (y < z), weekdays (d before
#: e), a month (h), and pronouns of the person A.
SLOTS = ("A", "B", "C", "O", "P", "T", "U", "n", "m", "y", "z", "d", "e", "h", "he", "him", "his")
_SLOT = re.compile(r"\{(\w+)\}")
_TITLES = ("Captain", "Dr", "Judge", "Mr", "Mrs", "Ms", "Professor", "Sergeant")
_PRONOUNS = {"she": ("she", "her", "her"), "he": ("he", "him", "his")}
#: Probability of drawing a statement that neither version decides, if the frame has one.
_OPEN = 0.12
#: Probability of putting a fact between the sentences of a text; most characters of another fact put there too.
_IN_TEXTS = 0.4
_SHORT = 200


def _check_slots(identifier: str, texts: Iterable[str]) -> None:
    for text in texts:
        for slot in _SLOT.findall(text):
            if slot not in SLOTS:
                raise ValueError(
                    f"frame {identifier!r}: a slot must be one of {', '.join(SLOTS)}; got {{{slot}}} in {text!r}"
                )


@dataclass(frozen=True, slots=True)
class Frame:
    """A fact with two versions.

    Parameters
    ----------
    identifier : unique name.
    kind : what it tests, such as "role" or "number".
    told : wordings of the first version and of the second; each wording alone decides every statement.
    true : statements true in the first version and false in the second, and the reverse.
    open : statements that neither version decides.
    """

    identifier: str
    kind: str
    told: tuple[tuple[str, ...], tuple[str, ...]]
    true: tuple[tuple[str, ...], tuple[str, ...]]
    open: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _check_slots(self.identifier, (*self.told[0], *self.told[1], *self.true[0], *self.true[1], *self.open))
        if not all((*self.told, *self.true)):
            raise ValueError(f"frame {self.identifier!r}: each version needs a wording and a statement")


def read_frames(folder: Path, pattern: str = "*.jsonl") -> list[Frame]:
    """Read all frames of a folder, one JSON object per line: ``id``, ``kind``, ``told``, ``true``, ``open``.

    Raises
    ------
    ValueError
        If a frame has an unknown slot, or a version without a wording or a statement.
    """
    return [
        Frame(
            row["id"], row["kind"],
            (tuple(row["told"][0]), tuple(row["told"][1])),
            (tuple(row["true"][0]), tuple(row["true"][1])),
            tuple(row.get("open", ())),
        )
        for row in read_corpus(folder, pattern)
    ]  # fmt: skip


def _person(rng: random.Random, kind: str, taken: set[str]) -> str:
    draw = rng.random()
    first = lx.FEMALE if kind == "she" else lx.MALE
    while True:
        if draw < 0.5:
            found = rng.choice(first)
        elif draw < 0.6:
            found = f"{rng.choice(first)} {rng.choice(lx.SURNAMES)}"
        elif draw < 0.72:
            title = rng.choice([t for t in _TITLES if t not in (("Mr",) if kind == "she" else ("Mrs", "Ms"))])
            found = f"{title} {rng.choice(lx.SURNAMES)}"
        elif draw < 0.85:
            found = rng.choice(lx.SURNAMES)
        else:
            found = f"the {rng.choice(lx.PROFESSIONS)}"
        if not taken.intersection(found.split()) - {"the"}:
            taken.update(found.split())
            return found


def _fillers(rng: random.Random, taken: set[str] | None = None) -> dict[str, str]:
    """A random value for each slot."""
    taken = set() if taken is None else taken
    kind = rng.choice(("she", "he"))
    people = [_person(rng, kind, taken), *(_person(rng, rng.choice(("she", "he")), taken) for _ in range(2))]
    bodies = rng.sample([o for o in lx.ORGS if o not in taken], 2)
    places = rng.sample([p for p in lx.PLACES if p not in taken], 2)
    taken.update((*bodies, *places))
    low, high = sorted(rng.sample(range(2, 91), 2))
    years = sorted(rng.sample(range(1880, 2026), 2))
    days = sorted(rng.sample(range(7), 2))
    values = [
        *people,
        *bodies,
        *places,
        low,
        high,
        *years,
        *(lx.WEEKDAYS[i] for i in days),
        rng.choice(lx.MONTHS),
        *_PRONOUNS[kind],
    ]
    return dict(zip(SLOTS, map(str, values), strict=True))


def _filled(text: str, fillers: dict[str, str]) -> tuple[str, ...]:
    """The sentences of a wording, with its slots filled."""
    full = _SLOT.sub(lambda m: fillers[m.group(1)], text)
    return tuple(sentence(part) for part in re.split(r"(?<=[.!?]) (?=\S)", full))


def frame_examples(
    frames: Sequence[Frame],
    n: int,
    others: Sequence[str],
    seed: int,
    *,
    texts: Sequence[Sequence[str]] = (),
    source: str = "made/frames",
) -> Iterator[Example]:
    """Draw ``n`` statements, each with two passages.

    Parameters
    ----------
    frames : drawn from with replacement.
    others : unrelated sentences; about a third of the other passages get some.
    texts : the sentences of texts. 40 % of the passages are three to seven sentences of one text, with the fact and
        other facts about the same people put between them.

    Yields
    ------
    Example
        Pairs with the same statement, labelled "entailed" and "contradicted", or "neither" twice.

    Examples
    --------
    >>> lent = Frame("x", "role", (("{A} lent {B} a drill.",), ("{B} lent {A} a drill.",)),
    ...              (("{B} borrowed a drill.",), ("{A} borrowed a drill.",)))
    >>> yes, no = frame_examples([lent], 1, (), 4)
    >>> yes.statement == no.statement, yes.passage != no.passage, yes.label, no.label
    (True, True, 'entailed', 'contradicted')
    """
    rng = random.Random(seed)
    for _ in range(n):
        frame = rng.choice(frames)
        taken: set[str] = set()
        fillers = _fillers(rng, taken)
        way = rng.randrange(2)
        if frame.open and rng.random() < _OPEN:
            statement, labels = rng.choice(frame.open), ("neither", "neither")
        else:
            statement, labels = rng.choice(frame.true[way]), ("entailed", "contradicted")
        said = " ".join(_filled(statement, fillers))
        around: list[str] = []
        if texts and rng.random() < _IN_TEXTS:
            around = _between(rng, rng.choice(texts), frames, frame, fillers)
        elif others and rng.random() < 0.35:
            around = rng.sample(list(others), min(len(others), rng.randint(1, 3)))
        elif rng.random() < 0.3:
            # add another fact, about the same people or about others
            beside = rng.choice(frames)
            if beside is not frame:
                about = fillers if rng.random() < 0.5 else _fillers(rng, taken)
                around = list(_filled(rng.choice(beside.told[rng.randrange(2)]), about))
        at = rng.randint(0, len(around))
        # half of the time, the two versions use the same wording if both have it
        first = rng.randrange(len(frame.told[way]))
        other = frame.told[1 - way]
        second = first if rng.random() < 0.5 and first < len(other) else rng.randrange(len(other))
        told: list[tuple[str, Label]] = [
            (frame.told[way][first], labels[0]),  # type: ignore[list-item]
            (other[second], labels[1]),  # type: ignore[list-item]
        ]
        for wording, label in told:
            passage = (*around[:at], *_filled(wording, fillers), *around[at:])
            yield Example(passage, said, label, source, () if label == "entailed" else None)


def _between(
    rng: random.Random, text: Sequence[str], frames: Sequence[Frame], frame: Frame, fillers: dict[str, str]
) -> list[str]:
    """Three to seven sentences of a text with up to two other facts about the same people between them."""
    most = min(len(text), rng.randint(3, 7))
    begin = rng.randint(0, len(text) - most)
    around = list(text[begin : begin + most])
    for beside in rng.sample(list(frames), min(len(frames), rng.randint(0, 2))):
        told = rng.choice(beside.told[rng.randrange(2)])
        if beside is not frame and len(told) < _SHORT:
            at = rng.randint(0, len(around))
            around[at:at] = _filled(told, fillers)
    return around


@dataclass(frozen=True, slots=True)
class SceneFrame:
    """Evidence with two versions, and claims about a cause that one version supports and the other does not.

    Parameters
    ----------
    identifier : unique name.
    kind : what it tests.
    shared : pieces of evidence in both versions.
    told : pieces in the first version only, and in the second only.
    aside : pieces that are irrelevant to the claims.
    claims : for each version, the claims it supports, each with its label in the other version: "contradicted" or
        "neither".
    """

    identifier: str
    kind: str
    shared: tuple[str, ...]
    told: tuple[tuple[str, ...], tuple[str, ...]]
    aside: tuple[str, ...]
    claims: tuple[tuple[tuple[Label, str], ...], tuple[tuple[Label, str], ...]]

    def __post_init__(self) -> None:
        _check_slots(self.identifier, (*self.shared, *self.told[0], *self.told[1], *self.aside))
        _check_slots(self.identifier, [claim for way in self.claims for _, claim in way])
        if not all((*self.told, *self.claims)):
            raise ValueError(f"frame {self.identifier!r}: each version needs a piece of evidence and a claim")


def read_scene_frames(folder: Path, pattern: str = "*.jsonl") -> list[SceneFrame]:
    """Read all scene frames of a folder, one JSON object per line.

    Its fields are ``id``, ``kind``, ``shared``, ``told``, ``aside`` and ``claims``.

    Raises
    ------
    ValueError
        If a frame has an unknown slot, or a version without a piece of evidence or a claim.
    """
    return [
        SceneFrame(
            row["id"], row["kind"], tuple(row["shared"]),
            (tuple(row["told"][0]), tuple(row["told"][1])), tuple(row["aside"]),
            (tuple((label, claim) for label, claim in row["claims"][0]),
             tuple((label, claim) for label, claim in row["claims"][1])),
        )
        for row in read_corpus(folder, pattern)
    ]  # fmt: skip


def scene_examples(
    frames: Sequence[SceneFrame], n: int, others: Sequence[str], seed: int, *, source: str = "made/scenes"
) -> Iterator[Example]:
    """Draw ``n`` claims, each with evidence that supports it and with evidence that does not, in random order.

    Parameters
    ----------
    frames : drawn from with replacement.
    others : unrelated pieces; half of the time one or two are added to the evidence.

    Yields
    ------
    Example
        Pairs with the same claim, labelled "entailed", and "contradicted" or "neither".

    Examples
    --------
    >>> wet = SceneFrame("x", "other-cause", (), (("Rain made {A} wet.",), ("A hose made {A} wet.",)), (),
    ...                  ((("contradicted", "Rain wetted {A}."),), (("contradicted", "A hose wetted {A}."),)))
    >>> yes, no = scene_examples([wet], 1, (), 4)
    >>> yes.statement == no.statement, yes.label, no.label
    (True, 'entailed', 'contradicted')
    """
    rng = random.Random(seed)
    for _ in range(n):
        frame = rng.choice(frames)
        fillers = _fillers(rng)
        way = rng.randrange(2)
        label, claim = rng.choice(frame.claims[way])
        said = " ".join(_filled(claim, fillers))
        beside = [a for a in frame.aside if rng.random() < 0.7]
        if others and rng.random() < 0.5:
            beside += rng.sample(list(others), min(len(others), rng.randint(1, 2)))
        for which, verdict in ((way, "entailed"), (1 - way, label)):
            pieces = [*frame.shared, *frame.told[which], *beside]
            rng.shuffle(pieces)
            passage = tuple(" ".join(_filled(piece, fillers)) for piece in pieces)
            yield Example(passage, said, verdict, source, () if verdict == "entailed" else None)  # type: ignore[arg-type]


AnyFrame = TypeVar("AnyFrame", Frame, SceneFrame)


def frames_of_part(frames: Sequence[AnyFrame], part: Part) -> list[AnyFrame]:
    """The frames of one split; see :func:`~fallax.entailment.training.corpus.part_of`."""
    return [f for f in frames if part_of(f.identifier) == part]

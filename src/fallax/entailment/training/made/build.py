"""Draw contrasts at scale, and extend their passages with sentences that people wrote."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from fallax.entailment.training.made import lexicon as lx
from fallax.entailment.training.made.grammar import MadeItem, sentence
from fallax.entailment.training.made.kinds import KINDS
from fallax.entailment.training.pairs import Example

__all__ = ["made_contrasts"]


def _aside(names: Sequence[str], rng: random.Random) -> str:
    who = rng.choice(list(names)) if names and rng.random() < 0.8 else rng.choice(lx.ORGS)
    return sentence(
        rng.choice(
            (
                f"{who} had been in {rng.choice(lx.PLACES)} {rng.choice(lx.TIMES)}",
                f"{who} spoke with {rng.choice(lx.ORGS)} about {rng.choice(lx.EVENTS)}",
                f"{who} did not comment on {rng.choice(lx.EVENTS)}",
                f"{rng.choice(lx.EVENTS)} was mentioned by {who} {rng.choice(lx.MANNERS)}",
                f"nobody asked {who} about {rng.choice(lx.EVENTS)}",
                f"{who} was not present at {rng.choice(lx.EVENTS)}",
                f"{rng.choice(lx.ORGS)} sent {who} a letter {rng.choice(lx.TIMES)}",
            )
        )
    )


def _filled(
    core: list[str], names: Sequence[str], others: Sequence[str], rng: random.Random
) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The core sentences among others, and their indexes."""
    sentences = [sentence(s) for s in core]
    at = list(range(len(sentences)))
    n = rng.choice((0, 0, 0, 0, 1, 1, 2, 3, 4))
    for _ in range(n):
        extra = _aside(names, rng) if rng.random() < 0.5 or not others else rng.choice(others)
        place = rng.randint(0, len(sentences))
        if at and at[0] < place <= at[-1]:
            place = at[-1] + 1
        sentences.insert(place, extra)
        at = [i + (i >= place) for i in at]
    return tuple(sentences), tuple(at)


def _examples(item: MadeItem, others: Sequence[str], rng: random.Random) -> Iterator[Example]:
    statement = sentence(rng.choice(item.statement))
    yes = rng.choice(item.yes)
    bad, label = rng.choice(item.no)
    state = rng.getstate()
    for core, said in ((yes, "entailed"), (bad, label)):
        rng.setstate(state)
        passage, at = _filled(core, item.names, others, rng)
        wrong = () if said == "entailed" else None
        yield Example(passage, statement, said, f"made/{item.kind}", wrong, at)  # type: ignore[arg-type]


def made_contrasts(n: int, others: Sequence[str], seed: int) -> list[Example]:
    """Draw ``n`` pairs of examples: a statement with a passage that entails it, and with one that does not.

    Parameters
    ----------
    others : sentences that people wrote, added to some passages.
    """
    rng = random.Random(seed)
    draws, weights = zip(*KINDS, strict=True)
    found: list[Example] = []
    for _ in range(n):
        (draw,) = rng.choices(draws, weights)
        found += _examples(draw(rng), others, rng)
    return found

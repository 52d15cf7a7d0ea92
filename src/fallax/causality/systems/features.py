"""What a verdict is made of: the readings of a claim and what its evidence states, as numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable

from fallax.causality.systems.clauses import CauseAndEffect
from fallax.causality.systems.prepared import Prepared, as_sentence, because, inside, reason
from fallax.causality.systems.ways import WaysStated, ways_stated
from fallax.entailment import PairReading

__all__ = ["explained", "features_of", "forms_of", "side_readings"]

#: A link whose effect has less of the claimed effect than this says nothing of its cause.
_EXPLAINS = 0.25


def features_of(prepared: Prepared) -> tuple[float, ...]:
    """The :data:`~fallax.causality.systems.weights.FEATURES` of a claim with its evidence.

    The logits of the claim, each the mean of several readings: of the pieces that bear on it, in both orders; of all
    pieces, in both orders; of four forms of the claim. One reading is unsure of what another sees. Then what the
    evidence states in words: see :class:`~fallax.causality.systems.ways.WaysStated`. Logits are held within 5 of zero;
    what is not known is 0.
    """
    claim, sides = prepared.claim, prepared.claimed
    read = _means(prepared.both_ways(prepared.read_claim(claim).pieces, claim))
    found = [*read, *_means(prepared.both_ways(prepared.all_that_fits(claim), claim))]
    if sides is None:
        return (*found, *read, *(0.0,) * 9)
    found += _means(prepared.read_claim(form).reading for form in forms_of(sides))
    ways = ways_stated(sides, prepared.texts)
    found += [ways.forward, ways.reverse, ways.explained, ways.otherwise, ways.joined, ways.leads]
    return (*found, *explained(prepared, sides, ways), 1.0)


def side_readings(prepared: Prepared) -> tuple[float, ...]:
    """Eight numbers of one reading each, for heads that are trained on them.

    The claim's logits; by how much more its reverse is entailed; the logits of effect and cause; whether both are
    named.
    """
    found = [*_means([prepared.reading(prepared.claim)])]
    sides = prepared.sides
    if sides is None:
        return (*found, *(0.0,) * 6)
    turned = because(sides.cause, sides.effect)
    found.append(max(0.0, _means([prepared.reading(turned)])[0] - found[0]))
    for side in (sides.effect, sides.cause):
        found += _means([prepared.reading(as_sentence(side))])
    return (*found, 1.0)


def forms_of(sides: CauseAndEffect) -> tuple[str, ...]:
    """A claim in four plain forms.

    Examples
    --------
    >>> from fallax.causality.systems.acting import sides_of
    >>> for form in forms_of(sides_of("Road salt killed the maples.")):
    ...     print(form)
    The maples died because of road salt.
    Road salt led to this: the maples died.
    Because of road salt, the maples died.
    The maples died. This is because of road salt.
    """
    cause, effect, why = as_sentence(sides.cause)[:-1], as_sentence(sides.effect)[:-1], reason(sides.cause)
    so = " led to this:" if why.startswith("of ") else ", so"
    return (
        because(sides.effect, sides.cause),
        f"{cause}{so} {inside(effect)}.",
        f"Because {why}, {inside(effect)}.",
        f"{effect}. This is because {why}.",
    )


def explained(prepared: Prepared, sides: CauseAndEffect, ways: WaysStated) -> tuple[float, float]:
    """How far the evidence gives another cause for the effect, and how far a cause that the claimed one led to.

    Both in [0, 1]; where no link of the evidence has the effect, both are 0.
    """
    if ways.link is None or ways.explained < _EXPLAINS:
        return 0.0, 0.0
    model = prepared.of_claims
    given, claimed = as_sentence(ways.link.cause), as_sentence(sides.cause)
    logits = (
        model.read([claimed], given).entailed,
        model.read([given], claimed).entailed,
        prepared.read_claim(because(ways.link.cause, sides.cause)).reading.entailed,
    )
    led = max(ways.cause_held, *(1.0 / (1.0 + math.exp(-_held(x))) for x in logits))
    return ways.explained * (1.0 - led), ways.explained * led


def _means(readings: Iterable[PairReading]) -> tuple[float, float]:
    """The mean logits of "entailed" and "contradicted"."""
    both = [(r.entailed, r.contradicted) for r in readings]
    entailed, contradicted = (math.fsum(column) / len(both) for column in zip(*both, strict=True))
    return _held(entailed), _held(contradicted)


def _held(x: float) -> float:
    return max(-5.0, min(5.0, x))

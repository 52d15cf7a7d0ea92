"""How far evidence states ways between the two sides of a claim, as shares of their words in [0, 1]."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from fallax.causality.systems.clauses import CauseAndEffect
from fallax.causality.systems.stated import StatedWay, is_denied, share_of, stated_links
from fallax.core.texts.ranking import content_words

__all__ = ["WaysStated", "ways_stated"]

#: A link of which one side denies what the claim says, or the reverse, counts so much.
_OTHERWISE = 0.4
#: Each further link of a way costs a part of what it counts; a way has at most so many more.
_KEPT, _MORE = 0.9, 3
#: So many links are compared at most.
_MOST = 60


@dataclass(frozen=True, slots=True)
class WaysStated:
    """What evidence states around the two sides of a claim; all numbers are in [0, 1].

    Parameters
    ----------
    forward, reverse : the best way from cause to effect, and from effect to cause, over one link or several.
    explained : how much of the effect the link has as its effect that has most of it.
    otherwise : the same, of a link to which no way from the claimed cause leads.
    joined : how far the cause of that link shares a piece of evidence with the claimed cause.
    leads : how much of the claimed cause some link has as its cause.
    link : the link that has most of the effect, with the number of its text; None where the evidence states none.
    cause_held : how much of the claimed cause that link has as its cause.
    """

    forward: float = 0.0
    reverse: float = 0.0
    explained: float = 0.0
    otherwise: float = 0.0
    joined: float = 0.0
    leads: float = 0.0
    link: StatedWay | None = None
    cause_held: float = 0.0


def ways_stated(sides: CauseAndEffect, texts: Sequence[str]) -> WaysStated:
    """How far texts state ways between two sides, by their words.

    Unlike :func:`~fallax.causality.systems.stated.stated_directions`, which decides, this measures.

    Examples
    --------
    >>> texts = ("Heavy rain broke the dam.", "The valley was flooded because the dam broke.")
    >>> found = ways_stated(CauseAndEffect("the dam broke", "the valley was flooded"), texts)
    >>> found.forward, found.reverse, found.link.cause
    (1.0, 0.0, 'the dam broke')
    """
    links = [replace(link, texts=(i,)) for i, text in enumerate(texts) for link in stated_links(text) if link.cause][
        :_MOST
    ]
    if not links:
        return WaysStated()
    words = [set(content_words(text)) for text in texts]
    cause, effect = _Side(sides.cause, sides.effect), _Side(sides.effect, sides.cause)
    as_effect = np.array([effect.held(link.effect) for link in links])
    as_cause = np.array([cause.held(link.cause) for link in links])
    next_to = _joins(links)
    from_cause = _reached(as_cause, next_to)
    from_effect = _reached(np.array([effect.held(link.cause) for link in links]), next_to)
    k = int(as_effect.argmax())
    own = set(content_words(links[k].cause)) - effect.words
    joined = (
        share_of(cause.words, said) * share_of(own, said - effect.words)
        for i, said in enumerate(words)
        if i not in links[k].texts
    )
    return WaysStated(
        forward=float((as_effect * from_cause).max()),
        reverse=float((np.array([cause.held(link.effect) for link in links]) * from_effect).max()),
        explained=float(as_effect[k]),
        otherwise=float((as_effect * (1.0 - from_cause)).max()),
        joined=float(as_effect[k]) * max(joined, default=0.0),
        leads=float(as_cause.max()),
        link=links[k],
        cause_held=float(as_cause[k]),
    )


class _Side:
    """The words that one side has and the other has not; all of its words if that leaves none."""

    def __init__(self, own: str, other: str) -> None:
        words, others = set(content_words(own)), set(content_words(other))
        self.words = {w for w in words if not share_of({w}, others)} or words
        self._denied = is_denied(own)

    def held(self, text: str) -> float:
        """How much of the side a text has."""
        share = share_of(self.words, set(content_words(text)))
        return share if is_denied(text) == self._denied else share * _OTHERWISE


def _joins(links: Sequence[StatedWay]) -> np.ndarray:
    """How far the effect of each link (row) is the cause of each other one (column)."""
    causes = [set(content_words(link.cause)) for link in links]
    effects = [set(content_words(link.effect)) for link in links]
    found = np.array([[max(share_of(a, b), share_of(b, a)) for b in causes] for a in effects])
    np.fill_diagonal(found, 0.0)
    return found


def _reached(start: np.ndarray, joins: np.ndarray) -> np.ndarray:
    """How far each link is reached from what its own cause holds, over further links."""
    for _ in range(_MORE):
        start = np.maximum(start, _KEPT * (joins * start[:, None]).max(axis=0))
    return start

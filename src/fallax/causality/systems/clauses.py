"""Splits why-claims into cause and effect."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["CauseAndEffect", "cause_and_effect", "names_link", "opposite_of"]

#: Forms of why-claims with two sides, a and b, and whether a is the effect. The first form that fits is used.
_RULES: tuple[tuple[re.Pattern[str], bool], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE | re.DOTALL), effect_first)
    for pattern, effect_first in (
        (r"^(?P<a>.+?)[.,;]?\s+this is because:?\s+(?P<b>.+)$", True),
        (r"^(?:the (?:only )?reason (?:why |that |for )?)(?P<a>.+?) (?:is|was) (?:that |because )?(?P<b>.+)$", True),
        (r"^(?:because of|owing to|due to|thanks to|as a result of|because|since|as)\s+(?P<a>[^,]+),\s+(?P<b>.+)$", False),
        (r"^(?P<a>.+?),?\s+(?:because of|because|owing to|due to|thanks to|as a result of|on account of|for the reason that)\s+(?P<b>.+)$", True),
        (r"^(?P<a>.+?)\s+(?:was|were|is|are|has been|had been)\s+(?:caused|brought about|triggered|produced|driven) by\s+(?P<b>.+)$", True),
        (r"^(?P<a>.+?)\s+(?:was|were|is|are)\s+(?:the|a) (?:result|consequence|effect) of\s+(?P<b>.+)$", True),
        (r"^(?P<a>.+?)\s+(?:resulted|stemmed|followed) from\s+(?P<b>.+)$", True),
        (r"^(?P<a>.+?)\s+(?:caused|causes|led to|leads to|resulted in|results in|brought about|triggered|made)\s+(?P<b>.+)$", False),
        (r"^(?P<a>.+?),\s+(?:so|and so|and therefore|and as a result|which is why|and that is why)\s+(?P<b>.+)$", False),
        (r"^(?P<a>.+?),?\s+since\s+(?P<b>.+)$", True),
    )
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class CauseAndEffect:
    """The two sides of a why-claim, in its own words."""

    cause: str
    effect: str


def cause_and_effect(claim: str) -> CauseAndEffect | None:
    """The cause and effect of a claim; None if no word tells which is which.

    Examples
    --------
    >>> cause_and_effect("The valley flooded because the dam broke.")
    CauseAndEffect(cause='the dam broke', effect='The valley flooded')
    >>> cause_and_effect("The frost led to a poor harvest.").cause
    'The frost'
    >>> cause_and_effect("The valley grows plums.") is None
    True
    """
    text = " ".join(claim.split()).rstrip(" .!?")
    for pattern, effect_first in _RULES:
        if m := pattern.match(text):
            a, b = m["a"].strip(" ,"), m["b"].strip(" ,")
            if a and b:
                return CauseAndEffect(b, a) if effect_first else CauseAndEffect(a, b)
    return None


#: Words that state or suggest that one thing caused or prevented another.
_LINK = re.compile(
    r"\b(?:because|since|as a result|so|led|lead(?:s|ing)?|caus\w+|makes?|made|making|due|owing|result\w*|therefore|thus|hence|"
    r"forc\w+|prevent\w*|when|whenever|after|if|unless|without|enough|too|let|lets|letting|allow\w*|keep\w*|kept|dr[oi]ve\w*|"
    r"trigger\w*|brought|bring\w*|reason|why|stop\w*|cannot|until|thanks|blam\w+|explain\w*|mean\w*|meant|contribut\w*|consequen\w*|stem\w*|arises?|arose|arising|produc\w*|through|effects?)\b",
    re.IGNORECASE,
)


def names_link(text: str) -> bool:
    """Whether a text has a word that states or suggests a link between cause and effect.

    Examples
    --------
    >>> names_link("The tug hit the quay so hard that a beam broke."), names_link("A tug hit the quay on Monday.")
    (True, False)
    """
    return _LINK.search(text) is not None


_AUXILIARY = "is|are|was|were|has|have|had|will|would|can|could|should|must|may|might|do|does|did"
_DENIED = re.compile(rf"\b(?P<aux>{_AUXILIARY})(?:\s+not|n['’]t)\b", re.IGNORECASE)
_SAID = re.compile(rf"\b(?:{_AUXILIARY})\b", re.IGNORECASE)
_OTHER_DENIAL = re.compile(r"\b(?:no|not|never|nobody|nothing|none|neither|nor|without)\b|n['’]t\b", re.IGNORECASE)


def opposite_of(side: str) -> str | None:
    """Negate a side of a claim, or remove its only negation; None if neither is possible.

    Examples
    --------
    >>> opposite_of("The valley was not flooded."), opposite_of("The valley was flooded."), opposite_of("It rained.")
    ('The valley was flooded.', 'The valley was not flooded.', None)
    >>> opposite_of("Nobody came.") is None
    True
    """
    if len(found := list(_DENIED.finditer(side))) == 1 and len(_OTHER_DENIAL.findall(side)) == 1:
        return side[: found[0].end("aux")] + side[found[0].end() :]
    match = _SAID.search(side)
    return None if match is None or _OTHER_DENIAL.search(side) else f"{side[: match.end()]} not{side[match.end() :]}"

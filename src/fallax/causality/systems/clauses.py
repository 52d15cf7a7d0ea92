"""Splits why-claims into cause and effect."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["CauseAndEffect", "affirmed_link", "cause_and_effect", "is_named", "names_link", "opposite_of"]

#: "Since" before a time, and "as" in fixed phrases, name no cause.
_SINCE = r"since(?! (?:\d{4}\b|\d\d? [a-z]+ \d{4}|then|last|january|february|march|april|may|june|july|august|september|october|november|december))"
_AS = r"as(?! (?:expected|of|usual|a|an|before|always|part|well|for|in|planned|announced|reported|many|much|soon|long|far)\b)"
_OF = r"because of|due to|owing to|thanks to|as a result of|on account of"
_WHY = r"which is why|that is why|this is why|therefore|thus|hence|consequently|as a result|as a consequence|for (?:this|that) reason"
_BE = r"is|are|was|were|has been|have been|had been"
#: Forms of why-claims with two sides, a and b, and whether a is the effect. The first form that fits is used.
_RULES: tuple[tuple[re.Pattern[str], bool], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE | re.DOTALL), effect_first)
    for pattern, effect_first in (
        (r"^(?P<a>.+?)[.,;]?\s+this is because:?\s+(?P<b>.+)$", True),
        (rf"^(?P<a>.+?)[.;]\s+(?:and )?(?:so(?! that)|because of (?:this|that)|{_WHY}),?\s+(?P<b>.+)$", False),
        (rf"^it (?:is|was) (?:{_OF}|because) (?P<a>.+?) that (?P<b>.+)$", False),
        (r"^what (?:caused|led to|brought about|triggered) (?P<a>.+?) (?:is|was|were) (?P<b>.+)$", True),
        (r"^(?:the|one) (?:\w+ )?reason (?:why |that |for |behind )?(?P<a>.+?) (?:is|was) (?:that|because) (?P<b>.+)$", True),
        (r"^(?:the|one) (?:\w+ )?reason (?:for|behind) (?P<a>.+?) (?:is|was) (?P<b>.+)$", True),
        (r"^(?:the|one) (?:\w+ )?reason (?:why |that )?(?P<a>.+) (?:is|was) (?P<b>.+)$", True),
        (rf"^(?:{_OF}|because|{_SINCE}|{_AS})\s+(?P<a>[^,]+),\s+(?P<b>.+)$", False),
        (r"^(?P<a>.+?),?\s+not because (?:of )?.+?,?\s+but because (?:of )?(?P<b>.+)$", True),
        (rf"^(?P<a>.+?)\s+(?:{_BE})\s+(?:{_OF})\s+(?P<b>.+)$", True),
        (rf"^(?P<a>.+?),?\s+(?:{_OF}|because|for the reason that)\s+(?P<b>.+)$", True),
        (rf"^(?P<a>.+?)\s+(?:{_BE})\s+(?:caused|brought about|triggered|produced|driven) by\s+(?P<b>.+)$", True),
        (r"^(?P<a>.+?)\s+(?:was|were|is|are)\s+(?:the|a) (?:result|consequence|effect) of\s+(?P<b>.+)$", True),
        (r"^(?P<a>.+?)\s+(?:resulted|stemmed|followed) from\s+(?P<b>.+)$", True),
        (r"^(?P<a>.+?)\s+(?:caused|causes|led to|leads to|resulted in|results in|brought about|triggered|made)\s+(?P<b>.+)$", False),
        (rf"^(?P<a>.+?),\s+(?:and )?(?:so(?! that)|{_WHY}),?\s+(?P<b>.+)$", False),
        (r"^(?P<a>.+?)\s+and (?:so|therefore|thus|as a result|consequently)\s+(?P<b>.+)$", False),
        (rf"^(?P<a>.+?),?\s+{_SINCE}\s+(?P<b>.+)$", True),
    )
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class CauseAndEffect:
    """The two sides of a why-claim, in its own words."""

    cause: str
    effect: str


_BRACKETED = re.compile(r" \((because [^()]+)\)$", re.IGNORECASE)
#: A second cause.
_SECOND = re.compile(r",? and because (?:of )?", re.IGNORECASE)
#: Claims that one thing is not the cause of another: the denial, and what stands for it without one.
_LINK_DENIED = re.compile(
    r"\b(?:(?P<be>is|are|was|were)(?: not|n['’]t)(?= (?:caused by|brought about by|triggered by|due to|because of|"
    r"the (?:cause|result|consequence) of))|(?P<do>did|does|do)(?: not|n['’]t) (?P<verb>cause|lead to|result in|trigger))\b",
    re.IGNORECASE,
)
_AFFIRMED = {"cause": "caused", "lead to": "led to", "result in": "resulted in", "trigger": "triggered"}
_PRESENT = {"cause": "causes", "lead to": "leads to", "result in": "results in", "trigger": "triggers"}


def affirmed_link(claim: str) -> str | None:
    """A claim that denies a cause without its denial; None if it denies none.

    Examples
    --------
    >>> affirmed_link("The dam did not cause the flood."), affirmed_link("The flood was not due to rain.")
    ('The dam caused the flood.', 'The flood was due to rain.')
    >>> affirmed_link("The valley was not flooded because the dam held.") is None
    True
    """
    found = _LINK_DENIED.search(claim)
    if found is None:
        return None
    said = found["be"]
    if said is None:
        forms = {"did": _AFFIRMED, "does": _PRESENT}.get(found["do"].lower(), {})
        said = forms.get(found["verb"].lower(), found["verb"])
    return claim[: found.start()] + said + claim[found.end() :]


def cause_and_effect(claim: str) -> CauseAndEffect | None:
    """The cause and effect of a claim; None if no word tells which is which.

    Examples
    --------
    >>> cause_and_effect("The valley flooded because the dam broke.")
    CauseAndEffect(cause='the dam broke', effect='The valley flooded')
    >>> cause_and_effect("The frost led to a poor harvest.").cause
    'The frost'
    >>> cause_and_effect("The reason the valley was flooded was that the dam broke.").effect
    'the valley was flooded'
    >>> cause_and_effect("The valley grows plums.") is None
    True
    """
    text = _BRACKETED.sub(r" \1", " ".join(claim.split()).rstrip(" .!?"))
    if _LINK_DENIED.search(text):
        return None
    for pattern, effect_first in _RULES:
        if m := pattern.match(text):
            a, b = m["a"].strip(" ,"), _SECOND.sub(" and ", m["b"]).strip(" ,")
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


_FINITE = re.compile(
    rf"\b(?:{_AUXILIARY}|\w{{2,}}ed|\w{{2,}}[^s\W]s|broke|came|fell|rose|grew|gave|took|went|left|lost|won|met|got|made|held|kept|"
    r"froze|blew|burst|cut|hit|put|set|shut|sold|bought|told|sent|ran|led|began|became|I|he|she|it|they|we|you)\b|n['’]t\b",
    re.IGNORECASE,
)


def is_named(side: str) -> bool:
    """Whether a side of a claim only names a thing, without a verb that says something of it.

    Examples
    --------
    >>> is_named("the leaking dam"), is_named("the dam leaked"), is_named("nobody inspects it")
    (True, False, False)
    """
    return _FINITE.search(side) is None

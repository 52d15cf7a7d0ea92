"""What a claim says that gives one cause and denies another ("It was not the rain but the wind that ...")."""

from __future__ import annotations

import re

__all__ = ["without_contrast"]

_LONGEST = 2000
_NAMED = r"(?:(?:the|an?|this|that|these|those|his|her|its|their|our|my|your)\b|(?-i:[A-Z]))"
_ONLY = r"(?!only\b|just\b|merely\b|simply\b|so much\b|all\b|every|until\b|because\b|due\b)"
_DENIED = rf"(?:and )?not {_ONLY}{_NAMED}[^,;]{{0,80}}?"
#: Words of a noun phrase.
_WORDS = r"(?:(?! (?:is|are|was|were|has|have|had|did|do|does)\b)[^,;]){0,60}?"
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        # "It was not X but Y that did it"
        rf"^(?P<head>it (?:is|was) )(?P<denied>not {_ONLY}[^,;]{{1,80}}?),? but (?:rather )?"
        r"(?P<rest>.{1,80}? (?:that|which|who) .+)$",
        # "It was Y, not X, that did it"
        rf"^(?P<head>it (?:is|was) [^,;]{{1,80}}?),? (?P<denied>{_DENIED}),? (?P<rest>(?:that|which|who) .+)$",
        # "Not X but Y did it"
        rf"^(?P<denied>not {_ONLY}{_NAMED}{_WORDS}) but (?:rather )?(?P<rest>{_NAMED}.+)$",
        # "Y, not X, did it"
        rf"^(?P<head>{_NAMED}[^,;]{{0,80}}), (?P<denied>{_DENIED}),(?P<rest> .+)$",
        # "It was done by Y, not X"
        rf"^(?P<head>{_NAMED}[^,;]{{1,200}}), (?P<denied>(?:and )?not (?:by |from |through )?{_NAMED}[^,;]{{0,80}}?)"
        r"(?P<rest>[.!]?)$",
    )
)


def without_contrast(claim: str) -> tuple[str, str]:
    """What a claim says without the cause that it denies beside the one it gives, and what it denies; "" if nothing.

    Examples
    --------
    >>> without_contrast("It was not the rain but the wind that felled the oak.")
    ('It was the wind that felled the oak.', 'not the rain')
    >>> without_contrast("Not the rain but the wind felled the oak.")
    ('The wind felled the oak.', 'Not the rain')
    >>> without_contrast("The wind, not the rain, felled the oak.")
    ('The wind felled the oak.', 'not the rain')
    >>> without_contrast("The oak fell because of the wind.")
    ('The oak fell because of the wind.', '')
    """
    text = " ".join(claim.split())
    if len(text) > _LONGEST:
        return claim, ""
    for form in _FORMS:
        if found := form.search(text):
            parts = found.groupdict()
            head, rest = parts.get("head") or "", parts["rest"]
            between = " " if head and rest[:1].isalpha() and not head.endswith(" ") else ""
            said = head + between + rest
            return said[:1].upper() + said[1:], parts["denied"]
    return claim, ""

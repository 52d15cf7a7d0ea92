"""What a claim says that gives one cause and denies another ("It was not the rain but the wind that ...")."""

from __future__ import annotations

import re

from fallax.causality.systems.clauses import is_named, without_denied_cause
from fallax.core.texts.broader import parts_of

__all__ = ["without_contrast"]

_LONGEST = 2000
_NAMED = r"(?:(?:the|an?|this|that|these|those|his|her|its|their|our|my|your)\b|(?-i:[A-Z]))"
_ONLY = r"(?!only\b|just\b|merely\b|simply\b|so much\b|all\b|every|until\b|because\b|due\b)"
_DENIED = rf"(?:and )?not {_ONLY}{_NAMED}[^,;]{{0,80}}?"
#: The same without an article ("not fog"): a few words without a verb.
_BARE = (
    rf"(?:and )?not {_ONLY}(?:(?:by|from|through) )?(?P<bare>(?!(?:in|on|at|for|as|with|without|until|before|after|yet|"
    r"always|much|even|far|to|of|that|when|if|having|being|knowing)\b)[a-z][\w'’-]*(?: [\w'’-]+){0,3}?)"
)
#: Words of a noun phrase.
_WORDS = r"(?:(?! (?:is|are|was|were|has|have|had|did|do|does)\b)[^,;]){0,60}?"
_CAUSE_LINK = r"(?:because of|due to|owing to|as a result of|caused by|thanks to)"
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        # "It was not X but Y that did it"
        rf"^(?P<head>it (?:is|was) )(?P<denied>not {_ONLY}[^,;]{{1,80}}?),? but (?:rather )?"
        r"(?P<rest>.{1,80}? (?:that|which|who) .+)$",
        # "It was Y, not X, that did it"
        rf"^(?P<head>it (?:is|was) [^,;]{{1,80}}?),? (?P<denied>{_DENIED}|{_BARE}),? (?P<rest>(?:that|which|who) .+)$",
        # "The reason was not X but Y"
        r"^(?P<head>(?:the|an?|one|another)(?: \w+)? (?:reason|cause)s?\b[^,;]{0,80} (?:is|was|are|were) )"
        rf"(?P<denied>not {_ONLY}[^,;]{{1,80}}?),? but (?:rather )?(?P<rest>[^,;]+)$",
        # "Not X but Y did it"
        rf"^(?P<denied>not {_ONLY}{_NAMED}{_WORDS}) but (?:rather )?(?P<rest>{_NAMED}.+)$",
        # "Y, not X, did it"
        rf"^(?P<head>{_NAMED}[^,;]{{0,80}}), (?P<denied>{_DENIED}|{_BARE}),(?P<rest> .+)$",
        # "It was done by Y, not X"
        rf"^(?P<head>{_NAMED}[^,;]{{1,200}}), "
        rf"(?P<denied>(?:and )?not (?:by |from |through )?{_NAMED}[^,;]{{0,80}}?|{_BARE})(?P<rest>[.!]?)$",
        # "Rather than X, Y did it"
        rf"^(?P<denied>(?:rather than|instead of) [^,;]{{1,60}}), (?P<rest>{_NAMED}.+|[a-z].+)$",
        # "because of Y rather than X"
        rf"^(?P<head>.{{1,200}} {_CAUSE_LINK} [^,;]{{1,80}}?),? (?P<denied>(?:rather than|instead of) [^,;]{{1,60}}?)"
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
    >>> without_contrast("Grief, not fear, made the widow weep.")
    ('Grief made the widow weep.', 'not fear')
    >>> without_contrast("The oak did not fall because of the rain, but because of the wind.")
    ('The oak fell because of the wind.', 'not because of the rain')
    >>> without_contrast("The oak fell because of the wind.")
    ('The oak fell because of the wind.', '')
    """
    text = " ".join(claim.split())
    if len(text) > _LONGEST:
        return claim, ""
    for form in _FORMS:
        if found := form.search(text):
            parts = found.groupdict()
            if (bare := parts.get("bare")) and not _is_noun_phrase(bare):
                continue
            head, rest = parts.get("head") or "", parts["rest"]
            between = " " if head and rest[:1].isalpha() and not head.endswith(" ") else ""
            said = head + between + rest
            return said[:1].upper() + said[1:], parts["denied"]
    said, denied = without_denied_cause(text)
    return (said, denied) if denied else (claim, "")


def _is_noun_phrase(words: str) -> bool:
    return is_named(words, plurals=True) and "n" in parts_of(words.split()[-1])

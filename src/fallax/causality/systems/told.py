"""Tells a line of evidence that gives a cause as a value ("Cause of the fire: a faulty heater") as a sentence."""

from __future__ import annotations

import re

from fallax.causality.systems.prepared import as_sentence, inside, reason

__all__ = ["told_cause"]

_LINE = re.compile(
    r"(?:the )?(?:(?:main|root|key|primary|principal|chief|direct|immediate|official|only|given|stated) )?"
    r"(?:cause|reason)s?(?: (?:of|for|behind) (?P<effect>[^:?]{1,80}))?:[ \t]{1,4}(?P<cause>[^:?]{2,200})",
    re.IGNORECASE,
)
#: Such a value gives no cause.
_UNKNOWN = re.compile(
    r"\b(?:unknown|unclear|not (?:yet )?(?:known|given|stated|clear)|none|n/a|tbc|tbd|pending|investigat\w+|to be)\b",
    re.IGNORECASE,
)
_BECAUSE = re.compile(r"^(?:because of|because|due to|owing to) ", re.IGNORECASE)


def told_cause(text: str) -> str:
    """A line that gives a cause or reason as its value, as a sentence with "because"; any other text as it stands.

    Examples
    --------
    >>> told_cause("Cause of the fire: a faulty heater"), told_cause("Main cause: The crew was ill.")
    ('The fire happened because of a faulty heater.', 'This happened because the crew was ill.')
    >>> told_cause("Cause of the fire: unknown")
    'Cause of the fire: unknown'
    """
    found = _LINE.fullmatch(text.strip())
    if found is None or _UNKNOWN.search(found["cause"]):
        return text
    cause = reason(inside(_BECAUSE.sub("", found["cause"])))
    return f"{as_sentence(found['effect'] or 'this')[:-1]} happened because {cause}."

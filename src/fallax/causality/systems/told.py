"""Tells a line of evidence that gives a cause as a value ("Cause of the fire: a faulty heater") as a sentence."""

from __future__ import annotations

import re

from fallax.causality.systems.clauses import is_named
from fallax.causality.systems.prepared import inside

__all__ = ["told_cause"]

_LINE = re.compile(
    r"(?:the )?(?P<name>(?:(?:main|root|key|primary|principal|chief|direct|immediate|official|only|given|stated) )?"
    r"(?:cause|reason)(?P<several>s)?(?: (?:of|for|behind) [^:?]{1,80})?):[ \t]{1,4}(?P<value>[^:?]{2,200})",
    re.IGNORECASE,
)
#: Such a value gives no cause.
_UNKNOWN = re.compile(
    r"\b(?:unknown|unclear|not (?:yet )?(?:known|given|stated|clear)|none|n/a|tbc|tbd|pending|investigat\w+|to be)\b",
    re.IGNORECASE,
)


def told_cause(text: str) -> str:
    """A line that gives a cause or reason as its value, as a sentence; any other text as it stands.

    Examples
    --------
    >>> told_cause("Cause of the fire: a faulty heater"), told_cause("Reason for the delay: The crew was ill.")
    ('The cause of the fire was a faulty heater.', 'The reason for the delay was that the crew was ill.')
    >>> told_cause("Cause of the fire: unknown")
    'Cause of the fire: unknown'
    """
    found = _LINE.fullmatch(text.strip())
    if found is None or _UNKNOWN.search(found["value"]):
        return text
    value = found["value"].rstrip(" .")
    value = inside(value)
    that = "" if is_named(value, plurals=True) else "that "
    return f"The {found['name'][0].lower()}{found['name'][1:]} {'were' if found['several'] else 'was'} {that}{value}."

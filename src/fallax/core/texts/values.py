"""Tells a line that names something and gives its value ("Next meeting: 11 June") as a sentence."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from fallax.core.texts.broader import is_broader, parts_of
from fallax.core.texts.verbs import states

__all__ = ["told_name", "told_values"]

_NAMED = re.compile(
    r"(?P<name>[A-Z][a-z]{1,20}(?: [a-z]{1,20}){0,3}):[ \t]{1,4}(?P<value>(?:[A-Z0-9]|[£$€]\d)[^\r\n?:“”\"]{0,119})"
)
#: What somebody says is no value.
_SAID = re.compile(r"\b(?:I|we|you|me|us|my|our|your|yes|no|never|please|thanks?|sorry)\b", re.IGNORECASE)
_MOST_WORDS = 12
#: Names of somebody, with a title or without.
_NAMES = re.compile(r"(?:[A-Z][\w.'’-]* ){1,4}[A-Z][\w'’-]*[.,;]?(?: |\Z)")
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|June?|July?|Aug|Sept?|Oct|Nov|Dec)[a-z]*\.?"
#: A day, and a month, that something is on or in.
_DAY = re.compile(
    rf"(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b|\d{{1,2}}(?:st|nd|rd|th)? {_MONTH}|{_MONTH} \d{{1,2}}\b)"
)
_IN_MONTH = re.compile(rf"{_MONTH}(?: \d{{4}})?\W*\Z")


def told_name(text: str) -> tuple[str, int] | None:
    """How a line that names something and gives its value begins as a sentence, and where its value begins.

    The name is a noun in small letters but for the first, with up to three words before it; the value begins with a
    capital letter, a digit or a sum, has at most twelve words and no verb. None for any other line, such as what a
    speaker says.

    Examples
    --------
    >>> told_name("Next meeting: 11 June."), told_name("Opening hours: 9 to 5")
    (('The next meeting is on ', 14), ('The opening hours are ', 15))
    >>> told_name("Lopez: No comment."), told_name("Note: Tickets are sold at the door.")
    (None, None)
    """
    found = _NAMED.fullmatch(text)
    if found is None:
        return None
    name, value = found["name"], found["value"]
    noun = name.rpartition(" ")[2].lower()
    if " " not in name and is_broader("person", noun) and not _NAMES.match(value):
        return None  # "Client: Speaking."
    if "n" not in parts_of(noun) or len(value.split()) > _MOST_WORDS or states(value) or _SAID.search(value):
        return None
    several = noun.endswith("s") and not noun.endswith(("ss", "us", "is"))
    when = "on " if _DAY.match(value) else "in " if _IN_MONTH.match(value) else ""
    return f"The {name[0].lower()}{name[1:]} {'are' if several else 'is'} {when}", found.start("value")


def told_values(texts: Sequence[str]) -> tuple[str, ...]:
    """The same texts with each such line as a sentence, unless its name stands before several: then they are turns.

    Examples
    --------
    >>> told_values(["Next meeting: 11 June.", "Client: Good Morning.", "Client: Sounds Fine.", "It rained."])
    ('The next meeting is on 11 June.', 'Client: Good Morning.', 'Client: Sounds Fine.', 'It rained.')
    """
    begins = Counter(text.partition(":")[0] for text in texts if ":" in text)
    found = []
    for text in texts:
        told = told_name(text) if begins[text.partition(":")[0]] == 1 else None
        found.append(text if told is None else told[0] + text[told[1] :])
    return tuple(found)

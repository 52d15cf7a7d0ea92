"""Finds who says which sentence of a transcript, interview or chat."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from fallax.core.texts.lines import TURN

__all__ = ["behind_speaker", "speakers_of"]

_TIME = r"(?:[\[(]?(?:\d[\d/.,-]{1,12},? )?\d{1,2}:\d\d(?::\d\d)?(?: ?[AaPp][Mm])?[\])]?(?: -)? )?"
_HEAD = re.compile(rf"{_TIME}(?P<name>[^\W\d_][\w.'’@-]{{0,30}}(?: [^\Wa-z_][\w.'’@-]{{0,30}}){{0,4}}):\s")
#: What stands before a colon again and again and names nobody.
_NO_NAME = re.compile(
    r"(?:unidentified|unknown)?(?: ?speaker)? ?\d*|notes?|actions?|decisions?|resolved|agreed|items?|dates?|times?"
    r"|venue|place|price|cost|steps?|tips?|warning|example|figure|table|source|update|summary|topic|subject|title|task"
    r"|rule|part|section|chapter|day|week|year|total|result|pros?|cons?|yes|no|but|and|so",
    re.IGNORECASE,
)
#: So many lines of a text begin with a name at least, and one name comes back.
_LEAST = 3


def behind_speaker(text: str) -> int:
    """Where what is said begins in a sentence or line with a speaker's name, perhaps behind a time; 0 for any other.

    Examples
    --------
    >>> [behind_speaker(s) for s in ("PhD C: The beam is bent.", "[10:02] Eva: No.", "The beam is bent.")]
    [7, 13, 0]
    """
    found = _HEAD.match(text)
    return found.end() if found and TURN.match(text) else 0


def speakers_of(texts: Sequence[str], goes_on: Sequence[bool] | None = None) -> tuple[str, ...]:
    """The name of who says each sentence of a text; empty where no speaker's name is given.

    A transcript has at least two names, three lines that begin with one, and a name that comes back. Words such as
    "Action" or "Note" are no names, nor is "Speaker 2".

    Parameters
    ----------
    texts : the sentences, in order.
    goes_on : of each, whether it stands in the same line as the one before it, so that the same speaker says it; none
        by default.

    Examples
    --------
    >>> said = ["Lee: No.", "We lost nine.", "Cox: Why?", "Lee: It was the cold.", "They left."]
    >>> speakers_of(said, [False, True, False, False, False])
    ('Lee', 'Lee', 'Cox', 'Lee', '')
    >>> speakers_of(["Note: Doors close at ten.", "Note: No dogs.", "Price: Free."])
    ('', '', '')
    """
    names = [_name_in(text) for text in texts]
    counts = Counter(filter(None, names))
    if len(counts) < 2 or counts.total() < _LEAST or max(counts.values()) < 2:
        return ("",) * len(texts)
    found: list[str] = []
    for i, name in enumerate(names):
        found.append(name or (found[-1] if found and goes_on is not None and goes_on[i] else ""))
    return tuple(found)


def _name_in(text: str) -> str:
    found = _HEAD.match(text) if behind_speaker(text) else None
    return "" if found is None or _NO_NAME.fullmatch(found["name"]) else found["name"]

"""Writes the quantities and titles of a claim as a document writes them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fallax.core.texts import hidden_in, normal_form, told_edits
from fallax.faithfulness.systems.amounts import equal_amounts
from fallax.faithfulness.systems.numerals import SCALES
from fallax.faithfulness.systems.surface import NUMBERS

__all__ = ["Rewritten", "rewritten_as_in"]

#: Of these kinds what is counted must be named alike.
_COUNTED = ("count", "share", "score", "times")
#: "Six-month" is no "six months".
_ATTRIBUTE = re.compile(rf"(?:\d|\b(?!(?:{'|'.join(NUMBERS)})-(?:{'|'.join(NUMBERS)})\b)[a-z]+)-(?:[a-z]|$)")
_SHORT = {
    "capt": "captain", "cllr": "councillor", "col": "colonel", "dr": "doctor", "gen": "general", "gov": "governor",
    "lt": "lieutenant", "mr": "mister", "pres": "president", "prof": "professor", "rep": "representative",
    "rev": "reverend", "sen": "senator", "sgt": "sergeant", "supt": "superintendent",
}  # fmt: skip
#: The nineties, as no age of somebody, and years of a decade.
_TENS = {f"{ten.removesuffix('y')}ies": str(n // 10) for ten, n in NUMBERS.items() if n >= 20}
_DECADE = re.compile(rf"(?<=\bthe )({'|'.join(_TENS)})\b", re.IGNORECASE)
_YEARS = re.compile(r"\b(?:1\d|20)([2-9])0s\b")
_TITLE = "|".join(sorted({*_SHORT, *_SHORT.values()}))
_TITLED = re.compile(rf"\b((?i:{_TITLE}))\b\.?[ \t]{{1,4}}(?=([A-Z]\w{{1,40}}))")


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A text of which parts were replaced.

    Parameters
    ----------
    text : the new text.
    swaps : (start, end, old start, old end) of each part that was replaced, in order: half-open offsets into the new
        and into the old text.
    """

    text: str
    swaps: tuple[tuple[int, int, int, int], ...] = ()

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Where something of the new text stands in the old one; the whole part for what lies in a replaced one.

        Examples
        --------
        >>> found = rewritten_as_in("It cost 2,000 dollars in May.", ["It cost two thousand dollars."])
        >>> at = found.text.index("May")
        >>> found.text, found.place(at, at + 3), found.place(8, 11)
        ('It cost two thousand dollars in May.', (25, 28), (8, 21))
        """
        first, last = start, end
        for a, b, old_a, old_b in self.swaps:
            if b <= start:
                first = start + old_b - b
            elif a <= start:
                first = old_a
            if b < end or (a < b == end):
                last = end + old_b - b
            elif a < end:
                last = old_b
        return first, last


def rewritten_as_in(claim: str, sentences: Sequence[str]) -> Rewritten:
    """A claim with each quantity, and each title of a name, in the words of a sentence that has the same one.

    What readers do not see is left out, and a line such as "Next meeting: 11 June" is told as a sentence.

    A model reads "1,500,000 euros" as another amount than "1.5 million euros", and "Councillor Tan" as somebody else
    than "Cllr Tan".

    Parameters
    ----------
    claim : one statement.
    sentences : all of the document.

    Examples
    --------
    >>> rewritten_as_in("They sold 1,500 boats.", ["The yard sold 1.5 thousand boats last year."]).text
    'They sold 1.5 thousand boats.'
    >>> rewritten_as_in("They sold 1,500 boats.", ["The yard sold 1.4 thousand boats last year."]).swaps
    ()
    >>> rewritten_as_in("Dr. Tan left.", ["Doctor Tan and Dr Wu left."]).text
    'Doctor Tan left.'
    """
    text, swaps, at = "", [], 0
    hidden = ((start, end, "") for start, end in hidden_in(claim))
    found = (
        *_told(claim, sentences),
        *_quantities(claim, sentences),
        *_decades(claim, sentences),
        *_titles(claim, sentences),
        *hidden,
    )
    for start, end, said in sorted(found):
        if start < at or (said and said.lower().split() == normal_form(claim[start:end]).lower().split()):
            continue
        written = (str.upper if claim[start].isupper() else str.lower)(said[:1]) + said[1:]
        text += claim[at:start]
        swaps.append((len(text), len(text) + len(written), start, end))
        text, at = text + written, end
    return Rewritten(text + claim[at:], tuple(swaps))


def _told(claim: str, sentences: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    begins = len(claim) - len(claim.lstrip())
    name = claim[begins:].partition(":")[0]
    if not any(s.startswith(f"{name}:") for s in sentences):  # else that is a speaker
        for start, end, words in told_edits(claim.strip()):
            yield begins + start, begins + end, words


def _quantities(claim: str, sentences: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    for q, said in equal_amounts(claim, sentences):
        if not (math.isfinite(q.low) and math.isfinite(q.high)) or q.kind == "ordinal":
            continue
        whole = claim[q.start : q.end] + claim[q.end : q.end + 1]
        if any(_ATTRIBUTE.search(text.lower()) for text in (whole, said)):
            continue
        if q.kind not in _COUNTED or _beside_number(claim[q.start : q.end]) == _beside_number(said):
            yield q.start, q.end, said


def _decades(claim: str, sentences: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    for found in _DECADE.finditer(claim):
        digit = _TENS[found[1].lower()]
        same = {m[0] for s in sentences for m in _YEARS.finditer(s) if m[1] == digit}
        if len(same) == 1:
            yield found.start(1), found.end(1), same.pop()


def _beside_number(quantity: str) -> list[str]:
    """The words of a quantity that tell no number."""
    words = re.findall(r"[^\W\d_]+", normal_form(quantity).lower())
    return [w for w in words if w not in NUMBERS and w not in SCALES and w not in ("a", "and")]


def _titles(claim: str, sentences: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    for found in _TITLED.finditer(claim):
        title = found[1].lower()
        same = [m[0] for s in sentences if found[2] in s for m in _TITLED.finditer(s)
                if m[2] == found[2] and _SHORT.get(m[1].lower(), m[1].lower()) == _SHORT.get(title, title)]  # fmt: skip
        if same and found[0].split() not in [s.split() for s in same]:
            yield found.start(), found.end(), same[0]

"""What a claim says caused what if it says what would have happened otherwise ("Had it not rained, ...")."""

from __future__ import annotations

import re

from fallax.causality.systems.clauses import CauseAndEffect, opposite_of
from fallax.core.texts.verbs import IRREGULAR_PARTICIPLES, IRREGULAR_PASTS

__all__ = ["supposed_sides"]

_OPENING = re.compile(
    r"(?P<without>without|but for|were it not for|if not for|had it not been for)\s+|(?P<had>had)\s+|(?P<if>if)\s+",
    re.IGNORECASE,
)
_INSIDE = re.compile(
    r",?\s(?:(?P<without>without|but for|were it not for|if not for|had it not been for)|(?P<had>had)|(?P<if>if))\s",
    re.IGNORECASE,
)
_WOULD = re.compile(r"\b(?:would|could|might)(?P<not>\s+not|n['’]t|\s+never)?\s+(?:(?P<have>have)|(?P<be>be))\b", re.I)
#: "All the same" denies the cause; words of "nobody" cannot be turned into what was.
_NOT_TURNED = re.compile(
    r"\b(?:all|just) the same\b|\banyway\b|\bstill\b|\beven\b|\balso\b|\b(?:nobody|nothing|none|neither|nor|hardly)\b",
    re.IGNORECASE,
)
_NO = re.compile(r"\bno\b", re.IGNORECASE)
#: What may begin a subject, where no preposition or "and" stands before it.
_SUBJECT = re.compile(
    r"(?<!\bof)(?<!\bin)(?<!\bon)(?<!\bat)(?<!\bto)(?<!\bfor)(?<!\bby)(?<!\bfrom)(?<!\bwith)(?<!\band)(?<!\bor)(?<!\bbetween)"
    r"(?<!\bunder)(?<!\bover)(?<!\bnear)(?<!\binto)(?<!\babove)(?<!\bbehind)(?<!\bafter)(?<!\bbefore)"
    r"\s(?P<subject>(?:the|an?|its|his|her|their|our|my|this|that|these|those|it|he|she|they|we|I|you|there)\b)",
    re.IGNORECASE,
)
_THERE = re.compile(r"there been no\s+", re.IGNORECASE)
_PARTICIPLE = re.compile(
    rf"\s(?:been|\w{{2,}}ed|{'|'.join(sorted({*IRREGULAR_PASTS, *IRREGULAR_PARTICIPLES}))})\b", re.IGNORECASE
)
_NEVER = re.compile(r"\s(?:not|never)\s", re.IGNORECASE)
_LONGEST = 2000


def supposed_sides(claim: str) -> CauseAndEffect | None:
    """The cause and the effect that a claim implies by saying what would have been without the cause.

    None if it does not say so, or if the two cannot be turned into what was.

    Examples
    --------
    >>> supposed_sides("Had the dam not leaked, the valley would not have been flooded.")
    CauseAndEffect(cause='the dam had leaked', effect='the valley had been flooded')
    >>> supposed_sides("Without the wind on the lake the boat would have sunk.")
    CauseAndEffect(cause='the wind on the lake', effect='the boat had not sunk')
    """
    text = " ".join(claim.split()).rstrip(" .!")
    if len(text) > _LONGEST or _NOT_TURNED.search(text):
        return None
    if found := _OPENING.match(text):
        without, comma, result = text[found.end() :].partition(", ")
        if not comma:
            begins = None if found["without"] is None else _result_begins(without)
            if begins is None:
                return None
            without, result = without[:begins].rstrip(), without[begins:]
    else:
        would = _WOULD.search(text)
        found = None if would is None else _INSIDE.search(text, would.end())
        if found is None:
            return None
        result, without = text[: found.start()], text[found.end() :]
    cause, effect = _cause(without, found), _real(result)
    return CauseAndEffect(cause, effect) if cause and effect else None


def _result_begins(text: str) -> int | None:
    """Where what would have been begins in what stands behind "without", if there is no comma between."""
    would = _WOULD.search(text)
    if would is None:
        return None
    found = [m.start("subject") for m in _SUBJECT.finditer(text, 0, would.start())]
    return found[-1] if found else None


def _real(result: str) -> str:
    """What was, of what would have been; empty if that cannot be said."""
    found = _WOULD.search(result)
    if found is None or _NO.search(result):
        return ""
    verb = "had" if found["have"] else "is"
    return result[: found.start()] + verb + ("" if found["not"] else " not") + result[found.end() :]


def _cause(without: str, found: re.Match[str]) -> str:
    """What was, of what is supposed not to have been; empty if that cannot be said."""
    if found["without"]:
        return without
    if found["if"]:
        return opposite_of(without) or ""
    if there := _THERE.match(without):
        return f"there was {without[there.end() :]}"
    if _NO.search(without):
        return ""
    if never := _NEVER.search(without):
        return f"{without[: never.start()]} had {without[never.end() :]}"
    participle = _PARTICIPLE.search(without)
    return "" if participle is None else f"{without[: participle.start()]} had not{without[participle.start() :]}"

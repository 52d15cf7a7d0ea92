"""Recognises what stands alone and claims nothing: headings, names, salutations, words that lead to what follows."""

from __future__ import annotations

import re
from itertools import pairwise

from fallax.core.texts.lines import ITEM, TURN
from fallax.core.texts.verbs import states

__all__ = ["PARAGRAPH", "greeting_end", "headings_in", "is_heading", "is_name", "only_leads"]

#: A paragraph ends at a blank line.
PARAGRAPH = re.compile(r"\S[^\r\n]*(?:(?>\r\n|[\r\n])[^\r\n]*\S[^\r\n]*)*")
#: A paragraph of at most so many words that ends in one of these greets somebody or leads to what follows.
_MOST_LEADING, _LEADS = 8, (",", ":")
#: A line of at most so many words in capitals that ends in none of these is a heading.
_MOST_IN_HEADING, _NO_HEADING = 5, (".", "!", "?", "…", ",", ";")
#: A paragraph or an item of so many words without a point names something, or signs.
_MOST_IN_NAME = 2
#: A first line that greets somebody: words of greeting with names or without, or names alone; none of the words that
#: may stand before a comma in a sentence is one.
_GREETING = re.compile(
    r"(?:(?i:dear|hi|hello|hey|greetings|good (?:morning|afternoon|evening|day))(?: [^\s,]{1,30}){0,5}"
    r"|(?!(?i:\w{1,30}ly|and|but|or|so|now|then|still|yet|yes|no|well|oh|look|listen|here|there|again|also|besides"
    r"|however|therefore|thus|hence|instead|otherwise|moreover|furthermore|nevertheless|nonetheless|indeed|anyway"
    r"|meanwhile|likewise|afterwards|today|tonight|tomorrow|yesterday|sometimes|often|always|never|maybe|perhaps"
    r"|first|second|third|next|last|of|in|on|at|by|for|from|to|with|without|after|before|since|until|during|as|if|when"
    r"|while|because|although|though|the|this|that|these|those|it|he|she|we|they|i|you)\b)"
    r"[A-Z][\w’'.-]{0,30}(?: (?:and |& )?[A-Z][\w’'.-]{0,30}){0,3}),(?=[ \t]{0,9}[\r\n]{1,2}[ \t]{0,9}\S)"
)
#: How a paragraph of whole sentences ends.
_SENTENCE_END = re.compile(r"[.!?…:;][\"”’')\]*_]*\Z")


def only_leads(sentence: str) -> bool:
    """Whether a few words greet somebody or lead to what follows: "Dear all,", "Key points:"."""
    return sentence.endswith(_LEADS) and len(sentence.split()) <= _MOST_LEADING


def greeting_end(text: str, start: int) -> int:
    r"""Where a line ends that only greets somebody, with more text below; ``start`` if it does not.

    Examples
    --------
    >>> greeting_end("Bob,\nyou lie.", 0), greeting_end("However,\nyou lie.", 0)
    (4, 0)
    """
    found = _GREETING.match(text, start)
    return found.end() if found else start


def is_name(sentence: str) -> bool:
    """Whether one or two words without a point name something, or sign."""
    return sentence[-1].isalnum() and len(sentence.split()) <= _MOST_IN_NAME and not TURN.match(sentence)


def is_heading(sentence: str) -> bool:
    """Whether a sentence is a heading in capitals."""
    if not sentence.isupper() or sentence.endswith(_NO_HEADING) or TURN.match(sentence):
        return False
    return all(len(line.split()) <= _MOST_IN_HEADING for line in sentence.splitlines())


def headings_in(text: str) -> tuple[tuple[int, int], ...]:
    r"""Start and end of the headings of a plain text: short lines without a point that a blank line follows.

    These are lines in capitals, one or two words, words that lead to what follows, and up to five words above a
    paragraph of whole sentences. The last paragraph, items of lists and lines that state something
    (:func:`fallax.core.texts.verbs.states`) are none.

    Examples
    --------
    >>> headings_in("Summary\n\nThe vote failed.\n\nWhat comes next\n\nFees rise.")
    ((0, 7), (27, 42))
    >>> headings_in("Fees rise in May\n\nThe mayor resigned")
    ()
    >>> headings_in("Taxes doubled\n\nThe mayor resigned.")
    ()
    """
    places = [m.span() for m in PARAGRAPH.finditer(text)]
    return tuple((a, b) for (a, b), (c, d) in pairwise(places) if _is_title(text[a:b], text[c:d].rstrip()))


def _is_title(line: str, below: str) -> bool:
    words = line.strip("*_ \t\u00a0\ufeff")  # the marks of emphasis in Markdown
    if not words or len(line.splitlines()) > 1 or ITEM.match(line) or states(words):
        return False
    if is_heading(words) or only_leads(words) or is_name(words):
        return True
    short = words[-1].isalnum() and len(words.split()) <= _MOST_IN_HEADING and not TURN.match(words)
    return short and not words[0].islower() and _SENTENCE_END.search(below) is not None

"""Splits sentences into claims, and detects input outside the model's training data."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fallax.core.texts import normal_form

__all__ = ["condition_in", "foreign_to", "said_word_for_word", "split_claims"]

_JOINT = re.compile(
    r";\s+|,\s+(?:and|but|while|whereas|yet)\s+(?=(?:the|a|an|its|his|her|their|it|he|she|they|there|[A-Z])\b)"
)
_VERB = re.compile(
    r"\b(?:is|are|was|were|has|have|had|will|would|can|could|may|might|must|should|do|does|did|said|says"
    r"|met|went|came|took|gave|made|got|left|rose|fell|won|lost|began|became"
    r"|found|held|told|knew|thought|wrote|ran|kept|sent|paid|stood|brought|bought|sold|\w{3,}ed)\b"
)
_FUNCTION_WORDS = frozenset(
    [
        "the",
        "a",
        "an",
        "of",
        "to",
        "in",
        "and",
        "is",
        "was",
        "are",
        "were",
        "for",
        "on",
        "with",
        "that",
        "by",
        "it",
        "as",
        "at",
        "be",
        "from",
        "has",
        "have",
        "had",
        "this",
        "not",
        "or",
        "but",
        "they",
        "he",
        "she",
        "his",
        "her",
        "their",
        "its",
        "which",
        "who",
        "will",
        "would",
        "been",
        "after",
        "before",
        "because",
        "than",
        "more",
        "about",
        "into",
        "over",
        "no",
        "so",
        "if",
        "when",
        "there",
    ]
)
_WORDS = re.compile(r"[^\W\d_]+")


def split_claims(sentence: str) -> tuple[tuple[int, int], ...]:
    """The offsets of the claims in a sentence: it is split where two clauses with subject and verb are joined.

    Examples
    --------
    >>> text = "The council met on Monday, and the mayor was ill; nobody objected."
    >>> [text[a:b] for a, b in split_claims(text)]
    ['The council met on Monday', 'the mayor was ill; nobody objected.']
    """
    sentence = normal_form(sentence)
    cuts = []
    begin = 0
    for m in _JOINT.finditer(sentence):
        left, right = sentence[begin : m.start()], sentence[m.end() :]
        if all(len(side.split()) >= 4 and _VERB.search(side) for side in (left, right)):
            cuts.append((begin, m.start()))
            begin = m.end()
    return (*cuts, (begin, len(sentence)))


#: Of German, French, Spanish and Italian, none of them an English word.
_OTHER_FUNCTION_WORDS = frozenset({
    "der", "das", "und", "den", "dem", "des", "ein", "eine", "einen", "nicht", "ist", "sich", "auf", "mit",
    "von", "zu", "für", "im", "dass", "wird", "wurde", "le", "les", "et", "est", "une", "du", "que", "qui",
    "dans", "pour", "pas", "sur", "el", "los", "las", "una", "por", "con", "para", "como", "il", "della", "che",
    "di", "gli", "nel", "sono",
})  # fmt: skip


def foreign_to(text: str) -> str:
    """Why a text is outside the model's training data, else "".

    Examples
    --------
    >>> foreign_to("The council raised the fees in March because the roof had to be repaired.")
    ''
    >>> foreign_to("Der Rat hat die Gebühren im März erhöht, weil das Dach repariert werden musste.")
    'it does not read as English, the one language the model was trained on'
    """
    words = [w.lower() for w in _WORDS.findall(text)]
    letters = [c for c in text if c.isalpha()]
    other = sum(not ("a" <= c.lower() <= "z" or "\u00c0" <= c <= "\u024f") for c in letters)
    known = sum(w in _FUNCTION_WORDS for w in words)
    strange = sum(w in _OTHER_FUNCTION_WORDS for w in words)
    sparse = len(words) >= 8 and known < 0.1 * len(words)
    if letters and (other > 0.3 * len(letters) or sparse or (strange >= 2 and strange > known)):
        return "it does not read as English, the one language the model was trained on"
    return ""


_TOKENS = re.compile(r"\w+(?:['’.,-]\w+)*|%")
#: Words whose absence changes nothing: articles and titles before a name.
_ARTICLES = ("the", "a", "an")
_TITLES = (
    "mr", "mrs", "ms", "dr", "prof", "professor", "councillor", "alderman", "mayor", "minister", "senator", "president",
    "judge", "justice", "captain", "sergeant", "sir", "lady", "chair",
)  # fmt: skip
_DROPPED = frozenset((*_ARTICLES, *_TITLES))
#: Where one of these follows, what stands before it is not all that is said.
_RESTRICTS = re.compile(
    r"\b(?:if|unless|until|till|except|only|provided|assuming|but|not|never|no|nor|neither|or|than|when|where|whenever|"
    r"allegedly|reportedly|perhaps|maybe|supposedly)\b|\w+n['’]t\b",
    re.IGNORECASE,
)

#: Of these, what makes a condition of it.
_CONDITION = re.compile(r"\b(?:if|unless|except|provided|assuming)\b", re.IGNORECASE)

#: Where a sentence that was not cut, or a new independent clause, begins.
_BEGINS = re.compile(r"(?<=[.!?;])\s+(?=[A-Z“\"])")


def said_word_for_word(claim: str, sentence: str) -> bool:
    """Whether a sentence starts with the exact words of a claim, and the rest does not retract them.

    Articles and titles may differ. A claim of fewer than three words is never said so.

    Examples
    --------
    >>> said_word_for_word("Reyes accused Tan of it.", "Councillor Reyes accused Councillor Tan of it on Monday.")
    True
    >>> said_word_for_word("The audit will end by June.", "The audit will end by June unless receipts are missing.")
    False
    >>> said_word_for_word("Tan accused Reyes of it.", "Reyes accused Tan of it.")
    False
    """
    return any(not _RESTRICTS.search(rest) for rest in _after(claim, sentence))


def condition_in(claim: str, sentence: str) -> str:
    """The condition or exception that a sentence adds to the exact words of a claim; empty without one.

    Examples
    --------
    >>> condition_in("The grant is paid in June.", "The grant is paid in June, unless the accounts are late.")
    'unless the accounts are late'
    >>> condition_in("The grant is paid in June.", "The grant is paid in June and in May.")
    ''
    """
    if not _CONDITION.search(sentence):
        return ""
    for rest in _after(claim, sentence):
        if found := _CONDITION.search(rest):
            return rest[found.start() :].strip(" .,;")
    return ""


def _after(claim: str, sentence: str) -> Iterator[str]:
    """The text after the exact words of a claim in a sentence or clause that starts with them."""
    wanted = [w.lower() for w in _TOKENS.findall(normal_form(claim)) if w.lower() not in _DROPPED]
    for part in _BEGINS.split(normal_form(sentence)):
        found = [(m.group().lower(), m.end()) for m in _TOKENS.finditer(part) if m.group().lower() not in _DROPPED]
        if len(wanted) >= 3 and "?" not in part and [w for w, _ in found[: len(wanted)]] == wanted:
            yield part[found[len(wanted) - 1][1] :]

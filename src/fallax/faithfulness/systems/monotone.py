"""Natural logic: what follows from a sentence if words are added to it, left out of it or replaced by broader ones.

"Every ferry was late" entails "Every night ferry was late", and "Some night ferry was late" entails "Some ferry was
late", not the other way round. The claim is aligned with a sentence that has nearly the same words; each difference
makes an expression broader or narrower, and the place where it stands says which of both keeps the sentence true
(MacCartney and Manning 2007). Where a difference or its place is not understood, nothing is said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias

from fallax.core.texts.broader import is_broader, parts_of
from fallax.errors import one_line
from fallax.faithfulness.systems.compared import Word, stems_of, words_of
from fallax.faithfulness.systems.edits import SCALAR, added_by, determiner_change, limits
from fallax.faithfulness.systems.polarity import PREPOSITIONS, RELATIVES, Monotonicity, is_verb, marks_of

__all__ = ["Follows", "follows_from", "natural_logic"]

#: What has more characters is no claim that the model reads whole.
_LONGEST, _LONGEST_SENTENCE = 600, 1000
#: A claim shares so many content words with the sentence, and differs in so many places, at least and at most.
_SHARED, _PLACES = 2, 4
#: What these add is little.
_VAGUE = frozenset((
    "someone", "somebody", "something", "anyone", "anything", "people", "person", "thing", "things", "place", "time",
    "times", "today", "here", "there", "outside", "outdoors",
))  # fmt: skip
_ALIKE = {
    "an": "a", "am": "is", "are": "is", "were": "was", "each": "every", "all": "every", "everybody": "everyone",
    "till": "until", "onto": "on", "anybody": "anyone", "whom": "who",
}  # fmt: skip
_WHOLE = {"can't": ("can", "not"), "won't": ("will", "not"), "cannot": ("can", "not"), "shan't": ("shall", "not")}
Change: TypeAlias = Literal["broader", "narrower", "same", ""]


@dataclass(frozen=True, slots=True)
class Follows:
    """Whether a claim follows from a sentence by the rules of natural logic.

    Parameters
    ----------
    entailed : whether it does; else it says more than the sentence.
    claimed : the words of the claim that differ; empty if it only leaves words out.
    said : the words of the sentence that differ; empty if the claim only adds some.
    reason : as the end of an explanation; empty if it follows.
    """

    entailed: bool
    claimed: str
    said: str
    reason: str


@dataclass(frozen=True, slots=True)
class _Edit:
    """A difference: words from ``a`` to ``b`` of the sentence stand for those from ``c`` to ``d`` of the claim."""

    a: int
    b: int
    c: int
    d: int


def follows_from(claim: str, sentence: str) -> Follows | None:
    """Whether a claim with nearly the words of a sentence follows from it; None where that is not known.

    Parameters
    ----------
    claim : one statement; nothing is said of one of more than 600 characters.
    sentence : of the document; nothing is said of one of more than 1,000 characters.

    Examples
    --------
    >>> follows_from("Every night ferry was late.", "Every ferry was late.")
    Follows(entailed=True, claimed='night', said='', reason='')
    >>> follows_from("Every vessel was late.", "Every ferry was late.").reason
    'the document says this of “ferry”, a narrower word than “vessel”'
    >>> follows_from("Every ferry was late.", "Every night ferry was late.").reason
    'the document says this only of “night ferry”'
    >>> follows_from("Some black dogs barked.", "Some dogs barked.").reason
    'the document does not say “black”'
    >>> follows_from("The harbour was dredged.", "Every ferry was late.") is None
    True
    """
    if len(claim) > _LONGEST or len(sentence) > _LONGEST_SENTENCE or "?" in claim + sentence:
        return None
    own, theirs = _opened(claim), _opened(sentence)
    wanted = {w.stem for w in own if w.stem}
    if 2 * len(wanted & {w.stem for w in theirs}) < len(wanted):
        return None
    edits = _edits(theirs, own)
    shared = sum(bool(w.stem) for w in own) - sum(bool(w.stem) for e in edits for w in own[e.c : e.d])
    if not edits or shared < min(_SHARED, len(edits)) or len(edits) > _PLACES:
        return None
    if _has_verb(theirs) and not _has_verb(own):
        return None
    marks, own_marks = marks_of(theirs), marks_of(own)
    stems = {w.stem for w in theirs}
    wrong: list[Follows] = []
    shown: list[tuple[str, str]] = []
    for edit in edits:
        change, mark, a, c = _change(theirs, own, edit, marks, own_marks)
        if not change:
            return None
        if change == "same":
            continue
        added = own[c : c + edit.d - edit.c]
        if any(w.stem in stems for w in added if w.stem):
            return None  # it stands elsewhere in the sentence
        said, claimed = _text(theirs, a, a + edit.b - edit.a), _text(own, c, c + edit.d - edit.c)
        shown.append((said, claimed))
        if mark.polarity == 0 and not mark.neither:
            return None
        if mark.polarity == 1 and _is_vague(added):
            return None
        if not claimed and mark.polarity == 1 and limits(theirs, a, a + edit.b - edit.a):
            return None
        if mark.neither or (change == "broader") != (mark.polarity == 1):
            if said and claimed and not _are_apart(theirs[edit.b - 1], own[edit.d - 1]):
                return None
            wrong.append(Follows(False, claimed, said, _reason(said, claimed, mark, theirs, a + edit.b - edit.a)))
    if wrong:
        return wrong[0]
    return (
        Follows(True, "; ".join(c for _, c in shown if c), "; ".join(s for s, _ in shown if s), "") if shown else None
    )


def natural_logic(claim: str, sentences: Sequence[str], among: Sequence[int]) -> tuple[int, Follows] | None:
    """What natural logic finds between a claim and some sentences of a document, with the number of the sentence.

    A sentence from which the claim follows counts before all others. That a claim says more than a sentence counts only
    where no other sentence has a content word of what it adds or, where it adds none, all of its content words.

    Parameters
    ----------
    claim : one statement.
    sentences : of the document, in order.
    among : the numbers of those that bear on the claim.

    Examples
    --------
    >>> found = natural_logic("Some ferry was late.", ["It rained.", "Some night ferry was late."], [0, 1])
    >>> found[0], found[1].entailed
    (1, True)
    >>> natural_logic("A night ferry was late.", ["A ferry was late.", "It ran at night."], [0, 1]) is None
    True
    """
    found = [(i, x) for i in among if (x := follows_from(claim, sentences[i])) is not None]
    for i, x in sorted(found, key=lambda each: not each[1].entailed):
        if x.entailed:
            return i, x
        added, wanted = stems_of(x.claimed), stems_of(claim)
        others = (stems_of(s) for j, s in enumerate(sentences) if j != i)
        if not any(added & other if added else wanted <= other for other in others):
            return i, x
    return None


def _are_apart(one: Word, other: Word) -> bool:
    """Whether people do not use two nouns for each other, as they do "lady" and "woman", nor verbs; determiners are."""
    if not one.stem or not other.stem:
        return True
    pairs = ((one.text, other.text), (other.text, one.text))
    return any(is_broader(a, b, parts="n", least=2) for a, b in pairs)


def _is_vague(words: Sequence[Word]) -> bool:
    return any(w.text in _VAGUE for w in words) and all(w.text in _VAGUE or not w.stem for w in words)


def _has_verb(words: Sequence[Word]) -> bool:
    return any(is_verb(words, i) or "v" in parts_of(words[i].text) for i in range(1, len(words)))


def _reason(said: str, claimed: str, mark: Monotonicity, theirs: Sequence[Word], end: int) -> str:
    """Why a claim says more than the sentence, in words."""
    if said and claimed and mark.polarity == 1:
        return f"the document says “{said}”, a broader word than “{claimed}”"
    if said and claimed:
        return f"the document says this of “{said}”, a narrower word than “{claimed}”"
    if claimed:
        return f"the document does not say “{claimed}”"
    if mark.counted:
        start = end - len(said.split())
        behind = theirs[start].text in PREPOSITIONS or theirs[start].text in RELATIVES
        whole = f"{_text(theirs, start - 1, start)} {said}" if behind else f"{said} {_text(theirs, end, end + 1)}"
        return f"the document says this only of “{whole}”"
    return f"the document says this only with “{said}”"


def _text(words: Sequence[Word], start: int, end: int) -> str:
    return one_line(re.sub(r" (?=[,;:)])", "", " ".join(w.shown for w in words[start:end])).strip(" ,;:"), 80)


@lru_cache(maxsize=4_096)
def _opened(text: str) -> tuple[Word, ...]:
    """The words of a text, with "did" and "not" for "didn't"."""
    found: list[Word] = []
    for w in words_of(text):
        parts = _WHOLE.get(w.text) or ((w.text[:-3], "not") if w.text.endswith("n't") else ())
        found += [Word(p, p, "", False) for p in parts] or [w]
    return tuple(found)


def _key(word: Word) -> str:
    if word.shown.endswith("'s"):
        return f"{word.stem or word.text}'s"
    return word.stem or _ALIKE.get(word.text, word.text)


def _edits(theirs: Sequence[Word], own: Sequence[Word]) -> list[_Edit]:
    """Where a claim differs from a sentence, by the alignment with most common words; content words count twice."""
    a, b = [_key(w) for w in theirs], [_key(w) for w in own]
    n, m = len(a), len(b)
    best = [[0] * (m + 1) for _ in range(n + 1)]
    for i in range(n - 1, -1, -1):
        row, below, key, weight = best[i], best[i + 1], a[i], 2 if theirs[i].stem else 1
        right = 0
        for j in range(m - 1, -1, -1):
            # comparisons, since calls of max() take most of the time of this loop
            if below[j] > right:
                right = below[j]
            if key == b[j] and below[j + 1] + weight > right:
                right = below[j + 1] + weight
            row[j] = right
    edits = []
    i = j = start_i = start_j = 0
    while i < n and j < m:
        if a[i] == b[j] and best[i][j] == best[i + 1][j + 1] + (2 if theirs[i].stem else 1):
            if i > start_i or j > start_j:
                edits.append(_Edit(start_i, i, start_j, j))
            i, j = i + 1, j + 1
            start_i, start_j = i, j
        elif best[i + 1][j] >= best[i][j + 1]:
            i += 1
        else:
            j += 1
    if start_i < n or start_j < m:
        edits.append(_Edit(start_i, n, start_j, m))
    return edits


def _change(
    theirs: Sequence[Word],
    own: Sequence[Word],
    e: _Edit,
    marks: Sequence[Monotonicity],
    own_marks: Sequence[Monotonicity],
) -> tuple[Change, Monotonicity, int, int]:
    """What an edit does, the mark of its place, and where it begins in sentence and claim."""
    nowhere = Monotonicity(0, False)
    if e.b > e.a and e.d > e.c:
        said, claimed = theirs[e.a : e.b], own[e.c : e.d]
        mark = marks[e.b - 1]
        change = determiner_change(theirs, own, e.a, e.b, e.c, e.d)
        if not change and mark.polarity == own_marks[e.d - 1].polarity:
            change = _replaced(said, claimed, theirs, own, e)
        return change, mark, e.a, e.c
    longer, start, end = (theirs, e.a, e.b) if e.b > e.a else (own, e.c, e.d)
    placed = marks if e.b > e.a else own_marks
    for shift in _shifts(longer, start, end):
        kind = added_by(longer, start + shift, end + shift)
        if kind == "same":
            return "same", nowhere, e.a, e.c
        if kind:
            at = start + shift
            mark = placed[at]
            if kind == "and" and mark.polarity == -1 and not mark.counted:
                return "", nowhere, e.a, e.c  # "not A and B" may deny both
            narrower = kind == "narrower" or (kind == "and" and not (mark.counted and mark.polarity == -1))
            return (
                "narrower" if narrower == (longer is own) else "broader",
                mark,
                e.a + shift * (longer is theirs),
                e.c + shift * (longer is own),
            )
    return "", nowhere, e.a, e.c


def _shifts(words: Sequence[Word], start: int, end: int) -> Iterator[int]:
    """By how much words that stand in one text only can be moved: "red apples and" or "and red apples"."""
    yield 0
    k = 0
    while start + k > 0 and _key(words[start + k - 1]) == _key(words[end + k - 1]):
        k -= 1
        yield k
    k = 0
    while end + k < len(words) and _key(words[start + k]) == _key(words[end + k]):
        k += 1
        yield k


def _replaced(
    said: Sequence[Word], claimed: Sequence[Word], theirs: Sequence[Word], own: Sequence[Word], e: _Edit
) -> Change:
    """Whether a word, perhaps with modifiers before it, was replaced by a broader or narrower one."""
    one, other = said[-1], claimed[-1]
    if one.name or other.name or not one.stem or not other.stem:
        return ""
    if e.a and theirs[e.a - 1].text in SCALAR:
        return ""
    head: Change = (
        "broader" if is_broader(other.text, one.text) else "narrower" if is_broader(one.text, other.text) else ""
    )
    less = len(said) > 1 and added_by(theirs, e.a, e.b - 1) == "narrower"
    more = len(claimed) > 1 and added_by(own, e.c, e.d - 1) == "narrower"
    if (len(said) > 1 and not less) or (len(claimed) > 1 and not more):
        return ""
    if (less and head != "broader") or (more and head != "narrower"):
        return ""
    return head

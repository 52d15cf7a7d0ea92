"""Splits sentences into claims, and finds those that a document makes in the same words."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fallax.core.texts import MARKS, composed, normal_form
from fallax.core.texts.verbs import AUXILIARIES, IRREGULAR_PASTS
from fallax.faithfulness.systems.dropped import STUDIED_IN

__all__ = ["Clause", "clauses_of", "condition_in", "said_by_the_way", "said_word_for_word", "split_claims"]

_JOINT = re.compile(
    r";\s+|,\s+(?:and|but|while|whereas|yet)\s+(?=(?:the|a|an|its|his|her|their|it|he|she|they|there|[A-Z])\b)"
)
_WORD = re.compile(r"\S+")
_VERB = re.compile(rf"\b(?:{'|'.join((*AUXILIARIES, *IRREGULAR_PASTS))}|says|\w{{3,}}ed)\b")


def split_claims(sentence: str) -> tuple[tuple[int, int], ...]:
    """The offsets of the claims in a sentence: it is split where two clauses with subject and verb are joined.

    Examples
    --------
    >>> text = "The council met on Monday, and the mayor was ill; nobody objected."
    >>> [text[a:b] for a, b in split_claims(text)]
    ['The council met on Monday', 'the mayor was ill; nobody objected.']
    """
    sentence = normal_form(sentence)
    words, verbs = ([m.start() for m in pattern.finditer(sentence)] for pattern in (_WORD, _VERB))

    def claims(start: int, end: int) -> bool:
        has_words, has_verbs = (bisect_left(found, end) - bisect_left(found, start) for found in (words, verbs))
        return has_words >= 4 and has_verbs > 0

    cuts = []
    begin = 0
    for m in _JOINT.finditer(sentence):
        if claims(begin, m.start()) and claims(m.end(), len(sentence)):
            cuts.append((begin, m.start()))
            begin = m.end()
    return (*cuts, (begin, len(sentence)))


_TOKENS = re.compile(rf"(?:(?<![\w{MARKS}])-)?\d[\w{MARKS}]*(?:['’.,-]\w+)*|[\w{MARKS}]+(?:['’.,-]\w+)*|[%$€£¥<>±]")
#: Words whose absence changes nothing: articles and titles before a name.
_ARTICLES = ("the", "a", "an")
_TITLES = (
    "mr", "mrs", "ms", "dr", "prof", "professor", "councillor", "alderman", "mayor", "minister", "senator", "president",
    "judge", "justice", "captain", "sergeant", "sir", "lady", "chair",
)  # fmt: skip
_ALIKE = {"professor": "prof"}
#: "A few" and "a little" are more than "few" and "little".
_COUNTED = frozenset(("few", "little"))
#: Where one of these follows, what stands before it is not all that is said.
_RESTRICTS = re.compile(
    r"\b(?:if|unless|until|till|except|only|provided|assuming|but|not|never|no|nor|neither|or|than|when|where|whenever|"
    r"allegedly|reportedly|perhaps|maybe|supposedly|false|untrue|wrongly|mistaken(?:ly)?|den(?:y|ies|ied)|rumou?rs?|"
    r"retracted|withdrawn|withdrew|disputed|invented|hoax|according|in part|partly|partially|in principle|in theory|"
    r"on paper|almost|nearly|pretend\w*|imagin\w*|dreams?)\b|\b\w+n['’]t\b"
    r"|^[\"'”’\s]*,[\"'”’\s]*(?:[\w.'’-]+ ){0,6}(?:said|says|insist(?:s|ed)|maintain(?:s|ed)|add(?:s|ed))\b"
    rf"|\b(?:in|on|among) (?:{STUDIED_IN})\b",
    re.IGNORECASE,
)
_DOUBTS = (
    r"(?:claim|fear|insist|believe|suspect|hope|think|guess|allege|argue|suppose|assume|predict)(?:s|d|ed)?|thought"
)
#: What makes a condition or a mere opinion of the words before it.
_CONDITION = re.compile(
    r"\b(?:if|unless|except|provided|assuming)\b"
    r"|^\W*(?:only|in part|partly|partially|in principle|in theory|on paper)\b"
    rf"|^[\s,\"']*,[\s\"']*(?:(?:[\w'.-]+ ){{1,5}}(?:{_DOUBTS})|(?:{_DOUBTS})(?: [\w'.-]+){{1,5}})[\s.\"']*$",
    re.IGNORECASE,
)

#: Where a sentence that was not cut, or a new independent clause, begins.
_BEGINS = re.compile(r"(?<=[.!?;])(?<!\bMr\.)(?<!\bMs\.)(?<!\bDr\.)(?<!\bMrs\.)(?<!\bProf\.)\s+(?=[A-Z“\"])")


@dataclass(frozen=True, slots=True)
class Clause:
    """A sentence or clause of a document, with the words that are compared.

    Parameters
    ----------
    sentence : the number of the sentence it stands in.
    text : normalised.
    words : its words in small letters, without articles and titles before a name.
    ends : where each of them ends.
    titles : the number of a word, and the title before it.
    """

    sentence: int
    text: str
    words: tuple[str, ...]
    ends: tuple[int, ...]
    titles: frozenset[tuple[int, str]]


def clauses_of(sentences: Sequence[str]) -> tuple[Clause, ...]:
    """The clauses of a document's sentences, prepared once for many claims, and plain ones that they hold.

    Examples
    --------
    >>> [(c.sentence, c.words) for c in clauses_of(["The board met; Mr Tan left.", "It rained."])]
    [(0, ('board', 'met')), (0, ('tan', 'left')), (1, ('it', 'rained'))]
    """
    return tuple(
        Clause(number, part, *_words_of(part))
        for number, sentence in enumerate(sentences)
        for whole in _BEGINS.split(normal_form(sentence))
        for part in (whole, *_held_in(whole))
    )


_NAME = r"(?:[A-Z][\w.'’-]{1,30}(?: (?=[A-Z])|(?=[,.;]|$))){1,4}"
_ROLE = r"(?:the|an?|its|their|our|his|her) [a-z][\w'’-]{1,30}(?: [\w'’-]{1,30}){0,5}"
#: "The clerk, Joan Reid, said": who is what, and the sentence with either.
_ROLE_NAMED = re.compile(rf"(?P<before>^|.*?[\s(])(?P<role>(?i:{_ROLE})), (?P<name>{_NAME}),(?P<after> .+)$")
_NAME_WITH_ROLE = re.compile(rf"(?P<before>^|.*?[\s(])(?P<name>{_NAME}), (?P<role>{_ROLE}),(?P<after> .+)$")
#: "Ayesha Malik, who chairs the group, presented": both clauses.
_RELATIVE = re.compile(
    rf"(?P<before>^|.*?[\s(])(?P<name>{_NAME}), who (?P<rest>[^,;:]{{3,150}})(?:,(?P<after> .+)|[.;])?$"
)
#: "Turnout was 41 percent, the lowest since 1998": what else it was.
_WAS_ALSO = re.compile(
    r"^(?P<who>(?!.*\b(?:not|never|no|if|whether)\b)[^,;:]{2,60} (?:is|was|are|were)) [^,;:]{2,60},"
    r" (?P<what>(?:the|an?|its|his|her|their) (?!.*\b(?:and|or)\b)[^,;:]{3,80})\W*$"
)
_MONTH = "January|February|March|April|May|June|July|August|September|October|November|December"
_LEADING = re.compile(
    r"^(?:(?:However|Meanwhile|Later|Then|Earlier|Finally|Yesterday|Today|Also|Afterwards|Moreover|In addition)"
    r"|(?:On|In|Last|This) (?![^,]*\b(?:the|an?|his|her|its|their)\b)"
    rf"(?=[^,;:]{{0,40}}(?:\d|day\b|week\b|month\b|year\b|{_MONTH}))[^,;:]{{1,40}}), (?P<rest>.+)$"
)
#: Nothing is taken out of what is supposed or made up, nor out of a sentence of more characters.
_LONGEST = 600
_INVENTED = re.compile(r"\b(?:if|whether|unless|dream\w*|imagin\w*|pretend\w*|novel|film|story)\b|\?", re.IGNORECASE)


def said_by_the_way(claim: str) -> tuple[str, ...]:
    """What a claim that begins with a name says of it behind "who", and what is left without that.

    Examples
    --------
    >>> said_by_the_way("Mayor Brandt, who opposed the plan, resigned.")
    ('Mayor Brandt opposed the plan', 'Mayor Brandt resigned.')
    """
    found = None if len(claim) > _LONGEST else _RELATIVE.match(claim)
    return () if found is None or found["before"].strip() else tuple(_of_who(found))


def _of_who(found: re.Match[str]) -> Iterator[str]:
    yield f"{found['name']} {found['rest']}"
    if found["after"] and not found["before"].strip():
        yield f"{found['name']}{found['after']}"


def _held_in(clause: str) -> Iterator[str]:
    """Plain clauses that a clause holds: who is what, what "who" is said to do, and what is left without that."""
    if len(clause) > _LONGEST or _INVENTED.search(clause):
        return
    if leading := _LEADING.match(clause):
        yield leading["rest"]
        clause = leading["rest"]
    for form in (_ROLE_NAMED, _NAME_WITH_ROLE):
        if found := form.match(clause):
            name, role = found["name"], found["role"]
            yield f"{name} is {role}"
            yield f"{name} was {role}"
            yield f"{role} is {name}"
            if not found["before"].strip():
                yield f"{name}{found['after']}"
                yield f"{role}{found['after']}"
    if found := _WAS_ALSO.match(clause):
        yield f"{found['who']} {found['what']}"
    if found := _RELATIVE.match(clause):
        yield from _of_who(found)


def _words_of(text: str) -> tuple[tuple[str, ...], tuple[int, ...], frozenset[tuple[int, str]]]:
    """The words of a text, where they end, and its titles, as in :class:`Clause`."""
    found = list(_TOKENS.finditer(text))
    tokens = [m.group() if text.isascii() else composed(m.group()) for m in found]
    words: list[str] = []
    ends: list[int] = []
    titles: set[tuple[int, str]] = set()
    for i, token in enumerate(tokens):
        low = token.lower()
        following = tokens[i + 1] if i + 1 < len(tokens) else ""
        if low in _ARTICLES and following.lower() not in _COUNTED:
            continue
        if low in _TITLES and following[:1].isupper():
            titles.add((len(words), _ALIKE.get(low, low)))
            continue
        words.append(low)
        ends.append(found[i].end())
    return tuple(words), tuple(ends), frozenset(titles)


def said_word_for_word(claim: str, clauses: Sequence[Clause]) -> int | None:
    """The sentence in which a clause starts with the exact words of a claim, and the rest does not retract them.

    Articles may differ, and titles may be left out. A claim of fewer than three words is never said so. None: no
    sentence does.

    Examples
    --------
    >>> said_word_for_word("Reyes accused Tan of it.", clauses_of(["It rained.", "Mr Reyes accused Mr Tan of it."]))
    1
    >>> said_word_for_word("The audit will end by June.", clauses_of(["The audit will end by June if paid."]))
    >>> said_word_for_word("Tan accused Reyes of it.", clauses_of(["Reyes accused Tan of it."]))
    """
    said = (at for at, rest in _after(claim, clauses) if not (_RESTRICTS.search(rest) or _CONDITION.search(rest)))
    return next(said, None)


def condition_in(claim: str, clauses: Sequence[Clause]) -> str:
    """The condition, exception or doubt that a clause adds to the exact words of a claim; empty without one.

    Examples
    --------
    >>> condition_in("The grant is paid in June.", clauses_of(["The grant is paid in June, unless it rains."]))
    'unless it rains'
    >>> condition_in("The grant is paid in June.", clauses_of(["The grant is paid in June, the union hopes."]))
    'the union hopes'
    >>> condition_in("The grant is paid in June.", clauses_of(["The grant is paid in June and in May."]))
    ''
    """
    for _, rest in _after(claim, clauses):
        if found := _CONDITION.search(rest):
            return rest[found.start() :].strip(" .,;\"'")
    return ""


def _after(claim: str, clauses: Sequence[Clause]) -> Iterator[tuple[int, str]]:
    """The sentence of each clause that starts with the exact words of a claim, and the text after them."""
    wanted, _, titles = _words_of(normal_form(claim))
    n = len(wanted)
    for clause in clauses:
        if n >= 3 and clause.words[:n] == wanted and titles <= clause.titles and "?" not in clause.text:
            yield clause.sentence, clause.text[clause.ends[n - 1] :]

"""Finds what evidence says in words about what led to what, and whether that is the direction of a claim."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fallax.causality.systems.clauses import CauseAndEffect, cause_and_effect, names_link
from fallax.core.texts import sentence_spans
from fallax.core.texts.ranking import content_words

__all__ = [
    "StatedDirections",
    "StatedWay",
    "claimed_sides",
    "claims_change",
    "goes_together",
    "is_denied",
    "names_again",
    "same_cause",
    "share_of",
    "stated_directions",
    "stated_links",
]

#: A part of a sentence with more characters states nothing: nobody could say which words belong to which side.
_MOST_CHARACTERS = 2000
_MADE = (
    r"caus(?:ed|es|ing)|led to|leads to|leading to|resulted in|results in|brought about|triggered|made|makes|making|"
    r"forced|forces|forcing|drove|cost|kept|prevented|stopped|meant|"
    r"(?<!\ba )(?<!\bthe )(?:ruined|destroyed|damaged|delayed)"
)
_BY = (
    "caused|made(?: possible)?|brought about|triggered|forced|driven|kept|prevented|stopped|ruined|destroyed|damaged|"
    "delayed"
)
_BACK = r"(?:only )?(?:because of|through|on account of|due to|as a result of) (?:it|this|that)"
_SO = (
    rf"so|(?:which|that|this) (?:is|was) why|therefore|thus|hence|consequently|as a result|as a consequence|{_BACK}|"
    r"for (?:this|that) reason|then"
)
_ALSO = "(?:in turn |then |also )?"
_OF = "because of|due to|owing to|thanks to|as a result of|on account of|after|with"
_WHEN = "after|when|once|as soon as"
#: What begins the effect where no comma stands before it.
_NEXT = "(?=(?:the|a|an|his|her|its|their|our|my|nobody|nothing|no|all|many|several|he|she|it|they|we)\\b)"


def _form(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.DOTALL)


#: Forms of sentences of evidence, from cause a to effect b: those tried before the forms of claims, and those after.
_FIRST = (
    _form(rf"^(?P<a>.+?)(?:,|;| and)\s+(?:and )?(?!so \w+ that\b)(?:{_SO}),?\s+(?!that\b)(?P<b>.+)$"),
    _form(rf"^(?P<a>.+?),\s+(?:which|and (?:this|that|it)|thus|thereby)\s+{_ALSO}(?:{_MADE}|left)\s+(?P<b>.+)$"),
    _form(rf"^(?P<b>.+?)\s+(?:is|are|was|were|been)\s+(?:\w+ly )?(?:{_BY})\s+by\s+(?P<a>.+)$"),
)
#: What went on when something else happened came from something else ("the cook was away when the fire began"), and
#: behind a time and a comma "when" tells of that time ("at 6 p.m., when the power was back").
_STATE = (
    r".*\b(?:was|were)(?: (?:not|still|already|just|only))? "
    r"(?:\w+ing|on|in|at|away|abroad|asleep|out|off|home)\b.* when\b"
    r"|.*(?:\d|\b[ap]\.?m\.?|day|January|February|March|April|May|June|July|August|September|October|November|December"
    r"|noon|midnight|morning|evening|night|week|month|year|summer|winter|spring|autumn), when\b"
)
#: Behind "since" and a comma, the perfect tells that a time is meant.
_PERFECT = r"(?:(?!\b(?:after|when|until|before|that|which|who)\b)[^,])*\b(?:has|have)\b"
_TIMED = (
    _form(rf"^since\s+(?P<a>[^,]+),\s+(?={_PERFECT})(?P<b>.+)$"),
    _form(rf"^(?:{_WHEN})\s+(?P<a>[^,]+),\s+(?P<b>.+)$"),
    _form(rf"^after\s+(?P<a>(?:\w+\s+){{1,6}}?){_NEXT}(?P<b>.+)$"),
    _form(rf"^(?P<b>(?!{_STATE}).+?),?\s+(?:{_WHEN})\s+(?P<a>[^,;]+)$"),
)
_LATER = (
    _form(r"^(?P<a>(?:(?!\bso\s).)*\bso\s+\w+(?:(?!\s+that\s).)*)\s+that\s+(?P<b>.+)$"),
    _form(r"^(?P<a>.+?),\s+so that\s+(?P<b>.+)$"),
    _form(r"^(?P<a>(?:without|with)\s[^,]+),\s+(?P<b>.+)$"),
    _form(rf"^(?:because|as|since(?![^,]+,\s{_PERFECT}))\s+(?P<a>[^,]+),\s+(?P<b>.+)$"),
    _form(rf"^(?P<a>without\s+(?:\w+\s+){{1,6}}?){_NEXT}(?P<b>.+)$"),
    _form(rf"^(?:{_OF})\s+(?P<a>(?:\w+\s+){{1,6}}?){_NEXT}(?P<b>.+)$"),
)  # fmt: skip
_LAST = _form(rf"^(?P<a>.+?)(?<!\bhaving)(?<!\bwas)(?<!\bwere)\s+(?:{_MADE})\s+(?!\w+ing\b|possible\b)(?P<b>.+)$")
#: A sentence that names as cause what was said before it.
_BEFORE = (
    _form(
        r"^(?:and )?(?!so (?:much|many|few|little)\b.* that\b)"
        rf"(?:(?:{_SO}),?|(?:this|that|which|it) {_ALSO}(?:{_MADE}))\s+(?P<b>.+)$"
    ),
    _form(r"^(?P<b>(?:\w+ ){1,4}(?:then|therefore|thus|consequently) .+)$"),
)
_THEN = re.compile(r"\bthen\b", re.IGNORECASE)
#: Who says something, and quotes around it, are no part of what is said.
_AROUND = re.compile(r"^\s*[A-Z][^:.\"“”]{0,40}: (?=[\"“‘']?[A-Z])|^[‘'](?=[A-Z])|(?<=[.!?])[’']\s*$")
_PRONOUN = re.compile(r"it|this|that|then|them", re.IGNORECASE)
_POINTS_BACK = re.compile(r"^(?P<whose>his|her|its|their|this|that|these|those|such)\b", re.IGNORECASE)
#: What people feel about something is no other cause than that: "fear of poison".
_FELT = re.compile(
    r"(?:the |their |his |her )?(?:fears?|worr(?:y|ies)|concerns?|anger|alarm|anxiety) (?:of|about|over|at) ",
    re.IGNORECASE,
)
_DEFINITE = re.compile(r"(?:the|this|that|these|those)\b", re.IGNORECASE)
_OWNERS = ("his", "her", "its", "their")
#: Where one link ends and the next begins.
_BREAK = re.compile(
    r"[;:]\s+|,?\s+(?:and|but)\s+(?=(?:because|since|due to|owing to|thanks to|after|when|once|as|as a result of)\b)"
    r"(?!because of (?:it|this|that)\b)|,\s+and\s+(?=[^,;]*\bbecause\b)(?!(?:only )?because\b)",
    re.IGNORECASE,
)
#: A link that is denied, supposed or only said by somebody; or a conclusion that somebody draws.
_NOT_STATED = re.compile(
    r"\bnot (?:because|due|caused|owing|on account|why|the (?:cause|reason|result))|\bnothing to do|\bnor\b|"
    r"\bno (?:part|effect|reason)\b|\b(?:did|does|do|is|was|were|are)(?:n['’]t| not)\b[^,;]*\b(?:cause|lead|result|"
    r"trigger|mak|forc|because|due|reason)|\b(?:whether|if|unless|would|could(?!n['’]t| not| no longer)|(?-i:may)|"
    r"might|perhaps|probably|rather than|instead of|although|though|despite)\b|"
    r"\b(?:thought|thinks?|believe\w*|suspect\w*|fear(?:s|ed)|"
    r"claim(?:s|ed)|argued?|guess\w*|rumou?rs?|said|says)\b|\b(?:does|did) (?:it|so|this|that)$|"
    r"\bnot (?:known|clear|sure)\b|\b(?:un(?:known|clear|sure))\b|"
    r"^(?:(?!\bso\b).)*\bso\b.*\b(?:cause|at fault|sure|proof|proved)\b",
    re.IGNORECASE,
)
_DENIAL = re.compile(
    r"\b(?:no|not|never|nobody|nothing|none|neither|without|cannot|failed to|stop(?:s|ped|ping)?)\b|n['’]t\b",
    re.IGNORECASE,
)
_CHANGES = re.compile(
    r"\b(?:reduc|rais|lower|increas|improv|prevent|protect|harm|boost|worsen|shorten|lengthen|weaken|strengthen)(?:es?|s|ed|ing)?\b|"
    r"\b(?:makes?|made|brings?|brought|cuts?|helps?|helped|keeps?|kept|causes?|caused|leads? to|led to|cures?|cured)\b",
    re.IGNORECASE,
)
#: Groups of people, places and times that are compared.
_GROUPS = (
    r"(?:houses|people|pupils|children|patients|towns|villages|countries|firms|farms|families|regions|areas|districts|"
    r"cities|states|counties|places|neighbou?rhoods|offices|schools|companies|hospitals|women|men|adults|students|workers|"
    r"employees|years|months|weeks|days|nights|times)"
)
_TOGETHER = re.compile(
    r"\b(?:associated with|correlat\w+|(?:goes?|went) (?:along|together) with|coincid\w+)\b|"
    r"^(?=.*\b(?:more|less|fewer|better|worse|higher|lower|larger|smaller|longer|shorter|faster|slower)\b)"
    r"(?=.*\b(?:who|whose|in which|on which|where|that (?:have|had)|(?:in|on) (?:the )?\w+ with|"
    rf"{_GROUPS} (?:in|on|with))\b)",
    re.IGNORECASE | re.DOTALL,
)
#: "In months when more ice is sold, more people drown": both only rise together.
_WHEN_MORE = re.compile(rf"\b(?:in|on|at) (?:\w+ )?{_GROUPS} when\b", re.IGNORECASE)
#: At least so much of what is peculiar to a side must be in a part of a link; of both sides together, in one text, and
#: in several. That two texts belong together is only guessed.
_EITHER, _BOTH, _SEVERAL = 0.5, 1.2, 1.8
#: A chain has at most so many links, and so many chains are tried.
_LONGEST, _TRIED = 4, 400


@dataclass(frozen=True, slots=True)
class StatedWay:
    """A link from cause to effect that evidence states, or several in a row.

    Parameters
    ----------
    texts : the numbers of the texts that state it.
    timed : whether it only says what came after what.
    points_back : whether its cause names something said before, in this text or another.
    """

    cause: str
    effect: str
    texts: tuple[int, ...] = (0,)
    timed: bool = False
    points_back: bool = False


def stated_links(text: str) -> list[StatedWay]:
    """The links from cause to effect that a text states, in its words; a cause in the sentence before is taken there.

    An empty cause is one that must be in another text. Order in time counts ("after"), as no effect is before its
    cause. What is denied, supposed or somebody's opinion is left out.

    Examples
    --------
    >>> [(link.cause, link.effect) for link in stated_links("When the dam broke, the valley was flooded.")]
    [('the dam broke', 'the valley was flooded')]
    >>> [(link.cause, link.effect) for link in stated_links("So the mill stood still.")]
    [('', 'the mill stood still')]
    >>> stated_links("The mill did not cause the flood.")
    []
    """
    found: list[StatedWay] = []
    before = ""
    text = _AROUND.sub("", text)
    for start, end in sentence_spans(text):
        for part in _BREAK.split(" ".join(text[start:end].split()).rstrip(" .!?")):
            if len(part) <= _MOST_CHARACTERS and not _NOT_STATED.search(part) and (link := _link(part, before)):
                found.append(link)
            before = part
    return found


def claims_change(claim: str) -> bool:
    """Whether a claim says that something changes another, such as "Dogs lower blood pressure"."""
    return _CHANGES.search(claim) is not None and not goes_together(claim)


def goes_together(text: str) -> bool:
    """Whether a text only says that two things go together, without a word of what leads to what.

    Examples
    --------
    >>> goes_together("People who own a dog have lower blood pressure."), goes_together("Dogs lower blood pressure.")
    (True, False)
    >>> goes_together("In months when more ice is sold, more people drown.")
    True
    """
    text = _WHEN_MORE.sub("in those in which", text)
    return _TOGETHER.search(text) is not None and not names_link(text)


def _link(part: str, before: str) -> StatedWay | None:
    then = _THEN.search(part) is not None
    if later := _first_of(_BEFORE, part):
        return StatedWay(before, later.effect, timed=then)
    found = _first_of(_FIRST, part) or cause_and_effect(part) or _first_of(_LATER, part)
    timed = _first_of(_TIMED, part) if found is None else None
    timed = None if timed and _PRONOUN.fullmatch(timed.cause) else timed
    found = found or timed or _first_of((_LAST,), part)
    if found is None:
        return None
    back = _points_back(part, found)
    cause = f"{before} {found.cause}" if before and back else found.cause
    return StatedWay(cause, found.effect, timed=then or timed is not None, points_back=back and not before)


def _points_back(part: str, found: CauseAndEffect) -> bool:
    """Whether a cause names something said before; in "it stopped, because its battery was flat" that is the effect."""
    match = _POINTS_BACK.match(found.cause)
    if match is None:
        return False
    return match["whose"].lower() not in _OWNERS or part.find(found.cause) <= part.find(found.effect)


def _first_of(forms: Sequence[re.Pattern[str]], part: str) -> CauseAndEffect | None:
    matches = (m for form in forms if (m := form.match(part)))
    given = next((m.groupdict("") for m in matches), None)
    return None if given is None else CauseAndEffect(given.get("a", "").strip(" ,"), given["b"].strip(" ,"))


@dataclass(frozen=True, slots=True)
class StatedDirections:
    """What texts state of the sides of a claim: a way from its cause to its effect, and one from effect to cause."""

    forward: StatedWay | None = None
    reverse: StatedWay | None = None

    @property
    def reversed(self) -> StatedWay | None:
        """The reverse way, if there is no way forward beside it."""
        return None if self.forward else self.reverse

    @property
    def affirmed(self) -> StatedWay | None:
        """The way forward, if there is no reverse way beside it."""
        return None if self.reverse else self.forward

    @property
    def plain(self) -> StatedWay | None:
        """The way forward, if one text alone states it, as a cause."""
        way = self.affirmed
        return way if way and len(way.texts) == 1 and not way.timed else None


def claimed_sides(claim: str) -> CauseAndEffect | None:
    """The cause and effect of a claim, also in the forms of evidence ("The strike delayed the opening")."""
    links = stated_links(claim)
    found = cause_and_effect(claim)
    if found is None and len(links) == 1 and links[0].cause:
        return CauseAndEffect(links[0].cause, links[0].effect)
    return found


def stated_directions(sides: CauseAndEffect, texts: Sequence[str]) -> StatedDirections:
    """In which directions texts state a way between the two sides of a claim, over one link or over several.

    Examples
    --------
    >>> texts = ("Heavy rain broke the dam.", "When the dam broke, the valley was flooded.")
    >>> found = stated_directions(cause_and_effect("The dam broke because the valley was flooded."), texts)
    >>> found.forward is None, found.reversed.texts, found.reversed.effect
    (True, (1,), 'the valley was flooded')
    """
    words = _Sides(sides)
    forward: StatedWay | None = None
    reverse: StatedWay | None = None
    steps = list(_steps(texts)) if words.cause and words.effect else []
    waiting = [(step, 1) for step in steps]
    for tried, (way, n) in enumerate(waiting):  # grows while it is read
        if tried == _TRIED or (forward and reverse):
            break
        if forward is None and words.match(way.cause, way.effect, len(way.texts)):
            forward = way
        if reverse is None and words.match(way.effect, way.cause, len(way.texts)):
            reverse = way
        if n < _LONGEST and len(waiting) < _TRIED:
            waiting += [
                (StatedWay(way.cause, more.effect, (*way.texts, *more.texts), way.timed or more.timed), n + 1)
                for more in steps
                if not set(more.texts) & set(way.texts) and _joined(way.effect, more.cause)
            ]
    return StatedDirections(forward, reverse)


def same_cause(sides: CauseAndEffect, texts: Sequence[str]) -> str:
    """A cause that texts state for a claim's effect and that may be the claimed one in other words; empty without one.

    It has a part of the words of the claimed cause, not all of them, and denies what that denies.

    Examples
    --------
    >>> same_cause(CauseAndEffect("the singer was ill", "the show was cancelled"),
    ...            ["The singer had a cough, so the show was cancelled."])
    'The singer had a cough'
    """
    effect, denied = set(content_words(sides.effect)), (is_denied(sides.cause), is_denied(sides.effect))
    cause = set(content_words(sides.cause)) - effect
    for text in texts:
        for link in stated_links(text):
            if (is_denied(link.cause), is_denied(link.effect)) != denied:
                continue
            shared = cause & (set(content_words(link.cause)) - effect)
            if shared and shared != cause and share_of(effect, set(content_words(link.effect))) >= _EITHER:
                return link.cause
    return ""


def names_again(stated: str, claimed: str, texts: Sequence[str]) -> bool:
    """Whether a stated cause is a short name for the claimed one ("the leak"), which one of the texts tells in full.

    So is what people feel about it ("fear of the leak").

    Examples
    --------
    >>> names_again("the leak", "chlorine had leaked", ["Chlorine leaked.", "The pool closed because of the leak."])
    True
    >>> names_again("the leak", "chlorine had leaked", ["Water leaked.", "The pool closed because of the leak."])
    False
    """
    felt = _FELT.match(stated)
    own, full = set(content_words(stated[felt.end() :] if felt else stated)), set(content_words(claimed))
    if not (felt or _DEFINITE.match(stated)) or not own or share_of(own, full) < 1.0:
        return False
    told = (text for text in texts if is_denied(text) == is_denied(claimed))
    return any(share_of(full, set(content_words(text))) == 1.0 for text in told)


def _steps(texts: Sequence[str]) -> Iterator[StatedWay]:
    for i, text in enumerate(texts):
        for link in stated_links(text):
            if link.cause and not link.points_back:
                yield StatedWay(link.cause, link.effect, (i,), link.timed)
            else:
                for j, other in enumerate(texts):
                    if j != i:
                        yield StatedWay(f"{other} {link.cause}".strip(), link.effect, (j, i), link.timed)


class _Sides:
    """The words that one side of a claim has and the other has not, and how they match parts of links."""

    def __init__(self, sides: CauseAndEffect) -> None:
        cause, effect = set(content_words(sides.cause)), set(content_words(sides.effect))
        self.cause = {w for w in cause if not _among(w, effect)}
        self.effect = {w for w in effect if not _among(w, cause)}
        self._denied = is_denied(sides.cause), is_denied(sides.effect)

    def match(self, one: str, other: str, n_texts: int) -> bool:
        """Whether one part says the cause, the other says the effect, and neither is rather the other side."""
        a, b = set(content_words(one)), set(content_words(other))
        cause, effect = share_of(self.cause, a), share_of(self.effect, b)
        return (
            min(cause, effect) >= _EITHER
            and cause + effect >= (_BOTH if n_texts == 1 else _SEVERAL)
            and cause > share_of(self.cause, b)
            and effect > share_of(self.effect, a)
            and (is_denied(one), is_denied(other)) == self._denied
        )


def _joined(effect: str, cause: str) -> bool:
    """Whether the effect of one link is the cause of the next."""
    a, b = set(content_words(effect)), set(content_words(cause))
    shares = share_of(a, b), share_of(b, a)
    return max(shares) >= _EITHER and min(shares) >= _EITHER / 2


def _among(word: str, others: set[str]) -> bool:
    return word in others or any(_alike(word, other) for other in others)


def share_of(own: set[str], others: set[str]) -> float:
    """The share of words that are among others, in whatever form, in [0, 1]; 0 for no words."""
    return sum(_among(w, others) for w in own) / len(own) if own else 0.0


def is_denied(text: str) -> bool:
    """Whether a text has an odd number of denials."""
    return len(_DENIAL.findall(text)) % 2 == 1


_NO_CONSONANT = re.compile(r"[aeiouy]|(.)(?=\1)")


def _alike(one: str, other: str) -> bool:
    """Whether two words may be forms of one: a long common beginning, or the same consonants ("tear", "torn")."""
    n = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
    if n >= 5 or (n >= 4 and abs(len(one) - len(other)) <= 3):
        return True
    a, b = sorted((_NO_CONSONANT.sub("", one), _NO_CONSONANT.sub("", other)), key=len)
    return one[0] == other[0] and len(a) >= 2 and b.startswith(a) and len(b) - len(a) <= 1

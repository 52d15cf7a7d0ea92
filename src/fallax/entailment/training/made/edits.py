"""Sentences that people wrote, changed by rules: some changes keep the meaning, some make the sentence false.

Each source sentence gives four examples: two passages (with the sentence, with the changed sentence) times two
statements (the sentence reworded, the changed sentence reworded). So every edit occurs in passages and in statements,
and neither the statement alone nor its word overlap with the passage tells the label.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence

from fallax.entailment.training.made import lexicon as lx
from fallax.entailment.training.made.grammar import number
from fallax.entailment.training.pairs import Example
from fallax.entailment.training.sets import changed_spans

__all__ = ["edited_passages", "reworded", "turned"]

_SAME = lx.rows_of("""
    purchased|bought
    began|started
    begin|start
    children|kids
    however|but
    in order to|to
    approximately|about
    roughly|about
    nearly|almost
    sufficient|enough
    numerous|many
    prior to|before
    assist|help
    assisted|helped
    obtain|get
    obtained|got
    received|got
    large|big
    huge|enormous
    quick|fast
    quickly|rapidly
    often|frequently
    rarely|seldom
    perhaps|maybe
    also|as well
    such as|like
    although|though
    despite|in spite of
    whole|entire
    person|individual
    car|automobile
    physician|doctor
    attorney|lawyer
    residence|home
    commence|begin
    ended|finished
    requires|needs
    required|needed
    attempt|try
    attempted|tried
    show|demonstrate
    shows|demonstrates
    showed|demonstrated
    important|significant
    difficult|hard
    correct|right
    incorrect|wrong
    answer|reply
    choose|select
    chose|selected
    wealthy|rich
    main|principal
    major|main
    area|region
    company|firm
    companies|firms
    job|position
    idea|notion
    problem|difficulty
    result|outcome
    results|outcomes
    aim|goal
    used|employed
    near|close to
    within|inside
    per cent|percent
    percent|per cent
    said|stated
    says|states
    told|informed
    think|believe
    thinks|believes
    thought|believed
    hoped|wanted
    agreed|consented
    built|constructed
    made|produced
    created|made
    gave|provided
    gives|provides
    give|provide
    keep|retain
    kept|retained
    led to|resulted in
    due to|because of
    as well as|and also
    for example|for instance
    for instance|for example
    in addition|moreover
    each year|every year
    annually|every year
    today|nowadays
    currently|at the moment
    recently|lately
    later|afterwards
    shortly after|soon after
    a number of|several
    several|a number of
    various|different
    certain|particular
    is able to|can
    are able to|can
    was able to|could
    have to|must
    must|has to
    located in|situated in
    known as|called
    called|named
    famous|well known
    meeting|session
    vote|ballot
    document|paper
    city|town
    government|authorities
    injured|hurt
    died|passed away
    reduce|cut
    reduced|cut
    damaged|harmed
    dangerous|unsafe
    happened|occurred
    occurs|happens
    occurred|happened
    remain|stay
    remained|stayed
    allow|permit
    allowed|permitted
    forbidden|banned
    entire|whole
    simply|just
    especially|particularly
    mostly|mainly
    mainly|mostly
    usually|generally
    typically|usually
    immediately|at once
    previously|earlier
    finally|at last
    together|jointly
    support|back
    supported|backed
    suggested|proposed
    proposed|suggested
    stop|halt
    stopped|halted
    discovered|found
    found|discovered
    leave|depart from
    speak|talk
    spoke|talked
""")
_SYNONYM: dict[str, list[str]] = {}
for _a, _b in _SAME:
    _SYNONYM.setdefault(_a, []).append(_b)
_SAME_WORDS = re.compile(r"\b(" + "|".join(sorted(map(re.escape, _SYNONYM), key=len, reverse=True)) + r")\b")

_OPPOSITE = lx.rows_of("""
    increase|decrease
    increased|decreased
    rise|fall
    rose|fell
    rising|falling
    more|less
    higher|lower
    highest|lowest
    largest|smallest
    larger|smaller
    above|below
    before|after
    first|last
    won|lost
    accepted|rejected
    approved|rejected
    supported|opposed
    support|oppose
    all|none of
    many|few
    most|few
    always|never
    often|rarely
    usually|rarely
    began|ended
    started|stopped
    opened|closed
    open|closed
    new|old
    old|new
    large|small
    small|large
    early|late
    earlier|later
    agreed|refused
    allowed|forbidden
    public|private
    north|south
    northern|southern
    east|west
    eastern|western
    next|previous
    best|worst
    better|worse
    good|bad
    important|unimportant
    likely|unlikely
    possible|impossible
    strong|weak
    stronger|weaker
    high|low
    low|high
    bought|sold
    sent|received
    added|removed
    includes|excludes
    success|failure
    successful|unsuccessful
    passed|failed
    positive|negative
    inside|outside
    with|without
    same|different
    easy|hard
    easily|hardly
    rich|poor
    young|old
    younger|older
    hot|cold
    warm|cold
    long|short
    full|empty
    safe|dangerous
    true|false
    legal|illegal
    alive|dead
    married|divorced
    remembered|forgot
    maximum|minimum
    least|most
    both|neither of
    every|no
    each|no
    some|no
    everyone|nobody
    everything|nothing
    still|no longer
    because of|despite
    because|although
    only|not only
    must|need not
    may|cannot
    can|cannot
    will|will not
    should|should not
    could|could not
    would|would not
    is|is not
    are|are not
    was|was not
    were|were not
    has|has not
    had|had not
""")
_TURN: dict[str, list[str]] = {}
for _a, _b in _OPPOSITE:
    _TURN.setdefault(_a, []).append(_b)
    if " not" not in _b and _b not in ("cannot", "need not"):
        _TURN.setdefault(_b, []).append(_a)
_TURN_WORDS = re.compile(r"\b(" + "|".join(sorted(map(re.escape, _TURN), key=len, reverse=True)) + r")\b")
_NOT = re.compile(
    r"\b(is|are|was|were|will|would|could|should|has|have|had|can|may|must|do|does|did)(?: not|n['’]t)\b|\bcannot\b"
)
_AUX = re.compile(r"\b(is|are|was|were|will|would|could|should|can|has been|have been|had been)\b(?! not|n['’]t)")
_NUMBER = re.compile(r"(?<![\w.,])\d{1,3}(?:,\d{3})+(?![\w])|(?<![\w.,])\d+(?![\w.,]\d|\w)")
_YEAR = re.compile(r"\b(1[6-9]\d\d|20[0-3]\d)\b")
_NAME = re.compile(r"(?<=[a-z,;] )(?:[A-Z][a-z]+(?:['’]s)?)(?: (?:of |the )?[A-Z][a-z]+)*")
_DATES = frozenset(lx.MONTHS + lx.WEEKDAYS)
_CONTRACT = (("do not", "don't"), ("does not", "doesn't"), ("did not", "didn't"), ("is not", "isn't"), ("was not", "wasn't"),
             ("are not", "aren't"), ("were not", "weren't"), ("cannot", "can't"), ("will not", "won't"), ("would not", "wouldn't"),
             ("could not", "couldn't"), ("has not", "hasn't"), ("have not", "haven't"), ("it is", "it's"), ("they are", "they're"))  # fmt: skip
_FRAMES = ("According to the text, {}", "It is stated that {}", "The passage says that {}", "As the text has it, {}", "We learn that {}", "{}", "{}", "{}",
           "{}", "{}", "{}", "It is the case that {}")  # fmt: skip


_OPENER = re.compile(
    r"^(?:However|Moreover|But|And|So|Also|Similarly|In addition|Furthermore|Indeed|Of course|Well|Thus|Therefore), ?"
)


def _lower_first(text: str) -> str:
    text = _OPENER.sub("", text)
    word = text.split(" ", 1)[0]
    ordinary = {"The", "A", "An", "This", "That", "These", "Those", "It", "He", "She", "They", "We", "In", "On", "At", "There", "His", "Her", "Their",
                "Its", "Many", "Some", "Most", "All", "When", "If", "After", "Before", "But", "And", "For", "By", "With", "As", "Our", "You"}  # fmt: skip
    return text[:1].lower() + text[1:] if word in ordinary else text


def reworded(text: str, rng: random.Random, *, n: int) -> str:
    """The sentence with about ``n`` changes that keep its meaning.

    Examples
    --------
    >>> reworded("The company bought 1,200 seats because it needed them.", random.Random(3), n=2) != ""
    True
    """
    for _ in range(n):
        way = rng.random()
        if way < 0.55:
            found = list(_SAME_WORDS.finditer(text))
            if found:
                m = rng.choice(found)
                text = text[: m.start()] + rng.choice(_SYNONYM[m.group()]) + text[m.end() :]
        elif way < 0.65:
            for long, short in rng.sample(_CONTRACT, len(_CONTRACT)):
                if f" {long} " in text:
                    text = text.replace(f" {long} ", f" {short} ", 1)
                    break
                if f" {short} " in text:
                    text = text.replace(f" {short} ", f" {long} ", 1)
                    break
        elif way < 0.75:
            m = rng.choice(list(_NUMBER.finditer(text)) or [None])  # type: ignore[list-item]
            if m is not None and not _YEAR.fullmatch(m.group()):
                value = int(m.group().replace(",", ""))
                if value < 10000:
                    text = text[: m.start()] + number(value, rng) + text[m.end() :]
        elif way < 0.85:
            text = re.sub(r" \([^()]*\)", "", text, count=1)
        elif way < 0.93:
            # an adverbial goes from the front to the end
            moved = re.match(
                r"((?:In|On|At|During|After|Before|Since|By|For|Despite) [^,]{3,50}), ([^.!?]+)([.!?])$", text
            )
            if moved:
                text = f"{moved[2][:1].upper()}{moved[2][1:]} {moved[1][:1].lower()}{moved[1][1:]}{moved[3]}"
        else:
            text = re.sub(r"\b(very|really|just|quite|actually|indeed) ", "", text, count=1)
    frame = rng.choice(_FRAMES) if n else "{}"
    if frame != "{}":
        text = frame.format(_lower_first(text))
    elif n > 1 and rng.random() < 0.5:
        text = _shorter(text, rng)
    return text[:1].upper() + text[1:]


_ASIDE = re.compile(
    r",? (?:which|who|where|although|while|because|with|including|as well as|but|and) [^,]*(?=[.!]$|, )|, [a-z]+ing [^,]*(?=[.!]$|, )|"
    r" \\([^()]*\\)"
)


def _shorter(text: str, rng: random.Random) -> str:
    """The sentence without a bracket or a clause after a comma, if at least six words are left."""
    found = list(_ASIDE.finditer(text))
    if not found:
        return text
    m = rng.choice(found)
    short = text[: m.start()] + text[m.end() :]
    return short if len(short.split()) >= 6 else text


def turned(text: str, names: Sequence[str], rng: random.Random) -> tuple[str, str] | None:
    """The sentence with one change that makes it false, and the kind of change; None if no change applies.

    Parameters
    ----------
    names : names from the same document, used as replacements.
    """
    ways = ["negation", "number", "name", "opposite", "swap", "date"]
    rng.shuffle(ways)
    if rng.random() < 0.5:  # try the rarer changes first
        ways.sort(key=("swap", "number", "date", "name", "negation", "opposite").index)
    for way in ways:
        if way == "negation":
            m = _NOT.search(text)
            if m:
                return text[: m.start()] + (m.group(1) or "can") + text[m.end() :], "negation"
            if re.search(r"\b(not|never|no|nobody|none|neither|nor)\b|n['’]t\b", text):
                continue
            found = list(_AUX.finditer(text))
            if found:
                m = found[0] if rng.random() < 0.8 else rng.choice(found)
                head = m.group().split()
                said = {"can": "cannot"}.get(m.group(), " ".join([head[0], "not", *head[1:]]))
                return text[: m.start()] + said + text[m.end() :], "negation"
        elif way == "number":
            found = [m for m in _NUMBER.finditer(text) if not _YEAR.fullmatch(m.group())]
            if found:
                m = rng.choice(found)
                value = int(m.group().replace(",", ""))
                new = rng.choice(
                    [
                        x
                        for x in (value + 1, value * 2, value + 10, value // 2, value * 10, value + 3)
                        if x not in (value, 0)
                    ]
                )
                return text[: m.start()] + (f"{new:,}" if "," in m.group() else str(new)) + text[m.end() :], "number"
        elif way == "date":
            found = list(re.finditer(r"\b(?:" + "|".join(lx.MONTHS + lx.WEEKDAYS) + r")\b", text)) + list(
                _YEAR.finditer(text)
            )
            if found:
                m = rng.choice(found)
                if m.group().isdigit():
                    new_word = str(int(m.group()) + rng.choice((-10, -2, -1, 1, 2, 5, 10)))
                else:
                    new_word = rng.choice(
                        [x for x in (lx.MONTHS if m.group() in lx.MONTHS else lx.WEEKDAYS) if x != m.group()]
                    )
                return text[: m.start()] + new_word + text[m.end() :], "date"
        elif way == "name":
            found = [m for m in _NAME.finditer(text) if m.group() not in _DATES]
            others = [n for n in names if n not in text and not any(w in text.split() for w in n.split())]
            if found and others:
                m = rng.choice(found)
                new_name = rng.choice(others) + ("'s" if m.group().endswith(("'s", "’s")) else "")
                return text[: m.start()] + new_name + text[m.end() :], "name"
        elif way == "swap":
            found = [m for m in _NAME.finditer(text) if m.group() not in _DATES]
            if len(found) >= 2:
                a, b = sorted(rng.sample(found, 2), key=lambda m: m.start())
                between = text[a.end() : b.start()]
                if a.group() != b.group() and re.search(r"\b\w+(ed|s) (by|from|to|than|with)?|\b(is|was|beat|than|by|from|to)\b", between) and \
                        not re.fullmatch(r",? (and|or) |, ", between):  # fmt: skip
                    return text[: a.start()] + b.group() + between + a.group() + text[b.end() :], "swap"
        else:
            found = list(_TURN_WORDS.finditer(text))
            plain = [
                m
                for m in found
                if m.group()
                not in ("is", "are", "was", "were", "has", "had", "will", "would", "can", "could", "should")
            ]
            if plain:
                m = rng.choice(plain)
                return text[: m.start()] + rng.choice(_TURN[m.group()]) + text[m.end() :], "opposite"
    return None


def _fits(sentence: str) -> bool:
    n = len(sentence.split())
    return (
        7 <= n <= 32
        and sentence[-1:] in '.!”"'
        and sentence[:1].isupper()
        and "http" not in sentence
        and "|" not in sentence
        and "?" not in sentence
    )


def edited_passages(documents: Sequence[Sequence[str]], n: int, seed: int) -> list[Example]:
    """At least ``n`` examples (a few more at most) from documents, each given as its sentences."""
    rng = random.Random(seed)
    found: list[Example] = []
    usable = [d for d in documents if sum(map(_fits, d)) >= 2]
    while len(found) < n:
        found += _four(rng.choice(usable), rng)
    return found


def _four(document: Sequence[str], rng: random.Random) -> Iterator[Example]:
    at = rng.choice([i for i, s in enumerate(document) if _fits(s)])
    names = sorted(
        {
            m.group().removesuffix("'s").removesuffix("’s")
            for s in document
            for m in _NAME.finditer(s)
            if m.group() not in _DATES
        }
    )
    source = document[at]
    made = turned(source, names, rng)
    if made is None:
        return
    other, kind = made
    before, after = rng.randint(0, 3), rng.randint(0, 3)
    first = max(0, at - before)
    around = list(document[first : at + after + 1])
    while sum(len(s.split()) for s in around) > 150 and len(around) > 1:
        if at - first < len(around) - 1:
            around.pop()
        else:
            around.pop(0)
            first += 1
    place = at - first
    with_source, with_other = tuple(around), (*around[:place], other, *around[place + 1 :])
    k = rng.randint(1, 4)
    state = rng.getstate()
    true = reworded(source, rng, n=k)
    rng.setstate(state)
    false = reworded(other, rng, n=k)
    if true == false:  # rewording removed the changed part
        return
    name = f"edited/{kind}"
    yield Example(with_source, true, "entailed", name, (), (place,))
    yield Example(
        with_source,
        false,
        "contradicted" if kind not in ("name", "swap") else "not_entailed",
        name,
        changed_spans(false, true),
        (place,),
    )
    yield Example(with_other, false, "entailed", name, (), (place,))
    yield Example(
        with_other,
        true,
        "contradicted" if kind not in ("name", "swap") else "not_entailed",
        name,
        changed_spans(true, false),
        (place,),
    )
    if rng.random() < 0.35 and len(around) > 2:
        without = (*around[:place], *around[place + 1 :])
        yield Example(without, rng.choice((true, false)), "neither", "edited/absent", None, ())

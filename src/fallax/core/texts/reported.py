"""Finds sentences that report what somebody else said: by words of saying, or in a quotation that has a speaker."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise

__all__ = ["QUOTE_TAG", "is_reported", "reported_sentences"]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_SAYS = _words(
    "say saying says said tell tells told claimed argue argues argued write writes wrote insist insists insisted"
    " replied shouted tweeted stated declare declares declared announce announces announced warn warns warned asked"
    " answered remarked responded contend contends contended assert asserts asserted allege alleges alleged"
    " concede concedes conceded admits admitted reiterates reiterated"
)
#: Verbs of saying that are also nouns, so that somebody's words must begin behind them.
_SAYS_IT = _words("claim claims tweets")
#: Verbs that say nothing without a "that".
_SAYS_THAT = _words(
    "believe believes believed think thinks thought feel feels felt note notes noted suggest suggests suggested explain"
    " explains explained observe observes observed stress stresses stressed boast boasts boasted predict predicts"
    " predicted conclude concludes concluded add adds added post posts posted points pointed states"
    " maintain maintains maintained complain complains complained answers"
)
#: What is done with the words of a quotation.
_UTTERS = _words(
    "call calls called post posts posted add adds added quoted snaps snapped explains explained yells yelled screams"
    " screamed cries cried whispers whispered mutters muttered murmured jokes joked quipped continues continued recalls"
    " recalled notes noted observes observed sighed laughed exclaimed claims suggests suggested boasts boasted think"
    " thinks thought feels urges urged stresses stressed"
)
_VERBS = _SAYS | _SAYS_IT | _SAYS_THAT | _UTTERS
_WORD = re.compile(r"[A-Za-z]+")
_THAT = re.compile(r"\s+(?:out )?that\b")
_WORDS_OF = re.compile(
    r"\s+(?:(?:that|to|he|she|it|they|we|you|the|an?|his|her|our|their|my|this|these|there|all|if|everyone|everybody"
    r"|nobody|some|someone|somebody|any|anyone)\b|I\b|[A-Z])"
)
_ASIDE = re.compile(r"\s*(?:[.,;:—–!?]|$)")
#: Who is no speaker that a saying could be given to; what everybody says is an argument of who writes so.
_NOBODY = (
    r"(?:(?:you|we|I|(?:every|some|any|no)(?:body|one)|people|all|most|many|this|that|it|there|what|as|to|do|please|just"
    r"|never|not|let|when|if|or|and|but|so|only|can|could|would|should|must|who|why|how)\b|don[’']t)"
)
_NOUNS = (
    r"(?: (?!(?:if|that|who|which|and|or|but|because|to|would|could|should|might|may|will|can|must|never)\b)"
    r"[\w’'-]{1,30}){1,3}?"
)
#: Who is only known by what is said is no speaker either ("those who say that ...", "teachers who complain that ..."):
#: that is what the author says of them. Somebody who is brought in for it is one.
_BRINGS_IN = (
    r"(?:there(?: is| was|[’']s)|(?:I|we) (?:know|knew|met|have|had|saw|heard|spoke (?:to|with)|talked (?:to|with)))"
)
#: What is said under a condition, or taken for a reason, is an argument of who writes so.
_UNCONDITIONAL = (
    r"(?<!\bif )(?<!\bbecause )(?<!\bsince )(?<!\bunless )(?<!\bwhenever )(?<!\bwhy )(?<!\bwhen )(?<!\bwhat )"
)
_SUBJECT = re.compile(
    rf"{_UNCONDITIONAL}\b(?:he|she|they|him|her|them|(?<=, )who|{_BRINGS_IN} (?:an?|one|two){_NOUNS} who|one"
    rf"|(?:the|my|his|her|our|your|their|its|an?|another|two|three|four|five|six|several|both){_NOUNS}"
    rf"|(?!{_NOBODY})(?-i:[A-Z])[\w’'.-]{{1,40}})\s{{1,9}}(?:(?:has|have|had|used to|also|then|later|once"
    r"|often|always|still|\w{1,30}ly) ){0,2}(?P<is>(?:is|are|was|were) )?\Z",
    re.IGNORECASE,
)
_NEAR = 140
_APPOSED = re.compile(rf"(?!{_NOBODY})[^,;:!?]{{2,60}}(?:, [^,;:!?]{{1,80}}){{1,3}}, \Z", re.IGNORECASE)
_INVERTED = re.compile(rf" (?:he|she|they|(?!{_NOBODY})(?-i:[A-Z])\w+)\b", re.IGNORECASE)
_INVERTED_NOUN = re.compile(r" (?:the|my|his|her|our|their|an?) \w+", re.IGNORECASE)
_OTHERWISE = re.compile(
    r"\b(?:according to(?! whom?\b)(?: (?:an?|my|our)\b)?|(?:was|were|been) told that"
    r"|it (?:was|has been) (?:claimed|argued|alleged|said) that"
    r"|as [^,.;]{2,60}? puts? it|in (?:his|her|their|[^,.;]{2,60}?(?:’|')s?) (?:view|opinion|words),)",
    re.IGNORECASE,
)
_QUOTED = re.compile(
    r"``[^\n]{3,500}?''|„[^“”\"\n]{3,}[“”\"]?|[“\"][^”\"\n]{3,}[”\"]?|«[^»\n]{3,}»|»[^«\n]{3,}«|‹[^›\n]{3,}›"
    r"|‘[^\n]{8,500}?’(?!\w)|(?<!\w)'(?=\w)[^\n]{8,500}?[.,!?…]'(?!\w)"
)
#: What stands between a speaker and a verb of saying, and names neither.
_ASIDES = re.compile(r" ?\([^()\n]{0,100}\)| ?\[[^\[\]\n]{0,100}\]")
#: "because she says so", "the book says it" argue.
_SAYS_SO = re.compile(
    r"\b(?:said|says?|told \w{1,40}) (?:so|(?:it|this|that|otherwise)(?=\s*(?:[,.;:!?]|so\b|$)))\b"
    r"|\btold (?:the truth|(?:a|no|many|some) (?:lies?|story|stories)|lies)\b",
    re.IGNORECASE,
)
_FIRST_PERSON = re.compile(rf"\b(?:I|we)\s{{1,9}}(?:\w{{1,30}} )?(?:{'|'.join(sorted(_SAYS))})\b", re.IGNORECASE)
#: What is longer is no sentence; its beginning is examined.
_LONGEST = 2000
#: Behind what somebody is said to say, this begins what the author says of it: "he says that he cares, but he lies".
_OBJECTS = re.compile(
    r"[,;:—–]\s*(?:and )?(?:but|yet|however|although|though|even though|whereas|when|while)\b", re.IGNORECASE
)
#: So does this, behind what somebody says now, or what somebody says who is only brought in for it.
_CONCLUDES = re.compile(r"[,;:—–]\s*(?:and )?(?:so|therefore|hence|thus)\b", re.IGNORECASE)
#: And this, right behind a quotation.
_ARGUES = re.compile(
    r"\s*[,;:—–-]?\s*(?:and )?(?:so(?! (?:\w{1,30} ){0,3}(?:says?|said|claims?|argues?|insists?)\b)"
    r"|therefore|hence|thus)\b",
    re.IGNORECASE,
)
_BROUGHT_IN = re.compile(
    r"(?:according to )?(?:an?|my|our)\b|.*\b(?:says?|tells?|claims?|argues?|insists?|believes?|thinks?)\Z",
    re.IGNORECASE | re.DOTALL,
)
#: A remark that names the fault of what was said: "That's an ad hominem."
_NAMES_FAULT = re.compile(
    r"(?:(?:and|but|well),? )?(?:that|this|it|which)(?: is|[’']s| was) (?:\w{1,30} ){0,4}?"
    r"(?:fallac(?:y|ious)|ad hominem|straw ?man|slippery slope|red herring|whataboutism|non sequitur|tu quoque"
    r"|false (?:dilemma|dichotomy|choice|cause|analogy|equivalence)|hasty generali[sz]ation|circular reasoning"
    r"|personal attack|appeal to \w{1,30})\W{0,9}\Z",
    re.IGNORECASE,
)
_REASON = re.compile(r"\W*(?:since|because|given|if)\b(?! of\b)", re.IGNORECASE)


def is_reported(sentence: str) -> bool:
    """Whether a sentence reports what somebody else said: a quotation with its speaker, or "she said that".

    It does not if its author goes on to argue: "she says that she cares, but she lies", "my doctor says it works, so it
    works".

    Examples
    --------
    >>> is_reported("“He is a fool,” the mayor said on Monday.")
    True
    >>> is_reported("Everybody knows that he is a fool.")
    False
    """
    sentence = _ASIDES.sub("", sentence[:_LONGEST])
    quotations = [m.span() for m in _QUOTED.finditer(sentence)]
    if _FIRST_PERSON.search(sentence) and not quotations:
        return False
    said = _SAYS_SO.sub(_blanks, _QUOTED.sub(_unquoted, sentence))
    long = [(a, b) for a, b in quotations if b - a >= _LEAST]
    who = _saying(said, quoted=bool(long))
    if who is None or _OBJECTS.search(said, who[1]) or (long and _ARGUES.match(said, long[-1][1])):
        return False
    if not _CONCLUDES.search(said, who[1]):
        return True
    return not (_BROUGHT_IN.match(said, *who) or _REASON.match(said))


def _blanks(found: re.Match[str]) -> str:
    return " " * len(found[0])


def _unquoted(found: re.Match[str]) -> str:
    """Blanks for a quotation; one that is not closed stays, as its speaker may be in it."""
    return found[0] if found[0][0] in '„“"' and found[0][-1] not in '“”"' else _blanks(found)


def _saying(said: str, *, quoted: bool) -> tuple[int, int] | None:
    """Where the first words are that name a speaker and a verb of saying; None if there are none."""
    for verb in _WORD.finditer(said):
        kind = _kind(said, verb)
        if not kind or (kind == "utters" and not quoted):
            continue
        near = max(0, verb.start() - _NEAR)
        subject = _SUBJECT.search(said[near : verb.start()])
        if subject and (not subject["is"] or verb[0].lower() == "saying"):
            start = near + subject.start()
            if kind != "aside" or quoted or said[:start].rstrip("”\"’' ").endswith(","):
                return start, verb.end()
        if kind == "aside":
            continue
        if not near and _APPOSED.match(said[: verb.start()]):
            return 0, verb.end()
        if _INVERTED.match(said, verb.end()) or (quoted and _INVERTED_NOUN.match(said, verb.end())):
            return verb.span()
    found = _OTHERWISE.search(said)
    return found.span() if found else None


def _kind(said: str, word: re.Match[str]) -> str:
    """What a verb does: "says", stands "aside" behind somebody's words, or "utters" a quotation; "" for other words."""
    verb = word[0].lower()
    if verb not in _VERBS:
        return ""
    if verb in _SAYS or (verb in _SAYS_THAT and _THAT.match(said, word.end())):
        return "says"
    if verb in _SAYS_IT and _WORDS_OF.match(said, word.end()):
        return "says"
    if verb in _SAYS_IT | _SAYS_THAT and _ASIDE.match(said, word.end()):
        return "aside"
    return "utters" if verb in _UTTERS else ""


#: What closes a quotation in double marks, by its opening mark.
_OPENS = {"“": "”", "«": "»", "»": "«", "‹": "›", "„": "“”", '"': '"'}
_CLOSING = {opening: re.compile(f"[{closing}]") for opening, closing in _OPENS.items()}
#: What closes a quotation in single marks, which apostrophes look like; it has an end, and one within reach.
_SINGLE = {"‘": re.compile(r"[.,!?…—]’(?!\w)"), "'": re.compile(r"[.,!?…—]'(?!\w)")}
_REACH = 600
#: Fewer characters in quotation marks are a mentioned word, not a saying.
_LEAST = 12
#: Least share of a sentence that must be in a quotation.
_MOST = 0.6
#: What forums put around a quotation.
QUOTE_TAG = re.compile(r"\[(/?)quote\b[^\]\n]{0,100}\]", re.IGNORECASE)
#: What mail programs put above the mail that is answered or passed on.
_FORWARDED = re.compile(
    r"^[ \t]{0,9}(?:-{2,20} ?(?:original|forwarded) message ?-{2,20}|begin forwarded message:)\s",
    re.IGNORECASE | re.MULTILINE,
)


def _quotations(text: str, start: int, end: int) -> Iterator[tuple[int, int, bool]]:
    """The quotations in a paragraph, and whether each is closed; one in double marks that is not reaches to its end."""
    at = start
    while at < end:
        mark = text[at]
        if (mark not in _CLOSING and mark not in _SINGLE) or (mark in "\"'" and at > start and text[at - 1].isalnum()):
            at += 1
            continue
        if mark in _SINGLE:
            found = _SINGLE[mark].search(text, at + 1, min(end, at + _REACH))
            if found is None:
                at += 1
                continue
        else:
            found = _CLOSING[mark].search(text, at + 1, end)
        stop = found.end() if found else end
        if stop - at >= _LEAST:
            yield at, stop, found is not None
        at = stop


def reported_sentences(
    text: str,
    places: Sequence[tuple[int, int]],
    breaks: Collection[int] = (),
    *,
    quotations: Sequence[tuple[int, int]] = (),
) -> tuple[bool, ...]:
    r"""Whether each sentence reports what somebody else said.

    A sentence is reported if it says so itself (:func:`is_reported`), or if most of it is in a quotation with a
    speaker: one named in the sentence where the quotation begins or ends, or in the one before, or the speaker of a
    quotation that it continues. A quotation that its paragraph does not close is continued by a mark that opens the
    next paragraph, as newspapers do. What stands between ``[quote]`` and ``[/quote]``, as in forums, and all below
    "-----Original Message-----" in a mail is reported too, and so is a remark right behind a report that only names
    its fault ("That's an ad hominem.").

    Parameters
    ----------
    places : start and end of each sentence.
    breaks : indexes of the sentences that begin a paragraph, except the first.
    quotations : start and end of passages that the page itself marks as quotations; these need no speaker.

    Examples
    --------
    >>> text = "“It must fall,” the mayor said. “Or the town dies. He is a fool.” The council votes."
    >>> reported_sentences(text, [(0, 31), (32, 50), (51, 65), (66, 84)])
    (True, True, True, False)
    """
    own = [is_reported(text[a:b]) for a, b in places]
    found = list(own)
    begins, ends = [a for a, _ in places], [b for _, b in places]
    starts = [0, *sorted(breaks), len(places)] if places else []
    unclosed = False
    for first, end in pairwise(starts):
        spoken_until, before, unclosed = -1, unclosed, False
        for a, b, closed in _quotations(text, places[first][0], places[end - 1][1]):
            inside = range(max(first, bisect_right(ends, a)), min(end, bisect_left(begins, b)))
            if not inside:
                continue
            leads = places[inside[0]][0] == a
            goes_on = leads and (before if inside[0] == first else spoken_until == inside[0] - 1)
            beside = [i for i in (inside[0] - 1, inside[0], inside[-1]) if i >= first]
            if not goes_on and not any(own[i] for i in beside):
                continue
            spoken_until, unclosed = inside[-1], not closed
            _mark(found, places, inside, a, b)
    for a, b in (*quotations, *_passed_on(text)):
        _mark(found, places, range(bisect_right(ends, a), bisect_left(begins, b)), a, b)
    for i in range(1, len(places)):
        a, b = places[i]
        found[i] = found[i] or (found[i - 1] and i not in breaks and _NAMES_FAULT.match(text[a:b]) is not None)
    return tuple(found)


def _passed_on(text: str) -> Iterator[tuple[int, int]]:
    """Where a text passes on what others wrote: quotations of a forum, and a mail below the line that says so."""
    opened: list[int] = []
    for tag in QUOTE_TAG.finditer(text):
        if not tag[1]:
            opened.append(tag.start())
        elif opened:
            yield opened.pop(), tag.end()
    forwarded = _FORWARDED.search(text)
    if forwarded:
        yield forwarded.start(), len(text)


def _mark(found: list[bool], places: Sequence[tuple[int, int]], among: range, start: int, end: int) -> None:
    """Mark the sentences, of some, that are mostly within a quotation."""
    for i in among:
        a, b = places[i]
        found[i] = found[i] or min(end, b) - max(start, a) >= _MOST * (b - a)

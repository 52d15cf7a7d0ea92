"""Splits why-claims into cause and effect."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fallax.core.texts import is_reported, sentence_spans
from fallax.core.texts.broader import parts_of
from fallax.core.texts.verbs import AUXILIARIES, IRREGULAR_PARTICIPLES, IRREGULAR_PASTS, base_form, past_form

__all__ = [
    "CauseAndEffect",
    "affirmed_link",
    "cause_and_effect",
    "has_denial",
    "is_named",
    "is_thing",
    "names_link",
    "opposite_of",
    "without_denied_cause",
]


@dataclass(frozen=True, slots=True)
class CauseAndEffect:
    """The two sides of a why-claim, in its own words."""

    cause: str
    effect: str


#: What is longer is no claim; nobody could say which of its words belong to which side.
_LONGEST = 2000
_AUXILIARY = "|".join(AUXILIARIES)
_PASTS = "|".join(IRREGULAR_PASTS)
_SAME_PASTS = "burst|cut|hit|put|set|shut"
_SUBJECTS = "I|he|she|it|they|we|you"
#: Words that only look like the past of a verb.
_NO_PAST = r"(?!(?:speed|seed|feed|weed|greed|reed|shed|creed|need|breed|hundred|indeed)\b)"
_FINITE = re.compile(
    rf"\b(?:{_AUXILIARY}|{_NO_PAST}\w{{2,}}ed|\w{{2,}}[^s\W]s|{_PASTS}|{_SAME_PASTS}|{_SUBJECTS})\b|n['’]t\b",
    re.IGNORECASE,
)
#: The same without words in "s", which may be plurals, and without pronouns.
_VERB = re.compile(rf"\b(?:{_AUXILIARY}|{_NO_PAST}\w{{2,}}ed|{_PASTS}|{_SAME_PASTS})\b|n['’]t\b", re.IGNORECASE)


def is_named(side: str, *, plurals: bool = False) -> bool:
    """Whether a side of a claim only names a thing, without a verb that says something of it.

    Parameters
    ----------
    plurals : take words in "s" for plurals, where they may be verbs as well.

    Examples
    --------
    >>> is_named("the leaking dam"), is_named("the dam leaked"), is_named("nobody inspects it")
    (True, False, False)
    >>> is_named("strong winds"), is_named("strong winds", plurals=True)
    (False, True)
    """
    return (_VERB if plurals else _FINITE).search(side) is None


#: "Due to" before a verb tells when something is to happen, not why.
_DUE = (
    r"due to(?! (?:be|have|begin|arrive|depart|expire|appear|speak|become|take|go|come|retire|reopen|meet|happen|receive)\b"
    r"| (?:start|close|leave|sail|end|open|finish|return|vote|run|play)"
    r"(?: (?:at|on|in|by|next|this|tomorrow|from|for|soon|its|the|his|her|their)\b|$))"
)
_OF = (
    rf"because of|{_DUE}|owing to|(?<!gave )(?<!give )(?<!given )(?<!gives )(?<!said )(?<!many )(?<!their )thanks to|"
    r"as a (?:result|consequence) of|on account of|for(?= (?:want|lack|fear) of\b)"
)
#: "Since" before a time, and "as" in fixed phrases, name no cause.
_SINCE = (
    r"since(?! (?:\d{4}\b|\d\d? [a-z]+ \d{4}|then|last|january|february|march|april|may|june|july|august|september|"
    r"october|november|december))"
)
_AS = (
    r"as(?! (?:expected|of|per|to|if|though|usual|a|an|before|always|part|well|for|in|planned|announced|reported|many|much|soon|long|"
    r"far)\b)"
)
_WHY = (
    r"which is why|that(?: is|['’]s) why|this is why|therefore|thus|hence|consequently|as a result(?! of)|"
    r"as a consequence(?! of)|for (?:this|that) reason"
)
_SO = r"so(?! (?:(?:\w+ )?that|to|far|on|called|much|many|long|(?:he|she|they|it) (?:said|says|claimed|claims|seemed|seems))\b)"
_BE = r"is|are|was|were|has been|have been|had been"
#: What says how far or how surely something is the cause; other adverbs belong to the effect ("it opened early because").
_DEGREE = (
    "partly|partially|mainly|mostly|largely|chiefly|primarily|principally|predominantly|simply|solely|purely|merely|"
    "precisely|exactly|ultimately|essentially|basically|entirely|wholly|fully|likely|probably|possibly|presumably|"
    "apparently|allegedly|supposedly|reportedly|evidently|obviously|clearly|surely|certainly|undoubtedly|actually|"
    "really|directly|indirectly|especially|particularly|specifically"
)
_HOW = rf"(?: (?:(?:most |very )?(?:{_DEGREE})|in part|at least in part|in large part|just|only|also|perhaps|maybe|not (?:only|just|merely)))?"
_HEDGED = r"(?:may|might|could|must|will|would|can)"
_REASON = r"(?:the|one|another|a)(?: \w+)? (?:reason|of the (?:\w+ )?reasons)"
#: Where a side ends so, the words of a link belong to another clause.
_OPEN_END = re.compile(
    rf"(?:\b(?:{_AUXILIARY}|be|been|being|not|never|and|or|but|which|that|who|what|if|when|why|how|hardly|scarcely|barely|the|an?|of)|n['’]t)$",
    re.IGNORECASE,
)
#: Words that alone say nothing that could be a cause or an effect.
_NO_SIDE = re.compile(
    r"|it|this|that|these|those|he|she|they|him|her|them|us|me|you|\w+ly|not|just|only|ever|even|perhaps|maybe",
    re.IGNORECASE,
)
#: What behind a comma continues the side before it: an aside or a further cause.
_CONTINUES = re.compile(
    r"(?:and|or|but|which|who|whom|whose|where|when|while|because|since|though|although|if|as|like|including|such)\b",
    re.IGNORECASE,
)
_RELATIVE = re.compile(r"\b(?:that|which|who|whose|where)\b", re.IGNORECASE)
#: Where a text ends so, a relative clause goes on.
_IN_RELATIVE = re.compile(r", (?:which|who|whose|where)\b[^,]*$", re.IGNORECASE)
_BECAUSE = re.compile(r"\bbecause\b(?! of\b)", re.IGNORECASE)
_NOTHING = re.compile(r"(?:no|nothing|nobody|none|neither)\b", re.IGNORECASE)
_THAT = re.compile(r"\bthat\b", re.IGNORECASE)
_EDGES = " ,;:–—-"
_PERFECT = re.compile(r"\b(?:has|have|had)\b|['’]ve\b", re.IGNORECASE)


def _any(a: str, b: str) -> bool:
    return True


def _effect_follows(a: str, b: str) -> bool:
    """Whether behind a comma the effect begins: a clause of its own, or all there is behind the only comma."""
    part = b.split(", ", 1)[0]
    if _CONTINUES.match(part) or _VERB.match(part):
        return False
    return _VERB.search(part) is not None or ", " not in f"{a}, {b}".replace(", ", "", 1)


def _names_side(a: str, b: str) -> bool:
    """Whether "because of" links what stands around it; it does not in "deaths because of smoke fell"."""
    verb = _VERB.search(b)
    within = verb is not None and not _RELATIVE.search(b[: verb.start()])
    return _gives_reason(a, b) and not (within and _VERB.search(a) is None) and not _BECAUSE.search(a)


def _gives_reason(a: str, b: str) -> bool:
    """Whether "because" gives the reason of all that stands before it, and nothing behind it continues that.

    What somebody says may have the reason in it, and "the mayor, because she was ill, left" goes on behind it.
    """
    return not (_THAT.search(a) and is_reported(a)) and (_VERB.search(a) is not None or _is_whole(a, b))


def _is_since(effect: str, cause: str) -> bool:
    """Whether "since" can give a reason: a verb is behind it, and the effect is not in the perfect, as times have it."""
    return not is_named(cause) and not _PERFECT.search(effect)


def _is_as(cause: str, effect: str) -> bool:
    """Whether "as" can give a reason: not in "as mayor" and "as she said"."""
    return not is_named(cause) and not is_reported(cause) and _effect_follows(cause, effect)


def _is_whole(a: str, b: str) -> bool:
    """Whether the second side does not end an aside: "the strike, which led to a shortage, was long"."""
    return not any(_VERB.match(part) for part in b.split(", ")[1:])


def _acts(a: str, b: str) -> bool:
    """Whether one side can be what caused the other; not so in "no frost caused it" and "main causes of it"."""
    return _is_whole(a, b) and not _NOTHING.match(a) and not b.startswith(("of ", "for "))


_PLURAL = re.compile(
    r"(?<!\bhi)(?<!\bit)(?<!\bthi)(?<!\bwa)(?<!\bha)(?<!\bdoe)(?:\w[^s\W]s|\b(?:people|children|men|women|mice|bacteria|they))$",
    re.IGNORECASE,
)


def _many_act(a: str, b: str) -> bool:
    """The same for "cause" and "lead to" without an ending, which only several things do: "vaccines cause autism"."""
    return _PLURAL.search(a) is not None and _acts(a, b)


#: A participle before its noun is no verb: "spoiled meat", "a lack of trained staff".
_BEFORE_NOUN = re.compile(
    r"(?:^|\b(?:of|with|by|for|from|and|or|under|without)\s+)(?:(?:the|an?|its|his|her|their|our|my|no|more|less)\s+)?"
    rf"(?:\w+ly\s+)?(?:(?-i:[A-Z]?[a-z]+ed)|{'|'.join(IRREGULAR_PARTICIPLES)})\s+(?=\w)",
    re.IGNORECASE,
)


def is_thing(side: str) -> bool:
    """Whether a side of a claim names a thing, also one with a participle before its noun.

    Examples
    --------
    >>> is_thing("spoiled meat"), is_thing("both speed and alcohol"), is_thing("the meat spoiled")
    (True, True, False)
    """
    return is_named(_BEFORE_NOUN.sub("", side), plurals=True) and not _act_now(side.split())


#: In "s", but no subject that acts: "sales staff", "sports clubs".
_IN_NAMES = frozenset(("sales", "sports", "goods", "news", "arms", "customs", "savings", "works", "his", "its", "this"))
_ADVERBS = frozenset(("now", "often", "always", "also", "then", "still", "never", "seldom", "usually", "rarely"))


def _act_now(words: Sequence[str]) -> bool:
    """Whether several things do something in the present, as in "hungry pupils now come": it is no noun before another."""
    for before, word, behind in zip(words, words[1:], [*words[2:], ""], strict=False):
        low = word.lower()
        if before.lower() in ("that", "which", "who", "when", "where"):
            return False
        if low in _ADVERBS:
            return _PLURAL.search(before) is not None and "v" in parts_of(behind)
        if (
            before.lower() in _IN_NAMES
            or not before[1:].islower()
            or (before is not words[0] and before[0].isupper())
            or not _PLURAL.search(before)
        ):
            continue
        if parts_of(low) == {"v"} and base_form(low) == low and not low.endswith(("s", "ing")):
            return True
    return False


@dataclass(frozen=True, slots=True)
class _Form:
    """A form of why-claims.

    Parameters
    ----------
    link : what stands between the two sides.
    effect_first : whether the first side is the effect.
    opening : what stands before the first side.
    fits : whether two texts can be the sides. The first link between two that can is used.
    """

    link: re.Pattern[str]
    effect_first: bool
    opening: re.Pattern[str] | None
    fits: Callable[[str, str], bool]

    def read(self, text: str) -> CauseAndEffect | None:
        """The cause and effect of a text; None if it has not this form."""
        opened = None if self.opening is None else self.opening.match(text)
        if self.opening is not None and opened is None:
            return None
        begin = 0 if opened is None else opened.end()
        for m in self.link.finditer(text, begin):
            before = text[begin : m.start()]
            a, b = before.strip(_EDGES), text[m.end() :].strip(_EDGES)
            aside = not _is_whole(a, b) if m[0].startswith(",") else _IN_RELATIVE.search(before)
            if aside:
                continue
            if _OPEN_END.search(a) or _NO_SIDE.fullmatch(a) or _NO_SIDE.fullmatch(b) or not self.fits(a, b):
                continue
            return CauseAndEffect(b, a) if self.effect_first else CauseAndEffect(a, b)
        return None


def _form(link: str, *, effect_first: bool, opening: str = "", fits: Callable[[str, str], bool] = _any) -> _Form:
    compiled = re.compile(opening, re.IGNORECASE) if opening else None
    return _Form(re.compile(link, re.IGNORECASE), effect_first, compiled, fits)


_PAST_LINK = r"caused|led to(?! believe\b)|resulted in|brought about|triggered"
_PRESENT_LINK = r"causes|leads to|results in|brings about|triggers"
_BASE_LINK = r"cause|lead to|result in|bring about|trigger"
#: Forms whose sides may be sentences of their own.
_ACROSS = (
    _form(r"[.,;]? this is because:? ", effect_first=True),
    _form(rf"[.;] (?:and )?(?:{_SO}|because of (?:this|that)|{_WHY}),? ", effect_first=False),
)
#: Forms of one sentence. The first that fits is used.
_FORMS = (
    _form(" that ", effect_first=False, opening=rf"it (?:is|was){_HOW} (?:{_OF}|because) "),
    _form(" (?:is|was|were) ", effect_first=True, opening="what (?:caused|led to|brought about|triggered) "),
    _form(" (?:is|was) (?:that|because) ", effect_first=True, opening=rf"{_REASON} (?:why |that |for |behind )?"),
    _form(" (?:is|was|are|were) ", effect_first=True, opening=rf"{_REASON} (?:for|behind) "),
    _form(
        " (?:is|was) ", effect_first=True, opening=rf"{_REASON} (?:why |that )?", fits=lambda a, b: bool(_VERB.search(a))
    ),
    _form(" (?:is|was) ", effect_first=True, opening=rf"{_REASON} (?:why |that )?", fits=lambda a, b: not is_named(a)),
    _form(" (?:is|was|are|were) ", effect_first=True, opening=r"(?:the|one|a)(?: \w+)? cause of "),
    _form(rf" (?:is|was|are|were) {_REASON}s? (?:why|that|for|behind) ", effect_first=False),
    _form("(?<!question)(?<!issue)(?<!mystery)(?<!puzzle) (?:is|was|are|were) why ", effect_first=False),
    _form(r" (?:is|was|are|were) (?:the|a|one)(?: \w+)? cause of ", effect_first=False),
    _form(
        ", ", effect_first=False, opening=rf"(?:(?:in|on|during|by|after|before) [^,]{{1,40}}, )?(?:partly |mainly |largely |simply |only )?(?:{_OF}|because) ",
        fits=_effect_follows,
    ),
    _form(", ", effect_first=False, opening=rf"{_AS} ", fits=_is_as),
    _form(", ", effect_first=False, opening="(?:given|seeing) that ", fits=_effect_follows),
    _form(
        " that ",
        effect_first=False,
        opening=r"(?=so (?:much|many|few|little)\b)",
        fits=lambda a, b: _VERB.search(a) is not None and _VERB.search(b) is not None,
    ),
    _form(", ", effect_first=False, opening=rf"{_SINCE} ", fits=lambda a, b: _is_since(b, a) and _effect_follows(a, b)),
    _form(rf", (?:and )?(?:{_SO}|{_WHY}),? ", effect_first=False, fits=lambda a, b: not is_named(b)),
    _form(rf",?(?: (?:{_BE}))?{_HOW} (?:{_OF}) ", effect_first=True, fits=_names_side),
    _form(
        rf",?{_HOW} (?:because(?! of)|for the (?:\w+ )?reason that|on the grounds? that|as(?= there (?:is|are|was|were)\b)) ",
        effect_first=True,
        fits=_gives_reason,
    ),
    _form(
        rf"(?: {_HEDGED} (?:have been|be)| (?:{_BE})){_HOW} (?:caused|brought about|triggered|produced|driven){_HOW} by ",
        effect_first=True,
    ),
    _form(r" (?:is|was|are|were) (?:the|a)(?: \w+)? (?:result|consequence|effect) of ", effect_first=True),
    _form(" (?:resulted|stemmed|followed) from ", effect_first=True),
    _form(" (?:results?|stems?) from ", effect_first=True, fits=lambda a, b: is_thing(b)),
    _form(
        r"(?:(?<=\bdie)|(?<=\bdies)|(?<=\bdied))(?: (?:in|on|last|this) (?:\d{4}|\w+day|year|month|week|winter|summer|spring|autumn))? (?:of|from) ",
        effect_first=True, fits=lambda a, b: is_thing(b),
    ),
    _form(" (?:meant|means) that ", effect_first=False, fits=lambda a, b: _acts(a, b) and not _CONTINUES.match(a)),
    _form(
        rf"(?:, which|,? and (?:this|that)| (?:is|was) what)?(?: {_HEDGED} have| has| have| had)?(?: \w+ly| also)? "
        rf"(?:{_PAST_LINK}|{_PRESENT_LINK}) ",
        effect_first=False,
        fits=_acts,
    ),
    _form(rf"(?:, which)? {_HEDGED}(?: \w+ly| also)? (?:{_BASE_LINK}) ", effect_first=False, fits=_acts),
    _form(rf"(?: \w+ly| also)? (?:{_BASE_LINK}) ", effect_first=False, fits=_many_act),
    _form(", (?:thereby |thus )?(?:causing|leading to|resulting in|bringing about|triggering) ", effect_first=False),
    _form(rf", (?:and )?(?:{_SO}|{_WHY}),? ", effect_first=False),
    _form(rf" and (?:{_SO}|{_WHY}) ", effect_first=False),
    _form(r" made (?=(?:it|him|her|them|us|me|people|the|his|its|their|our|my) \w+ )", effect_first=False),
    _form(rf",? {_SINCE} ", effect_first=True, fits=_is_since),
)  # fmt: skip

_QUOTED = re.compile('["“][^"“”]+["”]')
#: Who says it is no part of a side.
_ATTRIBUTED = re.compile(r"^according to [^,]{1,60}, |, according to [^,]{1,60}$", re.IGNORECASE)
_BRACKETED = re.compile(r" \((because [^()]+)\)$", re.IGNORECASE)
#: A second cause.
_SECOND = re.compile(r",? (?:and|but also) because (?:of )?", re.IGNORECASE)
_CAUSE_LINK = "because of|because|due to|owing to|as a result of|caused by"
#: "Not because of one thing but because of another" gives the other as the cause.
_CONTRAST = re.compile(
    rf",? (?P<denied>not (?P<first>{_CAUSE_LINK}) .{{1,200}}?),? but (?:rather |instead )?"
    rf"(?P<given>{_CAUSE_LINK}|to|by) | due (?P<due>not to .{{1,200}}?),? but (?:rather )?to ",
    re.IGNORECASE,
)
#: So does "it was not because of one thing that it happened, but because of another".
_CLEFT_CONTRAST = re.compile(
    rf"^(?P<head>it (?:is|was)) (?P<denied>not (?:{_CAUSE_LINK}) .{{1,200}}?) (?P<that>that .{{1,200}}?),? "
    rf"but (?:rather |instead )?(?P<given>(?:{_CAUSE_LINK}) .+?)(?P<end>[.!]?)$",
    re.IGNORECASE,
)
#: And "she was not elected because of one thing, but because of another".
_VERB_IN_CONTRAST = re.compile(
    rf"\b(?P<aux>{_AUXILIARY})(?: not|n['’]t) (?P<verb>\w+)(?P<what>[^,;]{{0,200}}?) (?P<denied>(?:{_CAUSE_LINK}|by) .{{1,200}}?),? "
    rf"but (?:rather |instead )?(?=(?:{_CAUSE_LINK}|by) )",
    re.IGNORECASE,
)
#: "..., (but) not because of that" denies a cause.
_DENIED_AFTER = re.compile(
    r",? (?:and |but |though )?(?P<denied>not (?P<link>because of|because|due to|owing to|as a result of)) ",
    re.IGNORECASE,
)
_NOT = r"(?: not|n['’]t| never)"
#: "Not solely due to" denies no cause.
_QUALIFIED = r"(?:(?!only|solely|merely|simply|purely|exclusively|entirely)\w+ly |in fact )?"
_CAUSED = r"(?:caused?|le(?:a)?d to|result(?:ed)? in|trigger(?:ed)?|br(?:ing|ought) about)\b"
#: Claims that one thing is not the cause of another: the denial, and what stands for it without one.
_LINK_DENIED = re.compile(
    rf"\b(?:(?P<be>is|are|was|were){_NOT}(?= {_QUALIFIED}(?:(?:caused|brought about|triggered|produced|driven) by|because|"
    r"due to|owing to|as a result of|down to|why\b|(?:to blame|responsible) for|"
    r"what (?:(?:has|have|had) )?(?!(?:it|they|we|he|she|you|I|the|an?|his|her|their|was|is|were|are|one)\b)\w+\b|"
    r"(?:the|an?) (?!only|sole)(?:\w+ )?(?:cause|reason|result|consequence|effect)\b))|"
    r"(?P<nothing>(?:has|have|had) (?:nothing to do with|no (?:part|hand) in|no connection with|played no (?:part|role) in"
    r"|no (?:effect|influence|bearing) on)|(?:makes?|made) no (?:difference|odds) to|played no (?:part|role) in)\b|"
    rf"(?P<do>did|does|do){_NOT} (?P<how>{_QUALIFIED})(?P<verb>cause|lead to|result in|trigger|bring about)(?!\w)|"
    rf"(?P<have>has|have|had){_NOT}(?= (?:been )?{_QUALIFIED}{_CAUSED})|"
    rf"(?P<modal>will|would|could|can|wo|ca)(?:{_NOT}|not)(?= (?:have |be |have been )?{_QUALIFIED}{_CAUSED})|"
    rf"(?P<never>never )(?={_CAUSED}))",
    re.IGNORECASE,
)
#: "It was not X that did it"; what it is not clear that it did is not denied.
_CLEFT_DENIED = re.compile(
    r"^(it (?:is|was)) not (?!until|clear|true|certain|known|likely|possible|surpris|obvious|so\b|as\b|enough|only|just|because|due"
    r"|necess|said|thought|meant|un\w+ )(.+? (?:that|which|who) .+)$",
    re.IGNORECASE,
)
_AFFIRMED = {
    "cause": "caused", "lead to": "led to", "result in": "resulted in", "trigger": "triggered",
    "bring about": "brought about",
}  # fmt: skip
_PRESENT = {
    "cause": "causes", "lead to": "leads to", "result in": "results in", "trigger": "triggers",
    "bring about": "brings about",
}  # fmt: skip
_MODALS = {"wo": "will", "ca": "can"}
_LINKED_BEFORE = re.compile(rf"\b(?:because|{_OF}|so|therefore)\b", re.IGNORECASE)


def affirmed_link(claim: str) -> str | None:
    """A claim that denies a cause without its denial; None if it denies none.

    Examples
    --------
    >>> affirmed_link("The dam did not cause the flood."), affirmed_link("The flood was not due to rain.")
    ('The dam caused the flood.', 'The flood was due to rain.')
    >>> affirmed_link("It was flooded, but not because of rain.")
    'It was flooded because of rain.'
    >>> affirmed_link("The valley was not flooded because the dam held.") is None
    True
    """
    text = " ".join(claim.split())
    if len(text) > _LONGEST or _CONTRAST.search(text) or _VERB_IN_CONTRAST.search(text):
        return None
    if cleft := _CLEFT_DENIED.match(text):
        return f"{cleft[1]} {cleft[2]}"
    found = _denial(text)
    if found is not None:
        return text[: found.start()] + _affirmed(found) + text[found.end() :]
    after = _DENIED_AFTER.search(text)
    if after is not None:
        before = text[: after.start()]
        return None if _sides(before) else f"{before} {after['link']} {text[after.end() :].split(' but ')[0]}"
    sides = _sides(text)
    if sides is not None and sides.cause.startswith("not "):
        return text.replace(sides.cause, sides.cause.removeprefix("not "))
    return None


def _denial(text: str) -> re.Match[str] | None:
    """Where a text denies a cause; a denial within the cause that it gives is none."""
    found = _LINK_DENIED.search(text)
    return None if found is None or _LINKED_BEFORE.search(text, 0, found.start()) else found


def _affirmed(found: re.Match[str]) -> str:
    if found["verb"]:
        forms = {"did": _AFFIRMED, "does": _PRESENT}.get(found["do"].lower(), {})
        return found["how"] + forms.get(found["verb"].lower(), found["verb"])
    if found["modal"]:
        return _MODALS.get(found["modal"].lower(), found["modal"])
    if found["nothing"]:
        return "led to"
    return found["be"] or found["have"] or ""


def cause_and_effect(claim: str) -> CauseAndEffect | None:
    """The cause and effect of a claim; None if no word tells which is which, or if it denies the cause.

    Examples
    --------
    >>> cause_and_effect("The valley flooded because the dam broke.")
    CauseAndEffect(cause='the dam broke', effect='The valley flooded')
    >>> cause_and_effect("The frost led to a poor harvest.").cause
    'The frost'
    >>> cause_and_effect("The reason the valley was flooded was that the dam broke.").effect
    'the valley was flooded'
    >>> cause_and_effect("Because the dam, which was old, broke, the valley was flooded.").cause
    'the dam, which was old, broke'
    >>> cause_and_effect("The valley grows plums.") is None
    True
    """
    text = _BRACKETED.sub(r" \1", " ".join(claim.split()).rstrip(" .!?"))
    if len(text) > _LONGEST:
        return None
    if _QUOTED.fullmatch(text):
        text = text[1:-1].rstrip(" .!?")
    text = _denied_cause(_ATTRIBUTED.sub("", text))[0]
    if _denial(text):
        return None
    if (after := _DENIED_AFTER.search(text)) is not None:
        text = text[: after.start()]
    found = _sides(text)
    return None if found is None or found.cause.startswith("not ") else found


def without_denied_cause(claim: str) -> tuple[str, str]:
    """A claim without a cause that it denies beside the one it gives, and what it denies; "" if nothing.

    Examples
    --------
    >>> without_denied_cause("The pier was not closed because of fog, but because of a strike.")
    ('The pier was closed because of a strike.', 'not because of fog')
    >>> without_denied_cause("Sales did not fall because of prices but because of rain.")[0]
    'Sales fell because of rain.'
    >>> without_denied_cause("The pier was closed because of a strike, not because of fog.")
    ('The pier was closed because of a strike.', 'not because of fog')
    """
    text, denied = _denied_cause(claim)
    after = _DENIED_AFTER.search(text)
    if denied or after is None or _sides(text[: after.start()]) is None:
        return text, denied
    return f"{text[: after.start()]}.", text[after.start("denied") :].rstrip(" .!")


def _denied_cause(text: str) -> tuple[str, str]:
    """The same where what is denied stands before the cause that is given."""
    if found := _CLEFT_CONTRAST.match(text):
        return f"{found['head']} {found['given']} {found['that']}{found['end']}", found["denied"]
    if found := _CONTRAST.search(text):
        given = found["given"]
        link = found["first"] or "due to" if given is None or given.lower() in ("to", "by") else given
        return f"{text[: found.start()]} {link} {text[found.end() :]}", found["denied"] or found["due"]
    if found := _VERB_IN_CONTRAST.search(text):
        did = found["aux"].lower() == "did" and "v" in parts_of(found["verb"])
        said = past_form(found["verb"].lower()) if did else f"{found['aux']} {found['verb']}"
        return f"{text[: found.start()]}{said}{found['what']} {text[found.end() :]}", f"not {found['denied']}"
    return text, ""


def _sides(text: str) -> CauseAndEffect | None:
    """The sides of a text, or of its only sentence that has any."""
    if (found := _first(_ACROSS, text)) is None:
        parts = [part for a, b in sentence_spans(text) for part in text[a:b].split("; ")]
        each = [side for part in parts if (side := _first(_FORMS, part.rstrip(" .!?")))]
        found = each[0] if len(each) == 1 else None
    if found is None or not (second := _SECOND.search(found.cause)):
        return found
    at = second.start()
    cause = found.cause[:at].replace(", because of ", ", ") + _SECOND.sub(" and ", found.cause[at:])
    return CauseAndEffect(cause, found.effect)


def _first(forms: Sequence[_Form], text: str) -> CauseAndEffect | None:
    return next((found for form in forms if (found := form.read(text)) is not None), None)


#: Words that state or suggest that one thing caused or prevented another.
_LINK = re.compile(
    r"\b(?:because|since|as a result|so|led|lead(?:s|ing)?|caus\w+|makes?|made|making|due|owing|result\w*|therefore|thus|hence|"
    r"forc\w+|prevent\w*|when|whenever|after|if|unless|without|enough|too|let|lets|letting|allow\w*|keep\w*|kept|dr[oi]ve\w*|"
    r"trigger\w*|brought|bring\w*|reason|why|stop\w*|cannot|until|thanks|blam\w+|explain\w*|mean\w*|meant|contribut\w*|consequen\w*|stem\w*|arises?|arose|arising|produc\w*|through|effects?)\b",
    re.IGNORECASE,
)


def names_link(text: str) -> bool:
    """Whether a text has a word that states or suggests a link between cause and effect.

    Examples
    --------
    >>> names_link("The tug hit the quay so hard that a beam broke."), names_link("A tug hit the quay on Monday.")
    (True, False)
    """
    return _LINK.search(text) is not None


_DENIED = re.compile(rf"\b(?P<aux>{_AUXILIARY})(?:\s+not|n['’]t)\b", re.IGNORECASE)
_SAID = re.compile(rf"\b(?:{_AUXILIARY})\b", re.IGNORECASE)
_OTHER_DENIAL = re.compile(r"\b(?:no|not|never|nobody|nothing|none|neither|nor|without)\b|n['’]t\b", re.IGNORECASE)


def has_denial(side: str) -> bool:
    """Whether a side of a claim has its verb denied, as in "the valley was not flooded"."""
    return _DENIED.search(side) is not None


def opposite_of(side: str) -> str | None:
    """Negate a side of a claim, or remove its only negation; None if neither is possible.

    Examples
    --------
    >>> opposite_of("The valley was not flooded."), opposite_of("The valley was flooded."), opposite_of("It rained.")
    ('The valley was flooded.', 'The valley was not flooded.', None)
    >>> opposite_of("Nobody came.") is None
    True
    """
    if len(found := list(_DENIED.finditer(side))) == 1 and len(_OTHER_DENIAL.findall(side)) == 1:
        return side[: found[0].end("aux")] + side[found[0].end() :]
    match = _SAID.search(side)
    return None if match is None or _OTHER_DENIAL.search(side) else f"{side[: match.end()]} not{side[match.end() :]}"

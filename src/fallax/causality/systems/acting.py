"""Splits claims that say what something did, as headlines do ("Road salt killed the maples"), into cause and effect."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from fallax.causality.systems.clauses import CauseAndEffect, affirmed_link, cause_and_effect, is_named
from fallax.core.texts.broader import parts_of
from fallax.core.texts.verbs import AUXILIARIES, IRREGULAR_PARTICIPLES, IRREGULAR_PASTS, base_form, past_form

__all__ = ["acted_sides", "sides_of"]

_LONGEST = 300
#: What is longer is seldom a subject that acts.
_MOST_WORDS = 14

#: How the effect is told: what the object then did, as past form, form for one in the present, and for several.
_TOLD = {
    "died": ("died", "dies", "die"),
    "fell": ("fell", "falls", "fall"),
    "rose": ("rose", "rises", "rise"),
    "doubled": ("doubled", "doubles", "double"),
    "halved": ("halved", "halves", "halve"),
    "tripled": ("tripled", "triples", "triple"),
    "improved": ("improved", "improves", "improve"),
    "worsened": ("worsened", "worsens", "worsen"),
    "closed": ("closed", "closes", "close"),
    "stopped": ("stopped", "stops", "stop"),
    "began": ("began", "begins", "begin"),
    "sank": ("sank", "sinks", "sink"),
    "collapsed": ("collapsed", "collapses", "collapse"),
    "slowed down": ("slowed down", "slows down", "slow down"),
    "came": ("came", "comes", "come"),
    "came back": ("came back", "comes back", "come back"),
    "left": ("left", "leaves", "leave"),
    "spread": ("spread", "spreads", "spread"),
    "melted": ("melted", "melts", "melt"),
    "suffocated": ("suffocated", "suffocates", "suffocate"),
    "prevented": ("was prevented", "is prevented", "are prevented"),
}
#: Verbs, with their participle where it has no regular form, and what the object then did; "=" for "was", with the
#: participle.
_ACTS = """
kill:died | starve:= | poison:= | drown:= | suffocate:suffocated | doom:= | infect:= | sicken:= | injure:= | harm:=
hurt/hurt:= | destroy:= | ruin:= | wreck:= | damage:= | spoil:= | devastate:= | wipe out:= | burn down/burned down:=
flood:=
bury:= | crack:= | break/broken:= | tear/torn:= | derail:= | sink/sunk:sank | ground:= | paralyse:= | paralyze:=
block:= | disrupt:= | delay:= | postpone:= | cancel:= | hold up/held up:= | cut off/cut off:= | knock out:= | strip:=
empty:= | thin out/thinned out:= | dry up:= | tame:= | choke:= | break up/broken up:= | disarm:= | trap:= | exhaust:=
close:closed | shut/shut:closed | shut down/shut down:closed | close down:closed | topple:collapsed
bring down/brought down:fell | cut/cut:fell | cut down/cut down:fell | reduce:fell | lower:fell | slash:fell | curb:fell
decrease:fell | shrink/shrunk:fell | drive down/driven down:fell | push down:fell | drag down/dragged down:fell
pull down:fell | force down:fell | dent:fell | diminish:fell | limit:= | slim down/slimmed down:=
raise:rose | increase:rose | boost:rose | lift:rose | push up:rose | drive up/driven up:rose | bring up/brought up:rose
send up/sent up:rose | force up:rose | fuel:rose | double:doubled | halve:halved | triple:tripled
improve:improved | worsen:worsened | aggravate:worsened | slow:slowed down | slow down:slowed down | speed up:=
stop:stopped | halt:stopped | end:stopped | put an end to/put an end to:stopped | start:began | spark:began
set off/set off:began | ignite:began | provoke:began | create:= | restore:= | revive:= | relieve:= | ease:= | cure:=
calm:= | dissolve:= | prevent:= | avert:= | stave off:= | ward off:= | save:= | rescue:=
protect against/protected against:prevented | protect:= | clean up:=
put off/put off:= | overload:= | dry out:= | silence:= | frighten away:= | blow down/blown down:fell | jam:= | clog:=
freeze/frozen:= | melt:melted | undo/undone:= | sour:= | warp:= | knock over:fell | bring on/brought on:came
bring forward/brought forward:= | hold back/held back:= | hold down/held down:= | turn back:= | blind:=
mislead/misled:= | do for/done for:=
fill:= | scare away:= | drive away/driven away:= | drive out/driven out:left | force out:left
push out:left | price out:left | squeeze out:left | crowd out:left | open up:=
bring/brought:came | bring back/brought back:came back | attract:came | spread/spread:spread | bankrupt:= | win/won:=
darken:= | stain:= | burst/burst:= | weaken:= | strengthen:= | soak:= | rust:= | corrode:= | contaminate:= | pollute:=
erode:= | scratch:= | deter:= | discourage:= | distract:= | confuse:= | deepen:= | widen:= | lengthen:= | shorten:=
extend:= | blight:= | stunt:= | flatten:= | uproot:= | scorch:= | burn/burned:= | strand:= | stall:=
puncture:= | shatter:=
smash:= | split/split:= | anger:= | upset/upset:= | worry:= | frighten:= | scare:= | wake/woken:= | wake up/woken up:=
wash away:= | sweep away/swept away:= | blow over/blown over:= | tip over:= | wear out/worn out:= | clear:= | loosen:=
dislodge:= | overwhelm:= | discolour:= | discolor:= | blacken:= | soften:= | harden:= | thicken:= | sharpen:=
"""
#: Verbs behind which the object and what became of it stand together: "made the guests ill", "left them without power".
_TURNS = (
    "make/made leave/left turn/turned put/put send/sent set/set get/got drive/drove give/gave cost/cost keep/kept "
    "let/let plunge/plunged spare/spared push/pushed"
)
#: Verbs with an object that then does something: "forced the head of the firm to resign".
_MOVES = (
    "force/forced lead/led push/pushed prompt/prompted persuade/persuaded allow/allowed enable/enabled help/helped "
    "cause/caused get/got drive/drove"
)
#: Behind "to" these begin no verb.
_NO_VERB = (
    r"(?:the|an?|its|his|her|their|our|my|this|that|these|those|some|many|all|more|less|no|suicide|bankruptcy|death"
    r"|ruin|school|work|church|hospital|prison|(?-i:[A-Z])\w*|\d\w*)\b"
)
#: Links of two things without a verb that acts.
_LINKS = (
    (r"(?:(?:is|are|was|were) )?(?:partly |largely |mainly |also )?(?:to blame|responsible|at fault) for", False),
    (r"(?:(?:is|are|was|were|lies|lie|lay) )?(?:partly |largely |mainly |also )?behind", False),
    (r"(?:is|are|was|were)(?:, \w+ \w+,)? to thank for", False),
    (r"accounts? for|accounted for", False),
    (r"contribut(?:es?|ed) to", False),
    (r"(?:explains?|explained)(?: why)?", False),
    (r"(?:is|are|was|were) (?:the|a|one) (?:\w+ )?reasons?(?: why| that)?", False),
    (r"(?:comes?|came|arises?|arose|stems?|stemmed) from", True),
    (r"(?:is|are|was|were) down to", True),
    (r"(?:is|are|was|were) the (?:work|doing|fault) of", True),
)
#: No subject ends so; behind an article or the like, a participle belongs to the next noun: "one cancelled sale".
_NO_SUBJECT = frozenset((
    "to", "the", "a", "an", "of", "and", "or", "who", "which", "that", "one", "some", "many", "every", "each", "any",
    "no", "its", "his", "her", "their", *AUXILIARIES,
))  # fmt: skip
_AUXILIARY = r"(?:has|have|had|is|are|was|were|will|would|can|could|may|might|must|did|does|do)"
_BEFORE = re.compile(rf"(?:\s+(?:{_AUXILIARY}|been|\w+ly|also|really|already|now))*$", re.IGNORECASE)
_MODAL = re.compile(r"\b(?:will|would|can|could|may|might|must|should|do|does|did)(?:\s+\w+ly)?\s*$", re.IGNORECASE)
#: Behind a verb these begin its object or say how; all are adjectives or nouns, too.
_BEHIND_VERBS = frozenset((
    "a", "an", "the", "its", "his", "her", "their", "my", "our", "your", "more", "less", "fewer", "all", "both", "two",
    "three", "four", "five", "six", "seven", "eight", "nine", "ten", "late", "early", "fast", "dry", "again", "longer",
    "lower", "harder", "better", "worse",
))  # fmt: skip
_AS_SUBJECTS = {"him": "he", "her": "she", "them": "they", "me": "I", "us": "we", "it": "it", "you": "you"}
_SEVERAL = ("them", "us", "you", "me")
_PASSIVE = re.compile(r"\b(?:is|are|was|were|be|been|being|['’]s)(?:\s+\w+ly)?$", re.IGNORECASE)
#: Verbs whose past form is the base form.
_SAME = frozenset(("cut", "put", "set", "shut", "hurt", "spread", "burst", "split", "upset"))
#: Verbs that are nouns, too, where another verb follows: "the power cut spoiled the milk", "a pay freeze hurt her".
_ALSO_NOUN = re.compile(
    r"\b(?:cut|freeze|stop|start|break|rise|fall|burst|strike|leak|spill|crash|split|spread|slide|lift|halt|delay|end|jam"
    r"|burn|smash|drop|increase|decrease|cure|boost|scare|stain|block)s?$",
    re.IGNORECASE,
)
_DENIED = re.compile(r"\b(?:not|never|no longer|hardly|scarcely|barely)\b|n['’]t\b", re.IGNORECASE)
#: What would have happened otherwise is told in another way.
_SUPPOSED = re.compile(r"(?:without|had|if|but for|were)\b.*\bwould\b", re.IGNORECASE)
_CLEFTS = tuple(
    re.compile(cleft, re.IGNORECASE)
    for cleft in (
        r"^it (?:is|was|'s) (?P<what>.+?) (?:that|which|who) (?P<rest>.+)$",
        r"^(?P<what>.+?) (?:is|are|was|were) what (?P<rest>.+)$",
        r"^what (?P<rest>.+?) (?:is|are|was|were) (?P<what>.+)$",
    )
)
#: Adjectives that no list has, by their endings.
_ADJECTIVE = re.compile(r"(?:y|ous|ful|less|able|ible|ish)$", re.IGNORECASE)
#: Adjectives that may as well be verbs: "made the shop close".
_MAY_ACT = frozenset(("close", "limp", "lower", "open", "slow", "clear", "free", "rust"))
_COMPARED = re.compile(r"better|worse|\w{2,}ier|\w{3,}er", re.IGNORECASE)
_PREPOSITION = re.compile(
    r"\s(?:of|in|on|at|from|to|for|with|by|along|near|among|around|between|under|over|into|out|last|this|during|after"
    r"|before|behind|through|across|without|about|above|below|beside|inside|outside|within|against)\s",
    re.IGNORECASE,
)
_MANY = re.compile(
    r"(?:[^s\W]s|\b(?:people|children|mice|men|women|police|staff|cattle|sheep|deer|fish|bacteria|they|teeth|feet))$",
    re.IGNORECASE,
)
_SEVERAL_ACT = re.compile(r"\band\b|^(?:I|we|a (?:lot|number|handful|couple|dozen|majority) of)\b", re.IGNORECASE)
_ONE = re.compile(r"(?:us|is|ss|ics|news)$", re.IGNORECASE)
_SPLIT = re.compile(r"^(?P<object>.+?) (?P<particle>up|down|out|off|away|back)(?P<rest>(?: .*)?)$", re.IGNORECASE)
#: What is saved or kept from something, or filled with it, ends before that.
_ENDS = {
    **dict.fromkeys(("save", "protect", "rescue", "prevent", "stop", "strip"), re.compile(r"\s+(?=(?:from|of)\s)")),
    **dict.fromkeys(("flood", "fill"), re.compile(r"\s+(?=with\s)")),
    "bring": re.compile(r"(?<!\bhad)(?<!\bhas)(?<!\bhave)\s+(?=(?:to|into)\s)"),
}
#: No object begins so: another verb, or a preposition.
_NO_OBJECT = re.compile(
    rf"(?:\w{{2,}}ed|cost|(?:{'|'.join(sorted(_SAME))})\s+(?:the|an?|his|her|its|their|our|my)|{'|'.join(IRREGULAR_PASTS)}"
    r"|of|in|on|at|from|to|for|with|by|up|down|out|off|over|and|or|as|than|that"
    r"|because|so|if|when|whenever|after|before|once|since|until|while|during|following|despite|amid|way|quickly|slowly|rapidly|suddenly|gradually|sharply|easily|again)\s",
    re.IGNORECASE,
)
#: Whom something cost what: "the club its title", "Osei the prize", "the port $4m".
_COST = (
    re.compile(r"^(?P<who>.+?)(?<! of) (?P<what>(?:his|her|its|their|my|our|your)\b.*)$"),
    re.compile(
        r"^(?P<who>(?:(?:the|an?) )?(?!(?:the|an?) )\S+(?: \S+)?) (?P<what>(?:the|an?|any|all|[$€£]\d\S*)(?: .*|$))$"
    ),
)
#: A participle before its noun is no verb: "a clogged filter", "the May flood".
_ATTRIBUTE = re.compile(
    rf"^(?:(?:the|an?|its|his|her|their|this|these|one|two|many)\s+)?"
    rf"(?:\w+ly\s+)?(?:\w+ed|\w+-\w+|{'|'.join(IRREGULAR_PARTICIPLES)}|burst|lost|set|May)\s+(?=\w)",
    re.IGNORECASE,
)

_NUMBER = (
    r"\d|(?:an? )?(?:third|half|quarter|fifth|tenth|few|fraction|lot)\b|(?:more|less|up|over|about|nearly|almost|one"
    r"|two|three|four|five|six|seven|eight|nine|ten|several)\b"
)
#: "Caused prices to rise" says what prices did.
_CAUSED_TO = re.compile(rf"\bcaus(?:es?|ed|ing) [^,;]{{1,80}}? to (?!{_NO_VERB})\w", re.IGNORECASE)
#: "The bank raised rates, which slowed the economy": the whole first clause is the cause.
_WHICH = re.compile(
    r"(?P<cause>[^,]+), (?:which|and (?:this|that))(?: in turn| also| then)? (?P<rest>[^,]+)$", re.IGNORECASE
)
#: Over what people do something, as the news has it: "resigned over unpaid fines".
_OVER = re.compile(
    r"^(?P<effect>.+ (?:resigned|quit|stepped down|apologi[sz]ed|protested|struck|walked out|split|clashed|argued"
    r"|quarrelled|fell out|(?:was|were|been|is|are) (?:\w+ly )?(?:sacked|fired|fined|sued|jailed|arrested|suspended"
    r"|banned|dismissed|critici[sz]ed|condemned|investigated|charged|convicted|punished|cancell?ed|recalled|boycotted)))"
    rf" over (?P<cause>(?!(?:{_NUMBER})"
    r"|(?:the|an?) (?:\w+ )?(?:weekend|summer|winter|holidays?|phone|years?|months?|weeks?|days?)\b).+)$",
    re.IGNORECASE,
)
#: "Shares fell as profits missed forecasts": a clause behind "as" that begins with what it is about.
_AS = re.compile(
    r"^(?P<effect>(?:(?!\b(?:as|so|such|same|just|even|twice|exactly|much|far|insomuch|would|could|might)\b).)+?)"
    r",?(?: (?:simply|mainly|mostly|partly|largely))? as "
    r"(?P<cause>(?!(?:expected|planned|announced|reported|usual|well|soon|long|far|if|though|of|per|to|for|in|an?"
    r"|it (?:is|was)|(?:he|she|they|it|we) (?:said|says|claimed|had (?:hoped|feared|promised)))\b)(?:(?!\bas\b).)+)$",
    re.IGNORECASE,
)


_IRREGULAR = "|".join((*IRREGULAR_PARTICIPLES, *IRREGULAR_PASTS))
#: A participle, and what acts. A measure, a means or a time behind "by" does not act.
_BY = re.compile(
    rf"\s(?P<be>(?:has|have|had) been|is|are|was|were)(?:\s+\w+ly|\s+also)?\s+"
    rf"(?P<participle>(?:\w+ed|cut|hurt|burst|shut|split|spread|upset|won|woken|{_IRREGULAR})"
    rf"(?: \w+){{0,2}}?)\s+by\s+(?!{_NUMBER}|"
    r"(?:hand|accident|mistake|chance|law|now|then|next|midnight|noon|\w+ing"
    r"|(?-i:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|January|February|March|April|May|June|July|August|September"
    r"|October|November|December))\b)",
    re.IGNORECASE,
)
_WHEN = re.compile(
    r" (?:on (?:\w+ )?(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day(?: \w+)?|in \d{4}|(?:last|this) \w+|yesterday|today)$"
)
#: By how much, how or until when something changed stands behind the verb.
_MEASURE = re.compile(
    rf"\s(?=by (?:{_NUMBER}|\w+ing\b)|until |from \d\S* to |to an? (?:half|third|quarter)\b)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class _Act:
    """A verb by which something acts: how its forms look, and how its effect is told."""

    base: str
    particle: str
    participle: str
    told: str


def _forms(base: str, past: str) -> str:
    """The forms of a verb as a pattern: base, in "s", past, in "ing"."""
    stem = base.removesuffix("e")
    ing = f"{stem}ing|{base}{base[-1]}ing"
    plain = f"{base}e?s" if base[-1] in "hsx" else f"{base[:-1]}ies" if base[-1] == "y" else f"{base}s"
    return f"{base}|{plain}|{past}|{ing}"


@cache
def _acts() -> tuple[tuple[re.Pattern[str], _Act], ...]:
    """The verbs, those with particles first."""
    pasts = {b: p for p, b in IRREGULAR_PASTS.items()}
    found = []
    for entry in _ACTS.replace("\n", " | ").split("|"):
        if not (entry := entry.strip()):
            continue
        verb, told = entry.split(":")
        verb, _, participle = verb.partition("/")
        first, _, particle = verb.partition(" ")
        participle = participle or f"{past_form(first)} {particle}".strip()
        past = "|".join(dict.fromkeys((pasts.get(first, participle.split()[0]), participle.split()[0])))
        past = past.replace("lled", "ll?ed")  # "canceled"
        pattern = rf"(?P<verb>{_forms(first, past)})" + (rf" {particle}" if particle else "")
        found.append(
            (re.compile(rf"\b(?:more than )?{pattern}\s+", re.IGNORECASE), _Act(first, particle, participle, told))
        )
    return tuple(sorted(found, key=lambda x: -len(x[1].particle)))


@cache
def _raw() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Verbs behind which the rest is told as it stands, and those whose object then does something."""
    turns, moves = ("|".join(_forms(*verb.split("/")) for verb in text.split()) for text in (_TURNS, _MOVES))
    return (
        re.compile(rf"\b(?P<verb>{turns})\s+", re.IGNORECASE),
        re.compile(rf"\b(?P<verb>{moves})\s+(?P<who>.+?)\s+to\s+(?P<do>(?!{_NO_VERB})\w+\b.*)$", re.IGNORECASE),
    )


def sides_of(claim: str) -> CauseAndEffect | None:
    """The cause and effect of a claim that names a link, or else says what something did; None for any other.

    Examples
    --------
    >>> sides_of("The valley flooded because the dam broke.").cause, sides_of("Road salt killed the maples.").cause
    ('the dam broke', 'Road salt')
    >>> sides_of("The valley grows plums.") is None
    True
    """
    found = cause_and_effect(claim)
    if found is not None and _CAUSED_TO.search(claim):
        acted = acted_sides(claim)
        return acted if acted and acted.cause == found.cause else found
    if found is None or f" made {found.effect}" in claim:
        return acted_sides(claim) or found or _over_or_as(claim)
    return found


def _over_or_as(claim: str) -> CauseAndEffect | None:
    """The sides of a claim that says over what somebody did something, or what happened as something else did."""
    text = " ".join(claim.split()).rstrip(" .!")
    if len(text) > _LONGEST or "?" in text or _DENIED.search(text):
        return None
    if found := _OVER.match(text):
        return CauseAndEffect(found["cause"], found["effect"])
    found = _AS.match(text)
    if found is None or any(is_named(found[side], plurals=True) for side in ("cause", "effect")):
        return None
    return CauseAndEffect(found["cause"], found["effect"])


def acted_sides(claim: str) -> CauseAndEffect | None:
    """The cause and effect of a claim that says what something did to something else; None if it does not say so.

    The effect is told as a sentence of its own where the verb allows it.

    Examples
    --------
    >>> acted_sides("Road salt killed the maples along Route 9.")
    CauseAndEffect(cause='Road salt', effect='the maples along Route 9 died')
    >>> acted_sides("The new bypass has cut accidents in Dornau.").effect
    'accidents in Dornau fell'
    >>> acted_sides("Extra patrols drove crime up in Sarn.").effect
    'crime in Sarn rose'
    >>> acted_sides("Old lead pipes are behind the anaemia of toddlers.").cause
    'Old lead pipes'
    >>> acted_sides("The fall in the share price forced the director to resign.").effect
    'the director had to resign'
    >>> acted_sides("The new coach made the team win.").effect
    'the team won'
    >>> acted_sides("The late goal cost the club its title.").effect
    'the club lost its title'
    >>> acted_sides("The damp cellar made the house mouldy.").effect
    'the house became mouldy'
    >>> acted_sides("The flight was delayed by fog.")
    CauseAndEffect(cause='fog', effect='The flight was delayed')
    >>> acted_sides("Road salt did not kill the maples.") is None
    True
    """
    text = " ".join(claim.split()).rstrip(" .!")
    if len(text) > _LONGEST or "?" in text or ": " in text or affirmed_link(claim) is not None:
        return None
    if _SUPPOSED.match(text):
        return None
    if cleft := next(filter(None, (c.match(text) for c in _CLEFTS)), None):
        text = f"{cleft['what']} {cleft['rest']}"
    if (which := _WHICH.match(text)) and not is_named(which["cause"], plurals=True):
        acted = acted_sides(f"This {which['rest']}")
        return CauseAndEffect(which["cause"], acted.effect) if acted and acted.cause == "This" else None
    found = [x for x in (_linked(text), _moved(text), _acted(text), _turned(text), _undergone(text)) if x]
    return min(found, key=lambda x: x[0])[1] if found else None


def _subject(text: str, end: int, verb: str = "") -> str:
    """What acts, before a verb; "" if that is no thing, or the verb is denied or passive."""
    before = text[:end].rstrip()
    if verb and not verb.lower().endswith("ing") and _PASSIVE.search(before):
        return ""
    aux = _BEFORE.search(before)
    subject = before[: aux.start()] if aux else before
    if _DENIED.search(before) or not subject or len(subject.split()) > _MOST_WORDS:
        return ""
    if subject.split()[-1].lower() in _NO_SUBJECT:
        return ""
    if verb and subject == before and _is_plain(verb) and not _may_be_many(subject):
        return ""  # "a late start makes them ...": one thing starts, and does not "start"
    named = _ALSO_NOUN.sub("loss", _ATTRIBUTE.sub("", subject))
    return subject if is_named(named, plurals=True) else ""


def _is_plain(verb: str) -> bool:
    """Whether a verb has the form that goes with several things in the present, and with nothing in the past."""
    low = verb.lower()
    return low not in _SAME and low not in ("cost", "let") and _is_base(low)


def _may_be_many(subject: str) -> bool:
    return _is_many(subject) or _SEVERAL_ACT.search(subject) is not None


def _linked(text: str) -> tuple[int, CauseAndEffect] | None:
    for link, effect_first in _LINKS:
        for found in re.finditer(rf"\s{link}\s", text, re.IGNORECASE):
            a, b = _subject(text, found.start() + 1), text[found.end() :].strip()
            if a and b and (not effect_first or is_named(b, plurals=True)):
                return found.start(), CauseAndEffect(b, a) if effect_first else CauseAndEffect(a, b)
    return None


def _undergone(text: str) -> tuple[int, CauseAndEffect] | None:
    """A verb in the passive, with what acts behind "by": "the flight was delayed by fog"."""
    for found in _BY.finditer(text):
        what, cause = text[: found.start()].strip(), text[found.end() :].strip()
        named = is_named(_ATTRIBUTE.sub("", what), plurals=True) and what.split()[-1].lower() not in _NO_SUBJECT
        if not named or not cause:
            continue
        act = next((a for _, a in _acts() if a.participle == found["participle"].lower()), None)
        if act is not None and len(what.split()) <= _MOST_WORDS:
            verb = act.base if found["be"].lower() in ("is", "are") else act.participle
            when = _WHEN.search(cause)
            cause, behind = (cause[: when.start()], when[0]) if when else (cause, "")
            return found.start(), CauseAndEffect(cause, _effect(act, verb, what) + behind)
    return None


def _moved(text: str) -> tuple[int, CauseAndEffect] | None:
    for found in _raw()[1].finditer(text):
        if subject := _subject(text, found.start(), found["verb"]):
            forced = found["verb"].lower().startswith("forc")
            could = found["verb"].lower().startswith(("allow", "enabl", "help"))
            who, do, how = found["who"], found["do"], "had to " if forced else "could " if could else ""
            effect = f"{who} {how}{do}" if how else _done(text[: found.start()], found["verb"], who, do)
            return found.start(), CauseAndEffect(subject, effect)
    return None


def _turned(text: str) -> tuple[int, CauseAndEffect] | None:
    for found in _raw()[0].finditer(text):
        subject, rest = _subject(text, found.start(), found["verb"]), text[found.end() :].strip()
        if subject and len(rest.split()) > 1 and not _NO_OBJECT.match(rest):
            verb = found["verb"].lower()
            if verb.startswith("cost"):
                rest = _lost(rest)
            elif verb.startswith(("ma", "let")) and (at := _infinitive(rest.split())):
                who, do = " ".join(rest.split()[:at]), " ".join(rest.split()[at:])
                rest = _done(text[: found.start()], verb, who, do)
            elif verb.startswith("ma") and (at := _described(rest.split())):
                who, how = " ".join(rest.split()[:at]), " ".join(rest.split()[at:])
                rest = _done(text[: found.start()], verb, who, f"become {how}")
            return found.start(), CauseAndEffect(subject, rest)
    return None


def _described(words: Sequence[str]) -> int:
    """Where what something is made begins behind an object, as "ill" in "the residents ill"; 0 if there is none.

    It stands behind a pronoun, or is an adjective behind a noun that ends the clause or has a preposition behind it.
    """
    kinds = [parts_of(w.lower()) for w in words]
    if words[0].lower() in _AS_SUBJECTS and (words[0].lower() != "her" or "n" not in kinds[1]):
        return int(words[1].lower() in ("a", "an") or _is_adjective(words[1]) or _is_graded(words[1:]))
    for i in range(1, len(words)):
        if "n" not in kinds[i - 1] or words[i - 1].lower() in _BEHIND_VERBS:
            continue
        if i > 2 and words[i - 2][0].isdigit():  # "a cup 30 cents dearer"
            return 0
        if i > 1 and "v" in kinds[i - 1] and _MANY.search(words[i - 2]):  # "the pupils sleep longer"
            return 0
        last = i + 1 == len(words) or words[i + 1] == "than" or _PREPOSITION.match(f" {words[i + 1]} ")
        if _is_graded(words[i:]) or (last and words[i].islower() and _is_adjective(words[i])):
            return i
    return 0


def _is_adjective(word: str) -> bool:
    kinds = parts_of(word)
    return word not in _MAY_ACT and (
        "a" in kinds or _COMPARED.fullmatch(word) is not None or (not kinds and _ADJECTIVE.search(word) is not None)
    )


def _is_graded(words: Sequence[str]) -> bool:
    """Whether words begin like "more peaceful" and not like "more slowly"."""
    behind = words[1] if len(words) > 1 else ""
    return words[0].lower() in ("more", "less", "too", "so", "very") and "a" in parts_of(behind) and behind[-2:] != "ly"


def _infinitive(words: Sequence[str]) -> int:
    """Where a verb in its base form stands behind an object, as in "the team win five games"; 0 if there is none.

    It is the last of some nouns, or stands behind a pronoun, and no noun, adjective or verb follows.
    """
    kinds = [parts_of(w.lower()) for w in words]
    for i, (before, word) in enumerate(pairwise(w.lower() for w in words), start=1):
        if not kinds[i] or (word in _BEHIND_VERBS and not _PREPOSITION.search(f" {before} ")):
            return 0
        behind = kinds[i + 1] if words[i + 1 :] and not _is_behind_verbs(words[i + 1]) else frozenset()
        if behind or not _is_base(word) or "a" in kinds[i]:
            continue
        if before in _AS_SUBJECTS or ("n" in kinds[i - 1] and before not in _BEHIND_VERBS):
            return i
    return 0


def _is_behind_verbs(word: str) -> bool:
    return word.lower() in _BEHIND_VERBS or _PREPOSITION.match(f" {word} ") is not None


def _is_base(word: str) -> bool:
    """Whether a word is a verb in its base form."""
    return "v" in parts_of(word) and base_form(word) == word and not word.endswith(("s", "ing"))


def _done(before: str, verb: str, who: str, do: str) -> str:
    """That somebody did something, in the tense of the verb that made them do it; behind "will" in the base form."""
    first, _, rest = do.partition(" ")
    verb = verb.lower()
    if (first == "be" or _is_base(first)) and not verb.endswith("ing") and not _MODAL.search(before):
        many = who.lower() in _SEVERAL or _is_many(who)
        if verb == "let" or base_form(verb) != verb:
            first = "were" if first == "be" and many else past_form(first)
        elif first == "be":
            first = "are" if many else "is"
        elif not many:
            first = re.sub(r"(?<=[^aeou])y$", "ie", first) + ("es" if re.search(r"(?:[sxzo]|ch|sh)$", first) else "s")
    return f"{_AS_SUBJECTS.get(who.lower(), who)} {first} {rest}".strip()


def _is_many(what: str) -> bool:
    head = _PREPOSITION.split(f"{what} ", maxsplit=1)[0].strip()
    return bool(_MANY.search(head)) and not _ONE.search(head)


def _lost(rest: str) -> str:
    """What became of whom something cost what."""
    found = next(filter(None, (c.match(rest) for c in _COST)), None)
    if found is None or _PREPOSITION.search(f" {found['who']} "):
        return rest
    return f"{found['who']} lost {found['what']}"


def _acted(text: str) -> tuple[int, CauseAndEffect] | None:
    best: tuple[int, CauseAndEffect] | None = None
    for pattern, act in _acts():
        for found in pattern.finditer(text):
            subject, rest = _subject(text, found.start(), found["verb"]), text[found.end() :].strip()
            if _ALSO_NOUN.search(text[: found.end()].rstrip()) and _acts_on(rest):
                continue  # "a power cut spoils food"
            if subject and rest and not _NO_OBJECT.match(f"{rest} ") and (best is None or found.start() < best[0]):
                best = found.start(), CauseAndEffect(subject, _effect(act, found["verb"].lower(), rest))
        if best is None and act.particle in ("up", "down", "out", "off", "away", "back"):
            best = _apart(text, act)
    return best


def _acts_on(rest: str) -> bool:
    """Whether a text begins with a verb in "s" and its object."""
    words = rest.split()[:2]
    if len(words) < 2 or not words[0].endswith("s") or "v" not in parts_of(words[0]):
        return False
    if _PREPOSITION.match(f" {words[1]} "):
        return False
    return parts_of(words[0]) == {"v"} or "n" in parts_of(words[1]) or words[1].lower() in _BEHIND_VERBS


def _apart(text: str, act: _Act) -> tuple[int, CauseAndEffect] | None:
    """A verb whose particle stands behind the object: "drove crime up in Sarn"."""
    past = "|".join({p for p, b in IRREGULAR_PASTS.items() if b == act.base} | {act.participle.split()[0]})
    for found in re.finditer(rf"\b(?P<verb>{_forms(act.base, past)})\s+", text, re.IGNORECASE):
        subject, split = _subject(text, found.start(), found["verb"]), _SPLIT.match(text[found.end() :].strip())
        if not (subject and split and split["particle"].lower() == act.particle) or _NO_OBJECT.match(split[0]):
            continue
        if split["rest"].startswith(" of "):  # "drove the plant out of Wales"
            return found.start(), CauseAndEffect(subject, f"{split['object']} left {split['rest'][4:]}")
        effect = _effect(act, found["verb"].lower(), f"{split['object']}{split['rest']}")
        return found.start(), CauseAndEffect(subject, effect)
    return None


def _effect(act: _Act, verb: str, rest: str) -> str:
    """What became of the object of a verb."""
    cut = _ENDS[act.base].search(rest) if act.base in _ENDS else None
    cut = cut or _MEASURE.search(rest)
    what, behind = (rest[: cut.start()], f" {rest[cut.end() :]}") if cut else (rest, "")
    many = _is_many(what)
    present = act.base not in _SAME and verb in (act.base, f"{act.base}s", f"{act.base}es")
    if act.told == "=":
        be = ("are" if many else "is") if present else ("were" if many else "was")
        return f"{what} {be} {act.participle}{behind}"
    past, one, several = _TOLD[act.told]
    return f"{what} {(several if many else one) if present else past}{behind}"

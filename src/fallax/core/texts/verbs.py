"""English verbs: auxiliaries, irregular past forms, the base form of a past form, and whether a line has a verb."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

__all__ = [
    "AUXILIARIES",
    "IRREGULAR_PARTICIPLES",
    "IRREGULAR_PASTS",
    "base_form",
    "particle_nouns",
    "past_form",
    "states",
]

AUXILIARIES = (
    "is", "are", "was", "were", "has", "have", "had", "will", "would", "can", "could", "should", "must", "may", "might",
    "do", "does", "did",
)  # fmt: skip


def _pairs(text: str) -> dict[str, str]:
    return dict(pair.split(":") for pair in text.split())


#: Past forms that make a sentence of a subject, and their base forms; none that is a base form or mostly a noun too.
IRREGULAR_PASTS = _pairs(
    "arose:arise ate:eat became:become began:begin bent:bend blew:blow bought:buy bred:breed broke:break "
    "brought:bring built:build burnt:burn came:come caught:catch chose:choose clung:cling crept:creep dealt:deal "
    "drank:drink drew:draw drove:drive dug:dig fed:feed fell:fall felt:feel fled:flee flew:fly forbade:forbid "
    "forgot:forget fought:fight found:find froze:freeze gave:give got:get grew:grow heard:hear held:hold hid:hide "
    "hung:hang kept:keep knew:know laid:lay led:lead left:leave lent:lend lit:light lost:lose made:make meant:mean "
    "met:meet paid:pay ran:run rang:ring rebuilt:rebuild rode:ride rose:rise said:say sang:sing sank:sink sat:sit "
    "saw:see sent:send shook:shake shot:shoot shrank:shrink slept:sleep slid:slide sold:sell sought:seek spent:spend "
    "spoke:speak sprang:spring stole:steal stood:stand struck:strike stuck:stick swam:swim swept:sweep swore:swear "
    "swung:swing taught:teach thought:think threw:throw told:tell took:take tore:tear understood:understand went:go "
    "wept:weep withdrew:withdraw woke:wake won:win wore:wear wove:weave wrote:write"
)
#: Participles that are no past form, and their base forms.
IRREGULAR_PARTICIPLES = _pairs(
    "begun:begin blown:blow broken:break chosen:choose drawn:draw driven:drive eaten:eat fallen:fall flown:fly "
    "forbidden:forbid forgotten:forget frozen:freeze given:give gone:go grown:grow hidden:hide known:know risen:rise "
    "seen:see shaken:shake shown:show spoken:speak stolen:steal sung:sing sunk:sink sworn:swear taken:take "
    "thrown:throw torn:tear withdrawn:withdraw worn:wear written:write"
)
_IRREGULAR = IRREGULAR_PASTS | IRREGULAR_PARTICIPLES


#: What stands behind a verb and makes one noun with it, at its end or (in "downpour") at its beginning.
_PARTICLES = ("away", "back", "down", "in", "off", "out", "over", "up")
_WITH_PARTICLE = re.compile(rf"\b(\w{{2,20}}) ({'|'.join(_PARTICLES)})\b", re.IGNORECASE)


def particle_nouns(text: str) -> set[str]:
    """The nouns that verbs and their particles make: what broke down was a breakdown.

    Examples
    --------
    >>> sorted(particle_nouns("The bus broke down and the lines shut down."))
    ['breakdown', 'downbreak', 'downshut', 'shutdown']
    """
    pairs = [(base_form(m[1]), m[2].lower()) for m in _WITH_PARTICLE.finditer(text)]
    return {noun for verb, particle in pairs for noun in (verb + particle, particle + verb)}


@lru_cache(maxsize=20_000)
def base_form(word: str) -> str:
    """The base form of a past form, as far as its ending shows it; other words are only put in small letters.

    Examples
    --------
    >>> [base_form(w) for w in ("planned", "carried", "Bought", "will")]
    ['plan', 'carry', 'buy', 'will']
    """
    low = word.lower()
    if low in _IRREGULAR:
        return _IRREGULAR[low]
    if low.endswith("ied"):
        return f"{low[:-3]}y"
    if not low.endswith("ed"):
        return low
    stem = low[:-2]
    return stem[:-1] if len(stem) > 2 and stem[-1] == stem[-2] and stem[-1] not in "sl" else stem


#: Past forms that are base forms, or mostly nouns, and so in no list above.
_OTHER_PASTS = {
    **dict.fromkeys(("bet", "burst", "cast", "cost", "cut", "hit", "hurt", "let", "put", "quit", "set", "shut"), ""),
    **dict.fromkeys(("shed", "split", "spread", "thrust", "upset"), ""),
    "be": "was", "bear": "bore", "beat": "beat", "bleed": "bled", "bind": "bound", "bite": "bit", "do": "did",
    "fit": "fit", "grind": "ground", "have": "had", "read": "read", "shine": "shone", "spin": "spun", "wind": "wound",
}  # fmt: skip
#: A last consonant is doubled in words of one syllable, and in these.
_DOUBLED = re.compile(
    r"[^aeiou]*(?:qu)?[aeiou][bdfgklmnprtvz]|admit|commit|compel|control|deter|equip|expel|occur|omit|permit|prefer|rebel"
    r"|refer|regret|submit|transfer|transmit|travel|cancel|label|level|model|quarrel|signal"
)


def past_form(verb: str) -> str:
    """The past form of a base form.

    Examples
    --------
    >>> [past_form(w) for w in ("win", "drop", "carry", "close", "open", "cut", "be")]
    ['won', 'dropped', 'carried', 'closed', 'opened', 'cut', 'was']
    """
    if verb in _OTHER_PASTS:
        return _OTHER_PASTS[verb] or verb
    if found := next((past for past, base in IRREGULAR_PASTS.items() if base == verb), ""):
        return found
    if verb.endswith("e"):
        return f"{verb}d"
    if verb.endswith("y") and verb[-2:-1] not in tuple("aeou"):
        return f"{verb[:-1]}ied"
    return f"{verb}{verb[-1]}ed" if _DOUBLED.fullmatch(verb) else f"{verb}ed"


_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
#: Words behind these are nouns, or adjectives before one: "the proposed changes", "a list of used cars", "fees in May".
_BEFORE_NOUNS = frozenset((
    "a", "an", "the", "my", "your", "his", "her", "its", "our", "their", "no", "every", "of", "for", "to", "in", "on",
    "at", "by", "with", "from", "about", "under", "over", "after", "before", "between", "against", "into", "as", "and",
    "or",
))  # fmt: skip
_QUESTIONS = frozenset(("what", "who", "whom", "whose", "which", "why", "how", "where", "when", "whether", "if"))
#: What is said behind these at the beginning is a verb. "It" may be information technology.
_SUBJECTS = frozenset(("he", "she", "they", "we"))
_NO_PASTS = "hundred|naked|sacred|shed|united|limited|fred|alfred|jared|ahmed|mohamed|mohammed"
_PAST = re.compile(rf"(?!(?:{_NO_PASTS})$)\w{{2,}}(?<!e)ed|(?:dis)?agreed|freed|guaranteed")
#: A subject and a verb in one word, or a verb and "not": "it's", "they've", "isn't".
_CONTRACTED = re.compile(r"(?:he|she|it|that|there)['’]s|\w+['’](?:re|ve|ll|m|d)|\w+n['’]t")
#: A word in -s is a verb before its object: "rejects the budget".
_OBJECT = re.compile(
    r"\s(?!(?:as|across|versus|plus|besides|towards)\s)\w+s (?:the|its|his|her|their)\s", re.IGNORECASE
)
_FINITE = frozenset((*AUXILIARIES, *IRREGULAR_PASTS, "says"))


def states(line: str) -> bool:
    """Whether a line without a point has a verb that makes a statement of it.

    Verbs are auxiliaries, past forms, contractions, words behind "he", "she", "they" or "we", and words in -s before
    "the" or a possessive; not at the beginning, nor behind an article or a preposition. Other words in -s, such as
    "Fees", may be plural nouns and do not count. A line that begins with a question word states nothing.

    Examples
    --------
    >>> [states(s) for s in ("Taxes doubled", "BUDGET REJECTED", "The mayor is dead", "Title: the mayor died,")]
    [True, True, True, True]
    >>> [states(s) for s in ("Key figures", "Proposed changes", "The affected people", "What was decided", "In May")]
    [False, False, False, False, False]
    """
    words = _WORD.findall(line)
    if len(words) < 2 or words[0].lower() in _QUESTIONS:
        return False
    if words[0].lower() in _SUBJECTS or any(_CONTRACTED.fullmatch(w.lower()) for w in words):
        return True
    if _OBJECT.search(f"{line} "):
        return True
    return any(
        before.lower() not in _BEFORE_NOUNS
        and word not in ("May", "Will")
        and (word.lower() in _FINITE or _PAST.fullmatch(word.lower()) is not None)
        for before, word in pairwise(words)
    )

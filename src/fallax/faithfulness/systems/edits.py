"""What words that a claim adds to a sentence, or leaves out of it, do to its meaning, by their form."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, TypeAlias

from fallax.core.texts.broader import is_compound, parts_of
from fallax.core.texts.verbs import AUXILIARIES, base_form
from fallax.faithfulness.systems.compared import NEGATES, Word, word_set, words_of
from fallax.faithfulness.systems.dropped import STUDIED_IN
from fallax.faithfulness.systems.polarity import (
    DETERMINERS,
    PREPOSITIONS,
    RELATIVES,
    is_noun,
    is_plural,
    is_verb,
    kind_spoken_of,
)

__all__ = ["SCALAR", "added_by", "determiner_change", "limit_left_out", "limits"]

#: A restricting modifier, a conjunct, an alternative, nothing, or what is not understood.
Kind: TypeAlias = Literal["narrower", "and", "or", "same", ""]


#: What has such a word with it may not be what it is called, may not have happened, or is measured against something.
_NOT_RESTRICTING = word_set(
    "former formerly ex fake alleged allegedly possible possibly nearly almost virtual virtually practically would-be "
    "potential potentially supposed supposedly false mock model toy artificial imitation apparent apparently likely "
    "unlikely probable probably hypothetical imaginary imagined fictional fictitious proposed planned future expected "
    "presumed presumably suspected attempted deputy vice acting assistant draft retired counterfeit interim aspiring "
    "honorary replica forged bogus sham purported purportedly outgoing incoming shadow perhaps maybe reportedly "
    "theoretically partly partially half hardly scarcely barely seldom rarely ostensibly candidate pseudo "
    "also too even again still just yet already instead anyway however thus therefore once ever never not no "
    "nor neither nobody nothing none only if unless whether because since although though while whereas but except "
    "than as like so such very more less most least fewer few enough other another same different own else alone "
    "exactly about may might can could would should must shall will cannot always usually often sometimes generally "
    "normally typically mostly mainly largely commonly frequently occasionally roughly approximately officially "
    "far early late down up out off over away back used going able either dream dreams theory principle novel film "
    "story fiction"
)
#: Inside a phrase that begins with a preposition, a relative or "and" these do not matter.
_HARMLESS_INSIDE = word_set(
    "very more most few other another own same as late early about far over up down out off back away"
)
_BEGIN_OPEN = word_set("than as like except but besides instead despite because unless if whether to per via")
#: "In some cases", "for the most part": without it, more is said.
_SOMETIMES = word_set("some many most several certain part general principle theory particular cases case few")
_NOT_BEFORE_OF = word_set(
    "1 one some most all none each any many few several half number lot part kind sort type out instead"
)
_TOGETHER = word_set(
    "between together both same similar alike identical equal different married joint jointly combined total each "
    "other respectively either neither mix mixed sum share shared"
)
#: What is possible for one of two need not be for the other.
_OPEN = word_set("may might can could maybe perhaps possibly if whether unless wants want")
_TIME_NOUNS = word_set(
    "week month year night morning afternoon evening day summer winter spring autumn time weekend season"
)
_THINGS = word_set("anything something nothing everything anyone someone nobody everyone anybody somebody everybody")
_TIMES = word_set(
    "yesterday today tomorrow tonight here there twice outside inside outdoors indoors upstairs downstairs"
)
_VERBS_OF_SAYING = word_set(
    "say said says think thought thinks believe believed believes claim claimed claims know knew knows hope hoped "
    "hopes deny denied doubt doubted insist insisted feel felt argue argued report reported told tell fear feared "
)


def added_by(words: Sequence[Word], start: int, end: int) -> Kind:
    """What the words from ``start`` to ``end`` add to the rest of a text.

    Examples
    --------
    >>> from fallax.faithfulness.systems.compared import words_of
    >>> words = words_of("Every old ferry and every bus from Oslo was late on Monday.")
    >>> [added_by(words, a, b) for a, b in ((1, 2), (3, 6), (6, 8), (10, 12), (5, 8))]
    ['narrower', 'and', 'narrower', 'narrower', '']
    """
    while start < end and words[start].text in (",", ";"):
        start += 1
    comma = start > 0 and words[start - 1].text == ","
    while end > start and words[end - 1].text in (",", ";"):
        end -= 1
    if start == end or (end - start == 1 and words[start].text in _SAME):
        return "same"
    part = words[start:end]
    first, last = part[0].text, part[-1].text
    before, after = words[start - 1] if start else None, words[end] if end < len(words) else None
    joined = next((w for w in ("and", "or") if w in (first, last)), "")
    if not joined and comma and len(part) <= 4 and part[0].stem:
        joined = next((w.text for w in words[end : end + 6] if w.text in ("and", "or")), "")
    if joined:
        return _joined(words, start, end, joined)
    if any(w.text in (",", ";", ":", "–", "—") for w in part):
        return ""
    if first in RELATIVES:
        if before is None or not (is_noun(before) or before.text == ",") or before.text in _VERBS_OF_SAYING:
            return ""
        return "narrower" if any(is_verb(words, k) for k in range(start + 1, end)) and _plain(part[1:]) else ""
    if first in PREPOSITIONS:
        return "narrower" if _is_phrase(words, start, end, before) else ""
    if first in ("because", "although", "though"):
        denied = any(w.text in NEGATES or w.text in _OPEN for w in words)
        return "narrower" if not denied and any(is_verb(words, k) for k in range(start + 1, end)) else ""
    if tuple(w.text for w in part) in (("much",), ("a", "lot", "of"), ("lots", "of"), ("very",), ("well",), ("alone",)):
        return "narrower"
    if any(w.text in _NOT_RESTRICTING for w in part):
        return ""
    if before is not None and before.text in _THINGS and all("a" in parts_of(w.text) for w in part):
        return "narrower"
    if _is_adverb(part) or (len(part) == 2 and first in ("last", "next", "this", "every") and last in _TIME_NOUNS):
        return "narrower"
    if first.endswith("ing") and before is not None and is_noun(before) and len(part) > 1 and part[-1].stem:
        return (
            "narrower" if "v" in parts_of(first) and not any(is_verb(words, k) for k in range(start + 1, end)) else ""
        )
    return "narrower" if _before_noun(words, start, end, before, after) else ""


def _plain(part: Sequence[Word]) -> bool:
    return not any(w.text in _NOT_RESTRICTING - _HARMLESS_INSIDE and not w.name for w in part)  # the month of May


def _joined(words: Sequence[Word], start: int, end: int, joined: str) -> Kind:
    """Whether a conjunct or an alternative of a text can be left out: not if something is said of all together."""
    part = words[start:end]
    rest = [w for w in part if w.text not in (joined, ",")]
    if not rest or not any(w.stem for w in rest) or not _plain(rest) or any(w.text in _TOGETHER for w in words):
        return ""
    if sum(w.text in ("and", "or") for w in words) > 1 or any(w.text in _OPEN for w in words):
        return ""
    if any(w.text in ("of", "for", "with") for w in words[max(0, start - 4) : start + (part[-1].text == joined)]):
        return ""  # "a union of nurses and doctors"
    verb = next((k for k in range(start, end) if is_verb(words, k)), None)
    if part[-1].text == joined:
        if any(w.text == "," for w in part) or (verb is not None and start and not is_verb(words, end)):
            return ""
    elif verb is None and any(w.text == "," for w in rest):
        return ""
    return "and" if joined == "and" else "or"


def _is_phrase(words: Sequence[Word], start: int, end: int, before: Word | None) -> bool:
    """Whether a preposition and what follows it can be left out."""
    part = words[start:end]
    first = part[0].text
    if first in _BEGIN_OPEN or not (part[-1].stem or part[-1].name) or part[-1].text in PREPOSITIONS or before is None:
        return False
    if not (is_noun(part[-1]) or part[-1].name or part[-1].stem.isdigit()):
        return False
    if first == "of" and (before.text in _NOT_BEFORE_OF or _is_office(words, start)):
        return False
    inside = part[1:]
    if any(w.text in _SOMETIMES for w in inside) or (end < len(words) and words[end].text == "of"):
        return False
    if not _plain(inside) and not (first in ("before", "after") and _plain(inside[1:])):
        return False
    return not any(is_verb(words, k) for k in range(start + 1, end)) or first in ("before", "after", "until", "since")


def _is_office(words: Sequence[Word], start: int) -> bool:
    """Whether a noun without a determiner stands before a place, as in "elected chair of the youth board"."""
    k = start - 1
    if k < 1 or not is_noun(words[k]) or words[k].name or is_plural(words[k].text):
        return False
    while k > 0 and words[k].stem and not is_verb(words, k):
        k -= 1
    return words[k].text not in DETERMINERS


def _is_adverb(part: Sequence[Word]) -> bool:
    return all(w.text in _TIMES or (w.text.endswith("ly") and "r" in parts_of(w.text)) for w in part)


def _before_noun(words: Sequence[Word], start: int, end: int, before: Word | None, after: Word | None) -> bool:
    """Whether words are adjectives or nouns before a noun."""
    part = words[start:end]
    if after is None or not after.stem or after.stem[0].isdigit() or is_verb(words, end):
        return False
    if not (is_noun(after) or "a" in parts_of(after.text)):
        return False
    for k, w in enumerate(part, start=start):
        parts = parts_of(w.text)
        if not w.stem or w.stem[0].isdigit() or "'" in w.shown or (parts and not parts & {"a", "n"}):
            return False
        if is_verb(words, k) or (w.shown[0].isupper() and after.name) or w.text in PREPOSITIONS:
            return False
        if is_compound(w.text, words[k + 1].text):
            return False
    return True


#: "A small elephant" is no small animal.
SCALAR = word_set(
    "small big large tall short fast slow good bad great young old heavy light strong weak long rich poor huge tiny "
    "little expensive cheap high low excellent skilled"
)
_STUDIED = re.compile(STUDIED_IN, re.IGNORECASE)


def limits(words: Sequence[Word], start: int, end: int) -> bool:
    """Whether a phrase with a preposition may limit where, when or for whom the rest is true.

    "The museum is free for pupils" does not say that it is free, and "The strike ended in the northern towns" not
    that it ended, while who "sold bread in the hall" sold bread.

    Examples
    --------
    >>> from fallax.faithfulness.systems.compared import words_of
    >>> [limits(words_of(s), *at) for s, at in (("It is free for pupils.", (3, 5)), ("It sank at Halden.", (2, 4)))]
    [True, False]
    """
    part, before = words[start:end], words[start - 1] if start else None
    if before is None or part[0].text not in PREPOSITIONS or not any(is_verb(words, k) for k in range(1, start)):
        return False
    if _STUDIED.search(" ".join(w.text for w in part)) or kind_spoken_of(words) is not None:
        return True
    verb = next(k for k in range(1, start) if is_verb(words, k))
    if words[verb].text in AUXILIARIES and any(w.text.endswith("ing") for w in words[verb + 1 : verb + 3]):
        return False  # "was painting the fence"
    if part[0].text in ("in", "for", "among", "across", "within") and is_plural(part[-1].text):
        return True
    if "a" in parts_of(before.text) and any(w.text in AUXILIARIES for w in words[max(0, start - 3) : start - 1]):
        return not before.text.endswith("ing")  # "free for", "full of"
    if words[0].text in ("a", "an", "some") or words[0].stem.isdigit():
        return False
    if words[verb].text in AUXILIARIES:
        lasts = words[verb].text in ("can", "may", "must", "will", "should", "could", "would", "might", "do", "does")
        return lasts or (
            words[verb].text in ("is", "are") and not any(w.text.endswith("ing") for w in words[verb:start])
        )
    return words[verb].text.endswith("s") or base_form(words[verb].text) == words[verb].text


#: What may be so for some, there or then alone, if a phrase with one of the prepositions follows.
_PERMITS = word_set(
    "closed shut open opened banned barred forbidden prohibited illegal legal allowed permitted required free "
    "available exempt cleared approved licensed compulsory mandatory safe fit valid"
)
_PERMITTED = word_set("to for from of in on at during with within under")
_STATED = word_set("on in at for to during")
_GOES_ON = word_set(
    "stop stops stopped quit cease ceases ceased start starts started begin begins began finish finishes finished"
)
_PHRASE_ENDS = word_set(", ; : ( ) – — and but or who which that because when while")


#: What must come first where somebody "may" or "can".
_ON_CONDITION = word_set(
    "appointment arrangement invitation application request permit permits permission ticket tickets pass consent "
    "approval reservation booking supervision licence license notice fee deposit prescription escort accompanied"
)
_MAY = word_set("may can could might")
#: "Without a permit" is no condition.
_NEEDS_NONE = word_set("without no not")


def limit_left_out(claim: str, sentence: str) -> str:
    """The phrase that follows a claim's very words in a sentence and limits them; empty without one.

    It says for whom, where, when or on what condition something is allowed or so, or what somebody stopped or began to
    do.

    Examples
    --------
    >>> limit_left_out("The bridge was closed.", "The bridge was closed to lorries, the council said.")
    'to lorries'
    >>> limit_left_out("The shop is closed.", "The shop is closed on Mondays.")
    'on Mondays'
    >>> limit_left_out("Schools may visit.", "Schools may visit by appointment.")
    'by appointment'
    >>> limit_left_out("Schools may visit.", "Schools may visit without a permit.")
    ''
    >>> limit_left_out("The shop was sold.", "The shop was sold on Monday.")
    ''
    """
    wanted, words = [w.text for w in words_of(claim)], words_of(sentence)
    texts = [w.text for w in words]
    first = next((i for i in range(len(texts) - len(wanted)) if texts[i : i + len(wanted)] == wanted), None)
    if first is None:
        return ""
    start = first + len(wanted)
    end = next((k for k in range(start + 1, len(texts)) if texts[k] in _PHRASE_ENDS), len(texts))
    limit, said = " ".join(w.shown for w in words[start:end]), set(texts[start:end])
    if texts[start].endswith("ing") and texts[start - 1] in _GOES_ON:
        return limit
    if _MAY & set(wanted) and _ON_CONDITION & said and not said & _NEEDS_NONE:
        return limit
    verb = next((k for k in range(first + 1, start) if is_verb(words, k)), None)
    if verb is None or texts[start] not in PREPOSITIONS:
        return ""
    permitted = texts[start - 1] in _PERMITS and texts[start] in _PERMITTED
    lasts = texts[verb] in ("is", "are") and not any(t.endswith("ing") for t in texts[verb + 1 : verb + 3])
    return limit if permitted or (lasts and texts[start] in _STATED and limits(words, start, end)) else ""


#: Words that change nothing.
_SAME = word_set("the a an any some")
#: A determiner of a sentence, and those of a claim that follow from it.
_STRONGER = {
    "every": ("most", "many", "some", "several"), "most": ("some",), "many": ("some", "several"), "several": ("some",),
    "few_": ("some",), "both": ("some",),
}  # fmt: skip
_SOME = word_set("some a an")
_OWNED = word_set("his her its their my our your this that these those")


def determiner_change(
    theirs: Sequence[Word], own: Sequence[Word], a: int, b: int, c: int, d: int
) -> Literal["broader", "narrower", "same", ""]:
    """Which of the determiners from ``a`` to ``b`` of a sentence and from ``c`` to ``d`` of a claim is broader."""
    said, claimed = (" ".join(w.text for w in part) for part in (theirs[a:b], own[c:d]))
    one, other = ({"all": "every", "each": "every", "a few": "few_"}.get(x, x) for x in (said, claimed))
    if one in _STRONGER and other in _STRONGER.get(one, ()):
        return "broader"
    if other in _STRONGER and one in _STRONGER.get(other, ()):
        return "narrower"
    if (one in _SOME or one == "the" or one in _OWNED) and other in _SOME | {"the"}:
        return "same"
    if one.isdigit() and (a == 0 or theirs[a - 1].text not in ("most", "than", "to", "about", "only", "exactly")):
        words = other.split()
        if words[:2] == ["at", "least"] and words[2:] and words[2].isdigit():
            return "broader" if int(words[2]) <= int(one) else "narrower"
        if words[1:] == ["or", "more"] and words[0].isdigit():
            return "broader" if int(words[0]) <= int(one) else "narrower"
        if words[:2] == ["more", "than"] and words[2:] and words[2].isdigit():
            return "broader" if int(words[2]) < int(one) else "narrower"
    return ""

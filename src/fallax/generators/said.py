"""Whether a text says an argument: by lemmas, by numbers, and by similar words."""

from __future__ import annotations

import re
from collections.abc import Mapping

from rapidfuzz import fuzz

from fallax.generators.realise import Style, argument_phrases
from fallax.oracle import Phrases, load_rule_base
from fallax.types.logic import Derivation, Quantity

__all__ = ["content_words", "is_said", "lemma", "missing_arguments"]

#: The share of a phrase's content words that must be found.
ENOUGH = 0.6

#: How alike two words of five letters or more must be (0 to 100) to count as one.
ALIKE = 86

_STOP = frozenset(
    """a an the this that these those of in on at to for from by with and or but nor so as than then if when while
    because since it its he she his her him they them their there here is are was were be been being am do does did
    done has have had having will would shall should may might can could must who whom whose which what where how
    not no never none nothing nobody n't one ones own other another any some each every all both either neither too
    also very just only such into onto out up down off over under about after before again more most much many
    something somebody someone anything anybody anyone everything everybody everyone you your we our us i my me get
    gets got go goes""".split()
)

_NUMBERS = {
    word: str(n)
    for n, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
        " seventeen eighteen nineteen twenty".split()
    )
} | {"twice": "2", "once": "1", "thrice": "3", "thirty": "30", "forty": "40", "fifty": "50", "hundred": "100"}

_IRREGULAR = {
    "children": "child", "people": "person", "men": "man", "women": "woman", "feet": "foot", "teeth": "tooth",
    "mice": "mouse", "geese": "goose", "lives": "life", "leaves": "leaf", "wolves": "wolf", "knives": "knife",
    "loaves": "loaf", "halves": "half", "went": "go", "gone": "go", "made": "make", "took": "take", "taken": "take",
    "gave": "give", "given": "give", "said": "say", "came": "come", "saw": "see", "seen": "see", "knew": "know",
    "known": "know", "thought": "think", "brought": "bring", "bought": "buy", "sold": "sell", "told": "tell",
    "kept": "keep", "left": "leave", "felt": "feel", "held": "hold", "ran": "run", "rang": "ring", "rung": "ring",
    "sang": "sing", "sung": "sing", "sat": "sit", "stood": "stand", "understood": "understand", "lost": "lose",
    "won": "win", "paid": "pay", "met": "meet", "led": "lead", "fed": "feed", "built": "build", "sent": "send",
    "spent": "spend", "slept": "sleep", "ate": "eat", "eaten": "eat", "drank": "drink", "drunk": "drink",
    "drove": "drive", "driven": "drive", "wrote": "write", "written": "write", "rose": "rise", "risen": "rise",
    "fell": "fall", "fallen": "fall", "grew": "grow", "grown": "grow", "blew": "blow", "blown": "blow",
    "flew": "fly", "flown": "fly", "broke": "break", "broken": "break", "spoke": "speak", "spoken": "speak",
    "froze": "freeze", "frozen": "freeze", "worn": "wear", "wore": "wear", "lying": "lie", "dying": "die",
    "better": "good", "best": "good", "worse": "bad", "worst": "bad", "found": "find", "caught": "catch",
    "taught": "teach", "hid": "hide", "hidden": "hide", "begun": "begin", "began": "begin", "swam": "swim",
}  # fmt: skip

_WORD = re.compile(r"[0-9]+(?:[.,][0-9]+)*|[^\W\d_]+(?:['’][^\W\d_]+)*")
_NEGATIVE = re.compile(r"\b(?:not|no|never|none|nobody|nothing|neither|nor|without|cannot|hardly)\b|n['’]t\b")


def lemma(word: str) -> str:
    """A word's base form as far as its ending tells; numbers in words become digits.

    Examples
    --------
    >>> [lemma(w) for w in ("Trains", "stopped", "carries", "Feet", "glasses", "seven", "driver’s")]
    ['train', 'stop', 'carry', 'foot', 'glass', '7', 'driver']
    """
    low = re.sub(r"['’]s?$", "", word.lower())
    if low[:1].isdigit():
        return low.replace(",", "")
    low = _NUMBERS.get(low, _IRREGULAR.get(low, low))
    for ending, least, put in (("ies", 5, "y"), ("sses", 6, "ss"), ("shes", 6, "sh"), ("ches", 6, "ch"), ("xes", 5, "x")):
        if low.endswith(ending) and len(low) >= least:
            return low[: -len(ending)] + put
    if low.endswith("s") and len(low) > 3 and not low.endswith(("ss", "us", "is")):
        low = low[:-1]
    for ending in ("ing", "ied", "ed"):
        if low.endswith(ending) and len(low) - len(ending) >= 3:
            stem = low[: -len(ending)] + ("y" if ending == "ied" else "")
            return stem[:-1] if len(stem) > 3 and stem[-1] == stem[-2] and stem[-1] not in "lsz" else stem
    return low


def _same(a: str, b: str) -> bool:
    if a == b:
        return True
    if a[:1].isdigit() or b[:1].isdigit():
        return False
    short, long = sorted((a, b), key=len)
    if len(short) >= 3 and long in (short + "e", short + "y", short + "ly", short + "er"):
        return True
    return len(short) >= 5 and fuzz.ratio(a, b) >= ALIKE


def content_words(text: str) -> tuple[str, ...]:
    """The lemmas of a text without the words that any sentence has.

    Examples
    --------
    >>> content_words("The windmills are turning.")
    ('windmill', 'turn')
    """
    return tuple(lemma(w) for w in _WORD.findall(text) if w.lower() not in _STOP or w.lower() in ("one", "once"))


def is_said(text: str, phrase: str) -> bool:
    """True if a text says a phrase.

    It does if it holds at least 60 % of the phrase's content words, as lemmas or as words that are spelt nearly
    alike, all of its numbers, and a negative word where the phrase has one. A phrase of nothing but small words must
    occur as it is.

    Examples
    --------
    >>> is_said("Because windmills turned, it blew.", "the windmill turns")
    True
    >>> is_said("Because windmills turned, it blew.", "the rooster crows")
    False
    >>> is_said("It takes 14 minutes.", "seven minutes")
    False
    """
    wanted = [w for w in content_words(phrase) if w != "1"]
    if not wanted:
        return re.sub(r"\W+", " ", phrase.lower()).strip() in re.sub(r"\W+", " ", text.lower())
    said = set(content_words(text))
    if _NEGATIVE.search(phrase.lower()) and not _NEGATIVE.search(text.lower()):
        return False
    found = [w for w in wanted if any(_same(w, s) for s in said)]
    if any(w[0].isdigit() and w not in said for w in wanted):
        return False
    return len(found) >= ENOUGH * len(wanted)


def missing_arguments(text: str, derivation: Derivation, *, style: Style = "full") -> tuple[str, ...]:
    """The arguments of a derivation that a text does not say, as phrases.

    Parameters
    ----------
    text : a sentence or a few.
    derivation : of any rule base; where it has no phrases, its atoms are read as words.
    style : which arguments must be said, see :func:`fallax.generators.realise`.

    Returns
    -------
    tuple of str : () if all are said.
    """
    return tuple(p for p in _phrases(derivation, style).values() if not is_said(text, p))


def _phrases(derivation: Derivation, style: Style) -> Mapping[str, str]:
    if derivation.phrases:
        return argument_phrases(derivation, style=style)
    base = load_rule_base(derivation.rule_base.partition("@")[0] or "paper")
    said = Phrases(base, ())
    return {
        name: said.of("", value)
        for name, value in derivation.slots.items()
        if isinstance(value, str | Quantity) and value in derivation.conclusion.args
    }

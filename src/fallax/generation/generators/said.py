"""Checks that a text contains the arguments of a derivation: by lemmas, numbers, and similar words."""

from __future__ import annotations

import re

from rapidfuzz import fuzz

from fallax.core.types.logic import Derivation
from fallax.generation.generators.wording import Style, argument_phrases, word_lists
from fallax.oracle import Phrases, load_rule_base

__all__ = ["content_words", "is_said", "lemma", "missing_arguments", "phrases_to_say"]

#: The share of a phrase's content words that must be found.
ENOUGH = 0.6

#: How alike two words of five letters or more must be (0 to 100) to count as one.
ALIKE = 86

_WORDS = word_lists()
_STOP = frozenset(_WORDS["small"].split())
_NUMBERS: dict[str, str] = _WORDS["numbers"]
_IRREGULAR: dict[str, str] = _WORDS["irregular"]

_WORD = re.compile(r"[0-9]+(?:[.,][0-9]+)*|[^\W\d_]+(?:['’][^\W\d_]+)*")
_NEGATIVE = re.compile(r"\b(?:not|no|never|none|nobody|nothing|neither|nor|without|cannot|hardly)\b|n['’]t\b")


def lemma(word: str) -> str:
    """An approximate base form of a word; number words become digits.

    Examples
    --------
    >>> [lemma(w) for w in ("Trains", "stopped", "carries", "Feet", "glasses", "seven", "driver’s")]
    ['train', 'stop', 'carry', 'foot', 'glass', '7', 'driver']
    """
    low = re.sub(r"['’]s?$", "", word.lower())
    if low[:1].isdigit():
        return low.replace(",", "")
    low = _NUMBERS.get(low, _IRREGULAR.get(low, low))
    for ending, least, put in (
        ("ies", 5, "y"),
        ("sses", 6, "ss"),
        ("shes", 6, "sh"),
        ("ches", 6, "ch"),
        ("xes", 5, "x"),
    ):
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
    """The lemmas of a text, without function words.

    Examples
    --------
    >>> content_words("The windmills are turning.")
    ('windmill', 'turn')
    """
    return tuple(lemma(w) for w in _WORD.findall(text) if w.lower() not in _STOP or w.lower() in ("one", "once"))


def is_said(text: str, phrase: str) -> bool:
    """True if a text contains a phrase, in the same or similar words.

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
    """The arguments of a derivation that a text lacks, as phrases.

    Parameters
    ----------
    text : a sentence or a few.
    derivation : of any rule base; where it has no phrases, its atoms are read as words.
    style : which arguments must be said, see :func:`fallax.generation.generators.realise`.

    Returns
    -------
    tuple of str : () if all are said.
    """
    return tuple(p for p in phrases_to_say(derivation, style=style) if not is_said(text, p))


def phrases_to_say(derivation: Derivation, *, style: Style = "full") -> tuple[str, ...]:
    """The words of the arguments that a text must contain, without repeats.

    Those of the style where the derivation has phrases; else, for the schemas of the paper, the arguments of the
    conclusion, read as words.
    """
    if derivation.phrases:
        return tuple(dict.fromkeys(argument_phrases(derivation, style=style).values()))
    said = Phrases(load_rule_base(derivation.rule_base.partition("@")[0]), ())
    return tuple(dict.fromkeys(said.of("", value) for value in derivation.conclusion.args))

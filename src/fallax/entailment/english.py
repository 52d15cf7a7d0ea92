"""Tells whether a text is in the language that the entailment model was trained on."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import cache
from importlib import resources

__all__ = ["foreign_to"]

_WORDS = re.compile(r"[^\W\d_]+")
_FUNCTION_WORDS = frozenset({
    "the", "a", "an", "of", "to", "in", "and", "is", "was", "are", "were", "for", "on", "with", "that", "by", "it",
    "as", "at", "be", "from", "has", "have", "had", "this", "not", "or", "but", "they", "he", "she", "his", "her",
    "their", "its", "which", "who", "will", "would", "been", "after", "before", "because", "than", "more", "about",
    "into", "over", "no", "so", "if", "when", "there",
})  # fmt: skip
#: Of German, French, Spanish and Italian, none of them an English word.
_OTHER_FUNCTION_WORDS = frozenset({
    "der", "das", "und", "den", "dem", "des", "ein", "eine", "einen", "nicht", "ist", "sich", "auf", "mit",
    "von", "zu", "für", "im", "dass", "wird", "wurde", "le", "les", "et", "est", "une", "du", "que", "qui",
    "dans", "pour", "pas", "sur", "el", "los", "las", "una", "por", "con", "para", "como", "il", "della", "che",
    "di", "gli", "nel", "sono",
})  # fmt: skip


def foreign_to(text: str) -> str:
    """Why a text is outside the model's training data, else "".

    Examples
    --------
    >>> foreign_to("The council raised the fees in March because the roof had to be repaired.")
    ''
    >>> foreign_to("Der Rat hat die Gebühren im März erhöht, weil das Dach repariert werden musste.")
    'it does not read as English, the one language the model was trained on'
    >>> foreign_to("Smoke kills bees, bees pollinate plums, plums feed pigs.")
    ''
    """
    words = [w.lower() for w in _WORDS.findall(text)]
    letters = [] if text.isascii() else [c for c in text if c.isalpha()]
    other = sum(not ("a" <= c.lower() <= "z" or "\u00c0" <= c <= "\u024f") for c in letters)
    known = sum(w in _FUNCTION_WORDS for w in words)
    strange = sum(w in _OTHER_FUNCTION_WORDS for w in words)
    sparse = len(words) >= 8 and known < 0.1 * len(words) and not _in_vocabulary(words)
    if other > 0.3 * len(letters) or sparse or (strange >= 2 and strange > known):
        return "it does not read as English, the one language the model was trained on"
    return ""


@cache
def _vocabulary() -> frozenset[str]:
    path = resources.files("fallax.encoders") / "weights" / "tokenizer.json"
    return frozenset(json.loads(path.read_text(encoding="utf-8"))["model"]["vocab"])


def _in_vocabulary(words: Sequence[str]) -> bool:
    """Whether most of the longer words are words of the model's vocabulary, which is English."""
    longer = [w for w in words if len(w) > 3]
    return 2 * sum(w in _vocabulary() for w in longer) >= len(longer) > 0

"""Automatic checks of pairs and drafted claims."""

from __future__ import annotations

import re

from fallax.causality.protocols.building import MAX_EVIDENCE_WORDS
from fallax.core.texts.ranking import content_words
from fallax.core.types.causal import CausalClaim

__all__ = ["check_draft", "check_pair", "same_text"]

_ABOUT_ITSELF = re.compile(r"\b(?:inference|sentence|thought)\s*\d|\bthe (?:claim|cause-effect pair)\b", re.I)


def same_text(text: str) -> str:
    """A text without case, punctuation and white space, to detect repetitions.

    Examples
    --------
    >>> same_text("It rained!") == same_text(" it  rained")
    True
    """
    return "".join(c for c in text.casefold() if c.isalnum())


def check_pair(pair: CausalClaim, *, min_words: int = 3) -> tuple[str, ...]:
    """Why a pair of cause and effect is unsuitable; empty if it is suitable.

    Si et al. 2024 leave out sides without a predicate, by a parser; here a side must have some words, and people
    discard the rest.

    Examples
    --------
    >>> check_pair(CausalClaim("1", "", cause="rain", effect="The match was late."))
    ('the cause must have 3 words or more, got 1',)
    """
    found = []
    for name, side in (("cause", pair.cause), ("effect", pair.effect)):
        if (n := len(side.split())) < min_words:
            found.append(f"the {name} must have {min_words} words or more, got {n}")
    if not found and same_text(pair.cause) == same_text(pair.effect):
        found.append("cause and effect must differ, got the same")
    return tuple(found)


def check_draft(draft: CausalClaim) -> tuple[str, ...]:
    """What people should check in a drafted claim; empty if nothing is conspicuous.

    The claim shares words with cause and effect; no evidence repeats another, the claim, the cause or the effect, is
    too long, or speaks of the task; all evidence takes part in the structure, which has no problem; and the evidence of
    a refutation argues from a counterfactual effect that differs from the effect.
    """
    found = list(draft.structure.problems) if draft.structure is not None else ["structure: must be there, got none"]
    words = set(content_words(draft.claim))
    for name, side in (("cause", draft.cause), ("effect", draft.effect)):
        wanted = set(content_words(side))
        if wanted and not wanted & words:
            found.append(f"claim: must say the {name}, got none of its words")
    seen = {
        same_text(draft.claim): "the claim",
        same_text(draft.cause): "the cause",
        same_text(draft.effect): "the effect",
    }
    for e in draft.evidence:
        if (other := seen.setdefault(same_text(e.text), e.id)) != e.id:
            found.append(f"{e.id}: must not repeat {other}")
        if (n := len(e.text.split())) > MAX_EVIDENCE_WORDS:
            found.append(f"{e.id}: must have at most {MAX_EVIDENCE_WORDS} words, got {n}")
        if said := _ABOUT_ITSELF.search(e.text):
            found.append(f"{e.id}: must not speak of the task, got {said[0]!r}")
        if draft.structure is not None and e.id not in draft.structure.by_id:
            found.append(f"{e.id}: must take part in the structure")
    opposite = draft.meta.get("counterfactual")
    if isinstance(opposite, str) and same_text(opposite) == same_text(draft.effect):
        found.append("counterfactual effect: must differ from the effect, got the same")
    return tuple(found)

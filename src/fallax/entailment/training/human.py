"""Ordinary text by people, the raw material of made examples."""

from __future__ import annotations

import random
from pathlib import Path

from fallax.data.open_texts import prose_rows
from fallax.entailment.training.corpus import sentences_of

__all__ = ["PLAIN", "filling_sentences", "plain_documents"]

#: Folders of FALLAX_DATA with texts whose terms allow training a shipped model.
PLAIN = tuple(
    "plain_" + name
    for name in (
        "minutes",
        "openstax",
        "global_voices",
        "gum",
        "court",
        "europarl",
        "skeptics",
        "proposals",
        "ibm_evidence",
        "podcasts",
        "tech_talks",
        "qmsum",
        "ewt",
        "nltk_reviews",
    )
)


def plain_documents(root: Path, seed: int, *, most: int = 500) -> list[tuple[str, ...]]:
    """A random sample of at most ``most`` texts from each folder, each as its sentences."""
    rng = random.Random(seed)
    found: list[tuple[str, ...]] = []
    for name in PLAIN:
        texts = [row["text"] for row in prose_rows(root / name)]
        found += [sentences_of(text[:4000]) for text in rng.sample(texts, min(most, len(texts)))]
    return found


def filling_sentences(documents: list[tuple[str, ...]]) -> list[str]:
    """Sentences of 6 to 24 words that can be added to a passage."""
    return [s for d in documents for s in d if 6 <= len(s.split()) <= 24 and s[:1].isupper() and s[-1:] == "."]

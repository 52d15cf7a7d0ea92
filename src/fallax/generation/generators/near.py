"""Detects duplicates and near-duplicates among generated texts."""

from __future__ import annotations

from collections import defaultdict

from fallax.core.texts import plain_text
from fallax.errors import InputError
from fallax.generation.generators.said import content_words

__all__ = ["NEAR", "Seen"]

#: The share of content words in common from which two texts are near-duplicates.
NEAR = 0.8


class Seen:
    """The accepted texts, which new ones are compared with.

    A text is a duplicate if it is equal to one that was taken but for case, punctuation and blanks. It is a
    near-duplicate if its content words (lemmas, without the words that any sentence has) and those of a text of the
    same fallacy have at least ``near`` in common: intersection over union. Texts of one source (two wordings of one
    derivation) are compared for equality only.

    Parameters
    ----------
    near : in (0, 1]; 1 takes only texts of the same words for near-duplicates.

    Examples
    --------
    >>> seen = Seen()
    >>> [seen.take("wrong_direction", t) for t in ("Mills make wind.", "mills make wind", "Wind is made by mills.")]
    [None, 'duplicate', 'near-duplicate']
    """

    def __init__(self, near: float = NEAR) -> None:
        if not 0 < near <= 1:
            raise InputError(f"near: must be in (0, 1], got {near:g}")
        self.near = near
        self._texts: set[str] = set()
        self._words: dict[str, list[tuple[frozenset[str], str]]] = defaultdict(list)

    def take(self, fallacy: str, text: str, source: str = "") -> str | None:
        """Add a text, or return why not: ``duplicate`` or ``near-duplicate``; None if it was added.

        Parameters
        ----------
        fallacy : texts of different fallacies are compared for equality only.
        source : what the text words; "" for none.
        """
        plain = plain_text(text)
        if plain in self._texts:
            return "duplicate"
        words = frozenset(content_words(text))
        for other, at in self._words[fallacy]:
            if source and at == source:
                continue
            if len(words & other) >= self.near * len(words | other):
                return "near-duplicate"
        self._texts.add(plain)
        self._words[fallacy].append((words, source))
        return None

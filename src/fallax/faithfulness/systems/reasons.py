"""How a difference between a document and a claim is told."""

from __future__ import annotations

from collections.abc import Sequence

from fallax.errors import one_line

__all__ = ["adds", "says", "undecided"]

#: At most so many words are named.
_MOST = 5


def says(said: str, claimed: str) -> str:
    """That the document says one thing and the claim another, as the end of an explanation.

    Examples
    --------
    >>> says("40 grams", "40 kilograms")
    'the document says “40 grams”, this says “40 kilograms”'
    """
    return f"the document says “{_shown(said)}”, this says “{_shown(claimed)}”"


def adds(said: str) -> str:
    """That the document adds words that the claim leaves out, as the end of an explanation.

    Examples
    --------
    >>> adds(" if paid.")
    'the document adds “if paid”'
    """
    return f"the document adds “{_shown(said)}”"


def undecided(lacking: Sequence[str]) -> str:
    """Why it cannot be told whether the passages that bear on a claim support it.

    Parameters
    ----------
    lacking : the words of the claim that none of these passages has.

    Examples
    --------
    >>> undecided(["thousand"]), undecided([])
    ('no passage has “thousand”', 'the passages have its words, but may not say this')
    """
    if not lacking:
        return "the passages have its words, but may not say this"
    named = ", ".join(f"“{_shown(word)}”" for word in lacking[:_MOST])
    return f"no passage has {named}" + (" and other words of it" if len(lacking) > _MOST else "")


def _shown(words: str) -> str:
    return one_line(words.strip(" .,;"), 80)

"""How a difference between a document and a claim is told."""

from __future__ import annotations

from fallax.errors import one_line

__all__ = ["adds", "says"]


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


def _shown(words: str) -> str:
    return one_line(words.strip(" .,;"), 80)

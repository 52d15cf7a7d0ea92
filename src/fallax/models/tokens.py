"""Estimates token counts without a tokenizer."""

from __future__ import annotations

from fallax.core.types.messages import Request

__all__ = ["estimate_prompt_tokens", "estimate_tokens"]

CHARACTERS_PER_TOKEN = 4
TOKENS_PER_MESSAGE = 4
TOKENS_PER_REQUEST = 3


def estimate_tokens(text: str) -> int:
    """Estimated tokens of a text: a quarter of its ASCII characters plus one per other character.

    A rule of thumb for English with the byte-pair vocabularies in use; code and rare words have more, and other
    scripts are overestimated rather than under.

    Examples
    --------
    >>> estimate_tokens("twelve chars"), estimate_tokens(""), estimate_tokens("日本語")
    (3, 0, 3)
    """
    n_ascii = len(text) if text.isascii() else sum(c.isascii() for c in text)
    return -(-n_ascii // CHARACTERS_PER_TOKEN) + len(text) - n_ascii


def estimate_prompt_tokens(request: Request) -> int:
    """Estimated tokens of a prompt: its messages, plus 4 per message and 3 per request for the template.

    Examples
    --------
    >>> from fallax.core.types.messages import Message
    >>> estimate_prompt_tokens(Request((Message("user", "twelve chars"),)))
    10
    """
    texts = sum(estimate_tokens(m.content) + TOKENS_PER_MESSAGE for m in request.messages)
    return texts + TOKENS_PER_REQUEST

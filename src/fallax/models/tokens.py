"""How many tokens a text probably has, where no tokenizer is at hand."""

from __future__ import annotations

from fallax.core.types.messages import Request

__all__ = ["estimate_prompt_tokens", "estimate_tokens"]

CHARACTERS_PER_TOKEN = 4
TOKENS_PER_MESSAGE = 4
TOKENS_PER_REQUEST = 3


def estimate_tokens(text: str) -> int:
    """Approximate number of tokens of a text: a quarter of its ASCII characters and one per other character.

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
    """Approximate tokens of a prompt: those of its messages, 4 more per message and 3 per request for the template.

    Examples
    --------
    >>> from fallax.core.types.messages import Message
    >>> estimate_prompt_tokens(Request((Message("user", "twelve chars"),)))
    10
    """
    texts = sum(estimate_tokens(m.content) + TOKENS_PER_MESSAGE for m in request.messages)
    return texts + TOKENS_PER_REQUEST

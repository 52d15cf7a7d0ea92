"""Handles documents that exceed the context: refuse, split, or retrieve; never truncate silently."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from fallax.core.texts import plain_words, sentence_spans
from fallax.errors import InputError, UnjudgeableError, UnknownNameError

__all__ = ["POLICIES", "Bags", "DocumentLimit", "Passage", "document_limit", "fit_document", "words_of"]

Policy: TypeAlias = Literal["refuse", "chunk", "retrieve"]

#: What can be done with a document that is too long.
POLICIES: tuple[Policy, ...] = ("refuse", "chunk", "retrieve")

_STOP = frozenset(
    re.findall(
        r"\w+",
        "a an and are as at be been but by for from had has have he her his i in is it its of on or she that the their"
        " they this to was we were which who will with would you",
    )
)


def _quarter(text: str) -> int:
    return -(-len(text) // 4)


@dataclass(frozen=True, slots=True)
class DocumentLimit:
    """The size limit of documents, and what to do with longer ones.

    Parameters
    ----------
    context_tokens : the context of the model, in tokens.
    policy : "refuse" (an error says how much is too much); "chunk" (every piece is judged, and a sentence is faithful
        if it is to one of them); "retrieve" (the sentences of the document most like what is judged, in their order).
    count_tokens : how many tokens a text has; by default a quarter of its characters.
    """

    context_tokens: int
    policy: Policy = "refuse"
    count_tokens: Callable[[str], int] = _quarter

    def __post_init__(self) -> None:
        if type(self.context_tokens) is not int or self.context_tokens < 1:
            raise InputError(f"context_tokens must be a whole number of at least 1, got {self.context_tokens!r}")
        if self.policy not in POLICIES:
            raise UnknownNameError("policy for long documents", self.policy, POLICIES)


def document_limit(
    context_tokens: int | None, policy: Policy = "refuse", count_tokens: Callable[[str], int] | None = None
) -> DocumentLimit | None:
    """The limit for these settings; None without a context size.

    Raises
    ------
    UnknownNameError, InputError
        If the policy is unknown, or something is to be done with what does not fit and nothing says what fits.
    """
    if context_tokens is not None:
        return DocumentLimit(context_tokens, policy, count_tokens or _quarter)
    if policy not in POLICIES:
        raise UnknownNameError("policy for long documents", policy, POLICIES)
    if policy != "refuse":
        raise InputError(f"long_documents: {policy!r} must come with context_tokens, got none")
    return None


@dataclass(frozen=True, slots=True)
class Passage:
    """The part of a document that is read: all of it, or a part described in ``note``."""

    text: str
    note: str = ""


def words_of(text: str) -> list[str]:
    """The words and numbers of a text in lower case, without the most frequent ones.

    Examples
    --------
    >>> words_of("The vote was 7-2 on Monday.")
    ['vote', '7', '2', 'monday']
    """
    return [w for w in plain_words(text) if w not in _STOP]


class Bags:
    """An index of the words of some texts, for many queries.

    Examples
    --------
    >>> Bags(["It rained.", "The mayor has resigned."]).scores("The mayor resigned.")
    [0.0, 1.0]
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._holders: dict[str, list[int]] = {}
        self._n = 0
        for i, text in enumerate(texts):
            self._n = i + 1
            for word in set(words_of(text)):
                self._holders.setdefault(word, []).append(i)

    def scores(self, query: str) -> list[float]:
        """Coverage of a query by each text: the share of its words, weighted by rarity, in [0, 1]."""
        held = {w: self._holders.get(w, []) for w in dict.fromkeys(words_of(query))}
        weights = {w: math.log(1 + self._n / (1 + len(texts))) for w, texts in held.items()}
        found: dict[int, list[float]] = {}
        for word, texts in held.items():
            for i in texts:
                found.setdefault(i, []).append(weights[word])
        total = math.fsum(weights.values())
        return [math.fsum(found[i]) / total if i in found else 0.0 for i in range(self._n)]


def fit_document(document: str, query: str, *, limit: DocumentLimit | None, reserve: int) -> tuple[Passage, ...]:
    """The document as one passage if it fits, else the passages that the policy makes of it.

    Parameters
    ----------
    document : the whole.
    query : what is judged, for retrieval.
    limit : None: it is taken to fit, and the model says so if it does not.
    reserve : tokens that the rest of the prompt and the reply take.

    Raises
    ------
    UnjudgeableError
        If it does not fit and is to be refused, or even one sentence does not fit.

    Examples
    --------
    >>> text = "It rained on Monday. The mayor resigned. The bridge is open again."
    >>> [p.text for p in fit_document(text, "The mayor is gone.", limit=DocumentLimit(20, "retrieve"), reserve=10)]
    ['The mayor resigned.']
    """
    if limit is None:
        return (Passage(document),)
    room = limit.context_tokens - reserve
    length = limit.count_tokens(document)
    if length <= room:
        return (Passage(document),)
    if limit.policy == "refuse":
        raise UnjudgeableError(
            f"the document must fit into the model's context: about {length:,} tokens, and of {limit.context_tokens:,}"
            f" there is room for {max(0, room):,} beside the question and the replies; take a model with a longer"
            " context, or let it be read in pieces (chunk) or where it matters (retrieve)"
        )
    pieces = [document[start:end] for start, end in sentence_spans(document)]
    sizes = [limit.count_tokens(p) + 1 for p in pieces]
    if not pieces or min(sizes) > room or (limit.policy == "chunk" and max(sizes) > room):
        raise UnjudgeableError(
            f"the document cannot be read in pieces: a sentence of about {max(sizes, default=0):,} tokens does not fit"
            f" into the {max(0, room):,} there is room for; take a model with a longer context"
        )
    return _chunks(pieces, sizes, room) if limit.policy == "chunk" else _retrieved(pieces, sizes, room, query)


def _chunks(pieces: list[str], sizes: list[int], room: int) -> tuple[Passage, ...]:
    """Pieces of whole sentences that fit; each repeats the last sentence of the previous one if possible."""
    chunks: list[list[int]] = [[]]
    used = 0
    for i, size in enumerate(sizes):
        if used + size > room:
            last = chunks[-1][-1]
            chunks.append([last] if sizes[last] + size <= room else [])
            used = sizes[last] if chunks[-1] else 0
        chunks[-1].append(i)
        used += size
    n = len(chunks)
    return tuple(
        Passage("\n".join(pieces[i] for i in chunk), f"part {number} of {n} of the document")
        for number, chunk in enumerate(chunks, start=1)
    )


def _retrieved(pieces: list[str], sizes: list[int], room: int, query: str) -> tuple[Passage, ...]:
    scores = Bags(pieces).scores(query)
    chosen: set[int] = set()
    used = 0
    for i in sorted(range(len(pieces)), key=lambda i: (-scores[i], i)):
        if used + sizes[i] + 2 <= room:
            chosen.add(i)
            used += sizes[i] + 2
    lines: list[str] = []
    for i in sorted(chosen):
        if lines and i - 1 not in chosen:
            lines.append("[…]")
        lines.append(pieces[i])
    return (Passage("\n".join(lines), f"{len(chosen)} of the document's {len(pieces)} sentences"),)

"""Cuts texts into windows of whole sentences for an encoder, and maps tokens to sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from fallax.core.texts.normal import CURLY_DOUBLE, CURLY_SINGLE

__all__ = ["MAX_TOKENS", "TITLE_TOKENS", "Encoded", "TokenizerPort", "Window", "as_read", "pieces_of", "windows_of"]

#: Tokens of a window, [CLS], title and [SEP] included.
MAX_TOKENS = 256
#: At most this many tokens of a title are read.
TITLE_TOKENS = 24
#: Tokens of the sentences before a window that are read again as context when a text needs several windows.
_CONTEXT_TOKENS = 64

_CLS, _SEP = 101, 102


class TokenizerPort(Protocol):
    """The part of ``tokenizers.Tokenizer`` that is used."""

    def encode_batch(self, input: list[str], *, add_special_tokens: bool) -> Sequence[Encoded]:
        """One encoding per text."""


class Encoded(Protocol):
    """The part of ``tokenizers.Encoding`` that is used."""

    @property
    def ids(self) -> list[int]:
        """The token ids."""


@dataclass(frozen=True, slots=True)
class Window:
    """One input of the encoder.

    Parameters
    ----------
    ids : token numbers, [CLS] title [SEP] sentences [SEP].
    places : (sentence number, first token, end token) for each sentence to be judged here; sentences that are only
        there as context have none.
    """

    ids: npt.NDArray[np.int64]
    places: tuple[tuple[int, int, int], ...]


_QUOTES = str.maketrans({**dict.fromkeys(CURLY_DOUBLE, '"'), **dict.fromkeys(CURLY_SINGLE, "'")})


def as_read(text: str) -> str:
    """A text of the same length as encoders read it: typographic quotes become straight ones.

    Examples
    --------
    >>> as_read("“So”")
    '"So"'
    """
    return text.translate(_QUOTES)


def pieces_of(tokenizer: TokenizerPort, texts: Sequence[str]) -> list[list[int]]:
    """The token ids of each text, as it is read, without special tokens."""
    return [list(e.ids) for e in tokenizer.encode_batch([*map(as_read, texts)], add_special_tokens=False)]


def windows_of(sentences: Sequence[Sequence[int]], title: Sequence[int] = ()) -> tuple[Window, ...]:
    """Windows of whole sentences that together cover each sentence once.

    Parameters
    ----------
    sentences : token numbers of each sentence. What is longer than a window is cut at its end.
    title : token numbers of the title; empty for none.

    Examples
    --------
    >>> [w.places for w in windows_of([[7, 8], [9]])]
    [((0, 1, 3), (1, 3, 4))]
    """
    head = [_CLS, *title[:TITLE_TOKENS], _SEP] if title else [_CLS]
    room = MAX_TOKENS - len(head) - 1
    windows = []
    i = 0
    while i < len(sentences):
        ids = list(head)
        if i:
            start, used = i, 0
            while start and used + len(sentences[start - 1]) <= _CONTEXT_TOKENS:
                start -= 1
                used += len(sentences[start])
            for sentence in sentences[start:i]:
                ids.extend(sentence)
        places = []
        first = i
        while i < len(sentences):
            sentence = sentences[i]
            left = len(head) + room - len(ids)
            if len(sentence) > left:
                if i > first:
                    break
                sentence = sentence[:left]
            places.append((i, len(ids), len(ids) + max(1, len(sentence))))
            ids.extend(sentence or [_SEP])
            i += 1
        ids.append(_SEP)
        windows.append(Window(np.array(ids, dtype=np.int64), tuple(places)))
    return tuple(windows)

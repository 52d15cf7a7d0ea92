"""The parts of a document that could support a sentence: chosen by words, put together in the order of the document."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

__all__ = ["PIECE_TOKENS", "cut_pieces", "evidence_of", "rarity_of"]

#: Sentences of a document are cut into pieces of at most so many tokens; spoken ones can go on for long.
PIECE_TOKENS = 48
#: What a word that a chosen piece holds already still counts for in the next one.
_AGAIN = 0.35
#: What the better neighbour of a piece adds to it: what is meant is often said in the sentence before.
_NEIGHBOUR = 0.15
#: Of more than so many pieces, tokens that stand in more than one of three say nothing.
_FEW, _OFTEN = 12, 3.0
#: Where there is less room than this many tokens left, no more pieces are looked for.
_LEAST = 8


def cut_pieces(sentences: Sequence[Sequence[int]], *, most: int = PIECE_TOKENS) -> list[list[int]]:
    """Sentences in tokens as pieces of about one length; a long sentence becomes several.

    Examples
    --------
    >>> cut_pieces([[1, 2, 3, 4, 5], [6]], most=3)
    [[1, 2, 3], [4, 5], [6]]
    """
    pieces = []
    for sentence in sentences:
        n = max(1, -(-len(sentence) // most))
        size = -(-len(sentence) // n)
        pieces += [list(sentence[i : i + size]) for i in range(0, len(sentence), max(1, size))]
    return pieces


def rarity_of(pieces: Sequence[Sequence[int]]) -> dict[int, float]:
    """How much a token says about where it stands: more, the fewer pieces hold it.

    Examples
    --------
    >>> weights = rarity_of([[1, 2], [1, 3]])
    >>> weights[2] > weights[1]
    True
    """
    seen = Counter(token for piece in pieces for token in set(piece))
    return {token: math.log((1 + len(pieces)) / n) for token, n in seen.items()}


def evidence_of(
    sentence: Sequence[int],
    pieces: Sequence[Sequence[int]],
    *,
    rarity: dict[int, float],
    budget: int,
    without: frozenset[int] = frozenset(),
) -> list[int]:
    """Numbers of the pieces to read beside a sentence, in the order of the document.

    One piece after another is taken that holds most of the sentence's tokens, each weighted by how rare it is in the
    document; tokens that a chosen piece holds count less from then on, so that a sentence that joins two facts finds
    both.

    Parameters
    ----------
    sentence : its tokens.
    pieces : those of the document, in its order.
    rarity : see :func:`rarity_of`.
    budget : tokens that may be taken in all. At least one piece is.
    without : pieces that are not to be taken.

    Examples
    --------
    >>> pieces = [[1, 2], [3, 4], [5, 6], [7, 8]]
    >>> evidence_of([2, 8], pieces, rarity=rarity_of(pieces), budget=4)
    [0, 3]
    """
    often = math.log(_OFTEN) if len(pieces) > _FEW else 0.0
    wanted = {t: w for t in sentence if (w := rarity.get(t, 0.0)) > often}
    held = [[t for t in wanted.keys() & piece] for piece in map(set, pieces)]
    gains = [math.fsum(wanted[t] for t in sorted(tokens)) for tokens in held]
    left = set(range(len(pieces))) - without
    chosen: list[int] = []
    used = 0
    while left:
        near = {i: max(gains[i - 1] if i else 0.0, gains[i + 1] if i + 1 < len(gains) else 0.0) for i in left}
        best = max(left, key=lambda i: (gains[i] + _NEIGHBOUR * near[i], -i))
        left.remove(best)
        if chosen and used + len(pieces[best]) > budget:
            if used + _LEAST > budget:
                break
            continue
        chosen.append(best)
        used += len(pieces[best])
        for token in held[best]:
            wanted[token] *= _AGAIN
        again = wanted.keys() & held[best]
        gains = [
            math.fsum(wanted[t] for t in sorted(tokens)) if again.intersection(tokens) else gain
            for tokens, gain in zip(held, gains, strict=True)
        ]
        if used >= budget:
            break
    return sorted(chosen)

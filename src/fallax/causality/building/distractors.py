"""Adds distractors: evidence that seems relevant and is not (Si et al. 2024, section 3.2)."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from fallax.causality.building.checks import same_text
from fallax.core.texts.ranking import Bm25, Embedder, TfIdf, cosines
from fallax.core.types.causal import CausalClaim
from fallax.errors import InputError

__all__ = ["find_distractors"]


def find_distractors(
    drafts: Sequence[CausalClaim],
    *,
    more: Iterable[str] = (),
    n: tuple[int, int] = (8, 12),
    candidates: int = 300,
    embedder: Embedder | None = None,
    seed: int = 0,
) -> dict[str, tuple[str, ...]]:
    """Distractors for each group: the BM25 results for the claim, then similar sentences by embedding.

    Parameters
    ----------
    drafts : claims with their evidence; all evidence of all groups is searched.
    more : further sentences to search.
    n : the least and the most distractors of a group; how many is drawn.
    candidates : how many BM25 gives.
    embedder : texts to vectors, for the second choice; by default tf-idf over the candidates.
    seed : of the draw.

    Returns
    -------
    dict
        Group -> texts, the nearest first. None of them is evidence of the group itself, or says its claim, cause or
        effect. Fewer than the least where nothing more shares a word with the claim.

    Notes
    -----
    All claims of a group get the same distractors; the first claim of the group is what they are sought for. Si et al.
    2024 take BLEURT for the second choice; the embedder stands in its place.

    References
    ----------
    Si et al. 2024 (CheckWhy), section 3.2: 300 by BM25, then 8 to 12.
    """
    if not 0 <= n[0] <= n[1] <= candidates:
        raise InputError(f"distractors: n must be from low to high and at most candidates, got {n} and {candidates}")
    own: dict[str, set[str]] = {}
    first: dict[str, CausalClaim] = {}
    pool: dict[str, str] = {}
    for d in drafts:
        first.setdefault(d.group, d)
        said = own.setdefault(d.group, set())
        said.update(map(same_text, (d.claim, d.cause, d.effect, str(d.meta.get("counterfactual", "")))))
        for e in d.evidence:
            said.add(same_text(e.text))
            pool.setdefault(same_text(e.text), e.text)
    for text in more:
        if text.strip():
            pool.setdefault(same_text(text), text.strip())
    keys, texts = list(pool), list(pool.values())
    at = {key: i for i, key in enumerate(keys)}
    index = Bm25(texts)
    near = _Nearness(embedder or TfIdf())
    found = {}
    for group, claim in first.items():
        without = frozenset(at[k] for k in own[group] if k in at)
        places = index.nearest(claim.claim, candidates, without=without)
        alike = near(claim.claim, [texts[i] for i in places])
        wanted = random.Random(f"{seed}:{group}:distractors").randint(*n)
        order = sorted(range(len(places)), key=lambda k: (-alike[k], k))[:wanted]
        found[group] = tuple(texts[places[k]] for k in order)
    return found


class _Nearness:
    """Cosines with one text; vectors that do not depend on the other texts are computed once."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder: Embedder = embedder if isinstance(embedder, TfIdf) else _Once(embedder)

    def __call__(self, text: str, others: Sequence[str]) -> npt.NDArray[np.float64]:
        return np.asarray(cosines([text, *others], self._embedder)[0, 1:])


class _Once:
    """An embedder that embeds each text once."""

    def __init__(self, embedder: Embedder) -> None:
        self.name = embedder.name
        self._embedder = embedder
        self._kept: dict[str, npt.NDArray[np.float64]] = {}

    def __call__(self, texts: Sequence[str], /) -> npt.NDArray[np.float64]:
        new = [t for t in dict.fromkeys(texts) if t not in self._kept]
        if new:
            vectors = np.asarray(self._embedder(new), dtype=np.float64)
            if vectors.ndim != 2 or len(vectors) != len(new):
                raise InputError(
                    f"embedder {self.name!r}: must give one vector for each of {len(new)} texts, got an array of shape"
                    f" {vectors.shape}"
                )
            self._kept.update(zip(new, vectors, strict=True))
        return np.stack([self._kept[t] for t in texts])

"""Retrieves evidence for a claim from documents and cites it with offsets."""

from __future__ import annotations

from collections.abc import Iterable

from fallax.core.texts import worded_spans
from fallax.core.texts.ranking import Bm25, Embedder, TfIdf, content_words, cosines
from fallax.core.types.causal import Evidence
from fallax.core.types.spans import Record
from fallax.core.types.verification import Citation
from fallax.errors import InputError

__all__ = ["EvidenceIndex", "retrieve_evidence"]


class EvidenceIndex:
    """The sentences of documents, indexed once to find evidence for many claims.

    Parameters
    ----------
    documents : where to look; a sentence that stands in several is taken from the first.

    Raises
    ------
    InputError
        If there is no document.
    MissingExtraError
        If bm25s is not installed.
    """

    def __init__(self, documents: Iterable[Record]) -> None:
        places: list[tuple[str, int, int]] = []
        texts: dict[str, None] = {}
        n_documents = 0
        for record in documents:
            n_documents += 1
            for start, end in worded_spans(record.text):
                said = record.text[start:end]
                if said not in texts and content_words(said):
                    texts[said] = None
                    places.append((record.id, start, end))
        if not n_documents:
            raise InputError("documents: must be at least one, got none")
        self._places = places
        self._sentences = list(texts)
        self._index = Bm25(self._sentences) if texts else None

    def nearest(
        self, claim: str, *, n: int = 8, candidates: int = 100, embedder: Embedder | None = None
    ) -> tuple[tuple[Evidence, ...], tuple[Citation, ...]]:
        """The most relevant sentences for a claim; see :func:`retrieve_evidence`."""
        if not 1 <= n <= candidates:
            raise InputError(f"n must be 1 or more and at most candidates, got n={n} and candidates={candidates}")
        near = self._index.nearest(claim, candidates) if self._index is not None else []
        alike = cosines([claim, *(self._sentences[i] for i in near)], embedder or TfIdf())
        order = sorted(range(len(near)), key=lambda k: (-alike[0, k + 1], k))[:n]
        evidence, citations = [], []
        for number, k in enumerate(order, start=1):
            at = near[k]
            evidence.append(Evidence(f"E{number}", self._sentences[at], leaf=True))
            citations.append(Citation(f"E{number}", *self._places[at]))
        return tuple(evidence), tuple(citations)


def retrieve_evidence(
    claim: str,
    documents: Iterable[Record],
    *,
    n: int = 8,
    candidates: int = 100,
    embedder: Embedder | None = None,
) -> tuple[tuple[Evidence, ...], tuple[Citation, ...]]:
    """The sentences of documents that are most relevant to a claim.

    BM25 finds candidates by their words; their cosine with the claim decides which of them are taken.

    Parameters
    ----------
    claim : what they shall bear on.
    documents : where to look; a sentence that stands in several is taken from the first.
    n : most sentences to return.
    candidates : how many BM25 gives.
    embedder : texts to vectors; by default tf-idf over the candidates.

    Returns
    -------
    evidence, citations
        Named E1, E2, ... by how near they are, and where each stands: ``record.text[start:end]`` is its text.

    Raises
    ------
    InputError
        If there is no document, n is less than 1 or candidates less than n.
    MissingExtraError
        If bm25s is not installed.

    Examples
    --------
    >>> notes = Record("notes.txt", "Cats purr. Rain made the match late. The match was fun.")
    >>> evidence, citations = retrieve_evidence("Why was the match late? Rain.", [notes], n=1)
    >>> evidence[0].text, (citations[0].document, citations[0].start, citations[0].end)
    ('Rain made the match late.', ('notes.txt', 11, 36))
    """
    return EvidenceIndex(documents).nearest(claim, n=n, candidates=candidates, embedder=embedder)

"""Baseline judges without a chat model, and the adapter from a local scorer to a judge."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from numbers import Real
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from fallax.core.texts import sentence_spans
from fallax.core.types import (
    FAITHFUL,
    UNFAITHFUL,
    Faithfulness,
    FaithfulnessVerdict,
    Fault,
    SentenceScorer,
    UnitVerdict,
)
from fallax.encoders import load_mean_embedder
from fallax.errors import InputError, JudgeError
from fallax.faithfulness.systems.documents import Bags, words_of
from fallax.faithfulness.systems.settings import check_count
from fallax.faithfulness.systems.units import Unit, check_level, check_text, cut_summary

__all__ = ["AlwaysFaithful", "EmbeddingSimilarity", "LexicalOverlap", "ScoringJudge", "embedding_similarity"]

#: Texts -> one vector each, all of one length.
Embedder: TypeAlias = Callable[[Sequence[str]], Sequence[Sequence[float]] | npt.NDArray[np.float64]]


class AlwaysFaithful:
    """Calls every sentence faithful.

    Examples
    --------
    >>> AlwaysFaithful().score("It rained.", ["It snowed."])
    [1.0]
    """

    name = "always-faithful"
    threshold = 0.5
    calibrated = False

    def score(self, document: str, sentences: Sequence[str]) -> list[float]:
        """1 for each."""
        return [1.0] * len(sentences)


class LexicalOverlap:
    """The share of a sentence's words and numbers that one passage of the document contains.

    The score is the share of the words of the sentence, weighted by how rare they are in the document, that occur in
    the best window of sentences of the document. It knows nothing of meaning: "not" is a word like any other.

    Parameters
    ----------
    threshold : a sentence below it is unfaithful. It is a share of words, not a probability that was calibrated.
    window : sentences of the document that are taken together.

    Examples
    --------
    >>> LexicalOverlap().score("The vote was on Monday. It failed.", ["The vote failed on Monday.", "Dogs bark."])
    [1.0, 0.0]
    """

    name = "lexical-overlap"
    calibrated = False

    def __init__(self, threshold: float = 0.6, *, window: int = 3) -> None:
        if not 0 <= threshold <= 1:
            raise InputError(f"lexical-overlap: threshold must be in [0, 1], got {threshold!r}")
        check_count(window, "window", least=1, where="lexical-overlap")
        self.threshold = threshold
        self.window = window

    def score(self, document: str, sentences: Sequence[str]) -> list[float]:
        """The share for each sentence; 1 for a sentence without content words."""
        pieces = [document[start:end] for start, end in sentence_spans(document)]
        n_windows = max(1, len(pieces) - self.window + 1)
        windows = Bags(" ".join(pieces[i : i + self.window]) for i in range(n_windows))
        return [min(1.0, max(windows.scores(s))) if words_of(s) else 1.0 for s in sentences]


class EmbeddingSimilarity:
    """The similarity of a sentence to the most similar sentence of the document.

    Parameters
    ----------
    embed : texts to vectors; what stands behind it is the caller's choice.
    threshold : a sentence below it is unfaithful. It is a cosine, not a probability that was calibrated.
    name : of the embedder, for records.

    Examples
    --------
    >>> letters = lambda texts: [[t.count(c) for c in "abc"] for t in texts]
    >>> [round(x, 2) for x in EmbeddingSimilarity(letters).score("aa. bb.", ["a", "ab"])]
    [1.0, 0.71]
    """

    calibrated = False

    def __init__(self, embed: Embedder, *, threshold: float = 0.6, name: str = "embedding-similarity") -> None:
        self._embed = embed
        self.threshold = threshold
        self._name = name

    @property
    def name(self) -> str:
        """``embedding-similarity``, or the name it was given."""
        return self._name

    def score(self, document: str, sentences: Sequence[str]) -> list[float]:
        """The largest cosine for each sentence, at least 0."""
        pieces = [document[start:end] for start, end in sentence_spans(document)]
        vectors = self._embed([*pieces, *sentences])
        if len(vectors) != len(pieces) + len(sentences):
            raise InputError(
                f"{self._name}: the embedder must give one vector for each text, got {len(vectors)} for"
                f" {len(pieces) + len(sentences)}"
            )
        if not pieces or not sentences:
            return [0.0] * len(sentences)
        found = np.asarray(vectors, dtype=np.float64)
        length = np.sqrt((found * found).sum(axis=1, keepdims=True))
        unit = np.divide(found, length, out=np.zeros_like(found), where=length > 0)
        # one sentence at a time: a product of all would round each a little differently
        nearest = [float((unit[: len(pieces)] @ v).max()) for v in unit[len(pieces) :]]
        return [max(0.0, min(1.0, x)) for x in nearest]


def embedding_similarity() -> EmbeddingSimilarity:
    """Similarity by the shipped encoder, or by one in the folder that FALLAX_EMBEDDER names.

    Examples
    --------
    >>> document = "The ferry sails at noon on Friday."
    >>> near, far = embedding_similarity().score(document, ["At midday the boat leaves.", "Camels are patient."])
    >>> near > far
    True
    """
    return EmbeddingSimilarity(load_mean_embedder(os.environ.get("FALLAX_EMBEDDER") or None))


def _check_score(
    scorer: SentenceScorer, what: str, value: object, error: type[InputError | JudgeError] = InputError
) -> None:
    number = float(value) if isinstance(value, Real) else math.nan
    if not (0 <= number <= 1 if scorer.calibrated else math.isfinite(number)):
        allowed = "a number in [0, 1]" if scorer.calibrated else "a finite number"
        raise error(f"{scorer.name}: {what} must be {allowed}, got {value!r}")


class ScoringJudge:
    """A judge from any sentence scorer: a baseline or a trained local model.

    Parameters
    ----------
    scorer : see :class:`fallax.core.types.SentenceScorer`.
    level : "sentence" gives a unit for each sentence; "summary" one, which is that of its least likely sentence.
    threshold : None: the scorer's own.

    Examples
    --------
    >>> import asyncio
    >>> verdict = asyncio.run(ScoringJudge(LexicalOverlap()).judge("The vote failed.", "The vote failed. Dogs bark."))
    >>> verdict.label, [f.text for f in verdict.faults]
    ('unfaithful', ['Dogs bark.'])
    """

    def __init__(
        self,
        scorer: SentenceScorer,
        *,
        level: Literal["sentence", "summary"] = "sentence",
        threshold: float | None = None,
    ) -> None:
        check_level(level)
        self.scorer = scorer
        self.level = level
        self.threshold = scorer.threshold if threshold is None else threshold
        _check_score(scorer, "threshold", self.threshold)

    @property
    def name(self) -> str:
        """The scorer's."""
        return self.scorer.name

    @property
    def settings(self) -> dict[str, Any]:
        """The settings that verdicts depend on."""
        return {"level": self.level, "threshold": self.threshold, "scorer": self.scorer.name}

    async def judge(self, document: str, summary: str) -> FaithfulnessVerdict:
        """Score the sentences of a summary.

        Raises
        ------
        UnjudgeableError : document or summary is empty.
        JudgeError : the scorer gives another number of scores, or one that is no score.
        """
        document = check_text(document, "document")
        units = cut_summary(summary, "sentence")
        scores = self._scores(document, [u.text for u in units])
        judged = [self._judged(unit, score) for unit, score in zip(units, scores, strict=True)]
        if self.level == "summary" and len(judged) > 1:
            least = judged[min(range(len(scores)), key=lambda i: (scores[i], i))]
            start, end = judged[0].start, judged[-1].end
            faults = tuple(f for j in judged for f in j.faults)
            judged = [UnitVerdict(start, end, summary[start:end], least.label, "", least.probability, {}, faults)]
        return FaithfulnessVerdict(self.name, tuple(judged), settings=self.settings)

    def _scores(self, document: str, sentences: Sequence[str]) -> list[float]:
        found = [float(p) for p in self.scorer.score(document, sentences)]
        if len(found) != len(sentences):
            raise JudgeError(f"{self.name}: must give one score a sentence, got {len(found)} for {len(sentences)}")
        for score in found:
            _check_score(self.scorer, "a score", score, JudgeError)
        return found

    def _judged(self, unit: Unit, score: float) -> UnitVerdict:
        label: Faithfulness = UNFAITHFUL if score < self.threshold else FAITHFUL
        reason = f"{self.scorer.name}: {score:.2f}, below {self.threshold:.2f}"
        faults = (Fault(unit.start, unit.end, unit.text, reason),) if label == UNFAITHFUL else ()
        probability = score if self.scorer.calibrated else None
        return UnitVerdict(unit.start, unit.end, unit.text, label, "", probability, {}, faults)

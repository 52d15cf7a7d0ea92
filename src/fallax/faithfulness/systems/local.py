"""The judge that ships: a small encoder reads each sentence beside the parts of the document that could support it."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from fallax.core.texts import sentence_spans
from fallax.encoders import CARD, Model, load_mean_embedder, open_model, read_card
from fallax.errors import FormatError, one_line
from fallax.faithfulness.systems.baselines import Embedder, EmbeddingSimilarity, LexicalOverlap
from fallax.faithfulness.systems.evidence import cut_pieces, evidence_of, rarity_of

__all__ = ["MAX_SENTENCE", "EncoderJudge", "Factors", "embedding_similarity", "load_encoder_judge", "pair_ids"]

#: Tokens of a sentence that are read; what goes on for longer is judged in parts.
MAX_SENTENCE = 72
_CLS, _SEP = 101, 102


def pair_ids(sentence: Sequence[int], pieces: Sequence[Sequence[int]], budget: int) -> npt.NDArray[np.int64]:
    """[CLS] sentence [SEP] evidence [SEP], the evidence of at most ``budget`` tokens.

    Examples
    --------
    >>> pair_ids([7], [[8, 9], [10]], 2).tolist()
    [101, 7, 102, 8, 9, 102]
    """
    evidence = [t for piece in pieces for t in piece][:budget]
    return np.array([_CLS, *sentence, _SEP, *evidence, _SEP], dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Factors:
    """What makes a probability of what is found: the logit of "not carried" is their weighted sum.

    Parameters
    ----------
    scale : of the encoder's logit.
    overlap : of the share of words that are found.
    similarity : of the cosine with the nearest sentence of the document.
    offset : what is added.

    Examples
    --------
    >>> Factors(1.0, -2.0, -1.0, 0.5).wrong(2.0, 0.5, 0.5)
    1.0
    """

    scale: float
    overlap: float
    similarity: float
    offset: float

    def wrong(self, logit: float, overlap: float, similarity: float) -> float:
        """The logit of "not carried" of one sentence."""
        return self.scale * logit + self.overlap * overlap + self.similarity * similarity + self.offset


class EncoderJudge:
    """How likely a document carries a sentence, by an encoder that reads both together.

    For each sentence the pieces of the document that share its rare words are read beside it, a few at a time; the
    reading that supports it best counts (Laban et al. 2022 take the best sentence of the document alike).

    Parameters
    ----------
    model : the encoder; its heads are "token", shape (d + 1,), and "sentence", shape (2 d + 2,), the last of each the
        offset.
    name : with its version.
    calibration : what makes a probability of the three numbers of :meth:`evidence`.
    embed : gives the vectors of sentences by which a sentence's likeness to the document is told.
    evidence_tokens : tokens of the document in one reading.
    readings : how many times the document is read for a sentence, each time other parts of it.
    about : the card.

    Notes
    -----
    A probability is calibrated for sentences of which half are faithful.
    """

    calibrated = True
    threshold = 0.5

    def __init__(
        self,
        model: Model,
        *,
        name: str,
        calibration: Factors,
        embed: Embedder,
        evidence_tokens: int,
        readings: int,
        about: dict[str, Any],
    ) -> None:
        self._model = model
        self.name = name
        self._calibration = calibration
        self._similarity = EmbeddingSimilarity(embed)
        self._budget, self._readings = evidence_tokens, readings
        self.about = about
        self._token = model.heads["token"].astype(np.float64)
        self._sentence = model.heads["sentence"].astype(np.float64)

    def pieces(self, texts: Sequence[str]) -> list[list[int]]:
        """The token numbers of each text."""
        return self._model.pieces(texts)

    def logits(self, document: str, sentences: Sequence[str]) -> list[list[float]]:
        """For each sentence the logits of "the document does not carry it", before calibration, one a reading.

        A sentence that is longer than can be read is judged in parts, and is as good as its worst one.
        """
        spans = sentence_spans(document)
        texts = self.pieces([document[start:end] for start, end in spans] + list(sentences))
        pieces = cut_pieces(texts[: len(spans)])
        rarity = rarity_of(pieces)
        found = []
        for tokens in texts[len(spans) :]:
            parts = cut_pieces([tokens], most=MAX_SENTENCE) or [[]]
            found.append(max((self._readings_of(part, pieces, rarity) for part in parts), key=min))
        return found

    def _readings_of(self, part: list[int], pieces: list[list[int]], rarity: dict[int, float]) -> list[float]:
        read: frozenset[int] = frozenset()
        logits = []
        for _ in range(self._readings):
            if len(read) == len(pieces) and read:
                break
            chosen = evidence_of(part, pieces, rarity=rarity, budget=self._budget, without=read)
            read |= frozenset(chosen)
            logits.append(self.logit(part, pair_ids(part, [pieces[i] for i in chosen], self._budget)))
        return logits

    def logit(self, part: Sequence[int], ids: npt.NDArray[np.int64]) -> float:
        """The logit of one reading: the tokens of a sentence, and :func:`pair_ids` of it."""
        hidden = self._model.hidden(ids)
        own = hidden[1 : 1 + len(part)] if part else hidden[:1]
        most = float((own @ self._token[:-1]).max() + self._token[-1])
        features = np.concatenate([hidden[0], own.mean(axis=0), [most]])
        return float(features @ self._sentence[:-1] + self._sentence[-1])

    def score(self, document: str, sentences: Sequence[str]) -> list[float]:
        """How likely the document carries each sentence, in [0, 1]."""
        wrong = [self._calibration.wrong(*found) for found in self.evidence(document, sentences)]
        return [1.0 / (1.0 + math.exp(max(-50.0, min(50.0, x)))) for x in wrong]

    def evidence(self, document: str, sentences: Sequence[str]) -> list[tuple[float, float, float]]:
        """What a probability is made of.

        Returns
        -------
        list of (float, float, float)
            For each sentence the logit of the best reading, and the scores of :class:`LexicalOverlap` and
            :class:`EmbeddingSimilarity`.
        """
        logits = [min(found) for found in self.logits(document, sentences)]
        overlap = LexicalOverlap().score(document, sentences)
        return list(zip(logits, overlap, self._similarity.score(document, sentences), strict=True))


def embedding_similarity() -> EmbeddingSimilarity:
    """Similarity by the encoder that ships, or the one in the folder that the variable FALLAX_EMBEDDER names.

    Examples
    --------
    >>> document = "The ferry sails at noon on Friday."
    >>> near, far = embedding_similarity().score(document, ["At midday the boat leaves.", "Camels are patient."])
    >>> near > far
    True
    """
    return EmbeddingSimilarity(load_mean_embedder(os.environ.get("FALLAX_EMBEDDER") or None))


@cache
def load_encoder_judge(folder: str | None = None) -> EncoderJudge:
    """The judge that ships with fallax, or one from a folder that was trained.

    Raises
    ------
    FormatError
        If a file is missing, is not what the card says, or is damaged.

    Examples
    --------
    >>> judge = load_encoder_judge()
    >>> document = "The ferry sails at noon on Friday."
    >>> low, high = judge.score(document, ["The mayor of Rome bought 30 camels.", "The ferry sails at noon."])
    >>> low < high
    True
    """
    base: Any = resources.files("fallax") / "judges" / "weights" if folder is None else Path(folder)
    about = read_card(base, what="a judge")
    try:
        name = f"{about['name']}@{about['version']}"
        factors = Factors(*(float(about["calibration"][f.name]) for f in fields(Factors)))
        evidence_tokens, readings = int(about["evidence_tokens"]), int(about["readings"])
    except (ValueError, KeyError, TypeError) as error:
        raise FormatError(f"must be a judge's card, got a fault ({one_line(error)})", path=str(base / CARD)) from error
    model = open_model(base, about, what="a judge")
    token, sentence = model.heads.get("token"), model.heads.get("sentence")
    if token is None or sentence is None or token.ndim != 1 or sentence.shape != (2 * len(token),):
        raise FormatError(
            "must hold a head 'token', shape (d + 1,), and one 'sentence', shape (2 d + 2,), got"
            f" { ({k: v.shape for k, v in model.heads.items()}) }",
            path=str(base / "head.npz"),
        )
    return EncoderJudge(
        model,
        name=name,
        calibration=factors,
        embed=load_mean_embedder(),
        evidence_tokens=evidence_tokens,
        readings=readings,
        about=about,
    )

"""Sentence embeddings from the encoder of the small detector."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from fallax.detection.systems.encoder import EncoderScorer, load_small_encoder
from fallax.errors import InputError

__all__ = ["embed_sentences"]


def embed_sentences(texts: Sequence[str]) -> npt.NDArray[np.float64]:
    """Mean token states of each text, read alone; shape (n, d).

    The encoder was fine-tuned to find fallacies, so its vectors are not those of the sentence encoder that it began as.

    Raises
    ------
    MissingExtraError
        If what the encoder needs is not installed.

    Examples
    --------
    >>> vectors = embed_sentences(["It rained.", "The field was wet."])
    >>> vectors.shape[0]
    2
    """
    scorer = load_small_encoder().scorer
    if not isinstance(scorer, EncoderScorer):
        raise InputError("the small detector must be an encoder, got another kind")
    rows = [scorer.features([text])[0] for text in texts]
    found = np.stack(rows) if rows else np.zeros((0, 1))
    return found[:, : found.shape[1] // 2]

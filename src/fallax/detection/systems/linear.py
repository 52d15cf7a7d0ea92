"""A small, fast linear detector over hashed words."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from fallax.detection.systems.base import SentenceDetector
from fallax.detection.systems.decoding import Decoding
from fallax.detection.systems.features import N_FEATURES, sentence_features
from fallax.errors import FormatError

__all__ = ["LinearScorer", "load_linear"]


class LinearScorer:
    """Softmax over labels and "no fallacy", with a temperature that calibrates probabilities.

    Parameters
    ----------
    weights : int8, shape (n_labels + 1, N_FEATURES); the last row is "no fallacy".
    scale : float32, shape (n_labels + 1,); what one step of a row's weights is worth.
    bias : float32, shape (n_labels + 1,).
    temperature : logits are divided by it.
    """

    def __init__(
        self,
        labels: tuple[str, ...],
        weights: npt.NDArray[np.int8],
        scale: npt.NDArray[np.float32],
        bias: npt.NDArray[np.float32],
        temperature: float,
    ) -> None:
        self.labels = labels
        self._weights = np.ascontiguousarray(weights.T)
        self._scale = scale.astype(np.float64)
        self._bias = bias.astype(np.float64)
        self._temperature = temperature

    def probabilities(self, sentences: Sequence[str], *, title: str = "") -> npt.NDArray[np.float64]:
        """Probabilities of shape (n_sentences, n_labels); ignores the title."""
        rows = []
        for i in range(len(sentences)):
            found = sentence_features(sentences, i)
            keys = np.fromiter(found.keys(), dtype=np.int64, count=len(found))
            values = np.fromiter(found.values(), dtype=np.float64, count=len(found))
            logits = (values @ self._weights[keys]) * self._scale + self._bias
            logits /= self._temperature
            logits = np.exp(logits - logits.max())
            rows.append(logits / logits.sum())
        return np.array(rows)[:, :-1]


@cache
def load_linear(folder: str | None = None) -> SentenceDetector:
    """Load the shipped linear detector, or one from a folder.

    Raises
    ------
    FormatError
        If the folder does not hold ``linear.json`` and ``linear.npz`` of this version.
    """
    base: Any = resources.files("fallax.detection") / "weights" if folder is None else Path(folder)
    about = json.loads((base / "linear.json").read_text(encoding="utf-8"))
    with (base / "linear.npz").open("rb") as file, np.load(file, allow_pickle=False) as stored:
        weights, scale, bias = stored["weights"], stored["scale"], stored["bias"]
    if weights.shape != (len(about["labels"]) + 1, N_FEATURES):
        raise FormatError(
            f"weights must be of shape {(len(about['labels']) + 1, N_FEATURES)}, got {weights.shape}",
            path=str(base / "linear.npz"),
        )
    scorer = LinearScorer(tuple(about["labels"]), weights, scale, bias, about["temperature"])
    decoding = Decoding(about["threshold"], relabel_cost=0.0)
    return SentenceDetector(f"linear@{about['version']}", about["taxonomy"], scorer, decoding, about)

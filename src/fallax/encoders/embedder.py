"""Sentences as vectors, by an encoder in a folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from fallax.encoders.files import Model, open_model, read_card

__all__ = ["MeanEmbedder", "load_mean_embedder"]

_CLS, _SEP, _MOST = 101, 102, 254


class MeanEmbedder:
    """The mean of the states of a text's tokens; what is longer than 254 tokens is read up to there.

    Parameters
    ----------
    model : the encoder.
    name : for records.
    """

    def __init__(self, model: Model, name: str) -> None:
        self._model = model
        self.name = name

    def __call__(self, texts: Sequence[str], /) -> npt.NDArray[np.float64]:
        """One vector a text, shape (n_texts, d)."""
        found = []
        for piece in self._model.pieces(texts):
            ids = np.array([_CLS, *piece[:_MOST], _SEP], dtype=np.int64)
            found.append(self._model.hidden(ids).mean(axis=0))
        return np.array(found)


def load_mean_embedder(folder: str | Path) -> MeanEmbedder:
    """An embedder from a folder that ``scripts/export_embedder.py`` wrote.

    Raises
    ------
    FormatError
        If a file is missing or damaged.
    """
    base = Path(folder)
    about = read_card(base, what="an embedder")
    return MeanEmbedder(open_model(base, about, what="an embedder"), str(about.get("name", base.name)))

"""Sentence embeddings by the shipped encoder or one in a folder."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from fallax.encoders.files import Model, open_model, read_card, shipped_folder
from fallax.encoders.parallel import each_in_order

__all__ = ["MeanEmbedder", "load_mean_embedder"]

_CLS, _SEP, _MOST = 101, 102, 254
#: Texts whose vectors are remembered: the sentences of a document are compared with one summary after another.
_REMEMBERED = 2048


class MeanEmbedder:
    """The mean of a text's token states; texts are cut after 254 tokens.

    Each text is read alone, so that its vector does not depend on the others.

    Parameters
    ----------
    model : the encoder.
    name : for records.
    """

    def __init__(self, model: Model, name: str) -> None:
        self._model = model
        self.name = name
        self._known = lru_cache(_REMEMBERED)(self._read)

    def __call__(self, texts: Sequence[str], /) -> npt.NDArray[np.float64]:
        """One vector per text, shape (n_texts, d)."""
        found = np.zeros((len(texts), self._model.words.values.shape[1]))
        for i, vector in enumerate(each_in_order(self._known, texts)):
            found[i] = vector
        return found

    def _read(self, text: str) -> npt.NDArray[np.float64]:
        (piece,) = self._model.pieces([text])
        ids = np.array([_CLS, *piece[:_MOST], _SEP], dtype=np.int64)
        mean: npt.NDArray[np.float64] = self._model.hidden(ids).mean(axis=0)
        return mean


@cache
def load_mean_embedder(folder: str | None = None) -> MeanEmbedder:
    """The shipped embedder, all-MiniLM-L6-v2, or one from a folder that ``scripts/export_embedder.py`` wrote.

    Raises
    ------
    FormatError
        If a file is missing or damaged.

    Examples
    --------
    >>> embed = load_mean_embedder()
    >>> ferry, boat, tax = embed(["The ferry was late.", "The boat did not arrive on time.", "Taxes rose in May."])
    >>> bool(ferry @ boat > ferry @ tax)
    True
    """
    base: Any = shipped_folder() if folder is None else Path(folder)
    about = read_card(base, what="an embedder")
    return MeanEmbedder(open_model(base, about, what="an embedder"), str(about.get("name", base.name)))

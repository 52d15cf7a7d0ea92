"""Text similarity models: the shipped encoder, and two that are loaded from a folder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from fallax.encoders.embedder import load_mean_embedder
from fallax.errors import InputError, MissingExtraError, UnknownNameError, one_line

__all__ = ["SIMILARITIES", "load_similarity"]

#: name in the shell -> (scorer of the metrics, what it is).
SIMILARITIES: dict[str, tuple[str, str]] = {
    "token-f1": ("token_f1", "F1 of the words; no model"),
    "exact": ("exact", "equal or not; no model"),
    "minilm": ("embedding", "cosine of the sentence vectors of the encoder that ships"),
    "bertscore": ("bertscore", "BERTScore with a layer of a Hugging Face encoder from a folder [the last]"),
    "bleurt": ("bleurt", "a Hugging Face sequence classifier with one output, such as a BLEURT checkpoint"),
}
_BATCH = 32
#: Tokenizers for which the program bert-score puts a space before the first word.
_SPACED = ("Roberta", "GPT2")


class _FromFolder:
    """A Hugging Face model from a folder; nothing is downloaded."""

    def __init__(self, kind: str, folder: Path, layer: int | None) -> None:
        try:
            import torch
            import transformers
        except ImportError:
            raise MissingExtraError(f"what {kind} needs (torch, transformers)", extra="similarity") from None
        auto = transformers.AutoModel if kind == "bertscore" else transformers.AutoModelForSequenceClassification
        try:
            self._tokenizer = transformers.AutoTokenizer.from_pretrained(str(folder), local_files_only=True)
            if kind == "bertscore" and type(self._tokenizer).__name__.startswith(_SPACED):
                self._tokenizer = transformers.AutoTokenizer.from_pretrained(
                    str(folder), local_files_only=True, add_prefix_space=True
                )
            model, about = auto.from_pretrained(str(folder), local_files_only=True, output_loading_info=True)
        except (OSError, ValueError) as error:
            raise InputError(
                f"{folder}: must hold a model and its tokenizer as Hugging Face writes them, got an error"
                f" ({one_line(error, 120)})"
            ) from None
        if kind == "bleurt" and (about["missing_keys"] or model.config.num_labels != 1):
            raise InputError(
                f"{folder}: must hold a classifier with one output for bleurt, got {model.config.num_labels} outputs"
                f" and {len(about['missing_keys'])} weights that the files lack"
            )
        self.name = f"{kind}:{folder.name}"
        if kind == "bertscore":
            if hasattr(model, "encoder") and hasattr(model, "decoder"):
                model = model.encoder
            layers = model.config.num_hidden_layers
            self._layer = layers if layer is None else layer
            if not 1 <= self._layer <= layers:
                raise InputError(f"similarity_layer must be from 1 to {layers}, the layers of {folder}, got {layer}")
            self.name += f"@{self._layer}"
        self._model = model.eval().float()
        self._torch = torch
        self._kind = kind

    def __call__(self, texts: Sequence[Any], /) -> list[Any]:
        found: list[Any] = []
        for at in range(0, len(texts), _BATCH):
            batch = list(texts[at : at + _BATCH])
            found.extend(self._scores(batch) if self._kind == "bleurt" else self._tokens([t.strip() for t in batch]))
        return found

    def _scores(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        asked = [g for g, _ in pairs], [p for _, p in pairs]
        given = self._tokenizer(*asked, padding=True, truncation=True, return_tensors="pt")
        with self._torch.no_grad():
            out = self._model(**given)
        return list(out.logits.reshape(len(pairs), -1)[:, 0].tolist())

    def _tokens(self, texts: Sequence[str]) -> Iterator[tuple[Any, Any]]:
        """Vectors of the layer, and which tokens count: all but the two marks around a text, as in bert-score."""
        given = self._tokenizer(texts, padding=True, truncation=True, return_tensors="pt")
        with self._torch.no_grad():
            states = self._model(**given, output_hidden_states=True).hidden_states[self._layer]
        marks = [m for m in (self._tokenizer.cls_token_id, self._tokenizer.sep_token_id) if m is not None]
        for vectors, ids, mask in zip(states, given["input_ids"], given["attention_mask"], strict=True):
            there = np.asarray(mask) == 1
            yield np.asarray(vectors)[there], ~np.isin(np.asarray(ids)[there], marks)


def load_similarity(
    name: str, *, folder: str | Path | None = None, similarity_layer: int | None = None
) -> tuple[str, Any]:
    """The scorer and the model of a similarity.

    Parameters
    ----------
    name : a name of :data:`SIMILARITIES`.
    folder : where the model of "bertscore" or "bleurt" is; a folder of :func:`load_mean_embedder` for "minilm".
    similarity_layer : for "bertscore", the layer whose vectors are compared, from 1 (after the embeddings) to their
        number, which is the default. The program bert-score has one chosen for each model, often not the last.

    Returns
    -------
    tuple of str and model
        What ``scorer=`` and ``model=`` of the metrics of structures take; the model is None where none is needed. The
        name of a model ends with its layer, as in ``bertscore:deberta-large@16``.

    Raises
    ------
    UnknownNameError
        If there is no such similarity.
    InputError
        If a folder is needed and was not given, or holds no such model; or for a layer that the model does not have.
    MissingExtraError
        If torch or transformers is missing.

    Examples
    --------
    >>> load_similarity("token-f1")
    ('token_f1', None)
    >>> load_similarity("bleurt")
    Traceback (most recent call last):
    fallax.errors.InputError: similarity bleurt needs a folder with a model, got none; give it with \
--similarity-model FOLDER
    """
    if name not in SIMILARITIES:
        raise UnknownNameError("similarity", name, SIMILARITIES)
    scorer = SIMILARITIES[name][0]
    if similarity_layer is not None and name != "bertscore":
        raise InputError(f"similarity_layer: needs similarity bertscore, got {name}")
    if name == "minilm":
        return scorer, load_mean_embedder(None if folder is None else str(folder))
    if name not in ("bertscore", "bleurt"):
        return scorer, None
    if folder is None:
        raise InputError(
            f"similarity {name} needs a folder with a model, got none; give it with --similarity-model FOLDER"
        )
    if not Path(folder).is_dir():
        raise InputError(f"{folder}: must be a folder with the model of similarity {name}, got nothing there")
    return scorer, _opened(name, Path(folder), similarity_layer)


@lru_cache(maxsize=2)
def _opened(kind: str, folder: Path, layer: int | None) -> _FromFolder:
    return _FromFolder(kind, folder, layer)

"""Text similarity models: the shipped encoder, and two that are loaded from a folder."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from fallax.encoders.embedder import load_mean_embedder
from fallax.errors import InputError, MissingExtraError, UnknownNameError, one_line

__all__ = ["SIMILARITIES", "load_similarity"]

#: name in the shell -> (scorer of the metrics, what it is).
SIMILARITIES: dict[str, tuple[str, str]] = {
    "token-f1": ("token_f1", "F1 of the words; no model"),
    "exact": ("exact", "equal or not; no model"),
    "minilm": ("embedding", "cosine of the sentence vectors of the encoder that ships"),
    "bertscore": ("bertscore", "BERTScore with the last layer of a Hugging Face encoder from a folder"),
    "bleurt": ("bleurt", "a Hugging Face sequence classifier with one output, such as a BLEURT checkpoint"),
}
_BATCH = 32


class _FromFolder:
    """A Hugging Face model from a folder; nothing is downloaded."""

    def __init__(self, kind: str, folder: Path) -> None:
        try:
            import torch
            import transformers
        except ImportError:
            raise MissingExtraError(f"what {kind} needs (torch, transformers)", extra="similarity") from None
        auto = transformers.AutoModel if kind == "bertscore" else transformers.AutoModelForSequenceClassification
        try:
            self._tokenizer = transformers.AutoTokenizer.from_pretrained(str(folder), local_files_only=True)
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
        self._model = model.eval()
        self._torch = torch
        self._kind = kind
        self.name = f"{kind}:{folder.name}"

    def __call__(self, texts: Sequence[Any], /) -> list[Any]:
        found: list[Any] = []
        for at in range(0, len(texts), _BATCH):
            batch = list(texts[at : at + _BATCH])
            pairs = ([g for g, _ in batch], [p for _, p in batch]) if self._kind == "bleurt" else (batch,)
            given = dict(
                self._tokenizer(
                    *pairs, padding=True, truncation=True, return_tensors="pt", return_special_tokens_mask=True
                )
            )
            special = given.pop("special_tokens_mask")
            with self._torch.no_grad():
                out = self._model(**given)
            if self._kind == "bleurt":
                found.extend(out.logits.reshape(len(batch), -1)[:, 0].tolist())
            else:
                masks = zip(out.last_hidden_state, given["attention_mask"], special, strict=True)
                for states, mask, mark in masks:  # words alone, or everything where there is no word
                    found.append(states[(mask == 1) & (mark == 0)].tolist() or states[mask == 1].tolist())
        return found


def load_similarity(name: str, *, folder: str | Path | None = None) -> tuple[str, Any]:
    """The scorer and the model of a similarity.

    Parameters
    ----------
    name : a name of :data:`SIMILARITIES`.
    folder : where the model of "bertscore" or "bleurt" is; a folder of :func:`load_mean_embedder` for "minilm".

    Returns
    -------
    tuple of str and model
        What ``scorer=`` and ``model=`` of the metrics of structures take; the model is None where none is needed.

    Raises
    ------
    UnknownNameError
        If there is no such similarity.
    InputError
        If a folder is needed and was not given, or holds no such model.
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
    return scorer, _opened(name, Path(folder))


@lru_cache(maxsize=2)
def _opened(kind: str, folder: Path) -> _FromFolder:
    return _FromFolder(kind, folder)

"""Exports a trained torch encoder as a quantised ONNX encoder."""

from __future__ import annotations

import hashlib
import tempfile
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from fallax.encoders.added import words_npz
from fallax.encoders.files import FILES, WORDS, npz_bytes, shared_hash
from fallax.encoders.training.bert import Bert

__all__ = ["export_encoder", "hashes_of", "write_model"]


class _OneWindow(nn.Module):
    """The encoder for one window; ids are given only to one that is paired."""

    def __init__(self, bert: Bert) -> None:
        super().__init__()
        self.bert = bert

    def forward(self, vectors: torch.Tensor, ids: torch.Tensor | None = None) -> torch.Tensor:
        known = torch.zeros(0, dtype=torch.int64) if ids is None else ids
        return self.bert.of_vectors(known[None], vectors[None], None)[0]


def export_encoder(bert: Bert, path: Path) -> None:
    """Write ``path``: word vectors, float32 of shape (n, d), to hidden states of the same shape.

    A paired encoder takes ids too, int64 of shape (n,). Matrices are 8-bit with a scale per column and use 7 of the 8
    bits, so that no processor's 8-bit instructions saturate: sums are the same integers everywhere.
    """
    from onnxruntime.quantization import QuantType, quantize_dynamic

    module = _OneWindow(bert).eval()
    names = ["vectors", "ids"] if bert.paired else ["vectors"]
    example = (torch.zeros(16, bert.words.embedding_dim), torch.arange(16, dtype=torch.int64))[: len(names)]
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / "plain.onnx"
        with warnings.catch_warnings():
            # the newer exporter needs one more package and gives the same graph
            warnings.simplefilter("ignore")
            torch.onnx.export(
                module,
                example,
                str(plain),
                input_names=names,
                output_names=["hidden"],
                dynamic_axes={name: {0: "n"} for name in (*names, "hidden")},
                opset_version=17,
                dynamo=False,
            )
        quantize_dynamic(
            str(plain),
            str(path),
            op_types_to_quantize=["MatMul"],
            per_channel=True,
            reduce_range=True,
            weight_type=QuantType.QInt8,
        )


def write_model(
    bert: Bert,
    heads: Mapping[str, npt.NDArray[Any]],
    tokenizer_json: bytes,
    folder: Path,
    *,
    with_words: bool = False,
) -> None:
    """Write the files of :data:`fallax.encoders.FILES` except the card, and the words unless they are shared.

    Parameters
    ----------
    with_words : write them in any case: this is the folder that others share them from.
    """
    folder.mkdir(parents=True, exist_ok=True)
    export_encoder(bert, folder / FILES[0])
    (folder / FILES[1]).write_bytes(npz_bytes({k: v.astype(np.float32) for k, v in heads.items()}))
    (folder / FILES[2]).write_bytes(tokenizer_json)
    words = words_npz(bert.words.weight.detach().numpy())
    if with_words or hashlib.sha256(words).hexdigest() != shared_hash():
        (folder / WORDS).write_bytes(words)
    else:
        (folder / WORDS).unlink(missing_ok=True)


def hashes_of(folder: Path) -> dict[str, str]:
    """The SHA-256 of the existing files, for the card; without own word vectors, that of the shared ones."""
    names = (*FILES, WORDS) if (folder / WORDS).is_file() else FILES
    found = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in names}
    return found if WORDS in found else {**found, WORDS: shared_hash()}

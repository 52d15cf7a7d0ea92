"""From a trained encoder in torch to a quantised one that onnxruntime runs."""

from __future__ import annotations

import hashlib
import io
import tempfile
import warnings
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from fallax.encoders.files import FILES
from fallax.encoders.training.bert import Bert

__all__ = ["export_encoder", "hashes_of", "write_model"]


class _Quantised(nn.Module):
    """The encoder for one window, its word vectors as 8-bit numbers with a scale per word."""

    def __init__(self, bert: Bert) -> None:
        super().__init__()
        words = bert.words.weight.detach()
        scale = words.abs().amax(dim=1, keepdim=True).clamp(min=1e-8) / 127
        self.register_buffer("words", torch.round(words / scale).to(torch.int8))
        self.register_buffer("scale", scale)
        self.bert = bert

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        x = self.words[ids].float() * self.scale[ids]  # type: ignore[index]
        return self.bert.of_vectors(ids[None], x[None], None)[0]


def export_encoder(bert: Bert, path: Path) -> None:
    """Write ``path``: ids, int64 of shape (n,), to hidden states, float32 of shape (n, d).

    Matrices are 8-bit with a scale per column and use 7 of the 8 bits, so that no processor's 8-bit instructions
    saturate: sums are the same integers everywhere.
    """
    from onnxruntime.quantization import QuantType, quantize_dynamic

    module = _Quantised(bert).eval()
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / "plain.onnx"
        with warnings.catch_warnings():
            # the newer exporter needs one more package and gives the same graph
            warnings.simplefilter("ignore")
            torch.onnx.export(
                module,
                (torch.arange(16, dtype=torch.int64),),
                str(plain),
                input_names=["ids"],
                output_names=["hidden"],
                dynamic_axes={"ids": {0: "n"}, "hidden": {0: "n"}},
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


def _head_bytes(heads: Mapping[str, npt.NDArray[np.float32]]) -> bytes:
    """An npz that is the same bytes on every day: its entries carry a fixed date."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name, array in heads.items():
            content = io.BytesIO()
            np.lib.format.write_array(content, array, allow_pickle=False)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy", (1980, 1, 1, 0, 0, 0)), content.getvalue())
    return buffer.getvalue()


def write_model(bert: Bert, heads: Mapping[str, npt.NDArray[Any]], tokenizer_json: bytes, folder: Path) -> None:
    """Write the files of :data:`fallax.encoders.FILES`, all but the card."""
    folder.mkdir(parents=True, exist_ok=True)
    export_encoder(bert, folder / FILES[0])
    (folder / FILES[1]).write_bytes(_head_bytes({k: v.astype(np.float32) for k, v in heads.items()}))
    (folder / FILES[2]).write_bytes(tokenizer_json)


def hashes_of(folder: Path) -> dict[str, str]:
    """The SHA-256 of the files that are there, for the card."""
    return {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in FILES}

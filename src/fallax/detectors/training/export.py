"""From a trained encoder in torch to a quantised one that onnxruntime runs."""

from __future__ import annotations

import tempfile
import warnings
from pathlib import Path

import torch
from torch import nn

from fallax.detectors.training.bert import Bert

__all__ = ["export_encoder"]


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

"""Loads an exported encoder as torch weights, to continue training."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import torch

from fallax.encoders.added import MATRICES
from fallax.encoders.training.base import Base

__all__ = ["exported_state", "quantized_names"]


def quantized_names(stored: Iterable[str]) -> list[str]:
    """Of the names in a graph those of its large matrices: layer by layer, in the order of ``MATRICES``."""
    return sorted((n for n in stored if n.endswith("_quantized")), key=lambda n: int(re.findall(r"\d+", n)[-1]))


def exported_state(path: Path, base: Base) -> dict[str, torch.Tensor]:
    """The weights in an ``encoder.onnx``, under the names of :class:`~fallax.encoders.training.bert.Bert`.

    Parameters
    ----------
    path : written by :func:`~fallax.encoders.training.export.export_encoder`.
    base : what the encoder began as; words are taken from it, and the second type of tokens where the encoder reads
        single texts.

    Notes
    -----
    Matrices come back as the 8-bit numbers say: what was rounded off is lost.
    """
    import onnx
    from onnx import numpy_helper

    stored = {x.name: numpy_helper.to_array(x) for x in onnx.load(str(path)).graph.initializer}
    state = {name: value.clone() for name, value in base.state.items()}
    for name, array in stored.items():
        if name.startswith("bert."):
            state[name.removeprefix("bert.")] = torch.from_numpy(array.astype(np.float32))
    (types,) = [a for name, a in stored.items() if name.startswith("onnx::Add_") and a.ndim == 1]
    state["types.weight"][0] = torch.from_numpy(types.astype(np.float32))
    for name, array in stored.items():
        if name.startswith("onnx::Mul_") and array.ndim == 1:  # what the second type of a pair adds to the first
            state["types.weight"][1] = state["types.weight"][0] + torch.from_numpy(array.astype(np.float32))
    for i, name in enumerate(quantized_names(stored)):
        plain = name.removesuffix("_quantized")
        values = (stored[name].astype(np.float32) - stored[plain + "_zero_point"].astype(np.float32)) * stored[
            plain + "_scale"
        ]
        layer, matrix = divmod(i, len(MATRICES))
        state[f"layers.{layer}.{MATRICES[matrix]}.weight"] = torch.from_numpy(values.T.copy())
    return state

"""Low-rank adapters: an encoder is trained by small matrices beside its own, which stay as they are.

After Hu et al. 2022, "LoRA: Low-Rank Adaptation of Large Language Models". A backward pass needs no gradients of the
large matrices, and what was learnt fits into a few megabytes.
"""

from __future__ import annotations

import json
import lzma
import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from torch import nn
from torch.nn import functional as F

from fallax.encoders.added import ADDED, GRAPH, MATRICES, SCALE, merged
from fallax.encoders.files import npz_bytes
from fallax.encoders.training.base import Base
from fallax.encoders.training.bert import Bert
from fallax.encoders.training.reopen import exported_state, quantized_names

__all__ = ["Adapted", "adapt", "merged_state", "pack", "reopen"]


class Adapted(nn.Module):
    """A linear layer whose own matrix is kept, and a low-rank one added to it.

    Parameters
    ----------
    plain : the layer. Its bias is trained, its matrix is not.
    rank : of the matrix that is added. It is zero at the beginning.
    """

    def __init__(self, plain: nn.Linear, rank: int) -> None:
        super().__init__()
        self.weight, self.bias = plain.weight, plain.bias
        self.weight.requires_grad_(False)
        self.down = nn.Parameter(torch.empty(rank, plain.in_features))
        self.up = nn.Parameter(torch.zeros(plain.out_features, rank))
        nn.init.kaiming_uniform_(self.down, a=math.sqrt(5))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """The same shape as the layer's own result."""
        plain = F.linear(x, self.weight, self.bias)
        low = SCALE * F.linear(x, self.down)
        # the sum is part of the product: the large matrix is passed over once less
        return torch.addmm(plain.flatten(0, -2), low.flatten(0, -2), self.up.t()).view(plain.shape)

    def merged(self) -> torch.Tensor:
        """The matrix of an ordinary layer that gives the same result, with the adapters in 16 bits, as they ship."""
        up, down = (part.detach().numpy().astype(np.float16) for part in (self.up, self.down))
        return torch.from_numpy(merged(self.weight.detach().numpy(), up, down))


def adapt(bert: Bert, rank: int) -> None:
    """Put adapters beside all matrices of the layers; biases, norms and token types are trained too.

    Examples
    --------
    >>> config = {"vocab_size": 9, "hidden_size": 4, "num_attention_heads": 2, "intermediate_size": 8,
    ...           "max_position_embeddings": 5, "type_vocab_size": 2, "num_hidden_layers": 1}
    >>> bert = Bert(config)
    >>> adapt(bert, 1)
    >>> sum(p.numel() for p in bert.parameters() if p.requires_grad) < sum(p.numel() for p in bert.parameters())
    True
    """
    for name in ("words", "positions", "relative"):
        if getattr(bert, name) is not None:
            getattr(bert, name).weight.requires_grad_(False)
    for layer in bert.layers:
        for name in MATRICES:
            setattr(layer, name, Adapted(getattr(layer, name), rank))


def merged_state(bert: Bert) -> dict[str, torch.Tensor]:
    """The weights of an ordinary encoder that gives the same results as one with adapters."""
    state = {k: v.detach().clone() for k, v in bert.state_dict().items()}
    for i, layer in enumerate(bert.layers):
        for name in MATRICES:
            adapted = getattr(layer, name)
            if isinstance(adapted, Adapted):
                prefix = f"layers.{i}.{name}."
                state[prefix + "weight"] = adapted.merged()
                del state[prefix + "down"], state[prefix + "up"]
    return state


def reopen(bert: Bert, added: Path, encoder: Path, base: Base) -> None:
    """Put what :func:`pack` wrote into an encoder with adapters of the same rank, to go on from there.

    Parameters
    ----------
    bert : with adapters, as :func:`adapt` puts them there.
    added : the file of adapters.
    encoder : the finished encoder, which has what else was trained: biases, norms and token types.
    base : what the encoder began as.
    """
    state = exported_state(encoder, base)
    with np.load(added) as stored, torch.no_grad():
        for i, layer in enumerate(bert.layers):
            for name in MATRICES:
                del state[f"layers.{i}.{name}.weight"]
                for part in ("up", "down"):
                    value = stored[f"{i}.{name}.{part}"].astype(np.float32)
                    getattr(getattr(layer, name), part).copy_(torch.from_numpy(value))
    bert.load_state_dict(state, strict=False)


def pack(bert: Bert, encoder: Path, folder: Path, *, before: Path | None = None) -> None:
    """Write what training added to an encoder as the files that :func:`fallax.encoders.added.finished` reads.

    Parameters
    ----------
    bert : with adapters.
    encoder : the file that was written of it, merged.
    folder : where :data:`fallax.encoders.added.ADDED` and :data:`~fallax.encoders.added.GRAPH` are written.
    before : the ``encoder.onnx`` that training went on from, whose matrices
        :func:`fallax.encoders.added.earlier_matrices` then reads; None: it began as a published encoder.
    """
    content = bytearray(encoder.read_bytes())
    earlier = {} if before is None else {key: place for key, *place in _matrices(before)}
    added = {}
    begins = {}
    for key, at, n_bytes, scale in _matrices(encoder):
        layer, matrix = key.split(".")
        adapted = getattr(bert.layers[int(layer)], matrix)
        for part in ("up", "down"):
            added[f"{key}.{part}"] = getattr(adapted, part).detach().numpy().astype(np.float16)
        added[f"{key}.scale"] = scale
        if earlier:
            place, _, columns = earlier[key]
            added[f"{key}.at"], added[f"{key}.before"] = np.array(place, np.int64), columns
        begins[key] = at
        content[at : at + n_bytes] = bytes(n_bytes)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ADDED).write_bytes(npz_bytes(added))
    (folder / GRAPH).write_bytes(lzma.compress(json.dumps(begins).encode() + b"\n" + bytes(content), preset=9))


def _matrices(encoder: Path) -> Iterator[tuple[str, int, int, npt.NDArray[np.float32]]]:
    """``LAYER.MATRIX``, where its numbers begin in the file, how many bytes they take, and the scale of its columns."""
    import onnx
    from onnx import numpy_helper

    content = encoder.read_bytes()
    stored = {x.name: numpy_helper.to_array(x) for x in onnx.load(str(encoder)).graph.initializer}
    for i, name in enumerate(quantized_names(stored)):
        layer, matrix = divmod(i, len(MATRICES))
        numbers = stored[name].tobytes()
        scale = stored[name.removesuffix("_quantized") + "_scale"]
        yield f"{layer}.{MATRICES[matrix]}", content.index(numbers), len(numbers), scale

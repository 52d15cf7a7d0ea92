"""What training added to a published encoder, put together with it again: needs no torch.

An encoder that was trained by low-rank adapters differs from what it began as by a few megabytes. So these ship, with
the graph of the finished encoder in which the large matrices are zeros; the rest is fetched once and put in here.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from fallax.encoders.files import npz_bytes
from fallax.errors import FormatError, one_line

__all__ = [
    "ADDED", "GRAPH", "MATRICES", "SCALE", "bert_rows", "earlier_matrices", "finished", "merged", "read_tensors",
    "words_npz",
]  # fmt: skip

#: The files that ship: the adapters, and the graph without its large matrices, compressed.
ADDED, GRAPH = "added.npz", "graph.xz"
#: The matrices of a layer, in the order in which a graph has them.
MATRICES = ("q", "k", "v", "o", "up", "down")
#: The adapters' product counts this often.
SCALE = 2.0
#: Where BERT's vocabulary has its words in MPNet's, which begins with four tokens of its own; and the ids there of the
#: tokens that MPNet calls otherwise: padding, the start, and the end of a text.
_AHEAD = 4
_OTHERWISE = {0: 1, 101: 0, 102: 2}

_Floats = npt.NDArray[np.float32]


def bert_rows(n_words: int) -> npt.NDArray[np.int64]:
    """For each of BERT's token ids the id of the same word in MPNet's vocabulary, which has ``n_words``.

    Examples
    --------
    >>> rows = bert_rows(30527)
    >>> len(rows), int(rows[0]), int(rows[101]), int(rows[2000])
    (30522, 1, 0, 2004)
    """
    rows = np.arange(n_words - _AHEAD - 1, dtype=np.int64) + _AHEAD  # the last word is <mask>
    for bert, mpnet in _OTHERWISE.items():
        rows[bert] = mpnet
    return rows


def merged(weight: _Floats, up: npt.NDArray[Any], down: npt.NDArray[Any]) -> _Floats:
    """A matrix, shape (n_out, n_in), with the product of its adapters, shapes (n_out, rank) and (rank, n_in).

    Examples
    --------
    >>> merged(np.zeros((1, 2), np.float32), np.array([[0.5]]), np.array([[1.0, 2.0]])).tolist()
    [[1.0, 2.0]]
    """
    product = up.astype(np.float64) @ down.astype(np.float64)
    found: _Floats = (weight + SCALE * product).astype(np.float32)
    return found


def words_npz(words: _Floats) -> bytes:
    """The file of word vectors, shape (n_words, d): 8-bit numbers with a scale per word."""
    scale = np.maximum(np.abs(words).max(axis=1, keepdims=True), np.float32(1e-8)) / np.float32(127)
    return npz_bytes({"words": np.round(words / scale).astype(np.int8), "scale": scale.astype(np.float32)})


def read_tensors(path: Path) -> dict[str, _Floats]:
    """The tensors of a safetensors file of 32-bit numbers, which stay on the disk until they are used.

    Raises
    ------
    FormatError
        If it is no such file.
    """
    try:
        with path.open("rb") as file:
            size = int.from_bytes(file.read(8), "little")
            if size > path.stat().st_size:
                raise ValueError(f"it says that its header has {size:,} bytes")
            header: dict[str, Any] = json.loads(file.read(size))
        content = np.memmap(path, dtype=np.uint8, mode="r", offset=8 + size)
        header.pop("__metadata__", None)
        found = {}
        for name, about in header.items():
            begin, end = about["data_offsets"]
            if about["dtype"] == "F32":
                found[name] = content[begin:end].view(np.float32).reshape(about["shape"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise FormatError(f"must be a safetensors file, got an error ({one_line(error)})", path=str(path)) from error
    return found


def earlier_matrices(encoder: bytes, added: Mapping[str, npt.NDArray[Any]]) -> dict[str, _Floats]:
    """The matrices of an encoder that training went on from, as its 8-bit numbers say: ``LAYER.MATRIX`` to matrix.

    Parameters
    ----------
    encoder : the content of its ``encoder.onnx``.
    added : the content of :data:`ADDED`, with ``LAYER.MATRIX.at``, where that encoder has the matrix, and
        ``LAYER.MATRIX.before``, the scale of its columns there.

    Raises
    ------
    FormatError
        If the encoder is shorter than that.
    """
    found = {}
    for name in (n.removesuffix(".at") for n in added if n.endswith(".at")):
        scale = added[f"{name}.before"]
        n_in, n_out = added[f"{name}.down"].shape[1], len(scale)
        at = int(added[f"{name}.at"])
        if at + n_in * n_out > len(encoder):
            raise FormatError(f"must be the encoder that the adapters belong to; it ends before matrix {name}")
        numbers = np.frombuffer(encoder, np.int8, n_in * n_out, at).reshape(n_in, n_out)
        found[name] = np.ascontiguousarray((numbers.astype(np.float32) * scale).T)
    return found


def finished(
    packed: bytes, added: Mapping[str, npt.NDArray[Any]], base: Mapping[str, _Floats], layers: Mapping[str, str]
) -> bytes:
    """The bytes of ``encoder.onnx``: the graph with its large matrices put in.

    Parameters
    ----------
    packed : the content of :data:`GRAPH`: a line of JSON that says where each matrix begins, then the graph.
    added : the content of :data:`ADDED`: ``LAYER.MATRIX.up`` and ``.down``, and ``LAYER.MATRIX.scale`` of its columns.
    base : the tensors of the published encoder.
    layers : the name there of each ``LAYER.MATRIX``, of shape (n_out, n_in).

    Raises
    ------
    FormatError
        If a matrix or its adapters are missing, or the graph is damaged.
    """
    try:
        content = bytearray(lzma.decompress(packed))
        end = content.index(b"\n")
        begins: dict[str, int] = json.loads(content[:end])
        del content[: end + 1]
        missing = [n for n in begins if n not in layers or layers[n] not in base]
    except (lzma.LZMAError, ValueError) as error:
        raise FormatError(f"must be a packed graph, got an error ({one_line(error)})", path=GRAPH) from error
    if missing:
        raise FormatError(f"must be the encoder that the adapters belong to; it has no matrix {missing[0]}", path=GRAPH)
    for name, at in begins.items():
        matrix = merged(base[layers[name]], added[f"{name}.up"], added[f"{name}.down"]).T
        numbers = np.clip(np.round(matrix / added[f"{name}.scale"]), -64, 64).astype(np.int8)
        content[at : at + numbers.size] = numbers.tobytes()
    return bytes(content)

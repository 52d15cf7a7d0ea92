"""Write a trained network as a folder that :func:`fallax.entailment.load_entailment` reads."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch

from fallax.encoders import CARD
from fallax.encoders.added import ADDED
from fallax.encoders.training.adapters import adapt, reopen
from fallax.encoders.training.base import Base
from fallax.encoders.training.export import hashes_of, write_model
from fallax.encoders.training.reopen import exported_state
from fallax.entailment.causes import causes_files, shipped_causes
from fallax.entailment.training.loop import EntailmentNetwork

__all__ = ["read_adapted", "read_causes", "read_entailment", "write_card", "write_entailment"]


def write_entailment(network: EntailmentNetwork, base: Base, folder: Path, *, about: Mapping[str, Any]) -> None:
    """Write encoder, heads, tokenizer and card; ``about`` must contain name and version."""
    heads = {
        name: np.concatenate([head.weight.detach().numpy(), head.bias.detach().numpy()[:, None]], axis=1)
        for name, head in (("label", network.label), ("token", network.token))
    }
    with torch.no_grad():
        write_model(network.bert, heads, base.tokenizer_json, folder)
    write_card(folder, about)


def read_entailment(folder: Path, base: Base) -> EntailmentNetwork:
    """A network with the weights of a folder, to go on with: what its 8-bit numbers say.

    Parameters
    ----------
    folder : written by :func:`write_entailment`.
    base : what it began as.
    """
    network = EntailmentNetwork(base)
    network.bert.load_state_dict(exported_state(folder / "encoder.onnx", base))
    _read_heads(network, folder)
    return network


def read_adapted(added: Path, folder: Path, base: Base, rank: int) -> EntailmentNetwork:
    """A network with adapters, to go on with: those in a file, and all else from the folder of the finished model.

    Parameters
    ----------
    added : the file of adapters that ships.
    folder : the finished model that belongs to it.
    base : what it began as.
    rank : of the adapters.
    """
    network = EntailmentNetwork(base, rank)
    reopen(network.bert, added, folder / "encoder.onnx", base)
    _read_heads(network, folder)
    return network


def read_causes(before: Path, base: Base, rank: int) -> EntailmentNetwork:
    """The network for claims about causes that ships, with its adapters, to go on with.

    Parameters
    ----------
    before : the folder of the model whose matrices stand beside the adapters.
    base : what that one began as.
    rank : of the adapters.
    """
    network = read_entailment(before, base)
    adapt(network.bert, rank)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for name, content in causes_files().items():
            (folder / name).write_bytes(content)
        reopen(network.bert, shipped_causes() / ADDED, folder / "encoder.onnx", base)
        _read_heads(network, folder)
    return network


def _read_heads(network: EntailmentNetwork, folder: Path) -> None:
    with np.load(folder / "head.npz") as heads, torch.no_grad():
        for name, head in (("label", network.label), ("token", network.token)):
            both = torch.from_numpy(heads[name])
            head.weight.copy_(both[:, :-1])
            head.bias.copy_(both[:, -1])


def write_card(folder: Path, about: Mapping[str, Any]) -> None:
    """Write the card, with the hashes of the files in the folder."""
    card = {**about, "files": hashes_of(folder)}
    (folder / CARD).write_text(json.dumps(card, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")

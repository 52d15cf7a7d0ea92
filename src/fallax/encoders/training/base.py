"""Loads a published, pretrained encoder as the start of training."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer

from fallax.encoders.files import shipped_folder
from fallax.encoders.training.bert import Bert, as_bert, published_names
from fallax.errors import FormatError, one_line

__all__ = ["BASE_FILES", "Base", "fast_numbers", "load_base"]

#: What a folder with a base encoder holds, under the names it is published with.
BASE_FILES = ("config.json", "model.safetensors", "tokenizer.json")


def fast_numbers() -> torch.autocast:
    """A context in which products are computed in bfloat16 where the processor does so itself.

    Where it does not, bfloat16 takes several times as long as float32, in which they are computed then.
    """
    # torch has no public name for these, and an older one has none at all
    asked = (getattr(torch.cpu, f"_is_{name}_supported", None) for name in ("amx_tile", "avx512_bf16"))
    native = any(supported is not None and supported() for supported in asked)
    return torch.autocast("cpu", torch.bfloat16, enabled=native)


@dataclass(frozen=True)
class Base:
    """A pretrained encoder loaded from a folder."""

    config: dict[str, Any]
    state: dict[str, torch.Tensor]
    tokenizer: Any
    tokenizer_json: bytes
    sha256: str


def load_base(folder: str | Path) -> Base:
    """Read ``config.json``, ``model.safetensors`` and ``tokenizer.json`` of a BERT or MPNet encoder.

    MPNet comes with BERT's tokenizer in place of its own, see :func:`fallax.encoders.training.bert.as_bert`.

    Raises
    ------
    FormatError
        If a file is missing, or the encoder is of another kind.
    """
    root = Path(folder)
    for name in BASE_FILES:
        if not (root / name).is_file():
            raise FormatError(f"a base encoder's folder must hold {', '.join(BASE_FILES)}; found no {name}", path=root)
    try:
        config = json.loads((root / "config.json").read_text(encoding="utf-8"))
        state = published_names(load_file(root / "model.safetensors"))
        tokenizer_json = (root / "tokenizer.json").read_bytes()
        if config.get("model_type") == "mpnet":
            config, state = as_bert(config, state)
            tokenizer_json = (shipped_folder() / "tokenizer.json").read_bytes()
        tokenizer = Tokenizer.from_buffer(tokenizer_json)
        Bert(config, 0.0).load_state_dict(state)
    except Exception as error:
        raise FormatError(
            f"must be a BERT or MPNet encoder and its tokenizer, got an error ({one_line(error)})", path=root
        ) from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    sha256 = hashlib.sha256((root / "model.safetensors").read_bytes()).hexdigest()
    return Base(config, state, tokenizer, tokenizer_json, sha256)

"""A BERT encoder in plain torch, with the parameter names of the published files."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F

__all__ = ["Bert", "BertLayer", "published_names"]

_SEP = 102


class BertLayer(nn.Module):
    """Self-attention and a feed-forward layer, each with a residual connection and layer norm."""

    def __init__(self, d: int, h: int, ff: int, p: float) -> None:
        super().__init__()
        self.h, self.p = h, p
        self.q, self.k, self.v, self.o = (nn.Linear(d, d) for _ in range(4))
        self.n1, self.n2 = nn.LayerNorm(d, eps=1e-12), nn.LayerNorm(d, eps=1e-12)
        self.up, self.down = nn.Linear(d, ff), nn.Linear(ff, d)
        self.drop = nn.Dropout(p)

    def forward(self, x: torch.Tensor, mask: torch.Tensor | None) -> torch.Tensor:
        """Hidden states of shape (n_texts, n_tokens, d), in and out."""
        b, n, d = x.shape
        q, k, v = (f(x).view(b, n, self.h, d // self.h).transpose(1, 2) for f in (self.q, self.k, self.v))
        scores = q @ k.transpose(-1, -2) / math.sqrt(d // self.h)
        if mask is not None:
            scores = scores + mask
        a = torch.softmax(scores, dim=-1) @ v
        a = self.o(a.transpose(1, 2).reshape(b, n, d))
        x = self.n1(x + self.drop(a))
        out: torch.Tensor = self.n2(x + self.drop(self.down(F.gelu(self.up(x)))))
        return out


class Bert(nn.Module):
    """A BERT encoder: token ids in, hidden states out.

    Parameters
    ----------
    config : the published ``config.json``.
    p : dropout.
    paired : whether the text after the first [SEP] gets the second token type.
    """

    def __init__(self, config: dict[str, Any], p: float = 0.1, *, paired: bool = False) -> None:
        super().__init__()
        self.paired = paired
        d = config["hidden_size"]
        self.words = nn.Embedding(config["vocab_size"], d)
        self.positions = nn.Embedding(config["max_position_embeddings"], d)
        self.types = nn.Embedding(config["type_vocab_size"], d)
        self.norm = nn.LayerNorm(d, eps=1e-12)
        self.drop = nn.Dropout(p)
        self.layers = nn.ModuleList(
            BertLayer(d, config["num_attention_heads"], config["intermediate_size"], p)
            for _ in range(config["num_hidden_layers"])
        )

    def forward(self, ids: torch.Tensor, attention: torch.Tensor) -> torch.Tensor:
        """Hidden states, shape (n_texts, n_tokens, d), of ids; attention is 1.0 where there is a token."""
        x = self.words(ids)
        return self.of_vectors(ids, x, (1.0 - attention[:, None, None, :].to(x.dtype)) * -1e4)

    def of_vectors(self, ids: torch.Tensor, x: torch.Tensor, mask: torch.Tensor | None) -> torch.Tensor:
        """Hidden states of the word vectors x of ids; the mask is added to attention scores."""
        x = x + self.positions.weight[: x.shape[1]] + self.types.weight[0]
        if self.paired:
            ends = (ids == _SEP).to(torch.int64)
            second = (torch.cumsum(ends, -1) - ends).clamp(max=1)
            x = x + second[..., None].to(x.dtype) * (self.types.weight[1] - self.types.weight[0])
        x = self.drop(self.norm(x))
        for layer in self.layers:
            x = layer(x, mask)
        return x


_NAMES = {
    "embeddings.word_embeddings.weight": "words.weight",
    "embeddings.position_embeddings.weight": "positions.weight",
    "embeddings.token_type_embeddings.weight": "types.weight",
    "embeddings.LayerNorm.": "norm.",
    "attention.self.query.": "q.",
    "attention.self.key.": "k.",
    "attention.self.value.": "v.",
    "attention.output.dense.": "o.",
    "attention.output.LayerNorm.": "n1.",
    "intermediate.dense.": "up.",
    "output.dense.": "down.",
    "output.LayerNorm.": "n2.",
    "encoder.layer.": "layers.",
}


def published_names(state: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Published parameter names -> ours; the pooler is left out."""
    found = {}
    for name, value in state.items():
        name = name.removeprefix("bert.")
        if name.startswith(("pooler.", "embeddings.position_ids", "cls.")):
            continue
        for theirs, ours in _NAMES.items():
            name = name.replace(theirs, ours)
        found[name] = value.float()
    return found

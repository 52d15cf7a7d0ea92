"""A BERT or MPNet encoder in plain torch, with the parameter names of the published files."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F

from fallax.encoders.added import bert_rows

__all__ = ["Bert", "BertLayer", "as_bert", "published_names"]

_SEP = 102


class BertLayer(nn.Module):
    """Self-attention and a feed-forward layer, each with a residual connection and layer norm."""

    def __init__(self, d: int, h: int, ff: int, p: float, eps: float = 1e-12) -> None:
        super().__init__()
        self.h, self.p = h, p
        self.q, self.k, self.v, self.o = (nn.Linear(d, d) for _ in range(4))
        self.n1, self.n2 = nn.LayerNorm(d, eps=eps), nn.LayerNorm(d, eps=eps)
        self.up, self.down = nn.Linear(d, ff), nn.Linear(ff, d)

    def forward(self, x: torch.Tensor, mask: torch.Tensor | None) -> torch.Tensor:
        """Hidden states of shape (n_texts, n_tokens, d), in and out."""
        b, n, d = x.shape
        if self.training and isinstance(self.q, nn.Linear):
            # one product for all three: the matrices stay apart where the encoder is exported
            weight = torch.cat([self.q.weight, self.k.weight, self.v.weight])
            bias = torch.cat([self.q.bias, self.k.bias, self.v.bias])
            q, k, v = F.linear(x, weight, bias).view(b, n, 3, self.h, d // self.h).permute(2, 0, 3, 1, 4)
        else:
            q, k, v = (f(x).view(b, n, self.h, d // self.h).transpose(1, 2) for f in (self.q, self.k, self.v))
        scores = q @ k.transpose(-1, -2) / math.sqrt(d // self.h)
        if mask is not None:
            scores = scores + mask.to(scores.dtype)
        a = torch.softmax(scores, dim=-1) @ v
        a = self.o(a.transpose(1, 2).reshape(b, n, d))
        x = self.n1(x + self._dropped(a))
        out: torch.Tensor = self.n2(x + self._dropped(self.down(F.gelu(self.up(x)))))
        return out

    def _dropped(self, x: torch.Tensor) -> torch.Tensor:
        """Dropout with a probability in steps of 1/256: eight bytes of one random number each decide, which is fast."""
        least = round(256 * self.p) if self.training else 0
        if not least:
            return x
        drawn = torch.randint(-(2**63), 2**63 - 1, (-(-x.numel() // 8),)).view(torch.uint8)[: x.numel()]
        return x * ((drawn >= least).view(x.shape).to(x.dtype) * (256 / (256 - least)))


class Bert(nn.Module):
    """A BERT encoder: token ids in, hidden states out.

    One whose configuration names ``relative_attention_num_buckets`` adds to each attention score a number for the
    distance of the two tokens, the same in all layers (MPNet, Song et al. 2020; buckets as in T5).

    Parameters
    ----------
    config : the published ``config.json``, for MPNet as :func:`as_bert` gives it.
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
        eps = float(config.get("layer_norm_eps", 1e-12))
        self.norm = nn.LayerNorm(d, eps=eps)
        self.drop = nn.Dropout(p)
        buckets = config.get("relative_attention_num_buckets")
        self.relative: nn.Embedding | None = None
        if buckets:
            self.relative = nn.Embedding(buckets, config["num_attention_heads"])
            self._farthest = config["max_position_embeddings"] - 1
            distances = torch.arange(-self._farthest, self._farthest + 1)
            self.register_buffer("_buckets", _bucket(distances, buckets), persistent=False)
        self.layers = nn.ModuleList(
            BertLayer(d, config["num_attention_heads"], config["intermediate_size"], p, eps)
            for _ in range(config["num_hidden_layers"])
        )

    def by_distance(self, n: int, mask: torch.Tensor | None, dtype: torch.dtype) -> torch.Tensor | None:
        """What is added to the attention scores of n tokens: the mask, and the numbers of their distances if any."""
        if self.relative is None:
            return mask
        at = torch.arange(n)
        table = self.relative(self._buckets)
        added: torch.Tensor = table[at[None, :] - at[:, None] + self._farthest].permute(2, 0, 1)[None].to(dtype)
        return added if mask is None else added + mask

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
        mask = self.by_distance(x.shape[1], mask, x.dtype)
        for layer in self.layers:
            x = layer(x, mask)
        return x


def _bucket(distance: torch.Tensor, n: int) -> torch.Tensor:
    """The bucket of each distance (that of the key less that of the query): near ones alone, far ones by logarithm."""
    half, near = n // 2, n // 4
    far = distance.abs()
    wide = near + (torch.log(far.clamp(min=1).float() / near) / math.log(128 / near) * (half - near)).long()
    return (distance > 0).long() * half + torch.where(far < near, far, wide.clamp(max=half - 1))


_NAMES = {
    "embeddings.word_embeddings.weight": "words.weight",
    "embeddings.position_embeddings.weight": "positions.weight",
    "embeddings.token_type_embeddings.weight": "types.weight",
    "embeddings.LayerNorm.": "norm.",
    "encoder.relative_attention_bias.": "relative.",
    "attention.self.query.": "q.",
    "attention.self.key.": "k.",
    "attention.self.value.": "v.",
    "attention.output.dense.": "o.",
    "attention.output.LayerNorm.": "n1.",
    "attention.self.q.": "q.",
    "attention.self.k.": "k.",
    "attention.self.v.": "v.",
    "attention.self.o.": "o.",
    "attention.LayerNorm.": "n1.",
    "intermediate.dense.": "up.",
    "output.dense.": "down.",
    "output.LayerNorm.": "n2.",
    "encoder.layer.": "layers.",
}


def published_names(state: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Published parameter names -> ours; the pooler is left out."""
    found = {}
    for name, value in state.items():
        name = name.removeprefix("bert.").removeprefix("mpnet.").replace("attention.attn.", "attention.self.")
        if name.startswith(("pooler.", "embeddings.position_ids", "cls.")):
            continue
        for theirs, ours in _NAMES.items():
            name = name.replace(theirs, ours)
        found[name] = value.float()
    return found


def as_bert(config: dict[str, Any], state: dict[str, torch.Tensor]) -> tuple[dict[str, Any], dict[str, torch.Tensor]]:
    """Configuration and parameters of MPNet under BERT's token ids, so that BERT's tokenizer serves it.

    Both have the same words. The two types of tokens, which MPNet lacks, are zeros.
    """
    d, rows = config["hidden_size"], torch.from_numpy(bert_rows(config["vocab_size"]))
    padding = config.get("pad_token_id", 1)
    positions = state["positions.weight"][padding + 1 :]
    config = {**config, "vocab_size": len(rows), "type_vocab_size": 2, "max_position_embeddings": len(positions)}
    return config, {
        **state,
        "words.weight": state["words.weight"][rows],
        "positions.weight": positions,
        "types.weight": torch.zeros(2, d),
    }

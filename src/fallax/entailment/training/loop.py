"""Fine-tune an encoder on pairs of statement and passage; interrupted stages are resumed."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import nn
from torch.nn import functional as F

from fallax.encoders.training.adapters import adapt, merged_state
from fallax.encoders.training.base import Base, fast_numbers
from fallax.encoders.training.bert import Bert
from fallax.entailment.training.pairs import ENTAILED, NOT_ENTAILED, Batchable

__all__ = ["EntailmentNetwork", "Stage", "fit_stage"]


@dataclass(frozen=True)
class Stage:
    """Settings of one stage of training.

    Parameters
    ----------
    name : name of its checkpoint.
    seed : seed for the order of batches.
    rate : learning rate, reached after ``warm_up`` steps.
    last : the final learning rate as a share of ``rate``; the decay is linear over the last ``fall`` of the stage, a
        share of its steps.
    tokens : most tokens in a batch.
    steps : stop after this many batches; None: use all. The learning rate is scheduled as if all were used.
    word_loss : weight of the token loss; the label loss has weight 1.
    heads : how many times faster the heads learn than the encoder.
    keep : of the running mean of the weights, the share that is kept every ten batches.
    """

    name: str
    seed: int = 7
    rate: float = 1.2e-4
    warm_up: int = 100
    last: float = 1.0
    fall: float = 1.0
    tokens: int = 2048
    steps: int | None = None
    word_loss: float = 0.3
    heads: float = 5.0
    keep: float = 0.985


class EntailmentNetwork(nn.Module):
    """The encoder with a head for tokens and a head for the label.

    ``token`` gives two logits for each token: "not supported" (of the statement) and "decides" (of the passage).
    ``label`` gives three logits: entailed, contradicted and neither. Its input is the hidden state of [CLS], the mean
    hidden state of the statement, and the highest "not supported" logit.

    Parameters
    ----------
    rank : of adapters, which are trained in place of the encoder's matrices; 0: the matrices are.
    """

    def __init__(self, base: Base, rank: int = 0) -> None:
        super().__init__()
        self.bert = Bert(base.config, 0.0, paired=True)
        self.bert.load_state_dict(base.state)
        self.bert.words.weight.requires_grad_(False)
        self.bert.positions.weight.requires_grad_(False)
        if rank:
            adapt(self.bert, rank)
        d = base.config["hidden_size"]
        self.token = nn.Linear(d, 2)
        self.label = nn.Linear(2 * d + 1, 3)

    def merged(self, base: Base) -> EntailmentNetwork:
        """A network without adapters that gives the same results."""
        found = EntailmentNetwork(base)
        found.bert.load_state_dict(merged_state(self.bert))
        found.token.load_state_dict(self.token.state_dict())
        found.label.load_state_dict(self.label.state_dict())
        found.eval()
        return found

    def forward(
        self, ids: torch.Tensor, mask: torch.Tensor | None, statement: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Label logits, shape (n, 3), and token logits, shape (n, n_tokens, 2).

        Parameters
        ----------
        mask : added to the attention scores, shape (n, 1, 1, n_tokens).
        statement : 1.0 at tokens of the statement, else 0.0; shape (n, n_tokens).
        """
        hidden = self.bert.of_vectors(ids, self.bert.words(ids), mask).float()
        tokens = self.token(hidden)
        mean = (hidden * statement[..., None]).sum(1) / statement.sum(1, keepdim=True).clamp(min=1.0)
        most = tokens[..., 0].masked_fill(statement == 0, -1e4).amax(1, keepdim=True)
        return self.label(torch.cat([hidden[:, 0], mean, most], 1)), tokens


def batches(data: Batchable, tokens: int, seed: int) -> Iterator[npt.NDArray[np.int64]]:
    """Batches of example indexes: similar lengths, at most ``tokens`` tokens each, shuffled with the seed."""
    lengths = np.diff(data.starts)
    rng = np.random.default_rng(seed)
    order = np.argsort(lengths + rng.random(len(lengths)) * 4, kind="stable")
    found, at = [], 0
    while at < len(order):
        n = max(1, tokens // int(lengths[order[at]]))
        while n > 1 and n * int(lengths[order[at : at + n]].max()) > tokens:
            n -= 1
        found.append(order[at : at + n])
        at += n
    for i in rng.permutation(len(found)):
        yield found[i]


def _loss(
    network: EntailmentNetwork, data: Batchable, chosen: npt.NDArray[np.int64], stage: Stage
) -> tuple[Any, float]:
    spans = [(int(data.starts[i]), int(data.starts[i + 1])) for i in chosen]
    longest = max(end - start for start, end in spans)
    ids = torch.zeros(len(chosen), longest, dtype=torch.long)
    marks = torch.full((len(chosen), longest), -1, dtype=torch.int8)
    for row, (start, end) in enumerate(spans):
        ids[row, : end - start] = torch.from_numpy(data.ids[start:end].astype(np.int64))
        marks[row, : end - start] = torch.from_numpy(data.marks[start:end])
    at = torch.arange(longest)[None]
    statement = ((at >= 1) & (at <= torch.from_numpy(data.statement[chosen])[:, None])).float()
    mask = None
    if min(end - start for start, end in spans) < longest:
        mask = ((ids == 0)[:, None, None, :].float()) * -1e4
    with fast_numbers():
        logits, words = network(ids, mask, statement)
    label = torch.from_numpy(data.labels[chosen].astype(np.int64))
    weight = torch.from_numpy(data.weights[chosen])
    logs = F.log_softmax(logits.float(), -1)
    each = -logs.gather(1, label.clamp(max=2)[:, None])[:, 0]
    either = -torch.logsumexp(logs[:, 1:], 1)
    each = torch.where(label == NOT_ENTAILED, either, each)
    verdict = (each * weight).sum() / weight.sum()
    words = words.float()
    own = torch.where(statement > 0, words[..., 0], words[..., 1])
    known = (marks >= 0).float()
    per = F.binary_cross_entropy_with_logits(own, (marks > 0).float(), reduction="none")
    spoken = (per * known).sum() / known.sum().clamp(min=1.0)
    right = ((logs.argmax(-1) == ENTAILED) == (label == ENTAILED)).float().mean().item()
    return verdict + stage.word_loss * spoken, right


def fit_stage(
    network: EntailmentNetwork,
    data: Batchable,
    stage: Stage,
    folder: Path,
    *,
    save_every: float = 300.0,
    progress: Callable[[int, int, str], None] | None = None,
) -> dict[str, torch.Tensor]:
    """Train a stage, or resume it if it was interrupted; returns the running mean of the weights.

    Parameters
    ----------
    folder : where ``NAME.pt`` is saved every ``save_every`` seconds, with network, running mean, optimiser, learning
        rate schedule and step.
    """
    torch.manual_seed(stage.seed)
    random.seed(stage.seed)
    parameters = [(n, p) for n, p in network.named_parameters() if p.requires_grad]
    groups: dict[tuple[bool, bool], list[nn.Parameter]] = {}
    for name, parameter in parameters:
        groups.setdefault((name.startswith("bert."), parameter.ndim > 1), []).append(parameter)
    optimizer = torch.optim.AdamW(
        [
            {
                "params": found,
                "lr": stage.rate * (1.0 if encoder else stage.heads),
                "weight_decay": 0.01 if matrix else 0.0,
            }
            for (encoder, matrix), found in groups.items()
        ],
        fused=True,
    )
    order = list(batches(data, stage.tokens, stage.seed))
    n = len(order)

    def rate(step: int) -> float:
        left = min(1.0, (n - step) / (stage.fall * n))
        return min(1.0, (step + 1) / max(1, stage.warm_up)) * (stage.last + (1 - stage.last) * left)

    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, rate)
    path = folder / f"{stage.name}.pt"
    folder.mkdir(parents=True, exist_ok=True)
    mean = {k: v.detach().clone() for k, v in network.state_dict().items()}
    done = 0
    if path.is_file():
        stored = torch.load(path, weights_only=True)
        network.load_state_dict(stored["network"])
        mean, done = stored["mean"], stored["done"]
        optimizer.load_state_dict(stored["optimizer"])
        schedule.load_state_dict(stored["schedule"])
    trained = [p for _, p in parameters]
    network.train()
    saved = time.monotonic()
    losses: list[float] = []
    rights: list[float] = []

    def save() -> None:
        kept = {"network": network.state_dict(), "mean": mean, "done": done, "optimizer": optimizer.state_dict(),
                "schedule": schedule.state_dict()}  # fmt: skip
        torch.save(kept, path.with_suffix(".tmp"))
        path.with_suffix(".tmp").replace(path)

    last = n if stage.steps is None else min(n, stage.steps)
    for step in range(done, last):
        loss, right = _loss(network, data, order[step], stage)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(trained, 1.0)
        optimizer.step()
        schedule.step()
        done = step + 1
        if done % 10 == 0 or done == n:
            keep = min(stage.keep, 1.0 - 10.0 / (done + 10.0))
            for key, value in network.state_dict().items():
                if value.dtype.is_floating_point:
                    mean[key].lerp_(value, 1.0 - keep)
        losses.append(loss.item())
        rights.append(right)
        if progress and done % 50 == 0:
            progress(done, n, f"loss {np.mean(losses[-200:]):.3f}, entailed or not {np.mean(rights[-200:]):.3f}")
        if time.monotonic() - saved > save_every or done == last:
            save()
            saved = time.monotonic()
    return mean

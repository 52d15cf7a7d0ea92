"""Trains on an endless stream of mixed texts; resumes at the exact batch."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn

from fallax.detection.training.batches import Tokens, collate
from fallax.detection.training.loop import HEAD_FACTOR, Network, label_weights_of, parameters_of, sentence_loss
from fallax.detection.training.mixing import Draws, batches_of_chunk
from fallax.encoders.training.base import Base, fast_numbers
from fallax.errors import InputError

__all__ = ["StreamSettings", "fit_stream"]

_CHECKPOINT = "stream.pt"
_WARM_UP, _LAST_RATE = 60, 0.02


@dataclass(frozen=True)
class StreamSettings:
    """The settings of streamed training, all stored in the card.

    Parameters
    ----------
    seed : of everything random.
    tokens : how many to train on, padding included.
    budget : tokens of one batch.
    learning_rate : constant, but for a short rise and the last ``cooldown`` of the tokens, where it falls to nothing.
    cooldown : in (0, 1].
    dropout : inside the encoder, in [0, 1).
    balance : how far rare labels count more, 0 (not at all) to 1 (in inverse proportion).
    rank : of adapters, which are trained in place of the encoder's matrices; 0: the matrices are.
    heads : how many times faster the heads learn than the encoder.
    float32 : compute in 32 bits even where the processor has bfloat16, which is slower on some of these.
    """

    seed: int = 11
    tokens: int = 6_000_000
    budget: int = 4096
    learning_rate: float = 1.2e-4
    cooldown: float = 0.25
    dropout: float = 0.1
    balance: float = 0.5
    rank: int = 0
    heads: float = HEAD_FACTOR
    float32: bool = False

    def __post_init__(self) -> None:
        if min(self.tokens, self.budget) < 1 or not 0.0 < self.cooldown <= 1.0:
            raise InputError(
                "tokens, budget, cooldown: must be 1 or more, 1 or more, in (0, 1], got"
                f" {self.tokens}, {self.budget}, {self.cooldown}"
            )


def _loss(
    network: Network, texts: Sequence[Tokens], label_weights: torch.Tensor, float32: bool
) -> tuple[torch.Tensor, str, int]:
    batch = collate(texts)
    with nullcontext() if float32 else fast_numbers():
        logits, _ = network(batch)
    loss, said = sentence_loss(logits.float(), batch, texts, label_weights, lambda n, s: texts[n].weights[s])
    return loss, said, batch.ids.numel()


def _rate(settings: StreamSettings, step: int, tokens: int) -> float:
    left = (settings.tokens - tokens) / (settings.cooldown * settings.tokens)
    return settings.learning_rate * min(1.0, (step + 1) / _WARM_UP) * max(_LAST_RATE, min(1.0, left))


def fit_stream(
    base: Base,
    draws: Draws,
    *,
    n_labels: int,
    settings: StreamSettings,
    folder: Path,
    start: Callable[[Network], None] | None = None,
    save_every: float = 300.0,
    progress: Callable[[int, int, str], None] | None = None,
) -> Network:
    """Train, or resume at the batch at which training in ``folder`` stopped.

    Parameters
    ----------
    start : sets the weights of the network at the beginning; by default it starts from the base.
    folder : a checkpoint is written here every ``save_every`` seconds. It is resumed if seed, batches and rate are
        the same; ``tokens`` and ``cooldown`` may be others, and so may what the draws hold.
    progress : called after each batch with tokens done, tokens in all, and a line about the losses.
    """
    torch.manual_seed(settings.seed)
    network = Network(base, n_labels, settings.dropout, rank=settings.rank)
    if start is not None:
        start(network)
    optimizer = torch.optim.AdamW(parameters_of(network, settings.learning_rate, settings.heads), fused=True)
    factors = [group["lr"] / settings.learning_rate for group in optimizer.param_groups]
    label_weights = label_weights_of([e for _, s in draws.fallacious for e in s], n_labels, settings.balance)
    kept = {k: v for k, v in asdict(settings).items() if k not in ("tokens", "cooldown")}
    about = hashlib.sha256(repr((sorted(kept.items()), base.sha256)).encode()).hexdigest()
    step = tokens = chunk = first = 0
    path = folder / _CHECKPOINT
    folder.mkdir(parents=True, exist_ok=True)
    if path.is_file():
        state = torch.load(path, weights_only=True)
        if state["about"] != about:
            raise InputError(f"{path}: holds a training with other settings; remove it or name another folder")
        network.load_state_dict(state["network"])
        optimizer.load_state_dict(state["optimizer"])
        torch.set_rng_state(state["torch_rng"])
        step, tokens, chunk, first = state["step"], state["tokens"], state["chunk"], state["first"]

    def save(next_batch: int) -> None:
        state: dict[str, Any] = {
            "about": about, "network": network.state_dict(), "optimizer": optimizer.state_dict(),
            "torch_rng": torch.get_rng_state(), "step": step, "tokens": tokens, "chunk": chunk, "first": next_batch,
        }  # fmt: skip
        new = path.with_suffix(".new")
        torch.save(state, new)
        new.replace(path)

    saved = time.monotonic()
    network.train()
    while tokens < settings.tokens:
        batches = batches_of_chunk(
            draws, base.tokenizer, seed=settings.seed, number=chunk, budget=settings.budget
        )  # fmt: skip
        for i, texts in enumerate(batches):
            if i < first:
                continue
            for group, factor in zip(optimizer.param_groups, factors, strict=True):
                group["lr"] = factor * _rate(settings, step, tokens)
            loss, said, size = _loss(network, texts, label_weights, settings.float32)
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            step, tokens = step + 1, tokens + size
            if progress:
                progress(tokens, settings.tokens, said)
            if time.monotonic() - saved > save_every:
                save(i + 1)
                saved = time.monotonic()
            if tokens >= settings.tokens:
                break
        else:
            chunk, first = chunk + 1, 0
    save(0)
    network.eval()
    return network

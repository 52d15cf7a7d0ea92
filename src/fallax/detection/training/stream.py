"""Trains on an endless stream of mixed texts; resumes at the exact batch."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from fallax.detection.training.batches import Tokens, collate
from fallax.detection.training.loop import HEAD_FACTOR, Network, label_weights_of, parameters_of, sentence_loss
from fallax.detection.training.mixing import Draws, batches_of_chunk
from fallax.detection.training.taught import Taught, taught_loss
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
    taught : how far the logits of a larger detector count beside the labels, in [0, 1].
    chunks : so many chunks of texts come again and again; 0: each chunk has new texts.
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
    taught: float = 0.0
    chunks: int = 0

    def __post_init__(self) -> None:
        if min(self.tokens, self.budget) < 1 or not 0.0 < self.cooldown <= 1.0:
            raise InputError(
                "tokens, budget, cooldown: must be 1 or more, 1 or more, in (0, 1], got"
                f" {self.tokens}, {self.budget}, {self.cooldown}"
            )
        if not 0.0 <= self.taught <= 1.0 or self.chunks < 0:
            raise InputError(f"taught, chunks: must be in [0, 1] and 0 or more, got {self.taught}, {self.chunks}")


def _loss(
    network: Network, texts: Sequence[Tokens], label_weights: torch.Tensor, settings: StreamSettings
) -> tuple[torch.Tensor, str, int]:
    batch = collate(texts)
    with nullcontext() if settings.float32 else fast_numbers():
        logits, _ = network(batch)
    logits = logits.float()
    loss, said = sentence_loss(logits, batch, texts, label_weights, lambda n, s: texts[n].weights[s])
    rows = [t.taught[s] for t, s in ((texts[n], s) for n, s in batch.which) if t.taught is not None]
    if settings.taught and rows:
        far = taught_loss(logits, torch.from_numpy(np.stack(rows)))
        loss, said = (1.0 - settings.taught) * loss + settings.taught * far, f"{said}, taught {far.item():.3f}"
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
    taught: Taught | None = None,
    save_every: float = 300.0,
    progress: Callable[[int, int, str], None] | None = None,
) -> Network:
    """Train, or resume at the batch at which training in ``folder`` stopped.

    Parameters
    ----------
    start : sets the weights of the network at the beginning; by default it starts from the base.
    taught : the logits of a larger detector, which must be given if the settings let them count.
    folder : a checkpoint is written here every ``save_every`` seconds. It is resumed if seed, batches and rate are
        the same; ``tokens`` and ``cooldown`` may be others, and so may what the draws hold.
    progress : called after each batch with tokens done, tokens in all, and a line about the losses.
    """
    if bool(settings.taught) != (taught is not None):
        raise InputError(
            f"taught: must be given if and only if settings.taught is above 0, got settings.taught={settings.taught}"
        )
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
            draws, base.tokenizer, seed=settings.seed, number=chunk, budget=settings.budget, taught=taught,
            chunks=settings.chunks,
        )  # fmt: skip
        for i, texts in enumerate(batches):
            if i < first:
                continue
            for group, factor in zip(optimizer.param_groups, factors, strict=True):
                group["lr"] = factor * _rate(settings, step, tokens)
            loss, said, size = _loss(network, texts, label_weights, settings)
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

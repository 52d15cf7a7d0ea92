"""Fine-tunes all layers of a sentence encoder, with heads for "any fallacy" and for the label."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import nn
from torch.nn import functional as F

from fallax.detection.training.batches import Batch, Tokens, batches_of, collate, tokens_of, varied
from fallax.detection.training.examples import SentenceExample, is_held_out
from fallax.detection.training.folder import CHECKPOINT, UNFINISHED
from fallax.encoders.training.adapters import adapt
from fallax.encoders.training.base import Base, fast_numbers
from fallax.encoders.training.bert import Bert
from fallax.errors import InputError

__all__ = [
    "CHECKPOINT",
    "HEAD_FACTOR",
    "DetectorSettings",
    "Network",
    "Progress",
    "TrainingSource",
    "between",
    "fit",
    "label_weights_of",
    "logits_of",
    "mean_of",
    "parameters_of",
    "remove_checkpoint",
    "sentence_loss",
]

#: The heads learn faster than the encoder by this factor.
HEAD_FACTOR = 6.0
_WARM_UP, _LAST_RATE = 0.08, 0.02

#: Called after each step with steps done, steps in all, and a line about the losses.
Progress = Callable[[int, int, str], None]


@dataclass(frozen=True)
class TrainingSource:
    """Examples from one source.

    Parameters
    ----------
    name : as in the card.
    examples : all of them; those of held-out groups are not trained on.
    share : the part that each epoch sees, drawn again; above 1, how many times an epoch sees them all.
    beside : whether the texts without fallacies may stand beside texts from anywhere.
    """

    name: str
    examples: Sequence[SentenceExample]
    share: float = 1.0
    beside: bool = False


@dataclass(frozen=True)
class DetectorSettings:
    """The training settings, all stored in the card.

    Parameters
    ----------
    seed : of everything random.
    epochs, batch_size, learning_rate : the rate rises over the first 8 % of the steps and then falls.
    dropout : inside the encoder, in [0, 1).
    balance : how far rare labels count more, 0 (not at all) to 1 (in inverse proportion).
    hold_out : one group of texts in so many is kept out, for calibration; 0 keeps none out.
    fold : which of these groups, from 0.
    runs : trainings from the same start that see the texts in another order each; what counts is the mean of their
        weights (Wortsman et al. 2022, "Model soups").
    """

    seed: int = 7
    epochs: int = 5
    batch_size: int = 32
    learning_rate: float = 1.5e-4
    dropout: float = 0.1
    balance: float = 0.5
    hold_out: int = 10
    fold: int = 0
    runs: int = 1

    def __post_init__(self) -> None:
        if min(self.epochs, self.batch_size, self.runs) < 1:
            raise InputError(
                f"epochs, batch_size, runs: must be 1 or more, got {self.epochs}, {self.batch_size}, {self.runs}"
            )
        if not 0 <= self.fold < max(1, self.hold_out):
            raise InputError(f"fold: must be from 0 to hold_out - 1, got {self.fold} with hold_out {self.hold_out}")
        if not 0.0 < self.learning_rate < 1.0 or not 0.0 <= self.dropout < 1.0:
            raise InputError(
                "learning_rate, dropout: must be in (0, 1) and [0, 1), got"
                f" {self.learning_rate}, {self.dropout}"
            )  # fmt: skip


class Network(nn.Module):
    """An encoder with a head for sentences (any fallacy, then each label) and one for texts (any fallacy).

    Parameters
    ----------
    rank : of adapters, which are trained in place of the encoder's matrices; 0: the matrices are.
    """

    def __init__(self, base: Base, n_labels: int, dropout: float, *, rank: int = 0) -> None:
        super().__init__()
        self.bert = Bert(base.config, dropout)
        self.bert.load_state_dict(base.state)
        # what a word means is not learnt anew from a few thousand texts
        self.bert.words.weight.requires_grad_(False)
        self.bert.positions.weight.requires_grad_(False)
        if rank:
            adapt(self.bert, rank)
        d = base.config["hidden_size"]
        self.drop = nn.Dropout(dropout)
        self.head = nn.Linear(2 * d, 1 + n_labels)
        self.text_head = nn.Linear(2 * d, 1)
        with torch.no_grad():
            self.head.weight[1:, d:] = 0.0

    def forward(self, batch: Batch) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits of sentences, shape (n_sentences, 1 + n_labels), and of windows, shape (n_windows,)."""
        hidden = self.bert(batch.ids, batch.attention).float()
        shown = hidden * batch.attention[..., None]
        sums = F.pad(torch.cumsum(shown, 1), (0, 0, 1, 0))
        length = (batch.end - batch.start)[:, None]
        sentence = (sums[batch.window, batch.end] - sums[batch.window, batch.start]) / length
        features = self.drop(torch.cat([sentence, hidden[batch.window, 0]], 1))
        # the label is read from the sentence's own tokens: the state of [CLS] is that of the whole text
        d = sentence.shape[1]
        anything = F.linear(features, self.head.weight[:1], self.head.bias[:1])
        labels = F.linear(features[:, :d], self.head.weight[1:, :d], self.head.bias[1:])
        whole = torch.cat([shown.sum(1) / batch.attention.sum(1, keepdim=True), hidden[:, 0]], 1)
        return torch.cat([anything, labels], 1), self.text_head(self.drop(whole))[:, 0]


def label_weights_of(texts: Sequence[Tokens | SentenceExample], n_labels: int, balance: float) -> torch.Tensor:
    """Class weights, 0.4 to 2.5: rarer labels get higher weights."""
    seen = np.ones(n_labels)
    for text in texts:
        for candidates in {c for c in text.candidates if c}:
            for label in candidates:
                seen[label] += text.label_weight / len(candidates)
    weights = (seen.mean() / seen) ** balance
    return torch.tensor(weights, dtype=torch.float32).clamp(0.4, 2.5)


def sentence_loss(
    logits: torch.Tensor,
    batch: Batch,
    texts: Sequence[Tokens],
    label_weights: torch.Tensor,
    weight_of: Callable[[int, int], float],
) -> tuple[torch.Tensor, str]:
    """The loss of a batch's sentences, and a line about its two parts: any fallacy, and the label.

    Parameters
    ----------
    logits : (n_sentences, 1 + n_labels), in the order of ``batch.which``.
    label_weights : (n_labels,), how far each label counts.
    weight_of : number of the text, number of the sentence -> how far its label counts.
    """
    flagged = torch.tensor([texts[n].flagged[s] for n, s in batch.which])
    weights = torch.tensor([texts[n].weights[s] for n, s in batch.which])
    anything = F.binary_cross_entropy_with_logits(logits[:, 0], flagged, reduction="none")
    loss_any = (anything * weights).sum() / weights.sum().clamp(min=1e-6)
    allowed = torch.zeros(len(batch.which), logits.shape[1] - 1)
    counts = torch.zeros(len(batch.which))
    for i, (n, s) in enumerate(batch.which):
        if texts[n].candidates[s]:
            chosen = list(texts[n].candidates[s])
            allowed[i, chosen] = 1.0
            counts[i] = weight_of(n, s) * label_weights[chosen].mean()
    likely = F.log_softmax(logits[:, 1:], 1).masked_fill(allowed == 0, -1e4)
    loss_label = -(torch.logsumexp(likely, 1) * counts).sum() / counts.sum().clamp(min=1.0)
    return loss_any + loss_label, f"any fallacy {loss_any.item():.3f}, label {loss_label.item():.3f}"


def _loss(network: Network, texts: Sequence[Tokens], label_weights: torch.Tensor) -> tuple[torch.Tensor, str]:
    batch = collate(texts)
    with fast_numbers():
        logits, whole = network(batch)
    logits, whole = logits.float(), whole.float()
    loss, said = sentence_loss(logits, batch, texts, label_weights, lambda n, s: texts[n].label_weight)
    strongest = [int(np.argmax(texts[n].flagged)) for n in batch.text_of]
    held = torch.tensor([texts[n].flagged[s] for n, s in zip(batch.text_of, strongest, strict=True)])
    held_weights = torch.tensor([texts[n].weights[s] for n, s in zip(batch.text_of, strongest, strict=True)])
    text_loss = (F.binary_cross_entropy_with_logits(whole, held, reduction="none") * held_weights).mean()
    return loss + 0.5 * text_loss, said


def _epoch_of(sources: Sequence[tuple[TrainingSource, list[Tokens]]], rng: random.Random) -> list[Tokens]:
    beside = [t for source, texts in sources if source.beside for t in texts if max(t.flagged) < 0.5]
    found = []
    for source, texts in sources:
        whole, part = divmod(source.share, 1.0)
        drawn = [t for _ in range(int(whole)) for t in texts] + rng.sample(texts, round(part * len(texts)))
        for text in drawn:
            fallacious = max(text.flagged) > 0.5
            found.append(varied(text, beside if fallacious or source.beside else (), rng))
    return found


def parameters_of(network: Network, rate: float, heads: float = HEAD_FACTOR) -> list[dict[str, Any]]:
    """Parameter groups: heads learn ``heads`` times faster than the encoder, and only matrices have weight decay."""
    groups: dict[tuple[bool, bool], list[nn.Parameter]] = {}
    for name, parameter in network.named_parameters():
        if parameter.requires_grad:
            groups.setdefault((name.startswith("bert."), parameter.ndim > 1), []).append(parameter)
    return [
        {"params": found, "lr": rate * (1.0 if encoder else heads), "weight_decay": 0.01 if matrix else 0.0}
        for (encoder, matrix), found in groups.items()
    ]


def fit(
    base: Base,
    sources: Sequence[TrainingSource],
    *,
    n_labels: int,
    settings: DetectorSettings,
    folder: Path,
    run: int = 0,
    progress: Progress | None = None,
) -> Network:
    """Train, or resume an interrupted training in ``folder``.

    Parameters
    ----------
    run : which of several trainings from one start, from 0; see :func:`mean_of`.
    folder : a checkpoint is written here after each epoch, and read if it is of the same data and settings.

    Raises
    ------
    InputError
        If there is nothing to train on.
    """
    torch.manual_seed(settings.seed)
    kept = [[e for e in s.examples if not is_held_out(e, settings.hold_out, settings.fold)] for s in sources]
    if not any(kept):
        raise InputError("there must be at least one text to train on, got none")
    texts = [(s, tokens_of(base.tokenizer, found)) for s, found in zip(sources, kept, strict=True)]
    network = Network(base, n_labels, settings.dropout)
    # all runs start alike, else the mean of their weights would mean nothing
    torch.manual_seed(settings.seed + run)
    rng = random.Random(settings.seed + run)
    label_weights = label_weights_of([t for _, found in texts for t in found], n_labels, settings.balance)
    per_epoch = -(-len(_epoch_of(texts, random.Random(0))) // settings.batch_size)
    n_steps = settings.epochs * per_epoch
    optimizer = torch.optim.AdamW(parameters_of(network, settings.learning_rate))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda s: min(1.0, (s + 1) / (_WARM_UP * n_steps)) * max(_LAST_RATE, 1.0 - s / n_steps)
    )
    shape = [(s.name, s.share, found) for s, found in zip(sources, kept, strict=True)]
    about = hashlib.sha256(repr((asdict(settings), run, shape, base.sha256)).encode("utf-8", "replace")).hexdigest()
    first = _resume(folder, about, network, optimizer, schedule, rng)
    step = first * per_epoch
    for epoch in range(first, settings.epochs):
        network.train()
        for drawn in batches_of(_epoch_of(texts, rng), settings.batch_size, rng):
            loss, said = _loss(network, drawn, label_weights)
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            step += 1
            if progress:
                progress(step, n_steps, said)
        _save(folder, about, epoch + 1, network, optimizer, schedule, rng)
    network.eval()
    return network


def mean_of(networks: Sequence[Network]) -> Network:
    """Average the weights of trainings with the same start, in place in the first network.

    Wortsman et al. (2022), "Model soups": better than each of them and as fast as one.

    Raises
    ------
    InputError
        If there is none.
    """
    if not networks:
        raise InputError("networks: must hold at least one, got none")
    states = [n.state_dict() for n in networks]
    mean = {
        # what was not trained stays what it was to the last bit: words are shared by their hash
        name: value
        if all(torch.equal(value, s[name]) for s in states)
        else torch.stack([s[name].float() for s in states]).mean(0)
        for name, value in states[0].items()
    }
    networks[0].load_state_dict(mean)
    return networks[0]


def between(trained: Network, start: Network, share: float) -> Network:
    """Interpolate weights between the trained ones (0) and the initial ones (1).

    Wortsman et al. (2022), "Robust fine-tuning of zero-shot models": often better on texts of other kinds.
    """
    start_state = start.state_dict()
    state = {
        name: value if torch.equal(value, start_state[name]) else (1 - share) * value + share * start_state[name]
        for name, value in trained.state_dict().items()
    }
    trained.load_state_dict(state)
    return trained


def _save(folder: Path, about: str, epoch: int, network: Network, optimizer: Any, schedule: Any, rng: Any) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    state = {
        "about": about, "epoch": epoch, "network": network.state_dict(), "optimizer": optimizer.state_dict(),
        "schedule": schedule.state_dict(), "torch_rng": torch.get_rng_state(), "rng": rng.getstate(),
    }  # fmt: skip
    new = folder / UNFINISHED
    torch.save(state, new)
    new.replace(folder / CHECKPOINT)


def remove_checkpoint(folder: Path) -> None:
    """Remove the files of :func:`fit` from a folder, and the folder if it is then empty."""
    (folder / CHECKPOINT).unlink(missing_ok=True)
    with suppress(OSError):
        folder.rmdir()


def _resume(folder: Path, about: str, network: Network, optimizer: Any, schedule: Any, rng: random.Random) -> int:
    """The number of finished epochs; 0 without a checkpoint of the same training."""
    path = folder / CHECKPOINT
    if not path.is_file():
        return 0
    state = torch.load(path, weights_only=True)
    if state["about"] != about:
        return 0
    network.load_state_dict(state["network"])
    optimizer.load_state_dict(state["optimizer"])
    schedule.load_state_dict(state["schedule"])
    torch.set_rng_state(state["torch_rng"])
    version, numbers, gauss = state["rng"]
    rng.setstate((version, tuple(numbers), gauss))
    return int(state["epoch"])


@torch.no_grad()
def logits_of(network: Network, tokenizer: Any, examples: Sequence[SentenceExample]) -> list[npt.NDArray[np.float64]]:
    """The logits of every sentence of each text, shape (n_sentences, 1 + n_labels)."""
    network.eval()
    texts = tokens_of(tokenizer, examples)
    found = [np.zeros((len(t.sentences), network.head.out_features)) for t in texts]
    order = sorted(range(len(texts)), key=lambda i: texts[i].n)
    for cut in range(0, len(order), 32):
        numbers = order[cut : cut + 32]
        batch = collate([texts[i] for i in numbers])
        logits = network(batch)[0].double().numpy()
        for (n, sentence), row in zip(batch.which, logits, strict=True):
            found[numbers[n]][sentence] = row
    return found

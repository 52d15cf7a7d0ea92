"""Fine-tuning: an encoder that reads a sentence and a part of a document together, and says what is not carried."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import nn
from torch.nn import functional as F

from fallax.encoders.training.base import Base
from fallax.encoders.training.bert import Bert
from fallax.faithfulness.systems.evidence import cut_pieces, evidence_of, rarity_of
from fallax.faithfulness.systems.local import MAX_SENTENCE, pair_ids
from fallax.faithfulness.training.examples import Example

__all__ = ["JudgeNetwork", "Pair", "Settings", "fit", "pairs_of"]

_WARM_UP, _LAST_RATE, _HEAD_FACTOR = 0.08, 0.02, 8.0


@dataclass(frozen=True)
class Settings:
    """How a judge is trained; all of it stands in the card.

    Parameters
    ----------
    seed : of everything random.
    epochs, batch_size, learning_rate : the rate rises over the first 8 % of the steps of an epoch and then falls.
    next_rate : what the rate is multiplied by from one epoch to the next.
    dropout : inside the encoder, in [0, 1).
    evidence_tokens : tokens of the document beside a sentence.
    token_loss : how much the words at fault count beside the verdict.
    """

    seed: int = 7
    epochs: int = 2
    batch_size: int = 16
    learning_rate: float = 1.2e-4
    next_rate: float = 0.7
    dropout: float = 0.1
    evidence_tokens: int = 84
    token_loss: float = 1.0


@dataclass(frozen=True, slots=True)
class Pair:
    """A sentence and its evidence in tokens.

    Parameters
    ----------
    ids : [CLS] sentence [SEP] evidence [SEP].
    n : tokens of the sentence.
    wrong : for each of them whether it is not carried; None where nobody said.
    """

    ids: npt.NDArray[np.int64]
    n: int
    faithful: bool
    wrong: npt.NDArray[np.float32] | None
    weight: float


class JudgeNetwork(nn.Module):
    """The encoder, a head for the tokens of the sentence, and one for the sentence."""

    def __init__(self, base: Base, dropout: float) -> None:
        super().__init__()
        self.bert = Bert(base.config, dropout, paired=True)
        self.bert.load_state_dict(base.state)
        self.bert.words.weight.requires_grad_(False)
        self.bert.positions.weight.requires_grad_(False)
        d = base.config["hidden_size"]
        self.drop = nn.Dropout(dropout)
        self.token_head = nn.Linear(d, 1)
        self.head = nn.Linear(2 * d + 1, 1)

    def forward(
        self, ids: torch.Tensor, attention: torch.Tensor, sentence: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits of "not carried": of sentences, shape (n_pairs,), and of tokens, shape (n_pairs, n_tokens).

        Parameters
        ----------
        ids, attention : shape (n_pairs, n_tokens).
        sentence : 1.0 at the tokens of the sentence.
        """
        hidden = self.drop(self.bert(ids, attention).float())
        tokens = self.token_head(hidden)[..., 0]
        mean = (hidden * sentence[..., None]).sum(1) / sentence.sum(1, keepdim=True).clamp(min=1.0)
        most = tokens.masked_fill(sentence == 0, -1e4).amax(1, keepdim=True)
        return self.head(torch.cat([hidden[:, 0], mean, most], 1))[:, 0], tokens


def pairs_of(tokenizer: Any, examples: Sequence[Example], *, budget: int) -> list[Pair]:
    """The examples in tokens, each with the part of its document that a judge would read."""
    documents: dict[tuple[str, ...], tuple[list[list[int]], dict[int, float], list[int]]] = {}
    found = []
    encodings = tokenizer.encode_batch(
        [list(e.words) for e in examples], is_pretokenized=True, add_special_tokens=False
    )
    for example, encoding in zip(examples, encodings, strict=True):
        if example.document not in documents:
            encoded = tokenizer.encode_batch(list(example.document), add_special_tokens=False)
            cut = [cut_pieces([e.ids]) for e in encoded]
            pieces = [piece for sentence in cut for piece in sentence]
            owners = [i for i, sentence in enumerate(cut) for _ in sentence]
            documents[example.document] = pieces, rarity_of(pieces), owners
        pieces, rarity, owners = documents[example.document]
        without = frozenset(i for i, owner in enumerate(owners) if owner in example.without)
        sentence = encoding.ids[:MAX_SENTENCE]
        chosen = evidence_of(sentence, pieces, rarity=rarity, budget=budget, without=without) if pieces else []
        wrong = None
        if example.wrong is not None:
            flags = [float(example.wrong[w]) for w in encoding.word_ids[:MAX_SENTENCE]]
            wrong = np.array(flags, dtype=np.float32)
        ids = pair_ids(sentence, [pieces[i] for i in chosen], budget)
        found.append(Pair(ids, len(sentence), example.faithful, wrong, example.weight))
    return found


def _batches(pairs: Sequence[Pair], size: int, rng: random.Random) -> Iterator[list[Pair]]:
    order = sorted(range(len(pairs)), key=lambda i: len(pairs[i].ids) + rng.random() * 8)
    cuts = list(range(0, len(order), size))
    rng.shuffle(cuts)
    for cut in cuts:
        yield [pairs[i] for i in order[cut : cut + size]]


def _collate(pairs: Sequence[Pair]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    n, length = len(pairs), max(len(p.ids) for p in pairs)
    ids = torch.zeros(n, length, dtype=torch.long)
    attention, sentence, wrong, known = (torch.zeros(n, length) for _ in range(4))
    for i, pair in enumerate(pairs):
        ids[i, : len(pair.ids)] = torch.from_numpy(pair.ids)
        attention[i, : len(pair.ids)] = 1.0
        sentence[i, 1 : 1 + pair.n] = 1.0
        if pair.wrong is not None:
            wrong[i, 1 : 1 + pair.n] = torch.from_numpy(pair.wrong)
            known[i, 1 : 1 + pair.n] = 1.0
    return ids, attention, sentence, wrong, known


def fit(
    base: Base,
    pairs: Callable[[int], Sequence[Pair]],
    *,
    settings: Settings,
    folder: Path,
    progress: Callable[[int, int, str], None] | None = None,
) -> JudgeNetwork:
    """Train, or go on where training in ``folder`` was broken off.

    The rate rises and falls in each epoch, lower from one to the next.

    Parameters
    ----------
    pairs : number of an epoch, from 0 on -> what it goes through.
    folder : the weights are written here after each epoch, and read again if they are there.
    """
    torch.manual_seed(settings.seed)
    network = JudgeNetwork(base, settings.dropout)
    folder.mkdir(parents=True, exist_ok=True)
    for epoch in range(settings.epochs):
        path = folder / f"epoch-{epoch + 1}.pt"
        if path.is_file():
            network.load_state_dict(torch.load(path, weights_only=True))
            continue
        if epoch:
            torch.manual_seed(settings.seed + epoch)
        _go_through(network, pairs(epoch), settings, epoch, progress)
        torch.save(network.state_dict(), path)
    network.eval()
    return network


def _go_through(
    network: JudgeNetwork,
    pairs: Sequence[Pair],
    settings: Settings,
    epoch: int,
    progress: Callable[[int, int, str], None] | None,
) -> None:
    rng = random.Random(settings.seed + epoch)
    rate = settings.learning_rate * settings.next_rate**epoch
    n_steps = -(-len(pairs) // settings.batch_size)
    groups: dict[tuple[bool, bool], list[nn.Parameter]] = {}
    for name, parameter in network.named_parameters():
        if parameter.requires_grad:
            groups.setdefault((name.startswith("bert."), parameter.ndim > 1), []).append(parameter)
    optimizer = torch.optim.AdamW(
        {
            "params": found,
            "lr": rate * (1.0 if encoder or epoch else _HEAD_FACTOR),
            "weight_decay": 0.01 if matrix else 0.0,
        }
        for (encoder, matrix), found in groups.items()
    )
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda s: min(1.0, (s + 1) / (_WARM_UP * n_steps)) * max(_LAST_RATE, 1.0 - s / n_steps)
    )
    network.train()
    for step, drawn in enumerate(_batches(pairs, settings.batch_size, rng), start=1):
        loss, said = _loss(network, drawn, settings)
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if progress:
            progress(step, n_steps, f"epoch {epoch + 1}: {said}")


def _loss(network: JudgeNetwork, drawn: Sequence[Pair], settings: Settings) -> tuple[torch.Tensor, str]:
    ids, attention, sentence, wrong, known = _collate(drawn)
    with torch.autocast("cpu", torch.bfloat16):
        logits, tokens = network(ids, attention, sentence)
    target = torch.tensor([0.0 if p.faithful else 1.0 for p in drawn])
    weights = torch.tensor([p.weight for p in drawn])
    whole = F.binary_cross_entropy_with_logits(logits.float(), target, reduction="none")
    loss_whole = (whole * weights).sum() / weights.sum()
    # words at fault are rare
    each = F.binary_cross_entropy_with_logits(tokens.float(), wrong, reduction="none", pos_weight=torch.tensor(3.0))
    loss_each = (each * known).sum() / known.sum().clamp(min=1.0)
    said = f"verdict {loss_whole.item():.3f}, words {loss_each.item():.3f}"
    return loss_whole + settings.token_loss * loss_each, said

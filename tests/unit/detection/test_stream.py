"""Training on a stream: resumed at the exact batch; adapters beside matrices that stay; the heads of two encoders."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support.scripts import script
from tests.support.tiny_base import write_tiny_base

pytest.importorskip("torch")

import torch

from fallax.detection.systems.encoder import EncoderScorer, JoinedStates, load_small_encoder
from fallax.detection.training.beside import joined_heads, own_heads, put_heads
from fallax.detection.training.examples import SentenceExample
from fallax.detection.training.loop import Network, logits_of
from fallax.detection.training.mixing import Draws, batches_of_chunk, chunk_of
from fallax.detection.training.stream import StreamSettings, fit_stream
from fallax.detection.training.taught import Taught
from fallax.encoders.training.adapters import merged_state
from fallax.encoders.training.base import Base, load_base
from fallax.errors import FormatError, InputError

N_LABELS = 23


def example(word: str, label: int | None) -> SentenceExample:
    flagged = (float(label is not None),) * 2
    candidates: tuple[int, ...] = () if label is None else (label,)
    return SentenceExample(word, "", (f"{word} w1.", f"w2 {word}."), flagged, (1.0, 1.0), (candidates,) * 2)


DRAWS = Draws([(1.0, [example("fear", 0), example("hope", 1)])], [(1.0, [example("lamp", None)])])
SETTINGS = StreamSettings(tokens=6000, budget=512, learning_rate=1e-3, dropout=0.0, rank=2, heads=20.0, float32=True)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Base:
    return load_base(write_tiny_base(tmp_path_factory.mktemp("base")))


def trained(base: Base, folder: Path, **more: Any) -> Network:
    return fit_stream(base, DRAWS, n_labels=N_LABELS, settings=SETTINGS, folder=folder, **more)


def test_an_interrupted_stream_goes_on_to_the_same_end(base: Base, tmp_path: Path) -> None:
    whole = trained(base, tmp_path / "whole")

    class Stop(Exception):
        pass

    def stop(done: int, total: int, said: str) -> None:
        if done > total / 2:
            raise Stop

    with pytest.raises(Stop):
        trained(base, tmp_path / "part", progress=stop, save_every=0.0)
    again = trained(base, tmp_path / "part")
    for name, value in whole.state_dict().items():
        assert torch.equal(value, again.state_dict()[name]), name
    other = StreamSettings(**{**vars(SETTINGS), "rank": 1})
    with pytest.raises(InputError, match="other settings"):
        fit_stream(base, DRAWS, n_labels=N_LABELS, settings=other, folder=tmp_path / "part")


def test_what_a_larger_detector_says_is_learnt_and_asked_once(base: Base, tmp_path: Path) -> None:
    """The labels say 0 and 1; the larger one says 5 of all that holds a fallacy."""
    asked = []

    def logits(text: SentenceExample) -> np.ndarray:
        asked.append(text)
        rows = np.zeros((len(text.sentences), 1 + N_LABELS))
        rows[:, 0] = np.where(np.array(text.flagged) > 0.5, 6.0, -6.0)
        rows[:, 1 + 5] = 8.0
        return rows

    settings = StreamSettings(**{**vars(SETTINGS), "taught": 0.9, "chunks": 1, "tokens": 20000})
    network = fit_stream(
        base, DRAWS, n_labels=N_LABELS, settings=settings, folder=tmp_path, taught=Taught(logits, tmp_path)
    )
    said = [rows.mean(0) for rows in logits_of(network, base.tokenizer, [example("fear", 0), example("lamp", None)])]
    assert said[0][1:].argmax() == 5
    assert said[0][0] > 0 > said[1][0]
    n = len(asked)
    Taught(logits, tmp_path).of(f"{settings.seed}-0", chunk_of(DRAWS, settings.seed, 0))
    assert len(asked) == n
    with pytest.raises(
        FormatError, match=f"taught-{settings.seed}-0.*: must be of the texts of this training, got other texts"
    ):
        Taught(logits, tmp_path).of(f"{settings.seed}-0", [example("fear", 0)])
    with pytest.raises(InputError, match="if and only if"):
        trained(base, tmp_path / "other", taught=Taught(logits, tmp_path))


def test_chunks_that_come_again_have_the_same_texts_in_other_batches(base: Base) -> None:
    def batches(number: int) -> list[list[tuple[Any, ...]]]:
        found = batches_of_chunk(DRAWS, base.tokenizer, seed=4, number=number, budget=512, chunks=2)
        return [[tuple(map(tuple, t.sentences)) for t in batch] for batch in found]

    first, second, again = batches(0), batches(1), batches(2)
    assert sorted(t for b in first for t in b) == sorted(t for b in again for t in b)
    assert first != again
    assert sorted(t for b in first for t in b) != sorted(t for b in second for t in b)


def test_adapters_learn_and_the_matrices_beside_them_stay(base: Base, tmp_path: Path) -> None:
    network = trained(base, tmp_path)
    state = network.bert.state_dict()
    for i in range(2):
        assert torch.equal(state[f"layers.{i}.q.weight"], base.state[f"layers.{i}.q.weight"])
        assert state[f"layers.{i}.q.up"].abs().max() > 0
    plain = Network(base, N_LABELS, 0.0)
    plain.bert.load_state_dict(merged_state(network.bert))
    ids, seen = torch.tensor([[101, 92, 3, 102]]), torch.ones(1, 4)
    assert torch.allclose(plain.eval().bert(ids, seen), network.bert(ids, seen), atol=1e-3)


def test_heads_of_two_encoders_are_the_weighted_mean_of_their_logits(base: Base, tmp_path: Path) -> None:
    network = trained(base, tmp_path)
    rng = np.random.default_rng(3)
    weight, bias = rng.normal(size=(24, 1 + N_LABELS)), rng.normal(size=1 + N_LABELS)
    of_small = {"weight": weight, "bias": bias}
    small, large = rng.normal(size=len(weight)), rng.normal(size=32)
    own = large @ network.head.weight.detach().numpy().T + network.head.bias.detach().numpy()
    heads = joined_heads(of_small, network, 0.65)
    (mean, cls), (larger_mean, larger_cls) = np.split(small, 2), np.split(large, 2)
    both = np.concatenate([mean, larger_mean, cls, larger_cls]) @ heads["weight"] + heads["bias"]
    assert both == pytest.approx(0.35 * (small @ weight + bias) + 0.65 * own)
    again = Network(base, N_LABELS, 0.0)
    put_heads(again, own_heads(heads, of_small, 0.65))
    assert torch.allclose(again.head.weight, network.head.weight, atol=1e-5)
    assert torch.allclose(again.head.bias, network.head.bias, atol=1e-5)


def test_the_taught_encoder_counts_for_labels_only(base: Base, tmp_path: Path) -> None:
    script("train_encoder")
    training = script("train_encoder_taught")
    network = trained(base, tmp_path)
    rng = np.random.default_rng(4)
    small = {"weight": rng.normal(size=(24, 1 + N_LABELS)), "bias": rng.normal(size=1 + N_LABELS)}
    heads = joined_heads(small, network, training.shares(N_LABELS))
    states = rng.normal(size=len(heads["weight"]))
    mean, cls = np.split(states, 2)
    alone = np.concatenate([mean[:12], cls[:12]]) @ small["weight"] + small["bias"]
    both = states @ heads["weight"] + heads["bias"]
    assert both[0] == pytest.approx(alone[0])
    own = np.concatenate([mean[12:], cls[12:]]) @ network.head.weight.detach().numpy().T
    own += network.head.bias.detach().numpy()
    assert both[1:] == pytest.approx(0.35 * alone[1:] + 0.65 * own[1:])


def test_the_larger_encoder_teaches_without_the_small_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Here the larger one is the small one again, so what it teaches is what the small one says."""
    script("train_encoder")
    training = script("train_encoder_taught")
    small = load_small_encoder()
    scorer: Any = small.scorer
    mean, cls = np.split(scorer.model.heads["weight"], 2)
    both = {
        "weight": np.concatenate([mean * 0.35, mean * 0.65, cls * 0.35, cls * 0.65]),
        "bias": scorer.model.heads["bias"],
    }
    joined = JoinedStates(scorer.model, replace(scorer.model, heads=both))
    large = replace(
        small,
        scorer=EncoderScorer(scorer.labels, joined, both["weight"], both["bias"]),
        about={"share": 0.65},
    )
    monkeypatch.setattr(training, "load_large_encoder", lambda: large)
    text = SentenceExample("g", "A title", ("You lie.", "So it is false."), (1.0, 1.0), (1.0, 1.0), ((), ()))
    found = training.teacher()(text)
    assert found == pytest.approx(scorer.logits(text.sentences, title=text.title), abs=1e-4)


def test_training_goes_on_from_what_the_larger_detector_ships(
    base: Base, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script("train_encoder")
    training = script("train_encoder_large")
    network = trained(base, tmp_path / "work")
    made = tmp_path / "made"
    monkeypatch.setattr(training, "ADDED_TO", tmp_path / "added")
    monkeypatch.setattr(type(training.ENCODER_LARGE), "folder", lambda self: made)
    training.finish(network, base, made, {"name": "tiny", "version": "1", "share": training.SHARE})
    again = Network(base, N_LABELS, 0.0, rank=SETTINGS.rank)
    training.reopened(base, N_LABELS)(again)
    before, after = network.state_dict(), again.state_dict()
    for name in before:
        if not name.startswith("text_head."):  # which nothing reads
            assert torch.allclose(before[name], after[name], atol=5e-3), name

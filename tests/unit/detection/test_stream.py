"""Training on a stream: resumed at the exact batch; adapters beside matrices that stay; the heads of two encoders."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support.scripts import script
from tests.support.tiny_base import write_tiny_base

pytest.importorskip("torch")

import torch

from fallax.detection.training.examples import SentenceExample
from fallax.detection.training.loop import Network
from fallax.detection.training.mixing import Draws
from fallax.detection.training.stream import StreamSettings, fit_stream
from fallax.encoders.files import FILES
from fallax.encoders.training.adapters import merged_state
from fallax.encoders.training.base import Base, load_base
from fallax.errors import InputError

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
    script("train_encoder")
    training = script("train_encoder_large")
    network = trained(base, tmp_path)
    with np.load(training.SHIPPED / FILES[1]) as stored:
        weight, bias = stored["weight"].astype(np.float64), stored["bias"].astype(np.float64)
    rng = np.random.default_rng(3)
    small, large = rng.normal(size=len(weight)), rng.normal(size=32)
    own = large @ network.head.weight.detach().numpy().T + network.head.bias.detach().numpy()
    heads = training.joined_heads(network, 0.65)
    (mean, cls), (larger_mean, larger_cls) = np.split(small, 2), np.split(large, 2)
    both = np.concatenate([mean, larger_mean, cls, larger_cls]) @ heads["weight"] + heads["bias"]
    assert both == pytest.approx(0.35 * (small @ weight + bias) + 0.65 * own)


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

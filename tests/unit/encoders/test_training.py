"""An encoder in torch: the same in training and out of it, and read back from the file that it was exported to."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("onnx")

import torch

from fallax.encoders.training.base import Base
from fallax.encoders.training.bert import Bert, BertLayer
from fallax.encoders.training.export import export_encoder
from fallax.encoders.training.reopen import exported_state

CONFIG = {"vocab_size": 200, "hidden_size": 32, "max_position_embeddings": 32, "type_vocab_size": 2,
          "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}  # fmt: skip
IDS = torch.tensor([[101, 7, 8, 102, 9, 10, 102], [101, 3, 102, 4, 102, 0, 0]])
MASK = ((IDS == 0)[:, None, None, :].float()) * -1e4


def encoder(p: float, *, paired: bool = True) -> Bert:
    torch.manual_seed(3)
    return Bert(CONFIG, p, paired=paired)


def test_training_changes_nothing_but_dropout() -> None:
    bert = encoder(0.0)
    trained = bert.train().of_vectors(IDS, bert.words(IDS), MASK)
    plain = bert.eval().of_vectors(IDS, bert.words(IDS), MASK)
    assert torch.allclose(trained, plain, atol=1e-5)


def test_dropout_keeps_the_mean_and_follows_the_seed() -> None:
    layer = BertLayer(8, 2, 16, 0.25)
    x = torch.ones(40, 50, 7)
    torch.manual_seed(1)
    dropped = layer._dropped(x)
    assert sorted(set(dropped.flatten().tolist())) == [0.0, pytest.approx(256 / 192)]
    assert float(dropped.mean()) == pytest.approx(1.0, abs=0.03)
    torch.manual_seed(1)
    assert torch.equal(layer._dropped(x), dropped)
    assert layer.eval()._dropped(x) is x, "out of training nothing is dropped"


@pytest.mark.parametrize("paired", [True, False])
def test_what_was_exported_is_read_back(paired: bool, tmp_path: Path) -> None:
    bert = encoder(0.0, paired=paired).eval()
    with torch.no_grad():
        bert.types.weight.normal_()
    path = tmp_path / "encoder.onnx"
    export_encoder(bert, path)
    again = encoder(0.0, paired=paired).eval()
    other = {"words.weight": bert.words.weight.detach()}
    again.load_state_dict(exported_state(path, Base(CONFIG, {**again.state_dict(), **other}, None, b"", "")))
    with torch.no_grad():
        one, two = (b.of_vectors(IDS, bert.words(IDS), MASK) for b in (bert, again))
    assert torch.allclose(one, two, atol=0.1)
    assert float((one - two).abs().mean()) < 0.02

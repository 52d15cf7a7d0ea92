"""Training on pairs: labels are learnt; a broken stage goes on to the same end."""

from pathlib import Path

import numpy as np
import pytest

from tests.support.tiny_base import write_tiny_base

torch = pytest.importorskip("torch")


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_base(tmp_path_factory.mktemp("base"))


def trained(base: Path, folder: Path):  # type: ignore[no-untyped-def]
    """The labels of two statements, and the weights: "hope" is entailed, "fear" contradicted."""
    from fallax.encoders.training.base import load_base
    from fallax.entailment.training.loop import EntailmentNetwork, Stage, fit_stage
    from fallax.entailment.training.pairs import Example, encode

    read = load_base(base)
    examples = []
    for i in range(60):
        examples.append(Example((f"w{i} lamp .",), f"hope w{i}", "entailed", "made"))
        examples.append(Example((f"w{i} lamp .",), f"fear w{i}", "contradicted", "made"))
    torch.manual_seed(0)
    network = EntailmentNetwork(read)
    data = encode(read.tokenizer, examples, most=64)
    stage = Stage("s", seed=1, rate=3e-3, warm_up=1, tokens=48)
    fit_stage(network, data, stage, folder)
    found = []
    for word in ("hope", "fear"):
        statement, passage = (read.tokenizer.encode(text).ids for text in (f"{word} w3", "w3 lamp ."))
        ids = torch.tensor([[101, *statement, 102, *passage, 102]])
        with torch.no_grad():
            logits, _ = network(ids, None, torch.tensor([[0.0, 1.0, 1.0, *[0.0] * (ids.shape[1] - 3)]]))
        found.append(int(logits.argmax()))
    return found, network.state_dict()


def test_labels_are_learnt(base: Path, tmp_path: Path) -> None:
    assert trained(base, tmp_path)[0] == [0, 1]


def test_a_broken_stage_goes_on_to_the_same_end(base: Path, tmp_path: Path) -> None:
    from fallax.entailment.training import loop

    _, whole = trained(base, tmp_path / "whole")
    seen = loop._loss
    calls = []

    def stop(*args):  # type: ignore[no-untyped-def]
        calls.append(1)
        if len(calls) == 12:
            raise KeyboardInterrupt
        return seen(*args)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loop, "_loss", stop)
        patch.setattr("time.monotonic", lambda: 1e4 * len(calls))  # saved after every step
        with pytest.raises(KeyboardInterrupt):
            trained(base, tmp_path / "part")
    _, part = trained(base, tmp_path / "part")
    assert all(np.array_equal(whole[name].numpy(), part[name].numpy()) for name in whole)

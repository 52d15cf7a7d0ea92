"""Training on pairs: labels or a larger model's probabilities are learnt; a broken stage goes on to the same end."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.support.tiny_base import write_tiny_base

torch = pytest.importorskip("torch")


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_base(tmp_path_factory.mktemp("base"))


def trained(base: Path, folder: Path, *, teacher: float, taught: bool = True):  # type: ignore[no-untyped-def]
    """What has "hope" in it is entailed, for the teacher contradicted; what has "fear" in it is the reverse."""
    from fallax.encoders.training.base import load_base
    from fallax.entailment.training.loop import EntailmentNetwork, Stage, fit_stage
    from fallax.entailment.training.pairs import Example, encode

    read = load_base(base)
    examples = []
    for i in range(60):
        hope = Example((f"w{i} lamp .",), f"hope w{i}", "entailed", "made")
        fear = Example((f"w{i} lamp .",), f"fear w{i}", "contradicted", "made")
        examples += [replace(hope, teacher=(-4.0, 4.0, -4.0)), replace(fear, teacher=(4.0, -4.0, -4.0))]
    if not taught:
        examples = [replace(e, teacher=None) for e in examples]
    torch.manual_seed(0)
    network = EntailmentNetwork(read)
    data = encode(read.tokenizer, examples, most=64)
    stage = Stage("s", seed=1, rate=3e-3, warm_up=1, tokens=48, teacher=teacher)
    fit_stage(network, data, stage, folder)
    ids = torch.tensor(
        [[101, *read.tokenizer.encode("hope w3").ids, 102, *read.tokenizer.encode("w3 lamp .").ids, 102]]
    )
    with torch.no_grad():
        logits, _ = network(ids, None, torch.tensor([[0.0, 1.0, 1.0, *[0.0] * (ids.shape[1] - 3)]]))
    return int(logits.argmax()), network.state_dict()


@pytest.mark.parametrize(("teacher", "taught", "label"), [(0.0, True, 0), (1.0, True, 1), (1.0, False, 0)])
def test_labels_or_the_teacher_are_learnt(teacher: float, taught: bool, label: int, base: Path, tmp_path: Path) -> None:
    assert trained(base, tmp_path, teacher=teacher, taught=taught)[0] == label


def test_a_broken_stage_goes_on_to_the_same_end(base: Path, tmp_path: Path) -> None:
    from fallax.entailment.training import loop

    _, whole = trained(base, tmp_path / "whole", teacher=0.3)
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
            trained(base, tmp_path / "part", teacher=0.3)
    _, part = trained(base, tmp_path / "part", teacher=0.3)
    assert all(np.array_equal(whole[name].numpy(), part[name].numpy()) for name in whole)

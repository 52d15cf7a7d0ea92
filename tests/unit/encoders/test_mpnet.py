"""MPNet as a base: its parameters under BERT's token ids, and numbers for distances in its attention."""

import math
import shutil
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("onnx")
safetensors = pytest.importorskip("safetensors.torch")


@pytest.mark.parametrize("prefix", ["", "mpnet."])
def test_words_have_the_ids_of_bert(prefix: str, mpnet: Path, tmp_path: Path) -> None:
    from fallax.encoders import shipped_folder
    from fallax.encoders.training.base import load_base

    shutil.copytree(mpnet, tmp_path / "base")
    raw = safetensors.load_file(str(mpnet / "model.safetensors"))
    safetensors.save_file({prefix + k: v for k, v in raw.items()}, str(tmp_path / "base" / "model.safetensors"))
    found = load_base(tmp_path / "base")
    words, positions = (raw[f"embeddings.{n}_embeddings.weight"] for n in ("word", "position"))
    assert torch.equal(found.state["words.weight"][7], words[11])
    assert [i for b in (0, 101, 102) for i in range(3) if torch.equal(found.state["words.weight"][b], words[i])] == [
        1, 0, 2,
    ]  # fmt: skip
    assert len(found.state["words.weight"]) == len(raw["embeddings.word_embeddings.weight"]) - 5
    assert torch.equal(found.state["positions.weight"], positions[2:])
    assert found.tokenizer_json == (shipped_folder() / "tokenizer.json").read_bytes()


def bucket(distance: int) -> int:
    """As in T5, for 32 buckets both ways and distances up to 128; written anew from its description."""
    side = 16 if distance > 0 else 0
    far = abs(distance)
    return side + (far if far < 8 else min(15, 8 + int(math.log(far / 8) / math.log(16) * 8)))


def test_attention_scores_have_a_number_for_each_distance(mpnet: Path) -> None:
    from fallax.encoders.training.base import load_base
    from fallax.encoders.training.bert import Bert

    found = load_base(mpnet)
    bert = Bert(found.config, 0.0)
    bert.load_state_dict(found.state)
    added = bert.by_distance(20, None, torch.float32)
    assert added is not None
    assert added.shape == (1, 2, 20, 20)
    weights = found.state["relative.weight"]
    for i in range(20):
        for j in range(20):
            assert torch.equal(added[0, :, i, j], weights[bucket(j - i)])
    masked = bert.by_distance(20, torch.full((1, 1, 1, 20), -5.0), torch.float32)
    assert masked is not None
    assert torch.equal(masked, added - 5.0)


def test_the_exported_encoder_gives_the_same(mpnet: Path, tmp_path: Path) -> None:
    from fallax.encoders import open_model
    from fallax.encoders.training import export
    from fallax.encoders.training.base import load_base
    from fallax.encoders.training.bert import Bert

    found = load_base(mpnet)
    bert = Bert(found.config, 0.0, paired=True).eval()
    bert.load_state_dict(found.state)
    export.write_model(bert, {}, found.tokenizer_json, tmp_path)
    model = open_model(tmp_path, {"files": export.hashes_of(tmp_path)}, what="an encoder")
    for ids in (np.array([101, 5, 102, 7, 8, 102]), np.array([101, *range(200, 225), 102])):
        with torch.no_grad():
            exact = bert(torch.tensor(ids)[None], torch.ones(1, len(ids)))[0].numpy()
        assert model.hidden(ids) == pytest.approx(exact, abs=0.15)

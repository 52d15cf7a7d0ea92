"""A tiny encoder of the kind that the larger entailment model began as."""

import json
from pathlib import Path

import pytest

WORDS, D, LAYERS = 300, 8, 2


@pytest.fixture(scope="session")
def mpnet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a tiny MPNet, as it is published."""
    torch = pytest.importorskip("torch")
    safetensors = pytest.importorskip("safetensors.torch")
    folder = tmp_path_factory.mktemp("mpnet")
    config = {
        "model_type": "mpnet", "hidden_size": D, "vocab_size": WORDS + 5, "max_position_embeddings": 34,
        "num_attention_heads": 2, "num_hidden_layers": LAYERS, "intermediate_size": 16, "layer_norm_eps": 1e-5,
        "relative_attention_num_buckets": 32, "pad_token_id": 1,
    }  # fmt: skip
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "tokenizer.json").write_text("{}")
    torch.manual_seed(3)
    state = {
        "embeddings.word_embeddings.weight": torch.randn(WORDS + 5, D),
        "embeddings.position_embeddings.weight": torch.randn(34, D),
        "embeddings.LayerNorm.weight": torch.ones(D), "embeddings.LayerNorm.bias": torch.zeros(D),
        "encoder.relative_attention_bias.weight": torch.randn(32, 2),
        "pooler.dense.weight": torch.zeros(D, D),
    }  # fmt: skip
    shapes = {"intermediate.dense": (16, D), "output.dense": (D, 16)}
    shapes |= {f"attention.attn.{m}": (D, D) for m in "qkvo"}
    for layer in range(LAYERS):
        for name, shape in shapes.items():
            state[f"encoder.layer.{layer}.{name}.weight"] = torch.randn(shape) * 0.3
            state[f"encoder.layer.{layer}.{name}.bias"] = torch.zeros(shape[0])
        for name in ("attention.LayerNorm", "output.LayerNorm"):
            state[f"encoder.layer.{layer}.{name}.weight"] = torch.ones(D)
            state[f"encoder.layer.{layer}.{name}.bias"] = torch.zeros(D)
    safetensors.save_file(state, str(folder / "model.safetensors"))
    return folder

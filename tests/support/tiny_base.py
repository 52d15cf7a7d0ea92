"""A BERT of two small layers with random weights, as a folder that training starts from."""

import json
from pathlib import Path

import pytest


def write_tiny_base(folder: Path) -> Path:
    """Write it; the test is skipped where torch is not installed."""
    torch = pytest.importorskip("torch")
    safetensors = pytest.importorskip("safetensors.torch")
    pytest.importorskip("onnx")
    config = {
        "hidden_size": 16, "vocab_size": 400, "max_position_embeddings": 300, "type_vocab_size": 2,
        "num_attention_heads": 2, "num_hidden_layers": 2, "intermediate_size": 32,
    }  # fmt: skip
    (folder / "config.json").write_text(json.dumps(config))
    torch.manual_seed(1)
    d, ff = 16, 32
    state = {
        "embeddings.word_embeddings.weight": torch.randn(400, d), "embeddings.LayerNorm.weight": torch.ones(d),
        "embeddings.position_embeddings.weight": torch.randn(300, d) * 0.1, "embeddings.LayerNorm.bias": torch.zeros(d),
        "embeddings.token_type_embeddings.weight": torch.zeros(2, d),
    }  # fmt: skip
    shapes = {
        "attention.self.query": (d, d), "attention.self.key": (d, d), "attention.self.value": (d, d),
        "attention.output.dense": (d, d), "intermediate.dense": (ff, d), "output.dense": (d, ff),
    }  # fmt: skip
    for layer in range(2):
        prefix = f"encoder.layer.{layer}."
        for name, (rows, columns) in shapes.items():
            state[prefix + name + ".weight"] = torch.randn(rows, columns) * 0.1
            state[prefix + name + ".bias"] = torch.zeros(rows)
        for name in ("attention.output.LayerNorm", "output.LayerNorm"):
            state[prefix + name + ".weight"] = torch.ones(d)
            state[prefix + name + ".bias"] = torch.zeros(d)
    safetensors.save_file(state, str(folder / "model.safetensors"))
    from tokenizers import Tokenizer, models, pre_tokenizers

    words = [
        "[PAD]",
        "[UNK]",
        *(f"w{i}" for i in range(90)),
        "hope",
        "fear",
        "so",
        "if",
        ".",
        "lamp",
        "kettle",
        "x",
        "[SEP]",
    ]
    vocabulary = {word: i for i, word in enumerate(words)} | {"[CLS]": 101, "[END]": 102}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder

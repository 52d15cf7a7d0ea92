"""BERTScore from a folder against the program bert-score, on tiny encoders with random weights."""

import json
import warnings
from pathlib import Path
from typing import Any

import pytest

from fallax.encoders.similarity import load_similarity
from fallax.metrics.text_similarity import similarity_matrices

pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    bert_score = pytest.importorskip("bert_score")

PAIRS = [
    ("the river flooded.", "The river rose, rainy."),
    ("rain", "the rain"),
    ("the bank broke because of water", "a bank"),
    (" a flood", "an unseen word, the rain"),
    ("rainy", "the river flooded, the bank was flooded and a river rose"),
]
WORDS = "[PAD] [UNK] [CLS] [SEP] [MASK] the a rain ##y flood ##ed river rose bank broke because of water . , was"
SIZES = {"hidden_size": 16, "num_hidden_layers": 4, "num_attention_heads": 2, "intermediate_size": 32}


def bert(folder: Path) -> None:
    words = WORDS.split()
    (folder / "vocab.txt").write_text("\n".join(words) + "\n")
    transformers.BertTokenizer(str(folder / "vocab.txt"), model_max_length=40).save_pretrained(folder)
    config = transformers.BertConfig(vocab_size=len(words), initializer_range=0.6, max_position_embeddings=40, **SIZES)
    transformers.BertModel(config).save_pretrained(folder)


def roberta(folder: Path) -> None:
    marks = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    letters = [*"abcdefghijklmnopqrstuvwxyz.,TĠ", "Ġr", "Ġra", "in", "Ġrain", "ri", "Ġri"]
    (folder / "vocab.json").write_text(json.dumps({word: at for at, word in enumerate([*marks, *letters])}))
    (folder / "merges.txt").write_text("#version: 0.2\nĠ r\nĠr a\ni n\nĠra in\nr i\nĠ ri\n")
    files = str(folder / "vocab.json"), str(folder / "merges.txt")
    transformers.RobertaTokenizer(*files, model_max_length=70).save_pretrained(folder)
    size = len(marks) + len(letters)
    config = transformers.RobertaConfig(vocab_size=size, initializer_range=0.6, max_position_embeddings=80, **SIZES)
    transformers.RobertaModel(config).save_pretrained(folder)


@pytest.mark.parametrize("build", [bert, roberta])
def test_each_layer_scores_as_the_program_of_bertscore(build: Any, tmp_path: Path) -> None:
    if build is roberta and int(transformers.__version__.split(".")[0]) > 4:
        pytest.skip("with transformers 5, bert-score leaves out the space before the first word")
    transformers.set_seed(0)
    build(tmp_path)
    said, asked = [a for a, _ in PAIRS], [b for _, b in PAIRS]
    for layer in range(1, 5):
        options = {"model_type": str(tmp_path), "num_layers": layer, "device": "cpu"}
        *_, expected = bert_score.score(said, asked, **options)
        scorer, model = load_similarity("bertscore", folder=tmp_path, similarity_layer=layer)
        found = similarity_matrices([([a], [b]) for a, b in PAIRS], scorer=scorer, model=model)
        assert [float(m[0, 0]) for m in found] == pytest.approx(expected.tolist(), abs=1e-5)
        assert model.name == f"bertscore:{tmp_path.name}@{layer}"

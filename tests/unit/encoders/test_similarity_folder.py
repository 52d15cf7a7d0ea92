"""Similarity models from a folder, with stand-ins for torch and transformers, which need not be installed."""

import contextlib
import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fallax.encoders.similarity import _opened, load_similarity
from fallax.errors import FallaxError


class Tokenizer:
    """Two words a text, between a mark at the begin and one at the end; the last text is one shorter."""

    cls_token_id, sep_token_id = 101, 102

    def __call__(self, *texts: Any, **options: Any) -> dict[str, Any]:
        n = len(texts[0])
        mask, ids = np.ones((n, 4), dtype=int), np.tile([101, 7, 8, 102], (n, 1))
        mask[-1, 3] = 0
        ids[-1] = [101, 7, 102, 0]
        return {"attention_mask": mask, "input_ids": ids}


class Model:
    """Two layers, whose hidden states number the tokens from 0 and from 10; logits that number the pairs."""

    def __init__(self, outputs: int) -> None:
        self.config = types.SimpleNamespace(num_labels=outputs, num_hidden_layers=2)

    def eval(self) -> "Model":
        return self

    def float(self) -> "Model":
        return self

    def __call__(self, attention_mask: Any, **given: Any) -> Any:
        n = len(attention_mask)
        states = [np.tile(np.arange(4.0).reshape(1, 4, 1) + at, (n, 1, 1)) for at in (-10, 0, 10)]
        return types.SimpleNamespace(hidden_states=states, logits=np.arange(n * 1.0).reshape(n, 1))


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Any:
    def put(*, outputs: int = 1, missing: tuple[str, ...] = ()) -> None:
        _opened.cache_clear()
        loads = types.SimpleNamespace(
            from_pretrained=lambda *_, **__: (Model(outputs), {"missing_keys": list(missing)})
        )
        tokenizers = types.SimpleNamespace(from_pretrained=lambda *_, **__: Tokenizer())
        names = {"AutoModel": loads, "AutoModelForSequenceClassification": loads, "AutoTokenizer": tokenizers}
        monkeypatch.setitem(sys.modules, "torch", types.SimpleNamespace(no_grad=contextlib.nullcontext))
        monkeypatch.setitem(sys.modules, "transformers", types.SimpleNamespace(**names))

    yield put
    _opened.cache_clear()


def test_bertscore_counts_words_but_not_the_marks_around_them(install: Any, tmp_path: Path) -> None:
    install()
    scorer, model = load_similarity("bertscore", folder=tmp_path)
    found = [(vectors.tolist(), counted.tolist()) for vectors, counted in model(["it rained", "rain"])]
    assert scorer == "bertscore"
    assert found == [
        ([[10.0], [11.0], [12.0], [13.0]], [False, True, True, False]),
        ([[10.0], [11.0], [12.0]], [False, True, False]),
    ]
    assert load_similarity("bertscore", folder=tmp_path)[1] is model


def test_the_layer_is_read_and_named(install: Any, tmp_path: Path) -> None:
    install()
    last = load_similarity("bertscore", folder=tmp_path)[1]
    first = load_similarity("bertscore", folder=tmp_path, similarity_layer=1)[1]
    assert (last.name, first.name) == (f"bertscore:{tmp_path.name}@2", f"bertscore:{tmp_path.name}@1")
    assert first(["rain"])[0][0].tolist() == [[0.0], [1.0], [2.0]]
    for layer in (0, 3, -1):
        with pytest.raises(FallaxError, match=f"^similarity_layer must be from 1 to 2, the layers of .*, got {layer}$"):
            load_similarity("bertscore", folder=tmp_path, similarity_layer=layer)
    with pytest.raises(FallaxError, match=r"^similarity_layer: needs similarity bertscore, got bleurt$"):
        load_similarity("bleurt", folder=tmp_path, similarity_layer=1)


def test_bleurt_gives_one_number_a_pair(install: Any, tmp_path: Path) -> None:
    install()
    assert load_similarity("bleurt", folder=tmp_path)[1]([("a", "b"), ("c", "d")]) == [0.0, 1.0]


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ({"outputs": 2}, "got 2 outputs and 0 weights that the files lack"),
        ({"missing": ("classifier.weight",)}, "got 1 outputs and 1 weights that the files lack"),
    ],
)
def test_a_model_without_a_trained_output_is_no_bleurt(given: Any, found: str, install: Any, tmp_path: Path) -> None:
    install(**given)
    with pytest.raises(FallaxError, match=found):
        load_similarity("bleurt", folder=tmp_path)
    assert load_similarity("bertscore", folder=tmp_path)[0] == "bertscore"

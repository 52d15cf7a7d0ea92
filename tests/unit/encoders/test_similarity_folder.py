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

    def __call__(self, *texts: Any, **options: Any) -> dict[str, Any]:
        n = len(texts[0])
        mask, special = np.ones((n, 4), dtype=int), np.tile([1, 0, 0, 1], (n, 1))
        mask[-1, 3] = 0
        special[-1] = [1, 0, 1, 1]
        return {"attention_mask": mask, **({"special_tokens_mask": special} if options else {})}


class Model:
    """Hidden states that number the tokens; logits that number the pairs."""

    def __init__(self, outputs: int) -> None:
        self.config = types.SimpleNamespace(num_labels=outputs)

    def eval(self) -> "Model":
        return self

    def __call__(self, attention_mask: Any) -> Any:
        n = len(attention_mask)
        states = np.tile(np.arange(4.0).reshape(1, 4, 1), (n, 1, 1))
        return types.SimpleNamespace(last_hidden_state=states, logits=np.arange(float(n)).reshape(n, 1))


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


def test_bertscore_compares_words_without_the_marks_around_them(install: Any, tmp_path: Path) -> None:
    install()
    scorer, model = load_similarity("bertscore", folder=tmp_path)
    assert (scorer, model(["it rained", "rain"])) == ("bertscore", [[[1.0], [2.0]], [[1.0]]])
    assert load_similarity("bertscore", folder=tmp_path)[1] is model


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

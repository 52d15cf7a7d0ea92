"""The model for claims about causes is put together from what ships."""

from __future__ import annotations

import hashlib
import json
import shutil
from importlib import resources
from pathlib import Path

import numpy as np
import pytest

from fallax.encoders import CARD, FILES, shared_words
from fallax.encoders.added import ADDED, GRAPH, earlier_matrices, finished
from fallax.entailment import (
    EntailmentModel,
    JoinedModel,
    load_causes,
    load_entailment,
    load_for_claims,
    shipped_entailment,
)
from fallax.entailment import causes as module
from fallax.errors import FormatError


def test_what_is_put_together_is_what_was_trained() -> None:
    folder = module.shipped_causes()
    with np.load(folder / ADDED) as stored:
        added = {name: stored[name] for name in stored.files}
    before = (shipped_entailment() / FILES[0]).read_bytes()
    matrices = earlier_matrices(before, added)
    made = finished((folder / GRAPH).read_bytes(), added, matrices, {name: name for name in matrices})
    card = json.loads((folder / CARD).read_text(encoding="utf-8"))
    assert hashlib.sha256(made).hexdigest() == card["files"][FILES[0]]
    assert card["base"]["sha256"] == hashlib.sha256(before).hexdigest()


def test_it_reads_otherwise_than_what_it_began_as() -> None:
    said, claim = ["Frost came in May.", "In autumn there were no apples."], "The frost cost the village its apples."
    assert load_causes().name.startswith("entailment-causes@")
    assert load_causes().read(said, claim).logits != load_entailment().read(said, claim).logits
    assert load_causes().tokens(claim) == load_entailment().tokens(claim)


def test_adapters_of_another_encoder_are_refused() -> None:
    added = {"0.q.at": np.array(90), "0.q.before": np.ones(2, np.float32), "0.q.down": np.zeros((1, 8), np.float16)}
    assert earlier_matrices(bytes(106), added)["0.q"].shape == (2, 8)
    with pytest.raises(FormatError, match=r"ends before matrix 0\.q"):
        earlier_matrices(bytes(105), added)


@pytest.mark.parametrize(
    ("changed", "said"),
    [(CARD, "belongs beside another version"), (ADDED, "damaged or was replaced"), (GRAPH, "damaged or was replaced")],
)
def test_a_folder_that_does_not_fit_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changed: str, said: str
) -> None:
    folder = tmp_path / "causes"
    shutil.copytree(str(module.shipped_causes()), folder)
    if changed == CARD:
        card = json.loads((folder / CARD).read_text(encoding="utf-8"))
        card["base"]["sha256"] = "0" * 64
        (folder / CARD).write_text(json.dumps(card), encoding="utf-8")
    else:
        (folder / changed).write_bytes((folder / changed).read_bytes()[:-1] + b"?")
    monkeypatch.setattr(module, "shipped_causes", lambda: folder)
    with pytest.raises(FormatError, match=said):
        load_causes.__wrapped__()


def test_claims_are_read_by_the_shipped_model_or_by_one_of_ones_own() -> None:
    assert load_for_claims() is load_causes()
    with resources.as_file(shipped_entailment()) as folder:
        assert load_for_claims(str(folder)) is load_entailment(str(folder))


def test_a_larger_model_reads_claims_together_with_the_shipped_one(tmp_path: Path) -> None:
    folder = tmp_path / "own"
    with resources.as_file(shipped_entailment()) as shipped:
        shutil.copytree(shipped, folder)
    card = json.loads((folder / CARD).read_text(encoding="utf-8"))
    card |= {"name": "own", "version": 1, "beside": load_entailment().name, "beside_of_claims": load_causes().name}
    (folder / CARD).write_text(json.dumps(card), encoding="utf-8")
    joined = load_for_claims(str(folder))
    assert isinstance(joined, JoinedModel)
    passage, claim = ["Frost came in May.", "In autumn there were no apples."], "The frost cost the village its apples."
    own, causes = EntailmentModel.read(joined, passage, claim), load_causes().read(passage, claim)
    means = [(a + b) / 2 for a, b in zip(own.logits, causes.logits, strict=True)]
    assert joined.read(passage, claim).logits == pytest.approx(means)

    card["beside_of_claims"] = "entailment-causes@1"
    (folder / CARD).write_text(json.dumps(card), encoding="utf-8")
    load_entailment.cache_clear()
    load_for_claims.cache_clear()
    with pytest.raises(FormatError, match=f"beside entailment-causes@1, and this fallax has {load_causes().name}"):
        load_for_claims(str(folder))


def test_training_goes_on_from_what_ships() -> None:
    torch = pytest.importorskip("torch")
    pytest.importorskip("onnx")
    from fallax.encoders.training.base import Base
    from fallax.encoders.training.bert import Bert
    from fallax.entailment.training.finish import read_causes

    words = shared_words()
    config = {
        "vocab_size": len(words.values), "hidden_size": 384, "num_attention_heads": 12, "intermediate_size": 1536,
        "max_position_embeddings": 512, "type_vocab_size": 2, "num_hidden_layers": 6,
    }  # fmt: skip
    state = Bert(config).state_dict()
    state["words.weight"] = torch.from_numpy(words.of(np.arange(len(words.values))))
    base = Base(config, state, None, b"", "")
    with resources.as_file(shipped_entailment()) as before:
        network = read_causes(Path(before), base, 32).eval()
    said, claim = "Frost came in May.", "The frost cost the village its apples."
    own, passage = load_causes().tokens(claim), load_causes().tokens(said)
    ids = torch.tensor([[101, *own, 102, *passage, 102]])
    statement = torch.zeros(ids.shape)
    statement[0, 1 : 1 + len(own)] = 1.0
    with torch.no_grad():
        logits, _ = network(ids, None, statement)
    assert logits[0].tolist() == pytest.approx(load_causes().read([said], claim).logits, abs=0.35)

"""The model for claims about causes is put together from what ships."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from fallax.encoders import CARD, FILES
from fallax.encoders.added import ADDED, GRAPH, earlier_matrices, finished
from fallax.entailment import causes as module
from fallax.entailment import load_causes, load_entailment, shipped_entailment
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

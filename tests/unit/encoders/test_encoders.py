"""Encoders as files: words that are shared or a folder's own, what is damaged, and the embedder that ships."""

import hashlib
import io
import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fallax.core.texts import cosines, load_embedder
from fallax.detection.systems import load_encoder
from fallax.detection.systems.encoder import EncoderScorer, JoinedStates
from fallax.encoders import CARD, FILES, WORDS, load_mean_embedder, open_model, read_card, shared_words, shipped_folder
from fallax.entailment import load_entailment
from fallax.errors import FormatError

SHIPPED = Path(str(shipped_folder()))


def test_files_are_those_of_the_card() -> None:
    about = read_card(SHIPPED, what="an embedder")
    assert about["files"] == {n: hashlib.sha256((SHIPPED / n).read_bytes()).hexdigest() for n in (*FILES, WORDS)}
    assert about["base"]["licence"] == "Apache-2.0"
    others = [load_encoder().card()["base"]["sha256"], load_entailment().about["base"]["sha256"]]
    assert others == [about["base"]["sha256"]] * 2


def test_words_are_read_once_for_all_encoders() -> None:
    scorer = load_encoder().scorer
    assert isinstance(scorer, EncoderScorer)
    assert isinstance(scorer.model, JoinedStates)
    models = [scorer.model.first, scorer.model.second, load_entailment()._model, load_mean_embedder()._model]
    assert all(model.words is shared_words() for model in models)


def test_related_sentences_lie_nearer_than_others() -> None:
    groups = [
        ("The ferry was late again.", "Once more the boat did not arrive on time."),
        ("Taxes will rise next spring.", "The government wants people to pay more tax."),
        ("The cat slept on the sofa.", "A kitten lay on the couch, asleep."),
    ]
    found = cosines([s for group in groups for s in group], load_embedder("minilm"))
    for i in range(0, len(found), 2):
        others = [found[i, j] for j in range(len(found)) if j // 2 != i // 2]
        assert found[i, i + 1] > max(others) + 0.2


def test_a_text_has_one_vector_whatever_stands_beside_it() -> None:
    embed = load_mean_embedder()
    texts = ["The vote failed.", "The vote failed.", "", "word " * 600]
    vectors = embed(texts)
    assert vectors.shape == (4, 384)
    assert np.array_equal(vectors[0], vectors[1])
    assert np.array_equal(np.concatenate([load_mean_embedder.__wrapped__(None)([t]) for t in texts]), vectors)
    assert embed([]).shape == (0, 384)
    vectors[:] = 0
    assert np.abs(embed(texts)).max() > 0


def test_the_embedder_goes_by_one_name() -> None:
    assert load_embedder("minilm") is load_mean_embedder()
    assert load_mean_embedder().name == "minilm"


def npz(**arrays: Any) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def folder_with(path: Path, words: bytes | None, files: Mapping[str, str] | None = None) -> Path:
    """A copy of the embedder, with other words."""
    shutil.copytree(SHIPPED, path)
    (path / WORDS).unlink()
    card = json.loads((path / CARD).read_text(encoding="utf-8"))
    if words is not None:
        (path / WORDS).write_bytes(words)
        card["files"][WORDS] = hashlib.sha256(words).hexdigest()
    card["files"].update(files or {})
    (path / CARD).write_text(json.dumps(card), encoding="utf-8")
    return path


def opened(folder: Path) -> Any:
    return open_model(folder, read_card(folder, what="an embedder"), what="an embedder")


def test_a_folder_without_words_of_its_own_takes_the_shared_ones(tmp_path: Path) -> None:
    assert opened(folder_with(tmp_path / "e", None)).words is shared_words()


def test_a_folder_with_words_of_its_own_takes_those(tmp_path: Path) -> None:
    shared = shared_words()
    model = opened(folder_with(tmp_path / "e", npz(words=shared.values, scale=shared.scale * 3)))
    ids = np.array([101, 2000, 102])
    assert model.words.of(ids) == pytest.approx(3 * shared.of(ids), rel=1e-6)
    assert not np.array_equal(model.hidden(ids), load_mean_embedder()._model.hidden(ids))


SCALE = np.ones((9, 1), dtype=np.float32)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (b"no archive", "must hold arrays 'words' and 'scale', got an error"),
        (npz(words=np.zeros((9, 384), dtype=np.int8)), "must hold arrays 'words' and 'scale', got an error"),
        (npz(words=np.zeros((9, 384)), scale=SCALE), r"must hold 'words', int8 of shape \(n, d\).* got float64"),
        (npz(words=np.zeros((9, 384), dtype=np.int8), scale=SCALE[:3]), r"must hold 'words', .* \(3, 1\)$"),
        (npz(words=np.zeros((9, 8), dtype=np.int8), scale=SCALE), r"encoder\.onnx: must take vectors of 8 numbers"),
    ],
)
def test_foreign_words_are_told_in_one_line(words: bytes, message: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=message) as told:
        opened(folder_with(tmp_path / "e", words))
    assert "\n" not in str(told.value)


def test_missing_and_damaged_words_are_told(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"an embedder's folder must hold words\.npz"):
        opened(folder_with(tmp_path / "missing", None, {WORDS: "0" * 64}))
    folder = folder_with(tmp_path / "damaged", npz(words=np.zeros((9, 384), dtype=np.int8), scale=SCALE))
    (folder / WORDS).write_bytes((folder / WORDS).read_bytes()[:-1])
    with pytest.raises(FormatError, match=r"words\.npz: must have the SHA-256 that card\.json names"):
        opened(folder)


def test_a_folder_of_an_older_fallax_is_told(tmp_path: Path) -> None:
    folder = folder_with(tmp_path / "e", None)
    card = json.loads((folder / CARD).read_text(encoding="utf-8"))
    del card["files"][WORDS]
    (folder / CARD).write_text(json.dumps(card), encoding="utf-8")
    with pytest.raises(FormatError, match=r"must name the SHA-256 of words\.npz, .* written by an older fallax"):
        load_mean_embedder(str(folder))

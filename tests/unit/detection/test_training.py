"""Training: what a record teaches, and a tiny encoder that learns, repeats and goes on; skipped without torch."""

import random
from pathlib import Path
from typing import Any

import pytest

from fallax.core.types import GoldSpan, Record
from fallax.errors import FormatError, InputError
from tests.support.tiny_base import write_tiny_base

examples = pytest.importorskip("fallax.detection.training.examples")


def test_a_sentence_belongs_to_the_span_that_covers_half_of_it() -> None:
    text = "One two three four. Five six seven eight."
    record = Record("r", text, (GoldSpan(0, 24, ("slippery slope",)),))
    assert examples.example_of(record, taxonomy="mafalda").flagged == (1.0, 0.0)
    inside = Record("r", text, (GoldSpan(24, 30, ("slippery slope",)),))
    assert examples.example_of(inside, taxonomy="mafalda").flagged == (0.0, 1.0)


def test_labels_of_another_set_become_candidates() -> None:
    record = Record("r", "Feel it.", (GoldSpan(0, 8, ("appeal to emotion",)),))
    (candidates,) = examples.example_of(record, taxonomy="logic").candidates
    assert len(candidates) > 1
    unmapped = Record("r", "Feel it.", (GoldSpan(0, 8, ("conspiracy theory",)),))
    assert examples.example_of(unmapped, taxonomy="flicc").candidates == ((),)


def test_what_nobody_looked_at_teaches_nothing_and_what_was_asked_teaches_little() -> None:
    assert examples.example_of(Record("r", "A text."), taxonomy="mafalda") is None
    asked = examples.example_of(Record("r", "A text.", meta={"asked": "authority"}), taxonomy="reddit")
    assert asked.weights == (examples.LossWeights().unsure,)
    assert examples.example_of(Record("r", " \n", ()), taxonomy="mafalda") is None


def test_an_article_is_cut_into_pieces_that_lose_nothing() -> None:
    text = " ".join(f"Sentence {i} has exactly eight words in it." for i in range(60))
    record = Record("r", text, (GoldSpan(0, 100, ("slippery slope",)),))
    parts = examples.examples_of([record], taxonomy="mafalda")
    assert len(parts) > 1
    assert all(sum(len(s.split()) for s in p.sentences) <= 150 for p in parts)
    whole = examples.example_of(record, taxonomy="mafalda")
    assert tuple(s for p in parts for s in p.sentences) == whole.sentences
    assert tuple(f for p in parts for f in p.flagged) == whole.flagged


def test_a_passage_and_its_near_miss_are_held_out_together() -> None:
    one, other = (
        examples.example_of(Record(f"straw-man-{k}007", "A text.", (), title=k), taxonomy="mafalda") for k in "fn"
    )
    assert one.group == other.group
    assert examples.is_held_out(one, 3) == examples.is_held_out(other, 3)
    assert not examples.is_held_out(one, 0)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_base(tmp_path_factory.mktemp("base"))


def _sources() -> list[Any]:
    from fallax.detection.training.loop import TrainingSource

    rng = random.Random(5)
    found = []
    for i in range(80):
        noise = " ".join(f"w{rng.randrange(90)}" for _ in range(3))
        word, labels = (("fear", "appeal to fear"), ("hope", "appeal to positive emotion"), ("lamp", ""))[i % 3]
        text = f"{word} {word} {noise} {word}."
        gold = (GoldSpan(0, len(text), (labels,)),) if labels else ()
        found.append(examples.example_of(Record(f"r{i}", text, gold), taxonomy="mafalda"))
    return [TrainingSource("made up", found, beside=True)]


def test_a_tiny_encoder_learns_repeats_and_is_a_detector(base: Path, tmp_path: Path) -> None:
    from fallax.detection.systems import load_encoder
    from fallax.detection.train import train_detector
    from fallax.detection.training.loop import DetectorSettings

    settings = DetectorSettings(epochs=8, batch_size=8, learning_rate=3e-3, dropout=0.0, hold_out=5)
    cards = [
        train_detector(_sources(), base, tmp_path / name, settings=settings, name="tiny") for name in ("one", "two")
    ]
    assert cards[0] == cards[1]
    assert [f.name for f in sorted((tmp_path / "one").iterdir())] == [
        "card.json", "encoder.onnx", "head.npz", "tokenizer.json", "words.npz",
    ]  # fmt: skip
    scorer = load_encoder(str(tmp_path / "one")).scorer
    fear, hope, lamp = scorer.probabilities(["fear fear w1 fear."])[0], *(
        scorer.probabilities([f"{w} {w} w1 {w}."])[0] for w in ("hope", "lamp")
    )  # fmt: skip
    assert scorer.labels[fear.argmax()] == "appeal to fear"
    assert scorer.labels[hope.argmax()] == "appeal to positive emotion"
    assert lamp.sum() < min(fear.sum(), hope.sum())


def test_a_broken_training_goes_on_to_the_same_end(base: Path, tmp_path: Path) -> None:
    import torch

    from fallax.detection.training import loop
    from fallax.encoders.training import base as bases

    settings = loop.DetectorSettings(epochs=3, batch_size=16, hold_out=0)
    encoder = bases.load_base(base)
    whole = loop.fit(encoder, _sources(), n_labels=23, settings=settings, folder=tmp_path / "whole")

    class Stop(Exception):
        pass

    def stop(done: int, total: int, said: str) -> None:
        if done == total - 1:
            raise Stop

    with pytest.raises(Stop):
        loop.fit(encoder, _sources(), n_labels=23, settings=settings, folder=tmp_path / "part", progress=stop)
    part = loop.fit(encoder, _sources(), n_labels=23, settings=settings, folder=tmp_path / "part")
    for name, value in whole.state_dict().items():
        assert torch.equal(value, part.state_dict()[name]), name


@pytest.mark.parametrize("paired", [False, True])
def test_own_words_are_written_and_shared_ones_are_not(
    paired: bool, base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import hashlib

    import numpy as np
    import torch

    from fallax.encoders import Words, files, open_model
    from fallax.encoders.added import words_npz
    from fallax.encoders.training import base as bases
    from fallax.encoders.training import bert as berts
    from fallax.encoders.training import export

    read = bases.load_base(base)
    bert = berts.Bert(read.config, 0.0, paired=paired).eval()
    bert.load_state_dict(read.state)
    with torch.no_grad():
        bert.types.weight[1] += 0.5
    export.write_model(bert, {}, read.tokenizer_json, tmp_path / "own")
    content = (tmp_path / "own" / files.WORDS).read_bytes()
    assert content == words_npz(bert.words.weight.detach().numpy())
    hashes = export.hashes_of(tmp_path / "own")
    assert hashes[files.WORDS] == hashlib.sha256(content).hexdigest() != files.shared_hash()
    own = open_model(tmp_path / "own", {"files": hashes}, what="an encoder")
    assert own.paired == paired
    ids = np.array([101, 5, 102, 7, 8, 102])
    with torch.no_grad():
        exact = bert(torch.tensor(ids)[None], torch.ones(1, len(ids)))[0].numpy()
    assert own.hidden(ids) == pytest.approx(exact, abs=0.1)

    with np.load(tmp_path / "own" / files.WORDS) as stored:
        words = Words(stored["words"], stored["scale"])
    for module in (files, export):
        monkeypatch.setattr(module, "shared_hash", lambda: hashes[files.WORDS])
    monkeypatch.setattr(files, "shared_words", lambda: words)
    export.write_model(bert, {}, read.tokenizer_json, tmp_path / "own")
    assert not (tmp_path / "own" / files.WORDS).exists()
    assert export.hashes_of(tmp_path / "own") == hashes
    shared = open_model(tmp_path / "own", {"files": hashes}, what="an encoder")
    assert shared.words is words
    assert np.array_equal(shared.hidden(ids), own.hidden(ids))


def test_bad_bases_and_settings_are_told(base: Path, tmp_path: Path) -> None:
    from fallax.detection.training import loop
    from fallax.encoders.training import base as bases

    with pytest.raises(FormatError, match=r"found no config\.json"):
        bases.load_base(tmp_path)
    for name in bases.BASE_FILES:
        (tmp_path / name).write_bytes(b"{}")
    with pytest.raises(FormatError, match="must be a BERT or MPNet encoder and its tokenizer"):
        bases.load_base(tmp_path)
    with pytest.raises(InputError, match="epochs, batch_size"):
        loop.DetectorSettings(epochs=0)
    with pytest.raises(InputError, match="at least one text to train on"):
        loop.fit(
            bases.load_base(base),
            [loop.TrainingSource("none", [])],
            n_labels=2,
            settings=loop.DetectorSettings(),
            folder=tmp_path,
        )

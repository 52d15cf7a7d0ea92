"""The encoder that ships: what it finds is pinned, and a damaged or foreign folder is told in one line."""

import hashlib
import json
import shutil
from dataclasses import replace
from importlib import resources
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import fallax as fx
from fallax.core.types import Record, Span
from fallax.detection.systems import load_detector, load_encoder
from fallax.detection.systems.base import RememberingScorer, SentenceDetector, parts_of
from fallax.detection.systems.encoder import EncoderScorer, JoinedStates, load_small_encoder
from fallax.encoders import CARD, FILES, WORDS, shared_hash
from fallax.encoders.files import npz_bytes
from fallax.errors import FormatError, ModelError, UnknownNameError

WEIGHTS = Path(str(resources.files("fallax.detection") / "weights"))
SHIPPED, SMALL = WEIGHTS / "encoder", WEIGHTS / "encoder-small"
SLOPE = "If we let them close one street, next they will close two, and then the whole town will be shut for ever."
HOMINEM = "You are a drunk and a fool, so nobody should listen to your plan for the schools."
PLAIN = "The kettle stands on the stove, and the bread is in the cupboard."


@pytest.fixture(scope="module")
def detector() -> SentenceDetector:
    return load_encoder()


def test_files_are_those_of_the_card_and_small(detector: SentenceDetector) -> None:
    hashes = detector.card()["files"]
    here = {name: hashlib.sha256((SHIPPED / name).read_bytes()).hexdigest() for name in FILES}
    assert hashes == {**here, WORDS: shared_hash()}
    assert sum(f.stat().st_size for folder in (SHIPPED, SMALL) for f in folder.iterdir()) < 30_000_000


def test_only_openly_licensed_texts_were_trained_on(detector: SentenceDetector) -> None:
    assert all(row["shippable"] for row in detector.card()["trained_on"])


def test_probabilities_are_pinned(detector: SentenceDetector) -> None:
    found = [detector.scorer.probabilities([text])[0] for text in (SLOPE, HOMINEM, PLAIN)]
    names = detector.scorer.labels
    assert all((p >= 0).all() and p.sum() <= 1.0 for p in found)
    assert names[found[0].argmax()] == "slippery slope"
    assert names[found[1].argmax()] == "ad hominem"
    # processors round a few 8-bit numbers differently
    assert [float(p.sum()) for p in found] == pytest.approx(PINNED, abs=0.02)


PINNED = [0.9973, 0.9936, 0.0001]


def test_same_text_same_numbers(detector: SentenceDetector) -> None:
    first = detector.scorer.probabilities([SLOPE, PLAIN])
    detector.scorer.probabilities([HOMINEM] * 40)
    assert np.array_equal(detector.scorer.probabilities([SLOPE, PLAIN]), first)


def test_default_detector_finds_the_slope_and_leaves_the_kettle() -> None:
    found = fx.detect(SLOPE)
    assert found.system.startswith("detector:encoder@")
    assert "slippery slope" in {s.label for s in found.spans}
    assert all(found.text_of(s) == SLOPE for s in found.spans)
    assert fx.detect(PLAIN).spans == ()


def test_a_forum_post_is_taken_apart_into_title_and_text(detector: SentenceDetector) -> None:
    text = f"TITLE: Street closed\r\nPOST: {SLOPE}\n"
    parts = parts_of(Record("r", text))
    title, places = parts.title, parts.places
    assert title == "Street closed"
    assert [text[a:b] for a, b in places] == [SLOPE]
    as_field = detector.detect(Record("r", SLOPE, title="Street closed"))
    shift = text.index(SLOPE)
    assert detector.detect(Record("r", text)).spans == tuple(
        replace(s, start=s.start + shift, end=s.end + shift) for s in as_field.spans
    )


@pytest.mark.parametrize("text", ["TITLE: only a title", "POST: only a post.", "TITLE: a POST: ", "", " \n"])
def test_texts_that_only_look_like_posts_lose_nothing(text: str) -> None:
    parts = parts_of(Record("r", text))
    title, places = parts.title, parts.places
    assert title == ""
    assert sum(len(text[a:b].split()) for a, b in places) == len(text.split())


def test_evidence_names_words_and_neighbours_of_the_text(detector: SentenceDetector) -> None:
    text = f"{PLAIN} {SLOPE}"
    (span, *_) = detector.detect(Record("r", text), min_confidence=0.05).spans
    found = detector.evidence(Record("r", text), span, limit=3)
    assert 1 <= len(found) <= 3
    assert all(words in text and 0 < effect <= 1 for words, effect in found)
    assert [e for _, e in found] == sorted((e for _, e in found), reverse=True)
    assert detector.evidence(Record("r", text), Span(0, 5, "no such label")) == ()


def test_a_folder_is_a_detector_too(tmp_path: Path, detector: SentenceDetector) -> None:
    copy = tmp_path / "mine"
    shutil.copytree(SHIPPED, copy)
    assert load_detector(str(copy)).detect(Record("r", SLOPE)) == detector.detect(Record("r", SLOPE))


def _beside(folder: Path, name: str) -> Path:
    """The small detector as a folder that is read beside the small one: both count the same."""
    shutil.copytree(SMALL, folder)
    with np.load(folder / "head.npz") as stored:
        mean, cls = np.split(stored["weight"] / 2, 2)
        heads = npz_bytes({"weight": np.concatenate([mean, mean, cls, cls]), "bias": stored["bias"]})
    (folder / "head.npz").write_bytes(heads)
    files = json.loads((folder / CARD).read_text(encoding="utf-8"))["files"]
    _card(folder, {"beside": name, "files": {**files, "head.npz": hashlib.sha256(heads).hexdigest()}})
    return folder


def test_two_encoders_are_read_beside_each_other(tmp_path: Path) -> None:
    detector = load_small_encoder()
    both = load_encoder(str(_beside(tmp_path / "both", detector.name)))
    texts = [SLOPE, PLAIN, HOMINEM]
    assert both.scorer.probabilities(texts) == pytest.approx(detector.scorer.probabilities(texts), abs=1e-5)
    record = Record("r", " ".join(texts))
    (span, *_) = both.detect(record).spans
    ours = [words for words, _ in detector.evidence(record, span)]
    assert [words for words, _ in both.evidence(record, span)] == ours


ORDINARY = " ".join(f"The committee met on the {i}th of May and approved the minutes." for i in range(4, 50))
FLAWED = "If we ban cars here, soon nobody will be allowed to leave the house."


@pytest.mark.parametrize("text", [ORDINARY, f"{ORDINARY} {FLAWED}", f"{FLAWED} {ORDINARY} {FLAWED}", FLAWED])
@pytest.mark.parametrize("n", ["1", "2"])
def test_labels_are_read_only_where_something_may_be_flagged(
    text: str, n: str, detector: SentenceDetector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FALLAX_THREADS", n)
    both = detector.scorer
    assert isinstance(both, EncoderScorer)
    assert isinstance(both.model, JoinedStates)
    read: dict[str, list[int]] = {"first": [], "second": []}

    def counting(name: str) -> Any:
        model = getattr(both.model, name)

        def hidden(ids: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
            read[name].append(len(ids))
            found: npt.NDArray[np.float64] = model.hidden(ids)
            return found

        return SimpleNamespace(hidden=hidden, words=model.words, tokenizer=model.tokenizer)

    def scorer() -> EncoderScorer:
        joined = JoinedStates(counting("first"), counting("second"))
        weight, bias = (x.astype(np.float32) for x in (both._weight, both._bias))
        return EncoderScorer(both.labels, joined, weight, bias, both._confidence)

    record = Record("r", text)
    found = replace(detector, scorer=scorer()).detect(record)
    windows, named = len(read["first"]), len(read["second"])
    assert found == replace(detector, scorer=RememberingScorer(scorer())).detect(record)
    assert bool(found.spans) == (FLAWED in text)
    assert named == windows if windows == 1 else named < windows
    assert (named > 0) == (FLAWED in text) or windows == 1


def test_a_folder_beside_another_version_gets_one_line(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="belongs beside encoder-small@1, and this fallax has encoder-small@"):
        load_encoder(str(_beside(tmp_path / "old", "encoder-small@1")))


def test_the_larger_detector_says_how_it_is_fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FALLAX_MODELS", str(tmp_path))
    with pytest.raises(ModelError, match="fallax models fetch encoder-large"):
        load_detector("encoder-large")


def test_unknown_detector_is_named() -> None:
    with pytest.raises(UnknownNameError, match="unknown detector 'encodre'; did you mean 'encoder'"):
        load_detector("encodre")


def _card(folder: Path, change: dict[str, object]) -> None:
    card = json.loads((folder / CARD).read_text(encoding="utf-8"))
    (folder / CARD).write_text(json.dumps(card | change), encoding="utf-8")


def test_damaged_folders_get_one_line_each(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=f"must hold {CARD}"):
        load_encoder(str(tmp_path))
    folder = tmp_path / "d"
    folder.mkdir()
    shutil.copy(SHIPPED / CARD, folder)
    with pytest.raises(FormatError, match=f"must hold {FILES[0]}"):
        load_encoder(str(folder))
    for name in FILES:
        shutil.copy(SHIPPED / name, folder)
    head = folder / "head.npz"
    head.write_bytes(head.read_bytes()[:-1] + b"x")
    with pytest.raises(FormatError, match=r"head\.npz: must have the SHA-256 that card\.json names"):
        load_encoder(str(folder))
    shutil.copy(SHIPPED / "head.npz", folder)
    _card(folder, {"labels": ["ad hominem", "straw man"]})
    with pytest.raises(FormatError, match="must hold a head for 2 labels and one more"):
        load_encoder(str(folder))
    (folder / CARD).write_text("{", encoding="utf-8")
    load_encoder.cache_clear()
    with pytest.raises(FormatError, match="must be a detector's card"):
        load_encoder(str(folder))


def test_the_editorial_of_the_examples_is_read_passage_by_passage(detector: SentenceDetector) -> None:
    text = (Path(__file__).parents[3] / "examples" / "editorial.txt").read_text(encoding="utf-8")
    found = detector.detect(Record("editorial", text)).spans
    # "Councillor Dunn" (ad hominem) and "My neighbour" (false causality) are missed
    expected = {
        "Harbour Street has": "appeal to tradition", "But think": "slippery slope", "The choice": "false dilemma",
        "Everybody": "ad populum", "If you love": "appeal to pity",
    }  # fmt: skip
    right = sum(
        any(text.startswith(words, s.start) and s.label == label for s in found) for words, label in expected.items()
    )
    # processors round a few numbers differently, which may tip one of them
    assert right >= len(expected) - 1
    assert not any(s.start < text.index("The supporters wave") + 20 < s.end for s in found)

"""Heads over n-grams and the shipped encoder: what they learn, keep, cut and refuse."""

from pathlib import Path

import numpy as np
import pytest

from fallax.core.types import GoldSpan, Record
from fallax.detection.systems import load_detector
from fallax.detection.systems.encoder import load_small_encoder
from fallax.detection.systems.ngrams import Ngrams
from fallax.detection.training.stacked import fit_stacked, read_texts, write_stacked
from fallax.errors import FormatError, InputError

_WORDS = ("the town", "a garden", "my cousin", "this road", "the school")
_KINDS = {"Loaded_Language": "a vile rotten scheme", "Doubt": "but can anybody really trust that", "": "opens at nine"}


def _articles() -> list[Record]:
    found = []
    for i in range(12):
        text, gold = "", []
        for k, (label, phrase) in enumerate(_KINDS.items()):
            sentence = f"{_WORDS[(i + k) % 5].capitalize()} near {_WORDS[(i + 2 * k + 1) % 5]} {phrase} on day {i}."
            start = len(text) + sentence.index(phrase)
            if label:
                gold.append(GoldSpan(start, start + len(phrase), (label,)))
            text += sentence + " "
        found.append(Record(f"a{i}", text, tuple(gold)))
    return found


@pytest.fixture(scope="module")
def fitted():  # type: ignore[no-untyped-def]
    texts = read_texts(_articles(), unit="sentence", encoder=load_small_encoder().scorer)  # type: ignore[arg-type]
    return fit_stacked(texts, taxonomy="propaganda18", unit="sentence", name="techniques")


def test_fragments_are_cut_out_of_their_sentences(fitted) -> None:  # type: ignore[no-untyped-def]
    text = "The clerk read the list. The road near the school a vile rotten scheme on day 40."
    found = fitted.detect(Record("x", text), min_confidence=0.2).spans
    (span,) = (s for s in found if s.label == "Loaded_Language" and s.start > 24)
    assert "vile rotten" in text[span.start : span.end]
    assert span.end - span.start < 40
    assert {word for word, _ in fitted.evidence(Record("x", text), span)} & {"vile", "rotten", "scheme"}


def test_a_folder_says_what_was_fitted(fitted, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    write_stacked(fitted, tmp_path)
    read = load_detector(tmp_path)
    record = _articles()[3]
    again, before = read.detect(record).spans, fitted.detect(record).spans
    assert [(s.start, s.end, s.label) for s in again] == [(s.start, s.end, s.label) for s in before]
    assert read.card()["cross_validated"]["texts"] == 12
    (tmp_path / "vocabulary.json").write_text("[]")
    from fallax.detection.systems.stacked import load_stacked

    load_stacked.cache_clear()
    with pytest.raises(FormatError, match="train it again"):
        load_detector(tmp_path)


def test_one_kind_of_label_teaches_nothing() -> None:
    records = [Record(str(i), "It is a scheme.", (GoldSpan(0, 15, ("Doubt",)),)) for i in range(4)]
    texts = read_texts(records, unit="text", encoder=load_small_encoder().scorer)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="two kinds of labels"):
        fit_stacked(texts, taxonomy="propaganda18", unit="text", name="one")


def test_the_card_says_which_labels_have_few_texts_or_none() -> None:
    kinds = {"Doubt": 2, "Loaded_Language": 20, "": 20}
    phrases = {**_KINDS, "": "opens at nine"}
    records = []
    for label, n in kinds.items():
        for i in range(n):
            text = f"{_WORDS[i % 5].capitalize()} {phrases[label]} on day {i}."
            records.append(Record(f"{label}-{i}", text, (GoldSpan(0, len(text), (label,)),) if label else ()))
    texts = read_texts(records, unit="text", encoder=load_small_encoder().scorer)  # type: ignore[arg-type]
    card = fit_stacked(texts, taxonomy="propaganda18", unit="text", name="few").card()
    assert card["texts_by_label"]["Doubt"] == 2
    assert card["texts_by_label"]["Slogans"] == 0
    rare, absent = card["weak_at"].split(";")[1:3]
    assert "Doubt (2)" in rare
    assert "Loaded_Language" not in rare
    assert "11 more" in absent
    assert "Slogans" not in card["labels"]


def test_what_words_say_adds_up() -> None:
    ngrams = Ngrams.of(["you lie now", "you sing now"])
    weight = np.arange(len(ngrams.vocabulary), dtype=float)
    scores = ngrams.word_scores("you lie", weight)
    assert sum(s for _, _, s in scores) == pytest.approx(float((ngrams.matrix(["you lie"]) @ weight)[0]))

"""What a detector shows as its confidence, apart from what it decides by; a plain sentence between two fallacies."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fallax.core.types import Record
from fallax.detection.systems import SentenceDetector, load_encoder
from fallax.detection.systems.decoding import Decoding, spans_of
from fallax.detection.systems.encoder import EncoderScorer, JoinedStates
from fallax.detection.systems.shown import PassageScale
from fallax.detection.training.examples import SentenceExample
from fallax.detection.training.passages import passage_rows
from fallax.errors import InputError

SLOPE = "If we let them close one street, next they will close two, and then the whole town will be shut for ever."
HOMINEM = "You are a drunk and a fool, so nobody should listen to your plan for the schools."


class Told:
    """Probabilities that sentences name, "0.9 straw" of a straw man, else of tu quoque; 0.1 of rain alone."""

    labels: tuple[str, ...] = ("straw man", "tu quoque")

    def __init__(self) -> None:
        self.alone: list[str] = []

    def probabilities(self, sentences: Sequence[str], *, title: str = "") -> npt.NDArray[np.float64]:
        rows = []
        for s in sentences:
            p, which = float(s.split()[-2]), s.split()[-1].rstrip(".")
            if len(sentences) == 1:
                self.alone.append(s)
                p = 0.1 if "rains" in s else p
            rows.append([p, 0.0] if which == "straw" else [0.0, p])
        return np.array(rows)


AS_IT_IS = PassageScale()


def detector(scale: PassageScale = AS_IT_IS, between: float = 0.0) -> SentenceDetector:
    return SentenceDetector(
        "x@1", "mafalda", Told(), Decoding(0.7, change_cost=0.1, relabel_cost=0.1, between=between), {}, scale
    )


@given(
    st.floats(0.05, 8.0), st.floats(-3.0, 3.0), st.floats(0.001, 0.999), st.floats(0.001, 0.999)
)  # fmt: skip
def test_the_scale_keeps_the_order_and_can_be_undone(slope: float, offset: float, p: float, q: float) -> None:
    scale = PassageScale(slope, offset)
    assert scale.shown(0.0) == 0.0
    assert scale.shown(1.0) == 1.0
    assert 0.0 <= scale.shown(p) <= 1.0
    assert (p <= q) == (scale.shown(p) <= scale.shown(q)) or scale.shown(p) == pytest.approx(scale.shown(q))
    assert scale.shown(scale.decided(p)) == pytest.approx(p, abs=1e-6) or scale.decided(p) in (0.0, 1.0)
    assert PassageScale().shown(p) == p == PassageScale().decided(p)


@pytest.mark.parametrize("slope", [0.0, -1.0, float("nan"), float("inf")])
def test_a_scale_must_keep_the_order(slope: float) -> None:
    with pytest.raises(InputError, match="slope must be above 0"):
        PassageScale(slope)


def test_the_scale_changes_what_is_shown_and_not_what_is_flagged() -> None:
    text = "Sky 0.8 straw. Sea 0.2 straw. Ice 0.95 other."
    before = detector().detect(Record("r", text)).spans
    after = detector(PassageScale(1.0, -1.0)).detect(Record("r", text)).spans
    assert [(s.start, s.end, s.label) for s in before] == [(s.start, s.end, s.label) for s in after]
    assert [s.confidence for s in before] == [0.8, 0.95]
    assert [round(s.confidence or 0.0, 3) for s in after] == [0.595, 0.875]


@pytest.mark.parametrize(("least", "kept"), [(0.0, 3), (0.1, 2), (0.5, 2), (0.61, 1), (0.8, 1), (0.88, 0), (1.0, 0)])
def test_the_least_confidence_is_one_that_is_shown(least: float, kept: int) -> None:
    text = "Sky 0.8 straw.\n\nSea 0.2 other.\n\nIce 0.95 straw."
    found = detector(PassageScale(1.0, -1.0)).detect(Record("r", text), min_confidence=least).spans
    assert len(found) == kept
    assert all((s.confidence or 0.0) >= least for s in found)


def test_a_plain_sentence_between_two_fallacies_is_read_alone() -> None:
    text = "Man 0.9 straw. It rains 0.8 straw. Man 0.9 other."
    (one, other) = detector(between=0.3).detect(Record("r", text)).spans
    assert text[one.start : one.end] == "Man 0.9 straw."
    assert text[other.start : other.end] == "Man 0.9 other."
    first = detector().detect(Record("r", text)).spans[0]
    assert text[first.start : first.end] == "Man 0.9 straw. It rains 0.8 straw."
    # the same label on both sides, a word that argues or denies, and nothing flagged on one side: it stays
    for sentence, last in (("It rains", "straw"), ("So it rains", "other"), ("No rains", "other")):
        other_text = f"Man 0.9 straw. {sentence} 0.8 straw. Man 0.9 {last}."
        assert detector(between=0.3).detect(Record("r", other_text)).spans[0].end >= other_text.index("0.8 straw.") + 10
    aside = "Man 0.1 straw. It rains 0.8 straw. Man 0.9 other."
    assert len(detector(between=0.3).detect(Record("r", aside)).spans) == 2
    # whoever asks for every sentence gets every sentence
    assert detector(between=0.3).detect(Record("r", text), min_confidence=0.0).spans[0].end > text.index("rains")


def test_only_a_sentence_between_different_labels_is_asked_about() -> None:
    asked: list[int] = []

    def alone(i: int) -> float:
        asked.append(i)
        return 0.0

    p = np.array([[0.9, 0.0], [0.9, 0.0], [0.0, 0.9], [0.0, 0.9], [0.0, 0.9], [0.1, 0.0]])
    found = spans_of(p, Decoding(0.5, between=0.2), alone=alone)
    assert asked == [1, 2]
    assert [(r.first, r.end) for r in found] == [(0, 1), (3, 5)]
    with pytest.raises(InputError, match=r"between must be in \[0, 1\), got 1.0"):
        Decoding(0.5, between=1.0)


class Counting:
    """An encoder that counts the windows it reads."""

    def __init__(self, model: Any) -> None:
        self._model, self.tokenizer, self.words, self.read = model, model.tokenizer, model.words, 0

    def hidden(self, ids: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        self.read += 1
        found: npt.NDArray[np.float64] = self._model.hidden(ids)
        return found


def test_a_sentence_read_alone_does_not_displace_the_text_it_is_from() -> None:
    shipped = load_encoder().scorer
    assert isinstance(shipped, EncoderScorer)
    assert isinstance(shipped.model, JoinedStates)
    counting: list[Any] = [Counting(m) for m in (shipped.model.first, shipped.model.second)]
    weight, bias = (x.astype(np.float32) for x in (shipped._weight, shipped._bias))
    scorer = EncoderScorer(shipped.labels, JoinedStates(*counting), weight, bias)
    scorer.probabilities([SLOPE, HOMINEM])
    scorer.probabilities([HOMINEM])
    assert [m.read for m in counting] == [2, 2]
    assert dict(scorer.word_effects([SLOPE, HOMINEM], [0]))
    assert [m.read for m in counting] == [2, 2]


def test_passages_of_a_set_weigh_the_same_on_both_sides() -> None:
    def example(sentence: str, flagged: float) -> SentenceExample:
        return SentenceExample(sentence, "", (sentence, "Sea 0.1 straw."), (flagged, 0.0), (1.0, 0.5), ((), ()))

    right, wrong, missed = (
        example("Ice 0.9 straw.", 1.0),
        example("Ice 0.8 straw.", 0.0),
        example("Ice 0.2 straw.", 0.0),
    )
    rows = passage_rows(detector(), {"one": [right, wrong, missed], "only fallacies": [right]})
    assert rows == [(0.9, 1.0, 1.0), (0.8, 0.0, 0.5)]
    stricter = replace(detector(), decoding=Decoding(0.85))
    assert len(passage_rows(stricter, {"one": [right, wrong]})) == 1
    assert len(passage_rows(stricter, {"one": [right, wrong]}, 0.5)) == 2

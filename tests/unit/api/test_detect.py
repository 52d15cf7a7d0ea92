"""fx.detect: the same from Python, sync and async, with and without a loop running."""

import asyncio
from pathlib import Path

import pytest

import fallax as fx
from fallax.core.types import Prediction, Record, Span
from fallax.errors import DetectorError, InputError


class Fixed:
    """A detector that finds what it was told."""

    name = "fixed@1"
    taxonomy = "mafalda"

    def __init__(self, *spans: Span) -> None:
        self.spans = spans

    def detect(self, record: Record, *, min_confidence: float | None = None) -> Prediction:
        least = 0.5 if min_confidence is None else min_confidence
        return Prediction(record.id, tuple(s for s in self.spans if (s.confidence or 0) >= least))

    def evidence(self, record: Record, span: Span, *, limit: int = 5) -> tuple[tuple[str, float], ...]:
        return (("two", 0.25),)

    def card(self) -> dict[str, object]:
        return {}


TEXT = "One two three. Four five."
CAUSE = Span(0, 14, "false causality", 0.9)
SLOPE = Span(15, 25, "slippery slope", 0.6)
WEAK = Span(15, 25, "ad hominem", 0.2)


def test_labels_without_a_counterpart_are_left_out_and_named() -> None:
    found = fx.detect(TEXT, system=Fixed(CAUSE, SLOPE), taxonomy="smartypat")
    assert [(s.label, s.confidence) for s in found.spans] == [("False Cause", 0.9)]
    assert found.notes == ("1 passage of 'slippery slope' left out: 'smartypat' has no label that covers it",)
    assert found.to_dict()["notes"] == list(found.notes)


def test_labels_of_one_place_meet_at_a_coarser_level_with_the_surer_confidence() -> None:
    both = Fixed(SLOPE, Span(15, 25, "false dilemma", 0.8))
    assert fx.detect(TEXT, system=both, level=1).spans == (Span(15, 25, "logic", 0.8),)
    assert len(fx.detect(TEXT, system=both).spans) == 2


def test_how_likely_a_group_is_adds_up_its_labels() -> None:
    both = Fixed(Span(15, 25, "slippery slope", 0.9, 0.42), Span(15, 25, "false dilemma", 0.9, 0.21))
    (logic,) = fx.detect(TEXT, system=both, level=1).spans
    assert (logic.label, logic.confidence) == ("logic", 0.9)
    assert logic.label_confidence == pytest.approx(0.63)
    (any_fallacy,) = fx.detect(TEXT, system=both, level=0).spans
    assert (any_fallacy.label, any_fallacy.label_confidence) == ("fallacy", None)  # there is no other


def test_of_several_labels_of_one_passage_the_likeliest_stands_first() -> None:
    fear, pity = Span(15, 25, "appeal to fear", 0.9, 0.36), Span(15, 25, "appeal to pity", 0.9, 0.6)
    assert fx.detect(TEXT, system=Fixed(fear, pity, CAUSE)).spans == (CAUSE, pity, fear)


def test_min_confidence_reaches_the_detector() -> None:
    assert fx.detect(TEXT, system=Fixed(WEAK)).spans == ()
    assert fx.detect(TEXT, system=Fixed(WEAK), min_confidence=0.1).spans == (WEAK,)


def test_a_span_that_leaves_the_text_is_refused() -> None:
    with pytest.raises(DetectorError, match=r"span 2: must lie inside its text of 25 characters, got 15..26"):
        fx.detect(TEXT, system=Fixed(CAUSE, Span(15, 26, "ad hominem", 0.9)))


def test_an_error_is_raised_on_its_own() -> None:
    with pytest.raises(InputError) as raised:
        fx.detect(TEXT, min_confidence=3)
    assert raised.value.__context__ is None


def test_explanations_stand_beside_their_spans() -> None:
    found = fx.detect(TEXT, system=Fixed(CAUSE, SLOPE), explain=True)
    assert len(found.explanations) == 2
    assert found.explanations[0].evidence == (("two", 0.25),)
    # a form with most of its slots open is left out
    assert found.explanations[0].template == ""
    coarse = fx.detect(TEXT, system=Fixed(SLOPE), explain=True, level=1)
    assert "slippery slope" in coarse.explanations[0].definition


def test_sync_and_async_agree_and_a_running_loop_is_no_obstacle() -> None:
    expected = fx.detect(TEXT, system=Fixed(CAUSE))

    async def inside() -> tuple[object, object]:
        return await fx.adetect(TEXT, system=Fixed(CAUSE)), fx.detect(TEXT, system=Fixed(CAUSE))

    assert asyncio.run(inside()) == (expected, expected)


@pytest.mark.parametrize("text", ["", " ", "\n\n", "."])
def test_texts_without_words_have_no_spans(text: str) -> None:
    assert fx.detect(text).spans == ()


def test_a_detector_and_a_model_exclude_each_other() -> None:
    with pytest.raises(InputError, match="must not both be given"):
        fx.detect(TEXT, system=Fixed(), model="openai/x")


def test_public_names_are_there() -> None:
    for name in fx.__all__:
        assert getattr(fx, name) is not None
    with pytest.raises(AttributeError):
        _ = fx.nothing_of_the_kind


@pytest.mark.parametrize("system", ["encoder", "linear"])
@pytest.mark.parametrize("least", [0.7, 0.9, 0.97, 0.99])
def test_a_higher_min_confidence_leaves_out_what_is_shown_with_less_and_changes_nothing_else(
    system: str, least: float
) -> None:
    text = (Path(__file__).parents[3] / "examples" / "editorial.txt").read_text(encoding="utf-8")
    all_spans = fx.detect(text, system=system).spans
    wanted = tuple(span for span in all_spans if span.confidence is not None and span.confidence >= least)
    assert all_spans
    assert fx.detect(text, system=system, min_confidence=least).spans == wanted

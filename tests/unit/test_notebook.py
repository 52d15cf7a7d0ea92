"""Values in a notebook, as tables and as figures: nothing of a text is HTML, every number is the value's own."""

from html import unescape
from typing import Any

import pytest

import fallax as fx
from fallax.core.types import (
    ArgumentStructure,
    Detection,
    FaithfulnessVerdict,
    GoldSpan,
    Link,
    Prediction,
    Record,
    Span,
    Statement,
    UnitVerdict,
)
from fallax.errors import InputError
from fallax.metrics import SpanMatch
from fallax.notebook import frame_of, html_of
from fallax.plots import plot_agreement, plot_calibration, plot_confusion, reliability

HOSTILE = '"><script>alert(1)</script>'
RECORD = Record("r", f"You lie. {HOSTILE}", (GoldSpan(0, 8, ("ad hominem",)),))
FOUND = Detection(RECORD, Prediction("r", (Span(0, 8, "ad hominem", 0.7, label_confidence=0.4),)), "demo")
VERDICT = FaithfulnessVerdict(
    "j",
    (UnitVerdict(0, 3, "It ", "faithful", probability=0.9), UnitVerdict(5, 5 + len(HOSTILE), HOSTILE, "unfaithful")),
)
STRUCTURE = ArgumentStructure(Statement("Claim", HOSTILE), (Statement("E1", HOSTILE),), (Link(("E1",), ("Claim",)),))
SCORE = SpanMatch().corpus_score(pred=[FOUND.prediction], gold=[RECORD])


@pytest.mark.parametrize(
    "value", [FOUND, VERDICT, STRUCTURE, SCORE, fx.verify(HOSTILE, [HOSTILE])], ids=lambda v: type(v).__name__
)
def test_a_value_shows_itself_and_no_text_is_html(value: Any) -> None:
    shown = value._repr_html_()
    assert "<script" not in shown
    assert 'sandbox=""' in shown or "<iframe" not in shown
    assert shown == html_of(value)
    inner = unescape(shown) if "<iframe" in shown else shown
    assert "<script>alert" not in inner


def test_the_page_in_the_frame_is_the_page_of_the_command() -> None:
    from fallax.detection.view import detections_page

    assert unescape(FOUND._repr_html_().split('srcdoc="')[1].split('"></iframe>')[0]) == detections_page([FOUND])


def test_values_become_tables() -> None:
    pytest.importorskip("pandas")
    frame = FOUND.to_pandas()
    place = {"start": 0, "end": 8, "label": "ad hominem", "text": "You lie."}
    assert frame.to_dict("records") == [
        {**place, "confidence": 0.7, "label_confidence": 0.4, "reported": False}  # of the passage, of its label
    ]
    assert list(Detection(RECORD, Prediction("r"), "demo").to_pandas().columns) == list(frame.columns)
    assert list(VERDICT.to_pandas()["label"]) == ["faithful", "unfaithful"]
    assert STRUCTURE.to_pandas().iloc[0].to_dict() == {"premises": "E1", "conclusion": "Claim"}
    parts = SCORE.to_pandas().set_index("part")
    assert parts.loc["all", "f1"] == 1.0
    assert parts.loc["ad hominem", "n_scored"] == 1


def test_what_has_no_view_says_so() -> None:
    with pytest.raises(InputError, match="got int"):
        html_of(3)
    with pytest.raises(InputError, match="got int"):
        frame_of(3)


def test_bins_hold_what_is_in_them() -> None:
    assert reliability([1.0, 0.0, 0.05], [True, False, True], bins=10) == [(0.025, 0.5, 2), (1.0, 1.0, 1)]
    for bad in (([0.5], []), ([1.5], [True])):
        with pytest.raises(InputError):
            reliability(*bad)


def test_figures_hold_the_numbers() -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    from matplotlib import pyplot

    axes = plot_calibration([0.2, 0.9], [False, True], label="demo")
    assert [tuple(p) for p in axes.collections[0].get_offsets()] == [(0.2, 0.0), (0.9, 1.0)]
    axes = plot_confusion({("a", "a"): 3, ("a", "b"): 1})
    assert [t.get_text() for t in axes.texts] == ["3", "1"]
    report = fx.agree({"ann": {"1": "yes", "2": "no"}, "bob": {"1": "yes", "2": "no"}}, n_resamples=20)
    axes = plot_agreement(report)
    assert "krippendorff_alpha" in [t.get_text() for t in axes.get_yticklabels()]
    pyplot.close("all")

"""Probabilities of sentences to spans: a search that does nothing surprising at its edges."""

import itertools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fallax.core.types import Record
from fallax.detection.systems import SentenceDetector
from fallax.detection.systems.base import RememberingScorer
from fallax.detection.systems.decoding import Decoding, spans_of
from fallax.errors import InputError


@st.composite
def tables(draw: st.DrawFn) -> npt.NDArray[np.float64]:
    n, k = draw(st.integers(1, 8)), draw(st.integers(1, 5))
    rows = [[draw(st.floats(0.001, 1.0)) for _ in range(k + 1)] for _ in range(n)]
    table = np.array(rows)
    found: npt.NDArray[np.float64] = (table / table.sum(axis=1, keepdims=True))[:, :-1]
    return found


@given(tables(), st.floats(0.05, 0.95))
def test_without_costs_each_sentence_is_judged_alone(p: npt.NDArray[np.float64], threshold: float) -> None:
    runs = spans_of(p, Decoding(threshold, change_cost=0.0, relabel_cost=0.0))
    flagged = {i for first, end, _, _ in runs for i in range(first, end)}
    sure = {i for i, x in enumerate(p.sum(axis=1)) if abs(x - threshold) > 1e-9}
    assert flagged & sure == {i for i in sure if p[i].sum() > threshold}
    for first, end, label, confidence in runs:
        assert all(p[i, label] == pytest.approx(p[i].max()) for i in range(first, end))
        assert confidence == pytest.approx(min(1.0, p[first:end].sum(axis=1).max()))


@given(tables(), st.floats(0.05, 0.95), st.floats(0, 5), st.floats(0, 5), st.integers(1, 3))
def test_runs_are_in_order_and_places_do_not_overlap(
    p: npt.NDArray[np.float64], threshold: float, change: float, relabel: float, most: int
) -> None:
    runs = spans_of(p, Decoding(threshold, change, relabel, most_labels=most))
    places = list(dict.fromkeys((first, end) for first, end, _, _ in runs))
    assert places == sorted(places)
    assert all(a[1] <= b[0] for a, b in itertools.pairwise(places))
    assert len({(first, label) for first, _, label, _ in runs}) == len(runs)
    assert all(sum(r[:2] == place for r in runs) <= most for place in places)


@given(tables(), st.floats(0.05, 0.9))
def test_a_higher_threshold_flags_no_more(p: npt.NDArray[np.float64], threshold: float) -> None:
    def flagged(t: float) -> int:
        return sum(end - first for first, end, _, _ in spans_of(p, Decoding(t, 1.0, 0.0, 0.0)))

    assert flagged(threshold + 0.09) <= flagged(threshold)


def test_a_cost_of_change_lets_sentences_near_the_threshold_follow_their_neighbours() -> None:
    p = np.array([[0.9], [0.45], [0.9]])
    assert [r[:2] for r in spans_of(p, Decoding(0.5))] == [(0, 1), (2, 3)]
    assert [r[:2] for r in spans_of(p, Decoding(0.5, change_cost=0.5))] == [(0, 3)]


def test_an_uncertain_label_gives_way_to_the_likelier_group() -> None:
    p = np.array([[0.30, 0.28, 0.27]])
    groups = ("emotion", "logic", "logic")
    assert spans_of(p, Decoding(0.5), groups=groups)[0][2] == 0
    assert spans_of(p, Decoding(0.5, group_weight=1.0), groups=groups)[0][2] == 1


def test_further_labels_are_given_where_that_raises_the_expected_f1() -> None:
    alternatives = Decoding(0.5, most_labels=3)
    assert [r[2] for r in spans_of(np.array([[0.5, 0.3, 0.05]]), alternatives)] == [0, 1]
    assert [r[2] for r in spans_of(np.array([[0.7, 0.2, 0.05]]), alternatives)] == [0]
    assert [r[2] for r in spans_of(np.array([[0.3, 0.29, 0.28]]), alternatives)] == [0, 1, 2]


def test_thresholds_of_nothing_and_of_certainty() -> None:
    p = np.array([[0.0001], [0.9999]])
    assert len(spans_of(p, Decoding(0.5), threshold=0.0)) == 1
    assert spans_of(p, Decoding(0.5), threshold=0.0)[0][:2] == (0, 2)
    assert spans_of(p, Decoding(0.5), threshold=1.0) == ()


def test_a_text_of_one_sentence_has_its_own_threshold() -> None:
    stricter = Decoding(0.3, threshold_alone=0.6)
    assert spans_of(np.array([[0.5]]), stricter) == ()
    assert len(spans_of(np.array([[0.5], [0.0]]), stricter)) == 1
    assert len(spans_of(np.array([[0.5]]), stricter, threshold=0.4)) == 1


def test_no_sentence_no_run() -> None:
    assert spans_of(np.zeros((0, 3)), Decoding(0.5)) == ()


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"threshold": 0.0}, r"threshold must be in \(0, 1\), got 0.0"),
        ({"threshold": 0.5, "change_cost": -1.0}, "change_cost must be 0 or more, got -1.0"),
        ({"threshold": 0.5, "most_labels": 0}, "most_labels must be 1 or more, got 0"),
    ],
)
def test_bad_settings_are_named(values: dict[str, float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Decoding(**values)  # type: ignore[arg-type]


def test_paragraphs_are_decided_apart() -> None:
    p = np.array([[0.9, 0.0], [0.45, 0.0], [0.45, 0.0], [0.0, 0.9]])
    decoding = Decoding(0.5, change_cost=1.0)
    assert [r[:2] for r in spans_of(p, decoding, breaks={2})] == [
        *[r[:2] for r in spans_of(p[:2], decoding)],
        *[(a + 2, b + 2) for a, b, _, _ in spans_of(p[2:], decoding)],
    ]


class Contagious:
    """Every sentence gets the label of the first flagged one of what it is read with."""

    labels: tuple[str, ...] = ("straw man", "tu quoque")

    def __init__(self) -> None:
        self.read: list[tuple[str, ...]] = []

    def probabilities(self, sentences: Sequence[str], *, title: str = "") -> npt.NDArray[np.float64]:
        self.read.append(tuple(sentences))
        first = next((s for s in sentences if "!" in s), "")
        share = [0.9, 0.05] if first.startswith("Man") else [0.05, 0.9]
        return np.array([share if "!" in s else [0.01, 0.01] for s in sentences])


def test_labels_of_a_long_text_do_not_rub_off_on_one_another() -> None:
    text = "Man one! Man two! It rains.\n\nYou one! You two!\n\nYou three! Man four!"
    scorer = Contagious()
    decoding = Decoding(0.5, change_cost=0.5)
    detector = SentenceDetector("x@1", "mafalda", scorer, decoding, {})
    found = detector.detect(Record("r", text))
    assert [(text[s.start : s.end], s.label) for s in found.spans] == [
        ("Man one! Man two!", "straw man"), ("You one! You two!", "tu quoque"), ("You three! Man four!", "tu quoque"),
    ]  # fmt: skip
    assert scorer.read[1:] == [("Man one!", "Man two!"), ("You one!", "You two!"), ("You three!", "Man four!")]
    assert all(s.confidence == pytest.approx(0.95) for s in found.spans)
    whole = replace(detector, decoding=replace(decoding, labels_alone=False)).detect(Record("r", text))
    assert {s.label for s in whole.spans} == {"straw man"}
    scorer.read.clear()
    detector.detect(Record("r", "Man one! Man two!"))
    detector.detect(Record("r", "It rains. It is late."))
    assert len(scorer.read) == 2


def test_a_text_is_read_once_however_often_it_is_asked_for() -> None:
    scorer = Contagious()
    again = RememberingScorer(scorer)
    first = again.probabilities(["Man one!"], title="t")
    assert again.probabilities(["Man one!"], title="t") is first
    again.probabilities(["Man one!"])
    assert len(scorer.read) == 2
    assert again.labels == scorer.labels

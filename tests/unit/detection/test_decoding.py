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
from fallax.detection.systems import SentenceDetector, load_detector
from fallax.detection.systems.base import RememberingScorer
from fallax.detection.systems.decoding import Decoding, Run, may_be_flagged, spans_of
from fallax.errors import InputError


def place(run: Run) -> tuple[int, int]:
    return run.first, run.end


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
    flagged = {i for r in runs for i in range(r.first, r.end)}
    sure = {i for i, x in enumerate(p.sum(axis=1)) if abs(x - threshold) > 1e-9}
    assert flagged & sure == {i for i in sure if p[i].sum() > threshold}
    for r in runs:
        assert all(p[i, r.label] == pytest.approx(p[i].max()) for i in range(r.first, r.end))
        assert r.confidence == pytest.approx(min(1.0, p[r.first : r.end].sum(axis=1).max()))
        assert r.label_confidence == pytest.approx(p[r.first : r.end, r.label].sum() / p[r.first : r.end].sum())


@given(tables(), st.floats(0.05, 0.95), st.floats(0, 5), st.floats(0, 5), st.integers(1, 3))
def test_runs_are_in_order_and_places_do_not_overlap(
    p: npt.NDArray[np.float64], threshold: float, change: float, relabel: float, most: int
) -> None:
    runs = spans_of(p, Decoding(threshold, change, relabel, most_labels=most))
    places = list(dict.fromkeys(place(r) for r in runs))
    assert places == sorted(places)
    assert all(a[1] <= b[0] for a, b in itertools.pairwise(places))
    assert len({(r.first, r.label) for r in runs}) == len(runs)
    assert all(sum(place(r) == there for r in runs) <= most for there in places)


@given(tables(), st.floats(0.05, 0.9))
def test_a_higher_threshold_flags_no_more(p: npt.NDArray[np.float64], threshold: float) -> None:
    def flagged(t: float) -> int:
        return sum(r.end - r.first for r in spans_of(p, Decoding(t, 1.0, 0.0, 0.0)))

    assert flagged(threshold + 0.09) <= flagged(threshold)


@given(tables(), st.floats(0.1, 0.9), st.integers(0, 2**32 - 1), st.booleans())
def test_where_nothing_can_be_flagged_labels_change_nothing(
    p: npt.NDArray[np.float64], threshold: float, seed: int, quoted: bool
) -> None:
    rng = np.random.default_rng(seed)
    decoding = Decoding(threshold, change_cost=0.3, relabel_cost=0.7, group_weight=0.4, most_labels=2)
    silent = {0} if quoted else set()
    wanted = may_be_flagged(np.minimum(p.sum(axis=1), 1.0), decoding, silent=silent)
    other = p.copy()
    for i in np.flatnonzero(~wanted):
        share = rng.random((p.shape[1],))
        other[i] = float(np.sum(p[i])) * share / share.sum()
    groups = ["a", *"b" * (p.shape[1] - 1)]
    found, again = (spans_of(x, decoding, groups=groups, silent=silent) for x in (p, other))
    assert [(r.first, r.end, r.label) for r in found] == [(r.first, r.end, r.label) for r in again]
    assert all(wanted[r.first : r.end].all() for r in found)


def test_a_cost_of_change_lets_sentences_near_the_threshold_follow_their_neighbours() -> None:
    p = np.array([[0.9], [0.45], [0.9]])
    assert [place(r) for r in spans_of(p, Decoding(0.5))] == [(0, 1), (2, 3)]
    assert [place(r) for r in spans_of(p, Decoding(0.5, change_cost=0.5))] == [(0, 3)]


def test_an_uncertain_label_gives_way_to_the_likelier_group() -> None:
    p = np.array([[0.30, 0.28, 0.27]])
    groups = ("emotion", "logic", "logic")
    assert spans_of(p, Decoding(0.5), groups=groups)[0].label == 0
    assert spans_of(p, Decoding(0.5, group_weight=1.0), groups=groups)[0].label == 1


def test_further_labels_are_given_where_that_raises_the_expected_f1() -> None:
    alternatives = Decoding(0.5, most_labels=3)
    assert [r.label for r in spans_of(np.array([[0.5, 0.3, 0.05]]), alternatives)] == [0, 1]
    assert [r.label for r in spans_of(np.array([[0.7, 0.2, 0.05]]), alternatives)] == [0]
    assert [r.label for r in spans_of(np.array([[0.3, 0.29, 0.28]]), alternatives)] == [0, 1, 2]


def test_thresholds_of_nothing_and_of_certainty() -> None:
    p = np.array([[0.0001], [0.9999]])
    assert len(spans_of(p, Decoding(0.5), threshold=0.0)) == 1
    assert place(spans_of(p, Decoding(0.5), threshold=0.0)[0]) == (0, 2)
    assert spans_of(p, Decoding(0.5), threshold=1.0) == ()


def test_a_text_of_one_sentence_has_its_own_threshold() -> None:
    stricter = Decoding(0.3, threshold_alone=0.6)
    assert spans_of(np.array([[0.5]]), stricter) == ()
    assert len(spans_of(np.array([[0.5], [0.0]]), stricter)) == 1
    assert len(spans_of(np.array([[0.5]]), stricter, threshold=0.4)) == 1
    assert len(spans_of(np.array([[0.5]]), stricter, plain=False)) == 1


STATEMENTS = (
    "Diesel cars emit more soot than petrol cars.",
    "Petrol cars are dirtier than electric cars.",
    "Smokers die younger than non-smokers.",
    "Most people in the town vote for the mayor.",
    "The old mill has stood here for three centuries.",
    "Solar panels work less well in winter.",
    "Natural fibres breathe better than plastic ones.",
)


def test_a_lone_statement_that_argues_nothing_is_not_flagged() -> None:
    detector = load_detector("encoder")
    assert isinstance(detector, SentenceDetector)
    without = replace(detector, decoding=replace(detector.decoding, threshold_alone=0.0))
    records = [Record("a", text) for text in STATEMENTS]
    assert [r.text for r in records if detector.detect(r).spans] == []
    assert any(without.detect(r).spans for r in records), "with the threshold of longer texts"


def test_a_lone_sentence_that_argues_is_flagged() -> None:
    (span,) = load_detector("encoder").detect(Record("a", "Everybody buys it, so it must be good.")).spans
    assert span.label == "ad populum"


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


@given(tables(), st.floats(0.05, 0.95), st.sets(st.integers(1, 7)))
def test_paragraphs_cut_runs_and_change_no_label(
    p: npt.NDArray[np.float64], threshold: float, breaks: set[int]
) -> None:
    decoding = Decoding(threshold, change_cost=1.0, relabel_cost=2.0, most_labels=2)

    def labels(runs: Sequence[Run]) -> set[tuple[int, int]]:
        return {(i, r.label) for r in runs for i in range(r.first, r.end)}

    cut = spans_of(p, decoding, breaks=breaks)
    assert labels(cut) == labels(spans_of(p, decoding))
    assert not any(r.first < b < r.end for r in cut for b in breaks)


def test_what_is_silent_is_not_flagged_and_divides() -> None:
    p = np.array([[0.9], [0.9], [0.9]])
    assert [place(r) for r in spans_of(p, Decoding(0.5), silent={1})] == [(0, 1), (2, 3)]


def test_what_is_silent_changes_nothing_beside_it() -> None:
    decoding = Decoding(0.7, change_cost=1.0)
    alone = spans_of(np.array([[0.8]]), decoding)
    for beside in (0.0, 0.9):
        p = np.array([[beside], [0.8], [beside], [beside]])
        found = spans_of(p, decoding, silent={0, 2, 3})
        assert [place(r) for r in found] == [(1, 2)]
        assert found[0].confidence == alone[0].confidence
    assert spans_of(np.array([[0.1], [0.8], [0.1]]), decoding) == ()
    between = spans_of(np.array([[0.1], [0.1], [0.8], [0.1], [0.1]]), decoding, silent={1, 3})
    assert [place(r) for r in between] == [(2, 3)]
    behind = spans_of(np.array([[0.65], [0.1], [0.99]]), decoding, silent={1})
    assert [place(r) for r in behind] == [(2, 3)]


class Shouted:
    """A sentence with "!" is a fallacy: a straw man if it names a man, else tu quoque."""

    labels: tuple[str, ...] = ("straw man", "tu quoque")

    def __init__(self) -> None:
        self.read: list[tuple[str, ...]] = []

    def probabilities(self, sentences: Sequence[str], *, title: str = "") -> npt.NDArray[np.float64]:
        self.read.append(tuple(sentences))
        shares = [[0.9, 0.05] if s.startswith("Man") else [0.05, 0.9] for s in sentences]
        return np.array([share if "!" in s else [0.01, 0.01] for s, share in zip(sentences, shares, strict=True)])


def test_each_sentence_keeps_its_label_in_any_paragraphs() -> None:
    detector = SentenceDetector("x@1", "mafalda", Shouted(), Decoding(0.5, change_cost=0.5), {})
    one = "Man one! Man two! It rains. You one! Man four!"
    found = detector.detect(Record("r", one))
    assert [(one[s.start : s.end], s.label) for s in found.spans] == [
        ("Man one! Man two!", "straw man"), ("You one!", "tu quoque"), ("Man four!", "straw man"),
    ]  # fmt: skip
    assert found.spans[0].confidence == pytest.approx(0.95)
    assert found.spans[0].label_confidence == pytest.approx(0.9 / 0.95)
    many = one.replace("! ", "!\n\n").replace(". ", ".\n\n")
    assert [(many[s.start : s.end], s.label) for s in detector.detect(Record("r", many)).spans] == [
        ("Man one!", "straw man"), ("Man two!", "straw man"), ("You one!", "tu quoque"), ("Man four!", "straw man"),
    ]  # fmt: skip


def test_headings_code_tables_and_quotes_are_not_flagged() -> None:
    detector = SentenceDetector("x@1", "mafalda", Shouted(), Decoding(0.5), {})
    text = "# Man!\n\n> Man one!\n\nYou one!\n```\nMan two!\n```\n| Man! | You! |\n[Man!](x) [You!](y)\n"
    assert [text[s.start : s.end] for s in detector.detect(Record("r", text)).spans] == ["You one!"]
    blocks = [[0, 4, "heading"], [5, 13, "prose"], [14, 22, "prose"], [23, 31, "quote"]]
    page = Record("r", "Man!\nMan one!\nMan two!\nMan six!", meta={"blocks": blocks})
    assert [page.text_of(s) for s in detector.detect(page).spans] == ["Man one!", "Man two!"]


def test_what_somebody_else_said_is_marked() -> None:
    detector = SentenceDetector("x@1", "mafalda", Shouted(), Decoding(0.5), {})
    spans = detector.detect(Record("r", "“You lie!” the mayor said!\n\nYou lie!")).spans
    assert [s.reported for s in spans] == [True, False]


def test_a_text_is_read_once_however_often_it_is_asked_for() -> None:
    scorer = Shouted()
    again = RememberingScorer(scorer)
    first = again.probabilities(["Man one!"], title="t")
    assert again.probabilities(["Man one!"], title="t") is first
    again.probabilities(["Man one!"])
    assert len(scorer.read) == 2
    assert again.labels == scorer.labels

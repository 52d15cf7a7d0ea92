"""SpanMatch: hand-made cases per mode, and the assignment against every possible one."""

import itertools
import random

import pytest

from fallax.core.types import NO_FALLACY, GoldSpan, Prediction, Record, Score, Span
from fallax.metrics import SpanMatch

Gold = list[tuple[int, int, tuple[str, ...]]]
Pred = list[tuple[int, int, str]]


def score(metric: SpanMatch, pred: Pred, gold: Gold) -> Score:
    record = Record("r", "x" * 60, tuple(GoldSpan(*g) for g in gold))
    return metric.record_score(pred=Prediction("r", tuple(Span(*p) for p in pred)), gold=record)


# Gold A at 0..10 and B at 20..30; predictions: same place and label, same place, overlap with label, overlap, nothing.
@pytest.mark.parametrize(
    ("pred", "credits"),
    [
        #                         strict exact partial type overlap
        ((0, 10, "A"), (1, 1, 1, 1, 1)),
        ((0, 10, "B"), (0, 1, 1, 0, 1)),
        ((2, 12, "A"), (0, 0, 0.5, 1, 1)),
        ((2, 12, "B"), (0, 0, 0.5, 0, 1)),
        ((10, 20, "A"), (0, 0, 0, 0, 0)),
        ((5, 25, "B"), (0, 0, 0.5, 1, 1)),
    ],
)
def test_modes_by_hand(pred: tuple[int, int, str], credits: tuple[float, ...]) -> None:
    gold: Gold = [(0, 10, ("A",)), (20, 30, ("B",))]
    for mode, credit in zip(("strict", "exact", "partial", "type", "overlap"), credits, strict=True):
        found = score(SpanMatch(mode=mode), [pred], gold)  # type: ignore[arg-type]
        assert found.sums == {"hits": credit, "n_pred": 1, "n_gold": 2}, mode
        assert found["precision"] == credit
        assert found["recall"] == credit / 2
        assert found["f1"] == pytest.approx(2 * credit / 3)


def test_greedy_matching_in_file_order_would_lose_a_match() -> None:
    # 0..30 meets both gold spans, 0..10 only the first; taking the first that fits leaves 0..10 alone.
    pred: Pred = [(0, 30, "A"), (0, 9, "A")]
    gold: Gold = [(0, 10, ("A",)), (20, 30, ("A",))]
    for order in itertools.permutations(pred):
        assert score(SpanMatch(mode="type"), list(order), gold)["f1"] == 1.0


def test_partial_prefers_whole_credit_over_more_pairs_of_equal_worth() -> None:
    # One exact match (1) beats one half match; two halves (1/2 + 1/2) equal it, so the total is 1 either way.
    found = score(SpanMatch(mode="partial"), [(0, 10, "A"), (5, 15, "A")], [(0, 10, ("A",))])
    assert found.sums["hits"] == 1


def test_one_gold_span_matches_once() -> None:
    found = score(SpanMatch(mode="overlap"), [(0, 5, "A"), (5, 10, "A")], [(0, 10, ("A",))])
    assert found.sums == {"hits": 1, "n_pred": 2, "n_gold": 1}


def test_any_alternative_matches() -> None:
    for label in "AB":
        assert score(SpanMatch(), [(0, 10, label)], [(0, 10, ("A", "B"))])["f1"] == 1.0
    assert score(SpanMatch(), [(0, 10, "C")], [(0, 10, ("A", "B"))])["f1"] == 0.0


def test_all_labels_of_a_span_are_spans_of_their_own() -> None:
    gold: Gold = [(0, 10, ("A", "B")), (20, 30, ("A", NO_FALLACY))]
    found = score(SpanMatch(alternatives="all"), [(0, 10, "A"), (0, 10, "B")], gold)
    assert found.sums == {"hits": 2, "n_pred": 2, "n_gold": 3}
    assert found.parts["label"]["A"].sums == {"hits": 1, "n_pred": 1, "n_gold": 2}


def test_a_span_that_may_be_no_fallacy_costs_nothing_when_missed() -> None:
    gold: Gold = [(0, 10, ("A", NO_FALLACY)), (20, 30, ("A",))]
    assert score(SpanMatch(), [(20, 30, "A")], gold).values == {"precision": 1.0, "recall": 1.0, "f1": 1.0}
    assert score(SpanMatch(), [(0, 10, "A")], gold).values == {
        "precision": 1.0,
        "recall": 0.5,
        "f1": pytest.approx(2 / 3),
    }
    assert score(SpanMatch(), [], gold).sums["n_gold"] == 1


def test_a_mandatory_span_is_matched_before_an_optional_one() -> None:
    gold: Gold = [(0, 10, ("A", NO_FALLACY)), (5, 15, ("A",))]
    for pred in ([(6, 9, "A")], [(6, 9, "A"), (40, 41, "A")]):
        assert score(SpanMatch(mode="type"), pred, gold).sums["n_gold"] == 1


def test_of_equal_matchings_the_one_with_fewest_optional_spans_counts() -> None:
    # Both predictions meet all three; matched with the mandatory two, the optional one is not missed.
    gold: Gold = [(0, 10, ("A", NO_FALLACY)), (5, 15, ("A",)), (5, 20, ("A",))]
    found = score(SpanMatch(mode="type"), [(6, 9, "A"), (7, 9, "A")], gold)
    assert found.sums == {"hits": 2, "n_pred": 2, "n_gold": 2}


def test_a_span_that_can_only_be_no_fallacy_is_no_span() -> None:
    found = score(SpanMatch(mode="overlap"), [(0, 10, "A")], [(0, 10, (NO_FALLACY,))])
    assert found.values == {"precision": 0.0, "recall": None, "f1": 0.0}


def test_nothing_to_divide_by_is_undefined() -> None:
    assert score(SpanMatch(), [], []).values == {"precision": None, "recall": None, "f1": None}
    assert score(SpanMatch(), [], [(0, 1, ("A",))]).values == {"precision": None, "recall": 0.0, "f1": 0.0}


def test_macro_is_the_mean_over_labels() -> None:
    pred: Pred = [(0, 10, "A"), (20, 30, "A"), (40, 50, "C")]
    gold: Gold = [(0, 10, ("A",)), (20, 30, ("B",))]
    found = score(SpanMatch(average="macro"), pred, gold)
    # A: P 1/2, R 1, F1 2/3; B: never predicted, R 0; C: never gold, P 0.
    assert found["precision"] == pytest.approx(0.5 / 3)
    assert found["recall"] == pytest.approx(1 / 3)
    assert found["f1"] == pytest.approx(2 / 9)
    assert found.parts["label"]["A"]["f1"] == pytest.approx(2 / 3)
    assert found.parts["label"]["B"].values == {"precision": None, "recall": 0.0, "f1": 0.0}


def test_one_label_is_not_blamed_where_another_may_be_right() -> None:
    found = score(SpanMatch(), [(0, 10, "A")], [(0, 10, ("A", "B"))])
    assert list(found.parts["label"]) == ["A"]


def brute(metric: SpanMatch, pred: Pred, gold: Gold) -> tuple[float, int]:
    """Greatest credit and, with it, the fewest gold spans that count, over every injective assignment."""

    def credit(p: tuple[int, int, str], g: tuple[int, int, tuple[str, ...]]) -> float:
        same = p[:2] == g[:2]
        overlap = min(p[1], g[1]) > max(p[0], g[0])
        label = p[2] in g[2]
        return {
            "strict": float(same and label),
            "exact": float(same),
            "partial": 1.0 if same else 0.5 * overlap,
            "type": float(overlap and label),
            "overlap": float(overlap),
        }[metric.mode]

    gold = [g for g in gold if g[2] != (NO_FALLACY,)]
    best = (0.0, 0)
    slots: list[int | None] = [*range(len(gold)), *[None] * len(pred)]
    for chosen in set(itertools.permutations(slots, len(pred))):
        total, optional = 0.0, 0
        for p, j in zip(pred, chosen, strict=True):
            if j is not None and (c := credit(p, gold[j])):
                total += c
                optional += NO_FALLACY in gold[j][2]
        best = max(best, (total, -optional))
    return best[0], sum(NO_FALLACY not in g[2] for g in gold) - best[1]


@pytest.mark.parametrize("mode", ["strict", "exact", "partial", "type", "overlap"])
def test_the_assignment_is_optimal(mode: str) -> None:
    random_ = random.Random(11)
    metric = SpanMatch(mode=mode)  # type: ignore[arg-type]
    pools: tuple[tuple[str, ...], ...] = (("A",), ("B",), ("A", "B"), ("A", NO_FALLACY), (NO_FALLACY,))
    for _ in range(60):
        places = [(s, s + random_.choice((2, 4, 6))) for s in random_.choices(range(8), k=3)]
        pred = sorted({(*random_.choice(places), random_.choice("AB")) for _ in range(random_.randrange(4))})
        gold = [(*place, random_.choice(pools)) for place in sorted(set(random_.choices(places, k=3)))]
        found = score(metric, pred, gold)
        assert (found.sums["hits"], found.sums["n_gold"]) == brute(metric, pred, gold)


def test_many_spans_in_one_text() -> None:
    # A chain in which every prediction meets two gold spans; all can be matched.
    n = 400
    gold = Record("r", "x" * (10 * n + 10), tuple(GoldSpan(10 * i, 10 * i + 10, ("A",)) for i in range(n)))
    pred = Prediction("r", tuple(Span(10 * i + 5, 10 * i + 15, "A") for i in range(n)))
    found = SpanMatch(mode="type").record_score(pred=pred, gold=gold)
    assert found["f1"] == 1.0

"""Intervals and paired tests against what can be worked out exactly."""

import itertools
import math
import random

import pytest
from scipy.stats import binom

from fallax.core.types import GoldSpan, Prediction, Record, Score, Signature, Span
from fallax.errors import InputError, UnknownNameError
from fallax.metrics import FLC, Classification, SpanMatch, bootstrap_interval, paired_test


def accuracy(right: int, n: int) -> Score:
    return Classification().corpus_score(pred=["a"] * right + ["b"] * (n - right), gold=["a"] * n)


def test_interval_of_a_proportion_is_that_of_the_binomial() -> None:
    n, right = 200, 130
    found = bootstrap_interval(accuracy(right, n), "accuracy", seed=1)
    assert found.value == 0.65
    low, high = (binom.ppf(q, n, right / n) / n for q in (0.025, 0.975))
    assert found.low == pytest.approx(low, abs=1.01 / n)
    assert found.high == pytest.approx(high, abs=1.01 / n)
    assert (found.n_records, found.n_resamples, found.n_undefined, found.seed) == (n, 10_000, 0, 1)


def test_a_seed_repeats_the_interval_whatever_the_order_of_the_records() -> None:
    gold = {str(i): "a" for i in range(30)}
    pred = {i: "a" if int(i) % 3 else "b" for i in gold}
    one = Classification().corpus_score(pred=pred, gold=gold)
    two = Classification().corpus_score(pred=dict(reversed(pred.items())), gold=dict(reversed(gold.items())))
    a, b = (bootstrap_interval(s, "macro_f1", seed=5, n_resamples=300) for s in (one, two))
    assert a == b
    assert a != bootstrap_interval(one, "macro_f1", seed=6, n_resamples=300)


def test_a_score_from_json_gives_the_same_interval() -> None:
    score = accuracy(5, 9)
    again = Score.from_dict(score.to_dict(records=True))
    assert bootstrap_interval(again, "accuracy", n_resamples=50) == bootstrap_interval(
        score, "accuracy", n_resamples=50
    )


def spans(*hits: bool) -> Score:
    """One record per flag: a gold span, found or not; the last record has neither."""
    gold = [Record(str(i), "x" * 9, (GoldSpan(0, 4, ("A",)),)) for i in range(len(hits))]
    pred = [Prediction(str(i), (Span(0, 4, "A"),) if hit else ()) for i, hit in enumerate(hits)]
    return FLC().corpus_score(pred=pred, gold=gold)


def test_undefined_resamples_are_counted_and_left_out() -> None:
    from fallax.metrics import FallacyDetection

    gold = [Record("p", "x", (GoldSpan(0, 1, ("A",)),)), Record("n", "x", ())]
    score = FallacyDetection().corpus_score(pred=[Prediction("p", (Span(0, 1, "A"),)), Prediction("n")], gold=gold)
    found = bootstrap_interval(score, "recall", seed=2, n_resamples=4_000)
    # Recall is undefined when the clean record is drawn twice: 1 in 4.
    assert found.n_undefined / 4_000 == pytest.approx(0.25, abs=0.03)
    assert (found.low, found.high) == (1.0, 1.0)


def test_a_part_is_resampled_over_all_records() -> None:
    gold = [Record("1", "x" * 9, (GoldSpan(0, 4, ("A",)),)), Record("2", "x" * 9, (GoldSpan(0, 4, ("B",)),))]
    score = FLC().corpus_score(pred=[Prediction("1", (Span(0, 4, "A"),)), Prediction("2")], gold=gold)
    found = bootstrap_interval(score, "recall", part=("label", "A"), n_resamples=2_000)
    assert found.value == 1.0
    assert found.n_records == 2
    # A quarter of the resamples has no A; nothing was scored of it there.
    assert found.n_undefined / 2_000 == pytest.approx(0.25, abs=0.04)
    with pytest.raises(UnknownNameError, match="unknown label 'Z'"):
        bootstrap_interval(score, "recall", part=("label", "Z"))
    with pytest.raises(UnknownNameError, match="kind of part"):
        bootstrap_interval(score, "recall", part=("labels", "A"))


def test_randomisation_agrees_with_every_possible_swap() -> None:
    gold = ["a"] * 8
    one, two = ["a"] * 7 + ["b"], ["a", "a", "b", "b", "b", "a", "b", "a"]
    a, b = (Classification().corpus_score(pred=p, gold=gold) for p in (one, two))
    gaps = [(x == "a") - (y == "a") for x, y in zip(one, two, strict=True)]
    seen = sum(gaps)
    extreme = [
        abs(sum(s * g for s, g in zip(signs, gaps, strict=True))) >= abs(seen)
        for signs in itertools.product((1, -1), repeat=8)
    ]
    exact = sum(extreme) / len(extreme)
    found = paired_test(a, b, "accuracy", seed=3)
    assert found.difference == seen / 8
    assert (found.p_value, found.is_exact) == (exact, True)
    drawn = paired_test(a, b, "accuracy", seed=3, n_resamples=127)  # one fewer than there are pairs of opposite swaps
    assert drawn.p_value == pytest.approx(exact, abs=0.15)
    assert not drawn.is_exact
    assert found.low is not None
    assert found.high is not None
    assert found.low <= seen / 8 <= found.high


def test_equal_systems_do_not_differ() -> None:
    score = spans(True, False, True, True)
    found = paired_test(score, score, "f1", n_resamples=200)
    assert (found.difference, found.low, found.high, found.p_value) == (0.0, 0.0, 0.0, 1.0)


def test_the_two_methods_agree_on_a_clear_difference() -> None:
    a, b = accuracy(95, 100), accuracy(60, 100)
    for method in ("randomisation", "bootstrap"):
        found = paired_test(a, b, "accuracy", n_resamples=2_000, method=method)
        assert found.p_value == pytest.approx(1 / 2_001)
        assert found.method == method


def test_swapping_the_systems_turns_the_sign() -> None:
    a, b = accuracy(9, 12), accuracy(6, 12)
    one, two = (paired_test(x, y, "accuracy", n_resamples=500, seed=4) for x, y in ((a, b), (b, a)))
    assert one.p_value == two.p_value
    assert one.difference == 0.25
    assert two.difference == -0.25
    assert None not in (one.low, one.high, two.low, two.high)
    assert (one.low, one.high) == pytest.approx((-two.high, -two.low))  # type: ignore[operator]


@pytest.mark.parametrize("n_resamples", [40, 63, 64, 100, 1_000])
def test_no_p_value_is_below_what_the_records_allow(n_resamples: int) -> None:
    """Also where there are nearly as many resamples as swaps, and not where the sums of large numbers round."""
    n = 7
    drawn = {paired_test(accuracy(n, n), accuracy(0, n), "accuracy", n_resamples=n_resamples, seed=s).p_value
             for s in range(40)}  # fmt: skip
    assert min(p for p in drawn if p is not None) >= 2 / 2**n
    if n_resamples >= 64:
        assert drawn == {2 / 2**n}
    rng = random.Random(3)
    tokens = [rng.uniform(0, 1e6) for _ in range(n)]
    large, less = (
        Score("m", "mean", {"tokens": math.fsum(v), "n": n}, Signature({}, n),
              {str(i): {"tokens": x, "n": 1} for i, x in enumerate(v)})
        for v in (tokens, [x - rng.uniform(1, 2) for x in tokens])
    )  # fmt: skip
    assert paired_test(large, less, "tokens", n_resamples=64).p_value == 2 / 2**n


def test_paired_test_needs_the_same_records_gold_and_metric() -> None:
    with pytest.raises(InputError, match="same records, only one has: '4'"):
        paired_test(accuracy(3, 5), accuracy(3, 4), "accuracy")
    other = Classification().corpus_score(pred=["a"] * 4, gold=["b"] * 4)
    with pytest.raises(InputError, match="data hashes differ"):
        paired_test(accuracy(3, 4), other, "accuracy")
    with pytest.raises(InputError, match="one metric"):
        paired_test(accuracy(1, 1), spans(True), "f1")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_resamples": 0}, "at least 1, got 0"),
        ({"level": 95}, "0.95 means 95 %"),
        ({"seed": -1}, "seed must be"),
        ({"seed": 1.5}, "seed must be"),
    ],
)
def test_bootstrap_says_what_is_wrong(settings: dict[str, float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        bootstrap_interval(accuracy(1, 2), "accuracy", **settings)  # type: ignore[arg-type]


def test_bootstrap_needs_the_records() -> None:
    bare = Score.from_dict(accuracy(1, 2).to_dict())
    with pytest.raises(InputError, match="got 0 for 2 scored records"):
        bootstrap_interval(bare, "accuracy")
    with pytest.raises(UnknownNameError, match="measure"):
        bootstrap_interval(accuracy(1, 2), "acuracy")


def test_results_print_and_become_json() -> None:
    interval = bootstrap_interval(accuracy(2, 2), "accuracy", n_resamples=10)
    assert str(interval) == "accuracy=1.000 [1.000, 1.000]"
    assert interval.to_dict()["seed"] == 0
    test = paired_test(accuracy(2, 2), accuracy(2, 2), "accuracy", n_resamples=10)
    assert str(test) == "accuracy: +0.000 [+0.000, +0.000], p=1.0000"
    assert test.to_dict()["n_records"] == 2


def test_a_paired_test_swaps_groups_and_of_one_group_nothing_is_known() -> None:
    gold = ["a"] * 12
    right, wrong = (Classification().corpus_score(pred=p, gold=gold) for p in (gold, ["b"] * 12))
    alone = paired_test(right, wrong, "accuracy", seed=1)
    assert alone.p_value is not None
    assert alone.p_value < 0.01
    three = {str(i): str(i % 3) for i in range(12)}
    grouped = paired_test(right, wrong, "accuracy", seed=1, groups=three)
    # all three are swapped, or none is: in 2 of 8 cases
    assert grouped.p_value == 0.25
    assert grouped.n_records == 3
    one = dict.fromkeys(three, "d")
    assert paired_test(right, wrong, "accuracy", groups=one).p_value is None
    interval = bootstrap_interval(right, "accuracy", groups=one)
    assert (interval.value, interval.low, interval.high) == (1.0, None, None)


def test_nothing_is_known_from_one_record() -> None:
    right, wrong = (Classification().corpus_score(pred=[p], gold=["a"]) for p in "ab")
    found = bootstrap_interval(right, "accuracy", n_resamples=50)
    assert (found.value, found.low, found.high, found.n_records) == (1.0, None, None, 1)
    test = paired_test(right, wrong, "accuracy", n_resamples=50)
    assert (test.difference, test.low, test.high, test.p_value) == (1.0, None, None, None)


def test_nothing_is_known_of_a_part_in_one_record_or_group() -> None:
    gold = [Record(str(i), "You lie.", (GoldSpan(0, 8, (label,)),)) for i, label in enumerate("aabb")]
    pred = [Prediction(str(i), (Span(0, 8, label),)) for i, label in enumerate("abbb")]
    score = SpanMatch().corpus_score(pred=pred, gold=gold)
    groups = {"0": "one", "1": "one"}
    for part, known, known_grouped in (("a", True, False), ("b", True, True)):
        for by, is_known in ((None, known), (groups, known_grouped)):
            found = bootstrap_interval(score, "f1", part=("label", part), groups=by, n_resamples=200)
            assert (found.value is not None, found.low is not None) == (True, is_known)
            test = paired_test(score, score, "f1", part=("label", part), groups=by, n_resamples=200)
            assert (test.difference, test.low is not None, test.p_value is not None) == (0, is_known, is_known)

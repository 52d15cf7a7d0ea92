"""Coefficients of agreement against published examples and independent implementations."""

import math
from typing import Literal

import krippendorff
import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from fallax.errors import InputError
from fallax.metrics.agreement import (
    AnnotatedUnit,
    Continuum,
    RatingTable,
    agreement_of,
    label_confusion,
    mafalda_table,
    pair_agreement,
    unitizing_alpha,
)

N = None
#: Four raters, twelve subjects, five categories: the example of irrCAC 0.4.4 (raw_4raters; Gwet 2014, table 2.10).
FOUR_RATERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, N, N, N],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, N, N],
    [N, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 3],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, N],
]


def table(rows: list[list[float | None]]) -> RatingTable:
    return RatingTable.of({f"r{i}": {str(j): v for j, v in enumerate(row)} for i, row in enumerate(rows)})


def test_irrcac_example() -> None:
    found = agreement_of(table(FOUR_RATERS), n_resamples=0)  # type: ignore[arg-type]
    assert found["fleiss_kappa"].value == pytest.approx(0.76117, abs=5e-6)
    assert found["gwet_ac"].value == pytest.approx(0.77544, abs=5e-6)
    assert found["krippendorff_alpha"].value == pytest.approx(0.74342, abs=5e-6)


def test_fleiss_example_of_the_handbook() -> None:
    # 14 raters, 10 subjects, 5 categories: the worked example of statsmodels' documentation and of Fleiss (1971) style
    counts = [
        [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
        [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
    ]  # fmt: skip
    rows = np.array([[k for k, c in enumerate(row) for _ in range(c)] for row in counts]).T
    found = agreement_of(table(rows.astype(float).tolist()), n_resamples=0)
    assert found["fleiss_kappa"].value == pytest.approx(0.20993070442195522, abs=1e-12)


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_alpha_equals_the_package_krippendorff_with_gaps(level: Literal["nominal", "ordinal", "interval"]) -> None:
    rng = np.random.default_rng(3)
    rows = rng.integers(1, 6, (4, 40)).astype(float)
    rows[1] = np.where(rng.random(40) < 0.6, rows[0], rows[1])
    rows[rng.random(rows.shape) < 0.2] = np.nan
    mine = table([[None if math.isnan(v) else v for v in row] for row in rows.tolist()])
    found = agreement_of(mine, level=level, n_resamples=100)["krippendorff_alpha"]
    assert found.value == pytest.approx(krippendorff.alpha(rows, level_of_measurement=level), abs=1e-12)
    assert None not in (found.low, found.value, found.high)
    assert sorted((found.low, found.value, found.high)) == [found.low, found.value, found.high]  # type: ignore[type-var]


@pytest.mark.parametrize(("level", "weights"), [("nominal", None), ("interval", "quadratic"), ("ordinal", "quadratic")])
def test_kappa_equals_scikit_learn(level: Literal["nominal", "ordinal", "interval"], weights: str | None) -> None:
    rng = np.random.default_rng(5)
    a = rng.integers(0, 4, 60)
    b = np.where(rng.random(60) < 0.5, a, rng.integers(0, 4, 60))
    mine = table([a.astype(float).tolist(), b.astype(float).tolist()])
    found = agreement_of(mine, level=level, n_resamples=0)["cohen_kappa"].value
    assert found == pytest.approx(cohen_kappa_score(a, b, weights=weights), abs=1e-12)


def test_an_interval_is_that_of_a_loop_over_drawn_items() -> None:
    rng = np.random.default_rng(5)
    rows = [[float(v) for v in rng.integers(0, 3, 30)] for _ in range(3)]
    found = agreement_of(table(rows), n_resamples=200, seed=11)  # type: ignore[arg-type]
    draws = np.random.default_rng(11).integers(30, size=(200, 30))
    slow = [
        agreement_of(table([[row[i] for i in draw] for row in rows]), n_resamples=0)["krippendorff_alpha"].value
        for draw in draws
    ]
    low, high = np.quantile([v for v in slow if v is not None], (0.025, 0.975))
    assert (found["krippendorff_alpha"].low, found["krippendorff_alpha"].high) == pytest.approx((low, high), abs=1e-9)


def test_masi_alpha_by_hand() -> None:
    # two annotators, two items: {a} against {a, b}, and {b} twice. MASI({a}, {a,b}) = 1/2 * 2/3 = 1/3.
    ann = {"1": frozenset("a"), "2": frozenset("b")}
    bob = {"1": frozenset("ab"), "2": frozenset("b")}
    observed = 2 * (2 / 3) / 4  # ordered pairs within items, of four ratings
    # ordered pairs of all ratings: a-ab and ab-b at 2/3, a-b at 1; b is there twice
    expected = 2 * (1 * 2 / 3 + 2 * 1 + 2 * 2 / 3) / (4 * 3)
    found = agreement_of(RatingTable.of({"ann": ann, "bob": bob}), level="masi", n_resamples=0)
    assert found["krippendorff_alpha"].value == pytest.approx(1 - observed / expected)


def test_perfect_agreement_is_one_and_a_single_value_is_undefined() -> None:
    perfect = agreement_of(table([[1.0, 2.0, 3.0]] * 3), n_resamples=50)
    assert {c.value for c in perfect.values()} == {1.0}
    single = agreement_of(table([[1.0, 1.0]] * 2), n_resamples=50)
    assert single["percent"].value == 1.0
    assert single["krippendorff_alpha"].value is None


def test_one_annotator_is_a_clear_error() -> None:
    with pytest.raises(InputError, match=r"at least two annotators, got 1 \('ann'\)"):
        RatingTable.of({"ann": {"1": "x"}})


def test_mafalda_table_by_hand() -> None:
    """Three made-up annotators of two texts with the labels A and B; worked out on paper."""
    a, b = ("A",), ("B",)
    documents = [
        Continuum(
            {"p": [AnnotatedUnit(0, 10, a)], "q": [AnnotatedUnit(0, 10, a)], "r": [AnnotatedUnit(0, 10, b)]}, 40, "1"
        ),
        Continuum({"p": [AnnotatedUnit(0, 10, b)], "q": [], "r": [AnnotatedUnit(0, 10, b)]}, 40, "2"),
    ]
    rows = {row.measure: row for row in mafalda_table(documents)}
    # jaccard: p-q text 1: 1, text 2: {B} against nothing: 0 -> .5; p-r: 0 and 1 -> .5; q-r: 0 and 0 -> 0
    jaccard = rows["jaccard"]
    assert (jaccard.least, jaccard.most, jaccard.mean) == pytest.approx((0.0, 0.5, 1 / 3))
    # kappa over (text, label) cells 1A 1B 2A 2B: p = 1001, q = 1000, r = 0101
    # p-q: observed 3/4, chance 1/2*1/4 + 1/2*3/4 = 1/2 -> .5; p-r: 2/4 against 1/2 -> 0; q-r: 1/4 against 1/2 -> -.5
    kappa = rows["cohen's kappa (simple)"]
    assert kappa.by_pair == pytest.approx({("p", "q"): 0.5, ("p", "r"): 0.0, ("q", "r"): -0.5})
    # gamma p-q: text 1 agrees exactly (0), text 2 has one lone unit: cost 1 over 1/2 unit a head = 2; chance gives
    # text 1 two equal units in places at least 5 apart, of 40, and text 2 again one or two: value below 1
    assert rows["gamma"].by_pair["p", "q"] < 1
    assert rows["gamma"].least <= rows["gamma"].mean <= rows["gamma"].most


def test_pairs_of_annotators_apart_by_position_and_label() -> None:
    ann = [AnnotatedUnit(0, 10, ("A",)), AnnotatedUnit(20, 30, ("A",)), AnnotatedUnit(40, 50, ("B",))]
    bob = [AnnotatedUnit(0, 10, ("A", "C")), AnnotatedUnit(21, 30, ("B",)), AnnotatedUnit(60, 70, ("B",))]
    found = pair_agreement([Continuum({"ann": ann, "bob": bob})])[0]
    assert (found.exact, found.exact_position) == pytest.approx((1 / 3, 1 / 3))
    assert (found.overlap, found.overlap_position) == pytest.approx((1 / 3, 2 / 3))
    confusion = label_confusion([Continuum({"ann": ann, "bob": bob})])
    assert confusion == {("(nothing)", "B"): 2, ("A", "A"): 1, ("A", "B"): 1}
    nobody = pair_agreement([Continuum({"ann": [], "bob": []})])[0]
    assert (nobody.exact, nobody.n_units) == (1.0, 0)


def test_alpha_of_unitizing_by_hand() -> None:
    # length 10; ann 2..6, bob 4..8: they overlap, so (2-4)^2 + (6-8)^2 = 8, both ways: D_o = 16 / (2 * 1 * 100)
    # D_e: each of two units of 4: (2-1)/3 * (128 - 48 + 4) = 28, and gaps >= 4 (only ann's 6..10, bob's 0..4):
    # 16 * (1 + 1); 2 / 10 * 2 * (28 + 32) / (20 * 19 - 2 * 4 * 3)
    found = unitizing_alpha(
        [Continuum({"ann": [AnnotatedUnit(2, 6, ("A",))], "bob": [AnnotatedUnit(4, 8, ("A",))]}, 10)]
    )
    expected = 2 / 10 * 2 * (28 + 32) / (20 * 19 - 24)
    assert found.value == pytest.approx(1 - 0.08 / expected)
    lone = unitizing_alpha([Continuum({"ann": [AnnotatedUnit(2, 6, ("A",))], "bob": []}, 10)])
    assert lone.value is not None
    assert lone.value <= 0

"""Intervals of ``agree`` and ``calibrate`` by a second path: tables drawn by hand and other people's coefficients."""

import numpy as np
import pytest
from scipy.stats import bootstrap, norm
from sklearn.metrics import cohen_kappa_score

from fallax.metrics.agreement import RatingTable, agreement_of
from fallax.metrics.calibration import Resampler

krippendorff = pytest.importorskip("krippendorff", reason="a development dependency")

N, DRAWS, SEED = 30, 200, 7
RNG = np.random.default_rng(3)
LABELS = np.array(["a", "b", "c"])
FIRST = RNG.integers(3, size=N)
SECOND = np.where(RNG.random(N) < 0.7, FIRST, RNG.integers(3, size=N))
GROUPS = [f"d{i // 3}" for i in range(N)]


def table() -> RatingTable:
    said = {"ann": FIRST, "bob": SECOND}
    return RatingTable.of({who: {f"i{i:02}": str(LABELS[v]) for i, v in enumerate(row)} for who, row in said.items()})


def by_hand(groups: list[str]) -> dict[str, tuple[float, float]]:
    """Draw groups with their items, write the drawn table out in full, and let others compute the coefficients."""
    names = list(dict.fromkeys(groups))
    drawn = np.random.default_rng(SEED).integers(len(names), size=(DRAWS, len(names)))
    found: dict[str, list[float]] = {"percent": [], "cohen_kappa": [], "krippendorff_alpha": []}
    for row in drawn:
        items = [i for g in row for i, group in enumerate(groups) if group == names[g]]
        one, two = FIRST[items], SECOND[items]
        found["percent"].append(float((one == two).mean()))
        found["cohen_kappa"].append(float(cohen_kappa_score(one, two)))
        alpha = krippendorff.alpha(np.stack([one, two]).astype(float), level_of_measurement="nominal")
        found["krippendorff_alpha"].append(float(alpha))
    return {name: tuple(np.quantile(values, (0.025, 0.975))) for name, values in found.items()}


@pytest.mark.parametrize("documents", [False, True], ids=["items", "documents"])
def test_intervals_of_agreement_are_those_of_tables_drawn_by_hand(documents: bool) -> None:
    groups = GROUPS if documents else [f"i{i:02}" for i in range(N)]
    found = agreement_of(
        table(),
        names=["percent", "cohen_kappa", "krippendorff_alpha"],
        n_resamples=DRAWS,
        seed=SEED,
        groups={f"i{i:02}": g for i, g in enumerate(groups)},
    )
    for name, (low, high) in by_hand(groups).items():
        assert (found[name].low, found[name].high) == pytest.approx((low, high), abs=1e-9), name


def test_intervals_of_calibration_are_those_of_scipy_and_of_the_normal_law() -> None:
    right = (FIRST == SECOND).astype(float)
    size = np.ones(N)
    own = Resampler([f"i{i}" for i in range(N)], n_resamples=20_000, seed=SEED).ratio(right, size)
    other = bootstrap((right,), np.mean, n_resamples=20_000, method="percentile", rng=np.random.default_rng(1))
    assert own.low == pytest.approx(other.confidence_interval.low, abs=0.035)  # one item in thirty
    assert own.high == pytest.approx(other.confidence_interval.high, abs=0.035)
    spread = norm.ppf(0.975) * right.std() / np.sqrt(N)
    assert own.value == right.mean()
    assert own.low is not None
    assert own.high is not None
    assert (own.high - own.low) / 2 == pytest.approx(spread, abs=0.02)


def test_intervals_of_calibration_draw_documents_with_their_items() -> None:
    above, below = RNG.random(N), RNG.integers(1, 4, size=N).astype(float)
    own = Resampler(GROUPS, n_resamples=DRAWS, seed=SEED).ratio(above, below)
    names = sorted(set(GROUPS))
    drawn = np.random.default_rng(SEED).integers(len(names), size=(DRAWS, len(names)))
    ratios = []
    for row in drawn:
        items = [i for g in row for i, group in enumerate(GROUPS) if group == names[g]]
        ratios.append(above[items].sum() / below[items].sum())
    assert (own.low, own.high) == pytest.approx(tuple(np.quantile(ratios, (0.025, 0.975))))

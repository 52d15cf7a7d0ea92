"""Ratings, enhancement, agreement with people, diversity: values by hand, table 11, bad input."""

import numpy as np
import pytest

from fallax.core.types import GoldSpan, Rating, Record
from fallax.errors import InputError
from fallax.generation.benchmarks.smartypat_tables import published_tables
from fallax.metrics import (
    Quality,
    cross_cosine,
    diversity,
    enhancement,
    hashed_ngrams,
    kappa_with_people,
    mean_cosine,
    score_distribution,
)


def sentence(id: str, label: str = "False Cause", source: str = "") -> Record:
    return Record(id, "So it is.", (GoldSpan(0, 9, (label,)),), source=source)


def test_means_shares_and_figure_1() -> None:
    gold = [sentence("1", source="direct"), sentence("2", source="direct"), sentence("3", "Equivocation", "smartypat")]
    pred = [
        Rating("1", "False Cause", (3, 3, 0)),
        Rating("2", "False Cause", (1, None, 1)),
        Rating("3", "Equivocation", (3, 3, 3)),
    ]
    found = Quality().corpus_score(pred=pred, gold=gold)
    assert found["mean"] == pytest.approx((2 + 1 + 3) / 3)
    assert found["share_3"] == 5 / 8
    assert found["stable"] == pytest.approx(2 / 3)
    assert score_distribution(found) == {"False Cause": (1, 2, 0, 2), "Equivocation": (0, 0, 0, 3)}
    assert found.parts["source"]["direct"]["mean"] == 1.5
    assert found.parts["label"]["Equivocation"]["mean"] == 3


def test_a_sentence_without_any_score_is_unscored() -> None:
    pred = [Rating("1", "False Cause", (None, None), unscored="cut", n_replies=2)]
    found = Quality().corpus_score(pred=pred, gold=[sentence("1")])
    assert (found["mean"], dict(found.unscored), found.n_replies) == (None, {"1": "cut"}, 2)


def test_table_11_comes_out_of_means_over_sixty_ratings() -> None:
    """Printed means are sums of 20 sentences x 3 runs over 60; the enhancement was computed before rounding."""
    rows = published_tables()["quality"]
    for row in rows:
        ours, baseline = (round(row[name] * 60) / 60 for name in ("smartypat", "direct"))
        assert round(ours, 2) == row["smartypat"]
        assert round(baseline, 2) == row["direct"]
        value = enhancement(ours=ours, baseline=baseline)
        assert value is not None
        assert value == pytest.approx(row["enhancement"], abs=0.006), row
    # 38.58 is the mean of the eleven printed rows; the text of the paper says 38.12.
    assert sum(row["enhancement"] for row in rows) / len(rows) == pytest.approx(38.58, abs=0.005)


def test_enhancement_over_nothing_is_undefined() -> None:
    assert enhancement(ours=2, baseline=0) is None
    assert enhancement(ours=1, baseline=2) == -50


def test_kappa_leaves_out_whom_it_is_not_defined_for() -> None:
    mean, each = kappa_with_people([3, 3, 0, None], {"ann": [3, 3, 0, 1], "bob": [None, None, None, 1]})
    assert (mean, each) == (1.0, {"ann": 1.0, "bob": None})
    with pytest.raises(InputError, match="at least one annotator must be given"):
        kappa_with_people([3], {})
    with pytest.raises(InputError, match="must label the same items"):
        kappa_with_people([3], {"ann": [3, 2]})


def test_the_median_of_three_runs_is_what_two_gave() -> None:
    assert Rating("1", "x", (3, 1, 3)).median == 3
    assert Rating("1", "x", (3, 1, None)).median == 1
    assert Rating("1", "x", (None,), unscored="cut").median is None


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Rating("1", "x", (True,)), "rating '1', run 1: must be 0, 1, 2 or 3, got True"),
        (lambda: Rating("1", "x", ()), "either a score or a reason"),
        (lambda: Quality().corpus_score(pred=[1], gold=[]), "pred, entry 1: must be a Rating"),  # type: ignore[list-item]
        (
            lambda: Quality().record_score(pred=Rating("1", "Equivocation", (3,)), gold=sentence("1")),
            r"record '1': must be rated for a fallacy of its gold \(False Cause\), got 'Equivocation'",
        ),
        (lambda: mean_cosine([[0, 0], [1, 0]]), "no row may be all zeros, row 1 is"),
        (lambda: mean_cosine([1, 2]), "one row of finite numbers a text"),
        (lambda: mean_cosine([[1, float("nan")]]), "one row of finite numbers a text"),
        (lambda: cross_cosine([[1, 0]], [[1, 0, 0]]), "rows of one length, got 2 and 3"),
        (lambda: diversity({"a": "text"}), "set 'a': must be a sequence of sentences"),
        (lambda: diversity({"a": ["x", "y"]}, embed=lambda t: [[1.0]]), "one row a text, got 1 for 2"),
    ],
)
def test_bad_input_is_refused(call: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        call()  # type: ignore[operator]


def test_diversity_of_sets_and_between_them() -> None:
    found = diversity(
        {"a": ["x", "y"], "b": ["x"], "none": []}, embed=lambda texts: [[1, 0] if t == "x" else [0, 1] for t in texts]
    )
    assert found.within == {"a": 0.0, "b": None, "none": None}
    assert found.across == {("a", "b"): 0.5, ("a", "none"): None, ("b", "none"): None}
    assert found.to_dict()["across"][0] == {"sets": ["a", "b"], "mean_cosine": 0.5}
    assert diversity({"a": ["x"]}, embedder="name").embedder == "name"


def test_hashed_ngrams_see_words_and_nothing_else() -> None:
    rows = hashed_ngrams(["rain rain rain", "Rain!", "sunny spells"])
    assert np.array_equal(rows, hashed_ngrams(["rain rain rain", "Rain!", "sunny spells"]))
    near, far = cross_cosine(rows[:1], rows[1:2]), cross_cosine(rows[:1], rows[2:])
    assert near is not None
    assert far is not None
    assert near > 0.95
    assert far < 0.1
    with pytest.raises(InputError, match="all zeros"):
        mean_cosine(hashed_ngrams(["...", "word"]))

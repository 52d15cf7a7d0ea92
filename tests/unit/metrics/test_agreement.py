"""Agreement: figures from the literature and by hand."""

import builtins
from typing import Any

import pytest

from fallax.core.types import GoldSpan, Record
from fallax.errors import InputError, MissingExtraError
from fallax.metrics import (
    FLC,
    SpanMatch,
    cohen_kappa,
    fleiss_kappa,
    krippendorff_alpha,
    label_agreement,
    percent_agreement,
    span_agreement,
)


@pytest.mark.parametrize(
    ("rows", "alpha"),
    [
        # Krippendorff (2011), example C: four observers, twelve units, missing values; nominal.
        (("123321412...", "1233224125.3", ".3332342251.", "12332441251."), 0.743),
        # The example of three observers and fifteen units in the usual introductions; nominal.
        ((".....34121133.3", "1.213343.......", "..21344.21133.4"), 0.691),
        # Krippendorff (2011), example A: two observers, ten binary units.
        (("0100000010", "1110010000"), 0.095),
    ],
)
def test_alpha_of_published_examples(rows: tuple[str, ...], alpha: float) -> None:
    ratings = [[None if c == "." else c for c in row] for row in rows]
    columns = [[c for c in column if c is not None] for column in zip(*ratings, strict=True)]
    found = krippendorff_alpha(ratings)
    assert found.value == pytest.approx(alpha, abs=5e-4)
    assert found.value == pytest.approx(alpha_by_hand(columns))
    assert found.n_pairable == sum(len(c) > 1 for c in columns)


def alpha_by_hand(columns: list[list[str]]) -> float:
    """1 - D_o / D_e from all ordered pairs, as the definition says."""
    columns = [c for c in columns if len(c) > 1]
    pooled = [x for c in columns for x in c]
    observed = sum(
        sum(a != b for i, a in enumerate(c) for j, b in enumerate(c) if i != j) / (len(c) - 1) for c in columns
    ) / len(pooled)
    expected = sum(a != b for i, a in enumerate(pooled) for j, b in enumerate(pooled) if i != j)
    return 1 - observed / (expected / (len(pooled) * (len(pooled) - 1)))


def test_kappa_by_hand() -> None:
    # 50 items: 20 both yes, 15 both no, 5 + 10 apart; p_o = .7, p_e = .5.
    a = ["y"] * 25 + ["n"] * 25
    b = ["y"] * 20 + ["n"] * 5 + ["y"] * 10 + ["n"] * 15
    assert cohen_kappa(a, b).value == pytest.approx(0.4)


def test_kappa_leaves_out_items_without_both_labels() -> None:
    a, b = ["a", "b", None, "a"], ["a", "b", "b", None]
    found = cohen_kappa(a, b)
    assert (found.value, found.n_items, found.n_pairable) == (1.0, 4, 2)


def test_percent_agreement_pools_pairs() -> None:
    # Item 1: 1 of 3 pairs; item 2: 1 of 1; item 3: nobody to agree with.
    found = percent_agreement([["a", "b", "c"], ["a", "b", None], ["b", None, None]])
    assert found.value == 0.5
    assert found.n_pairable == 2


def test_where_nothing_can_disagree_agreement_is_undefined() -> None:
    assert krippendorff_alpha([["a", "a"], ["a", "a"]]).value is None
    assert cohen_kappa(["a", "a"], ["a", "a"]).value is None
    assert percent_agreement([["a"], ["a"]]).value == 1.0
    for measure in (krippendorff_alpha, percent_agreement):
        assert measure([["a", None], [None, "b"]]).value is None
        assert measure([[], []]).value is None


def test_agreement_says_what_is_wrong() -> None:
    with pytest.raises(InputError, match="annotator 1 has 2 and annotator 2 has 1"):
        percent_agreement([["a", "b"], ["a"]])
    with pytest.raises(InputError, match="at least two annotators"):
        percent_agreement([["a", "b"]])
    with pytest.raises(InputError, match="each a sequence of labels"):
        percent_agreement(["ab", "ab"])


@pytest.mark.parametrize(
    ("package", "call"),
    [
        ("krippendorff", lambda: krippendorff_alpha([["a"], ["a"]])),
        ("sklearn.metrics", lambda: cohen_kappa(["a"], ["a"])),
    ],
)
def test_a_missing_extra_names_the_pip_line(monkeypatch: pytest.MonkeyPatch, package: str, call: Any) -> None:
    real = builtins.__import__

    def without(name: str, *args: Any, **kwargs: Any) -> Any:
        if name == package:
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtraError, match=r"pip install 'fallax\[stats\]'"):
        call()


def rec(id: str, *gold: tuple[int, int, str], text: str = "x" * 40) -> Record:
    return Record(id, text, tuple(GoldSpan(s, e, tuple(x)) for s, e, x in gold))


def test_span_agreement_is_the_mean_over_pairs_on_common_records() -> None:
    ann = [rec("1", (0, 4, "A"), (5, 9, "B")), rec("2", (0, 4, "A"))]
    bob = [rec("1", (0, 4, "A"))]
    cat = [rec("2", (0, 4, "A")), Record("1", "x" * 40)]
    found = span_agreement({"ann": ann, "bob": bob, "cat": cat}, SpanMatch())
    # ann and bob share record 1 (F1 2/3), ann and cat record 2 (1); bob and cat none (cat did not annotate 1).
    assert found.pairs == {("ann", "bob"): pytest.approx(2 / 3), ("ann", "cat"): 1.0, ("bob", "cat"): None}
    assert found.value == pytest.approx(5 / 6)
    assert found.n_undefined == 1
    assert found.n_records["ann", "bob"] == 1
    assert found.to_dict()["pairs"][0]["annotators"] == ["ann", "bob"]


def test_span_agreement_averages_both_directions() -> None:
    ann, bob = [rec("1", (0, 10, "A"), (0, 40, "A"))], [rec("1", (0, 40, "A"))]
    # recall: ann as prediction 50/40 of one, bob as prediction (1 + 1) / 2
    assert span_agreement({"ann": ann, "bob": bob}, FLC(), measure="recall").value == pytest.approx((1.25 + 1) / 2)


def test_span_agreement_needs_one_text_and_two_annotators() -> None:
    with pytest.raises(InputError, match="at least two annotators, got 1"):
        span_agreement({"ann": []}, SpanMatch())
    with pytest.raises(InputError, match="record '1': annotators 'a' and 'b' must have annotated the same text"):
        span_agreement({"a": [rec("1")], "b": [rec("1", text="y")]}, SpanMatch())


def test_fleiss_kappa_is_that_of_the_source() -> None:
    # Fleiss (1971) as worked through in textbooks: 14 raters, 10 items, 5 labels, kappa 0.210.
    table = [
        (0, 0, 0, 0, 14), (0, 2, 6, 4, 2), (0, 0, 3, 5, 6), (0, 3, 9, 2, 0), (2, 2, 8, 1, 1),
        (7, 7, 0, 0, 0), (3, 2, 6, 3, 0), (2, 5, 3, 2, 2), (6, 5, 2, 1, 0), (0, 2, 2, 3, 7),
    ]  # fmt: skip
    columns = [[str(label) for label, n in enumerate(row) for _ in range(n)] for row in table]
    found = fleiss_kappa(list(zip(*columns, strict=True)))
    assert found.value == pytest.approx(0.210, abs=0.0005)
    assert fleiss_kappa([["a"], ["a"]]).value is None
    with pytest.raises(InputError, match="everybody must label every item, item 2 has 1 labels of 2"):
        fleiss_kappa([["a", None], ["a", "b"]])


def test_sets_of_labels_are_compared_whole_and_label_by_label() -> None:
    ann = {"1": frozenset({"A"}), "2": frozenset({"A", "B"}), "3": frozenset[str]()}
    bob = {"1": frozenset({"A"}), "2": frozenset({"B", "A"}), "3": frozenset({"B"}), "4": frozenset({"B"})}
    found = label_agreement({"ann": ann, "bob": bob})
    assert found.percent.value == pytest.approx(2 / 3)
    assert found.fleiss is None
    assert found.by_label["A"].value == 1
    assert set(found.by_label) == {"A", "B"}
    assert found.to_dict()["fleiss"] is None
    assert label_agreement({"ann": ann, "bob": ann}).fleiss is not None
    with pytest.raises(InputError, match="at least two annotators"):
        label_agreement({"ann": ann})

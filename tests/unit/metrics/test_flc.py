"""FLC: cases worked out by hand, the organisers' sample files, and a direct reading of the formulas."""

import os
import random
from fractions import Fraction
from pathlib import Path

import pytest

from fallax.core.types import GoldSpan, Label, Prediction, Record, Score, Span, Taxonomy
from fallax.errors import InputError, SpanError, UnknownNameError
from fallax.metrics import FLC

DATA = os.environ.get("FALLAX_DATA", "")
Rows = list[tuple[int, int, str]]


def record(gold: Rows, *, id: str = "d", length: int = 100, source: str = "") -> Record:
    by_place: dict[tuple[int, int], list[str]] = {}
    for start, end, label in gold:
        by_place.setdefault((start, end), []).append(label)
    return Record(id, "x" * length, tuple(GoldSpan(s, e, tuple(x)) for (s, e), x in by_place.items()), source=source)


def prediction(spans: Rows, *, id: str = "d") -> Prediction:
    return Prediction(id, tuple(Span(*s) for s in spans))


def score(pred: Rows, gold: Rows, metric: FLC | None = None) -> Score:
    return (metric or FLC()).record_score(pred=prediction(pred), gold=record(gold))


@pytest.mark.parametrize(
    ("pred", "gold", "p", "r"),
    [
        ([(0, 10, "A"), (0, 40, "A")], [(0, 40, "A")], 1.0, 1.25),  # (10/40 + 40/40) / 1
        ([(0, 10, "A")], [(0, 10, "A"), (0, 40, "A")], 2.0, 0.625),  # (1 + 10/40) / 2
        ([(0, 20, "A"), (20, 40, "A")], [(0, 40, "A")], 1.0, 1.0),  # two halves
        ([(0, 10, "A")], [(0, 10, "B")], 0.0, 0.0),
        ([(0, 10, "A")], [(0, 10, "A"), (0, 10, "B")], 1.0, 0.5),  # two techniques at one place
        ([(10, 20, "A")], [(20, 30, "A")], 0.0, 0.0),  # they touch but share nothing
        ([(5, 15, "A"), (50, 60, "B")], [(0, 10, "A")], 0.25, 0.5),
        ([], [(0, 10, "A")], 0.0, 0.0),
        ([(0, 10, "A")], [], 0.0, 0.0),
        ([], [], 0.0, 0.0),
    ],
)
def test_flc_definition_by_hand(pred: Rows, gold: Rows, p: float, r: float) -> None:
    found = score(pred, gold)
    assert found["precision"] == p
    assert found["recall"] == r
    assert found["f1"] == pytest.approx(2 * p * r / (p + r) if p + r else 0.0)


def test_flc_sums_over_the_corpus_and_never_matches_across_records() -> None:
    gold = [record([(0, 10, "A")], id="1"), record([(0, 10, "A"), (20, 30, "A"), (40, 50, "A")], id="2")]
    pred = [prediction([(0, 10, "A")], id="1"), prediction([(60, 70, "A")], id="2")]
    found = FLC().corpus_score(pred=pred, gold=gold)
    assert found.sums == {"precision_sum": 1, "n_pred": 2, "recall_sum": 1, "n_gold": 4, "n": 2}
    assert (found["precision"], found["recall"]) == (0.5, 0.25)
    assert found.records["2"]["n_gold"] == 3


def test_flc_no_fallacy_is_no_fragment() -> None:
    gold = Record("d", "x" * 20, (GoldSpan(0, 10, ("no fallacy",)), GoldSpan(5, 9, ("A", "no fallacy"))))
    found = FLC().record_score(pred=prediction([(5, 9, "A")]), gold=gold)
    assert found.sums["n_gold"] == 1
    assert found["f1"] == 1.0


def test_flc_labels_that_occur_have_parts_in_the_order_of_the_taxonomy() -> None:
    taxonomy = Taxonomy("tiny", (Label("C"), Label("B"), Label("A")), version="7")
    found = score([(0, 10, "A")], [(0, 10, "B")], FLC(taxonomy=taxonomy))
    assert list(found.parts["label"]) == ["B", "A"]
    assert found.parts["label"]["B"].sums == {"precision_sum": 0, "n_pred": 0, "recall_sum": 0, "n_gold": 1, "n": 1}
    assert found.signature.settings["taxonomy"] == "tiny@7"


@pytest.mark.parametrize("wrong", ["pred", "gold"])
def test_flc_a_label_outside_the_taxonomy_is_an_error(wrong: str) -> None:
    taxonomy = Taxonomy("tiny", (Label("Doubt"),))
    rows = {"pred": [(0, 1, "Doubt")], "gold": [(0, 1, "Doubt")], wrong: [(0, 1, "Dobt")]}
    with pytest.raises(UnknownNameError, match=r"record 'd'.*did you mean 'Doubt'"):
        score(rows["pred"], rows["gold"], FLC(taxonomy=taxonomy))


def test_flc_a_prediction_outside_its_text_is_an_error() -> None:
    with pytest.raises(
        SpanError, match=r"record 'd', span 1: must lie inside its text of 100 characters, got 90\.\.101"
    ):
        score([(90, 101, "A")], [])


def test_flc_official_merges_gold_of_one_technique() -> None:
    gold = [(0, 10, "A"), (5, 20, "A"), (20, 30, "A"), (5, 20, "B")]
    found = score([(0, 20, "A")], gold, FLC(variant="official"))
    # A: 0..20 and 20..30 (they only touch); B: 5..20.
    assert found.sums["n_gold"] == 3
    assert found["precision"] == 1.0
    assert found["recall"] == pytest.approx(1 / 3)


def test_flc_official_merges_a_chain_and_a_nested_span() -> None:
    gold = [(0, 50, "A"), (2, 4, "A"), (40, 60, "A"), (59, 70, "A")]
    found = score([(0, 70, "A")], gold, FLC(variant="official"))
    assert found.sums == {"precision_sum": 1, "n_pred": 1, "recall_sum": 1, "n_gold": 1, "n": 1}


def test_flc_official_refuses_overlapping_predictions_unless_told_to_merge() -> None:
    pred = [(0, 10, "A"), (5, 20, "A"), (5, 20, "B")]
    with pytest.raises(InputError, match=r"record 'd'.*'A' at 0\.\.10 and 5\.\.20; merge them"):
        score(pred, [], FLC(variant="official"))
    found = score(pred, [(0, 20, "A")], FLC(variant="official", merge_overlaps=True))
    assert (found["precision"], found["recall"]) == (0.5, 1.0)


def test_flc_official_empty_against_empty_is_one() -> None:
    assert score([], [], FLC(variant="official")).values == {"precision": 0.0, "recall": 0.0, "f1": 1.0}
    assert score([], [(0, 1, "A")], FLC(variant="official"))["f1"] == 0.0


def test_flc_official_recall_of_one_technique_reuses_the_sum_of_precision() -> None:
    gold, pred = [(0, 20, "A"), (30, 40, "A")], [(10, 20, "A")]
    official = score(pred, gold, FLC(variant="official"))
    assert official.parts["label"]["A"]["recall"] == 0.5  # 1 / 2
    assert official["recall"] == 0.25  # (10/20) / 2
    assert score(pred, gold).parts["label"]["A"]["recall"] == 0.25


def test_flc_merge_overlaps_belongs_to_official() -> None:
    with pytest.raises(InputError, match="belongs to variant='official'"):
        FLC(merge_overlaps=True)


def test_flc_nothing_scored_is_undefined_not_zero() -> None:
    for metric in (FLC(), FLC(variant="official")):
        found = metric.record_score(pred=Prediction("d"), gold=Record("d", "text"))
        assert found.values == {"precision": None, "recall": None, "f1": None}
        assert found.unscored == {"d": "not annotated"}


def literal(pred: Rows, gold: Rows) -> tuple[Fraction, Fraction]:
    """Equations 2 and 3 word by word, with sets of characters and exact fractions."""
    p = r = Fraction(0)
    for s0, s1, a in pred:
        for t0, t1, b in gold:
            if a == b:
                shared = len(set(range(s0, s1)) & set(range(t0, t1)))
                p += Fraction(shared, s1 - s0)
                r += Fraction(shared, t1 - t0)
    return (p / len(pred) if pred else p), (r / len(gold) if gold else r)


def test_flc_agrees_with_the_formulas_read_literally() -> None:
    random_ = random.Random(5)

    def rows() -> Rows:
        found = {(a := random_.randrange(99), random_.randrange(a + 1, 101), random_.choice("ABC")) for _ in range(12)}
        return sorted(found)[: random_.randrange(13)]

    for _ in range(200):
        pred, gold = rows(), rows()
        p, r = literal(pred, gold)
        found = score(pred, gold)
        assert found["precision"] == pytest.approx(float(p), abs=1e-12)
        assert found["recall"] == pytest.approx(float(r), abs=1e-12)
        for label, part in found.parts["label"].items():
            p, r = literal([x for x in pred if x[2] == label], [x for x in gold if x[2] == label])
            assert part["precision"] == pytest.approx(float(p), abs=1e-12)
            assert part["recall"] == pytest.approx(float(r), abs=1e-12)


@pytest.mark.skipif(not DATA, reason="FALLAX_DATA does not say where the data sets are")
def test_flc_reproduces_the_organisers_samples() -> None:
    """Figures of the organisers' scorer on its own sample files (NLP4IF 2019)."""
    folder = Path(DATA) / "ptc_nlp4if2019" / "scorer_samples"

    def rows(name: str) -> Rows:
        lines = [x.split("\t") for x in (folder / name).read_text(encoding="utf-8").splitlines() if x]
        return [(int(start), int(end), label) for _, label, start, end in lines]

    pred, gold = rows("submission-task-FLC.tsv"), rows("article736757214.task-FLC.labels")
    text = record(gold, length=1275)
    found = {v: FLC(variant=v).record_score(pred=prediction(pred), gold=text) for v in ("definition", "official")}
    for value in found.values():
        assert value["precision"] == pytest.approx(0.8)
        assert value["recall"] == pytest.approx(0.753846, abs=5e-7)
        assert value["f1"] == pytest.approx(0.776238, abs=5e-7)
    loaded = {v: s.parts["label"]["Loaded_Language"]["recall"] for v, s in found.items()}
    assert loaded["official"] == 1.0
    assert loaded["definition"] == pytest.approx(0.884615, abs=5e-7)

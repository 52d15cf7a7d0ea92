"""Whole-text metrics: hand-made tables, and alternatives against every possible choice."""

import itertools
import random

import pytest
from sklearn.metrics import accuracy_score, balanced_accuracy_score, f1_score, precision_score, recall_score

from fallax.core.types import NO_FALLACY, GoldSpan, Label, Prediction, Record, Score, Span, Taxonomy
from fallax.errors import InputError, UnknownNameError
from fallax.metrics import FLC, Classification, FallacyDetection, MultiLabel, TwoClass, confusion_counts

Options = list[tuple[str, ...]]
MUST, MAY, NONE = ("A",), ("A", NO_FALLACY), (NO_FALLACY,)


def rec(id: str, options: Options) -> Record:
    return Record(id, "x" * 99, tuple(GoldSpan(i, i + 1, o) for i, o in enumerate(options)))


@pytest.mark.parametrize(
    ("gold", "if_yes", "if_no"),
    [
        ([MUST], "tp", "fn"),
        ([], "fp", "tn"),
        ([NONE], "fp", "tn"),
        ([MAY], "tp", "tn"),
        ([MAY, MAY], "tp", "tn"),
        ([MAY, NONE], "tp", "tn"),
        ([MAY, MUST], "tp", "fn"),
    ],
)
def test_detection_cells(gold: Options, if_yes: str, if_no: str) -> None:
    for pred, cell in (
        (Prediction("r", (Span(50, 51, "B"),)), if_yes),
        (Prediction("r", labels=frozenset({"B"})), if_yes),
        (Prediction("r"), if_no),
        (Prediction("r", labels=frozenset({NO_FALLACY})), if_no),
    ):
        found = FallacyDetection().record_score(pred=pred, gold=rec("r", gold))
        assert [k for k, v in found.sums.items() if v] == [cell]


def test_detection_rates_by_hand() -> None:
    # 3 fallacious texts, 2 found; 4 clean, 1 called fallacious.
    gold = [rec(str(i), [MUST] if i < 3 else []) for i in range(7)]
    pred = [Prediction(str(i), labels=frozenset("A") if i in (0, 1, 3) else frozenset()) for i in range(7)]
    found = FallacyDetection().corpus_score(pred=pred, gold=gold)
    assert found.values == pytest.approx(
        {
            "accuracy": 5 / 7,
            "balanced_accuracy": (2 / 3 + 3 / 4) / 2,
            "precision": 2 / 3,
            "recall": 2 / 3,
            "f1": 2 / 3,
            "fpr": 1 / 4,
            "fnr": 1 / 3,
        }
    )


def test_detection_without_one_class_is_undefined() -> None:
    found = FallacyDetection().record_score(pred=Prediction("r"), gold=rec("r", []))
    assert found["accuracy"] == 1.0
    assert [found[m] for m in ("balanced_accuracy", "precision", "recall", "fnr", "f1")] == [None] * 5


def multi(pred: str, gold: Options, metric: MultiLabel | None = None) -> Score:
    prediction = Prediction("r", labels=frozenset(pred))
    return (metric or MultiLabel()).record_score(pred=prediction, gold=rec("r", gold))


@pytest.mark.parametrize(
    ("pred", "gold", "hits", "n_gold"),
    [
        ("A", [("A",)], 1, 1),
        ("AB", [("A",), ("A",)], 1, 1),
        ("AB", [("A", "B")], 1, 1),  # the span is one of the two, not both
        ("AB", [("A", "B"), ("A", "B")], 2, 2),
        ("A", [("A", "B"), ("B",)], 1, 2),
        ("B", [("A", "B"), ("B",)], 1, 1),
        ("C", [("A", "B"), ("B", "D")], 0, 1),  # both can be B
        ("", [MAY], 0, 0),
        ("A", [MAY], 1, 1),
        ("B", [MAY], 0, 0),
        ("", [NONE], 0, 0),
        ("", [("A",), MAY], 0, 1),
    ],
)
def test_multi_label_takes_the_alternative_with_the_best_f1(pred: str, gold: Options, hits: int, n_gold: int) -> None:
    assert multi(pred, gold).sums == {"hits": hits, "n_pred": len(pred), "n_gold": n_gold}


def test_multi_label_is_the_best_over_every_choice() -> None:
    random_ = random.Random(3)
    pool = ("A", "B", "C", "D", NO_FALLACY)
    for _ in range(400):
        gold = [tuple(sorted(random_.sample(pool, random_.randrange(1, 4)))) for _ in range(random_.randrange(5))]
        pred = "".join(sorted(random_.sample("ABCD", random_.randrange(4))))
        found = multi(pred, gold, MultiLabel(average="samples"))
        best = [0.0, 0.0, 0.0]
        for choice in itertools.product(*gold):
            chosen = set(choice) - {NO_FALLACY}
            hits = len(chosen & set(pred))
            if not chosen and not pred:
                best = [1.0, 1.0, 1.0]
                continue
            values = (
                hits / len(pred) if pred else 0.0,
                hits / len(chosen) if chosen else 0.0,
                2 * hits / (len(pred) + len(chosen)),
            )
            best = [max(a, b) for a, b in zip(best, values, strict=True)]
        assert [found["precision"], found["recall"], found["f1"]] == pytest.approx(best)


def test_multi_label_all_takes_every_label_of_a_span() -> None:
    found = multi("AB", [("A", "B"), MAY], MultiLabel(alternatives="all"))
    assert found.values == {"precision": 1.0, "recall": 1.0, "f1": 1.0}


def test_multi_label_averages_by_hand() -> None:
    gold = [rec("1", [("A",), ("B",)]), rec("2", [("A",)]), rec("3", [])]
    pred = [Prediction("1", labels=frozenset("A")), Prediction("2", labels=frozenset("AC")), Prediction("3")]
    micro, macro, samples = (
        MultiLabel(average=a).corpus_score(pred=pred, gold=gold) for a in ("micro", "macro", "samples")
    )
    assert micro.values == pytest.approx({"precision": 2 / 3, "recall": 2 / 3, "f1": 2 / 3})
    # A: 1, 1, 1; B: R 0; C: P 0.
    assert macro.values == pytest.approx({"precision": 1 / 3, "recall": 1 / 3, "f1": 1 / 3})
    # texts: (1, 1/2, 2/3), (1/2, 1, 2/3), (1, 1, 1)
    assert samples.values == pytest.approx({"precision": 5 / 6, "recall": 5 / 6, "f1": 7 / 9, "exact_match": 1 / 3})


def test_multi_label_parts_tell_one_label_from_the_rest() -> None:
    found = multi("A", [("A", "B"), ("C",)])
    assert {k: v.sums for k, v in found.parts["label"].items()} == {
        "A": {"hits": 1, "n_pred": 1, "n_gold": 1},
        "C": {"hits": 0, "n_pred": 0, "n_gold": 1},
    }


def test_multi_label_levels_collapse_alternatives() -> None:
    taxonomy = Taxonomy("t", (Label("A", ("x",)), Label("B", ("x",)), Label("C", ("y",))))
    found = multi("BC", [("A", "B"), MAY], MultiLabel(taxonomy=taxonomy, level=0))
    assert found.sums == {"hits": 1, "n_pred": 2, "n_gold": 1}
    assert list(found.parts["label"]) == ["x", "y"]
    with pytest.raises(InputError, match="level must be 0 to 1, got 2"):
        multi("A", [], MultiLabel(taxonomy=taxonomy, level=2))


def test_classification_agrees_with_scikit_learn() -> None:
    random_ = random.Random(9)
    gold = random_.choices(["a", "b", "c"], [5, 3, 1], k=60)
    pred = [random_.choice([g, "a", "b", "d"]) for g in gold]
    found = Classification().corpus_score(pred=pred, gold=gold)
    assert found["accuracy"] == pytest.approx(accuracy_score(gold, pred))
    kept = [(g, p) for g, p in zip(gold, pred, strict=True) if p != "d"]
    with_known = Classification().corpus_score(pred=[p for _, p in kept], gold=[g for g, _ in kept])
    assert with_known["balanced_accuracy"] == pytest.approx(
        balanced_accuracy_score([g for g, _ in kept], [p for _, p in kept])
    )
    for name, theirs in (("precision", precision_score), ("recall", recall_score), ("f1", f1_score)):
        assert found[f"macro_{name}"] == pytest.approx(theirs(gold, pred, average="macro", zero_division=0))


def test_classification_counts_and_leaves_out() -> None:
    pred = {"1": "a", "2": "b", "3": None, "4": "a"}
    found = Classification().corpus_score(pred=pred, gold={"4": None, "3": "a", "2": "a", "1": "a"})
    assert confusion_counts(found) == {("a", "a"): 1, ("a", "b"): 1}
    assert found.unscored == {"3": "no answer", "4": "not annotated"}
    assert found["accuracy"] == 0.5
    assert Classification().corpus_score(pred=[], gold=[])["accuracy"] is None


@pytest.mark.parametrize("metric", [Classification(), TwoClass(positive="a", negative="b")], ids=str)
def test_records_without_a_predicted_label(metric: Classification | TwoClass) -> None:
    gold = {"1": "a", "2": "b", "3": "b"}
    with pytest.raises(InputError, match="must have a prediction, without one: '2'"):
        metric.corpus_score(pred={"1": "a", "3": None}, gold=gold)
    found = metric.corpus_score(pred={"1": "a", "3": None}, gold=gold, missing="unscored")
    assert found.unscored == {"2": "no prediction", "3": "no answer"}


def test_classification_errors() -> None:
    with pytest.raises(UnknownNameError, match="pred, record '0': unknown label 'suports'; did you mean 'supports'"):
        Classification(labels=("supports",)).corpus_score(pred=["suports"], gold=["supports"])
    with pytest.raises(InputError, match="without one: '1'"):
        Classification().corpus_score(pred=["a"], gold=["a", "b"])
    with pytest.raises(InputError, match="without one: '1'"):
        Classification().corpus_score(pred=["a", "b"], gold=["a"])
    with pytest.raises(InputError, match="without tabs"):
        Classification().corpus_score(pred=["a\tb"], gold=["a"])
    with pytest.raises(InputError, match="sequence of labels, got str"):
        Classification().corpus_score(pred="a", gold=["a"])
    with pytest.raises(InputError, match="score of classification, got flc"):
        confusion_counts(FLC().corpus_score(pred=[], gold=[]))

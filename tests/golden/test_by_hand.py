"""Scores of small cases, worked out by hand; they need no data. Each test shows its working beside the number."""

import json
from pathlib import Path

import pytest

from fallax.core.types import ArgumentStructure, GoldSpan, Link, Prediction, Record, Span, Statement
from fallax.metrics import FLC, EntailmentTree, SoftSpan, StructureSimilarity, TwoClass
from fallax.metrics.agreement import cohen_kappa, fleiss_kappa, krippendorff_alpha
from tests.support.shell import shell

ROOT = Path(__file__).parents[2]

AH, AP, SS = "ad hominem", "ad populum", "slippery slope"


def record(id: str, *gold: tuple[int, int, tuple[str, ...]]) -> Record:
    return Record(id, "x" * 100, tuple(GoldSpan(*g) for g in gold))


def prediction(id: str, *spans: tuple[int, int, str]) -> Prediction:
    return Prediction(id, tuple(Span(*s) for s in spans))


def test_soft_span_f1() -> None:
    gold = [
        record("a", (0, 40, (AH,)), (60, 100, (AP, SS))),
        record("b"),
        record("c", (0, 50, (AH, "no fallacy"))),
        record("d", (0, 50, (AH,))),
    ]
    pred = [
        prediction("a", (0, 20, AH), (0, 40, AP), (50, 90, SS)),
        prediction("b"),
        prediction("c"),
        prediction("d"),
    ]
    score = SoftSpan(level=2).corpus_score(pred=pred, gold=gold)
    # a: P = (20/20 + 0 + 30/40) / 3 = 7/12: of 50..90 the part 60..90 is gold; ad populum is no label of 0..40.
    #    R = (20/40 + 30/40) / 2 = 5/8.  F1 = 2 * 7/12 * 5/8 / (7/12 + 5/8) = 35/58.
    # b: nothing to find, nothing found: 1.  c: gold allows "no fallacy", nothing found: 1.  d: missed: 0.
    assert score["precision"] == pytest.approx((7 / 12 + 1 + 1 + 0) / 4, abs=1e-12)
    assert score["recall"] == pytest.approx((5 / 8 + 1 + 1 + 0) / 4, abs=1e-12)
    assert score["f1"] == pytest.approx((35 / 58 + 1 + 1 + 0) / 4, abs=1e-12)


def test_fragment_level_classification() -> None:
    gold = [record("a", (0, 10, ("Doubt",)), (5, 20, ("Doubt",)), (50, 60, ("Slogans",)))]
    pred = [prediction("a", (0, 20, "Doubt"), (50, 55, "Slogans"), (70, 80, "Slogans"))]
    score = FLC().corpus_score(pred=pred, gold=gold)
    # P = (10/20 + 15/20  +  5/5  +  0) / 3 = 2.25/3.   R = (10/10 + 15/15  +  5/10) / 3 = 2.5/3.
    # F1 = 2 PR / (P + R) = 2 * .75 * (2.5/3) / (.75 + 2.5/3) = 15/19.
    assert [score[m] for m in ("precision", "recall", "f1")] == pytest.approx([0.75, 2.5 / 3, 15 / 19], abs=1e-12)
    official = FLC(variant="official").corpus_score(pred=pred, gold=gold)
    # The organisers' scorer merges 0..10 and 5..20 first: P = (20/20 + 1 + 0) / 3, R = (20/20 + 5/10) / 2.
    assert [official[m] for m in ("precision", "recall")] == pytest.approx([2 / 3, 0.75], abs=1e-12)


def test_balanced_accuracy_and_its_companions() -> None:
    gold = dict(zip("abcdef", ["unfaithful"] * 3 + ["faithful"] * 2 + ["unfaithful"], strict=True))
    pred = dict(zip("abcdef", ["unfaithful", "unfaithful", "faithful", "faithful", "unfaithful", None], strict=True))
    score = TwoClass(positive="unfaithful", negative="faithful").corpus_score(pred=pred, gold=gold)
    # f has no answer and is left out: TP 2, FN 1, TN 1, FP 1. TPR 2/3, TNR 1/2: (2/3 + 1/2) / 2 = 7/12.
    # P = R = 2/3, so F1 = 2/3; accuracy 3/5.
    # Alpha between answers and gold: five pairs, ten values, six of them unfaithful; two pairs of five disagree, so
    # observed 2/5, expected 2 * 6 * 4 / (10 * 9) = 8/15: 1 - (2/5) / (8/15) = 1/4.
    assert score.n_unscored == 1
    assert score["balanced_accuracy"] == pytest.approx(7 / 12, abs=1e-12)
    assert [score[m] for m in ("accuracy", "f1")] == pytest.approx([3 / 5, 2 / 3], abs=1e-12)
    assert score["krippendorff_alpha"] == pytest.approx(1 / 4, abs=1e-12)


def test_kappa_and_alpha() -> None:
    # Cohen: three of four agree; by chance 2/4 * 1/4 + 2/4 * 3/4 = 1/2: (3/4 - 1/2) / (1 - 1/2) = 1/2.
    assert cohen_kappa(["x", "x", "y", "y"], ["x", "y", "y", "y"]).value == pytest.approx(1 / 2, abs=1e-12)
    # Fleiss: agreeing pairs of the items are 1, 1/3 and 1, mean 7/9; five of nine say x: 25/81 + 16/81 = 41/81:
    # (63/81 - 41/81) / (81/81 - 41/81) = 11/20.
    raters = ["xxy", "xxy", "xyy"]
    assert fleiss_kappa([list(said) for said in raters]).value == pytest.approx(11 / 20, abs=1e-12)
    # Krippendorff: the last item has one rating and pairs with nothing. One of three pairs disagrees, so observed
    # 1/3; of six values three are x: expected 2 * 3 * 3 / (6 * 5) = 3/5: 1 - (1/3) / (3/5) = 4/9.
    assert krippendorff_alpha([["x", "x", "y", "x"], ["x", "y", "y", None]]).value == pytest.approx(4 / 9, abs=1e-12)


def structure(claim: str, said: dict[str, str], links: list[tuple[tuple[str, ...], str]]) -> ArgumentStructure:
    nodes = tuple(Statement(id, text) for id, text in said.items())
    return ArgumentStructure(Statement("h", claim), nodes, tuple(Link(premises, (to,)) for premises, to in links))


def test_entailment_tree() -> None:
    leaves = {f"s{i}": f"sentence {i}" for i in (1, 2, 3, 4)}
    gold = structure(
        "the claim",
        {**leaves, "int1": "one and two", "int2": "and three"},
        [(("s1", "s2"), "int1"), (("int1", "s3"), "int2"), (("int2", "s4"), "h")],
    )
    said = {i: leaves[i] for i in ("s1", "s2", "s3")}
    pred = structure("the claim", {**said, "int1": "one and two"}, [(("s1", "s2"), "int1"), (("int1", "s3"), "h")])
    score = EntailmentTree().record_score(pred=pred, gold=gold)
    # Leaves: 3 of 3 predicted are gold, which has 4: 6/7. Steps: of 2 predicted, that of int1 is right; that of the
    # claim has int1 and s3 where gold has int2 and s4: 2 * 1 / (2 + 3). Intermediates: int1 is right, of 1 and 2: 2/3.
    names = ("leaves_f1", "steps_f1", "intermediates_f1")
    assert [score[m] for m in names] == pytest.approx([6 / 7, 2 / 5, 2 / 3], abs=1e-12)
    official = EntailmentTree(variant="official").record_score(pred=pred, gold=gold)
    # There the claim is an intermediate: the predicted one covers s1, s2, s3, exactly what int2 covers, and takes its
    # place. Its step is then right (2 * 2 / 5), its words are not those of int2 (2 * 1 / (2 + 3)).
    assert [official[m] for m in names] == pytest.approx([6 / 7, 4 / 5, 2 / 5], abs=1e-12)


def test_structure_similarity() -> None:
    said = {"a": "rain fell", "b": "roads flooded"}
    gold = structure("cars stopped", said, [(("a",), "b"), (("b",), "h")])
    one = structure("cars stopped", said, [(("a",), "h")])
    score = StructureSimilarity().record_score(pred=one, gold=gold)
    # "rain fell cars stopped" shares two of four words with either gold edge: similarity 1/2.
    # P = (1/2) / 1, R = (1/2) / 2, F1 = 2 * (1/2) / (1 + 2).
    assert [score[m] for m in ("precision", "recall", "f1")] == pytest.approx([1 / 2, 1 / 4, 1 / 3], abs=1e-12)
    half = structure("cars stopped", said, [(("b",), "h")])
    # One of two gold edges, word for word: P = 1, R = 1/2, F1 = 2 * 1 / (1 + 2).
    exact = StructureSimilarity(scorer="exact").record_score(pred=half, gold=gold)
    assert [exact[m] for m in ("precision", "recall", "f1")] == pytest.approx([1, 1 / 2, 2 / 3], abs=1e-12)


def test_the_tables_of_smartypat() -> None:
    """`examples/judges`: three posts, one generated sentence and three benign ones, judged by two models."""
    found = json.loads(shell("reproduce", "smartypat", "--from", ROOT / "examples" / "judges", "--json"))
    careful, eager = found["SmartyPat"]["careful"], found["SmartyPat"]["eager"]
    # careful says yes to posts 1 and 2 and to no benign one: P = 1, R = 2/3, F1 = 4/5.
    assert [careful[m] for m in ("yes", "benign_yes", "precision", "recall", "f1")] == [2, 0, 1.0, 0.666667, 0.8]
    # As plotted: tp = 2/2, fp = 0/2, fn = (3-2) / ((3-0) + (3-2)) = 1/4; P = 1, R = 1 / (1 + 1/4) = .8, F1 = 1.6/1.8.
    assert careful["f1_script"] == {"fp": 0.0, "fn": 0.25, "tp": 1.0, "f1": 0.889}
    # Post 1: right, wrong: 1 - 1/2. Post 2: right: 1. Post 3: called sound: -(1 + 1/2 + ... + 1/13) = -3.180.
    assert (careful["label_count"], careful["score_strict"], careful["score_script"]) == (3, -1.68, -1.68)
    # eager says yes to all three and to two of three benign ones: P = 3/5, R = 1, F1 = 3/4, FPR = 2/3.
    assert [eager[m] for m in ("precision", "recall", "f1", "fpr")] == [0.6, 1.0, 0.75, 0.666667]
    # Post 3: 1 - 1/2. Post 2: 1 + 1/2 - 1/3. Post 1: -1 + 1/2. Sum 7/6.
    assert eager["score_strict"] == 1.167
    # The paper's script splits at commas alone and keeps "1. ": post 3: -1 - 1/2; posts 2 and 1: one label, wrong: -1.
    assert (eager["label_count"], eager["score_script"]) == (4, -3.5)

"""Ranked labels, twins and the published rates: the paper's formula by hand, the variants, bad input."""

import pytest

from fallax.core.types import GoldSpan, Judgement, Record
from fallax.errors import InputError, UnknownNameError
from fallax.metrics import RankedLabels, TwinDiscrimination, published_rates

H13 = sum(1 / i for i in range(1, 14))


def sentence(id: str, *labels: str, **meta: object) -> Record:
    return Record(id, "So it is.", (GoldSpan(0, 9, labels),) if labels else (), meta=meta)


@pytest.mark.parametrize(
    ("labels", "value"),
    [
        (("Equivocation",), 1),
        (("False Cause",), -1),
        (("Equivocation", "False Cause", "False Premise"), 1 - 1 / 2 + 1 / 3),
        (("circular reasoning", "Equivocation"), -1 + 1 / 2),
        ((), 0),
        (("Equivocation", "Equivocation"), 1.5),
    ],
)
def test_ranked_score_is_the_papers_sum(labels: tuple[str, ...], value: float) -> None:
    gold = sentence("1", "Equivocation", "False Premise")
    found = RankedLabels().record_score(pred=Judgement("1", True, labels), gold=gold)
    assert found["score"] == pytest.approx(value)


def test_a_no_costs_the_worst_case_whatever_labels_it_names() -> None:
    gold = sentence("1", "Equivocation")
    said = Judgement("1", False, ("Equivocation",), given=("Equivocation",))
    assert RankedLabels().record_score(pred=said, gold=gold)["score"] == pytest.approx(-H13)
    assert RankedLabels(variant="published").record_score(pred=said, gold=gold)["score"] == -3.18
    assert RankedLabels().record_score(pred=said, gold=gold)["label_count"] == 0


@pytest.mark.parametrize(
    ("given", "strict", "script"),
    [
        # Numbered: the cleaned label is right, the raw one is no part of the gold line.
        (("1. Equivocation",), 1, -1),
        # Shortened: no label of the fourteen, but a part of the gold line.
        (("improper distribution",), -1, 1),
        (("improper distribution or addition", "x", "y"), 1 - 1 / 2 - 1 / 3, 0.167),
    ],
)
def test_variants_differ_as_the_two_programs_do(given: tuple[str, ...], strict: float, script: float) -> None:
    from fallax.core.taxonomies import load_taxonomy
    from fallax.generation.protocols import judgement_from_answer

    answer = {"logic_error": "yes", "logic_fallacies": list(given)}
    pred = judgement_from_answer("1", answer, taxonomy=load_taxonomy("smartypat"))
    gold = sentence("1", "Improper Distribution or Addition", "Equivocation")
    assert RankedLabels().record_score(pred=pred, gold=gold)["score"] == pytest.approx(strict)
    assert RankedLabels(variant="published").record_score(pred=pred, gold=gold)["score"] == script


def test_published_looks_into_the_line_as_the_file_has_it() -> None:
    gold = sentence("1", "Equivocation", "False Premise", labels="False Premise, Equivocation")
    pred = Judgement("1", True, given=("premise, equivocation",))
    assert RankedLabels(variant="published").record_score(pred=pred, gold=gold)["score"] == 1


def test_accuracy_top_1_and_parts_by_label() -> None:
    gold = [sentence("1", "Equivocation", "False Cause"), sentence("2", "Equivocation"), sentence("3")]
    pred = [
        Judgement("1", True, ("False Cause", "nonsense")),
        Judgement("2", False),
        Judgement("3", True, ("Equivocation",)),
    ]
    found = RankedLabels().corpus_score(pred=pred, gold=gold)
    assert found["accuracy"] == pytest.approx(1 / 3)
    assert (found["top_1"], found["outside"]) == (0.5, 0.5)
    assert found.parts["label"]["Equivocation"]["recall"] == 0
    assert found.parts["label"]["False Cause"]["recall"] == 1
    assert dict(found.unscored) == {"3": "no fallacy in gold"}


def test_an_unreadable_answer_is_unscored_and_counted() -> None:
    gold = [sentence("1", "Equivocation")]
    pred = [Judgement("1", None, unscored="unclear", n_replies=1)]
    found = RankedLabels().corpus_score(pred=pred, gold=gold)
    assert (found["mean_score"], found.n_replies, dict(found.unscored)) == (None, 1, {"1": "unclear"})


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: RankedLabels(variant="authors"), "unknown variant 'authors'"),  # type: ignore[arg-type]
        (lambda: RankedLabels(taxonomy=3), "taxonomy must be a name or a Taxonomy, got int"),  # type: ignore[arg-type]
        (
            lambda: RankedLabels().corpus_score(pred=[True], gold=[]),  # type: ignore[list-item]
            "pred, entry 1: must be a Judgement, got bool",
        ),
        (
            lambda: RankedLabels().record_score(pred=Judgement("1", True), gold=sentence("1", "Straw Man")),
            "record '1', gold span 1: unknown label 'Straw Man'",
        ),
        (
            lambda: RankedLabels().corpus_score(
                pred=[Judgement("1", True), Judgement("1", False)], gold=[sentence("1", "Equivocation")]
            ),
            "pred: ids must be unique, found twice: '1'",
        ),
        (lambda: Judgement("1", None), "must have either an answer or a reason"),
        (lambda: Judgement("1", True, unscored="why"), "must have either an answer or a reason"),
    ],
)
def test_bad_input_is_refused(call: object, message: str) -> None:
    with pytest.raises((InputError, UnknownNameError), match=message.replace("(", r"\(")):
        call()  # type: ignore[operator]


def test_twins_need_a_fallacy_of_their_own() -> None:
    metric = TwinDiscrimination()
    one, two = sentence("1", "Equivocation"), sentence("1t", twin_of="1")
    again = sentence("1u", twin_of="1")
    lost = sentence("9t", twin_of="9")
    pred = {i: Judgement(i, True) for i in ("1", "1t", "1u", "9t")}
    with pytest.raises(InputError, match="a fallacy must have one twin, '1' has '1t' already"):
        metric.corpus_score(pred=[pred["1"], pred["1t"], pred["1u"]], gold=[one, two, again])
    with pytest.raises(InputError, match="record '9t': meta 'twin_of' must be the id of a fallacy"):
        metric.corpus_score(pred=[pred["9t"]], gold=[lost])
    with pytest.raises(InputError, match="record '1u': meta 'twin_of' must be the id of a fallacy"):
        metric.corpus_score(pred=[pred["1"], pred["1t"], pred["1u"]], gold=[one, two, sentence("1u", twin_of="1t")])


def test_a_pair_with_a_missing_half_is_unscored() -> None:
    gold = [sentence("1", "Equivocation"), sentence("1t", twin_of="1"), sentence("2", "False Cause")]
    pred = [
        Judgement("1", True, n_replies=1),
        Judgement("1t", None, unscored="timed out", n_replies=1),
        Judgement("2", True, n_replies=1),
    ]
    found = TwinDiscrimination().corpus_score(pred=pred, gold=gold)
    assert dict(found.unscored) == {"1": "twin: timed out", "2": "no twin"}
    assert (found["discrimination"], found.n_replies) == (None, 3)


def test_published_rates_follow_the_source() -> None:
    # 4 fallacious, 3 called so; of the first 4 benign 1 called so: tp .75, fp .25, fn 1 / (3 + 1).
    found = published_rates(fallacious=[True] * 3 + [False], benign=[True, False, False, False, True, True])
    assert found == {"fp": 0.25, "fn": 0.25, "tp": 0.75, "f1": 0.75}
    assert published_rates(fallacious=[], benign=[True])["f1"] is None
    assert published_rates(fallacious=[False], benign=[False])["tp"] is None
    assert published_rates(fallacious=[True], benign=[True]) == {"fp": 0.5, "fn": 0.0, "tp": 0.5, "f1": 0.667}


def test_ranked_labels_of_nothing_are_undefined() -> None:
    record = Record("a", "You lie.", (GoldSpan(0, 8, ("False Cause",)),))
    lost = Judgement("a", None, unscored="no answer could be read")
    for variant in ("definition", "published"):
        score = RankedLabels(variant=variant).corpus_score(pred=[lost], gold=[record])
        assert score.n_scored == 0
        assert set(score.values.values()) == {None}

"""The laws of metrics over judgements: one table of metrics, one of laws, each naming the metrics it holds for."""

import json
import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fallax.core.types import GoldSpan, Judgement, Label, Rating, Record, Score, Taxonomy
from fallax.metrics import (
    Quality,
    RankedLabels,
    TwinDiscrimination,
    cross_cosine,
    mean_cosine,
    parse_metric,
    published_rates,
    score_distribution,
)

TINY = Taxonomy("tiny", tuple(Label(x, ("flaw",)) for x in ("A", "B", "C", "D")))
WORST = -(1 + 1 / 2 + 1 / 3)


@dataclass(frozen=True)
class Case:
    """A configured metric; ``twins``: it needs pairs."""

    metric: RankedLabels | TwinDiscrimination
    twins: bool = False


CASES = [
    Case(RankedLabels(taxonomy=TINY)),
    Case(RankedLabels(taxonomy=TINY, variant="published")),
    Case(TwinDiscrimination(), twins=True),
]

names = st.lists(st.sampled_from(("A", "B", "C", "D", "elsewhere")), max_size=6)


@st.composite
def corpora(draw: st.DrawFn) -> tuple[list[Judgement], list[Record]]:
    """Up to four fallacies with their twins, each with a judgement; a few judgements are missing an answer."""
    preds, golds = [], []
    for i in range(draw(st.integers(0, 4))):
        labels = tuple(sorted(draw(st.sets(st.sampled_from("ABCD"), min_size=1, max_size=3))))
        source = draw(st.sampled_from(("", "forum")))
        golds.append(Record(str(i), "fallacy", (GoldSpan(0, 7, labels),), source=source))
        golds.append(Record(f"{i}t", "twin", (), source=source, meta={"twin_of": str(i)}))
        for id_ in (str(i), f"{i}t"):
            answer = draw(st.sampled_from((True, True, False, False, None)))
            named = tuple(draw(names)) if answer is not None else ()
            why = "" if answer is not None else "no answer"
            preds.append(Judgement(id_, answer, named, given=named, unscored=why, n_replies=1))
    return preds, golds


Corpus = tuple[list[Judgement], list[Record]]


def score(case: Case, corpus: Corpus) -> Score:
    return case.metric.corpus_score(pred=corpus[0], gold=corpus[1])


def same(a: Score, b: Score) -> None:
    assert (a.metric, a.signature, a.records, a.unscored, a.n_replies) == (
        b.metric,
        b.signature,
        b.records,
        b.unscored,
        b.n_replies,
    )
    for name, value in a.values.items():
        other = b[name]
        assert value is other is None or (value is not None and other is not None and math.isclose(value, other))
    for kind, parts in a.parts.items():
        for name, part in parts.items():
            same(part, b.parts[kind][name])


def in_range(case: Case, corpus: Corpus) -> None:
    for name, value in score(case, corpus).values.items():
        info = case.metric.measures[name]
        assert value is None or value >= info.low
        assert value is None or info.high is None or value <= info.high


def bounds_of_one_sentence(case: Case, corpus: Corpus) -> None:
    """A sentence with n labels lies between -H_n and H_n; one called sound costs the worst case."""
    preds = {p.id: p for p in corpus[0]}
    for id_, sums in score(case, corpus).records.items():
        judged = preds[id_]
        if judged.fallacious:
            most = sum(1 / i for i in range(1, len(judged.labels) + 1))
            assert abs(sums["score"]) <= most + 0.0005
        else:
            assert math.isclose(sums["score"], WORST, abs_tol=0.0005)


def gold_first_is_best(case: Case, corpus: Corpus) -> None:
    """Naming exactly the gold labels gives the best score that so many labels can have, and accuracy 1."""
    preds = [Judgement(r.id, True, r.gold[0].labels, given=r.gold[0].labels) for r in corpus[1] if r.gold]
    found = case.metric.corpus_score(pred=preds, gold=corpus[1], missing="unscored")
    best = sum(1 / i for p in preds for i in range(1, len(p.labels) + 1))
    assert math.isclose(found["score"] or 0, best, abs_tol=0.0005 * len(preds) + 1e-9)
    assert found["accuracy"] in (1.0, None)


def a_wrong_label_at_the_end_lowers_the_score(case: Case, corpus: Corpus) -> None:
    preds, golds = corpus
    wrong = [
        replace(p, labels=(*p.labels, "elsewhere"), given=(*p.given, "elsewhere")) if p.fallacious else p for p in preds
    ]
    before, after = score(case, corpus).records, score(case, (wrong, golds)).records
    by_id = {p.id: p for p in preds}
    assert all(after[i]["score"] < before[i]["score"] for i in before if by_id[i].fallacious)


def constant_judges_score_nothing(case: Case, corpus: Corpus) -> None:
    for answer in (True, False):
        found = score(case, ([Judgement(p.id, answer) for p in corpus[0]], corpus[1]))
        for measure in ("discrimination", "informedness"):
            assert found[measure] == (0 if corpus[1] else None)


def right_answers_score_everything(case: Case, corpus: Corpus) -> None:
    found = score(case, ([Judgement(r.id, bool(r.gold)) for r in corpus[1]], corpus[1]))
    assert set(found.values.values()) == ({1.0} if corpus[1] else {None})


def turning_every_answer_turns_informedness(case: Case, corpus: Corpus) -> None:
    turned = [p if p.fallacious is None else replace(p, fallacious=not p.fallacious) for p in corpus[0]]
    a, b = score(case, corpus)["informedness"], score(case, (turned, corpus[1]))["informedness"]
    assert a is b is None or (a is not None and b is not None and math.isclose(a, -b, abs_tol=1e-12))


def informedness_is_the_sum_of_both_rates(case: Case, corpus: Corpus) -> None:
    v = score(case, corpus).values
    if v["informedness"] is not None:
        rates = (v["fallacies_rejected"] or 0) + (v["twins_accepted"] or 0) - 1
        assert math.isclose(v["informedness"], rates, abs_tol=1e-12)


def order_does_not_matter(case: Case, corpus: Corpus) -> None:
    assert score(case, (corpus[0][::-1], corpus[1][::-1])) == score(case, corpus)


def merging_changes_nothing(case: Case, corpus: Corpus) -> None:
    preds, golds = corpus
    cut = len(golds) // 4 * 2
    a, b = (preds[:cut], golds[:cut]), (preds[cut:], golds[cut:])
    same(score(case, a) + score(case, b), score(case, corpus))


def json_round_trip(case: Case, corpus: Corpus) -> None:
    found = score(case, corpus)
    assert Score.from_dict(json.loads(json.dumps(found.to_dict(records=True)))) == found
    assert [Judgement.from_dict(json.loads(json.dumps(p.to_dict()))) for p in corpus[0]] == corpus[0]


def unanswered_sentences_are_unscored(case: Case, corpus: Corpus) -> None:
    found = score(case, corpus)
    silent = {p.id.removesuffix("t") if case.twins else p.id for p in corpus[0] if p.fallacious is None}
    assert not silent & found.records.keys()
    assert silent <= found.unscored.keys()


def ranked(case: Case) -> bool:
    return not case.twins


def paired(case: Case) -> bool:
    return case.twins


def every(case: Case) -> bool:
    return True


LAWS: dict[Callable[[Case, Corpus], None], Callable[[Case], bool]] = {
    in_range: every,
    bounds_of_one_sentence: ranked,
    gold_first_is_best: ranked,
    a_wrong_label_at_the_end_lowers_the_score: ranked,
    constant_judges_score_nothing: paired,
    right_answers_score_everything: paired,
    turning_every_answer_turns_informedness: paired,
    informedness_is_the_sum_of_both_rates: paired,
    order_does_not_matter: every,
    merging_changes_nothing: every,
    json_round_trip: every,
    unanswered_sentences_are_unscored: every,
}


@pytest.mark.parametrize(
    ("law", "case"),
    [
        pytest.param(law, case, id=f"{law.__name__}-{case.metric}")
        for law, holds in LAWS.items()
        for case in CASES
        if holds(case)
    ],
)
def test_law(law: Callable[[Case, Corpus], None], case: Case) -> None:
    @settings(max_examples=40, deadline=None)
    @given(corpora())
    def check(corpus: Corpus) -> None:
        law(case, corpus)

    check()


@pytest.mark.parametrize("case", CASES, ids=lambda c: str(c.metric))
def test_the_spec_of_a_metric_names_it(case: Case) -> None:
    assert parse_metric(str(case.metric), taxonomies=(TINY,)) == case.metric


answers = st.lists(st.booleans(), max_size=12)


@given(answers, answers)
def test_published_rates_lie_between_0_and_1(fallacious: list[bool], benign: list[bool]) -> None:
    found = published_rates(fallacious=fallacious, benign=benign)
    assert all(v is None or 0 <= v <= 1 for v in found.values())
    if found["tp"] is not None and found["fp"] is not None:
        assert math.isclose(found["tp"] + found["fp"], 1, abs_tol=0.0011)
    assert found == published_rates(fallacious=fallacious[::-1], benign=benign[: len(fallacious)])


ratings = st.lists(
    st.tuples(st.sampled_from("AB"), st.lists(st.sampled_from((0, 1, 2, 3, None)), min_size=1, max_size=3)), max_size=5
)


@given(ratings)
def test_quality_laws(rows: list[tuple[str, list[int | None]]]) -> None:
    metric = Quality()
    gold = [Record(str(i), "x", (GoldSpan(0, 1, (label,)),)) for i, (label, _) in enumerate(rows)]
    pred = [
        Rating(str(i), label, tuple(runs), unscored="" if any(r is not None for r in runs) else "no score")
        for i, (label, runs) in enumerate(rows)
    ]
    found = metric.corpus_score(pred=pred, gold=gold)
    for name, value in found.values.items():
        high = metric.measures[name].high
        assert value is None or (high is not None and metric.measures[name].low <= value <= high)
    assert metric.corpus_score(pred=pred[::-1], gold=gold[::-1]) == found
    cut = len(rows) // 2
    same(
        metric.corpus_score(pred=pred[:cut], gold=gold[:cut]) + metric.corpus_score(pred=pred[cut:], gold=gold[cut:]),
        found,
    )
    n_given = sum(r is not None for _, runs in rows for r in runs)
    assert sum(sum(counts) for counts in score_distribution(found).values()) == n_given
    assert [Rating.from_dict(json.loads(json.dumps(r.to_dict()))) for r in pred] == pred
    assert parse_metric(str(metric)) == metric


vectors = st.lists(
    st.lists(st.floats(-3, 3, allow_subnormal=False).map(lambda x: round(x, 3)), min_size=3, max_size=3).filter(any),
    min_size=1,
    max_size=6,
)


@given(vectors, vectors)
def test_cosine_laws(a: list[list[float]], b: list[list[float]]) -> None:
    def cosine(x: list[float], y: list[float]) -> float:
        return sum(i * j for i, j in zip(x, y, strict=True)) / math.hypot(*x) / math.hypot(*y)

    across = cross_cosine(a, b)
    assert across is not None
    assert math.isclose(across, sum(cosine(x, y) for x in a for y in b) / len(a) / len(b), abs_tol=1e-9)
    assert math.isclose(across, cross_cosine(b, a) or 0, abs_tol=1e-12)
    within = mean_cosine(a)
    pairs = [cosine(x, y) for i, x in enumerate(a) for y in a[:i]]
    assert (within is None) == (not pairs)
    if within is not None:
        assert math.isclose(within, sum(pairs) / len(pairs), abs_tol=1e-9)
        scaled = mean_cosine([[7 * i for i in x] for x in a])
        assert math.isclose(within, scaled or 0, abs_tol=1e-9)

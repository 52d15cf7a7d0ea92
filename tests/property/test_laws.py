"""One table of metrics, one table of laws; each law names the metrics it holds for.

A new metric is one line in CASES: its traits decide which laws it must obey.
"""

import json
import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fallax.core.types import NO_FALLACY, ArgumentStructure, GoldSpan, Label, Prediction, Record, Score, Span, Taxonomy
from fallax.errors import InputError
from fallax.metrics import (
    FLC,
    METRICS,
    Classification,
    EntailmentTree,
    FallacyDetection,
    MultiLabel,
    Quality,
    RankedLabels,
    SentenceDetection,
    SoftSpan,
    SpanMatch,
    SpanMetric,
    StructureMetric,
    StructureSimilarity,
    TwinDiscrimination,
    TwoClass,
    krippendorff_alpha,
    parse_metric,
)
from tests.support.structures import structures

LENGTH = 24
LABELS = ("A", "B", "C")
RENAMED = {"A": "zebra", "B": "A", "C": "a: tab and\nline", NO_FALLACY: NO_FALLACY}
#: A flat set of every label that the laws use, so that each can stand in for another.
TINY = Taxonomy(
    "tiny", tuple(Label(x, ("flaw",)) for x in sorted({*LABELS, "zebra", "a: tab and\nline", "never gold"}))
)


@dataclass(frozen=True)
class Case:
    """A configured metric and what is true of it.

    identity : gold as prediction scores 1 where every gold span has one label: "always", "nonempty" (undefined or 0
        where no record has a span) or "disjoint" (also only where spans of one label do not overlap).
    may_exceed_one : precision and recall have no upper bound.
    swaps : pred and gold change places as precision and recall do, where every gold span has one label.
    extra_never_helps : a predicted span that meets no gold span never raises precision.
    """

    metric: SpanMetric
    identity: str
    may_exceed_one: bool = False
    swaps: bool = True
    extra_never_helps: bool = True


CASES = [
    Case(FLC(), "disjoint", may_exceed_one=True),
    # Its merging of gold, and 1 for empty against empty, are no part of the definition's symmetry.
    Case(FLC(variant="official", merge_overlaps=True), "always"),
    *(
        Case(SpanMatch(mode=mode, average=average), "nonempty")
        for mode in ("strict", "exact", "partial", "type", "overlap")
        for average in ("micro", "macro")
    ),
    Case(SpanMatch(alternatives="all"), "nonempty"),
    *(Case(SoftSpan(taxonomy=TINY, level=level, unit="span"), "always") for level in (0, 1)),
    Case(SoftSpan(taxonomy=TINY, level=1, unit="text"), "always"),
    Case(SoftSpan(taxonomy=TINY, level=1, alternatives="inclusive"), "always"),
    # A wrong span can turn a missed text into a found one: detection asks only whether there is any.
    Case(FallacyDetection(), "nonempty", extra_never_helps=False),
    *(Case(SentenceDetection(unit=unit), "nonempty", extra_never_helps=False) for unit in ("sentence", "line")),
    Case(MultiLabel(), "nonempty"),
    Case(MultiLabel(average="macro"), "nonempty"),
    # A text without any prediction counts 0 or 1 as a whole, so that a first label can raise nothing but may lower it.
    Case(MultiLabel(average="samples"), "always"),
    Case(MultiLabel(alternatives="all"), "nonempty"),
]

places = st.tuples(st.integers(0, LENGTH - 2), st.integers(1, 8)).map(lambda x: (x[0], min(LENGTH, x[0] + x[1])))
labels = st.sampled_from(LABELS)
predicted = st.lists(st.tuples(places, labels), max_size=4, unique=True).map(
    lambda rows: tuple(Span(a, b, label) for (a, b), label in rows)
)


def gold_spans(options: st.SearchStrategy[tuple[str, ...]]) -> st.SearchStrategy[tuple[GoldSpan, ...]]:
    return st.dictionaries(places, options, max_size=4).map(
        lambda rows: tuple(GoldSpan(a, b, found) for (a, b), found in rows.items())
    )


alternatives = st.sets(st.sampled_from((*LABELS, NO_FALLACY)), min_size=1).map(lambda x: tuple(sorted(x)))
single = labels.map(lambda x: (x,))


@st.composite
def corpora(
    draw: st.DrawFn, options: st.SearchStrategy[tuple[str, ...]] = alternatives
) -> tuple[list[Prediction], list[Record]]:
    """Up to four records with one prediction each; the last ten characters of every text are free of spans."""
    preds, golds = [], []
    for i in range(draw(st.integers(0, 4))):
        gold = draw(gold_spans(options))
        source = draw(st.sampled_from(("", "news", "forum")))
        golds.append(Record(str(i), "x" * (LENGTH + 10), gold, source=source))
        preds.append(Prediction(str(i), draw(predicted), n_replies=draw(st.integers(0, 2))))
    return preds, golds


Corpus = tuple[list[Prediction], list[Record]]


def score(case: Case, corpus: Corpus) -> Score:
    return case.metric.corpus_score(pred=corpus[0], gold=corpus[1])


def same(a: float | None, b: float | None) -> bool:
    return a is b is None or (a is not None and b is not None and math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12))


def as_prediction(record: Record) -> Prediction:
    return Prediction(record.id, tuple(Span(g.start, g.end, x) for g in record.gold or () for x in g.labels))


def as_record(pred: Prediction, like: Record) -> Record:
    return replace(like, gold=tuple(GoldSpan(s.start, s.end, (s.label,)) for s in pred.spans))


def one_label_per_place(preds: list[Prediction]) -> bool:
    return all(len({(s.start, s.end) for s in p.spans}) == len(p.spans) for p in preds)


def overlap_within_labels(records: list[Record]) -> bool:
    return any(
        a is not b and a.labels == b.labels and a.start < b.end and b.start < a.end
        for r in records
        for a in r.gold or ()
        for b in r.gold or ()
    )


def identity(case: Case, corpus: Corpus) -> None:
    golds = corpus[1]
    assume(case.identity == "always" or any(r.gold for r in golds))
    assume(case.identity != "disjoint" or not overlap_within_labels(golds))
    assume(golds)
    found = score(case, ([as_prediction(r) for r in golds], golds))
    assert found["f1"] == 1.0


def in_range(case: Case, corpus: Corpus) -> None:
    found = score(case, corpus)
    for part in (found, *(p for parts in found.parts.values() for p in parts.values())):
        for name, value in part.values.items():
            info = case.metric.measures[name]
            assert value is None or value >= info.low
            if case.may_exceed_one:
                assert info.high is None
            elif value is not None and info.high is not None:
                assert value <= info.high


def order_does_not_matter(case: Case, corpus: Corpus) -> None:
    preds, golds = corpus
    turned = [replace(p, spans=p.spans[::-1]) for p in reversed(preds)], golds[::-1]
    assert score(case, turned) == score(case, corpus)
    shifted = preds[1:] + preds[:1], golds
    assert score(case, shifted) == score(case, corpus)


def merging_changes_nothing(case: Case, corpus: Corpus) -> None:
    preds, golds = corpus
    cut = len(golds) // 2
    merged = score(case, (preds[:cut], golds[:cut])) + score(case, (preds[cut:], golds[cut:]))
    agree(merged, score(case, corpus))


def agree(a: Score, b: Score) -> None:
    assert (a.metric, a.formula, a.signature, a.records, a.unscored) == (
        b.metric,
        b.formula,
        b.signature,
        b.records,
        b.unscored,
    )
    assert (a.n_replies, a.n_unreadable) == (b.n_replies, b.n_unreadable)
    assert set(a.sums) == set(b.sums)
    assert all(same(a.sums[k], b.sums[k]) for k in a.sums)
    assert all(same(a[m], b[m]) for m in a.values)
    assert set(a.parts) == set(b.parts)
    for kind, parts in a.parts.items():
        assert set(parts) == set(b.parts[kind])
        for name, part in parts.items():
            agree(part, b.parts[kind][name])


def swapping_swaps(case: Case, corpus: Corpus) -> None:
    preds, golds = corpus
    assume(one_label_per_place(preds))
    found = score(case, corpus)
    turned = score(
        case, ([as_prediction(r) for r in golds], [as_record(p, r) for p, r in zip(preds, golds, strict=True)])
    )
    assert same(found["precision"], turned["recall"])
    assert same(found["recall"], turned["precision"])
    assert same(found["f1"], turned["f1"])


def renaming_labels_changes_nothing(case: Case, corpus: Corpus) -> None:
    preds = [replace(p, spans=tuple(replace(s, label=RENAMED[s.label]) for s in p.spans)) for p in corpus[0]]
    golds = [
        replace(r, gold=tuple(replace(g, labels=tuple(RENAMED[x] for x in g.labels)) for g in r.gold or ()))
        for r in corpus[1]
    ]
    before, after = score(case, corpus), score(case, (preds, golds))
    assert all(same(before[m], after[m]) for m in before.values)
    assert {RENAMED[x] for x in before.parts.get("label", {})} == set(after.parts.get("label", {}))
    for label, part in before.parts.get("label", {}).items():
        assert all(same(v, after.parts["label"][RENAMED[label]][m]) for m, v in part.values.items())


def a_wrong_extra_span_never_raises_precision(case: Case, corpus: Corpus) -> None:
    preds, golds = corpus
    assume(preds)
    wrong = Span(LENGTH + 2, LENGTH + 5, "never gold")
    before = score(case, corpus)["precision"]
    after = score(case, ([replace(preds[0], spans=(*preds[0].spans, wrong)), *preds[1:]], golds))["precision"]
    assert after is not None
    assert before is None or after <= before + 1e-12


def json_round_trip(case: Case, corpus: Corpus) -> None:
    found = score(case, corpus)
    assert Score.from_dict(json.loads(json.dumps(found.to_dict(records=True)))) == found


def one_record_is_a_corpus(case: Case, corpus: Corpus) -> None:
    found = score(case, corpus)
    for pred, gold in zip(*corpus, strict=True):
        alone = case.metric.record_score(pred=pred, gold=gold)
        assert alone.records[gold.id] == found.records[gold.id]


#: law -> (the metrics it holds for, the corpora it is about).
LAWS: dict[Callable[[Case, Corpus], None], tuple[Callable[[Case], bool], st.SearchStrategy[Corpus]]] = {
    identity: (lambda _: True, corpora(single)),
    in_range: (lambda _: True, corpora()),
    order_does_not_matter: (lambda _: True, corpora()),
    merging_changes_nothing: (lambda _: True, corpora()),
    swapping_swaps: (lambda case: case.swaps, corpora(single)),
    # Level 0 of a metric with levels names its one group, not the labels.
    renaming_labels_changes_nothing: (lambda case: getattr(case.metric, "level", None) != 0, corpora()),
    a_wrong_extra_span_never_raises_precision: (lambda case: case.extra_never_helps, corpora()),
    json_round_trip: (lambda _: True, corpora()),
    one_record_is_a_corpus: (lambda _: True, corpora()),
}


@pytest.mark.parametrize(
    ("law", "case"),
    [
        pytest.param(law, case, id=f"{law.__name__}-{case.metric}")
        for law, (holds, _) in LAWS.items()
        for case in CASES
        if holds(case)
    ],
)
def test_law(law: Callable[[Case, Corpus], None], case: Case) -> None:
    @settings(max_examples=40, deadline=None)
    @given(LAWS[law][1])
    def check(corpus: Corpus) -> None:
        law(case, corpus)

    check()


def test_every_registered_metric_is_in_the_table() -> None:
    # Classification and TwoClass take plain labels, two take structures: below; those of judges: test_judging_laws.py.
    judges = {Quality, RankedLabels, TwinDiscrimination}
    others = {Classification, TwoClass, *judges, *(type(metric) for metric in STRUCTURE_METRICS)}
    assert {type(case.metric) for case in CASES} | others == set(METRICS.values())


STRUCTURE_METRICS: tuple[StructureMetric, ...] = (
    StructureSimilarity(),
    StructureSimilarity(edges="link"),
    StructureSimilarity(scorer="exact"),
    EntailmentTree(),
    EntailmentTree(scorer="token_f1", threshold=0.5, leaves="text"),
)


@pytest.mark.parametrize(
    "metric",
    [
        *(case.metric for case in CASES),
        *STRUCTURE_METRICS,
        Classification(),
        Classification(labels=("yes", 'n"o', "not, sure)")),
        TwoClass(),
    ],
    ids=str,
)
def test_the_spec_of_a_metric_names_it(metric: SpanMetric | StructureMetric | Classification | TwoClass) -> None:
    assert parse_metric(str(metric), taxonomies=(TINY,)) == metric


@given(st.text())
def test_any_label_survives_a_spec(label: str) -> None:
    assume(label)
    metric = Classification(labels=(label, label + "!"))
    assert parse_metric(str(metric)) == metric


@given(st.text(max_size=30))
def test_a_spec_is_read_or_refused(spec: str) -> None:
    try:
        metric = parse_metric(f"flc({spec})")
    except InputError:
        return
    assert parse_metric(str(metric)) == metric


answers = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=1, max_size=9)


@given(answers)
def test_classification_laws(rows: list[tuple[str, str]]) -> None:
    metric = Classification()
    gold = {str(i): g for i, (g, _) in enumerate(rows)}
    pred = {str(i): p for i, (_, p) in enumerate(rows)}
    found = metric.corpus_score(pred=pred, gold=gold)
    assert set(metric.corpus_score(pred=gold, gold=gold).values.values()) == {1.0}
    assert all(v is not None and 0 <= v <= 1 for v in found.values.values())
    assert set(found.values) == set(metric.measures)
    turned = metric.corpus_score(pred=gold, gold=pred)
    assert same(turned["macro_precision"], found["macro_recall"])
    assert turned["accuracy"] == found["accuracy"]
    backwards = metric.corpus_score(pred=dict(reversed(pred.items())), gold=dict(reversed(gold.items())))
    assert backwards == found
    first = dict(list(gold.items())[:4])
    rest = {i: g for i, g in gold.items() if i not in first}
    merged = metric.corpus_score(pred={i: pred[i] for i in first}, gold=first) + metric.corpus_score(
        pred={i: pred[i] for i in rest}, gold=rest
    )
    agree(merged, found)
    assert Score.from_dict(json.loads(json.dumps(found.to_dict(records=True)))) == found


pairs_of_two = st.lists(st.tuples(st.sampled_from("pn"), st.sampled_from("pn")), min_size=1, max_size=12)


@given(pairs_of_two)
def test_two_class_laws(rows: list[tuple[str, str]]) -> None:
    metric = TwoClass(positive="p", negative="n")
    gold = {str(i): g for i, (g, _) in enumerate(rows)}
    pred = {str(i): p for i, (_, p) in enumerate(rows)}
    found = metric.corpus_score(pred=pred, gold=gold)
    assert set(found.values) == set(metric.measures)
    perfect = metric.corpus_score(pred=gold, gold=gold)
    assert perfect["accuracy"] == 1
    assert {perfect[m] for m in ("balanced_accuracy", "krippendorff_alpha")} <= {1.0, None}
    for name, value in found.values.items():
        assert value is None or metric.measures[name].low <= value <= 1
    turned = metric.corpus_score(pred=gold, gold=pred)
    assert same(turned["precision"], found["recall"])
    assert same(turned["krippendorff_alpha"], found["krippendorff_alpha"])
    other_way = TwoClass(positive="n", negative="p").corpus_score(pred=pred, gold=gold)
    assert same(other_way["fpr"], found["fnr"])
    assert same(other_way["balanced_accuracy"], found["balanced_accuracy"])
    assert same(other_way["krippendorff_alpha"], found["krippendorff_alpha"])
    by_package = krippendorff_alpha([list(gold.values()), list(pred.values())]).value
    assert same(found["krippendorff_alpha"], by_package)
    assert metric.corpus_score(pred=dict(reversed(pred.items())), gold=dict(reversed(gold.items()))) == found
    first = dict(list(gold.items())[:4])
    rest = {i: g for i, g in gold.items() if i not in first}
    parts = [metric.corpus_score(pred={i: pred[i] for i in some}, gold=some) for some in (first, rest)]
    agree(parts[0] + parts[1], found)
    assert Score.from_dict(json.loads(json.dumps(found.to_dict(records=True)))) == found


def shuffled(structure: ArgumentStructure, draw: st.DataObject) -> ArgumentStructure:
    evidence = draw.draw(st.permutations(structure.evidence))
    return ArgumentStructure(structure.claim, tuple(evidence), tuple(draw.draw(st.permutations(structure.links))))


@pytest.mark.parametrize("metric", STRUCTURE_METRICS, ids=str)
@given(st.lists(st.tuples(structures(), structures()), max_size=3), st.data())
@settings(max_examples=15)
def test_structure_laws(
    metric: StructureMetric, drawn: list[tuple[tuple[ArgumentStructure, object], ...]], data: st.DataObject
) -> None:
    pred = {str(i): pair[0][0] for i, pair in enumerate(drawn)}
    gold = {str(i): pair[1][0] for i, pair in enumerate(drawn)}
    found = metric.corpus_score(pred=pred, gold=gold)
    assert set(found.values) == set(metric.measures)
    assert all(v is None or 0 <= v <= 1 for v in found.values.values())
    unsound = ("back to itself", "the claim must lead nowhere")
    sound = {i: s for i, s in gold.items() if not any(x in p for p in s.problems for x in unsound)}
    assert all(v in (None, 1.0) for v in metric.corpus_score(pred=sound, gold=sound).values.values())
    turned = metric.corpus_score(pred=gold, gold=pred)
    if isinstance(metric, StructureSimilarity):
        assert same(turned["precision"], found["recall"])
        assert same(turned["f1"], found["f1"])
    else:
        assert same(turned["leaves_f1"], found["leaves_f1"])
    mixed = metric.corpus_score(pred={i: shuffled(s, data) for i, s in pred.items()}, gold=gold)
    assert all(same(mixed[m], found[m]) for m in found.values)
    cut = dict(list(gold.items())[:1])
    rest = {i: s for i, s in gold.items() if i not in cut}
    merged = metric.corpus_score(pred={i: pred[i] for i in cut}, gold=cut) + metric.corpus_score(
        pred={i: pred[i] for i in rest}, gold=rest
    )
    agree(merged, found)
    assert Score.from_dict(json.loads(json.dumps(found.to_dict(records=True)))) == found
    for i, one in pred.items():
        assert metric.record_score(pred=one, gold=gold[i]).records["0"] == found.records[i]

"""Alignment, parts, signatures and specs, which all metrics share."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import pytest

from fallax._version import __version__
from fallax.core.types import (
    GoldSpan,
    Label,
    Prediction,
    Record,
    Score,
    Signature,
    Span,
    Taxonomy,
    Unreadable,
    data_hash,
)
from fallax.core.types.scores import FORMULAS
from fallax.errors import InputError, MetricError, UnknownNameError
from fallax.metrics import (
    FLC,
    METRICS,
    Classification,
    FallacyDetection,
    MultiLabel,
    SentenceDetection,
    SpanMatch,
    SpanMetric,
    parse_metric,
)
from fallax.metrics.base import Counts, PredGold

A = GoldSpan(0, 4, ("A",))
HIT = (Span(0, 4, "A"),)


def rec(id: str, *gold: GoldSpan, source: str = "") -> Record:
    return Record(id, "x" * 20, gold, source=source)


@pytest.mark.parametrize("metric", [SpanMatch(), SpanMatch(average="macro"), FLC(), FLC(variant="official")], ids=str)
def test_spans_that_cannot_be_used_count_as_wrong(metric: SpanMetric) -> None:
    """As many wrong spans of the same labels elsewhere cost as much."""
    gold = [rec("a", A), rec("b")]
    pred = [Prediction("a", HIT), Prediction("b")]
    wrong = [Prediction("a", (*HIT, Span(8, 9, "A"), Span(10, 11, "B"))), Prediction("b", (Span(0, 1, "A"),))]
    found = metric.corpus_score(pred=pred, gold=gold, kept_out={"a": ["A", "B"], "b": ["A"], "z": ["A"]})
    expected = metric.corpus_score(pred=wrong, gold=gold)
    assert found.values == expected.values
    assert {k: p.values for k, p in found.parts["label"].items()} == {
        k: p.values for k, p in expected.parts["label"].items()
    }
    assert metric.corpus_score(pred=pred, gold=gold)["precision"] == 1


@pytest.mark.parametrize("settings", ["", "level=0", "unit=text", "alternatives=inclusive", "variant=published"])
def test_soft_span_counts_labels_outside_the_taxonomy_as_wrong(settings: str) -> None:
    metric = parse_metric(f"soft_span({settings})")
    assert isinstance(metric, SpanMetric)
    gold = [rec("a", GoldSpan(0, 4, ("ad hominem",)))]
    pred = [Prediction("a", (Span(0, 4, "ad hominem"),))]
    found = metric.corpus_score(pred=pred, gold=gold, kept_out={"a": ["made up"]})
    assert (found["precision"], found["recall"]) == (0.5, 1)


def test_metrics_that_ignore_positions_take_the_labels_and_others_nothing() -> None:
    gold, pred, kept_out = [rec("a", A), rec("b")], [Prediction("a"), Prediction("b")], {"a": ["A"], "b": ["B"]}
    found = MultiLabel().corpus_score(pred=pred, gold=gold, kept_out=kept_out)
    assert (found["precision"], found["recall"]) == (0.5, 1)
    assert FallacyDetection().corpus_score(pred=pred, gold=gold, kept_out=kept_out)["accuracy"] == 0.5
    by_sentence = SentenceDetection()
    assert not by_sentence.counts_kept_out
    assert (
        by_sentence.corpus_score(pred=pred, gold=gold, kept_out=kept_out).values
        == by_sentence.corpus_score(pred=pred, gold=gold).values
    )


@pytest.mark.parametrize("metric", [FLC(), SpanMatch(), FallacyDetection(), MultiLabel()], ids=str)
class TestAlignment:
    def test_missing_predictions_are_an_error_that_counts_and_names_them(self, metric: SpanMetric) -> None:
        gold = [rec(f"r{i}") for i in range(8)]
        with pytest.raises(
            InputError, match=r"7 of 8 have none: 'r1', 'r2', 'r3', 'r4', 'r5' and 2 more; give an empty"
        ):
            metric.corpus_score(pred=[Prediction("r0")], gold=gold)

    def test_missing_predictions_can_be_left_out_but_are_shown(self, metric: SpanMetric) -> None:
        found = metric.corpus_score(pred=[Prediction("a", HIT)], gold=[rec("a", A), rec("b", A)], missing="unscored")
        assert found.unscored == {"b": "no prediction"}
        assert found.n_scored == 1
        assert found["f1"] == 1.0

    def test_extra_predictions_are_an_error(self, metric: SpanMetric) -> None:
        with pytest.raises(InputError, match="1 of 2 have none: 'z'"):
            metric.corpus_score(pred=[Prediction("a"), Prediction("z")], gold=[rec("a")])

    def test_ids_given_twice_are_an_error(self, metric: SpanMetric) -> None:
        with pytest.raises(InputError, match="pred: ids must be unique, found twice: 'a'"):
            metric.corpus_score(pred=[Prediction("a"), Prediction("a")], gold=[rec("a")])
        with pytest.raises(InputError, match="gold: ids must be unique, found twice: 'a'"):
            metric.corpus_score(pred=[Prediction("a")], gold=[rec("a"), rec("a")])

    def test_readings_cannot_be_mixed(self, metric: SpanMetric) -> None:
        pred = [Prediction("a"), Prediction("b", variant="published")]
        with pytest.raises(InputError, match="one reading, got definition, published"):
            metric.corpus_score(pred=pred, gold=[rec("a"), rec("b")])
        found = metric.corpus_score(pred=pred[1:], gold=[rec("b")])
        assert found.signature.settings["reading"] == "published"

    def test_other_values_than_predictions_and_records_are_an_error(self, metric: SpanMetric) -> None:
        with pytest.raises(InputError, match="gold, entry 1: must be a Record, got Prediction"):
            metric.corpus_score(pred=[Prediction("a")], gold=[Prediction("a")])  # type: ignore[list-item]
        with pytest.raises(InputError, match="pred: must be a sequence of Prediction, got str"):
            metric.corpus_score(pred="a", gold=[])  # type: ignore[arg-type]

    def test_a_failed_or_unannotated_record_is_unscored_and_never_wrong(self, metric: SpanMetric) -> None:
        gold = [rec("a", A), rec("b", A), Record("c", "x" * 20)]
        pred = [Prediction("a", HIT), Prediction("b", unscored="endpoint failed"), Prediction("c", HIT)]
        found = metric.corpus_score(pred=pred, gold=gold)
        alone = metric.corpus_score(pred=pred[:1], gold=gold[:1])
        assert found.unscored == {"b": "endpoint failed", "c": "not annotated"}
        assert found.sums == alone.sums
        assert (found.n_scored, found.n_unscored) == (1, 2)
        assert found.signature.data == data_hash(gold[:1])

    def test_unreadable_replies_predict_nothing_and_are_counted(self, metric: SpanMetric) -> None:
        pred = [Prediction("a", HIT, n_replies=3), Prediction("b", unreadable=(Unreadable("?"),) * 2, n_replies=4)]
        found = metric.corpus_score(pred=pred, gold=[rec("a", A, source="s"), rec("b", A, source="t")])
        assert (found.n_replies, found.n_unreadable) == (7, 2)
        assert found["recall"] == 0.5
        assert found.parts["source"]["t"].n_unreadable == 2

    def test_parts_by_source(self, metric: SpanMetric) -> None:
        gold = [rec("a", A, source="news"), rec("b", A, source="forum"), rec("c", A)]
        pred = [Prediction("a", HIT), Prediction("b"), Prediction("c", HIT)]
        found = metric.corpus_score(pred=pred, gold=gold)
        assert list(found.parts["source"]) == ["forum", "news"]
        assert found.parts["source"]["news"]["recall"] == 1.0
        assert found.parts["source"]["forum"]["recall"] == 0.0
        assert found.parts["source"]["news"].signature.data == data_hash(gold[:1])

    def test_the_signature_says_everything_the_number_depends_on(self, metric: SpanMetric) -> None:
        found = metric.record_score(pred=Prediction("a"), gold=rec("a", A))
        settings = found.signature.settings
        assert settings["metric"] == metric.name
        assert settings["version"] == __version__
        assert settings["reading"] == "definition"
        assert settings["taxonomy"] == "none"
        assert set(vars(metric)) <= set(settings)
        assert re.search(r"\|n:1\|data:[0-9a-f]{16}$", str(found.signature))

    def test_no_records_give_a_score_without_values(self, metric: SpanMetric) -> None:
        found = metric.corpus_score(pred=[], gold=[])
        assert found.n_scored == 0
        assert set(found.values.values()) == {None}


def test_registered_taxonomies_are_found_by_name() -> None:
    gold = Record("a", "x" * 20, (GoldSpan(0, 4, ("straw man",)),))
    found = FLC(taxonomy="mafalda").record_score(pred=Prediction("a", (Span(0, 4, "straw man"),)), gold=gold)
    assert found.signature.settings["taxonomy"].startswith("mafalda@")
    with pytest.raises(UnknownNameError, match="did you mean 'mafalda'"):
        FLC(taxonomy="mafald").record_score(pred=Prediction("a"), gold=gold)


def test_registry_names_its_classes() -> None:
    assert {name: c.name for name, c in METRICS.items()} == {name: name for name in METRICS}
    assert {"flc", "span_match", "detection", "multi_label", "classification"} <= set(METRICS)


@pytest.mark.parametrize(
    ("spec", "metric"),
    [
        ("flc", FLC()),
        ("flc()", FLC()),
        (" flc ( variant = official , merge_overlaps=true ) ", FLC(variant="official", merge_overlaps=True)),
        ('flc(variant="official")', FLC(variant="official")),
        ("flc(taxonomy=mafalda)", FLC(taxonomy="mafalda")),
        ("flc(taxonomy=null)", FLC()),
        ("multi_label(level=1, taxonomy=mafalda)", MultiLabel(level=1, taxonomy="mafalda")),
        ('classification(labels=["a, b", "c)"])', Classification(labels=("a, b", "c)"))),
    ],
)
def test_parse_metric_reads_specs(spec: str, metric: object) -> None:
    assert parse_metric(spec) == metric


def test_parse_metric_finds_taxonomies_that_are_not_registered() -> None:
    own = Taxonomy("own words", (Label("A"),))
    metric = SpanMatch(taxonomy=own)
    assert str(metric) == 'span_match(taxonomy="own words")'
    assert parse_metric(str(metric), taxonomies=[own]) == metric


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("flcc", "unknown metric 'flcc'; did you mean 'flc'"),
        ("flc(variant=oficial)", "flc: unknown variant 'oficial'; did you mean 'official'"),
        ("flc(varriant=official)", "flc: unknown setting 'varriant'; did you mean 'variant'"),
        ("flc(variant=official, variant=official)", "'variant' is given twice"),
        ("flc(variant official)", "must be setting=value"),
        ("flc(variant=official merge_overlaps=true)", "separated by commas"),
        ("flc(variant=)", "plain word or JSON"),
        ("flc(merge_overlaps=1)", "must be true or false, got 1"),
        ("flc(taxonomy=3)", "must be a name or a Taxonomy"),
        ("flc(variant=official", "must be a name or name"),
        ("multi_label(level=1)", "needs a taxonomy"),
        ("multi_label(level=one, taxonomy=mafalda)", "level must be a whole number"),
        ('classification(labels="ab")', "must be a sequence of labels"),
        ('classification(labels=["a", "a"])', "once each"),
        ("", "must be a name"),
    ],
)
def test_parse_metric_says_what_is_wrong(spec: str, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        parse_metric(spec)


@dataclass(frozen=True, kw_only=True)
class Failing(FallacyDetection):
    """A metric of somebody else's."""

    error: ClassVar[Exception | None] = KeyError("boom")
    n_counted: ClassVar[int] = 0

    def _count(self, pairs: Sequence[PredGold]) -> Iterable[Counts]:
        if self.error is not None:
            raise self.error
        return list(super()._count(pairs))[: self.n_counted]


def test_a_metric_that_fails_is_named_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    pred, gold = [Prediction(i, ()) for i in "ab"], [Record(i, "You lie.", ()) for i in "ab"]
    metric = Failing()
    name = re.escape(str(metric))
    with pytest.raises(MetricError, match=f"^metric '{name}' failed on 2 records: KeyError: 'boom'$") as caught:
        metric.corpus_score(pred=pred, gold=gold)
    assert isinstance(caught.value.__cause__, KeyError)
    with pytest.raises(MetricError, match="failed on record 'a': KeyError"):
        metric.record_score(pred=pred[0], gold=gold[0])
    monkeypatch.setattr(Failing, "error", None)
    with pytest.raises(MetricError, match="failed on 2 records: ValueError: it counted 0 of them"):
        metric.corpus_score(pred=pred, gold=gold)
    monkeypatch.setattr(Failing, "error", InputError("said on purpose"))
    with pytest.raises(InputError, match=r"^said on purpose$"):
        metric.corpus_score(pred=pred, gold=gold)


def test_a_formula_that_fails_is_named_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FORMULAS, "broken", lambda s: {"x": s["a"] / s["b"]})
    score = Score("mine", "broken", {"a": 1, "b": 0}, Signature({}, n=1), wrong={"a": 1}, n_wrong=1)
    for measures in (lambda: score.values, lambda: score["x"], lambda: score.values_with_unreadable, score.to_dict):
        with pytest.raises(MetricError, match=r"^metric 'mine' failed in formula 'broken': ZeroDivisionError: "):
            measures()

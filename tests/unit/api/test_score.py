"""fx.score: the same as the shell's, from files and from values."""

import json
from pathlib import Path
from typing import Any

import pytest

import fallax as fx
from fallax.cli import main
from fallax.core.types import ArgumentStructure, GoldSpan, Prediction, Record, Span
from fallax.data import read_corpus, read_predictions
from fallax.errors import InputError, UnknownNameError
from fallax.metrics import SoftSpan, parse_metric

EXAMPLES = Path(__file__).parents[3] / "examples"
GOLD, PRED = EXAMPLES / "gold.jsonl", EXAMPLES / "predictions.jsonl"


@pytest.mark.parametrize("metric", ["soft_span", "soft_span(level=1)", "flc(variant=official)", "detection"])
def test_files_values_and_the_shell_give_one_score(metric: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = fx.score(pred=str(PRED), gold=GOLD, metric=metric)
    records = list(read_corpus(GOLD))
    assert fx.score(pred=read_predictions(PRED), gold=iter(records), metric=parse_metric(metric)) == found
    assert fx.score(pred=list(read_predictions(PRED)), gold=GOLD, metric=metric) == found
    with pytest.raises(SystemExit):
        main(["score", "--gold", str(GOLD), "--pred", str(PRED), "--metric", metric, "--json"])
    told = json.loads(capsys.readouterr().out)
    assert {**told, **json.loads(json.dumps(found.to_dict()))} == told


@pytest.mark.parametrize("metric", ["soft_span", "detection", "sentence_detection"])
def test_spans_that_cannot_be_used_count_as_in_the_shell(
    metric: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [json.loads(line) for line in PRED.read_text(encoding="utf-8").splitlines()]
    for row in rows:
        row["spans"].append({"start": 0, "end": 1000, "label": "ad hominem"})
    pred = tmp_path / "pred.jsonl"
    pred.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    with pytest.raises(SystemExit):
        main(
            ["score", "--gold", str(GOLD), "--pred", str(pred), "--metric", metric, "--on-bad-span", "report", "--json"]
        )
    told = json.loads(capsys.readouterr().out)
    found = fx.score(pred=pred, gold=GOLD, metric=metric, on_bad_span="report")
    read = read_predictions(pred, records=read_corpus(GOLD), taxonomy="mafalda", on_bad_span="report")
    assert fx.score(pred=read, gold=GOLD, metric=metric).values == found.values
    assert {name: told[name] for name in found.values} == found.values
    assert (found["precision"] == fx.score(pred=PRED, gold=GOLD, metric=metric)["precision"]) == (
        metric == "sentence_detection"
    )


def test_the_default_is_that_of_the_shell() -> None:
    assert fx.score(pred=PRED, gold=GOLD).metric == str(SoftSpan())


def test_structures_by_id_and_in_files(tmp_path: Path) -> None:
    drawn = {
        "claim": {"id": "Claim", "text": "The match was late."},
        "evidence": [{"id": "E1", "text": "It rained."}],
        "links": [{"sources": ["E1"], "targets": ["Claim"]}],
    }
    (tmp_path / "gold").mkdir()
    (tmp_path / "gold" / "a.json").write_text(json.dumps(drawn), encoding="utf-8")
    structure = ArgumentStructure.from_dict(drawn)
    held = fx.score(pred={"a": structure}, gold={"a": structure}, metric="structure_similarity(scorer=token_f1)")
    read = fx.score(pred=tmp_path / "gold", gold=tmp_path / "gold", metric="structure_similarity(scorer=token_f1)")
    assert held.values == read.values
    with pytest.raises(InputError, match="gold: must be a file where pred is one"):
        fx.score(pred=tmp_path / "gold", gold={"a": structure}, metric="structure_similarity(scorer=token_f1)")


def test_records_without_a_prediction_can_be_left_out(tmp_path: Path) -> None:
    (tmp_path / "pred.jsonl").write_text(PRED.read_text(encoding="utf-8").splitlines()[0], encoding="utf-8")
    with pytest.raises(InputError, match="or missing='unscored' to leave them out"):
        fx.score(pred=tmp_path / "pred.jsonl", gold=GOLD)
    found = fx.score(pred=tmp_path / "pred.jsonl", gold=GOLD, missing="unscored")
    assert (found.n_scored, set(found.unscored.values())) == (1, {"no prediction"})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"pred": None}, r"pred: must be a file or predictions \(of a Detection its .prediction\), got None"),
        ({"pred": [3]}, r"pred: must be a file or predictions \(of a Detection its .prediction\), got 3"),
        ({"gold": b"gold.jsonl"}, "gold: must be a file or annotated records, got b'gold.jsonl'"),
        ({"gold": GOLD, "metric": "soft_spam"}, "unknown metric 'soft_spam'; did you mean 'soft_span'"),
        ({"metric": None}, "metric: must be a text or a metric, got None"),
        ({"metric": "classification"}, "must be a metric over spans, labels of texts or structures"),
        ({"metric": "entailment_tree", "pred": 3}, "pred: must be a file, or id -> structure, got 3"),
        ({"pred": [], "pred_format": "fallax"}, "pred_format: needs a file; leave it out"),
        ({"gold": [], "articles": "x"}, "articles: needs a file; leave it out"),
        ({"on_bad_span": "skip"}, "unknown on_bad_span 'skip'"),
        ({"missing": "skip"}, "unknown missing 'skip'"),
    ],
)
def test_wrong_arguments_are_one_line(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        fx.score(**{"pred": PRED, "gold": GOLD, **options})


@pytest.mark.parametrize(
    "metric", ["soft_span", "span_match(taxonomy=mafalda)", "flc(taxonomy=mafalda)", "multi_label(taxonomy=mafalda)"]
)
def test_labels_of_values_are_found_as_in_files(metric: str) -> None:
    gold = [Record("a", "You lie.", (GoldSpan(0, 8, ("Ad-Hominem", "ad hominem", "no fallacy")),))]
    pred = [Prediction("a", (Span(0, 8, "AD_Hominem"),), frozenset({"AD_Hominem"}))]
    found = fx.score(pred=pred, gold=gold, metric=metric)
    assert found == fx.score(pred=iter(pred), gold=iter(gold), metric=metric)
    assert (found["precision"], found["recall"]) == (1, 1)
    with pytest.raises(UnknownNameError, match="record 'a', span 1: unknown label 'rudeness'"):
        fx.score(pred=[Prediction("a", (Span(0, 8, "rudeness"),))], gold=gold, metric=metric)


@pytest.mark.parametrize("metric", ["span_match", "flc", "span_match(mode=type)"])
def test_a_label_that_gold_spells_otherwise_is_refused_where_no_taxonomy_finds_it(metric: str, tmp_path: Path) -> None:
    gold = [Record("a", "You lie.", (GoldSpan(0, 8, ("ad hominem",)),))]
    pred = [Prediction("a", (Span(0, 8, "AD_Hominem"),))]
    file = tmp_path / "pred.jsonl"
    file.write_text(json.dumps(pred[0].to_dict()) + "\n")
    for said in (pred, file):
        with pytest.raises(
            InputError, match="pred: labels must be spelt as in gold, got 'AD_Hominem' for 'ad hominem'; "
        ):
            fx.score(pred=said, gold=gold, metric=metric)
    assert fx.score(pred=pred, gold=gold, metric="span_match(mode=exact)")["f1"] == 1
    odd = [Prediction("a", (Span(0, 8, "rudeness"),))]
    assert fx.score(pred=odd, gold=gold, metric=metric)["precision"] == 0

"""What the benchmarks of detection count: sentences, texts with several labels, test splits, curves."""

import json
from pathlib import Path
from typing import Any

import pytest

from fallax.core.types import GoldSpan, Prediction, Record, Span
from fallax.detection.benchmarks.curves import calibration_table, passage_tables
from fallax.detection.benchmarks.printed import printed_for
from fallax.errors import InputError, RunError, UnknownNameError
from fallax.metrics import SentenceDetection
from fallax.metrics.sentences import line_spans
from fallax.runs.base import SystemSpec
from fallax.runs.folder import read_run
from fallax.runs.registry import load_benchmark
from fallax.runs.runner import RunResult, RunSpec, run_benchmark
from tests.support.shell import shell


def lines(path: Path, rows: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def run(data: Path, benchmark: str, system: str, **options: str) -> RunResult:
    spec = RunSpec(benchmark, SystemSpec(system), data=str(data), options=options)
    return run_benchmark(spec, data.parent / f"{benchmark}-{system}-{'-'.join(options.values())}".replace(":", "-"))


def test_sentences_are_counted_by_hand() -> None:
    text = "You lie. It rains. Buy it, or die. Perhaps so. It is Monday."
    gold = (
        GoldSpan(0, 8, ("ad hominem",)),
        GoldSpan(19, 34, ("false dilemma",)),
        GoldSpan(35, 46, ("straw man", "no fallacy")),
    )
    pred = Prediction("r", (Span(4, 18, "ad populum"), Span(35, 40, "straw man"), Span(47, 49, "straw man")))
    score = SentenceDetection().corpus_score(pred=[pred], gold=[Record("r", text, gold)])
    # "You lie." found; "It rains." and "It is Monday." false alarms; "Buy it" missed; "Perhaps so." may be either
    assert dict(score.sums) == {"tp": 2, "fp": 2, "fn": 1, "tn": 0}
    for end in "\n", "\r":
        by_line = SentenceDetection(unit="line").corpus_score(
            pred=[pred], gold=[Record("r", text.replace(". ", f".{end}"), gold)]
        )
        assert dict(by_line.sums) == dict(score.sums)
    with pytest.raises(UnknownNameError, match="unit"):
        SentenceDetection(unit="word")  # type: ignore[arg-type]


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
def test_offsets_of_lines_hold_whatever_ends_them(end: str) -> None:
    text = end.join(["", "One. ", " two\u2028three\x85", "", " ", "four"])
    assert [text[a:b] for a, b in line_spans(text)] == ["One.", " two\u2028three", "four"]


def test_rows_of_one_text_are_one_sample_and_each_of_its_labels_is_right(tmp_path: Path) -> None:
    text = "You fool, everybody knows it."
    rows = [{"row": i, "source_article": text, "label": x} for i, x in enumerate(("ad hominem", "ad populum"))]
    lines(
        tmp_path / "sets" / "logicclimate" / "dev.jsonl",
        [*rows, {"row": 2, "source_article": "Buy.", "label": "ad populum"}],
    )
    found = run(tmp_path / "sets", "fallacies", "keywords", set="logicclimate").scores
    assert (found.scores["logicclimate"].n_scored, found.scores["logicclimate"]["accuracy"]) == (2, 0.5)


def test_the_test_split_is_asked_for_by_name_and_may_be_absent(tmp_path: Path) -> None:
    row = {"row": 0, "source_article": "You fool.", "label": "ad hominem"}
    lines(tmp_path / "sets" / "logic" / "dev.jsonl", [row])
    with pytest.raises(InputError, match=r"test\.jsonl: must be a part of 'logic', got nothing there"):
        run(tmp_path / "sets", "fallacies", "silent", set="logic", split="test")
    lines(tmp_path / "sets" / "logic" / "test.jsonl", [row, {**row, "row": 1}])
    result = run(tmp_path / "sets", "fallacies", "keywords", set="logic", split="test")
    assert result.scores.scores["logic"]["macro_f1"] == 1


def test_macro_f1_is_the_mean_over_labels_that_occur(tmp_path: Path) -> None:
    texts = [("You fool.", "ad hominem"), ("Everybody knows it.", "ad populum"), ("It rains.", "equivocation")]
    rows = [{"row": i, "source_article": t, "label": x} for i, (t, x) in enumerate(texts)]
    lines(tmp_path / "sets" / "logic" / "dev.jsonl", rows)
    score = run(tmp_path / "sets", "fallacies", "keywords", set="logic").scores.scores["logic"]
    # two labels are right, one is never found; what the set has no word for is no class of the mean
    assert score["macro_f1"] == pytest.approx(2 / 3)


def test_a_detector_has_calibration_curves(tmp_path: Path) -> None:
    comments = [
        ("You fool.", "appeal to authority"),
        ("Everybody buys it, so it is good.", "appeal to majority"),
        ("It rains.", "none"),
    ]
    article = {
        "id": 1, "title": "Weather", "date": "", "author": "", "link": "", "content": "",
        "comments": [
            {"id": i, "news_id": 1, "worker_id": 1, "respond_to": "", "fallacy": x, "comment": t}
            for i, (t, x) in enumerate(comments)
        ],
    }  # fmt: skip
    (tmp_path / "sets" / "cocolofa").mkdir(parents=True)
    (tmp_path / "sets" / "cocolofa" / "dev.json").write_text(json.dumps([article]))
    result = run(tmp_path / "sets", "fallacies", "detector:linear", set="cocolofa")
    told = json.loads(shell("bench", "score", result.path, "--tables", "--json"))
    curve = told["tables"][0]
    assert curve["title"] == "Calibration: the text has a fallacy"
    assert sum(row[1] for row in curve["rows"]) == 3
    figures = curve["figures"]
    assert figures["n"] == sum(found["n"] for found in figures["bins"]) == 3
    assert f"error {figures['expected_calibration_error']:.3f} over" in curve["note"]
    assert f"; {figures['error_by_chance']:.3f} by chance" in curve["note"]
    assert all(found["low"] <= found["said"] <= found["high"] for found in figures["bins"])
    assert "expected calibration error" in shell("bench", "score", result.path, "--tables")


def test_curves_of_passages_ask_for_labels_only_where_there_is_a_fallacy() -> None:
    gold = [Record("a", "You lie. It rains.", (GoldSpan(0, 8, ("ad hominem",)),)), Record("b", "No.", None)]
    spans = (Span(0, 8, "ad hominem", 0.9, 0.7), Span(9, 18, "straw man", 0.65, 0.4))
    anything, labels = passage_tables(
        [Prediction("a", spans), Prediction("b", (Span(0, 3, "straw man", 0.9, 0.9),))], gold
    )
    assert anything.rows == (("0.6 to 0.7", 1, 0.65, 0.0), ("0.9 to 1.0", 1, 0.9, 1.0))
    assert labels.rows == (("0.7 to 0.8", 1, 0.7, 1.0),)
    assert anything.figures == {
        "expected_calibration_error": pytest.approx((0.65 + 0.1) / 2),
        # off by .35 with probability .65 and by .65 with .35; by .1 with .9 and by .9 with .1
        "error_by_chance": pytest.approx((2 * 0.65 * 0.35 + 2 * 0.9 * 0.1) / 2, abs=0.02),
        "n": 2,
        "bins": [
            {"low": 0.6, "high": 0.7, "n": 1, "said": 0.65, "right": 0.0},
            {"low": 0.9, "high": 1.0, "n": 1, "said": 0.9, "right": 1.0},
        ],
    }
    third = calibration_table("label", "texts", [(0.1, True), (0.1, False), (0.1, False)])
    assert third is not None
    assert third.note.startswith("expected calibration error 0.233 over 3 texts; 0.")
    assert third.note.endswith(" by chance, if every confidence were exactly right")
    assert third.figures["bins"][0]["right"] == 1 / 3


def test_techniques_are_scored_by_fragment_by_sentence_and_by_text(tmp_path: Path) -> None:
    labels = [{"start": 0, "end": 9, "technique": "Name calling/Labeling", "text_fragment": "You fools"}]
    memes = [{"id": "1", "text": "You fools\nGo home", "labels": labels}, {"id": "2", "text": "Rain", "labels": []}]
    for file in ("dev_set_task2.txt", "test_set_task2.txt"):
        path = tmp_path / "sets" / "semeval2021_task6" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(memes))
    for split in ("dev", "test"):
        scores = run(tmp_path / "sets", "propaganda", "silent", set="semeval2021_task6", split=split).scores.scores
        assert scores["flc"]["recall"] == 0
        assert dict(scores["sentence-detection"].sums) == {"tp": 0, "fp": 0, "fn": 1, "tn": 2}
        assert scores["text-detection"]["fnr"] == 1
    assert {v.score for v in load_benchmark("propaganda").published()} == {"flc-official", "sentence-detection"}
    with pytest.raises(UnknownNameError, match="split"):
        load_benchmark("propaganda", options={"split": "test"}).settings()


def test_passages_of_debates_are_scored_in_their_own_labels(tmp_path: Path) -> None:
    row = {
        "tokens": ["You", "fool", ".", "It", "rains", "."],
        "tags": ["B-AdHominem", "I-AdHominem", "I-AdHominem", "O", "O", "O"],
    }
    lines(tmp_path / "sets" / "elecdeb60to20_fallacy" / "dev.jsonl", [row])
    scores = run(tmp_path / "sets", "passages", "keywords").scores.scores
    assert list(scores) == ["span", "sentence-detection", "text-detection"]
    assert scores["span"]["f1"] == 1
    with pytest.raises(UnknownNameError, match="set"):
        load_benchmark("passages", options={"set": "logic"}).settings()


def test_printed_values_are_those_of_their_sources() -> None:
    found = {
        name: [(v.score, v.measure, v.value) for v in printed_for(name)]
        for name in ("logic", "cocolofa", "flicc", "ptc_nlp4if2019", "semeval2021_task6")
    }
    assert found == {
        "logic": [],  # its paper prints a mean of F1 that is none of ours
        "cocolofa": [("detection", "f1", 0.86), ("cocolofa", "macro_f1", 0.87)],
        "flicc": [("flicc", "macro_f1", 0.73)],
        "ptc_nlp4if2019": [
            ("flc-official", "precision", 0.2863),
            ("flc-official", "recall", 0.22),
            ("flc-official", "f1", 0.2488),
            ("sentence-detection", "precision", 0.6028),
            ("sentence-detection", "recall", 0.6648),
            ("sentence-detection", "f1", 0.6323),
        ],
        "semeval2021_task6": [
            ("flc-official", "precision", 0.501),
            ("flc-official", "recall", 0.464),
            ("flc-official", "f1", 0.482),
        ],
    }
    for rows in map(printed_for, found):
        for value in rows:
            assert "test split" in value.note
            # precision and recall give the F1 that is printed beside them
            parts = {v.measure: v.value for v in rows if (v.system, v.score) == (value.system, value.score)}
            if len(parts) == 3:
                p, r = parts["precision"], parts["recall"]
                assert abs(2 * p * r / (p + r) - parts["f1"]) < 6e-4


def test_gold_that_a_system_cannot_name_is_counted_beside_the_score(tmp_path: Path) -> None:
    fear, slogan, loaded = "Appeal_to_fear-prejudice", "Slogans", "Loaded_Language"
    spans = [(0, 3, [fear]), (4, 7, [slogan]), (8, 11, [fear, loaded]), (12, 15, [slogan, loaded])]
    gold = [{"start": a, "end": b, "labels": labels} for a, b, labels in spans]
    texts = tmp_path / "texts.jsonl"
    text = "one two six ten."
    both = {"id": "b", "text": text, "gold": gold[2:3], "meta": {"same_span": "all"}}
    lines(texts, [{"id": "a", "text": text, "gold": gold}, both, {"id": "c", "text": text, "gold": []}])
    found = run(texts, "propaganda", "keywords")
    said = found.scores.cannot_name
    assert said is not None
    # alternatives are one passage; in "b" both labels hold, so they are two, of which one is missed
    assert (dict(said.labels), said.n_labels, said.n_missed, said.n_gold) == ({loaded: 3, slogan: 2}, 3, 3, 6)
    line = (
        "keywords: cannot name 2 of the 3 labels in gold: 'Loaded_Language' (3), 'Slogans' (2); so it misses 3 of the 6"
        " gold passages wherever these labels count"
    )
    silent = run(texts, "propaganda", "silent")
    assert json.loads((found.path / "scores.json").read_text())["cannot_name"]["n_missed"] == 3
    assert json.loads(shell("bench", "score", found.path, "--json"))["cannot_name"]["labels"] == {loaded: 3, slogan: 2}
    assert line in shell("bench", "score", found.path)
    assert line in shell("bench", "compare", silent.path, found.path)
    first, second = json.loads(shell("bench", "compare", silent.path, found.path, "--json"))["runs"]
    assert ("cannot_name" in first, second["cannot_name"]["n_gold"]) == (False, 6)
    assert line in shell("report", found.path, "--format", "markdown")


def test_labels_that_a_system_cannot_name_are_those_of_each_set(tmp_path: Path) -> None:
    labels = ["ad hominem", "intentional"]
    rows = [{"row": i, "source_article": f"{i}. You fool.", "label": x} for i, x in enumerate(labels)]
    for name in ("logic", "logicclimate"):
        lines(tmp_path / "sets" / name / "dev.jsonl", rows)
    alone = run(tmp_path / "sets", "fallacies", "keywords", set="logic").scores.cannot_name
    assert alone is not None
    assert (dict(alone.labels), alone.n_missed, alone.n_gold, alone.unit) == ({"intentional": 1}, 1, 2, "texts")
    both = run(tmp_path / "sets", "fallacies", "keywords", set="logic,logicclimate").scores.cannot_name
    assert both is not None
    assert list(both.labels) == ["logic: intentional", "logicclimate: intentional"]


def test_a_run_that_does_not_say_what_its_system_can_name_resumes(tmp_path: Path) -> None:
    texts = tmp_path / "texts.jsonl"
    lines(texts, [{"id": "a", "text": "You fool.", "gold": []}])
    path = run(texts, "propaganda", "keywords").path
    there = read_run(path)
    del there["system"]["labels"], there["checksums"]
    (path / "run.json").write_text(json.dumps(there))
    assert run(texts, "propaganda", "keywords").scores.cannot_name is None
    there["system"]["labels"] = ["Doubt"]
    (path / "run.json").write_text(json.dumps(there))
    with pytest.raises(RunError, match=r"was started with system\.labels"):
        run(texts, "propaganda", "keywords")

"""Runs of the benchmark of faithfulness: records that cannot be judged, files and sets, options."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from fallax.cli.bench import app
from fallax.errors import InputError, RunError, UnknownNameError
from fallax.faithfulness.benchmarks.faithfulness import Faithfulness
from fallax.faithfulness.systems import METHODS
from fallax.render import report_page
from fallax.runs.base import SystemSpec
from fallax.runs.compare import compare_runs
from fallax.runs.folder import read_rows
from fallax.runs.registry import benchmark_class
from fallax.runs.report import build_report
from fallax.runs.runner import RunResult, RunSpec, estimate_run, run_benchmark

YES = {"reply": "<label>1</label>", "usage": {"prompt_tokens": 90, "completion_tokens": 10}}


def write_lines(path: Path, *records: dict[str, Any]) -> str:
    path.write_text("".join(json.dumps(r) + "\n" for r in records), encoding="utf-8")
    return str(path)


def script(tmp_path: Path, *rules: dict[str, Any]) -> str:
    (tmp_path / "script.json").write_text(json.dumps(rules or [YES]))
    return f"scripted:{tmp_path / 'script.json'}"


def run(path: Path, file: str, *system: Any) -> RunResult:
    return run_benchmark(RunSpec("faithfulness", SystemSpec(*system), options={"file": file}), path)


@pytest.fixture
def odd(tmp_path: Path) -> str:
    """A record of which the document is empty, one of which it is long, and one that can be judged."""
    return write_lines(
        tmp_path / "odd.jsonl",
        {"doc": " ", "claim": "It rained.", "label": 0},
        {"doc": "It rained. " * 400, "claim": "It rained.", "label": 1},
        {"doc": "It rained.", "claim": "It rained.", "label": 1},
    )


def test_a_record_that_cannot_be_judged_does_not_end_the_run(odd: str, tmp_path: Path) -> None:
    assert run(tmp_path / "local", odd, "lexical-overlap").scores.counts.to_dict()["unreadable"] == 1
    options = {"context_tokens": 2000}
    counts = run(tmp_path / "asked", odd, script(tmp_path), "zero-shot", options).scores.counts
    assert (counts.ok, counts.unreadable) == (1, 2)
    reasons = [row.reason for row in read_rows(tmp_path / "asked")]
    assert reasons[0] == "the document must hold at least one word, got none"
    assert reasons[1].startswith("the document must fit into the model's context: about 1,")
    spec = RunSpec("faithfulness", SystemSpec(script(tmp_path), "zero-shot", options), options={"file": odd})
    assert estimate_run(spec, tmp_path / "dry")[0].n_calls == 1


@pytest.mark.parametrize("method", METHODS)
def test_a_dry_run_needs_no_key_and_counts_every_method(
    odd: str, tmp_path: Path, method: str, monkeypatch: Any
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    spec = RunSpec("faithfulness", SystemSpec("openai/gpt-4o", method), options={"file": odd})
    assert estimate_run(spec, tmp_path / "dry")[0].n_calls > 0


def test_a_row_that_ends_at_the_context_keeps_what_was_said_before(odd: str, tmp_path: Path) -> None:
    rules = {"regex": "Round 1.*You are Agent", "error": "context_length"}, {**YES, "regex": r"Agent [12]\."}
    model = script(tmp_path, *rules, {**YES, "reply": "<label>0</label>"})
    found = run(tmp_path / "run", odd, model, "madisse", {"stances": "none"})
    last = list(read_rows(tmp_path / "run"))[2]
    assert (last.status, last.usage.calls, len(last.replies)) == ("unreadable", 4, 4)
    assert found.scores.scores["cost"]["prompt_tokens"] == pytest.approx(2 * 360 / 3)


def record(text: str, label: int = 1) -> dict[str, Any]:
    return {"doc": "It rained.", "claim": text, "label": label}


def test_a_file_is_named_as_a_file_however_it_is_given(tmp_path: Path) -> None:
    file = write_lines(tmp_path / "agg.jsonl", record("It rained."), record("It snowed.", 0))
    given = Faithfulness(data=file)
    assert given.settings() == {"file": file}
    assert given.published() == ()
    assert [s.id for s in given.samples()] == [s.id for s in Faithfulness(options={"file": file}).samples()]
    again = Faithfulness(data=file, options=given.settings())  # as a run folder gives them
    assert again.settings() == given.settings()
    with pytest.raises(InputError, match="-B file and --data must name one file"):
        Faithfulness(data=file, options={"file": "other.jsonl"}).settings()


def test_documents_and_level_reach_a_file_given_as_data(tmp_path: Path) -> None:
    rows = [{"doc_id": "d", "summ_sent": f"It rained {i}.", "sent_idx": i, "sent_label": "yes"} for i in range(2)]
    file = write_lines(tmp_path / "tofu.jsonl", *rows)
    documents = write_lines(tmp_path / "texts.jsonl", {"doc_id": "d", "text": "It rained."})
    options = {"documents": documents, "level": "summary"}
    benchmark = Faithfulness(data=file, options=options)
    assert benchmark.settings() == {"file": file, **options}
    assert [s.input["summary"] for s in benchmark.samples()] == ["It rained 0. It rained 1."]


def test_the_folder_of_a_set_may_be_given_as_data(tmp_path: Path) -> None:
    folder = tmp_path / "frank"
    folder.mkdir()
    write_lines(folder / "articles.jsonl", {"hash": "h", "article": "it rained ."})
    row = {"hash": "h", "model_name": "m", "summary": "it rained .", "Factuality": 1, "dataset": "cnndm"}
    write_lines(folder / "summaries.jsonl", row)
    for data in (tmp_path, folder, f"{folder}/"):
        found = list(Faithfulness(data=data, options={"set": "frank"}).samples())
        assert [s.input["summary"] for s in found] == ["it rained ."]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"file": 5}, "^5: must be a file, got nothing there"),
        ({"file": "agg.jsonl", "set": "frank"}, "set: must be left out beside a file, got 'frank'"),
        ({"file": "agg.jsonl", "split": "foo"}, "split: must be left out beside a file, got 'foo'"),
        ({"file": "agg.jsonl", "level": "sumary"}, "unknown level 'sumary'; did you mean 'summary'"),
        ({"level": "sumary"}, "unknown level 'sumary'; did you mean 'summary'"),
        ({"set": 5}, "unknown data set of faithfulness '5'"),
        ({"file": "tofu.jsonl", "documents": 5}, "^5: must be a folder of DOC_ID.txt, or a file of documents"),
    ],
)
def test_bad_options_are_named(options: dict[str, Any], message: str, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    write_lines(tmp_path / "agg.jsonl", record("It rained."))
    write_lines(tmp_path / "tofu.jsonl", {"doc_id": "d", "summ_sent": "It rained.", "sent_label": "yes"})
    with pytest.raises(InputError, match=message):
        list(Faithfulness(options=options).samples())


def test_a_set_is_not_named_beside_a_file_given_as_data(tmp_path: Path) -> None:
    file = write_lines(tmp_path / "agg.jsonl", record("It rained."))
    with pytest.raises(InputError, match="set: must be left out beside a file"):
        list(Faithfulness(data=file, options={"set": "frank"}).samples())


def test_a_run_in_which_nothing_could_be_read_is_shown(odd: str, tmp_path: Path) -> None:
    run(tmp_path / "mute", odd, script(tmp_path, {"reply": "no idea"}), "madisse")
    alone = compare_runs([tmp_path / "mute"], n_resamples=20)
    assert (alone.n_samples, alone.runs[0].n_unscored) == (3, 3)
    assert alone.runs[0].intervals["verdict", "balanced_accuracy"].value is None
    assert alone.runs[0].to_dict(alone.runs[0])["usage"]["calls"] == 30
    page = build_report([tmp_path / "mute"], n_resamples=20)
    assert [a.status for r in page.records for a in r.answers] == ["unreadable"] * 3
    assert "credibility</span>" not in report_page(page)  # colours of fallacies
    row, wrong = [r for t in page.tables for r in t.rows if r[0] == "verdict"]
    assert (row[3], row[-3:]) == (None, (0, 3, 3))
    assert (wrong[1], wrong[3]) == ("scripted:script.json, unreadable as wrong", "0.000 [0.000, 0.000]")

    run(tmp_path / "words", odd, "lexical-overlap")
    both = build_report([tmp_path / "mute", tmp_path / "words"], n_resamples=20)
    assert [len(r.answers) for r in both.records] == [2, 2, 2]
    shown = [r for t in both.tables for r in t.rows if r[0] == "verdict" and r[-1] != "as wrong"]
    assert [(r[3], r[-3]) for r in shown] == [(None, 0), (None, 0)]
    # ranks count unreadable replies as wrong, so that value stands beside each system's, also where all were read
    assert sum(r[-1] == "as wrong" for t in both.tables for r in t.rows if r[0] == "verdict") == 2
    with pytest.raises(RunError, match="must have answered samples in common"):
        compare_runs([tmp_path / "mute", tmp_path / "words"], n_resamples=20)


def test_scores_that_not_every_run_has_are_shown_for_those_that_have_them(tmp_path: Path) -> None:
    texts = ["It rained.", "It snowed.", "It hailed."]
    rows = [{"document": "It rained.", "summary": t, "label": i % 2, "ambiguous": i > 0} for i, t in enumerate(texts)]
    file = write_lines(tmp_path / "own.jsonl", *rows)
    asked = {"reply": "<label>1</label><type>Vagueness</type><explanation>so</explanation>", "match": "<taxonomy>"}
    model = script(tmp_path, {**asked, "regex": "hailed"}, {**asked, "reply": "<label>0</label>"}, YES)
    run(tmp_path / "words", file, "lexical-overlap")
    run(tmp_path / "asked", file, model, "zero-shot", {"ambiguity": "taxonomy"})
    paths = [tmp_path / "words", tmp_path / "asked"]
    found = compare_runs(paths, scores=["all"], n_resamples=20)
    assert list(found.measures) == ["verdict", "verdict-unambiguous", "verdict-kept", "ambiguity", "cost"]
    words, other = found.runs
    assert other.intervals["ambiguity", "balanced_accuracy"].value == 0.75
    assert "cost" not in other.ranks  # more tokens are not better
    assert other.ranks["verdict"] == 1
    assert words.intervals["ambiguity", "balanced_accuracy"].value is None
    assert ("ambiguity", "balanced_accuracy") not in other.against_first
    assert found.notes == (
        "intervals and tests are undefined, since all 3 samples are of one of the documents that they would draw",
        "verdict-kept, ambiguity: not of lexical-overlap, without answers of a detector of ambiguity"
        " (-P ambiguity=NAME)",
    )
    assert found.to_dict()["notes"] == list(found.notes)
    assert "ambiguity" not in found.to_dict()["runs"][0]["scores"]
    assert list(compare_runs(paths, scores=["ambiguity"], n_resamples=20).measures) == ["ambiguity"]
    page = build_report(paths, n_resamples=20)
    assert [r[1] for t in page.tables for r in t.rows if r[0] == "ambiguity"] == [other.name]
    shown = (
        CliRunner(env={"COLUMNS": "400"})
        .invoke(app, ["compare", *map(str, paths), "--score", "all", "--resamples", "20"])
        .stdout
    )
    assert found.notes[0] in shown
    assert sum(line.startswith(" lexical-") for line in shown.splitlines()) == 4  # three scores, and the cost
    assert found.notes[0] in next(t.note for t in page.tables if t.title == "Scores")
    with pytest.raises(UnknownNameError, match="unknown score 'ambigity'; did you mean 'ambiguity'"):
        compare_runs(paths, scores=["ambigity"], n_resamples=20)
    with pytest.raises(RunError, match="score 'ambiguity': must be one that a run has, all here are without"):
        compare_runs(paths[:1], scores=["ambiguity"], n_resamples=20)


def test_scores_over_other_records_have_no_test(tmp_path: Path) -> None:
    file = write_lines(tmp_path / "agg.jsonl", record("It rained."), record("It snowed.", 0))
    for name, word in (("one", "rained"), ("two", "snowed")):
        ambiguous = {"regex": f"<summary>.It {word}", "reply": "<label>1</label><type>Vagueness</type>"}
        rules = {**ambiguous, "match": "<taxonomy>"}, {"match": "<taxonomy>", "reply": "<label>0</label>"}, YES
        run(tmp_path / name, file, script(tmp_path, *rules), "zero-shot", {"ambiguity": "taxonomy"})
    found = compare_runs([tmp_path / "one", tmp_path / "two"], scores=["verdict-kept"], n_resamples=20)
    assert found.runs[1].against_first == {}
    assert found.notes[1:] == ("verdict-kept: not over the same records in all runs, so they are not tested",)


def test_scores_beside_the_main_one_are_ranked_by_balanced_accuracy_too(tmp_path: Path) -> None:
    labels = [1, 1, 1, 1, 0]
    rows = [
        {"document": f"It rained {i}.", "summary": f"It rained {i}.", "label": label, "ambiguous": False}
        for i, label in enumerate(labels)
    ]
    file = write_lines(tmp_path / "own.jsonl", *rows)
    no = {"reply": "<label>0</label>"}
    run(tmp_path / "always", file, script(tmp_path), "zero-shot")
    run(
        tmp_path / "careful",
        file,
        script(tmp_path, *({**no, "match": f"rained {i}"} for i in (0, 1, 4)), YES),
        "zero-shot",
    )
    found = compare_runs([tmp_path / "always", tmp_path / "careful"], scores=["verdict-unambiguous"], n_resamples=20)
    always, careful = found.runs
    assert always.result.scores["verdict-unambiguous"]["accuracy"] == 0.8 > 0.6
    assert (always.ranks["verdict-unambiguous"], careful.ranks["verdict-unambiguous"]) == (2, 1)


def test_a_local_judge_is_called_a_judge(odd: str, tmp_path: Path) -> None:
    named, plain = (
        run_benchmark(RunSpec("faithfulness", SystemSpec(name), options={"file": odd}), tmp_path / name[:5])
        for name in ("judge:lexical-overlap", "lexical-overlap")
    )
    assert dict(named.scores.scores["verdict"].sums) == dict(plain.scores.scores["verdict"].sums)
    assert "judge:NAME" in benchmark_class("faithfulness").trained()
    assert "detector:NAME" in benchmark_class("mafalda").trained()

"""``fallax reproduce madisse``: what the paper prints beside runs, from folders alone."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from fallax.cli.bench import app as bench_app
from fallax.cli.reproduce import app
from fallax.core.types import Faithfulness, FaithfulnessRecord
from fallax.errors import FallaxError, InputError, UnknownNameError
from fallax.faithfulness.benchmarks.madisse_printed import published
from fallax.faithfulness.benchmarks.madisse_runs import read_runs
from fallax.faithfulness.benchmarks.madisse_tables import means
from fallax.plots import plot_before_after
from fallax.runs.base import SystemSpec
from fallax.runs.compare import compare_runs
from fallax.runs.report import build_report
from fallax.runs.runner import RunSpec, run_benchmark

RAIN = "It rained in the valley all day. The bridge was closed."
#: Of two documents each: the words of the second summary are not in the document.
SUMMARIES: list[tuple[str, Faithfulness, bool, tuple[str, ...]]] = [
    ("It rained in the valley.", "faithful", False, ()),
    ("Penguins marched home proudly.", "unfaithful", False, ()),
    ("Somebody sang.", "faithful", True, ("Vagueness",)),
]
RECORDS = [
    FaithfulnessRecord(f"{source}/{d}/{i}", f"{RAIN} {d}", summary, label, ambiguous, kinds, d, source)
    for source in ("TofuEval-MediaS", "TofuEval-MeetB")
    for d in ("d1", "d2")
    for i, (summary, label, ambiguous, kinds) in enumerate(SUMMARIES)
]


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    file = tmp_path / "records.jsonl"
    file.write_text("".join(json.dumps(r.to_dict()) + "\n" for r in RECORDS), encoding="utf-8")
    folder = tmp_path / "runs" / "lexical"
    spec = RunSpec("faithfulness", SystemSpec("lexical-overlap"), options={"file": str(file)})
    run_benchmark(spec, folder)
    return folder.parent


def reproduce(*arguments: str) -> Any:
    done = CliRunner().invoke(app, ["madisse", *arguments])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done


def test_every_printed_value_has_a_cell_and_a_reason_without_runs() -> None:
    cells = json.loads(reproduce("--json").stdout)["cells"]
    printed = [v for t in published()["tables"].values() for row in t["rows"].values() for v in row if v is not None]
    printed += [v for t in published()["counts"].values() for v in t["rows"].values()]
    assert len(cells) == len(printed)
    assert all(c["why"] for c in cells if not c["recorded"])
    found = {(c["table"], c["row"], c["set"], c["level"], c["measure"]): c["published"] for c in cells}
    assert found["33", "madisse", "MediaSum", "sentence", "balanced_accuracy"] == 0.7517
    assert found["35", "madisse", "XSum", "summary", "fnr"] == 0.2527
    assert found["36", "madisse", "CNN", "summary", "krippendorff_alpha"] == 0.13


def test_a_run_over_a_file_of_several_sets_is_taken_apart_and_drawn_by_document(runs: Path) -> None:
    found, left_out = read_runs(runs)
    assert not left_out
    assert set(found[0].rows) == {("MediaSum", "sentence"), ("MeetingBank", "sentence")}
    value = found[0].value("MediaSum", "sentence", "verdict", "balanced_accuracy", n_resamples=200)
    assert value is not None
    # of each document one faithful summary of two is called unfaithful: every draw of documents gives the same
    assert (value.value, value.low, value.high, value.n, value.n_documents) == (0.75, 0.75, 0.75, 6, 2)
    after = found[0].value("MeetingBank", "sentence", "verdict-unambiguous", "balanced_accuracy", n_resamples=200)
    assert after is not None
    assert after.value == 1.0


def test_compare_and_report_draw_documents_and_say_that_they_are_few(runs: Path) -> None:
    found = compare_runs([runs / "lexical"], n_resamples=200)
    interval = found.runs[0].intervals["verdict", "balanced_accuracy"]
    # every document has one faithful summary of two that is called unfaithful
    assert (interval.value, interval.low, interval.high, interval.n_records) == (0.75, 0.75, 0.75, 2)
    said = "intervals draw 2 documents, not the 12 samples from them; 2 are few"
    assert [note[: len(said)] for note in found.notes] == [said]
    assert said in next(t.note for t in build_report([runs / "lexical"], n_resamples=20).tables)
    two = compare_runs([runs / "lexical", runs / "lexical" / ".." / "lexical"], n_resamples=200)
    assert "no p-value can be below 0.5000" in two.notes[0]
    scored = CliRunner().invoke(bench_app, ["score", str(runs / "lexical"), "--ci", "--resamples", "50", "--json"])
    assert json.loads(scored.stdout)["scores"]["verdict"]["intervals"]["balanced_accuracy"]["n_records"] == 2


def test_a_run_that_is_not_finished_says_so_everywhere(runs: Path) -> None:
    rows = runs / "lexical" / "records.jsonl"
    rows.write_text("".join(rows.read_text(encoding="utf-8").splitlines(keepends=True)[:7]), encoding="utf-8")
    assert compare_runs([runs / "lexical"], n_resamples=20).notes[0] == "lexical-overlap: unfinished, 7 of 12 samples"
    assert "unfinished, 7 of 12" in next(t.note for t in build_report([runs / "lexical"], n_resamples=20).tables)
    assert (read_runs(runs)[0][0].n_rows, read_runs(runs)[0][0].n_expected) == (7, 12)
    text = " ".join(reproduce("--from", str(runs), "--table", "33").stdout.split())
    assert "unfinished: 7 of 12 rows" in text
    assert "few (2 in run 1)" in text


def test_tables_and_figures_show_a_run_beside_the_paper(runs: Path) -> None:
    done = reproduce("--from", str(runs), "--json")
    result = json.loads(done.stdout)
    own = [c for c in result["cells"] if c["table"] == "33" and c["row"] == "lexical-overlap"]
    values = {(c["set"], c["published"], c["recorded"][0]["value"]) for c in own if c["measure"] == "balanced_accuracy"}
    assert values == {("MediaSum", None, 0.75), ("MeetingBank", None, 0.75)}
    assert [line["after"]["value"] for line in result["figures"]["6"]] == [0.0, 0.0]
    text = reproduce("--from", str(runs), "--table", "33").stdout
    assert "lexical-overlap" in text
    assert "[0.750" in text
    assert "Table 3:" not in text
    assert "66.6 in table 3, 68.06 in" in text


def test_figures_are_written_as_files(runs: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    reproduce("--from", str(runs), "--plots", str(tmp_path / "plots"), "--json")
    assert sorted(p.name for p in (tmp_path / "plots").iterdir()) == ["figure-3.svg", "figure-6.svg"]


def test_a_figure_names_unfinished_runs_and_shows_unreadable_replies_as_wrong() -> None:
    pytest.importorskip("matplotlib")
    value = {"value": 0.6, "strict": 0.5, "low": 0.4, "high": 0.7}
    row = {"method": "zero-shot", "run": 1, "measure": "fpr", "before": value, "after": {**value, "strict": 0.6}}
    figure = plot_before_after([{**row, "unfinished": "7 of 12 rows"}])
    axis = figure.axes[0]
    assert axis.get_yticklabels()[0].get_text() == "zero-shot (1)\nunfinished: 7 of 12 rows"
    hollow = [line for line in axis.lines if line.get_fillstyle() == "none"]
    assert [list(line.get_xdata()) for line in hollow] == [[0.5]]


def test_the_report_has_balanced_accuracy_by_source_and_its_mean(runs: Path) -> None:
    table = next(t for t in build_report([runs / "lexical"], n_resamples=50).tables if "by source" in t.title)
    assert table.title == "balanced_accuracy by source (verdict)"
    assert table.rows[-1] == ("mean of the sources", 0.75)


def test_the_report_by_source_counts_unreadable_replies_as_wrong_too(runs: Path, tmp_path: Path) -> None:
    script = tmp_path / "s.json"
    script.write_text('[{"match": "Penguins", "reply": "hm"}, {"reply": "<label>1</label>"}]')
    options = json.loads((runs / "lexical" / "run.json").read_text())["options"]
    spec = RunSpec("faithfulness", SystemSpec(f"scripted:{script}", "zero-shot"), options=options)
    run_benchmark(spec, tmp_path / "asked")
    table = next(t for t in build_report([tmp_path / "asked"], n_resamples=20).tables if "by source" in t.title)
    assert table.columns == ("source", "scripted:s.json", "scripted:s.json, unreadable as wrong")
    assert table.rows[-1] == ("mean of the sources", None, 0.5)  # all that is unfaithful could not be read


def test_means_over_data_sets_weigh_each_set_the_same(runs: Path) -> None:
    (line,) = json.loads(reproduce("--from", str(runs), "--json").stdout)["means"]
    assert (line["sets"], line["value"], line["strict"]) == (["MediaSum", "MeetingBank"], 0.75, 0.75)
    assert line["published"] is None  # the paper has no such judge
    assert "Means over data sets" in reproduce("--from", str(runs)).stdout
    zero = replace(read_runs(runs)[0][0], method="zero-shot")
    assert means([zero])[0]["published"] == pytest.approx((0.6609 + 0.7557) / 2)


def test_a_run_without_rows_is_left_out_with_that_reason(runs: Path) -> None:
    (runs / "lexical" / "records.jsonl").write_text("")
    assert read_runs(runs) == ((), (f"{runs / 'lexical'}: it has no rows yet",))


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        (["--table", "38"], UnknownNameError, "unknown table '38'"),
        (["--from", "nowhere"], InputError, "must be a folder with runs"),
        (["--plots", "p"], InputError, "needs --from"),
    ],
)
def test_bad_input_is_told(arguments: list[str], error: type[FallaxError], words: str) -> None:
    with pytest.raises(error, match=words):
        reproduce(*arguments)

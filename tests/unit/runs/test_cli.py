"""``fallax bench`` in process."""

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fallax.cli.bench import app
from fallax.cli.score import app as score_app
from fallax.data import read_predictions
from fallax.detection.benchmarks import annotated as detection
from fallax.errors import FallaxError, InputError, RunError, SpanError, UnknownNameError
from fallax.runs.base import Answer
from fallax.runs.folder import read_rows, read_run
from fallax.runs.registry import BENCHMARKS, benchmark_class, load_benchmark
from fallax.runs.report import build_report
from tests.support.killing import write_texts

invoke = CliRunner().invoke


@pytest.fixture
def texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FALLAX_CACHE", str(tmp_path / "calls.sqlite"))
    write_texts(tmp_path / "texts.jsonl", 8)
    return tmp_path / "texts.jsonl"


@pytest.fixture
def script(tmp_path: Path) -> str:
    rules = [{"match": 'Sentence: "So plan', "reply": "no"}, {"reply": "ad hominem", "usage": {"prompt_tokens": 9}}]
    (tmp_path / "rules.json").write_text(json.dumps(rules))
    return f"scripted:{tmp_path / 'rules.json'}"


def test_list_names_every_benchmark() -> None:
    assert [b["name"] for b in json.loads(invoke(app, ["list", "--json"]).stdout)] == list(BENCHMARKS)
    shown = invoke(app, ["list"]).stdout
    one = invoke(app, ["list", "causal"]).stdout
    for line in (
        "  majority: the most frequent verdict for every claim",
        "  set: checkwhy",
        "  task-4: ",
        "options of the protocols (-P):",
        "  reasoning: true: the model reasons before it answers [false]",
        "options of the model (-M): see `fallax models options`",
    ):
        assert line in one
    (described,) = json.loads(invoke(app, ["list", "causal", "--json"]).stdout)
    assert "reasoning" in described["protocol_options"]["pipeline-4"]
    assert "did you mean 'causal'" in str(invoke(app, ["list", "casual"]).exception)
    assert all(f"{name}: " in shown for name in BENCHMARKS)
    assert "protocol sentence: " in shown


def test_run_resume_score_and_compare(texts: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    ran = invoke(app, ["run", "mafalda", "--system", script, "--data", str(texts), "--output", "one", "--json"])
    assert ran.exit_code == 0, ran.output
    found = json.loads(ran.stdout)
    assert found["rows"]["usage"]["calls"] == 16
    assert found["scores"]["text-2"]["f1"] == pytest.approx(0.5)
    again = invoke(app, ["run", "mafalda", "--model", script, "--data", str(texts), "-o", "one", "--json"])
    assert (again.exit_code, again.stdout) == (0, ran.stdout)
    assert invoke(app, ["resume", "one", "--json"]).stdout == ran.stdout
    scored = invoke(app, ["score", "one", "--json", "--ci", "--resamples", "50"])
    assert json.loads(scored.stdout)["scores"]["text-2"]["intervals"]["f1"]["value"] == pytest.approx(0.5)
    table = invoke(app, ["score", "one", "--by", "label", "--ci", "--resamples", "50"])
    assert "ad hominem" in table.stdout
    assert "8 of 8 rows: 8 ok, 0 unreadable, 0 failed; 16 calls" in table.stdout
    with pytest.raises(InputError, match="unknown value of --by 'steps'; known: label"):
        app(["score", "one", "--by", "steps"], standalone_mode=False)

    assert invoke(app, ["run", "mafalda", "--system", "silent", "--data", str(texts), "-o", "two"]).exit_code == 0
    compared = invoke(app, ["compare", "one", "two", "--resamples", "50"])
    assert compared.exit_code == 0, compared.output
    assert "span-2 (8 samples)" in compared.stdout
    assert "scripted:rules.json" in compared.stdout
    bare = invoke(app, ["compare", "one", "two", "--resamples", "50", "--no-published", "--score", "all"])
    assert "text-0 (8 samples)" in bare.stdout
    assert json.loads(invoke(app, ["compare", "one", "two", "--resamples", "9", "--json"]).stdout)["n_samples"] == 8


def test_published_values_stand_beside_the_set_and_not_beside_data_of_your_own(
    texts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    (texts.parent / "mafalda").mkdir()
    shutil.copy(texts, texts.parent / "mafalda" / "gold.jsonl")
    shown, signatures = {}, {}
    for out, data in (("own", texts), ("set", texts.parent / "mafalda")):
        ran = invoke(app, ["run", "mafalda", "--system", "silent", "--data", str(data), "--output", out, "--json"])
        signatures[out] = json.loads(ran.stdout)["signature"]
        shown[out] = invoke(app, ["compare", out, "--resamples", "9"]).stdout
    assert "gpt-3.5 *" in shown["set"]
    assert "* Helwe et al. 2024, table 11" in shown["set"]
    assert "gpt-3.5" not in shown["own"]
    assert "Helwe" not in shown["own"]
    assert "|split:dev|" in signatures["set"]
    hashed = signatures["set"].partition("|data:")[2].partition("|")[0]
    assert signatures["own"] == signatures["set"].replace("|split:dev", "").replace(hashed, f"own-{hashed}")
    for out, says in (("own", False), ("set", True)):
        assert ("split dev" in build_report([out], n_resamples=9).about) == says
    bare = invoke(app, ["compare", "set", "--resamples", "9", "--no-published"])
    assert "gpt-3.5" not in bare.stdout


@pytest.mark.parametrize(
    ("name", "options", "own"),
    [
        ("smartypat", {}, False),
        ("smartypat", {"set": "mine.jsonl"}, True),
        ("smartypat-quality", {"set": "mine.jsonl"}, True),
        ("causal", {}, False),
        ("causal", {"set": "mine.jsonl"}, True),
        ("faithfulness", {}, False),
        ("faithfulness", {"file": "mine.jsonl"}, True),
        ("propaganda", {}, False),
    ],
)
def test_a_file_is_data_of_your_own(name: str, options: dict[str, str], own: bool) -> None:
    assert load_benchmark(name, options=options).is_own_data == own


EXAMPLES = Path(__file__).parents[3] / "examples"


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("causal", EXAMPLES / "verify" / "claims.jsonl"),
        ("smartypat", EXAMPLES / "fallacies.jsonl"),
        ("smartypat-quality", EXAMPLES / "fallacies.jsonl"),
    ],
)
def test_a_file_as_data_stands_for_the_option_that_names_one(name: str, file: Path) -> None:
    named, given = load_benchmark(name, options={"set": str(file)}), load_benchmark(name, data=file)
    assert list(given.samples()) == list(named.samples())
    assert (given.settings(), given.is_own_data) == (named.settings(), True)
    with pytest.raises(InputError, match="-B set and --data must name one file, got posts and "):
        load_benchmark(name, data=file, options={"set": "posts"})


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("contrast", "nowhere.jsonl", "data: must be left out, since benchmark 'contrast' has statements of its own"),
        ("fallacies", "texts.jsonl", "data: must be a folder of data sets for benchmark 'fallacies', got the file"),
        ("passages", "texts.jsonl", "data: must be a folder of data sets for benchmark 'passages', got the file"),
    ],
)
def test_data_that_a_benchmark_does_not_read_are_refused(texts: Path, name: str, data: str, message: str) -> None:
    system = "always-faithful" if name == "contrast" else "silent"
    with pytest.raises(InputError, match=message):
        app(["run", name, "--data", data, "--system", system, "-o", "one"], standalone_mode=False)
    assert not Path("one").exists()


def test_another_limit_is_named_and_not_the_data_that_follow_from_it(texts: Path) -> None:
    words = ["run", "mafalda", "--system", "silent", "--data", str(texts), "--output", "one"]
    assert invoke(app, words).exit_code == 0
    assert "started with limit = null, now it is 2" in str(invoke(app, [*words, "--limit", "2"]).exception)


def test_without_a_name_the_same_command_finds_its_folder(texts: Path) -> None:
    words = ["run", "mafalda", "--system", "random", "--data", str(texts), "--seed", "3", "--json"]
    first, second = (json.loads(invoke(app, words).stdout) for _ in range(2))
    assert first == second
    assert Path(first["path"]).parent == Path("runs")
    assert len(list(Path("runs").iterdir())) == 1


def test_dry_run_says_what_it_would_cost(texts: Path, script: str) -> None:
    words = ["run", "mafalda", "--system", script, "--data", str(texts), "--output", "one", "--dry-run"]
    shown = invoke(app, words)
    assert shown.exit_code == 0
    assert "16 calls (0 more cached)" in shown.stdout
    assert "about 0.00 US dollars" in shown.stdout
    assert json.loads(invoke(app, [*words, "--json"]).stdout)["estimates"][0]["n_calls"] == 16
    assert not Path("one").exists()
    silent = invoke(app, ["run", "mafalda", "--system", "silent", "--data", str(texts), "--dry-run"])
    assert silent.stdout == "silent: asks no model, costs nothing\n"


def test_shards_are_merged(texts: Path, script: str) -> None:
    words = ["run", "mafalda", "--system", script, "--data", str(texts)]
    for out, more in (("a", ["--shard", "1/2"]), ("b", ["--shard", "2/2"]), ("whole", [])):
        assert invoke(app, [*words, *more, "--output", out]).exit_code == 0
    assert invoke(app, ["merge", "merged", "a", "b"]).exit_code == 0
    for name in ("run.json", "records.jsonl", "scores.json"):
        assert Path("merged", name).read_bytes() == Path("whole", name).read_bytes()


def test_failed_rows_are_told_and_the_exit_code_says_so(texts: Path, tmp_path: Path) -> None:
    rules = [{"match": "Number 3", "error": "model"}, {"reply": "no"}]
    (tmp_path / "rules.json").write_text(json.dumps(rules))
    words = [
        "run",
        "mafalda",
        "--system",
        f"scripted:{tmp_path / 'rules.json'}",
        "--data",
        str(texts),
        "--output",
        "one",
    ]
    ran = invoke(app, words)
    assert ran.exit_code == 3
    assert "fallax: error: 1 of 8 rows failed and are unscored; the same command tries them again" in ran.stderr
    assert "7 ok, 0 unreadable, 1 failed" in ran.stdout


def test_a_budget_that_is_spent_keeps_what_is_done(texts: Path, tmp_path: Path) -> None:
    words = [
        "run",
        "mafalda",
        "--system",
        "openai/gpt-4o",
        "-M",
        "base_url=http://127.0.0.1:9/v1",
        "--data",
        str(texts),
    ]
    ran = invoke(app, [*words, "--output", "one", "--max-cost", "0"])
    assert ran.exit_code != 0
    assert "the budget of 0 US dollars does not cover the next call" in str(ran.exception)
    assert Path("one", "records.jsonl").read_bytes() == b""


def test_an_interrupt_says_what_is_kept(texts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answered = []

    async def interrupted(self: object, sample: object, *, epoch: int) -> object:
        answered.append(sample)
        if len(answered) > 3:
            raise KeyboardInterrupt
        return Answer({"spans": []})

    monkeypatch.setattr(detection.SilentSystem, "answer", interrupted)
    ran = invoke(app, ["run", "mafalda", "--system", "silent", "--data", str(texts), "--output", "one"])
    assert ran.exit_code == 130
    assert "fallax: interrupted: 3 of 8 rows are kept in one; the same command resumes it" in ran.stderr
    monkeypatch.undo()
    monkeypatch.chdir(texts.parent)
    assert invoke(app, ["resume", "one"]).exit_code == 0


def test_what_does_not_exist_is_named(texts: Path) -> None:
    found = invoke(app, ["run", "mafalada", "--system", "silent"])
    assert isinstance(found.exception, UnknownNameError)
    assert "did you mean 'mafalda'?" in str(found.exception)
    assert isinstance(invoke(app, ["resume", "nothing"]).exception, RunError)
    assert isinstance(invoke(app, ["score", "nothing"]).exception, RunError)


def test_progress_is_shown_on_a_terminal_and_nowhere_else(texts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["run", "mafalda", "--system", "silent", "--data", str(texts), "--json", "--output"]
    assert invoke(app, [*words, "quiet"]).stderr == ""
    monkeypatch.setenv("FORCE_COLOR", "1")
    shown = invoke(app, [*words, "shown"])
    assert "8/8" in shown.stderr
    assert "0 tokens" in shown.stderr
    assert json.loads(shown.stdout)["n_rows"] == 8


def _own_gold(folder: Path, *spans: tuple[int, int, str]) -> Path:
    gold = [{"start": a, "end": b, "labels": [label]} for a, b, label in spans]
    path = folder / "own.jsonl"
    path.write_text(json.dumps({"id": "a", "text": "You fool, so it fails.", "gold": gold}) + "\n")
    return path


@pytest.mark.parametrize("span", [(0, 9, "ad hominum"), (0, 900, "ad hominem")])
def test_gold_that_cannot_be_used_stops_a_run_on_a_file(texts: Path, span: tuple[int, int, str]) -> None:
    own = str(_own_gold(texts.parent, span))
    with pytest.raises(FallaxError, match=r"own\.jsonl:1: record 'a', span 1: "):
        app(["run", "mafalda", "--system", "silent", "--data", own, "-o", "one"], standalone_mode=False)
    assert not Path("one").exists()


def test_gold_that_is_left_out_is_counted_wherever_a_run_is_shown(texts: Path) -> None:
    run = ["run", "mafalda", "--system", "silent", "--on-bad-span", "report", "--data"]
    own = str(_own_gold(texts.parent, (0, 9, "ad hominem"), (0, 900, "ad populum")))
    ran = invoke(app, [*run, own, "-o", "one", "--json"])
    assert json.loads(ran.stdout)["n_bad_spans"] == 1
    assert "gold spans that cannot be used, left out of the data" in ran.stderr
    assert json.loads(Path("one/scores.json").read_text())["n_bad_spans"] == 1
    assert read_run("one")["data"]["n_bad_spans"] == 1
    for command in (["score", "one"], ["resume", "one"]):
        shown = invoke(app, command)
        assert (shown.exit_code, shown.stderr.count("cannot be used")) == (0, 1)
    assert "may count as wrong: 1" in invoke(app, ["compare", "one", "--resamples", "50"]).stdout
    assert "may count as wrong: 1" in build_report(["one"], n_resamples=50).tables[0].note

    assert invoke(app, [*run, str(_own_gold(texts.parent, (0, 9, "ad hominem"))), "-o", "two"]).exit_code == 0
    assert "n_bad_spans" not in read_run("two")["data"]
    assert read_run("two")["data"]["hash"] != read_run("one")["data"]["hash"]


def test_offsets_of_data_of_your_own_may_count_other_units(texts: Path) -> None:
    line = {"id": "a", "text": "\U0001f600 You fool.", "gold": [{"start": 3, "end": 12, "labels": ["ad hominem"]}]}
    texts.write_text(json.dumps(line) + "\n")
    run = ["run", "mafalda", "--system", "silent", "--data", str(texts), "-o", "one"]
    with pytest.raises(SpanError, match=r"must lie inside its text of 11 characters, got 3\.\.12"):
        app(run, standalone_mode=False)
    assert invoke(app, [*run, "--offsets", "utf-16"]).exit_code == 0
    assert next(read_rows("one")).gold[0]["start"] == 2


@pytest.mark.parametrize("option", [["--on-bad-span", "report"], ["--offsets", "utf-8"]])
def test_how_own_data_are_read_is_refused_where_there_are_none(texts: Path, option: list[str]) -> None:
    (texts.parent / "sets").mkdir()
    with pytest.raises(InputError, match=f"{option[0]}: benchmark 'touche' reads no spans of your own"):
        app(["run", "touche", "--system", "silent", *option], standalone_mode=False)
    with pytest.raises(InputError, match="needs data of your own, got a data set"):
        app(["run", "mafalda", "--data", "sets", "--system", "silent", *option], standalone_mode=False)


def test_spans_that_a_data_set_cannot_use_are_counted_and_earlier_runs_of_it_resume(texts: Path) -> None:
    ptc = texts.parent / "sets" / "ptc_nlp4if2019"
    (ptc / "articles").mkdir(parents=True)
    (ptc / "labels-FLC").mkdir()
    (ptc / "articles" / "article7.txt").write_text("Title\n\nDoubt it.\n")
    (ptc / "labels-FLC" / "article7.task-FLC.labels").write_text("7\tDoubt\t7\t16\n7\tDoubt\t10\t99\n")
    ran = invoke(app, ["run", "propaganda", "--system", "silent", "--data", "sets", "-o", "one", "--json"])
    assert (ran.exit_code, json.loads(ran.stdout)["n_bad_spans"]) == (0, 1)
    assert "cannot be used" in ran.stderr
    there = read_run("one")
    del there["data"]["n_bad_spans"], there["checksums"]
    Path("one/run.json").write_text(json.dumps(there))
    assert invoke(app, ["resume", "one"]).exit_code == 0


@pytest.mark.parametrize("to", ["fallax", "mafalda", "propaganda"])
def test_exported_predictions_score_as_the_run_does(texts: Path, to: str) -> None:
    run = ["run", "mafalda", "--system", "random", "--seed", "3", "--data", str(texts), "--epochs", "2"]
    assert invoke(app, [*run, "-o", "one"]).exit_code == 0
    exported = invoke(app, ["export", "one", "--to", to, "--output", "pred.x"])
    assert (exported.exit_code, exported.stdout) == (0, "pred.x: 8 predictions\n")
    assert exported.stderr == "fallax: note: only the first of 2 epochs is exported\n"
    records = [benchmark_class("mafalda")().gold_record(row) for row in read_rows("one", epoch=0)]
    found = read_predictions("pred.x", records=[record for record in records if record is not None])
    spans = {
        row.id: [(s["start"], s["end"], s["label"]) for s in row.prediction["spans"]]
        for row in read_rows("one", epoch=0)
    }
    assert {p.id: [(s.start, s.end, s.label) for s in p.spans] for p in found} == spans
    assert any(spans.values())


def test_a_text_that_was_not_answered_is_exported_as_unscored(texts: Path, tmp_path: Path) -> None:
    (tmp_path / "rules.json").write_text(json.dumps([{"reply": "Hm."}]))
    run = ["run", "mafalda", "--system", f"scripted:{tmp_path / 'rules.json'}", "--protocol", "whole-document"]
    assert invoke(app, [*run, "--data", str(texts), "-o", "one"]).exit_code == 0
    assert invoke(app, ["export", "one", "--to", "fallax", "-o", "pred.jsonl"]).exit_code == 0
    assert all(p.unscored for p in read_predictions("pred.jsonl"))


def test_what_predicts_no_passages_is_not_exported_as_such(texts: Path) -> None:
    run = ["run", "smartypat", "--system", "all-sound", "--data", str(EXAMPLES / "fallacies.jsonl"), "-o", "one"]
    assert invoke(app, run).exit_code == 0
    with pytest.raises(InputError, match="--to fallax: benchmark 'smartypat' predicts no passages; use --to inspect"):
        app(["export", "one", "--to", "fallax", "-o", "pred.jsonl"], standalone_mode=False)


@pytest.mark.parametrize("given", ["one", "one/records.jsonl"])
def test_a_run_is_no_file_of_predictions_and_says_how_it_becomes_one(texts: Path, given: str) -> None:
    run = ["run", "mafalda", "--system", "silent", "--data", str(texts), "-o", "one"]
    assert invoke(app, run).exit_code == 0
    with pytest.raises(InputError, match="got the run one; `fallax bench export one --to fallax --output FILE` writes"):
        score_app(["--gold", str(texts), "--pred", given], standalone_mode=False)


def test_single_replies_that_cannot_be_read_are_told_beside_a_comparison(texts: Path, tmp_path: Path) -> None:
    rules = [{"match": 'Sentence: "So plan 3', "reply": "perhaps, perhaps"}, {"reply": "no"}]
    (tmp_path / "odd.json").write_text(json.dumps(rules))
    run = ["run", "mafalda", "--data", str(texts), "--protocol", "sentence", "--system"]
    assert invoke(app, [*run, f"scripted:{tmp_path / 'odd.json'}", "-o", "odd"]).exit_code == 0
    assert invoke(app, [*run[:-3], "--system", "silent", "-o", "silent"]).exit_code == 0
    told = invoke(app, ["compare", "odd", "silent"])
    score = json.loads(Path("odd/scores.json").read_text())["scores"]["span-2"]
    note = "scripted:odd.json: 1 of 16 replies to the samples that it answered could not be read"
    assert (score["n_unreadable"], score["n_replies"], score["n_unscored"]) == (1, 16, 0)
    assert note in told.stdout
    assert "silent: 0 of" not in told.stdout
    assert note in json.loads(invoke(app, ["compare", "odd", "silent", "--json"]).stdout)["notes"]


def test_a_text_of_which_no_reply_can_be_read_is_unscored_and_never_ranks_first(texts: Path, tmp_path: Path) -> None:
    rules = [{"match": 'Sentence: "Number 1 of', "reply": "no"}, {"reply": "perhaps"}]
    (tmp_path / "mute.json").write_text(json.dumps(rules))
    run = ["run", "mafalda", "--data", str(texts), "--system"]
    assert (
        invoke(app, [*run, f"scripted:{tmp_path / 'mute.json'}", "--protocol", "sentence", "-o", "mute"]).exit_code == 0
    )
    assert invoke(app, [*run, "silent", "-o", "silent"]).exit_code == 0
    scores = json.loads(Path("mute/scores.json").read_text())
    assert (scores["rows"]["ok"], scores["rows"]["unreadable"]) == (1, 7)
    span = scores["scores"]["span-2"]
    assert (span["n_unscored"], span["n_wrong"], span["n_unreadable"], span["n_replies"]) == (7, 7, 15, 16)
    assert span["with_unreadable_as_wrong"]["f1"] == 0
    # what the paper's program did with such replies is counted as before
    assert scores["scores"]["span-2-published"]["n_scored"] == 8
    mute, silent = json.loads(invoke(app, ["compare", "mute", "silent", "--json"]).stdout)["runs"]
    assert (mute["ranks"]["span-2"], silent["ranks"]["span-2"], mute["n_unreadable"]) == (2, 1, 7)


def test_a_run_whose_data_have_changed_says_so(texts: Path) -> None:
    run = ["run", "mafalda", "--data", str(texts), "--system", "silent", "-o", "one"]
    assert invoke(app, run).exit_code == 0
    texts.write_text(texts.read_text().replace("plan 3", "plan three"))
    assert "the samples or their gold have changed: restore the data, or use another" in str(invoke(app, run).exception)


def test_samples_that_nobody_annotated_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [{"id": str(i), "text": "You lie.", **({"gold": []} if i else {})} for i in range(3)]
    for name, some in (("none", rows[:1]), ("some", rows)):
        Path(f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in some))
    run = ["run", "mafalda", "--system", "silent", "--epochs", "2", "--data"]
    none, some = (invoke(app, [*run, f"{name}.jsonl", "-o", name]).stdout for name in ("none", "some"))
    assert "not annotated, so unscored: 1 of 1 samples; give the data gold labels to score them\n" in none
    assert "not annotated, so unscored: 1 of 3 samples\n" in some


def test_runs_on_texts_that_differ_are_not_compared_and_the_text_is_named(texts: Path) -> None:
    run = ["run", "mafalda", "--data", str(texts), "--system", "silent", "-o"]
    assert invoke(app, [*run, "one"]).exit_code == 0
    texts.write_text(texts.read_text().replace("bridge", "tunnel", 1))
    assert invoke(app, [*run, "two"]).exit_code == 0
    said = str(invoke(app, ["compare", "one", "two"]).exception)
    assert said == "two: runs that are compared must have the same texts and gold, that of '1' differs from one"

"""``fallax data`` in process."""

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fallax.cli.bench import app as bench
from fallax.cli.data import app
from fallax.core.types import NO_FALLACY, CausalClaim, Evidence, GoldSpan, Prediction, Record, Span
from fallax.data import write_claims, write_corpus, write_predictions
from fallax.data.fetching import all_datasets
from fallax.errors import FormatError, InputError, SpanError, UnknownNameError
from fallax.runs.counting import count_run

GOOD = Record("r1", "You lie, friend.", (GoldSpan(0, 8, ("ad hominem", NO_FALLACY)),), "letters")
run = CliRunner().invoke


@pytest.fixture
def file(tmp_path: Path) -> str:
    write_corpus([GOOD, Record("r2", "Fine.", ())], tmp_path / "gold.jsonl")
    return str(tmp_path / "gold.jsonl")


def test_stats_as_json_and_table(file: str) -> None:
    found = json.loads(run(app, ["stats", file, "--taxonomy", "mafalda", "--json"]).stdout)
    assert found["n_texts"] == 2
    assert found["levels"]["level 1"] == {"credibility": 1, "no fallacy": 1}
    table = run(app, ["stats", file])
    assert "ad hominem\t1\n" in table.stdout
    assert table.exit_code == 0


def test_stats_of_standard_input_and_of_a_set(file: str, tmp_path: Path) -> None:
    found = run(app, ["stats", "-", "--json"], input=Path(file).read_text())
    assert json.loads(found.stdout)["n_spans"] == 1
    (tmp_path / "logic").mkdir()
    (tmp_path / "logic" / "dev.jsonl").write_text('{"row": 3, "source_article": "So there.", "label": "ad hominem"}\n')
    found = run(app, ["stats", "logic", "--root", str(tmp_path), "--json"])
    assert json.loads(found.stdout)["levels"]["labels"] == {"ad hominem": 1}
    assert isinstance(run(app, ["stats", file, "--split", "dev"]).exception, InputError)


def test_convert_predictions_there_and_back(file: str, tmp_path: Path) -> None:
    pred, there, back = (str(tmp_path / f"{name}.jsonl") for name in ("pred", "there", "back"))
    write_predictions([Prediction("r1", (Span(0, 8, "ad hominem"),)), Prediction("r2")], pred)
    refused = run(app, ["convert", pred, there, "--to", "doccano"])
    assert "fallax data convert --predictions" in str(refused.exception)
    words = ["convert", pred, there, "--to", "doccano", "--predictions"]
    assert "repeats the text, got no record of that id" in str(run(app, words).exception)
    assert run(app, [*words, "--records", file, "--strict"]).exit_code == 0
    assert '"text": "You lie, friend.", "label": [[0, 8, "ad hominem"]]' in Path(there).read_text()
    assert run(app, ["convert", there, back, "--to", "fallax", "--predictions"]).exit_code == 0
    assert Path(back).read_text() == Path(pred).read_text()
    assert str(run(app, [*words[:-1], "--records", file]).exception) == "--records: needs --predictions"
    assert "--out-articles: has no use" in str(run(app, [*words, "--out-articles", str(tmp_path)]).exception)


def test_convert_lists_what_is_lost(file: str, tmp_path: Path) -> None:
    out = str(tmp_path / "out.tsv")
    found = run(app, ["convert", file, out, "--to", "propaganda", "--out-articles", str(tmp_path / "a")])
    assert found.exit_code == 0
    assert found.stdout == ""
    assert "lost: record 'r1': the alternative 'no fallacy' at 0..8\n" in found.stderr
    assert Path(out).read_text() == "r1\tad hominem\t0\t8\n"
    assert run(app, ["convert", file, out, "--to", "propaganda", "--strict"]).exit_code == 1
    assert run(app, ["convert", file, out, "--to", "doccano", "--strict"]).exit_code == 0
    to_stdout = run(app, ["convert", file, "-", "--to", "doccano", "--json"])
    assert json.loads(to_stdout.stdout.splitlines()[0])["label"] == [[0, 8, "ad hominem"], [0, 8, "no fallacy"]]
    assert json.loads(to_stdout.stderr) == {"losses": [], "problems": []}
    assert isinstance(run(app, ["convert", file, "-", "--to", "docano"]).exception, UnknownNameError)


def test_many_losses_are_counted(tmp_path: Path) -> None:
    write_corpus([Record(str(i), "x", (), source="s") for i in range(30)], tmp_path / "a.jsonl")
    found = run(app, ["convert", str(tmp_path / "a.jsonl"), str(tmp_path / "b"), "--to", "brat"])
    assert found.stderr.count("lost: record") == 20
    assert "lost: 10 more; by kind: source 30" in found.stderr


def test_validate(file: str, tmp_path: Path) -> None:
    found = run(app, ["validate", file, "--taxonomy", "mafalda"])
    assert (found.exit_code, found.stdout) == (0, "")
    assert "fallax, 2 records, 2 annotated, 0 problems" in found.stderr
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"text": "You lie.", "labels": [[0, 2, "ad hominem"], [0, 20, "x"], [0, 3, "x"]]}\n')
    found = run(app, ["validate", str(bad), "--from", "mafalda", "--taxonomy", "mafalda", "--json"])
    value = json.loads(found.stdout)
    assert found.exit_code == 1
    assert [p["kind"] for p in value["problems"]] == ["cut-word", "unknown-label", "unknown-label"]
    assert value["n_kept_out"] == 2
    assert f"{bad}:1: record '1', span 1: should begin" in run(app, ["validate", str(bad), "--from", "mafalda"]).stdout
    bad.write_text('{"id": "a"')
    assert isinstance(run(app, ["validate", str(bad)]).exception, FormatError)


def test_on_bad_span_is_the_same_choice_in_the_shell(tmp_path: Path) -> None:
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"text": "You lie.", "labels": [[0, 20, "x"]], "comments": []}\n')
    out = str(tmp_path / "o")
    assert isinstance(run(app, ["convert", str(bad), out, "--to", "fallax"]).exception, SpanError)
    assert not Path(out).exists()
    found = run(app, ["convert", str(bad), out, "--to", "fallax", "--on-bad-span", "report"])
    assert found.exit_code == 0
    assert "problem: " in found.stderr
    assert "must lie inside its text of 8 characters, got 0..20 (kept out)" in found.stderr


def test_taxonomies() -> None:
    names = [t["name"] for t in json.loads(run(app, ["taxonomies", "--json"]).stdout)]
    assert "mafalda" in names
    assert "tu quoque\tfallacy\tcredibility" in run(app, ["taxonomies", "mafalda"]).stdout
    assert json.loads(run(app, ["taxonomies", "mafalda", "--json"]).stdout)["name"] == "mafalda"
    rows = json.loads(run(app, ["taxonomies", "mafalda", "--to", "mafalda", "--json"]).stdout)
    assert {r["relation"] for r in rows} == {"exact"}
    assert "straw man\texact\tstraw man" in run(app, ["taxonomies", "mafalda", "--to", "mafalda"]).stdout
    assert isinstance(run(app, ["taxonomies", "--to", "mafalda"]).exception, InputError)


def test_list_and_path(tmp_path: Path) -> None:
    (tmp_path / "lfud").mkdir()
    values = json.loads(run(app, ["list", "--root", str(tmp_path), "--json"]).stdout)
    assert {v["name"]: v["path"] for v in values if v["path"]} == {"lfud": str(tmp_path / "lfud")}
    assert len(values) == len(all_datasets())
    assert "lfud\ttext\tdev\tresearch\tnone stated\tyes" in run(app, ["list", "--root", str(tmp_path)]).stdout
    assert run(app, ["path", "lfud", "--root", str(tmp_path)]).stdout == f"{tmp_path / 'lfud'}\n"
    assert run(app, ["path", "--root", str(tmp_path)]).stdout == f"{tmp_path}\n"
    assert json.loads(run(app, ["path", "lfud", "--root", str(tmp_path), "--json"]).stdout)["name"] == "lfud"
    assert isinstance(run(app, ["path", "logic", "--root", str(tmp_path)]).exception, InputError)
    assert isinstance(run(app, ["path", "logik", "--root", str(tmp_path)]).exception, UnknownNameError)


def test_tables_on_a_terminal(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "80")
    shown = run(app, ["stats", file]).stdout
    assert "ad hominem" in shown
    assert "\u2502" in shown  # a border


def test_list_of_all_taxonomies_as_columns() -> None:
    assert "mafalda\t" in run(app, ["taxonomies"]).stdout


def test_stats_of_run_folders_counts_rows_labels_and_compares_checksums(tmp_path: Path) -> None:
    rain = CausalClaim("c1", "It was late because it rained.", (Evidence("E1", "It rained."),), "supports")
    gold = tmp_path / "claims.jsonl"
    write_claims([rain, replace(rain, id="c2", label="refutes")], gold)
    done = run(bench, ["run", "causal", "-B", f"set={gold}", "--system", "majority", "--output", str(tmp_path / "one")])
    assert done.exit_code == 0, done.output
    rows = (tmp_path / "one" / "records.jsonl").read_bytes()
    sums = tmp_path / "SHA256SUMS"
    sums.write_text(f"{hashlib.sha256(rows).hexdigest()}  one/records.jsonl\n")
    found = json.loads(run(app, ["stats", str(tmp_path), "--json"]).stdout)["runs"]
    assert [r["name"] for r in found] == ["one"]
    assert found[0]["rows"]["ok"] == found[0]["expected"] == 2
    assert found[0]["gold"] == {"supports": 1, "refutes": 1}
    assert len(found[0]["predicted"]) == 1
    assert found[0]["checksum"] == "ok"
    for marked in (" *one/records.jsonl", "  ./one/records.jsonl", " *./one/records.jsonl"):
        sums.write_text(f"{'1' * 64}  other/records.jsonl\n{hashlib.sha256(rows).hexdigest()}{marked}\n")
        assert json.loads(run(app, ["stats", str(tmp_path), "--json"]).stdout)["runs"][0]["checksum"] == "ok", marked
    sums.write_text(f"{'0' * 64}  one/records.jsonl\n")
    assert "\tdiffers\n" in run(app, ["stats", str(tmp_path / "one")]).stdout
    sums.write_bytes(b"\xff\xfe  one/records.jsonl\n")
    with pytest.raises(FormatError, match="SHA256SUMS:1: must be UTF-8, got byte 0xff at byte 0"):
        count_run(tmp_path / "one")

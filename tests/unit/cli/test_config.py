"""Defaults from files: which count, what a project's file may not say, what is wrong in one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fallax.cli import main


@pytest.fixture(autouse=True)
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "own"))
    (tmp_path / "own" / "fallax").mkdir(parents=True)
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    Path("t.txt").write_text("Everybody knows that it is so, and a million people cannot be wrong about it.")
    return tmp_path


def own(places: Path, text: str) -> None:
    (places / "own" / "fallax" / "config.toml").write_text(text)


def run(*words: str) -> int:
    with pytest.raises(SystemExit) as stop:
        main(list(words))
    return int(stop.value.code or 0)


def test_files_set_defaults_and_the_command_line_wins(places: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own(places, '[detect]\nformat = "json"\nmin_confidence = 0.99999\n')
    assert run("detect", "t.txt") == 0
    assert json.loads(capsys.readouterr().out)["prediction"]["spans"] == []
    Path("fallax.toml").write_text("[detect]\nmin-confidence = 0.0\n")
    assert run("detect", "t.txt") == 0
    assert json.loads(capsys.readouterr().out)["prediction"]["spans"]
    assert run("detect", "t.txt", "--min-confidence", "0.99999", "--format", "jsonl") == 0
    assert json.loads(capsys.readouterr().out)["prediction"]["spans"] == []


def test_show_says_where_a_default_is_from(places: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own(places, '[bench.run]\nmodel-option = ["api_key=k-secret-1"]\nseed = 3\n')
    Path("pyproject.toml").write_text("[tool.fallax.detect]\nexplain = true\n")
    assert run("config", "show") == 0
    shown = capsys.readouterr().out
    assert "bench.run.seed = 3" in shown
    assert "detect.explain = true  # pyproject.toml" in shown
    own(places, "")
    Path("pyproject.toml").unlink()
    run("config", "show")
    assert "nothing is set" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[detect]\nexplian = true\n", "did you mean 'explain'"),
        ('[detect]\nmin-confidence = "high"\n', "fallax.toml: detect.min-confidence is 'high'"),
        ("[detect\n", "must be TOML"),
        ("[dectect]\nexplain = true\n", "dectect.explain: unknown command 'dectect'; did you mean 'detect'?"),
        ("explain = true\n", "fallax.toml: explain must be in the table of a command"),
        ('[detect]\nmodel = "openai/x"\n', "must not set detect.model"),
        ('[bench.run]\nsystem = "openai/x"\n', "must not set bench.run.system"),
        ('[bench.run]\nmodel-option = ["base_url=http://evil"]\n', "must not set bench.run.model-option"),
        ('[bench.run]\ndetector = "openai/x"\n', "must not set bench.run.detector"),
        ('[debate]\nadjudicator_model = ["openai/x"]\n', "must not set debate.adjudicator-model"),
        ('[generate]\nchecker-model = "openai/x"\n', "must not set generate.checker-model"),
        ('[generate]\njudge = "openai/x"\n', "must not set generate.judge"),
        ('[serve]\nhost = "0.0.0.0"\n', "must not set serve.host, which decides who can reach the page"),
        ('[annotate]\nallow-host = ["evil.example"]\n', "must not set annotate.allow-host"),
        ('[verify]\nembedder = "subprocess:call"\n', "must not set verify.embedder, which decides which code runs"),
        ('[bench.run]\nbenchmark-option = ["embedder=subprocess:call"]\n', "which decides which code runs"),
        ("a = [" + "[" * 5000, "must be TOML"),
    ],
)
def test_a_wrong_file_is_one_line(text: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("fallax.toml").write_text(text)
    assert run("detect", "t.txt") == 2
    err = capsys.readouterr().err
    assert said in err
    assert len(err.splitlines()) == 1


def test_a_project_may_name_a_detector_and_the_data_of_a_benchmark(capsys: pytest.CaptureFixture[str]) -> None:
    Path("fallax.toml").write_text(
        '[detect]\nsystem = "linear"\nformat = "json"\n[bench.run]\nbenchmark-option = ["set=claims.jsonl"]\n'
    )
    assert run("detect", "t.txt") == 0
    assert json.loads(capsys.readouterr().out)["system"].startswith("detector:linear")


def test_one_missing_file_does_not_stop_the_others(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("detect", "missing.txt", "t.txt", "--format", "jsonl") == 2
    shown = capsys.readouterr()
    assert json.loads(shown.out)["record"]["id"] == "t.txt"
    assert "missing.txt" in shown.err


def test_a_default_is_left_out_where_nothing_reads_it(places: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own(places, '[verify]\nembedder = "minilm"\nabstain = false\n[debate]\nabstain = false\n')
    Path("e.txt").write_text("Rain left the field wet.\n")
    claim = ("verify", "--claim", "The field was wet because of rain.", "--evidence", "e.txt", "--json")
    assert run(*claim) == 0
    assert json.loads(capsys.readouterr().out)["label"] is not None
    Path("rules.json").write_text('[{"reply": "print(\\"SUPPORTS\\")"}]')
    assert run(*claim, "--model", "scripted:rules.json") == 0
    capsys.readouterr()
    assert run(*claim, "--embedder", "minilm") == 2
    assert "--embedder: needs documents" in capsys.readouterr().err
    words = ("debate", "--document", "t.txt", "--summary", "e.txt", "--model", "scripted:rules.json")
    run(*words, "--method", "zero-shot", "--json")  # the reply is no answer to this prompt
    assert json.loads(capsys.readouterr().out)["usage"]["calls"] == 2
    assert run(*words, "--no-abstain") == 2
    assert "--no-abstain: is not read with --model" in capsys.readouterr().err

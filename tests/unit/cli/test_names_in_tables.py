"""Names of groups come from files: tables show them whole, on one line, and with control characters escaped."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from fallax.cli import main

#: What a file may say -> what a person reads.
NAMES = {
    "news\x1b[31m": r"news\x1b[31m",
    "bell\x07": r"bell\x07",
    "bell\x08": r"bell\x08",
    "two\nlines": r"two\nlines",
    "a\ttab": r"a\ttab",
    "back\rover": r"back\rover",
    "turned\u202eabc": r"turned\u202eabc",
    "[bold]plain": "[bold]plain",
    "東京": "東京",
    f"https://example.org/{'long/' * 9}1": f"https://example.org/{'long/' * 9}1",
    f"https://example.org/{'long/' * 9}2": f"https://example.org/{'long/' * 9}2",
}
Shell = Callable[..., str]


@pytest.fixture
def shell(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    """Runs commands in a folder with gold and predictions of one text for each name."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    with Path("gold.jsonl").open("w") as gold, Path("pred.jsonl").open("w") as pred:
        for i, name in enumerate(NAMES):
            span = {"start": 0, "end": 16, "labels": ["ad hominem"]}
            gold.write(json.dumps({"id": f"r{i}", "text": "You are a fool. So no.", "gold": [span], "source": name}))
            gold.write("\n")
            pred.write(json.dumps({"id": f"r{i}", "spans": [{"start": 0, "end": 9, "label": "ad hominem"}]}) + "\n")

    def run(*words: str) -> str:
        with pytest.raises(SystemExit) as stop:
            main(list(words))
        out, err = capsys.readouterr()
        assert not stop.value.code, err
        return str(out)

    return run


def check(out: str, *, between: str) -> None:
    """Each name is there, whole and by itself, and nothing that a terminal would act on."""
    assert {c for c in out if not c.isprintable()} <= {"\n", *between}
    for shown in NAMES.values():
        assert shown in out


def test_bench_score(shell: Shell) -> None:
    shell("bench", "run", "mafalda", "--data", "gold.jsonl", "--system", "keywords", "--output", "run")
    check(shell("bench", "score", "run", "--by", "source"), between="")


def test_bench_score_in_a_narrow_terminal(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    shell("bench", "run", "mafalda", "--data", "gold.jsonl", "--system", "keywords", "--output", "run")
    monkeypatch.setenv("COLUMNS", "75")
    check(shell("bench", "score", "run", "--by", "source"), between="")


@pytest.mark.parametrize("format", ["table", "markdown"])
def test_score(shell: Shell, format: str) -> None:
    words = ("--gold", "gold.jsonl", "--pred", "pred.jsonl", "--metric", "span_match", "--by", "source")
    out = shell("score", *words, "--format", format)
    check(out, between="")
    rows = [line for line in out.splitlines() if "pred" in line and "metric" not in line]
    assert len(rows) == 1 + len(NAMES)


def test_score_in_latex_has_no_command_of_a_name(shell: Shell) -> None:
    words = ("--gold", "gold.jsonl", "--pred", "pred.jsonl", "--metric", "span_match", "--by", "source")
    out = shell("score", *words, "--format", "latex")
    assert r"bell\textbackslash{}x07" in out
    assert r"bell\x07" not in out


def test_data_stats(shell: Shell) -> None:
    check(shell("data", "stats", "gold.jsonl"), between="\t")


def test_a_report(shell: Shell) -> None:
    shell("bench", "run", "mafalda", "--data", "gold.jsonl", "--system", "keywords", "--output", "run")
    shell("report", "run", "--format", "markdown", "--output", "report.md")
    out = Path("report.md").read_text()
    assert {c for c in out if not c.isprintable()} == {"\n"}
    for shown in NAMES.values():
        assert shown.replace("\\", "\\\\") in out  # as Markdown writes a backslash


def test_a_scan(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fallax.scan.view._LINES", len(NAMES))
    check(shell("scan", "gold.jsonl", "--output", "scan", "--system", "linear", "--by", "source"), between="")

"""``fallax generate --fresh``: the folder, its checksums, and that the secret stays out of it."""

import hashlib
import json
from pathlib import Path

import pytest

from fallax.cli import main

SECRET = "a very private seed"


def fallax(*words: str) -> int:
    with pytest.raises(SystemExit) as done:
        main(list(words))
    code = done.value.code
    return code if isinstance(code, int) else 1


def make(folder: Path, *more: str) -> int:
    words = ["generate", "--fresh", "--seed", SECRET, "-n", "1", "--points", "3", "--evaluator", "joins"]
    return fallax(*words, "--output", str(folder), *more)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("fresh") / "bench"
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("FALLAX_DATA", raising=False)
        assert make(found) == 0
    return found


def test_the_folder_is_whole_and_tells_no_secret(folder: Path) -> None:
    lines = [line.split("  ") for line in (folder / "SHA256SUMS").read_text().splitlines()]
    sums = {name: digest for digest, name in lines}
    files = {str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()}
    assert files == sums.keys() | {"SHA256SUMS"}
    for name, digest in sums.items():
        content = (folder / name).read_bytes()
        assert hashlib.sha256(content).hexdigest() == digest
        assert SECRET.encode() not in content
    canary = json.loads((folder / "settings.json").read_text())["canary"]
    for name in ("README.md", "single.jsonl", "data/panel.jsonl", "proofs.jsonl", "croissant.json", "inspect_task.py"):
        assert canary in (folder / name).read_text()
    rows = [json.loads(line) for line in (folder / "data" / "single.jsonl").read_text().splitlines()]
    assert len(rows) == 28
    assert {r["label"] for r in rows} == {"fallacious", "sound"}
    proofs = [json.loads(line) for line in (folder / "proofs.jsonl").read_text().splitlines()]
    assert all("(valid)" in p["sound"]["derivation"] and "(not valid)" in p["fallacy"]["derivation"] for p in proofs)
    metadata = json.loads((folder / "croissant.json").read_text())
    assert metadata["distribution"][0]["sha256"] == sums["data/single.jsonl"]
    compile((folder / "inspect_task.py").read_text(), "inspect_task.py", "exec")


def test_the_same_command_gives_the_same_bytes_and_another_one_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FALLAX_DATA", raising=False)
    before = (folder / "SHA256SUMS").read_text()
    assert make(folder) == 0
    assert (folder / "SHA256SUMS").read_text() == before
    assert make(folder, "--register", "quiz") != 0
    assert "must be empty or hold the same set" in capsys.readouterr().err


def test_a_model_rewords_and_the_card_says_what_was_refused_and_how_hard_the_set_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FALLAX_DATA", raising=False)
    rules = tmp_path / "rules.json"
    rules.write_text(json.dumps([{"reply": '{"sentences": [{"n": 1, "text": "It rains."}]}'}]))
    more = ["--reword", "--model", f"scripted:{rules}", "--fallacy", "IE", "--style", "single", "--depth", "3"]
    assert make(tmp_path / "set", *more, "--explicitness", "suggested", "--distractors", "1") == 0
    assert "rewording by scripted:" in capsys.readouterr().err
    shown = (tmp_path / "set" / "README.md").read_text()
    for row in ("| depth | 3 | links of the chains of", "| distractors | 1 |", "| explicitness | suggested |"):
        assert row in shown
    assert "2 worlds, " in shown
    assert "not one sentence" in shown


def test_a_system_is_judged_on_the_folder(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = ["bench", "run", "smartypat", "--data", str(folder), "--system", "all-fallacious"]
    assert fallax(*run, "--output", str(tmp_path / "run"), "--json") == 0
    detection = json.loads(capsys.readouterr().out)["scores"]["detection"]
    assert detection["f1"] == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--fresh", "--output", "x"], "a fresh set needs your own secret"),
        (["--fresh", "--seed", "s"], "a fresh set is a folder"),
        (["--edition", "other", "--output", "x"], "unknown edition 'other'"),
        (["--seed", "word"], "must be a whole number without --fresh"),
        (["--register", "quiz"], "--register needs --fresh"),
        (["--reword"], "--reword needs --fresh"),
        (["--fresh", "--seed", "s", "--output", "x", "--wordings", "2"], "--wordings cannot be used with --fresh"),
        (["--fresh", "--seed", "s", "--output", "x", "--facts", "f"], "--facts cannot be used with --fresh"),
        (["--edition", "fallax-twins-2026", "--output", "x", "--near", ".5"], "--near cannot be used with --fresh"),
        (["--fresh", "--seed", "s", "--output", "x", "--checker-model", "m"], "--checker-model needs --model"),
        (["--fresh", "--seed", "s", "--out", "x", "--reword"], "--reword needs --model"),
        (["--fresh", "--seed", "s", "--out", "x", "--distractors", "9"], "distractors: must be 0 to 6"),
    ],
)
def test_options_are_checked(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert fallax("generate", *words) != 0
    assert message in capsys.readouterr().err

"""Names of options that were given up, and how much is said: -q, -v."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from fallax.cli import COMMANDS, command_of, main
from fallax.cli._renamed import option_names

ROOT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "own"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.txt").write_text("The kettle is on. It boils at seven.", encoding="utf-8")
    (tmp_path / "rules.json").write_text('[{"reply": "Because."}]', encoding="utf-8")
    (tmp_path / "gold.jsonl").write_bytes((ROOT / "examples" / "gold.jsonl").read_bytes())


def run(capsys: pytest.CaptureFixture[str], line: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stop:
        main(shlex.split(line))
    out, err = capsys.readouterr()
    return int(stop.value.code or 0), out, err


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("detect t.txt --output json", "detect t.txt --format json", "--output is called --format now"),
        ("detect t.txt --json --out x", "detect t.txt --json --output x", "--out is called --output now"),
        ("detect t.txt --output=html --out=x", "detect t.txt --format=html -o x", "--output is called --format now"),
        ("detect t.txt --detector linear", "detect t.txt --system linear", "--detector is called --system now"),
        (
            "debate -d t.txt --summary-text 'The kettle is on.' --local-judge lexical-overlap",
            "debate -d t.txt --summary-text 'The kettle is on.' --system lexical-overlap",
            "--local-judge is called --system now",
        ),
        (
            "verify --claim 'It boils because the kettle is on.' --evidence t.txt --baseline=lexical-overlap",
            "verify --claim 'It boils because the kettle is on.' --evidence t.txt --system=lexical-overlap",
            "--baseline is called --system now",
        ),
        (
            "models ask scripted:rules.json why --system short",
            "models ask scripted:rules.json why --system-message short",
            "--system is called --system-message now",
        ),
        ("data stats gold.jsonl --format fallax", "data stats gold.jsonl --from fallax", "is called --from now"),
    ],
)
def test_an_old_name_does_the_same_and_is_told(
    old: str, new: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = []
    for line in (old, new):
        code, out, err = run(capsys, line)
        assert code == 0
        found.append((out, Path("x").read_bytes() if Path("x").exists() else b""))
        assert (said in err) == (line == old)
        Path("x").unlink(missing_ok=True)
    assert found[0] == found[1]
    assert any(found[0])


def test_old_names_in_files_and_variables(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    Path("fallax.toml").write_text('[detect]\noutput = "json"\n')
    monkeypatch.setenv("FALLAX_DETECT_OUT", "x")
    monkeypatch.setenv("FALLAX_DETECT_DETECTOR", "linear")
    code, out, err = run(capsys, "detect t.txt")
    assert (code, out) == (0, "")
    said = json.loads(Path("x").read_text())
    assert said["record"]["id"] == "t.txt"
    assert said["system"].startswith("detector:linear")
    assert "'output' is called 'format' now" in err


def leaves(command: Any, name: str) -> dict[str, Any]:
    below = getattr(command, "commands", {})
    return {k: v for c, one in below.items() for k, v in leaves(one, f"{name} {c}").items()} or {name: command}


def test_no_command_has_a_name_that_was_given_up() -> None:
    for name in COMMANDS:
        for full, command in leaves(command_of(name), name).items():
            options = option_names(command)
            assert not {"out", "detector", "local-judge"} & options, full
            assert not {"judge", "baseline"} & options or full in ("calibrate", "gate"), full
            assert {"quiet", "verbose"} <= options, full
            for parameter in command.params:
                if "--output" in parameter.opts:
                    assert "-o" in parameter.opts, full


@pytest.mark.parametrize("line", ["-q detect t.txt --output json", "detect -q t.txt --output json"])
def test_quiet_says_nothing_but_errors(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, line)
    assert (code, err) == (0, "")
    assert json.loads(out)
    code, out, err = run(capsys, "-q detect gone.txt")
    assert code == 2
    assert err.startswith("fallax: error: gone.txt")


def test_verbose_says_what_was_done(capsys: pytest.CaptureFixture[str]) -> None:
    Path("fallax.toml").write_text("[detect]\nmin-confidence = 0.5\n")
    for line in ("-v detect t.txt", "detect t.txt --verbose"):
        code, _, err = run(capsys, line)
        assert code == 0
        assert "fallax: info: fallax.toml: detect.min-confidence = 0.5" in err
        assert err.splitlines()[-1].endswith(" s")
    _, _, err = run(capsys, "detect t.txt --level 9 -v")
    assert "level must be 0 to 2" in err
    assert "Traceback" in err
    assert "info" not in run(capsys, "detect t.txt")[2]

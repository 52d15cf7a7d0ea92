"""The page on benchmarks: its commands run in turn, its Python prints what it says, its tables are complete."""

import contextlib
import io
import re
import shlex
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fallax.cli import main
from fallax.cli.bench import app
from fallax.runs.base import Row
from fallax.runs.registry import BENCHMARKS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "bench.md").read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)


def test_commands_run_one_after_the_other() -> None:
    (block,) = re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)
    for line in block.splitlines():
        words = shlex.split(line)
        assert words[:2] == ["fallax", "bench"]
        done = CliRunner().invoke(app, words[2:], env={"COLUMNS": "100"})
        assert done.exit_code == 0, (line, done.output)
    shown = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)[0]
    assert "\n".join(line.rstrip() for line in shown.splitlines()) in "\n".join(
        line.rstrip() for line in done.output.splitlines()
    )


def test_the_gate_that_its_page_shows_prints_this(capsys: pytest.CaptureFixture[str]) -> None:
    page = (ROOT / "docs" / "gate.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```console\n(.*?)```", page, re.DOTALL)
    run, gate, *shown = (x for x in block.splitlines() if x != "...")
    assert CliRunner().invoke(app, shlex.split(run)[3:]).exit_code == 0
    capsys.readouterr()
    with pytest.raises(SystemExit) as stop:
        main(shlex.split(gate)[2:])
    assert stop.value.code == 4
    assert capsys.readouterr().out.splitlines() == shown


def test_python_prints_what_it_says() -> None:
    ((code, expected),) = re.findall(r"```python\n(.*?)```\n\n```output\n(.*?)```", PAGE, re.DOTALL)
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(code, {})
    assert out.getvalue() == expected


def test_every_benchmark_and_baseline_is_named() -> None:
    for name in BENCHMARKS:
        assert f"| `{name}` |" in PAGE, name


def test_the_row_shown_has_the_fields_of_a_row() -> None:
    shown = re.findall(r'"(\w+)":', re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)[0])
    row = Row(0, 0, "x", {}, None, "ok").to_dict()
    assert [name for name in shown if name in row] == list(row)

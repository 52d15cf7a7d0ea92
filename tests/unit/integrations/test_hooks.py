"""The hooks of pre-commit and the steps of the GitHub action, run as far as this machine can."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[3]
FALLACY = "Everyone says the new bridge is ugly, so it must be.\n"


@pytest.fixture
def command(tmp_path: Path) -> dict[str, str]:
    """An environment in which ``fallax`` is this one."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "fallax").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m fallax "$@"\n')
    (folder / "fallax").chmod(0o755)
    return {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(ROOT / "src")}


def steps() -> dict[str, dict[str, Any]]:
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    return {step["name"]: step for step in action["runs"]["steps"] if "name" in step}


def test_the_hooks_run_what_they_name(tmp_path: Path, command: dict[str, str]) -> None:
    detect, gate = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    (tmp_path / "a.md").write_text(FALLACY)
    (tmp_path / "gate.toml").write_text('[[texts]]\npaths = ["a.md"]\nmax_findings = 0\n')
    done = subprocess.run(
        [*shlex.split(detect["entry"]), "a.md"], cwd=tmp_path, env=command, capture_output=True, check=False
    )
    assert done.returncode == 0
    assert b"ad populum" in done.stdout
    assert done.stderr == b""
    done = subprocess.run([*shlex.split(gate["entry"]), *gate["args"]], cwd=tmp_path, env=command, check=False)
    assert done.returncode == 1


def test_the_steps_of_the_action_give_sarif_and_a_gate(tmp_path: Path, command: dict[str, str]) -> None:
    (tmp_path / "a text.md").write_text(FALLACY)
    (tmp_path / "gate.toml").write_text('[[texts]]\npaths = ["*.md"]\nmax_findings = 0\n')

    def run(name: str, **given: str) -> int:
        written = {"GITHUB_OUTPUT": str(tmp_path / "output"), "GITHUB_STEP_SUMMARY": str(tmp_path / "summary")}
        return subprocess.run(
            ["bash", "-eo", "pipefail", "-c", steps()[name]["run"]],
            cwd=tmp_path,
            env=command | written | given,
            check=False,
        ).returncode

    out = tmp_path / "found.sarif"
    assert run("Examine", PATHS="\n\n", MIN_CONFIDENCE="", OUT=str(out)) == 0
    assert not out.exists()
    assert run("Examine", PATHS="a text.md\n\n", MIN_CONFIDENCE="0.5", OUT=str(out)) == 0
    (found,) = json.loads(out.read_text())["runs"][0]["results"]
    assert found["ruleId"] == "ad populum"
    assert (tmp_path / "output").read_text() == f"sarif={out}\n"
    assert run("Gate", GATE="gate.toml", UNDECIDED="pass", OUT=str(tmp_path / "gate.md")) == 1
    assert "fail" in (tmp_path / "summary").read_text()
    assert run("Gate", GATE="", UNDECIDED="pass", OUT="") == 0

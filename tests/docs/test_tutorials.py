"""The tutorials: their commands run, one after the other, in a folder with the demo texts and nothing else."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def script() -> Any:
    sys.path.insert(0, str(ROOT / "scripts"))
    try:
        import write_outputs_page  # type: ignore[import-not-found]
    finally:
        sys.path.pop(0)
    return write_outputs_page


@pytest.mark.parametrize("name", ["examine", "benchmark", "debate", "gold"])
def test_the_commands_of_a_tutorial_run_in_order(name: str, script: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fallax.cli.serve.run_server", lambda app, sock, address: sock.close())  # Ctrl-C
    page = (ROOT / "docs" / "tutorials" / f"{name}.md").read_text(encoding="utf-8")
    lines = [
        line
        for block in re.findall(r"^```sh\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
        for line in block.splitlines()
    ]
    assert len(lines) >= 4
    with script.place():
        for line in lines:
            words = shlex.split(line)[1:]
            served = words[0] == "annotate" and "--export" not in words
            printed = script.printed([*words, *(["--port", "0"] if served else [])])
            assert "[exit status" not in printed, (line, printed[-500:])
            assert "fallax: note" not in printed or name == "debate", (line, printed)

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


@pytest.mark.parametrize("name", ["examine", "benchmark", "debate"])
def test_the_commands_of_a_tutorial_run_in_order(name: str, script: Any) -> None:
    page = (ROOT / "docs" / "tutorials" / f"{name}.md").read_text(encoding="utf-8")
    lines = [
        line
        for block in re.findall(r"^```sh\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
        for line in block.splitlines()
    ]
    assert len(lines) >= 4
    with script.place():
        for line in lines:
            printed = script.printed(shlex.split(line)[1:])
            assert "[exit status" not in printed, (line, printed[-500:])
            assert "fallax: note" not in printed or name == "debate", (line, printed)

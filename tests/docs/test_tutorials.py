"""The tutorials: their commands run, one after the other, in a folder with the demo texts and nothing else."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.support.scripts import script

ROOT = Path(__file__).parents[2]
OUTPUTS = script("write_outputs_page")


@pytest.mark.parametrize("name", ["examine", "benchmark", "debate", "gold"])
def test_the_commands_of_a_tutorial_run_in_order(name: str) -> None:
    page = (ROOT / "docs" / "tutorials" / f"{name}.md").read_text(encoding="utf-8")
    lines = [
        line
        for block in re.findall(r"^```sh\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
        for line in block.splitlines()
    ]
    assert len(lines) >= 4
    with OUTPUTS.place():
        for line in lines:
            words = shlex.split(line)[1:]
            served = words[0] == "annotate" and "--export" not in words
            printed = OUTPUTS.printed([*words, *(["--port", "0"] if served else [])])
            assert "[exit status" not in printed, (line, printed[-500:])
            expected = name == "debate" or "nothing is adjudicated" in printed  # which a person does in the browser
            assert "fallax: note" not in printed or expected, (line, printed)


#: A finding as it is printed: number, label and groups; the percentages, in which processors differ; the place.
FINDING = re.compile(
    r"^(?P<what>\[\d+\]  .+?)  confidence \d+ %, label \d+ %(?P<space>\s+)(?P<place>characters \d+–\d+)$",
    re.MULTILINE,
)


@pytest.mark.parametrize("page", ["../README.md", "tutorials/examine.md", "detect.md"])
def test_the_finding_that_a_page_shows_is_printed(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(OUTPUTS, "_MOST", 1_000)
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    (shown,) = FINDING.finditer(text)
    with OUTPUTS.place():
        path = Path("examples/editorial.txt")
        if said := re.search(r'echo "(.*)" \| fallax detect -', text):
            path = Path("said.txt")
            path.write_text(f"{said[1]}\n", encoding="utf-8")
        printed = OUTPUTS.printed(["detect", str(path)])
    found = {f["what"]: f for f in FINDING.finditer(printed)}[shown["what"]]
    assert (shown["place"], shown["space"]) == (found["place"], found["space"])

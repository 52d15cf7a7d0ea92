"""The pages on formats and data: their blocks run and print what they say, and their tables are complete."""

import contextlib
import io
import re
import shlex
from pathlib import Path

import pytest

from fallax.cli import main
from fallax.data import DATASETS, FORMATS

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("page", ["formats.md", "data.md"])
def test_blocks_run_and_print_what_they_say(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FALLAX_DATA", str(tmp_path / "none"))
    names: dict[str, object] = {}
    for block in re.findall(r"```python\n(.*?)```", (DOCS / page).read_text(encoding="utf-8"), re.DOTALL):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(block, names)
        shown = re.findall(r"print\(.*\)  # (.*)", block)
        printed = out.getvalue().splitlines()
        for line in shown:
            assert line in printed or line == "where to get it", (line, printed)


def test_the_commands_on_formats_run_in_the_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "examples").symlink_to(DOCS.parent / "examples")
    monkeypatch.chdir(tmp_path)
    (block,) = re.findall(r"```sh\n(.*?)```", (DOCS / "formats.md").read_text(encoding="utf-8"), re.DOTALL)
    lines = [line for line in block.splitlines() if line.startswith("fallax ")]
    assert len(lines) == 4
    for line in lines:
        with pytest.raises(SystemExit) as stop:
            main(shlex.split(line)[1:])
        assert not stop.value.code, line


def test_every_format_and_every_set_has_its_row() -> None:
    formats = (DOCS / "formats.md").read_text(encoding="utf-8")
    assert all(f"| `{name}` |" in formats for name in FORMATS)
    data = (DOCS / "data.md").read_text(encoding="utf-8")
    for info in DATASETS.values():
        row = next(line for line in data.splitlines() if line.startswith(f"| `{info.name}` |"))
        cells = [c.strip() for c in row.strip("|").split("|")]
        assert cells[2:] == [info.taxonomy, info.licence, info.may_train]
        assert cells[1].startswith("none" if info.name == "wikitext2" else f"{info.granularity}s")

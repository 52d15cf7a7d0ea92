"""The page of structures: what it shows is printed, and its table of losses is what writing and reading gives."""

import re
import sys
from pathlib import Path

import pytest

from fallax.cli import main
from fallax.structures import parse_structure

ROOT = Path(__file__).parents[2]


def test_the_table_of_losses_is_up_to_date(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path, str(ROOT / "scripts")])
    from write_structures_table import PAGE, page_with_table, table  # type: ignore[import-not-found]

    page = PAGE.read_text(encoding="utf-8")
    assert page == page_with_table(page), "run: python scripts/write_structures_table.py"
    assert table().count("lost") > 10


@pytest.mark.parametrize(
    ("n", "words"), [(0, ["examples/structure.txt", "--draw", "terminal"]), (1, ["examples/structure.txt"])]
)
def test_the_page_shows_what_the_command_prints(
    n: int, words: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (ROOT / "docs" / "structures.md").read_text(encoding="utf-8")
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "100")
    with pytest.raises(SystemExit) as stop:
        main(["structure", *words])
    assert not stop.value.code
    assert capsys.readouterr().out.expandtabs(8) == re.findall(r"```text\n(.*?)```", page, re.DOTALL)[n]


def test_the_structure_that_a_reader_can_copy_has_no_problems() -> None:
    page = (ROOT / "docs" / "structures.md").read_text(encoding="utf-8")
    own = parse_structure(re.findall(r"```text\n(.*?)```", page, re.DOTALL)[2]).structure
    assert own is not None
    assert not own.problems

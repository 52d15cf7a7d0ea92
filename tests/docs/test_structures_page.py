"""The table of what each format of structures loses is what writing and reading gives."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_the_table_of_losses_is_up_to_date(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path, str(ROOT / "scripts")])
    from write_structures_table import PAGE, page_with_table, table  # type: ignore[import-not-found]

    page = PAGE.read_text(encoding="utf-8")
    assert page == page_with_table(page), "run: python scripts/write_structures_table.py"
    assert table().count("lost") > 10

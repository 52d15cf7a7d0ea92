"""docs/outputs.md shows what commands print on 80 columns: every command, and nothing cut in a number."""

from __future__ import annotations

import re
from pathlib import Path

from fallax.cli._examples import EXAMPLES
from tests.support.scripts import script

ROOT = Path(__file__).parents[2]
OUTPUTS = script("write_outputs_page")


def blocks(page: str) -> dict[str, str]:
    """The command line of each block -> what it prints."""
    found = re.findall(r"^```console\n\$ (.*?)\n(.*?)```$", page, re.DOTALL | re.MULTILINE)
    return dict(found)


def alike(printed: str) -> str:
    """Without what another processor may change: the last digits of a detector, and with them the width of columns."""
    return re.sub(r"[\s│┃━─╇┼]+", " ", re.sub(r"\d+", "0", printed)).strip()


def test_the_page_shows_what_is_printed() -> None:
    page = (ROOT / "docs" / "outputs.md").read_text(encoding="utf-8")
    shown, now = blocks(page), dict(OUTPUTS.outputs())
    assert list(shown) == list(now)
    for line, printed in now.items():
        counted = line.startswith(("fallax detect ", "fallax debate ", "fallax verify ", "fallax scan "))
        told = "docs/outputs.md is out of date: python scripts/write_outputs_page.py"
        if counted:
            assert alike(printed) == alike(shown[line]), told
        else:
            assert printed.strip() == shown[line].strip(), told
        assert not re.search(r"\d…|undefin?e?…", printed), line
        assert "[exit status" not in printed, line
        assert "Traceback" not in printed, line


def test_every_command_is_shown_or_said_not_to_be() -> None:
    assert set(OUTPUTS.SHOWN) | set(OUTPUTS.NOT_SHOWN) == set(EXAMPLES)
    assert not set(OUTPUTS.SHOWN) & set(OUTPUTS.NOT_SHOWN)


def test_no_table_is_wider_than_eighty_columns() -> None:
    for line, printed in blocks((ROOT / "docs" / "outputs.md").read_text(encoding="utf-8")).items():
        for row in printed.splitlines():
            assert len(row) <= 80 or not re.search("[│┃━]", row), line

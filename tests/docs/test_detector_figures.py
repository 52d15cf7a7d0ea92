"""The figures of the detector in the docs are what was measured and what its card says, and nothing else."""

from __future__ import annotations

import importlib
import itertools
import json
import os
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from fallax.cli.detectors import app
from fallax.detection.measured import (
    Measured,
    read_measured,
    table_in_short,
    table_of_larger,
    tables_of_card,
    with_tables,
)
from fallax.detection.systems import load_encoder
from fallax.encoders import CARD
from fallax.models.larger import ENCODER_LARGE

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "docs" / name for name in ("detectors.md", "detectors-figures.md", "detect.md", "own-labels.md")]
#: Figures outside of the tables: settings and bounds, not measurements.
SETTINGS = (
    "2 cores of a shared virtual machine", "95 % bootstrap intervals", "a test allows 0.02", "12 MB",
    "200 sentences a second, 1.5 s for a cold", "and 400 MB", "windows of 256 tokens",
)  # fmt: skip


@pytest.fixture(scope="module")
def tables() -> dict[str, Measured]:
    found = read_measured()
    return (
        found
        | tables_of_card(load_encoder().card())
        | {"in_short": table_in_short(found), "compared": table_of_larger(found)}
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_tables_of_the_pages_are_those_measured(page: Path, tables: dict[str, Measured]) -> None:
    text = page.read_text(encoding="utf-8")
    assert with_tables(text, tables) == text, "python benchmarks/detector_figures.py --pages-only writes them"


@pytest.mark.parametrize("page", PAGES[:3], ids=lambda p: p.name)
def test_no_figure_stands_outside_of_a_table(page: Path) -> None:
    text = re.sub(r"<!-- measured: .*?<!-- end -->|```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    text = " ".join(re.sub(r"`[^`]*`", "", text).split())
    for setting in SETTINGS:
        text = text.replace(setting, "")
    assert not re.findall(r".{30}(?:\d?\.\d{2,}|\d[\d.,]* (?:%|of \d)|\b\d+ (?:times|texts a|sentences a)).{30}", text)


def test_the_rules_of_decoding_have_the_numbers_of_the_card() -> None:
    decoding, page = load_encoder().card()["decoding"], " ".join(PAGES[0].read_text(encoding="utf-8").split())
    assert f"reaches the threshold, `{decoding['threshold']}`" in page
    assert f"(a lone statement) needs more: `{decoding['threshold_alone']}`" in page
    assert f'only if "any fallacy" then still reaches `{decoding["between"]}`' in page
    shown = load_encoder().scale.shown(decoding["threshold"])
    assert f"this is shown as about `{shown:.2f}`" in page
    assert f"Below the default, about `{shown:.2f}`" in page
    assert f"passages of about `{shown:.2f}` and more" in " ".join(PAGES[2].read_text(encoding="utf-8").split())
    tutorial = ROOT / "docs" / "tutorials" / "examine.md"
    assert f"below the default, about {shown:.2f}," in " ".join(tutorial.read_text(encoding="utf-8").split())


def test_every_table_is_on_a_page_and_in_the_card(tables: dict[str, Measured]) -> None:
    shown = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    assert [name for name in tables if f"<!-- measured: {name} -->" not in shown] == []
    told = CliRunner().invoke(app, ["show", "encoder"]).output
    for row in read_measured()["robustness"].rows:
        assert re.search(r"^  " + r"\s+".join(map(re.escape, row)) + "$", told, re.MULTILINE)
    card = json.loads(CliRunner().invoke(app, ["show", "encoder", "--json"]).output)
    assert card["measured"]["robustness"]["rows"] == [list(row) for row in read_measured()["robustness"].rows]


@pytest.mark.parametrize("name", ["mafalda", "larger_mafalda"])
def test_the_card_and_the_measured_tables_agree(name: str, tables: dict[str, Measured]) -> None:
    card = json.loads((ENCODER_LARGE.shipped() / CARD).read_text()) if "larger" in name else load_encoder().card()
    table = tables[name]
    assert table.detector == f"{card['name']}@{card['version']}", "python benchmarks/detector_figures.py measures again"
    scores = {(s["unit"], s["level"]): s for s in card["mafalda_development_texts"]["scores"]}
    cells = [scores[unit, level] for unit in ("span", "text") for level in (0, 1, 2)]
    said = [re.fullmatch(r"([\d.]+) \[.*", cell) for cell in table.rows[0][1:]]
    assert [float(m[1]) for m in said if m] == [pytest.approx(s["f1"], abs=2e-3) for s in cells]


#: The commands that need no data sets.
WITHOUT_SETS = (
    "detector_paragraphs",
    "detector_plain_texts",
    "detector_short_texts",
    "detector_explain",
    "detector_speed",
)
#: The commands of the tables, with options that make them short.
SHORT = {
    "detector_robustness": "--texts 2",
    "detector_paragraphs": "",
    "detector_plain_texts": "--texts 3",
    "detector_short_texts": "--limit 3",
    "detector_calibration": "mafalda --limit 3",
    "detector_prose": "--texts 2",
    "detector_long_texts": "--texts 2",
    "detector_transfer": "--limit 3",
    "detector_own_sets": "logic --limit 20",
    "detector_mafalda": "--resamples 100 --alone",
    "detector_explain": "--times 1",
    "detector_speed": "--texts 3 --times 1",
}


@pytest.fixture
def _benchmarks() -> Iterator[None]:
    sys.path.insert(0, str(ROOT / "benchmarks"))
    yield
    sys.path.remove(str(ROOT / "benchmarks"))


@pytest.mark.usefixtures("_benchmarks")
@pytest.mark.parametrize("name", SHORT)
def test_the_command_of_each_table_gives_it(
    name: str, tables: dict[str, Measured], capsys: pytest.CaptureFixture[str]
) -> None:
    if "FALLAX_DATA" not in os.environ and name not in WITHOUT_SETS:
        pytest.skip("needs data sets: set FALLAX_DATA")
    ours = [t for t in tables.values() if Path(shlex.split(t.command)[1]).stem == name]
    assert ours or name == "detector_own_sets", "only the tables of sets of one's own are not kept in the package"
    module: Any = importlib.import_module(name)
    module.main(shlex.split(SHORT[name]))
    said = capsys.readouterr().out
    assert "|---|" in said
    for table in ours:
        heads = _row_heads(said, table)
        assert {_named(head) for head in heads} & {_named(row[0]) for row in table.rows}, heads


@pytest.mark.usefixtures("_benchmarks")
def test_sets_that_chose_settings_are_marked_in_the_table_of_other_sets(tables: dict[str, Measured]) -> None:
    module: Any = importlib.import_module("detector_transfer")
    marked = {row[0]: row[-1] for row in tables["transfer"].rows if "chose" in row[-1]}
    assert marked == {f"{name} {split}": said for (name, split), said in module.CHOSE.items()}


def _row_heads(said: str, table: Measured) -> list[str]:
    """The first cells of a table as a command printed it."""
    lines = said.splitlines()
    begin = lines.index(f"| {' | '.join(table.columns)} |") + 2
    rows = itertools.takewhile(lambda line: line.startswith("|"), lines[begin:])
    return [row.split("|")[1].strip() for row in rows]


def _named(head: str) -> str:
    """A row head without the version of a detector."""
    return re.sub(r"@\d+", "", head)

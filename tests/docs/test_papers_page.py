"""The page of the papers: no table or figure is missing, and what it names is there."""

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fallax.cli.reproduce import app

PAGE = (Path(__file__).parents[2] / "docs" / "papers.md").read_text(encoding="utf-8")
#: The heading of a paper -> the number of its tables and of its figures.
PAPERS = {"MAFALDA": (14, 3), "SmartyPat": (13, 8), "MADISSE": (37, 6), "CheckWhy": (18, 13)}


def section(paper: str) -> str:
    return re.split(r"^## ", PAGE.split(f"\n## {paper} ", 1)[1], maxsplit=1, flags=re.MULTILINE)[0]


def numbers(paper: str, kind: str) -> list[int]:
    """The tables or figures that the rows of a section name in their first cell: "7", "9, 10, 11", "7 to 22"."""
    found = []
    for listed in re.findall(rf"^\| {kind}s? ((?:\d+(?:, | and | to )?)+)", section(paper), re.MULTILINE):
        for part in re.split(r", | and ", listed.removesuffix(", ")):
            first, _, last = part.partition(" to ")
            found += range(int(first), int(last or first) + 1)
    return sorted(found)


@pytest.mark.parametrize("paper", PAPERS)
def test_every_table_and_figure_of_a_paper_has_one_row(paper: str) -> None:
    n_tables, n_figures = PAPERS[paper]
    assert numbers(paper, "table") == list(range(1, n_tables + 1))
    assert numbers(paper, "figure") == list(range(1, n_figures + 1))


@pytest.mark.parametrize("paper", ["mafalda", "smartypat", "madisse"])
def test_reproduce_knows_the_tables_that_the_page_gives_it(paper: str, tmp_path: Path) -> None:
    text = section({"mafalda": "MAFALDA", "smartypat": "SmartyPat", "madisse": "MADISSE"}[paper])
    wanted = set(re.findall(r"--table (\d+)", text))
    assert wanted
    for number in wanted:
        done = CliRunner().invoke(app, [paper, "--from", str(tmp_path), "--table", number])
        assert "unknown table" not in str(done.exception), number


def test_the_prompts_that_the_page_names_exist() -> None:
    named = re.findall(r"`(\w+\.v1\.txt)`", section("SmartyPat"))
    assert len(named) == 7
    folder = Path(__file__).parents[2] / "src" / "fallax" / "generation" / "protocols" / "prompts"
    assert all((folder / name).is_file() for name in named)

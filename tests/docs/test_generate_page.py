"""The page about generation: commands run, Python prints what is said, the set in the docs is the one that is made."""

import asyncio
import contextlib
import io
import re
from pathlib import Path
from typing import Any

import pytest

from fallax.generation.generators import METHODS, agenerate, read_items
from tests.docs.test_pages import commands_of, run_line
from tests.support.scripts import script
from tests.unit.oracle.support import needs_swipl

ROOT = Path(__file__).parents[2]
PATH = ROOT / "docs" / "generate.md"
PAGE = PATH.read_text(encoding="utf-8")


@needs_swipl
@pytest.mark.parametrize("line", commands_of(PATH))
def test_commands_of_the_page_run(line: str, tmp_path: Path) -> None:
    code, err = run_line(line, tmp_path)
    assert code == 0, err
    for path in tmp_path.glob("*.jsonl"):
        assert all(item.sound_twin for item in read_items(path))
        assert path.with_suffix(".md").exists()


@needs_swipl
def test_python_of_the_page_prints_what_it_says() -> None:
    names: dict[str, Any] = {}
    blocks = re.findall(r"```python\n(.*?)```\n\n```output\n(.*?)```", PAGE, re.DOTALL)
    assert len(blocks) == PAGE.count("```python") == 1
    for code, expected in blocks:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(code, names)
        assert out.getvalue() == expected


def test_the_set_in_the_docs_is_the_one_that_is_made() -> None:
    write_generated_set = script("write_generated_set")
    assert write_generated_set.PAGE.read_text(encoding="utf-8") == write_generated_set.page(), (
        "docs/sets/template-14x20.md is out of date: python scripts/write_generated_set.py"
    )


def test_the_worksheet_that_is_shown_is_written(tmp_path: Path) -> None:
    (line,) = (x for x in commands_of(PATH) if "worksheet" in x)
    assert run_line(f"{line} --evaluator joins", tmp_path)[0] == 0
    written = [" ".join(x.split()) for x in (tmp_path / "worksheet.md").read_text(encoding="utf-8").splitlines()]
    (shown,) = re.findall(r"```text\n(2\. .*?)```", PAGE, re.DOTALL)
    assert [x for x in shown.split("\n\n") if " ".join(x.split()) not in written] == []


def test_every_method_and_field_is_described() -> None:
    for method in METHODS:
        assert f"`{method}`" in PAGE
    (item,) = asyncio.run(agenerate("WD", n=1, evaluator="joins"))
    for name in item.to_dict():
        assert f"`{name}`" in PAGE, name


def test_the_frame_that_is_shown_is_a_frame() -> None:
    quoted = PAGE.partition("\n> ")[2].partition("\n\n")[0].split("\n>\n> ")
    texts = [
        t
        for i in asyncio.run(agenerate("FC", n=50, wordings=4, evaluator="joins"))
        for t in (i.text, str(i.sound_twin))
    ]
    shown = [text.replace("\n> ", " ") for text in quoted]
    assert len(shown) == 2
    for text in shown:
        assert text in texts

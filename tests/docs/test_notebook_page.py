"""The notebook: its cells run in order and print what it says."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support.scripts import script

ROOT = Path(__file__).parents[2]
RUN = script("run_notebook")


def test_cells_print_what_the_notebook_says() -> None:
    notebook = json.loads(RUN.NOTEBOOK.read_text(encoding="utf-8"))
    said, now = RUN.stored(notebook), RUN.outputs(notebook, ROOT)
    assert len(now) >= 5
    for number, (before, after) in enumerate(zip(said, now, strict=True), start=1):
        assert before == after, f"cell {number}: python scripts/run_notebook.py"


def test_the_notebook_is_one_that_jupyter_opens() -> None:
    notebook = json.loads(RUN.NOTEBOOK.read_text(encoding="utf-8"))
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in notebook["cells"]}) == len(notebook["cells"])
    counts = [cell["execution_count"] for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert counts == list(range(1, len(counts) + 1))

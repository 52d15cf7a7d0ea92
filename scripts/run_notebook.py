"""Run the notebook of the docs cell by cell and store what each prints: python scripts/run_notebook.py

A cell prints what it prints, and its last line if that is an expression, as in Jupyter, which it does not need.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
NOTEBOOK = ROOT / "docs" / "tutorials" / "notebook.ipynb"


def printed(source: str, names: dict[str, Any]) -> str:
    """What a cell of code prints; ``names`` keeps what it defines."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(tree, "<cell>", "exec"), names)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)
            if value is not None:
                print(repr(value))
    return out.getvalue()


def outputs(notebook: dict[str, Any], folder: Path) -> list[str]:
    """What each cell of code prints when all run in order in a folder."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        names: dict[str, Any] = {}
        return [printed("".join(c["source"]), names) for c in notebook["cells"] if c["cell_type"] == "code"]
    finally:
        os.chdir(before)


def stored(notebook: dict[str, Any]) -> list[str]:
    """What the notebook says that each cell of code prints."""
    return ["".join("".join(o["text"]) for o in c["outputs"]) for c in notebook["cells"] if c["cell_type"] == "code"]


def markdown(notebook: dict[str, Any]) -> str:
    """The notebook as a page."""
    parts = []
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(f"```python\n{source}\n```")
        said = "".join("".join(o["text"]) for o in cell["outputs"])
        if said:
            parts.append(f"```text\n{said.rstrip()}\n```")
    return "\n\n".join(parts) + "\n"


def _renew(notebook: dict[str, Any]) -> None:
    cells = [c for c in notebook["cells"] if c["cell_type"] == "code"]
    for number, (cell, said) in enumerate(zip(cells, outputs(notebook, ROOT), strict=True), start=1):
        cell["execution_count"] = number
        text = said.splitlines(keepends=True)
        cell["outputs"] = [{"name": "stdout", "output_type": "stream", "text": text}] if said else []


if __name__ == "__main__":
    found = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    _renew(found)
    NOTEBOOK.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")

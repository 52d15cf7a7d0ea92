"""Every page of docs/extend is carried out in an empty package outside the repository."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "extend"
PAGES = sorted(p for p in FOLDER.glob("*.md") if p.stem != "index")
#: Files that are part of the example, but not of what is added.
DATA = (".jsonl", "replies.json", "in.txt")


@dataclass
class Block:
    kind: str
    file: str
    text: str
    line: int
    output: str | None = field(default=None)


def blocks_of(page: Path) -> list[Block]:
    found: list[Block] = []
    content = page.read_text(encoding="utf-8")
    for match in re.finditer(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", content, re.DOTALL | re.MULTILINE):
        block = Block(match[1], match[2] or "", match[3], content[: match.start()].count("\n") + 2)
        if block.kind == "output":
            found[-1].output = block.text
        else:
            found.append(block)
    return found


def write_package(page: Path, folder: Path) -> list[str]:
    """Write the files of a page, and metadata as pip leaves them; the files that belong to the part."""
    files = [b for b in blocks_of(page) if b.file]
    for block in files:
        path = folder / block.file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text, encoding="utf-8")
    if (folder / "mine.py").exists():
        info = folder / "mine-1.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1\n")
        (info / "entry_points.txt").write_text("[fallax.plugins]\nmine = mine:register\n")
    return [b.file for b in files if not b.file.endswith(DATA)]


def shell_of(line: str) -> str:
    """A line as the shell takes it, with this Python's fallax and python."""
    python = f'"{sys.executable}"'
    line = re.sub(r"(^|\| |=\S+ )fallax ", rf"\1{python} -m fallax ", line)
    return re.sub(r"^python ", f"{python} ", line)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_a_page_is_carried_out_in_an_empty_package(page: Path, tmp_path: Path) -> None:
    if page.stem == "rule" and shutil.which("swipl") is None:
        pytest.skip("SWI-Prolog is not installed")
    write_package(page, tmp_path)
    path = os.pathsep.join([str(tmp_path), str(ROOT / "src")])
    env = {**os.environ, "PYTHONPATH": path, "PYTHONWARNINGS": "error"}
    n_run = 0
    for block in blocks_of(page):
        if block.file or block.kind not in ("sh", "python"):
            continue
        commands = [[sys.executable, "-c", block.text]]
        if block.kind == "sh":
            commands = [["/bin/sh", "-c", shell_of(line)] for line in block.text.splitlines()]
        said = ""
        for command in commands:
            done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
            assert done.returncode == 0, f"{page.name}:{block.line}: {command[-1]}\n{done.stderr}"
            assert not done.stderr.startswith("fallax: error"), done.stderr
            said += done.stdout
            n_run += 1
        if block.output is not None:
            assert said == block.output, f"{page.name}:{block.line}"
    assert n_run


def test_the_table_names_every_page_and_counts_its_files(tmp_path: Path) -> None:
    table = (FOLDER / "index.md").read_text(encoding="utf-8")
    rows = {m[2]: m[1] for m in re.finditer(r"^\| [^|]+ \| ([^|]+) \| \[[^]]+\]\(([\w-]+)\.md\) \|$", table, re.M)}
    assert set(rows) == {p.stem for p in PAGES}
    for page in PAGES:
        files = write_package(page, tmp_path / page.stem)
        said = sum(int(n) for n in re.findall(r"\d+", rows[page.stem]))
        assert len(files) == said, (page.stem, files, rows[page.stem])

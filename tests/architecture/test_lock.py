"""constraints-dev.txt pins everything that development installs."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]


def name_of(requirement: str) -> str:
    found = re.match(r"[\w.-]+", requirement)
    assert found, requirement
    return re.sub(r"[-_.]+", "-", found[0]).lower()


def test_every_dependency_is_locked() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = {name_of(r) for r in (*project["project"]["dependencies"], *project["dependency-groups"]["dev"])}
    lines = (ROOT / "constraints-dev.txt").read_text(encoding="utf-8").splitlines()
    locked = {name_of(line) for line in lines if "==" in line}
    assert wanted <= locked, f"run: make lock ({sorted(wanted - locked)})"

"""A module imports only from lower ranks; packages of one rank do not import each other; no cycles."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2] / "src" / "fallax"

#: package -> rank. The plan of the rooms; docs/design/0001-rooms.md says why.
RANKS = {
    "_version": 0,
    "errors": 1,
    "_sync": 1,
    "_download": 2,
    "types": 2,
    "taxonomies": 3,
    "texts": 3,
    "encoders": 4,
    "metrics": 4,
    "oracle": 4,
    "structures": 4,
    "protocols": 5,
    "models": 6,
    "detectors": 6,
    "generators": 6,
    "judges": 6,
    "verifiers": 6,
    "builders": 6,
    "corpora": 6,
    "render": 6,
    "bench": 7,
    "integrations": 8,
    "api": 8,
    "cli": 9,
    "web": 9,
}


def imports_of(path: Path) -> set[str]:
    """First-level fallax packages that a file imports, wherever in the file."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [a.name for a in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module] if node.module != "fallax" else [f"fallax.{a.name}" for a in node.names]
        else:
            continue
        found |= {n.split(".")[1] for n in names if n.startswith("fallax.")}
    return found


def modules() -> list[Path]:
    return sorted(p for p in ROOT.rglob("*.py") if p != ROOT / "__init__.py")


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(ROOT)))
def test_module_imports_only_lower_ranks(path: Path) -> None:
    package = path.relative_to(ROOT).parts[0].removesuffix(".py")
    if package == "__main__":
        return
    assert package in RANKS, f"{package} has no rank: add it to the plan"
    for other in imports_of(path) - {package}:
        assert RANKS[other] < RANKS[package], f"{path.relative_to(ROOT)} (rank {RANKS[package]}) imports {other}"


def test_no_module_is_longer_than_a_sitting() -> None:
    too_long = {str(p.relative_to(ROOT)): n for p in modules() if (n := len(p.read_text().splitlines())) > 600}
    assert not too_long

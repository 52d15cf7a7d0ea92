"""A module imports only from lower ranks; packages of one rank do not import each other; no cycles."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2] / "src" / "fallax"

#: package -> rank. The plan of the rooms; docs/design/0001-rooms.md says why.
RANKS = {
    "_version": 0,
    "errors": 1,
    "core": 2,
    "encoders": 3,
    "metrics": 3,
    "oracle": 3,
    "structures": 3,
    "models": 4,
    "data": 4,
    "render": 4,
    "entailment": 5,
    "runs": 5,
    "detection": 6,
    "faithfulness": 6,
    "generation": 6,
    "causality": 6,
    "annotation": 6,
    "api": 7,
    "many": 8,
    "scan": 8,
    "scoring": 8,
    "gate": 9,
    "integrations": 10,
    "cli": 11,
    "client": 8,
    "notebook": 8,
    "plots": 8,
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

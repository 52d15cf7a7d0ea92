"""Count the house: python scripts/house_figures.py [BEFORE], where BEFORE is a commit to compare with.

Prints public names, lines and files for each room, imports between jobs, public classes that share a name, lines that
stand in two places, and hand-written pairs to and from JSON.
"""

from __future__ import annotations

import ast
import io
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

JOBS = ("detection", "faithfulness", "generation", "causality")
ROOT = Path(__file__).parents[1]


def _room(path: Path, root: Path) -> str:
    first = path.relative_to(root).parts[0]
    return first.removesuffix(".py")


def _imports(tree: ast.AST) -> set[str]:
    modules = [n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and n.module]
    modules += [a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names]
    return {m.split(".")[1] for m in modules if m.startswith("fallax.")}


def figures(root: Path) -> tuple[dict[str, Counter[str]], int, dict[str, list[str]]]:
    """By room: files, lines and public names; imports between jobs; classes that share a name."""
    rooms: dict[str, Counter[str]] = defaultdict(Counter)
    classes: dict[str, list[str]] = defaultdict(list)
    between = 0
    for path in sorted(root.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text)
        room = _room(path, root)
        public = [
            n.name
            for n in tree.body
            if isinstance(n, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and not n.name.startswith("_")
        ]
        rooms[room] += Counter(files=1, lines=text.count("\n"), public=len(public))
        if room in JOBS:
            between += len(_imports(tree) & set(JOBS) - {room})
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                classes[node.name].append(str(path.relative_to(root)))
    return dict(rooms), between, {name: paths for name, paths in classes.items() if len(paths) > 1}


def written_twice(root: Path, n_lines: int = 6) -> int:
    """Lines of code in a run of six that stands elsewhere too, but imports, comments and lone punctuation."""
    places: dict[tuple[str, ...], list[tuple[Path, tuple[int, ...]]]] = defaultdict(list)
    for path in sorted(root.rglob("*.py")):
        lines = [
            (number, line.strip())
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines())
            if len(line.strip()) > 3 and not line.strip().startswith(("#", "import ", "from ", '"""'))
        ]
        for i in range(len(lines) - n_lines + 1):
            run = lines[i : i + n_lines]
            places[tuple(text for _, text in run)].append((path, tuple(number for number, _ in run)))
    twice = {(path, n) for found in places.values() if len(found) > 1 for path, numbers in found for n in numbers}
    return len(twice)


def json_pairs(root: Path) -> tuple[int, int]:
    """How many ``to_dict`` and ``from_dict`` are written by hand, and their lines."""
    found = [
        node.end_lineno - min([node.lineno, *(d.lineno for d in node.decorator_list)]) + 1
        for path in root.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and node.name in ("to_dict", "from_dict") and node.end_lineno is not None
    ]
    return len(found), sum(found)


def show(title: str, root: Path) -> None:
    """Print the figures of one source tree."""
    rooms, between, shared = figures(root)
    total: Counter[str] = sum(rooms.values(), Counter())
    print(title)
    print(f"{'room':14} {'files':>6} {'lines':>7} {'public names':>13}")
    for name, counts in sorted(rooms.items()):
        if counts["files"] > 1 or counts["lines"] > 100:
            print(f"{name:14} {counts['files']:6} {counts['lines']:7,} {counts['public']:13}")
    print(f"{'all':14} {total['files']:6} {total['lines']:7,} {total['public']:13}")
    print(f"imports between jobs: {between}")
    print(f"lines in a run of six that stands twice: {written_twice(root):,}")
    n, lines = json_pairs(root)
    print(f"to_dict and from_dict by hand: {n}, {lines:,} lines")
    print(f"public classes that share a name: {len(shared)}" + "".join(f"\n  {n}: {p}" for n, p in shared.items()))


def main() -> None:
    """Print the figures of this tree, and of a commit before it."""
    if len(sys.argv) > 1:
        archive = subprocess.run(
            ["git", "archive", sys.argv[1], "src/fallax"], cwd=ROOT, capture_output=True, check=True
        ).stdout
        with tempfile.TemporaryDirectory() as folder, tarfile.open(fileobj=io.BytesIO(archive)) as tar:
            tar.extractall(folder, filter="data")
            show(f"before ({sys.argv[1]})", Path(folder) / "src" / "fallax")
        print()
    show("now", ROOT / "src" / "fallax")


if __name__ == "__main__":
    main()

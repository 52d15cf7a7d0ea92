"""One word for one thing: docs/glossary.md holds code, shell and JSON to it."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from pathlib import Path

import fallax as fx
from fallax.core.registry import KINDS

ROOT = Path(__file__).parents[2]
GLOSSARY = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
#: Every term in bold, with the parts of lists such as "faithful, unfaithful".
TERMS = {term for bold in re.findall(r"\*\*([^*]+)\*\*", GLOSSARY) for term in (bold, *bold.split(", "))}
CODE = set(re.findall(r"`([^`]+)`", GLOSSARY))


def test_no_two_public_classes_share_a_name() -> None:
    found: dict[str, list[str]] = defaultdict(list)
    for path in sorted((ROOT / "src" / "fallax").rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(str(path.relative_to(ROOT)))
    assert {name: paths for name, paths in found.items() if len(paths) > 1} == {}


def test_no_two_registries_share_a_name() -> None:
    found: dict[str, list[str]] = defaultdict(list)
    for path in sorted((ROOT / "src" / "fallax").rglob("*.py")):
        for name in re.findall(r"^([A-Z_]+): Registry\[", path.read_text(encoding="utf-8"), re.M):
            found[name].append(str(path.relative_to(ROOT)))
    assert found
    assert {name: paths for name, paths in found.items() if len(paths) > 1} == {}


def test_every_kind_of_part_is_a_term() -> None:
    assert set(KINDS) - TERMS == set()


def test_fields_of_json_are_terms() -> None:
    results = (
        fx.detect("He is a fool, so he is wrong."),
        fx.debate("It rained.", "It rained.", system="lexical-overlap"),
        fx.verify("It rained because it was warm.", ["It was warm."], system="lexical-overlap"),
        fx.generate("FC", n=1, evaluator="joins"),
        fx.generate("FC", n=1, evaluator="joins").items[0],
    )
    for result in results:
        unknown = {field for field in result.to_dict() if field not in CODE | TERMS}
        assert unknown == set(), type(result).__name__


def test_a_judge_says_what_it_judges() -> None:
    # alone the word means a judge of summaries; in other jobs it says which
    for path in (ROOT / "src" / "fallax" / "causality").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and "Judge" in node.name:
                assert node.name.startswith("Structure"), node.name

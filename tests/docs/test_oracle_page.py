"""The page about the oracle: its code runs, its instances hold, and it names every predicate and sort."""

import contextlib
import io
import re
from pathlib import Path

import pytest

from fallax.oracle import Oracle, audit, load_rule_base, read_facts
from tests.unit.oracle.support import needs_swipl

PAGE = (Path(__file__).parents[2] / "docs" / "oracle.md").read_text(encoding="utf-8")
BASE = load_rule_base("strict")


@needs_swipl
def test_code_blocks_print_what_the_page_says() -> None:
    names: dict[str, object] = {}
    ran = 0
    for match in re.finditer(r"```python\n(.*?)```(?:\n\n```output\n(.*?)```)?", PAGE, re.DOTALL):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(match[1], names)
        assert printed.getvalue() == (match[2] or "")
        ran += 1
    assert ran == 5


@pytest.mark.parametrize("fallacy", BASE.fallacies)
def test_every_type_has_its_section_with_every_predicate(fallacy: str) -> None:
    schema = BASE.schemas[fallacy]
    (section,) = re.findall(rf"^### [^\n]*\({schema.abbreviation}\): `{fallacy}`\n(.*?)(?=^##|\Z)", PAGE, re.M | re.S)
    for predicate in schema.predicates:
        sorts = ", ".join(a.sort for a in predicate.arguments[1:-1])
        assert f"| `{predicate}` | {sorts} | {predicate.meaning} |" in section
    for declaration in schema.declarations:
        assert f"`{declaration.name}`" in section
    assert schema.twin in section


def test_every_sort_is_explained() -> None:
    for sort, meaning in BASE.sorts.items():
        assert f"| `{sort}` | {meaning} |" in PAGE


@needs_swipl
def test_every_instance_on_the_page_yields_fallacy_and_twin() -> None:
    blocks = re.findall(r"```prolog\n(.*?)```", PAGE, re.DOTALL)
    seen = set()
    for block in blocks:
        assert audit(block) == ()
        seen |= {d.fallacy for d in Oracle().check(read_facts(block))}
    assert seen == set(BASE.fallacies)

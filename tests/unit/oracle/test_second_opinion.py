"""The rule file derives what the second evaluator derives, to the slot and the fact; and changes of it are seen."""

from pathlib import Path

import pytest

from tests.unit.oracle.conditions import BASE
from tests.unit.oracle.second_opinion import disagreements, mutants
from tests.unit.oracle.support import needs_swipl


@needs_swipl
@pytest.mark.parametrize("fallacy", BASE.fallacies)
def test_rules_derive_what_the_second_evaluator_derives(fallacy: str) -> None:
    assert disagreements(fallacy) == []


@needs_swipl
@pytest.mark.parametrize(("fallacy", "what", "rules"), list(mutants(10)), ids=lambda v: v[:40] if len(v) < 200 else "")
def test_a_changed_rule_file_is_told(fallacy: str, what: str, rules: str, tmp_path: Path) -> None:
    path = tmp_path / "changed.pl"
    path.write_text(rules, encoding="utf-8")
    assert disagreements(fallacy, str(path)), what

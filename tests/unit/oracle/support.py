"""What the tests of the oracle share."""

import re
import shutil

import pytest

from fallax.core.types.logic import Fact
from fallax.errors import LogicError
from fallax.oracle import OracleLimits, load_rule_base
from fallax.oracle._process import Term, ask
from fallax.oracle._reader import ReadLimits, _Parser

needs_swipl = pytest.mark.skipif(shutil.which("swipl") is None, reason="SWI-Prolog is not installed")


def loose(text: str) -> list[Fact]:
    """Facts as they are written, without asking a rule base."""
    parser = _Parser(text, ReadLimits())
    parser.run()
    assert not parser.refused, parser.refused
    return [p.fact for p in parser.placed]


def solutions(facts: list[Fact], fallacy: str, rules: str | None = None) -> tuple[Term, ...]:
    limits = OracleLimits(wall_seconds=60)
    return ask(load_rule_base("strict"), facts, fallacy=fallacy, limit=100_000, limits=limits, rules=rules).solutions


def verdicts(facts: list[Fact], fallacy: str, rules: str | None = None) -> set[tuple[str, str, str]]:
    """Kind, instance and conclusion of all that a rule file derives; an error counts as something of its own.

    Which rule and which facts led there is left out on purpose: a condition that changes only those is idle.
    """
    found = set()
    try:
        for term in solutions(facts, fallacy, rules):
            assert isinstance(term, tuple)
            conclusion = re.sub(r"'_G?\d+'", "'_'", str(term[1][4]))
            found.add((str(term[1][1]), str(term[1][3]), conclusion))
    except LogicError as e:
        found.add(("error", "", str(e)))
    return found

"""The fence around the engine holds even against a rule file that means ill."""

from fractions import Fraction
from pathlib import Path

import pytest

from fallax.core.types.logic import Negation, Quantity
from fallax.errors import LogicError, MissingExtraError
from fallax.oracle import Oracle, OracleLimits, load_rule_base, seed_facts
from fallax.oracle._oracle import _derivation
from fallax.oracle._process import Term, ask, read_term, to_argument
from tests.unit.oracle.support import needs_swipl


def asked(tmp_path: Path, goal: str, **limits: int) -> tuple[Term, ...]:
    """What a rule file derives whose only rule runs a goal that binds X."""
    path = tmp_path / "rules.pl"
    path.write_text(f"derive(any, fallacy, n, i, X, [], []) :- {goal}.\n", encoding="utf-8")
    fence = OracleLimits(inferences=10**15, **limits)
    answer = ask(load_rule_base("strict"), [], fallacy="any", limit=9, limits=fence, rules=path)
    return tuple(term[1][4] for term in answer.solutions if isinstance(term, tuple))


@needs_swipl
def test_the_environment_is_empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET", "x")
    assert asked(tmp_path, "( getenv('SECRET', X) -> true ; X = none )") == ("none",)
    assert asked(tmp_path, "( getenv('HOME', X) -> true ; X = none )") == ("none",)
    assert asked(tmp_path, "getenv('LANG', X)") == ("C.UTF-8",)


@needs_swipl
def test_the_working_folder_is_empty_and_goes_away(tmp_path: Path) -> None:
    assert asked(tmp_path, "directory_files('.', Fs), msort(Fs, X)") == ([".", ".."],)
    (folder,) = asked(tmp_path, "working_directory(X, X)")
    assert not Path(str(folder)).exists()


@needs_swipl
def test_nothing_can_be_written_to_a_file(tmp_path: Path) -> None:
    goal = f"open('{tmp_path}/out', write, S), write(S, text), close(S), X = done"
    with pytest.raises(LogicError):
        asked(tmp_path, goal)
    assert not (tmp_path / "out").exists() or (tmp_path / "out").read_bytes() == b""


@needs_swipl
def test_processor_time_ends_an_endless_loop(tmp_path: Path) -> None:
    with pytest.raises(LogicError, match="at most 1 s of processor time"):
        asked(tmp_path, "repeat, X = 1, fail", cpu_seconds=1)


@needs_swipl
def test_the_wall_clock_ends_an_idle_process(tmp_path: Path) -> None:
    with pytest.raises(LogicError, match="must end within 1 s"):
        asked(tmp_path, "sleep(60), X = 1", wall_seconds=1)


@needs_swipl
def test_memory_ends_a_bomb(tmp_path: Path) -> None:
    with pytest.raises(LogicError, match=r"ran out of|ended with status"):
        asked(tmp_path, "numlist(1, 50000000, L), X = L", stack_mb=64, memory_mb=1024)


@needs_swipl
def test_an_engine_that_cannot_read_its_rules_says_so(tmp_path: Path) -> None:
    with pytest.raises(LogicError, match=r"SWI-Prolog ended with status|existence_error"):
        asked(tmp_path, "no_such_predicate(X)")


def test_read_term_reads_what_the_engine_writes() -> None:
    assert read_term("a") == "a"
    assert read_term("[]") == []
    assert read_term("-7") == Fraction(-7)
    assert read_term("f('it''s','a\\\\b',[x,[y]],-(3),5r2)") == (
        "f", ["it's", "a\\b", ["x", ["y"]], ("-", [Fraction(3)]), Fraction(5, 2)],
    )  # fmt: skip


@pytest.mark.parametrize("text", ["f(a", "f(a b)", ")", "f(,)", "'open"])
def test_read_term_refuses_what_is_no_term(text: str) -> None:
    with pytest.raises(LogicError, match="cannot be read"):
        read_term(text)


def test_arguments_of_the_engine() -> None:
    assert to_argument(("q", [Fraction(2), "km"])) == Quantity(Fraction(2), "km")
    assert to_argument(("not", ["a"])) == Negation("a")
    for odd in ("f(a)", "[a]"):
        with pytest.raises(LogicError, match="no argument"):
            to_argument(read_term(odd))


def test_an_answer_that_is_no_derivation_is_refused() -> None:
    for text in ("d(a)", "d(t,benign,r,i,c(x),[],[])", "7", "d(t,sound,r,i,c,[],[])"):
        with pytest.raises(LogicError, match="the engine's answer holds no"):
            _derivation(read_term(text), load_rule_base("strict"))


def test_the_message_without_swipl_names_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(MissingExtraError, match="apt-get install swi-prolog-nox") as caught:
        Oracle().check(seed_facts("WD"))
    assert "brew install swi-prolog" in str(caught.value)
    assert "conda install" in str(caught.value)
    with pytest.raises(MissingExtraError, match="nowhere"):
        Oracle(swipl="/nowhere/swipl").check(seed_facts("WD"))

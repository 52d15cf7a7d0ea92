"""``fallax oracle``: conclusions with proofs out; what is refused is told and ends with 1."""

import json
from pathlib import Path

import pytest

from fallax.cli import main
from fallax.oracle import near_synonyms, read_facts, same_meaning, seed_facts

MILLS = """instance(x, wrong_direction, "windmills").
event(x, a, "the mill turns").
event(x, b, "the wind blows").
reason(x, s, "the wind pushes").
reason(x, t, "it goes on blowing").
together(x, a, b, true).
depends(x, a, b, s, true).
depends(x, b, a, t, false).
"""


def oracle(command: str, file: Path, *more: str) -> int:
    with pytest.raises(SystemExit) as done:
        main(["oracle", command, str(file), *more])
    assert isinstance(done.value.code, int)
    return done.value.code


def test_conclusions_come_with_their_proofs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mills.facts"
    file.write_text(MILLS)
    assert oracle("check", file, "--evaluator", "joins") == 0
    out = capsys.readouterr().out
    assert "(not valid)" in out
    assert "causes(b, a)  -- it is because the wind blows that the mill turns" in out
    assert oracle("explain", file, "--evaluator", "joins") == 0
    assert "since that the mill turns depends on this: the wind blows" in capsys.readouterr().out
    assert oracle("rules", file) == 0
    assert "direction_reversed" in capsys.readouterr().out


def test_what_is_refused_is_told_and_ends_with_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mills.facts"
    file.write_text(MILLS + 'event(x, c, "it rains). event(x, d, "it snows").\nevent(x, e, "it hails").\n')
    for command in ("check", "explain", "rules"):
        more = () if command == "rules" else ("--evaluator", "joins")
        assert oracle(command, file, *more) == 1
        assert "mills.facts: line 9, column 25: the fact was not read" in capsys.readouterr().err
    assert oracle("check", file, "--evaluator", "joins", "--json") == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["facts"], len(found["derivations"])) == (9, 2)


def test_every_fact_in_an_unclosed_comment_is_named() -> None:
    reading = read_facts(
        'instance(x, wrong_direction, "t").\n/* a note\nevent(x, a, "it rains").\nevent(x, b, "it snows").'
    )
    assert [r.line for r in reading.refused] == [2, 3, 4]
    assert "inside a comment that line 2 opens" in reading.refused[2].reason


def test_an_unclosed_quote_takes_its_own_line_only() -> None:
    reading = read_facts('instance(x, wrong_direction, "t").\nevent(x, a, "it rains).\nevent(x, b, "it snows").')
    assert (len(reading.facts), reading.n_refused) == (2, 1)


def test_near_synonyms_are_told_and_the_shipped_facts_have_none() -> None:
    assert same_meaning("lightning strikes", "there is a lightning strike")
    assert not same_meaning("the mill turns", "the mill does not turn")
    assert near_synonyms(seed_facts()) == ()

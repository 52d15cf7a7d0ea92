"""``fallax structure`` in process."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fallax.cli import main
from fallax.cli.structure import app
from fallax.errors import FormatError, InputError, UnknownNameError

run = CliRunner().invoke
CODE = 'Claim = FACT("late")\nE1 = FACT("rain")\nE2 = FACT("cats")\none_to_one_linking(E1, Claim)\nprint("SUPPORTS")\n'


@pytest.fixture
def file(tmp_path: Path) -> str:
    (tmp_path / "reply.txt").write_text(CODE)
    return str(tmp_path / "reply.txt")


def test_a_structure_is_checked(file: str) -> None:
    found = run(app, [file])
    assert found.exit_code == 0
    assert found.stdout.splitlines() == [
        "claim\tlate",
        "verdict\tsupports",
        "evidence\t1 leaves, 0 intermediates, 1 unused",
        "steps\t1",
        "depth\t1",
        "step\tE1 -> Claim",
    ]
    assert json.loads(run(app, [file, "--json"]).stdout)["unused"] == [{"id": "E2", "text": "cats"}]


def test_attacks_and_undercuts_are_listed_beside_the_steps() -> None:
    found = run(app, ["-"], input="[C]: late\n  + [A]: rain\n  - [B]: sun\n  _ [D]: so what\n")
    assert found.stdout.splitlines()[-3:] == ["step\tA -> C", "attacks\tB -> C", "undercuts\tD -> C"]


def test_a_format_that_cannot_be_detected_is_named_with_its_option(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "odd.txt").write_text("Nothing to see here.\n")
    with pytest.raises(SystemExit) as stop:
        main(["structure", str(tmp_path / "odd.txt")])
    assert stop.value.code == 2
    assert "cannot be detected; name it (--from): json, linking" in capsys.readouterr().err


def test_problems_are_listed_and_strict_fails() -> None:
    found = run(app, ["-"], input="A -> B -> A\nB -> Claim")
    assert "problem\tnode 'A': must not lead back to itself, got A -> B -> A\n" in found.stdout
    assert "depth\tnone (there is a cycle)\n" in found.stdout
    assert found.exit_code == 0
    assert run(app, ["-", "--strict"], input="A -> B -> A\nB -> Claim").exit_code == 1
    drawn = run(app, ["-", "--draw", "svg"], input="A -> B -> A\nB -> Claim")
    assert drawn.stderr.startswith("problem: node 'A'")


def test_conversion_lists_what_is_lost(file: str, tmp_path: Path) -> None:
    found = run(app, [file, "--to", "mermaid"])
    assert 'E1["rain"]' in found.stdout
    assert found.stderr == "lost: the verdict 'supports'\n"
    assert run(app, [file, "--to", "mermaid", "--strict"]).exit_code == 1
    assert run(app, [file, "--to", "json", "--strict", "--output", str(tmp_path / "x.json")]).exit_code == 0
    assert run(app, [str(tmp_path / "x.json"), "--to", "linking"]).stdout == (
        'Claim = FACT("late")\nE1 = FACT("rain")\nE2 = FACT("cats")\ndef build_tree_proof():\n'
        '    one_to_one_linking(E1, Claim)\n    print("SUPPORTS")\n'
    )


def test_drawings(file: str, tmp_path: Path) -> None:
    assert run(app, [file, "--draw", "terminal"]).stdout.splitlines()[:2] == ["Claim  late", "└── E1  rain"]
    out = tmp_path / "drawn"
    assert run(app, [file, "--draw", "terminal", "-o", str(out)]).stdout == ""
    assert out.read_text().startswith("Claim  late\n")
    assert run(app, [file, "--draw", "svg"]).stdout.startswith("<svg ")


def test_faults_are_one_line(file: str, tmp_path: Path) -> None:
    both = run(app, [file, "--to", "dot", "--draw", "svg"]).exception
    assert isinstance(both, InputError)
    none = run(app, ["-", "--from", "linking"], input="no").exception
    assert isinstance(none, FormatError)
    assert str(none) == "<stdin>: must hold an argument structure, got none: no linking call was found"
    assert run(app, ["-", "--from", "linking", "--json"], input="no").exit_code == 2
    assert isinstance(run(app, [file, "--to", "doot"]).exception, UnknownNameError)
    assert isinstance(run(app, [file, "--to", "dot", "-o", str(tmp_path)]).exception, InputError)

"""What the default model cannot tell, the larger one may: said to a person at a terminal."""

from collections.abc import Callable
from pathlib import Path

import pytest

from fallax.cli import main

DOCUMENT = "The bridge closed in May. Engineers had found cracks in it."


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("fallax.cli._models.live", lambda: True)
    monkeypatch.setenv("FALLAX_MODELS", str(tmp_path))


@pytest.fixture
def said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    path = tmp_path / "document.txt"
    path.write_text(DOCUMENT)

    def run(*more: str) -> str:
        with pytest.raises(SystemExit, match="0"):
            main(["debate", "-d", str(path), *more])
        return capsys.readouterr().err

    return run


@pytest.mark.usefixtures("terminal")
def test_a_person_is_told_how_to_get_more_verdicts(said: Callable[..., str]) -> None:
    told = said("--quick", "--summary-text", "The bridge closed in May. Some cracks were deep.")
    assert "cannot tell of 1 of 2 sentences" in told
    assert "--system entailment-large (first: fallax models fetch entailment-large, 404 MB)" in told


@pytest.mark.usefixtures("terminal")
@pytest.mark.parametrize(
    "more",
    [
        ("--quick", "--summary-text", "The bridge closed in May."),  # nothing is open
        ("--quick", "--json", "--summary-text", "A painter had hoped for tea."),
        ("--system", "lexical-overlap", "--summary-text", "A painter had hoped for tea."),
    ],
)
def test_nothing_is_told_otherwise(said: Callable[..., str], more: tuple[str, ...]) -> None:
    assert "entailment-large" not in said(*more)


def test_a_program_is_told_nothing(said: Callable[..., str]) -> None:
    assert "larger" not in said("--quick", "--summary-text", "A painter had hoped for tea.")


@pytest.mark.usefixtures("terminal")
def test_verify_says_it_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "evidence.txt"
    path.write_text("Engineers found cracks in the ship's ramp. The ferry was taken out of service.\n")
    with pytest.raises(SystemExit, match="0"):
        main(["verify", "--claim", "The ferry was withdrawn because of cracks.", "--evidence", str(path)])
    found = capsys.readouterr()
    assert "CANNOT TELL" in found.out
    assert "cannot tell; a larger, slower model decides more" in found.err

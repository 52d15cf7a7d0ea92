"""What all commands have in common: help, examples, and options that nothing would read."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import typer

from fallax.cli import COMMANDS, command_of, main
from fallax.cli._examples import EXAMPLES
from fallax.cli._models import CONNECTIONS
from fallax.data.fetching import find_dataset
from fallax.detection.systems import DETECTORS
from fallax.models import Limits
from tests.support.scripts import script

ROOT = Path(__file__).parents[3]


def tree(command: Any, name: str) -> dict[str, Any]:
    below = getattr(command, "commands", {})
    found = {} if below and not getattr(command, "invoke_without_command", False) else {name: command}
    for child, one in below.items():
        found |= tree(one, f"{name} {child}")
    return found


ALL = {full: command for name in COMMANDS for full, command in tree(command_of(name), name).items()}


def run(capsys: pytest.CaptureFixture[str], line: str) -> tuple[int, str, str]:
    code = 0
    try:
        main(shlex.split(line))
    except SystemExit as stop:
        code = int(stop.code or 0)
    out, err = capsys.readouterr()
    return code, out, err


def test_every_command_has_examples_that_its_options_read() -> None:
    assert set(EXAMPLES) == set(ALL)
    for full, examples in EXAMPLES.items():
        for words in examples:
            ALL[full].make_context(full, shlex.split(words))  # raises on an option it does not have
    for full in ("data fetch", "data path"):
        assert all(find_dataset(name) for name in EXAMPLES[full])
    for full in ("detectors show", "detectors evaluate"):
        assert {words.split()[0] for words in EXAMPLES[full]} <= set(DETECTORS)
    for full, examples in EXAMPLES.items():  # a base is a folder, never the name of what ships
        for split in map(shlex.split, examples):
            assert "--base" not in split or split[split.index("--base") + 1] == "FOLDER", full


def test_data_sets_are_looked_for_in_one_order() -> None:
    found = {full: p for full, command in ALL.items() for p in command.params if "--root" in p.opts}
    assert {"data stats", "detectors train", "verify train"} <= set(found)
    for full, parameter in found.items():
        assert (
            parameter.help.replace("\\[", "[") == "Folder that holds the data sets [$FALLAX_DATA, then your cache]."
        ), full
        # the variable is left to the library, which looks into the cache too
        assert "FALLAX_DATA" not in parameter.envvar, full


def _listed() -> None:
    """Sort what is
    found. In this order:
    - by label, and
      then by place
    - by text

    Then the best
    2024 of them:

    1. first
    2) second
    """


def test_a_list_in_a_docstring_stays_a_list(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    app = typer.Typer()
    app.command()(_listed)
    monkeypatch.setitem(sys.modules, "listed", SimpleNamespace(app=app))
    monkeypatch.setitem(COMMANDS, "listed", ("listed", "Sort."))
    monkeypatch.setenv("COLUMNS", "100")
    said = [line.strip() for line in run(capsys, "listed -h")[1].splitlines()]
    begin = said.index("Sort what is found. In this order:")
    assert [line for line in said[begin + 1 :] if line][:5] == [
        "- by label, and then by place", "- by text", "Then the best 2024 of them:", "1. first", "2) second",
    ]  # fmt: skip
    about = script("write_commands_page")._section("fallax listed", command_of("listed"))
    assert "\n\n- by label, and then by place\n- by text\n\nThen the best 2024 of them:\n\n1. first\n2) second" in about


@pytest.mark.parametrize("full", sorted(ALL))
def test_help_ends_with_examples_and_repeats_no_environment_variable(
    full: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    code, out, _ = run(capsys, f"{full} -h")
    plain = " ".join(out.split())
    assert code == 0
    assert "env var" not in plain
    assert plain.rstrip().endswith(f"fallax {full} {EXAMPLES[full][-1]}".strip())
    for parameter in ALL[full].params:  # square brackets are not read as markup
        for bracket in re.findall(r"\[[^]]*\]", getattr(parameter, "help", "") or ""):
            assert bracket.split()[0] in plain


@pytest.mark.parametrize("full", ["verify", "bench", "debate"])
def test_help_has_room_for_what_an_option_does_on_eighty_columns(
    full: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    out = run(capsys, f"{full} -h")[1]
    lines = out.partition("Examples:")[0].splitlines()
    assert max(map(len, lines)) <= 80
    options = out.partition("Options:")[2].partition("Commands:")[0].partition("Examples:")[0]
    assert max(len(line) - len(line.lstrip()) for line in options.splitlines()) < 40
    assert "..." not in out.partition("Commands:")[2]


def test_variables_of_several_commands_stand_on_one_page() -> None:
    page = (ROOT / "docs" / "environment.md").read_text(encoding="utf-8")
    used = {
        name
        for path in (ROOT / "src").rglob("*.py")
        for name in re.findall(r"(?:environ\.get\(|envvar=)\"(FALLAX_\w+)\"", path.read_text(encoding="utf-8"))
    }
    assert {f"`{name}`" for name in used} <= set(re.findall(r"^\| (`FALLAX_\w+`)", page, re.M))


def test_calls_at_a_time_have_one_default() -> None:
    assert Limits().max_connections == CONNECTIONS
    for full, command in ALL.items():
        for parameter in command.params:
            if parameter.name == "max_connections":
                assert parameter.default == CONNECTIONS, full


def test_the_budget_and_the_cache_of_the_environment_hold_for_every_command() -> None:
    found = {"max_cost": "FALLAX_MAX_COST", "cache": "FALLAX_CACHE"}
    for full, command in ALL.items():
        for parameter in command.params:
            assert parameter.name not in found or found[parameter.name] in parameter.envvar, full


def test_the_page_of_commands_has_the_defaults_0_1_and_on() -> None:
    shown = script("write_commands_page")._section("fallax bench run", ALL["bench run"])
    assert "| `--epochs` | How often each sample is asked. [default: 1] |" in shown
    assert "| `--seed` | Random seed. [default: 0] |" in shown
    assert "[default: published] |" in script("write_commands_page")._section("x", ALL["bench compare"])


TEXTS = "-d examples/minutes.txt -s examples/minutes-summary.txt"
WHY = "verify --claim C --evidence examples/verify/dam.txt"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("detect --protocol sentence examples/editorial.txt", "--protocol needs --model"),
        ("detect --max-connections 64 examples/editorial.txt", "--max-connections needs --model"),
        (f"debate {TEXTS} --quick --sessions 3", "--sessions needs --model"),
        (f"debate {TEXTS} --seed 0", "--seed needs --model"),
        (f"debate {TEXTS} --adjudicator-model openai/x", "--adjudicator-model needs --model"),
        (f"debate {TEXTS} -M a=b", "-M needs --model"),
        (
            f"debate {TEXTS} --model scripted:x.json --method zero-shot --rounds 3",
            "--rounds: is not read by the method",
        ),
        (f"debate {TEXTS} --model scripted:x.json --samples 41", "--samples: is read by the method self-consistency"),
        (f"{WHY} --reasoning", "--reasoning needs --model"),
        (f"debate {TEXTS} --model scripted:x.json --no-abstain", "--no-abstain: is not read with --model"),
        (f"debate {TEXTS} --no-shuffle", "--no-shuffle needs --model"),
        ("debate --pairs examples/pairs.jsonl --encoding latin-1", "--encoding: is not read with --pairs"),
        (f"{WHY} --n-evidence 8", "--n-evidence needs --documents"),
        (f"{WHY} --model scripted:x.json --no-abstain", "--no-abstain: is not read with --model"),
        (f"{WHY} --embedder minilm", "--embedder: needs documents, or a system that compares texts; leave it out"),
        ("verify --claims examples/why-claims.jsonl --embedder minilm", "--embedder: is not read by this system"),
        ("generate --fallacy FC -n 1 --batch 3", "--batch: is read by smartypat"),
        ("generate --fallacy FC -n 1 --max-cost 3", "--max-cost needs --model"),
        ("generate --fallacy FC -n 1 --overwrite", "--overwrite needs --output"),
    ],
)
def test_an_option_that_nothing_would_read_is_refused_as_it_was_typed(
    line: str, message: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(ROOT)
    (tmp_path / "x.json").write_text('[{"reply": "<label>1</label>"}]', encoding="utf-8")
    code, out, err = run(capsys, line.replace("x.json", str(tmp_path / "x.json")))
    assert (code, out) == (2, "")
    assert f"fallax: error: {message}" in err


def test_a_variable_for_all_commands_is_no_option_that_was_typed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("FALLAX_CACHE", str(tmp_path / "calls.sqlite"))
    monkeypatch.setenv("FALLAX_MAX_COST", "1")
    assert run(capsys, "generate --fallacy FC -n 1 --evaluator joins")[0] == 0

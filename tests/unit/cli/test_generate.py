"""fallax generate: sets on standard output and in files, taken up again, and without SWI-Prolog."""

import contextlib
import inspect
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from fallax.cli.generate import app, generate
from fallax.errors import (
    FallaxError,
    FormatError,
    InputError,
    MissingExtraError,
    ModelError,
    RunError,
    UnknownNameError,
)
from fallax.generation.generators import read_items, run_path
from fallax.generation.worlds import FreshPlan
from fallax.oracle import read_facts, seed_facts
from tests.unit.oracle.support import needs_swipl


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FALLAX_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, [str(a) for a in arguments])


JOINS = ("--evaluator", "joins")


def test_the_shell_and_python_make_as_many_pairs_by_default() -> None:
    shell = inspect.signature(generate).parameters["n"].default
    page = (Path(__file__).parents[3] / "docs" / "fresh.md").read_text(encoding="utf-8")
    assert shell == FreshPlan(seed="any").n
    assert f"{shell} by default: 14 x {shell} x 2 = {14 * shell * 2} pairs" in page


def test_items_go_to_standard_output_one_a_line() -> None:
    result = run("--fallacy", "FS,IE", "-n", "2", "--seed", "3", *JOINS)
    items = [json.loads(line) for line in result.stdout.splitlines()]
    assert [i["labels"] for i in items] == [["False Cause"]] * 2 + [["Inverse Error"]] * 2
    assert all(i["twin"]["text"] and i["derivation"]["rule"] and i["claims"] for i in items)
    assert result.stderr == ""
    assert run("--fallacy", "FS,IE", "-n", "2", "--seed", "3", *JOINS).stdout == result.stdout


@needs_swipl
def test_prolog_and_joins_make_the_same_texts() -> None:
    one, other = (run("--fallacy", "BQ", "-n", "3", "--evaluator", e).stdout for e in ("swipl", "joins"))
    assert [json.loads(x)["text"] for x in one.splitlines()] == [json.loads(x)["text"] for x in other.splitlines()]


def test_a_file_gets_its_card_and_a_finished_run_is_left_alone(tmp_path: Path) -> None:
    out = tmp_path / "set.jsonl"
    arguments = ("--fallacy", "WD", "-n", "2", "--style", "bare", "--no-twins", "--output", out, *JOINS)
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    assert result.stdout == ""
    assert "2 of 2 items" in result.stderr
    assert [i.sound_twin for i in read_items(out)] == [None, None]
    assert "# set" in (tmp_path / "set.md").read_text()
    again = run(*arguments)
    assert again.exit_code == 0
    assert "is finished already, 2 items" in again.stderr
    assert isinstance(run(*arguments, "--seed", "5").exception, RunError)
    assert run(*arguments, "--seed", "5", "--overwrite").exit_code == 0


def test_a_run_that_was_broken_off_goes_on(tmp_path: Path) -> None:
    """The model fails in the middle; started again with one that answers, the run keeps what is there and ends."""
    sentences = [["Mills make wind.", "Ducks make ponds."], ["Bells make noon.", "Flags make storms."]]

    def script(name: str, second: object) -> Path:
        path = tmp_path / name
        first = {"match": "2 new sentences", "replies": [json.dumps({"sentences": sentences[0]}), second]}
        path.write_text(json.dumps([{**first, "then": "repeat", "by": "epoch"}]))
        return path

    model = script("model.json", {"error": "authentication"})
    arguments = ("--fallacy", "WD", "-n", "4", "--batch", "2", "--method", "direct", "--output", tmp_path / "set.jsonl")
    broken = run(*arguments, "--model", f"scripted:{model}")
    assert isinstance(broken.exception, ModelError)
    assert "2 items are kept; the same command resumes" in broken.stderr
    kept = (tmp_path / "set.jsonl").read_bytes()
    assert kept.count(b"\n") == 2
    assert json.loads(run_path(tmp_path / "set.jsonl").read_text())["finished"] is False
    script("model.json", json.dumps({"sentences": sentences[1]}))
    whole = run(*arguments, "--model", f"scripted:{model}")
    assert whole.exit_code == 0, whole.output
    assert (tmp_path / "set.jsonl").read_bytes().startswith(kept)
    assert [i.text for i in read_items(tmp_path / "set.jsonl")] == [*sentences[0], *sentences[1]]


def test_a_model_that_fails_at_once_leaves_no_file(tmp_path: Path) -> None:
    model = tmp_path / "model.json"
    model.write_text(json.dumps([{"error": "authentication"}]))
    result = run("--fallacy", "WD", "--model", f"scripted:{model}", "--output", tmp_path / "set.jsonl")
    assert isinstance(result.exception, ModelError)
    assert not (tmp_path / "set.jsonl").exists()


def test_own_facts_are_used_and_what_is_refused_is_told(tmp_path: Path) -> None:
    facts = tmp_path / "my.facts"
    text = "\n".join(f"{f}." for f in seed_facts("WD") if f.args[0] == "wd02")
    facts.write_text(text + "\n:- halt.\n")
    result = run("--fallacy", "WD", "--facts", facts, *JOINS)
    (line,) = result.stdout.splitlines()
    assert json.loads(line)["derivation"]["instance"] == "wd02"
    assert "my.facts: line 9, column 1: only facts are read" in result.stderr
    assert "1 of 20 items" in result.stderr
    assert "--wordings 4" in result.stderr
    assert "nothing" not in result.stderr
    result = run("--fallacy", "FS,WD", "--facts", facts, *JOINS)
    assert "the facts yield nothing of these types: false cause\n" in result.stderr
    result = run("--fallacy", "FS", "--facts", facts, *JOINS)
    assert result.exit_code == 1
    assert "the facts yield nothing of these types: false cause\n" in result.stderr
    assert "--wordings" not in result.stderr
    facts.write_text(":- halt.\n")
    assert isinstance(run("--facts", facts, *JOINS).exception, InputError)
    facts.write_bytes(b"\xff\xfe")
    assert isinstance(run("--facts", facts, *JOINS).exception, FormatError)
    assert isinstance(run("--facts", tmp_path / "none.facts", *JOINS).exception, InputError)


def test_own_examples_give_the_style(tmp_path: Path) -> None:
    examples, model = tmp_path / "examples.json", tmp_path / "model.json"
    examples.write_text(json.dumps({"WD": ["Ponds attract ducks, hence ducks dig ponds."]}))
    reply = json.dumps({"sentences": ["Mills make wind."]})
    model.write_text(json.dumps([{"match": "hence ducks dig ponds", "reply": reply}]))
    asked = ("--fallacy", "WD", "-n", "1", "--method", "direct", "--model", f"scripted:{model}", "--examples", examples)
    assert json.loads(run(*asked).stdout)["text"] == "Mills make wind."
    for bad in ("[]", '{"WD": []}', "nonsense"):
        examples.write_text(bad)
        assert isinstance(run(*asked).exception, FormatError)


def test_votes_are_listed_with_the_item(tmp_path: Path) -> None:
    judge = tmp_path / "judge.json"
    judge.write_text(json.dumps([{"reply": "yes"}]))
    asked = ("--fallacy", "WD", "-n", "1", *JOINS, "--method", "template", "--confirm", "2")
    item = json.loads(run(*asked, "--checker-model", f"scripted:{judge}").stdout)
    assert item["structurally_valid"] is True
    assert item["claims_confirmed"] is False
    assert item["claims"][0]["votes"] == {"yes": 2, "denied yes": 2}
    assert isinstance(run(*asked).exception, InputError)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("--fallacy", "ad hominem"), UnknownNameError),
        (("--method", "magic"), UnknownNameError),
        (("--method", "direct"), InputError),
        (("-n", "0"), InputError),
        (("-M", "seed=1"), InputError),
        (("--method", "template", "--model", "scripted:x.json"), InputError),
        (("--output", "set.txt"), RunError),
        (("--model", "scripted:none.json"), FormatError),
    ],
)
def test_mistakes_are_one_line(arguments: tuple[str, ...], error: type[Exception]) -> None:
    found = run(*arguments).exception
    assert isinstance(found, error)
    assert "\n" not in str(found)


def test_without_prolog_the_message_names_the_package_and_everything_else_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))  # no swipl
    found = run("--fallacy", "FS").exception
    assert isinstance(found, MissingExtraError)
    assert "apt-get install swi-prolog-nox" in str(found)
    assert "\n" not in str(found)
    out = tmp_path / "set.jsonl"
    assert isinstance(run("--fallacy", "FS", "--output", out).exception, MissingExtraError)
    assert not out.exists()
    assert json.loads(run("--fallacy", "FS", "-n", "1", *JOINS).stdout)["evaluator"] == "joins"
    model = tmp_path / "model.json"
    model.write_text(json.dumps([{"reply": '{"sentences": ["Mills make wind."]}'}]))
    direct = run("--fallacy", "WD", "-n", "1", "--method", "direct", "--model", f"scripted:{model}")
    assert json.loads(direct.stdout)["text"] == "Mills make wind."
    assert read_facts('instance(x, false_cause, "rain").').n_refused == 0


def test_the_shell_says_in_one_line_what_to_install(tmp_path: Path) -> None:
    """The whole command as people run it, with no SWI-Prolog on the path; another command beside it works."""
    code = "import sys; from fallax.cli import main; main(sys.argv[1:])"
    env = {"PATH": str(tmp_path), "PYTHONPATH": str(Path(__file__).parents[3] / "src"), "HOME": str(tmp_path)}

    def shell(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", code, *words], env=env, capture_output=True, text=True, check=False
        )

    done = shell("generate", "--fallacy", "FS", "-n", "1")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("fallax: error: SWI-Prolog is not installed; install it with: apt-get install swi-")
    assert "--evaluator joins" in done.stderr
    assert done.stderr.count("\n") == 1
    assert shell("generate", "--fallacy", "FS", "-n", "1", "--evaluator", "joins").returncode == 0
    assert shell("data", "taxonomies", "smartypat").returncode == 0


def test_fallacy_and_twin_stand_side_by_side(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = run("--fallacy", "FS,IE", "-n", "1", "--seed", "7", *JOINS, "--format", "text").stdout.splitlines()
    assert all(len(line) <= 80 and line == line.rstrip() for line in lines)
    assert [line for line in lines if line[:1].isdigit()] == ["1. False Cause", "2. Inverse Error"]
    halves = [[part.strip() for part in line.split("│")] for line in lines if "│" in line]
    fallacy, twin = (" ".join(half) for half in zip(*halves, strict=True))
    assert "it is because the trees lose their leaves that more people catch flu.  Wrong: The link between" in fallacy
    assert "it is because fewer people are vaccinated against flu that more people catch flu.  Sound: The link" in twin


def test_the_key_of_a_worksheet_gives_a_reason_for_every_argument() -> None:
    key = run("-n", "1", "--format", "worksheet", *JOINS).stdout.partition("## Key\n\n")[2].splitlines()
    assert len(key) == 28
    assert [line for line in key if not re.search(r"\d+\. (?:Sound; compare \d+|[A-Z][\w ]+)\. .{30}", line)] == []


def test_a_worksheet_without_twins_does_not_ask_which_arguments_are_sound() -> None:
    asked = ("--fallacy", "FS,WD", "-n", "1", "--format", "worksheet", *JOINS)
    without = run(*asked, "--no-twins").stdout
    assert without.startswith("# Which fallacy?\n\nEach of these arguments commits a fallacy.")
    assert "ound" not in without.partition("- **")[0]
    assert run(*asked).stdout.startswith("# Sound, or a fallacy?\n\nWhich of these arguments are sound?")


def test_a_worksheet_has_each_text_once_in_an_order_of_the_seed_and_a_key(tmp_path: Path) -> None:
    asked = ("--fallacy", "FS,WD", "-n", "2", *JOINS)
    items = [json.loads(line) for line in run(*asked, "--seed", "3").stdout.splitlines()]
    out = tmp_path / "sheet.md"
    result = run(*asked, "--seed", "3", "--format", "worksheet", "--output", out)
    assert result.exit_code == 0, result.output
    assert [p.name for p in tmp_path.iterdir() if p.is_file()] == ["sheet.md"]
    texts, page, key = re.split(r"## Arguments\n\n|(?=<div)|## Key\n\n", out.read_text())[1:]
    assert page == '<div style="page-break-before: always"></div>\n\n'
    numbered = dict(line.split(". ", 1)[::-1] for line in texts.splitlines() if line)
    answers = dict(line.split(". ", 1) for line in key.splitlines())
    assert list(numbered.values()) == list(answers) == [str(n) for n in range(1, 9)]
    for item in items:
        fallacy, twin = numbered[item["text"]], numbered[item["twin"]["text"]]
        assert answers[fallacy].startswith(f"{item['labels'][0]}. ")
        assert answers[twin].startswith(f"Sound; compare {fallacy}. ")
    assert run(*asked, "--seed", "3", "--format", "worksheet").stdout == out.read_text()
    assert [*numbered] != [text for item in items for text in (item["text"], item["twin"]["text"])]


@pytest.mark.parametrize(
    ("fallacy", "said"),
    [
        ("FC", "the same is true of the corked bottle of wine"),  # "floats ... does so too" fits, "is" and "can" do not
        ("IE", ", the team does not score from a penalty kick, and the team scores a goal."),  # one case, named once
    ],
)
def test_what_is_wrong_is_told_in_whole_sentences(fallacy: str, said: str) -> None:
    shown = run("--fallacy", fallacy, "-n", "1", "--seed", "501", "--format", "markdown", *JOINS).stdout
    assert said in shown
    assert "does so too" not in shown
    assert shown.count("n the case of a team") <= 2  # in the text and in what is wrong


def test_what_is_wrong_with_a_quoted_sentence_begins_with_a_capital() -> None:
    shown = run("--fallacy", "NF", "-n", "40", "--format", "markdown", *JOINS).stdout
    told = re.findall(r"\*\*(?:Wrong|Sound):\*\* \"(.)", shown)
    assert len(told) > 40
    assert not [first for first in told if first.islower()]


def test_markdown_keeps_what_a_model_wrote_as_text(tmp_path: Path) -> None:
    model = tmp_path / "model.json"
    model.write_text(json.dumps([{"reply": json.dumps({"sentences": ["<b>Mills</b> | *make* wind."]})}]))
    asked = ("--fallacy", "WD", "-n", "1", "--method", "direct", "--model", f"scripted:{model}")
    shown = run(*asked, "--format", "markdown").stdout
    assert "| fallacy |\n|---|\n| \\<b\\>Mills\\</b\\> \\| \\*make\\* wind. |\n\n" in shown
    assert "sound twin" not in shown
    assert "**Wrong:**" not in shown


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--format", "pdf"], "known: jsonl, markdown, text, worksheet"),
        (["--format", "text", "--overwrite", "-o", "x.txt"], "--overwrite needs --format jsonl"),
        (["-o", "x.md"], "x.md: a set must be a file .jsonl; to write for people, give --format worksheet, say"),
        (["--format", "text", "--fresh"], "--format cannot be used with --fresh"),
        (["--fallacy", "XX"], "false_cause (FS)"),
    ],
)
def test_what_is_refused_says_what_to_do(options: list[str], said: str) -> None:
    error = run("-n", "1", *JOINS, *options).exception
    assert isinstance(error, FallaxError)
    assert said in str(error)


@pytest.mark.parametrize("redirected", [True, False])
def test_on_a_terminal_text_is_shown_and_a_redirected_set_reaches_its_file(redirected: bool, tmp_path: Path) -> None:
    """Both streams are one terminal, or standard output is a file beside a terminal."""
    master, terminal = os.openpty()
    try:
        command = [sys.executable, "-m", "fallax", "generate", "--fallacy", "FS", "-n", "1", *JOINS]
        with open(tmp_path / "set", "w+") as file:
            out = file if redirected else terminal
            subprocess.run(command, stdin=subprocess.DEVNULL, stdout=out, stderr=terminal, check=True)
            os.close(terminal)
            shown = b""
            with contextlib.suppress(OSError):  # Linux ends a terminal that nobody holds with an error
                while part := os.read(master, 4096):
                    shown += part
            file.seek(0)
            if redirected:
                assert json.loads(file.read())["fallacy"] == "false_cause"
                assert b"false_cause" not in shown
            else:
                assert b"1. False Cause" in shown
                assert b'"derivation"' not in shown
    finally:
        os.close(master)

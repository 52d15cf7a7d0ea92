"""Pass, fail, undecided; waivers; what build servers and code hosts read."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from fallax.cli import main
from fallax.cli.gate import EXIT_CODES
from fallax.core.types import Detection, Prediction, Record, Span
from fallax.errors import InputError
from fallax.gate import (
    CheckResult,
    Waiver,
    check_pairs,
    check_run,
    check_texts,
    gate_junit,
    gate_markdown,
    gate_sarif,
    read_config,
    worst_of,
)
from fallax.integrations import pytest_plugin
from fallax.render.sarif import placed_findings
from fallax.runs.base import SystemSpec
from fallax.runs.runner import RunSpec, run_benchmark
from tests.unit.runs.toy import Said, Toy

HERE = Path(__file__).parent
TODAY = date(2026, 5, 1)
GOOD = "The kettle boils at seven."
BAD = "# Notes\n\nYou are a fool, so you are wrong."


class Right(Said):
    """Right in so many samples of ten."""

    async def answer(self, sample: Any, *, epoch: int) -> Any:
        is_right = int(sample.id[1:]) % 10 < self.n
        self.word = sample.gold if is_right else "yes" if sample.gold == "no" else "no"
        return await super().answer(sample, epoch=epoch)

    def __init__(self, n: int) -> None:
        super().__init__(str(n))
        self.n = n


@pytest.fixture
def runs(tmp_path: Path) -> dict[str, Path]:
    for name, n in (("all", 10), ("none", 0), ("some", 6), ("same", 6)):
        run_benchmark(RunSpec("toy", SystemSpec("yes")), tmp_path / name, benchmark=Toy(), system=Right(n))
    return {name: tmp_path / name for name in ("all", "none", "some", "same")}


def texts(*bodies: str) -> list[Record]:
    return [Record(f"docs/{i}.md", body) for i, body in enumerate(bodies)]


def test_a_run_passes_fails_or_is_undecided(runs: dict[str, Path]) -> None:
    def outcome(name: str, **settings: Any) -> CheckResult:
        (found,) = check_run(runs[name], n_resamples=500, benchmark=Toy(), **settings)
        return found

    value = outcome("some", at_least=0.5).value
    assert value is not None
    assert outcome("some", at_least=0.05).outcome == "pass"
    assert outcome("some", at_least=0.99).outcome == "fail"
    assert outcome("some", at_least=value).outcome == "undecided"
    assert outcome("some", at_most=0.99).outcome == "pass"
    assert outcome("some", at_most=0.01).outcome == "fail"
    assert outcome("some", baseline=runs["same"]).outcome == "pass"
    with pytest.raises(InputError, match="compared with something"):
        outcome("some")
    with pytest.raises(InputError, match="asked 3 times, got 1"):
        outcome("some", at_least=0.5, repeats=3)


def test_a_run_against_its_baseline(runs: dict[str, Path]) -> None:
    settings: dict[str, Any] = {"n_resamples": 500, "benchmark": Toy()}
    (up,) = check_run(runs["all"], baseline=runs["some"], **settings)
    (down,) = check_run(runs["none"], baseline=runs["some"], **settings)
    assert (up.outcome, down.outcome) == ("pass", "fail")
    (allowed,) = check_run(runs["none"], baseline=runs["some"], margin=1.0, **settings)
    assert allowed.outcome == "pass"
    (near,) = check_run(runs["none"], baseline=runs["some"], margin=0.6, **settings)
    assert (near.outcome, near.value) == ("undecided", -0.6)


def test_texts_with_waivers_that_expire() -> None:
    found = check_texts(texts(GOOD, BAD), today=TODAY, system="encoder")
    (finding, *_) = found.findings
    assert (found.outcome, found.is_advisory) == ("fail", True)
    assert "calibrate" in found.notes[0]
    assert (finding.path, finding.line, finding.column) == ("docs/1.md", 3, 1)
    assert finding.text == BAD.split("\n")[2]
    waivers = [Waiver(f.hash, TODAY, "quoted on purpose") for f in found.findings]
    waived = check_texts(texts(GOOD, BAD), today=TODAY, waivers=waivers, is_calibrated=True)
    assert (waived.outcome, waived.is_advisory, waived.notes) == ("pass", False, ())
    assert all(f.waived == "quoted on purpose" for f in waived.findings)
    late = check_texts(texts(GOOD, BAD), today=date(2026, 5, 2), waivers=waivers)
    assert late.outcome == "fail"
    assert any("expired on 2026-05-01" in note for note in late.notes)
    moved = check_texts(texts("Another line.\n\n" + BAD), today=TODAY, waivers=waivers)
    assert moved.outcome == "pass"  # known again by its words, not by its place
    assert check_texts(texts(BAD), today=TODAY, labels=["appeal to fear"]).outcome == "pass"
    assert check_texts(texts(BAD), today=TODAY, max_findings=9).outcome == "pass"


def test_labels_are_those_of_the_detector() -> None:
    (finding, *_) = check_texts(texts(BAD), today=TODAY).findings
    assert check_texts(texts(BAD), today=TODAY, labels=[finding.label.title()]).outcome == "fail"
    with pytest.raises(InputError, match=r"texts: labels: .*ad homminem.*ad hominem"):
        check_texts(texts(GOOD), today=TODAY, labels=["ad homminem"])
    with pytest.raises(InputError, match="ad homminem"):
        pytest_plugin.assert_no_fallacy(GOOD, labels=["ad homminem"])


def test_texts_that_nobody_read_do_not_pass() -> None:
    german = "Der Rat hat gestern beschlossen, die Gebühren für den Hafen im nächsten Jahr nicht zu erhöhen."
    found = check_texts(texts(GOOD, german), today=TODAY)
    assert found.outcome == "undecided"
    assert any(note.startswith("docs/1.md: ") and "German" in note for note in found.notes)
    assert check_texts(texts(BAD, german), today=TODAY).outcome == "fail"
    assert check_texts(texts(GOOD, german), today=TODAY, max_share=0.9).outcome == "undecided"
    assert check_texts(texts(GOOD, "# Contents"), today=TODAY).outcome == "pass"  # nothing to read is no gap


def test_thresholds_must_be_possible() -> None:
    with pytest.raises(InputError, match=r"max_share must be a share in \[0, 1\], got 5"):
        check_texts(texts(GOOD), today=TODAY, max_share=5)
    with pytest.raises(InputError, match="max_findings must be 0 or more, got -1"):
        check_texts(texts(GOOD), today=TODAY, max_findings=-1)
    with pytest.raises(InputError, match=r"at_least must be a share in \[0, 1\], got 90"):
        check_pairs([("The board met.", "The board met.")], at_least=90)


def test_a_share_of_texts_is_held_against_its_interval() -> None:
    def outcome(n_bad: int, n: int, share: float) -> str:
        many = texts(*[BAD] * n_bad, *[GOOD] * (n - n_bad))
        return check_texts(many, today=TODAY, max_share=share).outcome

    assert outcome(0, 30, 0.2) == "pass"
    assert outcome(3, 6, 0.2) == "undecided"
    assert outcome(6, 6, 0.2) == "fail"


def test_pairs_that_cannot_be_told_widen_the_interval() -> None:
    good = ("The board met in March.", "The board met in March.")
    bad = ("The board met in March.", "The board never met.")
    assert check_pairs([good] * 8, at_least=0.5).outcome == "pass"
    assert check_pairs([bad] * 8, at_least=0.5).outcome == "fail"
    assert check_pairs([good] * 3 + [bad] * 3, at_least=0.5).outcome == "undecided"
    unread = ("Der Rat tagte im März und hob die Gebühren an.", "Der Rat hob die Gebühren im März an.")
    found = check_pairs([good] * 4 + [unread] * 4, at_least=0.6)
    assert found.outcome == "undecided"
    assert any("4 of 8 cannot be decided" in note for note in found.notes)


def test_the_command_ends_with_the_code_of_the_outcome(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("docs").mkdir()
    pair = {"document": "The board met in March.", "summary": "The board met in March."}
    Path("pairs.jsonl").write_text(json.dumps(pair) + "\n")
    config = '[[texts]]\npaths = ["docs/*.md"]\n'
    undecided = '[[pairs]]\npath = "pairs.jsonl"\nat_least = 0.9\n'
    for body, more, expected in ((GOOD, "", "pass"), (BAD, undecided, "fail"), (GOOD, undecided, "undecided")):
        Path("docs/a.md").write_text(body)
        Path("gate.toml").write_text(config + more)
        words = ["gate", "gate.toml", "--json", "--junit", "g.xml", "--sarif", "g.sarif", "--markdown", "g.md"]
        code: Any = 0
        try:
            main(words)
        except SystemExit as stop:
            code = stop.code
        assert json.loads(capsys.readouterr().out)["outcome"] == expected
        assert code == EXIT_CODES[expected]
        assert expected in Path("g.md").read_text()
        assert len(json.loads(Path("g.sarif").read_text())["runs"][0]["results"]) == (expected == "fail")
    assert "<skipped" in Path("g.xml").read_text()
    with pytest.raises(SystemExit) as bad_option:
        main(["gate", "gate.toml", "--at-least", "0.5"])
    assert bad_option.value.code == 2
    capsys.readouterr()
    with pytest.raises(SystemExit) as unread:
        main(["gate", "gate.toml", "--margin", "0.1"])
    assert unread.value.code == 2
    assert "--margin: is read for a run folder" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "at least one [[run]]"),
        ("x = ", "must be TOML"),
        ("[texts]\npaths = ['a']", "two brackets"),
        ("[[texts]]\npath = 'a'", "got 'path'"),
        ("[[texts]]\npaths = 'a'", "must be a list"),
        ("[[pairs]]\npath = 'a'\nat_least = 0.5\njudge = 'x'\nsystem = 'y'", "judge, system: are two names"),
        ("[[pairs]]\npath = 'a'", "must have 'at_least'"),
        ("[[texts]]\npaths = ['a']\n[[waiver]]\nfinding = 'x'\nuntil = '2026'\nwhy = 'y'", "a date"),
        ("[[waiver]]\nfinding = 'x'\nuntil = 2026-01-01\nwhy = ''\n[[texts]]\npaths = ['a']", "must have 'why'"),
        ("calibration = 'no.json'\n[[texts]]\npaths = ['a']", "calibrate --json"),
        ("[[other]]\na = 1", "got 'other'"),
    ],
)
def test_a_config_is_read_strictly(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "gate.toml").write_text(text)
    with pytest.raises(InputError) as error:
        read_config(tmp_path / "gate.toml")
    assert said in str(error.value)
    assert "gate.toml" in str(error.value)


def test_a_config_of_an_earlier_version_is_read(tmp_path: Path) -> None:
    (tmp_path / "gate.toml").write_text("[[texts]]\npaths = ['a']\ndetector = 'linear'")
    assert read_config(tmp_path / "gate.toml").tables["texts"] == ({"paths": ["a"], "system": "linear"},)


@pytest.mark.parametrize(("warning", "is_advisory"), [("", False), ("the test wants at least three people", True)])
def test_a_calibration_that_passed_makes_it_binding(tmp_path: Path, warning: str, is_advisory: bool) -> None:
    (tmp_path / "a.md").write_text(GOOD)
    test = {"passed": True, "warning": warning}
    report = {"judges": [{"name": "encoder", "alt_test": test}, {"name": "x", "alt_test": None}]}
    (tmp_path / "calibration.json").write_text(json.dumps(report))
    (tmp_path / "gate.toml").write_text('calibration = "calibration.json"\n[[texts]]\npaths = ["a.md"]\n')
    (result,) = read_config(tmp_path / "gate.toml").check(baseline=None, today=TODAY)
    assert (result.outcome, result.is_advisory) == ("pass", is_advisory)


def hostile() -> list[CheckResult]:
    body = "Hi.\r\nYou are a fool <b>|`x`</b> @team \u0007, so you are wrong.\nThe end."
    span = Span(body.index("You"), body.index("\nThe"), "ad hominem", 0.9)
    found = Detection(Record("docs/ä b.md", body), Prediction("docs/ä b.md", (span,)), "demo")
    failed = CheckResult("texts", "fail", 1, 1, 1, "at most 0 findings", findings=tuple(placed_findings(found)))
    return [failed, CheckResult("a | b\x00", "undecided", 0.5, 0.4, 0.6, "at least 0.5")]


def test_sarif_validates() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((HERE / "sarif-2.1.0-trimmed.json").read_text())
    log = gate_sarif(hostile())
    jsonschema.Draft7Validator.check_schema(schema)
    jsonschema.Draft7Validator(schema).validate(log)
    (run,) = log["runs"]
    place = run["results"][0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "docs/%C3%A4%20b.md"
    assert place["region"]["startLine"] == 2
    assert run["tool"]["driver"]["rules"][run["results"][0]["ruleIndex"]]["id"] == run["results"][0]["ruleId"]


def test_junit_validates() -> None:
    etree = pytest.importorskip("lxml.etree")
    schema = etree.XMLSchema(etree.parse(str(HERE / "junit-trimmed.xsd")))
    text = gate_junit(hostile())
    schema.assertValid(etree.fromstring(text.encode()))
    top = etree.fromstring(text.encode())
    assert (top.get("tests"), top.get("failures")) == ("2", "1")
    assert top[0].get("skipped") == "1"


def test_markdown_shows_foreign_text_as_code() -> None:
    shown = gate_markdown(hostile())
    row = next(line for line in shown.splitlines() if "You are a fool" in line)
    assert "``You are a fool <b>\\|`x`</b> @team" in row
    assert "\x07" not in shown
    assert worst_of(hostile()) == "fail"


def test_the_plugin_of_pytest() -> None:
    assert pytest_plugin.assert_no_fallacy(GOOD).spans == ()
    with pytest.raises(pytest.fail.Exception, match="ad hominem") as failed:
        pytest_plugin.assert_no_fallacy(BAD)
    hash_ = str(failed.value).rpartition("[")[2].partition("]")[0]
    pytest_plugin.assert_no_fallacy(BAD, waived=[hash_])
    pytest_plugin.assert_no_fallacy(BAD, max=3)
    pytest_plugin.assert_faithful("The board met in March.", "The board met in March.")
    with pytest.raises(pytest.fail.Exception, match="never met"):
        pytest_plugin.assert_faithful("The board met in March.", "The board never met.")
    with pytest.raises(pytest.skip.Exception, match="cannot tell"):
        pytest_plugin.assert_faithful("Der Rat tagte im März und hob die Gebühren an.", "Der Rat hob die Gebühren an.")


def test_the_plugin_is_found_by_pytest_and_gives_fixtures(tmp_path: Path) -> None:
    import os
    import subprocess
    import sys
    from importlib.metadata import entry_points

    (tmp_path / "test_a.py").write_text(
        "def test_good(assert_no_fallacy):\n    assert_no_fallacy('The kettle boils at seven.')\n"
        "def test_bad(assert_no_fallacy):\n    assert_no_fallacy('You are a fool, so you are wrong.')\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(HERE.parents[2] / "src")}
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    if not any(e.value == "fallax.integrations.pytest_plugin" for e in entry_points(group="pytest11")):
        words += ["-p", "fallax.integrations.pytest_plugin"]  # a checkout that is not installed
    found = subprocess.run([*words, str(tmp_path)], env=environment, capture_output=True, text=True, cwd=tmp_path)
    assert "1 failed, 1 passed" in found.stdout, found.stdout


def test_detect_writes_sarif(tmp_path: Path) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    (tmp_path / "a.md").write_text(BAD)
    with pytest.raises(SystemExit) as stop:
        main(["detect", str(tmp_path / "a.md"), "--format", "sarif", "--output", str(tmp_path / "a.sarif")])
    assert not stop.value.code
    log = json.loads((tmp_path / "a.sarif").read_text())
    jsonschema.validate(log, json.loads((HERE / "sarif-2.1.0-trimmed.json").read_text()))
    assert log["runs"][0]["tool"]["driver"]["properties"]["systems"][0].startswith("detector:encoder@")

"""Pass, fail, undecided; waivers; what build servers and code hosts read."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from fallax.cli import main
from fallax.cli.gate import EXIT_CODES
from fallax.core.types import Detection, Prediction, Record, Score, Span
from fallax.errors import InputError, ModelError, RunError
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
from fallax.metrics import TwoClass
from fallax.render.sarif import placed_findings
from fallax.runs.base import Row, SystemSpec
from fallax.runs.compare import compare_runs
from fallax.runs.runner import RunSpec, run_benchmark
from tests.unit.runs.toy import Said, Toy

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[2] / "examples"
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


class Rates(Toy):
    """The same questions with error rates."""

    def score(self, rows: Iterable[Row]) -> dict[str, Score]:
        found = list(rows)
        return {
            "right": TwoClass(positive="yes", negative="no").corpus_score(
                pred={r.id: r.prediction["label"] if r.status == "ok" else None for r in found},
                gold={r.id: r.gold for r in found},
                reasons={r.id: r.reason for r in found},
                unreadable={r.id for r in found if r.unreadable},
            )
        }


class ByF1(Rates):
    primary = ("right", "f1")


class Failing(Right):
    """Right, where the model answers."""

    def __init__(self, n_answers: int) -> None:
        super().__init__(10)
        self.most = n_answers

    async def answer(self, sample: Any, *, epoch: int) -> Any:
        if self.n_answers >= self.most:
            raise ModelError("gone")
        return await super().answer(sample, epoch=epoch)


def recorded(folder: Path, system: Any, *, n: int = 20) -> Path:
    spec = RunSpec("toy", SystemSpec("yes"), options={"n": n})
    return run_benchmark(spec, folder, benchmark=Rates(options={"n": n}), system=system).path


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


def test_a_measure_of_which_less_is_better_is_read_that_way_round(tmp_path: Path) -> None:
    good, bad = recorded(tmp_path / "good", Right(10)), recorded(tmp_path / "bad", Right(0))
    settings: dict[str, Any] = {"n_resamples": 500, "benchmark": Rates()}
    for measure in ("fpr", "fnr"):
        (worse,) = check_run(bad, baseline=good, measure=measure, **settings)
        assert (worse.outcome, worse.value, worse.threshold) == ("fail", 1.0, "at most 0")
        (better,) = check_run(good, baseline=bad, measure=measure, **settings)
        assert better.outcome == "pass"
        (allowed,) = check_run(bad, baseline=good, measure=measure, margin=1.0, **settings)
        assert (allowed.outcome, allowed.threshold) == ("pass", "at most 1")


def test_runs_are_named_by_the_path_that_was_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recorded(tmp_path / "old" / "run", Right(0))
    monkeypatch.chdir(recorded(tmp_path / "new" / "run", Right(10)))
    settings: dict[str, Any] = {"n_resamples": 50, "benchmark": Rates()}
    (found,) = check_run(".", baseline="../../old/run", measure="fpr", **settings)
    assert found.name == ".: right fpr, less ../../old/run"


def test_the_default_measure_is_the_one_that_ranks(runs: dict[str, Path]) -> None:
    (found,) = check_run(runs["some"], baseline=runs["same"], benchmark=ByF1(), n_resamples=50)
    assert found.name == f"{runs['some']}: right f1, less {runs['same']}"
    assert next(iter(compare_runs([runs["some"]], benchmark=ByF1(), n_resamples=50).measures["right"])) != "f1"


def test_a_run_that_is_not_finished_is_refused(runs: dict[str, Path]) -> None:
    records = runs["all"] / "records.jsonl"
    records.write_bytes(b"".join(records.read_bytes().splitlines(keepends=True)[:4]))
    for settings in ({"run": runs["all"], "at_least": 0.1}, {"run": runs["some"], "baseline": runs["all"]}):
        with pytest.raises(RunError, match=r"all: must be a finished run, got 4 of 20 rows; .*bench resume"):
            check_run(**settings, benchmark=Toy())


def test_failed_answers_must_not_matter(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"n_resamples": 500, "benchmark": Rates()}
    run = recorded(tmp_path / "run", Failing(15))
    (found,) = check_run(run, at_least=0.7, measure="accuracy", **settings)
    assert found.outcome == "undecided"
    assert found.notes == ("5 samples without a scored answer; with them counted as wrong the run would not pass",)
    (low,) = check_run(run, at_least=0.5, measure="accuracy", **settings)
    assert low.outcome == "pass"
    (compared,) = check_run(run, baseline=recorded(tmp_path / "half", Right(5)), **settings)
    assert compared.outcome == "undecided"
    assert "5 samples more than the baseline" in compared.notes[-1]
    other = run_benchmark(RunSpec("toy", SystemSpec("yes")), tmp_path / "toy", benchmark=Toy(), system=Failing(15))
    (unknown,) = check_run(other.path, at_least=0.5, n_resamples=500, benchmark=Toy())
    assert unknown.outcome == "undecided"  # its score does not say what wrong answers would do


def test_the_same_answers_missing_on_both_sides_do_not_hinder(tmp_path: Path) -> None:
    new, old = (recorded(tmp_path / name, Failing(n)) for name, n in (("new", 18), ("old", 17)))
    assert [r.outcome for r in check_run(new, baseline=old, margin=0.1, n_resamples=500, benchmark=Rates())] == [
        "undecided"  # 17 samples that do not differ are too few
    ]
    new, old = (recorded(tmp_path / f"{name}-40", Failing(n), n=40) for name, n in (("new", 38), ("old", 37)))
    benchmark = Rates(options={"n": 40})
    assert [r.outcome for r in check_run(new, baseline=old, benchmark=benchmark)] == ["pass"]


@pytest.mark.parametrize(
    ("n", "measure", "low"),
    [
        (2, "accuracy", 0.342),
        (20, "accuracy", 0.839),
        (20, "recall", 0.772),  # of 13 questions that are right with yes
        (20, "balanced_accuracy", 0.709),  # as sure as 13 and 7
    ],
)
def test_few_answers_that_are_all_right_do_not_prove_that_all_are(
    tmp_path: Path, n: int, measure: str, low: float
) -> None:
    run = recorded(tmp_path / "run", Right(10), n=n)
    found, other = (
        check_run(run, at_least=least, measure=measure, n_resamples=200, benchmark=Rates(options={"n": n}))[0]
        for least in (0.999, 0.3)
    )
    assert (found.outcome, found.value, found.high) == ("undecided", 1.0, 1.0)
    assert found.low == pytest.approx(low, abs=5e-4)
    assert other.outcome == "pass"


def test_few_samples_decide_nothing_against_a_baseline(tmp_path: Path) -> None:
    def outcome(n: int, new: int, old: int) -> tuple[str, str]:
        path, baseline = (recorded(tmp_path / f"{x}{n}", Right(right), n=n) for x, right in (("a", new), ("b", old)))
        (found,) = check_run(path, baseline=baseline, benchmark=Rates(options={"n": n}), n_resamples=200)
        return found.outcome, " ".join(found.notes)

    assert outcome(5, 0, 10) == ("undecided", "5 samples or groups are too few to compare, 6 are needed")
    assert outcome(6, 0, 10) == ("fail", "")
    assert outcome(19, 6, 6) == ("undecided", "19 samples or groups are too few to compare, 20 are needed")
    assert outcome(20, 6, 6) == ("pass", "")


@pytest.mark.parametrize(("measure", "n", "least"), [("fpr", 2, 6), ("balanced_accuracy", 2, 20), ("precision", 0, 6)])
def test_only_samples_that_a_measure_depends_on_decide_against_a_baseline(
    tmp_path: Path, measure: str, n: int, least: int
) -> None:
    new, old = (recorded(tmp_path / name, Said(name), n=6) for name in ("no", "yes"))  # two of six are right with no
    settings: dict[str, Any] = {"measure": measure, "benchmark": Rates(options={"n": 6}), "n_resamples": 200}
    (found,) = check_run(new, baseline=old, **settings)
    assert (found.outcome, found.notes) == (
        "undecided",
        (f"{n} samples or groups, those that {measure} depends on, are too few to compare, {least} are needed",),
    )


@pytest.mark.parametrize("value", ["nan", "inf", "50", "-0.1"])
def test_a_threshold_that_no_value_can_have_is_refused_by_the_name_of_its_option(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], value: str
) -> None:
    run = str(tmp_path / "run")
    run_benchmark(RunSpec("mafalda", SystemSpec("silent"), data=str(EXAMPLES / "gold.jsonl")), run)
    for option in ("--at-least", "--at-most", "--margin") if value != "50" else ("--at-least", "--at-most"):
        with pytest.raises(SystemExit) as stop:
            main(["gate", run, option, value, *(["--at-most", "1"] if option == "--margin" else [])])
        assert stop.value.code == 2
        assert f"error: {option} must be a " in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["gate", run])
    assert f"--at-least, --at-most, --baseline: {run} must be compared" in capsys.readouterr().err
    (tmp_path / "gate.toml").write_text(f'[[run]]\npath = "run"\nat_least = {value}\n')
    with pytest.raises(InputError, match=r"^\[\[run\]\] 1: at_least must be a value of f1 from 0 to 1, got"):
        read_config(tmp_path / "gate.toml").check(baseline=None, today=TODAY)


def test_a_run_is_no_baseline_of_itself(runs: dict[str, Path]) -> None:
    (found,) = check_run(runs["all"], baseline=runs["all"], benchmark=Toy())
    assert found.outcome == "undecided"
    assert "the baseline is the run itself" in found.notes[0]


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
    with pytest.raises(SystemExit):
        main(["gate", "nothere", "--at-least", "0.5"])
    assert "nothere: must be a run folder or a file of checks, found nothing there" in capsys.readouterr().err


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


@pytest.mark.parametrize("at_least", [90.0, -0.1, float("nan")])
def test_a_test_with_a_threshold_that_is_none_does_not_pass(at_least: float) -> None:
    with pytest.raises(InputError, match=r"^at_least: must be in \[0, 1\], got "):
        pytest_plugin.assert_faithful("The board met in March.", "The board never met.", at_least=at_least)


@pytest.mark.parametrize("name", ["labels", "waived"])
def test_one_text_in_place_of_a_list_is_refused(name: str) -> None:
    with pytest.raises(InputError, match=f"^{name}: must be a list of texts, got one text; put it in a list"):
        pytest_plugin.assert_no_fallacy(BAD, **{name: "ad hominem"})  # type: ignore[arg-type]


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

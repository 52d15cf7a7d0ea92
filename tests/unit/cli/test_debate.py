"""The command ``fallax debate``, in process, with scripted models."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console, RenderableType

import fallax
from fallax.cli import main
from fallax.core.types import FaithfulnessRecord, FaithfulnessVerdict, Fault, UnitVerdict
from fallax.errors import InputError
from fallax.faithfulness.protocols.guidelines import load_guidelines
from fallax.faithfulness.view import verdict_page, verdict_text

DOCUMENT = "The council met on Monday. It voted seven to two for the bridge. The mayor was absent."
SUMMARY = "The council approved the bridge. The mayor spoke against it."

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    (tmp_path / "d.txt").write_text(DOCUMENT, encoding="utf-8")
    (tmp_path / "s.txt").write_text(SUMMARY, encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    def call(*words: str) -> tuple[int, str, str]:
        code: Any = 0
        try:
            main(["debate", *words])
        except SystemExit as stop:
            code = stop.code
        printed = capsys.readouterr()
        return code or 0, printed.out, printed.err

    return call


@pytest.fixture
def script(tmp_path: Path) -> str:
    path = tmp_path / "script.json"
    rules: list[dict[str, Any]] = [
        {"match": "<taxonomy>", "reply": "<label>0</label><explanation>plain</explanation>"},
        {
            "match": "<summary>\nThe mayor",
            "reply": "<label>0</label><explanation>She was absent.</explanation>",
        },
        {"reply": "<label>1</label><explanation>Seven to two.</explanation>"},
    ]
    path.write_text(json.dumps(rules), encoding="utf-8")
    return f"scripted:{path}"


TEXTS = ("--document", "d.txt", "--summary", "s.txt")


def test_verdict_sentences_reasons_and_debate_are_printed(run: Run, script: str) -> None:
    code, out, _ = run(*TEXTS, "--model", script)
    assert code == 0
    assert out.startswith("unfaithful  (madisse)")
    assert "⟦The mayor spoke against it.⟧[2]" in out
    assert "[2] The mayor spoke against it.\n    She was absent." in out
    assert out.count("round 1") == 2
    assert "ends unfaithful by agreement" in out
    assert "10 calls" in out
    assert "round 1" not in run(*TEXTS, "--model", script, "--no-transcript")[1]


def test_long_reasons_are_printed_whole_in_a_pipe(run: Run, tmp_path: Path) -> None:
    why = "word " * 60 + "end"
    reply = f"<label>0</label><explanation>{why}</explanation>"
    (tmp_path / "long.json").write_text(json.dumps([{"reply": reply}]), encoding="utf-8")
    _, out, _ = run(*TEXTS, "--model", f"scripted:{tmp_path / 'long.json'}", "--ambiguity", "none")
    assert out.count(f"    {why}\n") >= 10


def test_json_is_the_verdict(run: Run, script: str) -> None:
    code, out, _ = run(*TEXTS, "--model", script, "--json", "--sessions", "3", "--agents", "2", "--seed", "7")
    value = json.loads(out)
    verdict = FaithfulnessVerdict.from_dict(value)
    assert (code, value["label"], verdict.to_dict()) == (0, "unfaithful", value)
    assert [f["reason"] for f in value["faults"]] == ["She was absent."]
    assert verdict.transcript is not None
    assert len(verdict.transcript.sessions) == 6
    assert value["settings"]["seed"] == 7
    assert run(*TEXTS, "--model", script, "--json", "--sessions", "3", "--agents", "2", "--seed", "7")[1] == out


def test_quick_asks_no_model(run: Run) -> None:
    code, out, err = run(*TEXTS, "--quick", "--system", "lexical-overlap")
    assert (code, err) == (0, "")
    assert out.startswith("unfaithful  (lexical-overlap)")


def test_the_first_lines_have_one_probability_and_say_what_it_is_of(run: Run, tmp_path: Path) -> None:
    (tmp_path / "d.txt").write_text(
        "Ms Orme hopes that the mill may open in May, if the grant comes.", encoding="utf-8"
    )
    words = ("-d", "d.txt", "--summary-text", "Ms Orme opens the mill in May.", "--quick")
    _, out, _ = run(*words)
    said = json.loads(run(*words, "--json")[1])
    head, _, rest = out.partition("\n\n")
    assert head.splitlines()[0].count("that the whole summary is faithful") == 1
    assert head.count("probability") == 1
    assert "Each sentence, with the probability that it is faithful:" in rest
    if said["label"] is None:
        assert "cannot tell" not in head.splitlines()[1]


def test_the_reason_of_one_sentence_is_shown_without_its_probability() -> None:
    why = "cannot tell: the evidence is not decisive (probability 0.72)"
    verdict = FaithfulnessVerdict("j", (UnitVerdict(0, 2, "A.", None, probability=0.4, unscored=why),))
    shown = io.StringIO()
    Console(file=shown, width=200).print(verdict_text(verdict, summary="A."))
    assert verdict.unscored == why
    assert shown.getvalue().splitlines()[1] == "the evidence is not decisive"


def printed(shown: RenderableType) -> str:
    out = io.StringIO()
    Console(file=out, width=80).print(shown)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines())


def test_without_a_model_the_local_judge_answers_and_says_so(run: Run) -> None:
    code, _, err = run(*TEXTS)
    assert code == 0
    assert "no --model, so no debate; judged by the local judge" in err


def test_a_page_is_written_with_everything_escaped(run: Run, tmp_path: Path) -> None:
    reply = "<label>0</label><explanation>a < b <script>alert(1)</script></explanation>"
    (tmp_path / "evil.json").write_text(json.dumps([{"reply": reply}]), encoding="utf-8")
    (tmp_path / "s.txt").write_text("<script>x</script> says so.", encoding="utf-8")
    run(*TEXTS, "--model", f"scripted:{tmp_path / 'evil.json'}", "--html", "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<script" not in page
    assert "&lt;script&gt;x&lt;/script&gt; says so." in page
    assert "default-src 'none'" in page


def test_an_undecided_verdict_exits_with_1(run: Run, tmp_path: Path) -> None:
    (tmp_path / "mute.json").write_text('[{"reply": "Hm."}]', encoding="utf-8")
    code, out, _ = run(*TEXTS, "--model", "scripted:mute.json", "--ambiguity", "none")
    assert code == 1
    assert out.startswith("undecided  (madisse)\nthe debate stayed undecided")
    assert "30 of 30 replies could not be read." in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "--document and --summary or --summary-text: must be given"),
        (("-d", "d.txt"), "error: --summary or --summary-text: must be given, got neither"),
        ((*TEXTS, "--summary-text", "x"), "--summary and --summary-text: must be given one at a time"),
        (("--document", "absent.txt", "--summary", "s.txt"), "absent.txt"),
        ((*TEXTS, "--quick", "--model", "openai/x"), "--quick asks no model"),
        ((*TEXTS, "--quick", "--system", "nobody"), "unknown judge 'nobody'"),
        ((*TEXTS, "--model", "scripted:script.json", "--stances", "1+/1-"), "stances must be those of 4 agents"),
        ((*TEXTS, "--model", "scripted:script.json", "--method", "debate"), "unknown value of --method 'debate'"),
        ((*TEXTS, "--model", "scripted:script.json", "--ambiguity", "x"), "unknown detector of ambiguity"),
        ((*TEXTS, "--model", "scripted:script.json", "--context-tokens", "99"), "must fit into the model's context"),
        ((*TEXTS, "--model", "scripted:script.json", "--guidelines", "mine.txt"), "list of guidelines"),
        (("--document", "d.txt", "--summary-text", " "), "at least one word"),
        ((*TEXTS, "--model", "scripted:script.json", "--system", "encoder"), "--system: must come without"),
        ((*TEXTS, "--quick", "--method", "nonsense"), "unknown value of --method 'nonsense'"),
        (("--pairs", "p.jsonl", "--method", "zero-shot"), "--method: is not read with --pairs"),
        (("--pairs", "p.jsonl", "--html", "page.html"), "--html: is not read with --pairs"),
        (("--pairs", "p.jsonl", "--max-cost", "1"), "--max-cost needs --model"),
        (("--document", ".", "--summary", "s.txt"), "--document: must be one text, got the folder ."),
        ((*TEXTS, "--model", "scripted:script.json", "--html", "gone/x.html"), "its folder must exist"),
        ((*TEXTS, "--model", "scripted:script.json", "--html", "."), "must be a file to write to, got a folder"),
    ],
)
def test_bad_input_is_one_line(run: Run, script: str, words: tuple[str, ...], message: str) -> None:
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert message in err
    assert [line for line in err.splitlines() if line.startswith("fallax: error: ")] == err.splitlines()[-1:]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--method", "madisse-no-stances", "--stances", "3+/1-"), "stances must be 'none', got '3+/1-'"),
        (("--method", "madisse-sessions", "--vote", "agent"), "vote must be 'debate', got 'agent'"),
        (("--method", "zero-shot", "--ambiguity", "variation"), "must have several votes"),
        (("--method", "log-odds", "--calibration", "missing.cal"), "missing.cal: must be a readable file"),
        (("--long-documents", "chunk"), "must come with context_tokens"),
        (("--temperature", "inf"), "temperature must be 0 or more, and finite, got inf"),
    ],
)
def test_options_that_would_count_for_nothing_are_refused(
    run: Run, script: str, words: tuple[str, ...], message: str
) -> None:
    code, out, err = run(*TEXTS, "--model", script, *words)
    assert (code, out) == (2, "")
    assert message in err


def test_options_that_a_method_leaves_open_are_taken(run: Run, script: str, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("Only numbers matter.\n")
    sessions = run(*TEXTS, "--model", script, "--json", "--method", "madisse-sessions", "--sessions", "2")[1]
    assert json.loads(sessions)["settings"]["sessions"] == 2
    asked = run(*TEXTS, "--model", script, "--json", "--method", "zero-shot", "--guidelines", "mine.txt")[1]
    assert json.loads(asked)["settings"]["guidelines"].startswith("mine@1#")
    plain = run(*TEXTS, "--model", script, "--json", "--method", "zero-shot")[1]
    assert json.loads(plain)["settings"]["guidelines"] is None


def test_the_larger_judge_says_how_it_is_fetched(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FALLAX_MODELS", str(tmp_path))
    code, out, err = run(*TEXTS, "--system", "entailment-large")
    assert (code, out) == (3, "")
    assert "fallax models fetch entailment-large" in err
    assert len(err.splitlines()) <= 2


def test_judges_are_listed(run: Run) -> None:
    out = run("judges")[1]
    for name in ("madisse-sessions-agents", "lexical-overlap", "disagreement"):
        assert f"  {name}: " in out
    assert set(json.loads(run("judges", "--json")[1])) == {"methods", "local judges", "detectors of ambiguity"}


def test_guidelines_are_learned_and_can_be_used(run: Run, tmp_path: Path, script: str) -> None:
    records = [
        FaithfulnessRecord("a", DOCUMENT, "The council met.", "faithful"),
        FaithfulnessRecord("b", DOCUMENT, "The mayor spoke.", "unfaithful"),
    ]
    (tmp_path / "examples.jsonl").write_text("".join(json.dumps(r.to_dict()) + "\n" for r in records))
    rule = "A summary must not add facts that the document does not give."
    reply = f"<label>0</label><guideline>{rule}</guideline>"
    (tmp_path / "teacher.json").write_text(
        json.dumps([{"match": "<negated>", "reply": "Hm."}, {"reply": reply}]), encoding="utf-8"
    )
    words = (
        "learn-guidelines",
        "--examples",
        "examples.jsonl",
        "--output",
        "mine.txt",
        "--model",
        "scripted:teacher.json",
    )
    code, out, _ = run(*words, "--passes", "1")
    assert (code, out) == (0, "mine.txt: 1 guidelines from 2 debates (all passes done); read them before use\n")
    assert load_guidelines(tmp_path / "mine.txt").items == (rule,)
    value = json.loads(run(*TEXTS, "--model", script, "--guidelines", "mine.txt", "--json")[1])
    assert value["settings"]["guidelines"].startswith("mine@1#")


@pytest.mark.parametrize("n", ["-3", "0", "1"])
def test_learning_needs_an_example_of_each_label(run: Run, n: str) -> None:
    code, _, err = run("learn-guidelines", "--examples", "x.jsonl", "-o", "x.txt", "--model", "scripted:x", "--n", n)
    assert code == 2
    assert "--n" in err


def test_a_place_that_cannot_be_written_is_told_before_anything_is_learned(run: Run) -> None:
    words = ("learn-guidelines", "--examples", "absent.jsonl", "--model", "scripted:absent.json")
    code, out, err = run(*words, "--output", "gone/g.txt")
    assert (code, out) == (2, "")
    assert "its folder must exist" in err


def test_a_verdict_is_printed_though_its_page_cannot_be_written(
    run: Run, script: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, text: str) -> None:
        raise InputError(f"{path}: must be a file that can be written, got No space left on device")

    monkeypatch.setattr("fallax.cli.debate.write_out", full)
    code, out, err = run(*TEXTS, "--model", script, "--html", "page.html")
    assert code == 2
    assert out.startswith("unfaithful  (madisse)")
    assert err == "fallax: error: page.html: must be a file that can be written, got No space left on device\n"


def test_headings_and_code_of_markdown_are_not_judged_and_offsets_stay(run: Run, tmp_path: Path) -> None:
    summary = "# Snow in June\n\nThe mayor spoke against it.\n\n```\nsnow()\n```\n"
    (tmp_path / "s.md").write_text(summary, encoding="utf-8")
    words = ("--document", "d.txt", "--summary", "s.md", "--quick", "--system", "lexical-overlap")
    _, out, err = run(*words, "--json")
    (fault,) = json.loads(out)["faults"]
    assert summary[fault["start"] : fault["end"]] == fault["text"] == "The mayor spoke against it."
    assert err == ""
    assert json.loads(out)["notes"] == [
        "headings, code and tables are not judged: “# Snow in June”, “```”, “snow()” and 1 more"
    ]
    shown = run(*words)[1]
    assert "# Snow in June\n\n⟦The mayor" in shown
    assert "Note: headings, code and tables are not judged" in shown


@pytest.mark.parametrize(
    "heading", ["# Snow in June", "Summary", "What the mayor did", "SNOW", "**Key points:**", "Proposed fees in May"]
)
def test_a_heading_is_no_sentence_whatever_the_file_is_called(run: Run, tmp_path: Path, heading: str) -> None:
    summary = f"{heading}\n\nThe council met on Monday.\n"
    for name in ("h.txt", "h.md"):
        (tmp_path / name).write_text(summary, encoding="utf-8")
    texts = [("--summary", "h.txt"), ("--summary", "h.md"), ("--summary-text", summary)]
    said = [json.loads(run("-d", "d.txt", *words, "--quick", "--json")[1]) for words in texts]
    said.append(fallax.debate(DOCUMENT, summary).to_dict())
    for value in said:
        assert (value["label"], [u["text"] for u in value["units"]]) == ("faithful", ["The council met on Monday."])
        assert value["notes"] == [f"headings, code and tables are not judged: “{heading}”"]


@pytest.mark.parametrize("end", ["\f", "\v", "\x1e", "\x85", "\u2028", "\u2029"])
def test_a_heading_may_hold_any_end_of_a_line(run: Run, end: str) -> None:
    for summary in (f"SUMMARY{end}\n\nThe council met on Monday.", f"```\na{end}b\n```\nThe council met on Monday."):
        Path("pairs.jsonl").write_text(json.dumps({"id": 1, "document": DOCUMENT, "summary": summary}) + "\n")
        for words in (("-d", "d.txt", "--summary-text", summary), ("--pairs", "pairs.jsonl")):
            code, out, err = run(*words, "--quick", "--json")
            assert (code, err) == (0, "")
            assert json.loads(out)["label"] == "faithful"
            assert json.loads(out)["notes"]


def test_a_line_that_is_no_heading_is_judged(run: Run) -> None:
    for summary in (
        "Fees rise in May\n\nThe mayor resigned",
        "- Fees rise\n\nThe mayor resigned.",
        "The mayor\nresigned",
        "The council rejected the budget\n\nThe council met on Monday.",
        "The council rejects the budget\n\nThe council met on Monday.",
        "Taxes doubled\n\nThe mayor resigned\n\nThe council met on Monday.",
        "BUDGET REJECTED\n\nThe council met on Monday.",
        "The council met on Monday.\n\nThe mayor is dead\n\nIt didn't snow\n\nThe council met on Monday.",
        "Title: the mayor died,\n\nThe council met on Monday.",
    ):
        said = fallax.debate(DOCUMENT, summary, system="lexical-overlap")
        assert "".join(u.text for u in said.units).replace("\n", "") == summary.removeprefix("- ").replace("\n", "")
        assert said.notes == ()
    code, _, err = run("-d", "d.txt", "--summary-text", "# Fees\n", "--quick")
    assert (code, "nothing but headings, code and tables" in err) == (2, True)


def of_several(*units: UnitVerdict) -> FaithfulnessVerdict:
    return FaithfulnessVerdict("j", units, settings={"band": [0.32, 0.76]})


SEVERAL = of_several(
    UnitVerdict(0, 2, "A.", None, probability=0.63, unscored="cannot tell: it is not decisive (probability 0.63)"),
    UnitVerdict(3, 5, "B.", "unfaithful", probability=0.1, faults=(Fault(3, 5, "B.", "not supported: “b”"),),
                unsupported=(Fault(3, 4, "b"),)),
)  # fmt: skip


def test_a_note_has_the_number_of_its_sentence() -> None:
    shown = printed(verdict_text(SEVERAL, summary="A. B."))
    assert "B.[2]" in shown
    assert "[2] B.\n    not supported: “b”" in shown
    page = verdict_page(SEVERAL, summary="A. B.", document="C.")
    assert "<sup>[2]</sup> not supported: “b”" in page
    first = page[page.index('id="sentence-1"') :].split("\n")[0]
    assert first.endswith('<span class="dim">probability 0.63 that it is faithful</span> A.')
    assert "<sup>[1]</sup> " in first


def test_why_a_sentence_has_no_verdict_is_shown_with_what_it_would_need() -> None:
    shown = printed(verdict_text(SEVERAL, summary="A. B."))
    assert "[1] cannot tell 0.63  A.\n    why: it is not decisive\n" in shown
    needs = "0.76 or more is faithful, 0.32 or less unfaithful, between them: cannot tell"
    assert needs in shown
    assert needs in verdict_page(SEVERAL, summary="A. B.")
    assert needs not in printed(verdict_text(of_several(SEVERAL.units[1]), summary="A. B."))


def test_half_of_a_surrogate_pair_is_read_as_a_replacement_character(run: Run, tmp_path: Path) -> None:
    (tmp_path / "s.jsonl").write_text('{"text": "The council met \\ud800 on Monday."}\n', encoding="utf-8")
    code, out, _ = run("--document", "d.txt", "--summary", "s.jsonl", "--quick", "--html", "page.html")
    assert code == 0
    assert "The council met \ufffd on Monday." in out
    code, out, _ = run(
        "--document", "d.txt", "--summary-text", "The council met \udcff on Monday.", "--quick", "--json"
    )
    assert json.loads(out)["units"][0]["text"] == "The council met \ufffd on Monday."


def test_guidelines_are_never_learned_from_a_test_set(run: Run) -> None:
    code, _, err = run("learn-guidelines", "--examples", "meetingbank", "-o", "x.txt", "--model", "scripted:x.json")
    assert code == 2
    assert "for tests alone" in err

"""``fallax verify``."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

import fallax as fx
from fallax.causality.view import shown_structure, speaks_against, verification_sections
from fallax.cli import main
from fallax.core.types import ArgumentStructure, Evidence, Link, Statement, Verification
from fallax.data import read_evidence
from fallax.errors import FormatError

CLAIM = "The frost left the orchard without apples."


@pytest.fixture
def evidence(tmp_path: Path) -> Path:
    path = tmp_path / "evidence.txt"
    path.write_text("The frost killed the blossom.\n\nWithout blossom an orchard bears no apples.\nChess is slow.\n")
    return path


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = 0
    try:
        main(["verify", *words])
    except SystemExit as stop:
        code = int(stop.code or 0)
    out, err = capsys.readouterr()
    return code, out, err


def test_prints_verdict_chain_and_what_was_not_used(evidence: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "--claim", CLAIM, "--evidence", str(evidence), "--system", "similarity-chain")
    assert code == 0
    assert out.startswith("SUPPORTS\nby similarity-chain:tf-idf\n")
    chain = out.split("from evidence to claim\n")[1].split("\n\n")[0]
    assert chain.split() == ["E1", "->", "E2", "E2", "->", "Claim"]
    assert "not used\n  E3: Chess is slow.\n" in out


def test_json_is_the_value_and_svg_draws_it(evidence: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(
        capsys,
        "--claim",
        CLAIM,
        "--evidence",
        str(evidence),
        "--json",
        "--system",
        "similarity-chain",
        "--svg",
        str(tmp_path / "x.svg"),
    )
    assert code == 0
    assert json.loads(out)["chain"][-1] == {"premises": ["E2"], "conclusion": "Claim"}
    assert "</svg>" in (tmp_path / "x.svg").read_text()


def test_a_model_is_asked_and_its_text_cannot_steer_the_terminal(
    evidence: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "script.jsonl"
    lines = [
        "# MISSING: a \x1b[31mdate", 'Sentence4 = FACT("x [bold]y[/bold]")', "one_to_one_linking(Sentence4, Claim)",
        'print("NOT ENOUGH INFO")',
    ]  # fmt: skip
    script.write_text(json.dumps({"reply": "\n".join(lines)}))
    code, out, _ = run(capsys, "--claim", CLAIM, "--evidence", str(evidence), "--model", f"scripted:{script}")
    assert code == 0
    assert out.startswith("NOT ENOUGH INFORMATION\n")
    assert "missing\n  a \\x1b[31mdate" in out
    assert "concluded, not given\n  Sentence4: x [bold]y[/bold]" in out
    assert "\x1b" not in out


def test_an_unreadable_reply_has_no_verdict_and_exit_1(
    evidence: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "script.jsonl"
    script.write_text(json.dumps({"reply": "Hm."}))
    code, out, _ = run(capsys, "--claim", CLAIM, "--evidence", str(evidence), "--model", f"scripted:{script}")
    assert code == 1
    assert out.startswith("no verdict: no verdict was found\n")


RAIN = ["The valley was flooded because the river rose after a week of rain.", "The dam was inspected every month."]


def test_a_verdict_is_called_in_words_in_notes_and_by_its_code_as_the_label() -> None:
    unsure = fx.verify("The pupils were late because it rained.", ["It rained at nine.", "The bus was full."])
    assert unsure.label is None
    assert ", not enough information 0." in unsure.notes[0]
    assert fx.verify("The pupils were late because it rained.", ["Plums grow here."]).label == "nei"


def test_evidence_against_a_claim_is_drawn_as_an_attack() -> None:
    against = fx.verify("The valley was flooded because nobody inspected the dam.", RAIN)
    assert against.label == "refutes"
    assert dict(verification_sections(against))["evidence against the claim"]
    assert against.structure is not None
    assert {x.relation for x in against.structure.links} == {""}
    shown = shown_structure(against)
    assert shown is not None
    assert shown.claim is not None
    assert {(x.targets, x.relation) for x in shown.links} == {((shown.claim.id,), "attacks")}
    assert {x.sources[0] for x in shown.links} == {id_ for x in against.structure.links for id_ in x.sources}
    assert not speaks_against(replace(against, label="supports"))
    unsure = "supports 0.10, refutes 0.50, not enough information 0.40"
    assert speaks_against(replace(against, label=None, no_label="unsure", notes=(unsure,)))


def test_a_chain_with_conclusions_against_a_claim_keeps_its_steps_and_the_last_one_attacks() -> None:
    claim, given, said = (
        Statement("Claim", "Cars jammed the roads."),
        Evidence("E1", "Trams ran."),
        Statement("S2", "No cars."),
    )
    steps = (Link(("E1",), ("S2",)), Link(("S2",), ("Claim",)))
    found = Verification(
        claim=claim.text,
        evidence=(given,),
        label="refutes",
        structure=ArgumentStructure(claim, (given.statement, said), steps),
    )
    shown = shown_structure(found)
    assert shown is not None
    assert shown.links == (steps[0], replace(steps[1], relation="attacks"))
    assert verification_sections(found)[0] == ("evidence against the claim", ["E1 -> S2", "S2 -> Claim"])


@pytest.mark.parametrize(
    ("claim", "denied"),
    [
        ("It was not the rain but the wind that felled the oak.", "not the rain"),
        ("Not the rain but the wind felled the oak.", "not the rain"),
        ("The wind, not the rain, felled the oak.", "not the rain"),
        ("It was the wind, not the rain, that felled the oak.", "not the rain"),
        ("The oak was felled by the wind, not the rain.", "not the rain"),
    ],
)
def test_of_two_causes_the_one_that_a_claim_gives_is_verified(claim: str, denied: str) -> None:
    found = fx.verify(claim, ["The wind felled the oak.", "It rained."])
    assert found.label == "supports"
    assert f"not checked: what the claim denies (“{denied}”)" in found.notes
    assert found.claim == claim
    other = fx.verify(
        claim.replace("rain", "x").replace("wind", "rain").replace("x", "wind"), ["The wind felled the oak."]
    )
    assert other.label != "supports"


def test_a_breakdown_is_no_other_cause_than_what_broke_down() -> None:
    claim = "The pupils were late because the bus broke down."
    found = fx.verify(claim, ["The bus broke down at the bridge.", "Because of the breakdown the pupils were late."])
    assert found.label == "supports"
    other = fx.verify(claim, ["The bus was on time.", "Because of the storm the pupils were late."])
    assert other.label != "supports"


def test_many_claims_are_shown_in_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [{"id": n, "claim": CLAIM, "evidence": ["Chess is slow."]} for n in ("a", "b")]
    (tmp_path / "claims.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    words = ["--claims", str(tmp_path / "claims.jsonl"), "--system", "lexical-overlap"]
    code, out, _ = run(capsys, *words)
    assert (code, out) == (0, "a\tnot enough information\t\nb\tnot enough information\t\n")
    _, out, _ = run(capsys, *words, "--json")
    assert json.loads(out.splitlines()[0])["label"] == "not_enough_info"


def test_documents_are_searched_and_cited(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "notes.txt").write_text("Chess is slow. The frost killed the blossom.")
    code, out, _ = run(capsys, "--claim", CLAIM, "--documents", str(tmp_path))
    assert code == 0
    assert f"sources\n  E1: {tmp_path / 'notes.txt'} 15-44\n" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "--evidence or --documents: must be given, got neither"),
        (["--evidence", "x", "--documents", "y"], "must be given one at a time"),
        (["--evidence", "nowhere.txt"], "nowhere.txt"),
        (["--evidence", "."], ".: evidence must be a file, one piece a line, got a folder;"),
        (["--evidence", "{}", "--encoding", "utf-16"], "--encoding needs --documents"),
        (["--evidence", "{}", "--protocol", "task-2"], "task-2 is given a structure"),
        (["--evidence", "{}", "-M", "a=b"], "-M needs --model"),
        (["--evidence", "{}", "--classes", "4"], "--classes: must be 2 or 3, got 4"),
        (["--evidence", "{}", "--system", "majority", "--classes", "1"], "--classes: must be 2 or 3, got 1"),
        (["--documents", "{}", "--n-evidence", "0"], "--n-evidence: must be 1 or more, got 0"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(
    words: list[str], message: str, evidence: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capsys, "--claim", CLAIM, *(str(evidence) if w == "{}" else w for w in words))
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_a_missing_claim_is_asked_for(evidence: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "--evidence", str(evidence))
    assert (code, err) == (2, "fallax: error: --claim: must be given, or --claims with a file of many, got neither\n")
    assert "given one at a time" in run(capsys, "--claim", CLAIM, "--claims", "c.jsonl")[2]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("e.jsonl", '{"text": "a"}\n{"txt": "b"}\n', r"e\.jsonl:2: each line must have a 'text'"),
        (
            "e.jsonl",
            '{"text": "a", "id": "1"}\n{"text": "b", "id": "1"}\n',
            r"e\.jsonl:2: each piece .* got '1' again \(first in line 1\)",
        ),
        ("e.jsonl", '{"text": "a", "id": []}\n', r"e\.jsonl:1: the id must be a text"),
        ("e.txt", " \n\n", r"e\.txt: must hold evidence"),
    ],
)
def test_evidence_files_name_the_line_at_fault(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(FormatError, match=message):
        read_evidence(tmp_path / name)


def test_evidence_files_may_have_ids(tmp_path: Path) -> None:
    (tmp_path / "e.jsonl").write_text('{"text": "plain"}\n{"id": 7, "text": "named"}\n')
    assert [(e.id, e.text) for e in read_evidence(tmp_path / "e.jsonl")] == [("E1", "plain"), ("7", "named")]


def test_each_sentence_of_running_text_is_a_piece_of_evidence(tmp_path: Path) -> None:
    (tmp_path / "e.txt").write_text("It rained. The river rose.\nA dam broke. Mud came. It was late. Nobody slept.\n")
    pieces = [(e.id, e.text) for e in read_evidence(tmp_path / "e.txt")]
    assert pieces[:2] == [("E1", "It rained. The river rose."), ("E2", "A dam broke.")]
    assert pieces[-1] == ("E5", "Nobody slept.")


def test_markup_is_no_part_of_evidence(tmp_path: Path) -> None:
    page = "<p>The roof&nbsp;leaked.</p>\n<ul>\n<li>Rain came in &amp; <b>soaked</b> it.</li>\n</ul>\n"
    (tmp_path / "page.txt").write_text(page)
    assert [e.text for e in read_evidence(tmp_path / "page.txt")] == [
        "The roof\xa0leaked.",
        "Rain came in & soaked it.",
    ]
    notes = "# Report\n- **Cause:** a leak\n> It rained.\n| 09:00 | It broke. |\nIf x < 3 it broke.\nA *b* ** c\n"
    (tmp_path / "notes.txt").write_text(notes)
    assert [e.text for e in read_evidence(tmp_path / "notes.txt")] == [
        "Report", "Cause: a leak", "It rained.", "09:00 — It broke.", "If x < 3 it broke.", "A *b* ** c",
    ]  # fmt: skip


def test_a_sign_before_a_number_is_no_markup(tmp_path: Path) -> None:
    lines = ["> 50 people were ill.", ">£5m was lost.", "The area is 2**3**2.", "> > 3 of them left."]
    (tmp_path / "notes.txt").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    assert [e.text for e in read_evidence(tmp_path / "notes.txt")] == lines


def test_a_denied_cause_beside_another_one_is_not_called_unsaid() -> None:
    evidence = ["The power cut was caused by a digger that hit the cable.", "There was a storm on Friday."]
    found = fx.verify("The storm did not cause the power cut.", evidence)
    assert (found.label, found.no_label) == (None, "the evidence may deny that the storm caused the power cut")
    other = fx.verify("The rain had nothing to do with the delay.", ["Plums grow in the valley.", "It is Monday."])
    assert other.label == "nei"

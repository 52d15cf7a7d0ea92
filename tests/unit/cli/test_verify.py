"""``fallax verify``."""

import json
from pathlib import Path

import pytest

from fallax.causality.view import verification_sections
from fallax.cli import main
from fallax.core.types import Verification
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


def test_people_read_verdicts_in_words_and_json_keeps_its_codes() -> None:
    note, said = "supports 0.40, refutes 0.20, nei 0.40", "supports 0.40, refutes 0.20, not enough information 0.40"
    found = Verification("c", (), None, no_label="the evidence is not decisive", notes=(note, "nei says nothing"))
    assert dict(verification_sections(found))["notes"] == [said, "nei says nothing"]
    assert found.to_dict()["notes"][0] == note


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

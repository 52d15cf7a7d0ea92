"""Structures judged by people and by a model: the order is hidden, faults have lines, both are counted alike."""

import json
from pathlib import Path
from typing import Any

import pytest

from fallax.causality.protocols import StructureJudgeProtocol
from fallax.causality.protocols.structure_judging import sides_of
from fallax.causality.structure_review import check_structure_review, read_structure_review, write_structure_review
from fallax.cli import main
from fallax.core.types import ArgumentStructure, Link, Reply, Statement, StructureComparison, StructureJudgement
from fallax.errors import FormatError, InputError, UnknownNameError

CLAIM = Statement("Claim", "The ferry stopped because of the ice.")
ICE, FERRY = Statement("S1", "There was ice."), Statement("S2", "It breaks none.")
STUCK = Statement("int1", "It was stuck.")
GOLD = ArgumentStructure(CLAIM, (ICE, FERRY, STUCK), (Link(("S1", "S2"), ("int1",)), Link(("int1",), ("Claim",))))
PRED = ArgumentStructure(CLAIM, (ICE,), (Link(("S1",), ("Claim",)),))
ITEMS = [StructureComparison(f"c{i}", CLAIM.text, "supports", PRED, GOLD) for i in range(8)]


def gold_side(item: StructureComparison, seed: int = 3) -> str:
    return next(name for name, (is_gold, _) in sides_of(item, seed=seed).items() if is_gold)


def filled(path: Path, items: list[StructureComparison]) -> None:
    """Prefer the reference, call it valid and the other not, and name every step."""
    lines, at = [], ""
    by_id = {i.id: i for i in items}
    for line in path.read_text().split("\n"):
        if line.startswith("== "):
            at = gold_side(by_id[line[3:]])
        if line == "better:":
            line = f"better: {at}"
        elif line.startswith("valid "):
            line += " yes" if line[6] == at else " no"
        elif line.startswith("step "):
            line += " event" if line[5] == at else " other"
        lines.append(line)
    path.write_text("\n".join(lines))


def test_sides_are_drawn_by_seed_and_id_and_both_orders_occur() -> None:
    assert {gold_side(i) for i in ITEMS} == {"A", "B"}
    assert [gold_side(i) for i in ITEMS] == [gold_side(i) for i in ITEMS]
    assert [gold_side(i, 3) for i in ITEMS] != [gold_side(i, 4) for i in ITEMS]


def test_what_people_write_is_read_back_by_side(tmp_path: Path) -> None:
    path = tmp_path / "sheet.txt"
    assert write_structure_review(path, ITEMS, seed=3) == 8
    text = path.read_text()
    assert "int1" not in text  # names would tell the reference
    assert read_structure_review(path, ITEMS, seed=3)[0] == StructureJudgement("c0", steps=("",), gold_steps=("", ""))
    filled(path, ITEMS)
    judged = read_structure_review(path, ITEMS, seed=3)
    want = StructureJudgement("c0", False, True, "lose", ("other",), ("event", "event"))
    assert judged[0] == want
    assert {(j.valid, j.gold_valid, j.preference) for j in judged} == {(False, True, "lose")}
    with pytest.raises(InputError, match="exists already"):
        write_structure_review(path, ITEMS, seed=3)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("better:", "better: C", "unknown value of 'better' 'C'"),
        ("valid A:", "valid A: maybe", "unknown value of 'valid A' 'maybe'"),
        ("step A1:", "step A1: events", "unknown value of 'step A1' 'events'; did you mean 'event'"),
        ("step A1:", "step A9: event", "'step A9' is nothing that this block asks for"),
        ("better:", "better: A\nbetter: B", "'better' must be given once in a block"),
        ("== c0", "== c99", "'c99' is none of the claims"),
        ("== c1", "== c0", "must have one block, 'c0' has one in line"),
        ("better:", "beter: A", "must be 'valid A:', 'step A1:'"),
        ("note:", 'note: "x', "must be complete JSON"),
    ],
)
def test_faults_have_lines(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = tmp_path / "sheet.txt"
    write_structure_review(path, ITEMS, seed=3)
    text = path.read_text()
    assert f"\n{old}" in text
    path.write_text(text.replace(f"\n{old}", f"\n{new}", 1))
    lines = path.read_text().split("\n")
    at = max(i for i, line in enumerate(lines, start=1) if line == new.split("\n")[-1])
    problems = check_structure_review(path, ITEMS, seed=3)
    assert any(p.line == at and message in p.message for p in problems), [str(p) for p in problems]
    with pytest.raises(FormatError, match=r"sheet\.txt:\d+: "):
        read_structure_review(path, ITEMS, seed=3)


def test_a_model_is_asked_blindly_and_read_by_side() -> None:
    protocol = StructureJudgeProtocol(seed=3)
    for item in ITEMS[:4]:
        content = protocol.request(item).messages[0].content
        assert "int1" not in content
        gold = gold_side(item)
        said: dict[str, Any] = {
            side: {"valid": side == gold, "steps": ["Event", "nonsense", "rule", "rule"]} for side in "AB"
        }
        found = protocol.read(item, Reply(json.dumps({**said, "better": gold})))
        assert (found.valid, found.gold_valid, found.preference) == (False, True, "lose")
        assert (found.steps, found.gold_steps) == (("event",), ("event", ""))


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("Both are fine.", "no complete JSON"),
        ("[1]", "must say of A whether it is valid"),
        ('{"A": {"valid": true}}', "must say of B whether it is valid"),
        ('{"A": {"valid": true}, "B": {"valid": "yes"}}', "must say of B"),
        ('{"A": {"valid": true}, "B": {"valid": false}}', "must say which is better"),
    ],
)
def test_a_reply_that_is_no_judgement_has_a_reason(reply: str, reason: str) -> None:
    found = StructureJudgeProtocol().read(ITEMS[0], Reply(reply))
    assert reason in found.unscored
    assert found.preference is None


def test_judgements_name_what_cannot_be() -> None:
    with pytest.raises(UnknownNameError, match="unknown type of reasoning 'guess'"):
        StructureJudgement("c", steps=("guess",))
    with pytest.raises(UnknownNameError, match="unknown preference 'won'"):
        StructureJudgement("c", preference="won")  # type: ignore[arg-type]


def test_from_a_run_to_people_and_model_side_by_side(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def run(*words: str) -> str:
        with pytest.raises(SystemExit) as stop:
            main(list(words))
        out, err = capsys.readouterr()
        assert not stop.value.code, err
        return out

    folder, sheet = str(tmp_path / "run"), tmp_path / "sheet.txt"
    examples = Path(__file__).parents[3] / "examples" / "verify"
    run(
        "bench", "run", "causal", "--system", f"scripted:{examples / 'gold.jsonl'}", "--protocol", "task-3",
        "-B", f"set={examples / 'claims.jsonl'}", "--output", folder,
    )  # fmt: skip
    run("build", "judge-sheet", folder, "--output", str(sheet), "--seed", "3")
    text = sheet.read_text().replace("better:", "better: tie").replace("valid A:", "valid A: yes")
    sheet.write_text(text.replace("valid B:", "valid B: yes"))
    rules = tmp_path / "judge.jsonl"
    both = {side: {"valid": True, "steps": ["rule", "event"]} for side in "AB"}
    rules.write_text(json.dumps({"reply": json.dumps({**both, "better": "tie"})}))
    out = tmp_path / "judged.jsonl"
    run("build", "judge-model", folder, "--model", f"scripted:{rules}", "--output", str(out), "--seed", "3")
    told = json.loads(run("build", "judge-scores", folder, "--review", str(sheet), "--judged", str(out), "--seed", "3"))
    assert told[str(sheet)]["tie"] == told[str(out)]["tie"] == 1.0
    assert told[str(out)]["steps"]["rule"] == 0.5
    assert told["agreement"]["preference"]["percent"] == 1.0

"""Sets as files: written as they are made, taken up where they stopped, never touched if they are something else."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from fallax.core.types import GeneratedItem, WorldClaim
from fallax.errors import FormatError, RunError
from fallax.generation.generators import Generation, SetFile, agenerate, card_path, dataset_card, read_items, run_path

SETTINGS = {"method": "template", "n": 3, "seed": 1}


@pytest.fixture(scope="module")
def made() -> Generation:
    return asyncio.run(agenerate("WD,IE", n=3, seed=1, evaluator="joins"))


def write(path: Path, made: Generation, n: int | None = None) -> SetFile:
    file = SetFile(path, SETTINGS)
    for item in made.items[:n]:
        file.add(item)
    return file


def test_what_is_written_is_read(made: Generation, tmp_path: Path) -> None:
    path = tmp_path / "new" / "set.jsonl"
    write(path, made).finish(made.counts, command="fallax generate")
    assert read_items(path) == made.items
    assert json.loads(run_path(path).read_text())["finished"] is True
    card = card_path(path).read_text()
    assert "6 fallacious arguments of 2 types, 6 of them with a sound" in card
    assert "| Wrong Direction | 3 | 3 |" in card
    assert "fallax generate" in card
    assert "none put to the vote" in card
    assert "Structurally valid (the rules derive the argument from its facts): 6 of 6 items." in card


@pytest.mark.parametrize("tail", ["", '{"id": "wd', '{"id": "wd-template-1-00'])
def test_a_run_that_was_broken_off_goes_on_to_the_same_bytes(made: Generation, tmp_path: Path, tail: str) -> None:
    whole, broken = tmp_path / "whole.jsonl", tmp_path / "broken.jsonl"
    write(whole, made).finish(made.counts)
    write(broken, made, 4)
    with open(broken, "a", encoding="utf-8") as file:
        file.write(tail)
    again = write(broken, made)
    assert len(again.known) == 4
    again.finish(made.counts)
    assert broken.read_bytes() == whole.read_bytes()
    assert SetFile(broken, SETTINGS).finished


def test_an_item_may_hold_other_line_ends(made: Generation, tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl"
    item = replace(made.items[0], text="It is.\u2028So\x85it goes.\u2029")
    SetFile(path, SETTINGS).add(item)
    assert len(SetFile(path, SETTINGS).known) == 1
    SetFile(path, SETTINGS).add(item)


def test_a_set_of_other_settings_is_not_touched(made: Generation, tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl"
    write(path, made)
    before = path.read_bytes()
    with pytest.raises(RunError, match=r"was made with other settings: seed 1 \(now 2\)"):
        SetFile(path, {**SETTINGS, "seed": 2})
    assert path.read_bytes() == before
    assert SetFile(path, {**SETTINGS, "seed": 2}, overwrite=True).known == []


def test_a_file_that_is_no_set_is_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text("precious\n")
    with pytest.raises(RunError, match=r"mine\.run\.json, which says how it was made, is not"):
        SetFile(path, SETTINGS)
    run_path(path).write_text("no JSON")
    with pytest.raises(RunError, match="must be the record of a run"):
        SetFile(path, SETTINGS)
    assert path.read_text() == "precious\n"
    with pytest.raises(RunError, match=r"must be written to a file \.jsonl"):
        SetFile(tmp_path / "set.txt", SETTINGS)


def test_what_differs_from_before_ends_the_run(made: Generation, tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl"
    write(path, made, 2)
    again = SetFile(path, SETTINGS)
    with pytest.raises(RunError, match="line 1: differs from what is generated now"):
        again.add(made[1])
    short = SetFile(path, SETTINGS)
    short.add(made[0])
    with pytest.raises(RunError, match="holds 2 items, and only 1 are generated now"):
        short.finish({})


def test_a_mistake_at_the_start_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl"
    SetFile(path, SETTINGS).remove()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("line", ["nonsense", "[]", '{"id": "x"}'])
def test_lines_that_are_no_items_are_named(made: Generation, tmp_path: Path, line: str) -> None:
    path = tmp_path / "set.jsonl"
    path.write_text(json.dumps(made[0].to_dict()) + "\n\n" + line + "\n")
    with pytest.raises(FormatError, match=r"set\.jsonl:3: must be an item of a generated set"):
        read_items(path)


def test_the_card_reports_votes_and_structure_apart() -> None:
    yes, no, unknown = (WorldClaim(t, "", c) for t, c in (("a", True), ("b", False), ("c", None)))
    items = [
        GeneratedItem("1", "x", ("False Cause",), "false_cause", "smartypat", 0, claims=(yes,)),
        GeneratedItem("2", "y", ("False Cause",), "false_cause", "smartypat", 0, claims=(yes, no, unknown)),
    ]
    card = dataset_card(items, {"method": "smartypat", "model": "m"}, {"false_cause": {"items": 2}})
    assert "Structurally valid (the rules derive the argument from its facts): 0 of 2 items." in card
    assert "3 listed; confirmed by votes 1, not confirmed 1, no answer 1. All claims confirmed: 1 of 2 items." in card
    assert "Model: `m`." in card
    assert items[1].claims_confirmed is False
    direct = dataset_card(
        [GeneratedItem("1", "x", ("False Cause",), "false_cause", "direct", 0)], {"method": "direct"}, {}
    )
    assert "the label is the request" in direct
    assert "none listed, since there are no derivations" in direct

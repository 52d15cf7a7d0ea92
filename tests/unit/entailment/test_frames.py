"""Frames: the same statement beside a passage that makes it true and one that makes it false."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fallax.entailment.training.corpus import part_of
from fallax.entailment.training.frames import (
    SLOTS,
    Frame,
    SceneFrame,
    frame_examples,
    frames_of_part,
    read_frames,
    read_scene_frames,
    scene_examples,
)

FOLDER = Path(__file__).parents[3] / "data" / "entailment_frames"
LENT = Frame(
    "lent",
    "role",
    (("{A} lent {B} {n} chairs.", "{B} had {n} chairs on loan from {A}."), ("{B} lent {A} {n} chairs.",)),
    (("{B} borrowed {n} chairs.",), ("{A} borrowed {n} chairs.",)),
    ("The chairs were new.",),
)


def test_a_statement_stands_beside_both_ways_with_opposite_labels() -> None:
    found = list(frame_examples([LENT], 60, (), 3))
    assert len(found) == 120
    for yes, no in zip(found[::2], found[1::2], strict=True):
        assert yes.statement == no.statement
        assert (yes.label, no.label) in {("entailed", "contradicted"), ("neither", "neither")}
        if yes.label == "entailed":
            # who borrowed lent nothing where that is true, and lent where it is false
            borrower = yes.statement.split(" borrowed ")[0].lower()
            true, false = (" ".join(e.passage).lower() for e in (yes, no))
            assert f"{borrower} lent " not in true
            assert f"on loan from {borrower}." not in true
            assert f"{borrower} lent " in false or f"on loan from {borrower}." in false


def test_slots_are_filled_alike_and_numbers_are_in_order() -> None:
    both = Frame(
        "n",
        "number",
        (("Rail has {n} and road {m}.",), ("Rail has {m} and road {n}.",)),
        (("Road has more than rail: {m} against {n}.",), ("Rail has more than road: {m} against {n}.",)),
    )
    for example in frame_examples([both], 40, (), 5):
        assert "{" not in example.statement + " ".join(example.passage)
        high, low = (int(w.strip(".")) for w in example.statement.split(": ")[1].split(" against "))
        assert low < high
        rail = int(example.passage[0].split()[2])
        said_rail_more = example.statement.startswith("Rail")
        assert (example.label == "entailed") == ((rail == high) == said_rail_more)


def test_other_sentences_surround_some_of_the_passages() -> None:
    others = ["The ferry sails at noon.", "Nobody came."]
    lengths = [len(e.passage) for e in frame_examples([LENT], 80, others, 1)]
    assert min(lengths) == 1
    assert max(lengths) == 3


def test_the_same_seed_gives_the_same() -> None:
    assert list(frame_examples([LENT], 9, (), 8)) == list(frame_examples([LENT], 9, (), 8))


@pytest.mark.parametrize(
    ("told", "said"),
    [(("{A} lent {Q} a chair.",), "a slot must be one of"), ((), "each version needs a wording")],
)
def test_a_frame_that_cannot_be_filled_is_refused(told: tuple[str, ...], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Frame("bad", "role", (told, ("{B} lent {A} a chair.",)), (("{A} lent.",), ("{B} lent.",)))


def test_the_frames_of_this_repository_are_whole() -> None:
    frames = read_frames(FOLDER)
    assert len({f.identifier for f in frames}) == len(frames) > 500
    rows = [json.loads(line) for path in FOLDER.glob("*.jsonl") for line in path.read_text("utf-8").splitlines()]
    assert len(rows) == len(frames)
    assert not any(set(f.true[0]) & set(f.true[1]) or set(f.told[0]) & set(f.told[1]) for f in frames)
    held = frames_of_part(frames, "calibration")
    assert 0.05 < len(held) / len(frames) < 0.2
    assert all(part_of(f.identifier) == "calibration" for f in held)
    assert len(SLOTS) == len(set(SLOTS))


def test_a_claim_about_a_cause_stands_beside_both_ways() -> None:
    spoilt = SceneFrame(
        "spoilt",
        "other-cause",
        ("The roof was weak.",),
        (("Rain came through the roof and spoilt {n} sacks.",), ("A pipe burst and spoilt {n} sacks.",)),
        ("The mill is red.",),
        ((("contradicted", "Rain spoilt {n} sacks."),), (("neither", "A pipe spoilt {n} sacks."),)),
    )
    found = list(scene_examples([spoilt], 50, ("It was May.",), 6))
    assert {e.label for e in found} == {"entailed", "contradicted", "neither"}
    for yes, no in zip(found[::2], found[1::2], strict=True):
        assert yes.statement == no.statement
        rain = yes.statement.startswith("Rain")
        assert any(p.startswith("Rain" if rain else "A pipe") for p in yes.passage)
        assert any(p.startswith("A pipe" if rain else "Rain") for p in no.passage)
        assert no.label == ("contradicted" if rain else "neither")
        assert "The roof was weak." in yes.passage
    assert any(e.passage[0] != "The roof was weak." for e in found)


def test_the_scene_frames_of_this_repository_are_whole() -> None:
    frames = read_scene_frames(FOLDER.parent / "causal_frames")
    assert len({f.identifier for f in frames}) == len(frames) > 100
    assert {label for f in frames for way in f.claims for label, _ in way} == {"contradicted", "neither"}

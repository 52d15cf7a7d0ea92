"""Annotations that stand apart from the texts of open sets."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fallax.data.open_texts import digest_of
from fallax.detection.training.annotated import annotated_examples, annotated_ids
from fallax.detection.training.prose import prose_examples
from fallax.errors import FormatError

TEXT = "Parks cost money. You are a fool, so stop. Good evening to all of you here."


def _root(tmp_path: Path) -> Path:
    folder = tmp_path / "sets" / "plain_europarl"
    folder.mkdir(parents=True)
    rows = [{"id": "a", "text": TEXT, "doc": "d1"}, {"id": "b", "text": "It rained all day.", "doc": "d2"}]
    (folder / "docs.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows), encoding="utf-8")
    return tmp_path / "sets"


def _folder(tmp_path: Path, changed: dict[str, object] | None = None, name: str = "plain_europarl.jsonl") -> Path:
    row = {"id": "a", "start": 0, "end": 42, "sha256": digest_of(TEXT[:42]), "spans": [[18, 42, ["ad hominem"], True]]}
    folder = tmp_path / "marks"
    folder.mkdir()
    (folder / name).write_text(json.dumps(row | (changed or {})) + "\n", encoding="utf-8")
    return folder


def test_only_the_annotated_part_of_a_text_is_an_example(tmp_path: Path) -> None:
    (found,) = annotated_examples(_folder(tmp_path), _root(tmp_path))["plain_europarl"]
    assert found.sentences == ("Parks cost money.", "You are a fool, so stop.")
    assert found.flagged == (0.0, 1.0)
    assert found.weights == (1.0, 1.0)
    assert found.candidates == ((), (16,))
    assert found.group == "plain_europarl-d1"


def test_a_doubted_mark_counts_less(tmp_path: Path) -> None:
    folder = _folder(tmp_path, {"spans": [[18, 42, ["ad hominem", "straw man"], False]]})
    (found,) = annotated_examples(folder, _root(tmp_path))["plain_europarl"]
    assert found.flagged == (0.0, 1.0)
    assert found.weights[0] == 1.0 > found.weights[1]
    assert len(found.candidates[1]) == 2


def test_an_annotated_text_is_no_longer_taken_for_ordinary(tmp_path: Path) -> None:
    ids = annotated_ids(_folder(tmp_path))
    assert ids == {"plain_europarl": {"a"}}
    ordinary, _ = prose_examples("plain_europarl", _root(tmp_path), without=ids["plain_europarl"])
    assert [e.sentences for e in ordinary] == [("It rained all day.",)]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"sha256": "0" * 12}, "another one than was marked"),
        ({"id": "z"}, "'z'"),
        ({"spans": [[18, 42, ["rudeness"], True]]}, "rudeness"),
        ({"spans": [[18, 42]]}, "index"),
    ],
)
def test_what_annotates_nothing_is_named_with_its_line(tmp_path: Path, changed: dict[str, object], said: str) -> None:
    with pytest.raises(FormatError, match=said) as caught:
        annotated_examples(_folder(tmp_path, changed), _root(tmp_path))
    assert "plain_europarl.jsonl:1: " in str(caught.value)


def test_a_file_of_no_known_set_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="set of prose"):
        annotated_examples(_folder(tmp_path, name="elsewhere.jsonl"), _root(tmp_path))

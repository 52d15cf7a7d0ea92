"""Sentences that were written into texts of open sets."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fallax.data.open_texts import digest_of
from fallax.detection.training.inserted import inserted_examples
from fallax.errors import FormatError

TEXT = "Parks cost money. We have two of them. Good evening to all of you here."
PUT = [
    {"at": 17, "label": "ad hominem", "fallacy": "Ask a fool. He agrees.", "near": "I asked Ann."},
    {"at": 38, "label": "ad populum", "fallacy": "All want more.", "near": "Most voted for more."},
]


def _root(tmp_path: Path) -> Path:
    folder = tmp_path / "sets" / "plain_europarl"
    folder.mkdir(parents=True)
    (folder / "docs.jsonl").write_text(json.dumps({"id": "a", "text": TEXT, "doc": "d1"}) + "\n", encoding="utf-8")
    return tmp_path / "sets"


def _folder(tmp_path: Path, put: list[dict[str, object]]) -> Path:
    row = {"id": "a", "start": 0, "end": 38, "sha256": digest_of(TEXT[:38]), "put": put}
    folder = tmp_path / "put"
    folder.mkdir()
    (folder / "plain_europarl.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    return folder


def test_each_place_has_the_fallacy_or_what_looks_like_it(tmp_path: Path) -> None:
    found = inserted_examples(_folder(tmp_path, PUT), _root(tmp_path))
    said = {e.sentences: (e.flagged, e.candidates) for e in found}
    before, after = "Parks cost money.", "We have two of them."
    assert said == {
        (before, "Ask a fool.", "He agrees.", after, "All want more."): (
            (0.0, 1.0, 1.0, 0.0, 1.0), ((), (16,), (16,), (), (17,)),
        ),
        (before, "Ask a fool.", "He agrees.", after, "Most voted for more."): (
            (0.0, 1.0, 1.0, 0.0, 0.0), ((), (16,), (16,), (), ()),
        ),
        (before, "I asked Ann.", after, "All want more."): ((0.0, 0.0, 0.0, 1.0), ((), (), (), (17,))),
        (before, "I asked Ann.", after, "Most voted for more."): ((0.0,) * 4, ((),) * 4),
    }  # fmt: skip
    assert {e.group for e in found} == {"plain_europarl-d1"}


@pytest.mark.parametrize(
    ("changed", "said"),
    [({"at": 5}, "not in list"), ({"label": "rudeness"}, "rudeness"), ({"at": None}, "NoneType")],
)
def test_what_cannot_be_put_in_is_named_with_its_line(tmp_path: Path, changed: dict[str, object], said: str) -> None:
    with pytest.raises(FormatError, match=said) as caught:
        inserted_examples(_folder(tmp_path, [{**PUT[0], **changed}]), _root(tmp_path))
    assert "plain_europarl.jsonl:1: " in str(caught.value)

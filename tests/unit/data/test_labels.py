"""Files with one label for each record."""

import json
from pathlib import Path

import pytest

from fallax.data import read_labels
from fallax.errors import FormatError, InputError

ROWS = [{"id": "a", "label": "supports"}, {"id": 2, "label": "nei"}, {"id": "c", "label": "cannot_tell"}]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.jsonl", "".join(json.dumps(r) + "\n" for r in ROWS)),
        ("a.json", "\ufeff" + json.dumps(ROWS, indent=1)),
        ("a.csv", "id,label,by\na,supports,x\n2,Not enough info,x\nc,,x\n"),
    ],
)
def test_labels_of_any_file_form(name: str, content: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    assert read_labels(tmp_path / name) == {"a": "supports", "2": "not_enough_info", "c": None}


def test_a_record_may_say_why_it_has_no_label(tmp_path: Path) -> None:
    (tmp_path / "a").write_text(
        '{"id": "a", "unscored": "no reply"}\n{"id": "b", "label": null}\n{"id": "c", "label": 1}\n'
    )
    assert read_labels(tmp_path / "a") == {"a": None, "b": None, "c": "1"}


@pytest.mark.parametrize(
    ("line", "pattern"),
    [
        ('{"label": "x"}', r"a:1: must have an 'id', a text or a whole number, got 'label'"),
        ('{"id": "a"}', r"a:1: must have a 'label', got 'id'"),
        ('{"id": "a", "label": ["x"]}', r"a:1: 'label' must be a text, a whole number or null, got \['x'\]"),
        (
            '{"id": 1, "label": "x"}\n{"id": "1", "label": "x"}',
            r"a:2: each id must be given once, got '1' again; rename one",
        ),
    ],
)
def test_bad_rows_are_named(line: str, pattern: str, tmp_path: Path) -> None:
    (tmp_path / "a").write_text(line + "\n")
    with pytest.raises(FormatError, match=pattern):
        read_labels(tmp_path / "a")


def test_files_that_hold_no_label(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("")
    with pytest.raises(InputError, match="must hold at least one label, got none"):
        read_labels(tmp_path / "a")
    with pytest.raises(InputError, match="must be a file of labels, got a folder"):
        read_labels(tmp_path)

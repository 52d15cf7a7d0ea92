"""The project's own training texts are what their cards say."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from fallax.core.taxonomies import load_taxonomy
from fallax.detection.systems.passages import read_passages
from fallax.errors import FormatError

DATA = Path(__file__).parents[3] / "data"
FOLDERS = ("passages", "passages_topics", "passages_posts")
LABELS = load_taxonomy("mafalda").names


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_card_counts_what_is_there(folder: str) -> None:
    found = list(read_passages(DATA / folder))
    card = (DATA / folder / "README.md").read_text(encoding="utf-8")
    total = re.search(r"^([\d,]+) (?:short )?(?:passages|texts) in English", card, re.MULTILINE)
    assert total is not None
    assert int(total[1].replace(",", "")) == len(found)
    assert {label for p in found for g in p.record.gold or () for label in g.labels} == set(LABELS)


def test_every_label_has_its_passages_and_its_near_misses() -> None:
    rows = list(read_passages(DATA / "passages"))
    fallacies = Counter(p.about for p in rows if p.record.gold)
    near = Counter(p.about for p in rows if not p.record.gold)
    assert min(fallacies[label] for label in LABELS) >= 60
    assert min(near[label] for label in LABELS) >= 60


def test_posts_have_most_of_what_is_hardest() -> None:
    rows = list(read_passages(DATA / "passages_posts"))
    fallacies = Counter(p.about for p in rows if p.record.gold)
    assert (sum(fallacies.values()), len(rows) - sum(fallacies.values())) == (791, 490)
    hardest = (
        "appeal to anger", "appeal to fear", "appeal to positive emotion", "appeal to ridicule", "false analogy",
        "straw man", "tu quoque",
    )  # fmt: skip
    assert {label for label, n in fallacies.items() if n >= 65} == set(hardest)
    assert 0.35 < sum(bool(p.record.title) for p in rows) / len(rows) < 0.55


def test_no_text_stands_there_twice() -> None:
    rows = [p.record for folder in FOLDERS for p in read_passages(DATA / folder)]
    assert [id for id, n in Counter(r.id for r in rows).items() if n > 1] == []
    assert [text for text, n in Counter(r.text for r in rows).items() if n > 1] == []


@pytest.mark.parametrize(
    ("text", "kind"), [("⟦It is.", "fallacy"), ("It is.", "fallacy"), ("⟦It⟧ is.", "near_miss"), ("⟦a⟧ ⟦b⟧", "fallacy")]
)
def test_marks_that_do_not_fit_are_told(tmp_path: Path, text: str, kind: str) -> None:
    row = {"id": "x", "label": "straw man", "kind": kind, "style": "forum", "text": text}
    (tmp_path / "x.jsonl").write_text(json.dumps(row) + "\n")
    with pytest.raises(FormatError, match="one pair of"):
        list(read_passages(tmp_path))


@pytest.mark.parametrize("end", ["\u2028", "\u2029", "\x85"])
def test_a_text_may_hold_other_line_ends(tmp_path: Path, end: str) -> None:
    row = {"id": "x", "label": None, "kind": "near_miss", "style": "forum", "text": f"It is.{end}So."}
    (tmp_path / "x.jsonl").write_text(json.dumps(row, ensure_ascii=False) + "\n", encoding="utf-8")
    assert [p.record.text for p in read_passages(tmp_path)] == [row["text"]]

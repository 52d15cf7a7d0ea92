"""The pages beside marks on open texts count what is there."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

DATA = Path(__file__).parents[2] / "data"


def _rows(folder: Path) -> list[dict[str, object]]:
    paths = sorted(folder.glob("*.jsonl"))
    return [json.loads(line) for path in paths for line in path.read_text(encoding="utf-8").splitlines()]


def _numbers(folder: Path, pattern: str) -> list[int]:
    page = " ".join((folder / "README.md").read_text(encoding="utf-8").split())
    found = re.search(pattern, page)
    assert found, pattern
    return [int(number.replace(",", "")) for number in found.groups()]


def test_annotated_prose() -> None:
    rows = _rows(DATA / "annotated_prose")
    spans = [span for row in rows for span in row["spans"]]  # type: ignore[attr-defined]
    said = _numbers(
        DATA / "annotated_prose",
        r"([\d,]+) parts of .*? words, ([\d,]+) of them with a fallacy: ([\d,]+) marks, ([\d,]+) of them doubtful",
    )
    assert said == [len(rows), sum(bool(r["spans"]) for r in rows), len(spans), sum(not s[3] for s in spans)]
    ad_hominem = _numbers(DATA / "annotated_prose", r"ad hominem ([\d,]+)")
    assert ad_hominem == [sum("ad hominem" in s[2] for s in spans)]


def test_inserted_sentences() -> None:
    rows = _rows(DATA / "inserted_sentences")
    labels = [put["label"] for row in rows for put in row["put"]]  # type: ignore[attr-defined]
    assert _numbers(DATA / "inserted_sentences", r"([\d,]+) parts of .*? with ([\d,]+) places") == [
        len(rows),
        len(labels),
    ]
    page = " ".join((DATA / "inserted_sentences" / "README.md").read_text(encoding="utf-8").split())
    for label in set(labels):
        assert re.search(rf"{re.escape(label)} {labels.count(label)}\b", page), label


@pytest.mark.parametrize(
    ("name", "others"), [("passages_short", ("near-miss", "ordinary")), ("passages_contrast", ("other", "sound"))]
)
def test_passages_in_threes(name: str, others: tuple[str, str]) -> None:
    rows = _rows(DATA / name)
    aside = _rows(DATA / name / "aside")
    said = _numbers(DATA / name, r"([\d,]+) matters, ([\d,]+) for each label.*?, and ([\d,]+) more in `aside`")
    labels = [r["about"] for r in rows if r["kind"] == "fallacy"]
    assert {labels.count(label) for label in labels} == {said[1]}
    assert [said[0], said[2]] == [len({r["group"] for r in rows}), len({r["group"] for r in aside})]
    kinds = [str(r["kind"]) for r in rows]
    assert {kinds.count(kind) for kind in ("fallacy", *others)} == {said[0]}


@pytest.mark.parametrize("label", ["entailed", "contradicted", "neutral"])
def test_entailment_prose(label: str) -> None:
    rows = _rows(DATA / "entailment_prose")
    statements = [s for row in rows for s in row["statements"]]  # type: ignore[attr-defined]
    assert _numbers(DATA / "entailment_prose", rf"([\d,]+) {label}") == [sum(s[0] == label for s in statements)]
    assert _numbers(DATA / "entailment_prose", r"([\d,]+) passages, ([\d,]+) statements") == [
        len(rows),
        len(statements),
    ]

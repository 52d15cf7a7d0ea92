"""Touché 2026: texts in, submissions out and in again, and their scores by hand."""

import json
from pathlib import Path
from typing import Any

import pytest

from fallax.cli import main
from fallax.core.taxonomies import load_taxonomy
from fallax.detection.benchmarks.touche import read_submission
from fallax.errors import FallaxError, FormatError
from fallax.runs.base import SystemSpec
from fallax.runs.folder import read_rows
from fallax.runs.runner import RunSpec, run_benchmark

GOLD = {"a": "natural", "b": "authority", "c": None, "d": None, "e": ""}  # "": nobody looked
SAID = {"a": "natural", "b": None, "c": "population", "d": None, "e": "tradition"}


def write_lines(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def data(tmp_path: Path) -> Path:
    rows = []
    for id_, kind in GOLD.items():
        row: dict[str, Any] = {"id": id_, "text_raw": f"Comment {id_}.", "text_raw_title": "A title"}
        if kind != "":
            row |= {"fallacy_exists": int(kind is not None), "fallacy_type": kind}
        rows.append(row)
    return write_lines(tmp_path / "texts.jsonl", rows)


def test_a_submission_is_scored_and_written_again(data: Path, tmp_path: Path) -> None:
    lines = [{"id": i, "fallacy_exists": int(k is not None), "fallacy_type": k} for i, k in SAID.items()]
    path = write_lines(tmp_path / "submission.jsonl", lines)
    spec = RunSpec("touche", SystemSpec(f"recorded:{path}"), str(data))
    scores = run_benchmark(spec, tmp_path / "run").scores.scores
    assert scores["exists"]["accuracy"] == 0.5
    assert scores["exists"].n_scored == 4  # nobody looked at the fifth
    assert scores["type"]["accuracy"] == 0.5
    assert scores["all"]["accuracy"] == 0.5
    assert scores["detection"]["fpr"] == 0.5
    with pytest.raises(SystemExit) as stop:
        main(["bench", "export", str(tmp_path / "run"), "--to", "touche", "--output", str(tmp_path / "again.jsonl")])
    assert stop.value.code in (0, None)
    assert (tmp_path / "again.jsonl").read_text() == path.read_text()


def test_fields_of_another_name_and_a_type_alone(data: Path, tmp_path: Path) -> None:
    lines = [{"text_id": i, "label": k or "none"} for i, k in SAID.items() if k] + [
        {"text_id": i, "label": None} for i, k in SAID.items() if not k
    ]
    path = write_lines(tmp_path / "other.jsonl", lines)
    given = {"id": "text_id", "type": "label"}
    assert {i: a["labels"] for i, a in read_submission(path, fields=given).items()} == {
        i: [k or "no fallacy"] for i, k in SAID.items()
    }
    spec = RunSpec("touche", SystemSpec(f"recorded:{path}", model_options=given), str(data))
    assert run_benchmark(spec, tmp_path / "run").scores.scores["all"]["accuracy"] == 0.5
    words = ["bench", "export", str(tmp_path / "run"), "--to", "touche", "--output", str(tmp_path / "out.jsonl")]
    with pytest.raises(SystemExit):
        main([*words, "--field", "type=label"])
    assert json.loads((tmp_path / "out.jsonl").read_text().splitlines()[0]) == {
        "id": "a",
        "fallacy_exists": 1,
        "label": "natural",
    }


def test_a_type_may_be_named_where_none_was_found(data: Path, tmp_path: Path) -> None:
    lines = [{"id": i, "fallacy_exists": 0, "fallacy_type": "authority"} for i in GOLD]
    path = write_lines(tmp_path / "submission.jsonl", lines)
    scores = run_benchmark(RunSpec("touche", SystemSpec(f"recorded:{path}"), str(data)), tmp_path / "run").scores.scores
    assert scores["type"]["accuracy"] == 0.5
    assert scores["exists"]["accuracy"] == 0.5
    assert scores["detection"]["fpr"] == 0


def test_baselines_answer_in_the_labels_of_the_task(data: Path, tmp_path: Path) -> None:
    for system in ("random", "keywords", "silent", "detector:linear"):
        run_benchmark(RunSpec("touche", SystemSpec(system), str(data)), tmp_path / system.replace(":", "-"))
    said = {r.prediction["labels"][0] for r in read_rows(tmp_path / "random")}
    assert said <= {*load_taxonomy("touche26").names, "no fallacy"}


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ({"fallacy_exists": 1}, "the text 'id'"),
        ({"id": "a"}, "'fallacy_exists' must be 0 or 1, got None"),
        ({"id": "a", "fallacy_exists": 2}, "must be 0 or 1, got 2"),
        ({"id": "a", "fallacy_exists": 1, "fallacy_type": "natur"}, "did you mean 'natural'"),
    ],
)
def test_bad_lines_of_a_submission_are_told_with_their_place(line: dict[str, Any], part: str, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "bad.jsonl", [{"id": "z", "fallacy_exists": 0}, line])
    with pytest.raises(FormatError) as error:
        read_submission(path)
    assert part in str(error.value)
    assert f"{path}:2" in str(error.value)


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ({"text": "x"}, "each line must have the text 'text_raw'"),
        ({"text_raw": "x", "fallacy_exists": 1}, "text 'a': 'fallacy_type' must be a label of touche26, got None"),
        ({"text_raw": "x", "fallacy_exists": 1, "fallacy_type": "natur"}, "text 'a': .*did you mean 'natural'"),
        (
            {"text_raw": "x", "fallacy_exists": 1, "fallacy_type": ["natural"]},
            "text 'a': 'fallacy_type' must be a label",
        ),
        ({"text_raw": "x", "fallacy_exists": "no"}, "text 'a': 'fallacy_exists' must be 0 or 1, got 'no'"),
    ],
)
def test_bad_texts_are_told_with_their_place(line: dict[str, Any], part: str, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "texts.jsonl", [{"id": "a", **line}])
    with pytest.raises(FallaxError, match=rf"texts.jsonl:1: {part}"):
        run_benchmark(RunSpec("touche", SystemSpec("silent"), str(path)), tmp_path / "run")

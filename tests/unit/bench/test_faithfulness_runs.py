"""Runs of the benchmark of faithfulness: records that cannot be judged, files and sets, options."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fallax.bench.base import SystemSpec
from fallax.bench.folder import read_rows
from fallax.bench.runner import RunResult, RunSpec, estimate_run, run_benchmark

YES = {"reply": "<label>1</label>", "usage": {"prompt_tokens": 90, "completion_tokens": 10}}


def write_lines(path: Path, *records: dict[str, Any]) -> str:
    path.write_text("".join(json.dumps(r) + "\n" for r in records), encoding="utf-8")
    return str(path)


def script(tmp_path: Path, *rules: dict[str, Any]) -> str:
    (tmp_path / "script.json").write_text(json.dumps(rules or [YES]))
    return f"scripted:{tmp_path / 'script.json'}"


def run(path: Path, file: str, *system: Any) -> RunResult:
    return run_benchmark(RunSpec("faithfulness", SystemSpec(*system), options={"file": file}), path)


@pytest.fixture
def odd(tmp_path: Path) -> str:
    """A record of which the document is empty, one of which it is long, and one that can be judged."""
    return write_lines(
        tmp_path / "odd.jsonl",
        {"doc": " ", "claim": "It rained.", "label": 0},
        {"doc": "It rained. " * 400, "claim": "It rained.", "label": 1},
        {"doc": "It rained.", "claim": "It rained.", "label": 1},
    )


def test_a_record_that_cannot_be_judged_does_not_end_the_run(odd: str, tmp_path: Path) -> None:
    assert run(tmp_path / "local", odd, "lexical-overlap").scores.counts.to_dict()["unreadable"] == 1
    options = {"context_tokens": 2000}
    counts = run(tmp_path / "asked", odd, script(tmp_path), "zero-shot", options).scores.counts
    assert (counts.ok, counts.unreadable) == (1, 2)
    reasons = [row.reason for row in read_rows(tmp_path / "asked")]
    assert reasons[0] == "the document must hold at least one visible character, got none"
    assert reasons[1].startswith("the document must fit into the model's context: about 1,")
    spec = RunSpec("faithfulness", SystemSpec(script(tmp_path), "zero-shot", options), options={"file": odd})
    assert estimate_run(spec, tmp_path / "dry")[0].n_calls == 1


def test_a_row_that_ends_at_the_context_keeps_what_was_said_before(odd: str, tmp_path: Path) -> None:
    rules = {"regex": "Round 1.*You are Agent", "error": "context_length"}, {**YES, "regex": r"Agent [12]\."}
    model = script(tmp_path, *rules, {**YES, "reply": "<label>0</label>"})
    found = run(tmp_path / "run", odd, model, "madisse", {"stances": "none"})
    last = list(read_rows(tmp_path / "run"))[2]
    assert (last.status, last.usage.calls, len(last.replies)) == ("unreadable", 4, 4)
    assert found.scores.scores["cost"]["prompt_tokens"] == pytest.approx(2 * 360 / 3)

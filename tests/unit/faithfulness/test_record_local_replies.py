"""scripts/record_local_replies.py with a scripted model."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.scripts import ROOT, script


def test_runs_are_recorded_with_checksums_and_the_second_start_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [{"document": "It rained.", "summary": text, "label": 1} for text in ("It rained.", "Rain fell.")]
    data = tmp_path / "own.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    rules = tmp_path / "rules.json"
    rules.write_text(json.dumps([{"reply": "<label>1</label><explanation>so</explanation>"}]))
    words = [sys.executable, str(ROOT / "scripts" / "record_local_replies.py"), "--output", str(tmp_path / "runs")]
    words += ["--model", f"scripted:{rules}", "--data", str(data), "--only", "chain-of-thought"]
    monkeypatch.chdir(tmp_path)
    found = []
    for _ in range(2):
        done = subprocess.run([*words, "--max-connections", "2"], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        found.append({p.name: p.read_bytes() for p in (tmp_path / "runs" / "chain-of-thought").glob("re*.jsonl")})
    assert found[0] == found[1] != {}
    [line] = (tmp_path / "runs" / "SHA256SUMS").read_text().splitlines()
    assert line.endswith("  chain-of-thought/records.jsonl")
    records = (tmp_path / "runs" / "chain-of-thought" / "records.jsonl").read_text().splitlines()
    assert [json.loads(record)["prediction"]["faithfulness"] for record in records] == ["faithful", "faithful"]


def test_a_run_of_equal_tokens_names_the_folder_of_the_other(tmp_path: Path) -> None:
    line = script("record_local_replies").command("self-consistency", tmp_path, "local/m", None, 3, ["--limit", "2"])
    assert f"like={tmp_path / 'debate'}" in line
    assert line[line.index("--max-connections") + 1] == "3"

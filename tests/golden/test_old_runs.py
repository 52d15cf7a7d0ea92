"""Run folders written before the rooms were rebuilt: they open, score the same, and the same command gives the same.

`old_runs` was written by the code of commit 4127647 from the small files in `old_runs/data`, with the commands that
`COMMANDS` repeats. Its `scores.json` are what that code wrote and are not to be written again.
"""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from fallax.runs.folder import read_rows
from fallax.runs.scoring import score_run
from tests.support.shell import shell

OLD = Path(__file__).parent / "old_runs"

COMMANDS = {
    "mafalda-keywords": "bench run mafalda --data data/passages.jsonl --system keywords",
    "mafalda-random": "bench run mafalda --data data/passages.jsonl --system random --epochs 2 --seed 5 --limit 1",
    "faithfulness-lexical-overlap": "bench run faithfulness --data data/summaries.jsonl --system lexical-overlap",
    "smartypat-scripted": "bench run smartypat --system scripted:data/judge.jsonl -B set=data/fallacies.jsonl"
    " -B benign=none",
    "causal-scripted": "bench run causal --system scripted:data/chains.jsonl --protocol task-3"
    " -B set=data/claims.jsonl",
}

pytestmark = pytest.mark.parametrize("name", COMMANDS)


#: Says more since: replies are counted in every score that rests on them, and a tree's signature names its variant.
SAYS_MORE = {"n_replies", "n_unreadable", "signature"}


def kept(now: Any, then: Any) -> Any:
    """What `now` says of all that was written then; what was added since is left out."""
    if isinstance(then, dict) and isinstance(now, dict):
        return {name: kept(now.get(name), value) if name not in SAYS_MORE else value for name, value in then.items()}
    return now


def written(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((OLD / name / "scores.json").read_text(encoding="ascii"))
    return found


def test_an_old_run_scores_as_it_did(name: str) -> None:
    now = score_run(OLD / name).to_dict()
    assert now["signature"] == written(name)["signature"]
    assert kept(json.loads(json.dumps(now)), written(name)) == written(name)


def test_the_shell_prints_the_scores_of_an_old_run(name: str, tmp_path: Path) -> None:
    shutil.copytree(OLD / name, tmp_path / name)
    printed = json.loads(shell("bench", "score", tmp_path / name, "--json"))
    assert kept(printed["scores"], written(name)["scores"]) == written(name)["scores"]


def test_the_same_command_gives_the_same_answers_today(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(OLD)
    shell(*COMMANDS[name].split(), "--out", tmp_path / "run")
    old, new = ([row.to_dict() for row in read_rows(folder)] for folder in (OLD / name, tmp_path / "run"))
    for row in (*old, *new):  # prompts say more than they did, so calls have other hashes and more tokens
        row.pop("usage", None)
        row["replies"] = [reply["text"] for reply in row.get("replies") or ()]
    assert new == old

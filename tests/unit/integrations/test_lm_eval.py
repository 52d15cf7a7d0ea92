"""Tasks of lm-evaluation-harness: the numbers are those of the runner on the same replies."""

import ast
import json
import math
import re
from pathlib import Path
from typing import Any

import pytest

from fallax.errors import InputError, UnknownNameError
from fallax.integrations.lm_eval_tasks import EVAL_TASKS, aggregation, documents, results, unreadable_share
from fallax.runs.base import SystemSpec
from fallax.runs.runner import RunSpec, run_benchmark

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "harness" / "lm_eval"
TEXTS: list[dict[str, Any]] = [
    {"text": "She is a liar. So the tax is wrong.", "to_add": False, "labels": [[0, 14, "ad hominem"]]},
    {"text": "Either we ban cars or we all choke.", "to_add": False, "labels": [[0, 35, "false dilemma"]]},
    {"text": "The shop opens at nine.", "to_add": False, "labels": []},
]


def test_generated_replies_are_read_and_scored_as_the_runner_does(tmp_path: Path) -> None:
    data = tmp_path / "texts.jsonl"
    data.write_text("".join(json.dumps(t) + "\n" for t in TEXTS), encoding="utf-8")
    said = [
        '{"fallacies": [{"quote": "She is a liar.", "label": "ad hominem"}]}',
        '{"fallacies": [{"quote": "Either we ban cars", "label": "straw man"}]}',
        "I would rather not say.",
    ]
    rules = [{"match": t["text"], "reply": reply} for t, reply in zip(TEXTS, said, strict=True)]
    (tmp_path / "rules.json").write_text(json.dumps(rules), encoding="utf-8")
    system = SystemSpec(f"scripted:{tmp_path / 'rules.json'}", "whole-document")
    run = run_benchmark(RunSpec("mafalda", system, str(data)), tmp_path / "run", cache=tmp_path / "calls.db")
    docs = list(documents("fallax_mafalda", data=str(data)))
    assert all(t["text"] in d["prompt"] for t, d in zip(TEXTS, docs, strict=True))
    found = [results(d, [reply]) for d, reply in zip(docs, said, strict=True)]
    wanted = run.scores.scores["span-2"].values["f1"]
    assert wanted is not None
    assert 0 < wanted < 1
    assert aggregation("span-2", "f1")(found[::-1]) == wanted
    assert unreadable_share(found) == pytest.approx(1 / 3)
    assert math.isnan(aggregation("span-2", "f1")(found[2:]))


def test_the_likelier_choice_is_the_answer() -> None:
    claims = str(ROOT / "examples" / "verify" / "claims.jsonl")
    docs = list(documents("fallax_causal", options={"set": claims, "classes": 3}))
    assert docs[0]["choices"] == ["SUPPORTS", "REFUTES", "NOT ENOUGH INFO"]
    assert docs[0]["prompt"].endswith("\n\nVerdict:")
    right = [results(d, [(float(i == d["target"]), False) for i in range(3)]) for d in docs]
    assert aggregation("verdict", "accuracy")(right) == 1
    same = [results(d, [(0.0, False), (-1.0, False), (-1.0, False)]) for d in docs]
    assert aggregation("verdict", "accuracy")(same) == pytest.approx(1 / 3)
    assert len(next(documents("fallax_causal", options={"set": claims, "classes": 2}))["choices"]) == 2

    twins = list(documents("fallax_twins", options={"set": str(ROOT / "examples" / "fallacies.jsonl")}))
    assert [d["target"] for d in twins] == [1, 0] * 4
    right = [results(d, [(float(i == d["target"]), False) for i in range(2)]) for d in twins]
    assert aggregation("twins", "discrimination")(right) == aggregation("detection", "f1")(right) == 1


def test_every_task_is_a_file_and_every_function_it_names_is_there() -> None:
    assert {f.stem for f in FOLDER.glob("*.yaml")} == set(EVAL_TASKS)
    module = ast.parse((FOLDER / "utils.py").read_text(encoding="utf-8"))
    known = {n.name for n in module.body if isinstance(n, ast.FunctionDef)}
    known |= {t.id for n in module.body if isinstance(n, ast.Assign) for t in n.targets if isinstance(t, ast.Name)}
    for file in FOLDER.glob("*.yaml"):
        text = file.read_text(encoding="utf-8")
        assert f"\ntask: {file.stem}\n" in text
        named = set(re.findall(r"!function utils\.(\w+)", text))
        assert named <= known
        assert ("generate_until" in text) == (EVAL_TASKS[file.stem].choices is None)


def test_bad_tasks_are_one_line(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="unknown task 'fallax_mafald'; did you mean 'fallax_mafalda'"):
        next(documents("fallax_mafald"))
    (tmp_path / "none.jsonl").write_text("", encoding="utf-8")
    with pytest.raises(InputError, match=r"at least one|must have samples"):
        next(documents("fallax_twins", options={"set": str(tmp_path / "none.jsonl")}))

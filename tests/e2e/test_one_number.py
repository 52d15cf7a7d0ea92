"""A name stands for one system: every command that shows its numbers shows the same ones, to the last digit.

Held for every name in the registries of detection systems, detectors, judges and verifiers, on small written texts.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from fallax.causality.systems.baselines import BASELINE_VERIFIERS
from fallax.data import read_claims
from fallax.detection.benchmarks.annotated import SYSTEMS
from fallax.detection.systems import DETECTORS
from fallax.faithfulness.systems.registry import LOCAL_JUDGES
from fallax.models.larger import LARGER
from fallax.runs.folder import read_rows
from fallax.runs.scoring import score_run
from tests.support.shell import shell

DATA = Path(__file__).parents[1] / "golden" / "old_runs" / "data"
WORDS = {"not_enough_info": "nei"}  # in the lines of ``verify --claims``
#: Those that need not be fetched.
HERE = [name for name in DETECTORS if name not in LARGER]
UNITS = [(unit, level) for unit in ("span", "text") for level in (0, 1, 2)]


@cache
def table_of_detectors(folder: Path) -> dict[str, dict[tuple[str, int], float]]:
    """system -> (unit, level) -> F1, as ``detectors evaluate`` prints it."""
    printed = json.loads(
        shell("detectors", "evaluate", *HERE, "--on", folder, "--resamples", 100, "--json")
    )  # fmt: skip
    rows = printed["systems"] if isinstance(printed, dict) else printed
    return {row["system"].partition("@")[0]: {(c["unit"], c["level"]): c["f1"] for c in row["cells"]} for row in rows}


@pytest.fixture(scope="module")
def mafalda(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of gold texts, with the replies of one model that found nothing."""
    folder = tmp_path_factory.mktemp("mafalda")
    (folder / "model_outputs").mkdir()
    shell("data", "convert", DATA / "passages.jsonl", folder / "gold.jsonl", "--to", "mafalda")
    texts = [json.loads(line)["text"] for line in (folder / "gold.jsonl").read_text(encoding="utf-8").splitlines()]
    lines = [json.dumps({"text": text, "prediction": {}}) for text in texts]
    (folder / "model_outputs" / "nobody_level_2_results.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return folder


def bench_f1(run: Path) -> dict[tuple[str, int], float | None]:
    scores = score_run(run).scores
    return {(unit, level): scores[f"{unit}-{level}"]["f1"] for unit, level in UNITS}


@pytest.mark.parametrize("name", [*SYSTEMS, *(f"detector:{name}" for name in HERE)])
def test_bench_run_and_detectors_evaluate_agree(name: str, mafalda: Path, tmp_path: Path) -> None:
    shell("bench", "run", "mafalda", "--data", mafalda, "--system", name, "--out", tmp_path / "run")
    assert bench_f1(tmp_path / "run") == table_of_detectors(mafalda)[name.removeprefix("detector:")]


@pytest.mark.parametrize("name", HERE)
def test_detect_and_score_agree_with_bench_run(name: str, mafalda: Path, tmp_path: Path) -> None:
    shell("bench", "run", "mafalda", "--data", mafalda, "--system", f"detector:{name}", "--out", tmp_path / "run")
    found = tmp_path / "found.jsonl"
    shell("detect", mafalda / "gold.jsonl", "--system", name, "--output", "doccano", "--out", found)
    for (unit, level), f1 in bench_f1(tmp_path / "run").items():
        words = ("--gold", mafalda / "gold.jsonl", "--pred", found, "--unit", unit, "--level", level, "--json")
        assert json.loads(shell("score", *words))["f1"] == f1


@pytest.mark.parametrize("name", [n for n in LOCAL_JUDGES if n not in LARGER])  # it has to be fetched
def test_debate_and_bench_run_agree(name: str, tmp_path: Path) -> None:
    pairs = DATA / "summaries.jsonl"
    shell("bench", "run", "faithfulness", "--data", pairs, "--system", name, "--out", tmp_path / "run")
    words = ("--quick", "--system", name, "--level", "summary", "--no-abstain", "--json")
    said = [json.loads(line) for line in shell("debate", "--pairs", pairs, *words).splitlines()]
    rows = [row.prediction or {} for row in read_rows(tmp_path / "run")]
    keys = ("label", "probability", "faults")
    assert [[s[k] for k in keys] for s in said] == [[r[k] for k in keys] for r in rows]


#: The majority counts the claims it is given.
@pytest.mark.parametrize("name", [n for n in BASELINE_VERIFIERS if n != "majority" and n not in LARGER])
def test_verify_and_bench_run_agree(name: str, tmp_path: Path) -> None:
    shell("bench", "run", "causal", "-B", f"set={DATA / 'claims.jsonl'}", "--system", name, "--out", tmp_path / "run")
    rows = list(read_rows(tmp_path / "run"))
    lines: list[dict[str, Any]] = []
    for row in rows:
        evidence = [e["text"] for e in row.input["evidence"] if e["leaf"]]  # the benchmark gives no other
        lines.append({"id": row.id, "claim": row.input["claim"], "evidence": evidence})
    claims = tmp_path / "claims.jsonl"
    claims.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    words = ("--claims", claims, "--system", name, "--no-abstain", "--json")
    said = [json.loads(line) for line in shell("verify", *words).splitlines()]
    assert [WORDS.get(s["label"], s["label"]) for s in said] == [(row.prediction or {})["label"] for row in rows]
    assert len(said) == len(read_claims(DATA / "claims.jsonl"))

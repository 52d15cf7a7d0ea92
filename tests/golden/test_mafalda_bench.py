"""The recorded outputs published with MAFALDA through ``fallax bench``: the numbers of the reference."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from fallax.core.types import Score
from fallax.detection.benchmarks.mafalda_tables import reproduce
from fallax.runs.base import SystemSpec
from fallax.runs.runner import RunSpec, run_benchmark
from fallax.runs.scoring import score_run

DATA = Path(os.environ.get("FALLAX_DATA", "/nonexistent"))
EXPECTED = DATA.parent / "reference" / "expected_dev.json"
SUFFIX = "_level_2_results.jsonl"

pytestmark = pytest.mark.skipif(
    not (DATA / "mafalda_dev").is_dir() or not EXPECTED.is_file(),
    reason="needs mafalda_dev and the reference scores: set FALLAX_DATA",
)


def cells(scores: Any) -> dict[tuple[str, str, int], list[float]]:
    found = {}
    for name, score in scores.items():
        if name.endswith("-detection"):
            continue  # is there a fallacy at all: no table of the paper
        unit, level, *variant = name.split("-")
        assert isinstance(score, Score)
        values = [score["precision"], score["recall"], score["f1"]]
        assert all(value is not None for value in values)
        found[variant[0] if variant else "definition", unit, int(level)] = values
    return found  # type: ignore[return-value]


def test_all_recorded_models_give_the_reference_numbers(tmp_path: Path) -> None:
    wanted = json.loads(EXPECTED.read_text(encoding="utf-8"))["mafalda"]
    reproduced: dict[tuple[str, str, str, int], dict[str, float]] = {}
    for cell in reproduce(DATA / "mafalda_dev"):
        reproduced.setdefault((cell.model, cell.variant, cell.unit, cell.level), {})[cell.measure] = cell.value
    models = sorted(p.name.removesuffix(SUFFIX) for p in (DATA / "mafalda_dev" / "model_outputs").glob(f"*{SUFFIX}"))
    assert len(models) == 14
    for model in models:
        path = tmp_path / model
        spec = SystemSpec(f"recorded:{DATA / 'mafalda_dev'}", model_options={"model": model})
        result = run_benchmark(RunSpec("mafalda", spec, data=str(DATA)), path)
        assert result.scores.is_complete
        found = cells(result.scores.scores)
        assert len(found) == 12
        for (variant, unit, level), values in found.items():
            assert values == pytest.approx(wanted[variant][model][unit][str(level)], abs=1e-6), (model, variant, unit)
            assert values == list(reproduced[model, variant, unit, level].values())
        assert cells(score_run(path).scores) == found

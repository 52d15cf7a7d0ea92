"""The recorded outputs published with MAFALDA, against scores that were computed independently.

Source: `expected_dev.json` beside the data folder (computed by another program from the same files); the half of the
200 texts in `$FALLAX_DATA/mafalda_dev`.
"""

import json
import os
from pathlib import Path
from typing import Any, Literal

import pytest

from fallax.detection.benchmarks.mafalda_tables import read_recorded
from fallax.metrics import SoftSpan

DATA = Path(os.environ.get("FALLAX_DATA", "/nonexistent"))
EXPECTED = DATA.parent / "reference" / "expected_dev.json"

pytestmark = pytest.mark.skipif(
    not (DATA / "mafalda_dev").is_dir() or not EXPECTED.is_file(),
    reason="needs mafalda_dev and the reference scores: set FALLAX_DATA",
)


def expected() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(EXPECTED.read_text(encoding="utf-8"))["mafalda"]
    return found


@pytest.mark.parametrize("variant", ["definition", "published"])
def test_all_recorded_models_score_as_the_reference_says(variant: Literal["definition", "published"]) -> None:
    wanted = expected()[variant]
    runs = read_recorded(DATA / "mafalda_dev", variant=variant)
    assert set(runs.predictions) == set(wanted)
    for model, pred in runs.predictions.items():
        for unit in ("span", "text"):
            for level in (0, 1, 2):
                score = SoftSpan(level=level, unit=unit, variant=variant).corpus_score(pred=pred, gold=runs.gold)
                found = [score["precision"], score["recall"], score["f1"]]
                assert found == pytest.approx(wanted[model][unit][str(level)], abs=1e-6), (model, unit, level)

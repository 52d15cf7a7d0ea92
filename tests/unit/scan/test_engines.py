"""The examples for engines of others, run where these are installed; the labels are those of one process."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from fallax.scan import ScanJob, batch

ROOT = Path(__file__).parents[3]
TEXTS = [
    "You are a fool, so you are wrong about the bridge.",
    "The kettle boils at seven.",
    "Everyone in town thinks the tax is fair, so it must be.",
    "The meeting is on Monday.",
]


@pytest.mark.parametrize("engine", ["dask", "datatrove", "pyspark", "ray"])
def test_the_example_gives_the_labels_of_one_process(engine: str, tmp_path: Path) -> None:
    if find_spec(engine) is None:
        pytest.skip(f"needs {engine}: pip install {engine}")
    if engine == "pyspark" and shutil.which("java") is None:
        pytest.skip("Spark needs Java")
    (tmp_path / "in").mkdir()
    texts = tmp_path / "in" / "texts.jsonl"
    texts.write_text("".join(json.dumps({"id": f"t{i}", "text": t}) + "\n" for i, t in enumerate(TEXTS)))
    name = {"pyspark": "spark", "ray": "ray_data"}.get(engine, engine)
    given = str(texts.parent if engine == "datatrove" else texts)
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "FALLAX_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "engines" / f"with_{name}.py"), given, str(tmp_path / "out")],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    files = [p for p in sorted((tmp_path / "out").rglob("*")) if p.is_file() and "logs" not in p.parts]
    rows = [json.loads(line) for p in files if p.suffix != ".crc" for line in p.read_text().splitlines()]
    found = {row["text"]: row.get("metadata", row)["fallax_labels"] for row in rows}
    wanted = batch({"text": TEXTS}, job=ScanJob(min_confidence=0.5))["fallax_labels"]
    assert found == dict(zip(TEXTS, wanted, strict=True))
    assert wanted[0]

"""Detectors of somebody else that raise exceptions: one line that names them, and nothing else is lost."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import fallax as fx
from fallax.core.types import Prediction, Record, Span
from fallax.detection.systems import predict_with
from fallax.errors import DetectorError

ROOT = Path(__file__).parents[3]
#: A package as pip installs it.
PARTS = """
from fallax.core.types import Prediction, Span


class Breaks:
    name, taxonomy = "breaks@1", "mafalda"

    def detect(self, record, *, min_confidence=None):
        if "storm" in record.text:
            raise ValueError("no weights\\n\\x1b[31mhere")
        return Prediction(record.id, (Span(0, 3, "ad hominem", 0.9),))

    def evidence(self, record, span, *, limit=5):
        return ()

    def card(self):
        return {}


def unloadable():
    raise RuntimeError("no licence")


def register(add):
    add("detector", "breaks", Breaks)
    add("detector", "unloadable", unloadable)
"""
REASON = r"detector 'breaks@1' failed: ValueError: no weights\n\x1b[31mhere"


class Faulty:
    """A detector with one method that fails."""

    name, taxonomy = "faulty@1", "mafalda"

    def __init__(self, fails: str) -> None:
        self.fails = fails

    def _do(self, method: str) -> None:
        if method == self.fails:
            raise KeyError("weights")

    def detect(self, record: Record, *, min_confidence: float | None = None) -> Prediction:
        self._do("detect")
        return Prediction(record.id, (Span(0, 3, "ad hominem", 0.9),))

    def evidence(self, record: Record, span: Span, *, limit: int = 5) -> tuple[tuple[str, float], ...]:
        self._do("evidence")
        return ()

    def card(self) -> dict[str, Any]:
        self._do("card")
        return {}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three texts, and a package with detectors that fail."""
    folder = tmp_path_factory.mktemp("plugin")
    (folder / "breaking_parts.py").write_text(PARTS, encoding="utf-8")
    info = folder / "breaking_parts-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: breaking-parts\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[fallax.plugins]\nmine = breaking_parts:register\n")
    (folder / "texts").mkdir()
    for name, text in (("a", "It rains."), ("b", "The storm is here."), ("c", "It rains again.")):
        (folder / "texts" / f"{name}.txt").write_text(text)
    return folder


def shell(folder: Path, *words: object) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT / "src")])}
    command = [sys.executable, "-m", "fallax", *map(str, words)]
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("fails", ["detect", "evidence", "card"])
def test_python_gets_an_error_that_names_the_detector(fails: str) -> None:
    with pytest.raises(DetectorError) as raised:
        fx.detect("It rains.", system=Faulty(fails), explain=True)
    assert str(raised.value) == "record 'text': detector 'faulty@1' failed: KeyError: 'weights'"
    assert isinstance(raised.value.__cause__, KeyError)


def test_what_is_no_prediction_is_refused() -> None:
    class Silent(Faulty):
        def detect(self, record: Record, *, min_confidence: float | None = None) -> Any:
            return None

    with pytest.raises(DetectorError, match="'r1': detector 'faulty@1' must give a Prediction, got None"):
        predict_with(Silent(""), Record("r1", "It rains."))


def test_a_span_that_leaves_the_text_is_a_fault_of_the_detector() -> None:
    class Beyond(Faulty):
        def detect(self, record: Record, *, min_confidence: float | None = None) -> Prediction:
            return Prediction(record.id, (Span(0, 99, "ad hominem", 0.9),))

    with pytest.raises(DetectorError, match=r"'r1': detector 'faulty@1' gave a span that cannot be .*99"):
        predict_with(Beyond(""), Record("r1", "It rains."))


class Labels(Faulty):
    """Gives one label, and the evidence of a test."""

    def __init__(self, label: str, evidence: Any = ()) -> None:
        super().__init__("")
        self.label, self.said = label, evidence

    def detect(self, record: Record, *, min_confidence: float | None = None) -> Prediction:
        return Prediction(record.id, (Span(0, 8, self.label, 0.9),))

    def evidence(self, record: Record, span: Span, *, limit: int = 5) -> Any:
        return self.said


@pytest.mark.parametrize("level", [0, None])
def test_a_label_that_the_taxonomy_of_the_detector_does_not_have_is_a_fault_of_the_detector(level: int | None) -> None:
    with pytest.raises(DetectorError, match=r"gave a span that cannot be .*unknown label 'shouting'"):
        fx.detect("It rains.", system=Labels("shouting"), level=level)
    found = fx.detect("It rains.", system=Labels("Ad_Hominem"), level=level)
    assert [s.label for s in found.spans] == ["fallacy" if level == 0 else "ad hominem"]


@pytest.mark.parametrize("evidence", [None, ["rains"], [("rains", None)], 3], ids=repr)
def test_evidence_that_is_none_is_a_fault_of_the_detector(evidence: Any) -> None:
    with pytest.raises(DetectorError, match=r"record 'text': detector 'faulty@1' failed: (TypeError|ValueError)"):
        fx.detect("It rains.", system=Labels("ad hominem", evidence), explain=True)
    found = fx.detect("It rains.", system=Labels("ad hominem", [["rains", 1]]), explain=True)
    assert found.explanations[0].evidence == (("rains", 1.0),)


def test_clients_of_a_server_are_not_told_what_a_detector_raised() -> None:
    pytest.importorskip("starlette")
    from fallax.web.http import problem_of

    assert problem_of(DetectorError("detector 'faulty@1' failed: OSError: /srv/weights")) is None


def test_no_memory_is_no_fault_of_the_detector() -> None:
    class Huge(Faulty):
        def detect(self, record: Record, *, min_confidence: float | None = None) -> Prediction:
            raise MemoryError

    with pytest.raises(MemoryError):
        fx.detect("It rains.", system=Huge(""))


def test_detect_reports_the_text_and_examines_the_others(folder: Path) -> None:
    done = shell(folder, "detect", "texts", "--system", "breaks", "--json")
    assert done.returncode == 1
    assert done.stderr == f"fallax: error: texts/b.txt: not examined: {REASON}\n"
    said = [(v["record"]["id"], len(v["prediction"]["spans"])) for v in json.loads(done.stdout)]
    assert said == [("texts/a.txt", 1), ("texts/b.txt", 0), ("texts/c.txt", 1)]
    assert json.loads(done.stdout)[1]["prediction"]["unscored"] == REASON


def test_detect_shows_where_it_was_raised_if_asked(folder: Path) -> None:
    done = shell(folder, "detect", "texts/b.txt", "--system", "breaks", "-v")
    assert "breaking_parts.py" in done.stderr


def test_a_scan_names_the_detector_beside_the_place(folder: Path) -> None:
    done = shell(folder, "scan", "texts", "--system", "breaks", "--output", "scanned")
    assert done.returncode == 1
    assert f"texts/b.txt: {REASON}" in done.stderr + done.stdout
    (bad,) = (folder / "scanned" / "bad-000000.jsonl").read_text().splitlines()
    assert json.loads(bad)["reason"] == REASON


def test_a_benchmark_has_a_row_with_the_reason_for_a_text_that_fails(folder: Path) -> None:
    (folder / "gold.jsonl").write_text(json.dumps({"id": "g", "text": "The storm is here.", "gold": []}) + "\n")
    done = shell(folder, "bench", "run", "mafalda", "--data", "gold.jsonl", "--system", "detector:breaks", "-o", "run")
    assert done.returncode == 3
    (row,) = map(json.loads, (folder / "run" / "records.jsonl").read_text().splitlines())
    assert (row["status"], row["reason"]) == ("error", REASON)
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("words", [("detect", "texts"), ("scan", "texts", "-o", "none"), ("detectors", "show")])
def test_a_detector_that_cannot_be_loaded_is_one_line(folder: Path, words: tuple[str, ...]) -> None:
    option = () if words[-1] == "show" else ("--system",)
    done = shell(folder, *words, *option, "unloadable")
    assert done.returncode == 1
    assert done.stderr == "fallax: error: detector 'unloadable' failed: RuntimeError: no licence\n"

"""Parts by name, and packages of others that add some."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from fallax.core.registry import KINDS, Option, Registry, registry
from fallax.errors import InputError, UnknownNameError

PARTS = """
from dataclasses import dataclass, replace
from typing import ClassVar

from fallax.core.types import Prediction, Reply, Span
from fallax.data import DATASETS, FORMATS
from fallax.detection.benchmarks.annotated import LocalSystem
from fallax.detection.benchmarks.mafalda import Mafalda
from fallax.detection.protocols import SentenceProtocol
from fallax.metrics import Classification


class FirstWord:
    name, taxonomy = "first-word@1", "mafalda"

    def detect(self, record, *, min_confidence=None):
        return Prediction(record.id, (Span(0, 3, "ad hominem", 0.9),))

    def evidence(self, record, span, *, limit=5):
        return ()

    def card(self):
        return {}


class Generous:
    name, threshold, calibrated = "generous", 0.5, False

    def score(self, document, sentences):
        return [1.0 for _ in sentences]


class Quiet(LocalSystem):
    def __init__(self, taxonomy, *, seed):
        self.identity = {"system": "quiet"}

    def find(self, record, epoch, *, must=False):
        return Prediction(record.id)


@dataclass(frozen=True)
class Hits(Classification):
    name: ClassVar[str] = "hits"


class MyMafalda(Mafalda):
    name = "my-mafalda"
    about = "MAFALDA by another name"


class Always:
    def __init__(self, model, options):
        self.name = f"always/{model}"

    async def generate(self, request):
        return Reply("no fallacy")


class Supports:
    name = "supports"

    async def verify(self, claim):
        from fallax.core.types import Verification

        return Verification(claim.claim, claim.evidence, "supports", None, (), self.name, no_structure="never looks")


def register(add):
    add("detector", "first-word", FirstWord, about="flags the first three characters")
    add("judge", "generous", Generous, about="believes everything")
    add("system", "quiet", Quiet, about="says nothing")
    add("metric", "hits", "outside_parts:Hits", about="classification by another name")
    add("benchmark", "my-mafalda", "outside_parts:MyMafalda")
    add("provider", "always", Always, about="always says no")
    add("protocol", "polite", SentenceProtocol, about="as sentence")
    add("format", "fallax2", replace(FORMATS["fallax"], name="fallax2", own=False), about="as fallax")
    add("data set", "mafalda2", replace(DATASETS["mafalda"], name="mafalda2"), about="as mafalda")
    add("verifier", "supports", lambda *, classes, embedder: Supports(), about="always supports")
"""
USE = """
import asyncio, json, sys
import fallax as fx
from fallax.data import DATASETS, FORMATS
from fallax.metrics import parse_metric
from fallax.models import load_model
from fallax.runs.registry import BENCHMARKS

found = fx.detect("You lie.", system="first-word")
verdict = fx.debate("It rained.", "It snowed on Mars.", system="generous")
verified = fx.verify("It rained because it was wet.", ["It was wet."], system="supports")
asked = fx.detect("You lie.", model="always/x", protocol="polite")
print(json.dumps({
    "detector": found.spans[0].label, "judge": verdict.label, "verifier": verified.label, "provider": len(asked.spans),
    "metric": str(parse_metric("hits")), "format": FORMATS["fallax2"].title, "data set": DATASETS["mafalda2"].taxonomy,
    "benchmark": BENCHMARKS["my-mafalda"].about,
}))
"""


def test_a_registry_gives_parts_by_name() -> None:
    shelf: Registry[int] = Registry("metric")
    shelf.add("one", 1, about="the first", options=(Option("n", "whole number", "how many", 3),))
    shelf.add("pi", "math:pi")
    assert shelf["pi"] == pytest.approx(3.14159, abs=1e-4)
    assert (list(shelf)[:2], shelf.abouts["one"], shelf.options("one")[0].default) == (["one", "pi"], "the first", 3)


def test_what_cannot_be_added_is_refused() -> None:
    shelf: Registry[int] = Registry("metric")
    shelf.add("one", 1)
    with pytest.raises(InputError, match="metric 'one': must be added only once"):
        shelf.add("one", 2)
    with pytest.raises(InputError, match=r"must be 'module:attribute', got 'math\.pi'"):
        shelf.add("pi", "math.pi")
    with pytest.raises(InputError, match="the name must be a text, got ''"):
        shelf.add("", 1)
    with pytest.raises(UnknownNameError, match="unknown metric 'oen'; did you mean 'one'"):
        shelf.find("oen")
    with pytest.raises(UnknownNameError, match="kind of part"):
        registry("metrik")


def outside_package(folder: Path, register: str = "outside_parts:register") -> dict[str, str]:
    """A package as pip installs it: a module, and metadata with an entry point."""
    (folder / "outside_parts.py").write_text(PARTS, encoding="utf-8")
    info = folder / "outside_parts-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: outside-parts\nVersion: 1\n")
    (info / "entry_points.txt").write_text(f"[fallax.plugins]\nmine = {register}\n")
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])}


def test_a_package_outside_adds_one_of_each_kind(tmp_path: Path) -> None:
    made = subprocess.run(
        [sys.executable, "-c", USE], env=outside_package(tmp_path), capture_output=True, text=True, check=False
    )
    assert made.returncode == 0, made.stderr
    said = json.loads(made.stdout.splitlines()[-1])
    assert said == {
        "detector": "ad hominem", "judge": "faithful", "verifier": "supports", "provider": 0, "metric": "hits",
        "format": "fallax JSONL", "data set": "mafalda", "benchmark": "MAFALDA by another name",
    }  # fmt: skip
    added = {line.split('"')[1] for line in PARTS.splitlines() if line.strip().startswith("add(")}
    assert added == set(KINDS)


def test_the_shell_lists_what_a_package_outside_adds(tmp_path: Path) -> None:
    env = outside_package(tmp_path)
    for command, name in (("bench list", "my-mafalda"), ("detectors list", "first-word"), ("models list", "always/")):
        made = subprocess.run(
            [sys.executable, "-m", "fallax", *command.split()], env=env, capture_output=True, text=True, check=False
        )
        assert name in made.stdout, (command, made.stderr)


def test_a_part_that_cannot_be_imported_is_one_line(tmp_path: Path) -> None:
    env = outside_package(tmp_path)
    for value, why in (
        ("outside_parts:Nope", "has no attribute 'Nope'"),
        ("nowhere:Nope", "No module named 'nowhere'"),
    ):
        (tmp_path / "outside_parts.py").write_text(f"def register(add):\n    add('detector', 'gone', '{value}')\n")
        made = subprocess.run(
            [sys.executable, "-m", "fallax", "detect", "--system", "gone", "-"],
            env=env, input="It rains.", capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert made.returncode == 2, made.stderr
        (said,) = made.stderr.splitlines()
        assert said.startswith(f"fallax: error: detector 'gone' ({value}): cannot be imported: ")
        assert why in said


def test_a_broken_plugin_is_named_and_harms_nobody(tmp_path: Path) -> None:
    env = outside_package(tmp_path, "outside_parts:nothing_there")
    code = "from fallax.metrics import METRICS; print(len(METRICS))"
    made = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=False)
    assert made.returncode == 0
    assert "plugin 'mine' (outside_parts:nothing_there) could not be loaded" in made.stderr
    words = [sys.executable, "-m", "fallax", "detectors", "list"]
    made = subprocess.run(words, env=env, capture_output=True, text=True, check=False)
    assert made.stdout.startswith("encoder")
    (said,) = made.stderr.splitlines()
    assert said.startswith("fallax: note: plugin 'mine' (outside_parts:nothing_there) could not be loaded: ")

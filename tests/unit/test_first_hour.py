"""What somebody meets in the first hour: Python names, errors that help, short values, completion."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import fallax as fx

SRC = str(Path(__file__).parents[2] / "src")


@pytest.mark.parametrize(
    ("text", "more"), [(None, ""), (3, ""), (b"bytes", ""), (["a", "b"], "; many texts go to detect_many")]
)
def test_detect_says_what_it_needs(text: Any, more: str) -> None:
    with pytest.raises(fx.InputError, match=rf"text must be a text or a Record, got [^;]*{more}$"):
        fx.detect(text)


def test_detect_many_goes_through_texts_one_by_one() -> None:
    told: list[int] = []
    many: list[str | fx.Record] = ["The kettle is on.", fx.Record("own", "It boils at seven.")]
    texts = iter(many)
    found = fx.detect_many(texts, progress=told.append)
    assert next(found).record.id == "text-1"
    assert [f.record.id for f in found] == ["own"]
    assert told == [1, 2]
    with pytest.raises(fx.InputError, match="texts must be a list of texts, got one text"):
        next(fx.detect_many("one text"))


def test_public_values_are_at_the_top_and_short() -> None:
    record = fx.Record("r", "He lies. " * 10_000)
    found = fx.Detection(record, fx.Prediction("r", (fx.Span(0, 8, "ad hominem"),)), "demo")
    assert repr(found) == "<Detection of 'r': 1 spans in 90,000 characters: ad hominem>"
    assert all(getattr(fx, name) is not None for name in fx.__all__)


@pytest.mark.parametrize(
    ("receipt", "command"),
    [
        ("", "pip install 'fallax[serve]'"),
        ("pipx_metadata.json", "pipx runpip fallax install 'fallax[serve]'"),
        ("uv-receipt.toml", "uv pip install --python '{here}' 'fallax[serve]'"),
    ],
)
def test_a_missing_extra_is_installed_where_fallax_is(
    receipt: str, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = tmp_path / "fallax"
    here.mkdir()
    if receipt:
        (here / receipt).touch()
    monkeypatch.setattr(sys, "prefix", str(here))
    said = str(fx.errors.MissingExtraError("the web server", extra="serve"))
    assert said == f"the web server is not installed; install it with: {command.format(here=here)}"


def complete(words: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-m", "fallax"],
        capture_output=True,
        text=True,
        check=False,
        env={
            **os.environ,
            "PYTHONPATH": SRC,
            "_FALLAX_COMPLETE": "complete_bash",
            "COMP_WORDS": words,
            "COMP_CWORD": str(len(words.split(" ")) - 1),
        },
    )
    return set(done.stdout.split())


def test_completion_knows_commands_and_what_is_below_them() -> None:
    assert {"detect", "debate", "detectors"} <= complete("fallax de")
    assert {"verify"} <= complete("fallax bench ver")
    assert {"--explain"} <= complete("fallax detect --exp")

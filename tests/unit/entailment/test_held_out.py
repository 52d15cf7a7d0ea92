"""The statements made up by hand, and the benchmark that measures on them and on what was kept from training."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support.scripts import script

FOLDER = Path(__file__).parents[3] / "data" / "plain_statements"


def rows_of(name: str, part: str | None = None) -> list[dict[str, Any]]:
    lines = [line for path in sorted(FOLDER.glob(f"{name}*.jsonl")) for line in path.read_text("utf-8").splitlines()]
    return [row for row in map(json.loads, lines) if part in (None, row["part"])]


def test_the_fresh_part_gives_no_label_away() -> None:
    statements = rows_of("statements", "fresh")
    assert Counter(r["label"] for r in statements) == {"entailed": 30, "not_entailed": 30}
    for document in {r["document"] for r in statements}:
        own = [r["label"] for r in statements if r["document"] == document]
        assert len(own) == 5
        assert own.count("entailed") in (2, 3)
    assert all(
        len({r["label"] for r in statements if r["kind"] == kind}) == 2 for kind in {r["kind"] for r in statements}
    )
    claims = rows_of("claims", "fresh")
    assert set(Counter((" ".join(r["evidence"]), r["label"]) for r in claims).values()) == {1}
    assert len(claims) == 24


@pytest.mark.parametrize("name", ["statements", "claims"])
def test_the_page_counts_the_kinds_as_they_are_in_the_files(name: str) -> None:
    page = (FOLDER / "README.md").read_text(encoding="utf-8")
    head, _, *rows = page[page.index(f"| kind of {name[:-1]} |") :].partition("\n\n")[0].splitlines()
    parts = re.findall(r"`(\w+)`", head)
    counted = {row.split("|")[1].strip(): [int(x) for x in row.split("|")[2:-1]] for row in rows}
    lines = rows_of(name)
    found = Counter((row["kind"], row["part"]) for row in lines)
    assert {part for _, part in found} == set(parts)
    assert counted == {kind: [found[kind, part] for part in parts] for kind, _ in found}


@pytest.mark.parametrize(("part", "documents"), [("fresh", 12), ("studied", 16), ("aside", 16), ("late", 24)])
def test_no_document_of_a_part_stands_in_another(part: str, documents: int) -> None:
    rows = rows_of("statements")
    assert len({r["id"] for r in rows}) == len(rows) == 694
    own = {r["document"] for r in rows if r["part"] == part}
    assert len(own) == documents
    assert not own & {r["document"] for r in rows if r["part"] != part}


def test_the_parts_studied_and_aside_are_even_together() -> None:
    statements = [r for part in ("studied", "aside") for r in rows_of("statements", part)]
    assert set(Counter((r["kind"], r["label"]) for r in statements).values()) <= {9, 10}
    claims = [r for part in ("studied", "aside") for r in rows_of("claims", part)]
    assert set(Counter(r["label"] for r in claims).values()) == {80}


def test_the_part_late_gives_no_label_away() -> None:
    statements = rows_of("statements", "late")
    assert set(Counter((r["label"], r["wording"]) for r in statements).values()) == {60}
    assert set(Counter((r["document"], r["label"]) for r in statements).values()) == {5}
    claims = rows_of("claims", "late")
    assert set(Counter((" ".join(r["evidence"]), r["label"]) for r in claims).values()) == {1}
    assert len(claims) == 90


def test_auc_and_intervals() -> None:
    held_out = script("entailment_held_out", "benchmarks")
    values = np.array([[1.0, 3.0], [1.0, 1.0], [0.0, 2.0], [0.0, 1.0]])
    assert held_out.auc(values) == 0.625  # of four pairs two right, one wrong, one tied
    assert held_out.auc_of_pairs(np.array([[3.0, 2.0], [1.0, 1.0]])) == 0.625
    assert held_out.ordered(np.array([[3.0, 2.0], [1.0, 1.0]])) == 0.75
    rows = [held_out.Row("one", "k", (1.0, 2.0)), held_out.Row("one", "k", (0.0, 1.0))]
    assert held_out.with_interval(rows, held_out.auc) == "1.000 [1.000, 1.000]", "one document: nothing to resample"


def test_it_prints_every_table(capsys: pytest.CaptureFixture[str]) -> None:
    held_out = script("entailment_held_out", "benchmarks")
    held_out.main(["-n", "2"])
    said = capsys.readouterr().out
    for begin in ("Frames held out", "Frames of evidence", "Plain relations", "Plain statements", 'The part "late"',
                  "Shortened", "People who change places", "Passages held out, by corpus", "Passages held out, by kind",
                  "Scenes held out, by corpus", "Scenes held out, by kind", "Claims about causes"):  # fmt: skip
        assert f"\n{begin}" in said
    assert "| fresh | 2 | 2 |" in said


@pytest.mark.parametrize("n", ["0", "-1"])
def test_fewer_than_one_item_is_refused_in_one_line(n: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        script("entailment_held_out", "benchmarks").main([f"-n{n}"])
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.splitlines()[-1].endswith(f"error: argument -n: must be 1 or more, got {n}; leave it out for all")


def test_weights_without_a_calibration_have_readings_alone(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    held_out = script("entailment_held_out", "benchmarks")
    use = held_out.models_of(None)
    monkeypatch.setattr(held_out, "models_of", lambda _: held_out.Models(use.model, None, None, None, None))
    held_out.main(["-n", "2", "--parts", "plain", "claims"])
    said = capsys.readouterr().out
    assert "| - [-, -] | - [-, -] | - | - |" in said
    assert "Claims" not in said

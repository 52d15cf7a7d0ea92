"""The table of decodings: what it counts, and what it refuses; skipped without torch."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from fallax.detection.systems import SentenceDetector
from fallax.detection.systems.decoding import Decoding

pytest.importorskip("torch")
examples = pytest.importorskip("fallax.detection.training.examples")
BENCHMARKS = Path(__file__).parents[3] / "benchmarks"


class Said:
    """Gives "one" .6 of the first label and "two" .6 of the second; "three" nothing."""

    labels: tuple[str, ...] = ("ad hominem", "ad populum")

    def probabilities(self, sentences: Sequence[str], *, title: str = "") -> npt.NDArray[np.float64]:
        rows = {"one": (0.6, 0.0), "two": (0.0, 0.6), "three": (0.0, 0.1)}
        return np.array([rows[s] for s in sentences])


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module("detector_decodings")


def example(*sentences: str, labels: tuple[tuple[int, ...], ...], group: str = "g") -> Any:
    n = len(sentences)
    flagged = tuple(float(bool(c)) for c in labels)
    return examples.SentenceExample(group, "", sentences, flagged, (1.0,) * n, labels)


def test_sentences_found_and_right_are_counted_by_hand(table: Any) -> None:
    detector = SentenceDetector("said", "mafalda", Said(), Decoding(0.5, relabel_cost=0.0), {})
    found, right = table.found_and_right(detector, [example("one", "two", "three", labels=((0,), (0,), (1,)))])
    assert (found, right) == (pytest.approx(2 / 3), pytest.approx(1 / 3))  # "three" missed, "two" with another label


def test_a_line_for_each_pair_of_costs(
    table: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tried: list[tuple[float, float]] = []

    def choose(detector: SentenceDetector, held: Any) -> float:
        tried.append((detector.decoding.change_cost, detector.decoding.relabel_cost))
        assert [len(own) for own in held.sources.values()] == [1, 1], "--limit"
        return 0.5

    written = [example("one", labels=((0,),), group=str(i)) for i in range(40)]
    monkeypatch.setattr(
        table, "load_detector", lambda _: SentenceDetector("said", "mafalda", Said(), Decoding(0.9), {})
    )
    monkeypatch.setattr(table, "HOLD_OUT", 1)
    monkeypatch.setattr(table, "sources", lambda: {"data/passages": written, "reddit": written})
    monkeypatch.setattr(table, "comments_with_fallacy", lambda: [example("three", labels=((0,),))])
    monkeypatch.setattr(table, "choose", choose)
    joined = [("1", "alone", "9", "0.70", ""), ("2", "a paragraph each", "9", "0", "")]
    monkeypatch.setattr(table, "joined_rows", lambda *_: joined)
    table.main(["1,2", "0,.5", "--limit", "1"])
    said = capsys.readouterr().out
    assert "| 1, 2 | 0.50 | 0.70 | 0.00, 0.000 | 1.00, 1.000 |\n| 0, .5 | 0.50 | 0.70 |" in said
    assert tried == [(1.0, 2.0), (0.0, 0.5)]


@pytest.mark.parametrize("words", [["1"], ["1,x"], ["1,-1"], ["nan,1"], ["1,inf"], ["--texts", "0"], ["--limit", "0"]])
def test_what_is_no_pair_of_costs_is_refused_in_one_line(
    table: Any, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        table.main(words)
    assert "error: argument" in capsys.readouterr().err.splitlines()[-1]

"""Simple systems and the comparison of systems."""

import json
from pathlib import Path

import pytest

from fallax.core.sealed import dump_sealed
from fallax.core.types import GoldSpan, Prediction, Record, Span
from fallax.detection.benchmarks.annotated import SYSTEMS
from fallax.detection.comparison import (
    compare,
    definition_predictions,
    run_predictions,
    share_flagged,
    tfidf_predictions,
)
from fallax.detection.train import mean_f1
from fallax.errors import InputError
from fallax.runs.base import SystemSpec
from fallax.runs.runner import RunSpec, run_benchmark

TEXT = "You are an idiot. The lamp stands there."
GOLD = (Record("a", TEXT, (GoldSpan(0, 17, ("ad hominem",)),)), Record("b", "The lamp stands there.", ()))


class Told:
    """A detector that says what it was told."""

    name = "told@1"
    taxonomy = "mafalda"

    def __init__(self, *spans: Span) -> None:
        self.spans = spans

    def detect(self, record: Record, *, min_confidence: float | None = None) -> Prediction:
        return Prediction(record.id, self.spans if record.id == "a" else ())

    def evidence(self, record: Record, span: Span, *, limit: int = 5) -> tuple[tuple[str, float], ...]:
        return ()

    def card(self) -> dict[str, object]:
        return {}


def test_tfidf_learns_the_words_of_passages(tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    rows = [
        {"id": f"a-f{i}", "label": "ad hominem", "kind": "fallacy", "style": "x", "text": f"⟦You idiot, number {i}.⟧"}
        for i in range(6)
    ] + [
        {
            "id": f"a-n{i}",
            "label": None,
            "kind": "near_miss",
            "style": "x",
            "text": f"The lamp stands there, {i} times.",
        }
        for i in range(6)
    ]
    (tmp_path / "p.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows), encoding="utf-8")
    first, second = tfidf_predictions(GOLD, tmp_path)
    assert first.spans == (Span(0, 17, "ad hominem"),)
    assert second.spans == ()


def test_the_nearest_definition_is_that_of_what_is_said() -> None:
    text = "Next they will ban one thing, and step by step it leads to a disaster in the end. The lamp stands there."
    (found,) = definition_predictions([Record("a", text)])
    assert [s.label for s in found.spans] == ["slippery slope"]
    assert definition_predictions([Record("b", "")]) == (Prediction("b"),)


def test_compare_tests_each_system_against_the_first() -> None:
    right = tuple(Prediction(r.id, tuple(Span(g.start, g.end, g.labels[0]) for g in r.gold or ())) for r in GOLD)
    silent = tuple(Prediction(r.id) for r in GOLD)
    seen: list[str] = []
    rows = compare(GOLD, {"right": right, "silent": silent}, n_resamples=200, progress=seen.append)
    assert seen == ["right", "silent"]
    assert rows[0].test == {}
    assert rows[0].f1["span", 2][0] == 1.0
    assert rows[1].f1["text", 0][0] == 0.5
    assert rows[1].test["text", 0][0] == 0.5
    assert len(rows[1].to_dict()["cells"]) == 6
    with pytest.raises(InputError, match="at least one system"):
        compare(GOLD, {})


def test_mean_f1_is_one_for_gold_and_half_for_silence() -> None:
    assert mean_f1(Told(Span(0, 17, "ad hominem")), GOLD, "mafalda") == 1.0
    assert mean_f1(Told(), GOLD, "mafalda") == 0.5


def test_a_run_stands_beside_detectors_if_it_is_of_all_texts(tmp_path: Path) -> None:
    gold = tmp_path / "gold.jsonl"
    gold.write_text("".join(json.dumps(r.to_dict()) + "\n" for r in GOLD))
    spec = RunSpec("mafalda", SystemSpec("keywords"), data=str(gold))
    run_benchmark(spec, tmp_path / "run")
    with pytest.raises(InputError, match="all 3 texts, lacks 1, 'c' first"):
        run_predictions(tmp_path / "run", (*GOLD, Record("c", "Third.", ())))
    path = tmp_path / "run" / "run.json"
    said = json.loads(path.read_text())
    path.write_bytes(dump_sealed({**said, "benchmark": "causal"}))
    with pytest.raises(InputError, match="a run of the benchmark mafalda"):
        run_predictions(tmp_path / "run", GOLD)


def test_the_share_of_flagged_sentences_counts_each_once() -> None:
    assert share_flagged(Told(Span(0, 17, "ad hominem"), Span(3, 10, "straw man")), GOLD) == 1 / 3
    assert share_flagged(Told(), GOLD) == 0.0
    with pytest.raises(InputError, match="at least one sentence"):
        share_flagged(Told(), [Record("empty", "")])


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_simple_system_says_the_same_wherever_it_is_named(name: str, tmp_path: Path) -> None:
    gold = tmp_path / "gold.jsonl"
    gold.write_text("".join(json.dumps(r.to_dict()) + "\n" for r in GOLD))
    run_benchmark(RunSpec("mafalda", SystemSpec(name), data=str(gold), seed=5), tmp_path / "run")
    system = SYSTEMS[name]("mafalda", seed=5)
    assert [p.spans for p in run_predictions(tmp_path / "run", GOLD)] == [system.find(r, 0).spans for r in GOLD]

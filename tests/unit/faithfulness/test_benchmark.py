"""The benchmark of faithfulness: scores from rows alone, systems by name, what they cost."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from fallax.core.types import ChatModel, FaithfulnessRecord, Usage
from fallax.errors import InputError, ModelError, UnknownNameError
from fallax.faithfulness.benchmarks.faithfulness import Faithfulness, answer_of, tokens_of_run
from fallax.faithfulness.systems import METHODS
from fallax.models import ScriptedModel
from fallax.runs.base import Answer, Row, Sample, SystemSpec
from fallax.runs.registry import load_benchmark
from fallax.runs.runner import RunSpec, run_benchmark

RECORDS = [
    FaithfulnessRecord("a", "It rained.", "It rained.", "faithful", False, group="d1", source="one"),
    FaithfulnessRecord("b", "It rained.", "It snowed.", "unfaithful", False, group="d1", source="one"),
    FaithfulnessRecord("c", "It rained.", "Weather came.", "faithful", True, ("Vagueness",), "d2", "two"),
    FaithfulnessRecord("d", "It rained.", "It hailed.", "unfaithful", None, group="d2", source="two"),
]


@pytest.fixture
def records(tmp_path: Path) -> Path:
    path = tmp_path / "records.jsonl"
    path.write_text("".join(json.dumps(r.to_dict()) + "\n" for r in RECORDS), encoding="utf-8")
    return path


def no_second(_name: str, _options: Any) -> ChatModel:
    raise AssertionError("no second model is needed here")


def says(label: int, more: str = "") -> str:
    return f"<label>{label}</label><explanation>so</explanation>{more}"


def honest(request: Any) -> str:
    text = request.messages[-1].content
    if "<taxonomy>" in text:
        return says(int("Weather" in text), "<type>Vagueness</type>")
    return says(int("<summary>\nIt rained." in text))


def rows_of(benchmark: Faithfulness, spec: SystemSpec, model: ChatModel) -> list[Row]:
    options = {"protocol": spec.protocol or "zero-shot", "options": spec.protocol_options, "seed": 0, "load": no_second}
    system = benchmark.with_model(model, **options)  # type: ignore[arg-type]
    samples = list(benchmark.samples())
    return [Row.of(s, asyncio.run(system.answer(s, epoch=0)), position=i, epoch=0) for i, s in enumerate(samples)]


def test_samples_keep_gold_from_judges(records: Path) -> None:
    samples = list(Faithfulness(options={"file": str(records)}).samples())
    assert [s.id for s in samples] == ["a", "b", "c", "d"]
    assert samples[2].gold == {"label": "faithful", "ambiguous": True, "types": ["Vagueness"]}
    assert set(samples[2].input) == {"document", "summary", "source", "group"}


def test_scores_come_from_rows_alone(records: Path) -> None:
    benchmark = Faithfulness(options={"file": str(records)})
    spec = SystemSpec("scripted:x", "zero-shot", {"ambiguity": "taxonomy"})
    rows = [Row.from_dict(json.loads(json.dumps(r.to_dict()))) for r in rows_of(benchmark, spec, ScriptedModel(honest))]
    scores = Faithfulness().score(rows)
    assert list(scores) == ["verdict", "verdict-unambiguous", "verdict-kept", "ambiguity", "cost"]
    # c is called unfaithful: one of two faithful ones is wrong
    assert (scores["verdict"]["fpr"], scores["verdict"]["fnr"], scores["verdict"]["balanced_accuracy"]) == (
        0.5,
        0,
        0.75,
    )
    assert scores["verdict-unambiguous"]["balanced_accuracy"] == 1
    assert scores["verdict-unambiguous"].n_scored == 2
    assert (scores["verdict-kept"]["balanced_accuracy"], scores["verdict-kept"].n_scored) == (1, 3)
    assert scores["ambiguity"]["balanced_accuracy"] == 1
    assert dict(scores["ambiguity"].unscored) == {"d": "not annotated"}
    assert scores["cost"]["calls"] == 2
    assert set(scores["verdict"].parts["source"]) == {"one", "two"}
    assert scores["verdict"].n_replies == 8


def test_what_cannot_be_read_is_unscored_and_counted(records: Path) -> None:
    model = ScriptedModel(lambda r: "No idea." if "It hailed" in r.messages[-1].content else honest(r))
    rows = rows_of(Faithfulness(options={"file": str(records)}), SystemSpec("scripted:x", "zero-shot"), model)
    assert [r.status for r in rows] == ["ok", "ok", "ok", "unreadable"]
    score = Faithfulness().score(rows)["verdict"]
    assert (dict(score.unscored), score.n_unreadable) == ({"d": "no label"}, 1)


def test_rows_with_errors_are_unscored() -> None:
    sample = Sample("a", {"document": "d", "summary": "s"}, {"label": "faithful", "ambiguous": None, "types": []})
    row = Row.of(sample, Answer(None, "error", "endpoint down"), position=0, epoch=0)
    scores = Faithfulness().score([row])
    assert dict(scores["verdict"].unscored) == {"a": "endpoint down"}
    assert scores["cost"]["calls"] is None


@pytest.mark.parametrize("method", [m for m in METHODS if m != "log-odds"])
def test_all_judges_run_on_the_same_records(records: Path, method: str) -> None:
    options = {"n": 3} if method == "self-consistency" else {}
    rows = rows_of(
        Faithfulness(options={"file": str(records)}), SystemSpec("x", method, options), ScriptedModel(honest)
    )
    assert [r.prediction["label"] for r in rows] == ["faithful", "unfaithful", "unfaithful", "unfaithful"]
    calls = {"zero-shot": 1, "chain-of-thought": 1, "self-consistency": 3}
    assert {r.usage.calls for r in rows} == {calls.get(method, 12 if "sessions" in method else 4)}
    assert all(len(r.replies) == r.usage.calls for r in rows)


def test_a_report_shows_sentences_reasons_and_the_debate(records: Path) -> None:
    benchmark = Faithfulness(options={"file": str(records)})
    options = {"ambiguity": "taxonomy"}
    rows = rows_of(benchmark, SystemSpec("x", "madisse", options), ScriptedModel(honest))
    view = Faithfulness().view(rows[2])
    assert (view.gold_label, view.predicted_label) == ("faithful", "unfaithful")
    details = dict(view.details)
    assert (details["verdict"], details["people call it"]) == ("ambiguous", "ambiguous; Vagueness")
    assert "at fault" not in details  # what is ambiguous is no fault
    assert details["ambiguity, by taxonomy"] == "Vagueness; so"
    assert "agent 4 (starts" in details["debate"]


def test_replies_are_kept_once(records: Path) -> None:
    rows = rows_of(Faithfulness(options={"file": str(records)}), SystemSpec("x", "madisse"), ScriptedModel(honest))
    assert "raw" not in json.dumps(rows[0].prediction)
    assert rows[0].replies[0]["text"] == says(1)


def test_local_judges_are_baselines(records: Path) -> None:
    benchmark = Faithfulness(options={"file": str(records)})
    for name in benchmark.baselines:
        system = benchmark.baseline(name, seed=0)
        answers = [asyncio.run(system.answer(s, epoch=0)) for s in benchmark.samples()]
        assert all(a.status == "ok" and a.usage == Usage() for a in answers)


@pytest.mark.parametrize(
    ("protocol", "options", "message"),
    [
        ("zero-shot", {"agentz": 3}, "did you mean 'agents'"),
        ("zero-shot", {"ambiguity": "arguments"}, "known: taxonomy"),
        ("madisse", {"stances": "1+/9-"}, "those of 4 agents"),
        ("madisse", {"variant": "author"}, "did you mean 'authors'"),
        ("zero-shot", {"think": True}, "think: must be left out of protocol 'zero-shot', it is read by self-cons"),
        ("madisse", {"like": "runs/debate"}, "like: must be left out of protocol 'madisse', it is read by self-cons"),
        ("zero-shot", {"n": 3}, "n: must be left out of protocol 'zero-shot', it is read by self-consistency alone"),
        ("zero-shot", {"calibration": "c.json"}, "calibration: .* it is read by log-odds alone"),
        ("zero-shot", {"long_documents": "chunk"}, "'chunk' must come with context_tokens"),
        ("zero-shot", {"long_documents": "cut"}, "unknown policy for long documents"),
        ("self-consistency", {"like": 5}, "^5: must be a run folder"),
    ],
)
def test_options_that_nobody_knows_are_refused(protocol: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message.replace("+", r"\+")):
        Faithfulness().with_model(ScriptedModel(honest), protocol=protocol, options=options, seed=0, load=no_second)


def test_a_document_that_does_not_fit_is_unreadable_before_anything_is_asked(records: Path) -> None:
    model = ScriptedModel(honest)
    spec = SystemSpec("x", "zero-shot", {"context_tokens": 9})
    rows = rows_of(Faithfulness(options={"file": str(records)}), spec, model)
    assert all(r.status == "unreadable" and "must fit into the model's context" in r.reason for r in rows)
    assert model.requests == []


def test_self_consistency_at_the_tokens_of_a_debate(records: Path, tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text(json.dumps([{"reply": says(1), "usage": {"prompt_tokens": 90, "completion_tokens": 10}}]))
    options = {"file": str(records)}
    debate = RunSpec("faithfulness", SystemSpec(f"scripted:{script}", "madisse", {"stances": "none"}), None, options)
    run_benchmark(debate, tmp_path / "debate")
    assert tokens_of_run(tmp_path / "debate") == dict.fromkeys("abcd", 400)
    spec = SystemSpec(f"scripted:{script}", "self-consistency", {"like": str(tmp_path / "debate")})
    run_benchmark(RunSpec("faithfulness", spec, None, options), tmp_path / "sc")
    assert tokens_of_run(tmp_path / "sc") == dict.fromkeys("abcd", 400)


def test_errors_of_models_are_raised_for_the_runner(records: Path) -> None:
    with pytest.raises(ModelError):
        rows_of(
            Faithfulness(options={"file": str(records)}),
            SystemSpec("x", "madisse"),
            ScriptedModel([{"error": "rate_limit"}]),
        )


def test_published_numbers_are_those_of_the_set_and_level() -> None:
    sentence = load_benchmark("faithfulness").published()
    assert {p.value for p in sentence if p.system == "AlignScore"} == {0.726}
    assert {p.value for p in sentence if p.score == "ambiguity" and "arguments" in p.system} == {0.714}
    summary = load_benchmark("faithfulness", options={"level": "summary"}).published()
    assert {(p.measure, p.value) for p in summary if p.system == "Llama3-70B madisse"} == {
        ("balanced_accuracy", 0.7508),
        ("krippendorff_alpha", 0.5),
        ("fpr", 0.25),
        ("fnr", 0.265),
    }
    sessions = {(p.system, p.measure): p.value for p in (*sentence, *summary) if "sessions" in p.system}
    assert sessions["Llama3-70B madisse-sessions-agents", "krippendorff_alpha"] == 0.57
    assert {p.value for p in sentence if p.system == "Llama3-70B madisse-sessions"} == {0.7913, 0.54}
    without = [p for p in summary if p.system == "Llama3-70B madisse-no-stances"]
    assert [(p.measure, p.value, p.source[-8:]) for p in without] == [
        ("balanced_accuracy", 0.691, " table 3"),
        ("krippendorff_alpha", 0.4, " table 3"),
        ("fpr", 0.0358, "table 35"),
        ("fnr", 0.5816, "table 35"),
    ]
    assert load_benchmark("faithfulness", options={"set": "frank"}).published() == ()


def test_unknown_sets_are_refused() -> None:
    with pytest.raises(UnknownNameError):
        list(load_benchmark("faithfulness", options={"set": "x"}).samples())


def test_an_answer_without_a_label_says_why(records: Path) -> None:
    from fallax.core.types import FaithfulnessVerdict, UnitVerdict

    answer = answer_of(
        FaithfulnessVerdict("j", (UnitVerdict(0, 1, "x", None, unscored="the debate stayed undecided"),))
    )
    assert (answer.status, answer.reason) == ("unreadable", "the debate stayed undecided")


def test_a_drawn_part_is_even_over_labels_or_ambiguity(records: Path) -> None:
    for strata, field in (("label", "label"), ("ambiguity", "ambiguous")):
        bench = Faithfulness(options={"file": str(records), "strata": strata})
        assert [bench.stratum(s) for s in bench.samples()] == [str(s.gold[field]) for s in bench.samples()]
    bad = Faithfulness(options={"file": str(records), "strata": "length"})
    with pytest.raises(InputError, match="strata: must be label or ambiguity"):
        bad.samples()

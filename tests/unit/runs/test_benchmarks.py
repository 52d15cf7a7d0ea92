"""The benchmarks on made-up data, with every kind of system they know."""

import json
import math
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from fallax.core.taxonomies import load_taxonomy
from fallax.detection.systems.cues import CUES, find_cues
from fallax.errors import FormatError, InputError, UnknownNameError
from fallax.faithfulness.systems import DebateSettings
from fallax.models import Cache, ScriptedModel
from fallax.runs.base import SystemSpec
from fallax.runs.folder import read_rows
from fallax.runs.registry import BENCHMARKS, benchmark_class, load_benchmark
from fallax.runs.runner import RunResult, RunSpec, run_benchmark

TEXTS = ["You fool. So you are wrong.", "It rains. The street is wet.", "Everybody knows that. Buy it."]
LABELS = [[[0, 9, "ad hominem"], [0, 9, "nothing"]], [], [[0, 21, "ad populum"]]]
OUTPUTS = [
    {"You fool.": "Ad hominem.", "So you are wrong.": "no"},
    {"It rains.": "Hm."},
    {"Everybody knows that.": "no"},
]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder of data sets with two or three texts each."""
    root = tmp_path / "data"
    mafalda = root / "mafalda"
    (mafalda / "model_outputs").mkdir(parents=True)
    rows = [{"text": t, "labels": labels, "comments": []} for t, labels in zip(TEXTS, LABELS, strict=True)]
    (mafalda / "gold.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    said = [{"text": t, "prediction": p} for t, p in zip(TEXTS, OUTPUTS, strict=True)]
    for model in ("one", "two"):
        path = mafalda / "model_outputs" / f"{model}_level_2_results.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in said))
    ptc = root / "ptc_nlp4if2019"
    (ptc / "articles").mkdir(parents=True)
    (ptc / "labels-FLC").mkdir()
    for number, text in ((7, "Title\n\nThey are fools. Doubt it.\n"), (8, "Rain\n\nIt rained today.\n")):
        (ptc / "articles" / f"article{number}.txt").write_text(text)
    (ptc / "labels-FLC" / "article7.task-FLC.labels").write_text("7\tName_Calling,Labeling\t7\t22\n7\tDoubt\t23\t32\n")
    (ptc / "labels-FLC" / "article8.task-FLC.labels").write_text("")
    (root / "logic").mkdir()
    logic = [("You fool, so it fails.", "ad hominem"), ("Everybody knows it.", "ad populum")]
    (root / "logic" / "dev.jsonl").write_text(
        "".join(
            json.dumps({"row": i, "source_article": text, "label": label}) + "\n"
            for i, (text, label) in enumerate(logic)
        )
    )
    return root


def run(data: Path, benchmark: str, system: str, protocol: str | None = None, **more: Any) -> RunResult:
    options = more.pop("options", {})
    spec = RunSpec(benchmark, SystemSpec(system, protocol, model_options=more), data=str(data), options=options)
    return run_benchmark(spec, data.parent / f"run-{benchmark}-{system.replace('/', '-')}-{protocol}")


def scripted(folder: Path, rules: list[dict[str, Any]]) -> str:
    path = folder / "script.json"
    path.write_text(json.dumps(rules))
    return f"scripted:{path}"


@pytest.mark.parametrize("name", sorted(BENCHMARKS))
def test_every_benchmark_says_what_it_is(name: str) -> None:
    found = benchmark_class(name)
    assert found.name == name
    assert found.about
    bench = load_benchmark(name, data="/nowhere")
    assert load_benchmark(name, options=bench.settings()).settings() == bench.settings()
    for value in bench.published():
        assert math.isfinite(value.value)
        assert value.source


def test_mafalda_baselines(data: Path) -> None:
    silent = run(data, "mafalda", "silent").scores
    # The first text allows "no fallacy", the second has none, the third must have one.
    assert silent.scores["span-2"]["f1"] == pytest.approx(2 / 3)
    asked = {f"{unit}-{level}" for unit in ("span", "text") for level in (0, 1, 2)}
    assert set(silent.scores) == asked | {"sentence-detection", "text-detection"}
    keywords = run(data, "mafalda", "keywords").scores
    assert keywords.scores["text-2"]["f1"] == 1
    first = (run(data, "mafalda", "random").path / "records.jsonl").read_bytes()
    spec = RunSpec("mafalda", SystemSpec("random"), data=str(data), seed=1)
    other = run_benchmark(spec, data.parent / "other").path / "records.jsonl"
    labels = {s["label"] for row in read_rows(data.parent / "other") for s in row.prediction["spans"]}
    assert labels <= set(load_taxonomy("mafalda").names)
    assert other.read_bytes() != first


def test_mafalda_takes_a_file_a_folder_or_a_folder_of_sets(data: Path) -> None:
    found = [run_benchmark(RunSpec("mafalda", SystemSpec("silent"), data=str(place)), data.parent / str(i)).scores
             for i, place in enumerate((data, data / "mafalda", data / "mafalda" / "gold.jsonl"))]  # fmt: skip
    assert len({json.dumps({k: s["f1"] for k, s in one.scores.items()}) for one in found}) == 1
    assert len({one.run["data"]["hash"] for one in found}) == 1


def test_recorded_outputs_are_read_in_both_ways(data: Path) -> None:
    result = run(data, "mafalda", f"recorded:{data / 'mafalda'}", model="one").scores
    assert result.scores["text-2"]["f1"] == pytest.approx(2 / 3)
    assert result.scores["span-2"].n_unreadable == 1
    # The unreadable reply is a wrong label in the paper's tables, and so is every "no".
    assert result.scores["span-1-published"]["f1"] == pytest.approx((2 / 3) / 3)
    path = data / "mafalda" / "model_outputs" / "one_level_2_results.jsonl"
    same = run(data, "mafalda", f"recorded:{path}").scores
    assert {k: s.values for k, s in same.scores.items()} == {k: s.values for k, s in result.scores.items()}


def test_recorded_outputs_that_cannot_be_used_say_why(data: Path) -> None:
    folder = data / "mafalda"
    with pytest.raises(InputError, match="holds outputs of 2 models; choose with -M model=NAME: one, two"):
        run(data, "mafalda", f"recorded:{folder}")
    with pytest.raises(UnknownNameError, match="unknown recorded model 'three'"):
        run(data, "mafalda", f"recorded:{folder}", model="three")
    path = folder / "model_outputs" / "one_level_2_results.jsonl"
    with pytest.raises(UnknownNameError, match="option of recorded outputs"):
        run(data, "mafalda", f"recorded:{path}", temperature=1)
    with pytest.raises(InputError, match="leave --protocol out"):
        run(data, "mafalda", f"recorded:{path}", "sentence")
    path.write_text(json.dumps({"text": TEXTS[0], "prediction": OUTPUTS[0]}) + "\n")
    result = run(data, "mafalda", f"recorded:{path}")
    assert result.n_errors == 2
    assert "nothing recorded about the text of" in next(r.reason for r in read_rows(result.path) if r.status == "error")
    path.write_text(path.read_text() + json.dumps({"text": TEXTS[0], "prediction": {"You fool.": "no"}}) + "\n")
    with pytest.raises(FormatError, match=r":2: a text must have one set of replies"):
        run(data, "mafalda", f"recorded:{path}", None)
    with pytest.raises(FormatError, match="recorded calls must be readable"):
        run(data, "mafalda", "recorded:nothing-here.jsonl")


def test_a_model_is_asked_sentence_by_sentence(data: Path) -> None:
    model = scripted(data, [{"match": 'Sentence: "You fool."', "reply": "ad hominem"}, {"reply": "no"}])
    result = run(data, "mafalda", model, "sentence").scores
    assert result.scores["span-2"]["precision"] == pytest.approx(2 / 3)
    assert result.counts.usage.calls == 6
    assert "span-2-published" in result.scores
    rows = list(read_rows(data.parent / f"run-mafalda-{model.replace('/', '-')}-sentence"))
    assert [r["where"] for r in rows[0].replies] == ["You fool.", "So you are wrong."]
    assert all(len(r["call"]) == 64 for row in rows for r in row.replies)
    assert "prompt" in result.scores["span-2"].signature.settings


def test_a_model_is_asked_about_the_whole_document(data: Path) -> None:
    good = '{"fallacies": [{"quote": "Everybody knows that.", "label": "ad populum"}]}'
    rules = [
        {"match": "Everybody", "reply": good},
        {"match": "rains", "reply": "I refuse."},
        {"reply": '{"fallacies": []}'},
    ]
    result = run(data, "mafalda", scripted(data, rules), "whole-document").scores
    assert (result.counts.ok, result.counts.unreadable) == (2, 1)
    score = result.scores["span-2"]
    assert (score["f1"], score.n_scored, score.n_unscored) == (1.0, 2, 1)
    assert set(score.unscored.values()) == {"no complete JSON object or array"}
    assert not any(name.endswith("published") for name in result.scores)


def test_protocol_options_reach_the_requests(data: Path) -> None:
    spec = SystemSpec(scripted(data, [{"reply": "no"}]), "sentence", {"max_tokens": 7})
    result = run_benchmark(RunSpec("mafalda", spec, data=str(data)), data.parent / "run")
    assert result.scores.run["system"]["protocol_options"] == {"max_tokens": 7}
    odd = SystemSpec(spec.name, "sentence", {"agents": 4})
    with pytest.raises(UnknownNameError, match="unknown option of protocol 'sentence': 'agents'"):
        run_benchmark(RunSpec("mafalda", odd, data=str(data)), data.parent / "other")


def test_propaganda_scores_fragments(data: Path) -> None:
    reply = '{"fallacies": [{"quote": "They are fools.", "label": "Name_Calling,Labeling"}]}'
    model = scripted(data, [{"match": "They are fools", "reply": reply}, {"reply": '{"fallacies": []}'}])
    result = run(data, "propaganda", model, "whole-document").scores
    assert result.scores["flc"].values == pytest.approx({"precision": 1.0, "recall": 0.5, "f1": 2 / 3})
    assert result.scores["flc-official"].values == pytest.approx({"precision": 1.0, "recall": 0.5, "f1": 2 / 3})
    assert run(data, "propaganda", "silent").scores.scores["flc"]["f1"] == 0
    direct = run_benchmark(
        RunSpec("propaganda", SystemSpec("random"), data=str(data / "ptc_nlp4if2019")), data.parent / "direct"
    )
    assert direct.scores.run["data"]["n_samples"] == 2
    with pytest.raises(UnknownNameError, match="unknown set 'ptc'"):
        run(data, "propaganda", "silent", options={"set": "ptc"})


def test_fallacies_maps_labels_through_the_crosswalk(data: Path) -> None:
    options = {"set": "logic"}
    keywords = run(data, "fallacies", "keywords", options=options).scores
    assert keywords.scores["logic"]["accuracy"] == 1
    assert set(keywords.scores) == {"all", "logic"}
    silent = run(data, "fallacies", "silent", options=options).scores
    assert silent.scores["all"]["accuracy"] == 0
    # what a set has no word for is wrong and no class: the mean runs over the labels of the gold alone
    assert not any("no fallacy" in key for key in silent.scores["all"].sums)
    model = scripted(data, [{"match": "Everybody", "reply": '{"label": "Ad Populum"}'}, {"reply": "no idea"}])
    asked = run(data, "fallacies", model, options=options).scores
    assert asked.scores["all"]["accuracy"] == 1
    assert (asked.counts.unreadable, asked.scores["all"].n_unscored) == (1, 1)
    assert run(data, "fallacies", "random", options=options).scores.scores["all"].n_scored == 2
    with pytest.raises(InputError, match="data set 'alhindi_climate_covid': must be in"):
        run(data, "fallacies", "silent")
    for odd in ("logik", 3):
        with pytest.raises(InputError, match="set"):
            load_benchmark("fallacies", options={"set": odd}).settings()


def test_detectors_can_be_tried_everywhere(data: Path) -> None:
    for benchmark, options in (("mafalda", {}), ("propaganda", {}), ("fallacies", {"set": "logic"})):
        result = run(data, benchmark, "detector:linear", options=options)
        assert result.scores.is_complete
        assert "linear" in json.dumps(result.scores.run["system"]["identity"])
    with pytest.raises(UnknownNameError, match="unknown detector 'linera'"):
        run(data, "mafalda", "detector:linera")


def test_data_that_are_not_there_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="must be a folder or a file with data, found nothing there"):
        run(tmp_path / "none", "mafalda", "silent")
    with pytest.raises(InputError, match="data set 'mafalda': must be in"):
        run(tmp_path, "mafalda", "silent")


def test_cues_are_of_the_taxonomy_and_find_the_earliest() -> None:
    assert set(CUES) == set(load_taxonomy("mafalda").names)
    assert list(find_cues("It is ridiculous, and either you see it or you do not.")) == [
        "appeal to ridicule",
        "false dilemma",
    ]
    assert list(find_cues("The train leaves at noon.")) == []


def test_recorded_calls_replay_a_run_elsewhere(data: Path) -> None:
    model = scripted(data, [{"match": 'Sentence: "You fool."', "reply": "ad hominem"}, {"reply": "no"}])
    spec = RunSpec("mafalda", SystemSpec(model, "sentence"), data=str(data), epochs=2)
    with Cache(data / "calls.sqlite") as cache:
        live = run_benchmark(spec, data.parent / "live", cache=cache)
        cache.export_calls(data / "calls.jsonl")
    spec = RunSpec("mafalda", SystemSpec(f"recorded:{data / 'calls.jsonl'}", "sentence"), data=str(data), epochs=2)
    replayed = run_benchmark(spec, data.parent / "replayed")
    assert replayed.scores.is_complete
    values = [{k: s.values for k, s in r.scores.scores.items()} for r in (live, replayed)]
    assert values[0] == values[1]
    assert replayed.scores.counts.usage.calls == live.scores.counts.usage.calls == 12
    whole = SystemSpec(f"recorded:{data / 'calls.jsonl'}", "whole-document")
    failed = run_benchmark(RunSpec("mafalda", whole, data=str(data)), data.parent / "whole")
    assert failed.n_errors == 3


@pytest.mark.parametrize("name", [n for n in BENCHMARKS if benchmark_class(n).protocols])
def test_a_typing_error_in_an_option_names_the_near_one(name: str) -> None:
    found = load_benchmark(name)
    for protocol in found.protocols:
        listed = found.protocol_options(protocol)
        assert "max_tokens" in listed
        assert all(listed.values())
        with pytest.raises(UnknownNameError, match="'max_token'; did you mean 'max_tokens'"):
            found.with_model(
                ScriptedModel([]),
                protocol=protocol,
                options={"max_token": 5},
                seed=0,
                load=lambda *_: ScriptedModel([]),
            )
    for option in found.options:
        with pytest.raises(UnknownNameError, match=f"did you mean '{option}'"):
            load_benchmark(name, options={f"{option}_": 1})


def test_a_debate_lists_every_setting_as_an_option() -> None:
    listed = benchmark_class("faithfulness").protocol_options("madisse")
    assert {f.name for f in fields(DebateSettings)} - {"seed", "learn"} <= set(listed)
    assert "rounds" not in benchmark_class("faithfulness").protocol_options("zero-shot")
    assert "n" in benchmark_class("faithfulness").protocol_options("self-consistency")

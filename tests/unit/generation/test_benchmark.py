"""The benchmarks of SmartyPat on a few sentences of our own: judges, recordings, twins, raters."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from fallax.cli import main
from fallax.core.types import Score
from fallax.errors import InputError, UnknownNameError
from fallax.generation.benchmarks.smartypat import SmartyPat, SmartyPatQuality
from fallax.generation.benchmarks.smartypat_tables import reproduce
from fallax.runs.base import Row, SystemSpec
from fallax.runs.runner import RunSpec, run_benchmark
from fallax.runs.scoring import score_run

ITEMS: list[dict[str, Any]] = [
    {
        "id": "a",
        "text": "I sang and then it rained, so my song made the rain.",
        "labels": ["false_cause"],
        "twin": {"text": "Water fell on the sand and then it was wet, so the water made it wet."},
        "method": "template",
        "model": "",
        "seed": 7,
    },
    {
        "id": "b",
        "text": "A bank holds money, and the river has a bank, so the river holds money.",
        "labels": ["Equivocation", "False Analogy"],
        "twin": "A bank holds money, and this town has a bank, so something in this town holds money.",
        "method": "smartypat",
        "model": "here/writer",
        "seed": 7,
    },
]


def jsonl(path: Path, rows: list[dict[str, Any]]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


@pytest.fixture
def items(tmp_path: Path) -> str:
    return jsonl(tmp_path / "items.jsonl", ITEMS)


def run(name: str, system: SystemSpec, folder: Path, **more: Any) -> tuple[dict[str, Score], list[Row]]:
    result = run_benchmark(RunSpec(name, system, **more), folder / "run", cache=None)
    rows = [Row.from_dict(json.loads(line)) for line in (folder / "run" / "records.jsonl").read_text().splitlines()]
    assert result is not None
    return dict(score_run(folder / "run").scores), rows


def script(path: Path, *rules: dict[str, Any]) -> SystemSpec:
    return SystemSpec(f"scripted:{jsonl(path / 'script.jsonl', list(rules))}")


def test_intervals_draw_a_fallacy_with_its_twin_and_a_sentence_with_all_its_fallacies(items: str) -> None:
    for benchmark, groups in (
        (SmartyPat, ["a", "a", "b", "b"]),
        (SmartyPatQuality, [ITEMS[i]["text"] for i in (0, 1, 1)]),
    ):
        made = benchmark(options={"set": items})
        assert [made.group(Row(0, 0, s.id, dict(s.input), s.gold, "ok")) for s in made.samples()] == groups


def test_samples_keep_what_is_right_from_the_system(items: str) -> None:
    samples = list(SmartyPat(options={"set": items}).samples())
    assert [s.id for s in samples] == ["a", "a-twin", "b", "b-twin"]
    assert all(set(s.input) == {"text"} for s in samples)
    assert samples[0].gold == {"kind": "fallacy", "labels": ["False Cause"], "source": "template"}
    assert samples[1].gold["twin_of"] == "a"
    assert [s.id for s in SmartyPat(options={"set": items, "twins": "no"}).samples()] == ["a", "b"]


def test_a_judge_is_scored_on_detection_labels_and_twins(items: str, tmp_path: Path) -> None:
    benign = tmp_path / "benign.txt"
    benign.write_text("It is Monday.", encoding="utf-8")
    system = script(
        tmp_path,
        {"match": "song", "reply": '{"logic_error": "yes", "logic_fallacies": "1. false cause"}'},
        {"match": "river", "reply": '{"logic_error": "yes", "logic_fallacies": ["false premise"]}'},
        {"match": "this town", "reply": "I would not know."},
        {"reply": '{"logic_error": "no", "logic_fallacies": []}'},
    )
    options = {"set": items, "benign": str(benign)}
    scores, rows = run("smartypat", system, tmp_path, options=options)
    assert [row.status for row in rows] == ["ok", "ok", "ok", "unreadable", "ok"]
    assert rows[3].reason == "no JSON with logic_error, and no field of that name"
    assert (scores["detection"]["f1"], scores["detection"]["fpr"]) == (1.0, 0.0)
    assert scores["labels"]["score"] == 0
    assert scores["labels-published"]["score"] == -2
    assert scores["labels"].parts["source"]["template"]["score"] == 1
    assert scores["twins"]["discrimination"] == 1
    assert dict(scores["twins"].unscored) == {"b": "twin: no JSON with logic_error, and no field of that name"}


@pytest.mark.parametrize(("name", "found"), [("all-fallacious", 0), ("all-sound", 0)])
def test_constant_judges_tell_no_twins_apart(name: str, found: float, items: str, tmp_path: Path) -> None:
    scores, _ = run("smartypat", SystemSpec(name), tmp_path, options={"set": items})
    assert scores["twins"]["discrimination"] == scores["twins"]["informedness"] == found
    assert scores["labels"]["score"] == pytest.approx(0 if name == "all-fallacious" else -2 * 3.180134)


def test_a_random_judge_repeats_with_its_seed(items: str, tmp_path: Path) -> None:
    first = run("smartypat", SystemSpec("random"), tmp_path / "1", options={"set": items}, seed=3)[1]
    second = run("smartypat", SystemSpec("random"), tmp_path / "2", options={"set": items}, seed=3)[1]
    assert first == second


def test_a_pair_that_is_not_complete_yet_is_no_pair(items: str, tmp_path: Path) -> None:
    scores, rows = run("smartypat", SystemSpec("all-sound"), tmp_path, options={"set": items}, limit=3)
    assert len(rows) == 3
    assert scores["twins"].n_scored == 1


def recordings(folder: Path) -> Path:
    """A folder in the layout of the published recordings."""
    folder.mkdir()
    (folder / "SmartyPat_label.csv").write_text(
        '1,"Is it so?","False Cause, Equivocation","It is so."\n2,Why?,False Premise,"Because, therefore so."\n'
    )
    (folder / "SmartyPat_logic_sound.csv").write_text("1,It is Monday.\n")
    answers = {
        "SmartyPat": [
            {"id": 2, "logic_error": "no", "logic_fallacies": "none"},
            {"id": 1, "logic_error": "yes", "logic_fallacies": "1. Equivocation, x (not listed)"},
        ],
        "SmartyPat_logic_sound": [{"id": 1, "logic_error": "yes", "logic_fallacies": []}],
    }
    for name, rows in answers.items():
        path = folder / "model_outputs" / name / "some-model.json"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(rows))
    return folder


def test_recorded_answers_take_the_same_road_as_reproduce(tmp_path: Path) -> None:
    folder = recordings(tmp_path / "data")
    for path, options in ((folder, {"model": "some-model"}), (folder / "model_outputs/SmartyPat/some-model.json", {})):
        system = SystemSpec(f"recorded:{path}", model_options=options)
        scores, rows = run("smartypat", system, tmp_path / path.name, data=str(folder))
        (row,) = reproduce(folder)
        assert [r.id for r in rows] == ["1", "2", "benign-1"]
        assert scores["labels"]["score"] == row.strict["score"]
        assert scores["labels-published"]["score"] == row.script["score"] == -4.68
        assert scores["detection"].values == row.detection.values
        assert row.to_dict()["label_count"] == 2


def test_recordings_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    folder = recordings(tmp_path / "data")
    with pytest.raises(InputError, match="holds answers of 1 models; choose with -M model=NAME: some-model"):
        run("smartypat", SystemSpec(f"recorded:{folder}"), tmp_path, data=str(folder))
    with pytest.raises(UnknownNameError, match="unknown recorded model 'other'"):
        run("smartypat", SystemSpec(f"recorded:{folder}", model_options={"model": "other"}), tmp_path, data=str(folder))
    file = folder / "model_outputs" / "SmartyPat" / "some-model.json"
    for text, message in (
        ("{}", "must be one JSON list of answers, got dict"),
        ("[", "must be JSON, got "),
        ("[3]", "none of its answers is about a sentence of the set"),
        ('[{"id": 9, "logic_error": "no"}]', "none of its answers is about a sentence of the set"),
    ):
        file.write_text(text)
        with pytest.raises(InputError, match=message):
            reproduce(folder)


def test_irregular_recordings_are_counted_told_and_passed_over(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    folder = recordings(tmp_path / "data")
    answers = folder / "model_outputs" / "SmartyPat"
    right = json.loads((answers / "some-model.json").read_text())
    (plain,) = reproduce(folder)
    odd = [{**right[0], "id": f" {right[0]['id']} "}, *right[1:]]
    odd += [
        right[0],
        "Error: 503",
        {"logic_error": "no"},
        {"id": 503, "logic_error": "no"},
        {"id": " ", "logic_error": "no"},
    ]
    (answers / "odd-model.json").write_text(json.dumps(odd))
    benign = folder / "model_outputs" / "SmartyPat_logic_sound"
    (benign / "odd-model.json").write_bytes((benign / "some-model.json").read_bytes())
    (answers / "broken.json").write_text("[{")
    (answers / "notes.txt").write_text("ask again")
    (answers / ".DS_Store").write_bytes(b"x")
    (folder / "model_outputs" / "backup").mkdir()
    rows = {row.model: row for row in reproduce(folder)}
    assert rows["some-model"] == plain
    assert rows["odd-model"].to_dict() == {**plain.to_dict()}
    assert rows["odd-model"].skipped == {
        "a second answer to one sentence": 1,
        "str instead of an answer": 1,
        "without an id": 2,
        "about no sentence of the set": 1,
    }
    with pytest.raises(SystemExit) as done:
        main(["reproduce", "smartypat", "--from", str(folder)])
    told = capsys.readouterr()
    assert done.value.code == 0
    assert "odd-model: 1 answers skipped: about no sentence of the set" in told.err
    for name in ("broken.json", "notes.txt", ".DS_Store", "backup"):
        assert name in told.err
    assert "Table 11" in told.out
    assert max(map(len, told.out.splitlines())) <= 80


def test_absent_and_unreadable_answers_are_left_out_and_counted(tmp_path: Path) -> None:
    folder = recordings(tmp_path / "data")
    file = folder / "model_outputs" / "SmartyPat" / "some-model.json"
    file.write_text('[{"id": 2, "logic_error": "maybe"}]')
    (row,) = reproduce(folder)
    assert (row.n_absent, row.detection.n_unscored) == (1, 1)
    assert row.to_dict()["n"] == 0
    assert row.to_dict()["f1_script"] == {"fp": None, "fn": None, "tp": None, "f1": None}
    assert row.to_dict()["fnr"] is None


def test_options_are_checked(items: str) -> None:
    with pytest.raises(UnknownNameError, match="unknown value of twins 'perhaps'"):
        SmartyPat(options={"set": items, "twins": "perhaps"}).settings()
    with pytest.raises(UnknownNameError, match="unknown option"):
        SmartyPat(options={"sets": items})


def test_a_rater_scores_every_fallacy_of_a_sentence_three_times(items: str, tmp_path: Path) -> None:
    system = script(
        tmp_path,
        {"match": '"type": "False Analogy"', "reply": "no idea"},
        {"match": "river", "reply": '[{"number": 1, "score": 2}]'},
        {"reply": '[{"number": 1, "score": 3}]'},
    )
    scores, rows = run("smartypat-quality", system, tmp_path, options={"set": items})
    assert [row.id for row in rows] == ["a", "b Equivocation", "b False Analogy"]
    assert rows[0].prediction["scores"] == [3, 3, 3]
    assert len(rows[0].replies) == 3
    assert rows[2].status == "unreadable"
    assert (scores["quality"]["mean"], scores["quality"].n_unscored) == (2.5, 1)
    assert scores["quality"].parts["source"]["smartypat"]["mean"] == 2


def test_a_rater_may_not_rate_what_it_wrote(items: str, tmp_path: Path) -> None:
    system = script(tmp_path, {"reply": '[{"number": 1, "score": 3}]'})
    own = [{**ITEMS[0], "model": "script.jsonl"}, {**ITEMS[1], "model": system.name}]
    file = jsonl(tmp_path / "own.jsonl", own)
    with pytest.raises(InputError, match="must be rated by another model than wrote it"):
        run("smartypat-quality", system, tmp_path, options={"set": file})
    allowed = SystemSpec(system.name, protocol_options={"same_model": True, "runs": 1})
    scores, _ = run("smartypat-quality", allowed, tmp_path / "2", options={"set": file})
    assert scores["quality"]["mean"] == 3


def test_options_of_the_rater_are_checked(items: str, tmp_path: Path) -> None:
    system = script(tmp_path, {"reply": "3"})
    for options, message in (({"runs": "many"}, "runs and max_tokens must be whole numbers"), ({"n": 3}, "unknown")):
        spec = SystemSpec(system.name, protocol_options=options)
        with pytest.raises(InputError, match=message):
            run("smartypat-quality", spec, tmp_path, options={"set": items})


@pytest.mark.skipif(
    not (Path(os.environ.get("FALLAX_DATA", "/nonexistent")) / "smartypat_dev").is_dir(),
    reason="needs smartypat_dev: set FALLAX_DATA",
)
def test_parts_of_smartypat_bench_are_there_with_table_12() -> None:
    benchmark = SmartyPat(options={"set": "augmented"})
    samples = list(benchmark.samples())
    assert sum(s.gold["kind"] == "fallacy" for s in samples) == 110
    assert sum(s.gold["kind"] == "benign" for s in samples) == 251
    assert len({s.id for s in samples}) == len(samples)
    assert {p.value for p in benchmark.published() if p.system == "Grok-2"} == {470}
    posts = list(SmartyPatQuality(options={"set": "posts"}).samples())
    assert len(posts) == 320
    assert all(s.input["type"] in s.gold["labels"] for s in posts)

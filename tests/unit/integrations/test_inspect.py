"""Benchmarks as tasks of Inspect AI, and runs as its logs: the numbers are those of the runner on the same replies."""

import asyncio
import json
import sys
import tomllib
import warnings
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from fallax.cli import main
from fallax.core.types import Message, Request
from fallax.errors import FallaxError, InputError, MissingExtraError, UnknownNameError
from fallax.integrations import inspect_tasks
from fallax.integrations.inspect_log import export_run
from fallax.integrations.inspect_tasks import benchmark_task, measures_of
from fallax.models.inspect_bridge import InspectModel
from fallax.runs.base import SystemSpec
from fallax.runs.folder import read_rows
from fallax.runs.registry import BENCHMARKS, benchmark_class
from fallax.runs.runner import RunSpec, run_benchmark
from fallax.runs.scoring import score_run

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    reason = "Inspect AI is not installed: pip install 'fallax[inspect]'"
    inspect_ai: Any = pytest.importorskip("inspect_ai", reason=reason)
    logs: Any = pytest.importorskip("inspect_ai.log", reason=reason)
    api: Any = pytest.importorskip("inspect_ai.model", reason=reason)

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")

TEXTS: list[dict[str, Any]] = [
    {"text": "She is a liar. So the tax is wrong.", "labels": [[0, 14, "ad hominem"]]},
    {"text": "Everyone buys it. Hence it is good.", "labels": [[0, 17, "ad populum"], [18, 35, "nothing"]]},
    {"text": "Either we ban cars or we all choke.", "labels": [[0, 35, "false dilemma"]]},
    {"text": "The shop opens at nine.", "labels": []},
]


def said(question: str) -> str:
    """What the model says: right here, wrong there, and once nothing that can be read."""
    if "opens at nine" in question:
        return "I would rather not say."
    found = [("Everyone buys it.", "ad populum"), ("Either we ban", "straw man"), ("She is a liar.", "ad hominem")]
    items = [{"quote": q, "label": label} for q, label in found if q in question]
    return json.dumps({"fallacies": items})


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("data") / "texts.jsonl"
    rows = ({**t, "to_add": False} for t in TEXTS)
    path.write_text("".join(json.dumps(r) + "\n" for r in rows), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def run(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the same texts with the same replies by the runner."""
    folder = tmp_path_factory.mktemp("run")
    rules = [{"match": t["text"], "reply": said(t["text"])} for t in TEXTS]
    script = folder / "rules.json"
    script.write_text(json.dumps(rules), encoding="utf-8")
    system = SystemSpec(f"scripted:{script}", "whole-document")
    run_benchmark(RunSpec("mafalda", system, str(data), epochs=2), folder / "run", cache=folder / "calls.db")
    return folder / "run"


def mock() -> Any:
    def answer(messages: Any, tools: Any, choice: Any, config: Any) -> Any:
        made = api.ModelOutput.from_content("mockllm/model", said(messages[-1].text))
        made.usage = api.ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)  # else it looks for a tokenizer
        return made

    return api.get_model("mockllm/model", custom_outputs=answer, memoize=False)


def test_task_has_the_numbers_of_the_runner(data: Path, run: Path, tmp_path: Path) -> None:
    task = inspect_tasks.tasks()["mafalda"](protocol="whole-document", data=str(data))
    (log,) = inspect_ai.eval(task, model=mock(), epochs=2, log_dir=str(tmp_path), display="none")
    assert log.status == "success"
    (score,) = log.results.scores
    ours = score_run(run)
    wanted = measures_of(benchmark_class("mafalda")(), ours.scores)
    assert {name: metric.value for name, metric in score.metrics.items()} == wanted
    assert 0 < wanted["span-2/f1"] < 1
    assert next(iter(score.metrics)) == "span-2/f1"
    assert (score.scored_samples, score.unscored_samples) == (ours.counts.ok, ours.counts.unreadable) == (6, 2)
    rows = list(read_rows(run))
    by_place = {(s.id, s.epoch - 1): s for s in log.samples}
    assert by_place.keys() == {(r.id, r.epoch) for r in rows}
    for row in rows:
        found = by_place[row.id, row.epoch].scores["fallax_score"]
        if row.status == "ok":
            assert json.loads(found.answer) == row.prediction
        else:
            assert (found.reason, found.explanation) == ("unreadable", row.reason)
    again = logs.read_eval_log(log.location)
    assert again.results == log.results


FILES = Path(__file__).parents[3] / "harness" / "inspect"


def test_every_benchmark_is_a_task_file_of_a_clone() -> None:
    assert {f.stem.replace("_", "-") for f in FILES.glob("*.py")} == set(inspect_tasks.tasks())
    for file in FILES.glob("*.py"):
        (found,) = inspect_ai.list_tasks(file.name, root_dir=FILES)
        assert found.name == file.stem.replace("_", "-")


def test_a_task_file_has_the_numbers_of_the_runner(
    data: Path, run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(FILES)
    args = {"protocol": "whole-document", "data": str(data)}
    (log,) = inspect_ai.eval(
        "mafalda.py", model=mock(), task_args=args, epochs=2, log_dir=str(tmp_path), display="none"
    )
    assert log.status == "success"
    wanted = measures_of(benchmark_class("mafalda")(), score_run(run).scores)
    assert {name: metric.value for name, metric in log.results.scores[0].metrics.items()} == wanted


def test_tasks_are_all_benchmarks_that_ask_models() -> None:
    assert inspect_tasks.tasks() == inspect_tasks.TASKS
    assert set(inspect_tasks.tasks()) == {name for name in BENCHMARKS if benchmark_class(name).protocols}


def test_entry_point_names_the_tasks() -> None:
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    ((name, value),) = project["entry-points"]["inspect_ai"].items()
    assert name == "fallax"
    assert "mafalda" in EntryPoint(name, value, "inspect_ai").load()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"protocol": "shout"}, "benchmark 'mafalda': unknown protocol 'shout'; known: sentence, whole-document"),
        ({"splt": "dev"}, "benchmark 'mafalda': unknown task parameter 'splt'; did you mean 'split'?"),
        ({"seed": "x"}, "task parameter seed must be a whole number of 0 or more, got 'x'"),
        ({"data": "/nowhere"}, "/nowhere: must be a folder or a file with data, found nothing there"),
    ],
)
def test_bad_parameters_of_a_task_are_one_line(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as error:
        benchmark_task("mafalda", **options)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_unknown_benchmark() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'mafalda'"):
        benchmark_task("mafald")


def test_failed_call_is_an_error_and_never_a_score(data: Path, tmp_path: Path) -> None:
    def answer(messages: Any, tools: Any, choice: Any, config: Any) -> Any:
        if "liar" in messages[-1].text:
            raise ConnectionError("the line broke")
        made = api.ModelOutput.from_content("mockllm/model", '{"fallacies": []}')
        made.usage = api.ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return made

    model = api.get_model("mockllm/model", custom_outputs=answer, memoize=False)
    task = benchmark_task("mafalda", protocol="whole-document", data=str(data))
    (log,) = inspect_ai.eval(task, model=model, log_dir=str(tmp_path), display="none", fail_on_error=False)
    (failed,) = [s for s in log.samples if s.error]
    assert "the line broke" in failed.error.message
    assert not failed.scores
    assert log.results.scores[0].scored_samples == 3


def test_limit_of_inspect_is_not_taken_for_a_failure_of_the_model() -> None:
    class LimitExceededError(Exception):
        pass

    class Model:
        async def generate(self, messages: Any, config: Any) -> Any:
            raise LimitExceededError

    with pytest.raises(LimitExceededError):
        asyncio.run(InspectModel.around(Model()).generate(Request((Message("user", "?"),))))


@pytest.mark.parametrize("name", ["run.eval", "run.json"])
def test_exported_run_is_read_by_inspect(name: str, run: Path, tmp_path: Path) -> None:
    out = export_run(run, tmp_path / name, cache=run.parent / "calls.db")
    log = logs.read_eval_log(str(out))
    ours = score_run(run)
    assert (log.status, log.eval.task, len(log.samples)) == ("success", "fallax/mafalda", 8)
    found = {n: m.value for n, m in log.results.scores[0].metrics.items()}
    assert found == measures_of(benchmark_class("mafalda")(), ours.scores)
    assert log.eval.metadata["signature"] == ours.run["signature"]
    sample = next(s for s in log.samples if "liar" in s.input)
    asked, answered = sample.messages
    assert "She is a liar" in asked.text
    assert answered.text == said("She is a liar.")
    assert json.loads(sample.target) == next(r.gold for r in read_rows(run) if r.id == sample.id)
    unread = next(s for s in log.samples if "nine" in s.input)
    assert unread.scores["fallax_score"].reason == "unreadable"
    assert [p.name for p in tmp_path.iterdir()] == [name]


def test_exported_run_without_its_cache_shows_the_replies(run: Path, tmp_path: Path) -> None:
    log = logs.read_eval_log(str(export_run(run, tmp_path / "run.eval")))
    assert [m.role for m in log.samples[0].messages] == ["assistant"]


def test_exported_unfinished_run_and_hostile_text(data: Path, tmp_path: Path) -> None:
    texts = tmp_path / "texts.jsonl"
    texts.write_text('{"text": "<script>alert(1)</script> \\ud800 So it is.", "labels": []}\n', encoding="utf-8")
    run_benchmark(RunSpec("mafalda", SystemSpec("silent"), str(texts)), tmp_path / "run")
    log = logs.read_eval_log(str(export_run(tmp_path / "run", tmp_path / "run.json")))
    assert log.samples[0].input == "<script>alert(1)</script> ? So it is."


def test_export_from_the_shell(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "run.eval"
    with pytest.raises(SystemExit) as stop:
        main(
            ["bench", "export", str(run), "--to", "inspect", "--output", str(out), "--cache", str(tmp_path / "none.db")]
        )
    assert not stop.value.code
    assert capsys.readouterr().out.split() == [str(out)]
    assert not (tmp_path / "none.db").exists()


@pytest.mark.parametrize(
    ("out", "message"), [("run.txt", "must end in .eval or .json"), ("file/run.eval", "must be a file that can be")]
)
def test_export_to_a_bad_place_is_one_line(out: str, message: str, run: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(FallaxError, match=message) as error:
        export_run(run, tmp_path / out)
    assert "\n" not in str(error.value)


def test_without_inspect_the_error_names_the_extra(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "inspect_ai.log", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'fallax\[inspect\]'"):
        export_run(run, tmp_path / "run.eval")

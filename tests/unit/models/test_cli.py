import json
import os
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from fallax.cli.models import app
from fallax.errors import FormatError, ModelError, UnknownNameError
from fallax.models.larger import LargerModel
from fallax.models.weights import Weights, WeightsProgress, find_weights


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("FALLAX_CACHE", "FALLAX_MAX_COST"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def run(*arguments: str | Path, text: str | None = None) -> Result:
    return CliRunner().invoke(app, [str(a) for a in arguments], input=text)


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "script.json"
    path.write_text(json.dumps([{"match": "France", "reply": "Paris"}, {"match": "fail", "error": "authentication"}]))
    return path


def test_list_names_every_kind(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("FALLAX_MODELS", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "200")
    shown = run("list").stdout
    for name in ("local/smollm2-135m", "openai/MODEL", "inspect/", "recorded:PATH", "scripted:PATH", "vllm/MODEL"):
        assert name in shown
    assert "fallax models fetch qwen2.5-coder-1.5b" in shown
    assert "fallax models fetch entailment-large" in shown
    assert "fallax models fetch encoder-large" in shown
    told = json.loads(run("list", "--json").stdout)
    assert [(m["name"], m["here"]) for m in told["encoders"]] == [
        ("entailment-large", False),
        ("encoder-large", False),
    ]
    assert {m["name"]: m["here"] for m in told["local"]}["local/smollm2-135m"] is False


def test_show_prints_the_card() -> None:
    shown = run("show", "local/qwen2.5-coder-1.5b").stdout
    assert "Apache-2.0" in shown
    assert "AUC .88" in shown
    assert json.loads(run("show", "smollm2-135m", "--json").stdout)["size"] == 98362432
    assert isinstance(run("show", "gpt").exception, UnknownNameError)


def test_ask_prints_the_answer(script: Path) -> None:
    result = run("ask", f"scripted:{script}", "The capital of France?")
    assert result.exit_code == 0
    assert result.stdout == "Paris\n"
    assert "tokens" in result.stderr
    assert run("ask", f"scripted:{script}", "-", text="France?").stdout == "Paris\n"
    assert json.loads(run("ask", f"scripted:{script}", "France?", "--json").stdout)["text"] == "Paris"


def test_ask_passes_errors_on(script: Path) -> None:
    assert isinstance(run("ask", f"scripted:{script}", "fail").exception, ModelError)
    assert isinstance(run("ask", f"scripted:{script}", "Spain").exception, ModelError)
    assert isinstance(run("ask", "scripted:none.json", "x").exception, FormatError)


def test_cache_goes_out_and_in(script: Path, tmp_path: Path) -> None:
    first, second, out = tmp_path / "a.sqlite", tmp_path / "b.sqlite", tmp_path / "out.jsonl"
    run("ask", f"scripted:{script}", "France?", "--cache", first, "-M", "seed=3")
    assert json.loads(run("cache", "info", "--cache", first, "--json").stdout)["n_by_model"] == {
        f"scripted:{script}": 1
    }
    assert "1 calls" in run("cache", "info", "--cache", first).stdout
    assert "1 calls" in run("cache", "export", out, "--cache", first).stdout
    assert json.loads(out.read_text())["request"]["seed"] == 3
    assert "1 new calls" in run("cache", "import", out, "--cache", second).stdout
    assert "0 new calls" in run("cache", "import", out, "--cache", second).stdout
    replayed = run("ask", f"recorded:{out}", "France?", "--max-tokens", "256", "--seed", "3")
    assert replayed.stdout == "Paris\n"


def test_cache_that_is_not_there(tmp_path: Path) -> None:
    for command in (("info",), ("export", tmp_path / "x.jsonl")):
        result = run("cache", *command, "--cache", tmp_path / "none.sqlite")
        assert result.exit_code == 2
        assert not (tmp_path / "none.sqlite").exists()


@pytest.mark.slow
def test_serve_answers_until_it_is_interrupted() -> None:
    pytest.importorskip("xllamacpp", reason="the engine is not installed", exc_type=ImportError)
    # the fixture above moves the cache folder, so the weights must be named by the environment
    folder = Path(os.environ.get("FALLAX_MODELS") or Path.home() / ".cache" / "fallax" / "models")
    weights = folder / find_weights("smollm2-135m").file
    if not weights.exists():
        pytest.skip(f"no weights at {weights}: run 'fallax models fetch smollm2-135m'")
    code = "from fallax.cli.models import app; app()"
    command = [sys.executable, "-c", code, "serve", str(weights), "--port", "0", "--api-key", "k", "-M", "context=256"]
    body = {"messages": [{"role": "user", "content": "Hi"}], "max_tokens": 2}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stdout is not None
            address = process.stdout.readline().split()[0]
            headers = {"content-type": "application/json", "authorization": "Bearer k"}
            request = urllib.request.Request(f"{address}/chat/completions", json.dumps(body).encode(), headers)
            with urllib.request.urlopen(request, timeout=60) as answer:
                assert json.load(answer)["choices"][0]["message"]["content"]
            process.send_signal(signal.SIGINT)
            assert process.wait(20) == 0
        finally:
            process.kill()


@pytest.mark.parametrize("command", ["show", "fetch"])
def test_an_unknown_model_gets_all_names(command: str) -> None:
    found = run(command, "entailment-lage")
    assert found.exit_code != 0
    assert "did you mean 'entailment-large'? known: encoder-large, entailment-large, qwen2.5" in str(found.exception)


def test_fetch_prints_where_the_file_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fetch(weights: Weights, *, progress: Callable[[WeightsProgress], None]) -> Path:
        progress(WeightsProgress(weights.size, weights.size, 1, 1))
        return tmp_path / weights.file

    monkeypatch.setattr("fallax.cli.models.fetch", fetch)
    assert run("fetch", "local/smollm2-135m").stdout.strip() == str(tmp_path / find_weights("smollm2-135m").file)
    assert isinstance(run("fetch", "gpt-4o").exception, UnknownNameError)


def test_larger_models_are_fetched_together_and_each_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def fetch_larger(*models: LargerModel, progress: Callable[[WeightsProgress], None]) -> tuple[Path, ...]:
        asked.append([m.name for m in models])
        return tuple(Path(m.name) for m in models)

    monkeypatch.setattr("fallax.cli.models.fetch_larger", fetch_larger)
    monkeypatch.setattr("fallax.cli.models.fetch", lambda weights, progress: Path(weights.file))
    names = ("entailment-large", "smollm2-135m", "encoder-large", "entailment-large")
    file = find_weights("smollm2-135m").file
    assert run("fetch", *names).stdout.split() == ["entailment-large", "encoder-large", file]
    assert asked == [["entailment-large", "encoder-large"]]

import asyncio
import json
import subprocess
import sys
import time
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from fallax.core.types.messages import ChatModel, Message, Reply, Request
from fallax.errors import (
    AuthenticationError,
    FormatError,
    InputError,
    MissingExtraError,
    ModelError,
    UnknownNameError,
)
from fallax.models import (
    Budget,
    Cache,
    CachedModel,
    DryRunModel,
    GatedModel,
    Limits,
    RecordedModel,
    ScriptedModel,
    estimate_requests,
    identity_of,
    layers,
    load_model,
    parse_options,
    with_limits,
)
from fallax.models.endpoint import EndpointModel
from fallax.models.loading import MODEL_OPTIONS
from fallax.models.local import EngineOptions
from tests.support.stub_endpoint import Answer, StubEndpoint, completion

QUICK = Limits(backoff=0.001, max_backoff=0.01, max_retries=3)


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "VLLM_BASE_URL", "FALLAX_CACHE"):
        monkeypatch.delenv(name, raising=False)


def ask(model: ChatModel, text: str = "?", **fields: Any) -> Reply:
    return asyncio.run(model.generate(Request((Message("user", text),), **fields)))


def endpoint_of(model: ChatModel) -> EndpointModel:
    inner = list(layers(model))[-1]
    assert isinstance(inner, EndpointModel)
    return inner


@pytest.mark.parametrize(
    ("pair", "value"),
    [("a=1", 1), ("a=0.5", 0.5), ("a=true", True), ("a=null", None), ("a=x=y", "x=y"), ("a=", ""), ("a=[1]", [1])],
)
def test_parse_options_reads_values(pair: str, value: object) -> None:
    assert parse_options([pair]) == {"a": value}


@pytest.mark.parametrize(
    ("pairs", "match"), [(["a"], "must be key=value"), (["=1"], "key=value"), (["a=1", "a=2"], "twice")]
)
def test_parse_options_says_what_is_wrong(pairs: list[str], match: str) -> None:
    with pytest.raises(InputError, match=match):
        parse_options(pairs)


def test_parse_options_shows_no_key_that_lacks_its_name() -> None:
    with pytest.raises(InputError) as caught:
        parse_options(["sk-abcdefghij"])
    assert "abcdef" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "kind", "match"),
    [
        ("gpt-4o", InputError, "did you mean 'openai/gpt-4o'"),
        ("openai/", InputError, "PROVIDER/MODEL"),
        ("/x", InputError, "PROVIDER/MODEL"),
        ("", InputError, "PROVIDER/MODEL"),
        ("opnai/gpt-4o", UnknownNameError, "OPNAI_BASE_URL is not set: unknown model provider 'opnai'.*'openai'"),
        ("openai/gpt-4o", AuthenticationError, "set OPENAI_API_KEY, or OPENAI_BASE_URL"),
        ("recorded:", InputError, "recorded:PATH"),
        ("recorded:nowhere.jsonl", FormatError, "nowhere.jsonl"),
        ("scripted:nowhere.json", FormatError, "nowhere.json"),
    ],
)
def test_load_model_says_what_is_wrong(name: str, kind: type[Exception], match: str) -> None:
    with pytest.raises(kind, match=match):
        load_model(name)


@pytest.mark.parametrize(
    ("name", "url", "grammar", "tokens"),
    [
        ("vllm/m", "http://localhost:8000/v1", "structured_outputs", "max_tokens"),
        ("llamacpp/m", "http://localhost:8080/v1", "grammar", "max_tokens"),
        ("ollama/qwen2.5:7b", "http://localhost:11434/v1", "none", "max_tokens"),
        ("lmstudio/m", "http://localhost:1234/v1", "none", "max_tokens"),
    ],
)
def test_load_model_knows_servers(name: str, url: str, grammar: str, tokens: str) -> None:
    endpoint = endpoint_of(load_model(name))
    assert (endpoint.name, endpoint.base_url) == (name, url)
    assert (endpoint.dialect.grammar, endpoint.dialect.tokens) == (grammar, tokens)


def test_load_model_reads_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k" * 20)
    hosted = endpoint_of(load_model("openai/org/model"))
    assert (hosted.model, hosted.base_url) == ("org/model", "https://api.openai.com/v1")
    assert hosted.dialect.tokens == "max_completion_tokens"
    monkeypatch.setenv("OPENAI_BASE_URL", "http://localhost:1/v1")
    assert endpoint_of(load_model("openai/m")).dialect.tokens == "max_tokens"
    monkeypatch.setenv("MY_HOST_BASE_URL", "http://localhost:2/v1")
    assert endpoint_of(load_model("my-host/m")).base_url == "http://localhost:2/v1"
    option = load_model("my-host/m", options={"base_url": "http://localhost:3/v1"})
    assert endpoint_of(option).base_url == "http://localhost:3/v1"


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"gramar": "grammar"}, "unknown model option 'gramar'; did you mean 'grammar'"),
        ({"grammar": "ebnf"}, "value of model option 'grammar' 'ebnf'"),
        ({"think_tags": "no"}, "think_tags must be true or false"),
        ({"temperature": "hot"}, "temperature must be a number"),
        ({"max_tokens": 1.5}, "max_tokens must be a whole number"),
        ({"base_url": "localhost"}, "must be an http or https address"),
    ],
)
def test_load_model_checks_options(options: dict[str, Any], match: str) -> None:
    with pytest.raises(InputError, match=match):
        load_model("vllm/m", options=options)


def test_every_kind_of_model_lists_its_options_and_names_the_near_one() -> None:
    assert list(MODEL_OPTIONS["models in this process, local/"]) == [f.name for f in fields(EngineOptions)]
    for name in ("local/x", "vllm/m", "scripted:x.json"):
        with pytest.raises(InputError, match=r"unknown .*'temprature'; did you mean 'temperature'"):
            load_model(name, options={"temprature": 1})


def test_options_fill_what_a_request_leaves_open() -> None:
    with StubEndpoint() as stub:
        options = {"base_url": stub.base_url, "temperature": 0.5, "seed": 3, "body.min_p": 0.1, "tokens": "max_tokens"}
        model = load_model("openai/m", options=options)
        ask(model)
        ask(model, seed=4)
    sent = [{k: v for k, v in s.body.items() if k not in ("model", "messages")} for s in stub.seen]
    assert sent == [{"temperature": 0.5, "seed": 3, "min_p": 0.1}, {"temperature": 0.5, "seed": 4, "min_p": 0.1}]


def test_estimate_knows_settings_and_cache_of_a_loaded_model(tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text('[{"reply": "x"}]')
    with Cache(tmp_path / "calls.sqlite") as cache:
        model = load_model(f"scripted:{script}", cache=cache, options={"max_tokens": 10, "seed": 1})
        ask(model, "known")
        requests = [Request((Message("user", text),)) for text in ("known", "12345678")]
        estimate = estimate_requests(model, requests, cache=cache)
        assert (estimate.n_calls, estimate.n_cached, estimate.completion_tokens) == (1, 1, 10)
        dry = DryRunModel(model, cache=cache)
        assert [ask(dry, text).text for text in ("known", "12345678")] == ["x", "yes"]
        assert dry.estimate == estimate


def test_identity_tells_apart_what_can_change_an_answer() -> None:
    def identity(**options: Any) -> str:
        return json.dumps(identity_of(load_model("vllm/m", options=options)), sort_keys=True)

    first = identity()
    assert identity(base_url="http://localhost:9/v1") != first
    assert identity(**{"body.min_p": 1}) != first
    assert identity(**{"header.X-Route": "a"}) != first
    assert identity(think_tags=False) != first
    assert identity(json="none") != first
    assert identity(api_key="k" * 9) == identity(base_url="http://u:p@localhost:8000/v1") == first


def test_scripted_by_name_has_the_whole_stack(tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text(json.dumps([{"replies": [{"error": "rate_limit"}, "fine", "later"]}]))
    with Cache(tmp_path / "calls.sqlite") as cache:
        budget = Budget()
        model = load_model(f"scripted:{script}", cache=cache, limits=QUICK, budget=budget, options={"seed": 1})
        assert model.name == f"scripted:{script}"
        assert [ask(model).text for _ in range(2)] == ["fine", "fine"]
        assert budget.spent.calls == 1
        assert next(iter(cache.calls())).request.seed == 1
        script.write_text(json.dumps([{"reply": "changed"}]))
        assert ask(load_model(f"scripted:{script}", cache=cache)).text == "changed"


def test_recorded_by_name(tmp_path: Path) -> None:
    with Cache(tmp_path / "calls.sqlite") as cache:
        live = with_limits(ScriptedModel([{"reply": "A"}], name="scripted:a"), cache=cache)
        ask(live, "q")
        cache.export_calls(tmp_path / "calls.jsonl")
    model = load_model(f"recorded:{tmp_path / 'calls.jsonl'}", options={"model": "scripted:a"})
    assert isinstance(model, RecordedModel)
    assert model.name == f"recorded:{tmp_path / 'calls.jsonl'}"
    assert ask(model, "q").text == "A"
    with pytest.raises(UnknownNameError, match="option of recorded: models 'seed'"):
        load_model(f"recorded:{tmp_path / 'calls.jsonl'}", options={"seed": 1})


def test_cache_may_be_given_as_a_path(tmp_path: Path) -> None:
    model = with_limits(ScriptedModel([{"replies": ["a", "b"]}]), cache=tmp_path / "calls.sqlite")
    assert isinstance(model, CachedModel)
    assert [ask(model).text for _ in range(2)] == ["a", "a"]
    model.cache.close()


def test_limits_reach_the_gate() -> None:
    model = load_model("vllm/m", limits=Limits(max_connections=3))
    assert next(m for m in layers(model) if isinstance(m, GatedModel)).gate.maximum == 3


def test_endpoint_faults_are_survived_and_each_answer_comes_once(tmp_path: Path) -> None:
    def script(body: Any, number: int) -> Answer | None:
        if number % 5 == 2:
            return Answer({"error": {"message": "later"}}, 503, {"retry-after": "0.01"})
        if number % 7 == 3:
            return Answer({"error": {"message": "oops"}}, 500)
        if number % 11 == 5:
            return Answer(None)
        return None

    with StubEndpoint(latency=0.002, script=script) as stub, Cache(tmp_path / "calls.sqlite") as cache:
        limits = Limits(backoff=0.005, max_backoff=0.02, max_retries=12)
        model = load_model("openai/m", options={"base_url": stub.base_url}, cache=cache, limits=limits)

        async def run() -> list[Reply]:
            requests = [Request((Message("user", str(i % 100)),)) for i in range(200)]
            return await asyncio.gather(*(model.generate(r) for r in requests))

        replies = asyncio.run(run())
        assert [r.text for r in replies] == [f"echo: {i % 100}" for i in range(200)]
        assert stub.n_answered == 100
        assert cache.info().n_calls == 100


def test_killed_process_pays_for_no_answer_twice(tmp_path: Path) -> None:
    code = """
import asyncio, os, signal, sys
from fallax.models import load_model
from fallax.core.types.messages import Message, Request
model = load_model("openai/m", options={"base_url": sys.argv[1]}, cache=sys.argv[2])
async def main():
    handed_on = []
    async def one(i):
        await model.generate(Request((Message("user", str(i)),)))
        os.write(1, f"{i}\\n".encode())
        handed_on.append(i)
        if len(handed_on) == int(sys.argv[3]):
            os.kill(os.getpid(), signal.SIGKILL)
    await asyncio.gather(*(one(i) for i in range(60)))
asyncio.run(main())
"""
    cache = tmp_path / "calls.sqlite"
    with StubEndpoint(latency=0.01) as stub:
        command = [sys.executable, "-c", code, stub.base_url, str(cache)]
        killed = subprocess.run([*command, "30"], capture_output=True, text=True, check=False)
        handed_on = killed.stdout.split()
        assert killed.returncode == -9
        assert len(handed_on) == 30
        before = len(stub.seen)
        finished = subprocess.run([*command, "-1"], capture_output=True, text=True, check=True)
        again = {s.body["messages"][0]["content"] for s in stub.seen[before:]}
    assert len(finished.stdout.split()) == 60
    assert not again & set(handed_on)


def test_timeout_of_an_endpoint_ends_the_call(tmp_path: Path) -> None:
    with StubEndpoint(latency=30) as stub:
        model = load_model("openai/m", options={"base_url": stub.base_url}, limits=Limits(timeout=0.1, max_retries=0))
        start = time.monotonic()
        with pytest.raises(ModelError, match=r"no answer within 0\.1 s"):
            ask(model)
        assert time.monotonic() - start < 25


def test_quota_headers_stop_the_next_call() -> None:
    headers = {"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "200ms"}
    with StubEndpoint(script=lambda body, number: Answer(completion(), headers=headers)) as stub:
        model = load_model("openai/m", options={"base_url": stub.base_url})

        async def two() -> float:
            start = time.monotonic()
            await model.generate(Request((Message("user", "a"),)))
            await model.generate(Request((Message("user", "b"),)))
            return time.monotonic() - start

        assert asyncio.run(two()) >= 0.2


@pytest.mark.parametrize(
    ("missing", "call", "extra"),
    [
        ("openai", "load_model('vllm/m')", "fallax[openai]"),
        ("inspect_ai", "load_model('inspect/mockllm/model')", "fallax[inspect]"),
        ("yaml", "load_model('scripted:s.yaml')", "fallax[yaml]"),
    ],
)
def test_missing_extras_are_named(tmp_path: Path, missing: str, call: str, extra: str) -> None:
    (tmp_path / "s.yaml").write_text("[]")
    code = f"import sys; sys.modules[{missing!r}] = None\nfrom fallax.models import load_model\n{call}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert MissingExtraError.__name__ in done.stderr
    assert extra in done.stderr


def test_importing_models_imports_nothing_heavy() -> None:
    heavy = ("openai", "inspect_ai", "xllamacpp", "yaml")
    code = f"import sys, fallax.models; print(*(m for m in {heavy} if m in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == ""

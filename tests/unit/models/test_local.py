import asyncio
import json
import math
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fallax.core.types.messages import Message, Reply, Request
from fallax.errors import ContextLengthError, InputError, ModelError, UnknownNameError
from fallax.models import fetch, identity_of, load_model
from fallax.models.local import EngineOptions, LocalModel, weights_path
from fallax.models.weights import find_weights, weights_folder

NAME = "smollm2-135m"


@pytest.fixture(scope="module")
def weights() -> Path:
    """The smallest model, where it is here, or may be fetched (98 MB) because FALLAX_FETCH is set."""
    pytest.importorskip(
        "xllamacpp", reason="the engine is not installed: pip install 'fallax[local]'", exc_type=ImportError
    )
    path = weights_folder() / find_weights(NAME).file
    if not path.exists():
        if not os.environ.get("FALLAX_FETCH"):
            pytest.skip(f"no weights at {path}: run 'fallax models fetch {NAME}' or set FALLAX_FETCH=1")
        try:
            fetch(NAME)
        except ModelError as error:
            pytest.skip(f"the weights cannot be downloaded: {error}")
    return path


@pytest.fixture(scope="module")
def model(weights: Path) -> Iterator[LocalModel]:
    loaded = LocalModel(weights, options=EngineOptions(context=1024))
    yield loaded
    loaded.close()


def ask(model: LocalModel, text: str, **fields: Any) -> Reply:
    settings = {"temperature": 0.0, "max_tokens": 8, **fields}
    return asyncio.run(model.generate(Request((Message("user", text),), **settings)))


@pytest.mark.slow
def test_local_model_answers(model: LocalModel) -> None:
    reply = ask(model, "Say hello.")
    assert reply.text
    assert reply.model == f"local/{model.path.name}"
    assert reply.stop_reason == "length"
    assert reply.usage.completion_tokens == 8
    assert reply.usage.prompt_tokens > 3


@pytest.mark.slow
def test_local_model_keeps_to_a_grammar_and_tells_probabilities(model: LocalModel) -> None:
    reply = ask(model, "Is water wet?", grammar='root ::= "yes" | "no"', logprobs=3)
    assert reply.text in ("yes", "no")
    assert reply.stop_reason == "stop"
    assert reply.logprobs is not None
    assert "".join(token.token for token in reply.logprobs) == reply.text
    for token in reply.logprobs:
        assert token.logprob <= 0
        assert len(token.top) <= 3
        assert sum(math.exp(p) for p in token.top.values()) <= 1.0001


@pytest.mark.slow
def test_local_model_keeps_to_a_schema(model: LocalModel) -> None:
    schema = {"type": "object", "properties": {"fallacy": {"type": "boolean"}}, "required": ["fallacy"]}
    assert isinstance(json.loads(ask(model, "JSON!", json_schema=schema, max_tokens=40).text)["fallacy"], bool)


@pytest.mark.slow
def test_local_model_repeats_itself_with_a_seed(model: LocalModel) -> None:
    texts = [ask(model, "Tell me a word", temperature=1.5, seed=seed).text for seed in (3, 3, 4, 5, 6)]
    assert texts[0] == texts[1]
    assert len(set(texts)) > 1


@pytest.mark.slow
def test_local_model_reuses_a_prefix(model: LocalModel) -> None:
    document = "The mayor says the bridge is safe since nobody has shown that it is not. " * 30
    first, second = (ask(model, document + question, max_tokens=1) for question in ("Why?", "Who?"))
    assert second.usage.cached_tokens > 0.9 * second.usage.prompt_tokens
    assert first.usage.cached_tokens < 0.5 * first.usage.prompt_tokens


@pytest.mark.slow
def test_local_model_says_what_is_wrong(model: LocalModel) -> None:
    with pytest.raises(ContextLengthError, match="more than 1024 tokens: -M context="):
        ask(model, "hello " * 3000)
    with pytest.raises(ModelError, match="check the grammar"):
        ask(model, "x", grammar='root ::= "a')
    with pytest.raises(ModelError, match="engine failed"):
        ask(model, "x", json_schema={"type": "nonsense"})


@pytest.mark.slow
def test_local_model_lets_the_event_loop_run(model: LocalModel) -> None:
    async def scene() -> tuple[float, float]:
        longest, last = 0.0, time.perf_counter()
        begin = last
        task = asyncio.create_task(model.generate(Request((Message("user", "A story"),), max_tokens=40)))
        while not task.done():
            await asyncio.sleep(0.005)
            now = time.perf_counter()
            longest, last = max(longest, now - last), now
        return longest, last - begin

    # a busy machine may hold both up, but not the loop for as long as the answer takes
    longest, whole = asyncio.run(scene())
    assert longest < whole / 2


@pytest.mark.slow
def test_local_model_opens_no_port_to_others(model: LocalModel) -> None:
    with pytest.raises(urllib.error.HTTPError, match="401"):
        urllib.request.urlopen(model.load().listening_address + "/v1/models")


@pytest.mark.slow
def test_local_model_by_name(weights: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FALLAX_MODELS", str(weights.parent))
    loaded = load_model(f"local/{NAME}", options={"context": 512, "max_tokens": 3, "temperature": 0})
    reply = asyncio.run(loaded.generate(Request((Message("user", "Hello"),))))
    assert reply.usage.completion_tokens == 3
    assert reply.usage.cost == 0.0
    assert identity_of(loaded)["weights"] == find_weights(NAME).sha256


@pytest.mark.slow
def test_local_model_in_a_fresh_process_ends_cleanly(weights: Path) -> None:
    code = f"""
import asyncio
from fallax.models import load_model
from fallax.core.types.messages import Message, Request
model = load_model("local/{weights}", options={{"context": 256}})
print(len(asyncio.run(model.generate(Request((Message("user", "Hi"),), max_tokens=2))).text) > 0)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stdout.strip()) == (0, "True")


def test_weights_path_says_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FALLAX_MODELS", str(tmp_path))
    with pytest.raises(InputError, match=r"not here .* fallax models fetch smollm2-135m"):
        weights_path(NAME)
    with pytest.raises(InputError, match="must be a GGUF file, found none"):
        weights_path(str(tmp_path / "none.gguf"))
    with pytest.raises(UnknownNameError):
        weights_path("gpt-4o")
    (tmp_path / "text.gguf").write_text("hello")
    with pytest.raises(InputError, match="begins with other bytes"):
        weights_path(str(tmp_path / "text.gguf"))
    (tmp_path / find_weights(NAME).file).write_bytes(b"GGUF")
    with pytest.raises(InputError, match="must have 98362432 bytes, found 4"):
        weights_path(NAME)


def test_local_model_that_cannot_be_loaded(tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp", reason="the engine is not installed", exc_type=ImportError)
    path = tmp_path / "broken.gguf"
    path.write_bytes(b"GGUF" + b"\0" * 100)
    with pytest.raises(ModelError, match="engine cannot load"):
        ask(LocalModel(path), "x")


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"context": 1}, "context must be a whole number of 16 or more"),
        ({"threads": "two"}, "threads must be"),
        ({"parallel": 0}, "parallel must be"),
        ({"prefix_reuse": 1}, "prefix_reuse must be true or false"),
        ({"n_ctx": 100}, "unknown option of local models 'n_ctx'"),
    ],
)
def test_engine_options_are_checked(options: dict[str, Any], match: str) -> None:
    with pytest.raises(InputError, match=match):
        EngineOptions.from_dict(options)


def test_identity_holds_the_sum_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.gguf"
    path.write_bytes(b"abc")
    # SHA-256 of "abc", FIPS 180-4
    known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert LocalModel(path).identity["weights"] == known

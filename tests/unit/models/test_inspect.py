import asyncio
import sys
import warnings
from typing import Any

import pytest

from fallax.core.types.messages import Message, Reply, Request, TokenLogprob, Usage
from fallax.errors import (
    AuthenticationError,
    ContentFilterError,
    ContextLengthError,
    EndpointError,
    ModelError,
    RateLimitError,
)
from fallax.models import load_model
from fallax.models.inspect_bridge import InspectModel

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    api: Any = pytest.importorskip(
        "inspect_ai.model", reason="Inspect AI is not installed: pip install 'fallax[inspect]'"
    )

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")


def ask(model: Any, **fields: Any) -> Reply:
    messages = (Message("system", "Be brief."), Message("user", "Q"), Message("assistant", "A"), Message("user", "Q2"))
    reply: Reply = asyncio.run(model.generate(Request(messages, **fields)))
    return reply


def mock(*outputs: Any) -> InspectModel:
    return InspectModel("mockllm/model", options={"custom_outputs": list(outputs)})


def output(content: Any = "yes", **more: Any) -> Any:
    made = api.ModelOutput.from_content("mockllm/model", content)
    made.usage = api.ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)  # else it looks for a tokenizer online
    for name, value in more.items():
        setattr(made, name, value)
    return made


def test_inspect_model_answers() -> None:
    made = output(
        "yes", usage=api.ModelUsage(input_tokens=7, output_tokens=2, input_tokens_cache_read=3, total_tokens=12)
    )
    reply = ask(mock(made))
    assert (reply.text, reply.stop_reason) == ("yes", "stop")
    assert reply.usage == Usage(prompt_tokens=10, completion_tokens=2, cached_tokens=3, calls=1)


def test_inspect_model_by_name() -> None:
    model = load_model("inspect/mockllm/model", options={"custom_outputs": [output("here")]})
    assert model.name == "inspect/mockllm/model"
    assert ask(model).text == "here"


def test_inspect_model_estimates_usage_that_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    async def generate(*_: Any, **__: Any) -> Any:
        return output("twelve chars", usage=None)

    model = mock()
    monkeypatch.setattr(model._model, "generate", generate)
    # 9 + 1 + 1 + 2 characters: 3 + 1 + 1 + 1 tokens, 4 for each of 4 messages, 3 for the request
    assert ask(model).usage == Usage(25, 3, calls=1)


def test_inspect_model_looks_into_its_retrying(monkeypatch: pytest.MonkeyPatch) -> None:
    tenacity = pytest.importorskip("tenacity")

    async def generate(*_: Any, **__: Any) -> Any:
        attempt = tenacity.Future(1)
        attempt.set_exception(StatusError(503, "later"))
        raise tenacity.RetryError(attempt)

    model = mock()
    monkeypatch.setattr(model._model, "generate", generate)
    with pytest.raises(RateLimitError, match="HTTP 503: later"):
        ask(model)


def test_inspect_model_keeps_reasoning_apart() -> None:
    parts = [api.ContentReasoning(reasoning="since"), api.ContentText(text="yes")]
    assert (ask(mock(output(parts))).text, ask(mock(output(parts))).reasoning) == ("yes", "since")
    assert ask(mock(output("<think>since</think>yes"))).reasoning == "since"


def test_inspect_model_reads_logprobs() -> None:
    made = output("yes")
    top = api.TopLogprob(token="no", logprob=-2.0, bytes=None)
    entry = api.Logprob(token="yes", logprob=-0.5, bytes=None, top_logprobs=[top])
    made.choices[0].logprobs = api.Logprobs(content=[entry])
    assert ask(mock(made), logprobs=1).logprobs == (TokenLogprob("yes", -0.5, {"no": -2.0}),)


def test_inspect_model_passes_settings_on(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, Any] = {}

    async def generate(input: Any, *, config: Any) -> Any:
        seen.update(messages=[(m.role, m.text) for m in input], config=config)
        return output("{}")

    model = mock()
    monkeypatch.setattr(model._model, "generate", generate)
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    ask(model, temperature=0.5, top_p=0.9, max_tokens=3, seed=7, stop=("x",), logprobs=2, json_schema=schema)
    assert seen["messages"] == [("system", "Be brief."), ("user", "Q"), ("assistant", "A"), ("user", "Q2")]
    config = seen["config"]
    assert (config.temperature, config.top_p, config.max_tokens, config.seed) == (0.5, 0.9, 3, 7)
    assert (config.stop_seqs, config.logprobs, config.top_logprobs) == (["x"], True, 2)
    assert config.response_schema.json_schema.properties["a"].type == "string"


class StatusError(Exception):
    def __init__(self, status: int, message: str) -> None:
        self.status_code = status
        super().__init__(message)


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (StatusError(401, "no"), AuthenticationError),
        (StatusError(429, "no"), RateLimitError),
        (StatusError(400, "maximum context length"), ContextLengthError),
        (ConnectionError("refused"), EndpointError),
        (KeyError("odd"), EndpointError),
    ],
)
def test_inspect_model_maps_errors(monkeypatch: pytest.MonkeyPatch, error: Exception, kind: type[ModelError]) -> None:
    async def generate(*_: Any, **__: Any) -> Any:
        raise error

    model = mock()
    monkeypatch.setattr(model._model, "generate", generate)
    with pytest.raises(kind) as caught:
        ask(model)
    assert type(caught.value) is kind
    assert caught.value.__context__ is None


def test_inspect_model_says_when_nothing_came() -> None:
    withheld = output("")
    withheld.choices[0].stop_reason = "content_filter"
    with pytest.raises(ContentFilterError):
        ask(mock(withheld))
    with pytest.raises(EndpointError, match="broken"):
        ask(mock(output("", error="broken")))


def test_inspect_model_takes_no_grammar() -> None:
    with pytest.raises(ModelError, match="takes no grammar"):
        ask(mock(), grammar="g")


def test_inspect_model_that_nobody_knows() -> None:
    with pytest.raises(ModelError, match="check the name, the provider's package and its key"):
        InspectModel("nobody/model")


def test_inspect_key_appears_nowhere() -> None:
    model = InspectModel("mockllm/model", options={"api_key": "very-private-key-01"})
    assert "very-private" not in repr(model) + repr(model.identity)
    assert sys.modules["inspect_ai"] is not None

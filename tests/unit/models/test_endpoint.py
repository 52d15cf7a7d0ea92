import asyncio
import json
import logging
import traceback
from collections.abc import Iterator
from typing import Any

import pytest

from fallax.core.types.messages import ChatModel, Message, Reply, Request, TokenLogprob, Usage
from fallax.errors import (
    AuthenticationError,
    ContentFilterError,
    ContextLengthError,
    EndpointError,
    InputError,
    ModelError,
    ModelTimeoutError,
    RateLimitError,
)
from fallax.models import Cache, Limits, ScriptedModel, load_model, release
from fallax.models.endpoint import EndpointModel, parse_duration, split_credentials
from fallax.models.wire import Dialect, split_reasoning
from tests.support.stub_endpoint import Answer, StubEndpoint, completion

pytest.importorskip("openai")

KEY = "very-private-key-0123456789"


@pytest.fixture
def stub() -> Iterator[StubEndpoint]:
    with StubEndpoint() as running:
        yield running


def ask(model: ChatModel, text: str = "hello", **fields: Any) -> Reply:
    return asyncio.run(model.generate(Request((Message("user", text),), **fields)))


def endpoint(stub: StubEndpoint, **options: Any) -> EndpointModel:
    return EndpointModel(**{"provider": "openai", "model": "stub", "base_url": stub.base_url, **options})


def answering(stub: StubEndpoint, answer: Answer | dict[str, Any]) -> EndpointModel:
    fixed = answer if isinstance(answer, Answer) else Answer(answer)
    stub.script = lambda body, number: fixed
    return endpoint(stub)


def test_endpoint_asks_and_reads(stub: StubEndpoint) -> None:
    reply = ask(endpoint(stub, api_key=KEY), "hello")
    assert reply == Reply("echo: hello", "stub", "", "stop", Usage(10, 2, calls=1))
    assert stub.seen[0].path == "/v1/chat/completions"
    assert stub.seen[0].headers["authorization"] == f"Bearer {KEY}"
    assert stub.seen[0].body == {"model": "stub", "messages": [{"role": "user", "content": "hello"}]}


def test_endpoint_sends_every_setting(stub: StubEndpoint) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    model = endpoint(
        stub, dialect=Dialect(grammar="grammar"), extra_body={"min_p": 0.1}, extra_headers={"X-Org": "team"}
    )
    request = Request(
        (Message("system", "Be brief."), Message("user", "Q"), Message("assistant", "A"), Message("user", "Q2")),
        temperature=0.0,
        top_p=0.5,
        max_tokens=7,
        seed=3,
        stop=("\n",),
        logprobs=2,
        json_schema=schema,
        grammar='root ::= "a"',
        epoch=4,
    )
    asyncio.run(model.generate(request))
    assert stub.seen[0].body == {
        "model": "stub",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Q"},
            {"role": "assistant", "content": "A"},
            {"role": "user", "content": "Q2"},
        ],
        "temperature": 0.0,
        "top_p": 0.5,
        "max_tokens": 7,
        "seed": 3,
        "stop": ["\n"],
        "logprobs": True,
        "top_logprobs": 2,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "reply", "schema": schema, "strict": False},
        },
        "grammar": 'root ::= "a"',
        "min_p": 0.1,
    }
    assert stub.seen[0].headers["x-org"] == "team"


@pytest.mark.parametrize(
    ("schema", "strict"),
    [
        ({"type": "object", "properties": {"a": {}}, "required": ["a"], "additionalProperties": False}, True),
        ({"type": "object", "properties": {"a": {}}, "required": [], "additionalProperties": False}, False),
        ({"type": "object", "properties": {"a": {}}, "required": ["a"]}, False),
        ({"type": "array", "items": {"type": "object"}}, False),
        ({"type": "string"}, True),
    ],
)
def test_endpoint_asks_for_strictness_only_where_the_schema_allows_it(
    stub: StubEndpoint, schema: dict[str, Any], strict: bool
) -> None:
    ask(endpoint(stub), json_schema=schema)
    assert stub.seen[0].body["response_format"]["json_schema"]["strict"] is strict


@pytest.mark.parametrize(
    ("dialect", "fields", "expected"),
    [
        (Dialect(grammar="guided_grammar"), {"grammar": "g"}, {"guided_grammar": "g"}),
        (Dialect(grammar="structured_outputs"), {"grammar": "g"}, {"structured_outputs": {"grammar": "g"}}),
        (Dialect(json="object"), {"json_schema": {}}, {"response_format": {"type": "json_object"}}),
        (Dialect(json="guided_json"), {"json_schema": {"a": 1}}, {"guided_json": {"a": 1}}),
        (Dialect(json="none"), {"json_schema": {"a": 1}}, {}),
        (Dialect(tokens="max_completion_tokens"), {"max_tokens": 5}, {"max_completion_tokens": 5}),
        (Dialect(), {"logprobs": 0}, {"logprobs": True}),
    ],
)
def test_endpoint_speaks_the_dialect(
    stub: StubEndpoint, dialect: Dialect, fields: dict[str, Any], expected: dict[str, Any]
) -> None:
    ask(endpoint(stub, dialect=dialect), **fields)
    sent = {k: v for k, v in stub.seen[0].body.items() if k not in ("model", "messages")}
    assert sent == expected


def test_endpoint_refuses_a_grammar_it_cannot_pass_on(stub: StubEndpoint) -> None:
    with pytest.raises(ModelError, match="not known to take one; use a llamacpp/"):
        ask(endpoint(stub), grammar='root ::= "a"')
    assert stub.n_seen == 0


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (completion("b", message={"reasoning_content": "a"}), ("b", "a")),
        (completion("b", message={"reasoning": "a"}), ("b", "a")),
        (completion("<think>\na\n</think>\n\nb"), ("b", "a")),
        (completion("a</think>b"), ("b", "a")),
        (completion("<think>never done"), ("", "never done")),
        (completion("say <think>x</think>"), ("say <think>x</think>", "")),
        (completion("  plain "), ("  plain ", "")),
        (completion("", message={"content": None, "reasoning_content": "a"}), ("", "a")),
        (completion("", message={"content": [{"type": "text", "text": "b"}]}), ("b", "")),
    ],
)
def test_endpoint_keeps_reasoning_apart(stub: StubEndpoint, body: dict[str, Any], expected: tuple[str, str]) -> None:
    reply = ask(answering(stub, body))
    assert (reply.text, reply.reasoning) == expected


def test_split_reasoning_leaves_a_quoted_pair_of_closing_tags() -> None:
    assert split_reasoning("a</think>b</think>c") == ("", "a</think>b</think>c")


def test_endpoint_reads_usage(stub: StubEndpoint) -> None:
    usage = {
        "prompt_tokens": 100,
        "completion_tokens": 50,
        "prompt_tokens_details": {"cached_tokens": 64},
        "completion_tokens_details": {"reasoning_tokens": 30},
    }
    assert ask(answering(stub, completion(usage=usage))).usage == Usage(100, 50, 30, 64, 1)
    assert ask(answering(stub, completion(usage={"prompt_tokens": 9, "prompt_cache_hit_tokens": 4}))).usage == Usage(
        9, 0, 0, 4, 1
    )
    odd = {"prompt_tokens": None, "completion_tokens": "2", "prompt_tokens_details": None}
    assert ask(answering(stub, completion(usage=odd))).usage == Usage(calls=1)


def test_endpoint_estimates_usage_that_is_not_told(stub: StubEndpoint) -> None:
    # 8 characters and one message: 2 + 4 + 3 tokens; the answer has 12 characters: 3 tokens
    assert ask(answering(stub, completion("twelve chars", usage=None)), "12345678").usage == Usage(9, 3, calls=1)


def test_endpoint_reads_logprobs_of_the_answer_alone(stub: StubEndpoint) -> None:
    def token(text: str, logprob: float | None) -> dict[str, Any]:
        return {"token": text, "logprob": logprob, "top_logprobs": [{"token": "no", "logprob": -2.0}]}

    tokens = [token("<think>", -0.1), token("x", -0.2), token("</think>\n", -0.3), token("yes", -0.5), token(".", None)]
    body = completion("<think>x</think>\nyes.", choice={"logprobs": {"content": tokens}})
    assert ask(answering(stub, body), logprobs=1).logprobs == (
        TokenLogprob("yes", -0.5, {"no": -2.0}),
        TokenLogprob(".", -9999.0, {"no": -2.0}),
    )
    assert ask(answering(stub, completion("yes"))).logprobs is None


def test_endpoint_says_when_an_answer_was_refused_or_cut(stub: StubEndpoint) -> None:
    refusal = completion("", message={"content": None, "refusal": "I will not"})
    assert ask(answering(stub, refusal)).stop_reason == "refusal"
    assert ask(answering(stub, refusal)).text == "I will not"
    assert ask(answering(stub, completion("half", choice={"finish_reason": "length"}))).stop_reason == "length"
    assert ask(answering(stub, completion("half", choice={"finish_reason": "content_filter"}))).text == "half"
    with pytest.raises(ContentFilterError):
        ask(answering(stub, completion("", choice={"finish_reason": "content_filter"})))


def error(status: int, message: str = "no", headers: dict[str, str] | None = None, **more: Any) -> Answer:
    return Answer({"error": {"message": message, "type": "x", **more}}, status, headers or {})


@pytest.mark.parametrize(
    ("answer", "kind", "retryable", "match"),
    [
        (error(401, "bad key"), AuthenticationError, False, "HTTP 401: .*bad key.*; set OPENAI_API_KEY to your key"),
        (error(403), AuthenticationError, False, "OPENAI_API_KEY"),
        (error(404, "no such model"), EndpointError, False, "check the model name 'stub', and .*127.0.0.1"),
        (error(429), RateLimitError, True, "ask fewer at a time"),
        (error(429, code="insufficient_quota"), EndpointError, False, "top it up"),
        (error(503), RateLimitError, True, "ask fewer"),
        (error(529), RateLimitError, True, "ask fewer"),
        (error(408), ModelTimeoutError, True, "ask fewer"),
        (error(504), ModelTimeoutError, True, "ask fewer"),
        (error(500), EndpointError, True, "server failed"),
        (error(502), EndpointError, True, "server failed"),
        (error(501), EndpointError, False, "does not take"),
        (error(413), ContextLengthError, False, "shorten"),
        (error(400, code="context_length_exceeded"), ContextLengthError, False, "shorten"),
        (error(400, "This model's maximum context length is 8 tokens"), ContextLengthError, False, "longer context"),
        (error(400, "exceeds the available context size (2048 tokens)"), ContextLengthError, False, "shorten"),
        (error(400, code="content_filter"), ContentFilterError, False, "leave this record out"),
        (error(400, "unknown field"), EndpointError, False, "unknown field"),
        (error(422), EndpointError, False, "does not take"),
        (Answer(b"<html>hello</html>", 200), EndpointError, False, "no JSON"),
        (Answer(b"<html>gateway</html>", 502, {"content-type": "text/html"}), EndpointError, True, "server failed"),
        (Answer({"object": "list"}, 200), EndpointError, False, "no chat completion"),
        (Answer({"choices": []}, 200), EndpointError, False, "no chat completion"),
        (Answer([1], 200), EndpointError, False, "no chat completion"),
        (Answer({"error": {"message": "slow down", "code": 429}}, 200), RateLimitError, True, "slow down"),
        (Answer({"error": "broken"}, 200), EndpointError, False, "broken"),
    ],
)
def test_endpoint_maps_errors(
    stub: StubEndpoint, answer: Answer, kind: type[ModelError], retryable: bool, match: str
) -> None:
    with pytest.raises(kind, match=match) as caught:
        ask(answering(stub, answer))
    assert type(caught.value) is kind
    assert caught.value.retryable is retryable
    assert caught.value.provider == "openai/stub"
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [({"retry-after": "2.5"}, 2.5), ({"retry-after-ms": "250"}, 0.25), ({}, None), ({"retry-after": "soon"}, None)],
)
def test_endpoint_reads_retry_after(stub: StubEndpoint, headers: dict[str, str], seconds: float | None) -> None:
    with pytest.raises(RateLimitError) as caught:
        ask(answering(stub, error(429, headers=headers)))
    assert caught.value.retry_after == seconds


def test_parse_duration_reads_dates() -> None:
    assert parse_duration("Wed, 21 Oct 2015 07:28:00 GMT") == 0.0
    later = parse_duration("Fri, 31 Dec 2100 23:59:59 GMT")
    assert later is not None
    assert later > 1e6


def test_endpoint_tells_of_an_exhausted_quota(stub: StubEndpoint) -> None:
    told: list[dict[str, Any]] = []
    stub.script = lambda body, number: Answer(
        completion(), headers={"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "1m30s"}
    )
    ask(endpoint(stub, on_quota=lambda **quota: told.append(quota)))
    assert told == [{"remaining": 0, "reset": 90.0}]


def test_endpoint_that_is_not_there_fails_at_once() -> None:
    model = EndpointModel(provider="vllm", model="m", base_url="http://127.0.0.1:9/v1")
    with pytest.raises(
        EndpointError, match=r"cannot be reached: .*; check the base URL http://127.0.0.1:9/v1"
    ) as caught:
        ask(model)
    assert not caught.value.retryable


def test_endpoint_keeps_nothing_of_event_loops_that_ended(stub: StubEndpoint) -> None:
    model = endpoint(stub)
    for _ in range(3):
        ask(model)
    assert not list(model._clients)
    assert not list(model._lifetimes)


def test_endpoint_that_hangs_up_may_be_asked_again(stub: StubEndpoint) -> None:
    with pytest.raises(EndpointError) as caught:
        ask(answering(stub, Answer(None)))
    assert caught.value.retryable


def test_endpoint_that_goes_away_after_it_answered_may_be_asked_again() -> None:
    with StubEndpoint() as stub:
        model = endpoint(stub)
        ask(model)
    with pytest.raises(EndpointError) as caught:
        ask(model)
    assert caught.value.retryable


def test_endpoint_works_in_one_event_loop_after_another(stub: StubEndpoint) -> None:
    model = endpoint(stub)
    assert [ask(model, t).text for t in "abc"] == ["echo: a", "echo: b", "echo: c"]

    async def closing() -> str:
        first = await model.generate(Request((Message("user", "d"),)))
        await release(model)
        await release(model)
        await release(ScriptedModel([{"reply": "holds nothing open"}]))
        second = await model.generate(Request((Message("user", "e"),)))
        return first.text + second.text

    assert asyncio.run(closing()) == "echo: decho: e"


@pytest.mark.parametrize(
    ("url", "match"),
    [
        ("localhost:8000", "http or https address"),
        ("ftp://host", "http or https address"),
        ("", "http or https address"),
        ("http://host:port", "http or https address"),
        ("http://host/v1?api-key=abc", "no credential in its query"),
    ],
)
def test_base_url_must_be_an_address(url: str, match: str) -> None:
    with pytest.raises(InputError, match=match):
        split_credentials(url)


def test_base_url_query_is_sent(stub: StubEndpoint) -> None:
    ask(endpoint(stub, base_url=stub.base_url + "?api-version=2024-10-21"))
    assert stub.seen[0].path == "/v1/chat/completions?api-version=2024-10-21"


def everything_said(caught: pytest.ExceptionInfo[BaseException]) -> str:
    """All that a traceback printer or a logger that follows causes could show."""
    parts: list[str] = []
    error: BaseException | None = caught.value
    while error is not None:
        parts += [str(error), repr(error), repr(vars(error)), "".join(traceback.format_exception(error))]
        error = error.__cause__ or error.__context__
    return "\n".join(parts)


@pytest.mark.parametrize("status", [200, 400, 401, 404, 429, 500])
def test_api_keys_appear_nowhere(
    stub: StubEndpoint,
    status: int,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    tmp_path: Any,
) -> None:
    caplog.set_level(logging.DEBUG)
    password = "pass-word-9876543210"
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", stub.base_url.replace("http://", f"http://someone:{password}@"))
    header = "team-token-abcdefgh"
    body: Any = completion() if status == 200 else {"error": {"message": f"Incorrect key {KEY} {password} {header}"}}
    stub.script = lambda _, number: Answer(body, status)
    with Cache(tmp_path / "calls.sqlite") as cache:
        model = load_model(
            "openai/stub",
            options={"header.X-Team-Token": header, "body.api_key": KEY, "seed": 7},
            limits=Limits(max_retries=1, backoff=0.001),
            cache=cache,
        )
        said = repr(model)
        if status == 200:
            said += repr(ask(model))
            cache.export_calls(tmp_path / "out.jsonl")
        else:
            with pytest.raises(ModelError) as caught:
                ask(model)
            said += everything_said(caught)
            assert "***" in str(caught.value)
        said += repr(model) + caplog.text + json.dumps(getattr(model, "identity"))  # noqa: B009
    for file in tmp_path.iterdir():
        said += file.read_bytes().decode("utf-8", "replace")
    assert stub.seen[0].headers["authorization"] == f"Bearer {KEY}"
    assert stub.seen[0].headers["x-team-token"] == header
    for secret in (KEY, password, header):
        assert secret not in said


def test_password_in_the_address_is_used_and_hidden(stub: StubEndpoint) -> None:
    model = endpoint(stub, base_url=stub.base_url.replace("http://", "http://me:secret-word@"))
    ask(model)
    assert stub.seen[0].headers["authorization"] == "Basic bWU6c2VjcmV0LXdvcmQ="
    assert "secret-word" not in repr(model) + json.dumps(model.identity)

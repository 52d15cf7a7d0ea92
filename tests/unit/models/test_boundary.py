"""The network boundary: redirects, replies that are too large, too deep or packed, and keys in what is written."""

from __future__ import annotations

import asyncio
import gzip
import json
import tracemalloc
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fallax.core.secrets import redact, redact_values, secrets_in
from fallax.core.types.messages import ChatModel, Message, Reply, Request
from fallax.errors import EndpointError, ModelError
from fallax.models import Cache, Limits, capped, identity_of, load_model
from fallax.models.capped import ReplyTooLargeError, inflate
from fallax.models.endpoint import EndpointModel
from tests.support.stub_endpoint import Answer, StubEndpoint, completion

pytest.importorskip("openai")

KEY = "very-private-key-0123456789"
PATIENT = Limits(max_retries=0)


@pytest.fixture
def stub() -> Iterator[StubEndpoint]:
    with StubEndpoint() as running:
        yield running


def ask(model: ChatModel, text: str = "hello") -> Reply:
    return asyncio.run(model.generate(Request((Message("user", text),))))


def endpoint(stub: StubEndpoint, **options: Any) -> EndpointModel:
    return EndpointModel(**{"provider": "openai", "model": "stub", "base_url": stub.base_url, **options})


def always(stub: StubEndpoint, answer: Answer) -> None:
    stub.script = lambda body, number: answer


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(stub: StubEndpoint, status: int) -> None:
    with StubEndpoint() as other:
        to = f"{other.base_url}/chat/completions"
        always(stub, Answer({}, status=status, headers={"location": to}))
        with pytest.raises(EndpointError, match=f"HTTP {status}: the endpoint redirects to .* not followed"):
            ask(endpoint(stub, api_key=KEY, extra_headers={"X-Team": KEY}))
        assert other.n_seen == 0


def packed(n_bytes: int) -> bytes:
    return gzip.compress(b'{"choices": [{"message": {"content": "' + b" " * n_bytes + b'"}}]}')


def test_a_bomb_is_refused_before_it_unfolds(stub: StubEndpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capped, "MAX_REPLY_BYTES", 1 << 20)
    always(stub, Answer(packed(64 << 20), headers={"content-encoding": "gzip"}))
    with pytest.raises(EndpointError, match="larger than 1 MiB once decompressed"):
        ask(endpoint(stub))
    tracemalloc.start()
    with pytest.raises(capped.ReplyTooLargeError):
        inflate(packed(8 << 20), "gzip", 1 << 20)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20 << 20


def test_a_packed_reply_is_read(stub: StubEndpoint) -> None:
    body = json.dumps(completion("yes")).encode()
    for encoding, packer in (("gzip", gzip.compress), ("deflate", zlib.compress), ("identity", bytes)):
        always(stub, Answer(packer(body), headers={"content-encoding": encoding, "content-type": "application/json"}))
        assert ask(endpoint(stub)).text == "yes"
    always(stub, Answer(body, headers={"content-encoding": "br"}))
    with pytest.raises(EndpointError, match="encoded as 'br'"):
        ask(endpoint(stub))


def test_an_endless_reply_is_cut_off(stub: StubEndpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capped, "MAX_REPLY_BYTES", 1 << 20)
    always(stub, Answer(b" " * ((1 << 20) + 10)))
    with pytest.raises(EndpointError, match="larger than 1 MiB"):
        ask(endpoint(stub))


@pytest.mark.parametrize("body", [b"[" * 100_000, b'{"a":' * 100_000, b"[" * 100_000 + b"]" * 100_000])
def test_a_deep_reply_is_one_line(stub: StubEndpoint, body: bytes) -> None:
    always(stub, Answer(body, headers={"content-type": "application/json"}))
    with pytest.raises(EndpointError, match="that is no JSON") as caught:
        ask(endpoint(stub))
    assert "\n" not in str(caught.value)


def test_damaged_packing_is_said() -> None:
    with pytest.raises(ReplyTooLargeError, match="says that it is gzip and is not"):
        inflate(b"no gzip at all", "gzip", 100)
    plain = zlib.compressobj(wbits=-15)
    assert inflate(plain.compress(b"raw") + plain.flush(), "deflate", 100) == b"raw"


def test_no_key_is_written_anywhere(stub: StubEndpoint, tmp_path: Path) -> None:
    """In the reply that repeats it, in nested options, in headers of any name, in the cache."""
    keys = {name: f"{name}-secret-4711-{i}" for i, name in enumerate(("main", "nested", "listed", "header", "odd"))}
    always(stub, Answer(completion(f"You sent {keys['main']}, {keys['nested']} and {keys['odd']}.")))
    options = {
        "base_url": stub.base_url,
        "api_key": keys["main"],
        "body.extra": {"auth": {"deep": [keys["nested"]]}, "api_key": keys["listed"], "seed": 3},
        "header.X-Api-Key": keys["header"],
        "header.X-Team": keys["odd"],
    }
    with Cache(tmp_path / "calls.sqlite") as cache:
        model = load_model("openai/stub", options=options, cache=cache, limits=PATIENT)
        reply = ask(model)
        cache.export_calls(tmp_path / "calls.jsonl")
    assert reply.text == "You sent ***, *** and ***."
    sent = stub.seen[0]
    assert sent.body["extra"]["auth"] == {"deep": [keys["nested"]]}  # the endpoint gets all of it
    assert sent.headers["x-team"] == keys["odd"]
    written = json.dumps(identity_of(model)) + repr(model) + str(reply)
    written += "".join(p.read_bytes().decode("latin-1") for p in tmp_path.iterdir())
    for name, key in keys.items():
        assert key not in written, name
    assert '"seed": 3' in json.dumps(identity_of(model))


def test_no_key_is_in_an_error(stub: StubEndpoint) -> None:
    always(stub, Answer({"error": {"message": f"wrong key {KEY}"}}, status=401))
    with pytest.raises(ModelError) as caught:
        ask(endpoint(stub, api_key=KEY))
    assert KEY not in str(caught.value)


def test_redact_keeps_what_only_sounds_secret() -> None:
    value = {"max_tokens": 5, "stop_token_ids": [1], "tokens": "max_tokens", "author": "Ann", "a": [{"token": "t0ken"}]}
    assert redact_values(value) == {
        "max_tokens": 5, "stop_token_ids": [1], "tokens": "max_tokens", "author": "Ann", "a": [{}]
    }  # fmt: skip
    assert secrets_in(value) == ["t0ken"]
    assert redact("https://user:pw@host/v1?x=1 and sk-abcdefghij") == "https://***host/v1?x=1 and ***"

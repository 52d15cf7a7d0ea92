"""A server from Python: the same functions give the same values, and errors come back as errors."""

import socketserver
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

import fallax as fx
from fallax.core.types import Evidence, GoldSpan, Prediction, Record, Span
from fallax.errors import AuthenticationError, EndpointError, InputError, ModelTimeoutError
from fallax.metrics import parse_metric
from fallax.models import load_model
from tests.support.serving import serving

EXAMPLES = Path(__file__).parents[3] / "examples"
TOKEN = "a-token-of-this-test-0123"


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    models = {"demo": load_model(f"scripted:{EXAMPLES / 'debate.json'}")}
    with serving(models=models, token=TOKEN) as running:
        yield fx.connect(running.url + "/", token=TOKEN)


def test_the_verbs_give_what_they_give_here(client: Any) -> None:
    text = "Everybody in town knows it, so it must be true."
    assert client.detect(text, explain=True) == fx.detect(text, explain=True)
    assert client.detect([text, ""]) == list(fx.detect_many([text, ""]))
    assert client.debate("It rained.", "It snowed.") == fx.debate("It rained.", "It snowed.")
    evidence: list[str | Evidence] = [Evidence("a", "Rain left the field wet."), "A wet field delays a match."]
    claim = "The wet field delayed the match."
    assert client.verify(claim, evidence) == fx.verify(claim, evidence)
    documents = [Record("d", "Rain left the field wet. A wet field delays a match.")]
    assert client.verify(claim, documents=documents).citations == fx.verify(claim, documents=documents).citations
    made = client.generate("inverse error", n=2, seed=7)
    assert [i.text for i in made] == [
        i.text for i in fx.generate("inverse error", n=2, seed=7, evaluator="joins").items
    ]


def test_scores_and_agreement_come_back(client: Any) -> None:
    gold = [Record("a", "You lie.", (GoldSpan(0, 8, ("ad hominem",)),))]
    pred = [Prediction("a", (Span(0, 8, "ad hominem"),))]
    here = parse_metric("span_match").corpus_score(pred=pred, gold=gold)  # type: ignore[attr-defined]
    there = client.score(gold=gold, pred=pred, metric="span_match")
    assert (there.values, there.signature) == (here.values, here.signature)
    pytest.importorskip("krippendorff")
    records = {"ann": gold, "bob": [Record("a", "You lie.", ())]}
    assert client.agree(records, n_resamples=20) == fx.agree(records, n_resamples=20).to_dict()
    labels = {"ann": {"1": "yes", "2": "no"}, "bob": {"1": "yes", "2": None}}
    assert client.agree(labels, n_resamples=0)["labels"] == fx.agree(labels, n_resamples=0).to_dict()["labels"]


def test_a_debate_is_told_while_it_runs(client: Any) -> None:
    told: list[dict[str, Any]] = []
    document = (EXAMPLES / "minutes.txt").read_text()
    verdict = client.debate(document, "The night boat was cancelled.", model="demo", on_event=told.append)
    assert verdict.transcript is not None
    assert {e["event"] for e in told} >= {"session", "round", "turn", "session_end"}


def test_what_is_offered_can_be_asked(client: Any) -> None:
    assert "mafalda" in client.taxonomies()
    assert client.taxonomy("mafalda").resolve("Strawman") == "straw man"
    assert client.health()["models"] == ["demo"]


def test_errors_come_back_as_errors(client: Any) -> None:
    with pytest.raises(InputError, match="did you mean 'mafalda'"):
        client.detect("x", taxonomy="mafald")
    with pytest.raises(AuthenticationError, match="token"):
        fx.connect(client.url).health()
    with pytest.raises(EndpointError, match="is fallax serve running there"):
        fx.connect("http://127.0.0.1:9").health()
    for url in ("ftp://127.0.0.1", "http://[::1"):
        with pytest.raises(InputError, match="must be http"):
            fx.connect(url)
    with pytest.raises(InputError, match="put it in a list"):
        client.verify("x", "y")


class _Raw(socketserver.StreamRequestHandler):
    """Says the bytes of a test, then hangs up; without any it waits until the caller has gone."""

    def handle(self) -> None:
        while self.rfile.readline().strip():
            pass
        said = self.server.said  # type: ignore[attr-defined]
        self.wfile.write(said)
        if said.endswith(b"WAIT"):
            self.rfile.read()


@pytest.mark.parametrize(
    ("said", "error", "message"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{}", EndpointError, "the answer broke off"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nWAIT", ModelTimeoutError, "no answer within 0.2 seconds"),
        (b"HTTP/1.1 200 OK\r\n\r\n<html>Jupyter</html>", EndpointError, "no JSON; is fallax serve running there"),
        (b"HTTP/1.1 200 OK\r\n\r\n\xff\xfe", EndpointError, "the answer is no JSON"),
        (b"HTTP/1.1 500 No\r\nContent-Length: 99\r\n\r\n{}", EndpointError, "answered with status 500"),
        (b"nonsense\r\n\r\n", EndpointError, "cannot be reached"),
        (b"", EndpointError, "cannot be reached"),
    ],
)
def test_an_answer_that_is_none_is_an_error_of_the_endpoint(said: bytes, error: type[Exception], message: str) -> None:
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), _Raw) as server:
        server.daemon_threads = True
        server.said = said  # type: ignore[attr-defined]
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            with pytest.raises(error, match=message):
                fx.connect(f"http://127.0.0.1:{server.server_address[1]}", timeout=0.2).health()
        finally:
            server.shutdown()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda c: fx.connect(c.url, timeout=-1.0), "timeout: must be more than 0, got -1"),
        (lambda c: fx.connect(c.url, timeout=float("nan")), "timeout: must be more than 0, got nan"),
        (lambda c: fx.connect(c.url, token="a\nb"), "token: must be of printable ASCII characters"),
        (lambda c: c.detect(None), "text: must be a text or a list of texts, got None"),
        (lambda c: c.detect(Record("r", "You lie.")), r"text: must be a text or a list of texts, got Record\("),
        (lambda c: c.detect(["You lie.", float("nan")]), "text: must be a text or a list of texts, got nan"),
        (lambda c: c.verify("It rained.", [None]), "evidence: each piece must be a text or an Evidence, got None"),
        (lambda c: c.verify("It rained.", documents=["Rain."]), "documents: must be Records, got 'Rain.'"),
        (
            lambda c: c.score(gold=[], pred=[fx.detect("x")]),
            r"pred: must be predictions \(of a Detection its .prediction",
        ),
        (lambda c: c.score(gold="x", pred=[]), "gold: must be annotated records, got 'x'"),
        (lambda c: c.agree(None), "annotations: must be annotator -> annotated records, .* got None"),
        (lambda c: c.detect("x", min_confidence=float("nan")), "what is sent must be JSON values"),
        (lambda c: c.detect("x", system=Path("linear")), "what is sent must be JSON values: got PosixPath"),
    ],
)
def test_what_cannot_be_sent_is_refused_here(client: Any, call: Callable[[Any], object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        call(client)


def test_half_an_emoji_is_read_as_here(client: Any) -> None:
    text = "\ud83d Everybody in town knows it, so it must be true. \U0001f642"
    assert client.detect(text) == fx.detect(text)


@pytest.mark.parametrize("timeout", [float("inf"), 1e10])
def test_a_client_may_wait_for_ever(client: Any, timeout: float) -> None:
    assert fx.connect(client.url, token=TOKEN, timeout=timeout).health()["models"] == ["demo"]


def test_numbers_of_numpy_are_sent(client: Any) -> None:
    text = "Everybody in town knows it, so it must be true."
    found = client.detect(np.array([text]), level=np.int64(0), min_confidence=np.float32(0.25))
    assert found == [fx.detect(Record("text-1", text), level=0, min_confidence=0.25)]

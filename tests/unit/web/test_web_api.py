"""The HTTP API: each endpoint's example is answered as its types say, and what is wrong is one line with its status."""

import asyncio
import gzip
import json
import random
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from fallax.core.stopping import StoppedEarly, stop_if_unwanted
from fallax.core.types import Reply, Request
from fallax.encoders import Model
from fallax.models import load_model
from fallax.web import ServerLimits
from fallax.web.endpoints import endpoints_of
from fallax.web.http import Endpoint, problem_of
from fallax.web.settings import ServerSettings
from fallax.web.verbs import Service
from fallax.web.work import Workers
from tests.support.serving import Serving, serving

EXAMPLES = Path(__file__).parents[3] / "examples"


class Slow:
    """A chat model that waits, and notes when it is told to stop."""

    name = "test/slow"

    def __init__(self) -> None:
        self.began = 0
        self.cancelled = 0

    async def generate(self, request: Request) -> Reply:
        self.began += 1
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        return Reply("<label>1</label>")


SLOW = Slow()


@pytest.fixture(scope="module")
def server() -> Iterator[Serving]:
    models = {"demo": load_model(f"scripted:{EXAMPLES / 'debate.json'}"), "slow": SLOW}
    with serving(models=models, limits=ServerLimits(text=20_000, batch=4, debates=1)) as running:
        yield running


ENDPOINTS = {f"{e.method} {e.path}": e for e in endpoints_of(Service(ServerSettings()))}
SHOWN = [e for e in ENDPOINTS.values() if e.example is not None and e.path != "/v1/fetch"]


@pytest.mark.parametrize("endpoint", SHOWN, ids=lambda e: e.path)
def test_the_example_of_an_endpoint_is_answered_as_its_type_says(server: Serving, endpoint: Endpoint) -> None:
    found = server.ask(endpoint.method, endpoint.path, endpoint.example)
    assert found.status == 200, found.body
    endpoint.response.model_validate(found.json)


@pytest.mark.parametrize(
    "path", ["/v1/taxonomies", "/v1/taxonomies/mafalda", "/v1/health", "/v1/runs", "/v1/corrections"]
)
def test_what_is_only_looked_up_is_answered_as_its_type_says(server: Serving, path: str) -> None:
    endpoint = ENDPOINTS["GET " + path.replace("mafalda", "{name}")]
    endpoint.response.model_validate(server.ask("GET", path).json)


def test_a_list_of_texts_gives_a_list(server: Serving) -> None:
    texts = ["So it is.", "", "Everybody knows it, so it must be true."]
    found = server.ask("POST", "/v1/detect", {"text": texts, "explain": True}).json
    assert [f["record"]["text"] for f in found] == texts
    assert [f["record"]["id"] for f in found] == ["text-1", "text-2", "text-3"][: len(texts)]
    assert found[2]["prediction"]["spans"][0]["explanation"]["definition"]


BAD = [
    ("/v1/detect", {}, "text: field required"),
    ("/v1/detect", {"text": 3}, "text"),
    ("/v1/detect", {"text": "x", "txet": "y"}, "txet"),
    ("/v1/detect", {"text": "x", "min_confidence": 2}, "min_confidence"),
    ("/v1/detect", {"text": "x" * 20_001}, "at most 20,000 characters"),
    ("/v1/detect", {"text": ["x"] * 5}, "at most 4 at a time"),
    ("/v1/detect", {"text": "x", "taxonomy": "mafald"}, "did you mean 'mafalda'"),
    ("/v1/detect", {"text": "x", "level": 9}, "level must be 0 to 2"),
    ("/v1/detect", {"text": "x", "system": "/etc"}, "unknown detector"),
    ("/v1/detect", {"text": "x", "system": "."}, "unknown detector"),
    ("/v1/detect", {"text": "x", "system": "linear@99"}, "must be what is installed, which is 'linear@1'"),
    ("/v1/detect", {"text": "x", "system": "nobody@1"}, "unknown detector 'nobody@1'"),
    ("/v1/detect", {"text": "x", "system": "linear@" + "\U0001f642" * 100}, "must be what is installed"),
    ("/v1/debate", {"document": "x", "summary": "x", "system": "entailment@99"}, "must be what is installed"),
    ("/v1/verify", {"claim": "x", "evidence": ["y"], "system": "entailment-causes@99"}, "must be what is installed"),
    ("/v1/detect", {"text": "x", "model": "scripted:/etc/passwd"}, "unknown model"),
    ("/v1/detect", {"text": "x", "model": "demo", "system": "linear"}, "must not both"),
    ("/v1/detect", {"text": "x", "detector": "linear", "system": "linear"}, "detector, system: are two names"),
    ("/v1/detect", {"text": "x", "protocol": "sentence"}, "protocol: needs a model; leave it out"),
    ("/v1/debate", {"document": " ", "summary": "x"}, "document"),
    ("/v1/debate", {"document": "x", "summary": "x", "system": "os:system"}, "unknown local judge"),
    ("/v1/debate", {"document": "x", "summary": "x", "model": "local/x.gguf"}, "unknown model"),
    ("/v1/debate", {"document": "x", "summary": "x", "model": "demo", "method": "x"}, "unknown method"),
    *(
        ("/v1/debate", {"document": "x", "summary": "x", name: value}, f"{name}: needs a model")
        for name, value in (
            ("method", "madisse"),
            ("agents", 4),
            ("rounds", 2),
            ("sessions", 3),
            ("ambiguity", "none"),
            ("seed", 0),
        )
    ),
    ("/v1/debate", {"document": "x", "summary": "x", "model": "demo", "system": "entailment"}, "must not come with"),
    ("/v1/detect", {"text": 3}, "text: input should be a valid string, got 3"),
    ("/v1/detect", {"text": "x", "min_confidence": "3"}, "got '3'"),
    ("/v1/verify", {"claim": "x", "evidence": [3]}, "evidence.0: input should be a valid string, got 3"),
    ("/v1/verify", {"claim": "x"}, "evidence"),
    ("/v1/verify", {"claim": "x", "evidence": ["y"], "protocol": "task-4"}, "protocol: needs a model"),
    ("/v1/verify", {"claim": "x", "evidence": ["y"], "n_evidence": 3}, "n_evidence: needs documents"),
    ("/v1/verify", {"claim": "x", "evidence": ["y"], "documents": [{"id": "d", "text": "z"}]}, "one at a time"),
    ("/v1/verify", {"claim": "x", "evidence": ["y"], "system": "os:system"}, "unknown verifier"),
    ("/v1/verify", {"claim": "x", "documents": ["/etc/passwd"]}, "documents"),
    ("/v1/verify", {"claim": "x", "evidence": [{"id": "a", "text": "x"}, {"id": "a", "text": "y"}]}, "once"),
    ("/v1/generate", {"fallacy": "no such"}, "no such"),
    ("/v1/generate", {"n": 1000}, "n"),
    (
        "/v1/score",
        {"gold": [{"id": "a", "text": "x", "gold": [{"start": 0, "end": 9, "labels": ["b"]}]}], "pred": []},
        "0..9",
    ),
    ("/v1/score", {"gold": [{"id": "a", "text": "x", "gold": []}], "pred": [], "metric": "x("}, "metric"),
    ("/v1/score", {"gold": [{"id": "a", "text": "x", "gold": []}] * 2, "pred": []}, "once"),
    ("/v1/structure", {"structure": {"claim": 3}}, "claim"),
    ("/v1/structure", {"structure": {}, "to": "exe"}, "unknown format"),
    ("/v1/fetch", {"url": "http://127.0.0.1:1/"}, "address"),
    ("/v1/fetch", {"url": "file:///etc/passwd"}, "address"),
    ("/v1/export/html", {"detection": {}}, "must be what /v1/detect gives"),
    ("/v1/corrections", {"text": "x", "start": 0, "end": 9, "label": "a", "corrected": None}, "inside its text"),
    ("/v1/corrections", {"text": "x", "start": 0, "end": 1, "label": "a", "corrected": "no such"}, "unknown label"),
    ("/v1/runs/report", {"runs": ["../.."]}, "found none"),
    ("/v1/runs/records", {"runs": ["/etc"]}, "found none"),
]


def test_requests_of_earlier_versions_are_answered(server: Serving) -> None:
    for path, old, value in (
        ("/v1/detect", "detector", {"text": "x", "system": "linear"}),
        ("/v1/debate", "local_judge", {"document": "x", "summary": "x", "system": "lexical-overlap"}),
        ("/v1/verify", "baseline", {"claim": "x", "evidence": ["y"], "system": "majority"}),
    ):
        former = {old if name == "system" else name: said for name, said in value.items()}
        first, second = server.ask("POST", path, former), server.ask("POST", path, value)
        assert (first.status, first.body) == (second.status, second.body)


def test_a_system_can_be_named_as_answers_name_it(server: Serving) -> None:
    said: tuple[tuple[str, str, dict[str, Any]], ...] = (
        ("/v1/detect", "system", {"text": "x", "system": "linear"}),
        ("/v1/debate", "judge", {"document": "x", "summary": "x"}),
        ("/v1/verify", "system", {"claim": "It rained.", "evidence": ["It rained."]}),
    )
    for path, field, value in said:
        first = server.ask("POST", path, value).json
        assert "@" in first[field]
        assert server.ask("POST", path, {**value, "system": first[field]}).json == first


@pytest.mark.parametrize(("path", "value", "said"), BAD, ids=lambda v: None if isinstance(v, dict) else str(v)[:30])
def test_what_is_wrong_is_one_line(server: Serving, path: str, value: Any, said: str) -> None:
    found = server.ask("POST", path, value)
    assert found.status == 422, found.body
    message = found.json["error"]["message"]
    assert said in message
    assert "\n" not in message


def test_what_is_no_json_is_400_and_what_is_not_there_404(server: Serving) -> None:
    json_head = {"content-type": "application/json"}
    for body in (b"", b"{", b"\xff", b"[" * 5000):
        assert server.ask("POST", "/v1/detect", data=body, headers=json_head).status in (400, 422)
    assert server.ask("GET", "/v1/nothing").status == 404
    assert server.ask("GET", "/v1/taxonomies/nothing").status == 422
    assert server.ask("GET", "/nothing", headers={"accept": "text/html"}).body.count(b"<h1>404</h1>") == 1
    assert server.ask("DELETE", "/v1/corrections/99").status == 422


JSON_HEAD = {"content-type": "application/json"}


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (b'\xef\xbb\xbf{"text": "You lie."}', "You lie."),
        (rb'{"text": "half \ud83d and \uDE00\ude00"}', "half \ufffd and \ufffd\ufffd"),
        (rb'{"text": "\ud83d\ud83d\ude00 \\ud83d \\\ud83d"}', "\ufffd\U0001f600 \\ud83d \\\ufffd"),
    ],
    ids=["a byte order mark", "half an emoji", "half an emoji beside a whole one and beside a backslash"],
)
def test_a_body_that_is_nearly_json_is_read(server: Serving, body: bytes, text: str) -> None:
    found = server.ask("POST", "/v1/detect", data=body, headers=JSON_HEAD)
    assert (found.status, found.json["record"]["text"]) == (200, text)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b'{"text": "\xc4rger"}', "body: must be JSON in UTF-8, got the byte 0xc4 at position 10"),
        ('{"text": "x"}'.encode("utf-16"), "body: must be JSON in UTF-8, got UTF-16 or UTF-32"),
        ('{"text": "x"}'.encode("utf-32-be"), "body: must be JSON in UTF-8, got UTF-16 or UTF-32"),
        (b"{'text': 'x'}", "body: must be JSON, got invalid JSON: key must be a string at line 1 column 2"),
        (rb'{"text": "\ud83d", }', "body: must be JSON, got invalid JSON: "),
    ],
    ids=["Latin-1", "UTF-16", "UTF-32", "single quotes", "half an emoji and a comma too many"],
)
def test_a_body_that_is_no_json_is_told_why(server: Serving, body: bytes, said: str) -> None:
    found = server.ask("POST", "/v1/detect", data=body, headers=JSON_HEAD)
    assert found.status == 400
    assert found.json["error"]["message"].startswith(said)


def test_a_compressed_body_is_refused_as_such(server: Serving) -> None:
    head = {**JSON_HEAD, "content-encoding": "gzip"}
    found = server.ask("POST", "/v1/detect", data=gzip.compress(b'{"text": "x"}'), headers=head)
    assert (found.status, found.json["error"]["message"]) == (415, "content-encoding: must be left out, got 'gzip'")


def test_steps_are_scored_where_it_is_asked(server: Serving) -> None:
    structure = {
        "claim": {"id": "Claim", "text": "The dam broke."},
        "evidence": [{"id": "E1", "text": "The dam broke in May."}, {"id": "E2", "text": "Plums are ripe in autumn."}],
        "links": [{"sources": ["E1"], "targets": ["Claim"]}, {"sources": ["E2"], "targets": ["Claim"]}],
    }
    found = server.ask("POST", "/v1/structure", {"structure": structure, "scores": True}).json["steps"]
    assert [(s["premises"], s["conclusion"]) for s in found] == [(["E1", "E2"], "Claim")]
    assert 0 <= found[0]["score"] <= 1
    assert server.ask("POST", "/v1/structure", {"structure": structure}).json["steps"] == []


def test_corrections_become_annotated_records(server: Serving, tmp_path: Path) -> None:
    from fallax.data import read_corpus

    text = "You lie. Everyone says so."
    said = {"text": text, "start": 0, "end": 8, "label": "ad hominem", "annotator": "ann"}
    first = server.ask("POST", "/v1/corrections", {**said, "corrected": None}).json["number"]
    second = server.ask("POST", "/v1/corrections", {**said, "start": 9, "end": 26, "corrected": "Ad_Populum"}).json
    records = [r for r in server.ask("GET", "/v1/corrections").json["records"] if r["text"] == text]
    assert records[0]["gold"] == [
        {"start": 0, "end": 8, "labels": ["no fallacy"]},
        {"start": 9, "end": 26, "labels": ["ad populum"]},
    ]
    out = tmp_path / "corrections.jsonl"
    out.write_text("".join(json.dumps(r) + "\n" for r in records))
    assert [g.labels for g in read_corpus(out)[0].gold or ()] == [("no fallacy",), ("ad populum",)]
    for number in (first, second["number"]):
        assert server.ask("DELETE", f"/v1/corrections/{number}").status == 200
    assert all(r["text"] != text for r in server.ask("GET", "/v1/corrections").json["records"])


def test_the_corrections_of_one_text_are_found_with_their_numbers(server: Serving) -> None:
    said = {"text": "You lie, too.", "start": 0, "end": 8, "label": "ad hominem"}
    number = server.ask("POST", "/v1/corrections", {**said, "corrected": None}).json["number"]
    server.ask("POST", "/v1/corrections", {**said, "text": "You lie, as ever.", "corrected": None})
    server.ask("POST", "/v1/corrections", {**said, "corrected": "ad populum", "annotator": "ann"})
    found = server.ask("POST", "/v1/corrections/find", {"text": said["text"]}).json
    assert found == {
        "corrections": [{"number": number, "start": 0, "end": 8, "label": "ad hominem", "corrected": None}]
    }


def test_a_result_is_kept_under_a_link(server: Serving) -> None:
    found = server.ask("POST", "/v1/detect", {"text": "You lie."}).json
    kept = server.ask("POST", "/v1/keep", {"kind": "examine", "value": found}).json
    assert server.ask("GET", kept["path"]).status == 200
    assert server.ask("GET", f"/v1/kept/{kept['id']}").json["value"] == found


def test_a_detection_becomes_a_page_and_a_word_file_with_comments(server: Serving) -> None:
    docx = pytest.importorskip("docx")
    text = "You lie.\n\nEveryone knows it, so it must be true."
    found = server.ask("POST", "/v1/detect", {"text": text, "explain": True}).json
    page = server.ask("POST", "/v1/export/html", {"detection": found})
    assert page.headers["content-disposition"].startswith("attachment")
    assert b"<mark" in page.body
    word = server.ask("POST", "/v1/export/docx", {"detection": found})
    import io

    document = docx.Document(io.BytesIO(word.body))
    assert "\n".join(p.text for p in document.paragraphs) == text
    assert len(list(document.comments)) == len(found["prediction"]["spans"]) > 0


def test_a_word_file_says_what_was_not_read_and_how_sure_a_label_is(server: Serving) -> None:
    docx = pytest.importorskip("docx")
    import io

    span = {"start": 0, "end": 8, "label": "ad hominem", "confidence": 0.9, "label_confidence": 0.3, "reported": True}
    bad = [{"reason": "names no known fallacy", "raw": "?", "where": "It rains."}]
    found = {
        "record": {"id": "r", "text": "You lie. It rains.", "gold": None},
        "prediction": {"id": "r", "spans": [span], "unreadable": bad, "n_replies": 2},
        "system": "demo",
        "taxonomy": "mafalda",
        "level": 2,
        "notes": ["1 of 2 paragraphs looks like German"],
    }
    word = server.ask("POST", "/v1/export/docx", {"detection": found})
    said = [c.text for c in docx.Document(io.BytesIO(word.body)).comments]
    assert said == [
        "1 of 2 replies or parts of them could not be read.\n1 of 2 paragraphs looks like German",
        "perhaps ad hominem, confidence 90 %, label 30 %\nReported: somebody else says so.",
    ]


def events(body: bytes) -> list[dict[str, Any]]:
    return [json.loads(line[6:]) for line in body.decode().splitlines() if line.startswith("data: ")]


DEBATE = {
    "document": (EXAMPLES / "minutes.txt").read_text(),
    "summary": "The night boat was cancelled by the board.",
    "model": "demo",
}


def test_a_debate_is_told_as_it_happens(server: Serving) -> None:
    found = server.ask("POST", "/v1/debate", DEBATE, headers={"accept": "text/event-stream"})
    assert found.headers["content-type"].startswith("text/event-stream")
    told = events(found.body)
    kinds = [e["event"] for e in told]
    assert kinds[0] == "session"
    assert kinds[-2:] == ["session_end", "verdict"]
    rounds = told[-1]["verdict"]["transcript"]["debates"][0]["sessions"][0]["rounds"]
    said = [(e["round"], e["agent"], e["label"]) for e in told if e["event"] == "turn"]
    assert said == [(i, t["agent"], t["label"]) for i, r in enumerate(rounds, 1) for t in r["turns"]]
    assert server.ask("POST", "/v1/debate", DEBATE).json["label"] == told[-1]["verdict"]["label"] == "unfaithful"


def test_a_debate_without_a_model_is_a_verdict_at_once(server: Serving) -> None:
    asked = {k: v for k, v in DEBATE.items() if k != "model"}
    told = events(server.ask("POST", "/v1/debate", asked, headers={"accept": "text/event-stream"}).body)
    assert [e["event"] for e in told] == ["verdict"]


def test_who_goes_away_stops_the_debate_and_no_more_run_than_may(server: Serving) -> None:
    import http.client

    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    head = {"content-type": "application/json", "accept": "text/event-stream"}
    connection.request("POST", "/v1/debate", json.dumps({**DEBATE, "model": "slow"}), head)
    answer = connection.getresponse()
    answer.readline()
    wait_for(lambda: SLOW.began == 4)
    busy = server.ask("POST", "/v1/debate", {**DEBATE, "model": "slow"})
    assert (busy.status, busy.headers["retry-after"]) == (429, "2")
    answer.close()
    connection.close()
    wait_for(lambda: SLOW.cancelled == 4)
    wait_for(lambda: server.app.state.service.workers.debates == 0)


def test_who_goes_away_stops_the_detector_between_two_windows(server: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    import http.client

    service = server.app.state.service
    real_detect, real_hidden = service._detect, Model.hidden
    reading, read_on = threading.Event(), threading.Event()
    ended: list[str] = []

    def hidden(*args: Any) -> Any:
        reading.set()
        assert read_on.wait(30)
        return real_hidden(*args)

    def noted(*args: Any) -> Any:
        try:
            found = real_detect(*args)
        except StoppedEarly:
            ended.append("stopped")
            raise
        ended.append("done")
        return found

    monkeypatch.setattr(service, "_detect", noted)
    monkeypatch.setattr(Model, "hidden", hidden)
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    text = "The council met on Monday and the minutes are long. " * 200
    connection.request("POST", "/v1/detect", json.dumps({"text": text}), {"content-type": "application/json"})
    assert reading.wait(30)
    connection.close()
    wait_for(lambda: service.workers.waiting == 0)
    read_on.set()
    wait_for(lambda: ended)
    assert ended == ["stopped"]


def test_work_that_takes_too_long_is_stopped() -> None:
    workers = Workers(ServerLimits(workers=1, seconds=0.05))
    ended = threading.Event()

    def endless() -> None:
        try:
            while True:
                stop_if_unwanted()
        finally:
            ended.set()

    try:
        with pytest.raises(TimeoutError) as error:
            asyncio.run(workers.run(endless))
        said = "this took longer than 0.05 seconds, the most that this server allows; send less at a time"
        assert problem_of(error.value) == (504, "timeout", said)
        assert ended.wait(30)
    finally:
        workers.close()


def wait_for(holds: Any) -> None:
    for _ in range(600):
        if holds():
            return
        time.sleep(0.05)
    pytest.fail("it did not come about")


@pytest.mark.parametrize("body", [b"{", b'{"text": "So it is."}'])
def test_who_goes_away_is_no_fault_in_the_log(server: Serving, body: bytes) -> None:
    sent = [{"type": "http.request", "body": body, "more_body": body == b"{"}, {"type": "http.disconnect"}]
    scope = {
        "type": "http", "method": "POST", "path": "/v1/detect", "raw_path": b"/v1/detect", "query_string": b"",
        "headers": [(b"host", b"127.0.0.1"), (b"content-type", b"application/json")], "http_version": "1.1",
        "scheme": "http", "server": ("127.0.0.1", server.port), "client": ("127.0.0.1", 1), "root_path": "",
    }  # fmt: skip

    async def receive() -> Any:
        return sent.pop(0) if len(sent) > 1 else sent[0]

    async def send(message: Any) -> None:
        pass

    asyncio.run(server.app(scope, receive, send))  # raised ClientDisconnect


def test_the_openapi_document_holds_every_endpoint_and_every_status(server: Serving) -> None:
    document = server.ask("GET", "/v1/openapi.json").json
    named = {f"{m.upper()} {path}" for path, one in document["paths"].items() for m in one}
    assert named == set(ENDPOINTS)
    text = json.dumps(document)
    refs = {part.split('"')[0] for part in text.split('"#/components/schemas/')[1:]}
    assert refs == set(document["components"]["schemas"])


def test_the_openapi_document_is_valid_for_another_tool(server: Serving) -> None:
    validator = pytest.importorskip("openapi_spec_validator")
    validator.validate(server.ask("GET", "/v1/openapi.json").json)


def strange(random: random.Random, depth: int = 0) -> Any:
    """A JSON value that nobody would send."""
    simple: list[Any] = [
        None,
        True,
        -1,
        0,
        1e308,
        2**70,
        "",
        "\x00",
        "\ud800",
        "é" * 50,
        "../..",
        "scripted:x",
        "<script>",
        "📎",
    ]
    kind = random.randrange(4 if depth < 3 else 1)
    if kind < 2:
        return random.choice(simple)
    if kind == 2:
        return [strange(random, depth + 1) for _ in range(random.randrange(4))]
    return {random.choice(["id", "text", "gold", "start", "", "claim"]): strange(random, depth + 1) for _ in range(3)}


def test_strange_bodies_are_never_a_fault_of_the_server(server: Serving) -> None:
    draw = random.Random(7)
    for endpoint in ENDPOINTS.values():
        if endpoint.request is None or endpoint.path == "/v1/fetch":
            continue
        for _ in range(40):
            body: Any = dict(endpoint.example or {})
            for name in endpoint.request.model_fields:
                if draw.random() < 0.5:
                    body[name] = strange(draw)
            body.pop("model", None)
            found = server.ask(endpoint.method, endpoint.path, body)
            assert found.status < 500, (endpoint.path, body, found.body)


def test_strange_paths_and_queries_are_never_a_fault_of_the_server(server: Serving) -> None:
    for path in (
        "/v1/kept/%00",
        "/v1/kept/%ff",
        "/v1/taxonomies/%2e%2e%2fx",
        "/v1/corrections/-1",
        "/examine/%00",
        "/v1/read",
        "/v1/read?name=%00.pdf",
        "/runs/view?run=%00",
        "/v1/taxonomies/" + "x" * 5000,
    ):
        for method in ("GET", "POST", "DELETE"):
            assert server.ask(method, path).status < 500, (method, path)

"""The front of a served model: who asks, from where and how much is checked; answers are streamed."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from fallax.models.front import MAX_BODY, Front, refusal

FINE = {"Host": "127.0.0.1:8080", "Authorization": "Bearer k"}


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/v1/chat/completions", {}, None),
        ("/health", {"Host": "[::1]:8080"}, None),
        ("/v1/models", {"Host": "box.lan"}, None),
        ("/v1/models", {"Host": "evil.example"}, 403),
        ("/v1/models", {"Host": "127.0.0.1.evil.example"}, 403),
        ("/v1/models", {"Host": ""}, 403),
        ("/v1/models", {"Origin": "http://127.0.0.1:8080"}, 403),
        ("/v1/models", {"Origin": "null"}, 403),
        ("/v1/models", {"Sec-Fetch-Site": "cross-site"}, 403),
        ("/v1/models", {"Authorization": "Bearer other"}, 401),
        ("/v1/models", {"Authorization": "Basic k"}, 401),
        ("/v1/models", {"Authorization": "Bearer \u0144"}, 401),
        ("/slots", {}, 404),
        ("/props", {}, 404),
        ("/", {}, 404),
        ("/v1/models", {"Transfer-Encoding": "chunked"}, 411),
        ("/v1/models", {"Content-Length": "-1"}, 400),
        ("/v1/models", {"Content-Length": str(MAX_BODY)}, None),
        ("/v1/models", {"Content-Length": str(MAX_BODY + 1)}, 413),
        ("/v1/models", {"Content-Length": "9" * 5000}, 413),
    ],
)
def test_who_may_ask(path: str, headers: dict[str, str], status: int | None) -> None:
    found = refusal(path, {**FINE, **headers}, key="k", hosts=["box.lan"])
    assert (found and found[0]) == status


class Engine(BaseHTTPRequestHandler):
    """Sends one piece, waits until it was seen, and sends another."""

    seen = threading.Event()

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        self.wfile.write(b"key " + self.headers["Authorization"].encode() + b", body " + body)
        self.wfile.flush()
        self.seen.wait(60)
        self.wfile.write(b" end")


@pytest.fixture
def front() -> Iterator[Front]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Engine) as engine:
        threading.Thread(target=engine.serve_forever, daemon=True).start()
        target = f"http://127.0.0.1:{engine.server_port}"
        with Front("127.0.0.1", 0, target=target, target_key="inner", key="k") as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            yield server
            server.shutdown()
        engine.shutdown()


def asked(front: Front, headers: dict[str, str], body: bytes = b"{}") -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection("127.0.0.1", front.server_port, timeout=60)
    connection.request("POST", "/v1/chat/completions", body=body, headers=headers)
    return connection.getresponse()


def test_an_answer_is_passed_on_as_it_comes(front: Front) -> None:
    Engine.seen.clear()
    with asked(front, {"Authorization": "Bearer k"}) as answer:
        assert answer.status == 200
        assert answer.getheader("Content-Type") == "text/event-stream"
        assert answer.getheader("Access-Control-Allow-Origin") is None
        assert answer.read1(100) == b"key Bearer inner, body {}"
        Engine.seen.set()
        assert answer.read() == b" end"


def test_a_refusal_is_an_answer_in_json(front: Front) -> None:
    with asked(front, {}) as answer:
        assert answer.status == 401
        assert b"Bearer KEY" in answer.read()


def test_an_engine_that_is_gone_is_told() -> None:
    with Front("127.0.0.1", 0, target="http://127.0.0.1:9", target_key="inner", key="k") as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with asked(server, {"Authorization": "Bearer k"}) as answer:
            assert answer.status == 502
        server.shutdown()

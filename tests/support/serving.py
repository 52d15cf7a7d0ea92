"""``fallax serve`` in a thread of the test, on a free port of this machine."""

from __future__ import annotations

import http.client
import json
import socket
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import uvicorn

from fallax.web import Part, ServerSettings, create_app


@dataclass
class Answered:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Serving:
    """A server that runs, and how to ask it."""

    port: int
    app: Any

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def ask(
        self,
        method: str,
        path: str,
        value: Any = None,
        *,
        data: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answered:
        """One request; a value goes as JSON, bytes go as they are."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        sent = dict(headers or {})
        if value is not None:
            data = json.dumps(value).encode()
            sent.setdefault("content-type", "application/json")
        try:
            connection.request(method, path, data, sent)
            answer = connection.getresponse()
            return Answered(answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read())
        finally:
            connection.close()


@contextmanager
def serving(*, parts: Sequence[Part] = (), **settings: Any) -> Iterator[Serving]:
    """A server that is ready, until the end of the block."""
    sock = socket.socket()
    sock.bind(("127.0.0.1", 0))
    sock.listen(128)
    port = sock.getsockname()[1]
    app = create_app(ServerSettings(port=port, **settings), parts)
    server = uvicorn.Server(uvicorn.Config(app, log_level="critical", ws="none", timeout_graceful_shutdown=1))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [sock]}, name="serving")
    thread.start()
    try:
        yield Serving(port, app)
    finally:
        server.should_exit = True
        thread.join(timeout=20)
        sock.close()

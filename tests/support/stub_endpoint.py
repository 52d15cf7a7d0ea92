"""An endpoint that speaks just enough of OpenAI's chat completions to test and to measure a client.

In a test: ``with StubEndpoint(...) as stub`` runs it in a thread. In a benchmark: ``python -m
tests.support.stub_endpoint --latency 0.2 --capacity 20`` runs it as a process of its own, prints its address, and
answers ``GET /stats``.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self


@dataclass
class Answer:
    """What the stub sends: a status, headers and a body (JSON unless it is bytes); ``None`` as a body hangs up."""

    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    latency: float | None = None


@dataclass
class Seen:
    """One request that came in: when, and when its answer had been handed to the system (None: it has not)."""

    path: str
    headers: dict[str, str]
    body: Any
    began: float = field(default_factory=time.time)
    answered: float | None = None


def completion(text: str = "yes", **more: Any) -> dict[str, Any]:
    """A chat completion; ``message``, ``choice`` and anything else may be added."""
    message = {"role": "assistant", "content": text, **more.pop("message", {})}
    choice = {"index": 0, "message": message, "finish_reason": "stop", **more.pop("choice", {})}
    usage = {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12}
    return {
        "id": "x",
        "object": "chat.completion",
        "created": 0,
        "model": "stub",
        "choices": [choice],
        "usage": usage,
    } | more


Script = Callable[[Any, int], "Answer | None"]


class StubEndpoint:
    """See the module. ``script(body, number)`` may give an answer of its own; ``None`` leaves it to the stub."""

    def __init__(
        self,
        *,
        latency: float = 0.0,
        capacity: int | None = None,
        retry_after: float | None = None,
        script: Script | None = None,
        keep: bool = True,
    ) -> None:
        self.latency = latency
        self.capacity = capacity
        self.retry_after = retry_after
        self.script = script
        self.keep = keep
        self.seen: list[Seen] = []
        self.n_seen = 0
        self.n_answered = 0
        self.n_refused = 0
        self.in_flight = 0
        #: Answers are held back once so many were given; None: never.
        self.hold_after: int | None = None
        self.peak = 0
        self.samples: list[tuple[float, int]] = []
        self.port = 0
        self._started = threading.Event()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def stats(self) -> dict[str, Any]:
        names = ("n_seen", "n_answered", "n_refused", "in_flight", "peak", "samples")
        return {name: getattr(self, name) for name in names}

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=lambda: asyncio.run(self.run()), daemon=True)
        self._thread.start()
        assert self._started.wait(60), "the stub did not start"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(60)

    async def run(self, port: int = 0) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        self._connections: set[asyncio.Task[None]] = set()
        server = await asyncio.start_server(self._connection, "127.0.0.1", port, backlog=1024)
        self.port = server.sockets[0].getsockname()[1]
        self._started.set()
        sampler = asyncio.create_task(self._sample())
        await self._stop.wait()
        server.close()
        for task in (sampler, *self._connections):
            task.cancel()
        await asyncio.gather(sampler, *self._connections, return_exceptions=True)

    async def _sample(self) -> None:
        start = time.monotonic()
        while True:
            await asyncio.sleep(0.02)
            self.samples.append((round(time.monotonic() - start, 3), self.in_flight))

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            self._connections.add(task)
            task.add_done_callback(self._connections.discard)
        try:
            while await self._one(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = await reader.readuntil(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        method, path, _ = first.split(" ", 2)
        headers = {n.strip().lower(): v.strip() for n, _, v in (line.partition(":") for line in lines if line)}
        raw = await reader.readexactly(int(headers.get("content-length", 0)))
        seen = None
        if method == "GET":
            answer = Answer(self.stats())
        else:
            seen = Seen(path, headers, json.loads(raw))
            answer = await self._answer(seen)
        if answer.body is None:
            return False
        body = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
        fields: Mapping[str, str] = {
            "content-type": "application/json",
            "content-length": str(len(body)),
            **answer.headers,
        }
        head_lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        writer.write(f"HTTP/1.1 {answer.status} X\r\n{head_lines}\r\n".encode("latin-1") + body)
        await writer.drain()
        if seen is not None:
            seen.answered = time.time()
        return True

    async def _answer(self, seen: Seen) -> Answer:
        body = seen.body
        self.n_seen += 1
        number = self.n_seen
        if self.keep:
            self.seen.append(seen)
        if self.capacity is not None and self.in_flight >= self.capacity:
            self.n_refused += 1
            wait = {} if self.retry_after is None else {"retry-after": f"{self.retry_after:g}"}
            return Answer({"error": {"message": "too many", "code": "rate_limit_exceeded"}}, 429, wait)
        self.in_flight += 1
        self.peak = max(self.peak, self.in_flight)
        try:
            answer = self.script(body, number) if self.script is not None else None
            answer = answer or Answer(completion(f"echo: {body['messages'][-1]['content']}"))
            await asyncio.sleep(self.latency if answer.latency is None else answer.latency)
            while self.hold_after is not None and self.n_answered >= self.hold_after:
                await asyncio.sleep(0.005)
            self.n_answered += answer.status == 200 and answer.body is not None
            return answer
        finally:
            self.in_flight -= 1


async def _serve(arguments: argparse.Namespace) -> None:
    stub = StubEndpoint(
        latency=arguments.latency, capacity=arguments.capacity, retry_after=arguments.retry_after, keep=False
    )
    running = asyncio.create_task(stub.run())
    while not stub.port:
        await asyncio.sleep(0.01)
    print(stub.base_url, flush=True)  # noqa: T201
    await running


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--latency", type=float, default=0.0)
    parser.add_argument("--capacity", type=int)
    parser.add_argument("--retry-after", type=float)
    asyncio.run(_serve(parser.parse_args()))

r"""Serve a GGUF model so that many questions are answered at once: the engine for recording whole sets on processors.

    pip install openvino-genai
    python scripts/serve_batched.py "$(fallax models fetch qwen2.5-coder-1.5b)"
    python scripts/record_local_replies.py --output runs/local --model llamacpp/qwen2.5-coder-1.5b \
        --max-connections 24

OpenVINO's engine decodes all running requests together and computes a prompt's beginning once for all requests that
share it; ``benchmarks/batched_server.py`` compares it with ``local/``. The endpoint answers
``POST /v1/chat/completions`` on this machine only. It knows ``messages``, ``max_tokens``, ``temperature`` (0 if not
given), ``top_p`` and ``seed``, and refuses anything else that would change an answer.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import queue
import threading
import time
from concurrent.futures import Future
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

#: What a request may hold. ``cache_prompt`` and the like change no answer.
KNOWN = {"model", "messages", "max_tokens", "temperature", "top_p", "seed", "n", "stream", "cache_prompt", "user"}

#: Prompts are compared at every so many tokens, from the first one on.
STEP = 128


class TooLongError(ValueError):
    """A prompt with its answer does not fit into the context."""


@dataclass(frozen=True, eq=False)
class Held:
    """A request: tokens and settings, the prompt's beginnings, and where the answer goes (tokens, why it ended)."""

    tokens: Any
    config: Any
    begins: frozenset[int]
    answer: Future[tuple[list[int], str]] = field(default_factory=Future)


class Batches:
    """A model whose requests run together; one thread owns the engine, the others wait for their answers.

    Parameters
    ----------
    path : a GGUF file.
    threads : processor threads.
    context : tokens of prompt and answer of one request.
    cache : gigabytes for what was computed for prompts and running answers.
    """

    def __init__(self, path: Path, *, threads: int, context: int, cache: int) -> None:
        import openvino_genai

        self.genai, self.context = openvino_genai, context
        scheduler = openvino_genai.SchedulerConfig()
        scheduler.cache_size, scheduler.enable_prefix_caching = cache, True
        scheduler.max_num_batched_tokens, scheduler.dynamic_split_fuse = 512, True
        self.pipe = openvino_genai.ContinuousBatchingPipeline(
            str(path), scheduler, "CPU", {"INFERENCE_NUM_THREADS": threads}
        )
        self.tokenizer = self.pipe.get_tokenizer()
        self.reading = threading.Lock()  # the engine's own types deadlock if two threads use them first
        self.waiting: queue.Queue[Held] = queue.Queue()
        self.computed: set[int] = set()
        threading.Thread(target=self._run, daemon=True).start()

    def ask(self, body: dict[str, Any]) -> dict[str, Any]:
        """Answer the body of a chat completion; blocks until the answer is there."""
        config = self.genai.GenerationConfig()
        config.max_new_tokens = int(body.get("max_tokens") or 1024)
        temperature = float(body.get("temperature") or 0.0)
        if temperature:
            config.do_sample, config.temperature = True, temperature
            config.top_p, config.rng_seed = float(body.get("top_p") or 1.0), int(body.get("seed") or 0) % 2**31
        with self.reading:
            prompt = self.tokenizer.apply_chat_template(body["messages"], add_generation_prompt=True)
            tokens = self.tokenizer.encode(prompt, add_special_tokens=False).input_ids
            ids = tuple(tokens.data[0].tolist())
        length = len(ids)
        if length + config.max_new_tokens > self.context:
            raise TooLongError(f"prompt and answer take {length} + {config.max_new_tokens} of {self.context} tokens")
        held = Held(tokens, config, frozenset(hash(ids[:end]) for end in range(STEP, length + 1, STEP)))
        self.waiting.put(held)
        written, reason = held.answer.result()
        return {
            "object": "chat.completion",
            "model": body.get("model", ""),
            "created": int(time.time()),
            "choices": [
                {
                    "index": 0,
                    "message": {"role": "assistant", "content": self.tokenizer.decode(written)},
                    "finish_reason": reason,
                }
            ],
            "usage": {
                "prompt_tokens": length,
                "completion_tokens": len(written),
                "total_tokens": length + len(written),
            },
        }

    def _run(self) -> None:
        """Feed the engine; a failure of the engine is told to all whose answers it was writing."""
        number = 0
        held: list[Held] = []
        running: dict[int, tuple[Any, Held]] = {}
        while True:
            while not self.waiting.empty() or not (running or held):
                held.append(self.waiting.get())
            ready = self._ready(held, running)
            held = [one for one in held if one not in ready]
            for one in ready:
                try:
                    running[number] = (self.pipe.add_request(number, one.tokens, one.config), one)
                except Exception as error:
                    _fail(one, error)
                number += 1
            try:
                if running:
                    self.pipe.step()
            except Exception as error:
                for handle, one in running.values():
                    _fail(one, error)
                    with contextlib.suppress(Exception):  # the engine may be past that
                        handle.cancel()
                running.clear()
            for key, (handle, one) in list(running.items()):
                if handle.can_read():
                    self.computed.update(one.begins)
                if handle.get_status() != self.genai.GenerationStatus.RUNNING:
                    try:
                        one.answer.set_result(self._answer(handle))
                    except Exception as error:
                        _fail(one, error)
                    del running[key]

    def _ready(self, held: list[Held], running: dict[int, tuple[Any, Held]]) -> list[Held]:
        """Those to begin now: none that begins with what is being computed for another one this moment."""
        at_work = {begin for _, one in running.values() for begin in one.begins} - self.computed
        ready = []
        for one in held:
            if at_work.isdisjoint(one.begins):
                ready.append(one)
                at_work |= one.begins - self.computed
        return ready

    def _answer(self, handle: Any) -> tuple[list[int], str]:
        found = handle.read_all()
        if not found:
            raise RuntimeError("it gave no answer; ask fewer at a time, or give it more memory with --cache")
        out = found[0]
        stopped = out.finish_reason == self.genai.GenerationFinishReason.STOP
        return list(out.generated_ids), "stop" if stopped else "length"


def _fail(one: Held, error: Exception) -> None:
    one.answer.set_exception(RuntimeError(f"the engine failed: {error}"))


def handler(batches: Batches) -> type[BaseHTTPRequestHandler]:
    """The HTTP side."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            try:
                body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))))
                if self.path != "/v1/chat/completions" or not isinstance(body, dict) or not body.get("messages"):
                    raise ValueError("no messages")
            except ValueError:
                told = "must be a chat completion in JSON, to /v1/chat/completions"
                return self.reply(400, {"error": {"message": told}})
            unknown = sorted(key for key in body if key not in KNOWN and body[key] is not None)
            if unknown or body.get("n", 1) != 1 or body.get("stream"):
                return self.reply(400, {"error": {"message": f"this endpoint does not know {unknown or 'n, stream'}"}})
            try:
                return self.reply(200, batches.ask(body))
            except TooLongError as error:
                return self.reply(400, {"error": {"message": str(error), "type": "exceed_context_size_error"}})
            except (TypeError, ValueError, KeyError) as error:
                return self.reply(400, {"error": {"message": f"must be a chat completion: {error}"}})
            except RuntimeError as error:
                return self.reply(500, {"error": {"message": str(error)}})

        def reply(self, status: int, value: dict[str, Any]) -> None:
            data = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    return Handler


def main() -> int:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("model", type=Path, help="a GGUF file")
    parser.add_argument("--port", type=int, default=8080, help="0 takes a free one [8080]")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1, help="[as many as there are processors]")
    parser.add_argument("--context", type=int, default=8192, help="tokens of prompt and answer [8192]")
    parser.add_argument("--cache", type=int, default=6, help="gigabytes for prompts and answers [6]")
    given = parser.parse_args()
    batches = Batches(given.model, threads=given.threads, context=given.context, cache=given.cache)
    server = ThreadingHTTPServer(("127.0.0.1", given.port), handler(batches))
    print(f"http://127.0.0.1:{server.server_port}/v1", flush=True)
    with contextlib.suppress(KeyboardInterrupt):
        server.serve_forever()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

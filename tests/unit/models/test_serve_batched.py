"""scripts/serve_batched.py with an engine that shows the order of its work."""

from __future__ import annotations

import json
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.support.scripts import script

LONG = "x" * 400


class _Handle:
    def __init__(self, tokens: list[int]) -> None:
        self.tokens, self.steps = tokens, 0

    def can_read(self) -> bool:
        return self.steps >= 1

    def get_status(self) -> str:
        return "running" if self.steps < 2 else "finished"

    def cancel(self) -> None:
        self.steps = 9

    def read_all(self) -> list[Any]:
        if self.tokens == [ord(c) for c in "silent"]:
            return []
        return [SimpleNamespace(generated_ids=self.tokens[-3:], finish_reason="stop")]


class _Pipe:
    """A step gives every running request one token; ``began`` has what was under way when a request was added."""

    def __init__(self, *_: Any) -> None:
        self.handles: list[_Handle] = []
        self.began: list[tuple[str, list[str]]] = []
        self.configs: list[Any] = []
        self.fails = False
        self.gate = threading.Event()
        self.gate.set()

    def get_tokenizer(self) -> Any:
        return SimpleNamespace(
            apply_chat_template=lambda messages, add_generation_prompt: messages[-1]["content"],
            encode=lambda text, add_special_tokens: SimpleNamespace(input_ids=_Ids(text)),
            decode=lambda ids: "".join(map(chr, ids)),
        )

    def add_request(self, _: int, tokens: Any, config: Any) -> _Handle:
        if tokens.text == "refused":
            raise ValueError("no room")
        working = [h for h in self.handles if not h.can_read()]
        self.began.append((tokens.text, ["".join(map(chr, h.tokens)) for h in working]))
        self.configs.append(config)
        self.handles.append(_Handle([ord(c) for c in tokens.text]))
        return self.handles[-1]

    def step(self) -> None:
        if self.fails:
            raise RuntimeError("out of memory")
        assert self.gate.wait(30)
        for handle in self.handles:
            handle.steps += 1


class _Ids:
    def __init__(self, text: str) -> None:
        self.text, self.shape = text, (1, len(text))
        self.data = [SimpleNamespace(tolist=lambda: [ord(c) for c in text])]


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Any, str]]:
    engine = SimpleNamespace(
        SchedulerConfig=SimpleNamespace,
        GenerationConfig=SimpleNamespace,
        ContinuousBatchingPipeline=_Pipe,
        GenerationStatus=SimpleNamespace(RUNNING="running"),
        GenerationFinishReason=SimpleNamespace(STOP="stop"),
    )
    monkeypatch.setitem(sys.modules, "openvino_genai", engine)
    module = script("serve_batched")
    batches = module.Batches(Path("model.gguf"), threads=1, context=1000, cache=1)
    batches.pipe.waiting = batches.waiting
    server = ThreadingHTTPServer(("127.0.0.1", 0), module.handler(batches))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield batches.pipe, f"http://127.0.0.1:{server.server_port}/v1/chat/completions"
    server.shutdown()
    server.server_close()


def _post(url: str, body: Any) -> tuple[int, Any]:
    request = urllib.request.Request(url, json.dumps(body).encode())
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def _asked(text: str, **more: Any) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": text}], "max_tokens": 10, **more}


def test_each_gets_its_own_answer_and_no_long_beginning_is_computed_twice_at_once(served: tuple[Any, str]) -> None:
    pipe, url = served
    texts = [f"{LONG} {i:03}" for i in range(12)] + [f"{i:03}" for i in range(4)]
    pipe.gate.clear()
    with ThreadPoolExecutor(len(texts) + 1) as pool:
        before = pool.submit(_post, url, _asked("before"))
        while not pipe.began:
            time.sleep(0.01)
        asked = [pool.submit(_post, url, _asked(text)) for text in texts]
        while pipe.waiting.qsize() < len(texts):
            time.sleep(0.01)
        pipe.gate.set()
        answers = [one.result() for one in asked]
    assert before.result()[0] == 200
    assert [a["choices"][0]["message"]["content"] for _, a in answers] == [t[-3:] for t in texts]
    assert answers[0][1]["usage"] == {"prompt_tokens": 404, "completion_tokens": 3, "total_tokens": 407}
    long = [(text, [w for w in working if w.startswith(LONG)]) for text, working in pipe.began if text.startswith(LONG)]
    # The first begins alone. The others are held until it is computed, and then begin together.
    assert [len(working) for _, working in long] == [0, *range(11)]
    assert all(long[0][0] not in working for _, working in long)


def test_sampling_is_passed_on_and_greedy_is_the_default(served: tuple[Any, str]) -> None:
    pipe, url = served
    _post(url, _asked("a"))
    _post(url, _asked("b", temperature=0.7, top_p=0.9, seed=5))
    greedy, drawn = pipe.configs
    assert not hasattr(greedy, "do_sample")
    assert (drawn.do_sample, drawn.temperature, drawn.top_p, drawn.rng_seed) == (True, 0.7, 0.9, 5)


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (_asked("a", grammar="root ::= x"), "grammar"),
        (_asked("a", n=2), "n, stream"),
        (_asked("y" * 995), "995 + 10 of 1000 tokens"),
        ([], "chat completion"),
        ({"messages": []}, "chat completion"),
        (_asked("a", temperature="warm"), "chat completion"),
    ],
)
def test_what_it_cannot_do_is_refused(served: tuple[Any, str], body: Any, told: str) -> None:
    status, answer = _post(served[1], body)
    assert status == 400
    assert told in answer["error"]["message"]


def test_a_failure_of_the_engine_reaches_the_one_who_asked_and_ends_nothing(served: tuple[Any, str]) -> None:
    pipe, url = served
    pipe.fails = True
    assert _post(url, _asked("abc")) == (500, {"error": {"message": "the engine failed: out of memory"}})
    pipe.fails = False
    for text, told in (("refused", "the engine failed: no room"), ("silent", "it gave no answer")):
        status, answer = _post(url, _asked(text))
        assert status == 500
        assert told in answer["error"]["message"]
    assert _post(url, _asked("abc"))[1]["choices"][0]["message"]["content"] == "abc"

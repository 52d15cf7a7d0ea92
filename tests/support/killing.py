"""Runs of ``fallax bench`` that are killed, and what the endpoint saw of them; for a test and for a benchmark."""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fallax.runs.base import SystemSpec
from fallax.runs.runner import RunSpec, run_benchmark
from tests.support.stub_endpoint import Answer, Seen, StubEndpoint, completion

ROOT = Path(__file__).parents[2]
FILES = ("run.json", "records.jsonl", "scores.json")
ANSWERS = ("no", "ad hominem", "This is a slippery slope.", "not fallacious", "appeal to fear", "Hm.")


def write_texts(path: Path, n: int) -> None:
    """Made-up texts of two sentences in MAFALDA's format; every other one has a fallacy."""
    with path.open("w", encoding="utf-8") as out:
        for i in range(n):
            text = f"Number {i} of the council is a fool. So plan {i} for the bridge must fail.\n"
            labels = [[0, len(text) - 1, "ad hominem"]] if i % 2 else []
            row = {"text": text, "labels": labels, "comments": [], "sentences_with_labels": "{}"}
            out.write(json.dumps(row) + "\n")


def script(body: Any, number: int) -> Answer:
    """An answer that depends on the question alone."""
    content = body["messages"][-1]["content"]
    return Answer(completion(ANSWERS[zlib.crc32(content.encode()) % len(ANSWERS)]))


@dataclass
class Killed:
    """What happened: which processes were killed, and when."""

    kills: dict[str, float]
    n_finished: int


class Job:
    """The command that is run, killed and run again."""

    def __init__(self, stub: StubEndpoint, data: Path, folder: Path, *, connections: int) -> None:
        self.stub = stub
        self.run = folder / "run"
        self.cache = folder / "calls.sqlite"
        self.spec = RunSpec(
            "mafalda",
            SystemSpec("openai/stub", "sentence", model_options={"base_url": stub.base_url}),
            data=str(data),
        )
        self.arguments = [
            sys.executable, "-m", "fallax", "bench", "run", "mafalda", "--system", "openai/stub",
            "-M", f"base_url={stub.base_url}", "--protocol", "sentence", "--data", str(data), "--output", str(self.run),
            "--cache", str(self.cache), "--max-connections", str(connections), "--json",
        ]  # fmt: skip

    def start(self, name: str) -> subprocess.Popen[bytes]:
        """Start it; its key, which changes no answer, tells the endpoint which process asks."""
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "OPENAI_API_KEY": name}
        return subprocess.Popen(
            self.arguments, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )

    def finish(self) -> None:
        """Run it to its end, in this process."""
        run_benchmark(self.spec, self.run, cache=self.cache)

    def kill(self, n: int, seed: int, longest: float) -> Killed:
        """Start it and kill it n times at random moments: half of them while it starts, half while it asks."""
        draw = random.Random(seed)
        kills: dict[str, float] = {}
        n_finished = 0
        while len(kills) < n:
            before = self.stub.n_seen
            name = f"process-{len(kills)}-{n_finished}"
            process = self.start(name)
            if draw.random() < 0.8:  # most of them once it asks
                while self.stub.n_seen == before and process.poll() is None:
                    time.sleep(0.005)
            try:
                process.wait(draw.uniform(0, longest))
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                kills[name] = time.time()
                process.wait()
            else:
                assert process.stderr is not None
                assert process.returncode == 0, process.stderr.read().decode()
                n_finished += 1
                if n_finished > 3:
                    break
            if process.stderr is not None:
                process.stderr.close()
        return Killed(kills, n_finished)

    def asked_in_spite_of_the_cache(self) -> list[str]:
        """Questions that reached the stub although their answer was stored already: there must be none.

        Of two answers to one question the cache keeps the first, with the time at which it was stored.
        """
        last = {one.body["messages"][-1]["content"]: one.began for one in self.stub.seen}
        with sqlite3.connect(self.cache) as connection:
            rows = connection.execute("SELECT request, created FROM calls").fetchall()
        connection.close()
        stored = {json.loads(request)["messages"][-1]["content"]: created for request, created in rows}
        return [content for content, created in stored.items() if last[content] > created]

    def content(self) -> dict[str, bytes]:
        """The files that must be the same, with the paths of this run taken out of them."""
        return {name: (self.run / name).read_bytes() for name in FILES}


def asked_again(seen: Sequence[Seen]) -> list[Seen]:
    """Of every question that was asked more than once, all but the last time."""
    by_content: dict[str, list[Seen]] = {}
    for one in seen:
        by_content.setdefault(json.dumps(one.body, sort_keys=True), []).append(one)
    return [one for times in by_content.values() for one in times[:-1]]


def sent_before_kill(one: Seen, kills: Mapping[str, float]) -> float | None:
    """Seconds from an answer to the kill of the process that had asked; None if it was not sent by then."""
    kill = kills.get(one.headers["authorization"].removeprefix("Bearer "), float("inf"))
    return None if one.answered is None or one.answered >= kill else kill - one.answered

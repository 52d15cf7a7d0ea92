"""What a call costs on our side, and whether the gate finds an endpoint's capacity.

    python benchmarks/model_calls.py            # both parts, against a stub in a process of its own
    python benchmarks/model_calls.py --calls 500

Part 1: calls at 64 connections against 200 ms of latency, each answer stored before it is handed on. Time over the
ideal (calls / connections x latency) must be at most 1.15, our processor time per call at most 4 ms.
Part 2: an endpoint that refuses beyond 20 in flight. After a first quarter for finding out, the calls in flight must
stay within 10 % of 20 on average, and no call may be lost.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fallax.core.types.messages import Message, Request
from fallax.models import AdaptiveGate, Cache, GatedModel, Limits, layers, load_model

ROOT = Path(__file__).parents[1]
TEXT = "The mayor says the new bridge is safe, because nobody has shown that it is not. " * 12


@contextmanager
def stub(*arguments: str) -> Iterator[str]:
    command = [sys.executable, "-m", "tests.support.stub_endpoint", *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
    finally:
        process.kill()
        process.wait()


def stats(base_url: str) -> dict[str, Any]:
    with urllib.request.urlopen(base_url + "/stats") as answer:
        result: dict[str, Any] = json.load(answer)
        return result


def cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def run_calls(base_url: str, n_calls: int, limits: Limits, cache: Cache) -> tuple[float, float, AdaptiveGate]:
    """Wall and processor seconds of so many calls, after a warm-up that opens connections and imports the client."""
    model = load_model("openai/stub", options={"base_url": base_url}, cache=cache, limits=limits)
    gate = next(layer.gate for layer in layers(model) if isinstance(layer, GatedModel))

    async def ask(label: str, n: int) -> int:
        """Ask n questions, four times as many under way as there may be connections, as a runner does."""
        numbers = iter(range(n))
        n_right = 0

        async def work() -> None:
            nonlocal n_right
            for i in numbers:
                request = Request((Message("user", f"{TEXT} {label} {i}"),), temperature=0.0)
                reply = await model.generate(request)
                n_right += reply.text.endswith(f" {label} {i}")

        await asyncio.gather(*(work() for _ in range(4 * limits.max_connections)))
        return n_right

    async def measure() -> tuple[float, float]:
        await ask("warm", 1)
        wall, cpu = time.perf_counter(), cpu_seconds()
        n_right = await ask("call", n_calls)
        wall, cpu = time.perf_counter() - wall, cpu_seconds() - cpu
        assert n_right == n_calls, f"lost {n_calls - n_right} answers"
        return wall, cpu

    wall, cpu = asyncio.run(measure())
    return wall, cpu, gate


def throughput(n_calls: int, connections: int, latency: float) -> bool:
    with tempfile.TemporaryDirectory() as folder, Cache(Path(folder) / "calls.sqlite") as cache:
        with stub("--latency", str(latency)) as base_url:
            wall, cpu, _ = run_calls(base_url, n_calls, Limits(max_connections=connections), cache)
        stored = cache.info().n_calls
    ideal = n_calls / connections * latency
    per_call = 1000 * cpu / n_calls
    print(f"{n_calls} calls, {connections} connections, {1000 * latency:.0f} ms: {wall:.2f} s, ideal {ideal:.2f} s")
    print(f"  time / ideal {wall / ideal:.3f} (at most 1.15); processor {per_call:.2f} ms a call (at most 4)")
    return wall / ideal <= 1.15 and per_call <= 4 and stored == n_calls + 1


def capacity(n_calls: int, bearable: int, latency: float, retry_after: float | None) -> bool:
    limits = Limits(max_connections=64, max_retries=20)
    extra = () if retry_after is None else ("--retry-after", str(retry_after))
    with tempfile.TemporaryDirectory() as folder, Cache(Path(folder) / "calls.sqlite") as cache:
        with stub("--latency", str(latency), "--capacity", str(bearable), *extra) as base_url:
            wall, _, gate = run_calls(base_url, n_calls, limits, cache)
            seen = stats(base_url)
        stored = cache.info().n_calls
    busy = [n for _, n in seen["samples"] if n]
    settled = busy[len(busy) // 4 : -len(busy) // 20]
    mean = statistics.fmean(settled)
    print(
        f"{n_calls} calls, capacity {bearable}, Retry-After {retry_after}: {wall:.2f} s, {n_calls / wall:.1f} calls/s"
    )
    print(
        f"  in flight once settled: mean {mean:.1f}, {min(settled)}-{max(settled)} (within 10 % of {bearable}); "
        f"limit at the end {gate.limit}; refused {seen['n_refused']}, answered {seen['n_answered']}, stored {stored}"
    )
    nothing_lost = seen["n_answered"] == stored == n_calls + 1
    return abs(mean - bearable) <= 0.1 * bearable and abs(gate.limit - bearable) <= 0.1 * bearable and nothing_lost


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=5000)
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--latency", type=float, default=0.2)
    arguments = parser.parse_args()
    passed = [throughput(arguments.calls, arguments.connections, arguments.latency)]
    passed += [capacity(arguments.calls // 4, 20, arguments.latency, wait) for wait in (None, 1.0)]
    print("all within bounds" if all(passed) else "OUT OF BOUNDS")
    return 0 if all(passed) else 1


if __name__ == "__main__":
    raise SystemExit(main())

"""What the runner itself costs, with a scripted model that answers at once.

    python benchmarks/runner_overhead.py             # 100,000 records
    python benchmarks/runner_overhead.py --records 10000

Time: the run (data read and hashed, rows written, sorted and scored) less the same questions asked without a runner,
in processor time per record; at most 1 ms. On a machine that does nothing else, wall time says the same.
Memory: resident size at the last record over that at the first tenth; at most 1.1.
Then the finished run is opened again: what it takes to see that nothing is left to do, per record.
"""

from __future__ import annotations

import argparse
import asyncio
import resource
import tempfile
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar

from fallax.core.types import ChatModel, Message, Request, Score, Signature
from fallax.models import ScriptedModel
from fallax.runs.asking import Recorder
from fallax.runs.base import Answer, Benchmark, LoadModel, Row, Sample, System, SystemSpec
from fallax.runs.runner import Progress, RunSpec, run_benchmark

TEXT = "The mayor says the new bridge is safe, because nobody has shown that it is not. " * 4


def request(text: str) -> Request:
    return Request((Message("user", text),), temperature=0.0, max_tokens=16)


class Asked:
    prompts: ClassVar[dict[str, str]] = {"overhead.v1": "0"}
    identity: ClassVar[dict[str, str]] = {"model": "scripted"}

    def __init__(self, model: ChatModel) -> None:
        self.model = model

    async def answer(self, sample: Sample, *, epoch: int) -> Answer:
        model = Recorder(self.model, epoch=epoch)
        reply = await model.generate(request(sample.input["text"]))
        return Answer({"label": reply.text}, replies=model.replies(), usage=model.usage)


class Overhead(Benchmark):
    name = "overhead"
    about = "made-up texts"
    options: ClassVar[Mapping[str, str]] = {"n": "how many"}
    protocols: ClassVar[Mapping[str, str]] = {"ask": "asks"}
    primary = ("right", "accuracy")

    def samples(self) -> Iterable[Sample]:
        for i in range(self.given["n"]):
            yield Sample(f"r{i}", {"text": f"{TEXT}{i}"}, "yes")

    def with_model(
        self, model: ChatModel, *, protocol: str, options: Mapping[str, Any], seed: int, load: LoadModel
    ) -> System:
        return Asked(model)

    def score(self, rows: Iterable[Row]) -> dict[str, Score]:
        n = right = 0
        for row in rows:
            n, right = n + 1, right + (row.prediction["label"] == row.gold)
        return {"right": Score("accuracy", "mean", {"accuracy": right, "n": n}, Signature({}, n))}


def rss_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=100_000)
    n = parser.parse_args().records
    bench = Overhead(options={"n": n})
    model = ScriptedModel(lambda _: "yes", name="scripted:always-yes", keep_requests=False)
    memory: dict[int, float] = {}

    def watch(state: Progress) -> None:
        if state.n_done and state.n_done % (n // 10) == 0:
            memory[state.n_done] = rss_mb()

    async def bare() -> None:
        for sample in bench.samples():
            await model.generate(request(sample.input["text"]))

    with tempfile.TemporaryDirectory() as folder:
        spec = RunSpec("overhead", SystemSpec("scripted:always-yes"), options={"n": n})
        start = time.process_time()
        asyncio.run(bare())
        alone = time.process_time() - start
        start, wall = time.process_time(), time.perf_counter()
        run_benchmark(spec, Path(folder) / "run", benchmark=bench, system=Asked(model), on_progress=watch)
        whole, wall = time.process_time() - start, time.perf_counter() - wall
        start = time.process_time()
        again = run_benchmark(spec, Path(folder) / "run", benchmark=bench, system=Asked(model))
        seen = time.process_time() - start
    assert again.n_new == 0
    per_record = 1000 * (whole - alone) / n
    print(f"wall time of the run {wall:.1f} s; the rest is processor time")
    first, last = memory[n // 10], memory[n]
    print(f"{n} records: run {whole:.1f} s, model alone {alone:.1f} s: {per_record:.3f} ms a record (at most 1)")
    print("resident MB: " + ", ".join(f"{k}: {v:.1f}" for k, v in memory.items()) + f"; after scoring {rss_mb():.1f}")
    print(f"  last / first tenth {last / first:.3f} (at most 1.1)")
    print(f"finished run opened again: {1000 * seen / n:.3f} ms a record")
    return 0 if per_record <= 1 and last / first <= 1.1 else 1


if __name__ == "__main__":
    raise SystemExit(main())

"""What a debate costs beyond the waiting: time against the lower bound, and how much of its prompts was said before.

    python benchmarks/debate_orchestration.py                # both parts
    python benchmarks/debate_orchestration.py --part prefix
    python benchmarks/debate_orchestration.py --part local --model local/smollm2-135m

Part "time": 100 summaries x 3 sessions x 4 agents x 3 rounds against a stub endpoint with 200 ms of latency, in a
process of its own. The agents disagree to the end. Time over the lower bound, max(critical path, calls x latency /
connections), must be at most 1.2.
Part "prefix": all prompts of a debate of 3 sessions on a document of 1,000 tokens. At least 85 % of their tokens must
be a prefix of a prompt that was sent before.
Part "local": the questions of one session on a local model, with and without reuse of what was computed for a prefix.
Time without over time with it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

from fallax.core.types import ChatModel
from fallax.faithfulness.systems import DebateJudge, DebateSettings
from fallax.models import Limits, ScriptedModel, load_model

ROOT = Path(__file__).parents[1]
WORDS = ("bridge", "council", "vote", "budget", "road", "mayor", "school", "water", "park", "library", "police", "bus")
WORDS += ("tax", "river", "market", "station", "garden", "hall", "street", "night", "fund", "permit", "plan", "staff")


def document(n_tokens: int, seed: int = 0) -> str:
    """A text of about so many tokens (of four characters), in sentences."""
    sentences = []
    i = seed
    while sum(map(len, sentences)) < 4 * n_tokens - len(sentences):
        i += 1
        a, b, c = (WORDS[(i * k + seed) % len(WORDS)] for k in (7, 11, 13))
        sentences.append(f"In item {i} the {a} committee heard about the {b} and set aside {i * 37} for the {c}.")
    return " ".join(sentences)


def argument(text: str) -> str:
    """A reply of about 120 tokens: agents 1 and 2 on one side, 3 and 4 on the other."""
    agent = re.search(r"You are Agent (\d+)\.", text)
    number = int(agent[1]) if agent else 0
    rounds = text.count("\nRound ") + text.count("<chat_history>\nRound ")
    why = (
        f"In round {rounds + 1} voice {number} holds that item {number + 3} of the document decides the matter, since "
    )
    why += " ".join(f"the {WORDS[(number * k + rounds) % len(WORDS)]} is named together with it," for k in range(1, 10))
    return f"<thinking>Item by item.</thinking><label>{int(number <= 2)}</label><explanation>{why}</explanation>"


async def debate_all(model: ChatModel, n: int, settings: DebateSettings) -> int:
    judge = DebateJudge(model, settings)
    texts = [(document(1000, seed=i), f"The committee of item {i} set aside money for the road.") for i in range(n)]
    found = await asyncio.gather(*(judge.judge(d, s) for d, s in texts))
    return sum(v.usage.calls for v in found)


def part_time(n: int, connections: int, latency: float) -> bool:
    settings = DebateSettings.of(sessions=3, agents=4, rounds=3, adjudicators=0, level="summary")
    command = [sys.executable, __file__, "--part", "serve", "--latency", str(latency)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        base_url = process.stdout.readline().strip()
        limits = Limits(max_connections=connections, start_connections=connections)
        model = load_model("openai/stub", options={"base_url": base_url}, limits=limits)

        async def measure() -> tuple[float, int]:
            await debate_all(model, 1, settings.changed(rounds=1, sessions=1))  # opens connections, imports the client
            begun = time.perf_counter()
            calls = await debate_all(model, n, settings)
            return time.perf_counter() - begun, calls

        wall, calls = asyncio.run(measure())
        with urllib.request.urlopen(base_url + "/stats") as answer:
            peak = json.load(answer)["peak"]
    finally:
        process.kill()
        process.wait()
    path, work = settings.rounds * latency, calls * latency / connections
    bound = max(path, work)
    print(f"{n} summaries x 3 sessions x 4 agents x 3 rounds = {calls} calls, {connections} connections (peak {peak})")
    print(f"  critical path {path:.2f} s, calls x latency / connections {work:.2f} s: lower bound {bound:.2f} s")
    print(f"  {wall:.2f} s, over the bound {wall / bound:.3f} (at most 1.2)")
    return calls == n * 36 and wall / bound <= 1.2


async def serve(latency: float) -> None:
    """The stub endpoint with arguing agents; prints its address."""
    sys.path.insert(0, str(ROOT))
    from tests.support.stub_endpoint import Answer, StubEndpoint, completion

    def answer(body: Any, _number: int) -> Answer:
        return Answer(completion(argument(body["messages"][-1]["content"])))

    endpoint = StubEndpoint(latency=latency, script=answer, keep=False)
    running = asyncio.create_task(endpoint.run())
    while not endpoint.port:
        await asyncio.sleep(0.01)
    print(endpoint.base_url, flush=True)
    await running


def shared(prompt: str, earlier: list[str]) -> int:
    """Characters of the longest prefix that an earlier prompt begins with."""
    best = 0
    for other in earlier:
        low, high = best, min(len(prompt), len(other))
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if prompt[:middle] == other[:middle] else (low, middle - 1)
        best = max(best, low)
    return best


def part_prefix() -> bool:
    model = ScriptedModel(lambda request: argument(request.messages[-1].content))
    settings = DebateSettings.of(sessions=3, agents=4, rounds=3, level="summary")
    asyncio.run(debate_all(model, 1, settings))
    prompts = [r.messages[-1].content for r in model.requests]
    reused = [shared(p, prompts[:i]) for i, p in enumerate(prompts)]
    share = sum(reused) / sum(map(len, prompts))
    print(f"{len(prompts)} prompts, {sum(map(len, prompts)) // 4:,} tokens (of four characters)")
    print(f"  {100 * share:.1f} % of them a prefix of an earlier prompt (at least 85 %)")
    return share >= 0.85


def part_local(name: str, n_tokens: int, max_tokens: int) -> bool:
    """The prompts of one session, one after another, as an engine with one slot gets them."""
    script = ScriptedModel(lambda request: argument(request.messages[-1].content))
    settings = DebateSettings.of(sessions=1, agents=4, rounds=2, adjudicators=1, max_tokens=max_tokens, level="summary")
    judge = DebateJudge(script, settings)
    asyncio.run(judge.judge(document(n_tokens), "The committee of item 3 set aside money for the road."))
    taken: dict[bool, float] = {}
    for reuse in (True, False):
        model = load_model(name, options={"prefix_reuse": reuse, "context": 8192, "parallel": 1})

        async def ask(model: ChatModel = model) -> float:
            begun = time.perf_counter()
            for request in script.requests:
                await model.generate(request)
            return time.perf_counter() - begun

        taken[reuse] = asyncio.run(ask())
    print(f"{name}: {len(script.requests)} prompts of one session, {max_tokens} tokens answered to each")
    gain = taken[False] / taken[True]
    print(f"  with reuse of prefixes {taken[True]:.1f} s, without {taken[False]:.1f} s: {gain:.1f} times as long")
    return taken[False] > taken[True]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", choices=("time", "prefix", "local", "serve", "both"), default="both")
    parser.add_argument("--summaries", type=int, default=100)
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--latency", type=float, default=0.2)
    parser.add_argument("--model", default="local/smollm2-135m")
    parser.add_argument("--tokens", type=int, default=1000)
    parser.add_argument("--max-tokens", type=int, default=32)
    arguments = parser.parse_args()
    if arguments.part == "serve":
        asyncio.run(serve(arguments.latency))
        return 0
    passed = {}
    if arguments.part in ("prefix", "both"):
        passed["prefix"] = part_prefix()
    if arguments.part in ("time", "both"):
        passed["time"] = part_time(arguments.summaries, arguments.connections, arguments.latency)
    if arguments.part == "local":
        passed["local"] = part_local(arguments.model, arguments.tokens, arguments.max_tokens)
    print("all within bounds" if all(passed.values()) else "OUT OF BOUNDS")
    return 0 if all(passed.values()) else 1


if __name__ == "__main__":
    raise SystemExit(main())

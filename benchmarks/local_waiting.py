"""How the engine's threads wait for each other, on free cores and on cores that others use too.

python benchmarks/local_waiting.py [NAME]    NAME as in ``fallax models list``, without local/; default smollm2-135m

Tokens a second of one answer. "ours" is what ``local/`` does where nothing else is asked for; the others are the two
policies of GNU OpenMP. On busy cores one endless loop for each core runs beside the model.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import sys
import time
from contextlib import ExitStack

from fallax.core.types import Message, Request
from fallax.models import load_model, release

WAYS = {"ours": None, "sleep at once": "passive", "spin": "active"}
LOOP = (sys.executable, "-c", "while True: pass")


async def speed(name: str, tokens: int) -> float:
    """Tokens a second, after a first answer that loads the model and reads the prompt."""
    model = load_model(f"local/{name}", options={"context": 2048})
    told = (Message("user", "Tell the story of a lighthouse in five hundred words."),)
    await model.generate(Request(told, temperature=0.0, max_tokens=2, seed=7))
    before = time.perf_counter()
    reply = await model.generate(Request(told, temperature=0.0, max_tokens=tokens, seed=7))
    took = time.perf_counter() - before
    await release(model)
    return reply.usage.completion_tokens / took


def measure(name: str, tokens: int, policy: str | None) -> float:
    """The speed in a process of its own: the policy is read once, when the engine is loaded."""
    told = {k: v for k, v in os.environ.items() if k not in ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT")}
    if policy is not None:
        told["OMP_WAIT_POLICY"] = policy
    words = [sys.executable, __file__, name, "--tokens", str(tokens), "--alone"]
    done = subprocess.run(words, env=told, capture_output=True, text=True, check=True)
    return float(done.stdout.split()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", nargs="?", default="smollm2-135m")
    parser.add_argument("--tokens", type=int, default=100)
    parser.add_argument("--alone", action="store_true", help="the speed of this process, as its environment has it")
    args = parser.parse_args()
    if args.alone:
        print(asyncio.run(speed(args.name, args.tokens)))
        return
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    for kind, loops in (("free", 0), ("busy", cores)):
        with ExitStack() as stack:
            for _ in range(loops):
                stack.callback(stack.enter_context(subprocess.Popen(LOOP)).kill)
            speeds = {way: measure(args.name, args.tokens, policy) for way, policy in WAYS.items()}
        for way, found in speeds.items():
            ratio = speeds["ours"] / found
            print(f"{cores} {kind} cores, {way}: {found:.1f} tokens/s, ours is {ratio:.2f} times as fast")


if __name__ == "__main__":
    main()

"""A llama.cpp server and the in-process model give the same answers through the same port.

python benchmarks/local_server.py [NAME]    NAME as in ``fallax models list``, without local/; default smollm2-135m

The server is ``fallax models serve`` in a process of its own, asked as any OpenAI-compatible endpoint.
"""

import argparse
import asyncio
import re
import subprocess
import sys
import time

from fallax.core.types import ChatModel, Message, Request
from fallax.models import load_model, release

PROMPTS = (
    "Name three colours.",
    "What is the opposite of north? Answer with one word.",
    "Finish the sentence: the kettle is on the",
    "Is a whale a fish? Say why in one sentence.",
    "Count from one to six.",
    "Everybody buys it, so it must be good. What is wrong with this argument?",
    "Translate 'good morning' to French.",
    "Write a line about rain.",
)


async def answers(model: ChatModel, tokens: int) -> tuple[list[str], float]:
    """The answers one after the other, and the seconds they took."""
    before = time.perf_counter()
    asked = [Request((Message("user", p),), temperature=0.0, max_tokens=tokens, seed=7) for p in PROMPTS]
    found = [(await model.generate(request)).text for request in asked]
    took = time.perf_counter() - before
    await release(model)
    return found, took


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", nargs="?", default="smollm2-135m")
    parser.add_argument("--tokens", type=int, default=48)
    args = parser.parse_args()
    words = [sys.executable, "-m", "fallax", "models", "serve", args.name, "--port", "0"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        try:
            assert server.stdout is not None
            address = next(m[0] for line in server.stdout if (m := re.search(r"https?://\S+/v1", line)))
            served = load_model(f"llamacpp/{args.name}", options={"base_url": address})
            there, there_took = asyncio.run(answers(served, args.tokens))
        finally:
            server.terminate()
    here, here_took = asyncio.run(answers(load_model(f"local/{args.name}"), args.tokens))
    same = sum(a == b for a, b in zip(there, here, strict=True))
    print(f"{args.name}: {same} of {len(PROMPTS)} answers are the same text, greedy")
    print(f"server {there_took:.1f} s, in process {here_took:.1f} s, ratio {here_took / there_took:.2f}")
    for prompt, a, b in zip(PROMPTS, there, here, strict=True):
        if a != b:
            print(f"- {prompt}\n  server:     {a!r}\n  in process: {b!r}")


if __name__ == "__main__":
    main()

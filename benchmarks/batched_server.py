"""How many answers a minute the engine for recordings gives, against the one of ``local/``.

python benchmarks/batched_server.py [NAME] [-n 24]    NAME as in ``fallax models list``, without local/

Both are asked the same questions about one document of about 1,000 tokens, 100 tokens an answer at most: ``local/`` one
after the other, so that it computes the document once; ``scripts/serve_batched.py`` all at once. Before the clock
starts, the model is loaded and the document is read.
"""

from __future__ import annotations

import argparse
import asyncio
import subprocess
import sys
import time
from pathlib import Path

from fallax.core.types import ChatModel, Message, Request
from fallax.models import load_model, release
from fallax.models.local import weights_path

ROOT = Path(__file__).parents[1]
DOCUMENT = (ROOT / "docs" / "detect.md").read_text()[:4000]


async def answers_a_minute(model: ChatModel, n: int, at_once: int) -> float:
    """``n`` questions about the document, ``at_once`` at a time."""
    gate = asyncio.Semaphore(at_once)

    async def ask(number: int) -> None:
        told = Message(
            "user", f"{DOCUMENT}\n\nWhat does sentence {number + 1} of this page say, and why does it matter?"
        )
        async with gate:
            await model.generate(Request((told,), temperature=0.0, max_tokens=100, seed=7))

    await ask(0)
    before = time.perf_counter()
    await asyncio.gather(*[ask(i) for i in range(1, n + 1)])
    took = time.perf_counter() - before
    await release(model)
    return 60 * n / took


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", nargs="?", default="qwen2.5-coder-1.5b")
    parser.add_argument("-n", type=int, default=24, help="questions, and how many at once [24]")
    parser.add_argument("--python", default=sys.executable, help="the Python that has openvino-genai [this one]")
    given = parser.parse_args()
    here = asyncio.run(answers_a_minute(load_model(f"local/{given.name}"), given.n, 1))
    words = [given.python, str(ROOT / "scripts" / "serve_batched.py"), str(weights_path(given.name)), "--port", "0"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            address = server.stdout.readline().strip()
            served = load_model(f"llamacpp/{given.name}", options={"base_url": address})
            there = asyncio.run(answers_a_minute(served, given.n, given.n))
        finally:
            server.terminate()
    print(f"{given.name}: {there:.1f} answers a minute, {given.n} at once; local/ {here:.1f}; ratio {there / here:.2f}")


if __name__ == "__main__":
    main()

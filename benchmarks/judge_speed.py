"""Sentences a second of the local judges: python benchmarks/judge_speed.py

Against documents of 1,500 words that differ for each summary of four sentences.
"""

import asyncio
import random
import time

from fallax.faithfulness.systems import load_local_judge

WORDS = [
    "council",
    "budget",
    "harbour",
    "winter",
    "report",
    "union",
    "roof",
    "engineer",
    "valley",
    "school",
    "minister",
    "bridge",
    "river",
    "factory",
    "market",
    "teacher",
    "harvest",
    "clinic",
    "museum",
    "railway",
    "storm",
    "contract",
    "garden",
    "council",
    "voted",
    "raised",
    "opened",
    "closed",
    "repaired",
    "paid",
    "signed",
    "near",
]


def sentence(draw: random.Random) -> str:
    return f"The {' '.join(draw.choices(WORDS, k=draw.randint(10, 22)))}."


def main() -> None:
    for name in ("lexical-overlap", "embedding-similarity", "entailment"):
        judge = load_local_judge(name)
        draw = random.Random(7)
        begin, busy, n = time.perf_counter(), time.process_time(), 0
        for _ in range(8):
            document = [sentence(draw) for _ in range(88)]
            asyncio.run(judge.judge(" ".join(document), " ".join(sentence(draw) for _ in range(4))))
            n += 4
        spent, used = time.perf_counter() - begin, time.process_time() - busy
        print(f"{name:22} {n / spent:8.1f} sentences a second; {1000 * used / n:8.2f} ms of processor each")


if __name__ == "__main__":
    main()

"""What generation without a model costs.

    python benchmarks/generate_templates.py [--items 1000] [--evaluator swipl|joins] [--json]

Makes items of all 14 types with their sound twins, writes them with derivations and claims to a file as
``fallax generate --out`` does, and compares the time per item with that of a run of 14 items (1 is no better than
many small runs; start and rules are shared by all items). Budget: 1,000 items in under 30 s.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import time
from pathlib import Path

from fallax.generation.generators import SetFile, Tally, iter_generated, make_plan


async def made(n: int, wordings: int, evaluator: str) -> tuple[float, int, int]:
    """Seconds, items and bytes of one run with n items of each type."""
    start = time.perf_counter()
    settings = {"n": n, "seed": 7, "wordings": wordings, "evaluator": evaluator}
    plan = make_plan("all", model=None, method=None, rules="strict", twins=None, **settings)
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        file = SetFile(Path(folder) / "set.jsonl", plan.to_dict())
        async for item in iter_generated(plan, tally):
            file.add(item)
        file.finish(tally.to_dict())
        size = file.path.stat().st_size
    return time.perf_counter() - start, len(file.items), size


def main() -> int:
    """Print the figures; status 1 if the budget is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--items", type=int, default=1000)
    parser.add_argument("--evaluator", default="swipl", choices=("swipl", "joins"))
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    n = -(-args.items // 14)
    few, n_few, _ = asyncio.run(made(1, 1, args.evaluator))
    many, n_many, size = asyncio.run(made(n, 4, args.evaluator))
    row = {
        "items": n_many,
        "texts": 2 * n_many,
        "seconds": round(many, 2),
        "ms_per_item": round(1000 * many / n_many, 2),
        "ratio_to_small_run": round(many / n_many / (few / n_few), 3),
        "megabytes": round(size / 1e6, 1),
    }
    if args.json:
        print(json.dumps(row, indent=1))
    else:
        print(
            f"{n_many} items with twins ({row['megabytes']} MB) in {row['seconds']} s: {row['ms_per_item']} ms an item,"
            f" {row['ratio_to_small_run']} of what an item of a run of {n_few} takes"
        )
    return 0 if n_many >= args.items and many < 30 else 1


if __name__ == "__main__":
    sys.exit(main())

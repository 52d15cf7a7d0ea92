"""Two trees measured in turns: has anything become slower?

    git worktree add /tmp/before COMMIT
    python benchmarks/paired.py /tmp/before                     # against this tree, five times each
    python benchmarks/paired.py /tmp/before --only help --repeats 9

Old and new run in turns, so that both see the same machine. Printed are the medians of the processor time (user and
system) of the whole process, what it starts up included, and their ratio, which must be at most 1.1; beside them the
fastest wall time. The benchmarks of each tree are run with the same arguments; the versions installed are the same.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

MEASURED = {
    "import": ("-c", "import fallax"),
    "help": ("-m", "fallax", "--help"),
    "detect help": ("-m", "fallax", "detect", "--help"),
    "score": ("benchmarks/soft_span.py", "million", "--spans", "100000", "--texts", "5000"),
    "score overlapping": ("benchmarks/soft_span.py", "overlapping"),
    "runner": ("benchmarks/runner_overhead.py", "--records", "10000"),
    "model calls": ("benchmarks/model_calls.py", "--calls", "1500"),
}
BOUND = 1.1


def measure(tree: Path, arguments: tuple[str, ...]) -> tuple[float, float]:
    """Processor and wall seconds of one run; what a program says is passed over, and so is its own verdict."""
    environment = {**os.environ, "PYTHONPATH": f"{tree / 'src'}{os.pathsep}{tree}"}
    start = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, *arguments], cwd=tree, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    assert process.stderr is not None
    said = process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status) not in (0, 1) or b"Traceback" in said:
        raise SystemExit(f"{tree}: {' '.join(arguments)} failed: {said.decode(errors='replace')[-500:]}")
    return used.ru_utime + used.ru_stime, time.perf_counter() - start


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=Path, help="the other tree")
    parser.add_argument("--new", type=Path, default=Path(__file__).resolve().parents[1])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--only", action="append", choices=tuple(MEASURED))
    given = parser.parse_args()
    trees = (given.old.resolve(), given.new.resolve())
    print(f"{'processor seconds':18} {'before':>8} {'now':>8} {'ratio':>6}   {'wall before':>11} {'now':>6}")
    slower = []
    for name in given.only or MEASURED:
        found: tuple[list[tuple[float, float]], ...] = ([], [])
        for turn in range(given.repeats + 1):
            for i in (0, 1) if turn % 2 else (1, 0):
                one = measure(trees[i], MEASURED[name])
                if turn:  # the first of each fills the caches of the disk and of Python
                    found[i].append(one)
        old, new = (statistics.median(cpu for cpu, _ in runs) for runs in found)
        walls = [min(wall for _, wall in runs) for runs in found]
        print(f"{name:18} {old:8.3f} {new:8.3f} {new / old:6.2f}   {walls[0]:11.2f} {walls[1]:6.2f}", flush=True)
        if new / old > BOUND:
            slower.append(name)
    print(f"slower than {BOUND} times: {', '.join(slower) or 'none'}")
    return 1 if slower else 0


if __name__ == "__main__":
    raise SystemExit(main())

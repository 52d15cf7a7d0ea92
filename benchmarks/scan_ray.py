"""A scan by Ray against the same scan by two processes: python benchmarks/scan_ray.py [--n 2000] [--repeat 2]

Needs the extra ``ray``. Both include their start, they take turns, the shortest time of each counts, and the parts must
be equal byte for byte.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from scan_speed import content, write_texts

ROOT = Path(__file__).parents[1]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, default=2000)
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--system", default="encoder")
    given = parser.parse_args()
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    seconds: dict[str, float] = {}
    same = True
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        texts = str(folder / "texts.jsonl")
        write_texts(folder / "texts.jsonl", given.n, 0)
        for turn in range(given.repeat):
            for engine in ("processes", "ray"):
                words = [sys.executable, "-m", "fallax", "scan", texts, "--output", str(folder / f"{engine}-{turn}")]
                words += ["--engine", engine, "--workers", "2", "--part-size", "50", "--system", given.system]
                began = time.perf_counter()
                subprocess.run(words, check=True, stdout=subprocess.DEVNULL, env=environment)
                took = time.perf_counter() - began
                seconds[engine] = min(took, seconds.get(engine, took))
            same = same and content(folder / f"processes-{turn}") == content(folder / f"ray-{turn}")
    for engine, s in seconds.items():
        print(f"{engine:10} {s:8.1f} s, {given.n / s:8.1f} texts/s")
    more = seconds["ray"] - seconds["processes"]
    print(
        f"Ray takes {more:+.1f} s, {100 * more / seconds['processes']:+.0f} %; {'the same' if same else 'OTHER'} bytes"
    )
    return 0 if same else 1


if __name__ == "__main__":
    raise SystemExit(main())

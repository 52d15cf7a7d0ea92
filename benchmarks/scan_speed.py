"""A scan against the detector alone, its memory, and what kills change.

    python benchmarks/scan_speed.py                              # 2,000 texts, a few minutes
    python benchmarks/scan_speed.py --n 200000 --workers 2 --kills 5 --datasets mafalda,logic,cocolofa,argotario

Texts are the passages of this repository, or of the data sets named, repeated with other numbers in them. First the
detector examines a sample in one process with one thread: its own speed. Then ``fallax scan`` examines all with N
workers: texts a second against N times that, processor seconds a text of both (which other work on the machine does not
change), and the largest memory of all processes, sampled, in the first and in the second half. With ``--kills`` it is
started again and killed with SIGKILL so many times at random moments, resumed, and compared byte by byte.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
ALONE = """
import json, sys, time
from fallax.scan import ScanJob
from fallax.scan.jobs import examiner_of
texts = [{"text": json.loads(line)["text"]} for line in open(sys.argv[1], encoding="utf-8")]
examiner = examiner_of(ScanJob(system=sys.argv[2]))
examiner.answers(texts[:20])
began, busy = time.perf_counter(), time.process_time()
examiner.answers(texts)
print(time.perf_counter() - began, time.process_time() - busy)
"""


def write_texts(path: Path, n: int, seed: int, datasets: str = "") -> None:
    from fallax.data.datasets import load_dataset
    from fallax.detection.systems.passages import read_passages

    draw = random.Random(seed)
    if datasets:
        texts = [record.text for name in datasets.split(",") for record in load_dataset(name)]
    else:
        texts = [p.record.text for p in read_passages(ROOT / "data" / "passages")]
    with path.open("w", encoding="utf-8") as out:
        for i in range(n):
            out.write(json.dumps({"id": i, "text": f"{draw.choice(texts)} ({i})"}) + "\n")


def tree_memory(pid: int) -> dict[int, int]:
    """Resident kB of a process and its children."""
    found: dict[int, int] = {}
    try:
        children = [int(c) for c in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                found[pid] = int(line.split()[1])
        # threads start the workers, so they are children of other tasks
        for task in Path(f"/proc/{pid}/task").iterdir():
            children += [int(c) for c in (task / "children").read_text().split() if int(c) not in children]
    except OSError:
        return found
    for child in children:
        found |= tree_memory(child)
    return found


def words(given: argparse.Namespace, texts: Path, out: Path) -> list[str]:
    found = [sys.executable, "-m", "fallax", "scan", str(texts), "--output", str(out), "--workers", str(given.workers)]
    return [*found, "--system", given.system, "--part-size", str(given.part_size), "--json"]


def content(folder: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in folder.iterdir() if not p.name.startswith(".")}


def n_parts(folder: Path) -> int:
    return len(list(folder.glob("part-*.json")))


def whole(given: argparse.Namespace, texts: Path, out: Path) -> tuple[float, list[int]]:
    """Seconds from the first finished part to the end, for so many texts; memory of all processes over time, in kB."""
    process = subprocess.Popen(words(given, texts, out), stdout=subprocess.DEVNULL)
    memory: list[int] = []
    began = 0.0
    while process.poll() is None:
        time.sleep(0.1)
        if not began and n_parts(out):
            began = time.perf_counter()
        memory.append(sum(tree_memory(process.pid).values()))
    assert process.returncode == 0
    return time.perf_counter() - began, memory


def processor_seconds(given: argparse.Namespace, texts: Path, out: Path) -> float:
    """Of a scan and its workers, all of it."""
    before = os.times()
    subprocess.run(words(given, texts, out), check=True, stdout=subprocess.DEVNULL)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def killed(given: argparse.Namespace, texts: Path, out: Path, total: int) -> int:
    draw = random.Random(given.seed)
    marks = sorted(draw.sample(range(1, max(total, given.kills + 1)), given.kills))
    n = 0
    for mark in marks:
        process = subprocess.Popen(words(given, texts, out), stdout=subprocess.DEVNULL)
        while process.poll() is None and n_parts(out) < mark:
            time.sleep(0.01)
        time.sleep(draw.random() * 2)
        process.send_signal(signal.SIGKILL)
        n += process.wait() == -signal.SIGKILL
    subprocess.run(words(given, texts, out), check=True, stdout=subprocess.DEVNULL)
    return n


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, default=2000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--system", default="encoder")
    parser.add_argument("--part-size", type=int, default=0, help="default: a fortieth of the texts, 1000 at most")
    parser.add_argument("--sample", type=int, default=500, help="texts that the detector examines alone")
    parser.add_argument("--datasets", default="", help="data sets with commas between, instead of the passages")
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    given.part_size = given.part_size or min(1000, max(10, given.n // 40))
    os.environ["PYTHONPATH"] = str(ROOT / "src")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_texts(folder / "texts.jsonl", given.n, given.seed, given.datasets)
        write_texts(folder / "sample.jsonl", given.sample, given.seed + 1, given.datasets)
        one = {**os.environ, "FALLAX_THREADS": "1"}
        alone = [sys.executable, "-c", ALONE, str(folder / "sample.jsonl"), given.system]
        # as many at once as there are workers, so that memory and caches are shared the same way
        several = [subprocess.Popen(alone, env=one, stdout=subprocess.PIPE, text=True) for _ in range(given.workers)]
        said = [[float(x) for x in p.communicate()[0].split()] for p in several]
        rate = sum(given.sample / seconds for seconds, _ in said)
        busy = sum(b for _, b in said) / given.sample / given.workers
        seconds, memory = whole(given, folder / "texts.jsonl", folder / "whole")
        scanned = (given.n - given.part_size) / seconds
        half = len(memory) // 2
        first, second = max(memory[:half]) / 1024, max(memory[half:]) / 1024
        print(f"{given.n:,} texts, {given.workers} workers, parts of {given.part_size}")
        print(f"the detector alone, {given.workers} processes of one thread: {rate:8.1f} texts/s")
        print(
            f"the scan:                                     {scanned:8.1f} texts/s, {100 * scanned / rate:.0f} % of it"
        )
        print(f"memory of all processes: {first:.0f} MB at most in the first half, {second:.0f} MB in the second")
        write_texts(folder / "few.jsonl", given.workers, given.seed, given.datasets)
        given.part_size, size = 1, given.part_size  # so that every worker starts
        starting = processor_seconds(given, folder / "few.jsonl", folder / "few")
        given.part_size = size
        n = min(given.n, 40 * given.sample)
        write_texts(folder / "some.jsonl", n, given.seed + 1, given.datasets)
        each = (processor_seconds(given, folder / "some.jsonl", folder / "some") - starting) / n
        print(f"processor time: {1000 * busy:.1f} ms a text alone, {1000 * each:.1f} ms in a scan, without its start")
        if not given.kills:
            return 0
        n = killed(given, folder / "texts.jsonl", folder / "killed", given.n // given.part_size)
        same = content(folder / "killed") == content(folder / "whole")
        rows = sum(p.read_bytes().count(b"\n") for p in (folder / "killed").glob("part-*.jsonl"))
        print(f"killed {n} times: {'the same bytes' if same else 'OTHER BYTES'}, {rows:,} rows of {given.n:,} texts")
        return 0 if same and rows == given.n else 1


if __name__ == "__main__":
    raise SystemExit(main())

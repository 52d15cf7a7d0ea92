"""How a server of fallax bears users: 50 at once over texts of 500 words, and many requests of one, on this machine.

    python benchmarks/serve_load.py [--users 50] [--each 4] [--requests 10000]

Prints errors, throughput and latencies beside the detector's own speed without a server, how long the event loop was
ever blocked, and the memory of the server before and after.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
EDITORIAL = (ROOT / "examples" / "editorial.txt").read_text(encoding="utf-8")


def text_of(number: int, words: int = 500) -> str:
    """A text of so many words that no other user sends."""
    found = (EDITORIAL + " ").split(" ") * 2
    start = number * 37 % 200
    return f"Letter {number}. " + " ".join(found[start : start + words - 2])


def resident(pid: int) -> float:
    """Megabytes of a process."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return 0.0


class Client:
    def __init__(self, port: int) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)

    def detect(self, text: str) -> tuple[int, float]:
        begun = time.perf_counter()
        self.connection.request("POST", "/v1/detect", json.dumps({"text": text}), {"content-type": "application/json"})
        answer = self.connection.getresponse()
        answer.read()
        return answer.status, time.perf_counter() - begun


def blocked(port: int) -> float:
    """Milliseconds, as the server measured them."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
    connection.request("GET", "/v1/health")
    return float(json.load(connection.getresponse())["loop_blocked_ms"])


def at_once(port: int, users: int, each: int) -> tuple[list[tuple[int, float]], float]:
    """Every user sends one text after another; all begin together."""
    found: list[tuple[int, float]] = []
    gate = threading.Barrier(users + 1)

    def user(number: int) -> None:
        client = Client(port)
        gate.wait()
        found.extend(client.detect(text_of(number * each + i)) for i in range(each))

    threads = [threading.Thread(target=user, args=(n,)) for n in range(users)]
    for t in threads:
        t.start()
    gate.wait()
    begun = time.perf_counter()
    for t in threads:
        t.join()
    return found, time.perf_counter() - begun


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--users", type=int, default=50)
    parser.add_argument("--each", type=int, default=4)
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--words", type=int, default=500)
    args = parser.parse_args()

    import fallax as fx

    fx.detect(text_of(0))
    begun = time.perf_counter()
    for n in range(20):
        fx.detect(text_of(n, args.words))
    alone = 20 / (time.perf_counter() - begun)
    print(f"detector alone, one thread: {alone:.1f} texts of {args.words} words a second; {os.cpu_count()} cores")

    command = [sys.executable, "-m", "fallax", "serve", "--port", "0", "--no-open", "--store", "/tmp/serve_load.sqlite"]
    begun = time.perf_counter()
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert server.stdout is not None
        port = int(server.stdout.readline().split(":")[-1].split("/")[0])
        page = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        page.request("GET", "/examine")
        page.getresponse().read()
        print(f"first page after {time.perf_counter() - begun:.2f} s")
        client = Client(port)
        for n in range(10):
            client.detect(text_of(n))
        found, took = at_once(port, args.users, args.each)
        times = sorted(t for _, t in found)
        errors = sum(status != 200 for status, _ in found)
        print(
            f"{args.users} users at once, {args.each} texts of {args.words} words each: {errors} errors,"
            f" {len(found) / took:.1f} texts a second ({len(found) / took / alone:.2f} times the detector alone),"
            f" median {statistics.median(times):.2f} s, p95 {times[int(0.95 * len(times)) - 1]:.2f} s"
        )
        print(f"event loop blocked for at most {blocked(port):.0f} ms")
        client = Client(port)
        before = resident(server.pid)
        marks = []
        for n in range(args.requests):
            status, _ = client.detect(f"Letter {n}. Everybody knows it, so it must be true.")
            assert status == 200, status
            if (n + 1) % max(1, args.requests // 5) == 0:
                marks.append(f"{resident(server.pid):.0f}")
        print(f"memory: {before:.0f} MB, then over {args.requests:,} requests {', '.join(marks)} MB")
        print(f"event loop blocked for at most {blocked(port):.0f} ms")
    finally:
        server.terminate()
        server.wait(timeout=30)


if __name__ == "__main__":
    main()

"""Broken input by the thousand: each file of examples/, changed in one of many ways, goes through each command.

    python -m tests.support.fuzzing --n 2000 --seed 1      (make fuzz)

Whatever comes in, a command ends by itself, with an exit code and without a traceback.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import random
import signal
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from fallax.cli import main

EXAMPLES = Path(__file__).parents[2] / "examples"
#: Far above what any of these takes on a busy machine.
PATIENCE = 60

#: Name -> the file that is changed, and the command, where FILE stands for it.
TARGETS: dict[str, tuple[str, tuple[str, ...]]] = {
    "stats": ("gold.jsonl", ("data", "stats", "FILE")),
    "score gold": ("gold.jsonl", ("score", "--gold", "FILE", "--pred", str(EXAMPLES / "predictions.jsonl"))),
    "score pred": ("predictions.jsonl", ("score", "--gold", str(EXAMPLES / "gold.jsonl"), "--pred", "FILE")),
    "structure": ("structure.txt", ("structure", "FILE")),
    "verify": ("verify/dam.txt", ("verify", "--claim", "The valley was flooded.", "--evidence", "FILE")),
    "bench": ("gold.jsonl", ("bench", "run", "mafalda", "--data", "FILE", "--system", "keywords", "--output", "RUN")),
}


class TooSlow(BaseException):
    """Not an Exception, so that no command catches it."""


@dataclass(frozen=True)
class Fault:
    """What must not happen: which target, which change, and what it was."""

    target: str
    change: str
    what: str


def _flip(data: bytes, draw: random.Random) -> bytes:
    at = draw.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << draw.randrange(8)]) + data[at + 1 :]


def _cut(data: bytes, draw: random.Random) -> bytes:
    return data[: draw.randrange(len(data))]


def _repeat(data: bytes, draw: random.Random) -> bytes:
    at = draw.randrange(len(data))
    return data[:at] + data[at : at + draw.randrange(1, 40)] * draw.choice((2, 50, 2000)) + data[at:]


def _insert(data: bytes, draw: random.Random) -> bytes:
    at = draw.randrange(len(data))
    piece = draw.choice(
        (
            b"\0",
            b"\xff\xfe",
            b"\xed\xa0\x80",
            b"\\ud800",
            b"\x1b]0;x\x07",
            b"[/]",
            b"{" * 5000,
            b"[" * 5000,
            b" " * 20000,
            b"<!--" * 2000,
            b"NaN",
            b"1e999",
            b"-1",
            b"null",
            b"\r",
            b"\xe2\x80\xae",
            b'"id": ["a"], ',
            b"A -> A\n",
            b"->" * 500,
        )
    )
    return data[:at] + piece + data[at:]


def _value(data: bytes, draw: random.Random) -> bytes:
    """One value of a JSON line, at any depth, becomes another; texts that are no JSON lose a line."""
    lines = data.splitlines(keepends=True)
    at = draw.randrange(len(lines))
    try:
        value = json.loads(lines[at])
    except ValueError:
        return b"".join(lines[:at] + lines[at + 1 :])
    node = value
    while isinstance(node, (dict, list)) and node:
        key = draw.choice(list(node) if isinstance(node, dict) else range(len(node)))
        if not isinstance(node[key], (dict, list)) or draw.random() < 0.4:
            node[key] = draw.choice(
                (None, True, -1, 10**30, 0.5, "", "x" * 500, [], {}, ["a"], {"a": 1}, [[1]], "\ud800", "[/]x\x1b[2J")
            )
            break
        node = node[key]
    return b"".join([*lines[:at], json.dumps(value).encode() + b"\n", *lines[at + 1 :]])


CHANGES: tuple[Callable[[bytes, random.Random], bytes], ...] = (_flip, _cut, _repeat, _insert, _value)


@contextlib.contextmanager
def _patience() -> Iterator[None]:
    def stop(_: int, __: FrameType | None) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(PATIENCE)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def _run(words: list[str]) -> str:
    """What went wrong, or ""."""
    out, err = io.StringIO(), io.StringIO()
    try:
        with _patience(), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            main(words)
    except SystemExit as stop:
        said = err.getvalue()
        if stop.code not in (None, 0) and not said.strip():
            return f"exit {stop.code} without a word"
        return "a traceback on standard error" if "Traceback" in said else ""
    except TooSlow:
        return f"more than {PATIENCE} s"
    except BaseException:
        return traceback.format_exc(limit=-3)
    return ""


def fuzz(n: int, seed: int, folder: Path) -> tuple[list[Fault], Counter[str]]:
    """Run ``n`` changed inputs; what went wrong, and how many each target had."""
    draw = random.Random(seed)
    faults: list[Fault] = []
    counts: Counter[str] = Counter()
    for i in range(n):
        target = sorted(TARGETS)[i % len(TARGETS)]
        source, command = TARGETS[target]
        change = draw.choice(CHANGES)
        data = (EXAMPLES / source).read_bytes()
        for _ in range(draw.choice((1, 1, 2, 5))):
            data = change(data, draw) or b" "
        path = folder / f"changed{Path(source).suffix}"
        path.write_bytes(data)
        what = _run([str(path) if w == "FILE" else str(folder / f"run{i}") if w == "RUN" else w for w in command])
        counts[target] += 1
        if what:
            faults.append(Fault(target, f"{change.__name__[1:]} (number {i} of seed {seed})", what))
    return faults, counts


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as where:
        found, n_of = fuzz(given.n, given.seed, Path(where))
    for fault in found:
        print(f"{fault.target}: {fault.change}: {fault.what}")  # noqa: T201
    print(f"seed {given.seed}: {sum(n_of.values())} inputs, {len(found)} faults; {dict(sorted(n_of.items()))}")  # noqa: T201
    raise SystemExit(bool(found))
